* Integer division and remainder, 32 bits, signed (towards zero) and unsigned.
*
* DIV_U30  R0 = R0 / R1     MOD_U30  R0 = R0 mod R1     unsigned; entries as C compilers call them
* DIV_I30  R0 = R0 / R1     MOD_I30  R0 = R0 mod R1     signed; the remainder has the sign of R0
* _divu _modu _divi _modi   the same for C: unsigned divu(unsigned n, unsigned d) ...
* divmod   R0 = R0 / R1, R1 = R0 mod R1, unsigned; changes R2, R3
*
* Changes      R0, R1, RC, RS, RE; nothing else (divmod: and R2, R3)
* Cycles       q = bits of the quotient. DIV_U30 44 + q, MOD_U30 44 + q, DIV_I30 and MOD_I30 51 + q; with quotient 0:
*              23, 23, 30, 30. Dividends of 80000000h and more (as unsigned numbers) take up to 30 more. _divu .. _modi:
*              5 more, in the stack model 11.
* Flags        N and Z of the result in R0: compilers branch on them
* Result       exact. A divisor of 0 gives the quotient FFFFFFFFh and the dividend as remainder, with the signs of
*              the signed routines put to them.
* Method       shift and conditional subtraction, a bit a cycle, the divisor aligned with the dividend first
*              (Knuth, The Art of Computer Programming 2, 4.3.1; the SUBC idiom of c32.md 3.12).
        .include "convention.inc"
        .global DIV_U30, MOD_U30, DIV_I30, MOD_I30, divmod
        .global _divu, _modu, _divi, _modi
        .text

_divu:  enter
        arg     2,R2
        arg     1,AR2
        LDI     AR2,R0
        BRD     DIV_U30
        LDI     R2,R1
        NOP
        NOP
_modu:  enter
        arg     2,R2
        arg     1,AR2
        LDI     AR2,R0
        BRD     MOD_U30
        LDI     R2,R1
        NOP
        NOP
_divi:  enter
        arg     2,R2
        arg     1,AR2
        LDI     AR2,R0
        BRD     DIV_I30
        LDI     R2,R1
        NOP
        NOP
_modi:  enter
        arg     2,R2
        arg     1,AR2
        LDI     AR2,R0
        BRD     MOD_I30
        LDI     R2,R1
        NOP
        NOP

DIV_U30: PUSH   R2
        PUSH    R3
        CALL    divmod
        POP     R3
        POP     R2
        LDI     R0,R0
        RETSU
MOD_U30: PUSH   R2
        PUSH    R3
        CALL    divmod
        POP     R3
        POP     R2
        LDI     R1,R0
        RETSU

DIV_I30: PUSH   R2
        PUSH    R3
        XOR3    R0,R1,R2
        PUSH    R2              ; its sign is the quotient's
        ABSI    R0
        ABSI    R1
        CALL    divmod
        NEGI    R0,R1
        POP     R2              ; sets N
        LDIN    R1,R0
        POP     R3
        POP     R2
        LDI     R0,R0
        RETSU
MOD_I30: PUSH   R2
        PUSH    R3
        PUSH    R0
        ABSI    R0
        ABSI    R1
        CALL    divmod
        LDI     R1,R0
        NEGI    R1
        POP     R2
        LDIN    R1,R0
        POP     R3
        POP     R2
        LDI     R0,R0
        RETSU

divmod: CMPI    R1,R0
        BLOD    less
        LDI     R1,R3           ; dividend | (divisor - 1) is negative in the rare cases only
        SUBI    1,R3
        OR      R0,R3
        BND     rare
        FLOAT   R0,R2           ; the exponents tell the lengths
        FLOAT   R1,R3
        NOP
        PUSHF   R2
        POP     R2
        PUSHF   R3
        POP     R3
        ASH     -24,R2
        ASH     -24,R3
        SUBI    R3,R2           ; places to the dividend's length
        LSH     R2,R1
        RPTS    R2
        SUBC    R1,R0
        SUBI    31,R2           ; R0: remainder over q = R2 + 1 quotient bits
        NEGI    R2              ; 31 - R2 = 32 - q
        LSH3    R2,R0,R3        ; quotient to the top
        SUBI    32,R2           ; -q
        LSH3    R2,R0,R1        ; remainder
        POP     RS              ; return address
        BUD     RS
        ADDI    32,R2
        NEGI    R2
        LSH3    R2,R3,R0

less:   POP     RS
        BUD     RS
        LDI     R0,R1
        LDI     0,R0
        NOP

rare:   CMPI    0,R1
        BZ      zero
        BLT     one             ; both have 32 bits: the quotient is 1
        PUSHF   R3              ; the dividend has, so the divisor is aligned to 32 bits
        POP     R3
        ASH     -24,R3
        SUBI    31,R3           ; -places
        NEGI    R3,R2
        LSH     R2,R1
        LDI     0,R2            ; highest bit of the quotient: 31 remain for SUBC
        CMPI    R1,R0
        LDIHS   1,R2
        BLO     below
        SUBI    R1,R0
below:  LSH     -1,R1
        NEGI    R3,R3           ; places, at least 1
        PUSH    R2
        SUBI    1,R3
        RPTS    R3
        SUBC    R1,R0
        ADDI    1,R3
        NEGI    R3,R2
        LSH3    R2,R0,R1        ; remainder
        POP     R2
        LSH     R3,R2           ; highest bit to its place
        SUBI    32,R3
        NEGI    R3              ; 32 - places
        LSH     R3,R0
        NEGI    R3
        LSH     R3,R0
        OR      R2,R0
        RETSU
zero:   LDI     R0,R1
        LDI     -1,R0
        RETSU
one:    SUBI3   R1,R0,R1
        LDI     1,R0
        RETSU
        .end
