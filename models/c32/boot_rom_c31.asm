; Boot loader of the C31, assembled into the on-chip ROM at address 0. Written for this project from
; the documented behaviour (TMS320C3x User's Guide, boot loader):
;   - INT0, INT1, INT2 choose a table at 001000h, 400000h, FFF000h; INT3 the serial port
;   - a table: memory width (8, 16 or 32), value of the bus control register 808064h, blocks; narrow
;     memories hold the least significant part of a word first
;   - a block: number of words, destination, the words; 0 ends; the first destination is the entry
;   - the serial stream is blocks only, 32-bit words
;   - interrupts and traps branch through the last words of the RAM: 809FC1h to 809FFFh
; Decided here: the bus control value counts from behind the header on, as the width does.
;
; R0 word got    R1 shift       R2 scratch      R3 mask of a location
; R5 bits of a location         R6 routine that gets a word     R7 where it returns
; AR0 source     AR4 destination     AR5 words to go - 1     AR7 808000h
; IR0 entry point, 0 = none yet

BUS     .set    64h
SGLOBAL .set    40h
RPORT   .set    43h
DRR     .set    4Ch

        .text
        .word   start           ; reset vector
        .eval   809FC1h,vector
        .loop   63
        .word   vector
        .eval   vector+1,vector
        .endloop

start:  LDI     808h,AR7
        LSH     12,AR7
        LDI     0,IR0

poll:   LDI     IF,R0           ; which of INT0-INT3 is low
        TSTB    0Fh,R0
        BZ      poll
        ANDN    0Fh,IF
        LDI     1000h,AR0
        TSTB    1,R0
        BNZ     memory
        LDI     40h,AR0
        LSH     16,AR0
        TSTB    2,R0
        BNZ     memory
        LDI     0FFFh,AR0
        LSH     12,AR0
        TSTB    4,R0
        BNZ     memory

; the serial port, clock and frame sync from outside
        LDI     getser,R6
        LDI     111h,R0
        STI     R0,*+AR7(RPORT)
        LDI     83h,R0          ; RRESET = 1, RLEN = 32 bits
        LSH     20,R0
        STI     R0,*+AR7(SGLOBAL)
        B       block

; a table in memory: its width first, in the low byte of the first location
memory: LDI     getmem,R6
        LDI     32,R5
        LDI     0FFh,R3
        LDI     gotw,R7
        B       R6
gotw:   LDI     R0,RC           ; location width
        LDI     -1,RS           ; its mask
        LDI     0,AR5           ; locations of the first word still to be skipped
        CMPI    32,RC
        BEQ     widths
        AND     0FFFFh,RS
        LDI     1,AR5
        CMPI    16,RC
        BEQ     widths
        LDI     0FFh,RS
        LDI     3,AR5
        CMPI    8,RC
        BNE     stray           ; no such memory
widths: SUBI    1,AR5
        LDI     AR5,R2          ; compare as a signed number
        BN      header
        LDI     widths,R7
        B       R6
header: LDI     RC,R5
        LDI     RS,R3
        LDI     got1,R7
        B       R6
got1:   STI     R0,*+AR7(BUS)

; blocks: number of words, destination, the words
block:  LDI     gotn,R7
        B       R6
gotn:   LDI     R0,R0
        BZ      done
        LDI     R0,AR5
        SUBI    1,AR5
        LDI     gotd,R7
        B       R6
gotd:   LDI     R0,AR4
        CMPI    0,IR0
        BNE     copy
        LDI     R0,IR0          ; the first block is the program
copy:   LDI     gotx,R7
        B       R6
gotx:   STI     R0,*AR4++
        DBU     AR5,copy
        B       block

done:   B       IR0
stray:  B       stray

; R0 = next word of a table in memory; 32 / R5 locations
getmem: LDI     0,R0
        LDI     0,R1
part:   LDI     *AR0++,R2
        AND     R3,R2
        LSH     R1,R2
        OR      R2,R0
        ADDI    R5,R1
        CMPI    32,R1
        BLT     part
        B       R7

; R0 = next word from the serial port
getser: LDI     *+AR7(SGLOBAL),R1
        TSTB    1,R1            ; RRDY
        BZ      getser
        LDI     *+AR7(DRR),R0
        B       R7
        .end
