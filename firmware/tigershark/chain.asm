; Chain service: receive and forward messages, prepare the ray, send results.
;
; A word takes 32 bits at 11.5 Mbit/s: 83.5 H1 cycles. Receiver and transmitter are double buffered, but a node that
; needs more than a word time per word on average loses words, so the longest path matters: 76 cycles (first word of a
; shadow ray that is passed on), 59 for its other words.
;
; Waiting is done in IDLE with only the awaited interrupt enabled. No wake-up can be lost: the flag is cleared before
; the status is read, so a word that arrives later leaves the flag set, and IDLE, which sets GIE itself, ends at once.

        .include "link.asm"             ; getw, putw

; ---- forget, rest: no ray is waiting ------------------------------------------------------------------------------------
reset:  CALL    putw                    ; Reset message: pass it on, forget the id
        LDI     -1,R0
        STI     R0,@id
rest:   LDI     RINT,IE
        LDI     -1,R0
        STI     R0,@element             ; a `go` without a new ray reports "none"
        LDF     0.0,R0
        STF     R0,@best

; ---- receive: one message after the other --------------------------------------------------------------------------------
receive:
        CALL    getw
        LDI     R0,R1
        LSH     -MSG_TYPE_SHIFT,R1
        CMPI    MSG_RAY,R1
        BZ      its_ray
        CMPI    MSG_SHADOW,R1
        BZ      its_ray
        CMPI    MSG_GO,R1
        BZ      go
        CMPI    MSG_TOKEN,R1
        BZ      token
        CMPI    MSG_RESET,R1
        BZ      reset
        CALL    putw                    ; end, and anything unknown: pass the header on
        CMPI    MSG_END,R1
        BNZ     receive

; ---- end: stop for good; IE = 0, so IDLE never ends ----------------------------------------------------------------------
stop:   LDI     0,IE
        IDLE
        BR      stop

; ---- token: payload is this node's id; the next node gets id + 1 (TS-021) ------------------------------------------------
token:  CALL    putw
        CALL    getw
        STI     R0,@id
        ADDI    1,R0
        CALL    putw
        BR      receive

; ---- ray, shadow ray: keep mine, pass the others on. In: R0 header -------------------------------------------------------
its_ray:
        LDI     R0,R1
        LSH     -MSG_NODE_SHIFT,R1
        AND     0FFFh,R1
        CMPI    @id,R1
        BZ      mine
        CALL    putw
        LDI     RAY_WORDS-2,AR5
pass:   CALL    getw
        CALL    putw
        DBU     AR5,pass
        BR      receive
mine:   STI     R0,@ray_header
        LDI     @p_ray,AR4
        LDI     RAY_WORDS-2,AR5
keep_word:
        CALL    getw
        STI     R0,*AR4++(1)
        DBU     AR5,keep_word
        BR      receive

; ---- go: pass it on, prepare the ray, enter the walk ---------------------------------------------------------------------
; Nearest hit: tie = FFFFFFFFh, keep = 1.0. Shadow: tie = 0, so that t = tmax does not block; keep = 0.0, so that the
; first blocker sets tmax to 0.
go:     CALL    putw
        LDI     @ray_header,R0
        LSH     -MSG_TYPE_SHIFT,R0
        CMPI    MSG_SHADOW,R0
        LDIU    -1,R1
        LDIZ    0,R1
        LDFU    1.0,R2
        LDFZ    0.0,R2
        STI     R1,@tie
        STF     R2,@keep

        LDI     @p_ray,AR1              ; 1/D, three times
        LDI     @p_inverse,AR3
        NOP     *AR1++(3)
        LDI     2,AR5
invert: LDF     *AR1++(1),R0
        LDFZ    @huge_below,R0          ; zero: 2^100, either sign will do
        CALL    reciprocal
        STF     R1,*AR3++(1)
        DBU     AR5,invert

; The master writes its mark into SRAM once after boot (TS-022). The slaves, and the master later, store the same word
; into scratch instead, so that all nodes take the same cycles.
        LDI     @mark_pointer,R1
        LDI     R1,AR5
        LDI     @id,R0
        LDINZ   @p_scratch,AR5
        LDIZ    @p_scratch,R1
        STI     R1,@mark_pointer

        LDI     @p_ray,AR1
        LDI     @p_apex,AR2
        LDI     @p_inverse,AR3
        LDI     @p_current,AR4
        LDI     PARAM_DATABASE,AR0
        LDI     MASTER_MARK_HI,R1
        LSH     16,R1
        LDI     ARRIVE,IOF
        LDF     @ray_z,R7
        LDI     2,R6
        NOP
        LDI     *AR0,R0                 ; held: address of the page's first record
        LDI     RELEASE,IOF
        STI     R1,*AR5
        RPTS    5                       ; the master's write may take 7 wait states; its next read must not be late
        NOP
        BRD     record
        LDI     R0,AR0
        NOP
        NOP

        .include "reciprocal.asm"

; ---- send: own result, then the results of the id nodes before this one --------------------------------------------------
; All nodes get here in the same cycle, so a neighbour's words arrive while the own three are still on the wire. A ring
; holds the difference, at most three words. R5 words still to send, R6 words still to come, AR4 ring in, AR5 ring out.
; A pass with one word in and one out takes 33 cycles; a sleep between costs 28 more. A node that falls behind sleeps
; less, so the loop keeps the line's rate of a word in 83.5 cycles.
send:   LDI     @id,R6
        BN      rest                    ; never got a token: nobody expects anything
        LDI     R6,R1
        LSH     MSG_NODE_SHIFT,R1
        LDI     @ray_header,R0
        AND     0FFFFh,R0               ; sequence
        OR      R1,R0
        LDI     MSG_RESULT,R1
        LSH     MSG_TYPE_SHIFT,R1
        OR      R1,R0
        LDI     @p_ring,AR4
        LDI     @p_ring,AR5
        LDI     RING_WORDS,BK
        MPYI    RESULT_WORDS,R6
        LDI     R6,R5
        ADDI    RESULT_WORDS,R5
        STI     R0,*AR4++(1)%
        LDI     @best,R0
        STI     R0,*AR4++(1)%
        LDI     @element,R0
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
