/* As plain.cmd, for programs that the boot ROM loads: it occupies the addresses from 0, and a table
   may lie at 001000h. */
MEMORY
{
    SRAM: origin = 880000h  length = 20000h
    RAM0: origin = 87FE00h  length = 100h
    RAM1: origin = 87FF00h  length = 100h
}
SECTIONS
{
    .text:  > SRAM
    .data:  > SRAM
    hot:    load = SRAM, run = RAM0, LOAD_START(hot_load), RUN_START(hot_run), SIZE(hot_size)
    vectors: > SRAM, align = 256
    fast:   > RAM1
    .bss:   > SRAM
    stack:  > RAM1, size = 64, RUN_START(stack_base), RUN_END(stack_end)
}
ENTRY(_start)
