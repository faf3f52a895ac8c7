#!/usr/bin/env python3
"""What one unit of a run saw, replayed by the unit's own tool: the same results, in the same cycles.

usage: dump_node_test.py BIN_DIR SCENES_DIR
"""

import os
import subprocess
import sys
import tempfile
import unittest

BIN, SCENES = "", ""


def run(tool, *arguments):
    return subprocess.run([os.path.join(BIN, tool), *arguments], capture_output=True, text=True, timeout=240)


def contents(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


class Dump(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.temporary.name, "node")

    def tearDown(self):
        self.temporary.cleanup()

    def dump(self, unit, *more, folder=None):
        done = run("platform", os.path.join(SCENES, "cornell.shk"), "--size", "16x16", "--depth", "2", "--dump-node", unit,
                   "-o", folder or self.folder, "--no-progress", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read().splitlines()


class Dsp(Dump):
    def replay(self, *more):
        return run("c32-run", "--node", self.folder, *more)

    def check(self, unit, *more):
        self.dump(unit, *more)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "picture.png")))
        sent = [line for line in self.lines("node.txt") if line.startswith("sent ")]
        again = self.replay()
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIn(": as recorded, %d words sent" % len(sent), again.stdout)
        return sent

    def test_master_in_the_first_batch(self):
        # Nearest to the host: the results of all others pass it not, their rays do. It says its own.
        self.assertEqual(len(self.check("board0.dsp0@batch=0", "--dsps", "16")) > 3, True)

    def test_a_slave_in_a_later_batch(self):
        self.check("board0.dsp3@batch=7", "--dsps", "16")

    def test_the_last_node_of_the_second_board(self):
        self.check("board1.dsp7@batch=20", "--dsps", "8", "--boards", "2")

    def test_pages_and_a_slow_memory(self):
        self.check("board0.dsp2@batch=9", "--dsps", "4", "--set", "tigershark.sram_words=1200", "--set", "tigershark.wait_states=1")

    def test_every_engine_records_the_same(self):
        other = os.path.join(self.temporary.name, "other")
        self.dump("board0.dsp9@batch=5", "--dsps", "16", "--set", "array.engine=scalar")
        self.dump("board0.dsp9@batch=5", "--dsps", "16", "--set", "array.engine=simt", folder=other)
        self.assertEqual(contents(self.folder), contents(other))

    def test_what_differs_is_told(self):
        self.dump("board0.dsp3@batch=7", "--dsps", "16")
        node = self.lines("node.txt")
        place = next(i for i, line in enumerate(node) if line.startswith("sent "))
        cycle, word = node[place].split()[1:]
        node[place] = "sent %d %s" % (int(cycle) + 1, word)
        with open(os.path.join(self.folder, "node.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(node) + "\n")
        again = self.replay()
        self.assertEqual(again.returncode, 1)
        self.assertIn("word 1 sent: %s in cycle %s, recorded %s in cycle %d" % (word, cycle, word, int(cycle) + 1), again.stdout)

    def test_the_debugger_has_it(self):
        self.dump("board0.dsp3@batch=7", "--dsps", "16")
        shown = self.replay("-x", "break record; run; where; regs")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("record", shown.stdout)

    def test_another_firmware_in_the_same_surroundings(self):
        self.dump("board0.dsp3@batch=7", "--dsps", "16")
        program = os.path.join(self.folder, "program.coff")
        self.assertEqual(self.replay(program).returncode, 0)
        with open(program, "rb") as file:
            words = file.read()
        product = bytes.fromhex("0100020a")  # MPYF R1,R2: t of a triangle
        self.assertEqual(words.count(product), 1)
        other = os.path.join(self.temporary.name, "other.coff")
        with open(other, "wb") as file:
            file.write(words.replace(product, bytes.fromhex("0100010a")))
        differs = self.replay(other)
        self.assertEqual(differs.returncode, 1)
        self.assertIn("0a010001, recorded 0a020001", differs.stdout)

    def test_bad_lines_are_told_with_their_place(self):
        self.dump("board0.dsp3", "--dsps", "4")
        for text, complaint in (("received 12", ":2: found the end of the line"), ("sent x 0", ":2: found 'x', expected a number"),
                                ("colour 3", ":2: found 'colour', which is no line"), ("memory 0 1", "expected one below memory-words")):
            with open(os.path.join(self.folder, "node.txt"), "w", encoding="utf-8") as file:
                file.write("rtvp-node 1\n" + text + "\n")
            again = self.replay()
            self.assertEqual(again.returncode, 2, again.stderr)
            self.assertIn("node.txt:2: ", again.stderr)
            self.assertIn(complaint, again.stderr)
        with open(os.path.join(self.folder, "node.txt"), "w", encoding="utf-8") as file:
            file.write("rtvp-node 7\n")
        self.assertIn("expected 'rtvp-node 1'", self.replay().stderr)

    def test_units_that_are_not_there(self):
        for unit, complaint in (("board0.dsp4", "expected board0.dsp0 to board0.dsp3"), ("board0.dsp1@frame=1", "expected @batch=N"),
                                ("board0.dsp1@batch=x", "for instance board0.dsp3@batch=7"), ("unit", "boardN.dspM[@batch=K]"),
                                ("board0.dsp1@batch=1000000", "the run is over")):
            done = run("platform", os.path.join(SCENES, "cornell.shk"), "--size", "8x8", "--depth", "1", "--dsps", "4", "--dump-node",
                       unit, "-o", self.folder, "--no-progress")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(complaint, done.stderr)


class Theia(Dump):
    def check(self, unit, *more):
        said = self.dump(unit, "--engine", "theia", *more)
        output = os.path.join(self.temporary.name, "output.tsv")
        options = [word for word in said.splitlines()[1].split() if word.startswith("--") and word != "--frame"]
        again = run("theia-run", "--frame", self.folder, "-o", output, *options)
        self.assertEqual(again.returncode, 0, again.stderr)
        with open(output, "rb") as now, open(os.path.join(self.folder, "output.tsv"), "rb") as then:
            words = then.read()
            self.assertEqual(now.read(), words)
        self.assertGreater(sum(1 for line in words.splitlines() if not line.endswith(b"00000000")), 100)

    def test_eye_frame(self):
        self.check("theia@frame=0")

    def test_frame_of_other_rays(self):
        self.check("theia@frame=1")

    def test_original_microcode_and_switches(self):
        self.check("theia.core0", "--set", "theia.microcode=hits", "--set", "theia.exact_math=on")


if __name__ == "__main__":
    BIN, SCENES = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
