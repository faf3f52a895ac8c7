"""The score, by folder and by class, between the marks of docs/quality.md, and the list of what survives."""
import collections
import csv
import datetime
import pathlib
import subprocess

MARK = "<!-- mutation -->"


def equivalent(path):
    out = {}
    if path.exists():
        with open(path, newline="") as f:
            for row in csv.DictReader(f):
                out[row["file"], row["after"].strip()] = row["proof"]
    return out


def state(row, proofs):
    if row["result"] == "invalid":
        return "invalid"
    if row["result"].startswith("killed"):
        return "killed"
    return "equivalent" if (row["file"], row["after"].strip()) in proofs else "survived"


def table(rows, proofs, key, title):
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[key(row)][state(row, proofs)] += 1
    lines = ["| %s | mutants | killed | equivalent | survived | score |" % title, "|---|---:|---:|---:|---:|---:|"]
    total = collections.Counter()
    for name in sorted(counts):
        total += counts[name]
        lines.append(line(name, counts[name]))
    lines.append(line("**all**", total))
    return lines, total


def line(name, c):
    mutants = c["killed"] + c["survived"] + c["equivalent"]
    real = c["killed"] + c["survived"]
    share = "%.0f %%" % (100 * c["killed"] / real) if real else ""
    return "| %s | %d | %d | %d | %d | %s |" % (name, mutants, c["killed"], c["equivalent"], c["survived"], share)


def report(root, results, seed, missing):
    proofs = equivalent(pathlib.Path(root) / "tests" / "mutation" / "equivalent.csv")
    rows = [r for _, r in sorted(results.rows.items())]
    folders, total = table(rows, proofs, lambda r: str(pathlib.PurePath(r["file"]).parent), "folder")
    classes, _ = table(rows, proofs, lambda r: r["class"], "what is changed")
    alive = ["| line | was | survives as |", "|---|---|---|"]
    for row in rows:
        if state(row, proofs) == "survived":
            alive.append("| %s:%s | `%s` | `%s` |" % (row["file"], row["line"], cell(row["before"]), cell(row["after"])))
    invalid = sum(state(r, proofs) == "invalid" for r in rows)
    text = ("Seed %s, list `tests/mutation/mutants.csv`; %d more do not compile and are no mutants, %d were not run.\n\n"
            % (seed, invalid, missing))
    return text + "\n".join(classes) + "\n\n" + "\n".join(folders) + "\n\nWhat survives:\n\n" + "\n".join(alive), total


def cell(text):
    return text.strip().replace("|", "\\|")


def write(root, text):
    path = pathlib.Path(root) / "docs" / "quality.md"
    old = path.read_text()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True).stdout.strip()
    body = "%s\n\nBy `scripts/mutate`, %s, commit %s. %s\n\n%s" % (MARK, datetime.date.today().isoformat(), commit, text, MARK)
    before, _, rest = old.partition(MARK)
    path.write_text(before + body + (rest.partition(MARK)[2] or "\n"))
