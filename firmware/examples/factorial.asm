* Recursion with the calling convention of the C compiler: arguments on the stack, frame in AR3.
        .global main, _fact
        .ref    print, putc
        .text
_fact:  PUSH    AR3
        LDI     SP,AR3
        LDI     *-AR3(2),R0             ; n
        CMPI    1,R0
        BLE     one
        SUBI    1,R0
        PUSH    R0
        CALL    _fact
        SUBI    1,SP
        LDI     *-AR3(2),R1
        MPYI    R1,R0
        POP     AR3
        RETSU
one:    LDI     1,R0
        POP     AR3
        RETSU
main:   LDI     10,R0
        PUSH    R0
        CALL    _fact
        SUBI    1,SP
        CALL    print                   ; 3628800
        LDI     10,R0
        CALL    putc
        LDI     0,R0
        RETS
