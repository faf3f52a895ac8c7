// Commands about breakpoints, watches and other stops.
#include <algorithm>
#include <limits>

#include "models/common/core/text.hpp"
#include "models/debug/dialogue.hpp"

namespace rtvp::debug {
namespace {

constexpr std::string_view kClauses =
    "  [on UNIT] [if CONDITION] [skip N] [every N] [once] [group NAME] [log \"TEXT\"]\n"
    "  [do { COMMANDS }]\n"
    "    on UNIT       this unit only\n"
    "    if CONDITION  only when it is true (help expressions)\n"
    "    skip N        lets N of them pass\n"
    "    every N       stops at every Nth of them only\n"
    "    once          is deleted when it has stopped the machine\n"
    "    group NAME    for enable, disable and delete\n"
    "    log \"TEXT\"    prints it and goes on; {R0.f} in it: the value of an expression\n"
    "    do { ... }    these commands when it stops; run among them goes on\n";

/// Commands of a stop, as they will be read when it has stopped a unit like `unit`.
void checkActions(Dialogue& d, const std::string& actions, std::size_t unit) {
  const std::size_t focus = d.focus();
  d.setFocus(unit);
  try {
    d.check(actions);
  } catch (const CommandError&) {
    d.setFocus(focus);
    throw;
  }
  d.setFocus(focus);
}

void clauses(Dialogue& d, Words& words, Stop& stop) {
  stop.focus = words.focus();
  while (!words.end()) {
    if (words.accept("on")) {
      stop.unit = words.unit();
    } else if (words.accept("if")) {
      stop.condition = words.expression();
    } else if (words.accept("skip")) {
      stop.skip = static_cast<std::uint64_t>(words.integer(0, 1'000'000'000'000));
    } else if (words.accept("every")) {
      stop.every = static_cast<std::uint64_t>(words.integer(1, 1'000'000'000'000));
    } else if (words.accept("once")) {
      stop.once = true;
    } else if (words.accept("group")) {
      stop.group = words.word("a name");
    } else if (words.accept("log")) {
      const std::size_t column = words.column() + 1;
      stop.message = words.quotedText();
      try {
        checkMessage(stop.message, d.scope(), stop.focus);
      } catch (const CommandError& error) {
        throw CommandError(error.what(), column + error.column());
      }
    } else if (words.accept("do")) {
      stop.actions = words.block();
      checkActions(d, stop.actions, stop.focus);
    } else {
      words.fail("on, if, skip, every, once, group, log, do or the end");
    }
  }
}

Stop placeStop(Dialogue& d, Words& words, bool once) {
  Stop stop;
  stop.kind = Stop::Kind::Place;
  const bool here = words.end() || words.peek() == "if" || words.peek() == "do" ||
                    words.peek() == "log" || words.peek() == "every";
  stop.first = here ? d.unit().pc() : words.place();
  stop.head = "break " + common::hex0x(stop.first);
  stop.once = once;
  words.setFocus(d.program().runnerOf(stop.first, words.focus()));
  if (words.number()) stop.skip = static_cast<std::uint64_t>(words.integer(0, 1'000'000'000'000));
  clauses(d, words, stop);
  return stop;
}

/// `watch ADDRESS [WORDS] [r|w|rw|change]`, `watch REGISTER`, `watch [ADDRESS]`.
Stop watchStop(Dialogue& d, Words& words) {
  Stop stop;
  const std::size_t column = words.column();
  const Expression what = words.expression();
  if (what.form() != Expression::Form::Other) {
    stop.kind = Stop::Kind::Value;
    stop.expression = what;
    stop.head = "watch " + what.text();
  } else {
    const Value value = what.evaluate(d.moment());
    if (value.isReal) throw CommandError("found a real number, expected an address", column);
    const std::uint64_t mask = d.unit().addressMask();
    stop.kind = Stop::Kind::Access;
    stop.first = static_cast<std::uint64_t>(value.integer) & mask;
    std::int64_t count = 1;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    if (words.number())
      count = words.integer(1, mask < kMost ? static_cast<std::int64_t>(mask) + 1 : kMost);
    stop.last = std::min(stop.first + static_cast<std::uint64_t>(count) - 1, mask);
    const auto how = words.oneOf({"r", "w", "rw", "change"});
    stop.onRead = how && (*how == 0 || *how == 2);
    stop.onWrite = !how || *how != 0;
    stop.onChange = how && *how == 3;
    stop.head = "watch " + common::hex0x(stop.first) + " " + std::to_string(count) +
                (stop.onChange ? " change"
                 : stop.onRead ? stop.onWrite ? " rw" : " r"
                               : " w");
  }
  if (words.accept("value")) {
    // A condition of its own: what was written, or what it has become.
    const std::string wanted = words.expression().text();
    const std::string text = "new == (" + wanted + ")";
    std::size_t at = 0;
    stop.condition = Expression::parse(text, at, d.scope(), d.focus());
  }
  clauses(d, words, stop);
  return stop;
}

std::string eventList(Dialogue& d) {
  std::string text = "if";
  for (const EventKind& e : d.world().events()) text += ", " + std::string(e.name);
  return text;
}

Stop otherStop(Dialogue& d, Words& words) {
  Stop stop;
  if (words.accept("if")) {
    stop.kind = Stop::Kind::Condition;
    stop.expression = words.expression();
    stop.head = "stop if " + stop.expression->text();
    clauses(d, words, stop);
    return stop;
  }
  for (const EventKind& e : d.world().events()) {
    if (!words.accept(e.name)) continue;
    stop.kind = Stop::Kind::Event;
    stop.event = e.name;
    stop.head = "stop " + stop.event;
    if (!e.operand.empty() && words.number()) {
      stop.threshold = words.integer(0, std::numeric_limits<std::int64_t>::max());
      stop.head += " " + std::to_string(*stop.threshold);
    }
    clauses(d, words, stop);
    return stop;
  }
  words.fail(eventList(d));
}

std::string where(Dialogue& d, const Stop& s) {
  switch (s.kind) {
    case Stop::Kind::Place:
      return "at " + d.place(s.first);
    case Stop::Kind::Access:
      return "on " + d.place(s.first);
    case Stop::Kind::Value:
      return "on " + s.expression->text();
    case Stop::Kind::Condition:
      return "if " + s.expression->text();
    default:
      return "on " + s.head.substr(5);
  }
}

Action enter(Dialogue& d, Stop stop) {
  return [&d, stop = std::move(stop)]() mutable {
    const Stop& s = d.watcher().stops().add(stop);
    d.watcher().changed();
    d.print(std::string(s.noun()) + " " + std::to_string(s.id) + " " + where(d, s) + "\n");
  };
}

/// A command about stops by number, group or "all".
auto forNamed(Dialogue& d, std::function<void(Dialogue&, const std::vector<int>&)> what,
              bool allByDefault) {
  return [&d, what = std::move(what), allByDefault](Words& words) -> Action {
    std::string name = "all";
    if (!words.end() || !allByDefault) name = words.word("a number, a group or all");
    return [&d, what, name] {
      std::vector<int> ids;
      for (const Stop* s : d.watcher().stops().named(name)) ids.push_back(s->id);
      if (ids.empty() && name != "all")
        throw CommandError("found " + common::quoted(name) + ", expected a stop or a group (info)");
      what(d, ids);
      d.watcher().changed();
    };
  };
}

void setEnabled(Dialogue& d, const std::vector<int>& ids, bool enabled) {
  for (const int id : ids) d.watcher().stops().find(id)->enabled = enabled;
}

std::string infoText(Dialogue& d) {
  std::string text;
  for (const Stop& s : d.watcher().stops().all()) {
    const std::string command = s.command(d.scope().units);
    text += std::to_string(s.id) + " " + command.substr(0, command.find(' ')) + " " + where(d, s);
    if (s.kind == Stop::Kind::Access)
      text +=
          " to " + common::hex(s.last, d.unit().addressDigits()) + s.head.substr(s.head.rfind(' '));
    text += command.substr(std::min(s.head.size(), command.size()));
    text += ", hit " + std::to_string(s.hits) + (s.hits == 1 ? " time" : " times");
    text += s.enabled ? "\n" : ", disabled\n";
  }
  for (std::size_t u = 0; u < d.scope().units.size(); ++u) {
    if (d.watcher().ignored(u)) text += d.scope().units[u]->name() + " is ignored\n";
  }
  return text.empty() ? "no stops\n" : text;
}

}  // namespace

Stop stopFrom(Dialogue& d, const std::string& command) {
  Words words(command, 0, d.scope(), d.focus());
  const std::string head = words.word("break, watch or stop");
  if (head == "break") return placeStop(d, words, false);
  return head == "watch" ? watchStop(d, words) : otherStop(d, words);
}

std::vector<Command> stopCommands(Dialogue& d) {
  std::vector<Command> rows;
  static const std::string kBreak =
      "  break work                 a symbol\n  break fir.asm:44           a line; :44 in this "
      "file\n"
      "  break work if R0 > 5       help expressions\n"
      "  break loop 3               lets three of them pass\n"
      "  break work do { print R1; run }\n" +
      std::string(kClauses);
  static const std::string kWatch =
      "  watch counter              behind a store into it\n"
      "  watch outputs 16 rw        16 words; r, w, rw, or change: another value only\n"
      "  watch counter value 5      when 5 is stored\n"
      "  watch AR0                  when a register changes; watch R0.f\n"
      "  watch [counter]            when the word changes, whoever writes it (DMA too)\n"
      "  watch counter if old < new\n" +
      std::string(kClauses);
  rows.push_back({"break",
                  {"b"},
                  "stops",
                  "[PLACE]",
                  "stops in front of a place",
                  kBreak,
                  Command::Operand::Place,
                  false,
                  [&d](Words& w) { return enter(d, placeStop(d, w, false)); }});
  rows.push_back({"tbreak",
                  {"tb"},
                  "stops",
                  "PLACE",
                  "as break, once",
                  "  tbreak work\n",
                  Command::Operand::Place,
                  false,
                  [&d](Words& w) { return enter(d, placeStop(d, w, true)); }});
  rows.push_back({"watch",
                  {"w"},
                  "stops",
                  "ADDRESS [WORDS] [r|w|rw|change] | REGISTER | [ADDRESS]",
                  "stops behind an access, or when a value changes",
                  kWatch,
                  Command::Operand::Expression,
                  false,
                  [&d](Words& w) { return enter(d, watchStop(d, w)); }});
  static std::string_view kStop =
      "  stop if R0 == 5 && [counter] > 3   as soon as it becomes true\n"
      "  help stops lists what else this machine can stop at\n";
  rows.push_back({"stop",
                  {},
                  "stops",
                  "if CONDITION | EVENT [N]",
                  "stops when a condition becomes true, or at an event of the machine",
                  kStop,
                  Command::Operand::Expression,
                  false,
                  [&d](Words& w) { return enter(d, otherStop(d, w)); }});
  rows.push_back({"delete",
                  {"d"},
                  "stops",
                  "[ID | GROUP]",
                  "removes a stop; alone all of them",
                  "  delete 2; delete slow; delete\n",
                  Command::Operand::Stop,
                  false,
                  forNamed(
                      d,
                      [](Dialogue& x, const std::vector<int>& ids) {
                        for (const int id : ids) x.watcher().stops().remove(id);
                      },
                      true)});
  rows.push_back(
      {"enable",
       {},
       "stops",
       "ID | GROUP | all",
       "makes it work again",
       "  enable 2\n",
       Command::Operand::Stop,
       false,
       forNamed(
           d, [](Dialogue& x, const std::vector<int>& ids) { setEnabled(x, ids, true); }, false)});
  rows.push_back(
      {"disable",
       {},
       "stops",
       "ID | GROUP | all",
       "keeps it without stopping there",
       "  disable slow\n",
       Command::Operand::Stop,
       false,
       forNamed(
           d, [](Dialogue& x, const std::vector<int>& ids) { setEnabled(x, ids, false); }, false)});
  rows.push_back({"condition",
                  {},
                  "stops",
                  "ID [CONDITION]",
                  "another condition for a stop; none without",
                  "  condition 1 R0 > 5\n",
                  Command::Operand::Stop,
                  false,
                  [&d](Words& w) -> Action {
                    const auto id = static_cast<int>(w.integer(1, 1'000'000'000));
                    if (const Stop* const stop = d.watcher().stops().find(id))
                      w.setFocus(stop->focus);
                    std::optional<Expression> condition;
                    if (!w.end()) condition = w.expression();
                    return [&d, id, condition] {
                      Stop* const stop = d.watcher().stops().find(id);
                      if (stop == nullptr)
                        throw CommandError("found no stop " + std::to_string(id) + " (info)");
                      stop->condition = condition;
                    };
                  }});
  rows.push_back({"skip",
                  {},
                  "stops",
                  "ID N",
                  "lets the next N of them pass",
                  "  skip 1 100\n",
                  Command::Operand::Stop,
                  false,
                  [&d](Words& w) -> Action {
                    const auto id = static_cast<int>(w.integer(1, 1'000'000'000));
                    const auto count = static_cast<std::uint64_t>(w.integer(0, 1'000'000'000'000));
                    return [&d, id, count] {
                      Stop* const stop = d.watcher().stops().find(id);
                      if (stop == nullptr)
                        throw CommandError("found no stop " + std::to_string(id) + " (info)");
                      stop->skip = count;
                    };
                  }});
  rows.push_back({"info",
                  {"i", "stops"},
                  "stops",
                  "",
                  "all stops, and how often they were met",
                  "",
                  Command::Operand::None,
                  false,
                  [&d](Words&) -> Action { return [&d] { d.print(infoText(d)); }; }});
  return rows;
}

}  // namespace rtvp::debug
