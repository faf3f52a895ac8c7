"""The installed program: where it is, how it is started, what it tells about itself."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Optional, Union

from rtvp.errors import ProgramNotFound, error_of

Value = Union[str, int, float, bool, os.PathLike[str]]
#: Seconds that a program has to end by itself once it was asked to.
_PATIENCE = 5.0


@dataclass(frozen=True)
class Output:
    """What a successful run of the program printed."""

    text: str            #: standard output
    warnings: list[str]  #: what it warned of, without the words that open each line
    command: list[str]   #: what was run


@dataclass(frozen=True)
class Parameter:
    """One parameter of `platform params`."""

    key: str
    type: str
    unit: str
    default: Value
    range: str
    help: str
    host: bool   #: a speed setting or an output: changes no result
    option: str = ""  #: its short name on the command line
    min: Optional[float] = None  #: of numbers
    max: Optional[float] = None


class Program:
    """The program `platform`.

    path: where it is; without one it is what the environment variable RTVP_PLATFORM names, else the first in PATH.
    Raises ProgramNotFound if there is none.
    """

    def __init__(self, path: Union[str, os.PathLike[str], None] = None) -> None:
        named = os.fspath(path) if path is not None else os.environ.get("RTVP_PLATFORM") or "platform"
        found = shutil.which(named)
        if found is None:
            raise ProgramNotFound(f"found no program {named!r}, expected the rtvp package, a path, or RTVP_PLATFORM=/path/of/platform")
        self.path = pathlib.Path(found).absolute()

    def __repr__(self) -> str:
        return f"Program({str(self.path)!r})"

    def call(self, arguments: Sequence[str], *, timeout: Optional[float] = None, statuses: Sequence[int] = (0,)) -> Output:
        """Runs it. Another exit status than these raises PlatformError; a run longer than timeout seconds is ended and raises
        subprocess.TimeoutExpired."""
        status, out, said, command = self._run(arguments, timeout)
        if status not in statuses:
            raise error_of(status, said, command)
        mark = "platform: warning: "
        return Output(out, [line[len(mark):] for line in said.splitlines() if line.startswith(mark)], command)

    def status_of(self, arguments: Sequence[str], *, timeout: Optional[float] = None) -> tuple[int, str, str]:
        """Runs it: exit status, standard output, standard error."""
        return self._run(arguments, timeout)[:3]

    def version(self) -> str:
        """For instance 0.1.0."""
        return self.call(["--version"]).text.split()[1]

    def parameters(self) -> dict[str, Parameter]:
        """Every parameter by its key."""
        rows = json.loads(self.call(["params", "--json"]).text)
        return {row["key"]: Parameter(**{f.name: row[f.name] for f in fields(Parameter) if f.name in row}) for row in rows}

    def machines(self, scene: Union[str, os.PathLike[str]], settings: Optional[Mapping[str, Value]] = None, *,
                 only: Sequence[str] = (), jobs: int = 1, timeout: Optional[float] = None) -> dict[str, Any]:
        """Every machine, or those of `only`, on one scene: the contents of machines.json (docs/machines)."""
        words = ["machines", os.fspath(scene), "--json", "--no-progress", f"--jobs={jobs}", *setting_words(settings)]
        if only:
            words.append("--only=" + ",".join(only))
        document: dict[str, Any] = json.loads(self.call(words, timeout=timeout).text)
        return document

    def _run(self, arguments: Sequence[str], timeout: Optional[float]) -> tuple[int, str, str, list[str]]:
        command = [str(self.path), *arguments]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   encoding="utf-8", errors="replace")
        try:
            out, said = process.communicate(timeout=timeout)
        except BaseException:  # a time limit, or the user's interrupt: the program must not go on alone
            process.terminate()
            try:
                process.communicate(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            raise
        return process.returncode, out, said, command


def text_of(value: Value) -> str:
    """As the program reads it; a float in as many digits as it takes to get the same one back."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (str, int)):
        return str(value)
    return repr(value) if isinstance(value, float) else os.fspath(value)


def setting_words(settings: Optional[Mapping[str, Value]]) -> list[str]:
    """--set for each of them."""
    return [f"--set={key}={text_of(value)}" for key, value in (settings or {}).items()]
