"""Sweeps: a run for every chosen combination of parameter values (docs/sweeps.md)."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union, overload

from rtvp.errors import error_of
from rtvp.frames import frame_of
from rtvp.program import Program, Value, text_of
from rtvp.statistics import Figure, Statistics

if TYPE_CHECKING:
    import pandas

Path = Union[str, os.PathLike[str]]


@dataclass(frozen=True)
class Point:
    """One combination of values and what came of it."""

    settings: dict[str, str]            #: parameter and value, as the program writes it; `scene` is among them
    status: int                         #: 0, or the exit status of its run
    message: str                        #: why it failed
    figures: dict[str, Optional[float]]  #: what the sweep computes; None if the point failed or has no such figure
    statistics: Statistics              #: all figures of its run; empty if it failed
    warnings: list[str]


class Sweep(Sequence[Point]):
    """The points of a sweep in their order."""

    def __init__(self, points: list[Point], varied: list[str], units: dict[str, str]) -> None:
        self._points = points
        self.varied = varied  #: parameters of more than one value
        self.units = units    #: figure -> unit, in the order of the table

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> Sweep: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Point, Sweep]:
        return Sweep(self._points[index], self.varied, self.units) if isinstance(index, slice) else self._points[index]

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def __repr__(self) -> str:
        return f"Sweep({len(self)} points, {len(self.failed)} failed; varied: {', '.join(self.varied)})"

    @property
    def failed(self) -> list[Point]:
        """Points whose run did not succeed."""
        return [p for p in self._points if p.status != 0]

    @property
    def columns(self) -> list[str]:
        """Of rows(): varied parameters, figures, status, message."""
        return [*self.varied, *self.units, "status", "message"]

    def rows(self) -> list[list[Any]]:
        """The table; a parameter's value is a number where all its values are."""
        settings = [_numbers([p.settings.get(key, "") for p in self._points]) for key in self.varied]
        return [[*(column[i] for column in settings), *(p.figures.get(name) for name in self.units), p.status, p.message]
                for i, p in enumerate(self._points)]

    def frame(self) -> pandas.DataFrame:
        """rows() as a data frame. Needs pandas."""
        return frame_of(self.rows(), self.columns)


def sweep(scene: Union[Path, Sequence[Path]], vary: Mapping[str, Sequence[Value]], settings: Optional[Mapping[str, Value]] = None, *,
          figures: Optional[Mapping[str, str]] = None, where: Sequence[str] = (), link: Sequence[Sequence[str]] = (),
          space: Optional[Mapping[str, Any]] = None, quality: bool = False, jobs: int = 1, point_timeout: float = 0,
          folder: Optional[Path] = None, check: bool = True, program: Optional[Program] = None) -> Sweep:
    """Runs a point for every chosen combination of values.

    scene: one file or several; a name that is no file is looked for among the installed scenes. vary: parameter -> its values; settings: parameters that are the same everywhere. figures: name ->
    formula over a run's statistics; the unit may follow the name in brackets, "rays [1/s]". where, link, space: which of the
    combinations, as `platform sweep` has them in SPEC.json. quality: compare each picture with the reference's. jobs: processes at
    a time. point_timeout: seconds of wall time a point, 0 = no limit. folder: keeps the results, the page among them, and what is
    there already is not run again; without one nothing is kept. check: raise the error of the first point that failed; otherwise
    failed points are in the table.
    """
    program = program or Program()
    scenes = [scene] if isinstance(scene, (str, os.PathLike)) else list(scene)
    spec: dict[str, Any] = {
        "name": "sweep", "scene": [str(_located(s, program)) for s in scenes],
        "set": {**{k: [text_of(v)] for k, v in (settings or {}).items()}, **{k: [text_of(v) for v in vs] for k, vs in vary.items()}},
    }
    if figures:
        spec["figures"] = {_named(name)[0]: {"formula": formula, "unit": _named(name)[1]} for name, formula in figures.items()}
    if where:
        spec["where"] = list(where)
    if link:
        spec["link"] = [list(keys) for keys in link]
    if space:
        spec["space"] = dict(space)
    with tempfile.TemporaryDirectory(prefix="rtvp-") as name:
        out = pathlib.Path(folder) if folder is not None else pathlib.Path(name) / "out"
        file = pathlib.Path(name) / "sweep.json"
        file.write_text(json.dumps(spec), encoding="utf-8")
        words = ["sweep", str(file), f"--out={out}", f"--jobs={jobs}", f"--timeout={text_of(point_timeout)}", "--quiet"]
        status, text, said = program.status_of(words + (["--quality"] if quality else []))
        # Points that fail leave a status, too; a sweep that was refused has not told how many there are.
        if " points, " not in text or (check and status != 0):
            raise error_of(status or 70, said or text, [str(program.path), *words])
        return read_sweep(out)


def read_sweep(folder: Path) -> Sweep:
    """The results that `platform sweep` left in a folder."""
    path = pathlib.Path(folder) / "sweep.sqlite"
    if not path.is_file():
        raise FileNotFoundError(f"{path}: found no such file, expected the database of a sweep")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
        try:
            points = [_point(base, *row) for row in base.execute(
                "SELECT position, point.id, status, message, warnings FROM result JOIN point ON point.id = result.point"
                " ORDER BY position")]
            units = dict(base.execute("SELECT DISTINCT name, unit FROM figure ORDER BY position, name"))
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path}: {error}; expected the database of a sweep by a program of this package's age") from error
    values: dict[str, set[str]] = {}
    for point in points:
        for key, value in point.settings.items():
            values.setdefault(key, set()).add(value)
    varied = [key for key, seen in values.items() if len(seen) > 1]
    return Sweep(points, _ordered(varied, folder), {name: units[name] for name in _ordered(list(units), folder)})


def _located(scene: Path, program: Program) -> pathlib.Path:
    """The file itself, or the installed one of that name, where `platform run` would find it; else the name, for the message."""
    shared = program.path.resolve().parent.parent / "share" / "rtvp"
    for place in (pathlib.Path(scene), shared / scene, shared / "scenes" / scene):
        if place.is_file():
            return place.absolute()
    return pathlib.Path(scene).absolute()


def _point(base: sqlite3.Connection, position: int, point: int, status: int, message: str, warnings: str) -> Point:
    settings = dict(base.execute("SELECT key, value FROM setting WHERE position = ?", (position,)))
    figures = dict(base.execute("SELECT name, value FROM figure WHERE position = ?", (position,)))
    statistics = [Figure(path, _whole(value), unit) for path, value, unit in
                  base.execute("SELECT path, value, unit FROM stat WHERE point = ?", (point,))] if status == 0 else []
    return Point(settings, status, message, figures, Statistics(statistics), json.loads(warnings))


def _ordered(names: list[str], folder: Path) -> list[str]:
    """In the order of sweep.csv, which is the sweep's own."""
    with (pathlib.Path(folder) / "sweep.csv").open(encoding="utf-8", newline="") as lines:
        head = [_named(column)[0] for column in next(csv.reader(lines), [])]
    return sorted(names, key=lambda name: head.index(name) if name in head else len(head))


def _named(column: str) -> tuple[str, str]:
    """"rays [1/s]" -> "rays", "1/s"."""
    name, bracket, unit = column.partition("[")
    return (name.strip(), unit.strip().removesuffix("]")) if bracket else (column, "")


def _whole(value: float) -> Union[int, float]:
    """The database holds doubles; what is whole and exact in one was a count."""
    return int(value) if value.is_integer() and abs(value) <= 2**53 else value


def _numbers(texts: list[str]) -> list[Any]:
    for kind in (int, float):
        try:
            return [kind(text) for text in texts]
        except ValueError:
            continue
    return list(texts)
