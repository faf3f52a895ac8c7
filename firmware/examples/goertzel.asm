* Goertzel's algorithm: the power of one frequency in a block of samples, as a telephone does to hear
* which key was pressed. Two of the eight keypad frequencies against a block with both and noise.
        .global main, goertzel, powers
N       .set    32
        .sect   "hot"
* goertzel: AR0 = N samples, R4 = 2 cos(2 pi k / N). R0 = power.
*   s = x + c * s1 - s2, for each sample; power = s1^2 + s2^2 - c * s1 * s2
goertzel: LDF   0.0,R1                  ; s1
        LDF     0.0,R2                  ; s2
        LDI     N-1,RC
        RPTB    sample
        MPYF3   R4,R1,R0                ; c * s1
        SUBF    R2,R0                   ; - s2
        LDF     R1,R2
sample: ADDF3   *AR0++,R0,R1            ; + x
        MPYF3   R1,R2,R3
        MPYF    R4,R3
        MPYF3   R1,R1,R0
        MPYF    R2,R2
        ADDF    R2,R0
        SUBF    R3,R0
        RETS
        .text
main:   LDP     @p_samples
        LDI     @p_coefficients,AR1
        LDI     @p_powers,AR2
        LDI     3,AR4
each:   LDI     @p_samples,AR0
        LDF     *AR1++,R4
        CALL    goertzel
        STF     R0,*AR2++
        DBU     AR4,each
        LDI     0,R0
        RETS
        .bss    powers,4
        .data
p_samples: .word samples
p_coefficients: .word coefficients
p_powers: .word powers
* k = 2, 4, 6, 11
coefficients: .float 1.847759065,1.414213562,0.765366865,-1.111140466
samples:
        .include "goertzel.inc"
