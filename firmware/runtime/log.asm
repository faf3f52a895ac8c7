* Logarithms.
*
* _log     float log(float v), natural     _log10   float log10(float v)     _log2    float log2(float v)
* rt_log   for this library: R0 = ln R2 with 28 bits, not rounded; DP is this file's page
*
* Changes      R0-R3
* Cycles       _log 60, _log10 73, _log2 69; stack model 4 more
* Error        0.70 units of a single's last place, log10 and log2 0.75
* Limits       0 and negative numbers: the most negative number (log10: times log10 e)
* Method       v = m 2^e with sqrt(1/2) < m <= sqrt(2), f = m - 1; ln v = e ln 2 + f - f f / 2 + f f f P(f), P of
*              degree 7 (minimax, error 6e-9 of f), ln 2 in two parts. Other bases: product with both factors in two parts
        .include "convention.inc"
        .global _log, _log10, _log2, rt_log
        .text
_log:   enter
        argf    1,R2
        PUSH    DP
        LDP     @ln2hi
        CALL    rt_log
        POP     DP
        RND     R0
        RETSU
_log10: enter
        argf    1,R2
        PUSH    DP
        LDP     @ln2hi
        CALL    rt_log
        LDF     @tenhi,R1
        LDF     @tenlo,R3
        BR      base
_log2:  enter
        argf    1,R2
        PUSH    DP
        LDP     @ln2hi
        CALL    rt_log
        LDF     @twohi,R1
        LDF     @twolo,R3
base:   RND     R0,R2
        MPYF    R2,R3
        SUBF    R2,R0           ; ln v = R2 + R0
        MPYF    R1,R2
        MPYF    R1,R0
        ADDF    R3,R0
        ADDF    R2,R0
        POP     DP
        RND     R0
        RETSU

rt_log: PUSHF   R2              ; its sign for the end
        PUSHF   R2
        POP     R1
        ASH     -24,R1          ; e
        LDF     R2,R0
        LDE     1.0,R0          ; m, 1 to 2
        LDF     R0,R3
        LDE     0.5,R3          ; m / 2
        LDI     0,RS
        CMPF    @sqrt2,R0
        LDIGT   1,RS
        LDFLE   R0,R3
        ADDI    RS,R1
        FLOAT   R1,R1
        SUBF    1.0,R3          ; f
        LDF     @p7,R0
        MPYF    R3,R0
        ADDF    @p6,R0
        MPYF    R3,R0
        ADDF    @p5,R0
        MPYF    R3,R0
        ADDF    @p4,R0
        MPYF    R3,R0
        ADDF    @p3,R0
        MPYF    R3,R0
        ADDF    @p2,R0
        MPYF    R3,R0
        ADDF    @p1,R0
        MPYF    R3,R0
        ADDF    @p0,R0
        MPYF    R3,R0           ; 2 f P
        LDF     R3,R2
        MPYF    0.5,R2
        MPYF    R3,R2           ; f f / 2 with all its bits
        MPYF    R2,R0
        SUBF    R2,R0
        ADDF    R3,R0
        LDF     @ln2lo,R2
        MPYF    R1,R2
        ADDF    R2,R0
        MPYF    @ln2hi,R1
        ADDF    R1,R0
        POPF    R2
        LDFLE   @lowest,R0
        RETSU
p0:     .float  0.6666663345
p1:     .float  -0.500016208204
p2:     .float  0.400045723202
p3:     .float  -0.3324910697
p4:     .float  0.283623891132
p5:     .float  -0.262575281096
p6:     .float  0.257632693664
p7:     .float  -0.157191431266
sqrt2:  .float  1.41421356
ln2hi:  .float  0.693145751953125       ; 16 bits: its product with e is exact
ln2lo:  .float  1.42860682030942e-6
tenhi:  .float  0.43429446220397949219  ; log10(e) in two parts
tenlo:  .float  1.9699272335463629e-8
twohi:  .float  1.44269502162933349609  ; log2(e)
twolo:  .float  1.92596299112661747e-8
lowest: .word   7F800000h
        .end
