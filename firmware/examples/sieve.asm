* Primes below 200 with the sieve of Eratosthenes; prints how many and the largest.
        .global main
        .ref    print, putc
LIMIT   .set    200
        .bss    flags,LIMIT
        .text
main:   LDP     @p_flags
        LDI     @p_flags,AR0
        LDI     1,R0
        LDI     LIMIT-1,RC
        RPTS    LIMIT-1
        STI     R0,*AR0++
        LDI     2,R1                    ; candidate
        LDI     0,R2                    ; primes so far
try:    LDI     @p_flags,AR0
        ADDI    R1,AR0
        LDI     *AR0,R0
        BZ      composite
        ADDI    1,R2
        LDI     R1,R3                   ; the largest so far
        LDI     R1,IR0
        LDI     R1,R4
        LDI     0,R5
cross:  ADDI    R1,R4
        CMPI    LIMIT,R4
        BGE     composite
        STI     R5,*++AR0(IR0)
        BU      cross
composite: ADDI 1,R1
        CMPI    LIMIT,R1
        BLT     try
        LDI     R2,R0
        CALL    print
        LDI     ' ',R0
        CALL    putc
        LDI     R3,R0
        CALL    print
        LDI     10,R0
        CALL    putc
        LDI     0,R0
        RETS
        .data
p_flags: .word  flags
