* Adaptive filter, least mean squares.
*
* float lms(float *w, float *line, float x, float wanted, int n)
*           filters one sample x through n taps w, then moves them by step (wanted - y) x[k]; returns y. line: n words
*           aligned to the next power of two above n, behind them a pointer to the oldest sample (at first line), and
*           behind that the step, a float. n > 1
*
* Changes      R0-R3, AR0-AR2, IR0, BK, RC, RS, RE
* Cycles       3 n + 37; stack model 8 more
* Error        as dot (vector.asm); taps are stored as singles, rounded down
* Interrupts   wait for n cycles (RPTS); the second half, which moves the taps, lets them in
* Method       Widrow and Hoff, 1960: one cycle a tap to filter, two to move it
        .include "convention.inc"
        .global _lms
        .text
* Register model: w AR2, x R2, wanted R3, line RC, n RS.
_lms:   enter
        arg     2,RC
        argf    3,R2
        argf    4,R3
        arg     5,RS
        arg     1,AR2
        LDI     RS,IR0
        LDI     RC,AR1
        LDI     RS,BK
        LDF     R2,R1
        SUBI    1,RS
        LDI     *+AR1(IR0),AR0  ; oldest sample
        LDF     0.0,R0
        LDF     0.0,R2
        STF     R1,*AR0
        LDI     AR2,R1
        RPTS    RS
        MPYF3   *AR2++(1),*AR0--(1)%,R0
||      ADDF3   R0,R2,R2
        ADDF    R0,R2           ; y
        RND     R2
        SUBF    R2,R3           ; wanted - y
        LDI     R1,AR2          ; taps again
        NOP     *++AR1(IR0)
        LDI     BK,RC
        SUBI    2,RC
        MPYF3   *+AR1(1),R3,R3
        RND     R3              ; step times error
        MPYF3   *AR0--(1)%,R3,R0
        ADDF3   *AR2,R0,R1
        RPTB    move
        MPYF3   *AR0--(1)%,R3,R0
||      STF     R1,*AR2++(1)
move:   ADDF3   *AR2,R0,R1
        STF     R1,*AR2
        NOP     *AR0++(1)%
        STI     AR0,*AR1
        LDF     R2,R0
        RETSU
        .end
