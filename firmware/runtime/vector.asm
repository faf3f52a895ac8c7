* Vectors and matrices of floats.
*
* float dot(const float *a, const float *b, int n)                        sum of a[i] b[i], n > 0
* void matmul(float *c, const float *a, const float *b, int rows, int inner, int columns)
*                                        c = a b, row by row; a: rows x inner, b: inner x columns
*
* Changes      dot: R0-R3, AR0-AR2, RC, RS, RE. matmul: R0-R3, AR0-AR2, IR0, IR1, BK, RC, RS, RE
* Cycles       dot n + 13, stack model 6 more. matmul r (c (i + 13) + 11) + 24 for r rows, c columns, i = inner;
*              both operands in memory that gives two words a cycle
* Error        products of 24-bit factors with 32 bits, sums with 32 bits, rounded down: n 2^-31 of the sum of the
*              products' magnitudes; the result is rounded to a single
* Interrupts   wait for n cycles, or i (RPTS)
* Method       multiply and add in one cycle (RPTS, MPYF3 || ADDF3)
        .include "convention.inc"
        .global _dot, _matmul
        .text
_dot:   enter
        arg     2,R2
        arg     3,R3
        arg     1,AR2
        LDI     R2,AR0
        SUBI    1,R3
        LDF     0.0,R0
        LDF     0.0,R2
        RPTS    R3
        MPYF3   *AR2++(1),*AR0++(1),R0
||      ADDF3   R0,R2,R2
        POP     AR0
        BUD     AR0
        ADDF3   R0,R2,R0
        RND     R0
        NOP

* AR0: row of a; AR1: column of b, IR0 words from one to the next; AR2: c. R4 = inner - 1.
_matmul: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     5,RS
        arg     6,RE
        arg     1,AR2
        PUSH    R4
        PUSH    R5
        PUSH    AR3
        PUSH    AR4
        PUSH    AR5
        PUSH    AR6
        LDI     RC,AR4
        SUBI    1,AR4           ; rows
        LDI     RS,R4
        LDI     RS,IR1
        SUBI    1,R4
        LDI     RE,IR0
        LDI     R2,AR3          ; this row of a
        LDI     R3,R5
row:    LDI     R5,AR6          ; first column
        LDI     IR0,AR5
        SUBI    1,AR5
        LDI     AR3,AR0
        LDI     AR6,AR1
        LDF     0.0,R0
        LDF     0.0,R2
column: RPTS    R4
        MPYF3   *AR0++(1),*AR1++(IR0),R0
||      ADDF3   R0,R2,R2
        ADDI    1,AR6
        LDI     AR3,AR0
        LDI     AR6,AR1
        ADDF3   R0,R2,R3
        RND     R3
        DBUD    AR5,column
        STF     R3,*AR2++
        LDF     0.0,R0
        LDF     0.0,R2
        DBUD    AR4,row
        NOP     *AR3++(IR1)
        NOP
        NOP
        POP     AR6
        POP     AR5
        POP     AR4
        POP     AR3
        POP     R5
        POP     R4
        RETSU
        .end
