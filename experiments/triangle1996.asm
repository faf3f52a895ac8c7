* The ray-triangle test of the 1996 program (board.md 5.4) for the C32, to measure what it costs (TS-060): plane first,
* then the signs of three cross products, compared as unit vectors. In single precision as the program has it.
*
* In:  AR0 triangle in shared memory: plane normal (3), d, then v1 (3), v2 (3), v3 (3), v1 again (3): 16 words.
*      AR1 ray in internal memory: direction D (3), then origin P (3).
*      DP  page of the data below.
* Out: best holds the nearer of itself and the hit. Reached: out (missed, or not nearer) or hit_end.
*
* Unlike the shipped routine it is straight-line code without delay slots, as the listing reads; what delayed branches and
* parallel instructions would save is counted in docs/results.
        .sect   "code",87FE00h,87FE00h
test:   LDP     @data
        LDF     *AR0++(1),R3            ; N
        LDF     *AR0++(1),R4
        LDF     *AR0++(1),R5
        MPYF3   *AR1++(1),R3,R0
        MPYF3   *AR1++(1),R4,R1
        ADDF    R1,R0
        MPYF3   *AR1++(1),R5,R1
        ADDF    R1,R0                   ; vd = N.D
        BZ      out                     ; parallel to the plane
        MPYF3   *AR1++(1),R3,R2
        MPYF3   *AR1++(1),R4,R1
        ADDF    R1,R2
        MPYF3   *AR1++(1),R5,R1
        ADDF    R1,R2
        ADDF    *AR0++(1),R2
        NEGF    R2                      ; v0 = -(N.P + d)
        RND     R0
        STF     R0,@scratch             ; 1/vd: seed of complemented bits, three Newton steps
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
        RND     R2
        MPYF    R1,R2                   ; t
        CMPF    @near,R2
        BLE     out                     ; behind the origin or too near
        NOP     *AR1--(6)
        RND     R2
        STF     R2,@distance
        LDI     @p_point,AR4
        MPYF3   *AR1++(1),R2,R0
        MPYF3   *AR1++(1),R2,R1
        MPYF3   *AR1++(1),R2,R3
        ADDF    *AR1++(1),R0
        ADDF    *AR1++(1),R1
        ADDF    *AR1++(1),R3
        STF     R0,*AR4++(1)            ; I = P + t D
        STF     R1,*AR4++(1)
        STF     R3,*AR4++(1)            ; AR4 -> normals

* Three times: (a - I) x (b - a), its square length behind it.
        LDI     @p_point,AR2
        LDI     AR0,AR3                 ; a; b = a + 3
        LDI     2,RC
        RPTB    crossed
        SUBF3   *AR2++(1),*AR0++(1),R0  ; u = a - I
        SUBF3   *AR2++(1),*AR0++(1),R1
        SUBF3   *AR2--(1),*AR0++(1),R2
        SUBF3   *AR3++(1),*AR0++(1),R3  ; w = b - a
        SUBF3   *AR3++(1),*AR0++(1),R4
        SUBF3   *AR3++(1),*AR0--(1),R5
        NOP     *AR2--(1)
        NOP     *AR0--(1)               ; AR0, AR3 -> b
        MPYF3   R1,R5,R6
        MPYF3   R2,R4,R7
        SUBF    R7,R6
        STF     R6,*AR4++(1)            ; n.x = u.y w.z - u.z w.y
        MPYF3   R1,R3,R7
        MPYF    R2,R3
        MPYF    R0,R5
        SUBF    R5,R3
        STF     R3,*AR4++(1)            ; n.y = u.z w.x - u.x w.z
        MPYF    R0,R4
        SUBF    R7,R4
        STF     R4,*AR4++(1)            ; n.z = u.x w.y - u.y w.x
        MPYF    R6,R6
        MPYF    R3,R3
        MPYF    R4,R4
        ADDF    R3,R6
        ADDF    R4,R6
crossed: STF    R6,*AR4++(1)

* One of them short: the point lies on an edge's line, or the triangle is small. Accepted.
        LDI     @p_normals,AR4
        LDF     *+AR4(3),R0
        SUBF    @short,R0
        LDF     *+AR4(7),R1
        SUBF    @short,R1
        LDF     *+AR4(11),R2
        SUBF    @short,R2
        OR      R0,R1                   ; sign bits
        OR      R2,R1
        BN      accept

* Unit vectors: 1/sqrt by five Newton steps from half the exponent.
        LDI     2,AR5
unit:   LDF     *+AR4(3),R0
        STF     R0,@scratch
        LDI     @scratch,R1
        ASH     -25,R1
        NOT     R1
        ASH     24,R1
        STI     R1,@scratch
        LDF     @scratch,R1
        LDM     1.25,R1
        MPYF    0.5,R0
        LDI     4,RC
        RPTB    root
        MPYF3   R1,R1,R2
        MPYF    R0,R2
        SUBRF   1.5,R2
root:   MPYF    R2,R1
        MPYF3   *AR4,R1,R2
        STF     R2,*AR4++(1)
        MPYF3   *AR4,R1,R2
        STF     R2,*AR4++(1)
        MPYF3   *AR4,R1,R2
        STF     R2,*AR4++(2)
        DBU     AR5,unit

* Equal in pairs, each component within a tenth.
        LDI     @p_normals,AR4
        LDI     AR4,AR5
        ADDI    4,AR5
        LDI     1,AR6
pair:   SUBF3   *AR4++(1),*AR5++(1),R0
        ABSF    R0
        SUBRF   @near,R0                ; 0.1 - |difference|
        SUBF3   *AR4++(1),*AR5++(1),R1
        ABSF    R1
        SUBRF   @near,R1
        SUBF3   *AR4++(1),*AR5++(1),R2
        ABSF    R2
        SUBRF   @near,R2
        OR      R0,R1
        OR      R2,R1
        BN      out
        NOP     *AR4++(1)
        NOP     *AR5++(1)
        DBU     AR6,pair

accept: LDF     @distance,R2
        CMPF    @best,R2
        BGE     out
        STF     R2,@best
hit_end: NOP
        B       hit_end
out:    B       out

        .sect   "data",87FF00h,87FF00h
data:
near:           .float  0.1
short:          .float  1.0e-8          ; the square of 1e-4
seed_flip:      .word   0FF7FFFFFh      ; all bits of a float but the sign
scratch:        .float  0.0
distance:       .float  0.0
best:           .float  1.0e30
p_point:        .word   point
p_normals:      .word   normals
ray:            .float  0.0, 0.0, 0.0, 0.0, 0.0, 0.0
point:          .float  0.0, 0.0, 0.0
normals:        .space  12
