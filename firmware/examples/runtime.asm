* Start-up, console and exit for programs on c32-run. A program is a file that defines main; main
* returns its status in R0 (0: all went well). Linked with plain.cmd.

        .global _start, putc, puts, print, hex, exit
        .ref    main
        .ref    stack_base, hot_load, hot_run, hot_size

        .text
_start: LDP     @zero_wait
        LDI     @strobes,AR0
        LDI     @zero_wait,R0
        STI     R0,*AR0                 ; IOSTRB
        STI     R0,*+AR0(4)             ; STRB0
        STI     R0,*+AR0(8)             ; STRB1
        LDI     @stack,SP
        LDI     @hot_from,AR0           ; code for internal RAM goes there
        LDI     @hot_to,AR1
        LDI     @hot_count,R0
        BZ      ready
        SUBI    1,R0
        LDI     R0,RC
        RPTB    copied
        LDI     *AR0++,R1
copied: STI     R1,*AR1++
ready:  CALL    main
exit:   LDP     @devices
        LDI     @devices,AR7
        STI     R0,*+AR7(2)             ; the program ends here
        BU      $

* putc: R0 = character. Changes AR7, DP.
putc:   LDP     @devices
        LDI     @devices,AR7
        STI     R0,*AR7
        RETS

* puts: AR2 = text, a character a word, 0 at the end. Changes R0, AR2, AR7, DP.
puts:   LDP     @devices
        LDI     @devices,AR7
puts1:  LDI     *AR2++,R0
        BZ      puts2
        STI     R0,*AR7
        BU      puts1
puts2:  RETS

* print: R0 as a decimal number; hex: R0 in eight digits. Change AR7, DP.
print:  LDP     @devices
        LDI     @devices,AR7
        STI     R0,*+AR7(4)
        RETS
hex:    LDP     @devices
        LDI     @devices,AR7
        STI     R0,*+AR7(5)
        RETS

        .data
zero_wait: .word 0F0008h                ; internal counter, no wait states, 32-bit memory
strobes:   .word 808060h
stack:     .word stack_base-1
hot_from:  .word hot_load
hot_to:    .word hot_run
hot_count: .word hot_size
devices:   .word 82FFF0h
