#!/usr/bin/env python3
"""scripts/check-includes on a tree of two libraries: what it lets pass, and that it finds what it must."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check-includes"

LOW = "target rtvp_low models/low\nsource low.cpp\n"
HIGH = "target rtvp_high models/high\nsource high.cpp\n"
FILES = {"models/low/low.hpp": "", "models/low/low.cpp": '#include "models/low/low.hpp"\n',
         "models/high/high.hpp": "", "models/high/high.cpp": '#include <map>\n#include "models/low/low.hpp"\n'}


class CheckIncludes(unittest.TestCase):
    def check(self, graph, files=None):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**FILES, **(files or {})}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            (root / "graph").write_text(graph)
            done = subprocess.run([SCRIPT, root / "graph", root], capture_output=True, text=True)
            return done.returncode, done.stdout

    def test_what_is_linked_may_be_included(self):
        self.assertEqual(self.check(LOW + HIGH + "link rtvp::low\n"), (0, ""))

    def test_what_is_not_linked_may_not(self):
        status, text = self.check(LOW + HIGH)
        self.assertEqual(status, 1)
        self.assertEqual(text, "models/high/high.cpp:2: models/low/low.hpp belongs to rtvp_low, "
                               "which rtvp_high does not link\n")

    def test_links_are_followed_as_far_as_they_are_passed_on(self):
        middle = "target rtvp_middle models/middle\n{}"
        files = {"models/middle/middle.hpp": ""}
        for passes, status in (("link rtvp::low\npasses rtvp::low\n", 0),
                               ("link rtvp::low\npasses $<LINK_ONLY:rtvp::low>\n", 1)):
            graph = LOW + middle.format(passes) + HIGH + "link rtvp::middle\n"
            self.assertEqual(self.check(graph, files)[0], status, passes)

    def test_a_header_needs_what_its_target_passes_on(self):
        files = {"models/high/high.hpp": '#include "models/low/low.hpp"\n'}
        self.assertEqual(self.check(LOW + HIGH + "link rtvp::low\npasses rtvp::low\n", files)[0], 0)
        status, text = self.check(LOW + HIGH + "link rtvp::low\n", files)
        self.assertEqual(status, 1)
        self.assertIn("models/high/high.hpp:1:", text)

    def test_a_header_belongs_to_one_target(self):
        files = {"models/low/table.hpp": "", "models/low/low.cpp": '#include "models/low/table.hpp"\n'}
        status, text = self.check(LOW, files)
        self.assertEqual(status, 1)
        self.assertIn("models/low/low.cpp:1: models/low/table.hpp belongs to no target", text)
        self.assertEqual(self.check(LOW + "header table.hpp\n", files)[0], 0)
        twice = LOW + "header table.hpp\n" + HIGH + "link rtvp::low\nheader ../low/table.hpp\n"
        self.assertIn("models/low/table.hpp:1: belongs to rtvp_low and to rtvp_high", self.check(twice, files)[1])
        self.assertIn("not there", self.check(LOW + "header absent.hpp\n")[1])

    def test_tests_share_headers(self):
        files = {"tests/high_test.cpp": '#include "tests/bench.hpp"\n',
                 "tests/bench.hpp": '#include "models/low/low.hpp"\n'}
        test = "target test_high tests\nsource high_test.cpp\n"
        self.assertEqual(self.check(LOW + test, files)[0], 1)
        self.assertEqual(self.check(LOW + test + "link rtvp::low\n", files)[0], 0)

    def test_bad_arguments(self):
        done = subprocess.run([SCRIPT], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
