#!/usr/bin/env python3
"""What scripts/quality --changed makes of a computer and a clone that are not as it wants them, and whom a change concerns."""
import importlib.machinery
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts/quality"


def run(*arguments, path=None):
    environment = dict(os.environ)
    if path:
        environment["PATH"] = path
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, env=environment)


class Refusals(unittest.TestCase):
    def test_a_missing_program_is_no_finding(self):
        with tempfile.TemporaryDirectory() as folder:
            for program in ("git", "cmake", "ninja", "g++"):
                os.symlink(shutil.which(program), pathlib.Path(folder) / program)
            out = run("--changed", path=folder)
            self.assertEqual(out.returncode, 2, out.stderr)
            self.assertIn("found no clang-tidy", out.stderr)
            self.assertIn("scripts/setup --lint", out.stderr)

    def test_a_base_that_is_none(self):
        if not all(shutil.which(p) for p in ("clang-tidy", "ninja")):
            self.skipTest("no clang-tidy here")
        out = run("--changed", "no-such-commit")
        self.assertEqual(out.returncode, 2, out.stderr)
        self.assertIn("no-such-commit", out.stderr)

    def test_minutes_belong_to_changes(self):
        for arguments in (("--minutes", "3"), ("--changed", "--minutes", "0"), ("nothing",)):
            self.assertEqual(run(*arguments).returncode, 2, arguments)


class Clones(unittest.TestCase):
    """scripts/changed in repositories made for it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name) / "a"
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/changed", self.root / "scripts/changed")
        self.git(self.root, "init", "-q", "-b", "main")
        self.commit("one.cpp", "2001-01-01T00:00:00Z")
        self.commit("two.cpp", "2001-01-03T00:00:00Z")

    def git(self, where, *words, **more):
        author = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
        return subprocess.run(["git", *author, *words], cwd=where, check=True, capture_output=True, text=True, **more).stdout

    def commit(self, file, when):
        (self.root / file).write_text(file)
        self.git(self.root, "add", "-A")
        self.git(self.root, "commit", "-q", "-m", file, env=dict(os.environ, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when))

    def changed(self, where, *arguments):
        out = subprocess.run([sys.executable, where / "scripts/changed", *arguments], capture_output=True, text=True, check=True).stdout
        return out.splitlines()

    def test_without_a_merge_base_the_last_days_commits(self):
        first, *files = self.changed(self.root)
        self.assertTrue(first.endswith(" recent"))
        self.assertEqual(files, ["two.cpp"])

    def test_behind_a_merge_base_what_differs(self):
        clone = pathlib.Path(self.folder.name) / "b"
        self.git(self.folder.name, "clone", "-q", str(self.root), str(clone))
        (clone / "three.cpp").write_text("3")
        self.git(clone, "add", "-A")
        self.git(clone, "commit", "-q", "-m", "three")
        first, *files = self.changed(clone)
        self.assertFalse(first.endswith(" recent"))
        self.assertEqual(files, ["three.cpp"])

    def test_a_shallow_clone_knows_no_commit_before(self):
        clone = pathlib.Path(self.folder.name) / "c"
        self.git(self.folder.name, "clone", "-q", "--depth", "1", "file://" + str(self.root), str(clone))
        first, *files = self.changed(clone)
        self.assertTrue(first.endswith(" recent"))
        self.assertEqual(files, [])


def script():
    """The script as a module, without its last line."""
    loader = importlib.machinery.SourceFileLoader("quality", str(SCRIPT))
    source = loader.get_data(str(SCRIPT)).decode().replace("\nmain()\n", "\n")
    module = type(sys)("quality")
    module.__file__ = str(SCRIPT)
    exec(compile(source, str(SCRIPT), "exec"), module.__dict__)
    return module


@unittest.skipUnless(all(map(shutil.which, ("clang-tidy", "ninja", "g++"))), "no clang-tidy here")
class Passes(unittest.TestCase):
    """What is known of a source that has passed, on a tree made for it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "tree"
        self.build = self.root / "build/release"
        self.build.mkdir(parents=True)
        self.write("a.hpp", "inline int* f() { return nullptr; }\n")
        self.write("a.cpp", '#include "a.hpp"\nint main() { return f() != nullptr; }\n')
        self.write(".clang-tidy", "Checks: '-*,modernize-use-nullptr'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '.*'\n")
        self.command = f"g++ -MD -MF a.o.d -o a.o -c {self.root}/a.cpp"
        self.build_file()
        self.quality = script()
        self.quality.ROOT, self.quality.PASSED = self.root, self.root / "passed"
        self.quality.configure = lambda preset: None

    def write(self, name, text):
        (self.root / name).write_text(text)

    def build_file(self):
        entry = {"directory": str(self.build), "command": self.command, "file": f"{self.root}/a.cpp"}
        (self.build / "compile_commands.json").write_text(json.dumps([entry]))
        (self.build / "build.ninja").write_text(
            f"rule cxx\n  command = {self.command}\n  depfile = a.o.d\n  deps = gcc\nbuild a.o: cxx {self.root}/a.cpp\n")

    def tidy(self, build=True):
        if build:
            subprocess.run(["ninja", "-C", self.build], check=True, capture_output=True)
        self.quality.digest.cache_clear()
        return self.quality.tidy(["a.cpp"])

    def test_what_passed_is_not_looked_at_again(self):
        self.assertEqual(self.tidy(), "1 sources, no finding")
        self.assertEqual(self.tidy(), "1 sources, no finding, 1 of them as they were when they passed")

    def test_another_header_is_looked_at(self):
        self.tidy()
        self.write("a.hpp", "inline int* f() { return 0; }\n")
        for build in (False, True, True):  # not built since, built, a finding leaves no mark
            with self.assertRaises(self.quality.Failed):
                self.tidy(build)

    def test_so_are_other_rules_and_another_command(self):
        self.tidy()
        self.write(".clang-tidy", (self.root / ".clang-tidy").read_text() + "# more\n")
        self.assertEqual(self.tidy(), "1 sources, no finding")
        self.command += " -DNAME"
        self.build_file()
        self.assertEqual(self.tidy(), "1 sources, no finding")

    def test_what_was_not_built_has_no_name(self):
        self.assertEqual(self.tidy(build=False), "1 sources, no finding")
        self.assertEqual(list((self.root / "passed").iterdir()), [])


class Whom(unittest.TestCase):
    """Graph, on a graph made for it."""

    def setUp(self):
        module = script()
        self.graph = module.Graph.__new__(module.Graph)
        self.graph.objects = lambda test: 0
        self.graph.files = {"rtvp_core": ["models/c32/decode.cpp", "models/c32/decode.hpp"], "test_core": ["tests/a.cpp"],
                            "rtvp_shell": ["models/c32/unit/module.cpp"], "test_shell": ["tests/b.cpp"], "rtvp_systemc": []}
        self.graph.links = {"rtvp_core": [], "test_core": ["rtvp_core"], "rtvp_shell": ["rtvp_core", "rtvp_systemc"],
                            "test_shell": ["rtvp_shell"], "rtvp_systemc": []}

    def test_a_source_concerns_who_links_it(self):
        self.assertEqual(self.graph.concerned(["models/c32/unit/module.cpp"]), (["test_shell"], ["models/c32/unit/module.cpp"]))
        tests, _ = self.graph.concerned(["models/c32/decode.cpp"])
        self.assertEqual(self.graph.by_nearness(tests, []), ["test_core", "test_shell"])

    def test_a_test_that_runs_a_program_is_as_far_as_that(self):
        self.graph.objects = {"test_core": 300, "test_shell": 40}.get
        self.assertEqual(self.graph.by_nearness(["test_core", "test_shell"], []), ["test_shell", "test_core"])

    def test_a_header_brings_its_source(self):
        self.assertEqual(self.graph.concerned(["models/c32/decode.hpp"])[1], ["models/c32/decode.cpp"])

    def test_a_page_concerns_nobody(self):
        self.assertEqual(self.graph.concerned(["docs/index.md"]), ([], []))

    def test_cores_come_first(self):
        self.assertEqual(self.graph.cores_first(["models/c32/unit/module.cpp", "models/c32/decode.cpp"])[0], "models/c32/decode.cpp")
        self.assertEqual(self.graph.cores(), (["test_core"], ["models/c32/decode.cpp"]))


if __name__ == "__main__":
    unittest.main()
