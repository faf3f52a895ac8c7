"""Manuals from the programs' own tables: options of every tool, instruction sets, parameters, statistics, registers."""
import html
import json
import re
import subprocess

MANUALS = {  # program with --manual -> what its page is called
    "c32-as": "Instructions of the TMS320C32", "c32-run": "Options of the C32 model", "theia-as": "Instructions of THEIA",
    "sl-as": "Instructions of SL", "sdf-tape": "Tapes of implicit surfaces",
}
NOT_TOOLS = ("bench_", "test_", "fuzz_")


def cell(text):
    """Text in a table's cell."""
    return html.escape(str(text), quote=False).replace("|", "\\|").replace("\n", " ")


class Manuals:
    def __init__(self, programs, out):
        self.programs, self.out = programs, out

    def said(self, program, *arguments, fails=False):
        done = subprocess.run([str(self.programs / program), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0 and not fails:
            raise SystemExit(f"docs: {program} {' '.join(arguments)}: status {done.returncode}: {done.stderr.strip()}")
        return done.stdout if done.returncode == 0 else None

    def tools(self):
        """Those that print a manual page."""
        found = []
        for path in sorted(self.programs.iterdir()):
            if path.is_file() and not path.name.startswith(NOT_TOOLS) and (self.said(path.name, "--man", fails=True) or "").startswith(".TH"):
                found.append(path.name)
        return found

    def write(self, name, title, text):
        (self.out / f"{name}.md").write_text(f"# {title}\n\n{text.rstrip()}\n", encoding="utf-8")

    def run(self):
        self.out.mkdir(parents=True, exist_ok=True)
        for program, title in MANUALS.items():
            text = self.said(program, "--manual")
            text = text.split("\n", 1)[1] if text.startswith("# ") else text
            self.write(program, title, f"*Printed by `{program} --manual`, from the table that the model runs on.*\n\n{text}")
        self.parameters()
        self.statistics()
        self.registers()
        self.tool_pages()

    def parameters(self):
        rows = json.loads(self.said("platform", "params", "--json"))
        groups = {}
        for row in rows:
            groups.setdefault(row["key"].split(".")[0] if "." in row["key"] else "engine", []).append(row)
        text = ["*From the table behind `platform params`. `--set KEY=VALUE` sets any of them, some have a short option. Parameters of one"
                " instance of several begin with its name: `tigershark0.dsps`. Those marked h are not part of a run's identity: they change"
                " neither results nor simulated time.*\n"]
        for group, members in groups.items():
            text.append(f"\n## {group}\n\n| parameter | default | values | unit | meaning |\n|---|---|---|---|---|")
            for row in members:
                option = f" `{row['option']}`" if row.get("option") else ""
                default = {True: "on", False: "off", "": "-"}.get(row["default"], row["default"])
                host = " (h)" if row["host"] else ""
                text.append(f"| `{row['key']}`{option}{host} | {cell(default)} | {cell(row['range'])} | {cell(row['unit'])} | {cell(row['help'])} |")
        self.write("parameters", "Parameters", "\n".join(text))

    def machines(self):
        """Names of those that --machines takes."""
        rows = json.loads(self.said("platform", "params", "--json"))
        names = next(row["range"] for row in rows if row["key"] == "engine").removeprefix("one of ").split(", ")
        return [name for name in names if name != "reference"]

    def statistics(self):
        names = ",".join(self.machines())
        text, table = [f"*From the tables that stats.json is written from, as `platform --stats-help --machines {names}` prints them. Of one"
                       " machine alone the groups have no machine's name before them: `pc0.driver`.*\n"], False
        for line in self.said("platform", "--stats-help", "--machines", names).splitlines():
            row = re.match(r"^  (\S+) +(\S.*?) {2,}(\S.*)$", line)
            head = re.match(r"^(pc\*\S*): (.+)$", line)
            if row:
                if not table:
                    text.append("\n| figure | unit | meaning |\n|---|---|---|")
                text.append(f"| `{row[1]}` | {cell(row[2])} | {cell(row[3])} |")
            elif head:
                text.append(f"\n## `{head[1]}`\n\n{cell(head[2])}\n")
            else:
                text.append(cell(line))
            table = bool(row)
        self.write("statistics", "Statistics", "\n".join(text))

    def registers(self):
        said = self.said("platform", "registers", "--format", "json", fails=True)
        if said is None:
            return
        text = ["*From the tables that the devices decode with, as `platform registers` prints them (also as SystemRDL and CMSIS-SVD).*\n"]
        for block in json.loads(said)["blocks"]:
            base = "on a bus of its own" if block["base"] is None else f"at {block['base']:08x}h in a computer with this machine alone"
            text.append(f"\n## {block['name']}\n\n{cell(block['description'])}; {base}.\n\n"
                        "| offset | register | bits | reset | field | access | meaning |\n|---|---|---|---|---|---|---|")
            for reg in block["registers"]:
                first = f"{reg['offset']:x}h | `{reg['name']}` | {8 * reg['bytes']} | {reg['reset']:x}h"
                for field in reg["fields"] or [{"msb": "", "lsb": "", "name": "", "access": "", "description": ""}]:
                    bits = field["msb"] if field["msb"] == field["lsb"] else f"{field['msb']}:{field['lsb']}"
                    text.append(f"| {first} | {bits} `{field['name']}` | {field['access']} | {cell(field['description'])} |")
                    first = " | | | "
        self.write("registers", "Registers", "\n".join(text))

    def tool_pages(self):
        text = ["*Each program's own `--help`; `--man` prints a manual page, `--completion bash|zsh` what a shell completes. Where a file's"
                " name does not have to tell its format, `-` is standard input or output.*\n"]
        for tool in self.tools():
            text.append(f"\n## {tool}\n\n```text\n{self.said(tool, '--help').rstrip()}\n```")
        self.write("tools", "Every tool's options", "\n".join(text))
