* Blocks of memory: memcpy, memmove, memset, memcmp. Sizes are words, as C's on this processor.
*
* void *memcpy(void *to, const void *from, size_t n)     void *memset(void *to, int word, size_t n)
* void *memmove(void *to, const void *from, size_t n)    int memcmp(const void *a, const void *b, size_t n)
*
* Changes      memcpy: R0, R1, R3, AR0-AR2, RC, RS, RE; memmove: and nothing more; memset: R0, R3, AR0, AR2,
*              RC, RS, RE; memcmp: R0-R3, AR0-AR2, RC, RS, RE
* Cycles       memcpy n + 15, n > 1; 14 for one word, 11 for none. memmove n + 19 upwards, n + 22 downwards, n > 1.
*              memset n + 13, n > 0. memcmp, equal blocks: 2 n + 19 (n / 32) and 12. Stack model: 6 more.
* Interrupts   wait for the end of memcpy, memmove and memset (RPTS)
* memcmp       compares words as unsigned numbers, as the standard's unsigned char
        .include "convention.inc"
        .global _memcpy, _memmove, _memset, _memcmp
        .text

_memcpy: enter
        arg     2,R2
        arg     3,R3
        arg    1,AR2
        LDI     R2,AR0
upward: SUBI    2,R3
        BLTD    few
        LDI     AR2,AR1
        LDI     AR2,R0
        NOP
        LDI     *AR0++,R1
        RPTS    R3
        LDI     *AR0++,R1
||      STI     R1,*AR1++
        STI     R1,*AR1
        RETSU
few:    CMPI    -1,R3           ; one word or none
        RETSNE
        LDI     *AR0,R1
        STI     R1,*AR1
        RETSU

_memmove: enter
        arg     2,R2
        arg     3,R3
        arg   1,AR2
        CMPI    R2,AR2
        BLSD    upward          ; the destination lies below: upwards
        LDI     R2,AR0
        NOP
        NOP
        LDI     AR2,AR1
        ADDI    R3,AR0
        ADDI    R3,AR1
        SUBI    2,R3
        BLTD    last
        LDI     AR2,R0
        NOP
        NOP
        LDI     *--AR0,R1
        RPTS    R3
        LDI     *--AR0,R1
||      STI     R1,*--AR1
        STI     R1,*--AR1
        RETSU
last:   CMPI    -1,R3
        RETSNE
        LDI     *--AR0,R1
        STI     R1,*--AR1
        RETSU

_memset: enter
        arg     2,R2
        arg     3,R3
        arg    1,AR2
        SUBI    1,R3
        BLTD    none
        LDI     AR2,R0
        LDI     AR2,AR0
        NOP
        RPTS    R3
        STI     R2,*AR0++
none:   RETSU

* 32 words at a time are compared without a branch; where they differ, the first difference is looked for.
_memcmp: enter
        arg     2,R2
        arg     3,R3
        arg    1,AR2
        LDI     R2,AR1
        LDI     AR2,AR0
        CMPI    0,R3
        BEQD    equal
        LDI     0,R1
        LDI     0,R0
        NOP
block:  LDI     R3,RC           ; min(n, 32) - 1
        CMPI    32,R3
        LDIHI   32,RC
        SUBI3   RC,R3,R3
        SUBI    1,RC
        LDI     RC,AR2
        RPTB    differ
        XOR3    *AR0++,*AR1++,R2
differ: OR      R2,R1           ; Z of the last one: all words so far are equal
        BNZ     search
        CMPI    0,R3
        BNE     block
equal:  LDI     0,R0
        RETSU
search: ADDI    1,AR2
        SUBI    AR2,AR0
        SUBI    AR2,AR1
        NOP
        NOP
next:   LDI     *AR1++,R1
        CMPI    *AR0++,R1       ; second - first
        BEQ     next
        LDIHI   -1,R0
        LDILO   1,R0
        RETSU
        .end
