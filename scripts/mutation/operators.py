"""The mutation operators: what one changed line may look like, and how the change is switched at run time.

A site is (operator, begin, end, after, switched): columns of the line that are replaced, by `after` in the mutant alone and by
`switched` (with N for the mutant's number) in the program that holds them all.
"""
import re

from mutation import source

PAIRS = {"<": ("<=", "LtLe"), "<=": ("<", "LeLt"), ">": (">=", "GtGe"), ">=": (">", "GeGt"), "==": ("!=", "EqNe"),
         "!=": ("==", "NeEq"), "+": ("-", "AddSub"), "-": ("+", "SubAdd"), "*": ("/", "MulDiv"), "/": ("*", "DivMul"),
         "%": ("*", "ModMul"), "&": ("|", "AndOr"), "|": ("&", "OrAnd"), "^": ("|", "XorOr"), "<<": (">>", "ShlShr"),
         ">>": ("<<", "ShrShl")}
NAMES = {"<": "comparison", ">": "comparison", "=": "comparison", "!": "comparison", "+": "arithmetic", "-": "arithmetic",
         "*": "arithmetic", "/": "arithmetic", "%": "arithmetic", "&": "mask", "|": "mask", "^": "mask"}
BINARY = re.compile(r"(?<=[\w\)\]\}\"] )(<=|>=|==|!=|<<|>>|[-<>+*/%&|^])(?= |$)")
LITERAL = re.compile(r"(?<![\w.'])(0[xX][0-9A-Fa-f']+|0[bB][01']+|\d[\d']*)([uUlLzZ]*)(?![\w.'])")
REAL = re.compile(r"(?<![\w.'])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)([fF]?)(?![\w.'])")
BOOL = re.compile(r"\b(true|false)\b")
CALL = re.compile(r"(?<![\w.:>~])((?:\w+(?:\.|->|::))*\w+)\(")
SIMPLE = re.compile(r"[A-Za-z_][\w.:\[\]]*(?:->\w+)*")
STATEMENT = re.compile(r"^\s+(?:\+\+|--)?[A-Za-z_][\w.:]*(?:(?:->|\.)\w+|\[[^\[\]]*\]|\([^()]*\))*\s*"
                       r"(=|\+=|-=|\*=|/=|\|=|&=|\^=|<<=|>>=|\+\+|--|\().*;$")
KEYWORDS = re.compile(r"^\s*(return|using|throw|break|continue|case|default|delete|goto|else|if|for|while|do|switch|co_\w+|"
                      r"static_assert|typedef|friend|public|private|protected|template|explicit|virtual|constexpr|const|auto|"
                      r"static|struct|class|enum|namespace|extern|SC_\w+|EXPECT\w*)\b")
IF = re.compile(r"\bif \(")
EXTREME = re.compile(r"std::(min|max)\(")
TEXT = re.compile(r'"( *)"')
FORMULA = re.compile(r"[a-z_)] ([*/]) [a-z_0-9(]")
NOT_CODE = re.compile(r"\b(static_assert|template|operator|requires|using|typedef|namespace|concept)\b|^\s*#")
ITEM = re.compile(r"<[^<>;()]*>")
STREAM = re.compile(r"\b(out|err|os|stream|text|file|log|page|cout|cerr|hex|dec|left|right|setw\(.*?\)|setfill\(.*?\)|size)\s*<<|"
                    r"^\s*<<")


def _ternary(after, before):
    return "(rtvp_mutant::on(N) ? %s : %s)" % (after, before)


def _binary(line, code):
    for found in BINARY.finditer(code):
        symbol = found[1]
        if symbol in ("+", "-") and re.search(r'"\s*$', code[:found.start()]) or code[found.end():].lstrip().startswith('"'):
            continue
        if symbol in ("<<", ">>") and ('"' in line or "'" in line or STREAM.search(code)):
            continue
        if symbol == "+" and '"' in line:
            continue
        after, name = PAIRS[symbol]
        kind = "shift" if symbol in ("<<", ">>") else NAMES[symbol[0]]
        yield kind, found.start(), found.end(), after, "%s rtvp_mutant::Swap<N, rtvp_mutant::%s>{} %s" % (symbol, name, symbol)


def _whole(text):
    digits = text.replace("'", "")
    return int(digits, 0) if not re.fullmatch(r"0\d+", digits) else int(digits, 8)


def _literals(code, choose):
    types = [(m.start(), m.end()) for m in ITEM.finditer(code) if m.start() > 0 and code[m.start() - 1] not in " <"]
    for found in LITERAL.finditer(code):
        if any(a < found.start() < b for a, b in types):
            continue
        value, hexadecimal = _whole(found[1]), found[1][:2] in ("0x", "0X")
        changes = [value + 1] + ([value - 1] if value else []) + ([value >> 1] if hexadecimal and value > 15 else [])
        change = changes[choose(len(changes))]
        digits = "0x%0*X" % (len(found[1].replace("'", "")) - 2, change) if hexadecimal else str(change)
        yield "constant", found.start(), found.end(), digits + found[2], _ternary(digits + found[2], found[0])
    for found in REAL.finditer(code):
        value = float(found[1])
        after = repr(value * 2 if abs(value) > 1e6 or 0 < abs(value) < 1e-3 else value + 1) + found[2]
        yield "constant", found.start(), found.end(), after, _ternary(after, found[0])
    for found in BOOL.finditer(code):
        after = "false" if found[1] == "true" else "true"
        yield "constant", found.start(), found.end(), after, _ternary(after, found[0])


def _conditions(line, code):
    for found in IF.finditer(code):
        begin = found.end() - 1
        end = source.closing(code, begin)
        inside = code[begin + 1:end]
        if end < 0 or ";" in inside or re.search(r"(?<![=!<>])=(?!=)", inside):
            continue
        text = line[begin + 1:end]
        yield ("condition", begin + 1, end, "!(%s)" % text, "rtvp_mutant::on(N) != static_cast<bool>(%s)" % text)


def _statements(line, code, previous):
    if not STATEMENT.match(code) or KEYWORDS.match(code) or not re.search(r"[;{}:)]$|\belse$|^$", previous):
        return
    if re.match(r"^\s*[\w:<>,&*]+ [\w:*&]+\s*[=({;]", code) or code.count("(") != code.count(")") or code.count("{") != code.count("}"):
        return
    begin = len(line) - len(line.lstrip())
    # With a comment behind it the statement ends where the code does.
    text = line[begin:len(code.rstrip())]
    yield "statement", begin, begin + len(text), ";", "{ if (!rtvp_mutant::on(N)) { %s } }" % text
    for old, new in ((" += ", " -= "), (" -= ", " += "), ("++", "--"), ("--", "++"), (" |= ", " &= "), (" &= ", " |= ")):
        if old in code and '"' not in code:
            after = text.replace(old, new, 1)
            yield ("assignment", begin, begin + len(text), after,
                   "{ if (rtvp_mutant::on(N)) { %s } else { %s } }" % (after, text))
            break


def _calls(line, code):
    for found in CALL.finditer(code):
        if re.search(r"[\w>&*] ?$", code[:found.start()]) and not re.search(r"(return|=|[-+*/<>] )\s*$", code[:found.start()]):
            continue
        begin = found.end() - 1
        end = source.closing(code, begin)
        if end < 0:
            continue
        inside = line[begin + 1:end].split(", ")
        if len(inside) != 2 or inside[0] == inside[1] or not all(SIMPLE.fullmatch(a) for a in inside):
            continue
        before, after = line[found.start():end + 1], "%s(%s, %s)" % (found[1], inside[1], inside[0])
        yield "arguments", found.start(), end + 1, after, _ternary(after, before)
    for found in EXTREME.finditer(code):
        end = source.closing(code, found.end() - 1)
        if end < 0:
            continue
        before = line[found.start():end + 1]
        after = before.replace("std::" + found[1], "std::max" if found[1] == "min" else "std::min", 1)
        yield "arguments", found.start(), end + 1, after, _ternary(after, before)


def _formulas(line, code):
    for found in TEXT.finditer(code):
        text = line[found.start():found.end()]
        sign = FORMULA.search(text)
        if sign and "\\" not in text:
            after = text[:sign.start(1)] + {"*": "/", "/": "*"}[sign[1]] + text[sign.end(1):]
            yield "formula", found.start(), found.end(), after, _ternary(after, text)


def sites(line, code, previous, choose):
    """All sites of a line; `code` is the line masked, `previous` the masked line before that holds anything."""
    if NOT_CODE.search(code) or not code.strip():
        return []
    return [*_binary(line, code), *_literals(code, choose), *_conditions(line, code), *_statements(line, code, previous),
            *_calls(line, code), *_formulas(line, code)]
