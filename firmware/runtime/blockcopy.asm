* Copies by DMA channel 0 or 1: the processor goes on meanwhile.
*
* void dmacopy(int channel, void *to, const void *from, size_t n)   starts; n > 0
* int dmabusy(int channel)    words still to come: 0 when the copy is complete
* void dmawait(int channel)   returns when it is
*
* Changes      R0-R3, AR0-AR2
* Cycles       dmacopy 30, dmabusy 11, dmawait until then; the copy 2 n internally, by the bus outside
* Method       no synchronisation, both addresses count up, the counter stops the channel (c32.md 8.7). Uses no interrupt:
*              the transfer counter is read
        .include "convention.inc"
        .global _dmacopy, _dmabusy, _dmawait
        .text
* AR0: registers of channel R0.
channel .macro  number
        LDI     number,R0
        LSH     4,R0
        LDI     808h,R1
        LSH     12,R1
        ADDI    R0,R1
        LDI     R1,AR0
        .endm
_dmacopy: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
        channel AR2
        LDI     0,R0
        NOP
        STI     R0,*AR0         ; reset
        STI     R3,*+AR0(4)
        STI     R2,*+AR0(6)
        STI     RC,*+AR0(8)
        LDI     0453h,R0        ; run, source and destination up, stop at 0
        STI     R0,*AR0
        RETSU
_dmabusy: enter
        arg     1,AR2
        channel AR2
        NOP
        NOP
        LDI     *+AR0(8),R0
        RETSU
_dmawait: enter
        arg     1,AR2
        channel AR2
        NOP
        NOP
wait:   LDI     *+AR0(8),R0
        BNZ     wait
        RETSU
        .end
