* 32-bit products: MPYI multiplies only 24-bit numbers.
*
* MPY_I30  R0 = low 32 bits of R0 x R1, signed or unsigned; the entry C compilers call
* _mull    the same for C: int mull(int a, int b)
* _mulhu   unsigned mulhu(unsigned a, unsigned b): high 32 bits of the 64-bit product
* _mulhi   int mulhi(int a, int b): the same, signed
*
* Changes      MPY_I30: R0, R1. _mull: R0-R3. _mulhu, _mulhi: R0-R3, AR0, AR1
* Cycles       MPY_I30 21, _mull 15, _mulhu 33, _mulhi 40; stack model 6 more
* Result       exact
* Method       16-bit halves (Knuth, The Art of Computer Programming 2, 4.3.1)
        .include "convention.inc"
        .global MPY_I30, _mull, _mulhu, _mulhi
        .text

MPY_I30: PUSH   R2
        PUSH    R3
        LDI     R0,R2
        LSH     -16,R2          ; upper halves
        LDI     R1,R3
        LSH     -16,R3
        AND     0FFFFh,R0       ; lower halves
        AND     0FFFFh,R1
        MPYI    R1,R2
        MPYI    R0,R3
        MPYI    R1,R0
        ADDI    R3,R2
        LSH     16,R2
        ADDI    R2,R0
        POP     R3
        POP     R2
        LDI     R0,R0           ; compilers branch on the flags of the result
        RETSU

_mull:  enter
        arg     2,R2
        arg     1,AR2
        LDI     AR2,R0
        LDI     R2,R1
        LDI     R0,R3
        LSH     -16,R3
        LSH     -16,R2
        AND     0FFFFh,R0
        AND     0FFFFh,R1
        MPYI    R1,R3
        MPYI    R0,R2
        ADDI    R3,R2
        POP     AR0
        BUD     AR0
        MPYI    R1,R0
        LSH     16,R2
        ADDI    R2,R0

_mulhu: enter
        arg     2,R2
        arg     1,AR2
        CALL    high
        RETSU
_mulhi: enter
        arg     2,R2
        arg     1,AR2
        CALL    high
        LDI     AR1,R1          ; b
        SUBI3   R1,R0,R2        ; - b if a < 0
        LDI     AR2,R3
        LDIN    R2,R0
        SUBI3   R3,R0,R2        ; - a if b < 0
        LDI     AR1,R1
        LDIN    R2,R0
        RETSU

* R0 = high word of AR2 x R2, unsigned; AR1 = R2.
high:   LDI     R2,AR1
        LDI     AR2,R0
        LDI     R0,R1
        LSH     -16,R1          ; ah
        AND     0FFFFh,R0       ; al
        LDI     R2,R3
        LSH     -16,R3          ; bh
        AND     0FFFFh,R2       ; bl
        PUSH    R1
        MPYI    R2,R1           ; ah bl
        MPYI    R0,R2           ; al bl
        LSH     -16,R2
        ADDI    R2,R1           ; t = ah bl + (al bl >> 16): below 2^32
        LDI     R1,R2
        AND     0FFFFh,R2
        MPYI    R3,R0           ; al bh
        ADDI    R2,R0           ; u = al bh + (t & FFFFh): below 2^32
        POP     R2              ; ah
        MPYI    R2,R3           ; ah bh
        POP     AR0
        LSH     -16,R1
        BUD     AR0
        LSH     -16,R0
        ADDI    R1,R0
        ADDI    R3,R0
        .end
