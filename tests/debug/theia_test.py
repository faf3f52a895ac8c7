#!/usr/bin/env python3
"""THEIA cores under the debugger, and their profile, coverage and instruction log: theia-run and platform.

usage: theia_test.py BIN_DIR [--record]
"""

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

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.join(HERE, "../..")
FRAME = os.path.join(TREE, "tests/data/theia/frame_tiny_4c")
USER_FRAME = os.path.join(TREE, "tests/data/theia/frame_bary_4c")
RECORD = "--record" in sys.argv
if RECORD:
    sys.argv.remove("--record")
BIN = os.path.abspath(sys.argv.pop(1))


def executed(figure):
    """Instructions of a core, from its statistics by opcode."""
    return sum(n for n in figure["instructions"].values() if isinstance(n, int))


# Triangles alone: THEIA knows no spheres.
SCENE = """\
w 8
h 8
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
m .8 .7 .6 .8 .2 .2 5 0 0 1
t -4 0 -4  -4 0 4  4 0 4
t -4 0 -4  4 0 4  4 0 -4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
"""
CAUSES = {"configuration": "configuration", "host": "host_stall", "idle": "idle", "texture": "main_texture_stall"}

# What was wrong with each: arguments, words of the message.
WRONG = [
    (["sum.tasm", "-x", "print R2"], "R2.x, .y or .z"),
    (["sum.tasm", "-x", "break nowhere"], "nowhere"),
    (["sum.tasm", "-x", "print R2.w"], "R2"),
    (["sum.tasm", "-x", "watch core7.R2.x"], "core7"),
    (["sum.tasm", "--entry", "L_NOWHERE"], "--entry"),
    (["sum.tasm", "--dap", "0", "-x", "run"], "--dap"),
    (["sum.tasm", "--profile", "x.doc"], ".callgrind"),
    (["sum.tasm", "--profile", "x.txt", "--coverage", "x.txt"], "x.txt"),
    (["sum.tasm", "--instructions", "x.txt", "-x", "run"], "--instructions"),
    (["--batch", "-x", "run"], "--batch"),
    (["sum.tasm", "--batch"], "PROGRAM.tasm"),
    (["nothing.tasm"], "nothing.tasm"),
    (["--frame", FRAME, "--source", "sum.tasm", "-x", "run"], "row 12"),
]


def stops():
    """A hundred of them and more, of every kind."""
    lines = ["break NPG"] + 30 * ["run"] + ["delete", "watch OUTPUT 100 w"]
    lines += 20 * ["run", "reverse-step", "step"]
    lines += ["delete", "run 500 cycles", "stop if PIXEL == 6"] + 3 * ["run"]
    lines += ["delete; reverse-continue; break MAIN if CREG_LAST_t.x > 0"] + 10 * ["run"]
    return "\n".join(lines + ["unit core2", "next", "next", "until NPG", "finish", "delete; run"]) + "\n"


def callgrind(name):
    """Sums of each object by event."""
    events, current, objects = [], {}, {}
    for line in read(name).splitlines():
        if line.startswith("events: "):
            events = line.split()[1:]
        elif line.startswith("ob="):
            current = objects.setdefault(line[3:], dict.fromkeys(events, 0))
        elif re.match(r"\d+ ", line):
            for event, cost in zip(events, line.split()[1:]):
                current[event] += int(cost)
    return objects


class Theia(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        shutil.copy(os.path.join(HERE, "theia/sum.tasm"), ".")
        for name in os.listdir(os.path.join(TREE, "firmware/theia")):
            if name.endswith(".tasm"):
                shutil.copy(os.path.join(TREE, "firmware/theia", name), ".")
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    def run_tool(self, *arguments, status=0, tool="theia-run"):
        done = subprocess.run([os.path.join(BIN, tool), *arguments], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, (arguments, done.stdout, done.stderr))
        return done

    def platform(self, *arguments, status=0, engine="theia"):
        return self.run_tool("s.shk", "--engine", engine, "--quiet", "--no-progress", *arguments, status=status,
                             tool="platform")

    def same(self, *names):
        contents = []
        for name in names:
            with open(name, "rb") as file:
                contents.append(file.read())
        self.assertEqual(len(set(contents)), 1, names)

    # ---- theia-run

    def dialogue(self, name, *arguments):
        text = self.run_tool(*arguments, "--commands", os.path.join(HERE, "theia", name + ".commands")).stdout
        path = os.path.join(HERE, "theia", name + ".txt")
        if RECORD:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(text, read(path))

    def testDialogueOfAProgram(self):
        self.dialogue("program", "sum.tasm")

    def testDialogueOfAFrame(self):
        self.dialogue("frame", "--frame", FRAME)

    def testDialogueOfAFrameWithItsSource(self):
        # Places name the source as it was given: no folder of this computer in the recorded text.
        shutil.copy(os.path.join(USER_FRAME, "shader.tasm"), ".")
        self.dialogue("source", "--frame", USER_FRAME, "--source", "shader.tasm")

    def testAHundredStopsChangeNothing(self):
        with open("stops", "w", encoding="utf-8") as file:
            file.write(stops())
        self.run_tool("--frame", FRAME, "-o", "a.tsv", "--stats", "a.json")
        for executor in ([], ["--plain"]):
            done = self.run_tool("--frame", FRAME, *executor, "-o", "b.tsv", "--stats", "b.json", "--commands", "stops")
            self.assertGreater(len(re.findall(r"^theia\.core\d:? .*at [0-9a-f]{4} |watchpoint", done.stdout, re.M)), 100)
            self.same("a.tsv", "b.tsv")
            self.same("a.json", "b.json")

    def testATraceBesideTheDebuggerIsTheSame(self):
        plain = self.run_tool("--frame", FRAME, "--trace").stderr
        self.assertEqual(self.run_tool("--frame", FRAME, "--trace", "-x", "break NPG; run; delete; run").stderr, plain)

    def testWrongWishesAreRefused(self):
        for arguments, words in WRONG:
            done = self.run_tool(*arguments, status=2)
            self.assertIn(words, done.stderr, arguments)
            self.assertEqual(done.stdout, "", arguments)

    def testAFaultIsAStopAndHasAWayBack(self):
        with open("f.tasm", "w", encoding="utf-8") as file:
            file.write("ENTRYPOINT_ADRR_MAIN:\nSETX R1 32'hFFFFFFF\nOMWRITE OREG_PIXEL_COLOR R1 R1\nRETURN RT_TRUE\n")
        done = self.run_tool("f.tasm", "-x", "run; reverse-step; print R1.x", status=0)
        self.assertIn("OMWRITE to words 268435455", done.stdout)
        self.assertIn("0fffffff  268435455", done.stdout)
        self.assertIn("fault", self.run_tool("f.tasm", status=3).stderr)

    def testEditor(self):
        client = Client([os.path.join(BIN, "theia-run"), "--frame", FRAME], self.folder.name)
        try:
            client.begin(stopOnEntry=True)
            client.ask("configurationDone")
            self.assertEqual(client.stop()["reason"], "entry")
            self.assertEqual([t["name"] for t in client.ask("threads")["threads"]],
                             ["theia.core%d" % n for n in range(4)])
            line = read("default.tasm").splitlines().index("NPG:") + 2
            found = client.ask("setBreakpoints", source={"path": "/somewhere/default.tasm"}, breakpoints=[{"line": line}])
            self.assertTrue(found["breakpoints"][0]["verified"])
            client.ask("continue", threadId=1)
            stop = client.stop()
            self.assertEqual(stop["reason"], "breakpoint")
            frame = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
            self.assertEqual((frame["name"], frame["line"]), ("NPG", line))
            client.ask("stepBack", threadId=stop["threadId"])
            client.stop()
            frame = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
            self.assertEqual(frame["name"], "MAIN_SHADE+4")  # its jump
            client.ask("setBreakpoints", source={"path": "/somewhere/default.tasm"}, breakpoints=[])
            client.ask("continue", threadId=1)
            client.event("terminated")
            self.assertEqual(client.end(), 0)
        finally:
            client.close()

    # ---- seeing

    def checkAccount(self, objects, figures, prefix):
        for core, figure in figures.items():
            sums = objects[prefix + core]
            self.assertEqual(sums["cycles"], figure["clocks"], core)
            self.assertEqual(sum(sums.values()) - sums["instructions"], 2 * figure["clocks"], core)
            self.assertEqual(sums["instructions"], executed(figure), core)
            for cause, name in CAUSES.items():
                self.assertEqual(sums[cause], figure[name], (core, cause))

    def testProfileAddsUp(self):
        for executor in ("fast", "plain"):
            self.run_tool("--frame", FRAME, *(["--plain"] if executor == "plain" else []), "--stats", "s.json",
                          "-o", "o.tsv", "--profile", executor + ".callgrind", "--each-core", "--coverage", "c.info",
                          "--instructions", executor + ".log")
            figures = {name: f for name, f in json.loads(read("s.json")).items() if re.match(r"core\d+$", name)}
            self.assertEqual(len(figures), 4)
            self.checkAccount(callgrind(executor + ".callgrind"), figures, "theia.")
            # Counted from the log: instructions of each core by opcode.
            counted = {}
            for line in read(executor + ".log").splitlines():
                core, mnemonic = line.split()[1], line.split()[3]
                counted.setdefault(core, {}).setdefault(mnemonic, 0)
                counted[core][mnemonic] += 1
            self.assertEqual(counted, {core: f["instructions"] for core, f in figures.items()})
        self.same("fast.callgrind", "plain.callgrind")
        self.same("fast.log", "plain.log")
        self.run_tool("--frame", FRAME, "-o", "p.tsv", "--stats", "p.json")
        self.same("o.tsv", "p.tsv")
        self.same("s.json", "p.json")

    def testPeoplesToolsReadTheFiles(self):
        self.run_tool("--frame", FRAME, "--profile", "p.callgrind", "--coverage", "c.info")
        if shutil.which("callgrind_annotate"):
            done = self.run_tool("--auto=no", "p.callgrind", tool=shutil.which("callgrind_annotate"))
            self.assertIn("{:,}".format(callgrind("p.callgrind")["theia"]["cycles"]), done.stdout)
            self.assertIn("default.tasm:BIU", done.stdout)
        if shutil.which("genhtml"):
            self.run_tool("-o", "html", "c.info", tool=shutil.which("genhtml"))
            self.assertTrue(os.path.exists("html/index.html"))
        rows = {line.split(",")[0] for line in read("c.info").splitlines() if line.startswith("DA:")}
        first = read("default.tasm").splitlines().index("INITIAL:") + 2
        self.assertIn("DA:%d" % first, rows)

    # ---- platform

    def testPlatformUnderTheDebugger(self):
        self.platform("-o", "a.png", "--stats", "a.json", "--hits", "a.csv")
        commands = "break NPG" + 30 * "; run" + "; reverse-step; delete; watch OUTPUT 500 w" + 20 * "; run"
        commands += "; delete; reverse-continue; delete; run"
        done = self.platform("-o", "b.png", "--stats", "b.json", "--hits", "b.csv", "--debug", "-x", commands)
        self.assertIn("theia.core1: breakpoint 1 at 0051 NPG (default.tasm:", done.stdout)
        self.same("a.png", "b.png")
        self.same("a.csv", "b.csv")
        self.assertEqual(json.loads(read("a.json"))["modules"], json.loads(read("b.json"))["modules"])
        done = self.platform("-o", "q.png", "--debug", "-x", "break improved_MAIN; run; step; quit")
        self.assertIn("improved_MAIN (improved.tasm:", done.stdout)
        self.assertFalse(os.path.exists("q.png"))

    def testPlatformSees(self):
        self.platform("-o", "a.png", "--stats", "a.json")
        self.platform("-o", "b.png", "--stats", "b.json", "--profile", "p.callgrind", "--set", "profile.units=each",
                      "--coverage", "c.info", "--instructions", "i.txt")
        self.same("a.png", "b.png")
        modules = json.loads(read("b.json"))["modules"]
        self.assertEqual(json.loads(read("a.json"))["modules"], modules)
        figures = {n: f for n, f in modules["pc0"]["theia"].items() if re.match(r"core\d+$", n)}
        self.checkAccount(callgrind("p.callgrind"), figures, "theia.")
        self.assertEqual(len(read("i.txt").splitlines()), sum(executed(f) for f in figures.values()))
        self.platform("-o", "b.png", "--instructions", "w.txt", "--set", "trace.modules=theia.core2")
        lines = read("w.txt").splitlines()
        self.assertEqual(len(lines), executed(figures["core2"]))
        self.assertTrue(all(" core2 " in line for line in lines))

    def testPlatformRefusesByName(self):
        for arguments, words in ((["--instructions", "x.bin"], "text alone"),
                                 (["--instructions", "x.txt", "--debug", "-x", "run"], "--instructions and --debug"),
                                 (["--debug", "-x", "print R1"], "R1.x, .y or .z")):
            self.assertIn(words, self.platform("-o", "r.png", *arguments, status=2).stderr)
        done = self.run_tool("s.shk", "--machines", "theia,tigershark", "--quiet", "-o", "r.png", "--debug", "-x", "run",
                             status=2, tool="platform")
        self.assertIn("expected one THEIA unit, or boards alone", done.stderr)


unittest.main()
