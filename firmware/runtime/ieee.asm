* IEEE-754 singles.
*
* _fromieee  float fromieee(unsigned bits)     _toieee  unsigned toieee(float x)
*
* Changes      R0-R3, AR2
* Cycles       _fromieee 26, _toieee 20; stack model 4 more
* Error        exact but for what the other format does not have: infinities and NaNs become the greatest number of
*              their sign, denormals 0 (as TI's routines, c32.md 2.4); numbers below 2^-126 become denormals,
*              rounded to even; -2^128 becomes the greatest finite number
* Method       |x| has the same fraction in both formats, and an exponent that differs by 127
        .include "convention.inc"
        .global _fromieee, _toieee
        .text
_fromieee: enter
        arg     1,AR2
        LDI     AR2,R0
        LDI     R0,R1
        LSH     1,R1
        LSH     -24,R1          ; exponent
        LSH     9,R0
        LSH     -9,R0           ; fraction
        LDI     8080h-10000h,R2
        LSH     16,R2
        NOT     R2              ; 7F7FFFFFh, the greatest number
        LDI     R1,R3
        SUBI    127,R3
        LSH     24,R3
        OR      R3,R0
        CMPI    255,R1
        LDIEQ   R2,R0
        PUSH    R0
        POPF    R0
        CMPI    0,R1
        LDFEQ   0.0,R0
        NEGF    R0,R1
        TSTB    AR2,AR2
        LDFN    R1,R0
        RETSU

_toieee: enter
        argf    1,R2
        ABSF    R2,R0
        PUSHF   R0
        POP     R0
        LDI     R0,R1
        ASH     -24,R1
        ADDI    127,R1
        BLED    small
        LSH     9,R0
        LSH     -9,R0
        LSH     23,R1
        OR      R1,R0
sign:   LDI     8000h-10000h,R1
        LSH     16,R1
        OR      R0,R1
        LDF     R2,R2
        LDIN    R1,R0
        RETSU
small:  LDF     R2,R2
        BNZ     denormal
        LDI     0,R0
        RETSU
denormal: LDI   1,R1            ; the implied bit moves into the fraction, all one place to the right
        LSH     23,R1
        OR      R1,R0
        LDI     R0,R1
        LSH     -1,R0
        AND     R0,R1           ; a half, and odd: up
        AND     1,R1
        BRD     sign
        ADDI    R1,R0
        NOP
        NOP
        .end
