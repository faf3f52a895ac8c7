#!/usr/bin/env python3
"""docs/fast_paths.md against the tree: each fast path's file is there and speaks of its invariants, each test is in the file that is named
for it, and settings and identifiers of plain twins are those of the sources."""
import functools
import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/fast_paths.md"
LINK = re.compile(r"\[[^]]*\]\(([^)]+)\)")
CODE = re.compile(r"`([^`]+)`")


def rows(page):
    """The cells of the table's rows, without its head and without those that only name a group."""
    lines = [line.strip("|").split(" | ") for line in page.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines[2:]]
    return [row for row in cells if len(row) == 4 and row[1] != ""]


@functools.cache
def words():
    """Every identifier of the sources."""
    found = set()
    for folder in ("models", "platform", "tests/models"):
        for file in (ROOT / folder).rglob("*.[ch]pp"):
            found.update(re.findall(r"\w+", file.read_text()))
    return found


@functools.cache
def settings():
    keys = (ROOT / "tests/platform/app/params.json").read_text()
    return {json.loads(line.strip().rstrip(","))["key"] for line in keys.splitlines() if line.lstrip().startswith('{"key"')}


def wrong_with_test(file, name):
    """What is wrong with a test that is said to be in a file; empty: nothing."""
    suite, _, test = name.partition(".")
    text = file.read_text() if file.is_file() else ""
    if re.search(rf"\bTEST(_F|_P)?\(\s*{suite},\s*{test}\)", text):
        return ""
    return f"{file.name} has no test {name}"


def wrong_with_twin(code):
    if "=" in code and not code.startswith("-"):
        key = code.partition("=")[0]
        return "" if key in settings() else f"no setting {key}"
    if " --" in code:
        tool, _, option = code.partition(" --")
        sources = [f.read_text() for f in ROOT.glob(f"models/*/tools/{tool.replace('-', '_')}*.cpp")]
        return "" if any(f'"{option}"' in text or f'"{option},' in text for text in sources) else f"{tool} has no option --{option}"
    missing = [word for word in re.findall(r"[A-Za-z_]\w*", code) if word not in words()]
    return f"no {missing[0]} in the sources" if missing else ""


class FastPaths(unittest.TestCase):
    def test_the_table_is_true(self):
        table = rows(PAGE.read_text())
        self.assertGreater(len(table), 40)
        for path, invariants, twin, tests in table:
            with self.subTest(path=path):
                file = PAGE.parent / LINK.search(invariants)[1]
                self.assertTrue(file.is_file(), invariants)
                self.assertTrue("nvariant" in file.read_text(), f"{file.name} does not say what must hold")
                self.assertNotEqual(twin, "")
                self.assertEqual([w for w in map(wrong_with_twin, CODE.findall(twin)) if w], [])
                parts = tests.split("; ")
                for part in parts:
                    names = CODE.findall(part)
                    self.assertNotEqual(names, [], part)
                    where = PAGE.parent / LINK.search(part)[1]
                    self.assertEqual([w for name in names if (w := wrong_with_test(where, name))], [])

    def test_what_is_not_there_is_found(self):
        self.assertIn("has no test", wrong_with_test(ROOT / "tests/models/sl/batch_test.cpp", "Batch.RandomProgramsDiffer"))
        self.assertIn("has no test", wrong_with_test(ROOT / "tests/nowhere.cpp", "Batch.RandomProgramsAgree"))
        self.assertEqual(wrong_with_test(ROOT / "tests/models/sl/batch_test.cpp", "Batch.RandomProgramsAgree"), "")
        self.assertIn("no setting", wrong_with_twin("array.speed=scalar"))
        self.assertIn("no option", wrong_with_twin("theia-run --plainest"))
        self.assertIn("in the sources", wrong_with_twin("Tracer::takesNothing()"))

    def test_the_page_of_speed_leads_here(self):
        self.assertIn("(fast_paths.md)", (ROOT / "docs/performance.md").read_text())


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
