#!/usr/bin/env python3
"""Offload jobs, pixels of shaders and implicit objects of a run, replayed by their units' own tools.

usage: dump_units_test.py BIN_DIR SCENES_DIR
"""

import csv
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

BIN, SCENES = "", ""


def run(tool, *arguments):
    return subprocess.run([os.path.join(BIN, tool), *arguments], capture_output=True, text=True, timeout=240)


def contents(folder):
    found = {}
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


class Units(unittest.TestCase):
    scene, options = "", ()
    tool, option = "", ""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.temporary.name, "node")

    def tearDown(self):
        self.temporary.cleanup()

    def platform(self, unit, *more, folder=None):
        return run("platform", os.path.join(SCENES, self.scene), *self.options, "--dump-node", unit, "-o", folder or self.folder,
                   "--no-progress", *more)

    def dump(self, unit, *more, folder=None):
        done = self.platform(unit, *more, folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("%s %s %s\n" % (self.tool, self.option, folder or self.folder), done.stdout)
        self.assertFalse(os.path.exists(os.path.join(folder or self.folder, "picture.png")))

    def replay(self, *more):
        return run(self.tool, self.option, self.folder, *more)

    def same(self, unit, *more):
        self.dump(unit, *more)
        again = self.replay()
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIn(": as recorded, ", again.stdout)
        return again.stdout

    def refused(self, unit, complaint, *more):
        """Nothing is left of it, neither in the folder nor beside it."""
        before = set(os.listdir(self.temporary.name))
        done = self.platform(unit, *more)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(complaint, done.stderr)
        self.assertNotIn(self.option, done.stdout)
        self.assertEqual(contents(self.folder), {})
        self.assertEqual(set(os.listdir(self.temporary.name)) - before - {"node"}, set())

    def refused_where_units_wait(self, unit):
        """Limits of the bus and of main memory, whoever is beside the unit."""
        for limit in ("bus.width=4", "bus.outstanding=1", "dram.width=4", "dram.outstanding=2"):
            self.refused(unit, "(bus.*, dram.*)", "--set", limit)

    def own(self, name, contents):
        """A scene of the test's own, or a file beside it."""
        self.scene = os.path.join(self.temporary.name, name)
        with open(self.scene, "wb") as file:
            file.write(contents)

    def text(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def change(self, name, begin, make):
        """The first line that begins so becomes another; returns both."""
        lines = self.text(name).splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith(begin))
        before, lines[place] = lines[place], make(lines[place])
        self.put(name, "\n".join(lines) + "\n")
        return before, lines[place]

    def malformed(self, name, first, cases):
        good = self.text(name)
        for text, complaint in cases:
            self.put(name, first + "\n" + text + "\n")
            done = self.replay()
            self.assertEqual(done.returncode, 2, text + ": " + done.stdout + done.stderr)
            self.assertIn(name + ":2: ", done.stderr)
            self.assertIn(complaint, done.stderr)
        self.put(name, "something else\n")
        self.assertIn("expected '%s'" % first, self.replay().stderr)
        self.put(name, good[: len(good) // 2])  # cut off anywhere: words, or an end that differs
        self.assertIn(self.replay().returncode, (1, 2, 3))
        os.remove(os.path.join(self.folder, name))
        done = self.replay()
        self.assertEqual(done.returncode, 2)
        self.assertIn("found no such file", done.stderr)
        self.put(name, good)


class Job(Units):
    scene, options = "cornell.shk", ("--size", "16x16", "--depth", "2", "--engine", "xphmg")
    tool, option = "xphmg-run", "--job"

    def test_results_are_those_of_the_run(self):
        # What the whole run says of its eye rays, by another way: its hits.
        self.same("xphmg@job=0", "--set", "xphmg.job_rays=100")
        table = os.path.join(self.temporary.name, "hits.csv")
        done = run("platform", os.path.join(SCENES, self.scene), *self.options, "--hits", table, "-o",
                   os.path.join(self.temporary.name, "picture.png"), "--no-progress", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(table, encoding="utf-8") as file:
            hit = sum(1 for row in csv.DictReader(file) if row["prim"] != "-1")
        self.same("xphmg@job=0")
        self.assertIn(" 256 rays, %d hits, %d misses" % (hit, 256 - hit), self.replay().stdout)

    def test_a_later_job_and_other_settings(self):
        self.same("xphmg@job=5", "--set", "xphmg.job_rays=40", "--set", "xphmg.format=fp16", "--set", "xphmg.lmem_kib=0")
        self.same("xphmg@job=3", "--set", "xphmg.job_rays=40", "--set", "xphmg.t3_cycles=77", "--set", "xphmg.bus_ns=13")

    def test_units_by_number_and_a_hart(self):
        self.assertIn("xphmg.unit1, job 1", self.same("unit1@job=1", "--set", "xphmg.units=2", "--set", "xphmg.job_rays=40"))
        hart = self.platform("xphmg@job=1", "--set", "xphmg.driver=hart", "--set", "xphmg.job_rays=100")
        if "no RISC-V compiler" not in hart.stderr:
            self.assertEqual(hart.returncode, 0, hart.stderr)
            self.assertEqual(self.replay().returncode, 0)

    def test_speed_settings_record_the_same(self):
        other = os.path.join(self.temporary.name, "other")
        small = ("--set", "xphmg.job_rays=60")
        self.dump("xphmg@job=2", *small)
        self.dump("xphmg@job=2", *small, "--set", "xphmg.dmi=off", "--set", "xphmg.quantum_us=0", "--set", "xphmg.datapath=plain",
                  folder=other)
        self.assertEqual(contents(self.folder), contents(other))

    def test_what_differs_is_told(self):
        self.dump("xphmg@job=0", "--set", "xphmg.job_rays=20")
        before, now = self.change("results.txt", "triangles ", lambda line: "triangles %d" % (int(line.split()[1]) + 1))
        again = self.replay()
        self.assertEqual(again.returncode, 1)
        self.assertIn("triangles: %s, recorded %s\n" % (before.split()[1], now.split()[1]), again.stdout)

    def test_another_cost_of_memory_is_told(self):
        self.dump("xphmg@job=0", "--set", "xphmg.job_rays=20")
        self.change("job.txt", "t3-cycles ", lambda line: "t3-cycles 121")
        self.assertRegex(self.replay().stdout, r"cycles-memory: \d+, recorded \d+")

    def test_bad_lines(self):
        self.dump("xphmg@job=0", "--set", "xphmg.job_rays=20")
        self.malformed("job.txt", "rtvp-job 1", (("descriptor", "found the end of the line"), ("register RTX 0", "which is no register"),
                                                 ("lmem-kib 5000", "number up to 4096"), ("colour 3", "which is no line")))
        self.malformed("memory.txt", "rtvp-job 1", (("memory 10 abc", "pairs of hexadecimal digits"), ("memory xyz 00", "hexadecimal number"),
                                                    ("memory ffffffffffffffff 0000", "beyond the last address")))
        self.malformed("results.txt", "rtvp-job 1", (("ray 1 2 0 0 0 0", "number up to 1"), ("accesses tiles 1 1 1 1", "no kind of access"),
                                                     ("cycles 1 2", "found more than the line's values")))

    def test_jobs_that_are_not_there(self):
        self.refused("xphmg@job=1000", "there was no job 1000")
        self.refused("xphmg@batch=1", "expected @job=N")
        self.refused("unit1@job=1", "expected xphmg[@job=N]")
        self.refused("xphmg@job=1,2", "expected @job=N")


    def test_waiting_for_others_is_no_jobs_own(self):
        self.refused_where_units_wait("xphmg@job=0")
        self.dump("xphmg@job=0")

    def test_a_job_on_more_memory_than_a_folder_takes(self):
        """Triangles of 36 bytes behind tiles of at least 64: half as many again as go into 16 MiB."""
        side = 420
        corners = b"".join(struct.pack("<3f", x, y, 0) for y in range(side + 1) for x in range(side + 1))
        faces = []
        for y in range(side):
            for x in range(side):
                a = y * (side + 1) + x
                faces += [struct.pack("<B3I", 3, a, a + 1, a + side + 1), struct.pack("<B3I", 3, a + 1, a + side + 2, a + side + 1)]
        self.own("grid.ply", ("ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                              "element face %d\nproperty list uchar uint vertex_indices\nend_header\n" %
                              ((side + 1) ** 2, 2 * side ** 2)).encode() + corners + b"".join(faces))
        self.options = ("--size", "4x4", "--depth", "1", "--engine", "xphmg")
        self.refused("xphmg@job=0", "xphmg.unit0, job 0: its descriptor reaches more than 16 MiB, expected a job on a smaller scene")


class Pixel(Units):
    scene, options = "shaderball.shk", ("--size", "32x32", "--depth", "3", "--engine", "reference")
    tool, option = "sl-run", "--pixel"

    def test_a_run_without_rays(self):
        self.assertIn("51 instructions, 0 rays asked for", self.same("sl@pixel=16,20"))

    def test_texels(self):
        self.same("sl@pixel=24,9")
        self.assertEqual(self.text("run.txt").count("\ntexel "), 4)
        self.assertGreater(self.text("textures.txt").count("texels "), 100)  # the whole texture
        # Without a cache each texel is a transfer: other clocks, the same colour.
        colour = self.text("run.txt").split("# colour")[1].splitlines()[0]
        self.same("sl@pixel=24,9", "--set", "sl.cache_lines=0", "--set", "sl.pipelines=1")
        self.assertEqual(self.text("run.txt").split("# colour")[1].splitlines()[0], colour)
        self.assertNotIn("\ntexel 0 ", self.text("run.txt"))

    def test_later_runs_are_other_runs(self):
        self.same("sl@pixel=16,20,run=0")
        first = self.text("run.txt")
        self.same("sl@pixel=16,20,run=1")
        self.assertNotEqual(first, self.text("run.txt"))

    def test_rays_are_answered(self):
        self.assertIn(", 2 rays asked for", self.same("sl@pixel=27,18"))
        lines = self.text("run.txt").splitlines()
        self.assertEqual(sum(line.startswith("# answer ") for line in lines), 2)
        # Another colour comes back: another colour is returned, and said.
        at = next(i for i, line in enumerate(lines) if line.startswith("# answer ")) + 1
        lines[at] = " ".join(lines[at].split()[:3] + ["3f800000", "3e800000", "3e000000"])
        self.put("run.txt", "\n".join(lines) + "\n")
        again = self.replay()
        self.assertEqual(again.returncode, 1)
        self.assertIn("register v0: ", again.stdout)

    def test_speed_settings_record_the_same(self):
        other = os.path.join(self.temporary.name, "other")
        self.dump("sl@pixel=27,18", "--engine", "tigershark", "--dsps", "8", "--set", "array.engine=scalar")
        self.dump("sl@pixel=27,18", "--engine", "tigershark", "--dsps", "8", "--set", "array.engine=simt", folder=other)
        self.assertEqual(contents(self.folder), contents(other))

    def test_another_program_in_the_same_surroundings(self):
        self.dump("sl@pixel=16,20")
        program = os.path.join(self.folder, "program.slc")
        self.assertEqual(self.replay(program).returncode, 0)
        other = os.path.join(self.temporary.name, "other.sl")
        with open(other, "w", encoding="utf-8") as file:
            file.write("sl 1.0\nmov v0, C0\nret\n")
        differs = self.replay(other)
        self.assertEqual(differs.returncode, 1, differs.stderr)
        self.assertIn("instructions: ", differs.stdout)

    def test_bad_lines(self):
        self.dump("sl@pixel=16,20")
        self.malformed("run.txt", "rtvp-run 1", (("read 1 0 12345678", "before any request"), ("form-clocks 31 1", "number up to 30"),
                                                 ("register q0 0", "which is no register"), ("result 1", "before any request")))
        self.malformed("textures.txt", "rtvp-run 1", (("texels 0 0", "pairs of hexadecimal digits"), ("pixels 0 00", "which is no line")))
        with open(os.path.join(self.folder, "program.slc"), "wb") as file:
            file.write(b"SLC1 but not really")
        done = self.replay()
        self.assertEqual(done.returncode, 2)
        self.assertIn("program.slc: ", done.stderr)

    def test_pixels_that_are_not_there(self):
        self.refused("sl@pixel=16,20,run=100000", "there was no pixel 16,20, run 100000")
        self.refused("sl@pixel=32,0", "expected one of a picture of 32 x 32")
        self.refused("sl@pixel=1", "expected @pixel=X,Y")
        self.refused("sl@pixel=1,2,3", "expected a unit and what of it")


    def test_waiting_for_others_is_no_runs_own(self):
        self.refused_where_units_wait("sl@pixel=16,20")

    def test_textures_that_are_more_than_a_folder_takes(self):
        """2049 x 2049 texels of four bytes: 16 MiB hold 2048 x 2048. Of a surface without it the folder is there."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        side = 2049
        texels = zlib.compress((b"\0" + bytes(side)) * side, 1)  # grey, rows unfiltered
        self.own("large.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)) +
                 chunk(b"IDAT", texels) + chunk(b"IEND", b""))
        self.own("s.shk", b"w 16\nh 16\ne 0 0 4\nlo 0 0 0\nu 0 1 0\nli 0 3 4 1 1 1\ntexture large large.png\n"
                          b"surface textured t0 large\nsphere -1 0 0 .9\nsurface toon\nsphere 1 0 0 .9\n")
        self.options = ("--depth", "1", "--engine", "reference", "--set", "sl.shader_path=" + os.path.join(os.path.abspath(SCENES), "shaders"))
        self.refused("sl@pixel=4,8", "sl, pixel 4,8, run 0: its textures have more than 16 MiB, expected a surface with smaller ones")
        self.same("sl@pixel=11,8")


class Object(Units):
    scene, options = "implicit_tanglecube.shk", ("--size", "24x24", "--depth", "2")
    tool, option = "sdf-tape", "--object"

    def test_eye_rays(self):
        said = self.same("implicit@object=0")
        self.assertEqual(self.text("unit.txt").count("\nleaf "), int(said.split(" leaves")[0].split()[-1]))

    def test_other_rays_seed_mode_and_slow_memory(self):
        self.same("implicit@object=0,run=1")
        self.same("implicit@object=0", "--set", "implicit.mode=seed", "--set", "implicit.memory_ns=50")
        self.same("implicit@object=0", "--set", "implicit.mode=brute", "--set", "implicit.cores=1", "--set", "implicit.lanes=8")

    def test_one_of_several(self):
        self.scene = "implicit_text.shk"
        self.same("implicit@object=0")

    def test_speed_settings_record_the_same(self):
        other = os.path.join(self.temporary.name, "other")
        self.dump("implicit@object=0,run=1")
        self.dump("implicit@object=0,run=1", "--set", "implicit.dmi=off", "--set", "implicit.quantum_us=0", folder=other)
        self.assertEqual(contents(self.folder), contents(other))

    def test_what_differs_is_told(self):
        self.dump("implicit@object=0")
        before, now = self.change("traced/job.txt", "fragments ", lambda line: "fragments %d" % (int(line.split()[1]) + 1))
        again = self.replay()
        self.assertEqual(again.returncode, 1)
        self.assertIn("traced: fragments: %s, recorded %s\n" % (before.split()[1], now.split()[1]), again.stdout)

    def test_bad_lines(self):
        self.dump("implicit@object=0")
        self.malformed("unit.txt", "rtvp-object 1", (("leaf 16 0 0 0", "number up to 15"), ("cores 65", "number up to 64"),
                                                     ("point-costs 1 2", "found the end of the line")))
        self.malformed(os.path.join("hull", "job.txt"), "rtvp-object 1", (("register NONE 0", "which is no register"), ("kind 4", "number up to 3")))
        self.malformed(os.path.join("traced", "memory.txt"), "rtvp-object 1", (("read 0 0g", "pairs of hexadecimal digits"),))

    def test_other_settings_in_the_same_surroundings(self):
        self.dump("implicit@object=0")
        self.change("traced/job.txt", "register STEP_LIMIT ", lambda line: "register STEP_LIMIT 00000100")
        again = self.replay()
        self.assertEqual(again.returncode, 1)
        self.assertNotIn("fault: ", again.stdout)
        self.assertRegex(again.stdout, r"traced: capped: \d+, recorded \d+")

    def test_objects_that_are_not_there(self):
        self.refused("implicit@object=1", "expected one of the scene's 1")
        self.refused("implicit@object=0,run=1000", "there was no object 0, run 1000")
        self.refused("implicit", "expected @object=N")

    def test_waiting_for_others_is_no_objects_own(self):
        self.refused_where_units_wait("implicit@object=0")

    def test_jobs_that_move_more_than_a_folder_takes(self):
        """A ball, and a little of the coordinates beyond thresholds, which each cell decides in its own way; behind it 1200 operations that
        none can leave out: each leaf has 10 KiB of program of its own."""
        lines = ["x var-x", "y var-y", "z var-z", "xx square x", "yy square y", "zz square z", "s add xx yy", "rr add s zz", "r sqrt rr",
                 "one const 1", "little const 1e-6", "f0 sub r one"]
        for n in range(96):
            lines += ["c%d const %g" % (n, (n // 3) * 3 / 32 - 1.49), "m%d max %s c%d" % (n, "xyz"[n % 3], n), "p%d mul m%d little" % (n, n),
                      "f%d add f%d p%d" % (n + 1, n, n)]
        for n in range(96, 696):
            lines += ["g%d add f%d x" % (n, n), "f%d sub g%d x" % (n + 1, n)]
        self.own("long.vm", ("\n".join(lines) + "\n").encode())
        self.own("s.shk", b"w 8\nh 8\ne 0 0 4\nlo 0 0 0\nu 0 1 0\nli 0 3 4 1 1 1\n"
                          b"implicit long.vm lipschitz 4 bounds -1.5 -1.5 -1.5 1.5 1.5 1.5\n")
        self.options = ("--depth", "1")
        self.refused("implicit@object=0", "implicit, object 0, run 0: its jobs move more than 16 MiB, expected a smaller picture")


if __name__ == "__main__":
    BIN, SCENES = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
