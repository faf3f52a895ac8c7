* Sorting.
*
* void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
*
* Changes      what C functions may, and what compare changes
* Cycles       n log2(n) (2 c + 2 size + 80) for n random keys, c = what compare takes; measured, up to a tenth less. At most two
*              comparisons a step of 2 log2(n)
* Stack        13 words, and compare's; it does not grow with n
* Method       heap sort (Williams and Floyd, 1964): n log n for any order of the input; not stable
        .include "convention.inc"
        .global _qsort
        .text
* AR3: base, R4 = numbers in the heap, R5 = size, AR4: compare, AR5 = number that sinks, AR6 = its greater child,
* AR7 = next number to become a parent while the heap is made.
_qsort: enter
        arg     2,R2
        arg     3,R3
        arg     4,RC
        arg     1,AR2
        PUSH    R4
        PUSH    R5
        PUSH    AR3
        PUSH    AR4
        PUSH    AR5
        PUSH    AR6
        PUSH    AR7
        LDI     AR2,AR3
        LDI     R2,R4
        LDI     R3,R5
        LDI     RC,AR4
        CMPI    2,R4
        BLT     sorted
        LDI     R4,R0
        LSH     -1,R0
        LDI     R0,AR7
build:  SUBI    1,AR7
        CMPI    0,AR7
        BLT     drain
        LDI     AR7,AR5
        CALL    sink
        BU      build
drain:  SUBI    1,R4            ; the greatest goes behind the heap
        BLE     sorted
        LDI     0,R0
        LDI     R4,R1
        CALL    swap
        LDI     0,AR5
        CALL    sink
        BU      drain
sorted: POP     AR7
        POP     AR6
        POP     AR5
        POP     AR4
        POP     AR3
        POP     R5
        POP     R4
        RETSU

sink:   LDI     AR5,R0
        LSH     1,R0
        ADDI    1,R0
        CMPI    R4,R0
        RETSGE                  ; no child
        LDI     R0,AR6
        LDI     R0,R1
        ADDI    1,R1
        CMPI    R4,R1
        BGE     one
        CALL    order           ; the other child
        BGE     one
        ADDI    1,AR6
one:    LDI     AR5,R0
        LDI     AR6,R1
        CALL    order
        RETSGE
        LDI     AR5,R0
        LDI     AR6,R1
        CALL    swap
        LDI     AR6,AR5
        BU      sink

* Flags of compare(number R0, number R1).
order:  MPYI    R5,R0
        MPYI    R5,R1
        ADDI    AR3,R0
        ADDI    AR3,R1
        .if     REGPARM == 0
        PUSH    R1
        PUSH    R0
        CALLU   AR4
        SUBI    2,SP
        .else
        LDI     R0,AR2
        LDI     R1,R2
        CALLU   AR4
        .endif
        CMPI    0,R0
        RETSU

* Exchanges numbers R0 and R1.
swap:   MPYI    R5,R0
        MPYI    R5,R1
        ADDI    AR3,R0
        ADDI    AR3,R1
        LDI     R0,AR0
        LDI     R1,AR1
        LDI     R5,RC
        SUBI    1,RC
        RPTB    word
        LDI     *AR0,R0
||      LDI     *AR1,R1
word:   STI     R0,*AR1++(1)
||      STI     R1,*AR0++(1)
        RETSU
        .end
