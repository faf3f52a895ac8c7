"""docs/results/README.md and the README's section on results, from the findings and their tables."""
import re

from lab import percent, rounded, table

BEGIN, END = "<!-- made by scripts/experiments -->", "<!-- end -->"


def anchor(name):
    return re.sub(r"[^a-z0-9 -]", "", name.lower()).replace(" ", "-")


def results(findings):
    out = ("# Results\n\nWhat the 1996 text claims and what the simulated machine measures. `scripts/experiments` makes this "
           "page, its plots and the README's section from runs; the tables behind every number are in [data](data), and "
           "`scripts/experiments --check`, a test, makes all text from them again and compares. Requirement numbers are the "
           "project's. Every figure is of the default board unless a line says otherwise: 30 MHz H1 (the instruction clock of a DSP), 11.5 Mbit/s chain, zero "
           "wait states, 4 cycles from the last arrival at a barrier to its release (a guess of ours), PCI bursts of the host of "
           "8 words (another). The host's own work costs no time. Rates and shares of time are over the time of the batches, without "
           "boot and the loading of firmware and database before the first, unless a line says otherwise.\n\n"
           "A *test* is one record tested against one ray that was still open: fillers, blocked rays and terminators do not "
           "count.\n\n")
    out += table(["", "claim", "verdict"], [[f"[{f.id}](#{anchor(f.id)})", f.claim, f.verdict] for f in findings])
    for f in findings:
        out += (f"\n## {f.id}\n\n**Claim.** {f.claim}\n\n**Conditions.** {f.conditions}\n\n**Measured.** {f.measured}\n\n"
                f"**Verdict.** {f.verdict}\n")
        for file, caption in f.pictures:
            out += f"\n![{caption}]({file})\n"
        if f.details:
            out += "\n" + f.details
    return out


def readme(lab):
    """The lines between the markers of README.md."""
    import scaling
    boxes, brute = scaling.runs(lab)
    size, brute_size = scaling.SIZES[-1], scaling.BRUTE_SIZES[-1]
    bunny = lab.read("brute-force")
    old = {r["case"]: float(r["cycles"]) for r in lab.read("triangle-1996").rows}
    arrays = {h: float(lab.read(f"arrays-{h}").rows[0]["rays"]) for h in ("1", "4", "16", "32")}
    best = max(arrays, key=lambda h: arrays[h])
    walking_size = bunny.values("size")[-1]
    walking = bunny.at("walking", dsps=16, size=walking_size)
    overall = bunny.at("overall", dsps=16, size=walking_size)
    brute_before = scaling.BRUTE_SIZES[-2]

    def at(figure, n):
        return boxes.at(figure, dsps=n, size=size)

    def gain(t, n, s, digits=2):
        return rounded(t.at("rays", dsps=n, size=s) / t.at("rays", dsps=1, size=s), digits)
    small = scaling.SIZES[0]
    large, large_size = lab.read("coherence-large"), scaling.LARGE[-1]

    def useful_large(n):
        return large.at("useful", dsps=n, scene=scaling.SCENES[0], size=large_size)
    return (
        f"""![Rays a second from 1 to 512 DSPs](docs/results/scaling-rays.svg)
![Useful share of the tests from 1 to 512 DSPs](docs/results/scaling-useful.svg)

*Stanford bunny (3674 triangles), eye and shadow rays, default board; that a barrier takes 4 cycles to release and that the host's PCI bursts have
8 words are guesses; the host's own work takes no time; rates are over the time of the batches, without start-up.* By brute force ({walking_size}) 16 DSPs make {rounded(walking / 1e6)} million tests a second while they walk the database and
{rounded(overall / 1e6)} million with the chain's time, where the text promises 8, with a test
that divides only for hits; the 1996 program's own test takes {rounded(old["hit, nearest so far"])} cycles for a hit where 100 instructions
were assumed. 512 DSPs trace {gain(brute, "512", brute_size, 3)} times the rays of one ({brute_size}; {gain(brute, "512", brute_before, 3)} times at {brute_before}, where more of the last
batch's DSPs have no ray).

With bounding volumes ({size}, {rounded(at("traced", "1"), 6)} rays) one ray needs {rounded(at("each", "1"), 2)} tests instead of 3674. 16 DSPs then
trace {gain(boxes, "16", size)} times the rays of one, 512 DSPs {gain(boxes, "512", size)} times. The vote makes each ray pay for its neighbours'
boxes: {percent(at("useful", "16"))} of the tests are useful at 16 DSPs, {percent(at("useful", "32"))} at 32, {percent(at("useful", "512"))} at 512 (at {small} pixels,
where neighbouring rays lie far apart, {percent(boxes.at("useful", dsps="16", size=small))}, {percent(boxes.at("useful", dsps="32", size=small))} and {percent(boxes.at("useful", dsps="512", size=small))}; at {large_size}, the largest that was run, {percent(useful_large("16"))}, {percent(useful_large("32"))} and {percent(lab.read("coherence-most").at("useful", dsps=512))}:
these shares have not settled). At 512 DSPs the walk takes {percent(at("walk", "512"))} of the time,
loading rays over the serial chain {percent(at("load", "512"))} and sending results {percent(at("send", "512"))}; the shared bus moves words for
{percent(at("bus", "512"))} of it. The same 512 DSPs as {best} arrays with host computers, chains and databases of their own trace {rounded(arrays[best] / arrays["1"], 2)} times the rays
of one array (128x128; simulated time of the slowest, start-up included).
""")


def put(text, part):
    """`text` with the lines between its markers replaced."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"experiments: README.md needs one {BEGIN} and one {END}")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    return f"{head}{BEGIN}\n{part}{END}{tail}"
