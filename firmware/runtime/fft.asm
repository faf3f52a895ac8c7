* Complex FFT, radix 4 and radix 2, forward and inverse.
*
* void cfft4(float *to, const float *from, const float *table, int n)    n a power of 4, from 16 (table: twiddle4)
* void cfft2(float *to, const float *from, const float *table, int n)    n a power of 2, from 8 (table: twiddle2)
* cifft4, cifft2: inverse, with the factor 1/n. rt_cfft4 ..: for this library, register model always
*
* Numbers lie as real part, imaginary part. `from` is read in bit-reversed order by the address unit and so must be
* aligned to 2 n words; `to` is another array. Input and output are in natural order.
*
* Changes      R0-R3, AR0-AR2, IR0, IR1, RC, RS, RE (and keeps what C expects)
* Cycles       cfft4 35081 for 1024 numbers, 7087 for 256; cfft2 40949, 8329. The formulas stand at each pass; their
*              sums are checked in tests/firmware/runtime/fft_test.cpp. Inverse: 2 n + 26 more
* Error        root mean square 4e-7 of the signal at 1024 numbers
* Method       decimation in time (Cooley and Tukey, 1965). The first pass makes transforms of 4 points, without
*              multiplications, and reverses the order on the way. A radix-4 butterfly takes its inputs in bit-reversed
*              order (n, n+2, n+1, n+3), so that the address unit's reversal serves; each of its results leaves memory
*              once as the operand of an addition while the one before is stored. Inverse: real and imaginary parts
*              change places on the way in and out
        .include "convention.inc"
        .global _cfft4, _cfft2, _cifft4, _cifft2, rt_cfft4, rt_cfft2, rt_cifft4, rt_cifft2
        .text

* What C wants back.
keep    .macro
        PUSH    R4
        PUSH    R5
        PUSHF   R6
        PUSHF   R7
        PUSH    AR3
        PUSH    AR4
        PUSH    AR5
        PUSH    AR6
        PUSH    AR7
        .endm
restore .macro
        POP     AR7
        POP     AR6
        POP     AR5
        POP     AR4
        POP     AR3
        POPF    R7
        POPF    R6
        POP     R5
        POP     R4
        .endm

_cfft4: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
rt_cfft4:
        keep
        CALL    setup
        CALL    forward
        CALL    pass4
        restore
        RETSU
_cfft2: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
rt_cfft2:
        keep
        CALL    setup
        CALL    forward
        CALL    pass2
        restore
        RETSU
_cifft4: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
rt_cifft4:
        keep
        ADDI    1,R2
        CALL    setup
        CALL    backward
        CALL    pass4
        CALL    scale
        restore
        RETSU
_cifft2: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
rt_cifft2:
        keep
        ADDI    1,R2
        CALL    setup
        CALL    backward
        CALL    pass2
        CALL    scale
        restore
        RETSU

* AR7 = to, AR6 = table, BK = n; registers of the first pass (below). 20 cycles
setup:  LDI     R2,AR0
        LDI     RC,R0
        LDI     AR2,AR7
        LDI     R3,AR6
        LDI     AR2,AR5
        LDI     AR2,AR4
        ADDI    1,AR4
        LDI     RC,BK
        ADDI3   R0,R2,R1
        LDI     R1,AR1          ; n words on: element n/2
        LSH     -1,R0
        ADDI3   R0,R2,R2
        LDI     R2,AR2          ; n/4
        ADDI3   R0,R1,R1
        LDI     R1,AR3          ; 3n/4
        LSH     -1,R0           ; half of n/4 numbers, in words: counts reversed
        LDI     R0,IR0
        SUBI    1,R0
        LDI     R0,RC
        LDI     2,IR1
        RETSU

* First pass. AR0, AR1, AR2, AR3: elements i, i + n/2, i + n/4, i + 3n/4, where i counts up bit-reversed; AR4, AR5: to
* imaginary and real parts of the results; IR0 = n/4, IR1 = 2, RC = n/4 - 1. `im` is where the imaginary part lies from
* where ARn points to: + behind it; - before it, for the inverse. 20 cycles for each of n/4 butterflies, 9 and RETS
first   .macro  im
        ADDF3   *:im:AR2(1),*:im:AR3(1),R6      ; b + d, b - d
        SUBF3   *:im:AR3(1),*:im:AR2(1),R7
        ADDF3   *AR2,*AR3,R4
        SUBF3   *AR3++(IR0)B,*AR2++(IR0)B,R5
        ADDF3   *:im:AR1(1),R6,R0               ; c + (b + d)
        RPTB    last?
        ADDF3   *:im:AR0(1),R0,R1               ; imaginary parts
        SUBF3   R6,*:im:AR1(1),R0
||      STF     R1,*AR4++(IR1)
        ADDF3   *:im:AR1(1),R5,R3
        SUBF3   R3,*:im:AR0(1),R1
        ADDF3   *:im:AR0(1),R0,R2
||      STF     R1,*AR4++(IR1)
        SUBF3   R5,*:im:AR1(1),R0
||      STF     R2,*AR4++(IR1)
        SUBF3   R0,*:im:AR0(1),R1
        ADDF3   *AR1,R4,R0                      ; real parts
||      STF     R1,*AR4++(IR1)
        ADDF3   *AR0,R0,R1
        ADDF3   *AR1,R7,R0
||      STF     R1,*AR5++(IR1)
        SUBF3   R7,*AR1,R3
        SUBF3   R3,*AR0,R1
        SUBF3   R4,*AR1++(IR0)B,R3
||      STF     R1,*AR5++(IR1)
        ADDF3   *AR0,R3,R1
        SUBF3   R0,*AR0++(IR0)B,R3
||      STF     R1,*AR5++(IR1)
        ADDF3   *:im:AR2(1),*:im:AR3(1),R6      ; the next four numbers
        SUBF3   *:im:AR3(1),*:im:AR2(1),R7
        ADDF3   *AR2,*AR3,R4
        SUBF3   *AR3++(IR0)B,*AR2++(IR0)B,R5
last?:  ADDF3   *:im:AR1(1),R6,R0
||      STF     R3,*AR5++(IR1)
        .endm
forward: first  +
        RETSU
backward: first -
        RETSU

* Radix-4 passes over blocks of L = 4, 16, .. numbers: AR0, AR1, AR2: numbers k of the first three blocks, AR3: the place
* before that of the fourth; AR4: their factors w^k, w^3k, w^2k. IR0 = 2, IR1 = 6 L, BK = L, AR5 = L - 1.
* A pass: 28 cycles for each of n/4 butterflies, 13 for each of n/4L groups, 26 more; 9 more in all
pass4:  LDI     BK,R0
        LSH     -2,R0           ; n/4: groups of the pass before
        LDI     4,BK
        LDI     AR6,AR4
        LDI     2,IR0
next4:  LSH     -2,R0
        LDI     R0,AR6
        SUBI    1,AR6
        LDI     BK,R1
        LDI     BK,AR5
        SUBI    1,AR5
        LSH     1,R1            ; a block, in words
        LDI     AR7,AR0
        ADDI3   R1,AR7,AR1
        ADDI3   R1,AR1,AR2
        ADDI3   R1,AR2,AR3
        ADDI3   R1,R1,R2
        ADDI    R1,R2
        LDI     R2,IR1
        SUBI    1,AR3
        PUSH    R0
group4: LDF     *-AR3(1),R7     ; the first butterfly stores it back
        LDI     AR5,RC
        RPTB    fly4
        MPYF3   *AR2,*AR4++(1),R0
        MPYF3   *+AR2(1),*AR4++(1),R1
        MPYF3   *+AR3(1),*AR4++(1),R0
||      SUBF3   R1,R0,R2        ; b real
        MPYF3   *+AR3(IR0),*AR4--(IR0),R1
        MPYF3   *AR2,*AR4--(1),R0
||      SUBF3   R1,R0,R3        ; d real
        ADDF3   R2,R3,R4
        SUBF3   R3,R2,R5        ; b + d, b - d real
        MPYF3   *+AR2(1),*AR4++(IR0),R1
        MPYF3   *+AR3(IR0),*AR4++(1),R0
||      ADDF3   R0,R1,R2        ; b imaginary
        MPYF3   *+AR3(1),*AR4++(1),R1
        MPYF3   *AR1,*AR4++(1),R0
||      ADDF3   R0,R1,R3        ; d imaginary
        ADDF3   R2,R3,R6        ; b + d imaginary
        MPYF3   *+AR1(1),*AR4,R1
||      SUBF3   R3,R2,R3        ; b - d imaginary
        MPYF3   *AR1,*AR4--(1),R0
||      SUBF3   R1,R0,R2        ; c real
        MPYF3   *+AR1(1),*AR4++(IR0),R1
        ADDF3   R0,R1,R1        ; c imaginary
        ADDF3   *+AR0(1),R1,R0  ; a + c, a - c
||      STF     R7,*-AR3(1)
        SUBF3   R1,*+AR0(1),R7
||      STF     R0,*+AR0(1)
        ADDF3   *AR0,R2,R0
||      STF     R7,*+AR1(1)
        SUBF3   R2,*AR0,R7
||      STF     R0,*AR0
        ADDF3   *+AR0(1),R6,R0  ; (a + c) + (b + d), (a + c) - (b + d)
||      STF     R7,*AR1
        SUBF3   R6,*+AR0(1),R7
||      STF     R0,*+AR0(1)
        ADDF3   *AR0,R4,R0
||      STF     R7,*+AR2(1)
        SUBF3   R4,*AR0++(IR0),R7
||      STF     R0,*AR0
        SUBF3   R5,*+AR1(1),R0  ; (a - c) - j (b - d), (a - c) + j (b - d)
||      STF     R7,*AR2++(IR0)
        ADDF3   *+AR1(1),R5,R7
||      STF     R0,*+AR1(1)
        ADDF3   *AR1,R3,R0
||      STF     R7,*++AR3(IR0)
fly4:   SUBF3   R3,*AR1++(IR0),R7
||      STF     R0,*AR1
        STF     R7,*-AR3(1)
        NOP     *AR0++(IR1)
        NOP     *AR1++(IR1)
        DBUD    AR6,group4
        NOP     *AR2++(IR1)
        NOP     *AR3++(IR1)
        NOP     *AR4--(IR1)
        LDI     BK,R1
        LSH     2,R1
        LDI     R1,BK
        POP     R0
        CMPI    1,R0
        BGTD    next4
        NOP     *AR4++(IR1)
        NOP
        NOP
        RETSU

* Radix-2 passes over blocks of L = 4, 8, .. numbers: AR0, AR1: the places before numbers k of two blocks, AR4: factors
* w^k. IR0 = 2, IR1 = 2 L, BK = L, AR5 = L - 2. Products of the next butterfly are taken while this one is stored.
* A pass: 8 cycles for each of n/2 butterflies, 11 for each of n/2L groups, 22 more; 9 more in all
pass2:  LDI     BK,R0
        LSH     -2,R0
        LDI     4,BK
        LDI     AR6,AR4
        LDI     2,IR0
next2:  LSH     -1,R0
        LDI     R0,AR6
        SUBI    1,AR6
        LDI     BK,R1
        LDI     BK,AR5
        SUBI    2,AR5
        LSH     1,R1
        LDI     AR7,AR0
        SUBI    1,AR0
        ADDI3   R1,AR0,AR1
        LDI     R1,IR1
        PUSH    R0
        NOP
group2: MPYF3   *+AR1(1),*AR4++(1),R0
        MPYF3   *+AR1(IR0),*AR4,R1
        MPYF3   *+AR1(1),*AR4--(1),R0
||      SUBF3   R1,R0,R2        ; b real
        MPYF3   *++AR1(IR0),*AR4++(IR0),R1
        LDF     *-AR1(IR0),R6   ; the first butterfly stores it back
        LDI     AR5,RC
        RPTB    fly2
        MPYF3   *+AR1(1),*AR4++(1),R0
||      ADDF3   R0,R1,R3        ; b imaginary
        ADDF3   *+AR0(1),R2,R5  ; a + b, a - b
||      STF     R6,*-AR1(IR0)
        SUBF3   R2,*+AR0(1),R6
||      STF     R5,*+AR0(1)
        ADDF3   *+AR0(IR0),R3,R5
||      STF     R6,*-AR1(1)
        SUBF3   R3,*+AR0(IR0),R6
||      STF     R5,*++AR0(IR0)
        MPYF3   *+AR1(IR0),*AR4,R1
        MPYF3   *+AR1(1),*AR4--(1),R0
||      SUBF3   R1,R0,R2
fly2:   MPYF3   *++AR1(IR0),*AR4++(IR0),R1
        ADDF3   R0,R1,R3
        ADDF3   *+AR0(1),R2,R5
||      STF     R6,*-AR1(IR0)
        SUBF3   R2,*+AR0(1),R6
||      STF     R5,*+AR0(1)
        ADDF3   *+AR0(IR0),R3,R5
||      STF     R6,*-AR1(1)
        SUBF3   R3,*+AR0(IR0),R6
||      STF     R5,*++AR0(IR0)
        DBUD    AR6,group2
        STF     R6,*AR1++(IR1)
        NOP     *AR0++(IR1)
        NOP     *AR4--(IR1)
        LDI     BK,R1
        LSH     1,R1
        LDI     R1,BK
        POP     R0
        CMPI    1,R0
        BGTD    next2
        NOP     *AR4++(IR1)
        NOP
        NOP
        RETSU

* Inverse: real and imaginary parts change places, times 1/n. BK = n or more: the block size behind the last pass.
* 2 cycles a number, 18 more and RETS
scale:  LDI     AR7,AR0
        LDI     BK,R0
        FLOAT   R0,R1           ; n
        LDI     R0,RC
        SUBI    2,RC
        PUSHF   R1
        POP     R1
        NEGI    R1              ; a power of two: only an exponent
        PUSH    R1
        POPF    R7
        MPYF3   *+AR0(1),R7,R0
        LDI     AR0,AR1
        RPTB    swap
        MPYF3   *AR0++(IR0),R7,R1
||      STF     R0,*AR1++(1)
swap:   MPYF3   *+AR0(1),R7,R0
||      STF     R1,*AR1++(1)
        MPYF3   *AR0,R7,R1
||      STF     R0,*AR1++(1)
        STF     R1,*AR1
        RETSU
        .end
