// What processors executed, instruction by instruction, as whoever reads a log gets it.
#pragma once

#include <cstdint>
#include <functional>
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

class InstructionStream {
 public:
  virtual ~InstructionStream() = default;

  [[nodiscard]] virtual const debug::Program& program() const = 0;
  /// Of the processors.
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// The next one of processor `unit`; false: there are no more. Throws std::runtime_error if what
  /// it reads from makes no sense.
  virtual bool next(std::size_t unit, LoggedInstruction& instruction) = 0;
};

struct InstructionText {
  /// A loop's passes that go the same way as the one before are counted, not shown.
  bool collapse = false;
};

/// All of them as text, a line an instruction in the order of time, handed to `out` piece by piece:
/// each with its time, what the time went to, what it changed, its source. Throws as the stream.
void writeInstructions(InstructionStream& from, const InstructionText& how,
                       const std::function<void(std::string_view)>& out);

}  // namespace rtvp::c32
