#!/usr/bin/env python3
"""The broken firmwares of broken_firmware_test.py without a debugger: the report alone names the line, registers and the last
instructions, the same with both engines.

usage: broken_reports_test.py BIN_DIR FIRMWARE_DIR [NAME ...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from broken_firmware_test import CASES, broken

# What of the report gives it away: the line that is broken, or the one that does what it should not. Two break nothing that the
# machine can know: they finish with a wrong picture.
NAMED = {
    "endless-loop-in-one-lane": "stuck (traverse.asm:",
    "endless-walk-of-all": "(traverse.asm:",
    "slave-write": "chain.asm:122",
    "missing-barrier-after-box": "(traverse.asm:",
    "missing-barrier-after-triangle": "(traverse.asm:",
    "go-not-forwarded": "getw_wait",
    "overrun": "(chain.asm:",
    "stack-over-code": "by 87ff",
    "pointer-not-taken-back": "(traverse.asm:",
    "skip-link-off-by-one": "(traverse.asm:",
}


def report(folder, binary, engine):
    done = subprocess.run(
        [binary + "/platform", "s.shk", "--size", "6x4", "--depth", "1", "--dsps", "6", "--set", "tigershark.firmware=mine.coff", "--set",
         "array.engine=" + engine, "-o", "x.png", "--no-progress"], cwd=folder, capture_output=True, text=True, timeout=280)
    return done.returncode, done.stderr


def main():
    binary, firmware = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    problems = named = 0
    for name in sys.argv[3:] or CASES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            broken(name, firmware, folder, binary)
            said = {engine: report(folder, binary, engine) for engine in ("scalar", "simt")}
        status, text = said["scalar"]
        wrong = []
        if said["scalar"] != said["simt"]:
            wrong.append("the engines differ; simt: status %d\n%s" % said["simt"])
        if status not in (0, 3, 4):
            wrong.append("status %d" % status)
        if status != 0:
            wrong += ["%r is not said" % sign for sign in ("R0 ", "the last instructions of board0.dsp", ".asm:") if sign not in text]
            named += NAMED.get(name, "\0") in text
        if name == "endless-walk-of-all" and ("deadlock" in text or "still walk the database" not in text):
            wrong.append("an endless walk is called something else")
        for problem in wrong:
            problems += 1
            print("%s: %s\n%s" % (name, problem, text))
        if "-v" in os.environ.get("BROKEN", ""):
            print("== %s: status %d, %s\n%s" % (name, status, "named" if NAMED.get(name, "\0") in text else "not named", text))
    print("%d reports name the line" % named)
    sys.exit(problems != 0 or (len(sys.argv) == 3 and named < 7))


if __name__ == "__main__":
    main()
