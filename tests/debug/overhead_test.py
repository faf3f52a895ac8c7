#!/usr/bin/env python3
"""What the debugger costs a run that it only watches, in host instructions (callgrind): attached and idle under 2 %,
with a breakpoint that nobody meets under 20 %, in every engine of the boards, on THEIA's cores, in the implicit-surface unit,
at the RV64 hart and at the pipelines of the SL unit. And what a log of all that boards' DSPs execute costs the fastest engine.
Skips where valgrind is not installed.

usage: overhead_test.py BIN_DIR [scalar|simt|theia|sl|implicit|hart|log]...
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SCENE = """\
w 12
h 10
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
m .8 .7 .6 .8 .2 .2 5 0 0 1
t -4 0 -4  -4 0 4  4 0 4
t -4 0 -4  4 0 4  4 0 -4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
t -1.5 0 -1  -.2 0 -1  -.8 1.8 -.3
t .5 0 0  1.2 0 0  .8 1.8 .3
t 1.5 0 0  2.2 0 0  1.8 1.8 .3
t .5 0 -1  1.2 0 -1  .8 1.8 -.3
"""
ENGINES = {"scalar": ["--dsps", "16", "--set", "array.engine=scalar"],
           "simt": ["--dsps", "16", "--set", "array.engine=simt", "--set", "array.isa=sse42"],
           "theia": ["--engine", "theia", "--size", "64x64"]}
# Twelve shaders on balls.
SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scenes/shaderball.shk")
ENGINES["sl"] = ["--engine", "reference", "--size", "24x24", "--depth", "2"]
# The host never sends Reset, the improved microcode never calls PSU, and no program reaches the end of the store.
NOWHERE = {"theia": "PSU", "sl": "05100000FFFh"}
# As files for the reader; as text the reader's work is in it.
LOG_CASES = {"log": (["--instructions", "i.bin"], 1.20)}


def cases(engine):
    return {"attached": (["--debug", "-x", "run"], 1.02),
            "breakpoint": (["--debug", "-x", "break %s; run" % NOWHERE.get(engine, "reset")], 1.20)}


# A tape whose first instruction leaves no clause in register form: nobody comes there.
FUNCTIONS = """\
w 128
h 96
e 0.4 0.9 2.6
lo 0 0 0
u 0 1 0
li 5 8 6 1 1 1
implicit part.sdf lipschitz 1
"""
TAPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "implicit/part.sdf")
TAPE_CASES = {"attached": (["--debug", "-x", "run"], 1.02), "breakpoint": (["--debug", "-x", "break 0; run"], 1.20)}
# The first instructions of a program that counts; it would come to `exit_with_a0` at its end.
INSTRUCTIONS = 30_000_000
HART_CASES = {"attached": (["-x", "run"], 1.02), "breakpoint": (["-x", "break exit_with_a0; run"], 1.20)}


def count(name, command, status=0):
    """Of the process that ends the run: it has what its ancestors did before they forked."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s.%%p.out" % name, *command],
                          capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    totals = []
    for file in glob.glob(name + ".*.out"):
        with open(file, encoding="utf-8") as lines:
            totals += [int(n) for n in re.findall(r"^totals: (\d+)$", lines.read(), re.M)]
    return max(totals)


def compare(name, command, cases, status=0):
    """Failures."""
    plain = count(name, command, status)
    failures = 0
    for case, (arguments, most) in cases.items():
        ratio = count(name + case, command + arguments, status) / plain
        print("%s, %s: %.4f of %d host instructions, at most %.2f" % (name, case, ratio, plain, most))
        failures += 0.9 > ratio or ratio > most
    return failures


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 0
    binaries = os.path.abspath(sys.argv[1])
    only = sys.argv[2:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)
        plain = [os.path.join(binaries, "platform"), "s.shk", "--quiet", "--no-progress", "-o", "o.png"]
        for engine, settings in ENGINES.items():
            if only and engine not in only:
                continue
            scene = SHADERS if engine == "sl" else "s.shk"
            failures += compare(engine, [os.path.join(binaries, "platform"), scene, "--quiet", "--no-progress",
                                         "-o", "o.png", *settings], cases(engine))
        if not only or "log" in only:
            failures += compare("logged", plain + ENGINES["simt"], LOG_CASES)
        with open("f.shk", "w", encoding="utf-8") as file:
            file.write(FUNCTIONS)
        shutil.copy(TAPE, ".")
        if not only or "implicit" in only:
            failures += compare("implicit", [os.path.join(binaries, "platform"), "f.shk", "--quiet", "--no-progress",
                                             "-o", "o.png"], TAPE_CASES)
        loops = os.path.join(binaries, "..", "firmware", "xphmg", "loops.elf")
        if only and "hart" not in only:
            pass
        elif not os.path.exists(loops):
            print("skipped: the hart (no riscv64-unknown-elf-gcc)")
        else:
            failures += compare("hart", [os.path.join(binaries, "xphmg-run"), loops, "--max-instructions", str(INSTRUCTIONS)],
                                HART_CASES, status=4)
        os.chdir("/")
    return 1 if failures else 0


sys.exit(main())
