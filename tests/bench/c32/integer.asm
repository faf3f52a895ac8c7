; Integers and branches: a linear congruential generator, Euclid's algorithm by subtraction, bits
; counted by shifting.
        .text
        .org  CODE
start:  LDP   tables
        LDI   @tables,R7              ; state
outer:  LDI   @tables+1,R0
        MPYI  R7,R0
        ADDI  12345,R0
        LDI   R0,R7
        LSH   -8,R0
        AND   0FFh,R0
        OR    1,R0
        LDI   R7,R1
        LSH   -16,R1
        AND   0FFh,R1
        OR    3,R1
gcd:    CMPI  R0,R1
        BEQ   done
        BLT   less
        SUBI  R0,R1
        B     gcd
less:   SUBI  R1,R0
        B     gcd
done:   LDI   R7,R2
        LDI   0,R3
        LDI   15,AR4
bits:   TSTB  1,R2
        BZ    zero
        ADDI  1,R3
zero:   LSH   -1,R2
        DBU   AR4,bits
        ADDI  R1,R3
        ADDI  @tables+2,R3
        STI   R3,@tables+2
        B     outer

        .sect "data"
        .org  DATA
tables: .word 4711, 20077, 0
