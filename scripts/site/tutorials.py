"""Types tutorials: every block of a page into a fresh folder, as a reader would.

```sh blocks are commands, one shell for the whole page. A ```text block behind one is all that these commands print, on either
stream: `...` stands for any text of a line, a line of it alone for any lines. What stands in it behind a prompt, `(debug) run`, is
typed there. A block with title="FILE" is that file's contents.
A command that is meant to fail says so: `command || echo "status $?"`.

By itself, where there is no tree: tutorials.py PAGE PROGRAMS; exit status 1 with the page's errors.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)?([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PROMPT = re.compile(r"^\(\w+\) (.*)$", re.MULTILINE)
TITLE = re.compile(r'title="([^"]+)"')
LONGEST = 600  # seconds a page


class Step:
    def __init__(self, kind, text, line, title=None):
        self.kind, self.text, self.line, self.title, self.expected = kind, text, line, title, None


def steps_of(text):
    steps = []
    for match in BLOCK.finditer(text):
        language, rest, body = match.group(1), match.group(2), match.group(3)
        line = text.count("\n", 0, match.start()) + 1
        title = TITLE.search(rest)
        if title:
            steps.append(Step("file", body, line, title.group(1)))
        elif language == "sh":
            steps.append(Step("sh", body, line))
        elif language == "text" and steps and steps[-1].kind == "sh" and steps[-1].expected is None:
            steps[-1].expected = body
    return steps


def script_of(steps):
    lines = ["set -eu", "exec 2>&1"]
    for number, step in enumerate(steps):
        if step.kind == "file":
            lines.append(f"cat >'{step.title}' <<'END OF BLOCK {number}'\n{step.text}END OF BLOCK {number}")
        elif typed := PROMPT.findall(step.expected or ""):
            lines.append("\n".join(["{", step.text.rstrip("\n"), f"}} <<'END OF DIALOGUE {number}'", *typed, f"END OF DIALOGUE {number}"]))
        else:
            lines.append(step.text)
        lines.append(f"printf '\\001%d\\n' {number}")
    return "\n".join(lines) + "\n"


def pattern(expected):
    parts = []
    for line in expected.rstrip("\n").split("\n"):
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def check(page, programs):
    """Errors of a tutorial."""
    steps = steps_of(page.read_text(encoding="utf-8"))
    if not any(step.kind == "sh" for step in steps):
        return [f"{page}: found no block of commands"]
    with tempfile.TemporaryDirectory(prefix="rtvp-tutorial-") as name:
        folder = pathlib.Path(name)
        home = folder / "home"
        home.mkdir()
        (folder / "typed.sh").write_text(script_of(steps), encoding="utf-8")
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        try:
            done = subprocess.run(["bash", str(folder / "typed.sh")], cwd=home, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            return [f"{page}: not done after {LONGEST} seconds"]
    said = done.stdout.decode("utf-8", errors="replace")
    pieces = re.split(r"\001\d+\n", said)
    errors = []
    for number, step in enumerate(steps):
        if number >= len(pieces) - 1:
            errors.append(f"{page}:{step.line}: a command failed, status {done.returncode}: {pieces[-1].strip()[-2000:]}")
            break
        if step.expected is not None and not pattern(step.expected).fullmatch(pieces[number] if pieces[number].endswith("\n") or
                                                                              not pieces[number] else pieces[number] + "\n"):
            errors.append(f"{page}:{step.line}: found\n{pieces[number]}expected\n{step.expected}")
    return errors


if __name__ == "__main__":
    sys.exit("\n".join(check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve())) or 0)
