#!/usr/bin/env python3
"""Eleven firmwares broken as firmwares break, and five that somebody broke who had not seen the debugger; each cause
found in at most five commands: the dialogues as recorded, the same with both engines.

usage: broken_firmware_test.py BIN_DIR FIRMWARE_DIR [--record] [NAME ...]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from small_scene import TRIANGLES

RECORDED = pathlib.Path(__file__).resolve().parent / "broken"

# Name: file, text, what stands there instead, the commands, and what of the dialogue gives it away.
CASES = {
    "endless-loop-in-one-lane": (
        "traverse.asm", "take:   STI     R1,@element\n",
        "take:   STI     R1,@element\n        LDI     @id,R3\n        CMPI    3,R3\nstuck:  BZ      stuck\n",
        # One stands elsewhere than the others.
        ["run", "units", "dsp 3", "list"], ["board0.dsp3   stuck", "stuck:  BZ      stuck"]),
    "endless-walk-of-all": (
        "traverse.asm", "box:    BCD     send                    ; terminator: leave without arriving\n",
        "again:  LDI     PARAM_DATABASE,AR0\n        LDI     *AR0,AR0\n        NOP     *AR1--(1)\n"
        "        NOP     *AR3--(1)\n        BR      record\n"
        "box:    BCD     again                   ; terminator: leave without arriving\n",
        # The terminator is met, and where does it lead?
        ["break box on dsp0 if R0 >> 30 == -1", "run", "step 4", "where"], [" again"]),
    "slave-write": (
        "chain.asm", "        LDINZ   @p_scratch,AR5\n", "        NOP\n",
        # The report names the store; whose address points where?
        ["run", "units AR5, AR0", "list chain.asm:122 2"], ["chain.asm:122", "STI     R1,*AR5"]),
    "missing-barrier-after-box": (
        "traverse.asm", "        LDI     RS,IOF                  ; vote and arrival in one write\n", "        NOP\n",
        # From a box on: the next barrier is not the box's, but that of the next batch's go.
        ["tbreak box on dsp0", "run", "stop barrier", "run", "list"], ["117>"]),
    "missing-barrier-after-triangle": (
        "traverse.asm", "next:   LDI     ARRIVE,IOF\n", "next:   NOP\n",
        # Behind a triangle a node arrives: XF1 is to be low.
        ["tbreak next on dsp0", "run", "step", "print IOF", "list"], ["next:   NOP", "00000000  0"]),
    "go-not-forwarded": (
        "chain.asm", "go:     CALL    putw\n", "go:     NOP\n",
        # The first node has its go; nothing goes out on its link.
        ["tbreak go", "run", "stop link on dsp0", "run", "units"], ["the run has failed", "getw_wait"]),
    "wrong-sequence": (
        "chain.asm", "        AND     0FFFFh,R0               ; sequence\n",
        "        AND     07FFFh,R0               ; sequence\n        ADDI    1,R0\n",
        # What the ray said, and what its result will say.
        ["tbreak send+7 on dsp0", "run", "print [ray_header] & 0FFFFh", "print R0", "list"], ["ADDI    1,R0"]),
    "overrun": (
        "chain.asm", "keep_word:\n        CALL    getw\n",
        "keep_word:\n        CALL    getw\n        RPTS    200\n        NOP\n",
        # More than the 83.5 cycles of a word between one word and the next.
        ["break keep_word on dsp0 skip 1", "run", "time", "run", "time"], ["keep_word"]),
    "stack-over-code": (
        "data.asm", "stack_pointer:  .word   stack-1 ", "stack_pointer:  .word   hit-1   ",
        # An undefined word where code was: who wrote it?
        ["run", "watch [hit] on dsp0", "reverse-continue", "print SP - hit"], ["watchpoint 1: [hit] was", "by "]),
    "pointer-not-taken-back": (
        "traverse.asm", "        NOP     *AR1--(2)               ; back to P\n", "        NOP\n",
        # At a record it must point at the ray.
        ["break record on dsp0", "run", "print AR1 - ray", "run", "print AR1 - ray"], ["00000002  2"]),
    "skip-link-off-by-one": (
        "traverse.asm", "        LDINZ   R1,AR0                  ; nobody: skip the contents\n        NOP\n",
        "        LDINZ   R1,AR0                  ; nobody: skip the contents\n        ADDI    1,AR0\n",
        # Behind a box's words lies the first record inside; does the walk get there?
        ["tbreak hot_end-4 on dsp0", "run", "print AR0", "until record", "print AR0"],
        ["00000201  513", "00000202  514"]),
    # Of a stranger's.
    "branch-not-delayed": (
        "traverse.asm", "        BND     next                    ; outside\n", "        BN      next                    ; outside\n",
        # The report's word is no element: who made it, who else was there, by which jump?
        ["run", "why word 02c00000h", "break next on dsp0 if AR2 != apex", "reverse-continue", "reverse-step"],
        ["element (data.asm:", "BN      next"]),
    "own-words-counted-wrong": (
        "chain.asm", "        ADDI    RESULT_WORDS,R5\n", "        ADDI    RESULT_WORDS,R6\n",
        # Node 0 waits for words that nobody sends: why does it count on them?
        ["run", "why R6"], ["ADDI    RESULT_WORDS,R6"]),
    "element-not-forgotten": (
        "chain.asm", "        STI     R0,@element             ; a `go` without a new ray reports \"none\"\n", "",
        # An element at the distance of a miss: whose?
        ["break send on dsp2 if [best].f > 1e20 && [element] != -1", "run", "why at element", "list rest"],
        ["take (traverse.asm:40)", "LDI     -1,R0"]),
    "pointer-taken-back-by-one": (
        "traverse.asm", "        NOP     *AR1--(2)               ; back to P\n", "        NOP     *AR1--(1)               ; back to P\n",
        # At a record it must point at the ray: who moved it last?
        ["break record on dsp0 if AR1 != ray", "run", "watch AR1 on dsp0", "reverse-continue"], ["traverse.asm:259"]),
    "copy-of-one-block": (
        "boot.asm", "        RPTS    INTERNAL_WORDS-2\n", "        RPTS    0FEh\n",
        # The stack pointer is 0: where from, and how far did the copy come?
        ["run", "dsp 1", "why SP", "print stack_pointer - AR1", "list boot.asm:24"],
        ["stack_pointer (data.asm:", "0000008d  141", "RPTS    0FEh"]),
}


def broken(name, firmware, folder, binary):
    source, text, instead = CASES[name][:3]
    shutil.copytree(firmware, folder, dirs_exist_ok=True)
    path = folder / source
    whole = path.read_text()
    assert whole.count(text) == 1, (name, text)
    path.write_text(whole.replace(text, instead))
    subprocess.run([binary + "/c32-as", "-o", "mine.coff", "tigershark.asm"], cwd=folder, check=True)
    (folder / "s.shk").write_text(TRIANGLES)


def dialogue(name, folder, binary, engine):
    commands = [word for c in CASES[name][3] for word in ("-x", c)]
    done = subprocess.run(
        [binary + "/platform", "s.shk", "--size", "6x4", "--depth", "1", "--dsps", "6", "--quiet", "--set",
         "tigershark.firmware=mine.coff", "--set", "array.engine=" + engine, "-o", "x.png", "--debug", *commands],
        cwd=folder, capture_output=True, text=True, timeout=200)
    return "".join("(debug) %s\n" % c for c in CASES[name][3]) + done.stdout


def main():
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    record = "--record" in sys.argv
    binary, firmware = os.path.abspath(arguments[0]), os.path.abspath(arguments[1])
    failures = 0
    for name in arguments[2:] or CASES:
        commands, signs = CASES[name][3:]
        assert len(commands) <= 5, name
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            broken(name, firmware, folder, binary)
            said = {engine: dialogue(name, folder, binary, engine) for engine in ("scalar", "simt")}
        golden = RECORDED / (name + ".txt")
        if record:
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(said["scalar"])
        problems = ["%r is not said" % sign for sign in signs if sign not in said["scalar"]]
        if said["scalar"] != said["simt"]:
            problems.append("the engines differ; simt says\n" + said["simt"])
        if said["scalar"] != golden.read_text():
            problems.append("another dialogue than recorded (--record)")
        for problem in problems:
            failures += 1
            print("%s: %s\n%s" % (name, problem, said["scalar"]))
    print("%d of %d dialogues differ" % (failures, len(arguments[2:] or CASES)) if failures else "all as recorded")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
