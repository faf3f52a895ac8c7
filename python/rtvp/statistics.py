"""Figures of a run: dotted path, value, unit."""

from __future__ import annotations

import html
import json
import pathlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from rtvp.frames import frame_of

if TYPE_CHECKING:
    import pandas

Number = Union[int, float]


class Figure(NamedTuple):
    """One figure."""

    path: str      #: as `platform --stats-help` names it, for instance pc0.board0.array.cycles_idle
    value: Number  #: exactly what the program wrote
    unit: str      #: "" for a pure number


class Statistics(Mapping[str, Number]):
    """Figures by their path.

    A path begins with the host computer (`pc0.`), `picture.`, `scene.` or is `simulated_time_ps`. `platform --stats-help` says what
    each means. A name that is the end of exactly one path will do as well: `statistics["array.cycles_idle"]`.
    """

    def __init__(self, figures: list[Figure]) -> None:
        self._figures = {f.path: f for f in figures}

    def __getitem__(self, path: str) -> Number:
        return self.figure(path).value

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and len(self._matches(path)) == 1

    def __repr__(self) -> str:
        return f"Statistics({len(self)} figures)"

    def figure(self, path: str) -> Figure:
        """The figure of this path, or of the only path that ends with it. KeyError names what else there is."""
        matches = self._matches(path)
        if not matches:
            raise KeyError(f"{path}: no such figure; `platform --stats-help` lists them")
        if len(matches) > 1:
            raise KeyError(f"{path}: found {len(matches)} figures, expected the path of one: {', '.join(matches[:4])} ...")
        return self._figures[matches[0]]

    def unit(self, path: str) -> str:
        """Unit of a figure, "" for a pure number."""
        return self.figure(path).unit

    def rows(self) -> list[Figure]:
        """All figures, in the program's order."""
        return list(self._figures.values())

    def below(self, path: str) -> Statistics:
        """Figures of one module: below("pc0.board0.array"), their paths shortened by that."""
        start = path + "."
        return Statistics([Figure(f.path[len(start):], f.value, f.unit) for f in self.rows() if f.path.startswith(start)])

    def frame(self) -> pandas.DataFrame:
        """A data frame with the columns path, value, unit. Needs pandas."""
        return frame_of(self.rows(), Figure._fields)

    def _matches(self, path: str) -> list[str]:
        if path in self._figures:
            return [path]
        return [p for p in self._figures if p.endswith("." + path)]

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(f.path)}</td><td style='text-align:right'>{f.value}</td>"
                       f"<td>{html.escape(f.unit)}</td></tr>" for f in self.rows())
        return f"<table><tr><th>figure</th><th>value</th><th>unit</th></tr>{rows}</table>"


def statistics_of(document: Mapping[str, Any]) -> Statistics:
    """The figures of a parsed stats.json; what `host` holds is not among them, for it differs between equal runs."""
    figures = [Figure("simulated_time_ps", document["simulated_time_ps"], "ps")]
    _collect("scene", document["scene"], figures)
    _collect("picture", document["picture"], figures)
    for name, module in document["modules"].items():
        _collect(name, module, figures)
    return Statistics(figures)


def read_statistics(path: pathlib.Path) -> dict[str, Any]:
    """stats.json as Python reads it: whole numbers of any size are exact."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    version = document.get("schema_version")
    if version != 1:
        raise ValueError(f"{path}: found schema_version {version}, expected 1: this package and the program differ in age")
    return document


def _collect(path: str, node: Mapping[str, Any], figures: list[Figure]) -> None:
    units = node.get("units", {})
    for name, value in node.items():
        if name == "units":
            continue
        if isinstance(value, dict):
            _collect(f"{path}.{name}", value, figures)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            figures.append(Figure(f"{path}.{name}", value, units.get(name, "")))
