#!/usr/bin/env python3
"""Profile, coverage and instruction log of programs on the hart, by xphmg-run and in the platform: sums are those of the statistics, every
line's are those of the instruction trace and of the line table as binutils read it, people's tools read the files.

usage: hart_profile_test.py BIN_DIR
"""

import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from small_scene import TRIANGLES, read

BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
GCC = shutil.which("riscv64-unknown-elf-gcc")

# A loop, an ECALL that its handler steps over, a timer's interrupt that ends a WFI, reads of the unit's registers.
PROGRAM = """\
        .globl _start
        .text
        .type  _start, @function
_start: la    t0, handler
        csrw  mtvec, t0
        li    s0, 5
loop:   addi  s0, s0, -1
        bnez  s0, loop
        ecall
        li    t1, 0x20000000
        ld    t2, 0(t1)
        ld    t2, 8(t1)
        li    t1, 0x02004000
        li    t2, 3
        sd    t2, 0(t1)
        li    t2, 128
        csrs  mie, t2
        wfi
        csrsi mstatus, 8
        nop
        beqz  zero, done
        addi  s1, s1, 1
done:   li    t0, 0x20100000
        sw    zero, 8(t0)
hang:   j     hang
        .size _start, .-_start
        .balign 4
        .type  handler, @function
handler: csrr t0, mcause
        bltz  t0, timer
        csrr  t0, mepc
        addi  t0, t0, 4
        csrw  mepc, t0
        mret
timer:  csrw  mie, zero
        mret
        .size handler, .-handler
"""
LINES = PROGRAM.splitlines()


def line_of(text):
    return next(n for n, line in enumerate(LINES, 1) if text in line)


def parse_callgrind(text):
    """Events, totals, and the sums of each (file, line)."""
    events = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    totals = dict(zip(events, map(int, re.search(r"^totals: (.*)$", text, re.M).group(1).split())))
    lines, file = collections.defaultdict(lambda: dict.fromkeys(events, 0)), None
    for line in text.splitlines():
        if line.startswith("fl="):
            file = line[3:]
        elif re.match(r"\d+ ", line):
            number, *costs = map(int, line.split())
            for event, cost in zip(events, costs):
                lines[file, number][event] += cost
    return totals, lines


def coverage(text):
    files, current = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            current = files.setdefault(line[3:], {})
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")
            current[int(number)] = int(count)
    return files


def run(*command, status=0):
    done = subprocess.run(list(command), capture_output=True, text=True, check=False)
    assert done.returncode == status, "%s: status %d, %s" % (command, done.returncode, done.stderr)
    return done


@unittest.skipUnless(GCC, "no riscv64-unknown-elf-gcc")
class HartProfile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)
        with open("p.S", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        self.build("p.elf", "-g")

    def tearDown(self):
        os.chdir("/")
        self.folder.cleanup()

    @staticmethod
    def build(name, *options):
        run(GCC, "-march=rv64gc", "-mabi=lp64d", "-nostdlib", *options, "-Wl,-N,-Ttext=0x80000000", "p.S", "-o", name)

    @staticmethod
    def xphmg_run(*arguments, status=0):
        return run(BIN + "/xphmg-run", "p.elf", *arguments, status=status)

    def statistics(self, text):
        return {m[1]: int(m[2]) for m in re.finditer(r"^hart\.(\w+) (\d+)", text, re.M)}

    def traced(self, trace):
        """What --trace says of each line: instructions that began, cycles until the next one."""
        steps = [(int(line.split()[0]), int(line.split()[1], 16), "did not retire" in line)
                 for line in trace.splitlines()]
        addresses = sorted({pc for _, pc, _ in steps})
        named = run(GCC.replace("-gcc", "-addr2line"), "-e", "p.elf", *["%x" % a for a in addresses]).stdout
        number = {a: int(re.search(r":(\d+)", name)[1]) for a, name in zip(addresses, named.splitlines())}
        begun, cycles = collections.Counter(), collections.Counter()
        for n, (cycle, pc, _) in enumerate(steps):
            begun[number[pc]] += 1
            if n + 1 < len(steps):
                cycles[number[pc]] += steps[n + 1][0] - cycle
        return begun, cycles

    def test_every_line_is_that_of_the_trace(self):
        self.xphmg_run("--profile", "p.callgrind", "--stats", "stats")
        self.xphmg_run("--trace", "trace")
        begun, cycles = self.traced(read("trace"))
        totals, lines = parse_callgrind(read("p.callgrind"))
        self.assertEqual(begun, {n: c["instructions"] for (_, n), c in lines.items()})
        last = line_of("sw    zero, 8(t0)")
        for (file, number), costs in lines.items():
            self.assertTrue(file.endswith("p.S"), file)
            self.assertEqual(costs["cycles"], sum(v for k, v in costs.items() if k not in ("cycles", "instructions")))
            if number != last:  # nothing follows that would tell its cycles
                self.assertEqual(costs["cycles"], cycles[number], LINES[number - 1])
        stats = self.statistics(read("stats"))
        self.assertEqual(totals["cycles"], stats["cycles"])
        self.assertEqual(totals["executing"], stats["instructions"])
        self.assertEqual(totals["instructions"], stats["instructions"] + stats["cycles_trap"])
        for cause in ("trap", "inline_rt", "device", "blocked", "idle"):
            self.assertEqual(totals[cause], stats["cycles_" + cause], cause)
        self.assertEqual(stats["cycles_trap"], 1)
        self.assertGreater(stats["cycles_device"], 0)
        self.assertGreater(stats["cycles_idle"], 0)
        at = {number: costs for (_, number), costs in lines.items()}
        self.assertEqual(at[line_of("bnez  s0")]["instructions"], 5)
        self.assertEqual((at[line_of("ecall")]["trap"], at[line_of("ecall")]["executing"]), (1, 0))
        self.assertEqual(at[line_of("wfi")]["idle"], totals["idle"])
        self.assertEqual(at[line_of("ld    t2, 0")]["device"] + at[line_of("ld    t2, 8")]["device"], totals["device"])

    def test_watching_changes_no_sum(self):
        self.xphmg_run("--profile", "plain.callgrind", "--stats", "plain")
        for n, others in enumerate((["--trace", "trace"], ["-x", "break done; run; run"], ["-x", "step 9; run"])):
            with self.subTest(others):
                self.xphmg_run("--profile", "%d.callgrind" % n, "--stats", "stats", *others)
                self.assertEqual(read("stats"), read("plain"))
                self.assertEqual(read("%d.callgrind" % n), read("plain.callgrind"))

    def test_backwards_counts_once(self):
        self.xphmg_run("--profile", "plain.callgrind")
        self.xphmg_run("--profile", "back.callgrind", "-x", "break done; run; reverse-step 3; reverse-continue; delete; run")
        self.assertEqual(read("back.callgrind"), read("plain.callgrind"))

    def test_coverage_has_every_line_of_code(self):
        self.xphmg_run("--coverage", "p.info")
        (name, counts), = coverage(read("p.info")).items()
        self.assertTrue(name.endswith("p.S"))
        code = [n for n, line in enumerate(LINES, 1)
                if line.replace(":", ": ").split(": ")[-1].strip() and not line.split(": ")[-1].strip().startswith(".")]
        self.assertEqual(sorted(counts), code)
        missed = {LINES[n - 1].strip() for n, count in counts.items() if count == 0}
        self.assertEqual(missed, {"addi  s1, s1, 1", "hang:   j     hang"})
        self.assertEqual(counts[line_of("ecall")], 1)

    def test_tools_read_the_files(self):
        self.xphmg_run("--profile", "p.callgrind", "--coverage", "p.info")
        if shutil.which("callgrind_annotate"):
            done = run("callgrind_annotate", "--auto=no", "p.callgrind")
            self.assertIn("{:,}".format(parse_callgrind(read("p.callgrind"))[0]["cycles"]), done.stdout)
            self.assertIn("handler", done.stdout)
        if shutil.which("genhtml"):
            run("genhtml", "-o", "html", "p.info")
            self.assertTrue(os.path.exists("html/index.html"))
        table = self.xphmg_run("--profile", "-").stderr
        for word in ("handler", "p.S:%d" % line_of("wfi"), "idle", "profile of xphmg-run p.elf"):
            self.assertIn(word, table)
        self.xphmg_run("--profile", "p.svg")
        self.assertIn("<svg", read("p.svg"))

    def test_without_line_tables(self):
        self.build("p.elf")
        done = self.xphmg_run("--coverage", "x.info", status=2)
        self.assertIn("-g", done.stderr)
        self.assertFalse(os.path.exists("x.info"))
        self.assertIn("_start", self.xphmg_run("--profile", "-").stderr)

    def test_refused(self):
        for arguments, word in ((["--profile", "x.doc"], ".callgrind"), (["--profile", "no/x.txt"], "no/x.txt"),
                                (["--profile", "x.txt", "--stats", "x.txt"], "x.txt")):
            done = self.xphmg_run(*arguments, status=2)
            self.assertIn(word, done.stderr)

    def test_a_failed_run_keeps_its_profile(self):
        self.xphmg_run("--profile", "x.txt", "--max-instructions", "7", status=4)
        self.assertIn("hart, 1 unit: 7 cycles, 7 instructions", read("x.txt"))

    LOGGED = re.compile(r" *(\d+)  hart0  ([0-9a-f]+) ([0-9a-f]+) +(\d+)  ((?:[a-z_]+:\d+,?)*)")

    def test_instructions_are_those_of_the_trace(self):
        self.xphmg_run("--instructions", "log.txt", "--trace", "trace", "--profile", "p.callgrind", "--stats", "stats")
        self.xphmg_run("--trace", "plain")
        self.assertEqual(read("trace"), read("plain"))
        logged = [self.LOGGED.match(line) for line in read("log.txt").splitlines()[1:]]
        traced = [line.split() for line in read("trace").splitlines()]
        self.assertEqual([m.groups()[:3] for m in logged], [(t[0], t[1], t[2]) for t in traced])
        self.assertEqual(sum(int(m[4]) for m in logged), self.statistics(read("stats"))["cycles"])
        stalls = collections.Counter()
        for m in logged:
            for cause, cycles in re.findall(r"([a-z_]+):(\d+)", m[5]):
                stalls[cause] += int(cycles)
        totals, _ = parse_callgrind(read("p.callgrind"))
        for cause in ("inline_rt", "device", "blocked", "idle"):
            self.assertEqual(stalls[cause], totals[cause], cause)
        text = read("log.txt")
        for what in (r"addi s0, s0, -1 +s0=4 +; loop p.S:%d" % line_of("loop:"), r"ecall +\(trapped\)",
                     r"\(interrupt 7 in front of it\) +; handler ", r"sd t2, 0\(t1\) +\[02004000\]=0000000000000003"):
            self.assertRegex(text.replace(self.folder.name + "/", "").replace(os.path.realpath(self.folder.name) + "/", ""),
                             what)

    def test_logs_as_files(self):
        self.xphmg_run("--instructions", "log.txt")
        self.xphmg_run("--instructions", "log.bin")
        self.assertEqual(run(BIN + "/platform", "instructions", "log.bin").stdout, read("log.txt"))
        collapsed = run(BIN + "/platform", "instructions", "log.bin", "--collapse").stdout
        self.assertIn("2 more passes of", collapsed)
        self.assertIn("one hart", run(BIN + "/platform", "instructions", "log.bin", "--divergence", status=2).stderr)
        for arguments, word in ((["--instructions", "x.doc"], ".bin"), (["--instructions", "x.txt", "-x", "run"], "debugger"),
                                (["--instructions", "x.txt", "--stats", "x.txt"], "x.txt")):
            self.assertIn(word, self.xphmg_run(*arguments, status=2).stderr)

    def test_damaged_logs(self):
        self.xphmg_run("--instructions", "log.bin")
        with open("log.bin", "rb") as file:
            whole = file.read()
        chance = random.Random(20261127)
        for n in range(24):
            damaged = bytearray(whole[:chance.randrange(30, len(whole))] if n % 2 else whole)
            if n % 2 == 0:
                for _ in range(3):
                    damaged[chance.randrange(30, len(damaged))] = chance.randrange(256)
            with open("bad.bin", "wb") as file:
                file.write(damaged)
            done = subprocess.run([BIN + "/platform", "instructions", "bad.bin"], capture_output=True, check=False)
            self.assertIn(done.returncode, (0, 2), done.stderr)

    def platform(self, *arguments, status=0):
        return run(BIN + "/platform", "s.shk", "--quiet", "--no-progress", "--engine", "xphmg", "--set",
                   "xphmg.driver=hart", "-o", "o.png", *arguments, status=status)

    def test_in_the_platform(self):
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(TRIANGLES)
        self.platform("--stats", "plain.json")
        with open("o.png", "rb") as picture:
            plain = picture.read()
        self.platform("--stats", "s.json", "--profile", "p.callgrind", "--coverage", "p.info")
        with open("o.png", "rb") as picture:
            self.assertEqual(picture.read(), plain)
        modules = json.loads(read("s.json"))["modules"]
        self.assertEqual(modules, json.loads(read("plain.json"))["modules"])
        hart = modules["pc0"]["hart"]
        totals, lines = parse_callgrind(read("p.callgrind"))
        self.assertEqual(totals["cycles"], hart["cycles"])
        self.assertEqual(totals["executing"], hart["instructions"])
        for cause in ("trap", "inline_rt", "device", "blocked", "idle"):
            self.assertEqual(totals[cause], hart["cycles_" + cause], cause)
        self.assertIn("firmware/xphmg/queue_driver.c", {file for file, _ in lines})
        self.assertIn("firmware/xphmg/queue_driver.c", coverage(read("p.info")))
        self.platform("--instructions", "log.txt", "--stats", "s.json")
        self.assertEqual(modules, json.loads(read("s.json"))["modules"])
        logged = [self.LOGGED.match(line) for line in read("log.txt").splitlines()[1:]]
        self.assertEqual(sum(int(m[4]) for m in logged), hart["cycles"])
        self.assertEqual(int(logged[0][1]), 0)
        self.platform("--instructions", "part.txt", "--set", "trace.from_us=0.5", "--set", "trace.to_us=1.5")
        starts = [int(self.LOGGED.match(line)[1]) for line in read("part.txt").splitlines()[1:]]
        self.assertEqual(starts, [int(m[1]) for m in logged if 500 <= int(m[1]) < 1500])  # 1 GHz
        self.build("bare.elf")
        done = self.platform("--set", "xphmg.hart_elf=bare.elf", "--coverage", "x.info", status=2)
        self.assertIn("line tables", done.stderr)
        done = self.platform("--profile", "x.txt", "--set", "xphmg.driver=host", status=2)
        self.assertIn("no machine of this run", done.stderr)


if __name__ == "__main__":
    unittest.main()
