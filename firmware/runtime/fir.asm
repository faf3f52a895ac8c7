* FIR filters.
*
* float fir(const float *h, float *line, float x, int n)
*           one sample through n taps. line: n words aligned to the next power of two above n, for circular
*           addressing, and behind them a pointer to the oldest sample, at first to line itself
* void firblock(float *y, const float *x, const float *h, int taps, int n)
*           y[i] = sum of h[k] x[i + taps-1 - k], i < n: x holds taps - 1 samples from before and n new ones; taps > 1
*
* Changes      R0-R3, AR0-AR2, IR0, IR1, BK, RC, RS, RE
* Cycles       fir n + 21, stack model 7 more. firblock n (taps + 10) + 19, stack model 8 more
* Interrupts   wait for n, or taps, cycles (RPTS)
* Error        as dot (vector.asm)
* Method       multiply and add in one cycle; the newest sample takes the oldest one's place
        .include "convention.inc"
        .global _fir, _firblock
        .text
* Register model: h AR2, x R2 (floats choose first), line R3, n RC.
_fir:   enter
        arg     2,R3
        argf    3,R2
        arg     4,RC
        arg     1,AR2
        LDI     RC,IR0
        LDI     R3,AR1
        LDI     RC,BK
        SUBI    1,RC
        LDF     R2,R1
        LDI     *+AR1(IR0),AR0  ; oldest sample
        LDF     0.0,R0
        LDF     0.0,R2
        STF     R1,*AR0         ; h[0] belongs to the newest, h[1] to the one before it ..
        RPTS    RC
        MPYF3   *AR2++(1),*AR0--(1)%,R0
||      ADDF3   R0,R2,R2
        NOP     *AR0++(1)%
        STI     AR0,*+AR1(IR0)
        ADDF3   R0,R2,R0
        RND     R0
        RETSU

* Register model: y AR2, x R2, h R3, taps RC, n RS.
_firblock: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     5,RS
        arg     1,AR2
        PUSH    AR3
        LDI     R3,AR1
        LDI     RS,AR3
        SUBI    1,AR3
        LDI     RC,IR1
        LDI     RC,R3
        ADDI3   R3,R2,R0
        SUBI    1,R0
        LDI     R0,AR0          ; x[taps - 1]
        LDI     RC,IR0
        ADDI    1,IR0           ; from behind one result's last sample to the next one's first
        SUBI    2,R3
        NOP
        NOP
sample: MPYF3   *AR0--(1),*AR1++(1),R0
||      SUBF3   R2,R2,R2
        RPTS    R3
        MPYF3   *AR0--(1),*AR1++(1),R0
||      ADDF3   R0,R2,R2
        ADDF3   R0,R2,R1
        RND     R1
        DBUD    AR3,sample
        STF     R1,*AR2++
        NOP     *AR0++(IR0)
        NOP     *AR1--(IR1)
        POP     AR3
        RETSU
        .end
