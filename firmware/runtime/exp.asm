* Exponential function.
*
* _exp     float exp(float x)
* rt_exp   for this library: R0 = exp(R2 + R3), R3 small; DP is this file's page
*
* Changes      R0-R3
* Cycles       _exp 53; stack model 4 more
* Error        0.62 units of a single's last place
* Limits       above 128 ln 2 (88.72): the greatest number; below -127 ln 2 (-88.03): 0
* Method       exp(x) = 2^n exp(r), r = x - n ln 2 with ln 2 in two parts (Cody and Waite, 1980), |r| < 0.347;
*              exp(r) = 1 + r + r r q(r), q of degree 4 (minimax, error 3.2e-9); 2^n is added to the exponent
        .include "convention.inc"
        .global _exp, rt_exp
        .text
_exp:   enter
        argf    1,R2
        PUSH    DP
        LDP     @log2e
        LDF     0.0,R3
        CALL    rt_exp
        POP     DP
        RETSU
rt_exp: LDF     @log2e,R0
        MPYF    R2,R0
        ADDF    0.5,R0
        FIX     R0,R1           ; n
        PUSH    R1
        FLOAT   R1,R0
        LDF     @ln2hi,R1
        MPYF    R0,R1
        SUBRF   R2,R1
        MPYF    @ln2lo,R0
        SUBF    R0,R1
        ADDF    R3,R1           ; r
        LDF     @q4,R0
        MPYF    R1,R0
        ADDF    @q3,R0
        MPYF    R1,R0
        ADDF    @q2,R0
        MPYF    R1,R0
        ADDF    @q1,R0
        MPYF    R1,R0
        ADDF    @q0,R0
        MPYF3   R1,R1,R3
        MPYF    R3,R0
        ADDF    R1,R0
        ADDF    1.0,R0
        RND     R0
        POP     R1
        LSH     24,R1
        PUSHF   R0
        POP     R3
        ADDI    R1,R3
        PUSH    R3
        POPF    R0
        CMPF    @most,R2
        LDFGT   @greatest,R0
        CMPF    @least,R2
        LDFLT   0.0,R0
        RETSU
log2e:  .float  1.44269504088896
ln2hi:  .float  0.693145751953125       ; 16 bits: its product with n is exact
ln2lo:  .float  1.42860682030942e-6
q4:     .float  0.00139506568264
q3:     .float  0.00836895331554
q2:     .float  0.04166620326
q1:     .float  0.166665183092
q0:     .float  0.500000009597
most:   .float  88.7228317
least:  .float  -88.0296919
greatest: .word 7F7FFFFFh
        .end
