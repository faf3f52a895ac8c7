; Insertion sort of pointers by the keys they point to: 32 records, from the reverse order each
; time.
        .text
        .org  CODE
start:  LDP   tables
outer:  LDI   @tables,AR0             ; pointers
        LDI   @tables+1,R1            ; last record
        LDI   31,AR4
fill:   STI   R1,*AR0++(1)
        SUBI  2,R1
        DBU   AR4,fill
        LDI   @tables,AR0
        LDI   @tables,R6
        LDI   30,AR4
next:   LDI   *++AR0(1),AR2           ; to be inserted
        LDI   *AR2,R0
        LDI   AR0,AR1
back:   LDI   *-AR1(1),AR3
        CMPI  *AR3,R0
        BGE   place
        STI   AR3,*AR1--(1)
        CMPI  R6,AR1
        BGT   back
place:  STI   AR2,*AR1
        DBU   AR4,next
        B     outer

        .sect "data"
        .org  DATA
tables: .word pointers, records + 62
pointers: .space 32
records: .word 3,0, 14,0, 15,0, 92,0, 65,0, 35,0, 89,0, 79,0, 32,0, 38,0, 46,0, 26,0, 43,0, 38,0, 32,0
        .word 79,0, 50,0, 28,0, 84,0, 19,0, 71,0, 69,0, 39,0, 93,0, 75,0, 10,0, 58,0, 20,0, 97,0, 49,0
        .word 44,0, 59,0
