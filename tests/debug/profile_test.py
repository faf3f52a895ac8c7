#!/usr/bin/env python3
"""Profile and coverage of a board's DSPs: totals are those of the statistics, engines agree, people's tools read them.

usage: profile_test.py BIN_DIR
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

from small_scene import SCENE, read

DSPS = 9
ENGINES = {
    "scalar": ["--set", "array.engine=scalar"],
    "simt": ["--set", "array.engine=simt"],
    "sse": ["--set", "array.engine=simt", "--set", "array.isa=sse42"],
}


def parse_callgrind(text):
    """Totals as written, sums of the lines, and the sums of each object."""
    events = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    totals = [int(n) for n in re.search(r"^totals: (.*)$", text, re.M).group(1).split()]
    sums, objects, current = [0] * len(events), {}, None
    for line in text.splitlines():
        if line.startswith("ob="):
            current = objects.setdefault(line[3:], [0] * len(events))
        elif re.match(r"\d+ ", line):
            costs = [int(n) for n in line.split()[1:]]
            for n, cost in enumerate(costs):
                sums[n] += cost
                current[n] += cost
    return events, totals, sums, objects


class Test:
    def __init__(self, binaries):
        self.platform = os.path.join(binaries, "platform")
        self.failures = 0

    def check(self, holds, what):
        if not holds:
            self.failures += 1
            print("FAILED:", what)

    def run(self, *arguments, status=0):
        done = subprocess.run([self.platform, "s.shk", "--dsps", str(DSPS), "--quiet", "--set", "host.progress=off",
                               *arguments], capture_output=True, text=True, check=False)
        self.check(done.returncode == status, "%s: status %d, %s" % (arguments, done.returncode, done.stderr))
        return done

    def statistics(self, name):
        modules = json.loads(read(name))["modules"]
        return {host: unit["board0"] for host, unit in modules.items() if "board0" in unit}

    def engines_agree(self):
        self.run("-o", "plain.png", "--stats", "plain.json")
        files = {}
        for name, settings in ENGINES.items():
            for form in ("txt", "callgrind", "svg"):
                self.run(*settings, "-o", name + ".png", "--stats", name + ".json", "--profile", name + "." + form,
                         "--coverage", name + ".info", "--set", "profile.units=each")
                files.setdefault(form, {})[name] = read(name + "." + form)
            files.setdefault("info", {})[name] = read(name + ".info")
            with open("plain.png", "rb") as a, open(name + ".png", "rb") as b:
                self.check(a.read() == b.read(), name + ": the picture is another")
            self.check(json.loads(read("plain.json"))["modules"] == json.loads(read(name + ".json"))["modules"],
                       name + ": figures are others")
        for form, of in files.items():
            self.check(len(set(of.values())) == 1, "engines differ in " + form)

    def totals(self):
        board = self.statistics("simt.json")["pc0"]
        events, totals, sums, objects = parse_callgrind(read("simt.callgrind"))
        self.check(totals == sums, "totals are not the sum of the lines")
        self.check(totals[0] == board["array"]["cycles"], "profile %d, array.cycles %d" %
                   (totals[0], board["array"]["cycles"]))
        self.check(totals[1] == board["array"]["instructions"], "instructions")
        cause = dict(zip(events, totals))
        self.check(cause["executing"] == board["array"]["cycles_busy"], "executing")
        self.check(cause["held"] == board["array"]["cycles_barrier"], "held")
        self.check(cause["idle"] == board["array"]["cycles_idle"], "idle")
        for dsp, figures in board["dsps"].items():
            if isinstance(figures, dict) and "cycles" in figures and dsp != "units":
                self.check(objects["board0." + dsp][0] == figures["cycles"], dsp)
        self.check(len(objects) == DSPS, "%d objects" % len(objects))

    def together(self):
        self.run("-o", "t.png", "--profile", "t.callgrind", "--stats", "t.json")
        _, totals, sums, objects = parse_callgrind(read("t.callgrind"))
        self.check(totals == sums and list(objects) == ["tigershark"], "all units together")
        self.run("-o", "t.png", "--profile", "t.txt", "--set", "trace.modules=board0.dsp3")
        self.check("tigershark, 1 unit: %d cycles" % self.statistics("t.json")["pc0"]["dsps"]["dsp3"]["cycles"]
                   in read("t.txt"), "one DSP alone")
        table = read("simt.txt")
        for word in ("record", "traverse.asm:", "board0.dsp8, 1 unit", "held"):
            self.check(word in table, "table has no " + word)

    def hosts(self):
        self.run("-o", "h.png", "--stats", "h.json", "--hosts", "2", "--profile", "h.callgrind", "--set",
                 "profile.units=each")
        _, totals, _, objects = parse_callgrind(read("h.callgrind"))
        boards = self.statistics("h.json")
        self.check(totals[0] == sum(board["array"]["cycles"] for board in boards.values()), "two hosts")
        self.check("pc1.board0.dsp2" in objects and len(objects) == 2 * DSPS, "names of two hosts' DSPs")

    def coverage(self):
        files, current = {}, None
        for line in read("simt.info").splitlines():
            if line.startswith("SF:"):
                current = files.setdefault(line[3:], {})
            elif line.startswith("DA:"):
                number, count = line[3:].split(",")
                current[int(number)] = int(count)
        lines = read(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                  "../../firmware/tigershark/traverse.asm")).splitlines()
        executed = {lines[n - 1].split(":")[0] for n, count in files["traverse.asm"].items() if count}
        self.check({"record", "box", "sphere"} & executed == {"record", "sphere"} or "box" in executed,
                   "labels executed: %s" % executed)
        for name, counts in files.items():
            text = read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../firmware/tigershark", name))
            for number in counts:
                code = text.splitlines()[number - 1].split(";")[0]
                self.check(".word" not in code and ".float" not in code, "%s:%d is data: %s" % (name, number, code))
        reached, lines = sum(1 for c in files.values() for n in c.values() if n), sum(map(len, files.values()))
        page = " ".join(read(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/debugger.md")).split())
        self.check("reach %d of %d lines; the %d that they do not reach" % (reached, lines, lines - reached) in page,
                   "docs/debugger.md says another coverage than %d of %d lines" % (reached, lines))
        print("coverage:", {name: "%d of %d lines" % (sum(1 for c in counts.values() if c), len(counts))
                            for name, counts in files.items()})

    def tools(self):
        if shutil.which("callgrind_annotate"):
            done = subprocess.run(["callgrind_annotate", "--auto=no", "t.callgrind"], capture_output=True, text=True,
                                  check=False)
            total = parse_callgrind(read("t.callgrind"))[1][0]
            self.check(done.returncode == 0 and "{:,}".format(total) in done.stdout and "record" in done.stdout,
                       "callgrind_annotate: " + done.stdout[:2000] + done.stderr)
        else:
            print("skipped: callgrind_annotate is not installed (package valgrind)")
        if shutil.which("genhtml"):
            sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../firmware/tigershark")
            for name in os.listdir(sources):
                if name.endswith(".asm"):
                    shutil.copy(os.path.join(sources, name), name)
            done = subprocess.run(["genhtml", "-o", "html", "simt.info"], capture_output=True, text=True, check=False)
            self.check(done.returncode == 0 and os.path.exists("html/index.html"), "genhtml: " + done.stderr)
        else:
            print("skipped: genhtml is not installed (package lcov)")
        flames = ET.fromstring(read("simt.svg"))
        titles = [t.text for t in flames.iter("{http://www.w3.org/2000/svg}title")]
        self.check(any(t.startswith("all: ") for t in titles) and any(t.startswith("idle: ") for t in titles),
                   "flame graph: %s" % titles[:10])

    def failures_keep_it(self):
        done = self.run("-o", "f.png", "--profile", "f.txt", "--set", "run.limit_ms=0.4", status=4)
        self.check("f.txt" in done.stderr and "cycles" in read("f.txt"), "a run that ended early: " + done.stderr)
        self.check(not os.path.exists("f.png"), "a picture of a failed run")

    def refused(self):
        for arguments, word in ((["--profile", "x.doc"], ".callgrind"),
                                (["--profile", "x.txt", "--engine", "xphmg"], "no machine of this run"),
                                (["--coverage", "x.info", "--engine", "reference"], "no machine of this run"),
                                (["--set", "profile.units=each"], "output.profile"),
                                (["--profile", "x.txt", "--stats", "x.txt"], "one file for two outputs"),
                                (["--profile", "x.txt", "--set", "trace.modules=board0.pld"], "trace.modules"),
                                (["--profile", "no/x.txt"], "no/x.txt")):
            done = self.run("-o", "r.png", *arguments, status=2)
            self.check(word in done.stderr, "%s: %s" % (arguments, done.stderr))


def main():
    test = Test(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("s.shk", "w", encoding="utf-8") as file:
            file.write(SCENE)
        test.engines_agree()
        test.totals()
        test.together()
        test.hosts()
        test.coverage()
        test.tools()
        test.failures_keep_it()
        test.refused()
        os.chdir("/")
    print("failures:", test.failures)
    sys.exit(1 if test.failures else 0)


main()
