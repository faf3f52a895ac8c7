"""Primary hits: what the eye ray of each pixel met."""

from __future__ import annotations

import csv
import pathlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Optional, Union, overload

from rtvp.frames import frame_of

if TYPE_CHECKING:
    import pandas


class Hit(NamedTuple):
    """One pixel. Point = (1 - u - v) v1 + u v2 + v v3 on a triangle; t is a distance."""

    x: int
    y: int
    prim: int  #: the primitive's number in the scene, from 0; -1: nothing was met, and t, u, v are None
    t: Optional[float]
    u: Optional[float]
    v: Optional[float]


class Hits(Sequence[Hit]):
    """Hits in the order of the program's file: row by row."""

    def __init__(self, hits: list[Hit]) -> None:
        self._hits = hits

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Hits: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Hit, Hits]:
        return Hits(self._hits[index]) if isinstance(index, slice) else self._hits[index]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def __len__(self) -> int:
        return len(self._hits)

    def __repr__(self) -> str:
        return f"Hits({len(self)} pixels, {sum(h.prim >= 0 for h in self._hits)} met something)"

    def at(self, x: int, y: int) -> Hit:
        """The hit of a pixel; (0, 0) is the top left. KeyError if the run did not render it."""
        for hit in self._hits:
            if (hit.x, hit.y) == (x, y):
                return hit
        raise KeyError(f"pixel {x},{y} was not rendered")

    def frame(self) -> pandas.DataFrame:
        """A data frame with the columns x, y, prim, t, u, v. Needs pandas."""
        return frame_of(self._hits, Hit._fields)


def read_hits(path: pathlib.Path) -> Hits:
    """A file that `platform --hits` wrote."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = csv.reader(lines)
        head: list[str] = next(table, [])
        if head != list(Hit._fields):
            raise ValueError(f"{path}:1: found {','.join(head)!r}, expected {','.join(Hit._fields)!r}")
        return Hits([Hit(int(x), int(y), int(prim), _number(t), _number(u), _number(v)) for x, y, prim, t, u, v in table])


def _number(text: str) -> Optional[float]:
    return float(text) if text else None
