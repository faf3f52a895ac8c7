"""Inputs of the recorded runs that are made, not shipped: batch requests from the vectors in tests/data, programs
for the hart, TigerSHARK firmware with a fault in it. Equal bytes on every computer."""
import json
import pathlib
import shutil
import struct
import subprocess


class Numbers:
    """A sequence that no library's version changes (Knuth's MMIX constants)."""

    def __init__(self, seed):
        self.state = seed

    def word(self, bits=32):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> (64 - bits)

    def between(self, low, high):
        """A number of few decimals, so that its text is short."""
        return round(low + (high - low) * self.word(20) / 2**20, 4)


def rows(path):
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")


def lines(path, requests):
    path.write_text("".join(json.dumps(r) + "\n" for r in requests))


def pairs(text, separator):
    return dict(item.split(separator) for item in text.split())


# ---- requests of the --batch tools


def c32_requests(data):
    """Each vector of an established emulator; tests/data/c32/README.md has the registers not listed."""
    given = {f"R{n}": f"{n:02x}{0x01010101 * (n + 1):08x}" for n in range(8)}
    given |= {f"AR{n}": f"{0x10000 + 0x1000 * n:08x}" for n in range(8)}
    given |= {"DP": "00000002", "IR0": "00000003", "IR1": "00000005", "BK": "00000010",
              "SP": "00008000", "RS": "00000123", "RE": "00000124", "RC": "00000005"}
    for row in rows(data / "c32/iss_vectors.tsv"):
        yield {"pc": "0c0100", "fill": "0c800000", "regs": given | pairs(row[4], "="),
               "mem": pairs(row[5], ":") | {"0c0100": row[3]}, "steps": int(row[6])}


def c32_source(data):
    """Every line of the assembler's vectors, each behind a label of its own column."""
    yield '        .sect   "vectors",1000h,1000h\n'
    for row in rows(data / "c32/asm_vectors.tsv"):
        yield "\t" + row[0].replace("\\n", "\n") + "\n"


def theia_requests(data):
    def vector(text):
        return [text[at:at + 8] for at in (0, 8, 16)]

    for row in rows(data / "theia/alu_vectors.tsv"):
        request = {"op": row[0], "d": vector(row[3]), "s1": vector(row[4]), "s2": vector(row[5])}
        if row[6] != "-":
            request["imm"] = row[6]
        yield request


def xphmg_requests():
    """Boxes and triangles around a ray, in all formats, rounding modes, policies and flags."""
    numbers = Numbers(5)

    def encode(value, form):
        single = struct.unpack(">I", struct.pack(">f", value))[0]
        if form == "fp16":
            return struct.pack(">e", value).hex()
        if form == "bf16":
            return f"{single >> 16:04x}"
        if form == "int8":
            return f"{int(value * 8) % 256:02x}"
        return f"{single:08x}"

    for number in range(1200):
        form = ("fp32", "fp16", "bf16", "int8")[number % 4]
        width = {"fp32": 8, "int8": 2}.get(form, 4)

        def words(values, form=form, width=width):
            # One word in 64 is any pattern: infinities, NaN, subnormals.
            return [f"{numbers.word(width * 4):0{width}x}" if numbers.word(6) == 0 else
                    encode(v, form) for v in values]

        def near(low, high, count):
            return [numbers.between(low, high) for _ in range(count)]

        request = {"op": "tri" if number % 3 == 0 else "bbox", "format": form,
                   "rm": ("rne", "rtz", "rup", "rdn", "rmm")[numbers.word(16) % 5],
                   "ftz": numbers.word(1), "sat": numbers.word(1), "nan": numbers.word(2),
                   "flags": numbers.word(3),
                   "ray": words(near(-1, 1, 2) + [-4.0] + near(-.25, .25, 2) + [1.0, 0.0, 12.0])}
        if request["op"] == "bbox":
            boxes = [words(near(-2, 0, 3) + near(0, 2, 3)) for _ in range(numbers.word(3))]
            request["boxes"] = boxes + [None] * numbers.word(1)
        else:
            request["tris"] = [words(near(-3, 3, 9)) for _ in range(1 + numbers.word(2))]
        yield request


def sl_requests(root):
    numbers = Numbers(7)

    def vector():
        return [numbers.between(-1, 1) for _ in range(3)]

    texels = [[numbers.between(0, 1) for _ in range(3)] for _ in range(20)]
    for folder in ("tests/data/sl", "scenes/shaders"):
        for source in sorted((root / folder).glob("*.sl")):
            for seed in range(1, 9):
                registers = {name: vector() for name in ("N", "L", "C0", "C1", "Pw", "uv")}
                registers |= {name: numbers.between(0, 1) for name in ("Kd", "Ks", "s0", "s1")}
                yield {"program": source.read_text(), "set": registers, "seed": seed,
                       "trace": [.25, .5, .75],
                       "textures": {f"t{n}": {"w": 5, "h": 4, "texels": texels} for n in range(8)}}


def sdf_requests(root):
    numbers = Numbers(11)
    for model in sorted((root / "scenes/implicit").glob("*")):
        kind = {".sdf": "tape", ".vm": "vm"}.get(model.suffix)
        if kind is None:
            continue
        for _ in range(4):
            corners = [[numbers.between(-1, 1) for _ in range(3)] for _ in range(8)]
            yield {kind: model.read_text(),
                   "points": [[numbers.between(-1, 1) for _ in range(3)] for _ in range(32)],
                   "boxes": [c + [x + numbers.between(.01, .5) for x in c] for c in corners]}


# ---- programs


def elf(code, address=0x80000000):
    """An executable of these RV64 words; as tests/models/xphmg/hart/program.hpp makes one."""
    offset = 0x1000
    body = struct.pack(f"<{len(code)}I", *code)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 2, 243, 1, address, 64, 0, 5, 64, 56, 1, 64, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 7, offset, address, address, len(body), len(body), 0x1000)
    return head + bytes(offset - len(head)) + body


ELVES = {
    "spins": [0x0000006F],
    "sleeps": [0x10500073, 0xFFDFF06F],              # WFI, no interrupt enabled
    "waits": [0x06300293, 0x0002907B, 0x0000006F],   # XFENCE.WAIT for a ticket nobody issued
    "traps": [0x00000013, 0x00000000],
    "ends": [0x201002B7, 0x0002B423, 0x0000006F],    # EXIT := 0
    "lies": [0x200F02B7, 0x00100313, 0x0062BC23, 0x0000006F],  # reports a job it was never given
    # For each page at the end of the list 4-byte reads at 0, 4 ... 1FCh, then 8-byte reads: the value on a line, or 700h
    # and the cause of a trap. CLINT, LDS, registers of RT unit 0 and the mailbox, where there is one.
    "probe": [
        0x20100437, 0x00000297, 0x09828293, 0x30529073, 0x00000497, 0x0A448493, 0x0004E903, 0x04090263,
        0x00448493, 0x00000993, 0x013905B3, 0x0005E503, 0x038000EF, 0x00498993, 0x20000313, 0xFE69C6E3,
        0x00000993, 0x013905B3, 0x0005B503, 0x01C000EF, 0x00498993, 0x20000313, 0xFE69C6E3, 0xFBDFF06F,
        0x00043423, 0xFFDFF06F, 0x03C00393, 0x00755E33, 0x00FE7E13, 0x00A00E93, 0x01DE4463, 0x027E0E13,
        0x030E0E13, 0x01C40023, 0xFFC38393, 0xFE03D0E3, 0x00A00E13, 0x01C40023, 0x00008067, 0x34202573,
        0x70050513, 0x34102F73, 0x004F0F13, 0x341F1073, 0x30200073, 0x02000000, 0x02004000, 0x0200BE00,
        0x10000000, 0x20000000, 0x20000200, 0x20001000, 0x200F0000, 0x00000000,
    ],
}

FAULTS = {  # (file of firmware/tigershark, what stands there, what stands there instead)
    "no_hit": ("chain.asm", "LDI     @element,R0", "LDI     -1,R0"),
    "token": ("chain.asm", "ADDI    1,R0", "ADDI    2,R0"),
    "mark": ("chain.asm", "LDI     MASTER_MARK_HI,R1", "LDI     0,R1"),
    "lockstep": ("chain.asm", "LDI     PARAM_DATABASE,AR0", "LDI     @id,AR0"),
}


def firmware(folder, root, constants):
    """The sources of the TigerSHARK firmware, whole and with each fault. Where a text is no longer there, the folder
    is not made, and the run says so."""
    sources = [p for p in (root / "firmware/tigershark").glob("*") if p.suffix in (".asm", ".inc")]
    for name, (file, old, new) in (FAULTS | {"whole": (None, None, None)}).items():
        if file and old not in (root / "firmware/tigershark" / file).read_text():
            continue
        (folder / name).mkdir(parents=True)
        for source in sources:
            text = source.read_text()
            (folder / name / source.name).write_text(
                text.replace(old, new) if source.name == file else text)
        (folder / name / "protocol.inc").write_bytes(constants)


def make(folder, root, bin_folder, programs):
    """Everything into `folder`: the shipped files of tests/record/files and what is made here."""
    data = root / "tests/data"
    shutil.copytree(root / "tests/record/files", folder)
    for model in (root / "scenes/implicit").glob("*"):
        shutil.copy(model, folder)
    lines(folder / "c32_vectors.jsonl", c32_requests(data))
    (folder / "c32_vectors.asm").write_text("".join(c32_source(data)))
    lines(folder / "theia_vectors.jsonl", theia_requests(data))
    lines(folder / "xphmg_vectors.jsonl", xphmg_requests())
    lines(folder / "sl_vectors.jsonl", sl_requests(root))
    lines(folder / "sdf_vectors.jsonl", sdf_requests(root))
    for name, code in ELVES.items():
        (folder / f"{name}.elf").write_bytes(elf(code))
    for name in ("driver", "loops", "inline_trace", "queue_driver"):
        program = pathlib.Path(programs) / "xphmg" / f"{name}.elf"
        if program.exists():
            shutil.copy(program, folder)
    tool = bin_folder / "tigershark-constants"
    if tool.exists():
        constants = subprocess.run([tool], capture_output=True, check=True).stdout
        firmware(folder / "firmware", root, constants)
