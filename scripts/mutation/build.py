"""The scratch copy: sources with all mutants in them, compiled once; a mutant that cannot be switched there is demoted.

Levels of a mutant: `switched` (in the expression), `late` (as that, and its declaration is no longer constexpr), `alone` (compiled by
itself), `invalid` (does not compile: no mutant). Static assertions that a late mutant leaves without a constant are taken out of the copy;
what then survives counts as survived, even if such an assertion would have refused to compile it.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from mutation import source

PLACE = re.compile(r"^(?:In file included from |                 from )?([\w./+-]+\.[ch]pp):(\d+)(?::\d+)?[:,]", re.M)
ASSERTION = re.compile(r"^([\w./+-]+\.[ch]pp):(\d+):\d+: error: non-constant condition for static assertion", re.M)
NUMBER = re.compile(r"(?:int N = |Swap<)(\d+)")
HEADER = pathlib.Path(__file__).with_name("rtvp_mutant.hpp")


class Scratch:
    def __init__(self, root, jobs, plain=False):
        self.root = pathlib.Path(root)
        self.home = self.root / "build" / "mutate"
        self.plain = plain  # no mutants in it, and compiled as users do: a compiler cache knows it
        self.tree = self.home / ("plain" if plain else "tree")
        self.build = self.tree / "build" / "release"
        self.jobs = jobs
        self.muted = {}  # file: lines of static assertions that are taken out

    def put(self, file, text):
        path = self.tree / file
        if path.exists() and path.read_text() == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def copy(self, skip):
        """The tree's files (not those in `skip`, which are written otherwise); what is as it was keeps its date."""
        names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=self.root, capture_output=True, text=True,
                               check=True).stdout.splitlines()
        for name in names:
            old, new = self.root / name, self.tree / name
            if name in skip or not old.is_file():
                continue
            if new.exists() and old.stat().st_size == new.stat().st_size and old.read_bytes() == new.read_bytes():
                continue
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(old, new)
            shutil.copymode(old, new)
        self.put("../rtvp_mutant.hpp", HEADER.read_text())

    def instrumented(self, file, mutants):
        """The file's text with its switched and late mutants in it."""
        text = (self.root / file).read_text()
        lines = text.split("\n")
        codes = source.masked(text).split("\n")
        some = [m for m in mutants if m["level"] in ("switched", "late")]
        for m in some:
            k = m["line"] - 1
            lines[k] = lines[k][:m["begin"]] + numbered(m) + lines[k][m["end"]:]
        for m in some:
            k = source.constexpr_of(codes, m["line"] - 1)
            if m["level"] == "late" and source.CONSTEXPR.search(lines[k]):
                lines[k] = source.without_constexpr(lines[k])
        text = "\n".join(lines)
        for line in self.muted.get(file, ()):
            text = source.without_assertion(text, line)
        if not some:
            return text
        up = "../" * (len(pathlib.Path(file).parts) - 1)
        return '#include "%s../rtvp_mutant.hpp"\n#line 1\n%s' % (up, text)

    def changed(self, file, mutant):
        """The file's text with one mutant in place of the line."""
        lines = (self.root / file).read_text().split("\n")
        lines[mutant["line"] - 1] = mutant["after"]
        return "\n".join(lines)

    def configure(self):
        # Less to compile; without fast-math the level changes no value. Reading beyond an array is seen, as it is by the tests
        # under the sanitizers.
        flags = ["-DCMAKE_BUILD_TYPE=Mutation", "-DCMAKE_CXX_FLAGS_MUTATION=-O1 -DNDEBUG -D_GLIBCXX_ASSERTIONS"]
        out = subprocess.run(["cmake", "--preset", "release", "-DRTVP_BENCHMARKS=OFF", *([] if self.plain else flags)], cwd=self.tree,
                             capture_output=True, text=True)
        if out.returncode != 0:
            raise SystemExit(out.stdout + out.stderr)

    def ninja(self, *targets):
        """Failed edges: [(text of the edge's messages)]; empty if all is built."""
        out = subprocess.run(["ninja", "-C", str(self.build), "-k", "0", "-j", str(self.jobs), *targets], capture_output=True, text=True,
                             env=dict(os.environ, LC_ALL="C"))
        if out.returncode == 0:
            return []
        return re.split(r"^FAILED: ", out.stdout, flags=re.M)[1:] or [out.stdout + out.stderr]

    def place(self, name):
        """A file's name in a message as the tree's."""
        path = os.path.normpath(os.path.join(self.build, name))
        return os.path.relpath(path, self.tree)


def numbered(mutant):
    return re.sub(r"(?<=on\()N(?=\))|(?<=Swap<)N(?=,)", str(mutant["number"]), mutant["switched"])


def place_of(scratch, text):
    found = PLACE.match(text)
    return (scratch.place(found[1]), int(found[2])) if found else None


def line_of(scratch, name, number):
    path = scratch.root / scratch.place(name)
    lines = path.read_text().split("\n") if path.is_file() else []
    return lines[int(number) - 1] if int(number) <= len(lines) else ""


def blamed(scratch, block, places, late):
    """Numbers of the mutants that a compiler's messages are about."""
    errors = "\n".join(line for line in block.split("\n") if " error: " in line)
    by_number = {int(n) for n in NUMBER.findall(errors)}
    if by_number:
        return by_number
    # The compiler shows other lines than it means: those of the copy, where an include stands in front.
    shown = "\n".join(line_of(scratch, name, line) for name, line in PLACE.findall(errors))
    for text, named in ((errors, False), (errors, True), (shown, True), (block, False), (block, True)):
        if named:
            # A constant that is none any more is named in the message, or in the line that it shows.
            found = {m["number"] for m in late if m["name"] and re.search(r"\b%s\b" % re.escape(m["name"]), text)}
        else:
            keys = {(scratch.place(name), int(line)) for name, line in PLACE.findall(text)}
            found = {m["number"] for key in keys for m in places.get(key, ())}
        if found:
            return found
    return set()


def demote(scratch, mutants, blocks, say):
    """Settles who is to blame for messages; False if nobody was found."""
    places, late = {}, [m for m in mutants if m["level"] == "late"]
    for m in mutants:
        if m["level"] in ("switched", "late"):
            places.setdefault((m["file"], m["line"]), []).append(m)
    for m in late:
        places.setdefault((m["file"], m["declared"]), []).append(m)
    guilty, muted = set(), False
    for block in blocks:
        lines = {(scratch.place(name), int(line)) for name, line in ASSERTION.findall(block)}
        for file, line in lines:
            muted = muted or line not in scratch.muted.get(file, ())
            scratch.muted.setdefault(file, set()).add(line)
        rest = "\n".join(text for text in block.split("\n") if place_of(scratch, text) not in lines)
        found = blamed(scratch, rest, places, late) if " error: " in rest else set()
        if not found and not lines:
            say("nobody found for:\n" + "\n".join([t[:200] for t in block.split("\n") if " error: " in t][:3]))
        guilty |= found
    for m in mutants:
        if m["number"] in guilty:
            m["level"] = "late" if m["level"] == "switched" and m["declared"] else "alone"
    return bool(guilty) or muted


def prepare(scratch, mutants):
    """Level and declaration of each."""
    codes = {}
    for m in mutants:
        if m["file"] not in codes:
            codes[m["file"]] = source.masked((scratch.root / m["file"]).read_text()).split("\n")
        k = source.constexpr_of(codes[m["file"]], m["line"] - 1)
        m["declared"] = k + 1 if k is not None else 0
        name = re.search(r"(\w+)\s*(?:\[\w*\])*\s*(?:=|\{|\()", codes[m["file"]][k]) if k is not None else None
        m["name"] = name[1] if name else ""
        m["level"] = "late" if k is not None else "switched"
        if m["file"].endswith("_body.hpp"):
            m["level"] = "alone"  # included within a namespace, where the switches cannot be declared


def remember(scratch, mutants):
    (scratch.home / "levels.json").write_text(json.dumps({
        "levels": {m["after"] + m["file"]: m["level"] for m in mutants}, "muted": {f: sorted(n) for f, n in scratch.muted.items()}}))


def recall(scratch, mutants):
    path = scratch.home / "levels.json"
    if path.exists():
        known = json.loads(path.read_text())
        scratch.muted = {f: set(n) for f, n in known["muted"].items()}
        for m in mutants:
            known_level = known["levels"].get(m["after"] + m["file"], m["level"])
            m["level"] = "alone" if m["level"] == "alone" else known_level


def instrument(scratch, mutants):
    names = {m["file"] for m in mutants} | set(scratch.muted)
    for file in sorted(names):
        scratch.put(file, scratch.instrumented(file, [m for m in mutants if m["file"] == file]))
    return names


def probe(scratch, mutants, say):
    """Headers first, each in one source that includes it: their faults would else stop half the tree."""
    commands = {os.path.relpath(e["file"], scratch.tree): e for e in json.loads((scratch.build / "compile_commands.json").read_text())}
    for header in sorted({m["file"] for m in mutants if m["file"].endswith(".hpp")}):
        users = subprocess.run(["grep", "-rlF", '#include "%s"' % header, "models", "platform", "firmware", "--include=*.cpp"],
                               cwd=scratch.tree, capture_output=True, text=True).stdout.split()
        users = sorted((u for u in users if u in commands), key=lambda u: (scratch.tree / u).stat().st_size)
        while users:
            instrument(scratch, mutants)
            command = shlex.split(commands[users[0]]["command"])
            begin = 1 if command[0].endswith("ccache") else 0
            out = subprocess.run([*command[begin:], "-fsyntax-only"], cwd=scratch.build, capture_output=True, text=True,
                                 env=dict(os.environ, LC_ALL="C"))
            if out.returncode == 0 or not demote(scratch, mutants, [out.stderr], say):
                break
        remember(scratch, mutants)


def build(scratch, mutants, say, targets=("all",)):
    """The targets with the mutants that can be switched; levels of what they hold are settled when it returns."""
    fresh = not (scratch.home / "levels.json").exists()
    recall(scratch, mutants)
    scratch.copy(instrument(scratch, mutants))
    if not (scratch.build / "build.ninja").exists():
        scratch.configure()
    if fresh:
        probe(scratch, mutants, say)
        say("headers are settled")
    while True:
        instrument(scratch, mutants)
        blocks = scratch.ninja(*targets)
        if not blocks:
            return
        say("%d objects do not compile" % len(blocks))
        if not demote(scratch, mutants, blocks, say):
            raise SystemExit("mutate: the instrumented tree does not compile:\n" + "\n".join(blocks)[:4000])
        remember(scratch, mutants)
