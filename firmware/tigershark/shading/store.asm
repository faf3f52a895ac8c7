; What the shading firmware keeps in internal RAM: registers of the SL program, noise table, stack. All of it is
; initialised by the copy at boot.

RING_WORDS      .set    15              ; circular addressing: one less than the alignment

ray:                                    ; boot.asm sets the data page by this name
inputs:
        .include "shader_inputs.inc"    ; generated: in the order of a point's words
        .include "shader_registers.inc" ; generated: what no point brings, and literals
id:             .word   -1              ; place in the chain; -1 until the token came
header:         .word   0               ; of the own point
status:         .word   0               ; clocks of the run in units of two H1, and bit 31
over:           .word   0               ; 80000000h: stopped at the budget
pc:             .word   0               ; SL instruction this node waits for
ops:            .word   0               ; SL instructions done
budget:         .word   65536
scratch:        .word   0
two30:          .float  1073741824.0
huge:           .word   7F7FFFFFh       ; the largest number
unit24:         .float  5.9604644775390625e-8   ; 2^-24
log2e:          .float  1.4426950408889634
root2:          .float  1.4142135623730951
p_exp:          .word   exp_series
p_log:          .word   log_series
p_noise:        .word   n_x0
p_perm:         .word   perm
stack_pointer:  .word   stack-1         ; the stack grows up

; noise in work: per axis the coordinate in the cell, the same minus 1, fade and cell number
n_x0:   .space  4
n_y0:   .space  4
n_z0:   .space  4
n_edge: .space  5                       ; weighted corners
n_hash: .space  6

; The permutation, two entries a word, the even one below. Of an entry, bits 7:0 are P, bits 8 and 9 the signs of the
; gradient's terms, bit 10: the first is y, bit 11: the second is y (gradient P mod 12).
perm:
        .include "permutation.inc"      ; generated

        .align  16
ring:   .space  16                      ; words between receiver and transmitter while results are sent
stack:  .space  8                       ; calls nest four deep, and a wake-up
internal_end:
INTERNAL_WORDS  .set    internal_end-internal
