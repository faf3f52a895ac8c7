#!/usr/bin/env python3
"""platform --dap: 16 DSPs as threads, by a scripted client. Usage: platform_dap_test.py BIN_DIR FIRMWARE_DIR"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from dap_client import Client

FIRMWARE = os.path.abspath(sys.argv.pop(2)) if len(sys.argv) > 2 else ""
BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

SCENE = """\
w 12
h 10
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
m .8 .7 .6 .8 .2 .2 5 0 0 1
t -4 0 -4  -4 0 4  4 0 4
t -4 0 -4  4 0 4  4 0 -4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
"""
DSPS = 16


class PlatformDap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.client = None
        with open(os.path.join(self.folder.name, "s.shk"), "w") as f:
            f.write(SCENE)
        with open(os.path.join(FIRMWARE, "traverse.asm")) as f:
            lines = f.read().split("\n")
        self.record = next(n for n, line in enumerate(lines, 1) if line.startswith("record:"))

    def tearDown(self):
        if self.client:
            self.client.close()
        self.folder.cleanup()

    def command(self, engine, name):
        return [BIN + "/platform", "s.shk", "--size", "8x4", "--depth", "1", "--dsps", str(DSPS), "--quiet",
                "--set", "array.engine=" + engine, "-o", name + ".png", "--hits", name + ".csv",
                "--stats", name + ".json"]

    def start(self, engine="simt", **launch):
        self.client = Client(self.command(engine, "d"), self.folder.name)
        self.client.begin(sourceRoots=[FIRMWARE], **launch)
        return self.client

    def breakRecord(self, **more):
        return self.client.ask("setBreakpoints", source={"path": os.path.join(FIRMWARE, "traverse.asm")},
                               breakpoints=[{"line": self.record, **more}])["breakpoints"]

    def read(self, name):
        with open(os.path.join(self.folder.name, name), "rb") as f:
            return f.read()

    def dialogue(self, engine):
        """A session of every kind of move; what was told, and the files it leaves."""
        c = self.start(engine)
        told = []
        verified = self.breakRecord()[0]
        self.assertTrue(verified["verified"])

        def stop():
            told.append(c.stop())
            frames = [c.ask("stackTrace", threadId=t + 1)["stackFrames"][0] for t in (0, 3, DSPS - 1)]
            told.append([(f["name"], f["line"], f["instructionPointerReference"]) for f in frames])

        c.ask("configurationDone")
        stop()
        for _ in range(3):
            c.ask("continue", threadId=4)
            stop()
        c.ask("next", threadId=4)
        stop()
        c.ask("stepIn", threadId=4)
        stop()
        c.ask("stepBack", threadId=4)
        stop()
        c.ask("reverseContinue", threadId=1)
        stop()
        frame = c.ask("stackTrace", threadId=6)["stackFrames"][0]["id"]
        info = c.ask("dataBreakpointInfo", name="best", frameId=frame)
        self.breakRecord(condition="dsp3.AR0 == 0")
        c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
        c.ask("continue", threadId=1)
        stop()
        told.append(c.ask("evaluate", expression="board0.dsp5.[best].f", frameId=frame)["result"])
        told.append(c.ask("evaluate", expression="units R0, AR0", context="repl")["result"])
        c.ask("setDataBreakpoints", breakpoints=[])
        c.ask("setBreakpoints", source={"path": "traverse.asm"}, breakpoints=[])
        c.ask("evaluate", expression="stop vote", context="repl")
        c.ask("continue", threadId=1)
        stop()
        self.assertIn("the vote line", told[-2]["text"])
        c.ask("evaluate", expression="delete", context="repl")
        moves = c.stops()
        c.ask("continue", threadId=1)
        c.event("exited")
        c.event("terminated")
        self.assertEqual(c.end(), 0)
        self.assertEqual(c.stops(), moves)
        self.assertEqual(moves, 10)
        return told

    def testADialogueChangesNothingInEitherEngine(self):
        told = {}
        for engine in ("scalar", "simt"):
            subprocess.run(self.command(engine, "a"), cwd=self.folder.name, check=True, stdout=subprocess.DEVNULL)
            told[engine] = self.dialogue(engine)
            self.assertEqual(self.read("a.png"), self.read("d.png"))
            self.assertEqual(self.read("a.csv"), self.read("d.csv"))
            a, d = json.loads(self.read("a.json")), json.loads(self.read("d.json"))
            a.pop("host"), d.pop("host")
            self.assertEqual(a, d)
            self.tearDown()
            self.setUp()
        self.assertEqual(told["scalar"], told["simt"])

    def testThreadsAreDsps(self):
        c = self.start(stopOnEntry=True)
        names = [t["name"] for t in c.ask("threads")["threads"]]
        self.assertEqual(names, ["board0.dsp%d" % n for n in range(DSPS)])
        c.ask("configurationDone")
        c.stop()
        self.breakRecord()
        c.ask("continue", threadId=1)
        stop = c.stop()
        self.assertEqual((stop["threadId"], stop["allThreadsStopped"]), (1, True))
        self.assertIn("board0.dsp15: breakpoint", stop["text"])
        frame = c.ask("stackTrace", threadId=8)["stackFrames"][0]
        self.assertEqual(frame["source"]["path"], os.path.join(FIRMWARE, "traverse.asm"))
        self.assertEqual(frame["line"], self.record)
        scopes = c.ask("scopes", frameId=frame["id"])["scopes"]
        self.assertEqual([s["name"] for s in scopes], ["Registers", "Machine", "Data"])
        machine = c.ask("variables", variablesReference=scopes[1]["variablesReference"])["variables"]
        self.assertIn("S5933_INTCSR", [v["name"] for v in machine])
        self.assertIn("read, not set",
                      c.refused("setVariable", variablesReference=scopes[1]["variablesReference"],
                                name="VOTE_HIGH", value="1"))

    def testPauseWhileItRuns(self):
        self.client = Client(self.command("simt", "d") + ["--size", "64x64"], self.folder.name)
        c = self.client
        c.begin()
        c.ask("configurationDone")
        c.ask("pause", threadId=3)
        stop = c.stop()
        self.assertEqual((stop["reason"], stop["threadId"]), ("pause", 3))
        c.ask("terminate")
        c.event("terminated")
        self.assertEqual(c.end(), 0)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "d.png")))

    def testRefusals(self):
        def refused(*arguments):
            done = subprocess.run([BIN + "/platform", *arguments], cwd=self.folder.name, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done)
            return done.stderr

        self.assertIn("no --debug", refused("s.shk", "--dap", "-", "--debug"))
        self.assertIn("--dap: found 2 --hosts", refused("s.shk", "--dap", "-", "--hosts", "2"))
        self.assertIn("belongs to a run", refused("compare", "a", "b", "--dap", "-"))
        self.assertIn("expected - or a port", refused("s.shk", "--dap", "port"))


if __name__ == "__main__":
    unittest.main()
