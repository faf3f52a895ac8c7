"""Copies the tree's pages to where mkdocs reads them, with links that are right there.

docs/X becomes X, any other page keeps its path. A link to a folder becomes one to its README; files that pages link to are copied,
source files as text. What cannot be resolved is an error with its place.
"""
import html
import pathlib
import posixpath
import re
import shutil
import subprocess

# A link or picture outside code; [text](target "title").
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)((?:\s+\"[^\"]*\")?)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
TAG = re.compile(r"(<(?:img|a)\b[^>]*\b(?:src|href)=)\"([^\"]+)\"")
PAGE = re.compile(r"(README)?(\.md)(?=#|$)")
CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
AS_THEY_ARE = {".png", ".svg", ".jpg", ".json", ".csv", ".txt", ".html", ".ipynb"}
# Pages of tests' data are for who works on these tests.
LEFT_OUT = ("tests/data/", "build/")


def place(path):
    """Path in the site of a path in the tree."""
    if path == "README.md":  # beside index.md it would be the same page
        return "about.md"
    return path[len("docs/"):] if path.startswith("docs/") else path


def made(match):
    """The end of a page's name, as mkdocs makes it."""
    return "index.html" if match.group(1) else ".html"


def barred(match):
    """Code in a table's cell: CommonMark takes the backslash off a bar there, Python-Markdown shows it."""
    marks, code = match.group(1), match.group(0)
    if "\\|" not in code:
        return code
    return "<code>" + html.escape(code[len(marks):-len(marks)].strip(), quote=False).replace("\\|", "&#124;") + "</code>"


class Stage:
    def __init__(self, root, out):
        self.root, self.out = pathlib.Path(root), pathlib.Path(out)
        listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                                capture_output=True, text=True).stdout.split("\n")
        self.files = {name for name in listed if name and (self.root / name).is_file()}
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePosixPath(name).parents}
        self.pages = sorted(name for name in self.files if name.endswith(".md") and not name.startswith(LEFT_OUT))
        self.errors = []
        self.wanted = set()
        self.lists = set()

    def run(self):
        shutil.rmtree(self.out, ignore_errors=True)
        for page in self.pages:
            target = self.out / place(page)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self.translated(page), encoding="utf-8")
        for folder in sorted(self.lists):
            self.listing(folder)
        for name in sorted(self.wanted):
            target = self.out / self.asset(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.root / name, target)
        return self.errors

    def listing(self, folder):
        """A page for a folder that has none, with links to its files."""
        names = sorted(name for name in self.files if posixpath.dirname(name) == folder)
        self.wanted |= set(names)
        there = place(folder)
        (self.out / there).mkdir(parents=True, exist_ok=True)
        rows = [f"- [{posixpath.basename(name)}]({posixpath.relpath(self.asset(name), there)})" for name in names]
        (self.out / there / "README.md").write_text(f"# {folder}\n\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def asset(self, name):
        path = pathlib.PurePosixPath(name)
        return place(name) if path.suffix in AS_THEY_ARE else "source/" + name + ".txt"

    def translated(self, page):
        lines, fenced = [], False
        text = (self.root / page).read_text(encoding="utf-8")
        # A link's words may go over a line's end.
        for number, line in enumerate(text.split("\n"), 1):
            if FENCE.match(line):
                fenced = not fenced
            if not fenced and not line.startswith("    "):
                self.separate(lines, line)
                if line.startswith("|") and "\\|" in line:
                    line = CODE.sub(barred, line)
            lines.append(line)
        return self.linked(page, "\n".join(lines))

    @staticmethod
    def separate(lines, line):
        """A list or table begins behind an empty line: CommonMark does not ask for it, Python-Markdown does."""
        if not lines or not lines[-1].strip():
            return
        before = lines[-1]
        begins_list = re.match(r"^(?:[-*] |\d+\. )", line) and not re.match(r"^\s*(?:[-*] |\d+\. )", before) \
            and not before.startswith(" ")
        begins_table = line.startswith("|") and not before.startswith("|")
        if begins_list or begins_table:
            lines.append("")

    def linked(self, page, text):
        kept = []

        def keep(match):
            kept.append(match.group(0))
            return f"\x00{len(kept) - 1}\x00"

        text = re.sub(r"(?ms)^\s*(```|~~~).*?^\s*\1\s*$", keep, text)
        text = CODE.sub(keep, text)
        text = LINK.sub(lambda m: f"{m.group(1)}({self.target(page, m.group(2))}{m.group(3)})", text)
        # HTML inside a page: mkdocs leaves it alone, so links are the made page's.
        text = TAG.sub(lambda m: f'{m.group(1)}"{PAGE.sub(made, self.target(page, m.group(2)))}"', text)
        while "\x00" in text:
            text = re.sub(r"\x00(\d+)\x00", lambda m: kept[int(m.group(1))], text)
        return text

    def target(self, page, link):
        if re.match(r"^(?:[a-z]+:|#|//)", link):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if path in self.folders and path not in self.files:
            path += "/README.md"
            if path not in self.files:
                self.lists.add(posixpath.dirname(path))
                there = place(path)
                return posixpath.relpath(there, posixpath.dirname(place(page)) or ".")
        if path not in self.files:
            if path.startswith("docs/manuals/"):  # made for the site, not in the tree
                there = place(path)
                return posixpath.relpath(there, posixpath.dirname(place(page)) or ".") + ("#" + anchor if anchor else "")
            self.errors.append(f"{page}: found the link '{link}', expected a file or a folder with a README.md")
            return link
        if path in self.pages:
            there = place(path)
        else:
            self.wanted.add(path)
            there = self.asset(path)
        return posixpath.relpath(there, posixpath.dirname(place(page)) or ".") + ("#" + anchor if anchor else "")
