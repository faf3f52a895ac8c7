; An ellipsoid as a record of its own: code 1 of ellipsoid.json.
;
; The record is header, centre (3) and the matrix M from the world to the unit ball, by rows (9). With l' = M (centre - P)
; and D' = M D: a = D'.D', s = l'.D' / a is the ray's way to the point p nearest to the centre in the ball's space, and
; half the chord is h = sqrt((1 - p.p) / a). As for a sphere the discriminant comes from p itself, because the textbook
; form b b - a c loses the hit in 24 bits.
;
; All words of the record are read before the first branch that depends on the ray, in the same cycles on all nodes; so
; the rules of traverse.asm hold. What follows the discriminant, root, entry or exit and the comparison, is the
; sphere's.

; ---- declared: a record of type sphere; its code says which ----------------------------------------------------------
; In, as for a sphere: R4, R5, R3 = l, AR1 -> D.x, AR0 -> the word behind the centre, AR2 one behind apex.
; Out, at half_chord: R0 = s, R4 = (1 - p.p) / a with its flags, AR0 -> next record; AR1, AR2 as they were.
declared:
        LDI     @current,R0
        LSH     2,R0
        LSH     -26,R0                  ; the code: bits 29:24; the same on every node
        BZ      sphere
        LDI     @current,R0
        LSH     8,R0
        LSH     -8,R0
        STI     R0,@current             ; the bare element, as hit wants it
        LDI     @tested,R0
        ADDI    1,R0
        STI     R0,@tested              ; the result's own word

        LDI     @p_local,AR5
        LDF     0.0,R6                  ; a
        LDF     0.0,R7                  ; b
        LDI     2,RC
        RPTB    row
        MPYF3   *AR0,R4,R0
        MPYF3   *AR0++(1),*AR1++(1),R1
        MPYF3   *AR0,R5,R2
        ADDF    R2,R0
        MPYF3   *AR0++(1),*AR1++(1),R2
        ADDF    R2,R1
        MPYF3   *AR0,R3,R2
        ADDF    R2,R0                   ; l' of this row
        MPYF3   *AR0++(1),*AR1,R2
        NOP     *AR1--(2)               ; back to D.x
        ADDF    R2,R1                   ; D' of this row
        STF     R1,*AR5++(1)
        STF     R0,*AR5++(1)
        MPYF    R1,R0
        ADDF    R0,R7
        MPYF    R1,R1
row:    ADDF    R1,R6

        RND     R6,R0
        CALL    reciprocal              ; R1 = 1 / a; changes R3
        MPYF3   R1,R7,R0                ; s
        LDF     0.0,R4                  ; p.p
        LDI     @p_local,AR5
        LDI     2,RC
        RPTB    square
        MPYF3   *AR5++(1),R0,R2
        SUBF3   R2,*AR5++(1),R2         ; p = l' - s D'
        MPYF    R2,R2
square: ADDF    R2,R4
        SUBRF   1.0,R4
        BRD     half_chord
        RND     R4
        MPYF    R1,R4                   ; flags of the discriminant
        NOP

tested:         .word   0               ; records of this kind since the go
p_local:        .word   local
local:          .float  0.0, 0.0, 0.0, 0.0, 0.0, 0.0    ; D' and l' by turns
