#!/usr/bin/env python3
"""scripts/release and scripts/changed in repositories made for that."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


class Repository(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) if hasattr(self, "enterContext") \
            else pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.git("init", "-q", "-b", "main")
        for folder in ("scripts", "docs", "examples"):
            (self.folder / folder).mkdir()
        for script in ("release", "changed"):
            shutil.copy(SCRIPTS / script, self.folder / "scripts")
        self.write("CMakeLists.txt", "project(rtvp VERSION 0.2.0 LANGUAGES CXX)\n")
        self.write("README.md", "find_package(rtvp 0.1 COMPONENTS c32)\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## 0.2.0, 2026-12-01\n\n- More.\n\n## 0.1.0, 2026-11-01\n\n- First.\n")
        self.commit("2026-11-20T10:00:00")
        self.git("tag", "v0.1.0")

    def git(self, *words, **more):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.folder, check=True,
                              capture_output=True, text=True, **more).stdout

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def commit(self, when):
        self.git("add", ".")
        self.git("commit", "-q", "-m", "a", "--date", when, env={"GIT_COMMITTER_DATE": when, "PATH": "/usr/bin:/bin",
                                                                "HOME": str(self.folder)})

    def run_script(self, name, *words):
        done = subprocess.run([self.folder / "scripts" / name, *words], cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr


class Release(Repository):
    def test_a_version_that_is_ready(self):
        self.assertEqual(self.run_script("release"), (0, 'git tag -a v0.2.0 -m "rtvp 0.2.0"\n', ""))
        self.assertEqual(self.git("tag", "--list").split(), ["v0.1.0"])

    def test_what_is_missing_is_said(self):
        for file, text, said in (
                ("CMakeLists.txt", "project(rtvp VERSION 0.3.0 LANGUAGES CXX)\n", "newest heading is 0.2.0"),
                ("CMakeLists.txt", "project(rtvp)\n", "no project(... VERSION"),
                ("CHANGELOG.md", "## 0.2.0, not released\n\n- More.\n", "expected a date"),
                ("CHANGELOG.md", "## 0.2.0, 2026-12-01\n", "says nothing"),
                ("CHANGELOG.md", "## 0.2.0, 2026-12-01\n\n- A.\n\n## 0.3.0, 2026-11-01\n", "0.2.0 stands above 0.3.0"),
                ("CHANGELOG.md", "## 0.2.0, 2026-12-01\n\n- A.\n\n## 0.1.5, 2026-11-01\n", "no tag v0.1.5"),
                ("README.md", "find_package(rtvp 0.3)\n", "asks for rtvp 0.3")):
            before = (self.folder / file).read_text()
            self.write(file, text)
            status, out, err = self.run_script("release", "--tag")
            self.assertEqual((status, out), (1, ""), said)
            self.assertIn(said, err)
            self.write(file, before)
        self.assertEqual(self.git("tag", "--list").split(), ["v0.1.0"])

    def test_dirty_trees_and_tags_that_are_there(self):
        self.write("new.txt", "a")
        self.assertIn("not clean", self.run_script("release")[2])
        (self.folder / "new.txt").unlink()
        self.git("tag", "v0.2.0")
        self.assertIn("v0.2.0 is there already", self.run_script("release")[2])
        self.assertEqual(self.run_script("release", "--push")[0], 2)


class Changed(Repository):
    def test_without_a_difference_the_last_day_counts(self):
        first = self.git("rev-parse", "HEAD").strip()
        self.write("old.txt", "1")
        self.commit("2026-11-22T10:00:00")
        old = self.git("rev-parse", "HEAD").strip()
        self.write("a.txt", "1")
        self.commit("2026-11-23T09:00:00")
        self.write("b.txt", "1")
        self.commit("2026-11-23T11:00:00")
        self.assertEqual(self.run_script("changed")[1].splitlines(), [old + " recent", "a.txt", "b.txt"])
        self.assertEqual(self.run_script("changed", first)[1].splitlines(), [first, "a.txt", "b.txt", "old.txt"])

    def test_against_the_merge_base(self):
        base = self.git("rev-parse", "HEAD").strip()
        self.git("update-ref", "refs/remotes/origin/main", base)
        self.write("c.txt", "1")
        self.write("README.md", "")
        self.git("add", ".")
        self.git("rm", "-qf", "CHANGELOG.md")
        self.assertEqual(self.run_script("changed")[1].splitlines(), [base, "README.md", "c.txt"])

    def test_one_commit_and_no_repository(self):
        head = self.git("rev-parse", "HEAD").strip()
        self.assertEqual(self.run_script("changed")[1].splitlines(), [head + " recent"])
        self.assertEqual(self.run_script("changed", "nothing")[0], 1)


if __name__ == "__main__":
    unittest.main()
