// Commands that show the machine.
#include <algorithm>
#include <cstdio>

#include "models/common/core/text.hpp"
#include "models/debug/dialogue.hpp"

namespace rtvp::debug {
namespace {

constexpr std::int64_t kMostWords = 65536;

std::string memoryText(const Unit& unit, std::uint64_t address, std::int64_t count,
                       std::size_t format) {
  std::string out;
  const unsigned digits = unit.wordBits() / 4;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t at = (address + static_cast<std::uint64_t>(n)) & unit.addressMask();
    const auto word = unit.peek(at);
    const std::string hex = word ? common::hex(*word, digits) : std::string(digits, '-');
    const std::string place = common::hex(at, unit.addressDigits());
    if (format == 0) {
      out += (n % 8 == 0 ? place + "  " : " ") + hex;
      if (n % 8 == 7 || n + 1 == count) out += "\n";
      continue;
    }
    std::string value;
    if (word && format == 1) {
      char text[32];
      std::snprintf(text, sizeof text, "%.9g", unit.real(*word, unit.wordBits()));
      value = text;
    } else if (word) {
      const std::uint64_t sign = std::uint64_t{1} << (unit.wordBits() - 1);
      value = std::to_string(static_cast<std::int64_t>((*word ^ sign) - sign));
    }
    out += place + "  " + hex + "  " + value + "\n";
  }
  return out;
}

std::string disassemblyText(Dialogue& d, std::uint64_t address, std::int64_t count) {
  const Unit& unit = *d.scope().units.at(d.program().runnerOf(address, d.focus()));
  std::string out;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t at = (address + static_cast<std::uint64_t>(n)) & unit.addressMask();
    const auto word = unit.peek(at);
    std::string line =
        common::hex(at, unit.addressDigits()) + "  " +
        (word ? common::hex(*word, unit.wordBits() / 4) : std::string(unit.wordBits() / 4, '-')) +
        "  " + (word ? unit.disassemble(at) : std::string("nothing answers"));
    line.resize(std::max<std::size_t>(line.size(), 58), ' ');
    out += line + (at == unit.pc() ? " >" : "  ") + d.program().symbolic(at);
    if (const std::string source = d.program().lineText(at); !source.empty()) out += "  " + source;
    out += "\n";
  }
  return out;
}

std::string listText(Dialogue& d, std::uint64_t address, std::int64_t around) {
  const Line* const line = d.program().lineAt(address);
  if (line == nullptr)
    throw CommandError("no source is known for " + d.place(address) + " (disassemble shows it)");
  const std::string& path = d.program().files[line->file];
  const std::vector<std::string>* const source = d.host().source(path);
  if (source == nullptr)
    throw CommandError("found no " + path +
                       ", expected it in this folder or installed: start where the sources are "
                       "(disassemble shows the code)");
  const auto here = static_cast<std::int64_t>(line->number);
  const std::int64_t last = std::min(here + around, static_cast<std::int64_t>(source->size()));
  std::string out;
  const Line* const at = d.program().lineAt(d.unit().pc());
  for (std::int64_t n = std::max<std::int64_t>(here - around, 1); n <= last; ++n) {
    const bool now = at != nullptr && at->file == line->file && at->number == n;
    char head[24];
    std::snprintf(head, sizeof head, "%5lld%s ", static_cast<long long>(n), now ? ">" : " ");
    out += head + (*source)[static_cast<std::size_t>(n - 1)] + "\n";
  }
  return out;
}

std::string whereText(Dialogue& d) {
  std::string out = "#0 " + d.place(d.unit().pc()) + "\n";
  int n = 1;
  for (const std::uint64_t caller : d.unit().callers())
    out += "#" + std::to_string(n++) + " " + d.place(caller) + "\n";
  return out;
}

/// A register or expression of all units, one row each; * marks what differs from the focus.
std::string tableText(Dialogue& d, const std::vector<Expression>& columns) {
  const auto& units = d.scope().units;
  std::vector<std::vector<std::string>> cells(units.size() + 1);
  cells[0] = {"unit", "place"};
  for (const Expression& e : columns) cells[0].push_back(e.text());
  const auto row = [&](std::size_t u) {
    std::vector<std::string> texts = {d.program().symbolic(units[u]->pc())};
    for (const Expression& e : columns) {
      try {
        texts.push_back(valueText(e.evaluate({&d.scope(), u, 0, {}, {}}), units[u]->wordBits()));
      } catch (const CommandError&) {
        texts.emplace_back("?");
      }
    }
    return texts;
  };
  const std::vector<std::string> reference = row(d.focus());
  for (std::size_t u = 0; u < units.size(); ++u) {
    std::vector<std::string> texts = row(u);
    for (std::size_t c = 0; c < texts.size(); ++c)
      if (texts[c] != reference[c]) texts[c] += " *";
    cells[u + 1] = {units[u]->name() + (u == d.focus() ? ">" : "")};
    cells[u + 1].insert(cells[u + 1].end(), texts.begin(), texts.end());
  }
  std::string out;
  for (const auto& line : cells) {
    std::string text;
    for (std::size_t c = 0; c < line.size(); ++c) {
      std::size_t width = 0;
      for (const auto& other : cells) width = std::max(width, other[c].size());
      text += line[c] + std::string(width - line[c].size() + 2, ' ');
    }
    while (text.back() == ' ') text.pop_back();
    out += text + "\n";
  }
  return out;
}

Action memory(Dialogue& d, Words& w, std::size_t format) {
  const std::uint64_t address = w.address();
  std::int64_t count = 8;
  if (w.number()) count = w.integer(1, kMostWords);
  if (const auto named = w.oneOf({"hex", "real", "int", "code"})) format = *named;
  return [&d, address, count, format] {
    d.print(format == 3 ? disassemblyText(d, address, count)
                        : memoryText(d.unit(), address, count, format));
  };
}

}  // namespace

std::vector<Command> lookCommands(Dialogue& d) {
  using Operand = Command::Operand;
  std::vector<Command> rows;
  rows.push_back({"where",
                  {"bt", "backtrace"},
                  "looking",
                  "",
                  "the place, and who called: words on the stack that a call could have left",
                  "",
                  Operand::None,
                  false,
                  [&d](Words&) -> Action { return [&d] { d.print(whereText(d)); }; }});
  rows.push_back({"list",
                  {"l"},
                  "looking",
                  "[PLACE] [LINES]",
                  "source around a place",
                  "  list; list work; list fir.asm:44 20\n",
                  Operand::Place,
                  false,
                  [&d](Words& w) -> Action {
                    std::optional<std::uint64_t> at;
                    if (!w.end()) at = w.place();
                    const std::int64_t around = w.number() ? w.integer(1, 10000) : 5;
                    return [&d, at, around] {
                      d.print(listText(d, at.value_or(d.unit().pc()), around));
                    };
                  }});
  rows.push_back({"regs",
                  {"registers"},
                  "looking",
                  "[all]",
                  "registers of the unit in focus, or of all",
                  "",
                  Operand::None,
                  false,
                  [&d](Words& w) -> Action {
                    const bool all = w.accept("all");
                    return [&d, all] {
                      for (std::size_t u = 0; u < d.scope().units.size(); ++u) {
                        if (!all && u != d.focus()) continue;
                        if (all) d.print(d.scope().units[u]->name() + "\n");
                        d.print(d.scope().units[u]->registerText());
                      }
                    };
                  }});
  rows.push_back({"print",
                  {"p"},
                  "looking",
                  "EXPRESSION",
                  "value of an expression",
                  "  print AR0-h; print R0.f; print [counter]; print R0.f * 2 > [limit].f\n"
                  "  print PC; print cycle      help expressions\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) -> Action {
                    const Expression e = w.expression();
                    return [&d, e] {
                      d.print(valueText(e.evaluate(d.moment()), d.unit().wordBits()) + "\n");
                    };
                  }});
  rows.push_back({"display",
                  {},
                  "looking",
                  "EXPRESSION",
                  "shows it at every stop",
                  "  display R0.f            undisplay ends all of them\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) -> Action {
                    const Expression e = w.expression();
                    return [&d, e] { d.displays().push_back(e); };
                  }});
  rows.push_back({"undisplay",
                  {},
                  "looking",
                  "",
                  "ends all displays",
                  "",
                  Operand::None,
                  false,
                  [&d](Words&) -> Action { return [&d] { d.displays().clear(); }; }});
  rows.push_back({"memory",
                  {"x", "mem"},
                  "looking",
                  "ADDRESS [WORDS] [hex|real|int|code]",
                  "words of memory (8)",
                  "  memory outputs 16; memory AR0 4 real\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) { return memory(d, w, 0); }});
  rows.push_back({"memf",
                  {},
                  "looking",
                  "ADDRESS [WORDS]",
                  "as memory ... real",
                  "",
                  Operand::Expression,
                  false,
                  [&d](Words& w) { return memory(d, w, 1); }});
  rows.push_back({"disassemble",
                  {"dis"},
                  "looking",
                  "[PLACE] [WORDS]",
                  "instructions (10)",
                  "  disassemble; disassemble work 20\n",
                  Operand::Place,
                  false,
                  [&d](Words& w) -> Action {
                    std::optional<std::uint64_t> at;
                    if (!w.end()) at = w.place();
                    const std::int64_t count = w.number() ? w.integer(1, kMostWords) : 10;
                    return [&d, at, count] {
                      d.print(disassemblyText(d, at.value_or(d.unit().pc()), count));
                    };
                  }});
  rows.push_back({"symbols",
                  {},
                  "looking",
                  "[TEXT]",
                  "symbols that contain a text, with values",
                  "  symbols fir\n",
                  Operand::Text,
                  false,
                  [&d](Words& w) -> Action {
                    const std::string text = w.rest();
                    return [&d, text] {
                      for (const auto& [name, value] : d.program().symbols) {
                        if (name.find(text) != std::string::npos)
                          d.print(common::hex(value, d.program().addressDigits) + "  " + name +
                                  "\n");
                      }
                    };
                  }});
  rows.push_back({"cycle",
                  {},
                  "looking",
                  "",
                  "the cycle counter",
                  "",
                  Operand::None,
                  false,
                  [&d](Words&) -> Action {
                    return [&d] { d.print(std::to_string(d.unit().cycle()) + "\n"); };
                  }});
  rows.push_back({"units",
                  {"lanes"},
                  "looking",
                  "[EXPRESSION, ...]",
                  "a row for each unit; * marks what differs from the unit in focus",
                  "  units R0, AR0, [counter]\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) -> Action {
                    std::vector<Expression> columns;
                    while (!w.end()) {
                      columns.push_back(w.expression());
                      if (!w.end() && !w.accept(",")) w.fail("','");
                    }
                    return [&d, columns] { d.print(tableText(d, columns)); };
                  }});
  rows.push_back({"unit",
                  {"dsp", "focus"},
                  "looking",
                  "UNIT",
                  "the unit that commands are about from here on",
                  "  dsp 3\n",
                  Operand::Unit,
                  false,
                  [&d](Words& w) -> Action {
                    const std::size_t u = w.unit();
                    return [&d, u] {
                      d.setFocus(u);
                      d.print(d.unit().name() + " at " + d.place(d.unit().pc()) + "\n");
                    };
                  }});
  return rows;
}

}  // namespace rtvp::debug
