; Chain service, barrier and vote of the shading firmware, in internal RAM. The rules are those of tigershark.asm, and so
; are the paths of a forwarded word (chain.asm), but for two comparisons less on the way of a point's first word.

        .sect   "internal",RAM0         ; loaded behind the boot code
        .label  internal_load
internal:
vector_table:   .word   RAM0 << 8       ; ITTP field of IF
p_inputs:       .word   inputs
p_ring:         .word   ring
seed_flip:      .word   0FF7FFFFFh      ; all bits of a float but the sign
p_timer:        .word   808020h         ; timer 0: control, +4 counter, +8 period
                .word   wake            ; 5: XINT0
                .word   wake            ; 6: RINT0
wake:   RETSU                           ; as in traverse.asm: GIE stays clear

        .include "link.asm"             ; getw, putw

; ---- reset: pass it on, forget the id -----------------------------------------------------------------------------------
reset:  CALL    putw
        LDI     -1,R0
        STI     R0,@id
rest:   LDI     RINT,IE

; ---- receive: one message after the other -------------------------------------------------------------------------------
receive:
        CALL    getw
        LDI     R0,R1
        LSH     -MSG_TYPE_SHIFT,R1
        CMPI    MSG_POINT,R1
        BZ      point
        CMPI    MSG_GO,R1
        BZ      go
        CMPI    MSG_TOKEN,R1
        BZ      token
        CMPI    MSG_RESET,R1
        BZ      reset
        CALL    putw                    ; end, and anything unknown: pass the header on
        CMPI    MSG_END,R1
        BNZ     receive
stop:   LDI     0,IE                    ; end: IDLE never ends
        IDLE
        BR      stop

token:  CALL    putw
        CALL    getw
        STI     R0,@id
        ADDI    1,R0
        CALL    putw
        BR      receive

; ---- point: keep mine, pass the others on. In: R0 header -----------------------------------------------------------------
point:  LDI     R0,R1
        LSH     -MSG_NODE_SHIFT,R1
        AND     0FFFh,R1
        CMPI    @id,R1
        BZ      mine
        CALL    putw
        LDI     POINT_WORDS-2,AR5
pass:   CALL    getw
        CALL    putw
        DBU     AR5,pass
        BR      receive
mine:   STI     R0,@header
        LDI     @p_inputs,AR4
        LDI     POINT_WORDS-2,AR5
keep_word:
        CALL    getw
        STI     R0,*AR4++(1)
        DBU     AR5,keep_word
        BR      receive

; ---- go: pass it on, start the clock, enter the program with all other nodes ----------------------------------------------
go:     CALL    putw
        LDI     @p_timer,AR1
        LDI     -1,R1
        STI     R1,*+AR1(8)
        LDI     0,R1
        STI     R1,*+AR1(4)
        LDI     2C0h,R1                 ; counts H1/2
        LDI     PARAM_DATABASE,AR0      ; the word holds the program's address
        LDI     ARRIVE,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R0                 ; held; from here all nodes are in step
        STI     R1,*AR1
        LDI     RELEASE,IOF
        BU      R0

; ---- vote: does any node want another turn? ------------------------------------------------------------------------------
; In: R0 = 0: this one does. Out: Z: somebody does. Changes R1, R2, AR0. The pause lets the line rise before the next vote.
vote:   LDI     ARRIVE,R2
        CMPI    0,R0
        LDIZ    VOTE,R2
        LDI     PARAM_DATABASE,AR0
        LDI     R2,IOF                  ; vote and arrival in one write
        NOP
        NOP
        NOP
        LDI     *AR0,R1                 ; held
        NOP
        NOP
        NOP
        LDI     IOF,R2                  ; four cycles into the epoch
        LDI     RELEASE,IOF
        RPTS    47
        NOP
        AND     VOTE_LINE,R2
        RETSU

; ---- finish: the program is through. Stop the clock, send own result, then those of the id nodes before this one -------------
finish: LDI     @p_timer,AR1
        LDI     *+AR1(4),R0
        OR      @over,R0
        STI     R0,@status
        LDI     0,R0
        STI     R0,*AR1

; All nodes get here in the same cycle, so a neighbour's words arrive while the own ones are still on the wire. A ring
; holds the difference. R5 words still to send, R6 words still to come, AR4 ring in, AR5 ring out; as in chain.asm.
send:   LDI     @id,R6
        BN      rest                    ; never got a token: nobody expects anything
        LDI     R6,R1
        LSH     MSG_NODE_SHIFT,R1
        LDI     @header,R0
        AND     0FFFFh,R0               ; sequence
        OR      R1,R0
        LDI     MSG_RESULT,R1
        LSH     MSG_TYPE_SHIFT,R1
        OR      R1,R0
        LDI     @p_ring,AR4
        LDI     @p_ring,AR5
        LDI     RING_WORDS,BK
        MPYI    COLOUR_WORDS,R6
        LDI     R6,R5
        ADDI    COLOUR_WORDS,R5
        STI     R0,*AR4++(1)%
        LDI     @g_v0_x,R0
        STI     R0,*AR4++(1)%
        LDI     @g_v0_y,R0
        STI     R0,*AR4++(1)%
        LDI     @g_v0_z,R0
        STI     R0,*AR4++(1)%
        LDI     @status,R0
        STI     R0,*AR4++(1)%
        LDI     XINT|RINT,IE
send_pass:
        ANDN    XINT|RINT,IF
        LDI     *AR7,R2
        TSTB    RRDY,R2
        BZ      send_out
        CMPI    0,R6
        BZ      send_out                ; the next batch's words stay in the receiver
        LDI     *+AR7(DRR),R0
        STI     R0,*AR4++(1)%
        SUBI    1,R6
send_out:
        TSTB    XRDY,R2
        BZ      send_idle
        CMPI    AR4,AR5
        BZ      send_idle               ; ring empty
        LDI     *AR5++(1)%,R0
        STI     R0,*+AR7(DXR)
        SUBI    1,R5
        BNZ     send_pass
        BR      rest
send_idle:
        IDLE
        BR      send_pass
