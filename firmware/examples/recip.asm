* Reciprocal of a float by five Newton steps: x' = x (2 - v x), from a seed of the right exponent.
        .global main, recip, results
N       .set    6
        .sect   "hot"
* recip: R0 = v, not 0. R1 = 1 / v. Changes R0, R2, R3.
recip:  LDF     R0,R3                   ; the sign is put back at the end
        ABSF    R0
        PUSHF   R0
        POP     R1
        ASH     -24,R1                  ; exponent e
        NOT     R1                      ; -e - 1
        ASH     24,R1
        PUSH    R1
        POPF    R1                      ; 2^(-e-1)
        .loop   5
        MPYF3   R1,R0,R2
        SUBRF   2.0,R2
        MPYF    R2,R1
        .endloop
        RND     R1
        NEGF    R1,R2
        CMPF    0.0,R3
        LDFN    R2,R1
        RETS
        .bss    results,N
        .text
main:   LDP     @p_values
        LDI     @p_values,AR0
        LDI     @p_results,AR1
        LDI     N-1,AR2
next:   LDF     *AR0++,R0
        CALL    recip
        STF     R1,*AR1++
        DBU     AR2,next
        LDI     0,R0
        RETS
        .data
p_values: .word values
p_results: .word results
values: .float  1.0,3.0,-7.0,0.1,1e10,-2.5e-6
