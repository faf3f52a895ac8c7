* Square root through the reciprocal root: x' = x (1.5 - (v / 2) x x), six steps, then v x.
        .global main, root, results
N       .set    6
        .sect   "hot"
* root: R0 = v > 0. R1 = square root. Changes R2, R3.
root:   PUSHF   R0
        POP     R1
        ASH     -24,R1
        ASH     -1,R1                   ; e / 2, rounded down
        NOT     R1                      ; -(e / 2) - 1
        ASH     24,R1
        PUSH    R1
        POPF    R1
        LDF     R0,R3
        MPYF    0.5,R3
        .loop   6
        MPYF3   R1,R1,R2
        MPYF    R3,R2
        SUBRF   1.5,R2
        MPYF    R2,R1
        .endloop
        RND     R1
        MPYF    R0,R1
        RND     R1
        RETS
        .bss    results,N
        .text
main:   LDP     @p_values
        LDI     @p_values,AR0
        LDI     @p_results,AR1
        LDI     N-1,AR2
next:   LDF     *AR0++,R0
        CALL    root
        STF     R1,*AR1++
        DBU     AR2,next
        LDI     0,R0
        RETS
        .data
p_values: .word values
p_results: .word results
values: .float  1.0,2.0,3.0,100.0,0.5,1e-6
