* Insertion sort of signed words.
        .global main, sort, numbers
        .ref    print, putc
        .sect   "hot"
* sort: AR0 = first word, R7 = number of words, at least 2. Changes R0-R2, AR1, AR2, AR4.
sort:   LDI     R7,AR4
        SUBI    2,AR4                   ; n - 1 words to insert
        LDI     AR0,AR1                 ; last word in order
next:   LDI     *+AR1(1),R0             ; the word to insert
        LDI     AR1,AR2
shift:  CMPI3   *AR2,R0                 ; R0 - *AR2
        BGE     place
        LDI     *AR2,R1
        STI     R1,*+AR2(1)
        SUBI    1,AR2
        CMPI    AR0,AR2
        BHS     shift
place:  STI     R0,*+AR2(1)
        ADDI    1,AR1
        DBU     AR4,next
        RETS
        .text
main:   LDP     @p_numbers
        LDI     @p_numbers,AR0
        LDI     COUNT,R7
        CALL    sort
        LDI     @p_numbers,AR3
        LDI     COUNT-1,AR4
show:   LDI     *AR3++,R0
        CALL    print
        LDI     ' ',R0
        CALL    putc
        DBU     AR4,show
        LDI     10,R0
        CALL    putc
        LDI     0,R0
        RETS
        .data
p_numbers: .word numbers
numbers: .word  5,-3,100,0,7,7,-2147483648,42,2147483647,-1
COUNT   .set    $-numbers
