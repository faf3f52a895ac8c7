#!/usr/bin/env python3
"""The broken firmwares on two boards: a run ahead of the kernel, on one thread or two, ends as one in step with it
(a limit of time keeps boards in step): the same status, messages and files.

usage: broken_boards_test.py BIN_DIR FIRMWARE_DIR [NAME ...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from broken_firmware_test import CASES, broken

RUNS = {"in step": "run.limit_ms=1000000", "ahead": "run.threads=1", "on two threads": "run.threads=2"}


def outcome(folder, binary, setting):
    picture = folder / "x.ppm"
    picture.unlink(missing_ok=True)
    done = subprocess.run(
        [binary + "/platform", "s.shk", "--size", "12x8", "--depth", "1", "--dsps", "16", "--boards", "2", "--quiet", "--set",
         "tigershark.firmware=mine.coff", "--set", setting, "-o", "x.ppm"],
        cwd=folder, capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout, done.stderr, picture.read_bytes() if picture.exists() else None


def main():
    binary, firmware = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    failures = 0
    for name in sys.argv[3:] or CASES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            broken(name, firmware, folder, binary)
            ended = {what: outcome(folder, binary, setting) for what, setting in RUNS.items()}
        for what, end in ended.items():
            if end == ended["in step"]:
                continue
            failures += 1
            print("%s: %s it ends otherwise than in step:\n%s\n%s" % (name, what, end[:3], ended["in step"][:3]))
    sys.exit(failures != 0)


main()
