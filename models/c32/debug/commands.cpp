// See commands.hpp.
#include "models/c32/debug/commands.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "models/c32/asm/expression.hpp"
#include "models/c32/debug/report.hpp"
#include "models/c32/float40.hpp"

namespace rtvp::c32 {
namespace {

/// A command that cannot be done; what() is printed.
class BadCommand : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::string Commands::help() {
  return "run | continue            until something stops the program\n"
         "step [N]                  N instructions (1)\n"
         "next                      one instruction, a call with all it does\n"
         "finish                    until the subroutine returns\n"
         "until PLACE               until PLACE is reached\n"
         "break PLACE [SKIP]        stop in front of PLACE, SKIP times not\n"
         "watch ADDRESS [WORDS] [r|w|rw]  stop behind an access (w)\n"
         "delete ID                 remove a breakpoint or watchpoint\n"
         "info                      breakpoints and watchpoints\n"
         "regs                      all registers\n"
         "print EXPRESSION          symbols, registers, $ = PC, operators of the assembler\n"
         "mem ADDRESS [WORDS]       memory as words; memf as C32 floats\n"
         "dis [PLACE [WORDS]]       instructions\n"
         "set REGISTER VALUE        integer or PC; setf R0 1.5 for floats\n"
         "poke ADDRESS VALUE        memory\n"
         "interrupt N               pulse on pin INTn\n"
         "trace on|off              a line for each instruction\n"
         "count on|off              executions and cycles, for the three below\n"
         "profile | lines | coverage\n"
         "cycle                     the cycle counter\n"
         "stats                     cycles by cause\n"
         "echo TEXT | help | quit\n"
         "PLACE: a symbol, an expression, or FILE:LINE.\n";
}

std::uint32_t Commands::value(const std::string& text) const {
  const Cpu& cpu = session_.machine().cpu();
  const Image& image = session_.image();
  const SymbolLookup lookup = [&](const std::string& name, std::size_t at) {
    if (name == "$") return Value::of(static_cast<std::int32_t>(cpu.pc()));
    if (const auto symbol = image.find(name)) return Value::of(static_cast<std::int32_t>(*symbol));
    if (const int number = registerNumber(name); number >= 0)
      return Value::of(static_cast<std::int32_t>(cpu.registerValue(static_cast<unsigned>(number))));
    throw SourceError(at, "no symbol or register '" + name + "'");
  };
  try {
    Scanner scanner(text, 0);
    const Value v = parseExpression(scanner, lookup);
    if (!scanner.atEnd()) scanner.fail("end of the expression");
    if (v.isFloat) throw BadCommand("found a float, expected an integer");
    return static_cast<std::uint32_t>(v.integer);
  } catch (const SourceError& error) {
    throw BadCommand(error.what());
  }
}

std::uint32_t Commands::location(const std::string& text) const {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return value(text) & kAddressMask;
  const std::string file = text.substr(0, colon);
  const std::uint32_t line = value(text.substr(colon + 1));
  const Image& image = session_.image();
  const LineEntry* best = nullptr;
  for (const LineEntry& e : image.lines) {
    const std::string& name = image.files[e.file];
    const bool same = name == file || (name.size() > file.size() && name.ends_with("/" + file));
    if (same && e.line >= line && (best == nullptr || e.line < best->line)) best = &e;
  }
  if (best == nullptr) throw BadCommand("no code at line " + text);
  return best->address;
}

void Commands::report(StopReport stop) {
  print_(stop.text + "\n");
  last_ = std::move(stop);
}

bool Commands::runCommand(const Words& w) {
  const std::string& op = w[0];
  if (op == "run" || op == "continue" || op == "r" || op == "c") {
    report(session_.run());
  } else if (op == "step" || op == "s") {
    session_.ignoreHere();
    report(session_.run(w.size() > 1 ? value(w[1]) : 1));
  } else if (op == "next" || op == "n") {
    session_.ignoreHere();
    report(session_.next());
  } else if (op == "finish") {
    session_.ignoreHere();
    report(session_.finish());
  } else if (op == "until" && w.size() == 2) {
    const int id = session_.addBreakpoint(location(w[1]), 0, true);
    session_.ignoreHere();
    report(session_.run());
    session_.remove(id);
  } else {
    return false;
  }
  return true;
}

bool Commands::stopCommand(const Words& w) {
  const std::string& op = w[0];
  if ((op == "break" || op == "b") && w.size() >= 2 && w.size() <= 3) {
    const std::uint32_t address = location(w[1]);
    const int id = session_.addBreakpoint(address, w.size() > 2 ? value(w[2]) : 0);
    print_("breakpoint " + std::to_string(id) + " at " + session_.placeOf(address) + "\n");
  } else if (op == "watch" && w.size() >= 2 && w.size() <= 4) {
    const std::string& kind = w.back();
    const bool named = w.size() > 2 && (kind == "r" || kind == "w" || kind == "rw");
    const std::uint32_t first = value(w[1]) & kAddressMask;
    const bool counted = w.size() == (named ? 4u : 3u);
    const std::uint32_t words = counted ? value(w[2]) : 1;
    if (words == 0 || words > kAddressMask) throw BadCommand("found a bad number of words");
    const int id = session_.addWatchpoint({first, first + words - 1}, named && kind != "w",
                                          !named || kind != "r");
    print_("watchpoint " + std::to_string(id) + " on " + session_.placeOf(first) + "\n");
  } else if (op == "delete" && w.size() == 2) {
    if (!session_.remove(static_cast<int>(value(w[1])))) throw BadCommand("no such id " + w[1]);
  } else if (op == "info") {
    for (const Breakpoint& b : session_.breakpoints())
      print_(std::to_string(b.id) + " break " + session_.placeOf(b.address) + ", hit " +
             std::to_string(b.hits) + " times\n");
    for (const Watchpoint& p : session_.watchpoints())
      print_(std::to_string(p.id) + " watch " + session_.placeOf(p.range.first) + ", hit " +
             std::to_string(p.hits) + " times\n");
  } else {
    return false;
  }
  return true;
}

bool Commands::showCommand(const Words& w) {
  const std::string& op = w[0];
  const Machine& machine = session_.machine();
  if (op == "regs") {
    print_(registerText(machine.cpu()));
  } else if ((op == "mem" || op == "memf") && w.size() >= 2 && w.size() <= 3) {
    constexpr std::uint32_t kMost = 65536;
    const std::uint32_t count = w.size() > 2 ? value(w[2]) : 8;
    print_(memoryText(machine, value(w[1]) & kAddressMask, std::min(count, kMost), op == "memf"));
  } else if (op == "dis" && w.size() <= 3) {
    constexpr std::uint32_t kMost = 65536;
    const std::uint32_t count = w.size() > 2 ? value(w[2]) : 10;
    print_(disassemblyText(session_, w.size() > 1 ? location(w[1]) : machine.cpu().pc(),
                           std::min(count, kMost)));
  } else if (op == "cycle") {
    print_(std::to_string(machine.cpu().cycle()) + "\n");
  } else if (op == "stats") {
    print_(statisticsText(machine.cpu()));
  } else if (op == "profile") {
    print_(profileBySymbol(session_));
  } else if (op == "lines") {
    print_(profileByLine(session_));
  } else if (op == "coverage") {
    print_(coverageText(session_));
  } else if (op == "help") {
    print_(help());
  } else {
    return false;
  }
  return true;
}

void Commands::traceTo(const std::string& what) {
  if (what == "off") {
    session_.trace = nullptr;
    return;
  }
  print_(Session::traceHeader() + "\n");
  session_.trace = [this](const std::string& line) { print_(line + "\n"); };
}

bool Commands::changeCommand(const Words& w) {
  const std::string& op = w[0];
  const bool onOff = w.size() == 2 && (w[1] == "on" || w[1] == "off");
  Machine& machine = session_.machine();
  if (op == "trace" && onOff) {
    traceTo(w[1]);
  } else if (op == "count" && onOff) {
    session_.counting = w[1] == "on";
  } else if ((op == "set" || op == "setf") && w.size() == 3) {
    const int number = registerNumber(w[1]);
    if (op == "setf") {
      if (number < 0 || number > reg::R7) throw BadCommand("found '" + w[1] + "', expected R0-R7");
      char* end = nullptr;
      const double real = std::strtod(w[2].c_str(), &end);
      if (*end != '\0') throw BadCommand("found '" + w[2] + "', expected a number");
      machine.cpu().setExtended(static_cast<unsigned>(number), extendedFromDouble(real));
    } else if (w[1] == "PC" || w[1] == "pc") {
      machine.cpu().setPc(location(w[2]));
    } else if (number >= 0) {
      machine.cpu().setRegister(static_cast<unsigned>(number), value(w[2]));
    } else {
      throw BadCommand("found '" + w[1] + "', expected a register");
    }
  } else if (op == "poke" && w.size() == 3) {
    machine.poke(value(w[1]) & kAddressMask, value(w[2]));
  } else if (op == "interrupt" && w.size() == 2) {
    constexpr Cycle kPulse = 2;
    const std::uint32_t n = value(w[1]);
    if (n > 3) throw BadCommand("found '" + w[1] + "', expected 0 to 3");
    machine.cpu().setInterruptLine(n, true, machine.cpu().cycle());
    machine.cpu().setInterruptLine(n, false, machine.cpu().cycle() + kPulse);
  } else {
    return false;
  }
  return true;
}

bool Commands::single(const std::string& text) {
  const Words words = split(text);
  if (words.empty() || words[0][0] == '#') return true;
  const std::string& op = words[0];
  try {
    if (op == "quit" || op == "q") {
      quit_ = true;
      return true;
    }
    if (op == "echo") {
      print_(text.substr(std::min(text.size(), text.find("echo") + 5)) + "\n");
      return true;
    }
    if (op == "print" || op == "p") {
      if (words.size() < 2) throw BadCommand("found no expression");
      const std::uint32_t v = value(text.substr(text.find(op) + op.size()));
      char line[64];
      std::snprintf(line, sizeof line, "%08x  %d\n", v, static_cast<std::int32_t>(v));
      print_(line);
      return true;
    }
    if (runCommand(words) || stopCommand(words) || showCommand(words) || changeCommand(words))
      return true;
    throw BadCommand("found '" + op + "' with " + std::to_string(words.size() - 1) +
                     " operands, expected a command (help lists them)");
  } catch (const BadCommand& error) {
    print_("error: " + std::string(error.what()) + "\n");
    return false;
  }
}

bool Commands::execute(const std::string& line) {
  std::size_t from = 0;
  while (from <= line.size() && !quit_) {
    const std::size_t end = std::min(line.find(';', from), line.size());
    if (!single(line.substr(from, end - from))) return false;
    from = end + 1;
  }
  return true;
}

}  // namespace rtvp::c32
