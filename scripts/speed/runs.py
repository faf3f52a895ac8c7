"""Programs of a build, run and timed for the tables of docs/performance.md."""
import dataclasses
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import page

# Instruction sets of the vector engine, the widest first, and what tables call them.
SETS = [("avx512", "AVX-512"), ("avx2", "AVX2"), ("sse42", "SSE4.2")]


@dataclasses.dataclass
class Run:
    """One process from its start to its end, with those that it waited for."""
    command: str
    user: float  # seconds
    elapsed: float  # seconds
    faults: int  # of pages, those that waited for a disk among them
    printed: str
    errors: str
    status: int
    stats: dict = dataclasses.field(default_factory=dict)

    def figure(self, path):
        """A number of the statistics, by its names with dots between them."""
        found = self.stats
        for name in path.split("."):
            if not isinstance(found, dict) or name not in found:
                page.fail(f"`{self.command}`: found no {path} in its statistics ({name} is not there), expected a number")
            found = found[name]
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            page.fail(f"`{self.command}`: found {path} = {json.dumps(found)[:60]} in its statistics, expected a number")
        return found

    @property
    def simulated(self):
        """Seconds."""
        return self.figure("simulated_time_ps") * 1e-12


def program(folder, name):
    found = pathlib.Path(folder).resolve() / name
    if not found.is_file():
        page.fail(f"found no {found}, expected a release build: scripts/build release")
    return found


def timed(*command):
    """A process in the project's folder, to its end, whatever that is."""
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        try:
            process = subprocess.Popen(words, cwd=page.ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
        except OSError as e:
            page.fail(f"`{' '.join(words)}` did not start: {e.strerror}")
        _, status, used = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        said = []
        for file in (out, errors):
            file.seek(0)
            said.append(file.read().decode(errors="replace"))
    name = " ".join([pathlib.Path(words[0]).name, *words[1:]])
    return Run(name, used.ru_utime, elapsed, used.ru_minflt + used.ru_majflt, *said, process.returncode)


def good(run):
    """The same run, if it ended as it should."""
    if run.status != 0:
        page.fail(f"`{run.command}` ended with {run.status}:\n{run.errors[-2000:]}")
    return run


def picture(programs, words, stats=True):
    """`platform scenes/SCENE OPTIONS`, words being "SCENE OPTIONS"; its picture is thrown away, its statistics are read."""
    scene, *options = words.split()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "s.json"
        asked = ["--stats", file] if stats else []
        run = good(timed(program(programs, "platform"), f"scenes/{scene}", *options, "-q", "-o", f"{folder}/a.ppm", *asked))
        run.command = f"platform scenes/{words}"
        if stats:
            try:
                run.stats = json.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError) as e:
                page.fail(f"`{run.command}`: found no statistics ({e}), expected a file of JSON")
    return run


def mips(command, key):
    """What a program prints as "KEY NUMBER"; none where this host lacks the instruction set."""
    run = timed(*command)
    if run.status != 0 and "this host cannot run" in run.errors:
        return None
    found = re.search(rf"^{key} (\S+)$", good(run).printed, re.M)
    try:
        value = float(found[1]) if found else math.nan
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        page.fail(f"`{run.command}`: found {found[0] if found else 'no line ' + key}, expected '{key} NUMBER', a number above 0")
    return value


def middle(values):
    return statistics.median(values)


def digits(value):
    """For tables: three digits, below 1 two, all of those before the point."""
    if value == 0:
        return "0"
    count = 2 if abs(value) < 1 else 3
    exponent = int(f"{value:.{count - 1}e}".partition("e")[2])  # of what is rounded: 9.99 of 9.994, 10.0 of 9.996
    return f"{value:,.{max(count - 1 - exponent, 0)}f}"


def table(head, rows):
    """The first column is words, the others are numbers."""
    return "\n".join([line(head), "|---|" + "---:|" * (len(head) - 1), *map(line, rows)]) + "\n"


def line(cells):
    return "| " + " | ".join(map(str, cells)) + " |"
