#!/usr/bin/env python3
"""SL shaders under the debugger, their profile and coverage, by sl-run and in the platform: what each line does is what
--trace says, sums are those of the statistics.

usage: sl_debug_test.py BIN_DIR
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from dap_client import Client
from small_scene import read

BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

# The sum of 1 to 4 by a loop, then a texture and a ray.
SHADER = """\
sl 1.0
# loop.sl
li s0, 0.0
li s1, 0.0
li s2, 1.0
li s3, 4.0
add s1, s1, s2
add s0, s0, s1
blt s1, s3, -3
jmp 1
mov r1, C1
lookup r0, t0, uv
trace r2, Pw, N
lc x v0, s0
add v0, v0, r2
"""
LINES = SHADER.splitlines()
CODE = [n for n, line in enumerate(LINES, 1) if line and not line.startswith(("#", "sl "))]  # line of each instruction

SCENE = """\
w 8
h 6
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
surface loop C0 [1 1 1]
t -4 0 -4  -4 0 4  4 0 4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
surface other C0 [1 1 1]
t .5 0 0  1.5 0 0  1 1.8 .3
"""
OTHER = "sl 1.0\nmov v0, C0\n"


def line_of(text):
    return next(n for n, line in enumerate(LINES, 1) if text in line)


def run(*command, status=0, **more):
    done = subprocess.run(list(command), capture_output=True, text=True, check=False, timeout=100, **more)
    assert done.returncode == status, "%s: status %d, %s" % (command, done.returncode, done.stderr)
    return done


def parse_callgrind(text):
    events = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    totals = dict(zip(events, map(int, re.search(r"^totals: (.*)$", text, re.M).group(1).split())))
    lines = collections.defaultdict(lambda: dict.fromkeys(events, 0))
    units = collections.defaultdict(lambda: dict.fromkeys(events, 0))
    file = unit = None
    for line in text.splitlines():
        if line.startswith("fl="):
            file = line[3:]
        elif line.startswith("ob="):
            unit = line[3:]
        elif re.match(r"\d+ ", line):
            number, *costs = map(int, line.split())
            for event, cost in zip(events, costs):
                lines[os.path.basename(file), number][event] += cost
                units[unit][event] += cost
    return totals, lines, units


class Sl(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        for name, text in (("loop.sl", SHADER), ("other.sl", OTHER), ("s.shk", SCENE)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    @staticmethod
    def sl_run(*arguments, status=0, **more):
        return run(BIN + "/sl-run", "loop.sl", "--set", "N=0,0,1", "--traced", ".5,.5,.5", *arguments, status=status, **more)

    def says(self, *commands):
        return self.sl_run(*[word for c in commands for word in ("-x", c)]).stdout

    # ---- the debugger

    def test_lines_steps_and_values(self):
        add = line_of("add s0, s0, s1")
        said = self.says("break loop.sl:%d; run; print s1; print s0; step; print s0; print s0.u" % add)
        self.assertIn("breakpoint 1 at 0005 loop+5 (loop.sl:%d)\n%d\tadd s0, s0, s1\n" % (add, add), said)
        self.assertTrue(said.endswith("%d\tblt s1, s3, -3\n1\n000000003f800000  1065353216\n" % (add + 1)), said)
        self.assertIn("loop.sl:%d)" % CODE[0], self.says("where"))
        self.assertRegex(self.says("regs"), r"N   \(0, 0, 1\)")

    def test_conditions_watches_and_the_symbol(self):
        said = self.says("break loop+5 if s1 == 3; run; print s0; delete; watch s0 if new > 9; run; print s0 + 0")
        self.assertIn("\n3\n", said)
        self.assertTrue(said.endswith("\n10\n"), said)
        self.assertIn("is 7", self.says('break loop+5 skip 3 log "is {s0 + s1 - 3}"; run'))
        self.assertIn("15\tadd v0, v0, r2", self.says("run 20 instructions"))

    def test_backwards(self):
        said = self.says("watch s0; run; run; print s0; print instructions; reverse-continue; print s0; reverse-step 2",
                         "print instructions; reverse-continue; run; print s0")
        self.assertIn("no stop before: the beginning", said)
        numbers = re.findall(r"^(?:[0-9a-f]+  )?(\d+)$", said, re.M)
        self.assertEqual(numbers, ["3", "9", "1", "4", "1"])
        self.assertIn("this is the beginning", self.sl_run("-i", input="reverse-step\nquit\n").stdout)
        # All the way back and on again is the run that it was.
        plain = self.sl_run().stdout
        self.assertTrue(self.says("run", "reverse-step 7", "reverse-continue", "run").endswith(plain))

    def test_changes_count(self):
        said = self.says("break loop.sl:%d; run; set s3 = 2; delete; run" % line_of("blt"))
        self.assertIn("\nv0  (3.5, 0.5, 0.5)\n", said)
        said = self.says("break loop.sl:%d; run; set PC = 8; set v0_y = 2; delete; run" % line_of("lookup"))
        self.assertIn("\nv0  (10.5, 2.5, 0.5)\n", said)
        self.assertIn("cannot be written", self.sl_run("-i", input="set [0] = 1\nquit\n").stdout)

    def test_sessions(self):
        with open("c.txt", "w", encoding="utf-8") as file:
            file.write("tbreak loop.sl:%d\nrun\n" % line_of("trace"))
        self.assertIn("trace r2", self.sl_run("--commands", "c.txt").stdout)
        for wrong, word in ((["-x", "brek"], "expected a command"), (["-x", "break loop.sl:99"], "99"),
                            (["--dap", "0", "-i"], "one of"), (["--dap", "x"], "--dap"), (["--commands", "no.txt"], "no.txt"),
                            (["-i", "--profile", "p.txt"], "without")):
            self.assertIn(word, self.sl_run(*wrong, status=2).stderr)
        self.assertIn("at the budget", run(BIN + "/sl-run", self.endless(), "-x", "run").stdout)

    @staticmethod
    def endless():
        with open("endless.sl", "w", encoding="utf-8") as file:
            file.write("sl 1.0\nmov v0, C0\njmp -1\n")
        return "endless.sl"

    def test_an_editor(self):
        c = Client([BIN + "/sl-run", "loop.sl"], self.folder.name)
        try:
            c.begin()
            self.assertEqual(c.ask("threads")["threads"], [{"id": 1, "name": "sl"}])
            line = line_of("add s0")
            (b,) = c.ask("setBreakpoints", source={"path": os.path.join(self.folder.name, "loop.sl")},
                         breakpoints=[{"line": line, "condition": "s1 == 2"}])["breakpoints"]
            self.assertTrue(b["verified"])
            c.ask("configurationDone")
            self.assertEqual(c.stop()["reason"], "breakpoint")
            frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]
            self.assertEqual((frame["name"], frame["line"]), ("loop+5", line))
            self.assertEqual(c.ask("evaluate", expression="s1", frameId=frame["id"])["result"].split()[-1], "2")
            c.ask("next", threadId=1)
            c.stop()
            self.assertEqual(c.ask("stackTrace", threadId=1)["stackFrames"][0]["line"], line + 1)
            c.ask("stepBack", threadId=1)
            c.stop()
            self.assertEqual(c.ask("stackTrace", threadId=1)["stackFrames"][0]["line"], line)
            c.ask("reverseContinue", threadId=1)
            c.stop()
            self.assertEqual(c.ask("stackTrace", threadId=1)["stackFrames"][0]["line"], CODE[0])
            self.assertEqual(c.stops(), 4)
            c.ask("setBreakpoints", source={"path": os.path.join(self.folder.name, "loop.sl")}, breakpoints=[])
            c.ask("continue", threadId=1)
            self.assertEqual(c.event("exited")["exitCode"], 0)
            self.assertEqual(c.end(), 0)
        finally:
            c.close()

    # ---- profile and coverage

    def test_lines_are_those_of_the_trace(self):
        counts = collections.Counter(CODE[int(m)] for m in re.findall(r"^ +(\d+)  [0-9a-f]{16}", self.sl_run("--trace").stdout,
                                                                      re.M))
        self.assertEqual(counts[line_of("blt")], 4)
        self.sl_run("--profile", "p.callgrind", "--coverage", "p.info")
        totals, lines, _ = parse_callgrind(read("p.callgrind"))
        self.assertEqual({n: c["instructions"] for (_, n), c in lines.items()}, counts)
        self.assertEqual(totals["cycles"], totals["executing"])
        covered = {int(n): int(c) for n, c in re.findall(r"^DA:(\d+),(\d+)$", read("p.info"), re.M)}
        self.assertEqual(covered, {n: counts[n] for n in CODE})
        self.assertEqual(covered[line_of("mov r1")], 0)
        plain, watched = self.sl_run().stdout, self.sl_run("--profile", "x.txt").stdout
        self.assertEqual(plain, watched)
        if shutil.which("callgrind_annotate"):
            self.assertIn("loop", run("callgrind_annotate", "--auto=no", "p.callgrind").stdout)
        if shutil.which("genhtml"):
            run("genhtml", "-o", "html", "p.info")

    def test_refused(self):
        run(BIN + "/sl-as", "-o", "loop.slc", "loop.sl")
        for file, wrong, word in (("loop.slc", ["--coverage", "x.info"], ".sl"), ("loop.sl", ["--profile", "x.doc"], ".callgrind"),
                                  ("loop.sl", ["--profile", "no/x.txt"], "no/x.txt"),
                                  ("loop.sl", ["--profile", "x.txt", "--coverage", "x.txt"], "x.txt")):
            self.assertIn(word, run(BIN + "/sl-run", file, *wrong, status=2).stderr)
        self.assertIn("loop", run(BIN + "/sl-run", "loop.slc", "--profile", "-").stdout)

    @staticmethod
    def platform(*arguments, status=0):
        return run(BIN + "/platform", "s.shk", "--no-progress", "--engine", "reference", "--shade", "sl", "--set",
                   "sl.shader_path=.", "-o", "o.png", *arguments, status=status)

    def test_in_the_platform(self):
        self.platform("--stats", "plain.json", "--quiet")
        with open("o.png", "rb") as picture:
            plain = picture.read()
        self.platform("--stats", "s.json", "--quiet", "--profile", "p.callgrind", "--coverage", "p.info", "--set",
                      "profile.units=each")
        with open("o.png", "rb") as picture:
            self.assertEqual(picture.read(), plain)
        modules = json.loads(read("s.json"))["modules"]
        self.assertEqual(modules, json.loads(read("plain.json"))["modules"])
        sl = modules["pc0"]["sl"]
        totals, lines, units = parse_callgrind(read("p.callgrind"))
        self.assertEqual(len(units), 4)
        for name, costs in units.items():
            pipeline = sl[name.split(".")[1]]
            self.assertEqual(costs["cycles"], pipeline["cycles"])
            self.assertEqual(costs["instructions"], pipeline["instructions"])
            self.assertEqual(costs["executing"], pipeline["cycles_busy"])
            for cause in ("request", "texture", "result", "port", "idle"):
                self.assertEqual(costs[cause], pipeline["cycles_" + cause], cause)
        at = {n: c for (file, n), c in lines.items() if file == "loop.sl"}
        runs = at[line_of("li s0")]["instructions"]
        self.assertGreater(runs, 0)
        self.assertEqual(at[line_of("blt")]["instructions"], 4 * runs)
        self.assertEqual(at[line_of("trace")]["instructions"], runs)
        self.assertEqual(runs + lines["other.sl", 2]["instructions"], sl["runs"])
        self.assertGreater(at[line_of("li s0")]["request"], 0)
        info = read("p.info")
        self.assertIn("loop.sl\n", info)
        self.assertIn("DA:%d,0\n" % line_of("mov r1"), info)
        self.platform("--quiet", "--profile", "one.txt", "--set", "trace.modules=sl.pipeline1")
        self.assertIn("sl, 1 unit: %d cycles" % sl["pipeline1"]["cycles"], read("one.txt"))

    def test_runs_over_the_budget_are_a_warning(self):
        shutil.copy(self.endless(), "loop.sl")
        done = self.platform("--stats", "s.json")
        sl = json.loads(read("s.json"))["modules"]["pc0"]["sl"]
        self.assertGreater(sl["over_budget"], 0)
        self.assertIn("SL: %d of %d runs of surface programs were stopped at the budget of 65536 instructions; their colour "
                      "is black" % (sl["over_budget"], sl["runs"]), done.stderr)
        shutil.copy("other.sl", "loop.sl")
        self.assertNotIn("budget", self.platform().stderr)


if __name__ == "__main__":
    unittest.main()
