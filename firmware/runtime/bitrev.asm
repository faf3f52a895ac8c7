* Bit reversal by the address unit.
*
* void bitrev(float *to, const float *from, int n)   n complex numbers in bit-reversed order of their numbers; n a power
*                                                    of 2, from 2; from aligned to 2 n words, to another array
* void bitrevr(float *to, const float *from, int n)  the same for n real numbers; from aligned to n words
*
* Changes      R0-R3, AR0-AR2, IR0, IR1, RC, RS, RE
* Cycles       bitrev 2 n + 14, bitrevr n + 15; stack model 6 more
* Method       c32.md 6.3: the index counts with its carry going down
        .include "convention.inc"
        .global _bitrev, _bitrevr
        .text
_bitrev: enter
        arg     2,R2
        arg     3,R3
        arg     1,AR2
        LDI     R2,AR0
        LDI     R3,IR0          ; half of n numbers, in words
        LDI     2,IR1
        SUBI    2,R3
        LDI     R3,RC
        LDF     *+AR0(1),R1
        RPTB    number
        LDF     *AR0++(IR0)B,R0
||      STF     R1,*+AR2(1)
number: LDF     *+AR0(1),R1
||      STF     R0,*AR2++(IR1)
        LDF     *AR0,R0
||      STF     R1,*+AR2(1)
        STF     R0,*AR2
        RETSU
_bitrevr: enter
        arg     2,R2
        arg     3,R3
        arg     1,AR2
        LDI     R2,AR0
        LDI     R3,R0
        LSH     -1,R0
        LDI     R0,IR0
        SUBI    2,R3
        NOP
        LDF     *AR0++(IR0)B,R0
        RPTS    R3
        LDF     *AR0++(IR0)B,R0
||      STF     R0,*AR2++(1)
        STF     R0,*AR2
        RETSU
        .end
