#!/usr/bin/env python3
"""The pipelines of the SL unit under `platform --debug` and `--dap`: alone, beside boards, beside other processors.

usage: sl_platform_test.py BIN_DIR [--record]
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
RECORD = "--record" in sys.argv
if RECORD:
    sys.argv.remove("--record")
BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

# The sum of 1 to 4 by a loop, then a texture and a ray.
LOOP = """\
sl 1.0
# loop.sl
li s0, 0.0
li s1, 0.0
li s2, 1.0
li s3, 4.0
add s1, s1, s2
add s0, s0, s1
blt s1, s3, -3
lookup r0, t0, uv
trace r2, Pw, N
lc x v0, s0
add v0, v0, r2
"""
OTHER = "sl 1.0\nmov v0, C0\n"
SCENE = """\
w 8
h 8
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
li -5 8 6 .2 .2 .2
surface loop C0 [1 1 1]
t -4 0 -4  -4 0 4  4 0 4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
surface other C0 [1 1 1]
t .5 0 0  1.5 0 0  1 1.8 .3
"""
ENGINES = {"alone": ["--engine", "reference"],
           "scalar": ["--dsps", "4", "--set", "array.engine=scalar"],
           "simt": ["--dsps", "4", "--set", "array.engine=simt"]}
# Processors that are shown where they have come to, not at one time.
OTHERS = {"theia": ["--engine", "theia"], "hart": ["--engine", "xphmg", "--set", "xphmg.driver=hart"]}
HART = os.path.exists(os.path.join(BIN, "..", "firmware", "xphmg", "loops.elf"))
LINES = LOOP.splitlines()


def line_of(text):
    return next(n for n, line in enumerate(LINES, 1) if text in line)


BLT, ADD, TRACE, LOOKUP = line_of("blt"), line_of("add s0"), line_of("trace"), line_of("lookup")


def stops():
    """A hundred of them and more, of every kind."""
    lines = ["break loop.sl:%d" % BLT] + 40 * ["run"] + ["delete; unit pipeline1; watch s0"] + 15 * ["run"]
    lines += ["reverse-continue", "reverse-step 3", "step", "next", "step 2", "delete"]
    lines += 8 * ["run 500 cycles", "reverse-step"] + ["stop if PIXEL_X == 4 && PIXEL_Y == 4"] + 4 * ["run"]
    lines += ["delete; break other", "run", "run", "reverse-continue", "delete; unit pipeline0"] + 12 * ["step", "reverse-step"]
    lines += ["run 3 us", "reverse-continue", "run 20 instructions", "until loop.sl:%d" % TRACE, "delete; run"]
    return lines


class SlInThePlatform(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        for name, text in (("loop.sl", LOOP), ("other.sl", OTHER), ("s.shk", SCENE)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        # Dialogues show the firmware's lines wherever the program lies.
        shutil.copy(os.path.join(HERE, "../../firmware/tigershark/traverse.asm"), ".")

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    @staticmethod
    def command(engine, name, *more):
        return [BIN + "/platform", "s.shk", "--no-progress", "--quiet", *(ENGINES.get(engine) or OTHERS[engine]),
                "--shade", "sl", "--set", "sl.shader_path=.", "-o", name + ".png", *more]

    def platform(self, engine, name, *more, status=0, typed=None):
        done = subprocess.run(self.command(engine, name, *more), capture_output=True, text=True, check=False, timeout=250,
                              input=typed)
        self.assertEqual(done.returncode, status, (more, done.stdout[-2000:], done.stderr))
        return done

    def says(self, engine, *commands, status=0):
        return self.platform(engine, "d", "--debug", *[word for c in commands for word in ("-x", c)], status=status).stdout

    def dialogue(self, name, engine):
        text = self.platform(engine, "d", "--debug", "--commands", os.path.join(HERE, "sl", name + ".commands")).stdout
        path = os.path.join(HERE, "sl", name + ".txt")
        if RECORD:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(text, read(path))

    # ---- what is shown

    def testDialogueAlone(self):
        self.dialogue("alone", "alone")

    def testDialogueBesideBoards(self):
        self.dialogue("boards", "simt")

    def testValuesAreThoseOfTheProgram(self):
        for engine in ENGINES:
            said = self.says(engine, "break loop.sl:%d if s1 == 3; run; print s0; print s1; print s3" % BLT)
            self.assertRegex(said, r"\nsl\.pipeline\d: breakpoint 1 at 5100000006 loop\+6 \(loop\.sl:%d\)\n%d\tblt" % (BLT, BLT))
            self.assertTrue(said.endswith("\n6\n3\n4\n"), said)  # 1 + 2 + 3

    def testEachInstructionIsSeenOnce(self):
        self.platform("alone", "p", "--profile", "p.callgrind", "--stats", "p.json")
        counts = {}
        for line in read("p.callgrind").splitlines():
            if line.startswith("events: "):
                column = 1 + line.split()[1:].index("instructions")
            elif line.startswith("fl="):
                file = os.path.basename(line[3:])
            elif re.match(r"\d+ ", line):
                counts[file, int(line.split()[0])] = int(line.split()[column])
        runs = json.loads(read("p.json"))["modules"]["pc0"]["sl"]["runs"]
        commands = ['break loop.sl:%d log "L%d at {cycle}"' % (n, n) for n in (3, ADD, LOOKUP, TRACE, TRACE + 1, TRACE + 2)]
        said = self.says("alone", "; ".join(commands + ['break other log "L0 at {cycle}"', "run"]))
        seen = [int(n) for n in re.findall(r"^sl\.pipeline\d: L(\d+) at", said, re.M)]
        for line in (3, ADD, LOOKUP, TRACE, TRACE + 1, TRACE + 2):
            self.assertEqual(seen.count(line), counts["loop.sl", line], line)
        self.assertEqual(seen.count(3) + seen.count(0), runs)
        times = [int(n) for n in re.findall(r" at (\d+)$", said, re.M)]
        self.assertEqual(times, sorted(times))

    def testWhoseRunItIs(self):
        said = self.says("alone", 'break loop log "{PIXEL_X},{PIXEL_Y} {RUN}"; run')
        runs = re.findall(r"^sl\.pipeline\d: (\d+),(\d+) (\d+)$", said, re.M)
        # A pixel's runs are counted from 0 on, and each is there once.
        self.assertEqual(len(runs), len(set(runs)))
        x, y, run = runs[len(runs) // 2]
        self.assertIn((x, y, str(max(int(run) - 1, 0))), runs)
        done = self.platform("alone", "node", "--dump-node", "sl@pixel=%s,%s,run=%s" % (x, y, run))
        self.assertIn("pixel %s,%s, run %s: " % (x, y, run), done.stdout + done.stderr)
        said = self.says("alone", "stop if PIXEL_X == %s && PIXEL_Y == %s && RUN == %s; run; regs" % (x, y, run))
        self.assertIn("\npixel %s,%s, run %s, slot " % (x, y, run), said)

    def testAPlainBreakpointShowsWhatALookAtEachInstructionShows(self):
        for engine in ENGINES:
            shown = []
            for clause in ("", " if 1 == 1"):
                moves = ["break loop.sl:%d%s; break other%s" % (BLT, clause, clause)] + 6 * ["run; time; units; regs all"]
                shown.append(re.sub(r" if 1 == 1", "", self.says(engine, *moves)))
            self.assertEqual(shown[0], shown[1], engine)
            self.assertEqual(len(re.findall(r" breakpoint 1 at ", shown[0])) >= 6, True)

    def testBothEnginesOfTheBoardsShowTheSame(self):
        moves = ["break loop.sl:%d" % TRACE, "run; time; units", "reverse-step 2; time; units", "run; time; regs all"]
        self.assertEqual(self.says("scalar", *moves), self.says("simt", *moves))

    def testBackwards(self):
        for engine in ENGINES:
            said = self.says(engine, "break loop.sl:%d; run; run; run; run" % BLT, "time; print s0", "run; time; print s0",
                             "reverse-continue; time; print s0", "reverse-step; where", "delete; reverse-continue")
            times = re.findall(r"^([0-9.]+ us), cycle", said, re.M)
            self.assertEqual(times[0], times[2])
            self.assertNotEqual(times[0], times[1])
            self.assertIn("no stop before: the beginning", said)

    def testWatchesAreOfARunNotOfItsBegin(self):
        said = self.says("alone", "unit pipeline0; watch s0 on pipeline0" + 5 * "; run")
        found = re.findall(r"watchpoint 1: s0 was (\S+), now (\S+), by \S+ (\S+) ", said)
        # Four sums of a run, then the first one of the next: that it begins with 0 again is no change.
        self.assertEqual(found, [("0", "1", "loop+5"), ("1", "3", "loop+5"), ("3", "6", "loop+5"), ("6", "10", "loop+5"),
                                 ("0", "1", "loop+5")])

    def testChangesCount(self):
        self.platform("alone", "a")
        self.says("alone", "break loop.sl:%d do { set s0 = -9; run }; run; delete; run" % LOOKUP)
        self.assertNotEqual(self.bytes("a.png"), self.bytes("d.png"))
        for commands, words in (("set s0 = 1", "sl.pipeline0 has no run"), ("break loop; run; set SLOT = 1", "read, not set"),
                                ("break loop; run; set PC = other", "a place of the run's program"),
                                ("break loop; run; set [PC] = 1", "cannot be written")):
            self.assertIn(words, self.platform("alone", "d", "--debug", typed=commands + "\nquit\n").stdout)

    def testMixedUnits(self):
        said = self.says("simt", "break loop.sl:%d; run; print s1; unit dsp0; print R0" % BLT, "unit board0.dsp1",
                         "break loop.sl:%d if s1 > 1 log \"{s1} of {RUN}\"" % ADD, "display pipeline0.s0", "info", "step")
        self.assertIn("breakpoint 2 at 5100000005 loop+5 (loop.sl:%d)" % ADD, said)
        typed = self.platform("simt", "d", "--debug", typed="print s1\nunits R0\nbreak loop\nrun\nunit dsp0\n"
                              "disassemble other 1\nquit\n").stdout
        self.assertIn("error: found 's1'", typed)
        self.assertRegex(typed, r"sl\.pipeline0 +\(no run\) \* +\? \*\n")
        self.assertRegex(typed, r"510000000b  [0-9a-f]{16}  mov v0, C0 .* other  other\.sl:2")
        for wrong, words in (("break loop.sl:99", "99"), ("print q0", "q0"), ("break loop if q0", "q0")):
            self.assertIn(words, self.platform("simt", "d", "--debug", "-x", wrong, status=2).stderr)

    def testBesideOtherProcessors(self):
        for engine, unit, place in (("theia", "theia.core0", "MAIN"), ("hart", "hart0", "submit")):
            if engine == "hart" and not HART:
                continue
            said = self.says(engine, "break loop.sl:%d; run; print s0; units; step; step; print s0" % BLT, "reverse-step 2",
                             "print s0; print s1; delete; watch s0; run; print s0; reverse-continue; run; print s0",
                             "delete; unit %s; break %s; run; where" % (unit, place))
            self.assertRegex(said, r"\nsl\.pipeline\d: breakpoint 1 at 5100000006 loop\+6 \(loop\.sl:%d\)\n%d\tblt" % (BLT, BLT))
            self.assertRegex(said, r"\n%s +" % re.escape(unit))
            numbers = re.findall(r"^(?:[0-9a-f]{16}  )?(\d+)$", said, re.M)
            # Behind the first sum; two instructions on, then back; the second sum and the same again.
            self.assertEqual(numbers[:3] + numbers[-2:], ["1", "1", "1", "3", "3"], said)
            for wrong, words in (("break loop.sl:99", "99"), ("print q0", "q0")):
                self.assertIn(words, self.platform(engine, "d", "--debug", "-x", wrong, status=2).stderr)

    # ---- what is not changed

    @staticmethod
    def bytes(name):
        with open(name, "rb") as file:
            return file.read()

    def leaves(self, engine, name, *more, typed=None):
        done = self.platform(engine, name, "--stats", name + ".json", "--hits", name + ".csv",
                             *([] if engine == "alone" else ["--trace", name + ".vcd"]), *more, typed=typed)
        stats = json.loads(read(name + ".json"))
        stats.pop("host")
        files = [name + ".png", name + ".csv"] + ([] if engine == "alone" else [name + ".vcd"])
        return done.stdout, [stats] + [self.bytes(f) for f in files]

    def testAHundredStopsChangeNothing(self):
        for engine in [*ENGINES, "theia"] + ["hart"] * HART:
            _, plain = self.leaves(engine, "a")
            said, disturbed = self.leaves(engine, "b", "--debug", typed="\n".join(stops()) + "\n")
            moves = re.findall(r"^sl\.pipeline\d:? .*at 51|^board0\S+ |watchpoint|stop \d", said, re.M)
            self.assertGreater(len(moves), 100 if engine == "alone" else 90, said)
            self.assertEqual(plain, disturbed, engine)

    # ---- an editor

    def testAnEditor(self):
        for engine in ("alone", "simt"):
            client = Client(self.command(engine, "d", "--hits", "d.csv"), self.folder.name)
            try:
                client.begin()
                names = [t["name"] for t in client.ask("threads")["threads"]]
                self.assertEqual(names[-4:], ["sl.pipeline%d" % n for n in range(4)])
                source = {"path": os.path.join(self.folder.name, "loop.sl")}
                (point,) = client.ask("setBreakpoints", source=source,
                                      breakpoints=[{"line": ADD, "condition": "s1 == 2"}])["breakpoints"]
                self.assertTrue(point["verified"])
                client.ask("configurationDone")
                stop = client.stop()
                self.assertEqual(stop["reason"], "breakpoint")
                thread = stop["threadId"]
                self.assertIn("sl.pipeline", names[thread - 1])
                frame = client.ask("stackTrace", threadId=thread)["stackFrames"][0]
                self.assertEqual((frame["name"], frame["line"], frame["source"]["path"]), ("loop+5", ADD, source["path"]))
                self.assertEqual(client.ask("evaluate", expression="s1", frameId=frame["id"])["result"].split()[-1], "2")
                scopes = {s["name"]: s for s in client.ask("scopes", frameId=frame["id"])["scopes"]}
                around = client.ask("variables", variablesReference=scopes["Machine"]["variablesReference"])["variables"]
                self.assertEqual([v["name"] for v in around], ["SLOT", "SURFACE", "PIXEL_X", "PIXEL_Y", "RUN"])
                client.ask("next", threadId=thread)
                client.stop()
                self.assertEqual(client.ask("stackTrace", threadId=thread)["stackFrames"][0]["line"], ADD + 1)
                client.ask("stepBack", threadId=thread)
                client.stop()
                self.assertEqual(client.ask("stackTrace", threadId=thread)["stackFrames"][0]["line"], ADD)
                client.ask("setBreakpoints", source=source, breakpoints=[])
                client.ask("continue", threadId=thread)
                self.assertEqual(client.event("exited")["exitCode"], 0)
                self.assertEqual(client.end(), 0)
            finally:
                client.close()
            self.platform(engine, "a", "--hits", "a.csv")
            self.assertEqual(self.bytes("a.png"), self.bytes("d.png"))
            self.assertEqual(self.bytes("a.csv"), self.bytes("d.csv"))


if __name__ == "__main__":
    unittest.main()
