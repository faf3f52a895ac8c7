// See driver.hpp.
#include "models/c32/debug/driver.hpp"

#include <algorithm>

#include "models/c32/debug/report.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint64_t kSlice = 200'000;      // instructions between two looks at Ctrl-C
constexpr unsigned kLookEvery = 4096;          // the same while every instruction is watched
constexpr std::uint64_t kSpacing = 2'000'000;  // instructions between two snapshots

}  // namespace

Driver::Driver(Session& session, debug::Host& host, std::function<bool()> interrupted,
               debug::Snapshots* snapshots)
    : session_(session),
      target_(session.machine()),
      unit_("c32", target_),
      program_(debugProgram(session.image())),
      dialogue_(*this, program_, host, "(c32) "),
      interrupted_(std::move(interrupted)),
      snapshots_(snapshots) {
  dialogue_.add(commands());
}

std::vector<debug::EventKind> Driver::events() const {
  return {{"interrupt", "[N]", "an interrupt was entered; N: its PC or a later one"}};
}

double Driver::hertz() const {
  return static_cast<double>(session_.machine().cpu().config().h1Hz);
}

void Driver::run() {
  dialogue_.open();
  if (!keep(false)) dialogue_.pause({});
  unsigned steps = 0;
  while (!dialogue_.quit()) {
    debug::Watcher& watcher = dialogue_.watcher();
    const bool touched = dialogue_.takeTouched();
    if (touched || position() >= kept_ + kSpacing) (void)keep(touched);
    if (watcher.due()) {
      last_ = StopReport{Stopped::Breakpoint, ""};
      dialogue_.pause();
      continue;
    }
    const bool slow = watcher.stepwise();
    if (interrupted_ && (!slow || ++steps % kLookEvery == 0) && interrupted_()) {
      last_ = StopReport{Stopped::Breakpoint, ""};
      dialogue_.pause(
          {debug::Standing::Reason::Interrupted, "interrupted at " + dialogue_.place(unit_.pc())});
      continue;
    }
    if (const auto ended = slow ? stepWatched() : runFree()) {
      last_ = *ended;
      dialogue_.pause(standingOf(*ended));
    }
  }
}

debug::Standing Driver::standingOf(const StopReport& ended) const {
  using Reason = debug::Standing::Reason;
  const bool failed =
      ended.why == Stopped::Fault || ended.why == Stopped::Limit || ended.why == Stopped::Deadlock;
  const auto exit = session_.machine().exitStatus();
  return {failed ? Reason::Failed : Reason::Over,
          ended.text,
          {},
          static_cast<int>(exit.value_or(failed ? 1 : 0))};
}

std::optional<StopReport> Driver::runFree() {
  const std::uint64_t most = dialogue_.watcher().move().instructions, now = unit_.instructions();
  const StopReport stop = session_.run(std::min(kSlice, most > now ? most - now : 1));
  if (stop.why == Stopped::Steps) return std::nullopt;
  return stop;
}

std::optional<StopReport> Driver::stepWatched() {
  debug::Watcher& watcher = dialogue_.watcher();
  const Cpu& cpu = session_.machine().cpu();
  const std::uint64_t instructions = cpu.statistics().instructions;
  watcher.before(0);
  if (auto ended = session_.step()) return ended;
  if (cpu.statistics().instructions != instructions) {
    watcher.after(0);
    return std::nullopt;
  }
  // An interrupt was entered: the return address lies on the stack.
  debug::Effects entry;
  entry.accesses[0] = {unit_.stackPointer(), true};
  entry.count = 1;
  watcher.event(0, "interrupt", cpu.pc(), "interrupt, at " + dialogue_.place(cpu.pc()));
  watcher.after(0, &entry);
  return std::nullopt;
}

std::vector<debug::Command> Driver::commands() {
  using debug::Action;
  using debug::Command;
  using debug::Words;
  const auto shows = [this](std::string (*text)(const Session&)) {
    return [this, text](Words&) -> Action {
      return [this, text] { dialogue_.print(text(session_)); };
    };
  };
  const auto onOff = [](Words& w) {
    const auto which = w.oneOf({"on", "off"});
    if (!which) w.fail("on or off");
    return *which == 0;
  };
  std::vector<Command> rows;
  rows.push_back({"stats",
                  {},
                  "looking",
                  "",
                  "instructions, and cycles by cause",
                  "",
                  Command::Operand::None,
                  false,
                  [this](Words&) -> Action {
                    return [this] { dialogue_.print(statisticsText(session_.machine().cpu())); };
                  }});
  rows.push_back({"trace",
                  {},
                  "looking",
                  "on | off",
                  "a line for each instruction: cycle, cost, stall causes, changes",
                  "",
                  Command::Operand::None,
                  false,
                  [this, onOff](Words& w) -> Action {
                    const bool on = onOff(w);
                    return [this, on] {
                      if (on) dialogue_.print(Session::traceHeader() + "\n");
                      session_.trace = nullptr;
                      if (!on) return;
                      session_.trace = [this](const std::string& line) {
                        dialogue_.print(line + "\n");
                      };
                    };
                  }});
  rows.push_back({"count",
                  {},
                  "looking",
                  "on | off",
                  "executions and cycles, for profile, lines and coverage",
                  "",
                  Command::Operand::None,
                  false,
                  [this, onOff](Words& w) -> Action {
                    const bool on = onOff(w);
                    return [this, on] { session_.counting = on; };
                  }});
  rows.push_back({"profile",
                  {},
                  "looking",
                  "",
                  "cycles by symbol, since count on",
                  "",
                  Command::Operand::None,
                  false,
                  shows(profileBySymbol)});
  rows.push_back({"lines",
                  {},
                  "looking",
                  "",
                  "cycles by source line",
                  "",
                  Command::Operand::None,
                  false,
                  shows(profileByLine)});
  rows.push_back({"coverage",
                  {},
                  "looking",
                  "",
                  "instructions never reached",
                  "",
                  Command::Operand::None,
                  false,
                  shows(coverageText)});
  rows.push_back({"interrupt",
                  {},
                  "changing",
                  "N",
                  "a pulse on pin INTn (0 to 3)",
                  "",
                  Command::Operand::None,
                  false,
                  [this](Words& w) -> Action {
                    constexpr Cycle kPulse = 2;
                    const auto n = static_cast<unsigned>(w.integer(0, 3));
                    return [this, n] {
                      Cpu& cpu = session_.machine().cpu();
                      cpu.setInterruptLine(n, true, cpu.cycle());
                      cpu.setInterruptLine(n, false, cpu.cycle() + kPulse);
                    };
                  }});
  return rows;
}

}  // namespace rtvp::c32
