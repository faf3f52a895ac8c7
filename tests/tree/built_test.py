#!/usr/bin/env python3
"""Every C++ source below tests is named by the CMakeLists.txt of its folder or of one above, or by what all of them share: a test
that nobody builds tests nothing."""
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent


def named(source):
    """Whether a CMakeLists.txt from its folder up to tests names the file or lists its folder's sources."""
    for folder in source.parents:
        lists = folder / "CMakeLists.txt"
        if lists.exists() and (source.name in lists.read_text() or source.relative_to(folder).as_posix() in lists.read_text()):
            return True
        if folder == TESTS:
            return any(source.name in f.read_text() for f in (TESTS.parent / "cmake").glob("*.cmake"))
    return False


missing = [s for s in sorted(TESTS.rglob("*.cpp")) if not named(s)]
for source in missing:
    print(f"{source.relative_to(TESTS.parent)}: no CMakeLists.txt names it", file=sys.stderr)
sys.exit(1 if missing else 0)
