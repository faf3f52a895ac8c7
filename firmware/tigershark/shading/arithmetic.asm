; Arithmetic that SL has and the C32 has not. Runs from SRAM in lockstep: every path takes the same cycles whatever the
; numbers are. Routines take R0 (R1, AR1) and leave R0; they change R1-R7, AR0-AR5, RC, RS, RE and keep IR0, AR7, DP.
; Beyond a C32 number's range results are the largest number, and what IEEE calls not a number is 0.

SHADER_BASE     .set    800h            ; behind boot and internal image
        .sect   "shading",SHADER_BASE,SHADER_BASE

        .include "reciprocal.asm"       ; R1 = 1/R0, changes R3; 1/0 is the largest number

; ---- floor: R0 = floor(R0). Changes R1, R2 ---------------------------------------------------------------------------------
floor:  FIX     R0,R1
        FLOAT   R1,R1
        ABSF    R0,R2
        CMPF    @two30,R2               ; larger numbers are whole
        LDFLT   R1,R0
        RETSU

; ---- rsqrt: R0 = 1/sqrt(R0), 0 of zero and below. Changes R1-R4 ---------------------------------------------------------------
rsqrt:  STF     R0,@scratch
        LDF     R0,R4
        LDI     @scratch,R1
        ASH     -25,R1                  ; half the exponent, rounded down
        NOT     R1
        ASH     24,R1
        STI     R1,@scratch
        LDF     @scratch,R1
        LDM     1.25,R1                 ; within 0.62 .. 1.25 of the root's reciprocal
        LDF     R0,R3
        MPYF    0.5,R3
        LDI     4,RC
        RPTB    rsqrt_step
        MPYF3   R1,R1,R2                ; x = x (1.5 - v/2 x x)
        MPYF    R3,R2
        SUBRF   1.5,R2
rsqrt_step:
        MPYF    R2,R1
        LDF     R4,R4
        LDFU    R1,R0
        LDFLE   0.0,R0
        RETSU

; ---- exp2: R0 = 2^R0. Changes R1-R4, AR2 ----------------------------------------------------------------------------------
exp2:   LDF     R0,R4
        MPYF    0.0078125,R4            ; /128 keeps FIX in range whatever the number; a constant's rounding is exact
        ADDF3   R0,R0,R1                ; R0 beyond -126..127 is decided at the end
        LDF     R0,R3
        ADDF    0.5,R3
        FIX     R3,R1
        FLOAT   R1,R2
        SUBF    R2,R0                   ; fraction, -1/2..1/2
        LDI     @p_exp,AR2
        LDF     *AR2++(1),R2
        LDI     6,RC
        RPTB    exp2_step
        MPYF    R0,R2
exp2_step:
        ADDF    *AR2++(1),R2
        RND     R2
        LSH     24,R1                   ; exponent of 2^n, mantissa 1
        STI     R1,@scratch
        LDF     @scratch,R0
        MPYF    R2,R0
        CMPF    -0.984375,R4            ; below -126: 0
        LDFLE   0.0,R0
        CMPF    0.9921875,R4            ; from 127 on: the largest number
        LDFGE   @huge,R0
        RETSU

; ---- log2: R0 = log2(R0) of a positive number. Changes R1-R7, AR2 ---------------------------------------------------------------
log2:   STF     R0,@scratch
        LDI     @scratch,R4
        LDI     R4,R5
        ASH     -24,R5                  ; exponent
        LSH     8,R4
        LSH     -8,R4
        STI     R4,@scratch
        LDF     @scratch,R0             ; 1..2
        LDF     R0,R1
        MPYF    0.5,R1
        LDI     R5,R2
        ADDI    1,R2
        CMPF    @root2,R0
        LDFGE   R1,R0                   ; 0.71..1.41
        LDIGE   R2,R5
        LDF     R0,R4
        SUBF    1.0,R4
        ADDF    1.0,R0
        CALL    reciprocal
        MPYF    R1,R4                   ; s = (m - 1)/(m + 1)
        RND     R4
        MPYF3   R4,R4,R0
        RND     R0
        LDI     @p_log,AR2
        LDF     *AR2++(1),R2
        LDI     4,RC
        RPTB    log2_step
        MPYF    R0,R2
log2_step:
        ADDF    *AR2++(1),R2
        RND     R2
        MPYF    R4,R2
        FLOAT   R5,R0
        ADDF    R2,R0
        RETSU

; ---- power: R0 = R0 to the power R1. Changes R1-R7, AR2, AR3, AR4 ------------------------------------------------------------------
power:  STF     R0,@n_edge
        STF     R1,@n_edge+1
        ABSF    R0,R0
        LDFZ    1.0,R0                  ; the power of 0 is decided below
        CALL    log2
        RND     R0
        MPYF    @n_edge+1,R0
        CALL    exp2
        RND     R0
        LDF     @n_edge+1,R1
        FIX     R1,R2                   ; y as a whole number
        FLOAT   R2,R3
        NEGF    R0,R4
        LDF     R0,R5
        TSTB    1,R2
        LDFNZ   R4,R5                   ; odd: keeps the sign
        SUBF    R1,R3
        LDFNZ   0.0,R5                  ; no whole number: not a number
        LDF     @n_edge,R4
        LDFN    R5,R0
        LDF     @huge,R5
        LDF     R1,R1
        LDFGE   0.0,R5
        LDF     R4,R4
        LDFZ    R5,R0                   ; 0 to the power y
        LDF     R1,R1
        LDFZ    1.0,R0
        RETSU

; ---- exponential: R0 = e to the power R0 ---------------------------------------------------------------------------------------
exponential:
        MPYF    @log2e,R0
        BR      exp2

exp_series:     .float  1.5252733804059840e-5, 1.5403530393381608e-4, 1.3333558146428443e-3, 9.6181291076284772e-3
                .float  5.5504108664821580e-2, 2.4022650695910072e-1, 6.9314718055994531e-1, 1.0
log_series:     .float  2.6231001728530190e-1, 3.2059787822914228e-1, 4.1219858311113235e-1, 5.7707801635558537e-1
                .float  9.6179669392597561e-1, 2.8853900817779268

; ---- perm: R1 = entry of the permutation at R1 mod 256. Changes R2, AR0 -----------------------------------------------------------
perm_at:
        AND     255,R1
        LDI     R1,R2
        LSH     -1,R2
        ADDI    @p_perm,R2
        LDI     R2,AR0
        AND     1,R1
        MPYI    -16,R1
        LDI     *AR0,R2
        LSH     R1,R2
        LDI     R2,R1
        AND     0FFFFh,R1
        RETSU

; ---- cell: splits the coordinate R0. AR2 -> place in the cell, minus 1, fade, cell. Changes R0-R4 ------------------------------------
cell:   LDF     R0,R4
        CALL    floor
        SUBF3   R0,R4,R3                ; 0..1
        FIX     R0,R1
        RND     R3
        STF     R3,*AR2++(1)
        LDF     R3,R2
        SUBF    1.0,R2
        STF     R2,*AR2++(1)
        LDF     6.0,R2
        MPYF    R3,R2
        SUBF    15.0,R2
        MPYF    R3,R2
        ADDF    10.0,R2
        MPYF    R3,R2
        MPYF    R3,R2
        MPYF    R3,R2
        RND     R2
        STF     R2,*AR2++(1)
        AND     255,R1
        STI     R1,*AR2++(1)
        RETSU

; ---- mix: R0 = R4 + R6 (R5 - R4). Changes R5 -----------------------------------------------------------------------------------
mix:    SUBF    R4,R5
        RND     R5
        MPYF    R6,R5
        ADDF3   R4,R5,R0
        RND     R0
        RETSU

; ---- noise1: R0 = 1-D noise at R0 -----------------------------------------------------------------------------------------------
noise1: LDI     @p_noise,AR2
        CALL    cell
        LDI     @n_x0+3,R1
        CALL    slope
        MPYF    @n_x0,R0
        RND     R0
        STF     R0,@n_edge
        LDI     @n_x0+3,R1
        ADDI    1,R1
        CALL    slope
        MPYF    @n_x0+1,R0
        RND     R0
        LDF     R0,R5
        LDF     @n_edge,R4
        LDF     @n_x0+2,R6
        CALL    mix
        ADDF    R0,R0
        RETSU

; slope: R0 = (1 + (h & 7))/8, negative if h & 8, at cell R1
slope:  CALL    perm_at
        LDI     R1,R2
        AND     7,R2
        ADDI    1,R2
        FLOAT   R2,R0
        MPYF    0.125,R0
        NEGF    R0,R2
        TSTB    8,R1
        LDFNZ   R2,R0
        RETSU

; ---- noise3: R0 = 3-D noise at AR1 -> x, y, z -------------------------------------------------------------------------------------
noise3: LDI     @p_noise,AR2
        LDI     2,AR3
noise3_axis:
        LDF     *AR1++(1),R0
        CALL    cell
        DBU     AR3,noise3_axis

        LDI     @n_x0+3,R1              ; hashes of the cell's four edges along z
        CALL    perm_at
        AND     255,R1
        ADDI    @n_y0+3,R1
        STI     R1,@n_hash+4
        CALL    perm_at
        STI     R1,@n_hash              ; (0,0)
        LDI     @n_hash+4,R1
        ADDI    1,R1
        CALL    perm_at
        STI     R1,@n_hash+2            ; (0,1)
        LDI     @n_x0+3,R1
        ADDI    1,R1
        CALL    perm_at
        AND     255,R1
        ADDI    @n_y0+3,R1
        STI     R1,@n_hash+4
        CALL    perm_at
        STI     R1,@n_hash+1            ; (1,0)
        LDI     @n_hash+4,R1
        ADDI    1,R1
        CALL    perm_at
        STI     R1,@n_hash+3            ; (1,1)

        LDF     @n_z0,R6
        LDI     @n_z0+3,R7
        CALL    square
        STF     R0,@n_edge+4
        LDF     @n_z0+1,R6
        LDI     @n_z0+3,R7
        ADDI    1,R7
        CALL    square
        LDF     R0,R5
        LDF     @n_edge+4,R4
        LDF     @n_z0+2,R6
        BR      mix

; square: noise in the plane z = const. In: R6 z in the cell, R7 cell in z. Out: R0
square: STF     R6,@n_edge+2
        STI     R7,@n_edge+3
        LDI     @n_hash,R1
        LDF     @n_x0,R4
        LDF     @n_y0,R5
        CALL    corner
        STF     R0,@n_edge
        LDI     @n_hash+1,R1
        LDF     @n_x0+1,R4
        LDF     @n_y0,R5
        CALL    corner
        LDF     R0,R5
        LDF     @n_edge,R4
        LDF     @n_x0+2,R6
        CALL    mix
        STF     R0,@n_edge+1            ; lower edge
        LDI     @n_hash+2,R1
        LDF     @n_x0,R4
        LDF     @n_y0+1,R5
        CALL    corner
        STF     R0,@n_edge
        LDI     @n_hash+3,R1
        LDF     @n_x0+1,R4
        LDF     @n_y0+1,R5
        CALL    corner
        LDF     R0,R5
        LDF     @n_edge,R4
        LDF     @n_x0+2,R6
        CALL    mix
        LDF     R0,R5
        LDF     @n_edge+1,R4
        LDF     @n_y0+2,R6
        BR      mix

; corner: gradient at hash R1 + cell of z, along (R4, R5, z). Out: R0. Changes R1-R3, R6, R7
corner: AND     255,R1
        ADDI    @n_edge+3,R1
        CALL    perm_at
        LDF     @n_edge+2,R6
        LDF     R4,R0
        TSTB    400h,R1
        LDFNZ   R5,R0
        NEGF    R0,R3
        TSTB    100h,R1
        LDFNZ   R3,R0
        LDF     R6,R7
        TSTB    800h,R1
        LDFNZ   R5,R7
        NEGF    R7,R3
        TSTB    200h,R1
        LDFNZ   R3,R7
        ADDF    R7,R0
        RND     R0
        RETSU
