* Block copy with a load and a store in each cycle (RPTS of a parallel pair).
        .global main, copy, target
N       .set    32
        .sect   "hot"
* copy: AR0 = from, AR1 = to, R1 = number of words, at least 2.
copy:   LDI     *AR0++,R0
        SUBI    2,R1
        RPTS    R1
        LDI     *AR0++,R0
     || STI     R0,*AR1++
        STI     R0,*AR1
        RETS
source  .usect  "fast",N
copied  .usect  "fast",N
        .bss    target,N
        .text
main:   LDP     @p_source
        LDI     @p_source,AR0
        LDI     1,R0
        LDI     N-1,RC
        RPTB    filled
        STI     R0,*AR0++
        MPYI    3,R0
filled: ADDI    1,R0
        LDI     @p_source,AR0
        LDI     @p_copied,AR1
        LDI     N,R1
        CALL    copy
        LDI     @p_copied,AR0
        LDI     @p_target,AR1
        LDI     N,R1
        CALL    copy
        LDI     @p_target,AR1           ; compare
        LDI     @p_source,AR0
        LDI     N-1,AR2
again:  CMPI3   *AR0++,*AR1++
        BNZ     wrong
        DBU     AR2,again
        LDI     0,R0
        RETS
wrong:  LDI     1,R0
        RETS
        .data
p_source: .word source
p_copied: .word copied
p_target: .word target
