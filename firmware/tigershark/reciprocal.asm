; The reciprocal, for both firmwares. Without a branch: nodes in lockstep may call it.

; ---- reciprocal: R1 = 1/R0, R0 nonzero, either sign. Changes R3 ----------------------------------------------------------
; Complementing exponent and fraction of v = m 2^e gives (3 - m)/2 x 2^-e, within 1/8 of 1/v; two Newton steps
; x (2 - v x) leave 2.4e-4, the third one, x + x (1 - v x) on a rounded x, one unit of 24 bits. 26 cycles with the call.
reciprocal:
        STF     R0,@scratch
        LDI     @scratch,R1
        XOR     @seed_flip,R1
        STI     R1,@scratch
        LDF     @scratch,R1
        MPYF3   R1,R0,R3
        SUBRF   2.0,R3
        MPYF    R3,R1
        MPYF3   R1,R0,R3
        SUBRF   2.0,R3
        MPYF    R3,R1
        RND     R1
        MPYF3   R1,R0,R3
        SUBRF   1.0,R3
        MPYF    R1,R3
        ADDF    R3,R1
        RND     R1
        RETSU

