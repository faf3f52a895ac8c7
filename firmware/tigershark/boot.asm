; Boot: the only code that runs from SRAM. All nodes execute it in lockstep from the reset vector.
;
; Reset leaves seven wait states and external ready on the SRAM's strobe, so removing them is the first act. Then the
; internal image (vectors, code, data: one piece) is copied, the serial port started and internal RAM entered.
; Time: about 60 cycles at 8 per fetch until the first store, then 2 per copied word and 2 per instruction.

        .sect   "reset",0,0             ; word 0 of the SRAM
        .word   boot

        .sect   "boot",FIRMWARE_BASE,FIRMWARE_BASE
boot:   LDP     STRB0_CONTROL
        LDI     0Fh,R0
        LSH     16,R0
        OR      18h,R0
        STI     R0,@STRB0_CONTROL       ; 000F0018h: 32-bit memory, no wait state but those the board's RDY asks for

        LDP     boot
        LDI     @boot_from,AR0
        LDI     @boot_to,AR1
        LDI     *AR0++(1),R0
        RPTS    INTERNAL_WORDS-2
        LDI     *AR0++(1),R0            ; one word behind: the load of this pair is the store of the next
||      STI     R0,*AR1++(1)
        STI     R0,*AR1

        LDI     @boot_serial,AR7
        LDI     111h,R0                 ; CLK, D and FS pins serve the port
        LDI     @boot_control,R1
        STI     R0,*+AR7(XPORT)
        STI     R0,*+AR7(RPORT)
        STI     R1,*AR7

        LDI     RELEASE,IOF             ; neither vote nor arrival
        LDI     0,ST                    ; cache off, GIE off
        LDP     ray
        LDI     @stack_pointer,SP
        LDI     @vector_table,IF        ; vectors in internal RAM: one fetched from SRAM would break lockstep
        LDI     RINT,IE
        BR      receive

boot_from:      .word   internal_load
boot_to:        .word   RAM0
boot_serial:    .word   SERIAL
; 32-bit words, continuous mode, clocks from the board's oscillator, FSX driven, both interrupts, both sides running
boot_control:   .word   0EBC0C04h
