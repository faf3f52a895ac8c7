#!/usr/bin/env python3
"""The log of what DSPs executed: complete, the same in every engine, changes nothing; its reader; where lanes part.

usage: instructions_test.py BIN_DIR
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

from small_scene import SCENE, read

DSPS = 5


def plain(line):
    """Without XSREMPTY of the serial port: how far a sleeping processor has looked ahead shows in that bit."""
    if "<808040>" not in line:
        return line
    return re.sub(r"\s+", " ", re.sub(r"(R\d=\w+|ST=\w+|<808040>\w+)", "", line))


class Test:
    def __init__(self, binaries):
        self.platform = os.path.join(binaries, "platform")
        self.failures = 0

    def check(self, holds, what):
        if not holds:
            self.failures += 1
            print("FAILED:", what)

    def run(self, *arguments, status=0):
        return self.tool("s.shk", "--dsps", str(DSPS), "--quiet", "--set", "host.progress=off", *arguments,
                         status=status)

    def tool(self, *arguments, status=0):
        done = subprocess.run([self.platform, *arguments], capture_output=True, text=True, check=False)
        self.check(done.returncode == status, "%s: status %d, %s" % (arguments, done.returncode, done.stderr))
        return done

    def whole_run(self):
        """Everything, from reset on: counts and cycles are those of the statistics and of the profile."""
        self.run("-o", "p.png", "--stats", "p.json", "--profile", "p.callgrind")
        for engine in ("scalar", "simt"):
            self.run("-o", engine + ".png", "--stats", engine + ".json", "--set", "array.engine=" + engine,
                     "--instructions", engine + ".txt")
            self.check(json.loads(read("p.json"))["modules"] == json.loads(read(engine + ".json"))["modules"],
                       engine + ": figures are others")
            with open("p.png", "rb") as a, open(engine + ".png", "rb") as b:
                self.check(a.read() == b.read(), engine + ": the picture is another")
        self.check(read("scalar.txt") == read("simt.txt"), "engines differ")
        lines = read("simt.txt").splitlines()[1:]
        dsps = json.loads(read("p.json"))["modules"]["pc0"]["board0"]["dsps"]
        count, last, places = collections.Counter(), 0, collections.Counter()
        for line in lines:
            cycle, unit, pc = line.split()[:3]
            self.check(int(cycle) >= last, "order of time: " + line) if int(cycle) < last else None
            last = int(cycle)
            if " interrupt " in line:
                continue
            count[unit] += 1
            places[pc] += 1
        for n in range(DSPS):
            self.check(count["board0.dsp%d" % n] == dsps["dsp%d" % n]["instructions"], "instructions of dsp%d" % n)
        held = sum(int(n) for n in re.findall(r"held:(\d+)", "\n".join(lines)))
        waited = json.loads(read("p.json"))["modules"]["pc0"]["board0"]["array"]["cycles_barrier"]
        # Who is held when the run ends has not finished its instruction.
        self.check(0 < held <= waited, "held %d of %d" % (held, waited))
        self.check("traverse.asm:" in lines[-1] or "chain.asm:" in lines[-1] or "link.asm" in lines[-1], lines[-1])

    def window(self):
        cycles = [int(line.split()[0]) for line in read("simt.txt").splitlines()[1:] if "board0.dsp3" in line]
        begin, end = cycles[len(cycles) // 2] // 30, cycles[len(cycles) // 2] // 30 + 60  # 30 MHz
        self.run("-o", "w.png", "--stats", "w.json", "--instructions", "w.bin", "--set", "trace.from_us=%d" % begin,
                 "--set", "trace.to_us=%d" % end, "--set", "trace.modules=board0.dsp1,board0.dsp3")
        self.check(json.loads(read("p.json"))["modules"] == json.loads(read("w.json"))["modules"],
                   "a window changes figures")
        text = self.tool("instructions", "w.bin").stdout.splitlines()[1:]
        wanted = []
        for line in read("simt.txt").splitlines()[1:]:
            cycle, unit = line.split()[:2]
            if unit in ("board0.dsp1", "board0.dsp3") and begin * 30 <= int(cycle) < end * 30:
                wanted.append(line)
        # An instruction that still waits when the window ends is not in it.
        self.check(len(wanted) > 100 and len(wanted) - 2 <= len(text) <= len(wanted),
                   "%d lines, %d wanted" % (len(text), len(wanted)))
        extra = sorted({plain(line) for line in text} - {plain(line) for line in wanted})
        self.check(not extra, "lines that the whole log does not have: %s" % extra[:3])
        self.tool("instructions", "w.bin", "--collapse", "-o", "c.txt")
        collapsed = read("c.txt")
        self.check(len(collapsed.splitlines()) <= len(text) + 1, "collapsed text is longer")

    def loops(self):
        """The boot code copies the firmware word by word: one loop, the same way each time."""
        self.run("-o", "l.png", "--instructions", "l.bin", "--set", "trace.modules=board0.dsp0")
        full = self.tool("instructions", "l.bin").stdout.splitlines()
        short = self.tool("instructions", "l.bin", "--collapse").stdout.splitlines()
        passes = sum(int(n) for n in re.findall(r"\.\.\. (\d+) more passes", "\n".join(short)))
        self.check(passes > 10 and len(short) < len(full), "%d passes, %d of %d lines" %
                   (passes, len(short), len(full)))

    def divergence(self):
        self.run("-o", "d.png", "--stats", "d.json", "--instructions", "d.bin")
        text = self.tool("instructions", "d.bin", "--divergence").stdout
        head = re.search(r"board0, (\d+) processors: (\d+) epochs, in (\d+) of them they part .*; (\d+) cycles", text)
        array = json.loads(read("d.json"))["modules"]["pc0"]["board0"]["array"]
        if not head:
            self.check(False, text[:500])
            return
        processors, epochs, parted, cost = (int(n) for n in head.groups())
        self.check(processors == DSPS, "processors")
        self.check(epochs == array["barriers"], "%d epochs, %d barriers" % (epochs, array["barriers"]))
        self.check(0 < parted <= epochs, "parted")
        rows = re.findall(r"^ +(\S+) +(\S+) +(\d+) +\S+  (.*)$", text, re.M)
        self.check(sum(int(row[2]) for row in rows) == cost, "rows do not add up")
        waits = re.findall(r"^ +(\d+) +(\d+)  board0", text, re.M)
        self.check(len(waits) == DSPS and sum(int(w[1]) for w in waits) == cost, "processors do not add up")
        self.check(cost == array["arrival_skew"], "skew %d, cost %d" % (array["arrival_skew"], cost))
        self.check("(traverse.asm:" in text, text[:1500])

    def debugged(self):
        """Beside a debugger that goes back and forth, and changes what no program looks at."""
        wanted = read("simt.txt")
        # To the beginning too, where nothing of the log is written yet. Several times: whether a snapshot knew the
        # length of the file was once a matter of luck.
        for _ in range(4):
            self.run("-o", "b.png", "--debug", "-x", "run 1500 us", "-x", "reverse-step", "-x", "reverse-step", "-x",
                     "run 100 us", "-x", "step 20", "-x", "reverse-continue", "-x", "run", "--instructions", "b.bin")
            text = self.tool("instructions", "b.bin").stdout
            self.check([plain(line) for line in text.splitlines()] == [plain(line) for line in wanted.splitlines()],
                       "a debugger changes the log")
        self.run("-o", "b.png", "--debug", "-x", "run 1500 us", "-x", "dsp 2", "-x", "set IR1 = 12345678h", "-x",
                 "set [87ffbfh] = 23456789h", "-x", "run", "--instructions", "s.bin")
        # The reader compares registers and memory with those that the run has ended with.
        self.tool("instructions", "s.bin", "-o", "s.txt")
        self.check(len(read("s.txt").splitlines()) == len(wanted.splitlines()), "a change is not in the log")

    def refused(self):
        for arguments, word in ((["--instructions", "x.doc"], ".bin"),
                                (["--instructions", "x.txt", "--hosts", "2"], "expected 1"),
                                (["--instructions", "x.txt", "--engine", "xphmg"], "no machine of this run"),
                                (["--instructions", "x.txt", "--stats", "x.txt"], "one file for two outputs"),
                                (["--instructions", "x.txt", "--set", "trace.modules=board7"], "trace.modules"),
                                (["--instructions", "no/x.txt"], "no/x.txt")):
            done = self.run("-o", "r.png", *arguments, status=2)
            self.check(word in done.stderr, "%s: %s" % (arguments, done.stderr))
        with open("w.bin", "rb") as file:
            log = file.read()
        half = len(log) // 2
        for name, contents, words in (
                ("cut.bin", log[:-3], "the log ends"), ("head.bin", log[:100], "the log ends"),
                ("other.bin", b"P6 something", "found no instruction log"),
                ("wild.bin", log[:half] + bytes(255 - b for b in log[half:half + 50]) + log[half + 50:], "damaged"),
                ("old.bin", b"rtvp C32 instructions 1\n" + log[24:], "version 1, expected version 2")):
            with open(name, "wb") as file:
                file.write(contents)
            done = self.tool("instructions", name, status=2)
            self.check(name in done.stderr and words in done.stderr, done.stderr)
            done = self.tool("instructions", name, "--divergence", status=2)
            self.check(words in done.stderr, done.stderr)
        self.tool("instructions", status=2)
        done = self.tool("instructions", "none.bin", status=2)
        self.check("none.bin: found no such file, expected a log of instructions" in done.stderr, done.stderr)


def main():
    test = Test(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)
        test.whole_run()
        test.window()
        test.loops()
        test.divergence()
        test.debugged()
        test.refused()
        os.chdir("/")
    print("failures:", test.failures)
    sys.exit(1 if test.failures else 0)


main()
