#!/usr/bin/env python3
"""tigershark.cpu.trap_uninitialised: a read or a fetch of internal RAM that nobody wrote is a fault whose report says lane,
symbol and source line, the same with both engines; without the option, and with firmware that is sound, nothing changes.

usage: never_written_test.py BIN_DIR FIRMWARE_DIR
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from small_scene import TRIANGLES, read

BIN, FIRMWARE = "", ""
TRAP = ("--set", "tigershark.cpu.trap_uninitialised=on")
ENGINES = ("scalar", "simt")

# Behind the firmware's own words; only lane 3 goes there, at its first hit.
ONE_LANE = "take:   STI     R1,@element\n        LDI     @id,R3\n        CMPI    3,R3\n        %s\n"


class NeverWritten(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        shutil.copytree(FIRMWARE, self.folder, dirs_exist_ok=True)
        (self.folder / "s.shk").write_text(TRIANGLES)

    def tearDown(self):
        self.temporary.cleanup()

    def firmware(self, source="", text="", instead=""):
        """The shipped one with a change; returns the number of the last line of what stands there instead."""
        line = 0
        if source:
            whole = read(self.folder / source)
            self.assertEqual(whole.count(text), 1)
            (self.folder / source).write_text(whole.replace(text, instead))
            line = whole[:whole.index(text)].count("\n") + instead.count("\n")
        subprocess.run([os.path.join(BIN, "c32-as"), "-o", "mine.coff", "tigershark.asm"], cwd=self.folder, check=True, timeout=60)
        return line

    def run_it(self, engine, *more):
        return subprocess.run(
            [os.path.join(BIN, "platform"), "s.shk", "--size", "6x4", "--depth", "1", "--dsps", "6", "--no-progress", "--set",
             "tigershark.firmware=mine.coff", "--set", "array.engine=" + engine, "-o", "x.png", *more], cwd=self.folder,
            capture_output=True, text=True, timeout=280)

    def outputs(self, engine, *more):
        done = self.run_it(engine, "--hits", "x.csv", "--stats", "x.json", "--trace", "x.vcd", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads(read(self.folder / "x.json"))
        return [(self.folder / name).read_bytes() for name in ("x.png", "x.csv", "x.vcd")] + [stats["modules"]]

    def fault(self, *expected):
        """The report, of both engines; the run leaves no picture."""
        said = {}
        for engine in ENGINES:
            done = self.run_it(engine, *TRAP)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertFalse((self.folder / "x.png").exists())
            # Flags of an instruction that a barrier holds depend on the engine; nobody reads them.
            said[engine] = re.sub(r"ST   \S+|flags.*", "", done.stderr)
        self.assertEqual(said["scalar"], said["simt"])
        for text in expected:
            self.assertIn(text, said["scalar"])
        return said["scalar"]

    def test_sound_firmware_runs_as_without(self):
        self.firmware()
        plain = self.outputs("scalar")
        for engine in ENGINES:
            self.assertEqual(self.outputs(engine, *TRAP), plain)

    def test_data_that_the_copy_at_boot_left_out(self):
        line = self.firmware("boot.asm", "        RPTS    INTERNAL_WORDS-2\n", "        RPTS    0FEh\n")
        self.assertGreater(line, 0)
        reads = read(self.folder / "boot.asm").split("\n").index(
            "        LDI     @stack_pointer,SP") + 1
        self.fault("/rtvp/tigershark/dsp_fault: board0.array: lane 0 at PC ", "(LDI @0FF8Ch,SP)", "(boot.asm:%d)" % reads, "boot+",
                   "read of memory never written, address 87FF8Ch")

    def test_a_word_that_one_lane_reads(self):
        line = self.firmware("traverse.asm", "take:   STI     R1,@element\n", ONE_LANE % "BNZ     other\n        LDI     @87FFF0h,R3\nother:")
        self.fault("lane 3 at PC ", "take+4 (traverse.asm:%d)" % (line - 1), "read of memory never written, address 87FFF0h",
                   "board0.dsp3: at ", "the last instructions of board0.dsp3")

    def test_code_that_one_lane_runs_into(self):
        line = self.firmware("traverse.asm", "take:   STI     R1,@element\n", ONE_LANE % "BZ      nowhere\nnowhere .set    87FFF0h")
        report = self.fault("lane 3 at PC 87fff0h", "instruction fetch from memory never written, address 87FFF0h", "board0.dsp3: at 87fff0")
        # No symbol is the place's, and the way there has the branch.
        self.assertNotRegex(report, r"87fff0h?[^\n]*(stack|ring)\+")
        self.assertIn("(traverse.asm:%d)" % (line - 1), report)

    def test_without_the_option_it_is_zero(self):
        self.firmware()
        plain = self.outputs("scalar")
        self.firmware("traverse.asm", "take:   STI     R1,@element\n", ONE_LANE % "BNZ     other\n        LDI     @87FFF0h,R3\nother:")
        for engine in ENGINES:
            self.assertEqual(self.outputs(engine)[:2], plain[:2])


if __name__ == "__main__":
    BIN, FIRMWARE = (os.path.abspath(a) for a in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
