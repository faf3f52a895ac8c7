"""What it costs to feed the board: TS-063, TS-064, TS-072, TS-075."""
from lab import Finding, percent, rounded, table

CLOCK_HZ = 30e6
BETWEEN = 100_000  # rays between two refreshes, by the text
PRACTICAL = 80e6  # bytes/s over PCI (TS-047)
CLAIMED_TEST = 1 / 0.5e6
ALL_DSPS = ["16", "64", "512"]
BURSTS = ["8", "32", "128", "512"]


def model_idle(dsps, words, rate, rays=BETWEEN, test=CLAIMED_TEST, tested=1.0):
    """board.md 1.6: refresh time over the time that it is good for."""
    return 4 * dsps * words / (rate * rays * test * tested)


def refresh(lab):
    figures = {
        "loads": "driver.page_loads",
        # The first page is loaded before the clock of the batches starts.
        "refresh": "driver.paging_ps / (driver.page_loads - 1) / 1e9",
        "rate": "4 * driver.page_words / driver.page_loads / (driver.paging_ps / (driver.page_loads - 1)) * 1e12",
        "between": "driver.rays_sent / driver.page_loads",
        "idle": "driver.paging_ps / (driver.paging_ps + driver.batches_ps)",
        "ray": "driver.batches_ps / driver.rays_sent / 1e6",
        "walk": "array.walk_cycles / tigershark.clock_hz * 1e6 / driver.rays_sent",
        "time": "(driver.paging_ps + driver.batches_ps) / 1e9",
    }
    base = {"render.depth": "1", "tigershark.sram_words": "16384"}
    sizes = ["32x32", "64x64"]
    pages = lab.sweep("paging", "bunny.shk", {"tigershark.dsps": ALL_DSPS, "render.size": sizes,
                                              "tigershark.double_buffer": ["off", "on"], **base}, figures)
    bursts = lab.sweep("refresh-bursts", "bunny.shk",
                       {"pci.host_burst_words": BURSTS, "tigershark.dsps": "512", "render.size": "32x32", **base},
                       figures)
    return [_refresh(pages, bursts, sizes), _double(pages, sizes)]


def _refresh(t, bursts, sizes):
    last = sizes[-1]
    w = {"dsps": 512, "double_buffer": "off", "size": last}
    rate, each, ray, walk = (t.at(f, **w) for f in ("rate", "refresh", "ray", "walk"))
    whole, of_walk = each * 1e3 / (BETWEEN * ray), each * 1e3 / (BETWEEN * walk)
    model = {r: model_idle(512, 50, r) for r in (132e6, PRACTICAL, 40e6)}
    rows = []
    for n in ALL_DSPS:
        for s in sizes:
            v = {"dsps": n, "double_buffer": "off", "size": s}
            rows.append([n, s, rounded(t.at("loads", **v), 6), rounded(t.at("refresh", **v)), rounded(t.at("rate", **v) / 1e6),
                         rounded(t.at("between", **v)), percent(t.at("idle", **v)),
                         percent(t.at("refresh", **v) * 1e3 / (BETWEEN * t.at("ray", **v))),
                         percent(t.at("refresh", **v) * 1e3 / (BETWEEN * t.at("walk", **v)))])
    burst_rate = {b: bursts.at("rate", host_burst_words=b) for b in BURSTS}
    low, high = min(burst_rate.values()), max(burst_rate.values())
    shares = {b: bursts.at("refresh", host_burst_words=b) * 1e3 / (BETWEEN * walk) for b in BURSTS}
    brute = model_idle(512, 10, rate)
    return Finding(
        "TS-063",
        "Refreshing the memory idles the DSPs for less than 1 percent, with 512 DSPs, a refresh every 100 000 rays and the "
        "practical PCI rate.",
        f"Model: 512 DSPs, 50 words a primitive, 2 us a test. Runs: bunny in a memory of 16 384 words (it pages), eye and "
        f"shadow rays, {last}, host bursts of 8 words.",
        f"Model: {percent(model[PRACTICAL])} at 80 MB/s, {percent(model[132e6])} at 132, {percent(model[40e6])} at 40. Runs "
        f"with 512 DSPs: a refresh at {rounded(rate / 1e6)} MB/s, bus handover included; scaled to 100 000 rays "
        f"{percent(whole)} of the whole time and {percent(of_walk)} of the time the DSPs walk. The rate is that of the "
        f"host's bursts, a guess of ours: {rounded(low / 1e6)} to {rounded(high / 1e6)} MB/s for {BURSTS[0]} to {BURSTS[-1]} "
        f"words, {percent(min(shares.values()))} to {percent(max(shares.values()))} of the walk.",
        ("Reproduced as the text computes it. " if model[PRACTICAL] < 0.01 else "Refuted. ") +
        f"With our 10 words and our rate the model says {percent(brute)} for brute force; boxes leave the DSPs less to do, and "
        f"the share of their walking time is {percent(of_walk)}" +
        (", above the claim" if of_walk > 0.01 else "") + f". Of the whole time it is {percent(whole)}.",
        table(["DSPs", "picture", "page loads", "ms a refresh", "MB/s", "rays between, this run", "idle, this run",
               "idle at 100 000 rays", "of the walk at 100 000 rays"], rows) + "\n" +
        table(["words a burst of the host"] + BURSTS,
              [["MB/s"] + [rounded(burst_rate[b] / 1e6) for b in BURSTS],
               ["of the walk at 100 000 rays"] + [percent(shares[b]) for b in BURSTS]]))


def _double(t, sizes):
    rows, worst, last = [], 0.0, sizes[-1]
    for n in ALL_DSPS:
        for s in sizes:
            single, twice = (t.at("time", dsps=n, double_buffer=b, size=s) for b in ("off", "on"))
            between = t.at("between", dsps=n, double_buffer="off", size=s)
            lost = (single - twice) / twice
            scaled = lost * between / BETWEEN  # refresh time does not depend on the rays, the rest is proportional to them
            if s == last:
                worst = max(worst, scaled)
            rows.append([n, s, rounded(single), rounded(twice), percent(lost), rounded(between), percent(scaled)])
    return Finding(
        "TS-072", "Dropping double buffering costs under 1 percent and saves 30 to 40 percent of cost.",
        f"Bunny in a memory of 16 384 words, eye and shadow rays, {last}, 16 to 512 DSPs, host bursts of 8 words (a guess; TS-063 has "
        "longer ones).",
        f"One buffer against two, scaled to a refresh every 100 000 rays: at most {percent(worst)} longer.",
        ("Confirmed" if worst < 0.01 else "Refuted") +
        " for the time, at that many rays; the cost is a fact of the text, not of a model.",
        table(["DSPs", "picture", "ms, one buffer", "ms, two", "longer, this run", "rays between, this run",
               "longer at 100 000 rays"], rows))


COUNTS = [250, 500, 1000, 2000, 4000, 8000, 16000]


def missed(lab, count):
    """Triangles that every ray misses; 512 eye rays."""
    return lab.own_scene(f"missed-{count}.shk", "w 32\nh 16\ne 0 0 10\nlo 0 0 0\nu 0 1 0\n" +
                         "t 100 0 0  101 0 0  100 1 0\n" * count)


def smallest(lab):
    scenes = [missed(lab, m) for m in COUNTS]
    t = lab.sweep("smallest-memory", [str(s) for s in scenes],
                  {"render.depth": "1", "tigershark.dsps": "512", "tigershark.vote": "off",
                   "tigershark.sram_words": "262144"},
                  {"words": "driver.page_words", "tests": "array.tests",
                   "walk": "array.walk_cycles / tigershark.clock_hz * 1e3", "batch": "driver.batches_ps / 1e9",
                   "load": "pld.chain_words_in * 32 / tigershark.bit_clock_hz * 1e3"})
    rows = []
    for scene, m in zip(scenes, COUNTS):
        words, walk, batch, load, tests = (t.at(f, scene=scene.name) for f in ("words", "walk", "batch", "load", "tests"))
        rows.append([rounded(words, 6), rounded(words * 32 / 2**20), rounded(walk), rounded(batch - walk), rounded(load),
                     rounded(tests / batch * 1e3), rounded(tests / max(walk, load) * 1e3)])
        each, chain = walk / m, batch - walk
    knee, serial = load / each, chain / each

    def mbit(words):
        return rounded(words * 32 / 2**20) + " Mbit"
    return [Finding(
        "TS-064",
        "1 Mb is the smallest practical SRAM for 512 DSPs, because the serial link cannot feed smaller ones.",
        "512 DSPs, one batch of 512 eye rays against triangles that all of them miss, boxes off. 1 Mb is read as 2^20 bits, "
        "32 768 words; the default memory of the board, 131 072 words, is 4 Mbit or half a megabyte.",
        f"A batch loads for {rounded(load)} ms and spends {rounded(chain)} ms outside the walk in all; a test takes "
        f"{rounded(each * 1e3)} us. Walk and load are equal at {rounded(knee)} tests a ray: {mbit(knee * 10)} at our 10 words "
        f"a triangle, {mbit(knee * 13)} at 13, {mbit(knee * 50)} at 50.",
        f"For a megabit: right in kind, short in size. Rays of 8 words at 11.5 Mbit/s need about {mbit(knee * 10)} even if "
        f"loading is hidden behind the walk, and half the peak is reached only at {mbit(serial * 10)} while the phases follow "
        f"each other. For a megabyte (8 Mbit) it would be more than enough. All of it assumes brute force, and {rounded(each * 1e3)} us a "
        "test include the barrier's 4 cycles, a guess of ours: a longer test needs less memory.",
        table(["words", "Mbit", "walk, ms", "rest of the batch, ms", "of this, loading, ms", "tests/s, measured",
               "tests/s, loading hidden (computed)"], rows))]


def film(lab):
    """TS-075: a database that will never fit."""
    scene = missed(lab, 40000)
    t = lab.sweep("film", str(scene),
                  {"tigershark.dsps": ["16", "512"], "render.depth": "1", "tigershark.vote": "off"},
                  {"loads": "driver.page_loads", "words": "driver.page_words / driver.page_loads",
                   "refresh": "driver.paging_ps / (driver.page_loads - 1) / 1e9",
                   "rays": "driver.rays_traced",
                   "walk": "array.walk_cycles / tigershark.clock_hz * 1e3"})
    loads, words, each = (t.at(f, dsps=512) for f in ("loads", "words", "refresh"))
    primitives = 10e6
    pages = primitives * 10 / words
    transfer = pages * each / 1e3
    test = 1 / 8e6  # a board of 16 by the text
    board = primitives * test
    rays = transfer / 0.01 / board
    rays512 = transfer / 0.01 / (primitives / (512 * 0.5e6))
    return [Finding(
        "TS-075", "Film scenes hold tens of millions of primitives (Toy Story took 800 000 hours).",
        f"40 000 triangles that all rays miss on the default memory ({rounded(loads, 6)} page loads), boxes off, 32x16; scaled "
        "to 10 million by arithmetic.",
        f"A page of {rounded(words, 6)} words takes {rounded(each)} ms in host bursts of 8 words (a guess; TS-063 has longer ones). 10 million triangles of 10 words are {rounded(pages)} "
        f"pages, {rounded(transfer)} s of transfer for one pass.",
        f"Such a database can be walked, at a price: with bursts of 8 words, a guess, to idle less than 1 % a page has to serve {rounded(rays, 2)} rays a pass "
        f"on 16 DSPs (8 million tests/s), {rounded(rays512, 2)} on 512 (256 million). By brute force, one pass for that many "
        f"rays takes {rounded(rays * board / 60, 2)} minutes on either; the 800 000 hours cannot be checked.",
        table(["DSPs", "page loads", "words a page", "ms a refresh"],
              [[n, rounded(t.at("loads", dsps=n), 6), rounded(t.at("words", dsps=n), 6), rounded(t.at("refresh", dsps=n))]
               for n in ("16", "512")]))]
