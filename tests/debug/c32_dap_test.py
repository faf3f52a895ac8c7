#!/usr/bin/env python3
"""c32-run --dap, by a scripted client. Usage: c32_dap_test.py BIN_DIR"""

import base64
import os
import subprocess
import sys
import tempfile
import unittest

from dap_client import Client

BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""

# Counts 40 up by calls of work; line 8 is the loop, 16 work.
PROGRAM = """\
        .text
_start: LDP   @pointer
        LDI   @stackp,SP
        LDI   @pointer,AR0
        LDI   @putc,AR6
        LDI   'k',R3
        LDI   20,R1
loop:   CALL  work
        SUBI  1,R1
        BNZ   loop
        STI   R3,*AR6
        LDI   @exit,AR7
        LDI   0,R0
        STI   R0,*AR7
        BU    $
work:   PUSH  R1
        LDI   *AR0,R2
        ADDI  1,R2
        STI   R2,*AR0
        FLOAT R2,R5
        POP   R1
        RETS
        .data
pointer: .word counter
stackp: .word stack-1
exit:   .word 82FFF2h
putc:   .word 82FFF0h
counter: .word 40
stack   .usect "stack",8
"""
LOOP, WORK, STORE, AFTER_FLOAT = 8, 16, 19, 21


class C32Dap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.client = None
        with open(os.path.join(self.folder.name, "p.asm"), "w") as f:
            f.write(PROGRAM)
        subprocess.run([BIN + "/c32-as", "-W", "none", "p.asm", "-o", "p.out"], cwd=self.folder.name, check=True)

    def tearDown(self):
        if self.client:
            self.client.close()
        self.folder.cleanup()

    def start(self, door="-", program="p.out", **launch):
        self.client = Client([BIN + "/c32-run", program], self.folder.name, door)
        self.abilities = self.client.begin(**launch)
        return self.client

    def breakpoints(self, *lines, path="/home/someone/tree/p.asm"):
        wanted = [line if isinstance(line, dict) else {"line": line} for line in lines]
        return self.client.ask("setBreakpoints", source={"path": path}, breakpoints=wanted)["breakpoints"]

    def where(self):
        frame = self.client.ask("stackTrace", threadId=1)["stackFrames"][0]
        return frame["line"]

    def value(self, expression):
        return self.client.ask("evaluate", expression=expression)["result"]

    def testRunsToTheEndAndTellsIt(self):
        c = self.start()
        self.assertTrue(self.abilities["supportsStepBack"])
        c.ask("configurationDone")
        self.assertEqual(c.event("output")["output"], "k")
        self.assertEqual(c.event("exited")["exitCode"], 0)
        c.event("terminated")
        self.assertEqual(c.end(), 0)
        self.assertEqual(c.stops(), 0)

    def testOneStoppedEventAStop(self):
        c = self.start(stopOnEntry=True)
        self.assertEqual(self.breakpoints(WORK)[0]["verified"], True)
        c.ask("configurationDone")
        self.assertEqual(c.stop()["reason"], "entry")
        for n in range(20):
            c.ask("continue", threadId=1)
            stop = c.stop()
            self.assertEqual((stop["reason"], stop["threadId"]), ("breakpoint", 1))
            self.assertEqual(self.where(), WORK)
            self.assertEqual(self.value("R1.i").split()[-1], str(20 - n))
        self.breakpoints()
        c.ask("continue", threadId=1)
        c.event("terminated")
        self.assertEqual(c.end(), 0)
        self.assertEqual(c.stops(), 21)

    def testStepsAndTheStack(self):
        c = self.start()
        self.breakpoints(LOOP)
        c.ask("configurationDone")
        c.stop()
        c.ask("stepIn", threadId=1)
        self.assertEqual(c.stop()["reason"], "step")
        frames = c.ask("stackTrace", threadId=1)["stackFrames"]
        self.assertEqual([f["line"] for f in frames[:2]], [WORK, LOOP])
        self.assertEqual(frames[0]["name"], "work")
        self.assertEqual(frames[0]["source"]["path"], "/home/someone/tree/p.asm")
        c.ask("stepOut", threadId=1)
        c.stop()
        self.assertEqual(self.where(), LOOP + 1)
        c.ask("stepBack", threadId=1)
        self.assertEqual(c.stop()["reason"], "step")
        self.assertEqual(self.where(), LOOP - 8 + 22)  # the RETS of work
        c.ask("continue", threadId=1)
        c.stop()
        self.assertEqual(self.where(), LOOP)
        c.ask("next", threadId=1, granularity="instruction")
        c.stop()
        self.assertEqual(self.where(), LOOP + 1)
        c.ask("reverseContinue", threadId=1)
        self.assertEqual(c.stop()["reason"], "breakpoint")
        self.assertEqual(self.where(), LOOP)
        self.assertEqual(self.value("R1.i").split()[-1], "19")
        self.assertEqual(c.stops(), 7)
        c.ask("disconnect")
        self.assertEqual(c.end(), 0)

    def testTheBeginningCannotBePassed(self):
        c = self.start(stopOnEntry=True)
        c.ask("configurationDone")
        c.stop()
        self.assertIn("beginning", c.refused("stepBack", threadId=1))
        c.ask("stepIn", threadId=1)
        c.stop()
        c.ask("reverseContinue", threadId=1)
        self.assertIn("beginning", c.stop()["text"])
        self.assertEqual(self.where(), 2)

    def testConditionsCountsAndMessages(self):
        c = self.start()
        answers = self.breakpoints(
            {"line": WORK, "condition": "R1 == 15"},
            {"line": LOOP + 1, "hitCondition": "% 7"},
            {"line": STORE, "logMessage": "R2 is {R2}, {R2 * 0.5}"},
            {"line": LOOP, "condition": "R1 =="},
            {"line": LOOP, "hitCondition": "often"},
        )
        self.assertEqual([a["verified"] for a in answers], [True, True, True, False, False])
        self.assertIn("often", answers[4]["message"])
        c.ask("configurationDone")
        c.stop()
        self.assertEqual((self.where(), self.value("R1.i").split()[-1]), (WORK, "15"))
        c.ask("continue", threadId=1)
        c.stop()
        self.assertEqual((self.where(), self.value("R1.i").split()[-1]), (LOOP + 1, "14"))
        said = [e["body"]["output"] for e in c.seen if e["event"] == "output"]
        self.assertEqual(said[:2], ["R2 is 41, 20.5\n", "R2 is 42, 21\n"])
        self.assertEqual(len(said), 7)

    def testFunctionInstructionAndDataBreakpoints(self):
        c = self.start()
        self.assertTrue(c.ask("setFunctionBreakpoints", breakpoints=[{"name": "work"}])["breakpoints"][0]["verified"])
        bad = c.ask("setFunctionBreakpoints", breakpoints=[{"name": "work"}, {"name": "nowhere"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in bad], [True, False])
        c.ask("configurationDone")
        self.assertEqual(c.stop()["reason"], "function breakpoint")
        c.ask("setFunctionBreakpoints", breakpoints=[])
        info = c.ask("dataBreakpointInfo", name="counter")
        self.assertEqual(info["accessTypes"], ["read", "write", "readWrite"])
        set_ = c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])
        self.assertTrue(set_["breakpoints"][0]["verified"])
        c.ask("continue", threadId=1)
        self.assertEqual(c.stop()["reason"], "data breakpoint")
        self.assertEqual(self.where(), STORE + 1)
        self.assertIn("41", self.value("[counter].i"))
        frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
        scope = c.ask("scopes", frameId=frame)["scopes"][0]
        info = c.ask("dataBreakpointInfo", variablesReference=scope["variablesReference"], name="R1")
        c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        c.ask("continue", threadId=1)
        self.assertEqual(c.stop()["reason"], "data breakpoint")
        self.assertEqual(self.where(), LOOP + 2)
        c.ask("setDataBreakpoints", breakpoints=[])
        place = c.ask("evaluate", expression="work")["memoryReference"]
        c.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": place, "offset": 4}])
        c.ask("continue", threadId=1)
        self.assertEqual(c.stop()["reason"], "instruction breakpoint")
        self.assertEqual(self.where(), WORK + 1)

    def testVariablesHaveViewsAndCanBeSet(self):
        c = self.start()
        self.breakpoints(AFTER_FLOAT)
        c.ask("configurationDone")
        c.stop()
        frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]["id"]
        scopes = {s["name"]: s["variablesReference"] for s in c.ask("scopes", frameId=frame)["scopes"]}
        registers = {v["name"]: v for v in c.ask("variables", variablesReference=scopes["Registers"])["variables"]}
        # 41.0 is 1.28125 * 2^5: exponent 5, mantissa 24000000h.
        self.assertEqual(registers["R5"]["value"], "0x0524000000  603979776  41")
        views = c.ask("variables", variablesReference=registers["R5"]["variablesReference"])["variables"]
        self.assertEqual({v["name"]: v["value"] for v in views},
                         {"float": "41", "signed": "603979776", "unsigned": "603979776", "exponent": "5"})
        c.ask("setVariable", variablesReference=registers["R5"]["variablesReference"], name="float", value="-1.5")
        self.assertEqual(self.value("R5.f"), "-1.5")
        c.ask("setVariable", variablesReference=scopes["Registers"], name="R1", value="R1 + 2")
        self.assertEqual(self.value("R1").split()[-2], "22")
        data = {v["name"]: v for v in c.ask("variables", variablesReference=scopes["Data"])["variables"]}
        self.assertTrue(data["counter"]["value"].startswith("0x00000029  41"))
        c.ask("setVariable", variablesReference=scopes["Data"], name="counter", value="7")
        self.assertIn(" 7", self.value("[counter]"))
        self.assertIn("nowhere", c.refused("setExpression", expression="nowhere", value="1"))
        self.assertIn("reference", c.refused("variables", variablesReference=1 << 40))
        # What was changed is part of the past.
        c.ask("stepIn", threadId=1)
        c.stop()
        c.ask("stepBack", threadId=1)
        c.stop()
        self.assertEqual(self.value("R5.f"), "-1.5")

    def testMemoryAndDisassembly(self):
        c = self.start(stopOnEntry=True)
        c.ask("configurationDone")
        c.stop()
        place = c.ask("evaluate", expression="counter")["memoryReference"]
        read = c.ask("readMemory", memoryReference=place, count=6)
        self.assertEqual(base64.b64decode(read["data"])[:4], b"\x28\0\0\0")
        c.ask("writeMemory", memoryReference=place, offset=1, data=base64.b64encode(b"\x02").decode())
        self.assertIn("552", self.value("[counter]"))  # 228h
        self.assertIn("base64", c.refused("writeMemory", memoryReference=place, data="!"))
        work = c.ask("evaluate", expression="work")["memoryReference"]
        lines = c.ask("disassemble", memoryReference=work, instructionOffset=-1, instructionCount=3)["instructions"]
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0]["instruction"].startswith("BU") or lines[0]["instruction"].startswith("BR"))
        self.assertEqual((lines[1]["symbol"], lines[1]["instruction"], lines[1]["line"]), ("work", "PUSH R1", WORK))
        self.assertIn("65536", c.refused("disassemble", memoryReference=work, instructionCount=1 << 30))
        self.assertIn("address", c.refused("readMemory", memoryReference="here", count=4))

    def testCommandsOfThePrompt(self):
        c = self.start(stopOnEntry=True)
        c.ask("configurationDone")
        c.stop()
        said = c.ask("evaluate", expression="break work; info", context="repl")["result"]
        self.assertIn("breakpoint 1 at", said)
        self.assertIn("expected a command", c.refused("evaluate", expression="brek", context="repl"))
        c.ask("evaluate", expression="run", context="repl")
        c.event("continued")
        self.assertEqual(c.stop()["reason"], "breakpoint")
        self.assertEqual(c.ask("evaluate", expression="reverse-step", context="repl")["result"], "")
        self.assertEqual(c.stop()["reason"], "step")
        self.assertEqual(self.where(), LOOP)
        labels = [t["label"] for t in c.ask("completions", text="print coun", column=11)["targets"]]
        self.assertEqual(labels, ["counter"])

    def testPauseHoldsALoopAndBreakpointsMayChangeWhileItRuns(self):
        with open(os.path.join(self.folder.name, "p.asm"), "w") as f:
            f.write("        .text\n_start: NOP\nlong:   ADDI  1,R0\n        BU    long\n")
        subprocess.run([BIN + "/c32-as", "-W", "none", "p.asm", "-o", "p.out"], cwd=self.folder.name, check=True)
        self.client = Client([BIN + "/c32-run", "--steps", "1000000000000", "p.out"], self.folder.name)
        c = self.client
        c.begin()
        c.ask("configurationDone")
        c.ask("threads")
        c.ask("pause", threadId=1)
        self.assertEqual(c.stop()["reason"], "pause")
        self.assertIn("stands", c.refused("pause", threadId=1))
        c.ask("continue", threadId=1)
        self.assertTrue(self.breakpoints(4)[0]["verified"])
        self.assertEqual(c.stop()["reason"], "breakpoint")
        self.assertEqual(c.stops(), 2)
        c.ask("terminate")
        c.event("terminated")
        self.assertEqual(c.end(), 0)

    def testAFaultIsAnException(self):
        with open(os.path.join(self.folder.name, "p.asm"), "w") as f:
            f.write("        .text\n_start: LDI 5,R1\n        .word 0FFFFFFFFh\n")
        subprocess.run([BIN + "/c32-as", "-W", "none", "p.asm", "-o", "p.out"], cwd=self.folder.name, check=True)
        c = self.start()
        c.ask("configurationDone")
        self.assertEqual(c.stop()["reason"], "exception")
        info = c.ask("exceptionInfo", threadId=1)
        self.assertIn("FFFFFFFF".lower(), info["description"].lower())
        c.ask("stepBack", threadId=1)
        c.stop()
        self.assertEqual(self.where(), 2)
        c.ask("continue", threadId=1)
        c.stop()
        c.ask("continue", threadId=1)
        c.event("terminated")
        self.assertEqual(c.end(), 3)

    def testSourcesAndLocations(self):
        c = self.start(stopOnEntry=True, sourceRoots=[self.folder.name])
        c.ask("configurationDone")
        c.stop()
        sources = c.ask("loadedSources")["sources"]
        self.assertEqual([s["name"] for s in sources], ["p.asm"])
        self.assertEqual(sources[0]["path"], os.path.realpath(os.path.join(self.folder.name, "p.asm")))
        self.assertEqual(c.ask("source", source=sources[0], sourceReference=0)["content"], PROGRAM)
        lines = c.ask("breakpointLocations", source=sources[0], line=WORK, endLine=WORK + 2)["breakpoints"]
        self.assertEqual([b["line"] for b in lines], [WORK, WORK + 1, WORK + 2])
        self.assertIn("no file", self.breakpoints(3, path="/other/q.asm")[0]["message"])

    def testAClientThatLeaves(self):
        c = self.start(stopOnEntry=True)
        c.ask("configurationDone")
        c.stop()
        c.ask("disconnect", terminateDebuggee=False)
        self.assertEqual(c.end(), 0)  # the program has run to its end
        c.close()
        self.client = Client([BIN + "/c32-run", "p.out"], self.folder.name, "0")
        self.client.begin(stopOnEntry=True)
        self.client.sock.close()
        self.assertEqual(self.client.process.wait(60), 0)

    def testOneClientOnLoopback(self):
        import socket

        c = self.start(door="0", stopOnEntry=True)
        self.assertEqual(c.address[1], "127.0.0.1")
        with self.assertRaises(OSError):
            socket.create_connection((c.address[1], int(c.address[2])), timeout=5)
        c.ask("configurationDone")
        c.stop()
        c.ask("continue", threadId=1)
        c.event("terminated")
        self.assertEqual(c.end(), 0)

    def testHostileBytes(self):
        c = self.start(stopOnEntry=True)
        for text in ("nonsense", "[]", '{"type":"event"}', '{"type":"request","seq":"x"}', "[" * 5000):
            c.raw(text)
            message = c.read()
            self.assertFalse(message["success"], text)
        self.assertIn("dance", c.refused("dance"))
        self.assertIn("integer", c.refused("stackTrace", threadId="one"))
        self.assertIn("thread 99", c.refused("stackTrace", threadId=99))
        self.assertIn("object", c.refused("setBreakpoints", source=3))
        c.ask("configurationDone")
        c.stop()
        for bytes_ in (b"Content-Length: 99999999999\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"a" * 5000,
                       b"Content-Length: 1\r\nContent-Length: 1\r\n\r\n"):
            other = Client([BIN + "/c32-run", "p.out"], self.folder.name)
            other.write(bytes_)
            self.assertIsNone(other.read())
            self.assertIn("debugger: found", other.errors())
            other.close()

    def testOptionsThatExcludeEachOther(self):
        def refused(*arguments):
            done = subprocess.run([BIN + "/c32-run", "p.out", *arguments], cwd=self.folder.name,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done)
            return done.stderr

        self.assertIn("--interactive", refused("--dap", "-", "-i"))
        self.assertIn("found '99999'", refused("--dap", "99999"))
        self.assertIn("numeric address", refused("--dap", "host:4711"))


if __name__ == "__main__":
    unittest.main()
