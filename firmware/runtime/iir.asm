* Recursive filters: a cascade of biquads.
*
* float iir(const float *coefficients, float *state, float x, int sections)
*           one sample. Five coefficients a section: a2, a1, b2, b1, b0, of (b0 + b1/z + b2/zz) / (1 + a1/z + a2/zz);
*           two words of state a section, at first 0.0
* void iirblock(float *y, const float *x, const float *coefficients, float *state, int sections, int n): n samples;
*           y may be x
*
* Changes      R0-R3, AR0-AR2, IR0, RC, RS, RE
* Cycles       iir 8 a section and 14; stack model 7 more. iirblock n (8 s + 14) + 22, s = sections
* Error        state and output are singles, rounded down (STF)
* Method       direct form 2: d = x - a1 d' - a2 d''; y = b0 d + b1 d' + b2 d''
        .include "convention.inc"
        .global _iir, _iirblock
        .text

* AR0: coefficients, AR1: state, R2: x, then y; RC = sections - 1, IR0 = 2. 8 a section and 4 (RPTB)
cascade .macro
        RPTB    section?
        MPYF3   *AR0++(1),*AR1++(1),R0  ; a2 d''
        MPYF3   *AR0++(1),*AR1--(1),R1  ; a1 d'
||      SUBF3   R0,R2,R2
        MPYF3   *AR0++(1),*AR1++(1),R0  ; b2 d''
||      SUBF3   R1,R2,R2                ; d
        MPYF3   *AR0++(1),*AR1,R1       ; b1 d'
        LDF     *AR1,R3
||      STF     R2,*AR1++(1)
        MPYF3   *AR0++(1),R2,R2         ; b0 d
||      STF     R3,*-AR1(IR0)
        ADDF3   R0,R1,R0
section?: ADDF3 R0,R2,R2
        .endm

* Register model: coefficients AR2, x R2, state R3, sections RC.
_iir:   enter
        arg     2,R3
        argf    3,R2
        arg     4,RC
        arg     1,AR2
        LDI     AR2,AR0
        LDI     R3,AR1
        LDI     2,IR0
        SUBI    1,RC
        cascade
        LDF     R2,R0
        RND     R0
        RETSU

* Register model: y AR2, x R2, coefficients R3, state RC, sections RS, n RE.
_iirblock: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     5,RS
        arg     6,RE
        arg     1,AR2
        PUSH    AR3
        PUSH    AR4
        PUSH    AR5
        PUSH    AR6
        PUSH    AR7
        LDI     R2,AR3
        LDI     R3,AR4
        LDI     RC,AR5
        LDI     RS,AR6
        SUBI    1,AR6
        LDI     RE,AR7
        SUBI    1,AR7
        LDI     2,IR0
each:   LDI     AR4,AR0
        LDI     AR5,AR1
        LDI     AR6,RC
        LDF     *AR3++,R2
        cascade
        RND     R2
        DBUD    AR7,each
        STF     R2,*AR2++
        NOP
        NOP
        POP     AR7
        POP     AR6
        POP     AR5
        POP     AR4
        POP     AR3
        RETSU
        .end
