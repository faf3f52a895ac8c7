"""Pictures of docs/architecture.md as SVG. Arrows of the house are those of the build: link_graph.txt says what links what."""
import html
import pathlib
import re

FONT = "font-family='Helvetica,Arial,sans-serif'"
INK, LINE, FILLS = "#1f2933", "#52606d", {"app": "#dbe7f6", "shell": "#dff0e0", "core": "#fdf1d3", "base": "#ececf1", "side": "#f7e3e3"}

# Rooms of the house: name, what is in it, row, column, width in columns, kind; folders, or targets of folders with several rooms.
ROOMS = [
    ("commands", "run, compare, machines, map, doctor", 0, 0, 5, "app", r"rtvp_(commands|platform_app|revision)"),
    ("sweep", "points, workers, tables, pages", 0, 5, 2, "app", r"platform/sweep"),
    ("machines", "computers, assignment, registry; the debugger's session", 1, 0, 5, "app", r"platform/(machines|debug)"),
    ("drivers", "one folder a device: registers, DMA, interrupts", 2, 0, 4, "app", r"platform/drivers"),
    ("reference", "right pictures", 2, 4, 1, "app", r"platform/reference"),
    ("options", "one table: --set, help, files", 2, 5, 2, "app", r"rtvp_(platform_options|trace_output)"),
    ("ray tree", "rays, order, shading, framebuffer", 3, 0, 5, "app", r"platform/raytree"),
    ("scene", "parsers, materials, lights", 3, 5, 2, "app", r"platform/scene"),
    ("TigerSHARK board", "array, vote, chain, S5933", 4, 0, 2, "shell", r"rtvp_(tigershark(_array)?|s5933)"),
    ("C32 module", "", 4, 2, 1, "shell", r"rtvp_c32_unit"),
    ("THEIA unit", "", 4, 3, 1, "shell", r"rtvp_theia_unit"),
    ("XPHMG_RT", "unit and hart", 4, 4, 1, "shell", r"rtvp_xphmg_(unit|hart_module|mailbox)"),
    ("implicit unit", "", 4, 5, 1, "shell", r"rtvp_implicit_unit"),
    ("SL unit", "", 4, 6, 1, "shell", r"rtvp_sl_unit"),
    ("C32 cores", "scalar, blocks, SIMT; assembler, linker", 5, 0, 3, "core", r"rtvp_(c32(_isa|_link|_debug|_analysis|_blocks|_simt)?|tigershark_map)"),
    ("THEIA core", "", 5, 3, 1, "core", r"rtvp_theia(_map)?"),
    ("RT core, RV64", "", 5, 4, 1, "core", r"rtvp_(xphmg(_data|_hart|_batch|_map)?|rv64)"),
    ("tapes, tracer", "", 5, 5, 1, "core", r"rtvp_implicit(_registers|_import|_vector|_render|_views|_core|_map)?"),
    ("SL machine", "", 5, 6, 1, "core", r"rtvp_sl(_tool|_c32|_core|_map)?"),
    ("debug", "units, stops", 6, 0, 1, "base", r"models/debug"),
    ("common", "registers, TLM-2.0 helpers, memory, interconnect, PCI", 6, 1, 4, "base", r"models/common"),
    ("report, inputs", "pictures, statistics, traces", 6, 5, 2, "base", r"platform/(report|inputs)"),
]
COLUMN, HEIGHT, GAP_X, GAP_Y, MARGIN = 132, 54, 16, 40, 14
# Beside the rows: who may know whom.
ROWS = {0: "application", 4: "shells: sc_module, sockets, time", 5: "cores: plain C++", 6: "for all"}


def text(x, y, words, size=13, anchor="middle", bold=False, colour=INK):
    weight = " font-weight='bold'" if bold else ""
    return f"<text x='{x:g}' y='{y:g}' {FONT} font-size='{size}' text-anchor='{anchor}' fill='{colour}'{weight}>{html.escape(words)}</text>"


def wrapped(words, width):
    """Lines of at most `width` letters."""
    lines = [""]
    for word in words.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = (lines[-1] + " " + word).strip()
    return lines


def box(x, y, width, height, title, under, kind, size=13):
    parts = [f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='6' fill='{FILLS[kind]}' stroke='{LINE}'/>"]
    lines = [(line, True) for line in wrapped(title, int(width / 7.6))] + [(line, False) for line in wrapped(under, int(width / 5.6)) if line]
    top = y + height / 2 - (len(lines) - 1) * 7.5 + 4.5
    for i, (line, bold) in enumerate(lines):
        parts.append(text(x + width / 2, top + 15 * i, line, size if bold else 11, bold=bold))
    return "".join(parts)


def svg(width, height, parts, title):
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:g} {height:g}' width='{width:g}' height='{height:g}' role='img'>"
            f"<title>{html.escape(title)}</title><rect width='100%' height='100%' fill='white'/>"
            f"<defs><marker id='a' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
            f"<path d='M0,0 L8,4 L0,8 z' fill='{LINE}'/></marker></defs>")
    return head + "\n" + "\n".join(parts) + "\n</svg>\n"


def line(x1, y1, x2, y2, dashed=False):
    dash = " stroke-dasharray='4 3'" if dashed else ""
    return f"<path d='M{x1:g},{y1:g} L{x2:g},{y2:g}' stroke='{LINE}' stroke-width='1.2' fill='none' marker-end='url(#a)'{dash}/>"


# ---- the house

def room_of(target, folder):
    for index, room in enumerate(ROOMS):
        if re.fullmatch(room[6], target) or re.fullmatch(room[6], folder):
            return index
    return None


def links_of(graph):
    """Pairs of rooms, by the build's link_graph.txt; targets of no room (firmware images, programs) are passed through."""
    links, folders, current = {}, {}, None
    for row in graph.read_text(encoding="utf-8").splitlines():
        words = row.split()
        if words[0] == "target":
            current = words[1]
            links[current], folders[current] = set(), words[2] if len(words) > 2 else ""
        elif words[0] == "link" and words[1].startswith("rtvp::"):
            links[current].add("rtvp_" + words[1][6:])

    def rooms_behind(target, seen):
        found = set()
        for other in links.get(target, ()):
            room = room_of(other, folders.get(other, ""))
            if room is not None:
                found.add(room)
            elif other not in seen:
                found |= rooms_behind(other, seen | {other})
        return found

    pairs = set()
    for target, folder in folders.items():
        room = room_of(target, folder)
        if room is not None and folder.split("/")[0] in ("platform", "models"):
            pairs |= {(room, other) for other in rooms_behind(target, {target}) if other != room}
    return pairs


def reduced(pairs):
    """Without arrows that others imply. The rooms have no cycle; one would be a mistake of ROOMS, or of the house."""
    after = {a: {b for x, b in pairs if x == a} for a in range(len(ROOMS))}

    def reaches(a, b, without):
        todo, seen = [x for x in after[a] if (a, x) != without], set()
        while todo:
            x = todo.pop()
            if x == b:
                return True
            if x not in seen:
                seen.add(x)
                todo += after[x]
        return False

    for room in range(len(ROOMS)):
        if reaches(room, room, None):
            raise SystemExit(f"docs: {ROOMS[room][0]} uses itself through others: scripts/site/figures.py, ROOMS")
    return sorted(p for p in pairs if not reaches(p[0], p[1], p))


LEFT = 116  # of the rooms: words and ways past rooms are beside them
BASE = 6    # what everybody may use: arrows to it from afar would hide the others


def frame_of(room):
    _, _, row, column, span, _, _ = ROOMS[room]
    return LEFT + column * (COLUMN + GAP_X), MARGIN + row * (HEIGHT + GAP_Y), span * COLUMN + (span - 1) * GAP_X, HEIGHT


def arrow(a, b):
    """From a room to one in its row or the next."""
    xa, ya, wa, ha = frame_of(a)
    xb, yb, wb, _ = frame_of(b)
    if ya == yb:
        y = ya + ha / 2
        return line(xa + wa, y, xb - 1, y) if xa < xb else line(xa, y, xb + wb + 1, y)
    low, high = max(xa, xb), min(xa + wa, xb + wb)
    if low < high:
        return line((low + high) / 2, ya + ha, (low + high) / 2, yb - 1)
    right = xb > xa
    return line(xa + wa - 20 if right else xa + 20, ya + ha, xb + 20 if right else xb + wb - 20, yb - 1)


def house(graph):
    width = LEFT + 7 * COLUMN + 6 * GAP_X + 40
    parts, far = [], set()
    for a, b in reduced(links_of(graph)):
        rows = ROOMS[b][2] - ROOMS[a][2]
        empty = not any(r[2] == ROOMS[a][2] + 1 and r[3] < ROOMS[a][3] + ROOMS[a][4] and ROOMS[a][3] < r[3] + r[4] for r in ROOMS)
        if rows <= 1 or (rows == 2 and empty and ROOMS[a][3] == ROOMS[b][3]):
            parts.append(arrow(a, b))
        elif ROOMS[b][2] != BASE:
            far.add((a, ROOMS[b][2]))
    # To all of a row: along the side on which the room lies.
    for lane, (a, row) in enumerate(sorted(far)):
        x, y, w, h = frame_of(a)
        left = ROOMS[a][3] == 0
        side = LEFT - 14 - 9 * lane if left else width - 22 + 9 * lane
        start, end = (x, LEFT - 5) if left else (x + w, width - 34)
        there = MARGIN + row * (HEIGHT + GAP_Y) + 10
        parts.append(f"<path d='M{start:g},{y + h / 2:g} L{side:g},{y + h / 2:g} L{side:g},{there:g} L{end:g},{there:g}' stroke='{LINE}'"
                     " stroke-width='1.2' fill='none' marker-end='url(#a)'/>")
    for row in sorted({row for _, row in far}):
        y = MARGIN + row * (HEIGHT + GAP_Y) - 5
        parts.append(f"<rect x='{LEFT - 5:g}' y='{y:g}' width='{width - LEFT - 29:g}' height='{HEIGHT + 10:g}' rx='8' fill='none'"
                     f" stroke='{LINE}' stroke-dasharray='3 3'/>")
    parts += [box(*frame_of(i), room[0], room[1], room[5]) for i, room in enumerate(ROOMS)]
    for first, words in ROWS.items():
        y = MARGIN + first * (HEIGHT + GAP_Y) + HEIGHT / 2 - 12
        for i, part in enumerate(wrapped(words, 12)):
            parts.append(text(4, y + 14 * i, part, 11, "start", colour=LINE))
    return svg(width, MARGIN * 2 + 7 * HEIGHT + 6 * GAP_Y, parts, "The house: what uses what")


# ---- ways: boxes one after the other, in rows that turn like a plough

WAYS = {
    "ray": ("A ray's way", [
        ("scene", "platform/scene: triangles, lights, materials", "app"),
        ("ray tree", "platform/raytree: eye rays, Hilbert order, batches", "app"),
        ("HitFinder", "raytree/hit_finder.hpp: submit, done, take", "app"),
        ("driver", "drivers/tigershark: 8 words a ray, TI floats", "app"),
        ("PCI bus, S5933", "bus master DMA into the add-on FIFO", "shell"),
        ("PLD, serial chain", "words to node 0, passed on to their node", "shell"),
        ("C32 firmware", "firmware/tigershark: records of the database", "side"),
        ("vote, barrier", "one box for all: who wants in?", "shell"),
        ("results", "3 words a hit, chain and FIFO, interrupt", "shell"),
        ("merge", "nearest (t, primitive) of pages and boards", "app"),
        ("shading", "host, SL unit or the boards; new rays", "app"),
        ("picture", "framebuffer, hits, statistics, cost map", "app"),
    ]),
    "instruction": ("An instruction's way", [
        ("source", "firmware/*.asm, or yours", "side"),
        ("c32-as, c32-ld", "one table of instructions: c32/isa_table", "core"),
        ("COFF image", "words, symbols, lines", "side"),
        ("SRAM", "loaded through PCI, copied at boot", "shell"),
        ("fetch", "internal RAM, or a cycle on the shared bus", "shell"),
        ("decode", "the same table; once, then by address", "core"),
        ("execute", "scalar, blocks, or SIMT: all lanes at once", "core"),
        ("cycles", "pipeline rules, wait states, conflicts", "core"),
        ("shared access", "all lanes, same cycle, same address, or a report", "shell"),
        ("simulated time", "cycles become sc_time where others can see", "shell"),
        ("debugger, trace", "stops, waves, profile by symbol and line", "app"),
        ("statistics", "cycles = busy + waits by cause + idle", "app"),
    ]),
}


def way(name):
    title, steps = WAYS[name]
    columns, width, height, gap_x, gap_y = 4, 218, 66, 34, 40
    parts = []

    def corner(i):
        row, column = divmod(i, columns)
        if row % 2:
            column = columns - 1 - column
        return MARGIN + column * (width + gap_x), MARGIN + row * (height + gap_y)

    for i, (head, under, kind) in enumerate(steps):
        x, y = corner(i)
        parts.append(box(x, y, width, height, f"{i + 1}  {head}", under, kind))
        if i + 1 < len(steps):
            nx, ny = corner(i + 1)
            if ny == y:
                parts.append(line(x + width, y + height / 2, nx - 1, y + height / 2) if nx > x else
                             line(x, y + height / 2, nx + width + 1, y + height / 2))
            else:
                parts.append(line(x + width / 2, y + height, nx + width / 2, ny - 1))
    rows = (len(steps) + columns - 1) // columns
    return svg(2 * MARGIN + columns * width + (columns - 1) * gap_x, 2 * MARGIN + rows * height + (rows - 1) * gap_y, parts, title)


def pictures(graph):
    """File name -> contents."""
    return {"house.svg": house(graph), "ray.svg": way("ray"), "instruction.svg": way("instruction")}


def make(graph, folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, contents in pictures(graph).items():
        (folder / name).write_text(contents, encoding="utf-8")


def differences(graph, folder):
    """Errors: pictures that are not those of this build."""
    folder = pathlib.Path(folder)
    return [f"{folder / name}: found another picture than the build's, expected that of `scripts/docs --figures`"
            for name, contents in pictures(graph).items()
            if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != contents]
