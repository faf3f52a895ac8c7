"""How throughput grows with the array: TS-065, TS-067, TS-068, and what would have served better than more DSPs."""
from lab import Finding, percent, rounded, table

DSPS = ["1", "4", "16", "32", "128", "512"]
SIZES = ["32x32", "128x128", "256x256"]
BRUTE_SIZES = ["16x16", "32x32", "64x64"]

# Lane records: what the array spends, wasted or not. A lone ray's own tests over it are the useful share.
RECORDS = "tigershark.dsps * (array.barriers - driver.batches)"
USEFUL = f"first(array.tests + array.box_tests) / ({RECORDS})"
TIME = "driver.batches_ps / 1e12 * tigershark.clock_hz"
FIGURES = {
    "traced": "driver.rays_traced",
    "rays": "driver.rays_traced / driver.batches_ps * 1e12",
    "tests": "(array.tests + array.box_tests) / driver.batches_ps * 1e12",
    "useful": USEFUL,
    "each": "(array.tests + array.box_tests) / driver.rays_traced",
    "walk": f"array.walk_cycles / ({TIME})",
    "load": "pld.chain_words_in * 32 / tigershark.bit_clock_hz * 1e12 / driver.batches_ps",
    "send": "pld.chain_words_out * 32 / tigershark.bit_clock_hz * 1e12 / driver.batches_ps",
    "bus": f"array.broadcast_data_words / ({TIME})",
    "barrier": f"(array.arrival_skew / tigershark.dsps + array.barriers * tigershark.release_cycles) / ({TIME})",
    "pci": "pci.utilisation",
    "in": "pci_to_addon.master_words * 4 / driver.batches_ps * 1e12",
    "out": "addon_to_pci.master_words * 4 / driver.batches_ps * 1e12",
}


def runs(lab):
    plots = [{"title": "rays", "x": "tigershark.dsps", "y": ["rays"], "series": "render.size", "log_x": True, "log_y": True},
             {"title": "useful", "x": "tigershark.dsps", "y": ["useful"], "series": "render.size", "log_x": True}]
    with_boxes = lab.sweep("scaling", "bunny.shk",
                           {"tigershark.dsps": DSPS, "render.size": SIZES, "render.depth": "1", "tigershark.vote": "on"},
                           FIGURES, plots)
    brute = lab.sweep("scaling-brute-force", "bunny.shk",
                      {"tigershark.dsps": DSPS, "render.size": BRUTE_SIZES, "render.depth": "1", "tigershark.vote": "off"},
                      FIGURES)
    return with_boxes, brute


def scaling(lab):
    boxes, brute = runs(lab)
    return [_pci(boxes), _linear(boxes, brute)]


def _linear(boxes, brute):
    size, brute_size = SIZES[-1], BRUTE_SIZES[-1]

    def ratio(t, n, figure, s):
        return t.at(figure, dsps=n, size=s) / t.at(figure, dsps=1, size=s)

    useful = {n: boxes.at("useful", dsps=n, size=size) for n in DSPS}
    linear = ratio(brute, "512", "rays", brute_size) / 512
    rows = [[n] + [rounded(brute.at(f, dsps=n, size=brute_size)) for f in ("tests", "rays")] +
            [percent(brute.at("walk", dsps=n, size=brute_size)), rounded(boxes.at("tests", dsps=n, size=size)),
             rounded(boxes.at("rays", dsps=n, size=size)), percent(useful[n])] +
            [percent(boxes.at(f, dsps=n, size=size)) for f in ("walk", "load", "send", "bus", "barrier")] for n in DSPS]
    curve = [[n] + [percent(boxes.at("useful", dsps=n, size=s)) for s in SIZES] +
             [rounded(boxes.at("rays", dsps=n, size=s)) for s in SIZES] for n in DSPS]
    brute_curve = [[n] + [rounded(brute.at("rays", dsps=n, size=s)) for s in BRUTE_SIZES] for n in DSPS]
    walk, load, send = (boxes.at(f, dsps=512, size=size) for f in ("walk", "load", "send"))
    return Finding(
        "TS-067", "Throughput grows linearly to hundreds of DSPs.",
        f"One scene: bunny, eye and shadow rays; with boxes {size}, {rounded(boxes.at('traced', dsps=1, size=size), 6)} rays; "
        f"by brute force {brute_size}, {rounded(brute.at('traced', dsps=1, size=brute_size), 6)} rays. Another scene has "
        "another number of tests a ray, hence another balance of walk and chain.",
        f"512 DSPs against one: brute force {rounded(ratio(brute, '512', 'rays', brute_size))} times the rays "
        f"({rounded(ratio(brute, '512', 'rays', BRUTE_SIZES[-2]))} at {BRUTE_SIZES[-2]}); with boxes "
        f"{rounded(ratio(boxes, '512', 'tests', size))} times the tests but {rounded(ratio(boxes, '512', 'rays', size))} times "
        f"the rays (16 DSPs: {rounded(ratio(boxes, '16', 'rays', size))} times). Useful tests: {percent(useful['16'])} at 16 "
        f"DSPs, {percent(useful['32'])} at 32, {percent(useful['512'])} at 512.",
        ("Confirmed for brute force" if linear > 0.8 else "Only in part for brute force") +
        f" ({percent(linear)} of linear at 512, where the walk takes {percent(brute.at('walk', dsps=512, size=brute_size))} of the time"
        f"). Refuted with boxes, for this scene: {rounded(boxes.at('rays', dsps=512, size=size))} rays/s at 512 DSPs, "
        f"{rounded(boxes.at('rays', dsps=16, size=size))} at 16. At 512 the walk takes {percent(walk)} of the time, loading "
        f"rays over the chain {percent(load)}, sending results {percent(send)}.",
        f"`walk`, `loading` and `sending` are shares of a batch's time; the rest is latency of the chain, the host and PCI. "
        "`bus` is a part of the walk; `barrier` is waiting for the slowest lane and for the release, also at the barrier that ends "
        "loading, so it can exceed the walk. `useful`: tests of the "
        "same rays one by one over records times lanes; lanes without a ray and blocked rays count as useless. Tests with "
        "boxes are box tests and primitive tests.\n\n" +
        table(["DSPs", f"tests/s, brute force, {brute_size}", "rays/s", "walk", f"tests/s, boxes, {size}", "rays/s", "useful",
               "walk", "loading", "sending", "bus", "barrier"], rows) +
        "\nThe same against the size of the picture: with boxes the useful share keeps growing, because neighbouring rays come "
        "closer to each other; rays/s change far less. Brute force depends on the size by its last batch only.\n\n" +
        table(["DSPs"] + [f"useful, {s}" for s in SIZES] + [f"rays/s, {s}" for s in SIZES], curve) + "\n" +
        table(["DSPs"] + [f"rays/s, brute force, {s}" for s in BRUTE_SIZES], brute_curve),
        [("scaling-rays.svg", "Rays a second against DSPs, with boxes, one line a size"),
         ("scaling-useful.svg", "Useful share of the tests against DSPs, one line a size")])


def _pci(boxes):
    size = SIZES[-1]
    rows = [[n, rounded(boxes.at("in", dsps=n, size=size) / 1e3), rounded(boxes.at("out", dsps=n, size=size) / 1e3),
             percent(boxes.at("pci", dsps=n, size=size))] for n in DSPS]
    most = max(boxes.at("pci", dsps=n, size=size) for n in DSPS)
    return Finding(
        "TS-065", "PCI bandwidth suffices for 512 processors.",
        f"Bunny, boxes, eye and shadow rays, {size}, one board, a database that fits (no refresh).",
        f"With 512 DSPs {rounded(boxes.at('in', dsps=512, size=size) / 1e6)} MB/s to the board and "
        f"{rounded(boxes.at('out', dsps=512, size=size) / 1e6)} MB/s back; the bus is busy "
        f"{percent(boxes.at('pci', dsps=512, size=size))} of the time, start-up included.",
        ("Confirmed" if most < 0.5 else "Refuted") +
        ": the chain cannot ask for more, since it carries 1.4 MB/s at most. Refresh is TS-063.",
        table(["DSPs", "kB/s in", "kB/s out", "PCI busy"], rows))


# ---- TS-068

COHERENT = ["1", "16", "32", "512"]
SCENES = ["bunny.shk", "spd_tetra_4.shk", "spd_mount_3.nff"]
ORDERS = ["hilbert", "tiles", "scanline"]
# Larger pictures for what the claim is about, 16 and 32 nodes; 512 for one scene, at the largest size.
LARGE = ["384x384", "512x512"]
LARGE_COHERENT = COHERENT[:3]


def coherence_runs(lab):
    figures = {"useful": USEFUL, "each": FIGURES["each"], "traced": "driver.rays_traced"}
    base = {"render.depth": "1"}
    sizes = lab.sweep("coherence-sizes", SCENES, {"tigershark.dsps": COHERENT, "render.size": SIZES, **base}, figures)
    large = lab.sweep("coherence-large", SCENES,
                      {"tigershark.dsps": LARGE_COHERENT, "render.size": LARGE, **base}, figures)
    most = lab.sweep("coherence-most", SCENES[0],
                     {"tigershark.dsps": [COHERENT[0], COHERENT[-1]], "render.size": LARGE[-1], **base}, figures)
    orders = lab.sweep("coherence-orders", SCENES,
                       {"tigershark.dsps": COHERENT, "render.order": ORDERS, "render.size": "64x64", **base}, figures)
    many = lab.sweep("coherence-samples", SCENES,
                     {"tigershark.dsps": COHERENT, "render.size": "256x256", "render.crop": ["120,120,16,16"],
                      "render.spp": "16", **base}, figures)
    return sizes, large, most, orders, many


def coherence(lab):
    sizes, large, most, orders, many = coherence_runs(lab)
    last, middle = LARGE[-1], SIZES[-1]

    def table_of(size):
        return large if size in LARGE else sizes

    def useful(n, size):
        return {s: table_of(size).at("useful", scene=s, dsps=n, size=size) for s in SCENES}

    def mean(n, size):
        return sum(useful(n, size).values()) / len(SCENES)
    at32 = useful("32", last)
    low, high = min(at32.values()), max(at32.values())
    growth = {s: at32[s] / useful("32", middle)[s] for s in SCENES}
    settled = max(growth.values()) < 1.1
    # From one doubling of the picture's sides to the next, what the waste is multiplied by.
    waste = [(1 - at32[s]) / (1 - useful("32", middle)[s]) for s in SCENES]
    before = [(1 - useful("32", middle)[s]) / (1 - useful("32", SIZES[-2])[s]) for s in SCENES]

    def cells(s, size):
        if size not in LARGE:
            return [percent(sizes.at("useful", scene=s, dsps=n, size=size)) for n in COHERENT[1:]]
        end = percent(most.at("useful", dsps="512")) if (s, size) == (SCENES[0], last) else "not run"
        return [percent(large.at("useful", scene=s, dsps=n, size=size)) for n in LARGE_COHERENT[1:]] + [end]

    size_rows = [[s, size, rounded(table_of(size).at("traced", scene=s, dsps=1, size=size), 6),
                  rounded(table_of(size).at("each", scene=s, dsps=1, size=size))] + cells(s, size)
                 for s in SCENES for size in SIZES + LARGE]
    order_rows = [[s, o] + [percent(orders.at("useful", scene=s, dsps=n, order=o)) for n in COHERENT[1:]]
                  for s in SCENES for o in ORDERS]
    many_rows = [[s, rounded(many.at("traced", scene=s, dsps=1), 6)] +
                 [percent(many.at("useful", scene=s, dsps=n)) for n in COHERENT[1:]] for s in SCENES]
    each = useful("512", middle)
    heads = [f"{n} DSPs" for n in COHERENT[1:]]
    return [Finding(
        "TS-068", "16 to 32 nodes on a board work without much loss from lack of coherence.",
        f"{', '.join(SCENES)}; eye and shadow rays in Hilbert order, one a pixel; 16 and 32 DSPs up to {last}, 512 up to {middle} "
        f"({SCENES[0]} up to {last}).",
        f"Useful share of the tests, mean of the scenes: 16 DSPs {percent(mean('16', last))}, 32 {percent(mean('32', last))} at {last}; " +
        f"{percent(mean('16', middle))}, {percent(mean('32', middle))} and, with 512, {percent(mean('512', middle))} at {middle}; " +
        ", ".join(f"{percent(mean(n, SIZES[0]))}" for n in ("16", "32", "512")) + f" at {SIZES[0]}.",
        (f"Confirmed at {last}: " if low >= 0.6 else f"In part at {last}: ") +
        f"32 nodes waste {percent(1 - high)} to {percent(1 - low)} of their tests, by scene; 512 waste "
        f"{percent(1 - max(each.values()))} to {percent(1 - min(each.values()))} at {middle}. It is a matter of the picture's "
        "size: small pictures are incoherent. " +
        (f"From {middle} to {last} the useful share of 32 nodes changes by less than a tenth: it has settled." if settled else
         f"The useful share of 32 nodes has not settled: from {middle} to {last} it grows by {percent(min(growth.values()) - 1)} to "
         f"{percent(max(growth.values()) - 1)}. Each doubling of the sides multiplies the waste by {rounded(min(waste), 2)} to "
         f"{rounded(max(waste), 2)} (the one before by {rounded(min(before), 2)} to {rounded(max(before), 2)}), so the figures "
         "are those of these sizes and of no other."),
        "By size of the picture (tests a ray: those of a ray alone):\n\n" +
        table(["scene", "picture", "rays", "tests a ray"] + heads, size_rows) +
        "\nBy order of the rays, 64x64 (tiles are squares of 4x4 pixels):\n\n" + table(["scene", "order"] + heads, order_rows) +
        "\n16 rays a pixel, the middle 16x16 pixels of 256x256:\n\n" + table(["scene", "rays"] + heads, many_rows))]


# ---- what would have served better


def alternatives(lab):
    """512 DSPs otherwise: smaller arrays with databases of their own, and a faster chain."""
    size = "128x128"
    figure = {"rays": "picture.rays / simulated_time_ps * 1e12"}
    hosts = ["1", "4", "16", "32"]
    base = {"render.size": size, "render.depth": "1"}
    rows, rate = [], {}
    for h in hosts:
        t = lab.sweep(f"arrays-{h}", "bunny.shk", {"tigershark.dsps": [str(512 // int(h))], "system.hosts": h, **base}, figure)
        rate[h] = float(t.rows[0]["rays"])
        rows.append([h, str(512 // int(h)), rounded(rate[h]), rounded(rate[h] / rate["1"])])
    clocks = ["11500000", "15000000"]
    chain = lab.sweep("chain-clock", "bunny.shk", {"tigershark.bit_clock_hz": clocks, "tigershark.dsps": "512", **base}, figure)
    by_clock = {c: chain.at("rays", bit_clock_hz=c) for c in clocks}
    best = max(hosts, key=lambda h: rate[h])
    return [Finding(
        "512 DSPs otherwise", "(Ours.) Smaller arrays with databases of their own serve better than one of 512; so does a "
        "faster chain.",
        f"Bunny, boxes, eye and shadow rays, {size}; rays over all simulated time, start-up included. Every array has a host, a "
        "chain and the whole database of its own and draws a band of the picture (`--hosts`); hosts wait for the slowest.",
        f"512 DSPs as {best} arrays of {512 // int(best)} trace {rounded(rate[best])} rays/s, "
        f"{rounded(rate[best] / rate['1'])} times those of one array. The chain's clock, one array of 512: "
        f"{rounded(by_clock['15000000'])} rays/s at 15 MHz, which breaks the receive limit of the part, "
        f"{rounded(by_clock['11500000'])} at 11.5 MHz.",
        f"Smaller arrays: yes, {rounded(rate[best] / rate['1'], 2)} times, at the price of as many host computers, "
        f"chains, bridges and memories. A chain of 15 MHz is worth {percent(by_clock['15000000'] / by_clock['11500000'] - 1)}. A wider chain is not "
        "modelled.",
        table(["arrays", "DSPs each", "rays/s", "against one array"], rows) + "\n" +
        table(["bit clock, MHz"] + [rounded(float(c) / 1e6) for c in clocks],
              [["rays/s, one array of 512"] + [rounded(by_clock[c]) for c in clocks]]))]
