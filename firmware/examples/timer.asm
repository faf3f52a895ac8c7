* Timer interrupt: timer 0 raises TINT0 every 1000 cycles; the main program sleeps in IDLE between.
        .global main, tick, ticks
        .ref    print, putc
PERIOD  .set    500                     ; pulse mode: f(H1) / (2 * PERIOD)
TICKS   .set    10
        .sect   "hot"
* tick: the interrupt routine counts. It saves what it changes.
tick:   PUSH    ST
        PUSH    R0
        PUSH    DP
        LDP     @ticks
        LDI     @ticks,R0
        ADDI    1,R0
        STI     R0,@ticks
        POP     DP
        POP     R0
        POP     ST
        RETI
        .text
main:   LDP     @ticks
        LDI     @p_vectors,R0           ; table at a multiple of 256: ITTP is its address / 256
        LSH     8,R0                    ; to bits 31-16
        LDI     R0,IF                   ; clears all flags, too
        LDI     @p_timer,AR0
        LDI     PERIOD,R0
        STI     R0,*+AR0(8)             ; period
        LDI     2C1h,R0                 ; H1/2, pulse mode, HLD = 1, GO = 1, timer pin
        STI     R0,*AR0                 ; go
        LDI     100h,IE                 ; ETINT0
        LDI     @p_devices,AR1
        LDI     *+AR1(3),R2             ; cycle counter
sleep:  IDLE                            ; sets GIE
        LDI     @ticks,R0
        CMPI    TICKS,R0
        BLT     sleep
        LDI     *+AR1(3),R1
        ANDN    2000h,ST                ; GIE off
        LDI     0,R3
        STI     R3,*AR0                 ; hold the timer
        SUBI    R2,R1                   ; cycles of ten ticks, less what passed before the first read
        CALL    print                   ; ticks
        LDI     ' ',R0
        CALL    putc
        LDI     R1,R0
        ADDI    500,R0                  ; in thousands, rounded
        LDI     -1,R2
thousands: ADDI 1,R2
        SUBI    1000,R0
        BGE     thousands
        LDI     R2,R0
        CALL    print
        LDI     10,R0
        CALL    putc
        LDI     0,R0
        RETS
        .sect   "vectors"
        .align  256
vectors: .space 9
        .word   tick                    ; TINT0
        .data
p_vectors: .word vectors
p_timer: .word  808020h
p_devices: .word 82FFF0h
ticks:  .word   0
