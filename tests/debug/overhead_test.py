#!/usr/bin/env python3
"""What the debugger costs a run that it only watches, in host instructions (callgrind): attached and idle under 2 %,
with a breakpoint that nobody meets under 20 %, in every engine. Skips where valgrind is not installed.

usage: overhead_test.py BIN_DIR
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
ENGINES = {"scalar": ["--set", "array.engine=scalar"], "simt": ["--set", "array.engine=simt", "--set", "array.isa=sse42"]}
# The host never sends Reset: nobody comes to that place.
CASES = {"attached": (["--debug", "-x", "run"], 1.02), "breakpoint": (["--debug", "-x", "break reset; run"], 1.20)}


def count(platform, name, arguments):
    """Of the process that ends the run: it has what its ancestors did before they forked."""
    subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s.%%p.out" % name, platform, "s.shk", "--dsps",
                    "16", "--quiet", "--no-progress", "-o", "o.png", *arguments], capture_output=True, check=True)
    totals = []
    for file in glob.glob(name + ".*.out"):
        with open(file, encoding="utf-8") as lines:
            totals += [int(n) for n in re.findall(r"^totals: (\d+)$", lines.read(), re.M)]
    return max(totals)


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 0
    platform = os.path.join(os.path.abspath(sys.argv[1]), "platform")
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)
        for engine, settings in ENGINES.items():
            plain = count(platform, engine, settings)
            for case, (arguments, most) in CASES.items():
                ratio = count(platform, engine + case, settings + arguments) / plain
                print("%s, %s: %.4f of %d host instructions, at most %.2f" % (engine, case, ratio, plain, most))
                failures += 0.9 > ratio or ratio > most
        os.chdir("/")
    return 1 if failures else 0


sys.exit(main())
