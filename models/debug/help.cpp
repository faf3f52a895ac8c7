// See help.hpp; and the completion of dialogue.hpp.
#include "models/debug/help.hpp"

#include <algorithm>
#include <array>

namespace rtvp::debug {
namespace {

constexpr std::string_view kExpressions =
    "Operators of C with C's precedence: || && | ^ & == != < <= > >= << >> + - * / % ?: and\n"
    "unary - + ! ~ *; brackets.\n"
    "  12  0x1F  1Fh  101b  1.5  'c'     numbers\n"
    "  R0  AR3  ST                       registers: the integer part, signed\n"
    "  R0.f  R0.u  R0.e                  as floating point, unsigned, the exponent\n"
    "  PC ($)  cycle  instructions       of the unit\n"
    "  counter                           a symbol: its address\n"
    "  [counter]  *AR0  [AR0+2].f        the word there; as floating point\n"
    "  dsp3.R0  dsp3.[counter]           of another unit\n"
    "  abs(x)  int(x)  real(x)           single(word): a word as floating point\n"
    "  old  new                          in the condition of a watch: before and after\n"
    "  hits                              in a condition: how often it was met, with this one\n"
    "  break loop if R1 == 3 && [counter] > 40\n"
    "  watch outputs 16 if new > old\n";

constexpr std::string_view kPlaces =
    "  work            a symbol\n"
    "  work+2  $+1     an expression; $ is the PC\n"
    "  0x40  40h       an address\n"
    "  fir.asm:44      a line; the end of the file's path is enough\n"
    "  :44             a line of the file the unit stands in\n";

bool partOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

}  // namespace

std::string helpOf(const Command& row) {
  std::string text(row.name);
  for (const std::string_view alias : row.aliases) text += ", " + std::string(alias);
  if (!row.operands.empty()) text += "   " + std::string(row.operands);
  return text + "\n  " + std::string(row.summary) + "\n" + std::string(row.details);
}

std::string helpOverview(const Dialogue& dialogue) {
  std::string out;
  constexpr std::array<std::string_view, 5> kSections = {"moves", "stops", "looking", "changing",
                                                         "session"};
  for (const std::string_view section : kSections) {
    out += std::string(section) + ":\n";
    for (const Command& c : dialogue.table()) {
      if (c.section != section) continue;
      std::string line = "  " + std::string(c.name) + " " + std::string(c.operands);
      line.resize(std::max<std::size_t>(line.size() + 2, 38), ' ');
      out += line + std::string(c.summary) + "\n";
    }
  }
  return out +
         "`;` separates commands, # begins a remark, an empty line repeats a move, a beginning is\n"
         "enough where it is unique. help COMMAND, help expressions, help places, help stops.\n"
         "First steps: break main; run; where; list; next; print R0; regs; finish; quit\n";
}

std::string helpTopic(Dialogue& dialogue, std::string_view name) {
  if (name == "expressions" || name == "expression") return std::string(kExpressions);
  if (name == "places" || name == "place") return std::string(kPlaces);
  if (name != "stops" && name != "events") return "";
  std::string out =
      "  break PLACE            in front of an instruction\n"
      "  watch ADDRESS ...      behind an access; watch REGISTER, watch [ADDRESS]: behind a "
      "change\n"
      "  stop if CONDITION      as soon as it becomes true\n";
  for (const EventKind& e : dialogue.world().events()) {
    std::string line = "  stop " + std::string(e.name) + " " + std::string(e.operand);
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    out += line + std::string(e.help) + "\n";
  }
  return out +
         "Clauses behind each: on UNIT, if CONDITION, skip N, every N, once, group NAME,\n"
         "log \"TEXT\", do { ... }.\n";
}

std::vector<std::string> Dialogue::complete(std::string_view line) const {
  // The command that the cursor is in.
  const std::size_t begin = line.find_last_of(";{");
  std::string_view text = line.substr(begin == std::string_view::npos ? 0 : begin + 1);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t from = text.size();
  while (from > 0 && (partOfName(text[from - 1]) || text[from - 1] == '-')) --from;
  std::string_view word = text.substr(from);
  std::vector<std::string> found;
  const auto offer = [&](std::string_view name) {
    if (name.starts_with(word)) found.emplace_back(name);
  };
  Command::Operand kind = Command::Operand::Command;
  if (text.find(' ') != std::string_view::npos) {
    try {
      kind = find(text.substr(0, text.find(' ')), 0).completes;
    } catch (const CommandError&) {
      return {};
    }
  }
  const bool inName = word.find('-') != std::string_view::npos;
  if (inName && kind != Command::Operand::Command) word = word.substr(word.rfind('-') + 1);
  switch (kind) {
    case Command::Operand::None:
    case Command::Operand::Text:
      break;
    case Command::Operand::Command:
      for (const Command& c : commands_) offer(c.name);
      break;
    case Command::Operand::Unit:
      for (const Unit* u : scope_.units) offer(u->name());
      break;
    case Command::Operand::Stop:
      for (const Stop& s : watcher_.stops().all()) offer(s.group);
      break;
    case Command::Operand::Expression:
      for (const Register& r : scope_.units[focus_]->registers()) offer(r.name);
      [[fallthrough]];
    case Command::Operand::Place:
      for (const auto& [name, value] : program().symbols) offer(name);
      for (const std::string& file : program().files)
        offer(std::string_view(file).substr(file.rfind('/') + 1));
      break;
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace rtvp::debug
