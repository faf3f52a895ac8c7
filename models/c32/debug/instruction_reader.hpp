// Instruction logs, read back. See instruction_log.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/c32/cpu_observer.hpp"
#include "models/debug/program.hpp"

namespace rtvp::c32 {

/// One executed instruction, or the entry of an interrupt.
struct LoggedInstruction {
  bool interrupt = false;
  std::uint64_t flag = 0;  ///< interrupt: its bit in IF,
  std::uint32_t from = 0;  ///< where it was taken; `pc` is its routine
  std::uint32_t pc = 0;
  std::uint32_t word = 0;
  Cycle start = 0;
  Cycle end = 0;
  StallCycles stalls{};
  std::vector<RegisterWrite> registers;
  std::vector<MemoryAccess> accesses;
};

class InstructionReader {
 public:
  /// `log` outlives it. Throws std::runtime_error if it is no log, or not a whole one; so does
  /// next().
  explicit InstructionReader(std::string_view log);

  [[nodiscard]] const debug::Program& program() const { return program_; }
  /// Of the processors.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The next one of processor `unit`; false: there are no more.
  bool next(std::size_t unit, LoggedInstruction& instruction);

 private:
  struct Unit {
    std::deque<std::string_view> chunks;
    std::string_view left;
    std::map<std::uint32_t, std::uint32_t> words;
    std::uint32_t next = 0;
    Cycle end = 0;
  };
  debug::Program program_;
  std::vector<std::string> names_;
  std::vector<Unit> units_;
};

}  // namespace rtvp::c32
