"""What can go wrong, by the program's exit status."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"^platform: error: ", re.MULTILINE)


class ProgramNotFound(FileNotFoundError):
    """There is no `platform` where it was looked for."""


class PlatformError(Exception):
    """The program ended with another status than 0.

    status: its exit status; minus the signal's number if a signal ended it.
    message: what it said, without the words that open each line.
    command: what was run.
    """

    def __init__(self, status: int, text: str, command: list[str]) -> None:
        self.status = status
        self.message = _message(text) or f"ended with status {status} and said nothing"
        self.command = command
        super().__init__(self.message)


class InputError(PlatformError):
    """Status 2: a scene, an option or another input is wrong. The message says where, and what was expected."""


class MachineFault(PlatformError):
    """Status 3: firmware or a model came upon a fault. The message is the report."""


class LimitError(PlatformError):
    """Status 4: a deadlock, or `run.limit_ms` was reached. The message says who waits for what."""


class ProgramError(PlatformError):
    """Any other status: an internal error, an output that cannot be written, a signal."""


def _message(text: str) -> str:
    """From the first error on; all of it if no line says that it is one."""
    first = _PREFIX.search(text)
    return _PREFIX.sub("", text[first.start():] if first else text).strip()


def error_of(status: int, text: str, command: list[str]) -> PlatformError:
    """The exception for a status other than 0; text is what the program said on standard error."""
    kinds: dict[int, type[PlatformError]] = {2: InputError, 3: MachineFault, 4: LimitError}
    return kinds.get(status, ProgramError)(status, text, command)
