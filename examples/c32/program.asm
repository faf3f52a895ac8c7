* Timer 0 interrupts every millisecond; the program sleeps in IDLE between, and counts on a console.
        .text
        .org    100h
main:   LDI     @stack,SP
        LDI     @buscon,AR0
        LDI     @nowait,R0
        STI     R0,*AR0                 ; IOSTRB: no wait states but those that the console asks for
        STI     R0,*+AR0(4)             ; STRB0: the memory's own
        LDI     @vectors,R0             ; where the interrupt vectors are: ITTP is the address / 256
        LSH     8,R0
        LDI     R0,IF
        LDI     @timer,AR1
        LDI     @period,R0
        STI     R0,*+AR1(8)             ; pulse mode: f(H1) / (2 * period)
        LDI     2C1h,R0
        STI     R0,*AR1                 ; H1/2, pulse mode, go
        LDI     100h,IE                 ; timer 0
        LDI     @console,AR2
        LDI     0,R5
sleep:  IDLE                            ; interrupts on, and nothing until one comes
        CMPI    5,R5
        BLT     sleep
        ANDN    2000h,ST                ; interrupts off
        LDI     0,R0
        STI     R0,*+AR2(1)             ; the end
stop:   BR      stop
tick:   ADDI    1,R5
        STI     R5,*AR2
        RETI
stack:  .word   87FFF0h
buscon: .word   808060h
nowait: .word   0F0000h
timer:  .word   808020h
period: .word   15000                   ; 30 MHz / 30000
vectors: .word  200h                    ; a multiple of 256
console: .word  82FFF0h
        .org    209h                    ; the ninth: timer 0
        .word   tick
