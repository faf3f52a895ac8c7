"""Where measured figures come from, and their place between two marks of docs/performance.md."""
import datetime
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/performance.md"


def host():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    model = re.search(r"model name\s*: (.*)", text)
    wide = "with" if "avx512f" in text else "without"
    return f"{model[1] if model else platform.machine()}, {os.cpu_count()} processors, {wide} AVX-512"


def origin(script):
    """By which script, when, of which commit, where; to be asked before anything is measured: the load is that of others."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return (f"By `scripts/{script}`, {datetime.date.today()}, commit {commit.strip()}; {host()}; "
            f"load {os.getloadavg()[0]:.1f} at the begin.")


def write(mark, text):
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(mark)
    _, found, after = rest.partition(mark)
    if not found:
        raise SystemExit(f"{PAGE}: found no two lines {mark}")
    PAGE.write_text(before + mark + "\n\n" + text + "\n" + mark + after, encoding="utf-8")
