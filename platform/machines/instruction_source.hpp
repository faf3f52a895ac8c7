// A machine whose processors can be watched instruction by instruction, for `--instructions`. A
// machine implements it beside Machine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <systemc>

namespace rtvp::platform {

/// What is to be kept.
struct InstructionWish {
  sc_core::sc_time from, to;                           ///< of simulated time
  std::function<bool(const std::string& unit)> wants;  ///< by name: board0.dsp3
  std::function<void(std::string_view bytes)> sink;    ///< takes the log
};

class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  /// After build(). False: in this run it has no processors that can be watched.
  [[nodiscard]] virtual bool watchable() const { return true; }
  /// After build(), before the simulation. False: nobody of its processors is wanted.
  virtual bool logInstructions(const InstructionWish& wish) = 0;
  /// The simulation is over.
  virtual void finishInstructions() = 0;
  /// What the sink gets is text as it is to be shown, and there is no binary form of it.
  [[nodiscard]] virtual bool logsText() const { return false; }
};

}  // namespace rtvp::platform
