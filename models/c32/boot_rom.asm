; Boot loader of the C32, assembled into the on-chip ROM at address 0 (c32.md 8.8). Written for this
; project from the documented behaviour; what the document leaves open is decided here:
;   - the table is read with the bus control registers as reset left them, one location at a time,
;     least significant part first; the three control words are written after the last block
;   - a block's control word has the register's low address byte in bits 7-0 (0: internal) and its
;     value in bits 31-8; it holds while the block's words are stored, not while they are read
;   - the serial stream is blocks only: no width, no control words
;   - no RAM is used, so that a program may be loaded anywhere
;
; R0 word got    R1 shift       R2 scratch      R3 mask of a location
; R4 handshake   R5 bits of a location          R6 routine that gets a word, R7 where it returns
; AR0 source     AR1-AR3 IOSTRB, STRB0, STRB1   AR4 destination     AR5 words to go - 1
; AR6 destination's control register or 0       AR7 808000h
; IR0 entry point, 0 = none yet                 IR1 destination's control value
; BK  control value while reading

IOSTRB  .set    60h
STRB0   .set    64h
STRB1   .set    68h
SGLOBAL .set    40h
RPORT   .set    43h
DRR     .set    4Ch
INXF1   .set    80h

        .text
        .word   start           ; reset vector
        .loop   63              ; no interrupt is enabled while this runs
        .word   stray
        .endloop

stray:  B       stray

start:  LDI     808h,AR7
        LSH     12,AR7
        LDI     *+AR7(IOSTRB),AR1
        LDI     *+AR7(STRB0),AR2
        LDI     *+AR7(STRB1),AR3
        LDI     0,IR0

poll:   LDI     IF,R0           ; which of INT0-INT3 is low
        TSTB    0Fh,R0
        BZ      poll
        NOP                     ; a second pin may be a moment later
        NOP
        NOP
        NOP
        LDI     IF,R0
        ANDN    0Fh,IF
        LDI     R0,R4
        AND     8,R4            ; with INT3: handshake by XF0, XF1
        LDI     1000h,AR0       ; INT0: boot 1
        TSTB    1,R0
        BNZ     memory
        LDI     81h,AR0         ; INT1: boot 2 at 810000h
        LSH     16,AR0
        TSTB    2,R0
        BNZ     memory
        LDI     90h,AR0         ; INT2: boot 3 at 900000h
        LSH     16,AR0
        TSTB    4,R0
        BNZ     memory

; INT3 alone: 32-bit words from the serial port, clock and frame sync from outside
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
        CMPI    0,R4
        BZ      width
        LDI     6,IOF           ; XF0 high: nothing read yet
width:  LDI     gotw,R7
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
got1:   LDI     R0,AR1
        LDI     got2,R7
        B       R6
got2:   LDI     R0,AR2
        LDI     got3,R7
        B       R6
got3:   LDI     R0,AR3

; blocks: number of words, destination, control, the words
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
        BNE     gotent
        LDI     R0,IR0          ; the first block is the program
gotent: LDI     gotc,R7
        B       R6
gotc:   LDI     R0,R1
        LSH     -8,R1
        LDI     R1,IR1
        AND     0FFh,R0
        BZ      inside
        ADDI    AR7,R0
inside: LDI     R0,AR6

copy:   LDI     gotx,R7
        B       R6
gotx:   CMPI    0,AR6
        BEQ     plain
        LDI     *AR6,BK
        STI     IR1,*AR6
        STI     R0,*AR4++
        STI     BK,*AR6
        B       next
plain:  STI     R0,*AR4++
next:   DBU     AR5,copy
        B       block

done:   STI     AR1,*+AR7(IOSTRB)
        STI     AR2,*+AR7(STRB0)
        STI     AR3,*+AR7(STRB1)
        B       IR0

; R0 = next word of a table in memory; 32 / R5 locations
getmem: LDI     0,R0
        LDI     0,R1
part:   CMPI    0,R4
        BEQ     read
valid:  TSTB    INXF1,IOF       ; XF1 low: the location is valid
        BNZ     valid
read:   LDI     *AR0++,R2
        AND     R3,R2
        LSH     R1,R2
        OR      R2,R0
        CMPI    0,R4
        BEQ     joined
        LDI     2,IOF           ; XF0 low: it is read
taken:  TSTB    INXF1,IOF       ; until XF1 is high again
        BZ      taken
        LDI     6,IOF
joined: ADDI    R5,R1
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
