* Power.
*
* _pow     float pow(float x, float y)
*
* Changes      R0-R3, AR0, RS
* Cycles       117 for x > 0; stack model 5 more
* Error        1 + |y ln x| / 12 units of a single's last place
* Limits       beyond the range: the greatest number or 0, with the sign of the true value. pow(0, y): 0, 1 or the
*              greatest number for y above, at and below 0. Negative x: 0 unless y is an integer
* Method       exp(y ln x); ln x in two parts, so that the product keeps 32 bits
        .include "convention.inc"
        .global _pow
        .ref    rt_log, rt_exp
        .text
_pow:   enter
        argf    1,R2
        argf    2,R3
        PUSH    DP
        PUSHF   R2
        PUSHF   R3
        LDP     rt_log
        ABSF    R2
        CALL    rt_log
        POPF    R3
        PUSHF   R3
        RND     R0,R1
        SUBF    R1,R0           ; ln x = R1 + R0
        MPYF3   R1,R3,R2
        MPYF    R3,R0
        LDP     rt_exp
        LDF     R0,R3
        CALL    rt_exp
        POPF    R3
        POPF    R2
        POP     DP
        RETSNN
        FIX     R3,R1           ; x < 0
        FLOAT   R1,R2
        CMPF    R3,R2
        BNE     other
        NEGF    R0,R2
        TSTB    1,R1
        LDFNZ   R2,R0           ; odd power
        RETSU
other:  ABSF    R3              ; numbers of 2^31 and more are even
        FIX     R3,R1
        RETSV
        LDF     0.0,R0
        RETSU
        .end
