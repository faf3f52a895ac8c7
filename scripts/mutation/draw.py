"""Which mutants: drawn by a seed from all sites of the tree, by folder and by class."""
import collections
import csv
import pathlib
import random
import re
import subprocess

from mutation import operators, source

FOLDERS = ("models", "platform", "firmware")
FIELDS = ("number", "class", "folder", "file", "line", "operator", "begin", "end", "before", "after", "replacement", "switched")
# What must not survive (issue of the house: figures, defaults, reset values, encodings). First that fits.
ENCODING = re.compile(r"(isa|isa_table|isa_manual|opcode|decode|encode\w*|compressed|coff_format|format|layout|\w*_registers|"
                      r"register_blocks?|memory_map)\.(cpp|hpp)$")
FIGURE = re.compile(r"platform/report/(figures|summary|statistics|comparison\w*)|statistics\.cpp$|_reports\.cpp$|performance\w*\.cpp$")
FIGURE_LINE = re.compile(r"\.(count|gauge|time|share|figure|value|ratio)\(|scaled\(|percent\(|run\.sum\(|[sS]tat(s|istics)?_?[.]|totals_?\.|counters_?\.")
DEFAULT = re.compile(r"(params|config\w*|cpu_options|presets?)\.hpp$")
DEFAULT_LINE = re.compile(r"^\s+[\w:<>, ]+ [\w]+ = [^;()]+;")
RESET_LINE = re.compile(r"[rR]eset")
CLASSES = ("encoding", "figure", "default", "reset")


def kind(file, line, code):
    if RESET_LINE.search(code):
        return "reset"
    if ENCODING.search(file):
        return "encoding"
    if FIGURE.search(file) or FIGURE_LINE.search(code):
        return "figure"
    if DEFAULT.search(file) or (file.endswith(".hpp") and DEFAULT_LINE.search(code)):
        return "default"
    return "other"


def files(root):
    out = subprocess.run(["git", "ls-files", *FOLDERS], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    # What other compilers take (the hart's and the array's programs) is not in the build's programs.
    return [f for f in out if f.endswith((".cpp", ".hpp")) and not re.match(r"firmware/(xphmg|examples|runtime)/", f)]


def sites(root, file, seed):
    text = (pathlib.Path(root) / file).read_text()
    lines, codes = text.split("\n"), source.masked(text).split("\n")
    choose = random.Random("%s %s" % (seed, file)).randrange
    previous = "{"
    for number, (line, code) in enumerate(zip(lines, codes)):
        for operator, begin, end, after, switched in operators.sites(line, code, previous, choose):
            yield {"class": kind(file, line, code), "folder": str(pathlib.Path(file).parent), "file": file, "line": number + 1,
                   "operator": operator, "begin": begin, "end": end, "before": line,
                   "after": line[:begin] + after + line[end:], "replacement": after, "switched": switched}
        if code.strip():
            previous = code.strip()


def draw(root, seed, size):
    """`size` mutants: four fifths by folder (its share of the root of its sites), one fifth from the four classes. One a line."""
    rng, everything, taken, out = random.Random(seed), [], set(), []
    for file in files(root):
        everything += sites(root, file, seed)
    folders, classes = collections.defaultdict(list), collections.defaultdict(list)
    for site in everything:
        folders[site["folder"]].append(site)
        classes[site["class"]].append(site)

    def take(pool, count, stratum):
        # Operators alike often: constants outnumber everything else.
        groups = collections.defaultdict(list)
        for site in pool:
            groups[site["operator"]].append(site)
        order = sorted(groups)
        for group in order:
            rng.shuffle(groups[group])
        while count > 0 and any(groups.values()):
            operator = rng.choice([g for g in order for _ in range(2 if g == "constant" else 1) if groups[g]])
            site = groups[operator].pop()
            if (site["file"], site["line"]) in taken:
                continue
            taken.add((site["file"], site["line"]))
            out.append(site)
            count -= 1

    weights = {f: len(s) ** 0.5 for f, s in folders.items()}
    for folder in sorted(folders):
        take(folders[folder], max(2, round(size * 0.8 * weights[folder] / sum(weights.values()))), folder)
    for name in CLASSES:
        take(classes[name], round(size * 0.05), name)
    out.sort(key=lambda s: (s["file"], s["line"]))
    for number, site in enumerate(out):
        site["number"] = number + 1
    return out, len(everything)


def write(path, mutants):
    with open(path, "w", newline="") as f:
        table = csv.DictWriter(f, FIELDS, lineterminator="\n")
        table.writeheader()
        table.writerows(mutants)


def read(path, root):
    """The list, each mutant at the line where its text is today; those whose line is gone are left out and returned apart."""
    mutants, gone, texts = [], [], {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            for name in ("number", "line", "begin", "end"):
                row[name] = int(row[name])
            file = pathlib.Path(root) / row["file"]
            if row["file"] not in texts:
                texts[row["file"]] = file.read_text().split("\n") if file.exists() else []
            places = [k + 1 for k, line in enumerate(texts[row["file"]]) if line == row["before"]]
            if not places:
                gone.append(row)
                continue
            row["line"] = min(places, key=lambda k: abs(k - row["line"]))
            mutants.append(row)
    return mutants, gone
