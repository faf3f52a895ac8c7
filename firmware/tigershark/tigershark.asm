; TigerSHARK node firmware, one image for every node of a board.
;
; A node is a 60 MHz TMS320C32 on a shared, lockstep SRAM bus, with a serial link from its neighbour on the host's side
; and one to the neighbour behind it. It receives a ray over the chain, walks the object database in SRAM together with
; all other nodes, and returns the nearest hit over the chain. README.md beside this file tells the whole story.
;
; Rules that every line of the code in internal RAM keeps:
;  - After the copy at boot no instruction is fetched from SRAM (TS-007).
;  - SRAM is read only between a release of the barrier and the first branch that depends on this node's own ray, so
;    that all nodes read the same word in the same cycle (TS-003).
;  - Between an arrival (IOF written with XF1 low) and the access that is held lie exactly three instructions, none of
;    which can stall or branch: HOLD needs the time, and the release must find the access pending.
;  - GIE is never set except by IDLE itself, so nothing interrupts code that must keep its cycle count.

        .include "protocol.inc"         ; generated from models/tigershark/protocol.hpp
        .include "machine.inc"

        .include "boot.asm"             ; runs from SRAM, once
        .include "traverse.asm"         ; internal RAM block 0: everything that runs once a record
        .include "chain.asm"            ; receive, forward, prepare a ray, send
        .include "data.asm"             ; internal RAM block 1
