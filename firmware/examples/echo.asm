* Serial echo: each word that arrives is sent back, letters as capitals; a word of 0 ends the program.
* c32-run --serial-in FILE --serial-out FILE. The receive interrupt does the work, the main program
* sleeps.
        .global main, received
        .sect   "hot"
* received: RINT0. AR5 = 808040h; R6 counts the words, R7 is the last one.
received: LDI   *+AR5(0Ch),R7           ; DRR; reading it clears RRDY
        BZ      over
        CMPI    'a',R7
        BLT     send
        CMPI    'z',R7
        BGT     send
        SUBI    20h,R7
send:   LDI     *AR5,R5                 ; XRDY: has DXR been emptied?
        TSTB    2,R5
        BZ      send
        STI     R7,*+AR5(8)             ; DXR
        ADDI    1,R6
over:   RETI
        .text
main:   LDP     @p_serial
        LDI     @p_serial,AR5
        LDI     111h,R0                 ; CLK, D and FS pins serve the port, on both sides
        STI     R0,*+AR5(2)
        STI     R0,*+AR5(3)
        LDI     @p_vectors,R0
        LSH     8,R0
        LDI     R0,IF                   ; ITTP; no flag
        LDI     0,R6
        LDI     -1,R7
        LDI     @control,R0
        STI     R0,*AR5                 ; both sides leave their reset
        LDI     20h,IE                  ; ERINT0
sleep:  IDLE
        CMPI    0,R7
        BNZ     sleep
drain:  LDI     *AR5,R0                 ; XSREMPTY = 0: the last word is out
        TSTB    8,R0
        BNZ     drain
        LDI     R6,R0
        SUBI    @expected,R0            ; status 0: as many as expected
        RETS
        .sect   "vectors"
        .align  256
vectors: .space 6
        .word   received                ; RINT0
        .data
p_serial: .word 808040h
p_vectors: .word vectors
expected: .word 11
* RRESET XRESET RINT; RLEN = XLEN = 8 bits; fixed rate, burst; clocks from outside; FSX is an output
control: .word  0E000004h
