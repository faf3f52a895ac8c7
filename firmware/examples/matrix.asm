* Product of two 4 x 4 matrices, row by column.
        .global main, multiply, product
N       .set    4
        .sect   "hot"
* multiply: AR0 = A by rows, AR1 = B by rows, AR2 = C. All in internal RAM.
multiply: LDI   N,IR0                   ; down a column of B
        LDI     N-1,AR4
row:    LDI     AR1,AR6                 ; top of the first column
        LDI     N-1,AR5
column: LDI     AR0,AR3                 ; start of the row
        LDI     AR6,AR7
        LDF     0.0,R0
        LDF     0.0,R2
        RPTS    N-1
        MPYF3   *AR3++,*AR7++(IR0),R0
     || ADDF3   R0,R2,R2
        ADDF    R0,R2
        STF     R2,*AR2++
        ADDI    1,AR6
        DBU     AR5,column
        ADDI    N,AR0
        DBU     AR4,row
        RETS
a       .usect  "fast",16
b       .usect  "fast",16
c       .usect  "fast",16
        .bss    product,16
        .text
main:   LDP     @p_first
        LDI     @p_first,AR0
        LDI     @p_a,AR1
        LDI     31,RC                   ; both matrices
        RPTB    copied
        LDF     *AR0++,R0
copied: STF     R0,*AR1++
        LDI     @p_a,AR0
        LDI     @p_b,AR1
        LDI     @p_c,AR2
        CALL    multiply
        LDI     @p_c,AR0
        LDI     @p_product,AR1
        LDI     15,RC
        RPTB    stored
        LDF     *AR0++,R0
stored: STF     R0,*AR1++
        LDI     0,R0
        RETS
        .data
p_first: .word  first
p_a:    .word   a
p_b:    .word   b
p_c:    .word   c
p_product: .word product
first:  .float  1,2,3,4, 5,6,7,8, 9,10,11,12, 13,14,15,16
        .float  1,0,0,1, 0,2,0,0, 0,0,3,0, 1,0,0,-1
