; A ray against eight triangles, division-free: p = d x e2, det = e1.p, s = o - v0, u = s.p,
; q = s x e1, v = d.q, t = e2.q, with the sign tests in between. About every fourth one is hit.
        .text
        .org  CODE
start:  LDP   tables
outer:  LDI   @tables,AR0             ; v0, e1, e2 of each
        LDI   @tables+1,AR1           ; origin, direction
        LDI   @tables+2,AR2           ; p, s, q
        LDI   7,AR4
each:   LDF   *+AR1(4),R0             ; p.x
        MPYF  *+AR0(8),R0
        LDF   *+AR1(5),R1
        MPYF  *+AR0(7),R1
        SUBF  R1,R0
        STF   R0,*AR2
        LDF   *+AR1(5),R2             ; p.y
        MPYF  *+AR0(6),R2
        LDF   *+AR1(3),R1
        MPYF  *+AR0(8),R1
        SUBF  R1,R2
        STF   R2,*+AR2(1)
        LDF   *+AR1(3),R3             ; p.z
        MPYF  *+AR0(7),R3
        LDF   *+AR1(4),R1
        MPYF  *+AR0(6),R1
        SUBF  R1,R3
        STF   R3,*+AR2(2)
        MPYF  *+AR0(3),R0             ; det
        MPYF  *+AR0(4),R2
        MPYF  *+AR0(5),R3
        ADDF  R2,R0
        ADDF3 R3,R0,R7
        BLE   next
        LDF   *AR1,R0                 ; s
        SUBF  *AR0,R0
        STF   R0,*+AR2(3)
        LDF   *+AR1(1),R1
        SUBF  *+AR0(1),R1
        STF   R1,*+AR2(4)
        LDF   *+AR1(2),R2
        SUBF  *+AR0(2),R2
        STF   R2,*+AR2(5)
        MPYF  *AR2,R0                 ; u
        MPYF  *+AR2(1),R1
        MPYF  *+AR2(2),R2
        ADDF  R1,R0
        ADDF3 R2,R0,R6
        BLT   next
        CMPF  R7,R6
        BGT   next
        LDF   *+AR2(4),R0             ; q.x
        MPYF  *+AR0(5),R0
        LDF   *+AR2(5),R1
        MPYF  *+AR0(4),R1
        SUBF  R1,R0
        LDF   *+AR2(5),R2             ; q.y
        MPYF  *+AR0(3),R2
        LDF   *+AR2(3),R1
        MPYF  *+AR0(5),R1
        SUBF  R1,R2
        LDF   *+AR2(3),R3             ; q.z
        MPYF  *+AR0(4),R3
        LDF   *+AR2(4),R1
        MPYF  *+AR0(3),R1
        SUBF  R1,R3
        LDF   *+AR1(3),R4             ; v
        MPYF  R0,R4
        LDF   *+AR1(4),R5
        MPYF  R2,R5
        ADDF  R5,R4
        LDF   *+AR1(5),R5
        MPYF  R3,R5
        ADDF  R5,R4
        BLT   next
        ADDF3 R4,R6,R5
        CMPF  R7,R5
        BGT   next
        MPYF  *+AR0(6),R0             ; t
        MPYF  *+AR0(7),R2
        MPYF  *+AR0(8),R3
        ADDF  R2,R0
        ADDF  R3,R0
        BLE   next
        LDI   @tables+3,AR3
        ADDI  1,AR3
        STI   AR3,@tables+3           ; hits
next:   ADDI  9,AR0
        DBU   AR4,each
        B     outer

        .sect "data"
        .org  DATA
tables: .word triangles, ray, scratch, 0
ray:    .float 0.3, 0.4, -4.0,  0.01, -0.02, 1.0
scratch: .word 0,0,0,0,0,0,0,0,0
triangles:
        .float 0.0,0.0,0.0,  0.0,1.0,0.0,  1.0,0.0,0.0
        .float 0.5,0.1,1.0,  0.0,1.0,0.2,  1.0,0.1,0.0
        .float -1.0,0.0,2.0, 1.0,0.0,0.3,  0.0,1.0,0.1
        .float 0.0,-2.0,0.5, 0.1,1.0,0.0,  1.0,0.0,0.4
        .float 0.2,0.2,1.5,  0.0,0.7,0.0,  0.9,0.0,0.1
        .float 0.0,0.0,3.0,  1.0,0.2,0.0,  0.0,1.0,0.3
        .float 0.4,0.4,0.1,  0.3,1.0,0.0,  1.0,0.3,0.0
        .float -0.5,-0.5,2.5, 0.0,2.0,0.0, 2.0,0.0,0.5
