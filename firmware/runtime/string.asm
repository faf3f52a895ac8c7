* Character strings, a character a word, ended by a 0 word.
*
* size_t strlen(const char *s)                        char *strcpy(char *to, const char *from)
* char *strncpy(char *to, const char *from, size_t n) char *strcat(char *to, const char *from)
* int strcmp(const char *a, const char *b)            int strncmp(const char *a, const char *b, size_t n)
* char *strchr(const char *s, int c)                  char *strrchr(const char *s, int c)
*
* Changes      R0-R3, AR0-AR2, RC, RS, RE at most
* Cycles       a character: strlen 5, strcpy 5, strcat 5 and 5, strncpy 7, strcmp 8, strncmp 12, strchr 9, strrchr 10
*              besides about 15; the formulas are in the test
* Interrupts   wait while strncpy fills with 0 words (RPTS)
* Nothing is read behind the end of a string. Words compare as unsigned numbers.
        .include "convention.inc"
        .global _strlen, _strcpy, _strncpy, _strcat, _strcmp, _strncmp, _strchr, _strrchr
        .text

_strlen: enter
        arg    1,AR2
        LDI     AR2,AR0
        ADDI    1,AR2
        NOP
        NOP
length: LDI     *AR0++,R0
        BNZ     length
        SUBI3   AR2,AR0,R0
        RETSU

_strcpy: enter
        arg     2,R2
        arg    1,AR2
        LDI     R2,AR0
        LDI     AR2,R1
        NOP
copy:   LDI     *AR0++,R0
        BNZD    copy
        STI     R0,*AR2++
        NOP
        NOP
        LDI     R1,R0
        RETSU

_strcat: enter
        arg     2,R2
        arg    1,AR2
        LDI     R2,AR0
        LDI     AR2,R1
        NOP
end:    LDI     *AR2++,R0
        BNZ     end
        NOP     *AR2--
        BU      copy

_strncpy: enter
        arg     2,R2
        arg     3,R3
        arg   1,AR2
        LDI     R2,AR0
        LDI     AR2,R1
        CMPI    0,R3
        BEQ     copied
        LDI     R3,AR1
        SUBI    1,AR1           ; words after this one
        NOP
        NOP
some:   LDI     *AR0++,R0
        STI     R0,*AR2++
        BZ      pad
        DBU     AR1,some
copied: LDI     R1,R0
        RETSU
pad:    LDI     AR1,R3          ; words behind the NUL
        LDI     R1,R0
        SUBI    1,R3
        RETSN
        LDI     0,R2
        RPTS    R3
        STI     R2,*AR2++
        RETSU

_strcmp: enter
        arg     2,R2
        arg    1,AR2
        LDI     R2,AR0
        NOP
        NOP
pair:   XOR3    *AR0++,*AR2,R1
        LDI     *AR2++,R0
        LDIZ    1,R1            ; equal and the end: stop too
        CMPI    0,R1
        BZ      pair
compared: LDI   0,R1
        CMPI    *-AR0,R0        ; conditional loads leave the flags
        LDIHI   1,R1
        LDILO   -1,R1
        LDI     R1,R0
        RETSU

_strncmp: enter
        arg     2,R2
        arg     3,R3
        arg   1,AR2
        CMPI    0,R3
        BEQD    same
        LDI     R2,AR0
        LDI     R3,AR1
        SUBI    1,AR1
        NOP
        NOP
upto:   XOR3    *AR0++,*AR2,R1
        LDI     *AR2++,R0
        LDIZ    1,R1
        CMPI    0,R1
        BNZ     compared
        DBU     AR1,upto
same:   LDI     0,R0
        RETSU

_strchr: enter
        arg     2,R2
        arg    1,AR2
        NOP
        NOP
find:   LDI     *AR2++,R0
        CMPI    R2,R0
        BEQ     found
        CMPI    0,R0
        BNE     find
        LDI     0,R0
        RETSU
found:  LDI     AR2,R0
        SUBI    1,R0
        RETSU

_strrchr: enter
        arg     2,R2
        arg   1,AR2
        LDI     1,R1            ; 1 more than the place found
        NOP
all:    LDI     *AR2++,R0
        LDI     AR2,R3
        CMPI    R2,R0
        LDIEQ   R3,R1
        CMPI    0,R0
        BNE     all
        LDI     R1,R0
        SUBI    1,R0
        RETSU
        .end
