* A counter that two DSPs share: interlocked load and store (LDII, STII), granted by XF1.
* c32-run --dsps 2: both run this program on one memory; internal RAM and stack each has its own.
        .global main, count
        .ref    print, putc
DSPS    .set    2
TIMES   .set    100
        .text
main:   LDI     6,IOF                   ; XF0 output, high: no request
        LDP     @p_count
        LDI     @p_count,AR0
        LDI     TIMES-1,AR1
* Between LDII and STII XF0 is low, and the arbiter grants nobody else an interlocked access.
again:  LDII    *AR0,R0
        ADDI    1,R0
        STII    R0,*AR0
        NOP                             ; no LDII directly behind STII
        DBU     AR1,again
        LDI     @p_ended,AR0            ; the same way: how many DSPs are done
        LDII    *AR0,R0
        ADDI    1,R0
        STII    R0,*AR0
        LDI     @devices,AR2
        LDI     *+AR2(7),R0             ; number of this DSP
        BNZ     done
wait:   LDI     *AR0,R0                 ; the first waits for the other
        CMPI    DSPS,R0
        BLT     wait
        LDI     @p_count,AR0
        LDI     *AR0,R0
        CALL    print
        LDI     10,R0
        CALL    putc
done:   LDI     0,R0
        RETS
        .data
p_count: .word  count
p_ended: .word  ended
devices: .word  82FFF0h
count:  .word   0
ended:  .word   0
