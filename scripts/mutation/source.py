"""C++ source as mutation needs it: comments and texts blanked with every column kept, and who is declared constexpr."""
import re

CONSTEXPR = re.compile(r"\bconstexpr\b")


def masked(text):
    """The text with comments, character and string literals blanked; lines and columns stay."""
    out, i, n = list(text), 0, len(text)

    def blank(begin, end):
        for k in range(begin, min(end, n)):
            if out[k] != "\n":
                out[k] = " "

    while i < n:
        two = text[i:i + 2]
        if two == "//":
            end = text.find("\n", i)
            end = n if end < 0 else end
            blank(i, end)
        elif two == "/*":
            end = text.find("*/", i)
            end = n if end < 0 else end + 2
            blank(i, end)
        elif text[i] == '"' and i > 0 and text[i - 1] == "R":
            bracket = text.find("(", i)
            end = text.find(")" + text[i + 1:bracket] + '"', bracket)
            end = n if end < 0 else end + bracket - i + 1
            blank(i + 1, end - 1)
        elif text[i] == '"' or (text[i] == "'" and not (i > 0 and text[i - 1].isalnum())):
            end = i + 1
            while end < n and text[end] != text[i] and text[end] != "\n":
                end += 2 if text[end] == "\\" else 1
            end += 1
            blank(i + 1, end - 1)
        else:
            i += 1
            continue
        i = end
    return "".join(out)


def closing(line, begin):
    """Column of the bracket that closes the one at `begin`, or -1 if it is not on this line."""
    depth = 0
    for i in range(begin, len(line)):
        if line[i] in "([{":
            depth += 1
        elif line[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return -1


def _end(text, begin):
    """Where the declaration that begins there ends: its semicolon, or the bracket that closes its body."""
    depth = 0
    for i in range(begin, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth < 0 or (depth == 0 and text[i] == "}"):
                return i
        elif text[i] == ";" and depth == 0:
            return i
    return len(text)


def constexpr_of(lines, number):
    """Line number (from 0) of the constexpr declaration that `number` lies in, or None. `lines` are masked."""
    first = max(0, number - 400)
    text = "\n".join(lines[first:number + 400])
    here = sum(len(line) + 1 for line in lines[first:number])
    for found in reversed([f for f in CONSTEXPR.finditer(text) if f.start() < here + len(lines[number])]):
        if not text[:found.start()].endswith("if ") and _end(text, found.end()) >= here:
            return first + text.count("\n", 0, found.start())
    return None


def without_constexpr(line):
    """The declaration's line with the constexpr taken away so that what it declares is made at run time."""
    tail = line[CONSTEXPR.search(line).end():]
    function = re.match(r"[^=;{]*\w\(", tail) is not None and not re.match(r"[^(]*=", tail)
    if function:
        return CONSTEXPR.sub("" if re.match(r"\s*(static|inline)", line) else "inline", line, count=1)
    if re.search(r"\bstatic\b", line) and re.match(r"\s", line):
        return CONSTEXPR.sub("inline const", line, count=1)
    return CONSTEXPR.sub("const", line, count=1)


def without_assertion(text, line):
    """The text without the static assertion that lies on that line (from 1); lines stay."""
    begin = 0
    for _ in range(line - 1):
        begin = text.index("\n", begin) + 1
    code = masked(text)
    here, line_end = begin, code.index("\n", begin)
    begin = code.rfind("static_assert(", 0, line_end)
    end = code.find(";", begin) + 1
    if begin < 0 or end <= here:
        return text
    return text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
