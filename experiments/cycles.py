"""What one test of a ray against one element costs on the real firmware: TS-060, TS-061, TS-066, TS-070.

Cycles of a record come from scenes of our own in which one kind of record repeats: the walk of the longer of two such
scenes minus that of the shorter one, over the difference in records.
"""
import math
import random
import re
import subprocess

from lab import Finding, percent, rounded, table

CLOCK_HZ = 30e6  # H1 of the 60 MFLOPS part
CLAIMED = 0.5e6  # tests/s and DSP

# One ray, from (0,0,10) along -z, before any light or secondary ray.
CAMERA = "w 1\nh 1\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nm 1 1 1 0 0 1 1 0 0 1\n"


def triangle_at(x, z):
    return f"t {x - 3:f} -3 {z:f} {x + 3:f} -3 {z:f} {x:f} 3 {z:f}\n"


def sphere_at(x, z):
    return f"sphere {x:f} 0 {z:f} 1\n"


# In the scene first, so that the nearest is found before it, or each is nearer in its turn.
KINDS = [
    ("triangle, ray parallel to its plane", lambda i, n: "t 5 0 0  5 1 0  5 0 1\n"),
    ("triangle, ray outside an edge", lambda i, n: triangle_at(20, 0)),
    ("triangle behind the origin", lambda i, n: triangle_at(0, 20)),
    ("triangle hit, but not nearest", lambda i, n: triangle_at(0, 5 if i == 0 else 0)),
    ("triangle hit, nearest so far", lambda i, n: triangle_at(0, -50 + 50 * i / n)),
    ("sphere, ray outside", lambda i, n: sphere_at(20, 0)),
    ("sphere behind the origin", lambda i, n: sphere_at(0, 20)),
    ("sphere hit, nearest so far", lambda i, n: sphere_at(0, -50 + 50 * i / n)),
]
MISS, HIT, SPHERE_MISS, SPHERE_HIT = 1, 4, 5, 7


def record_cycles(lab):
    """H1 cycles of one record of each kind, fetches and barrier included."""
    short, long = 200, 1200
    scenes = []
    for k, (_, line) in enumerate(KINDS):
        for count in (short, long):
            scenes.append(lab.own_scene(f"record{k}-{count}.shk",
                                        CAMERA + "".join(line(i, count) for i in range(count))))
    t = lab.sweep("record-cycles", [str(s) for s in scenes],
                  {"tigershark.dsps": "1", "tigershark.vote": "off", "render.depth": "1"},
                  {"walk": "array.walk_cycles"})
    return [(t.at("walk", scene=scenes[2 * k + 1].name) - t.at("walk", scene=scenes[2 * k].name)) / (long - short)
            for k in range(len(KINDS))]


# ---- the 1996 routine (triangle1996.asm)


def ti(x):
    """A number as a single-precision word of the C32."""
    if x == 0:
        return 0x80000000
    m, e = math.frexp(abs(x))
    e, f = e - 1, m * 2
    if x > 0:
        q = round((f - 1) * 2**23)
        if q == 2**23:
            q, e = 0, e + 1
        return (e & 255) << 24 | q
    if f == 1:
        e, f = e - 1, 2.0
    q = round((2 - f) * 2**23)
    return (e & 255) << 24 | 0x800000 | min(q, 2**23 - 1)


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def rule1996(d, p, v):
    """(what happens, t, normal, d of the plane) in double precision, board.md 5.4."""
    n = cross(sub(v[1], v[0]), sub(v[2], v[1]))
    length = math.sqrt(dot(n, n))
    n = [x / length for x in n]
    plane = -dot(n, v[0])
    vd = dot(n, d)
    if vd == 0:
        return "parallel to its plane", None, n, plane
    t = -(dot(n, p) + plane) / vd
    if t <= 0.1:
        return "behind the origin", None, n, plane
    at = [q + t * r for q, r in zip(p, d)]
    sides = [cross(sub(v[a], at), sub(v[b], v[a])) for a, b in ((0, 1), (1, 2), (2, 0))]
    lengths = [math.sqrt(dot(s, s)) for s in sides]
    if min(lengths) < 1e-4:
        return "hit, by a short product", t, n, plane
    units = [[x / k for x in s] for s, k in zip(sides, lengths)]
    for a, b, what in ((0, 1, "outside, told by the first pair"), (1, 2, "outside, told by the second pair")):
        if any(abs(x - y) >= 0.1 for x, y in zip(units[a], units[b])):
            return what, None, n, plane
    return "hit, nearest so far", t, n, plane


def run1996(lab, program, d, p, v, n, plane):
    """(hit, t, cycles) of one test on the C32."""
    words = [ti(x) for x in n] + [ti(plane)] + [ti(x) for q in (0, 1, 2, 0) for x in v[q]]
    lines = [f"poke {0x2000 + i} {w}" for i, w in enumerate(words)]
    lines += [f"poke ray+{i} {ti(x)}" for i, x in enumerate(list(d) + list(p))]
    lines += ["set AR0 8192", "set AR1 ray", "break out", "break hit_end", "run", "cycle", "print $", "memf best"]
    commands = lab.scratch / "triangle1996.commands"
    commands.write_text("\n".join(lines) + "\n")
    out = subprocess.run([lab.bin / "c32-run", "--wait", "0", "--commands", commands, program], check=True,
                         capture_output=True, text=True).stdout.splitlines()
    # Two lines of breakpoints that were set, the one that was met, its source line; then the answers in order.
    hit = "hit_end" in next(line for line in out[2:] if line.startswith("breakpoint"))
    cycles = next(int(line) for line in out[3:] if line.strip().isdigit())
    best = next(line for line in out[3:] if re.fullmatch(r"[0-9a-f]{6}  [0-9a-f]{8}  \S+", line))
    return hit, float(best.split()[2]), cycles


CASES = [
    ("parallel to its plane", [0, 0, -1], [1, 1, 50], [[0, 0, 0], [0, 5, 0], [0, 0, 5]]),
    ("behind the origin", [0, 0, -1], [10, 10, -50], [[0, 0, 0], [30, 0, 0], [0, 30, 5]]),
    ("outside, told by the first pair", [0, 0, -1], [10, -10, 50], [[0, 0, 0], [30, 0, 0], [0, 30, 5]]),
    ("outside, told by the second pair", [0, 0, -1], [-10, 10, 50], [[0, 0, 0], [30, 0, 0], [0, 30, 5]]),
    ("hit, by a short product", [0, 0, -1], [10, 0, 50], [[0, 0, 0], [30, 0, 0], [0, 30, 0]]),
    ("hit, nearest so far", [0, 0, -1], [10, 10, 50], [[0, 0, 0], [30, 0, 0], [0, 30, 5]]),
]


def cycles1996(lab):
    """Cycles of each way through the routine, after it agreed with the rule on random triangles."""
    if lab.check:
        return lab.read("triangle-1996")
    program = lab.scratch / "triangle1996.coff"
    subprocess.run([lab.bin / "c32-as", "-o", program, lab.root / "experiments/triangle1996.asm"], check=True)
    rows = []
    for name, d, p, v in CASES:
        what, t, n, plane = rule1996(d, p, v)
        hit, at, cycles = run1996(lab, program, d, p, v, n, plane)
        if what != name or hit != (t is not None) or (hit and abs(at - t) > 1e-5 * t):
            raise SystemExit(f"experiments: the 1996 routine: {name}: {what}, hit {hit} at {at}")
        rows.append({"case": name, "cycles": cycles})
    rng = random.Random(1996)
    for _ in range(60):
        v = [[rng.uniform(-30, 30) for _ in range(3)] for _ in range(3)]
        goal = [sum(v[k][i] for k in range(3)) / 3 + rng.uniform(-12, 12) for i in range(3)]
        p = [rng.uniform(-80, 80) for _ in range(3)]
        d = sub(goal, p)
        length = math.sqrt(dot(d, d))
        d = [x / length for x in d]
        what, t, n, plane = rule1996(d, p, v)
        hit, at, _ = run1996(lab, program, d, p, v, n, plane)
        if hit != (t is not None) or (hit and abs(at - t) > 1e-4 * t):
            raise SystemExit(f"experiments: the 1996 routine disagrees: {what} {t}, {hit} {at}: {d} {p} {v}")
    return lab.write("triangle-1996", rows, "c32-run, zero wait states, code in internal RAM, triangle in external memory, "
                     "without barrier; 60 random triangles agree with the rule in double precision")


# ---- findings


def rates(lab):
    cycles = record_cycles(lab)
    old = {r["case"]: float(r["cycles"]) for r in cycles1996(lab).rows}
    bunny = lab.sweep(
        "brute-force", "bunny.shk",
        {"tigershark.dsps": ["1", "16"], "render.size": ["8x8", "16x16", "32x32"], "render.depth": "1",
         "tigershark.vote": "off"},
        {"rays": "driver.rays_traced",
         "walking": "array.tests / array.walk_cycles * tigershark.clock_hz",
         "overall": "array.tests / driver.batches_ps * 1e12",
         "cycles": "array.walk_cycles / (array.barriers - driver.batches)",
         "skew": "array.arrival_skew / (tigershark.dsps * array.walk_cycles)",
         "elements": "scene.elements"})
    return [_one(cycles, old, bunny), _sixteen(lab, bunny)]


def _one(cycles, old, bunny):
    size = bunny.values("size")[-1]
    mean = bunny.at("walking", dsps=1, size=size)
    seed_hit = old["hit, nearest so far"]
    seed_miss = [old["outside, told by the first pair"], old["outside, told by the second pair"]]
    rows = [[KINDS[k][0], rounded(c), rounded(CLOCK_HZ / c)] for k, c in enumerate(cycles)]
    rows += [[f"1996 routine: {name}", rounded(c), rounded(CLOCK_HZ / c)] for name, c in old.items()]
    return Finding(
        "TS-060",
        "Half a million ray-triangle tests a second and DSP, from a worst case of 100 instructions at 60 MFLOPS.",
        f"One DSP; single records of scenes of our own; bunny, eye and shadow rays, boxes off, "
        f"{size}: {rounded(bunny.at('rays', dsps=1, size=size), 6)} rays.",
        f"Shipped routine, fetches and barrier included: a miss takes {rounded(cycles[MISS])} cycles "
        f"({rounded(CLOCK_HZ / cycles[MISS])} tests/s), the nearest hit {rounded(cycles[HIT])} "
        f"({rounded(CLOCK_HZ / cycles[HIT])}); over bunny the mean is {rounded(mean)} tests/s. The 1996 program's own test, "
        f"written for the C32 as it stands: {rounded(seed_miss[0])} to {rounded(seed_miss[1])} cycles for a miss beside the "
        f"triangle, {rounded(seed_hit)} for the nearest hit ({rounded(CLOCK_HZ / seed_hit)} tests/s), without barrier.",
        (f"The rate is reached ({percent(mean / CLAIMED, 3)} of it on average) by a test that the text does not have: one that "
         "divides only for hits. " if mean >= 0.95 * CLAIMED else "Not reached. ") +
        f"With the 1996 test a ray that meets the plane in front of it costs {rounded(min(seed_miss) / 100, 2)} to "
        f"{rounded(seed_hit / 100, 2)} times the 100 instructions assumed, and 60 MFLOPS are 30 million instructions a second. The shipped test's cycles include the "
        "4 of the barrier's release, a guess of ours (TS-061).",
        table(["record", "H1 cycles", "tests/s and DSP"], rows) +
        "\nThe C32 has no division and no square root: Newton steps from a seed of complemented bits. The 1996 test divides "
        "for every plane in front and normalises three vectors for every point on it. Its assembly "
        "(`experiments/triangle1996.asm`) is straight-line code of ours, checked against the rule; delayed branches and "
        "parallel instructions would save cycles, but the three roots alone take about 100.\n")


def _sixteen(lab, bunny):
    sizes = bunny.values("size")
    last = sizes[-1]
    one, tests = bunny.at("walking", dsps=1, size=last), bunny.at("walking", dsps=16, size=last)
    overall = bunny.at("overall", dsps=16, size=last)
    cycles = ["4", "8", "16", "32"]
    release = lab.sweep("release-cycles", "bunny.shk",
                        {"tigershark.release_cycles": cycles, "tigershark.dsps": "16", "render.size": "32x32",
                         "render.depth": "1", "tigershark.vote": "off"},
                        {"walking": "array.tests / array.walk_cycles * tigershark.clock_hz"})
    at = {c: release.at("walking", release_cycles=c) for c in cycles}
    rows = [[s, rounded(bunny.at("rays", dsps=16, size=s), 6), rounded(bunny.at("walking", dsps=1, size=s)),
             rounded(bunny.at("walking", dsps=16, size=s)), rounded(bunny.at("overall", dsps=16, size=s))] for s in sizes]
    return Finding(
        "TS-061", "A board of 16 DSPs: 8 million tests a second.",
        f"Bunny ({rounded(bunny.at('elements', dsps=16, size=last), 6)} triangles), boxes off, eye and shadow rays, {last}: "
        f"{rounded(bunny.at('rays', dsps=16, size=last), 6)} rays; 4 cycles from the last arrival to the release.",
        f"{rounded(tests)} tests/s while walking, {rounded(overall)} with loading and sending over the chain; one DSP alone "
        f"{rounded(one)}. Lanes wait {percent(bunny.at('skew', dsps=16, size=last))} of the walk for the slowest of them.",
        (f"Confirmed within 5 % for the walk ({percent(tests / 8e6, 3)} of 8 million)" if tests >= 0.95 * 8e6 else
         f"Not reached ({percent(tests / 8e6, 3)} of 8 million while walking)") +
        f"; {percent(overall / 8e6)} with the chain. Lockstep, blocked rays and empty lanes cost {percent(1 - tests / (16 * one))} against 16 single "
        f"DSPs. It rests on a guess of ours, the 4 cycles of the barrier's release: 8 cycles would give {rounded(at['8'])}, "
        f"16 cycles {rounded(at['16'])} tests/s (32x32); with fewer than 4 the shipped firmware's accesses come too late for the "
        "barrier.",
        table(["picture", "rays", "1 DSP, walking", "16 DSPs, walking", "16 DSPs, with the chain"], rows) + "\n" +
        table(["release, cycles"] + cycles, [["tests/s, 16 DSPs, walking, 32x32"] + [rounded(at[c]) for c in cycles]]))


def record_sizes(lab):
    scenes = ["bunny.shk", "teapot.shk", "cornell.shk", "spd_tetra_4.shk", "spd_balls_2.nff", "spd_balls_4.nff",
              "spd_mount_3.nff"]
    t = lab.sweep("record-sizes", scenes,
                  {"tigershark.vote": ["on", "off"], "render.size": "1x1", "render.depth": "1", "tigershark.dsps": "1"},
                  {"words": "driver.page_words / scene.elements", "elements": "scene.elements"})
    most = max(t.at("words", scene=s, vote="on") for s in scenes)
    rows = [[s, rounded(t.at("elements", scene=s, vote="on"), 6), rounded(t.at("words", scene=s, vote="off")),
             rounded(t.at("words", scene=s, vote="on"))] for s in scenes]
    return [Finding(
        "TS-066", "Up to 50 words a primitive.", "Databases of seven scenes; no picture matters.",
        f"Triangle 10 words, sphere 5, box 8; with its share of the boxes at most {rounded(most)} words an element over "
        "these scenes.",
        f"Generous: ten words do for a triangle, {rounded(most, 2)} with its share of the boxes. (The 1996 program's own "
        "structure has 24 to 30.)",
        table(["scene", "elements", "words each, no boxes", "words each, with boxes"], rows))]


def spheres(lab):
    cycles = record_cycles(lab)
    sizes, segments = ["24x24", "64x64"], ["11", "23", "45"]
    t = lab.sweep("spheres", "spd_balls_2.nff",
                  {"scene.tessellate": ["needed", "all"], "scene.segments": segments, "render.size": sizes,
                   "render.depth": "1", "tigershark.dsps": "16"},
                  {"rays": "driver.rays_traced",
                   "walk": "array.walk_cycles / tigershark.clock_hz * 1e6 * 16 / driver.rays_traced",
                   "triangles": "scene.triangles", "spheres": "scene.spheres"})
    last = sizes[-1]
    native = {s: t.at("walk", tessellate="needed", segments=11, size=s) for s in sizes}
    count = t.at("spheres", tessellate="needed", segments=11, size=last)
    flat = t.at("triangles", tessellate="needed", segments=11, size=last)
    ours = 16 * CLOCK_HZ / cycles[SPHERE_MISS]
    rows, least = [["as spheres"] + [rounded(native[s]) for s in sizes] + ["1", "-", "-"]], math.inf
    for n in segments:
        each = (t.at("triangles", tessellate="all", segments=n, size=last) - flat) / count
        walk = {s: t.at("walk", tessellate="all", segments=n, size=s) for s in sizes}
        theirs = 80e6 / each
        least = min(least, ours / theirs)
        rows.append([f"{rounded(each, 4)} triangles a sphere"] + [rounded(walk[s]) for s in sizes] +
                    [rounded(walk[last] / native[last]), rounded(theirs), rounded(ours / theirs)])
    factors = [t.at("walk", tessellate="all", segments=n, size=last) / native[last] for n in segments]
    return [Finding(
        "TS-070",
        "Sphere tests are cheaper than triangle tests; AR250 needs hundreds of triangles a sphere, so TigerSHARK is ten times "
        "faster on spheres.",
        f"Single records; spd_balls_2, 16 DSPs, eye and shadow rays, {last}: "
        f"{rounded(t.at('rays', tessellate='needed', segments=11, size=last), 6)} rays. The AR250 side is arithmetic with its "
        "maker's 80 million triangles a second.",
        f"Missed: {rounded(cycles[SPHERE_MISS])} cycles against {rounded(cycles[MISS])} for a triangle; hit: "
        f"{rounded(cycles[SPHERE_HIT])} against {rounded(cycles[HIT])}. 16 DSPs that test spheres only, by brute force, would "
        f"make {rounded(ours)} sphere tests/s (arithmetic), AR250 {rounded(80e6 / 320)} spheres of 320 triangles.",
        ("Confirmed: cheaper, " if cycles[SPHERE_MISS] < cycles[MISS] and cycles[SPHERE_HIT] < cycles[HIT] else
         "Not confirmed: ") +
        f"and at least {rounded(least, 2)} times faster than AR250 by brute force, {rounded(least * cycles[SPHERE_MISS] / (cycles[SPHERE_MISS] + 12), 2)} if the "
        "barrier's release took 16 cycles instead of the 4 that we guess (TS-061). With a hierarchy tessellation costs this "
        f"machine itself a factor of {rounded(min(factors))} to {rounded(max(factors))} (spd_balls_2, {last}).",
        table(["spd_balls_2, us a ray and DSP, walking"] + sizes + ["against spheres", "AR250 spheres/s", "16 DSPs / AR250"],
              rows))]
