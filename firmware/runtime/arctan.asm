* Inverse trigonometric functions.
*
* _atan    float atan(float x)                 _asin    float asin(float x)
* _atan2   float atan2(float y, float x)       _acos    float acos(float x)
*
* Changes      R0-R3, AR0, AR1, RS, RE
* Cycles       _atan 104, _atan2 100, _asin 160, _acos 160; stack model 4 or 5 more
* Error        _atan, _atan2 1.5 units of a single's last place, _asin, _acos 1.7
* Limits       atan2(0, 0) is 0; |x| and |y| below 2^126. asin and acos of |x| > 1: as of 1 with that sign
* Method       t = smaller / larger of |y| and |x|, or (smaller - larger) / (smaller + larger) above tan(pi/8), where
*              pi/4 is added afterwards: one division. atan t = t + t t t P(t t), P of degree 4 (minimax, 7e-10).
*              asin x = atan2(x, s), acos x = atan2(s, x), s = sqrt((1 - x)(1 + x))
        .include "convention.inc"
        .global _atan, _atan2, _asin, _acos
        .ref    rt_div, rt_sqrt
        .text
_atan:  enter
        argf    1,R2
        BRD     polar
        LDF     1.0,R3
        NOP
        NOP
_asin:  enter
        argf    1,R2
        PUSHF   R2
        CALL    other
        POPF    R2
        LDF     R0,R3
        BR      polar
_acos:  enter
        argf    1,R2
        PUSHF   R2
        CALL    other
        LDF     R0,R2
        POPF    R3
        BR      polar
other:  LDF     R2,R3
        SUBRF   1.0,R2
        RND     R2
        ADDF    1.0,R3
        RND     R3
        MPYF    R3,R2
        BR      rt_sqrt

_atan2: enter
        argf    1,R2
        argf    2,R3
polar:  PUSH    DP
        LDP     @tan8
        ABSF    R2,R0
        ABSF    R3,R1
        PUSHF   R3
        PUSHF   R2
        LDI     0,RS
        CMPF    R1,R0           ; |y| - |x|
        LDIGT   1,RS
        LDFU    R1,R3           ; larger
        LDFGT   R0,R3
        LDFGT   R1,R0           ; smaller
        LDF     @tan8,R1
        MPYF    R3,R1
        LDI     0,RE
        CMPF    R1,R0
        LDIGT   1,RE
        LDF     R0,R2
        ADDF3   R0,R3,R1
        SUBF    R3,R0
        CMPI    0,RE
        LDFEQ   R2,R0
        LDFNE   R0,R2
        LDFEQ   R3,R1
        RND     R1,R0
        CMPI    0,RE
        CALL    rt_div          ; t = R2 / R0
        MPYF3   R0,R0,R3
        LDF     @a4,R1
        MPYF    R3,R1
        ADDF    @a3,R1
        MPYF    R3,R1
        ADDF    @a2,R1
        MPYF    R3,R1
        ADDF    @a1,R1
        MPYF    R3,R1
        ADDF    @a0,R1
        MPYF    R3,R1
        MPYF    R0,R1
        ADDF    R1,R0
        LDF     @quarter,R1     ; pi/4 with all bits of a register
        LDM     @pibits,R1
        ADDF3   R0,R1,R2
        CMPI    0,RE
        LDFNE   R2,R0
        LDF     @half,R1        ; pi/2
        LDM     @pibits,R1
        SUBF3   R0,R1,R2
        CMPI    0,RS
        LDFNE   R2,R0
        LDF     @whole,R1       ; pi
        LDM     @pibits,R1
        POPF    R2              ; y
        POPF    R3              ; x: sets the flags
        SUBF3   R0,R1,R1
        LDF     R3,R3
        LDFN    R1,R0
        RND     R0
        POP     DP
        POP     AR0
        BUD     AR0
        NEGF    R0,R1
        LDF     R2,R2
        LDFN    R1,R0
tan8:   .float  0.414213562
a4:     .float  -0.0608115556612
a3:     .float  0.105951395644
a2:     .float  -0.142437387236
a1:     .float  0.199984839937
a0:     .float  -0.333333154233
quarter: .float 0.785398163
half:   .float  1.57079633
whole:  .float  3.14159265
pibits: .word   490FDAA2h               ; mantissa of pi, 31 bits
        .end
