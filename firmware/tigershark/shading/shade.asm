; TigerSHARK shading firmware: one SL program, translated to C32 code, at a point a node.
;
; A node keeps the point that carries its id, and a `go` starts all of them together. The translated program and the
; arithmetic it calls run from SRAM, fetched in lockstep: they hold no branch that depends on a node's own point. Where
; the SL program branches, nodes keep the number of the instruction they wait for and leave the registers of the others'
; blocks alone; where it jumps back, they vote. What cannot be in step - chain service, tables indexed by a node's own
; numbers, registers - lies in internal RAM. README.md beside this file tells the whole story.

        .include "protocol.inc"         ; generated from models/tigershark/protocol.hpp
        .include "machine.inc"
        .include "shader_sizes.inc"     ; generated from the program

        .include "boot.asm"             ; runs from SRAM, once
        .include "service.asm"          ; internal RAM: chain, barrier, vote
        .include "store.asm"            ; internal RAM: registers, tables, stack
        .include "arithmetic.asm"       ; SRAM: noise, powers, roots
        .include "shader_code.inc"      ; SRAM, generated: the program
