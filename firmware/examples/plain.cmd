/* Memory for programs on c32-run: SRAM, and the two RAM blocks of the chip. */
MEMORY
{
    SRAM: origin = 0h       length = 20000h
    RAM0: origin = 87FE00h  length = 100h
    RAM1: origin = 87FF00h  length = 100h
}
SECTIONS
{
    .text:  > SRAM
    .data:  > SRAM
    vectors: > SRAM, align = 256         /* interrupt vectors, for programs that have them */
    hot:    load = SRAM, run = RAM0, LOAD_START(hot_load), RUN_START(hot_run), SIZE(hot_size)
    fast:   > RAM1                      /* uninitialised data in internal RAM */
    .bss:   > SRAM
    stack:  > RAM1, size = 64, RUN_START(stack_base), RUN_END(stack_end)
}
ENTRY(_start)
