* CRC-32 (polynomial EDB88320h, bits mirrored) of a text, a bit at a time.
        .global main, crc
        .ref    hex, putc
        .sect   "hot"
* crc: AR0 = text, 0 at the end. R0 = CRC. Changes R1, R2, AR1.
crc:    LDP     @polynomial
        LDI     @polynomial,R2
        LDI     -1,R0
byte:   LDI     *AR0++,R1
        BZ      end
        XOR     R1,R0
        LDI     7,AR1
bit:    LSH     -1,R0                   ; C = the bit shifted out
        BNC     even
        XOR     R2,R0
even:   DBU     AR1,bit
        BU      byte
end:    NOT     R0
        RETS
        .text
main:   LDP     @p_text
        LDI     @p_text,AR0
        CALL    crc
        PUSH    R0
        CALL    hex
        LDI     10,R0
        CALL    putc
        POP     R0
        LDP     @expected
        XOR     @expected,R0            ; 0 if it is right
        RETS
        .data
polynomial: .word 0EDB88320h
expected: .word 0CBF43926h
p_text: .word   text
text:   .byte   "123456789",0
