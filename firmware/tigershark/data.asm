; Data in internal RAM block 1, so that code in block 0 and two data reads never compete for a block.
; All of it is initialised by the copy at boot.

RING_WORDS      .set    7               ; circular addressing: one less than the alignment

data_start:
ray:            .float  0.0, 0.0        ; P
ray_z:          .float  0.0
                .float  0.0, 0.0, 0.0   ; D
best:           .float  0.0             ; tmax, then the nearest t so far
inverse:        .float  0.0, 0.0, 0.0   ; 1/D
apex:           .float  0.0, 0.0, 0.0   ; v1 - P of the triangle in work
current:        .word   0               ; header of the record in work
element:        .word   -1              ; element of the nearest hit, FFFFFFFFh = none
tie:            .word   -1              ; with equal t an element wins only if it is smaller than this
keep:           .float  1.0             ; 0.0: any hit ends the search
scratch:        .word   0
id:             .word   -1              ; place in the chain; -1 until the token came
ray_header:     .word   0
mark_pointer:   .word   MASTER_MARK     ; where node 0 leaves its mark; scratch after the first time
p_apex:         .word   apex
p_current:      .word   current
p_scratch:      .word   scratch
p_ring:         .word   ring
stack_pointer:  .word   stack-1         ; the stack grows up; SP is the last word in use

                .align  8
ring:           .space  8               ; words between receiver and transmitter while results are sent
stack:          .space  4               ; a return address, a wake-up; two spare
internal_end:
INTERNAL_WORDS  .set    internal_end-internal
