; Walk of the object database: one barrier per record.
;
; A page of the database is a preorder walk of a tree of boxes (protocol.hpp: record types), ended by a terminator. All
; nodes stand at the same record. After a release they read the record's words in step, then each tests its own ray
; alone, then it arrives at the barrier. The access held there is the next record's header (triangle, sphere) or the
; box's skip link.
;
; Registers during the walk                       Memory (block 1)
;   AR0  SRAM, next word of the database            ray      P (3), D (3), best t
;   AR1  ray (P) between records                    inverse  1/D (3)
;   AR2  apex                                       apex     v1 - P (3)
;   AR3  inverse                                    current  header of the record
;   AR4  current                                    element, tie, keep: see chain.asm, go
;   AR7  serial port
;   R6   2, R7 P.z between records
;   R0-R7, RS, RC, RE scratch inside a record
;
; Cycles below count H1 from the release edge (the held access) to the arrival (the IOF write). A record takes that much
; on the slowest node, plus the four cycles from the last arrival to the release.

; ---- vectors: words 5 and 6 of the table at RAM0; the words before are free for constants --------------------------
        .sect   "internal",RAM0         ; loaded behind the boot code
        .label  internal_load
internal:
huge_below:     .float  7.888609052210118e-31   ; 2^-100 stands in for a zero direction component
seed_flip:      .word   0FF7FFFFFh      ; all bits of a float but the sign
vector_table:   .word   RAM0 << 8       ; ITTP field of IF
p_ray:          .word   ray
p_inverse:      .word   inverse
                .word   wake            ; 5: XINT0
                .word   wake            ; 6: RINT0

; ---- wake: interrupt routine of both serial interrupts -------------------------------------------------------------
; IDLE has set GIE, taking the interrupt has cleared it; returning without RETI leaves it clear. The word itself is
; fetched by whoever was idle.
wake:   RETSU

; ---- take: a nearer hit --------------------------------------------------------------------------------------------
; In: R1 element, R2 t (a single word). For a shadow ray keep is 0.0: tmax becomes 0 and nothing can hit or vote again.
take:   STI     R1,@element
        STI     R1,@tie
        MPYF    @keep,R2                ; keep is 1.0 or 0.0, t has 24 bits: exact
        STF     R2,@best

; ---- next: arrive after a triangle or a sphere; the held access is the next record's header --------------------------
; In: AR0 next record, AR1 at D.x, AR2 apex, AR3 inverse.
next:   LDI     ARRIVE,IOF
        NOP     *AR1--(3)               ; back to P; changed in the decode stage, hence without a stall
        LDF     @ray_z,R7
        LDI     2,R6
; ---- record: all nodes in step, AR0 at a header ---------------------------------------------------------------------
; C, unlike N, survives the float subtraction, so that the first word behind the header can be used in a delay slot of
; either branch. Behind a terminator that word is read, too, and ignored; it must exist.
record: LDI     *AR0,R0                 ; header: N = box or end
        BND     box
        LSH3    R6,*AR0++(1),R1         ; header again: C = bit 30 = sphere or end
||      STI     R0,*AR4
        LDI     RELEASE,IOF             ; lets go of barrier and vote
        SUBF3   *AR1++(1),*AR0++(1),R4  ; l.x; l = v1 - P (triangle) or centre - P (sphere); box: lo.x - P.x
        BCD     sphere
        SUBF3   *AR1++(1),*AR0++(1),R5  ; l.y; AR1 -> P.z
        MPYF3   *++AR1(1),R5,R1         ; Dx ly; AR1 -> D.x
||      SUBF3   R7,*AR0++(1),R3         ; l.z
        MPYF3   *AR1,R3,R0              ; Dx lz
||      STF     R4,*AR2++(1)            ; l is needed again for t'

; ---- triangle ----------------------------------------------------------------------------------------------------------
; Moeller-Trumbore on (v1, e1, e2), regrouped so that every word of the record is used before the first branch and only
; e1 has to stay in registers. With f = -e1, r = D x l, n = f x e2:
;       det = D.n     u' = e2.r     v' = f.r     t' = l.n       u = u'/det, v = v'/det, t = t'/det
; Inside means u' >= 0, v' >= 0, det - u' - v' >= 0, all three times the sign of det; the division waits until then.
; Cycles: 56 outside; 83 inside but behind the origin, 89 hit but farther, 97 nearest hit, 102 tie won by number.
        MPYF3   *++AR1(1),R4,R2         ; Dy lx
||      STF     R5,*AR2++(1)
        SUBF3   R2,R1,R2                ; r.z = Dx ly - Dy lx
        MPYF3   *AR1,R3,R6              ; Dy lz
||      STF     R3,*AR2
        MPYF3   *++AR1(1),R5,R1         ; Dz ly
        SUBF3   R1,R6,R3                ; r.x = Dy lz - Dz ly
        MPYF3   *AR1,R4,R1              ; Dz lx
        SUBF    R0,R1                   ; r.y = Dz lx - Dx lz
        NEGF    *AR0++(1),R4            ; f = -e1
        NEGF    *AR0++(1),R5
        NEGF    *AR0++(1),R6
        MPYF3   R3,R4,R0
        MPYF3   R1,R5,R7
        ADDF    R7,R0
        MPYF3   R2,R6,R7
        ADDF    R7,R0                   ; R0 = v' = f.r
        MPYF    *AR0++(1),R3            ; e2x
        MPYF    *AR0++(1),R1            ; e2y
        MPYF    *AR0--(1),R2            ; e2z; AR0 -> e2y
        ADDF    R1,R3
        ADDF    R2,R3                   ; R3 = u' = e2.r
        MPYF3   *AR0,R6,R1              ; e2y fz
        MPYF3   *AR0--(1),R4,R2         ; e2y fx; AR0 -> e2x
        MPYF3   *AR0,R5,R7              ; e2x fy
        SUBF    R7,R2                   ; R2 = n.z = fx e2y - fy e2x
        MPYF    *AR0++(2),R6            ; fz e2x; AR0 -> e2z
        MPYF    *AR0,R5                 ; fy e2z
        MPYF    *AR0++(1),R4            ; fx e2z; AR0 -> next record
        SUBF    R1,R5                   ; R5 = n.x = fy e2z - fz e2y
        SUBF    R4,R6                   ; R6 = n.y = fz e2x - fx e2z
        MPYF3   *AR1--(1),R2,R4         ; Dz nz
        MPYF3   *AR1--(1),R6,R1         ; Dy ny
        ADDF    R1,R4
        MPYF3   *AR1,R5,R1              ; Dx nx; AR1 stays at D.x
        ADDF    R1,R4                   ; R4 = det
        LDFU    1.0,R1
        LDFN    -1.0,R1                 ; sign of det
        MPYF    R1,R3                   ; all inside tests become ">= 0"
        MPYF    R1,R0
        MPYF    R4,R1                   ; |det|
        SUBF    R3,R1
        SUBF    R0,R1                   ; |det| - u' - v'
        OR      R3,R0                   ; sign bits of the mantissas; zero has a positive one, so edges are inside
        OR      R1,R0
        BND     next                    ; outside
        MPYF    *AR2--(1),R2            ; lz nz; AR2 back to apex on both ways
        MPYF    *AR2--(1),R6            ; ly ny
        MPYF    *AR2,R5                 ; lx nx
        ADDF    R6,R2
        ADDF    R5,R2                   ; R2 = t'
        RND     R4,R0
        BUFD    next                    ; det = 0: parallel or degenerate (RND of zero sets UF)
        STF     R0,@scratch
        LDI     @scratch,R1
        XOR     @seed_flip,R1           ; 1/det, as in reciprocal below
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
        MPYF    R1,R2                   ; R2 = t, flags of t

; ---- hit: is it the nearest so far? -----------------------------------------------------------------------------------
; In: R2 t with its flags. The smaller (t, element) pair wins; t is cut to a single word first, because that is what
; crosses pages and boards. tie is the best element so far, FFFFFFFFh while there is none (t = tmax is accepted), and 0
; for shadow rays (t = tmax is refused).
hit:    BLED    next                    ; behind the origin
        LDI     @current,R1
        LSH     2,R1                    ; element number without the record type
        LSH     -2,R1
        RND     R2
        CMPF    @best,R2
        BGT     next
        BLT     take
        CMPI    @tie,R1
        BLO     take
        BR      next

; ---- sphere -------------------------------------------------------------------------------------------------------------
; b = l.D, perpendicular p = l - b D, discriminant r2 - p.p, root by Newton, t = b - h or, from inside, b + h. (The
; textbook b2 - c loses the hit in 24 bits.)
; In: R4, R5, R3 = l, AR1 -> D.x, AR0 -> radius squared, AR2 one behind apex. Cycles: 30 outside; 73 behind the
; origin, 87 nearest hit.
sphere: MPYF3   *AR1++(1),R4,R0
        MPYF3   *AR1++(1),R5,R1
        ADDF    R1,R0
        MPYF3   *AR1,R3,R1
        ADDF    R1,R0                   ; R0 = b
        MPYF3   *AR1--(1),R0,R1
        SUBF    R1,R3
        MPYF3   *AR1--(1),R0,R1
        SUBF    R1,R5
        MPYF3   *AR1,R0,R1
        SUBF    R1,R4                   ; p
        MPYF    R4,R4
        MPYF    R5,R5
        MPYF    R3,R3
        ADDF    R5,R4
        ADDF    R3,R4
        SUBRF   *AR0++(1),R4            ; R4 = r2 - p.p; AR0 -> next record
        BND     next                    ; the line passes the sphere
        STF     R4,*AR2--(1)            ; AR2 back to apex on both ways
        LDI     *+AR2(1),R1
        ASH     -25,R1                  ; half the exponent, rounded down
        NOT     R1
        ASH     24,R1
        STI     R1,@scratch
        LDF     @scratch,R1
        LDM     1.25,R1                 ; x0 = 1.25 x 2^(-e/2-1): x0 sqrt(v) lies in 0.62 .. 1.25
        LDF     R4,R3
        MPYF    0.5,R3
        LDI     4,RC
        RPTB    root
        MPYF3   R1,R1,R2                ; x = x (1.5 - v/2 x x)
        MPYF    R3,R2
        SUBRF   1.5,R2
root:   MPYF    R2,R1
        MPYF    R1,R4                   ; h = v / sqrt(v); v = 0 gives 0
        ADDF3   R4,R0,R1                ; exit
        SUBF3   R4,R0,R2                ; entry
        BRD     hit
        LDFLE   R1,R2                   ; behind the origin: the exit counts
        LDF     R2,R2                   ; flags
        NOP

; ---- box ----------------------------------------------------------------------------------------------------------------
; Slabs against [0, best]: the host has widened the box, so 24 bits never lose a hit. Votes if near < far, strictly: with
; best <= 0 a node never votes. Straight through: every node takes the same number of cycles.
; In: R4 lo.x - P.x, AR1 -> P.y, AR3 inverse, AR0 -> hi.x, C = end of page. Cycles: 44 from the header to the vote;
; the record after a box starts 8 cycles later than one after a triangle (vote line, skip link).
box:    BCD     send                    ; terminator: leave without arriving
        LDF     *AR3++(1),R5            ; 1/Dx
        LDFU    0.0,R6                  ; near
        LDF     @best,R7                ; far
        MPYF3   R4,R5,R0                ; a
||      SUBF3   *-AR1(1),*AR0++(1),R3   ; hi.x - Px
        MPYF3   R3,R5,R1                ; b
||      SUBF3   *AR1,*AR0++(1),R2       ; lo.y - Py
        LDI     ARRIVE,RS
        CMPF    R1,R0
        LDFU    R0,R5
        LDFGT   R1,R5                   ; R5 = min(a, b)
        LDFGT   R0,R1                   ; R1 = max(a, b)
        CMPF    R6,R5
        LDFGT   R5,R6                   ; near = max(near, min)
        CMPF    R7,R1
        LDFLT   R1,R7                   ; far = min(far, max)
        LDF     *AR3++(1),R4
        MPYF3   R2,R4,R0
||      SUBF3   *AR1++(1),*AR0++(1),R3
        MPYF3   R3,R4,R1
||      SUBF3   *AR1,*AR0++(1),R2       ; lo.z - Pz
        CMPF    R1,R0
        LDFU    R0,R5
        LDFGT   R1,R5
        LDFGT   R0,R1
        CMPF    R6,R5
        LDFGT   R5,R6
        CMPF    R7,R1
        LDFLT   R1,R7
        LDF     *AR3,R4
        MPYF3   R2,R4,R0
||      SUBF3   *AR1,*AR0++(1),R3       ; AR0 -> skip link
        MPYF3   R3,R4,R1
        CMPF    R1,R0
        LDFU    R0,R5
        LDFGT   R1,R5
        LDFGT   R0,R1
        CMPF    R6,R5
        LDFGT   R5,R6
        CMPF    R7,R1
        LDFLT   R1,R7
        CMPF    R6,R7
        LDIGT   VOTE,RS
        LDI     RS,IOF                  ; vote and arrival in one write
        NOP     *AR1--(2)               ; back to P
        NOP     *AR3--(2)               ; back to 1/Dx
        LDF     @ray_z,R7
        LDI     *AR0++(1),R1            ; held: skip link; AR0 -> first record inside
        LDI     2,R6                    ; every node reads the line, voters too, four cycles into the epoch
        NOP
        BRD     record
        TSTB    VOTE_LINE,IOF           ; Z: somebody hits
        LDINZ   R1,AR0                  ; nobody: skip the contents
        NOP
hot_end:
