#!/usr/bin/env python3
"""README.md's table of programs has every program that is installed, and no other: readme_programs_test.py README.md PROGRAM..."""
import re
import sys

readme, *programs = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    section = re.search(r"^## The programs\n(.*?)^## ", file.read(), re.MULTILINE | re.DOTALL)
if section is None:
    sys.exit("found no section 'The programs', expected one with the table")
named = {name for row in re.findall(r"^\| (`.*?) \|", section.group(1), re.MULTILINE) for name in re.findall(r"`([^`]+)`", row)}
missing, unknown = sorted(set(programs) - named), sorted(named - set(programs))
if missing or unknown or not programs:
    sys.exit(f"README.md, The programs: without {missing}, but with {unknown}")
