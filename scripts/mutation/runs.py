"""Tests and mutants: who reaches whom, and who kills whom."""
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

RESULT = ("number", "file", "line", "class", "operator", "before", "after", "level", "result", "test", "seconds", "tests")
BUDGET = 20.0  # CPU seconds of tests a mutant, cheapest first; what they leave alive survives


class Test:
    def __init__(self, entry, folders):
        self.name, self.command = entry["name"], entry["command"]
        properties = {p["name"]: p["value"] for p in entry.get("properties", ())}
        self.folder = properties.get("WORKING_DIRECTORY", ".")
        self.environment = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", ()))
        self.labels = properties.get("LABELS", [])
        program = pathlib.Path(self.command[0]).name
        self.source = folders.get(program, "tests")
        self.target = program if program in folders else None
        self.seconds, self.reaches = 0.0, set()

    def nearness(self, file):
        mine, other = pathlib.PurePath(self.source).parts[1:], pathlib.PurePath(file).parts
        common = 0
        while common < min(len(mine), len(other)) and mine[common] == other[common]:
            common += 1
        return common


def folders_of_tests(root):
    out = {}
    for path in pathlib.Path(root).glob("tests/**/CMakeLists.txt"):
        for name in re.findall(r"rtvp_test\(\s*(\w+)", path.read_text()):
            out[name] = str(path.parent.relative_to(root))
    return out


def quick_tests(scratch):
    out = subprocess.run(["ctest", "--show-only=json-v1", "-LE", "long"], cwd=scratch.build, capture_output=True, text=True, check=True)
    folders = folders_of_tests(scratch.tree)
    tests = [Test(t, folders) for t in json.loads(out.stdout)["tests"] if t.get("command")]
    # These look at the tree or build it again; no mutant is in what they see.
    return [t for t in tests if not re.match(r"(Examples|Includes)\.", t.name)]


def limits(seconds):
    def settle():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return settle


def run(test, extra, seconds):
    """Whether it passes ('passed', 'failed', 'hangs'), and its CPU seconds. A hang is CPU time or ten times as much of the clock."""
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as errors:
        environment = dict(os.environ, TMPDIR=scratch, TEST_TMPDIR=scratch, **test.environment, **extra)
        child = subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=errors, preexec_fn=limits(int(seconds) + 1))
        end = time.monotonic() + 10 * seconds + 20
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.killpg(child.pid, signal.SIGKILL)
                pid, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.004)
        child.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(child.pid, signal.SIGKILL)  # children it left behind
        except ProcessLookupError:
            pass
        spent = usage.ru_utime + usage.ru_stime
        if child.returncode == 0:
            return "passed", spent
        return ("hangs" if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else "failed"), spent


def reach(scratch, tests, say):
    """Runs every test without a mutant: its time, which mutants it reaches. Kept in reach.json; done again for tests that are new."""
    path, known = scratch.home / "reach.json", {}
    stamp = str(max((scratch.build / "tests").glob("*"), key=lambda p: p.stat().st_mtime).stat().st_mtime)
    if path.exists():
        known = json.loads(path.read_text())
        if known.get("stamp") != stamp:
            known = {}
    done = known.get("tests", {})

    def one(test):
        log = scratch.home / "logs" / hashlib.sha256(test.name.encode()).hexdigest()
        log.parent.mkdir(exist_ok=True)
        log.unlink(missing_ok=True)
        result, seconds = run(test, {"RTVP_MUTANT_LOG": str(log)}, 300)
        reached = sorted({int(n) for n in log.read_text().split()}) if log.exists() else []
        log.unlink(missing_ok=True)
        return test, [result, round(seconds, 3), reached]

    with concurrent.futures.ThreadPoolExecutor(scratch.jobs) as pool:
        for test, answer in pool.map(one, [t for t in tests if t.name not in done]):
            done[test.name] = answer
            if len(done) % 100 == 0:
                path.write_text(json.dumps({"stamp": stamp, "tests": done}))
            if answer[0] != "passed":
                say("%s %s without a mutant: left out" % (test.name, answer[0]))
    path.write_text(json.dumps({"stamp": stamp, "tests": done}))
    out = []
    for test in tests:
        result, test.seconds, reached = done[test.name]
        test.reaches = set(reached)
        if result == "passed":
            out.append(test)
    return out


def order(tests, mutant):
    return sorted(tests, key=lambda t: (-min(t.nearness(mutant["file"]), 3) if t.seconds < 3 else 0, t.seconds))


def trial(mutant, tests, extra, spent=0.0):
    """The first test that fails, or none."""
    ran = 0
    for test in order(tests, mutant):
        if spent > BUDGET:
            break
        result, seconds = run(test, extra, 3 * test.seconds + 5)
        spent, ran = spent + seconds, ran + 1
        if result != "passed":
            return {"result": "killed" if result == "failed" else "killed (hangs)", "test": test.name, "seconds": round(spent, 2), "tests": ran}
    result = "survived" if ran else "not reached"
    return {"result": result, "test": "", "seconds": round(spent, 2), "tests": ran}


class Results:
    """results.csv of the scratch folder: one line a mutant; what is there is not run again."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if path.exists():
            with open(path, newline="") as f:
                for row in csv.DictReader(f):
                    self.rows[int(row["number"])] = row

    def keep(self, mutant, answer):
        self.rows[mutant["number"]] = {k: (answer.get(k, mutant.get(k, ""))) for k in RESULT}
        new = self.path.with_suffix(".new")
        with open(new, "w", newline="") as f:
            table = csv.DictWriter(f, RESULT, lineterminator="\n")
            table.writeheader()
            table.writerows(self.rows[n] for n in sorted(self.rows))
        shutil.move(new, self.path)


def switched(scratch, mutants, tests, results, say):
    def one(mutant):
        number = mutant["number"]
        return mutant, trial(mutant, [t for t in tests if number in t.reaches], {"RTVP_MUTANT": str(number)})

    todo = [m for m in mutants if m["level"] in ("switched", "late") and m["number"] not in results.rows]
    random.Random(len(mutants)).shuffle(todo)  # so that a run which is stopped has a fair sample
    with concurrent.futures.ThreadPoolExecutor(scratch.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, m) for m in todo]):
            mutant, answer = future.result()
            results.keep(mutant, answer)
            say("%4d %-14s %s:%d %s" % (mutant["number"], answer["result"], mutant["file"], mutant["line"], answer["test"]))


def alone(scratch, mutants, tests, results, say):
    """One by one in the same build: first the nearest test programs, then all."""
    for mutant in mutants:
        if mutant["level"] != "alone" or mutant["number"] in results.rows:
            continue
        file = mutant["file"]
        before = (scratch.tree / file).read_text()
        scratch.put(file, scratch.changed(file, mutant))
        begin = time.monotonic()
        answer = one_alone(scratch, mutant, tests)
        results.keep(mutant, answer)
        scratch.put(file, before)
        say("%4d %-14s %s:%d %s (alone, %.0f s)" % (mutant["number"], answer["result"], file, mutant["line"], answer["test"],
                                                   time.monotonic() - begin))
    scratch.ninja("all")


def one_alone(scratch, mutant, tests):
    near = max(t.nearness(mutant["file"]) for t in tests)
    first = sorted({t.target for t in tests if t.target and t.nearness(mutant["file"]) == near and near})
    answer = {"result": "not reached", "test": "", "seconds": 0.0, "tests": 0}
    for targets in (first, ["all"]):
        if not targets:
            continue
        if scratch.ninja(*targets):
            return {"result": "invalid", "test": ""}
        chosen = [t for t in tests if (t.target in first) == (targets is first)]
        answer = trial(mutant, chosen, {}, float(answer["seconds"]))
        if answer["result"].startswith("killed"):
            return answer
    return answer
