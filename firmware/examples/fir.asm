* Finite impulse response filter, 8 taps, with two circular buffers: y[n] = sum of h[k] x[n-k].
* The newest sample replaces the oldest; behind it the pointer stands on the oldest one. The
* coefficients lie in the order of the samples, h[7] first, and wrap too.
        .global main, fir, outputs
TAPS    .set    8
SAMPLES .set    16

        .sect   "hot"
* fir: R6 = sample, AR0 = coefficients, AR1 = place in the delay line, BK = 8. R2 = output.
fir:    STF     R6,*AR1++(1)%
        LDF     0.0,R0
        LDF     0.0,R2
        RPTS    TAPS-1
        MPYF3   *AR0++(1)%,*AR1++(1)%,R0
     || ADDF3   R0,R2,R2
        ADDF    R0,R2                   ; the last product
        RETS

h       .usect  "fast",TAPS,16          ; BK = 8 counts with four bits: align to 16
x       .usect  "fast",TAPS,16
        .bss    outputs,SAMPLES

        .text
main:   LDP     @p_taps
        LDI     @p_taps,AR2
        LDI     @p_h,AR0
        LDI     @p_x,AR1
        LDI     TAPS-1,RC
        LDF     0.0,R1
        RPTB    cleared
        LDF     *AR2++,R0
        STF     R0,*AR0++
cleared: STF    R1,*AR1++
        LDI     @p_h,AR0
        LDI     @p_x,AR1
        LDI     @p_input,AR2
        LDI     @p_outputs,AR3
        LDI     TAPS,BK
        LDI     SAMPLES-1,AR4
sample: LDF     *AR2++,R6
        CALL    fir
        STF     R2,*AR3++
        DBU     AR4,sample
        LDI     0,R0
        RETS

        .data
p_taps: .word   taps
p_h:    .word   h
p_x:    .word   x
p_input: .word  input
p_outputs: .word outputs
taps:   .float  0.125,0.25,0.5,1.0,1.0,0.5,0.25,0.125   ; h[7] ... h[0]
input:  .float  1.0,0,0,0,0,0,0,0                       ; an impulse ...
        .float  1.0,1.0,1.0,1.0,-1.0,-1.0,-1.0,-1.0     ; ... and a square wave
