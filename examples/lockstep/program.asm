* Four processors see one stream of records. Each knows one number; who sees his own pulls the common line XF0 low, and all of
* them, who share every access of the bus, note the record.
        .text
        .org    87FE00h                 ; on chip: the bus is for data
main:   LDP     @own
        LDI     @own,AR1
        LDI     *AR1,R7
        LDI     @buscon,AR4
        LDI     @nowait,R0
        STI     R0,*+AR4(4)             ; STRB0: no wait states
        LDI     @table,AR0
        LDI     @found,AR2
        LDI     @barrier,AR3
next:   LDI     *AR0++,R0               ; one read for all four
        CMPI    0,R0
        BZ      done
        CMPI    R7,R0
        LDIZ    2,R1                    ; XF0 is an output, low
        LDINZ   0,R1                    ; an input: released
        LDI     R1,IOF
        LDI     *AR3,R2                 ; nobody gets this word before all have voted
        TSTB    8,IOF                   ; the line
        BNZ     next
        STI     R0,*AR2++
        BR      next
done:   STI     R0,*AR2                 ; 0 ends the list
sleep:  IDLE
        BR      sleep
own:    .word   87FFF0h
buscon: .word   808060h
nowait: .word   0F0000h
table:  .word   1000h
found:  .word   2000h
barrier: .word  3000h
