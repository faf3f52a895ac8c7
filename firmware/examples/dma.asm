* DMA double buffering: channel 0 brings blocks of samples into two buffers by turns, while the
* processor works on the other one: the energy (sum of squares) of each block.
        .global main, filled, energy, results
BLOCK   .set    16                      ; words of a block
BLOCKS  .set    8
        .sect   "hot"
* filled: DINT0, a block is complete. R6 counts them.
filled: PUSH    ST
        ADDI    1,R6
        POP     ST
        RETI
* energy: AR0 = block, RC = words - 1. R2 = sum of the squares; AR0 = behind the block.
energy: LDF     0.0,R2
        RPTB    squares
        FLOAT   *AR0++,R1
        MPYF    R1,R1
squares: ADDF   R1,R2
        RETS
        .text
main:   LDP     @start
        LDI     @p_vectors,R0
        LSH     8,R0
        LDI     R0,IF
        LDI     400h,IE                 ; EDINT0
        LDI     @p_dma,AR6
        LDI     @p_samples,R0
        STI     R0,*+AR6(4)             ; source: goes on from block to block
        LDI     @p_buffers,AR5          ; where the next block goes
        LDI     @p_buffers,AR0          ; the block to work on
        LDI     @p_results,AR1
        LDI     0,R6
        LDI     0,R7                    ; blocks done
        CALL    bring
        OR      2000h,ST                ; GIE
next:   CMPI    R7,R6                   ; is there a block?
        BLE     next
        CMPI    BLOCKS-1,R7
        BHS     none
        CALL    bring                   ; the next one, into the buffer that is free
none:   LDI     BLOCK-1,RC
        CALL    energy
        STF     R2,*AR1++
        SUBI    BLOCK,AR0
        XOR     @swap,AR0
        ADDI    1,R7
        CMPI    BLOCKS,R7
        BLT     next
        ANDN    2000h,ST
        LDI     0,R0
        RETS
* bring: starts the transfer of a block into the buffer AR5, then AR5 is the other one.
bring:  STI     AR5,*+AR6(6)            ; destination
        LDI     BLOCK,R0
        STI     R0,*+AR6(8)             ; counter
        LDI     @start,R0
        STI     R0,*AR6                 ; go
        XOR     @swap,AR5
        RETS
        .sect   "vectors"
        .align  256
vectors: .space 0Bh
        .word   filled                  ; DINT0
* Two buffers whose addresses differ in one bit.
buffers .usect  "fast",2*BLOCK,2*BLOCK
        .bss    results,BLOCKS
        .data
p_vectors: .word vectors
p_dma:  .word   808000h
p_samples: .word samples
p_buffers: .word buffers
p_results: .word results
swap:   .word   BLOCK
start:  .word   0C53h                   ; TCINT TC, INCDST INCSRC, START = 11
samples:
        .eval   0,N
        .loop   BLOCK*BLOCKS
        .word   (N*37)%64-32
        .eval   N+1,N
        .endloop
