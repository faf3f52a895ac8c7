"""Sweeps: the table is that of the program."""

from __future__ import annotations

import csv
import pathlib
import subprocess
import unittest

import rtvp
from rtvp.sweeps import read_sweep
from tests.support import HAS_PANDAS, SCENE, Case

SMALL: dict[str, rtvp.Value] = {"render.size": "8x8", "render.depth": 1}


class Sweeps(Case):
    def test_the_table_is_that_of_the_program(self) -> None:
        subprocess.run([str(self.program.path), "sweep", str(SCENE), "--size=8x8", "--depth=1", "--dsps=4,8", "--set",
                        "tigershark.wait_states=0,1", "--figure", "ms[ms]=simulated_time_ps/1e9", "--figure", "a=driver.batches",
                        "-o", "by-hand", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with open("by-hand/sweep.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        table = rtvp.sweep(SCENE, {"tigershark.dsps": [4, 8], "tigershark.wait_states": [0, 1]}, SMALL,
                           figures={"ms [ms]": "simulated_time_ps/1e9", "a": "driver.batches"})
        self.assertEqual(table.columns, ["tigershark.dsps", "tigershark.wait_states", "ms", "a", "status", "message"])
        self.assertEqual(table.units, {"ms": "ms", "a": ""})
        self.assertEqual([[str(row[0]), str(row[1]), row[2]] for row in table.rows()],
                         [[r["tigershark.dsps"], r["tigershark.wait_states"], float(r["ms [ms]"])] for r in rows])
        point = table[1]
        self.assertEqual(point.statistics["simulated_time_ps"], round((point.figures["ms"] or 0) * 1e9))
        self.assertIsInstance(point.statistics["driver.batches"], int)
        self.assertEqual(point.statistics.unit("driver.batches"), "batches")
        self.assertEqual(read_sweep("by-hand").columns, table.columns)

    def test_points_that_fail(self) -> None:
        vary = {"tigershark.dsps": [4, 9999]}
        with self.assertRaisesRegex(rtvp.InputError, "found '9999'"):
            rtvp.sweep(SCENE, vary, SMALL)
        table = rtvp.sweep(SCENE, vary, SMALL, check=False, folder="kept")
        self.assertEqual([p.status for p in table], [0, 2])
        self.assertIn("9999", table.failed[0].message)
        self.assertIsNone(table[1].figures["time"])
        self.assertEqual(len(table[1].statistics), 0)
        self.assertTrue(pathlib.Path("kept/index.html").is_file())

    def test_refusals_are_errors_with_check_off(self) -> None:
        with self.assertRaisesRegex(rtvp.InputError, "unknown key 'no.key'"):
            rtvp.sweep(SCENE, {"no.key": [1, 2]}, check=False)
        with self.assertRaisesRegex(rtvp.InputError, "nowhere.shk"):
            rtvp.sweep("nowhere.shk", {"tigershark.dsps": [4]})

    def test_chosen_points_and_several_scenes(self) -> None:
        other = SCENE.with_name("teapot.shk")
        table = rtvp.sweep([SCENE, other], {"engine": ["xphmg", "reference"], "xphmg.units": [1, 2]}, SMALL,
                           where=["engine != reference"], jobs=2)
        self.assertEqual([(pathlib.Path(p.settings["scene"]).name, p.settings["xphmg.units"]) for p in table],
                         [("cornell.shk", "1"), ("cornell.shk", "2"), ("teapot.shk", "1"), ("teapot.shk", "2")])
        drawn = rtvp.sweep(SCENE, {"xphmg.units": [1, 2, 3, 4]}, {**SMALL, "engine": "xphmg"},
                           space={"kind": "random", "points": 2, "seed": 1}, quality=True)
        self.assertEqual(len(drawn), 2)
        self.assertEqual(drawn[0].statistics["quality.wrong_pixels"], 0)

    def test_values_with_commas(self) -> None:
        table = rtvp.sweep(SCENE, {"render.crop": ["0,0,4,4", "4,4,4,2"]}, {**SMALL, "engine": "reference"})
        self.assertEqual([p.statistics["picture.crop_height"] for p in table], [4, 2])

    def test_installed_scenes_have_names(self) -> None:
        for folder in ("bin", "share/rtvp/scenes"):
            pathlib.Path(folder).mkdir(parents=True)
        pathlib.Path("bin/platform").symlink_to(self.program.path)
        pathlib.Path("share/rtvp/scenes/mine.shk").write_bytes(SCENE.read_bytes())
        # The link is followed: what lies beside the program itself counts.
        with self.assertRaisesRegex(rtvp.InputError, "mine.shk"):
            rtvp.sweep("mine.shk", {"engine": ["reference"]}, SMALL, program=rtvp.Program("bin/platform"))
        pathlib.Path("bin/platform").unlink()
        pathlib.Path("bin/platform").write_text(f'#!/bin/sh\nexec "{self.program.path}" "$@"\n')
        pathlib.Path("bin/platform").chmod(0o755)
        table = rtvp.sweep("mine.shk", {"engine": ["reference"]}, SMALL, program=rtvp.Program("bin/platform"))
        self.assertEqual(table[0].settings["scene"], str(self.folder.resolve() / "share/rtvp/scenes/mine.shk"))

    def test_no_database(self) -> None:
        with self.assertRaisesRegex(FileNotFoundError, "sweep.sqlite"):
            read_sweep(self.folder)
        pathlib.Path("sweep.sqlite").write_text("nothing of the kind, and long enough to be looked at")
        with self.assertRaisesRegex(ValueError, "expected the database of a sweep"):
            read_sweep(self.folder)

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_frame(self) -> None:
        frame = rtvp.sweep(SCENE, {"tigershark.dsps": [4, 8]}, SMALL).frame()
        self.assertEqual(list(frame["tigershark.dsps"]), [4, 8])
        self.assertEqual(str(frame["tigershark.dsps"].dtype), "int64")
        self.assertEqual(str(frame["time"].dtype), "float64")
