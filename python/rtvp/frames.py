"""pandas, where it exists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def frame_of(rows: Iterable[Sequence[Any]], columns: Sequence[str]) -> pandas.DataFrame:
    """A data frame of these rows. Whole numbers with gaps keep to whole numbers (`Int64`), they do not become floats."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("found no pandas, expected it for data frames: apt install python3-pandas; rows() needs none") from error
    listed = [list(row) for row in rows]
    series = {}
    for i, name in enumerate(columns):
        values = [row[i] for row in listed]
        held = [v for v in values if v is not None]
        whole = bool(held) and all(isinstance(v, int) and not isinstance(v, bool) and abs(v) < 2**63 for v in held)
        gaps = whole and len(held) < len(values)
        mixed = not whole and any(isinstance(v, int) and abs(v) > 2**53 for v in held)
        series[name] = pandas.Series(values, dtype="Int64" if gaps else object if mixed else None)
    return pandas.DataFrame(series, columns=list(columns))
