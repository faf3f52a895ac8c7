* Tables of factors for the FFTs.
*
* void twiddle4(float *table, int n)   for cfft4 and cifft4: 2 n - 8 words
* void twiddle2(float *table, int n)   for cfft2 and cifft2: 2 n - 8 words
*
* Changes      R0-R3, AR0-AR2, RS
* Cycles       about 60 a word
* Error        1.1 units of a single's last place
* Method       a pass over blocks of L numbers needs exp(-j 2 pi m k / 4L), m = 1, 3, 2 (radix 4), or exp(-j 2 pi k / 2L)
*              (radix 2), for k = 0 .. L-1: quadrants m k / L, exact
        .include "convention.inc"
        .global _twiddle4, _twiddle2
        .ref    rt_sinq
        .text
_twiddle4: enter
        arg     2,R2
        arg     1,AR2
        LDI     R2,R1
        LSH     -2,R1           ; the last L
        BRD     table
        LDI     2,AR1           ; next L: places to shift
        LDI     1,R3
        NOP
_twiddle2: enter
        arg     2,R2
        arg     1,AR2
        LDI     R2,R1
        LSH     -1,R1
        LDI     1,AR1
        LDI     0,R3
table:  PUSH    R4
        PUSH    R5
        PUSHF   R6
        PUSH    AR4
        PUSH    AR5
        LDI     R1,AR4
        LDI     R3,R5           ; 1: radix 4
        LDI     4,R4            ; L
pass:   CMPI    AR4,R4
        BGT     done
        FLOAT   R4,R0
        PUSHF   R0
        POP     R0
        NEGI    R0              ; 1/L: a power of two is only an exponent
        PUSH    R0
        POPF    R6
        LDI     0,AR5           ; k
entry:  FLOAT   AR5,R2
        MPYF    R6,R2           ; k / L quadrants
        CMPI    0,R5
        BZ      two
        PUSHF   R2
        CALL    factor
        POPF    R2
        LDF     R2,R0
        ADDF    R2,R0
        ADDF    R0,R2
        PUSHF   R0
        CALL    factor
        POPF    R2
        CALL    factor
        BU      more
two:    ADDF    R2,R2
        CALL    factor
more:   ADDI    1,AR5
        LDI     AR5,R0
        CMPI    R4,R0
        BLT     entry
        LDI     AR1,R0
        LSH     R0,R4
        BU      pass
done:   POP     AR5
        POP     AR4
        POPF    R6
        POP     R5
        POP     R4
        RETSU
* cos and -sin of R2 quadrants to the table.
factor: PUSHF   R2
        ADDF    1.0,R2
        CALL    rt_sinq
        STF     R0,*AR2++
        POPF    R2
        CALL    rt_sinq
        NEGF    R0
        STF     R0,*AR2++
        RETSU
        .end
