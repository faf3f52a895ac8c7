"""One run of one scene."""

from __future__ import annotations

import html
import os
import pathlib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional, Union

from rtvp.errors import error_of
from rtvp.hits import Hits, read_hits
from rtvp.pictures import Picture, read_picture
from rtvp.program import Program, Value, setting_words, text_of
from rtvp.statistics import Statistics, read_statistics, statistics_of

Path = Union[str, os.PathLike[str]]
#: Keyword of run() -> parameter that it sets. A test holds them against the program's own table.
KEYWORDS = {
    "engine": "engine", "machines": "computer.machines", "computer": "computer.file", "assign": "computer.assign",
    "hosts": "system.hosts", "size": "render.size", "crop": "render.crop", "spp": "render.spp", "depth": "render.depth",
    "shade": "render.shade", "dsps": "tigershark.dsps", "boards": "tigershark.boards",
}


@dataclass(frozen=True)
class Run:
    """What a run left."""

    picture: Picture
    statistics: Statistics         #: figures; the same for equal runs
    configuration: dict[str, Any]  #: the value of every parameter that may change a result
    configuration_hash: str        #: equal for equal configurations
    host: dict[str, Any]           #: what differs between equal runs: wall time, command, speed settings
    hits: Optional[Hits]           #: primary hits, if they were asked for
    summary: str                   #: the screen that the program prints
    warnings: list[str]
    command: list[str]

    @property
    def simulated_seconds(self) -> float:
        """How long the machines took."""
        return self.statistics["simulated_time_ps"] / 1e12

    def _repr_html_(self) -> str:
        import base64
        png = base64.b64encode(self.picture.png()).decode("ascii")
        return (f'<img alt="picture" src="data:image/png;base64,{png}"><pre>{html.escape(self.summary)}</pre>'
                + "".join(f"<p>warning: {html.escape(w)}</p>" for w in self.warnings))


def run(scene: Path, settings: Optional[Mapping[str, Value]] = None, *, engine: Optional[str] = None, machines: Optional[str] = None,
        computer: Optional[Path] = None, assign: Optional[str] = None, hosts: Optional[int] = None,
        size: Optional[tuple[int, int]] = None, crop: Optional[tuple[int, int, int, int]] = None, spp: Optional[int] = None,
        depth: Optional[int] = None, shade: Optional[str] = None, dsps: Optional[int] = None, boards: Optional[int] = None,
        hits: bool = False, config: Optional[Path] = None, timeout: Optional[float] = None, program: Optional[Program] = None) -> Run:
    """Renders a scene on simulated machines.

    scene: a file, or the name of a scene that is installed. settings: any parameter of Program.parameters() by its key, also
    outputs such as "output.trace". config: a file of parameters, or a stats.json whose run is made again; keywords and settings win
    over it. The other keywords are the program's options of the same name. timeout: seconds of wall time.

    Raises InputError, MachineFault, LimitError or ProgramError with the program's message, subprocess.TimeoutExpired,
    ProgramNotFound.
    """
    program = program or Program()
    given: dict[str, Any] = {
        "engine": engine, "machines": machines, "computer": computer, "assign": assign, "hosts": hosts,
        "size": None if size is None else f"{size[0]}x{size[1]}", "crop": None if crop is None else ",".join(map(str, crop)),
        "spp": spp, "depth": depth, "shade": shade, "dsps": dsps, "boards": boards,
    }
    words = ["run", os.fspath(scene), "--no-progress"]
    if config is not None:
        words.append(f"--config={os.fspath(config)}")
    words += [f"--{name}={text_of(value)}" for name, value in given.items() if value is not None]
    words += setting_words(settings)
    with tempfile.TemporaryDirectory(prefix="rtvp-") as name:
        folder = pathlib.Path(name)
        picture, statistics, table = folder / "picture.ppm", folder / "stats.json", folder / "hits.csv"
        words += [f"--output={picture}", f"--stats={statistics}"]
        if hits:
            words.append(f"--hits={table}")
        output = program.call(words, timeout=timeout)
        document = read_statistics(statistics)
        return Run(read_picture(picture), statistics_of(document), document["configuration"], document["configuration_hash"],
                   document["host"], read_hits(table) if hits else None, output.text, output.warnings, output.command)


@dataclass(frozen=True)
class Difference:
    """How far two pictures are apart."""

    pixels: int
    differing: int
    largest: int    #: of a channel, 0 to 255
    psnr_db: float  #: infinity if they are equal


def compare(a: Path, b: Path, *, program: Optional[Program] = None) -> Difference:
    """Compares two pictures of equal size, as `platform compare` does."""
    program = program or Program()
    output = program.call(["compare", os.fspath(a), os.fspath(b)])
    match = re.match(r"pixels (\d+), differing (\d+), largest difference (\d+), PSNR (\S+)", output.text)
    if match is None:
        raise error_of(70, f"platform: error: found {output.text!r}, expected the words of `platform compare`", output.command)
    psnr = float("inf") if match.group(4) == "infinite" else float(match.group(4))
    return Difference(int(match.group(1)), int(match.group(2)), int(match.group(3)), psnr)
