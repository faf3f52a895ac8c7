#!/usr/bin/env python3
"""Runs resumed half way and at 90 % give the bytes of the run that was never left, in the time that is allowed.

usage: checkpoint_test.py BIN_DIR SCENES_DIR quick|long|cost
quick, long: the scenarios of scenarios.json, and files that are no checkpoints (quick). cost: what resuming takes.
"""

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import unittest

BIN, SCENES, KIND = "", "", "quick"
HERE = os.path.dirname(os.path.abspath(__file__))


def scenarios():
    with open(os.path.join(HERE, "scenarios.json"), encoding="utf-8") as file:
        return json.load(file)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_platform(self, arguments, *more, status=0):
        scene, rest = os.path.join(SCENES, arguments[0]), arguments[1:]
        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([os.path.join(BIN, "platform"), scene, *rest, "--no-progress", *more], cwd=self.folder,
                              capture_output=True, text=True, timeout=900)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, status, done.stderr)
        done.seconds = end.ru_utime - begin.ru_utime + end.ru_stime - begin.ru_stime
        return done

    def outputs(self, arguments, *more):
        """Everything that a run leaves and that must not differ between equal runs, and the run."""
        wanted = ["-o", "a.png", "--stats", "a.json"]
        if "--spp" not in arguments and "--shade" not in arguments:
            wanted += ["--hits", "a.csv"]
        done = self.run_platform(arguments, *wanted, *more)
        with open(self.path("a.json"), encoding="utf-8") as file:
            stats = json.load(file)
        del stats["host"]
        summary = re.sub(r"[\d.e+-]+ \S+ on this computer|simulated at [\d.e+-]+ \S*MIPS", "", done.stdout)
        hits = read(self.path("a.csv")) if "--hits" in wanted else b""
        return {"picture": read(self.path("a.png")), "hits": hits, "statistics": stats, "summary": summary}, done

    def same(self, found, expected):
        for key, value in expected.items():
            if key != "statistics":
                self.assertEqual(found[key], value, key)
        for module in sorted(expected["statistics"]):
            self.compare(module, found["statistics"][module], expected["statistics"][module])

    def compare(self, where, found, expected):
        if isinstance(expected, dict) and isinstance(found, dict):
            self.assertEqual(list(found), list(expected), where)
            for key, value in expected.items():
                self.compare(where + "." + key, found[key], value)
        else:
            self.assertEqual(found, expected, where)


class Scenarios(Folder):
    def test_all(self):
        for scenario in scenarios():
            if scenario.get("quick", False) == (KIND == "quick"):
                with self.subTest(scenario["name"]):
                    self.check(scenario)

    def check(self, scenario):
        arguments, other = scenario["arguments"], scenario.get("resume", [])
        plain, _ = self.outputs(arguments)
        end = plain["statistics"]["simulated_time_ps"]
        times = [end // 2, end * 9 // 10]
        files = ["half.ckpt", "late.ckpt"]
        orders = [word for file, time in zip(files, times) for word in ("--checkpoint", "%s@%dps" % (file, time))]
        kept, done = self.outputs(arguments, *orders)
        self.same(kept, plain)
        points = [float(re.search(r"checkpoint %s at ([\d.]+) us" % file, done.stderr).group(1)) * 1e6 for file in files]
        self.assertTrue(points[0] < end or scenario.get("nothing_left"), "%s: half way is the end" % scenario["name"])
        if points[0] <= times[1]:  # once more from there
            resumed, _ = self.outputs(arguments, "--resume", "half.ckpt", "--checkpoint", "late.ckpt@%dps" % times[1])
            self.same(resumed, plain)
        for file in files:
            resumed, done = self.outputs(arguments, "--resume", file, *other)
            self.same(resumed, plain)
            self.assertIn("resumed " + file, done.stderr)


class Files(Folder):
    ARGUMENTS = ["cornell.shk", "--engine", "xphmg", "--size", "8x8", "--depth", "1"]

    def make(self):
        self.run_platform(self.ARGUMENTS, "-o", "a.png", "--checkpoint", "a.ckpt@1ns", "--quiet")
        return read(self.path("a.ckpt"))

    def refused(self, *more, arguments=None):
        done = self.run_platform(arguments or self.ARGUMENTS, "-o", "b.png", *more, status=2)
        self.assertFalse(os.path.exists(self.path("b.png")))
        return done.stderr

    def write(self, data):
        with open(self.path("b.ckpt"), "wb") as file:
            file.write(data)

    def test_damaged(self):
        whole = self.make()
        places = sorted(set(range(0, 300, 37)) | set(range(300, len(whole), max(1, len(whole) // 24))) | {len(whole) - 1})
        for place in places:
            with self.subTest("altered", place=place):
                self.write(whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1:])
                self.assertRegex(self.refused("--resume", "b.ckpt"), r"--resume: b\.ckpt: found .*, expected ")
        for place in places:
            with self.subTest("cut off", place=place):
                self.write(whole[:place])
                self.assertRegex(self.refused("--resume", "b.ckpt"), r"--resume: b\.ckpt: found .*, expected ")
        self.write(whole + b"x")
        self.assertRegex(self.refused("--resume", "b.ckpt"), r"something follows it")
        self.assertIn("no.ckpt", self.refused("--resume", "no.ckpt"))

    def test_another_run(self):
        self.make()
        changed = lambda *more: self.refused("--resume", "a.ckpt", *more)
        self.assertIn("a.ckpt is of another run: xphmg.clock_hz: found 1E6, expected 1E9", changed("--set", "xphmg.clock_hz=1e6"))
        self.assertIn("render.depth: found 2, expected 1", changed("--depth", "2"))
        self.assertIn("without --hits", changed("--hits", "b.csv"))
        self.assertIn("scene", self.refused("--resume", "a.ckpt", arguments=["spheres.shk"] + self.ARGUMENTS[1:]))
        self.assertIn('engine: found "theia", expected "xphmg"', self.refused("--resume", "a.ckpt", "--engine", "theia"))
        self.assertIn("before the time", changed("--checkpoint", "c.ckpt@0ps"))

    def test_what_does_not_go_together(self):
        order = ["--checkpoint", "a.ckpt@1us"]
        for more, text in [(["--hosts", "2"], "--hosts"), (["--debug"], "debugger"), (["--dap", "0"], "debugger"),
                           (["--engine", "reference"], "simulated time"), (["--set", "output.cost_map=m.csv"], "cost_map"),
                           (["--machines", "xphmg,theia", "--assign", "share"], "expected computer.strands=1"),
                           (["--machines", "xphmg,theia"], "no rays"),
                           (order, "twice")]:
            with self.subTest(text):
                arguments = [a for a in self.ARGUMENTS if "--machines" not in more or a not in ("--engine", "xphmg")]
                self.assertIn(text, self.refused(*order, *more, arguments=arguments))
        for wrong in ["a.ckpt", "a.ckpt@", "a.ckpt@5", "@5us", "a.ckpt@-1us", "a.ckpt@1e30s", "a.ckpt@nanus"]:
            self.assertIn("expected FILE@TIME", self.refused("--checkpoint", wrong))
        self.make()
        self.assertIn("output.trace", self.refused("--resume", "a.ckpt", "--trace", "a.vcd"))
        self.assertIn("is the scene", self.refused("--checkpoint", os.path.join(SCENES, "cornell.shk") + "@1us"))

    def test_a_time_behind_the_end(self):
        done = self.run_platform(self.ARGUMENTS, "-o", "a.png", "--checkpoint", "a.ckpt@1s", status=2)
        self.assertIn("no 'a.ckpt': the run was over at", done.stderr)
        self.assertTrue(os.path.exists(self.path("a.png")))
        self.assertFalse(os.path.exists(self.path("a.ckpt")))


class Cost(Folder):
    """Resuming costs at most the way to the first ray and a tenth of what was skipped (processor time)."""

    def test_cost(self):
        for scenario in scenarios():
            if "cost" not in scenario:
                continue
            with self.subTest(scenario["name"]):
                arguments = scenario["cost"]
                whole, done = self.outputs(arguments, "--checkpoint", "first.ckpt@0ps")
                first = float(re.search(r"checkpoint first.ckpt at ([\d.]+) us", done.stderr).group(1))
                end = whole["statistics"]["simulated_time_ps"]
                self.outputs(arguments, "--checkpoint", "end.ckpt@%dps" % (end * 99 // 100))
                ready = min(self.run_platform(arguments, "-o", "a.png", "--set", "run.limit_ms=%.9f" % (first / 1000), "--quiet",
                                              status=4).seconds for _ in range(3))
                resumed = min(self.outputs(arguments, "--resume", "end.ckpt")[1].seconds for _ in range(3))
                skipped = done.seconds - ready
                print("%s: all %.2f s, to the first ray %.2f s, from 99 %% on %.2f s" %
                      (scenario["name"], done.seconds, ready, resumed))
                self.assertLessEqual(resumed, ready + 0.1 * skipped)


if __name__ == "__main__":
    BIN, SCENES, KIND = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
    if KIND == "quick":
        suites = [Scenarios, Files]
    else:
        suites = [Scenarios] if KIND == "long" else [Cost]
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(s) for s in suites)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
