* Reciprocal and division of floats.
*
* INV_F30  R0 = 1 / R0          DIV_F30  R0 = R0 / R1        entries as C compilers call them
* _recip   float recip(float v)
* _fdiv    float fdiv(float a, float b): a / b
* rt_inv   for this library: R1 = 1 / R0 with 30 bits, not rounded; changes R3, AR1
* rt_div   for this library: R0 = R2 / R0, rounded; changes R1, R3, AR1
*
* Changes      INV_F30 and DIV_F30: R0, and DIV_F30 R1; _recip: R0-R3, AR1; _fdiv: R0-R3, AR1
* Cycles       rt_inv 20, rt_div 33, and 4 for the CALL. _recip 30, _fdiv 42; stack model 4 or 5 more. INV_F30 40, DIV_F30 54
* Error        _recip 0.56, _fdiv 0.51 units of a single's last place; where the correction underflows more: divisors v above 2^100 2^-127 |v|
*              relative, at most 6.1e-5, quotients below 2^-100 2.1 units. Operands count with 24 bits, as MPYF takes them
* Limits       1 / 0 and beyond the range: the greatest number of that sign. Divisors of 2^127 and more: 0
* Method       complementing exponent and fraction of v = m 2^e gives (3 - m)/2 2^-e, within 1/8 of 1/v; two Newton
*              steps, the first with 2 + 2^-7 for 2, which halves the worst error; the last step x + x (1 - v x)
*              works on a rounded x. Quotient: a x corrected by its own remainder (Markstein, 1990)
        .include "convention.inc"
        .global INV_F30, DIV_F30, _recip, _fdiv, rt_inv, rt_div
        .text

_recip: enter
        argf    1,R2
        LDF     R2,R0
        CALL    rt_inv
        RND     R1,R0
        RETSU
_fdiv:  enter
        argf    1,R2
        argf    2,R3
        LDF     R3,R0
        CALL    rt_div
        RETSU

INV_F30: PUSH   R1
        PUSHF   R1
        PUSH    R3
        PUSHF   R3
        PUSH    AR1
        CALL    rt_inv
        POP     AR1
        RND     R1,R0
        POPF    R3
        POP     R3
        POPF    R1
        POP     R1
        LDF     R0,R0           ; compilers branch on the flags of the result
        RETSU
DIV_F30: PUSH   R2
        PUSHF   R2
        PUSH    R3
        PUSHF   R3
        PUSH    AR1
        LDF     R0,R2
        LDF     R1,R0
        CALL    rt_div
        POP     AR1
        POPF    R3
        POP     R3
        POPF    R2
        POP     R2
        LDF     R0,R0
        RETSU

rt_inv: PUSHF   R0
        POP     R1
        LDI     -129,R3         ; complements the exponent and 7 bits of the fraction: FF7F0000h
        LSH     16,R3
        XOR     R3,R1
        PUSH    R1
        POPF    R1
        MPYF3   R0,R1,R3
        SUBRF   2.0078125,R3
        MPYF    R3,R1
        MPYF3   R0,R1,R3
        SUBRF   2.0,R3
        MPYF    R3,R1
        RND     R1
        MPYF3   R0,R1,R3
        POP     AR1
        BUD     AR1
        SUBRF   1.0,R3
        MPYF    R1,R3
        ADDF    R3,R1

rt_div: CALL    rt_inv
        MPYF3   R1,R2,R3
        RND     R3              ; quotient
        MPYF    R3,R0
        SUBRF   R2,R0           ; what it leaves of a
        POP     AR1
        BUD     AR1
        MPYF    R1,R0
        ADDF    R3,R0
        RND     R0
        .end
