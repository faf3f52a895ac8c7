"""Tests and mutants: who reaches whom, and who kills whom."""
import concurrent.futures
import csv
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

RESULT = ("number", "file", "line", "class", "operator", "before", "after", "level", "result", "test", "seconds", "tests")
OBJECTS = 30   # compiled for a mutant that cannot be switched, before what is left of its tests is left out
NEAR = "survived the near tests"
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
        for name in re.findall(r"rtvp_test\(\s*(\w+)(?!\$|\w)", path.read_text()):
            out[name] = str(path.parent.relative_to(root))
    return out


def quick_tests(scratch):
    out = subprocess.run(["ctest", "--show-only=json-v1", "-LE", "long"], cwd=scratch.build, capture_output=True, text=True, check=True)
    folders = folders_of_tests(scratch.tree)
    tests = [Test(t, folders) for t in json.loads(out.stdout)["tests"] if t.get("command")]
    # These look at the tree or build it again; no mutant is in what they see.
    return [t for t in tests if not re.match(r"(Examples|Includes)\.", t.name) and "NOT_BUILT" not in t.name]


def limits(seconds):
    def settle():
        os.setpgrp()
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
    path = scratch.home / "reach.json"
    done = json.loads(path.read_text()) if path.exists() else {}
    platform = scratch.build / "bin" / "platform"

    def stamp(test):
        """When what the test runs was made."""
        programs = [pathlib.Path(test.command[0])] + ([platform] if test.source.startswith("tests/platform") else [])
        return max((p.stat().st_mtime for p in programs if p.exists()), default=0)

    def one(test):
        log = scratch.home / "logs" / hashlib.sha256(test.name.encode()).hexdigest()
        log.parent.mkdir(exist_ok=True)
        log.unlink(missing_ok=True)
        result, seconds = run(test, {"RTVP_MUTANT_LOG": str(log)}, BUDGET)  # a longer one is never a mutant's turn
        reached = sorted({int(n) for n in log.read_text().split()}) if log.exists() else []
        log.unlink(missing_ok=True)
        return test, [result, round(seconds, 3), reached, stamp(test)]

    with concurrent.futures.ThreadPoolExecutor(scratch.jobs) as pool:
        for test, answer in pool.map(one, [t for t in tests if t.name not in done or done[t.name][3] != stamp(t)]):
            done[test.name] = answer
            if len(done) % 100 == 0:
                path.write_text(json.dumps(done))
            if answer[0] != "passed":
                say("%s %s without a mutant: left out" % (test.name, answer[0]))
    path.write_text(json.dumps(done))
    out = []
    for test in tests:
        result, test.seconds, reached, _ = done[test.name]
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
    """tests/mutation/results.csv: one line a mutant, kept as each ends; what is there is not run again."""

    def __init__(self, path):
        self.path, self.rows, self.forgotten = path, {}, set()
        self.read()

    def read(self):
        """What is there, others' rows included: several runs may write the same file."""
        if self.path.exists():
            with open(self.path, newline="") as f:
                for row in csv.DictReader(f):
                    if int(row["number"]) not in self.forgotten:
                        self.rows[int(row["number"])] = row

    def forget(self, number):
        self.forgotten.add(number)
        self.rows.pop(number, None)

    def settled(self, number, near):
        """Whether it need not run again; against the near tests alone only kills are the last word."""
        return number in self.rows and (near or self.rows[number]["result"] != NEAR)

    def keep(self, mutant, answer):
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            self.read()
            self.forgotten.discard(mutant["number"])
            self.rows[mutant["number"]] = {k: (answer.get(k, mutant.get(k, ""))) for k in RESULT}
            new = self.path.with_suffix(".new")
            with open(new, "w", newline="") as f:
                table = csv.DictWriter(f, RESULT, lineterminator="\n")
                table.writeheader()
                table.writerows(self.rows[n] for n in sorted(self.rows))
            shutil.move(new, self.path)
        finally:
            os.close(folder)


def switched(scratch, mutants, tests, results, say, near=False, proofs=()):
    def one(mutant):
        number = mutant["number"]
        answer = trial(mutant, [t for t in tests if number in t.reaches], {"RTVP_MUTANT": str(number)})
        if mutant["level"] == "late" and not answer["result"].startswith("killed") and refused(scratch, mutant):
            answer.update(result="killed (static assertion)")
        if near and not answer["result"].startswith("killed"):
            answer.update(result=NEAR)
        return mutant, answer

    todo = [m for m in mutants if m["level"] in ("switched", "late") and not results.settled(m["number"], near)]
    random.Random(len(mutants)).shuffle(todo)  # so that a run which is stopped has a fair sample
    todo.sort(key=lambda m: (m["file"], m["after"].strip()) in proofs)  # only a kill is news of those
    todo.sort(key=lambda m: m["class"] == "other")  # of what may not survive first
    with concurrent.futures.ThreadPoolExecutor(scratch.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(one, m) for m in todo]):
            mutant, answer = future.result()
            results.keep(mutant, answer)
            say("%4d %-14s %s:%d %s" % (mutant["number"], answer["result"], mutant["file"], mutant["line"], answer["test"]))


def refused(scratch, mutant):
    """Whether a static assertion stops the build of the mutant by itself: the copy has taken those out that stand in its way."""
    return "static assertion failed" in (complaints(scratch, mutant) or "")


def complaints(scratch, mutant):
    """What the compiler says of the mutant alone, in the unchanged tree with the one file in front of it; None if nothing."""
    commands = json.loads((scratch.build / "compile_commands.json").read_text())
    users = {os.path.relpath(e["file"], scratch.tree): e["command"] for e in commands}
    file = mutant["file"]
    if file not in users:
        named = [u for u in users if (scratch.root / u).exists() and '#include "%s"' % file in (scratch.root / u).read_text()]
        if not named:
            return None
        user = min(named, key=lambda u: (scratch.root / u).stat().st_size)
    else:
        user = file
    with tempfile.TemporaryDirectory() as folder:
        changed = pathlib.Path(folder) / file
        changed.parent.mkdir(parents=True)
        changed.write_text(scratch.changed(file, mutant))
        command = shlex.split(users[user])
        command = command[1:] if command[0].endswith("ccache") else command
        # The build makes some headers; they have no mutants.
        mapped = [a.replace(str(scratch.tree) + "/", str(scratch.root) + "/") if a.startswith("/") or a == "-I" + str(scratch.tree) else a
                  for a in command]
        place = mapped.index(str(scratch.root / user))
        mapped[place] = str(changed if user == file else scratch.root / user)
        out = subprocess.run([mapped[0], "-I" + folder, "-I" + str(scratch.root), *mapped[1:], "-fsyntax-only"], cwd=scratch.build,
                             capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    return out.stderr if out.returncode != 0 else None


def alone(scratch, mutants, programs, results, say, proofs=()):
    """One by one in a copy without other mutants, each against the nearest test programs, those first that need least compiled; or
    against those given. What these leave alive survives: to build and to run everything for each would take hours, and a fault's
    own tests ought to find it."""
    scratch.copy(())
    if not (scratch.build / "build.ninja").exists():
        scratch.configure()
    scratch.ninja(*(programs or ["all"]))  # what needs a file is known of what was built; and the headers that the build makes
    for mutant in sorted(mutants, key=lambda m: m["class"] == "other"):
        file = mutant["file"]
        before = (scratch.tree / file).read_text()
        begin = time.monotonic()
        answer = {"result": "not reached", "test": "", "seconds": 0.0, "tests": 0}
        said = complaints(scratch, mutant)
        if said is not None:
            answer["result"] = "killed (static assertion)" if "static assertion failed" in said else "invalid"
        elif (file, mutant["after"].strip()) in proofs:
            answer["result"] = "not run: equivalent"
        else:
            try:
                answer = one_alone(scratch, mutant, programs, before)
            finally:
                scratch.put(file, before)
        results.keep(dict(mutant, level="alone"), answer)
        say("%4d %-14s %s:%d %s (alone, %.0f s)" % (mutant["number"], answer["result"], file, mutant["line"], answer["test"],
                                                   time.monotonic() - begin))


def users(scratch, file):
    """Objects that are compiled again when the file changes; known once they were built."""
    out, found, target = subprocess.run(["ninja", "-C", str(scratch.build), "-t", "deps"], capture_output=True, text=True).stdout, set(), ""
    for line in out.splitlines():
        if not line.startswith(" "):
            target = line.partition(":")[0]
        elif line.strip() and scratch.place(line.strip()) == file:
            found.add(target)
    return found


def objects_needed(scratch, program, objects):
    """How many of the objects are in the program."""
    out = subprocess.run(["ninja", "-C", str(scratch.build), "-t", "inputs", program], capture_output=True, text=True).stdout
    return len(objects & set(out.split()))


def nearest(scratch, mutant):
    """Test programs that a change of the file makes again, near ones first; {program: objects it needs compiled}."""
    near = {}
    for name, folder in folders_of_tests(scratch.tree).items():
        test = Test({"name": name, "command": [name]}, {name: folder})
        near[name] = min(test.nearness(mutant["file"]), 3)
    closest, needed, objects = min(2, max(near.values())), {}, users(scratch, mutant["file"])
    # The platform's tests of a model are not beside the model's own: they have its name.
    model = re.compile(r"(^|_)(%s|options)(_|$)" % re.escape((mutant["file"].split("/") + [""])[1]))
    for wanted in ([t for t, n in near.items() if n >= closest], [t for t in near if model.search(t)]):
        needed = needed or {t: objects_needed(scratch, t, objects) for t in wanted}
        needed = {t: n for t, n in needed.items() if n}  # what needs nothing compiled does not have the file in it
    return {t: needed[t] for t in sorted(needed, key=lambda t: (-near[t], needed[t]))}


def whole(scratch, program):
    return Test({"name": program, "command": [str(scratch.build / "tests" / program), "--gtest_fail_fast", "--gtest_brief"],
                 "properties": [{"name": "WORKING_DIRECTORY", "value": str(scratch.build)}]}, {})


def one_alone(scratch, mutant, programs, before):
    """`programs`: those to build and run, or nothing."""
    answer, compiled = {"result": "not reached", "test": "", "seconds": 0.0, "tests": 0}, 0
    order_of = dict.fromkeys(programs, 0)
    if not programs:
        order_of = nearest(scratch, mutant)
    for program in order_of:
        if compiled and compiled + order_of[program] > OBJECTS:
            break
        test = whole(scratch, program)
        if scratch.ninja(program):
            raise SystemExit("mutate: %s does not compile without a mutant" % program)
        passed, test.seconds = run(test, {}, 3 * BUDGET)
        if passed != "passed":
            continue
        scratch.put(mutant["file"], scratch.changed(mutant["file"], mutant))
        compiled += order_of[program]
        blocks = scratch.ninja(program)
        if blocks:
            asserted = any("static assertion failed" in block for block in blocks)
            return dict(answer, result="killed (static assertion)" if asserted else "invalid")
        result, seconds = run(test, {}, 3 * test.seconds + 5)
        scratch.put(mutant["file"], before)
        answer.update(result="survived", seconds=round(answer["seconds"] + seconds, 2), tests=answer["tests"] + 1)
        if result != "passed":
            return dict(answer, result="killed" if result == "failed" else "killed (hangs)", test=program)
    return answer
