"""Runs: what they return is what the program wrote, and what goes wrong is an exception of its kind."""

from __future__ import annotations

import csv
import inspect
import json
import os
import pathlib
import subprocess
import time
import unittest
from unittest import mock

import rtvp
from rtvp.runs import KEYWORDS
from tests.support import HAS_PANDAS, SCENE, TINY, Case


class Runs(Case):
    def by_hand(self, *words: str) -> None:
        subprocess.run([str(self.program.path), str(SCENE), "--size=8x8", "--quiet", *words], check=True)

    def test_returns_what_the_program_writes(self) -> None:
        self.by_hand("--dsps=4", "--output=a.ppm", "--stats=a.json", "--hits=a.csv")
        run = rtvp.run(SCENE, size=TINY, dsps=4, hits=True)
        self.assertEqual(run.picture.data, pathlib.Path("a.ppm").read_bytes()[len(b"P6\n8 8\n255\n"):])
        document = json.loads(pathlib.Path("a.json").read_text())
        self.assertEqual(run.configuration, document["configuration"])
        self.assertEqual(run.configuration_hash, document["configuration_hash"])
        self.assertEqual(run.statistics["simulated_time_ps"], document["simulated_time_ps"])
        self.assertEqual(run.statistics["pc0.driver.batches"], document["modules"]["pc0"]["driver"]["batches"])
        self.assertEqual(run.statistics.unit("pc0.driver.batches"), "batches")
        self.assertEqual(run.simulated_seconds, document["simulated_time_ps"] / 1e12)
        with open("a.csv", newline="") as lines:
            rows = list(csv.reader(lines))[1:]
        assert run.hits is not None
        self.assertEqual([[str(h.x), str(h.y), str(h.prim)] for h in run.hits], [row[:3] for row in rows])
        self.assertEqual([h.t for h in run.hits], [float(row[3]) if row[3] else None for row in rows])
        self.assertEqual(run.hits.at(3, 5), run.hits[5 * 8 + 3])
        self.assertIn("rays", run.summary)

    def test_reads_the_programs_own_png(self) -> None:
        self.by_hand("--output=a.png", "--engine=reference")
        run = rtvp.run(SCENE, size=TINY, engine="reference")
        from rtvp.pictures import read_picture
        self.assertEqual(read_picture("a.png"), run.picture)
        run.picture.save("b.png")
        self.assertEqual(rtvp.compare("a.png", "b.png").differing, 0)  # libpng reads ours

    def test_every_keyword_is_an_option_of_that_parameter(self) -> None:
        table = self.program.parameters()
        for keyword, key in KEYWORDS.items():
            self.assertEqual(table[key].option, f"--{keyword}")
        named = set(inspect.signature(rtvp.run).parameters)
        self.assertEqual(named - set(KEYWORDS), {"scene", "settings", "hits", "config", "timeout", "program"})

    def test_settings_arrive(self) -> None:
        run = rtvp.run(SCENE, {"tigershark.vote": False, "render.ray_offset": 1.0000000000000001e-05, "tigershark.wait_states": 2},
                       size=TINY, crop=(1, 2, 3, 4), depth=1)
        self.assertIs(run.configuration["tigershark.vote"], False)
        self.assertEqual(run.configuration["render.ray_offset"], 1.0000000000000001e-05)
        self.assertEqual(run.configuration["tigershark.wait_states"], 2)
        self.assertEqual(run.configuration["render.crop"], "1,2,3,4")
        self.assertEqual((run.picture.width, run.picture.height), (3, 4))

    def test_makes_a_run_again(self) -> None:
        self.by_hand("--dsps=8", "--stats=a.json", "--output=a.ppm")
        again = rtvp.run(SCENE, config="a.json")
        self.assertEqual(again.configuration_hash, json.loads(pathlib.Path("a.json").read_text())["configuration_hash"])

    def test_warnings(self) -> None:
        run = rtvp.run(SCENE, size=TINY, engine="xphmg", dsps=4)
        self.assertEqual(len(run.warnings), 1)
        self.assertIn("tigershark.dsps", run.warnings[0])

    def test_leaves_no_file(self) -> None:
        rtvp.run(SCENE, size=TINY, engine="reference")
        self.assertEqual(list(self.folder.iterdir()), [])


class Errors(Case):
    def test_input(self) -> None:
        pathlib.Path("bad.shk").write_text(SCENE.read_text() + "tri foo\n")
        with self.assertRaises(rtvp.InputError) as caught:
            rtvp.run("bad.shk")
        self.assertEqual(caught.exception.status, 2)
        line = len(SCENE.read_text().splitlines()) + 1
        self.assertTrue(caught.exception.message.startswith(f"bad.shk:{line}:5: found 'foo', expected nine numbers"),
                        caught.exception.message)
        with self.assertRaisesRegex(rtvp.InputError, "unknown key 'no.key'"):
            rtvp.run(SCENE, {"no.key": 1})

    def test_limit(self) -> None:
        with self.assertRaises(rtvp.LimitError) as caught:
            rtvp.run(SCENE, {"run.limit_ms": 0.5}, size=TINY, dsps=4)
        self.assertEqual(caught.exception.status, 4)
        self.assertIn("run.limit_ms", caught.exception.message)
        self.assertIn("board0", caught.exception.message)  # all lines of the report

    def test_kinds_by_status(self) -> None:
        for status, kind in ((1, rtvp.ProgramError), (2, rtvp.InputError), (3, rtvp.MachineFault), (4, rtvp.LimitError),
                             (70, rtvp.ProgramError)):
            with self.subTest(status=status), self.assertRaises(kind) as caught:
                rtvp.run(SCENE, program=self.fake(f"echo 'platform: warning: w' >&2; echo 'platform: error: why' >&2; exit {status}\n"))
            self.assertEqual((type(caught.exception), caught.exception.status, str(caught.exception)), (kind, status, "why"))
        with self.assertRaisesRegex(rtvp.ProgramError, "status -9 and said nothing"):
            rtvp.run(SCENE, program=self.fake("kill -9 $$\n"))

    def test_no_program(self) -> None:
        with mock.patch.dict(os.environ, {"RTVP_PLATFORM": "/nowhere/platform"}), self.assertRaisesRegex(
                rtvp.ProgramNotFound, "/nowhere/platform"):
            rtvp.run(SCENE)
        with self.assertRaises(rtvp.ProgramNotFound):
            rtvp.Program(self.folder)

    def test_time_limit_ends_the_program_and_its_children(self) -> None:
        program = self.fake("echo $$ >pid\nexec sleep 60\n")
        with self.assertRaises(subprocess.TimeoutExpired):
            rtvp.run(SCENE, program=program, timeout=0.5)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pathlib.Path("pid").read_text()), 0)
        stubborn = self.fake("trap '' TERM\necho $$ >pid\nwhile :; do sleep 0.1; done\n")
        with mock.patch("rtvp.program._PATIENCE", 0.3), self.assertRaises(subprocess.TimeoutExpired):
            rtvp.run(SCENE, program=stubborn, timeout=0.5)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pathlib.Path("pid").read_text()), 0)

    def test_time_limit_of_a_real_run_leaves_no_process(self) -> None:
        name = f"rtvp-test-{os.getpid()}.shk"
        pathlib.Path(name).write_bytes(SCENE.read_bytes())
        with self.assertRaises(subprocess.TimeoutExpired):
            rtvp.run(name, size=(2048, 2048), spp=16, hosts=2, timeout=1)
        for _ in range(50):
            left = [p for p in pathlib.Path("/proc").glob("[0-9]*/cmdline") if name.encode() in _contents(p)]
            if not left:
                return
            time.sleep(0.1)
        self.fail(f"still running: {left}")

    def test_statistics_of_another_age(self) -> None:
        lines = ('for a; do case $a in --stats=*) echo \'{"schema_version": 9}\' >"${a#*=}";; esac; done\n')
        with self.assertRaisesRegex(ValueError, "schema_version 9"):
            rtvp.run(SCENE, program=self.fake(lines))


class About(Case):
    def test_version_is_the_programs(self) -> None:
        self.assertEqual(rtvp.__version__, self.program.version())

    def test_parameters(self) -> None:
        rows = json.loads(subprocess.check_output([str(self.program.path), "params", "--json"]))
        table = self.program.parameters()
        self.assertEqual(list(table), [row["key"] for row in rows])
        self.assertEqual(table["tigershark.dsps"].default, 16)

    def test_machines(self) -> None:
        document = self.program.machines(SCENE, {"render.size": "8x8"}, only=["reference", "xphmg"])
        self.assertIn("xphmg", {run["machine"] for run in document["runs"]})

    @unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
    def test_frames(self) -> None:
        run = rtvp.run(SCENE, size=TINY, dsps=4, hits=True)
        frame = run.statistics.frame()
        self.assertEqual(list(frame.columns), ["path", "value", "unit"])
        self.assertEqual(dict(zip(frame["path"], frame["value"])), dict(run.statistics))
        assert run.hits is not None
        hits = run.hits.frame()
        self.assertEqual(len(hits), 64)
        self.assertEqual(list(hits["prim"]), [h.prim for h in run.hits])
        self.assertEqual(int(hits["t"].isna().sum()), sum(h.prim < 0 for h in run.hits))


def _contents(path: pathlib.Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
