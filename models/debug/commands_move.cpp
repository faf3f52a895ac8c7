// Commands that set the machine in motion.
#include <array>
#include <cmath>

#include "models/debug/dialogue.hpp"

namespace rtvp::debug {
namespace {

/// `1000 cycles`, `20 instructions`, `5 us` behind `run`.
void limit(Dialogue& d, Words& words, Move& move) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  const std::int64_t count = words.integer(0, kMost);
  const Unit& unit = d.unit();
  const std::vector<std::string_view> units = {
      "cycles", "cycle", "instructions", "instruction", "ps", "ns", "us", "ms", "s"};
  const auto which = words.oneOf(units);
  if (!which) words.fail("cycles, instructions, ps, ns, us, ms or s");
  const auto n = static_cast<std::uint64_t>(count);
  if (*which < 2) {
    move.cycle = unit.cycle() + n;
  } else if (*which < 4) {
    move.instructions = unit.instructions() + n;
  } else {
    constexpr std::array<double, 5> kSeconds = {1e-12, 1e-9, 1e-6, 1e-3, 1};
    const double cycles = static_cast<double>(count) * kSeconds[*which - 4] * d.world().hertz();
    if (cycles > 1e18) words.fail("a shorter time");
    move.cycle = unit.cycle() + static_cast<std::uint64_t>(std::llround(cycles));
  }
}

std::uint64_t times(Words& words) {
  if (words.end()) return 1;
  return static_cast<std::uint64_t>(words.integer(1, 1'000'000'000'000));
}

}  // namespace

std::vector<Command> moveCommands(Dialogue& d) {
  const auto counted = [&d](Move::Kind kind) {
    return [&d, kind](Words& words) -> Action {
      Move move;
      move.kind = kind;
      move.count = times(words);
      return [&d, move] { d.move(move); };
    };
  };
  std::vector<Command> rows;
  rows.push_back({"run",
                  {"r", "continue", "c"},
                  "moves",
                  "[N cycles | N instructions | N us]",
                  "starts, or goes on, until something stops the machine",
                  "  run                  until a breakpoint, a watch, the end\n"
                  "  run 1000 cycles      so far, of the unit in focus\n"
                  "  run 20 us            simulated time; ps, ns, us, ms, s\n",
                  Command::Operand::None,
                  true,
                  [&d](Words& words) -> Action {
                    if (words.end()) return [&d] { d.move({}); };
                    // Relative to where the machine stands then.
                    Move ignored;
                    const std::size_t from = words.column();
                    limit(d, words, ignored);
                    const std::string text(words.text().substr(0, words.column()));
                    return [&d, text, from] {
                      Words again(text, from, d.scope(), d.focus());
                      Move move;
                      limit(d, again, move);
                      d.move(move);
                    };
                  }});
  rows.push_back({"step",
                  {"s", "stepi"},
                  "moves",
                  "[N]",
                  "N instructions of the unit in focus (1)",
                  "  step 10\n",
                  Command::Operand::None,
                  true,
                  counted(Move::Kind::Step)});
  rows.push_back({"next",
                  {"n"},
                  "moves",
                  "[N]",
                  "as step, a call with all it does",
                  "  next\n",
                  Command::Operand::None,
                  true,
                  counted(Move::Kind::Next)});
  rows.push_back({"finish",
                  {"fin"},
                  "moves",
                  "[N]",
                  "until the subroutine returns (N of them)",
                  "  finish; print R0     what it returned\n",
                  Command::Operand::None,
                  true,
                  counted(Move::Kind::Finish)});
  rows.push_back({"until",
                  {"u"},
                  "moves",
                  "PLACE",
                  "until the unit in focus comes to a place",
                  "  until work           a symbol; until fir.asm:44, until :44, until $+2\n",
                  Command::Operand::Place,
                  false,
                  [&d](Words& words) -> Action {
                    Move move;
                    move.kind = Move::Kind::Until;
                    move.address = words.place();
                    return [&d, move] { d.move(move); };
                  }});
  const auto reversed = [&d](Reverse::Kind kind) {
    return [&d, kind](Words& words) -> Action {
      Reverse how;
      how.kind = kind;
      if (kind == Reverse::Kind::Step) how.count = times(words);
      return [&d, how] { d.reverse(how); };
    };
  };
  rows.push_back({"reverse-step",
                  {"rs"},
                  "moves",
                  "[N]",
                  "takes back N instructions of the unit in focus (1)",
                  "  reverse-step 10\n"
                  "  What the program has printed stays.\n",
                  Command::Operand::None,
                  true,
                  reversed(Reverse::Kind::Step)});
  rows.push_back(
      {"reverse-continue",
       {"rc"},
       "moves",
       "",
       "back to the last place where a stop would have stopped the machine",
       "  watch counter; reverse-continue     who wrote it last\n"
       "  Counts (skip) do not let anything pass on the way back, hits are not counted.\n",
       Command::Operand::None,
       true,
       reversed(Reverse::Kind::Continue)});
  return rows;
}

}  // namespace rtvp::debug
