"""What the experiments share: sweeps and their tables, text, and which part of docs is whose.

A sweep's table is kept in docs/results/data as CSV, with its conditions in the first line. Text is made from these
tables only, so that `scripts/experiments --check` can make it again without a simulation.
"""
import csv
import io
import json
import math
import pathlib
import shutil
import subprocess


class Table:
    """Rows of a sweep: {parameter or figure: text or number}."""

    def __init__(self, name, rows):
        self.name, self.rows = name, rows

    def at(self, figure, **where):
        """The figure of the one row that matches; parameters by the part behind their last dot."""
        wanted = {k: str(v) for k, v in where.items()}
        found = [r for r in self.rows if all(str(r[k]) == v for k, v in wanted.items())]
        if len(found) != 1:
            raise SystemExit(f"experiments: table {self.name}: {len(found)} rows match {wanted}")
        value = found[0][figure]
        if value == "":
            raise SystemExit(f"experiments: table {self.name}: no {figure} at {wanted}")
        return float(value)

    def values(self, key):
        """Values of a parameter in order."""
        return list(dict.fromkeys(r[key] for r in self.rows))


class Lab:
    def __init__(self, root, bin_folder, scratch, jobs, check):
        self.root, self.bin, self.scratch, self.jobs, self.check = root, bin_folder, scratch, jobs, check
        self.docs = root / "docs/results"
        self.data = self.docs / "data"
        self.used = set()

    # ---- tables

    def _file(self, name):
        self.used.add(f"{name}.csv")
        return self.data / f"{name}.csv"

    def read(self, name):
        text = self._file(name).read_text()
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return Table(name, list(csv.DictReader(lines)))

    def write(self, name, rows, conditions):
        """Keeps a table that no sweep made."""
        if self.check:
            return self.read(name)
        out = io.StringIO()
        out.write(f"# {conditions}\n")
        writer = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        self.data.mkdir(parents=True, exist_ok=True)
        self._file(name).write_text(out.getvalue())
        return self.read(name)

    def sweep(self, name, scene, settings, figures, plots=()):
        """Runs what is not known yet. `settings`: parameter -> value or list, the last varies fastest; of
        `figures` the formulas. All sweeps share one store: a point is run once."""
        if self.check:
            return self.read(name)
        scenes = scene if isinstance(scene, list) else [scene]
        spec = {"name": name, "scene": [str(self.scene(s)) for s in scenes], "set": {}, "figures": figures,
                "plots": list(plots)}
        first = next((k for k, v in settings.items() if isinstance(v, list)), None)
        order = ([first] if first else []) + [k for k in settings if k != first]
        # The first parameter that varies is what first(...) refers to: it comes before the scenes.
        if len(scenes) > 1 and first:
            spec["set"] = {first: settings[first], "scene": spec["scene"]}
            del spec["scene"]
        for key in order:
            spec["set"].setdefault(key, settings[key])
        self.scratch.mkdir(parents=True, exist_ok=True)
        file = self.scratch / f"{name}.json"
        file.write_text(json.dumps(spec, indent=1))
        out = self.scratch / "runs"
        subprocess.run([self.bin / "platform", "sweep", file, "-o", out, "-j", str(self.jobs), "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        rows = []
        for row in csv.DictReader((out / "sweep.csv").read_text().splitlines()):
            if row["status"] != "0":
                raise SystemExit(f"experiments: {name}: a point failed: {row}")
            clean = {}
            for key, value in row.items():
                if key in ("status", "message"):
                    continue
                key = key.split(" [")[0]
                if key == "scene":
                    value = pathlib.Path(value).name
                clean[key.split(".")[-1]] = value
            rows.append(clean)
        fixed = [f"scene={', '.join(pathlib.Path(s).name for s in scenes)}"]
        fixed += [f"{k}={v}" for k, v in settings.items() if not isinstance(v, list)]
        for number, plot in enumerate(plots, 1):
            shutil.copy(out / f"plot{number}-{plot['title']}.svg", self.docs / f"{name}-{plot['title']}.svg")
        return self.write(name, rows, "; ".join(fixed))

    # ---- files

    def scene(self, name):
        path = pathlib.Path(name)
        return path if path.is_absolute() else self.root / "scenes" / name

    def own_scene(self, name, text):
        folder = self.scratch / "scenes"
        if not self.check:
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / name
            if not file.exists() or file.read_text() != text:
                file.write_text(text)
        return folder / name


# ---- numbers and tables as text


def rounded(value, digits=3):
    """`digits` significant digits, thousands apart: 1 234 567, 0.0123."""
    if value is None or not math.isfinite(value):
        return "-"
    whole = 1 if value == 0 else math.floor(math.log10(abs(value))) + 1
    if whole < digits and value != math.floor(value):
        return f"{value:.{min(digits - whole, 12)}f}"
    unit = 10 ** max(whole - digits, 0)
    plain = f"{round(value / unit) * unit:.0f}"
    sign, plain = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
    if len(plain) <= 4:
        return sign + plain
    groups = []
    while plain:
        groups.insert(0, plain[-3:])
        plain = plain[:-3]
    return sign + " ".join(groups)


def percent(share, digits=2):
    return rounded(share * 100, digits) + " %"


def table(head, rows):
    def line(cells):
        return "| " + " | ".join(str(c) for c in cells) + " |\n"
    return line(head) + line(["---"] * len(head)) + "".join(line(r) for r in rows)


class Finding:
    def __init__(self, name, claim, conditions, measured, verdict, details="", pictures=()):
        self.id, self.claim, self.conditions = name, claim, conditions
        self.measured, self.verdict, self.details, self.pictures = measured, verdict, details, pictures
