* Unsigned division with SUBC (operands below 2^31): as many steps as the quotient has bits.
        .global main, divide
        .ref    print, putc
        .sect   "hot"
* divide: R0 / R1. R0 = quotient, R1 = remainder. Changes R2-R4. R1 = 0 is not allowed.
divide: CMPI    R1,R0
        BLO     smaller
        FLOAT   R0,R2                   ; the exponents tell the lengths
        PUSHF   R2
        POP     R3
        ASH     -24,R3
        FLOAT   R1,R2
        PUSHF   R2
        POP     R4
        ASH     -24,R4
        SUBI    R4,R3                   ; places to shift the divisor
        LSH     R3,R1
        RPTS    R3
        SUBC    R1,R0
        ADDI    1,R3
        NEGI    R3,R4
        LSH3    R4,R0,R1                ; remainder: the upper bits
        LDI     1,R2
        LSH     R3,R2
        SUBI    1,R2
        AND     R2,R0                   ; quotient: the lower ones
        RETS
smaller: LDI    R0,R1
        LDI     0,R0
        RETS

        .text
main:   LDP     @p_cases
        LDI     @p_cases,AR0
        LDI     CASES-1,AR1
case:   LDI     *AR0++,R0
        LDI     *AR0++,R1
        CALL    divide
        PUSH    R1
        CALL    print
        LDI     ' ',R0
        CALL    putc
        POP     R0
        CALL    print
        LDI     10,R0
        CALL    putc
        DBU     AR1,case
        LDI     0,R0
        RETS
        .data
p_cases: .word  cases
cases:  .word   100,7, 7,100, 5,5, 0,3, 7FFFFFFFh,1, 7FFFFFFFh,7FFFFFFFh, 1000000007,12345
CASES   .set    ($-cases)/2
