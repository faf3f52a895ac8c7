* FFT of real numbers.
*
* void rfft4(float *to, const float *from, const float *table, const float *half, int n)   n/2 a power of 4, from 16
* void rfft2(...)   n/2 a power of 2, from 8            table: twiddle4 or twiddle2 of n/2; half: rtwiddle of n
* void irfft4, irfft2: inverse, with the factor 1/n; spoil `from`
* void rtwiddle(float *half, int n)   n/2 words
*
* n real numbers in natural order become n/2 complex ones: X[0], with X[n/2], which is real too, in the place of its
* imaginary part, X[1], .., X[n/2 - 1]. `from` aligned to n words, `to` another array
*
* Changes      R0-R3, AR0-AR2, IR0, IR1, BK, RC, RS, RE (and keeps what C expects)
* Cycles       those of the complex transform of n/2 numbers, and 25 for each of n/4 pairs (inverse 26), and about 90; 24440 for 1024 numbers by radix 2
* Error        as the complex transforms
* Method       even and odd samples are real and imaginary parts of one signal; its transform Z gives
*              X[k] = E - j w^k O, X[n/2 - k] = conj(E + j w^k O), 2 E = Z[k] + conj Z[n/2-k], 2 O = Z[k] - conj Z[n/2-k]
*              (Cooley, Lewis, Welch, 1970); backwards the same with -conj w
        .include "convention.inc"
        .global _rfft4, _rfft2, _irfft4, _irfft2, _rtwiddle
        .ref    rt_cfft4, rt_cfft2, rt_cifft4, rt_cifft2, rt_sinq
        .text
entry   .macro  transform
        enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     5,RS
        arg     1,AR2
        PUSH    AR2
        PUSH    RC
        PUSH    RS
        LDI     RS,R0
        LSH     -1,R0
        LDI     R0,RC
        CALL    transform
        POP     RS
        POP     RC
        POP     AR2
        .endm
_rfft4: entry   rt_cfft4
        BR      forwards
_rfft2: entry   rt_cfft2
        BR      forwards

* Register model: to AR2, from R2, table R3, half RC, n RS.
ientry  .macro  transform
        enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     5,RS
        arg     1,AR2
        PUSH    AR2
        PUSH    R2
        PUSH    R3
        PUSH    RS
        LDI     R2,AR2
        CALL    joins
        POP     R0
        POP     R3
        POP     R2
        POP     AR2
        LSH     -1,R0
        LDI     R0,RC
        BR      transform
        .endm
_irfft4: ientry rt_cifft4
_irfft2: ientry rt_cifft2

* AR2: the numbers, RC: factors w^k / 2 from k = 1, RS = n. Leaves AR0, AR1: numbers 1 and n/2 - 1, AR2: factors, RC:
* pairs - 1; turns the number in the middle.
prepare .macro
        LDI     RS,R0
        LSH     -1,R0
        ADDI    1,R0
        LDI     R0,IR0
        LDI     RS,R1
        LSH     -2,R1
        LDI     AR2,AR0
        LDI     AR2,AR1
        LDI     RC,AR2
        LDI     RS,IR1
        LDI     R1,RC
        SUBI    2,RC
        NEGF    *+AR0(IR0),R2           ; the one in the middle is its own partner
        STF     R2,*+AR0(IR0)
        LDF     *AR0,R2
        LDF     *+AR0(1),R3
        NOP     *++AR1(IR1)
        NOP     *--AR1(1)
        NOP     *--AR1(1)
        .endm
minussum .macro a,b                     ; b = -(a + b)
        ADDF    a,b
        NEGF    b
        .endm
less    .macro  a,b
        SUBF    a,b
        .endm

* AR0, AR1: numbers k and n/2 - k, AR2: w^k / 2. 25 a pair, inverse 26
pairs   .macro  sum,difference
        RPTB    pair?
        SUBF3   *AR1,*AR0,R2            ; 2 O
        ADDF3   *+AR0(1),*+AR1(1),R3
        MPYF3   *AR2,R2,R0
        MPYF3   *+AR2(1),R3,R1
        sum     R1,R0                   ; real part of w O, or what has its place
        MPYF3   *AR2++(1),R3,R1
        MPYF3   *AR2++(1),R2,R2
        difference R1,R2                ; imaginary part
        ADDF3   *AR0,*AR1,R1
        MPYF    0.5,R1                  ; E
        ADDF3   R2,R1,R3
        SUBF    R2,R1
        STF     R3,*AR0
||      STF     R1,*AR1
        SUBF3   *+AR1(1),*+AR0(1),R3
        MPYF    0.5,R3
        SUBF3   R0,R3,R1
        ADDF    R0,R3
        NEGF    R3
        STF     R1,*+AR0(1)
||      STF     R3,*+AR1(1)
        NOP     *++AR0(1)
        NOP     *++AR0(1)
        NOP     *--AR1(1)
pair?:  NOP     *--AR1(1)
        .endm
forwards: prepare
        ADDF3   R2,R3,R0
        SUBF    R3,R2
        STF     R0,*AR0++(1)
        STF     R2,*AR0++(1)
        pairs   SUBF,ADDF
        RETSU
joins:  prepare
        ADDF3   R2,R3,R0
        SUBF    R3,R2
        MPYF    0.5,R0
        MPYF    0.5,R2
        STF     R0,*AR0++(1)
        STF     R2,*AR0++(1)
        pairs   minussum,less
        RETSU
_rtwiddle: enter
        arg     2,R2
        arg     1,AR2
        PUSH    AR4
        PUSH    AR5
        PUSHF   R6
        LDI     R2,R0
        LSH     -2,R0
        LDI     R0,AR4          ; n/4
        FLOAT   R0
        PUSHF   R0
        POP     R0
        NEGI    R0
        PUSH    R0
        POPF    R6
        LDI     1,AR5
factor: FLOAT   AR5,R2
        MPYF    R6,R2           ; quadrants
        PUSHF   R2
        ADDF    1.0,R2
        CALL    rt_sinq
        MPYF    0.5,R0
        STF     R0,*AR2++
        POPF    R2
        CALL    rt_sinq
        MPYF    -0.5,R0
        STF     R0,*AR2++
        ADDI    1,AR5
        CMPI    AR4,AR5
        BLT     factor
        POPF    R6
        POP     AR5
        POP     AR4
        RETSU
        .end
