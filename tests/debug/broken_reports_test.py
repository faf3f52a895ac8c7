#!/usr/bin/env python3
"""The broken firmwares of broken_firmware_test.py without a debugger: the report alone names the line, registers, where addresses
and words come from, the way and the last instructions, all times in cycles, the same with both engines.

usage: broken_reports_test.py BIN_DIR FIRMWARE_DIR [NAME ...]
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

from broken_firmware_test import CASES, broken

OURS = list(CASES)[:11]  # the others leave no report, or one that is in the dialogue

# Where no line that was changed is in the report: what is there instead, that leads to it.
LEADS = {
    "slave-write": "LDI     R1,AR5",  # by a pointer that a line behind this one should have changed
}


def changed(name, folder):
    """Places of the lines that were changed, as reports have them."""
    source, _, instead = CASES[name][:3]
    text = (folder / source).read_text()
    first = text[:text.index(instead)].count("\n") + 1
    return ["%s:%d)" % (source, n) for n in range(first, first + max(1, instead.count("\n")))]


def report(folder, binary, engine):
    done = subprocess.run(
        [binary + "/platform", "s.shk", "--size", "6x4", "--depth", "1", "--dsps", "6", "--set", "tigershark.firmware=mine.coff", "--set",
         "array.engine=" + engine, "-o", "x.png", "--no-progress"], cwd=folder, capture_output=True, text=True, timeout=280)
    # Flags of an instruction that a barrier holds depend on the engine; nobody reads them.
    return done.returncode, re.sub(r"ST   \S+|flags.*", "", done.stderr)


def leaves_its_outputs(folder, binary):
    """What the second run under the debugger must not touch, and that it can be done without."""
    def run(trace, *more):
        done = subprocess.run([binary + "/platform", "s.shk", "--size", "6x4", "--depth", "1", "--dsps", "6", "--set",
                               "tigershark.firmware=mine.coff", "--trace", trace, "-o", "x.png", "--no-progress", *more],
                              cwd=folder, capture_output=True, text=True, timeout=280)
        return "R0 " in done.stderr, (folder / trace).read_bytes()

    with_it, without = run("a.vcd"), run("b.vcd", "--set", "host.autopsy=off")
    wrong = [] if (with_it[0], without[0]) == (True, False) else ["registers said: %s, without autopsy: %s" % (with_it[0], without[0])]
    return wrong + ([] if with_it[1] == without[1] else ["the second run has written the trace"])


def main():
    binary, firmware = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    problems, named = 0, []
    for name in sys.argv[3:] or OURS:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            broken(name, firmware, folder, binary)
            lines = changed(name, folder)
            said = {engine: report(folder, binary, engine) for engine in ("scalar", "simt")}
            wrong = leaves_its_outputs(folder, binary) if name == "stack-over-code" else []
        status, text = said["scalar"]
        if said["scalar"] != said["simt"]:
            wrong.append("the engines differ; simt: status %d\n%s" % said["simt"])
        if status not in (0, 3, 4):
            wrong.append("status %d" % status)
        if status != 0:
            wrong += ["%r is not said" % sign for sign in ("R0 ", "the last instructions of board0.dsp", ".asm:") if sign not in text]
            if re.search(r"\d (ps|ns|us|ms|s)\b", text):
                wrong.append("times in more than one unit: the DSPs' are cycles")
            if any(line in text for line in lines):
                named.append(name)
            elif LEADS.get(name, "\0") not in text:
                wrong.append("neither the line nor what leads to it is said")
        if name == "endless-walk-of-all" and ("deadlock" in text or "still walk the database" not in text):
            wrong.append("an endless walk is called something else")
        for problem in wrong:
            problems += 1
            print("%s: %s\n%s" % (name, problem, text))
        if "-v" in os.environ.get("BROKEN", ""):
            print("== %s: status %d, %s\n%s" % (name, status, "named" if name in named else "not named", text))
    print("%d reports name the line: %s" % (len(named), ", ".join(named)))
    sys.exit(problems != 0 or (len(sys.argv) == 3 and len(named) < 8))


if __name__ == "__main__":
    main()
