// The instructions of one unit over a while, and what can be asked of them: where a value comes
// from (a backward slice along the data), and which way the unit has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/debug/unit.hpp"

namespace rtvp::debug {

/// What is asked for.
struct Question {
  enum class Kind : std::uint8_t {
    Registers,  ///< what the registers of mask `number` hold
    Memory,     ///< the word at address `number`, and the address that its writer wrote it to
    Value,      ///< the latest result that is `number`
    Way,        ///< jumps, the latest `number` of them, each once
  };
  Kind kind = Kind::Registers;
  std::uint64_t number = 0;
};

class History {
 public:
  /// Instructions kept, the latest.
  static constexpr std::size_t kMost = std::size_t{1} << 20U;

  void before(const Unit& unit);
  /// `entry`: not that instruction has executed, but an interrupt was entered.
  void after(const Unit& unit, const Effects* entry);

  /// An instruction that the answer names.
  struct Step {
    std::uint64_t pc = 0, cycle = 0;
    bool memory = false;      ///< it made a word of memory, else a register
    std::uint64_t made = 0;   ///< which
    std::uint64_t times = 1;  ///< Way: how often the jump was taken; moved: how often
    std::uint64_t to = 0;     ///< Way: where it leads
  };
  /// What goes into the answer and was not made in this while.
  struct Rest {
    bool memory = false;
    std::uint64_t where = 0;
  };
  struct Answer {
    bool found = false;       ///< Value, Memory: somebody made it
    std::vector<Step> steps;  ///< the latest first; Way: the latest last
    std::vector<Rest> rest;
    std::vector<Step> moved;  ///< registers that were moved on in between: how often, the latest
    std::uint64_t since = 0;  ///< the cycle that the while begins in
    bool older = false;       ///< a longer while could tell more
  };
  [[nodiscard]] Answer ask(const Question& question, const Unit& unit) const;

 private:
  struct Result {
    Flow flow;
    std::uint64_t value = 0;
  };
  struct Instruction {
    std::uint64_t pc = 0, cycle = 0;
    std::vector<Result> results;
  };
  using Place = std::pair<bool, std::uint64_t>;  ///< memory; number or address
  class Slice;
  [[nodiscard]] Answer way(std::uint64_t most, std::uint64_t here, const Unit& unit) const;

  std::deque<Instruction> kept_;
  std::uint64_t pc_ = 0, cycle_ = 0;
  Flows flows_;
  bool cut_ = false;  ///< older ones were dropped
};

/// Registers that the addresses of the instruction are made of that stands next.
[[nodiscard]] std::uint64_t pointersOf(const Unit& unit);

/// What the program says of addresses.
class Places {
 public:
  virtual ~Places() = default;
  /// "87ff12 go (chain.asm:84)".
  [[nodiscard]] virtual std::string place(std::uint64_t address) const = 0;
  /// Source line or instruction there.
  [[nodiscard]] virtual std::string lineAt(std::uint64_t address) const = 0;
};
/// The answer as text, in lines.
std::string answerText(const Question& question, const History::Answer& answer, const Unit& unit,
                       const Places& places);

}  // namespace rtvp::debug
