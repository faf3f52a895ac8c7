#!/usr/bin/env python3
"""Random stops, moves and ways back, on boards and on one C32: what a run leaves is what it leaves undisturbed.

usage: random_sessions_test.py BIN_DIR [SESSIONS [FIRST_SEED]]
"""

import json
import os
import random
import subprocess
import sys
import tempfile

from small_scene import TRIANGLES

DSPS = 6
PLACES = ["record", "pass", "send", "token", "box", "record+1"]
# Prints what it counts: text must come once for each time it is reached.
PROGRAM = """\
        .text
_start: LDP   @pointer
        LDI   @stackp,SP
        LDI   @pointer,AR0
        LDI   @show,AR6
        LDI   30,R1
loop:   CALL  work
        SUBI  1,R1
        BNZ   loop
        LDI   *AR0,R0
        STI   R0,*AR6
        LDI   @exit,AR7
        LDI   0,R0
        STI   R0,*AR7
        BU    $
work:   PUSH  R1
        LDI   *AR0,R2
        ADDI  R1,R2
        STI   R2,*AR0
        POP   R1
        RETS
        .data
pointer: .word counter
stackp: .word stack-1
exit:   .word 82FFF2h
show:   .word 82FFF4h
counter: .word 40
stack   .usect "stack",8
"""


def session(rng, board):
    """Commands as somebody might type them, the last ones run to the end."""
    places = PLACES if board else ["work", "loop", "work+3"]
    word = "best on dsp%d" % rng.randrange(DSPS) if board else "counter"
    commands = ["run %d cycles" % rng.randrange(1, 4000 if board else 60)]
    for _ in range(rng.randrange(4, 12)):
        far = rng.choice(["run %d cycles" % rng.randrange(1, 3000 if board else 80), "run %d us" % rng.randrange(1, 60)])
        commands.append(rng.choice([
            far, far, "step %d" % rng.randrange(1, 30), "next %d" % rng.randrange(1, 8),
            "run %d instructions" % rng.randrange(1, 50), "break " + rng.choice(places), "break " + rng.choice(places),
            "break %s skip %d" % (rng.choice(places), rng.randrange(1, 5)), "break %s if R0 > 0" % rng.choice(places),
            "tbreak " + rng.choice(places), "watch " + word, "delete", "disable all", "enable all", "run", "run",
            "finish" if not board else "dsp %d" % rng.randrange(DSPS),
            "reverse-step %d" % rng.randrange(1, 40), "reverse-step", "reverse-continue", "reverse-continue",
            "regs all", "info"]))
        # A move that never ends by itself is bounded.
        if commands[-1] in ("finish",):
            commands[-1] = "step 3"
    return commands + ["delete", "run"]


def debugged(command, commands, folder):
    done = subprocess.run(command, input="\n".join(commands) + "\n", cwd=folder, capture_output=True, text=True, timeout=300)
    return done


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as f:
        return f.read()


def files(folder, name):
    stats = json.loads(read(folder, name + ".json"))
    stats.pop("host")
    return read(folder, name + ".png"), read(folder, name + ".csv"), stats, read(folder, name + ".vcd")


def platform(binary, engine, name):
    return [binary + "/platform", "s.shk", "--size", "6x4", "--depth", "1", "--dsps", str(DSPS), "--quiet",
            "--set", "array.engine=" + engine, "-o", name + ".png", "--hits", name + ".csv", "--stats", name + ".json",
            "--trace", name + ".vcd"]


def main():
    binary = os.path.abspath(sys.argv[1])
    sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "s.shk"), "w") as f:
            f.write(TRIANGLES)
        with open(os.path.join(folder, "p.asm"), "w") as f:
            f.write(PROGRAM)
        subprocess.run([binary + "/c32-as", "-W", "none", "p.asm", "-o", "p.out"], cwd=folder, check=True)
        undisturbed = {}
        for engine in ("scalar", "simt"):
            subprocess.run(platform(binary, engine, "a"), cwd=folder, check=True, stdout=subprocess.DEVNULL)
            undisturbed[engine] = files(folder, "a")
        tool = [binary + "/c32-run", "p.out", "--regs", "--stats"]
        plain = subprocess.run(tool, cwd=folder, capture_output=True, text=True, check=True).stdout
        figures = plain[plain.index("R0 "):]
        for seed in range(first, first + sessions):
            rng = random.Random(seed)
            board = seed % 2 == 0
            commands = session(rng, board)
            engine = rng.choice(["scalar", "simt"])
            command = platform(binary, engine, "b") + ["--debug"] if board else tool + ["-i"]
            done = debugged(command, commands, folder)
            what = "seed %d (%s): %s" % (seed, engine if board else "c32-run", "; ".join(commands))
            if done.returncode != 0:
                sys.exit("%s\nstatus %d\n%s%s" % (what, done.returncode, done.stdout, done.stderr))
            if board:
                same = files(folder, "b") == undisturbed[engine]
                for ending in (".png", ".csv", ".json", ".vcd"):
                    os.remove(os.path.join(folder, "b" + ending))
            else:
                same = done.stdout.endswith(figures)
            if not same:
                sys.exit(what + "\nleft something else than an undisturbed run\n" + done.stdout[-3000:])
    print("%d sessions from seed %d: every one left what an undisturbed run leaves" % (sessions, first))


if __name__ == "__main__":
    main()
