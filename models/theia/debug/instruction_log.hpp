// Every instruction of chosen cores as text, with its source line.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/debug/program.hpp"
#include "models/theia/core_control.hpp"

namespace rtvp::theia {

/// One line without its end: clock, core, code address, instruction and what it left in its
/// destination.
[[nodiscard]] std::string instructionText(const Core& core, std::uint16_t pc, Clock clock);

/// Runs cores as they would run by themselves. Those that are wanted execute one by one in routines
/// that begin in the window, in the order in which the model runs them: one core after the other
/// between two operations of the host.
class InstructionLog final : public CoreControl {
 public:
  struct Wish {
    std::vector<bool> cores;  ///< by number
    Clock from = 0, to = std::numeric_limits<Clock>::max();
    std::function<void(std::string_view text)> sink;
  };
  InstructionLog(debug::Program program, Wish wish);

  Stop run(Core& core, Clock began) override;

 private:
  struct Read {
    std::uint16_t pc = 0;
    Clock clock = 0;
  };
  void note(const Core& core, std::uint16_t pc, Clock clock, Clock spent) const;

  debug::Program program_;
  Wish wish_;
  std::vector<std::optional<Read>> reads_;  ///< TMREADs under way, by core
};

}  // namespace rtvp::theia
