// Commands that change the machine, and those about the session itself.
#include "models/common/core/text.hpp"
#include "models/common/core/unreadable.hpp"
#include "models/debug/dialogue.hpp"
#include "models/debug/help.hpp"

namespace rtvp::debug {
namespace {

void checkTarget(const Expression& target, std::size_t column) {
  if (target.form() == Expression::Form::Other)
    throw CommandError(
        "found " + common::quoted(target.text()) + ", expected a register or [address]", column);
}

/// `REGISTER = VALUE`, `[ADDRESS] = VALUE`; the sign may be left out.
Action set(Dialogue& d, Words& w, bool real) {
  const std::size_t column = w.column();
  const Expression target = w.target();
  checkTarget(target, column);
  (void)w.accept("=");
  const Expression value = w.expression();
  return [&d, target, value, real] {
    Value v = value.evaluate(d.moment());
    if (real) v = Value::of(v.asReal());
    target.assign(d.moment(), v);
    d.touch();
  };
}

Action poke(Dialogue& d, Words& w) {
  const std::uint64_t address = w.address();
  const Expression value = w.expression();
  return [&d, address, value] {
    const auto word = static_cast<std::uint64_t>(value.evaluate(d.moment()).asInteger());
    if (!d.unit().poke(address, word & 0xFFFFFFFFU))
      throw CommandError(common::hex(address, d.unit().addressDigits()) + " cannot be written");
    d.touch();
  };
}

Action help(Dialogue& d, Words& w) {
  if (w.end()) return [&d] { d.print(helpOverview(d)); };
  const std::size_t column = w.column();
  const std::string name = w.word("a command");
  if (const std::string topic = helpTopic(d, name); !topic.empty())
    return [&d, topic] { d.print(topic); };
  const Command& row = d.find(name, column);
  return [&d, text = helpOf(row)] { d.print(text); };
}

Action source(Dialogue& d, Words& w) {
  const std::string path = w.rest();
  if (path.empty()) w.fail("a file");
  return [&d, path] {
    const auto text = d.host().commands(path);
    if (!text) throw CommandError(path + ": " + common::unreadable(path, "commands"));
    d.script(*text, path);
  };
}

}  // namespace

std::vector<Command> changeCommands(Dialogue& d) {
  using Operand = Command::Operand;
  std::vector<Command> rows;
  rows.push_back({"set",
                  {},
                  "changing",
                  "REGISTER|[ADDRESS] [=] VALUE",
                  "changes a register, the PC or a word",
                  "  set R1 = 5; set R0.f = 1.5; set PC = work; set [counter] = [counter] + 1\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) { return set(d, w, false); }});
  rows.push_back({"setf",
                  {},
                  "changing",
                  "REGISTER VALUE",
                  "the same, as floating point",
                  "  setf R0 1.5\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) { return set(d, w, true); }});
  rows.push_back({"poke",
                  {},
                  "changing",
                  "ADDRESS VALUE",
                  "changes a word of memory",
                  "  poke 200h 12\n",
                  Operand::Expression,
                  false,
                  [&d](Words& w) { return poke(d, w); }});
  return rows;
}

std::vector<Command> sessionCommands(Dialogue& d) {
  using Operand = Command::Operand;
  std::vector<Command> rows;
  const auto ignoring = [&d](bool ignored) {
    return [&d, ignored](Words& w) -> Action {
      const std::size_t u = w.unit();
      return [&d, u, ignored] { d.watcher().setIgnored(u, ignored); };
    };
  };
  rows.push_back({"ignore",
                  {},
                  "stops",
                  "UNIT",
                  "nothing stops at this unit",
                  "  ignore dsp3\n",
                  Operand::Unit,
                  false,
                  ignoring(true)});
  rows.push_back(
      {"observe", {}, "stops", "UNIT", "the opposite", "", Operand::Unit, false, ignoring(false)});
  rows.push_back({"echo",
                  {},
                  "session",
                  "TEXT",
                  "prints a text",
                  "",
                  Operand::Text,
                  false,
                  [&d](Words& w) -> Action {
                    const std::string text = w.rest();
                    return [&d, text] { d.print(text + "\n"); };
                  }});
  rows.push_back({"source",
                  {},
                  "session",
                  "FILE",
                  "commands from a file, a line each",
                  "  All of it is read before any runs: a wrong one refuses the file.\n",
                  Operand::Text,
                  false,
                  [&d](Words& w) { return source(d, w); }});
  rows.push_back({"log",
                  {},
                  "session",
                  "FILE | off",
                  "everything also goes to a file",
                  "",
                  Operand::Text,
                  false,
                  [&d](Words& w) -> Action {
                    std::string path = w.rest();
                    if (path.empty()) w.fail("a file or off");
                    if (path == "off") path.clear();
                    return [&d, path] {
                      if (!d.host().log(path)) throw CommandError(path + " cannot be written");
                    };
                  }});
  rows.push_back({"help",
                  {"h", "?"},
                  "session",
                  "[COMMAND | expressions | stops | places]",
                  "explains",
                  "",
                  Operand::Command,
                  false,
                  [&d](Words& w) { return help(d, w); }});
  rows.push_back({"quit",
                  {"q", "exit"},
                  "session",
                  "",
                  "ends the session",
                  "",
                  Operand::None,
                  false,
                  [&d](Words&) -> Action { return [&d] { d.leave(); }; }});
  return rows;
}

}  // namespace rtvp::debug
