# Reset code: stack, global pointer, trap vector, floating-point unit; then main(). What main()
# returns is the exit code. The loader has cleared .bss.
        .section .text.start, "ax"
        .globl  _start
_start:
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, __stack_top
        la      t0, trap
        csrw    mtvec, t0
        li      t0, 0x6000              # mstatus.FS: the unit is off at reset
        csrs    mstatus, t0
        call    main
exit_with_a0:
        li      t0, 0x20100000
        sd      a0, 8(t0)               # console: EXIT
1:      j       1b

# A trap that the program has no handler for: exit code 128 + cause.
        .balign 4
trap:
        csrr    a0, mcause
        addi    a0, a0, 128
        j       exit_with_a0
