* Floats as decimal text, a character a word.
*
* char *ftoa(float x, char *out, int digits)   "-1.23457e+04": 1 to 9 digits, nearest; returns the end (its NUL)
* float atof(const char *text)                 blanks, sign, digits, point, exponent; stops at what does not fit
*
* Changes      R0-R3, AR0-AR2, RC, RS, RE
* Cycles       ftoa about 150 to 210 and 43 a digit, atof at most 216 and 26 a character (measured on 2000 texts)
* Error        atof 0.52 units of a single's last place; digits behind the ninth significant one count as 0. ftoa: the
*              decimal number differs by at most 0.53 units of its last place at 7 digits, 0.8 at 8, 3.5 at 9. What
*              ftoa writes with 9 digits atof reads as the same number
* Limits       ftoa: zero is "0" with its digits and e+00
* Method       powers of ten by the binary digits of the exponent, each in two parts, so that the product keeps 31 bits
*              (Dekker, 1971)
        .include "convention.inc"
        .global _ftoa, _atof
        .text

_ftoa:  enter
        argf    1,R2
        arg     3,R3
        arg     2,AR2
        PUSH    DP
        LDP     @lg2
        LDI     R3,RE           ; digits
        LDF     R2,R2
        BZ      zero
        BNN     plus
        NEGF    R2
        LDI     '-',R1
        STI     R1,*AR2++
plus:   PUSHF   R2
        POP     R0
        ASH     -24,R0
        LDI     R0,IR0          ; exponent
        FLOAT   R0,R1
        MPYF    @lg2,R1
        FIX     R1,RC           ; decimal exponent, or one less
        LDE     1.0,R2
        PUSHF   R2
again:  LDI     RE,R0
        SUBI    1,R0
        SUBI    RC,R0
        LDI     IR0,RS
        CALL    ten
        CALL    scale
        ADDF    0.5,R2
        FIX     R2,R0           ; digits as an integer
        LDI     @tens,AR0
        ADDI    RE,AR0
        NOP
        POPF    R2
        CMPI    *AR0,R0
        BLT     digits
        ADDI    1,RC            ; one too many
        PUSHF   R2
        BU      again
zero:   LDI     0,RC
        LDI     @tens,AR0
        ADDI    RE,AR0
        LDI     0,R0
digits: PUSH    RC
        LDI     RE,R3
        LDI     RE,AR1
        SUBI    1,AR1
        SUBI    1,R3
digit:  LDI     *--AR0,R1
        CALL    next
        LDI     R3,R2           ; the point stands behind the first of several
        BZ      nopoint
        CMPI    R3,AR1
        BNE     nopoint
        LDI     '.',R2
        STI     R2,*AR2++
nopoint: DBU    AR1,digit
        LDI     'e',R2
        STI     R2,*AR2++
        POP     R0
        LDI     '+',R1
        CMPI    0,R0
        LDILT   '-',R1
        STI     R1,*AR2++
        ABSI    R0
        LDI     10,R1
        CALL    next
        LDI     1,R1
        CALL    next
        LDI     0,R1
        STI     R1,*AR2
        LDI     AR2,R0
        POP     DP
        RETSU
* A digit of R0, which is below 10 R1, to the text; R0 = what remains. Four steps of division.
next:   LSH     3,R1
        RPTS    3
        SUBC    R1,R0
        LDI     R0,R2
        AND     15,R2
        LSH     -4,R0
        ADDI    '0',R2
        STI     R2,*AR2++
        RETSU

_atof:  enter
        arg     1,AR2
        PUSH    DP
        LDP     @lg2
blank:  LDI     *AR2++,R0
        CMPI    ' ',R0
        BEQ     blank
        LDI     R0,R1
        SUBI    9,R1            ; tab to carriage return
        CMPI    4,R1
        BLS     blank
        LDI     0,RS            ; negative
        CMPI    '-',R0
        BNE     notminus
        LDI     1,RS
        BU      signed
notminus: CMPI  '+',R0
        BNE     start
signed: LDI     *AR2++,R0
start:  LDI     0,R2            ; digits as an integer
        LDI     0,R3            ; decimal exponent
        LDI     0,AR1           ; significant digits
        LDI     0,RE            ; behind the point
figure: LDI     R0,R1
        SUBI    '0',R1
        CMPI    9,R1
        BHI     nofigure
        CMPI    9,AR1
        BGE     drop
        LDI     R2,R0
        LSH     3,R0
        LSH     1,R2
        ADDI    R0,R2
        ADDI    R1,R2
        BZ      leading
        ADDI    1,AR1
leading: SUBI   RE,R3
        BU      follow
drop:   CMPI    0,RE
        BNE     follow
        ADDI    1,R3
follow: LDI     *AR2++,R0
        BU      figure
nofigure: CMPI  '.',R0
        BNE     tail
        CMPI    0,RE
        BNE     tail
        LDI     1,RE
        BU      follow
tail:   OR      20h,R0
        CMPI    'e',R0
        BNE     finish
        LDI     0,AR1           ; exponent
        LDI     0,RE            ; negative
        LDI     *AR2++,R0
        CMPI    '-',R0
        BNE     noneg
        LDI     1,RE
        BU      esigned
noneg:  CMPI    '+',R0
        BNE     power
esigned: LDI    *AR2++,R0
power:  SUBI    '0',R0
        CMPI    9,R0
        BHI     powered
        LDI     AR1,R1
        CMPI    999,R1
        BGT     enough
        MPYI    10,R1
        ADDI    R0,R1
        LDI     R1,AR1
enough: LDI     *AR2++,R0
        BU      power
powered: LDI    AR1,R0
        NEGI    R0,R1
        CMPI    0,RE
        LDIEQ   R0,R1
        ADDI    R1,R3
finish: CMPI    63,R3
        LDIGT   63,R3
        CMPI    -63,R3
        LDILT   -63,R3
        LDI     RS,RE
        LDI     R3,R0
        LDI     0,RS
        FLOAT   R2,R2
        BZ      nothing
        CALL    ten
        CALL    scale
nothing: RND    R2,R0
        NEGF    R0,R1
        CMPI    0,RE
        LDFNE   R1,R0
        POP     DP
        RETSU

* R2 and RS: R2 2^RS, times 10^R0; the part of R2 stays below 2^38. Changes R0, R1, R3, AR0.
ten:    LDI     @up,AR0
        CMPI    0,R0
        LDILT   @down,AR0
        ABSI    R0
bit:    TSTB    1,R0
        BZ      skip
        RND     R2,R1
        SUBF3   R1,R2,R3        ; two parts
        MPYF    *AR0,R3
        MPYF3   *+AR0(1),R1,R2
        ADDF    R2,R3
        MPYF3   *AR0,R1,R2
        ADDF    R3,R2
        ADDI    *+AR0(2),RS
skip:   NOP     *AR0++(3)
        LSH     -1,R0
        BNZ     bit
        RETSU
* R2 = R2 2^RS. Changes R0, R1.
scale:  PUSHF   R2
        POP     R0
        ASH     -24,R0
        ADDI    RS,R0
        CMPI    -128,R0
        LDILT   -128,R0
        CMPI    127,R0
        BGT     over
        LSH     24,R0
        PUSH    R0
        POPF    R1
        LDE     R1,R2
        RETSU
over:   LDF     @greatest,R2
        RETSU

lg2:    .float  0.30102999
greatest: .word 7F7FFFFFh
tens:   .word   decimal
decimal: .word  1,10,100,1000,10000,100000,1000000,10000000,100000000,1000000000
up:     .word   bigs
down:   .word   smalls
bigs:
        .float  1.25,0.0
        .word   3              ; 10^1
        .float  1.5625,0.0
        .word   6              ; 10^2
        .float  1.220703125,0.0
        .word   13              ; 10^4
        .float  1.490116119384765625,0.0
        .word   26              ; 10^8
        .float  1.11022293567657470703125,8.89485818334e-8
        .word   53              ; 10^16
        .float  1.23259508609771728515625,7.83101136608e-8
        .word   106              ; 10^32
smalls:
        .float  1.599999904632568359375,9.53674316406e-8
        .word   -4              ; 10^-1
        .float  1.2799999713897705078125,2.86102294922e-8
        .word   -7              ; 10^-2
        .float  1.63839995861053466796875,4.1389465332e-8
        .word   -14              ; 10^-4
        .float  1.34217727184295654296875,8.15704345703e-9
        .word   -27              ; 10^-8
        .float  1.801439762115478515625,8.88327198844e-8
        .word   -54              ; 10^-16
        .float  1.6225926876068115234375,8.06853221105e-8
        .word   -107              ; 10^-32
        .end
