"""Where measured figures come from, and their place between two marks of docs/performance.md."""
import argparse
import datetime
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/performance.md"


def fail(words):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {words}")


def host():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    model = re.search(r"model name\s*: (.*)", text)
    wide = "with" if "avx512f" in text else "without"
    return f"{model[1] if model else platform.machine()}, {os.cpu_count()} processors, {wide} AVX-512"


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"git {words[0]} says: {done.stderr.strip()}; expected a clone: a table names its commit")
    return done.stdout.strip()


def origin(script):
    """By which script, when, of which commit, where; to be asked before anything is measured: the load is that of others."""
    commit = git("rev-parse", "--short", "HEAD")
    # Tables that other scripts have just written change nothing that is measured.
    changed = ", with changes since" if git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs") else ""
    return f"By `scripts/{script}`, {datetime.date.today()}, commit {commit}{changed}; {host()}; load {os.getloadavg()[0]:.1f} at the begin."


def around(mark):
    """The page before the first of two marks and behind the second."""
    parts = PAGE.read_text(encoding="utf-8").split(mark)
    if len(parts) != 3:
        fail(f"{PAGE}: found {len(parts) - 1} of the mark {mark}, expected two, around the place of the table")
    return parts[0], parts[2]


def write(mark, text):
    before, after = around(mark)
    PAGE.write_text(before + mark + "\n\n" + text + "\n" + mark + after, encoding="utf-8")


def publish(script, mark, make, keep, words=""):
    """Prints what make() measures, with its origin and these words; with keep it also goes between the marks."""
    if keep:
        around(mark)  # it says now, not after minutes, that it has no place
    text = origin(script) + (f" {words}" if words else "") + "\n\n" + make()
    print(text)
    if keep:
        write(mark, text)


def medians(turns):
    return "One turn." if turns == 1 else f"Medians of {turns} turns."


def positive(text):
    if not re.fullmatch(r"[1-9]\d{0,5}", text):
        raise argparse.ArgumentTypeError(f"found '{text}', expected a whole number of 1 or more")
    return int(text)


def parser(words, turns=None):
    """Of a script that makes a table; with a number of turns if they may be chosen."""
    made = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--write", action="store_true", help="also write the table between its marks in docs/performance.md")
    made.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin", metavar="FOLDER",
                      help="the programs (default: build/release/bin)")
    if turns:
        made.add_argument("--turns", type=positive, default=turns, metavar="N", help=f"how often everything runs (default: {turns})")
    return made
