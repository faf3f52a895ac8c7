* Scalar product of two vectors: a multiply and an add in each cycle.
        .global main, dot, result
N       .set    16
        .sect   "hot"
* dot: AR0, AR1 = vectors in internal RAM. R2 = sum.
dot:    LDF     0.0,R0
        LDF     0.0,R2
        RPTS    N-1
        MPYF3   *AR0++,*AR1++,R0
     || ADDF3   R0,R2,R2
        ADDF    R0,R2
        RETS
a       .usect  "fast",N
b       .usect  "fast",N
        .bss    result,1
        .text
main:   LDP     @p_a
        LDI     @p_a,AR0
        LDI     @p_b,AR1
        LDF     1.0,R0                  ; a[i] = i + 1, b[i] = 2
        LDF     2.0,R1
        LDI     N-1,RC
        RPTB    filled
        STF     R1,*AR1++
        STF     R0,*AR0++
filled: ADDF    1.0,R0
        LDI     @p_a,AR0
        LDI     @p_b,AR1
        CALL    dot
        LDI     @p_result,AR2
        STF     R2,*AR2                 ; 2 * (1 + ... + 16) = 272
        MPYF    0.0625,R2               ; 272 / 16 = 17
        LDI     1,R0
        CMPF    17.0,R2
        LDIZ    0,R0
        RETS
        .data
p_a:    .word   a
p_b:    .word   b
p_result: .word result
