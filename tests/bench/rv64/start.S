# Reset code of the benchmark programs: they run on the hart and on other simulators with `tohost`.
# main()'s result is the exit code; a trap ends with 128 + cause.
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
        slli    a0, a0, 1
        ori     a0, a0, 1
        la      t0, tohost
1:      sd      a0, 0(t0)
        j       1b

        .balign 4
trap:
        csrr    a0, mcause
        addi    a0, a0, 128
        j       exit_with_a0

        .section .data
        .balign 64
        .globl  tohost
tohost: .dword  0
        .globl  fromhost
fromhost:
        .dword  0
        .balign 64
