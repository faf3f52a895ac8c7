* A program for the boot loader: c32-run --boot serial (or boot1, boot2), linked with boot.cmd, whose
* memory does not lie below the boot ROM. Proves that what arrived is what was sent.
        .global main
        .ref    puts, hex, putc
        .text
main:   LDP     @p_table
        LDI     @p_table,AR0            ; sum of a table that the loader has stored
        LDI     0,R0
        LDI     WORDS-1,RC
        RPTB    added
        ROL     R0
added:  XOR     *AR0++,R0
        CALL    hex
        LDI     10,R0
        CALL    putc
        LDI     0,R0
        RETS
        .data
p_table: .word  table
table:  .word   12345678h,9ABCDEF0h,0FEDCBA98h,0,0FFFFFFFFh,80000001h
WORDS   .set    $-table
