#!/usr/bin/env python3
"""Tapes under the debugger, by sdf-tape and in the implicit-surface unit of the platform: values are those of the
reference's formulas, stops change nothing, counts are those of the statistics.

usage: implicit_test.py BIN_DIR [--record]
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from dap_client import Client
from small_scene import read

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = "--record" in sys.argv
if RECORD:
    sys.argv.remove("--record")
BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

SCENE = """\
w 16
h 12
e 0.4 0.9 2.6
lo 0 0 0
u 0 1 0
li 5 8 6 1 1 1
m .8 .7 .6 .8 .2 .2 5 0 0 1
implicit part.sdf lipschitz 1
implicit ball.sdf lipschitz 1 scale .2 at .1 .6 .5
implicit part.sdf lipschitz 1 scale .3 at -.9 .2 .3
"""
# By hand, of the tape at (0, 0, 1): the ball of radius .5, the ring of radii .75 and .125, the slab of half a unit.
BALL, RING, SLAB = 0.5, 0.125, -0.5


def line_of(text):
    return next(n for n, line in enumerate(read(os.path.join(HERE, "implicit/part.sdf")).splitlines(), 1) if text in line)


def run(*command, status=0, **more):
    done = subprocess.run(list(command), capture_output=True, text=True, check=False, timeout=250, **more)
    assert done.returncode == status, "%s: status %d, %s%s" % (command, done.returncode, done.stdout, done.stderr)
    return done


class Implicit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        for name in ("part.sdf", "ball.sdf"):
            shutil.copy(os.path.join(HERE, "implicit", name), ".")
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    def same(self, *names):
        contents = []
        for name in names:
            with open(name, "rb") as file:
                contents.append(file.read())
        self.assertEqual(len(set(contents)), 1, names)

    @staticmethod
    def tape(*arguments, status=0, **more):
        return run(BIN + "/sdf-tape", "part.sdf", *arguments, status=status, **more)

    def says(self, commands, *arguments):
        return self.tape("--point", "0,0,1", *arguments, "-x", commands).stdout

    # ---- sdf-tape

    def dialogue(self, name, *arguments):
        text = self.tape(*arguments, "--commands", os.path.join(HERE, "implicit", name + ".commands")).stdout
        path = os.path.join(HERE, "implicit", name + ".txt")
        if RECORD:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(text, read(path))

    def testDialogueAtAPoint(self):
        self.dialogue("point", "--point", "0,0,1", "--point", "0.25,0.5,0")

    def testDialogueOverABox(self):
        self.dialogue("box", "--box=-.1,-.1,.9,.1,.1,1.1", "--registers")

    def testValuesOnTheStacks(self):
        said = self.says("break part.sdf:%d; run; print F0; print F1; print V3_0.z; print Z; step; print F0; print F0.hi; "
                         "print instructions" % line_of("OPMinFloat"))
        self.assertIn("breakpoint 1 at 0004 part+4 (part.sdf:%d)\n" % line_of("OPMinFloat"), said)
        self.assertIn("\n%g\n%g\n1\n1\n" % (BALL, RING), said)
        self.assertIn("\n%g\n%g\n" % (RING, RING), said)
        self.assertRegex(said, r"\b5\n$")
        self.assertEqual(self.tape("--point", "0,0,1").stdout, "%g\n" % max(RING, SLAB))

    def testRangesOverABox(self):
        far = math.sqrt(0.01 + 1.1 * 1.1) - 0.75
        commands = "break part.sdf:%d; run; print F0; print F0.hi; print F1; print F1.hi" % line_of("OPMinFloat")
        said = self.tape("--box=-.1,-.1,.9,.1,.1,1.1", "-x", commands).stdout.splitlines()
        want = [0.4, math.sqrt(0.02 + 1.21) - 0.5, 0.025, math.hypot(far, 0.1) - 0.125]
        for text, value in zip(said[-4:], want):
            self.assertAlmostEqual(float(text), value, delta=1e-6)
        self.assertIn("box of object 0, code 0 of 11 instructions over [-0.1", "\n".join(said))

    def testTheRegisterForm(self):
        said = self.says("break part.sdf:%d; run; regs" % line_of("OPMinFloat"), "--registers")
        self.assertRegex(said, r"\nr\d+ +0\.5\n")
        self.assertRegex(said, r"\nr\d+ +0\.125\n")
        # A Dup leaves no clause.
        self.assertIn("at 0001 part (part.sdf:%d)" % line_of("OPSDFSphere"),
                      self.says("break part.sdf:%d; info" % line_of("OPDupVec3"), "--registers"))
        self.assertIn("OPSDFTorus v2(0.75,0.125) var  ; r", self.says("disassemble part 5", "--registers"))

    def testChangesCount(self):
        line = line_of("OPMinFloat")
        said = self.says("break part.sdf:%d; run; set F1 = -3; delete; run" % line)
        self.assertTrue(said.endswith("\n%g\n" % SLAB), said)
        said = self.says("break part.sdf:%d; run; set F1 = -3; reverse-step; step; print F1" % line)
        self.assertTrue(said.endswith("\n%g\n" % RING), said)

    def testBackwards(self):
        said = self.says("watch F0; run; run; run; print F0; reverse-continue; print F0; reverse-continue; print F0; "
                         "reverse-continue; print F0")
        numbers = re.findall(r"^(-?[\d.]+)$", said, re.M)
        self.assertEqual(numbers[:4], ["0.125", "0.125", "0.5", "0"], said)
        self.assertIn("no stop before: the beginning, at 0000 part", said)
        plain = self.tape("--point", "0,0,1").stdout
        self.assertTrue(self.says("run; reverse-step 4; reverse-continue; run").endswith(plain))

    def testAHundredStopsChangeNothing(self):
        places = [word for n in range(12) for word in ("--point", "%g,0.25,%g" % (n / 8 - 0.75, 1 - n / 8))]
        places += ["--box=-1,-1,%g,1,1,%g" % (n / 4 - 1, n / 4 - 0.75) for n in range(8)]
        for form in ([], ["--registers"]):
            plain = self.tape(*places, *form).stdout
            watched = "F0" if not form else "r3"
            commands = "watch %s%s; delete; reverse-continue; run; break part.sdf:7 if SAMPLE == 3; run; reverse-step 3; delete; run" % (
                watched, 35 * "; run; reverse-step; step")
            done = self.tape(*places, *form, "-x", commands)
            self.assertGreater(len(re.findall(r"^(?:watchpoint|at|breakpoint) ", done.stdout, re.M)), 100)
            # What --registers lists comes before the session.
            self.assertTrue(done.stdout.endswith(plain.split("OPStop r3\n")[-1]), form)

    def testSessions(self):
        point = ["--point", "0,0,1"]
        for wrong, word in ((point + ["-x", "brek"], "expected a command"), (point + ["-x", "break part.sdf:99"], "99"),
                            (["-x", "run"], "--point or --box"), (point + ["--dap", "0", "-i"], "one of"),
                            (point + ["--dap", "x"], "--dap"), (point + ["--commands", "no.txt"], "no.txt"),
                            (point + ["-x", "print r3.dx"], "r3"), (["--batch", "-x", "run"], "--batch"),
                            (point + ["-x", "stop hits"], "hit")):
            done = self.tape(*wrong, status=2)
            self.assertIn(word, done.stderr, wrong)
        self.assertIn("this is the beginning", self.tape(*point, "-i", input="reverse-step\nquit\n").stdout)
        self.assertEqual(self.tape(*point, "-x", "quit").stdout, "")

    def testAnEditor(self):
        client = Client([BIN + "/sdf-tape", "part.sdf", "--point", "0,0,1"], self.folder.name)
        try:
            client.begin()
            self.assertEqual(client.ask("threads")["threads"], [{"id": 1, "name": "sdf"}])
            line = line_of("OPMinFloat")
            (b,) = client.ask("setBreakpoints", source={"path": os.path.join(self.folder.name, "part.sdf")},
                              breakpoints=[{"line": line, "condition": "F0 > F1"}])["breakpoints"]
            self.assertTrue(b["verified"])
            client.ask("configurationDone")
            self.assertEqual(client.stop()["reason"], "breakpoint")
            frame = client.ask("stackTrace", threadId=1)["stackFrames"][0]
            self.assertEqual((frame["name"], frame["line"]), ("part+4", line))
            self.assertEqual(float(client.ask("evaluate", expression="F1", frameId=frame["id"])["result"].split()[-1]), RING)
            client.ask("next", threadId=1)
            client.stop()
            self.assertEqual(client.ask("stackTrace", threadId=1)["stackFrames"][0]["line"], line + 1)
            client.ask("stepBack", threadId=1)
            client.stop()
            self.assertEqual(client.ask("stackTrace", threadId=1)["stackFrames"][0]["line"], line)
            client.ask("setBreakpoints", source={"path": os.path.join(self.folder.name, "part.sdf")}, breakpoints=[])
            client.ask("continue", threadId=1)
            self.assertEqual(client.event("exited")["exitCode"], 0)
            self.assertEqual(client.end(), 0)
        finally:
            client.close()

    # ---- the unit

    @staticmethod
    def platform(*arguments, status=0):
        return run(BIN + "/platform", "s.shk", "--quiet", "--no-progress", *arguments, status=status)

    def outputs(self, name, *arguments):
        return self.platform("-o", name + ".png", "--hits", name + ".csv", "--stats", name + ".json", *arguments)

    def modules(self, name):
        return json.loads(read(name + ".json"))["modules"]

    def unchanged(self, a, b):
        self.same(a + ".png", b + ".png")
        self.same(a + ".csv", b + ".csv")
        self.assertEqual(self.modules(a), self.modules(b))

    def testAHundredStopsOfAllKindsChangeNothing(self):
        commands = "break part.sdf:7" + 20 * "; run" + "; reverse-step; step; delete; stop prune 1" + 20 * "; run"
        commands += "; reverse-continue; delete; stop hit" + 20 * "; run" + "; delete; watch TARGET" + 20 * "; run"
        commands += "; reverse-continue; delete; stop trace 2" + 20 * "; run; step" + "; reverse-step 7; until ball; next; delete; run"
        for name, mode in (("improved", []), ("seed", ["--set", "implicit.mode=seed"]),
                           ("brute", ["--set", "implicit.mode=brute"])):
            self.outputs(name, *mode)
            done = self.outputs(name + "d", *mode, "--debug", "-x", commands)
            stops = len(re.findall(r"^(?:watchpoint|at|breakpoint|stop) ", done.stdout, re.M))
            self.assertGreater(stops, 80 if name == "brute" else 100, name)
            self.unchanged(name, name + "d")

    def testAStopSaysWhereTheUnitIs(self):
        done = self.platform("-o", "o.png", "--debug", "-x", "run 1 instructions; break part.sdf:6 if PHASE == 3; run; delete; "
                             "break ball if PHASE == 7 && TARGET > 0; run; regs; delete; break ball if PHASE == 8; run; step; regs; quit")
        self.assertRegex(done.stdout, r"task of object 0, cell 0 of 64, code 0 of \d+ instructions over \[")
        self.assertRegex(done.stdout, r"mesh of object 0, leaf \d+ of 2048, code \d+ of \d+ instructions over \[")
        self.assertRegex(done.stdout, r"trace of object 1, (?:pixel|ray) \d+, leaf \d+, sample \d+, code \d+ of \d+ instructions at ")
        self.assertRegex(done.stdout, r"gradient of object 1, (?:pixel|ray) \d+, leaf \d+")
        self.assertIn("(part.sdf:%d)" % line_of("OPSDFTorus"), done.stdout)
        # The gradient of a ball's distance has length 1.
        slopes = re.findall(r"^r\d+ +\S+  d\((\S+), (\S+), (\S+)\)$", done.stdout, re.M)
        self.assertAlmostEqual(math.hypot(*map(float, slopes[-1])), 1, delta=1e-5)
        self.assertFalse(os.path.exists("o.png"))

    def testCountsAreThoseOfTheStatistics(self):
        for mode in ([], ["--set", "implicit.mode=seed"]):
            for commands in ("run; print instructions", "watch OBJECT once; run; run; print instructions",
                             "stop if PHASE == 100; run; print instructions"):
                done = self.outputs("c", *mode, "--debug", "-x", commands)
                unit = self.modules("c")["pc0"]["implicit"]
                total = unit["executed"] + sum(unit[s + "_executed"] for s in ("task", "mesh", "trim", "slope"))
                self.assertRegex(done.stdout, r"\b%d\n" % total, commands)
        hits = self.modules("c")["pc0"]["implicit"]["hits"]
        done = self.platform("-o", "o.png", "--set", "implicit.mode=seed", "--debug", "-x",
                             'stop hit log "hit"; stop cell log "cell"; run')
        said = done.stdout.splitlines()
        self.assertEqual(said.count("hit"), hits)
        self.assertEqual(said.count("cell"), sum(unit[s + "_tested"] for s in ("task", "mesh", "trim", "slope")))

    def testAnEditorAtTheUnit(self):
        client = Client([BIN + "/platform", "s.shk", "--quiet", "--no-progress", "-o", "e.png"], self.folder.name)
        try:
            client.begin()
            (b,) = client.ask("setBreakpoints", source={"path": "/somewhere/ball.sdf"}, breakpoints=[{"line": 3}])["breakpoints"]
            self.assertTrue(b["verified"])
            client.ask("configurationDone")
            self.assertEqual(client.stop()["reason"], "breakpoint")
            self.assertEqual(client.ask("stackTrace", threadId=1)["stackFrames"][0]["name"], "ball")
            client.ask("setBreakpoints", source={"path": "/somewhere/ball.sdf"}, breakpoints=[])
            client.ask("continue", threadId=1)
            client.event("terminated")
            self.assertEqual(client.end(), 0)
        finally:
            client.close()
        self.outputs("plain")
        self.same("plain.png", "e.png")

    def testARecordedObject(self):
        self.platform("--dump-node", "implicit@object=1", "-o", "object")
        plain = run(BIN + "/sdf-tape", "--object", "object").stdout
        self.assertIn("as recorded", plain)
        commands = "break object1; run; run; where; stop hit; delete 1; run; run; reverse-continue; reverse-step; delete; run"
        done = run(BIN + "/sdf-tape", "--object", "object", "-x", commands)
        self.assertIn("of object 1", done.stdout)
        self.assertTrue(done.stdout.endswith(plain), done.stdout)

    def testRefused(self):
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE[:SCENE.index("implicit")] + "t -4 0 -4  -4 0 4  4 0 4\n")
        done = self.platform("--engine", "reference", "-o", "o.png", "--debug", "-x", "run", status=2)
        self.assertIn("--engine implicit", done.stderr)


unittest.main()
