* Sine, cosine, tangent.
*
* _sin     float sin(float x)     _cos     float cos(float x)     _tan     float tan(float x)
* _sinq    float sinq(float q): sin(q pi/2), exact in the reduction     rt_sinq  for this library: R0 = sinq(R2)
*
* Changes      R0-R3, AR0, and _tan AR1, RS
* Cycles       _sin 43, _cos 43, _tan 81, _sinq 35; stack model 4 more
* Error        |x| up to 100 000: _sin, _cos 1.1, _tan 1.9 units of a single's last place, but never less than 2^-31
*              absolute beyond |x| = 4. Larger |x|: the error of x times 2^-47; without meaning above 2^30
* Method       x = n pi/2 + r with pi/2 in three parts (Cody and Waite, 1980), |r| <= pi/4. sin r = r + r r r P(r r),
*              cos r = 1 + r r Q(r r), P and Q cubics (minimax); n chooses the polynomial and the sign.
*              tan: r cot r = 1 + r r D(r r), D of degree 4 (minimax, 8e-11), and one division
        .include "convention.inc"
        .global _sin, _cos, _tan, _sinq, rt_sinq
        .ref    rt_div
        .text
_sin:   enter
        argf    1,R2
        PUSH    DP
        LDP     @perhalf
        NOP
        NOP
        LDF     @perhalf,R0
        MPYF    R2,R0
        BRD     reduce
        ADDF    0.5,R0
        FIX     R0,R1           ; n
        FLOAT   R1,R0
_cos:   enter
        argf    1,R2
        PUSH    DP
        LDP     @perhalf
        NOP
        NOP
        LDF     @perhalf,R0
        MPYF    R2,R0
        ADDF    0.5,R0
        FIX     R0,R1
        FLOAT   R1,R0
        ADDI    1,R1            ; cos x = sin(x + pi/2)
reduce: LDI     @forsin,AR0
        TSTB    1,R1
        LDINZ   @forcos,AR0
        LDF     @half1,R3
        MPYF    R0,R3
        SUBF    R3,R2
        LDF     @half2,R3
        MPYF    R0,R3
        SUBF    R3,R2
        MPYF    @half3,R0
        SUBF    R0,R2           ; r
poly:   RND     R2,R0
        MPYF3   R0,R0,R3
        RND     R3
        LDF     *AR0++,R0
        MPYF    R3,R0
        ADDF    *AR0++,R0
        MPYF    R3,R0
        ADDF    *AR0++,R0
        MPYF    R3,R0
        ADDF    *AR0,R0
        TSTB    1,R1
        LDFNZ   1.0,R2
        MPYF    R3,R0
        MPYF    R2,R0
        ADDF    R2,R0
        RND     R0
        POP     DP
        POP     AR0
        BUD     AR0
        NEGF    R0,R3
        TSTB    2,R1
        LDFNZ   R3,R0

_sinq:  enter
        argf    1,R2
rt_sinq: PUSH   DP
        LDP     @perhalf
        LDF     R2,R0
        ADDF    0.5,R0
        FIX     R0,R1
        LDI     @forsin,AR0
        FLOAT   R1,R0
        TSTB    1,R1
        LDINZ   @forcos,AR0
        BRD     poly
        SUBF    R0,R2
        MPYF    @half,R2
        NOP

_tan:   enter
        argf    1,R2
        PUSH    DP
        LDP     @perhalf
        NOP
        NOP
        LDF     @perhalf,R0
        MPYF    R2,R0
        ADDF    0.5,R0
        FIX     R0,R1
        FLOAT   R1,R0
        LDF     @half1,R3
        MPYF    R0,R3
        SUBF    R3,R2
        LDF     @half2,R3
        MPYF    R0,R3
        SUBF    R3,R2
        MPYF    @half3,R0
        SUBF    R0,R2           ; r
        MPYF3   R2,R2,R3
        LDF     @d4,R0
        MPYF    R3,R0
        ADDF    @d3,R0
        MPYF    R3,R0
        ADDF    @d2,R0
        MPYF    R3,R0
        ADDF    @d1,R0
        MPYF    R3,R0
        ADDF    @d0,R0
        MPYF    R3,R0
        ADDF    1.0,R0          ; r cot r
        POP     DP
        RND     R0
        RND     R2              ; tan x = r / R0, or -R0 / r for an odd n
        LSH     31,R1           ; flags: N if n is odd
        LDFU    R2,R3
        LDFN    R0,R2
        LDFN    R3,R0
        LDI     R1,RS
        CALL    rt_div
        NEGF    R0,R1
        TSTB    RS,RS
        LDFN    R1,R0
        RETSU
perhalf: .float 0.636619772367581
half:   .float  1.5707963267949
half1:  .float  1.570770263671875
half2:  .float  0.00002606306225061417
half3:  .float  6.077100506506193e-11
d4:     .float  -2.58335144612e-5
d3:     .float  -0.000208496857827
d2:     .float  -0.00211738953317
d1:     .float  -0.0222220878335
d0:     .float  -0.333333339255
forsin: .word   sines
forcos: .word   cosines
sines:  .float  2.71827447965e-6
        .float  -0.000198393309995
        .float  0.00833332937414
        .float  -0.166666666415
cosines: .float 2.43900426478e-5
        .float  -0.00138867595649
        .float  0.0416666231948
        .float  -0.49999999724
        .end
