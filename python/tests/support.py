"""What the tests share: the program under test, scenes, a folder for each test, programs that misbehave."""

from __future__ import annotations

import os
import pathlib
import tempfile
import unittest

import rtvp

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
SCENE = TREE / "scenes" / "cornell.shk"
try:
    import pandas  # noqa: F401
    HAS_PANDAS = True
except ImportError:
    HAS_PANDAS = False

TINY: tuple[int, int] = (8, 8)


class Case(unittest.TestCase):
    """A test with a folder of its own, in which it runs."""

    program: rtvp.Program

    @classmethod
    def setUpClass(cls) -> None:
        cls.program = rtvp.Program()  # not found: every test fails, none is skipped

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        before = os.getcwd()
        os.chdir(folder.name)
        self.addCleanup(os.chdir, before)
        self.folder = pathlib.Path(folder.name)

    def fake(self, lines: str) -> rtvp.Program:
        """A program that does these lines of shell instead."""
        path = self.folder / "fake"
        path.write_text("#!/bin/sh\n" + lines, encoding="utf-8")
        path.chmod(0o755)
        return rtvp.Program(path)
