#!/usr/bin/env python3
"""What docs/results has to say, whatever its figures: every finding, its conditions, and what a verdict rests on.

scripts/experiments --check holds the page's text to its tables; a sentence that is left out of both would be missed by nobody
but this.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = (ROOT / "docs/results/README.md").read_text()
README = (ROOT / "README.md").read_text()
FINDINGS = [f"TS-{n:03d}" for n in range(60, 76)] + ["512 DSPs otherwise"]
SIZE, RAYS = r"\d+x\d+", r"\d[\d ]* (?:eye )?rays|eye rays|eye and shadow rays"
# Findings whose figure is no rate of a picture: arithmetic, records, a program on the host.
NO_PICTURE = {"TS-062": "no run", "TS-064": "one batch of 512 eye rays", "TS-066": "no picture matters", "TS-069": "no run",
              "TS-074": "No run", "TS-071": "64x64, depth 5", "TS-075": "32x16"}


def section(name):
    return re.search(rf"(?ms)^## {name}$(.*?)(?=^## |\Z)", RESULTS)[1]


def part(name, word):
    return re.search(rf"\*\*{word}\.\*\* (.*)", section(name))[1]


class Findings(unittest.TestCase):
    def test_all_are_there(self):
        for name in FINDINGS:
            for word in ("Claim", "Conditions", "Measured", "Verdict"):
                self.assertTrue(part(name, word), f"{name}: {word}")
            self.assertIn(f"| [{name}](#", RESULTS)

    def test_each_says_picture_and_rays(self):
        for name in FINDINGS:
            conditions = part(name, "Conditions")
            if name in NO_PICTURE:
                self.assertIn(NO_PICTURE[name], conditions, name)
            else:
                self.assertRegex(conditions, SIZE, name)
                self.assertRegex(conditions.replace("Eye", "eye"), RAYS, name)

    def test_shares_that_grow_with_the_picture_are_shown_against_it(self):
        """TS-067 and TS-068 turn round between 32x32 and 256x256."""
        for name, largest in (("TS-067", "256x256"), ("TS-068", "512x512")):
            for size in ("32x32", "128x128", largest):
                self.assertIn(size, section(name), name)
        self.assertRegex(part("TS-068", "Verdict"), r"settled")
        self.assertIn("256x256", part("TS-067", "Conditions"))

    def test_what_verdicts_rest_on(self):
        self.assertIn("1996 routine: hit, nearest so far", section("TS-060"))
        self.assertIn("364", section("TS-060"))
        for name, place in (("TS-060", "Verdict"), ("TS-064", "Verdict"), ("TS-070", "Verdict"), ("TS-072", "Conditions"), ("TS-075", "Verdict")):
            self.assertRegex(part(name, place), r"guess", name)
        self.assertRegex(section("TS-061"), r"\| release, cycles \| 4 \| 8 \| 16")
        self.assertRegex(part("TS-061", "Verdict"), r"guess.*cycles would give")
        self.assertRegex(section("TS-063"), r"\| words a burst of the host \| 8 \| 32")
        self.assertRegex(part("TS-063", "Measured"), r"guess")
        self.assertRegex(part("TS-064", "Conditions"), r"1 Mb is read as 2\^20 bits")
        self.assertRegex(part("TS-064", "Verdict"), r"megabit.*megabyte")
        self.assertRegex(part("TS-067", "Conditions"), r"One scene: bunny")
        self.assertRegex(part("TS-067", "Verdict"), r"for this scene")
        self.assertRegex(part("TS-071", "Measured"), r"1996 program's own rule")
        self.assertRegex(part("TS-071", "Verdict"), r"for that program")

    def test_what_was_not_run_is_not_claimed(self):
        """A wider chain is no parameter of the model; smaller arrays are `--hosts`."""
        other = section("512 DSPs otherwise")
        self.assertIn("A wider chain is not modelled", other)
        self.assertRegex(other, r"\| 32 \| 16 \|")
        self.assertNotRegex(README, r"wider chain")

    def test_time_outside_the_walk_is_not_all_the_chains(self):
        text = " ".join(re.search(r"(?s)<!-- made by scripts/experiments -->(.*?)<!-- end -->", README)[1].split())
        self.assertRegex(text, r"walk takes [\d.]+ % of the time, loading rays over the serial chain \d+ % and sending results \d+ %")
        self.assertNotRegex(text, r"the chain takes \d+ %")
        for condition in ("eye and shadow rays", "default board", "are guesses", "256x256", "have not settled"):
            self.assertIn(condition, text)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
