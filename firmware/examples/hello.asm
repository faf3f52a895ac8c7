* Text and numbers on the console; then what is typed comes back in capitals.
        .global main
        .ref    puts, putc, print
        .text
main:   LDP     @greeting
        LDI     @greeting,AR2
        CALL    puts
        LDI     1996,R0
        CALL    print
        LDI     10,R0
        CALL    putc
echo:   LDP     @console
        LDI     @console,AR0
        LDI     *+AR0(1),R0             ; next character, -1 at the end
        BN      done
        CMPI    'a',R0
        BLT     as_is
        CMPI    'z',R0
        BGT     as_is
        SUBI    20h,R0
as_is:  CALL    putc
        BU      echo
done:   LDI     0,R0
        RETS
        .data
greeting: .word text
console:  .word 82FFF0h
text:   .byte   "hello from ",0
