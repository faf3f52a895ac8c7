"""Claims that need no board: the 1996 program's own time, objects on a ray, arithmetic."""
import json
import subprocess

from lab import Finding, percent, rounded, table


def profile(lab):
    """TS-071 and TS-073, from the renderer without machines (renderer_profile.cpp)."""
    if not lab.check:
        text = subprocess.run([lab.bin / "renderer-profile", lab.root / "scenes"], check=True,
                              capture_output=True, text=True).stdout
        rows = [json.loads(line) for line in text.splitlines()]
        times = [r for r in rows if r["table"] == "time"]
        meets = [r for r in rows if r["table"] == "objects"]
        for r in rows:
            del r["table"]
        lab.write("renderer-time", times, "eye, shadow and secondary rays; processor time of one run")
        lab.write("renderer-objects", meets, "eye rays; reference renderer, double precision")
    return [_time(lab.read("renderer-time")), _objects(lab.read("renderer-objects"))]


def _time(t):
    side = t.rows[0]["side"]
    rows, seed, tree = [], {}, {}
    for r in t.rows:
        scene = r["scene"]
        seed[scene], tree[scene] = float(r["seed"]), float(r["hierarchy"])
        rows.append([scene, rounded(float(r["elements"]), 6), percent(seed[scene], 3),
                     percent(float(r["brute"]), 3), percent(tree[scene])])
    high = [s for s in seed if seed[s] > 0.95]
    least = min(seed, key=seed.get)
    verdict = (f"Confirmed for {len(high)} of {len(seed)} scenes ({', '.join(high)}) for that program, which tests every "
               f"triangle; the fewer there are, the more the renderer's own part shows ({least} {percent(seed[least], 3)}). ")
    verdict += (f"With a hierarchy of boxes the share falls to {percent(min(tree.values()))} to "
                f"{percent(max(tree.values()))}, so that a board which took all of it would speed the whole up by at "
                f"most {rounded(1 / (1 - max(tree.values())), 2)}.")
    return Finding(
        "TS-071", "Intersection is over 95 percent of the run time.",
        f"Renderer without machines on the host, {side}x{side}, depth 5, {len(rows)} scenes of triangles; "
        "processor time of one run, which differs by a percent or two from run to run, and another processor has other shares.",
        f"With the 1996 program's own rule (every triangle, board.md 5.4) {percent(min(seed.values()), 3)} to "
        f"{percent(max(seed.values()), 3)} of the time goes into looking for hits, with our rule "
        "and every element " + percent(min(float(r["brute"]) for r in t.rows), 3) + " to "
        + percent(max(float(r["brute"]) for r in t.rows), 3) + ".",
        verdict,
        table(["scene", "elements", "1996 rule, every triangle", "our rule, every element", "our rule, hierarchy"], rows)
        + "\nThe listing of the 1996 program is incomplete (shading is missing); its test is here as written, the rest is "
          "ours.\n")


def _objects(t):
    sides = list(dict.fromkeys(r["side"] for r in t.rows))
    last = [r for r in t.rows if r["side"] == sides[-1]]
    inside = [r for r in last if 2.5 <= float(r["mean"]) < 5.5]
    low, high = min(float(r["mean"]) for r in last), max(float(r["mean"]) for r in last)
    rows = []
    for r in last:
        first = next(x for x in t.rows if x["scene"] == r["scene"] and x["side"] == sides[0])
        rows.append([r["scene"], rounded(float(r["primitives"]), 6), percent(float(r["share"])), rounded(float(first["mean"])),
                     rounded(float(r["mean"])), r["most"], rounded(float(r["mean_all"]))])
    return Finding(
        "TS-073", "A ray typically meets only 3 to 5 objects.",
        f"Eye rays, {sides[0]}x{sides[0]} and {sides[-1]}x{sides[-1]}, {len(last)} scenes, reference renderer.",
        f"Primitives that an eye ray crosses, mean of the rays that meet any: {rounded(low)} to {rounded(high)} over "
        f"{len(last)} scenes.",
        f"{len(inside)} of {len(last)} scenes lie at 3 to 5, rounded; " +
        ("closed surfaces seen from outside give 2 to 3. " if low < 2.5 else "") +
        "The order of magnitude is right and does not grow with the scene.",
        table(["scene", "primitives", "rays that meet any", f"mean of those, {sides[0]}x{sides[0]}",
               f"{sides[-1]}x{sides[-1]}", "most", "mean of all rays"], rows))


def arithmetic(_lab):
    """TS-062, TS-069, TS-074: no run can say more than the text's own numbers."""
    product = 512 * 0.5e6
    none = "Arithmetic, no run."
    return [
        Finding("TS-062", "512 DSPs approach 10^9 tests a second.", none,
                f"512 x 0.5 million = {rounded(product)}.",
                f"Refuted by the text's own numbers, by a factor of {rounded(1e9 / product, 2)}."),
        Finding("TS-069", "AR250: 80 million tests a second and chip, almost 4 GFLOPS, about 4 times the FLOPS of a board of "
                "16 DSPs and ten times its triangle rate.", none,
                f"16 x 60 MFLOPS = {rounded(16 * 60)} MFLOPS, of which 4 GFLOPS are {rounded(4000 / 960, 2)} times; 80 "
                f"million over 16 x 0.5 million = {rounded(80 / 8)}; 64 chips: {rounded(64 * 80e6)} tests/s.",
                "Consistent with itself. The peak of the DSP counts two operations a cycle, which a test never keeps up "
                "(TS-060), so FLOPS say little here: the AR250 figures are its maker's, and no model of it exists."),
        Finding("TS-074", "Three orders of magnitude cheaper than systems of equal speed.", "No run, no arithmetic.",
                "Nothing: the claim compares prices of 1996.", "Not testable on a model."),
    ]
