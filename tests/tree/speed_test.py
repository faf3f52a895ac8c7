#!/usr/bin/env python3
"""Scripts that make tables of docs/performance.md: what they make of what programs print, against figures counted otherwise, and what they refuse.

Programs are made for it; nothing of the build runs.
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS / "speed"))

import page  # noqa: E402
import runs  # noqa: E402

NAMES = ("c32-speed", "large-pages", "load-speed", "real-time", "shade-speed", "systemc-cost", "thread-speed", "walk-speed", "xphmg-speed")


def script(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def cells(table):
    """The figures of a table, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def ended(user=0.0, elapsed=0.0, faults=0, instructions=0):
    return runs.Run("platform", user, elapsed, faults, "", "", 0, {"modules": {"pc0": {"board0": {"array": {"instructions": instructions}}}}})


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text):
        """One of Python, in the folder of programs."""
        file = self.folder / name
        file.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{text}")
        file.chmod(0o755)
        return file

    def refused(self, words, call, *arguments):
        with self.assertRaises(SystemExit) as stop:
            call(*arguments)
        self.assertRegex(str(stop.exception), words)


class Page(Case):
    def setUp(self):
        super().setUp()
        self.page = self.folder / "performance.md"
        patch = mock.patch.object(page, "PAGE", self.page)
        patch.start()
        self.addCleanup(patch.stop)

    def test_text_goes_between_two_marks_and_nowhere_else(self):
        self.page.write_text("a\n\n<!-- x -->\nold\n<!-- x -->\n\n<!-- x y -->\nb <!-- x y -->\n")
        page.write("<!-- x -->", "new\n")
        self.assertEqual(self.page.read_text(), "a\n\n<!-- x -->\n\nnew\n\n<!-- x -->\n\n<!-- x y -->\nb <!-- x y -->\n")

    def test_other_numbers_of_marks_are_refused_before_anything_runs(self):
        for count in (0, 1, 3):
            self.page.write_text("<!-- x -->\n" * count)
            with self.subTest(count):
                self.refused(f"found {count} of the mark <!-- x -->, expected two", page.publish, "s", "<!-- x -->", self.fail, True)

    def test_a_table_is_printed_and_kept_on_request_only(self):
        self.page.write_text("<!-- x --><!-- x -->")
        for keep in (False, True):
            with mock.patch("builtins.print") as printed:
                page.publish("s --engine x", "<!-- x -->", lambda: "| a |\n", keep, "Two turns.")
            text = printed.call_args[0][0]
            commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
            said = re.fullmatch(r"By `scripts/s --engine x`, \d{4}-\d\d-\d\d, commit ([0-9a-f]{7,40})(, with changes since)?; .+ processors?, .*; "
                                r"load \d+\.\d at the begin\. Two turns\.\n\n\| a \|\n", text)
            self.assertTrue(said, text)
            self.assertTrue(commit.startswith(said[1]), commit)
            self.assertEqual(self.page.read_text(), f"<!-- x -->\n\n{text}\n<!-- x -->" if keep else "<!-- x --><!-- x -->")

    def test_what_is_in_no_commit_is_said(self):
        (self.folder / "docs").mkdir()
        for file in ("a.cpp", "docs/a"):
            (self.folder / file).write_text("1")
        for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a")):
            subprocess.run(["git", *words], cwd=self.folder, check=True, env={**os.environ, "HOME": str(self.folder)})
        with mock.patch.object(page, "ROOT", self.folder):
            (self.folder / "docs/a").write_text("2")  # tables that were written before
            self.assertNotIn("changes", page.origin("s"))
            (self.folder / "a.cpp").write_text("2")
            self.assertIn(", with changes since;", page.origin("s"))
        with mock.patch.object(page, "ROOT", pathlib.Path("/")):
            self.refused("git rev-parse says: .*; expected a clone", page.origin, "s")

    def test_turns(self):
        for text, status in (("0", 2), ("-1", 2), ("1.5", 2), ("x", 2), ("1", None)):
            with self.subTest(text), mock.patch("sys.stderr"):
                parser = page.parser("words", turns=7)
                self.assertEqual(parser.parse_args([]).turns, 7)
                if status is None:
                    self.assertEqual(parser.parse_args(["--turns", text]).turns, 1)
                else:
                    with self.assertRaises(SystemExit) as stop:
                        parser.parse_args(["--turns", text])
                    self.assertEqual(stop.exception.code, status)


class Programs(Case):
    def test_user_time_is_what_the_process_counts_itself(self):
        burn = self.program("burn", "while os.times().user < 0.4: pass\ntime.sleep(0.3)\nprint(os.times().user)")
        run = runs.timed(burn)
        self.assertAlmostEqual(run.user, float(run.printed), delta=0.05)
        self.assertGreaterEqual(run.elapsed, 0.7)

    def test_faults_are_what_the_process_counts_itself(self):
        touch = "import mmap, resource\nm = mmap.mmap(-1, {0} * mmap.PAGESIZE)\nm.madvise(mmap.MADV_NOHUGEPAGE)\n" \
                "for i in range({0}): m[i * mmap.PAGESIZE] = 1\nu = resource.getrusage(resource.RUSAGE_SELF)\nprint(u.ru_minflt + u.ru_majflt)"
        few, many = (runs.timed(self.program(f"touch{n}", touch.format(n))) for n in (10, 3010))
        for run in (few, many):
            self.assertAlmostEqual(run.faults, int(run.printed), delta=100)  # its end has some more
        self.assertAlmostEqual(many.faults - few.faults, 3000, delta=200)

    def test_one_that_fails_or_does_not_start(self):
        run = runs.timed(self.program("ends", "print('why', file=sys.stderr)\nsys.exit(3)"))
        self.assertEqual(run.status, 3)
        self.refused(r"`ends` ended with 3:\nwhy", runs.good, run)
        (self.folder / "text").write_text("x")
        self.refused("text` did not start: Permission denied", runs.timed, self.folder / "text")
        self.refused("found no .*/nothing, expected a release build: scripts/build release", runs.program, self.folder, "nothing")

    def test_figures_of_statistics(self):
        run = ended(instructions=7)
        self.assertEqual(run.figure("modules.pc0.board0.array.instructions"), 7)
        self.refused(r"found no simulated_time_ps .*\(simulated_time_ps is not there\)", lambda: run.simulated)
        self.refused(r"found no modules.pc0.board1.array in .*\(board1 is not there\)", run.figure, "modules.pc0.board1.array")
        self.refused(r"found modules.pc0.board0.array = {.*expected a number", run.figure, "modules.pc0.board0.array")
        run.stats = {"simulated_time_ps": 25_000_000_000}
        self.assertAlmostEqual(run.simulated, 0.025)  # 10^12 ps are a second

    def test_mips(self):
        for printed, value in (("x 1\nwalk_mips 12.5\n", 12.5), ("walk_mips 1e+03\n", 1000)):
            self.assertEqual(runs.mips([self.program("p", f"print({printed!r})")], "walk_mips"), value)
        for printed in ("", "walk_mips\n", "walk_mips nan\n", "walk_mips inf\n", "walk_mips -3\n", "walk_mips 0\n", "walk_mips 3x\n", "shade_mips 3\n"):
            with self.subTest(printed):
                self.refused("expected 'walk_mips NUMBER', a number above 0", runs.mips, [self.program("p", f"print({printed!r})")], "walk_mips")
        self.assertIsNone(runs.mips([self.program("p", "sys.exit('array.isa: this host cannot run avx512')")], "walk_mips"))
        self.refused("ended with 1:\nother", runs.mips, [self.program("p", "sys.exit('other')")], "walk_mips")

    def test_digits(self):
        for value, text in ((0, "0"), (0.00842, "0.0084"), (0.0996, "0.10"), (0.32, "0.32"), (0.996, "1.0"), (2.177, "2.18"), (9.996, "10.0"),
                            (21.24, "21.2"), (99.96, "100"), (204.4, "204"), (1275.2, "1,275"), (1e6, "1,000,000")):
            self.assertEqual(runs.digits(value), text)

    def test_tables(self):
        self.assertEqual(runs.table(["a", "b"], [["x", 1], ["y", 2]]), "| a | b |\n|---|---:|\n| x | 1 |\n| y | 2 |\n")


PLATFORM = """
given = sys.argv[1:]
while os.times().user < 0.2: pass
open(given[given.index('--stats') + 1], 'w').write(STATS)
with open(LOG, 'a') as log: print(json.dumps([os.times().user, given]), file=log)
"""


class RealTime(Case):
    def setUp(self):
        super().setUp()
        self.real_time = script("real-time")
        self.real_time.RUNS = {"sl": ["a.shk --size 8x8"], "implicit": ["b/c.sdf --size 8x8 --depth 1"]}

    def platform(self, stats):
        return self.program("platform", PLATFORM.replace("STATS", stats).replace("LOG", repr(str(self.folder / "log"))))

    def logged(self):
        return [json.loads(line) for line in (self.folder / "log").read_text().splitlines()]

    def test_the_factor_is_simulated_time_over_the_processes_own_count(self):
        self.platform("json.dumps({'simulated_time_ps': 50_000_000_000})")  # 50 ms
        for engine, options, words in (("sl", ["--size", "8x8", "--engine", "reference", "--shade", "sl"], "a, --size 8x8"),
                                       ("implicit", ["--size", "8x8", "--depth", "1", "--engine", "implicit"], "b/c, --size 8x8 --depth 1")):
            (self.folder / "log").write_text("")
            (row,) = cells(self.real_time.whole_runs(engine, 3, self.folder))
            each = self.logged()
            self.assertEqual(len(each), 3)
            self.assertEqual(each[0][1][1:1 + len(options)], options)
            used = sorted(user for user, _ in each)[1]
            self.assertEqual(row[:2], [words, "50.0"])
            self.assertAlmostEqual(float(row[2]), used * 1e3, delta=40)
            self.assertAlmostEqual(float(row[3]), 0.050 / used, delta=0.05)

    def test_what_is_refused(self):
        for stats, words in (("'{'", "found no statistics .*expected a file of JSON"), ("'{}'", "found no simulated_time_ps"),
                             ("'{\"simulated_time_ps\": null}'", "found simulated_time_ps = null .*expected a number"),
                             ("json.dumps({'simulated_time_ps': time.monotonic_ns()})", "expected the same in every run")):
            self.platform(stats)
            with self.subTest(stats):
                self.refused(words, self.real_time.whole_runs, "sl", 2, self.folder)


class ShadeSpeed(Case):
    def setUp(self):
        super().setUp()
        self.shade = script("shade-speed")

    def test_mips_of_the_difference(self):
        # 600 and 1700 million instructions; medians 0.5 and 1.5 s: 1200 million a second without, 1100 million more in 1.0 s.
        without = [ended(user=t, instructions=600_000_000) for t in (0.5, 0.4, 0.9)]
        shaded = [ended(user=t, instructions=1_700_000_000) for t in (1.6, 1.5, 1.1)]
        self.assertEqual(self.shade.whole_row(64, without, shaded), [64, "0.500", "1.500", "**1,100**", "1,200", "1.09"])

    def test_what_is_refused(self):
        slow, fast = ended(user=2, instructions=10), ended(user=1, instructions=10)
        self.refused("expected more of both with it", self.shade.whole_row, 16, [slow], [fast])
        self.refused("expected more of both with it", self.shade.whole_row, 16, [fast], [slow])  # as many instructions
        self.refused("expected more of both with it", self.shade.whole_row, 16, [ended(user=0, instructions=1)], [ended(user=1, instructions=2)])
        self.refused("expected the same in every run", self.shade.whole_row, 16, [fast, ended(user=1, instructions=11)], [slow, slow])

    def alone(self, lacking, turns=1):
        """The fake programs' MIPS: 1000 of marble, 500 of wood, 1500 of the walk, twice as many on the second call, and so on."""
        text = (f"kind, lanes = sys.argv[1:3]\nif kind in {lacking!r}: sys.exit('array.isa: this host cannot run ' + kind)\n"
                f"log = {str(self.folder / 'log')!r} + '-'.join(sys.argv[2:])\nopen(log, 'a').write('x')\nagain = os.path.getsize(log)\n")
        self.program("callgrind_shade", text + "print('shade_mips', {'marble': 1000, 'wood': 500}[sys.argv[3]] * again)")
        self.program("callgrind_walk", text + "print('walk_mips', 1500 * again)")
        return self.shade.alone(self.folder, turns)

    def test_the_shader_beside_the_walk(self):
        found, name = self.alone([])
        self.assertEqual(name, "AVX-512")
        text = self.shade.alone_table(found, name)
        self.assertIn("AVX-512, simulated MIPS", text)
        # Which set is usable has been asked with marble on 16 DSPs, so that this one is on its second call.
        self.assertEqual(cells(text), [["16", "**2,000**", "**500**", "1,500", "0.75", "3.00"], ["64", "**1,000**", "**500**", "1,500", "1.50", "3.00"],
                                       ["512", "**1,000**", "**500**", "1,500", "1.50", "3.00"]])

    def test_one_turn_in_three_that_is_off_does_not_count(self):
        found, _ = self.alone([], 3)
        self.assertEqual([found[n, s] for n in (16, 64) for s in ("marble", "wood", "walk")], [3000, 1000, 3000, 2000, 1000, 3000])

    def test_the_widest_set_that_the_host_has(self):
        self.assertEqual(self.alone(["avx512", "avx2"])[1], "SSE4.2")
        self.refused("found no instruction set that this host can run, expected one of AVX-512, AVX2, SSE4.2", self.alone, ["avx512", "avx2", "sse42"])


BENCH = """bunny.shk: 3674 triangles, 1048576 rays; a ray: 4.82 tiles, 3.19 triangles, 13.02 accesses of the queue
  core, avx512         {0} M rays/s, Embree  {1} x; hits differing from the first: 0
  core, step by step    4.64 M rays/s, Embree  2.55 x; hits differing from the first: 0
  queue, DMI            8.19 M rays/s, Embree  1.44 x; hits differing from the first: 0
  Embree 3.13.5        11.83 M rays/s; differing from the first: hit/miss 0, primitive 2341, t beyond 1e-4 1
"""
OTHER = BENCH.replace("bunny", "dragon 4").replace("3674", "11102")


class XphmgSpeed(Case):
    def setUp(self):
        super().setUp()
        self.xphmg = script("xphmg-speed")

    def test_medians_and_extremes(self):
        each = [self.xphmg.sides(BENCH.format(*pair) + OTHER.format("1.00", "3.00")) for pair in
                (("11.00", "1.10"), (" 9.00", "1.30"), ("10.00", "1.05"), ("12.00", "1.15"), ("10.50", "1.12"))]
        text = self.xphmg.table(each)
        self.assertIn("bunny: 3,674 triangles, 1,048,576 rays; 4.82 tiles, 3.19 triangles and 13.02 accesses a ray; against Embree hit or miss differs "
                      "in 0 pixels, the primitive in 2,341, the distance (beyond 1e-4 of it) in 1.\ndragon 4: 11,102 triangles", text)
        self.assertEqual(cells(text), [["core, AVX-512", "10.5", "**1.12**", "1.05, 1.30", "1.00", "**3.00**", "3.00, 3.00"],
                                       ["core, step by step (any other port than one with a window)", *["4.64", "**2.55**", "2.55, 2.55"] * 2],
                                       ["queue, DMI", *["8.19", "**1.44**", "1.44, 1.44"] * 2], ["Embree 3.13.5", "11.8", "", "", "11.8", "", ""]])

    def test_what_is_refused(self):
        good = BENCH.format("11.00", "1.10")
        embree = good.splitlines(True)[-1]
        for text, words in (
                ("", "found no scene"), (good.replace(embree, ""), "bunny.shk: found 3 sides and no line of Embree, expected both"),
                (good.splitlines(True)[0] + embree, "found 0 sides and a line of Embree"), (embree, "line 1 of its output: found '  Embree 3"),
                (good.replace("4.64", "x"), "line 3 of its output: found '  core, step by step"), (good.replace("4.64", "0.00"), "found '0.00' in .*above 0"),
                (good.replace("4.64", "4.6.4"), "found '4.6.4' in"), (good.replace("1.44 x; hits differing from the first: 0", "1.44 x; hits differing from the first: 17"),
                                                                   "bunny.shk, 'queue, DMI': found 17 hits that are not the core's, expected none"),
                (good + good, "found the scene bunny.shk twice"), (good + OTHER.format(1, 1).replace("queue, DMI", "queue, XYZ"), "found other sides"),
                (good.replace(embree, "  Embree was not found when this was built\n"), "built without Embree, expected one with it: libembree-dev"),
                (good + "words\n", "line 6 of its output: found 'words'")):
            with self.subTest(words):
                self.refused(words, self.xphmg.sides, text)

    def test_runs_that_find_other_things_are_refused(self):
        good = BENCH.format("11.00", "1.10")
        for changed in (good.replace("2341", "2342"), good.replace("3674", "3675"), good.replace("3.13.5", "3.13.6"), good.replace("queue, DMI", "queue, D"),
                        good + OTHER.format(1, 1)):
            self.refused("bench_xphmg: run 2 found .*, expected what the first found", self.xphmg.table, [self.xphmg.sides(good), self.xphmg.sides(changed)])

    def test_a_scene_that_is_none(self):
        done = subprocess.run([SCRIPTS / "xphmg-speed", "nowhere.shk"], capture_output=True, text=True)
        self.assertEqual((done.returncode, "found no nowhere.shk, expected a scene" in done.stderr), (2, True), done.stderr)


class LargePages(Case):
    def setUp(self):
        super().setUp()
        self.pages = script("large-pages")

    def test_the_kernels_switch(self):
        self.assertEqual(self.pages.granted("always [madvise] never\n"), "madvise")
        self.assertEqual(self.pages.granted("[always] madvise never\n"), "always")
        for text in ("always madvise [never]\n", "no such file", ""):
            self.refused(r"found '.*', expected \[madvise\] or \[always\]", self.pages.granted, text)

    def test_medians(self):
        turns = [(ended(user=u, elapsed=e, faults=f), ended(user=u / 2, elapsed=e / r, faults=f // 10))
                 for u, e, f, r in ((0.6, 0.8, 15000, 2.0), (0.4, 1.2, 15010, 1.5), (0.5, 0.6, 14990, 1.25))]
        # Of the elapsed times with large pages, 0.4, 0.8 and 0.48 s, the median is no ratio of anything.
        self.assertEqual(self.pages.row("x.shk", turns), ["`x.shk`", "0.500 → **0.250**", "0.800 → **0.480**", "**1.50** (1.25, 2.00)", "15,000 → **1,500**"])

    def test_the_kernel_says_so_itself(self):
        if "THP_enabled:" not in pathlib.Path("/proc/self/status").read_text():
            self.skipTest("this kernel does not say who may have large pages")
        self.program("platform", f"with open({str(self.folder / 'log')!r}, 'a') as log: "
                                 "log.write([l for l in open('/proc/self/status') if l.startswith('THP_enabled')][0])")
        for pages in (False, True, False):
            self.pages.one(self.folder, "x.shk", pages)
        self.assertEqual((self.folder / "log").read_text().split(), [w for n in "010" for w in ("THP_enabled:", n)])
        self.assertIn("THP_enabled:\t1", pathlib.Path("/proc/self/status").read_text())  # of this process, as before


class Loads(Case):
    def test_files_have_the_same_mesh(self):
        load = script("load-speed")
        points, faces = load.wave(2)
        self.assertEqual((len(points), len(faces)), (9, 8))
        self.assertEqual(faces[:3], [(0, 1, 4), (0, 4, 3), (1, 2, 5)])
        self.assertEqual((points[0][0], points[0][2], points[-1][0], points[-1][2]), (-1, -1, 1, 1))
        load.write_obj(self.folder / "a.obj", points, faces)
        lines = (self.folder / "a.obj").read_text().splitlines()
        self.assertEqual([lines[0].split()[0], lines[9], lines[16]], ["v", "f 1 2 5", "f 5 9 8"])
        load.write_ply(self.folder / "a.ply", points, faces)
        raw = (self.folder / "a.ply").read_bytes()
        head, _, body = raw.partition(b"end_header\n")
        self.assertIn(b"element vertex 9\n", head)
        self.assertIn(b"element face 8\n", head)
        self.assertEqual(len(body), 9 * 12 + 8 * 13)
        self.assertEqual(body[9 * 12:9 * 12 + 13], b"\3" + b"".join(n.to_bytes(4, "little") for n in (0, 1, 4)))

    def test_a_row_is_a_file_and_a_number_of_threads(self):
        # Two threads take half as long.
        self.program("platform", "time.sleep(0.4 / int(sys.argv[sys.argv.index('--set') + 1].split('=')[1]))")
        text = script("load-speed").measured(self.folder, 1000, 1)
        self.assertIn("968 triangles, 529 corners.", text)
        found = cells(text)
        self.assertEqual([(row[0], row[2]) for row in found], [("OBJ", "1"), ("OBJ", "2"), ("PLY", "1"), ("PLY", "2")])
        self.assertGreater(float(found[0][3].strip("*")), 1.4 * float(found[1][3].strip("*")))


class Published(unittest.TestCase):
    def test_every_table_has_its_place_and_its_origin(self):
        marks = set(re.findall(r"<!-- [a-z0-9 -]+ -->", (ROOT / "docs/performance.md").read_text()))
        wanted = {f"<!-- {name} -->" for name in ("real-time", "c32-mips", "c32-mame", "c32-instructions", *(f"real-time {e}" for e in script("real-time").RUNS))}
        for name in set(NAMES) - {"c32-speed", "real-time"}:
            wanted |= {value for key, value in vars(script(name)).items() if key.endswith("MARK")}
        self.assertEqual(marks, wanted)
        for mark in wanted - {"<!-- c32-instructions -->"}:
            text = (ROOT / "docs/performance.md").read_text()
            with self.subTest(mark):
                page.around(mark)
                self.assertRegex(text.split(mark)[1], r"^\n\nBy `scripts/[a-z0-9-]+[^`]*`, 20\d\d-\d\d-\d\d, commit [0-9a-f]{7,}")

    def test_help_and_refusals(self):
        for name in NAMES:
            with self.subTest(name):
                told = subprocess.run([SCRIPTS / name, "--help"], capture_output=True, text=True)
                self.assertEqual(told.returncode, 0, told.stderr)
                for words in (f"scripts/{name} ", f"scripts/{name} --write", "elease build"):
                    self.assertIn(words, told.stdout)
                self.assertEqual(subprocess.run([SCRIPTS / name, "--nothing"], capture_output=True).returncode, 2)
                lacking = subprocess.run([SCRIPTS / name, "--bin", "/nowhere"], capture_output=True, text=True)
                self.assertEqual(lacking.returncode, 1)
                self.assertRegex(lacking.stderr, rf"^{name}: (found no /nowhere/\w+, expected a release build|/sys/kernel.*expected)")


if __name__ == "__main__":
    unittest.main()
