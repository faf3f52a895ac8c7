"""Statistics, pictures and frames by themselves."""

from __future__ import annotations

import pathlib
import struct
import unittest
import zlib

from rtvp.frames import frame_of
from rtvp.hits import read_hits
from rtvp.pictures import Picture, read_picture
from rtvp.statistics import Figure, Statistics, read_statistics, statistics_of
from tests.support import HAS_PANDAS, Case


class StatisticsTree(Case):
    def test_whole_numbers_stay_exact(self) -> None:
        pathlib.Path("s.json").write_text(
            '{"schema_version": 1, "scene": {}, "picture": {"rays": 3, "units": {"rays": "rays"}},'
            ' "simulated_time_ps": 9007199254740993,'
            ' "modules": {"pc0": {"a": {"n": 123456789012345678901, "units": {"n": "words"}, "b": {"r": 0.1, "on": true}}}}}')
        s = statistics_of(read_statistics(pathlib.Path("s.json")))
        self.assertEqual(s["simulated_time_ps"], 9007199254740993)
        self.assertEqual(s.figure("pc0.a.n"), Figure("pc0.a.n", 123456789012345678901, "words"))
        self.assertEqual(list(s), ["simulated_time_ps", "picture.rays", "pc0.a.n", "pc0.a.b.r"])
        self.assertEqual(dict(s.below("pc0.a")), {"n": 123456789012345678901, "b.r": 0.1})
        self.assertEqual(dict(s.below("pc0.a.b")), {"r": 0.1})

    def test_the_end_of_one_path_will_do(self) -> None:
        s = Statistics([Figure("pc0.a.n", 1, ""), Figure("pc0.b.n", 2, ""), Figure("pc0.b.m", 3, "")])
        self.assertEqual(s["b.n"], 2)
        self.assertEqual(s["m"], 3)
        self.assertIn("m", s)
        self.assertNotIn("n", s)
        self.assertNotIn("0.b.m", s)  # ends at a dot only
        with self.assertRaisesRegex(KeyError, "2 figures.*pc0.a.n, pc0.b.n"):
            s["n"]
        with self.assertRaisesRegex(KeyError, "no such figure"):
            s["q"]

    def test_html_escapes(self) -> None:
        self.assertIn("<td>a&lt;b</td>", Statistics([Figure("a<b", 1, "")])._repr_html_())


class Pictures(Case):
    ROWS = [bytes((7 * x * x + 31 * y + 3 * c) & 255 for x in range(5) for c in range(3)) for y in range(5)]

    def png(self, depth: int = 8, colour: int = 2) -> bytes:
        """Row y has filter y, applied as the standard says."""
        out, above = b"", bytes(15)
        for kind, row in enumerate(self.ROWS):
            out += bytes([kind])
            for i, byte in enumerate(row):
                a, b, c = (row[i - 3] if i > 2 else 0), above[i], (above[i - 3] if i > 2 else 0)
                paeth = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
                out += bytes([(byte - [0, a, b, (a + b) >> 1, paeth][kind]) & 255])
            above = row
        packed = zlib.compress(out)
        parts = [(b"IHDR", struct.pack(">IIBBBBB", 5, 5, depth, colour, 0, 0, 0)), (b"tEXt", b"k\0v"), (b"IDAT", packed[:9]),
                 (b"IDAT", packed[9:]), (b"IEND", b"")]
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)

    def test_every_filter(self) -> None:
        pathlib.Path("a.png").write_bytes(self.png())
        self.assertEqual(read_picture("a.png"), Picture(5, 5, b"".join(self.ROWS)))

    def test_files_come_back(self) -> None:
        picture = Picture(5, 5, b"".join(self.ROWS))
        for name in ("a.png", "a.ppm"):
            picture.save(name)
            self.assertEqual(read_picture(name), picture)
        self.assertEqual(picture.pixel(2, 1), tuple(self.ROWS[1][6:9]))
        with self.assertRaises(IndexError):
            picture.pixel(5, 0)
        with self.assertRaisesRegex(ValueError, "'.gif', expected .png or .ppm"):
            picture.save("a.gif")

    def test_a_ppm_may_begin_with_white_space_of_its_own(self) -> None:
        pathlib.Path("a.ppm").write_bytes(b"P6\n1 2\n255\n\n \t\r\n ")
        self.assertEqual(read_picture("a.ppm").data, b"\n \t\r\n ")

    def test_others_are_refused(self) -> None:
        good = self.png()
        for name, data in {"empty": b"", "text": b"hello", "cut": good[:60], "grey": self.png(colour=0), "deep": self.png(depth=16),
                           "short": b"P6\n2 2\n255\nxx", "wide": b"P6\n1 1\n65535\nxxxxxx", "damaged": good[:-30] + b"zz" + good[-28:]}.items():
            pathlib.Path(name).write_bytes(data)
            with self.subTest(name), self.assertRaisesRegex(ValueError, f"^{name}: .*expected a PNG or P6"):
                read_picture(name)


class HitTables(Case):
    def test_another_file_is_refused(self) -> None:
        pathlib.Path("a.csv").write_text("a,b\n1,2\n")
        with self.assertRaisesRegex(ValueError, "^a.csv:1: found 'a,b'"):
            read_hits(pathlib.Path("a.csv"))


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Frames(Case):
    def test_whole_numbers_survive_gaps_and_size(self) -> None:
        frame = frame_of([(1, 2**60 + 1, 2**60 + 1), (None, 5, 0.5)], ["gap", "large", "mixed"])
        self.assertEqual(str(frame["gap"].dtype), "Int64")
        self.assertEqual(frame["large"][0], 2**60 + 1)
        self.assertEqual(frame["mixed"][0], 2**60 + 1)


class NoPandas(Case):
    def test_says_what_to_install(self) -> None:
        import sys
        from unittest import mock
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(ImportError, "apt install python3-pandas"):
            frame_of([], [])
