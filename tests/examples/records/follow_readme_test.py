#!/usr/bin/env python3
"""The example of a record type of one's own: its README to the letter, and every hit against a closed form.

usage: follow_readme_test.py BIN_DIR EXAMPLE_DIR FIRMWARE_DIR
"""

import csv
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN, EXAMPLE, FIRMWARE = "", "", ""
OURS = ["--set", "tigershark.firmware=ellipsoid.coff", "--set", "tigershark.records=ellipsoid.json"]


def lines_of(name):
    with open(name, encoding="utf-8") as file:
        return file.read().splitlines()


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(dot(a, a))
    return [x / length for x in a]


class Scene:
    """The example's scene, read and hit by arithmetic of its own, in double precision."""

    def __init__(self, name):
        self.shapes, self.camera = [], {}
        for line in lines_of(name):
            word, *rest = line.split() or ["#"]
            if word in ("e", "lo", "u"):
                self.camera[word] = [float(x) for x in rest]
            elif word == "t":
                self.shapes.append(self.triangle([float(x) for x in rest]))
            elif word == "sphere":
                x, y, z, r = (float(v) for v in rest)
                self.shapes.append(self.ellipsoid([x, y, z], [r, r, r], [0, 0, 0]))
            elif word == "implicit":
                said = re.match(r"ball.sdf at (\S+ \S+ \S+) scale (\S+ \S+ \S+)(?: turn (\S+ \S+ \S+))?$", " ".join(rest))
                at, scale, turn = ([float(x) for x in (g or "0 0 0").split()] for g in said.groups())
                self.shapes.append(self.ellipsoid(at, scale, turn))

    @staticmethod
    def ellipsoid(at, scale, turn):
        """Shape: t of a ray, by the textbook's quadratic in the ball's space, or None; and its normal at a point."""
        (cx, sx), (cy, sy), (cz, sz) = ((math.cos(math.radians(a)), math.sin(math.radians(a))) for a in turn)

        def into(d):  # undo z, then y, then x, then the scale
            d = [cz * d[0] + sz * d[1], -sz * d[0] + cz * d[1], d[2]]
            d = [cy * d[0] - sy * d[2], d[1], sy * d[0] + cy * d[2]]
            d = [d[0], cx * d[1] + sx * d[2], -sx * d[1] + cx * d[2]]
            return [x / s for x, s in zip(d, scale)]

        def hit(p, d):
            o, v = into(sub(p, at)), into(d)
            a, b, c = dot(v, v), dot(o, v), dot(o, o) - 1
            square = b * b - a * c
            if square < 0:
                return None, square
            near, far = (-b - math.sqrt(square)) / a, (-b + math.sqrt(square)) / a
            return (near if near > 0 else far if far > 0 else None), square

        # The gradient of |into(p - at)|^2, by the chain rule: into() is linear.
        axes = [into(axis) for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
        hit.normal = lambda p, change=lambda gradient: gradient: unit([dot(change(into(sub(p, at))), axis) for axis in axes])
        return hit

    @staticmethod
    def triangle(v):
        v0, e1, e2 = v[0:3], sub(v[3:6], v[0:3]), sub(v[6:9], v[0:3])

        def hit(p, d):
            h = cross(d, e2)
            det = dot(e1, h)
            if det == 0:
                return None, 1
            s = sub(p, v0)
            u, q = dot(s, h) / det, cross(s, e1)
            w, t = dot(d, q) / det, dot(e2, q) / det
            return (t if u >= 0 and w >= 0 and u + w <= 1 and t > 0 else None), 1

        return hit

    def ray(self, x, y, width, height):
        """Direction of the ray through a pixel's centre."""
        eye = self.camera["e"]
        forward = unit(sub(self.camera["lo"], eye))
        right = unit(cross(forward, unit(self.camera["u"])))
        up = cross(right, forward)
        a, b = (x + 0.5) / width - 0.5, 0.5 - (y + 0.5) / height
        return unit([f + a * r + b * u for f, r, u in zip(forward, right, up)])

    def nearest(self, x, y, width, height):
        eye, ray = self.camera["e"], self.ray(x, y, width, height)
        found, closest = [], 1.0
        for number, shape in enumerate(self.shapes):
            t, square = shape(eye, ray)
            closest = min(closest, abs(square))
            if t is not None:
                found.append((t, number))
        return min(found, default=None), closest


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.root = cls.temporary.name
        cls.folder = os.path.join(cls.root, "examples", "records")
        shutil.copytree(EXAMPLE, cls.folder)
        shutil.copytree(FIRMWARE, os.path.join(cls.root, "build", "release", "firmware", "tigershark"))
        cls.environment = dict(os.environ, PATH=BIN + os.pathsep + os.environ["PATH"])
        text = "\n".join(lines_of(os.path.join(cls.folder, "README.md"))) + "\n"
        cls.blocks = re.findall(r"```sh\n(.*?)```", text, re.S)
        # The large picture of the first block takes a minute; the size is the one thing that is not as printed.
        cls.shell(cls.blocks[0].replace("lilies.shk", "lilies.shk --size 24x18"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def shell(cls, commands):
        done = subprocess.run(["sh", "-ec", commands], cwd=cls.folder, env=cls.environment, capture_output=True, text=True,
                              timeout=280)
        if done.returncode != 0:
            raise AssertionError(commands + done.stdout + done.stderr)
        return done.stdout

    def platform(self, *arguments, scene="lilies.shk"):
        return subprocess.run([os.path.join(BIN, "platform"), scene, "--no-progress", *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=280)

    def hits(self, name, *more, size="24x18"):
        """Bytes of the picture and of the hits of a run with the example's firmware."""
        done = self.platform("--size", size, "-o", name + ".png", "--hits", name + ".csv", *OURS, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.contents(name + ".png"), self.contents(name + ".csv")

    def contents(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_the_other_commands_of_the_readme(self):
        self.assertIn("64x64", self.blocks[1])
        compared = self.shell(self.blocks[1].replace("64x64", "32x32"))
        self.assertIn("wrong primitive 0, wrong distance 0", compared)
        shown = self.shell(self.blocks[2])
        self.assertRegex(shown, r"[0-9a-f]{6}h  41[0-9a-f]{6}h  ellipsoid of element \d+\n")
        self.assertIn("  m_zz = ", shown)
        self.assertIn("time_ps,board,dsp,batch,pixel,kind,element,t,tested\n", shown)

    def test_every_pixel_against_the_closed_form(self):
        self.hits("closed", "--depth", "1", size="32x32")
        scene = Scene(os.path.join(self.folder, "lilies.shk"))
        rows = list(csv.DictReader(lines_of(os.path.join(self.folder, "closed.csv"))))
        self.assertEqual(len(rows), 1024)
        ellipsoids, grazing = 0, 0
        for row in rows:
            expected, closest = scene.nearest(int(row["x"]), int(row["y"]), 32, 32)
            number = int(row["prim"])
            if closest < 1e-4 and number != (expected[1] if expected else -1):
                grazing += 1  # an outline: 24 bits may decide otherwise
                continue
            self.assertEqual(number, expected[1] if expected else -1, row)
            if expected:
                self.assertAlmostEqual(float(row["t"]), expected[0], delta=1e-4 * expected[0], msg=row)
                ellipsoids += expected[1] >= 2
        self.assertGreater(ellipsoids, 150)
        self.assertLessEqual(grazing, 3)

    def test_engines_pages_boards_and_banks_find_the_same(self):
        plain = self.hits("plain")
        self.assertEqual(self.hits("scalar", "--set", "array.engine=scalar"), plain)
        self.assertEqual(self.hits("brute", "--set", "tigershark.vote=off"), plain)
        for name, more in {"pages": ["--set", "tigershark.sram_words=1024"], "boards": ["--boards", "3"],
                           "banks": ["--set", "tigershark.sram_words=1024", "--set", "tigershark.double_buffer=on"]}.items():
            self.assertEqual(self.hits(name, *more, "--stats", "s.json"), plain, name)
            with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as file:
                self.assertEqual('"page_loads": 1,' in file.read(), False, name)

    def test_shadows_and_reflections_are_the_references(self):
        """Both as PPM: a shadow that is missing, or a mirror that misses a petal, is many levels off."""
        for name, more in {"boards": OURS, "reference": ["--engine", "reference"]}.items():
            done = self.platform("--size", "32x24", "-o", name + ".ppm", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
        ours, theirs = self.contents("boards.ppm"), self.contents("reference.ppm")
        self.assertEqual(len(ours), len(theirs))
        far = sum(abs(a - b) > 3 for a, b in zip(ours, theirs))
        self.assertLess(far, len(ours) / 100)

    def test_the_result_words_count_what_each_ray_met(self):
        """Without boxes every ray meets every ellipsoid of its page, however they are spread."""
        done = self.platform("--size", "4x4", "--depth", "1", "-o", "n.png", *OURS, "--set", "tigershark.vote=off", "--set",
                             "tigershark.result_log=n.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(lines_of(os.path.join(self.folder, "n.csv"))))
        count = sum(line.startswith("implicit") for line in lines_of(os.path.join(self.folder, "lilies.shk")))
        self.assertEqual({row["tested"] for row in rows}, {str(count)})
        self.assertTrue({"nearest", "shadow"} >= {row["kind"] for row in rows})
        self.assertEqual(sorted({int(row["pixel"]) for row in rows}), list(range(16)))

    def test_log_and_dump_change_nothing(self):
        plain = self.hits("without", size="16x12")
        self.assertEqual(self.hits("with", "--set", "tigershark.result_log=l.csv", "--set", "tigershark.sram_dump=d.txt",
                                   size="16x12"), plain)

    def refused(self, part, *arguments, scene="lilies.shk"):
        done = self.platform("--size", "4x4", "-o", "no.png", *arguments, scene=scene)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(part, done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "no.png")))

    def test_refusals(self):
        with open(os.path.join(self.folder, "none.json"), "w", encoding="utf-8") as file:
            file.write('{"schema_version": 1,\n "records": 1}')
        self.refused("none.json:2: found", "--set", "tigershark.records=none.json")
        self.refused("missing.json", "--set", "tigershark.records=missing.json")
        with open(os.path.join(self.folder, "other.shk"), "w", encoding="utf-8") as file:
            file.write("implicit cube.sdf at 0 0 0\n")
        with open(os.path.join(self.folder, "cube.sdf"), "w", encoding="utf-8") as file:
            file.write(".bounds -1 -1 -1 1 1 1\nOPSDFSphere f(1) var\nOPStop var\n")
        self.refused("other.shk:1:1: found a surface of cube.sdf, expected one for which", *OURS, scene="other.shk")
        self.refused("expected it to be the only machine that finds hits", *OURS, "--machines", "tigershark,xphmg")
        for key in ("sram_dump", "result_log"):
            self.refused(f"tigershark.{key}: found 2 --hosts, expected 1", *OURS, "--set", f"tigershark.{key}=a.txt", "--hosts", "2")
        self.refused("tigershark.sram_dump: ", *OURS, "--set", "tigershark.sram_dump=no/such/folder")


if __name__ == "__main__":
    BIN, EXAMPLE, FIRMWARE = (os.path.abspath(a) for a in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
