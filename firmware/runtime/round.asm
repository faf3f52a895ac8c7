* Rounding, remainder, parts of a float.
*
* _floor _ceil _trunc _round   float to a whole float: down, up, towards 0, nearest (halves up)
* _fmod    float fmod(float x, float y): x - n y with n = x / y towards 0, exact
* _fabs    float fabs(float x)
* _ldexp   float ldexp(float x, int n): x 2^n      _frexp   float frexp(float x, int *n): x = result 2^n, 1/2 <= |result| <= 1
* _modf    float modf(float x, float *whole): fraction, both with the sign of x
*
* Changes      R0-R3, AR0-AR2, RC, RS, RE at most
* Cycles       _floor 8, _ceil 11, _trunc 13, _round 11, _fabs 5, _ldexp 20, _frexp 14, _modf 15; _fmod 18 if |x| < |y|,
*              else about 60 and 2.9 for each bit of x / y
* Error        exact; ceil(2^-127), the smallest number, is 0. _ldexp beyond the range: greatest number, or 0. fmod(x, 0) is 0
* Method       fmod: long division of the mantissas, SUBC, 7 bits at a time
        .include "convention.inc"
        .global _floor, _ceil, _trunc, _round, _fmod, _fabs, _ldexp, _frexp, _modf
        .text
* Numbers of 2^31 and more are whole: FIX sets V. Its integer goes to AR0 first, which leaves the flags alone.
whole   .macro
        FIX     R2,RS
        FLOAT   RS,R0
        FIX     R2,R1
        LDFV    R2,R0
        .endm
_floor: enter
        argf    1,R2
        whole
        RETSU
_ceil:  enter
        argf    1,R2
        LDF     R2,R3
        NEGF    R2
        FIX     R2,RS
        FLOAT   RS,R0
        NEGF    R0
        FIX     R2,R1
        LDFV    R3,R0
        RETSU
_trunc: enter
        argf    1,R2
        LDF     R2,R3
        ABSF    R2
        whole
        NEGF    R0,R1
        LDF     R3,R3
        LDFN    R1,R0
        RETSU
_round: enter
        argf    1,R2
        LDF     R2,R3
        ADDF    0.5,R2
        whole
        LDFV    R3,R0
        RETSU
_fabs:  enter
        argf    1,R2
        ABSF    R2,R0
        RETSU
_modf:  enter
        argf    1,R2
        arg     2,AR2
        LDF     R2,R3
        ABSF    R2
        whole
        NEGF    R0,R1
        LDF     R3,R3
        LDFN    R1,R0
        STF     R0,*AR2
        SUBRF   R3,R0
        RETSU

* The exponent grows by n in two steps of at most 127, so that neither factor is out of range.
_ldexp: enter
        argf    1,R2
        arg     2,AR2
        LDI     AR2,R0
        CMPI    254,R0
        LDIGT   254,R0
        CMPI    -254,R0
        LDILT   -254,R0
        LDI     R0,R1
        ASH     -1,R1
        SUBI    R1,R0
        LSH     24,R0
        LSH     24,R1
        PUSH    R0
        POPF    R0
        PUSH    R1
        POPF    R1
        MPYF    R0,R2
        MPYF3   R1,R2,R0
        RETSU
_frexp: enter
        argf    1,R2
        arg     2,AR2
        PUSHF   R2
        POP     R1
        ASH     -24,R1
        ADDI    1,R1
        LDF     R2,R0
        LDIZ    0,R1
        LDE     0.5,R0
        LDF     R2,R2
        LDFZ    R2,R0
        STI     R1,*AR2
        RETSU

* Mantissas as integers of 24 bits, shifted left by 7 so that SUBC's quotient bits have room below: after 7
* steps they are cleared. The remainder is below the divisor, in the same place.
_fmod:  enter
        argf    1,R2
        argf    2,R3
        ABSF    R2,R0
        ABSF    R3,R1
        BZ      none
        CMPF    R1,R0
        BLTD    small
        PUSHF   R2              ; the sign is that of x
        PUSHF   R0
        PUSHF   R1
        POP     R1
        POP     R0
        LDI     R0,R2
        LDI     R1,R3
        ASH     -24,R2
        ASH     -24,R3
        LDI     R3,AR1          ; exponent of y
        SUBI    R3,R2           ; bits of the quotient less 1
        LSH     8,R0
        LSH     -1,R0
        LSH     8,R1
        LSH     -1,R1
        LDI     1,R3            ; the implied bit
        LSH     30,R3
        OR      R3,R0
        OR      R3,R1
        ADDI    1,R2
bits:   CMPI    7,R2
        BLT     tail
        RPTS    6
        SUBC    R1,R0
        BRD     bits
        ANDN    7Fh,R0
        SUBI    7,R2
        NOP
tail:   SUBI    1,R2
        BLT     scale
        RPTS    R2
        SUBC    R1,R0
        ANDN    7Fh,R0
scale:  LSH     -7,R0           ; the last step doubled it: its unit is 2^(AR1 - 24)
        FLOAT   R0
        SUBI    24,AR1
        LDI     AR1,R1
        ASH     -1,R1
        LDI     AR1,R2
        SUBI    R1,R2
        LSH     24,R1
        LSH     24,R2
        PUSH    R1
        POPF    R1
        PUSH    R2
        POPF    R2
        MPYF    R1,R0
        MPYF    R2,R0
        POPF    R2
        NEGF    R0,R1
        LDF     R2,R2
        LDFN    R1,R0
        RETSU
small:  POP     R1
        POP     R1
        POPF    R0
        RETSU
none:   LDF     0.0,R0
        RETSU
        .end
