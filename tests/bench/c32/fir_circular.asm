; A finite impulse response of 32 taps, circular addressing, a repeat block of two instructions.
        .text
        .org  CODE
start:  LDP   tables
        LDI   32,BK
outer:  LDI   @tables,AR0             ; samples
        LDI   @tables+2,AR2           ; output
        LDI   15,AR4
sample: LDI   @tables+1,AR1           ; coefficients
        LDI   31,RC
        LDF   0.0,R2
        RPTB  tap
        MPYF3 *AR0++(1)%,*AR1++(1)%,R0
tap:    ADDF  R0,R2
        STF   R2,*AR2++(1)
        NOP   *AR0++(1)%
        DBU   AR4,sample
        B     outer

        .sect "data"
        .org  DATA
; Circular buffers of 32 words begin at multiples of 64.
samples: .float 0.5,-0.25,1.0,0.75,-1.5,0.3,0.2,-0.1,0.9,0.8,-0.7,0.6,0.5,0.4,-0.3,0.2
        .float 1.5,-1.25,2.0,1.75,-2.5,1.3,1.2,-1.1,1.9,1.8,-1.7,1.6,1.5,1.4,-1.3,1.2
        .float 0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2,1.3,1.4,1.5,1.6
        .float 0.1,-0.2,0.3,-0.4,0.5,-0.6,0.7,-0.8,0.9,-1.0,1.1,-1.2,1.3,-1.4,1.5,-1.6
taps:   .float 0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.09,0.10,0.11,0.12,0.13,0.14,0.15,0.16
        .float 0.16,0.15,0.14,0.13,0.12,0.11,0.10,0.09,0.08,0.07,0.06,0.05,0.04,0.03,0.02,0.01
tables: .word samples, taps, output
output: .space 16
