* Recursive filter of second order, the direct form II: a low pass, fed with a step.
        .global main, biquad, outputs
N       .set    12
        .sect   "hot"
* biquad: R0 = sample, AR0 = coefficients a1 a2 b0 b1 b2, AR1 = state d1 d2. R2 = output.
biquad: MPYF3   *AR0++,*AR1++,R1        ; a1 d1
        MPYF3   *AR0++,*AR1--,R3        ; a2 d2
        ADDF    R1,R0
        ADDF    R3,R0                   ; d = x + a1 d1 + a2 d2
        LDF     R0,R4
        MPYF    *AR0++,R0               ; b0 d
        LDF     *AR1,R5                 ; d1
        MPYF3   R5,*AR0++,R1
        MPYF3   *AR0,*+AR1(1),R3
        ADDF3   R0,R1,R2
        ADDF    R3,R2
        STF     R5,*+AR1(1)             ; d2 = d1
        STF     R4,*AR1                 ; d1 = d
        SUBI    4,AR0
        RETS
state   .usect  "fast",2
        .bss    outputs,N
        .text
main:   LDP     @p_state
        LDI     @p_state,AR1
        LDF     0.0,R0
        STF     R0,*AR1
        STF     R0,*+AR1(1)
        LDI     @p_coefficients,AR0
        LDI     @p_outputs,AR2
        LDI     N-1,AR4
next:   LDF     1.0,R0
        CALL    biquad
        STF     R2,*AR2++
        DBU     AR4,next
        LDI     0,R0
        RETS
        .data
p_state: .word  state
p_coefficients: .word coefficients
p_outputs: .word outputs
coefficients: .float 1.0,-0.5,0.125,0.25,0.125
