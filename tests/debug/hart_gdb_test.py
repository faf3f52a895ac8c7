#!/usr/bin/env python3
"""xphmg-run --gdb: a scripted client of the remote protocol, and gdb-multiarch where there is one.
Usage: hart_gdb_test.py BIN_DIR"""

import os
import re
import shutil
import select
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from dap_client import Client

BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
GCC = shutil.which("riscv64-unknown-elf-gcc")
GDB = shutil.which("gdb-multiarch")

# Sums the words 1 to 10 by calls of add; the sum is the exit code.
PROGRAM = """\
        .globl _start
        .type  _start, @function
        .text
_start: la    sp, stack_end
        li    s0, 10
        la    s1, total
        li    t0, 0x2000
        csrs  mstatus, t0
        fcvt.d.l fs0, s0
loop:   mv    a0, s0
        call  add
        addi  s0, s0, -1
        bnez  s0, loop
        lw    a0, 0(s1)
        li    t0, 0x20100000
        sw    a0, 8(t0)
hang:   j     hang
        .type add, @function
add:    lw    t1, 0(s1)
        add   t1, t1, a0
        sw    t1, 0(s1)
        ret
        .size add, .-add
        .data
        .balign 8
total:  .word 0
        .bss
        .balign 16
        .space 256
stack_end:
"""


def checksum(text):
    return sum(text.encode("latin-1")) % 256


class Remote:
    """A client of the remote protocol."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command + ["--gdb", "0"], cwd=folder, stderr=subprocess.PIPE,
                                        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        line = self.process.stderr.readline().decode()
        self.address = re.search(r"(\S+):(\d+)$", line.strip())
        assert self.address, line
        self.sock = socket.create_connection((self.address[1], int(self.address[2])))
        self.buffer = ""
        self.acknowledges = True

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        self.sock.close()

    def send(self, text):
        self.sock.sendall(("$%s#%02x" % (text, checksum(text))).encode("latin-1"))

    def more(self, patience=60):
        end = time.monotonic() + patience
        ready, _, _ = select.select([self.sock], [], [], max(0, end - time.monotonic()))
        assert ready, "nothing came"
        data = self.sock.recv(65536)
        assert data, "the server is gone"
        self.buffer += data.decode("latin-1")

    def packet(self):
        while not (found := re.search(r"\$([^#]*)#(..)", self.buffer, re.S)):
            self.more()
        assert checksum(found[1]) == int(found[2], 16)
        self.buffer = self.buffer[found.end():]
        if self.acknowledges:
            self.sock.sendall(b"+")
        return re.sub("}(.)", lambda m: chr(ord(m[1]) ^ 0x20), found[1], flags=re.S)

    def ask(self, text):
        self.send(text)
        return self.packet()

    def quiet(self, seconds=0.3):
        """Nothing comes."""
        while select.select([self.sock], [], [], seconds)[0]:
            data = self.sock.recv(65536)
            if not data:
                break
            self.buffer += data.decode("latin-1")
        return "$" not in self.buffer  # but acknowledgements


@unittest.skipUnless(GCC, "no riscv64-unknown-elf-gcc")
class HartGdb(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.remote = None
        with open(os.path.join(self.folder.name, "p.S"), "w") as f:
            f.write(PROGRAM)
        subprocess.run([GCC, "-march=rv64gc", "-mabi=lp64d", "-nostdlib", "-g", "-Wl,-N,--no-relax,-Ttext=0x80000000",
                        "p.S", "-o", "p.elf"],
                       cwd=self.folder.name, check=True, stderr=subprocess.DEVNULL)
        self.symbols = {}
        names = subprocess.run([GCC.replace("-gcc", "-nm"), "p.elf"], cwd=self.folder.name, check=True,
                               capture_output=True, text=True).stdout
        for line in names.splitlines():
            value, _, name = line.split()
            self.symbols[name] = int(value, 16)

    def tearDown(self):
        if self.remote:
            self.remote.close()
        self.folder.cleanup()

    def start(self):
        self.remote = Remote([BIN + "/xphmg-run", "p.elf"], self.folder.name)
        self.assertEqual(self.remote.address[1], "127.0.0.1")
        self.assertIn("qXfer:features:read+", self.remote.ask("qSupported:swbreak+;xmlRegisters=riscv"))
        return self.remote

    def register(self, number):
        return int.from_bytes(bytes.fromhex(self.remote.ask("p%x" % number)), "little")

    def at(self, name):
        return "%x" % self.symbols[name]

    def testDescriptionRegistersAndMemory(self):
        r = self.start()
        xml, offset = "", 0
        while True:
            part = r.ask("qXfer:features:read:target.xml:%x,100" % offset)
            xml, offset = xml + part[1:], offset + len(part) - 1
            if part[0] == "l":
                break
        self.assertIn("<architecture>riscv:rv64</architecture>", xml)
        names = re.findall(r'<reg name="(\w+)" bitsize="64" type="\w+" regnum="(\d+)"', xml)
        self.assertEqual([int(n) for _, n in names], list(range(len(names))))
        self.numbers = {name: int(n) for name, n in names}
        self.assertEqual(len(bytes.fromhex(r.ask("g"))), 8 * len(names))
        pc = self.numbers["pc"]
        self.assertEqual(self.register(pc), self.symbols["_start"])
        self.assertEqual(r.ask("P%x=%s" % (self.numbers["t6"], (0x1234).to_bytes(8, "little").hex())), "OK")
        self.assertEqual(self.register(self.numbers["t6"]), 0x1234)
        all_ = bytearray(bytes.fromhex(r.ask("g")))
        all_[8 * self.numbers["t5"]] = 7
        self.assertEqual(r.ask("G" + all_.hex()), "OK")
        self.assertEqual(self.register(self.numbers["t5"]), 7)
        self.assertEqual(r.ask("M%s,4:0a000000" % self.at("total")), "OK")
        self.assertEqual(r.ask("m%s,4" % self.at("total")), "0a000000")
        self.assertEqual(r.ask("X%s,1:}\x03" % self.at("total")), "OK")  # an escaped #
        self.assertEqual(r.ask("m%s,2" % self.at("total")), "2300")
        self.assertEqual(r.ask("m10,4"), "E01")

    def testBreakpointsStepsAndTheWayBack(self):
        r = self.start()
        self.assertEqual(r.ask("QStartNoAckMode"), "OK")
        r.acknowledges = False
        self.assertEqual(r.ask("?"), "T05thread:1;")
        self.assertEqual(r.ask("Z0,%s,4" % self.at("add")), "OK")
        for n in range(10):
            self.assertEqual(r.ask("vCont;c"), "T05swbreak:;thread:1;")
            self.assertEqual(int.from_bytes(bytes.fromhex(r.ask("pa")), "little"), 10 - n)
            self.assertTrue(r.quiet(0.02))
        self.assertEqual(r.ask("bc"), "T05swbreak:;thread:1;")
        self.assertEqual(int.from_bytes(bytes.fromhex(r.ask("pa")), "little"), 2)
        before = r.ask("g")
        r.ask("vCont;s:1")
        self.assertNotEqual(before, r.ask("g"))
        self.assertEqual(r.ask("bs"), "T05thread:1;")
        self.assertEqual(before, r.ask("g"))
        self.assertEqual(r.ask("z0,%s,4" % self.at("add")), "OK")
        self.assertEqual(r.ask("Z2,%s,4" % self.at("total")), "OK")
        self.assertEqual(r.ask("c"), "T05watch:%s;thread:1;" % self.at("total"))
        self.assertEqual(r.ask("m%s,4" % self.at("total")), (10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2).to_bytes(4, "little").hex())
        r.ask("z2,%s,4" % self.at("total"))
        self.assertEqual(r.ask("bc"), "T05replaylog:begin;thread:1;")
        self.assertEqual(r.ask("bs"), "T05replaylog:begin;thread:1;")
        self.assertEqual(r.ask("c"), "W37")
        self.assertEqual(r.process.wait(60), 55)

    def testMonitorAndInterrupt(self):
        r = self.start()
        said = bytes.fromhex(r.ask("qRcmd," + b"break add; info".hex())).decode()
        self.assertIn("breakpoint 1 at", said)
        self.assertIn("no move", bytes.fromhex(r.ask("qRcmd," + b"run".hex())).decode())
        self.assertIn("expected a command", bytes.fromhex(r.ask("qRcmd," + b"brek".hex())).decode())
        self.assertEqual(r.ask("c"), "T05thread:1;")
        self.assertEqual(r.ask("qRcmd," + b"delete".hex()), "OK")
        hang = (0x6F).to_bytes(4, "little").hex()  # j .
        self.assertEqual(r.ask("M%s,4:%s" % (self.at("loop"), hang)), "OK")
        r.send("c")
        self.assertTrue(r.quiet())
        r.sock.sendall(b"\x03")
        self.assertEqual(r.packet(), "T02thread:1;")
        self.assertTrue(r.quiet())
        r.send("k")
        self.assertEqual(r.process.wait(60), 0)

    def testHostilePackets(self):
        r = self.start()
        r.sock.sendall(b"$g#00")
        while "-" not in r.buffer:
            r.more()
        r.buffer = ""
        for packet in ("p", "pzz", "pffff", "P1", "P1=12", "G12", "m", "m1", "m,,", "mffffffffffffffff,ffffffff",
                       "M80000000,4:0", "X80000000,9:1", "Z0", "Z9,1,1", "Z0,zz,1", "Zfoo,1,1",
                       "qXfer:features:read:target.xml:zz,1", "qRcmd,f", "vCont;x"):
            self.assertEqual(r.ask(packet), "E01", packet)
        self.assertEqual(r.ask("wonder"), "")
        self.assertEqual(r.ask("vMustReplyEmpty"), "")
        self.assertEqual(r.ask("m%s,4" % self.at("total")), "00000000")

    def run_(self, *arguments, **more):
        return subprocess.run([BIN + "/xphmg-run", "p.elf", *arguments], cwd=self.folder.name, capture_output=True,
                              text=True, timeout=100, **more)

    @staticmethod
    def line(beginning):
        return next(n for n, text in enumerate(PROGRAM.splitlines(), 1) if text.startswith(beginning))

    def text(self, beginning):
        return PROGRAM.splitlines()[self.line(beginning) - 1]

    def testSourceLines(self):
        """Breakpoints, stops and lists name lines; without line tables the same by address."""
        loop = self.line("loop:")
        done = self.run_("-x", "break p.S:%d; run; list; step" % (loop + 2))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("loop+", done.stdout)
        self.assertIn("p.S:%d)" % (loop + 2), done.stdout)
        self.assertIn("p.S:%d)" % (loop + 3), done.stdout)
        self.assertIn("%5d  %s" % (loop, self.text("loop:")), done.stdout)
        subprocess.run([GCC.replace("-gcc", "-strip"), "-g", "p.elf"], cwd=self.folder.name, check=True)
        done = self.run_("-x", "break p.S:%d" % (loop + 2))
        self.assertEqual(done.returncode, 2)
        self.assertIn("breakpoint 1 at %s add\n" % self.at("add"), self.run_("-x", "break add; run").stdout)

    def testThePrompt(self):
        done = self.run_("-x", "break add; run; where; print a0; step; reverse-step; print PC - add; finish; print PC - loop",
                         "-x", "delete; watch total 4 if new > 20; run; print a0; delete; run")
        self.assertEqual(done.returncode, 55, done.stderr)
        said = done.stdout.splitlines()
        where = "%s add (%s/p.S:%d)" % (self.at("add"), os.path.realpath(self.folder.name), self.line("add:"))
        self.assertIn("breakpoint 1 at " + where, said)
        self.assertIn("#0 " + where, said)
        self.assertIn("%d\t%s" % (self.line("add:"), self.text("add:")), said)
        self.assertTrue(any(line.startswith("#1 ") and line.split()[2].startswith("loop+") for line in said), said)
        self.assertEqual(said.count("0a  10"), 2)  # a0, and the place behind the call
        self.assertIn("00  0", said)
        self.assertEqual([line for line in said if line == "09  9" or line == "08  8"], ["08  8"])  # 10 + 9 + 8 > 20
        self.assertIn("exit status 55", said)
        self.assertEqual(self.run_("-i", input="break add\nrun\nquit\n").returncode, 0)
        wrong = self.run_("-x", "brek add")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("expected one of", self.run_("-i", "--gdb", "0").stderr)
        # The trace is the same, whoever looks.
        self.run_("--trace", "a.txt")
        self.run_("--trace", "b.txt", "-x", "break add; run; run; step 3; delete; run")
        with open(self.folder.name + "/a.txt") as a, open(self.folder.name + "/b.txt") as b:
            self.assertEqual(a.read(), b.read())

    def testAnEditor(self):
        c = Client([BIN + "/xphmg-run", "p.elf"], self.folder.name)
        try:
            c.begin()
            self.assertEqual(c.ask("threads")["threads"], [{"id": 1, "name": "hart0"}])
            c.ask("setFunctionBreakpoints", breakpoints=[{"name": "add"}])
            c.ask("configurationDone")
            self.assertEqual(c.stop()["reason"], "function breakpoint")
            frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]
            self.assertEqual(frame["name"], "add")
            scope = c.ask("scopes", frameId=frame["id"])["scopes"][0]["variablesReference"]
            values = {v["name"]: v["value"] for v in c.ask("variables", variablesReference=scope)["variables"]}
            self.assertEqual(values["a0"], "0x000000000000000a  10")
            self.assertTrue(values["fs0"].endswith("  10"))
            lines = c.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionCount=2)
            self.assertEqual(lines["instructions"][0]["instruction"], "lw t1, 0(s1)")
            c.ask("setFunctionBreakpoints", breakpoints=[])
            c.ask("continue", threadId=1)
            self.assertEqual(c.event("exited")["exitCode"], 55)
            self.assertEqual(c.end(), 55)
        finally:
            c.close()

    @unittest.skipUnless(GDB, "no gdb-multiarch")
    def testGdbItself(self):
        self.remote = r = Remote.__new__(Remote)
        r.process = subprocess.Popen([BIN + "/xphmg-run", "p.elf", "--gdb", "0"], cwd=self.folder.name,
                                     stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        r.sock = socket.socket()
        where = r.process.stderr.readline().decode().split()[-1]
        commands = ["set confirm off", "set height 0", "target remote " + where, "break add", "continue", "info registers a0 pc",
                    "print $fs0", "continue", "bt 1", "stepi", "reverse-stepi", "print $a0", "reverse-continue", "print $a0",
                    "delete", "watch *(int*)&total", "continue", "print *(int*)&total", "delete", "set var *(int*)&total = 100",
                    "monitor print a0", "continue"]
        arguments = [word for c in commands for word in ("-ex", c)]
        done = subprocess.run([GDB, "-nx", "-batch", *arguments, "p.elf"], cwd=self.folder.name, capture_output=True,
                              text=True, timeout=100)
        text = done.stdout + done.stderr
        self.assertIn("Breakpoint 1, ", text)
        self.assertRegex(text, r"a0\s+0xa\s+10")
        self.assertRegex(text, r"\$1 = .*double = 10}")  # fs0
        self.assertIn("$2 = 9", text)
        self.assertIn("$3 = 10", text)
        self.assertRegex(text, r"New value = 10")
        self.assertIn("$4 = 10", text)
        self.assertIn("0a", text)
        self.assertIn("exited with code 0%o" % (100 + 45), text)
        self.assertEqual(r.process.wait(60), 145)

    def testTrapsSayWhatAndWhere(self):
        for line, said in ((".word 0", "illegal instruction 0x0 "), ("ebreak", "EBREAK "), ("ld a0, 16(zero)", "load at 0x10, where nothing answers"),
                           ("sd a0, 8(zero)", "store at 0x8, where nothing answers"), ("jr zero", "fetch from 0x0, where no memory is")):
            with open(os.path.join(self.folder.name, "t.S"), "w") as f:
                # $x marks lie on every piece of code; the function's name is the place.
                f.write(".globl _start\n.text\n_start: nop\n j work\n.type work, @function\nwork: nop\n.word 0x00000013\n" + line + "\n")
            subprocess.run([GCC, "-march=rv64g", "-mabi=lp64d", "-nostdlib", "-Wl,-N,--no-relax,-Ttext=0x80000000", "t.S", "-o", "t.elf"],
                           cwd=self.folder.name, check=True, stderr=subprocess.DEVNULL)
            done = subprocess.run([BIN + "/xphmg-run", "t.elf"], cwd=self.folder.name, capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("trap: " + said, done.stderr)
            self.assertNotIn("$", done.stderr)
            if "jr" not in line:
                self.assertIn("(work+0x8)", done.stderr)


SCENE = """\
w 4
h 4
e 0 0 5
t -1 -1 0  1 -1 0  0 1 0
"""


@unittest.skipUnless(GCC, "no riscv64-unknown-elf-gcc")
class PlatformGdb(unittest.TestCase):
    """The hart that drives the queue of a whole run."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        with open(os.path.join(self.folder.name, "s.shk"), "w") as f:
            f.write(SCENE)
        self.command = [BIN + "/platform", "s.shk", "--engine", "xphmg", "--set", "xphmg.driver=hart", "--depth", "1", "--no-progress",
                        "-o", "a.png", "--hits", "a.csv", "--quiet"]

    def tearDown(self):
        self.folder.cleanup()

    def contents(self):
        found = []
        for name in ("a.png", "a.csv"):
            with open(os.path.join(self.folder.name, name), "rb") as f:
                found.append(f.read())
            os.remove(os.path.join(self.folder.name, name))
        return found

    def testStopsAndStepsChangeNothing(self):
        subprocess.run(self.command, cwd=self.folder.name, check=True, timeout=100)
        undisturbed = self.contents()
        r = Remote(self.command, self.folder.name)
        try:
            self.assertIn("qXfer:features:read+", r.ask("qSupported:swbreak+;xmlRegisters=riscv"))
            self.assertEqual(r.ask("?"), "T05thread:1;")
            for _ in range(20):
                self.assertEqual(r.ask("vCont;s:1"), "T05thread:1;")
            before = r.ask("g")
            self.assertEqual(r.ask("vCont;s:1"), "T05thread:1;")
            self.assertNotEqual(before, r.ask("g"))
            self.assertEqual(r.ask("bs"), "T05thread:1;")
            self.assertEqual(before, r.ask("g"))
            said = bytes.fromhex(r.ask("qRcmd," + b"break submit".hex())).decode()
            self.assertIn("breakpoint 1 at", said)
            self.assertEqual(r.ask("c"), "T05thread:1;")
            self.assertEqual(r.ask("qRcmd," + b"delete".hex()), "OK")
            self.assertEqual(r.ask("c"), "W00")
            self.assertEqual(r.process.wait(60), 0)
        finally:
            r.close()
        self.assertEqual(self.contents(), undisturbed)

    def debugged(self, *arguments, status=0, **more):
        done = subprocess.run(self.command + ["--debug", *arguments], cwd=self.folder.name, capture_output=True, text=True,
                              timeout=200, check=False, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def testThePrompt(self):
        """The commands of xphmg-run, stops and the way back; the run ends as one without."""
        subprocess.run(self.command, cwd=self.folder.name, check=True, timeout=100)
        undisturbed = self.contents()
        done = self.debugged("-x", "break submit; run; where; step 3; reverse-step 3; print PC - submit",
                             "-x", "delete; run 200 instructions; reverse-continue; run")
        self.assertRegex(done.stdout, r"breakpoint 1 at [0-9a-f]+ submit \(firmware/xphmg/queue_driver\.c:\d+\)")
        self.assertIn("#0 ", done.stdout)
        self.assertRegex(done.stdout, r"\n0+  0\n")
        self.assertIn("no stop before: the beginning", done.stdout)
        self.assertEqual(self.contents(), undisturbed)
        # Whoever leaves in the middle leaves nothing.
        self.debugged("-x", "break submit; run")
        self.assertEqual(os.listdir(self.folder.name), ["s.shk"])
        wrong = self.debugged("-x", "brek", status=2)
        self.assertIn("expected a command", wrong.stderr)
        self.assertIn("way back", self.debugged("--instructions", "x.txt", "-x", "run", status=2).stderr)
        self.command.append("--set=xphmg.driver=host")
        self.assertIn("no machine of this run", self.debugged(status=2).stderr)

    def testAnEditor(self):
        subprocess.run(self.command, cwd=self.folder.name, check=True, timeout=100)
        undisturbed = self.contents()
        c = Client(self.command, self.folder.name)
        try:
            c.begin()
            self.assertEqual(c.ask("threads")["threads"], [{"id": 1, "name": "hart0"}])
            c.ask("setFunctionBreakpoints", breakpoints=[{"name": "submit"}])
            c.ask("configurationDone")
            self.assertEqual(c.stop()["reason"], "function breakpoint")
            frame = c.ask("stackTrace", threadId=1)["stackFrames"][0]
            self.assertEqual(frame["name"], "submit")
            self.assertTrue(frame["source"]["path"].endswith("queue_driver.c"), frame)
            c.ask("stepBack", threadId=1, granularity="instruction")
            c.stop()
            c.ask("setFunctionBreakpoints", breakpoints=[])
            c.ask("continue", threadId=1)
            self.assertEqual(c.event("exited")["exitCode"], 0)
            self.assertEqual(c.end(), 0)
        finally:
            c.close()
        self.assertEqual(self.contents(), undisturbed)

    def testTheTrace(self):
        """Signals of the hart: what the instruction log says at the same cycles, whoever looks."""
        plain = self.command + ["--set", "trace.modules=hart0"]
        for name, more in (("a.vcd", []), ("b.vcd", ["--set", "xphmg.dmi=off"]),
                           ("c.vcd", ["--debug", "-x", "break submit; run; step 5; delete; run"])):
            subprocess.run(plain + ["--trace", name, *more], cwd=self.folder.name, check=True, timeout=100,
                           stdout=subprocess.DEVNULL)
        subprocess.run(plain + ["--instructions", "log.txt"], cwd=self.folder.name, check=True, timeout=100)
        texts = []
        for name in ("a.vcd", "b.vcd", "c.vcd"):
            with open(os.path.join(self.folder.name, name)) as f:
                texts.append(f.read())
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])
        code = re.search(r"\$var \S+ 64 (\S+) pc ", texts[0])[1]
        state = re.search(r"\$var \S+ \d+ (\S+) state ", texts[0])[1]
        unit = int(re.search(r"\$timescale\s+(\d+)\s*ps", texts[0])[1])
        pcs, states, now = {}, [], 0
        for line in texts[0].splitlines():
            if line.startswith("#"):
                now = int(line[1:]) * unit // 1000
            elif line.startswith("b") and line.endswith(" " + code):
                pcs[now] = int(line.split()[0][1:], 2)
            elif line.endswith(" " + state):
                states.append(line)
        with open(os.path.join(self.folder.name, "log.txt")) as f:
            logged = {int(m[1]): int(m[2], 16) for m in re.finditer(r"^ *(\d+)  hart0  ([0-9a-f]+) ", f.read(), re.M)}
        at = 0
        for cycle, pc in sorted(logged.items()):
            if cycle > now:
                break  # the run has ended, and the hart was ahead
            at = pcs.get(cycle, at)  # a loop of one instruction changes nothing
            self.assertEqual(at, pc, cycle)
        self.assertGreater(len(states), 2)
        self.assertGreater(len(pcs), 50)

    @unittest.skipUnless(GDB, "no gdb-multiarch")
    def testGdbItself(self):
        subprocess.run(self.command, cwd=self.folder.name, check=True, timeout=100)
        undisturbed = self.contents()
        server = subprocess.Popen(self.command + ["--gdb", "0"], cwd=self.folder.name, stderr=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        try:
            where = server.stderr.readline().decode().split()[-1]
            commands = ["set confirm off", "set height 0", "target remote " + where, "printf \"at %lx\\n\", $pc", "stepi 20",
                        "printf \"then %lx\\n\", $pc", "stepi", "reverse-stepi", "printf \"again %lx\\n\", $pc",
                        "monitor break submit", "continue", "monitor where", "monitor delete", "continue"]
            arguments = [word for c in commands for word in ("-ex", c)]
            done = subprocess.run([GDB, "-nx", "-batch", *arguments], cwd=self.folder.name, capture_output=True, text=True, timeout=200)
            text = done.stdout + done.stderr
            places = {word: re.search(r"^%s ([0-9a-f]+)$" % word, text, re.M) for word in ("at", "then", "again")}
            self.assertTrue(all(places.values()), text)
            self.assertEqual(places["then"][1], places["again"][1])
            self.assertNotEqual(places["at"][1], places["then"][1])
            self.assertRegex(text, r"#0 [0-9a-f]+ submit")
            self.assertIn("exited normally", text)
            self.assertEqual(server.wait(60), 0)
        finally:
            server.kill()
            server.wait()
            server.stderr.close()
        self.assertEqual(self.contents(), undisturbed)

    def testLeavingAndRefusals(self):
        r = Remote(self.command, self.folder.name)
        try:
            r.ask("?")
            r.send("k")
            self.assertEqual(r.process.wait(60), 0)
        finally:
            r.close()
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "a.png")))
        for more, said in ((["--engine", "tigershark"], "no machine of this run has an RV64 hart"), (["--debug"], "expected no --debug"),
                           (["--hosts", "2"], "--gdb: found 2 --hosts")):
            done = subprocess.run(self.command + ["--gdb", "0"] + more, cwd=self.folder.name, capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
