* Fast Fourier transform of 16 complex numbers: decimation in time. The input is fetched in
* bit-reversed order by the address unit, the rest happens in place.
        .global main, fft, real, imaginary
N       .set    16
        .sect   "hot"
* fft: data_re and data_im hold the input in bit-reversed order. Changes everything but SP.
fft:    LDP     @p_data
        LDI     1,IR0                   ; distance of the two numbers of a butterfly
        LDI     N/2,RS                  ; butterflies with one factor; also step in the table
stage:  ADDI3   IR0,IR0,IR1
        LDI     @p_cos,AR3
        LDI     @p_sin,AR4
        LDI     @p_data,AR2
        LDI     IR0,AR5
        SUBI    1,AR5                   ; factors of this stage
factor: LDF     *AR3,R6                 ; w = R6 + j R7
        LDF     *AR4,R7
        LDI     AR2,AR0
        LDI     AR2,AR1
        ADDI    N,AR1                   ; the imaginary parts lie behind
        LDI     RS,AR6
        SUBI    1,AR6
fly:    LDF     *+AR0(IR0),R0           ; b
        LDF     *+AR1(IR0),R1
        MPYF3   R0,R6,R2                ; t = b w
        MPYF3   R1,R7,R3
        SUBF3   R3,R2,R2
        MPYF3   R0,R7,R3
        MPYF3   R1,R6,R4
        ADDF3   R3,R4,R3
        LDF     *AR0,R4                 ; a
        LDF     *AR1,R5
        SUBF3   R2,R4,R0                ; a - t
        STF     R0,*+AR0(IR0)
        SUBF3   R3,R5,R0
        STF     R0,*+AR1(IR0)
        ADDF3   R2,R4,R0                ; a + t
        STF     R0,*AR0++(IR1)
        ADDF3   R3,R5,R0
        STF     R0,*AR1++(IR1)
        DBU     AR6,fly
        ADDI    1,AR2
        ADDI    RS,AR3
        ADDI    RS,AR4
        DBU     AR5,factor
        LSH     1,IR0
        LSH     -1,RS
        CMPI    0,RS                    ; only R0-R7 set flags by themselves
        BNZ     stage
        RETS
        .data                           ; read once a stage
p_data: .word   data_re
p_cos:  .word   cosine
p_sin:  .word   sine
data_re .usect  "fast",N,32
data_im .usect  "fast",N                ; directly behind
        .bss    real,N
        .bss    imaginary,N

        .text
main:   LDP     @p_in_re
        LDI     @p_in_re,AR0            ; aligned to N: its address can be reversed
        LDI     @p_in_im,AR1
        LDI     @p_out,AR2
        LDI     N/2,IR0
        LDI     N-1,RC
        RPTB    fetched
        LDF     *AR0++(IR0)B,R0
        LDF     *AR1++(IR0)B,R1
        STF     R1,*+AR2(N)
fetched: STF    R0,*AR2++
        CALL    fft
        LDP     @p_out
        LDI     @p_out,AR0
        LDI     @p_real,AR1
        LDI     2*N-1,RC
        RPTB    stored
        LDF     *AR0++,R0
stored: STF     R0,*AR1++
        LDI     0,R0
        RETS
        .data
p_in_re: .word  input
p_in_im: .word  input+N
p_out:  .word   data_re
p_real: .word   real
        .align  16
input:  .float  0,1,2,3,4,5,6,7, 8,9,10,11,12,13,14,15
        .float  1,-1,1,-1,1,-1,1,-1, 0,0,0,0,0.5,0.5,0.5,0.5
cosine: .float  1.0,0.923879533,0.707106781,0.382683432,0,-0.382683432,-0.707106781,-0.923879533
sine:   .float  0,-0.382683432,-0.707106781,-0.923879533,-1.0,-0.923879533,-0.707106781,-0.382683432
