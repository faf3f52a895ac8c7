// Logs of executed instructions as text: a line an instruction, in the order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rtvp::debug {

struct InstructionLine {
  std::uint64_t pc = 0;
  std::uint64_t start = 0, end = 0;  ///< cycles
  std::string text;                  ///< without cycle and unit
};

/// The next line of a unit, in its own order. False: there is none.
using NextInstruction = std::function<bool(InstructionLine&)>;

/// All units' lines, handed to `out` piece by piece. `digits` of an address. `collapse`: passes of
/// a loop that go the same way as the one before are counted, not shown.
void writeInstructionLines(const std::vector<std::string>& names,
                           std::vector<NextInstruction> units, unsigned digits, bool collapse,
                           const std::function<void(std::string_view)>& out);

}  // namespace rtvp::debug
