#!/usr/bin/env python3
"""Normals that firmware finds: the records of examples/records with three words of a normal in each result, and every pixel
of pictures that show them against a closed form.

usage: normals_test.py BIN_DIR EXAMPLE_DIR FIRMWARE_DIR
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

from follow_readme_test import Scene, dot, sub, unit

BIN, EXAMPLE, FIRMWARE = "", "", ""

# What the example's firmware gets besides: file, text, what stands there instead. At a nearer hit of an ellipsoid the
# point of the unit ball, t D' - l', is the gradient in the ball's space. At other hits it is of the ellipsoid before,
# and the host does not look at it.
CHANGES = (
    ("protocol.inc", "RESULT_WORDS    .set    3", "RESULT_WORDS    .set    6"),
    ("traverse.asm", "        BCD     sphere\n", "        BCD     declared\n"),
    ("traverse.asm", "        BND     next                    ; the line passes the sphere\n",
     "half_chord:\n        BND     next\n"),
    ("traverse.asm", "take:   STI     R1,@element\n        STI     R1,@tie\n",
     "take:   STI     R1,@element\n        STI     R1,@tie\n        LDI     @p_local,AR5\n        LDI     @p_normal,AR6\n"
     "        LDI     2,RC\n        RPTB    point\n        MPYF3   *AR5++(1),R2,R1\n        SUBF3   *AR5++(1),R1,R1\n"
     "point:  STF     R1,*AR6++(1)\n"),
    ("chain.asm", "        LDI     @element,R0\n        STI     R0,*AR4++(1)%\n",
     "        LDI     @element,R0\n        STI     R0,*AR4++(1)%\n        LDI     @p_normal,AR6\n        LDI     2,RC\n"
     "        RPTB    word\n        LDI     *AR6++(1),R0\nword:   STI     R0,*AR4++(1)%\n"),
    # Six words of the node's own are in it when the first of the neighbour's comes.
    ("data.asm", "RING_WORDS      .set    7 ", "RING_WORDS      .set    15 "),
    ("data.asm", "        .align  8\nring:           .space  8 ", "        .align  16\nring:           .space  16 "),
    ("ellipsoid.asm", "        LDI     @tested,R0\n        ADDI    1,R0\n        STI     R0,@tested              ; the result's own word\n", ""),
    ("ellipsoid.asm", "tested:         .word   0               ; records of this kind since the go\n",
     "p_normal:       .word   normal\nnormal:         .float  0.0, 0.0, 0.0\n"),
    ("tigershark.asm", '        .include "data.asm"', '        .include "ellipsoid.asm"\n        .include "data.asm"'),
)

# Shows the normal, whatever lights it.
SHADER = "sl 1.0\nli s0, 0.5\nmul r0, N, s0\nadd v0, r0, C0\n"

CAMERA = "w 32\nh 24\nb .25 .5 .75\ne .4 1.1 4.2\nlo 0 0 0\nu 0 1 0\n"
BACKGROUND = [.25, .5, .75]
ELLIPSOIDS = """\
implicit ball.sdf at -1.4 .7 0 scale 1.1 .4 .6 turn 20 30 40
implicit ball.sdf at 1.3 .8 -.5 scale .5 1 .8 turn -35 10 70
implicit ball.sdf at -.9 -1.2 .6 scale .9 .35 .35 turn 0 -50 25
implicit ball.sdf at 1.2 -1 .2 scale .3 .9 1.2 turn 65 0 -20
"""
BALLS = """\
implicit ball.sdf at -1.2 .6 0 scale 1 1 1
implicit ball.sdf at 1.2 -.5 .3 scale .8 .8 .8
"""


class Normals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        for name in ("ball.sdf", "ellipsoid.asm", "ellipsoid.json"):
            shutil.copy(os.path.join(EXAMPLE, name), cls.folder)
        mine = os.path.join(cls.folder, "mine")
        shutil.copytree(FIRMWARE, mine)
        shutil.copy(os.path.join(EXAMPLE, "ellipsoid.asm"), mine)
        for name, text, instead in CHANGES:
            with open(os.path.join(mine, name), encoding="utf-8") as file:
                whole = file.read()
            assert whole.count(text) == 1, (name, text)
            with open(os.path.join(mine, name), "w", encoding="utf-8") as file:
                file.write(whole.replace(text, instead))
        subprocess.run([os.path.join(BIN, "c32-as"), "-o", "../normals.coff", "tigershark.asm"], cwd=mine, check=True, timeout=60)
        cls.put("normals.sl", SHADER)
        cls.layout("object", "object", "xyz")
        cls.layout("turned", "object", "zxy")
        cls.layout("world", "world", "zxy")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def put(cls, name, text):
        with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def layout(cls, name, space, parts):
        """The example's records; the result's words are `parts` of a normal in that space."""
        with open(os.path.join(EXAMPLE, "ellipsoid.json"), encoding="utf-8") as file:
            text = "\n".join(line.split("//")[0] for line in file.read().splitlines())
        layout = json.loads(text)
        layout["result"] = [{"name": "n" + p, "format": "single", "use": "normal." + p} for p in parts]
        layout["normal_space"] = space
        cls.put(name + ".json", json.dumps(layout))

    def picture(self, layout, *more):
        """Light of each pixel, rows from the top."""
        done = subprocess.run([os.path.join(BIN, "platform"), "s.shk", "--depth", "1", "--no-progress", "-o", "s.pfm", "--dsps", "8", "--set",
                               "tigershark.firmware=normals.coff", "--set", "tigershark.records=%s.json" % layout, *more], cwd=self.folder,
                              capture_output=True, text=True, timeout=280)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, "s.pfm"), "rb") as file:
            kind, size, scale, pixels = file.read().split(b"\n", 3)
        self.assertEqual((kind, size, float(scale) < 0), (b"PF", b"32 24", True))
        numbers = struct.unpack("<%df" % (32 * 24 * 3), pixels)
        rows = [[numbers[3 * (y * 32 + x):][:3] for x in range(32)] for y in range(24)]
        return rows[::-1]

    def scene(self, head, shapes):
        self.put("s.shk", CAMERA + head + shapes)
        return Scene(os.path.join(self.folder, "s.shk"))

    def compare(self, scene, picture, colour=None, change=lambda gradient: gradient):
        """`colour` makes a pixel's of normal, point and ray; without, it shows the normal. `change`: what the words of a layout make
        of a gradient. Returns how many show a surface."""
        colour = colour or (lambda n, _, ray: [.5 + .5 * c for c in self.towards(n, ray)])
        shown, outline = 0, 0
        for y in range(24):
            for x in range(32):
                expected, closest = scene.nearest(x, y, 32, 24)
                wanted = BACKGROUND
                if expected:
                    t, number = expected
                    ray = scene.ray(x, y, 32, 24)
                    point = [e + t * d for e, d in zip(scene.camera["e"], ray)]
                    wanted = colour(scene.shapes[number].normal(point, change), point, ray)
                worst = max(abs(a - b) for a, b in zip(picture[y][x], wanted))
                # The root of a small discriminant loses half of 24 bits.
                if closest < 1e-3:
                    outline += 1
                    continue
                self.assertLess(worst, 1e-4, "pixel %d,%d: found %s, expected %s" % (x, y, picture[y][x], wanted))
                shown += expected is not None
        self.assertLessEqual(outline, 4)
        return shown

    @staticmethod
    def towards(normal, ray):
        return normal if dot(normal, ray) <= 0 else [-n for n in normal]

    def test_ellipsoids_by_every_unit_that_shades(self):
        scene = self.scene("surface normals C0 [.5 .5 .5]\n", ELLIPSOIDS)
        for who in ("host", "sl", "tigershark"):
            self.assertGreater(self.compare(scene, self.picture("object", "--shade", who)), 150)

    def test_the_normal_is_the_firmwares(self):
        """Its words in another order are another normal, and nothing of the tape's is left: of the object and of the world."""
        def turned(n):  # words z, x, y of the layout hold x, y, z
            return [n[1], n[2], n[0]]

        show = "surface normals C0 [.5 .5 .5]\n"
        ellipsoids = self.scene(show, ELLIPSOIDS)
        self.assertGreater(self.compare(ellipsoids, self.picture("turned"), change=turned), 150)
        balls = self.scene(show, BALLS)  # the gradient of a ball that is not turned is the world's
        self.assertGreater(self.compare(balls, self.picture("world"), change=turned), 100)

    def test_engines_pages_and_boards(self):
        """The normal is that of the page, or the board, that had the nearest hit."""
        behind = "".join("implicit ball.sdf at %g %g -2 scale .3 .2 .25 turn %d 0 %d\n" % (x * .7 - 1.75, y * .6 - 1.5, 20 * x, 30 * y)
                         for y in range(6) for x in range(6))
        scene = self.scene("surface normals C0 [.5 .5 .5]\n", ELLIPSOIDS + behind)
        pages = ["--set", "tigershark.sram_words=1024", "--stats", "s.json"]
        for more in (["--set", "array.engine=scalar"], pages, pages + ["--set", "tigershark.double_buffer=on"], ["--boards", "3"]):
            shown = self.compare(scene, self.picture("object", *more))
            self.assertGreater(shown, 200)
            if "--stats" in more:
                with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as file:
                    self.assertNotIn('"page_loads": 1,', file.read())

    def test_light_on_ellipsoids(self):
        """Phong's diffuse part and a highlight, by the host; ellipsoids apart from each other throw no shadow on one another."""
        light, colour, kdiff, kspec, exponent = [0, 9, 40], [.8, .6, .4], .7, .3, 12
        scene = self.scene("li 0 9 40 1 .9 .8\nm .8 .6 .4 .7 .3 0 12 0 0 1\n", ELLIPSOIDS)

        def lit(normal, point, ray):
            normal, to_light = self.towards(normal, ray), unit(sub(light, point))
            facing = dot(normal, to_light)
            if facing <= 0:
                return [0, 0, 0]
            mirrored = max(0, dot([2 * facing * n - l for n, l in zip(normal, to_light)], [-d for d in ray]))
            return [i * (c * kdiff * facing + kspec * mirrored ** exponent) for i, c in zip((1, .9, .8), colour)]

        self.assertGreater(self.compare(scene, self.picture("object"), lit), 150)


if __name__ == "__main__":
    BIN, EXAMPLE, FIRMWARE = (os.path.abspath(a) for a in sys.argv[1:4])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
