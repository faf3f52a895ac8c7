#!/usr/bin/env python3
"""Conditions and guesses that published claims stand beside: a page that loses one says more than was measured."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Page, what it has to say (white space for a blank), why.
SAID = (
    ("README.md", r"if a normal by derivatives counts as four runs", "fewer instructions: the other counting"),
    ("README.md", r"if both run the report's tapes", "fewer instructions: on the same tapes"),
    ("README.md", r"what an instruction, a leaf or a byte costs in cycles is a guess", "fewer cycles"),
    ("README.md", r"one object of eight instructions, eps 1e-3 and 50 steps, at which brute force loses hits", "the one object"),
    ("README.md", r"With other functions the hull may lose", "where it loses"),
    ("README.md", r"Part of that are its longer steps", "what is no merit of the hull"),
    ("docs/implicit/README.md", r"which is no merit of the hull", "what is no merit of the hull"),
    ("README.md", r"Cameras are ours, after the report's pictures", "the cameras"),
    ("README.md", r"They cost the host time, which this table does not count", "tile lists are not free"),
    ("README.md", r"Clocks are compared, for the unit's frequency is our choice", "THEIA's clock"),
    ("README.md", r"its clocks to read one are a guess", "the triangle store"),
    ("README.md", r"need a latch each, which our model has and the original has not", "early reject is no microcode alone"),
    ("docs/theia/README.md", r"The model's cores have a latch against that", "early reject is no microcode alone"),
    ("README.md", r"follow from a clock of 1 GHz and latencies that are our choice", "XPHMG_RT's clock"),
    ("README.md", r"way into its memory counts \(`processor.upload_width`, a guess\)", "uploads"),
    ("README.md", r"XPHMG_RT and THEIA know no spheres: the host gives them 24-sided ones, [\d.]+ dB from the true ones", "tessellated spheres"),
    ("docs/implicit/README.md", r"fitted to the report's own counts, 60 degrees wide where the reference says 90", "the fitted camera"),
    ("docs/implicit/README.md", r"counted as four instructions each", "the other counting"),
    ("docs/implicit/README.md", r"default latencies, which are all guesses", "cycles"),
    ("docs/implicit/README.md", r"Where the method loses:", "where it loses"),
    ("docs/implicit/README.md", r"Cycles rest on guessed costs; instructions do not", "the table of functions"),
    ("docs/theia/README.md", r"They cost the host time that these tables leave out", "tile lists are not free"),
    ("docs/theia/README.md", r"Clocks, not seconds, are compared: the original names no frequency", "THEIA's clock"),
    ("docs/machines/README.md", r"What is a guess: the clocks of THEIA, XPHMG_RT and the implicit-surface unit", "who wins"),
    ("docs/machines/README.md", r"64x64 pixels, eye and shadow rays and one generation of reflections", "conditions"),
    ("docs/contention.md", r"are choices of ours, not measurements of a part", "where the curve bends"),
    ("docs/computers.md", r"by clocks and settings of ours", "speeds brought together"),
    ("docs/computers.md", r"XPHMG_RT's 1 GHz and THEIA's 100 MHz are guesses", "unequal machines"),
    ("docs/computers.md", r"comes from other batches", "a gain where nobody helped"),
    ("docs/machines/README.md", r"or, where the machine's defaults do not, has no more wrong pixels than these", "what is best"),
    ("docs/machines/README.md", r"rays that reach its limit of 50 steps: with 100 none is", "why pixels are wrong"),
    ("docs/machines/README.md", r"by our costs, and at this size, it depends on the function which way is faster", "hulls or brute force"),
    ("docs/studies/README.md", r"what the host moves through the same memory, scene, rays and hits, is done once for all units", "a second unit"),
    ("docs/theia/README.md", r"without its configuration \(tiles have one each\) and without reading back", "clocks of a frame"),
    ("docs/results/README.md", r"over the time of the batches, without boot and the loading of firmware and database", "rates"),
    ("docs/processor.md", r"every figure rests on the two tables of costs above, in part guesses", "the host's work"),
    ("docs/processor.md", r"Upload takes time under every profile, on every machine", "uploads"),
    ("docs/studies/README.md", r"of which these are guesses: TigerSHARK's 4 cycles", "every study"),
    ("docs/results/README.md", r"\(a guess of ours\), PCI bursts of the host of 8 words \(another\)", "every finding"),
    ("docs/studies/README.md", r"15 MHz, whose chain may not go faster than 5.8 MHz", "a DSP too slow for its chain"),
    ("docs/tutorials/architect.md", r"Clocks and latencies of most machines are guesses", "the tutorial's comparison"),
    ("models/sl/unit/README.md", r"and the costs above, all guesses", "the shading unit's limit"),
    ("models/xphmg/README.md", r"Clock and latencies are the text's engineering guesses or ours, measured on no part", "rates"),
    ("docs/quality.md", r"against a reference whose spheres are tessellated alike", "the same picture"),
)
# What was claimed once and not measured.
NOT_SAID = (
    (r"times libfive", "a ratio to another machine's times"),
    (r"cost the unit no silicon", "tile lists without the host's time"),
    (r"the chain takes \d+ %", "all time outside the walk is not the chain's"),
)


class Claims(unittest.TestCase):
    def test_conditions_stand_beside_claims(self):
        for page, words, why in SAID:
            text = " ".join((ROOT / page).read_text().split())
            with self.subTest(page=page, why=why):
                self.assertRegex(text, words)

    def test_every_shipped_function_is_in_the_table_of_modes(self):
        table = (ROOT / "docs/implicit/README.md").read_text().partition("<!-- made by scripts/implicit-modes -->")[2]
        table, _, after = table.partition("<!-- end of scripts/implicit-modes -->")
        for file in sorted((ROOT / "scenes/implicit").glob("*.vm")):
            with self.subTest(function=file.name):
                modes = set(re.findall(rf"(?m)^\| {re.escape(file.stem)} \| (\w+) \|", table))
                if modes != {"brute", "improved"}:
                    self.assertRegex(after, rf"{re.escape(file.name)} is not in the table: ")

    def test_what_was_not_measured_is_not_claimed(self):
        pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "models").rglob("README.md")]
        for words, why in NOT_SAID:
            for page in pages:
                if "reference" in page.parts or page.name == "quality.md":  # that one tells what was wrong once
                    continue
                with self.subTest(page=page.name, why=why):
                    self.assertNotRegex(" ".join(page.read_text().split()), words)


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
