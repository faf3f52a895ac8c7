; One word from and to the chain, sleeping until it can be had; both firmwares include this.

; ---- getw: R0 = next word of the chain. Changes R2. 16 cycles if a word waits, 27 from the interrupt ------------------
getw:   ANDN    RINT,IF
        LDI     *AR7,R2
        TSTB    RRDY,R2
        BZ      getw_wait
        LDI     *+AR7(DRR),R0
        RETSU
getw_wait:
        IDLE
        BR      getw

; ---- putw: send R0. Changes R2. 16 cycles if the transmitter is free -----------------------------------------------------
putw:   ANDN    XINT,IF
        LDI     *AR7,R2
        TSTB    XRDY,R2
        BZ      putw_wait
        STI     R0,*+AR7(DXR)
        RETSU
putw_wait:
        LDI     XINT,IE
        IDLE
        LDI     RINT,IE
        BR      putw

