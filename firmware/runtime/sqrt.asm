* Square root and reciprocal square root.
*
* _sqrt    float sqrt(float v)      _rsqrt   float rsqrt(float v): 1 / sqrt(v)
* rt_sqrt  for this library: R0 = sqrt(R2)
*
* Changes      R0-R3, AR0
* Cycles       _sqrt 39, _rsqrt 43; stack model 4 more
* Error        _sqrt 0.72, _rsqrt 0.64 units of a single's last place
* Limits       sqrt of a negative number and of 0: 0. rsqrt(0): the greatest number; of a negative number: 0
* Method       v = u 2^2k, 1 <= u < 4; a cubic for 1/sqrt(u) (minimax, error 0.7 %), one Newton step y (1.5 - u/2 y y);
*              then g = u y corrected by (u - g g) y / 2, or y by (1 - u y y) y / 2 with u y in two parts (Markstein, 1990)
        .include "convention.inc"
        .global _sqrt, _rsqrt, rt_sqrt
        .text

* R3 = first approximation of 1/sqrt(R0), corrected once. Changes R2.
approximate .macro
        LDF     -0.01905,R3
        MPYF    R0,R3
        ADDF    0.19468,R3
        MPYF    R0,R3
        ADDF    -0.73886,R3
        MPYF    R0,R3
        ADDF    1.5562,R3
        MPYF3   R3,R3,R2
        MPYF    R0,R2
        MPYF    0.5,R2
        SUBRF   1.5,R2
        MPYF    R2,R3
        .endm

_sqrt:  enter
        argf    1,R2
rt_sqrt: PUSHF  R2
        POP     R1
        ASH     -25,R1          ; k
        NEGI    R1,R0
        LSH     24,R0
        LSH     24,R1
        PUSH    R1              ; 2^k for the end
        PUSH    R0
        POPF    R0              ; 2^-k
        MPYF    R0,R2
        MPYF    R2,R0           ; u
        approximate
        MPYF3   R0,R3,R2
        RND     R2              ; g
        MPYF    0.5,R3
        MPYF3   R2,R2,R1
        SUBRF   R0,R1
        MPYF    R3,R1
        ADDF    R2,R1
        RND     R1
        POPF    R2
        MPYF    R2,R1
        LDF     R0,R0
        POP     AR0
        BUD     AR0
        LDFLE   0.0,R1
        LDF     R1,R0
        NOP

_rsqrt: enter
        argf    1,R2
        PUSHF   R2
        POP     R1
        ASH     -25,R1
        NEGI    R1
        LSH     24,R1
        PUSH    R1              ; 2^-k
        PUSH    R1
        POPF    R1
        MPYF    R1,R2
        MPYF3   R1,R2,R0        ; u
        approximate
        RND     R3              ; y
        MPYF3   R0,R3,R1
        RND     R1,R2
        SUBF    R2,R1           ; u y = R2 + R1
        MPYF    R3,R2
        MPYF    R3,R1
        SUBRF   1.0,R2
        SUBF    R1,R2           ; 1 - u y y
        MPYF    0.5,R2
        MPYF    R3,R2
        ADDF    R3,R2
        RND     R2
        POPF    R1
        MPYF    R1,R2
        MPYF    R1,R1           ; 2^128 if v is 0: saturates
        LDF     R0,R0
        POP     AR0
        BUD     AR0
        LDFN    0.0,R2
        LDFZ    R1,R2
        LDF     R2,R0
        .end
