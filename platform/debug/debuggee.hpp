// What the debugger holds a conversation about: boards of DSPs (Station), a hart (HartDebuggee),
// cores that the host's own process runs (TheiaCores), or a unit that evaluates tapes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "models/debug/beside.hpp"
#include "models/debug/dialogue.hpp"
#include "models/debug/snapshots.hpp"

namespace rtvp::platform {

class Debuggee {
 public:
  Debuggee() = default;
  virtual ~Debuggee() = default;
  Debuggee(const Debuggee&) = delete;
  Debuggee& operator=(const Debuggee&) = delete;

  [[nodiscard]] virtual debug::Dialogue& dialogue() = 0;
  /// Before the simulation: the user's first word, where units can be shown before they run.
  virtual void begin() = 0;
  /// The simulation is over, `why` in a line, and the program's exit status will be `status`: the
  /// user's last word.
  virtual void over(const std::string& why, int status) = 0;
  /// The user leaves a run that is not over; does not return.
  std::function<void()> leave;
};

/// Who talks about it.
struct DebugSurroundings {
  debug::Host& host;
  std::function<bool()> interrupted;  ///< the user wants to say something; asked now and then
  debug::Snapshots* snapshots;        ///< to go back in time, or null
  debug::Beside* beside = nullptr;    ///< units beside them, or null
};

/// A machine whose processors run inside calls of its driver's, one after the other. A machine
/// implements it beside Machine.
class DebuggedCores {
 public:
  virtual ~DebuggedCores() = default;
  /// After Machine::build(): the debugger runs them from here on. Throws InputError if somebody
  /// else does.
  [[nodiscard]] virtual std::unique_ptr<Debuggee> debuggee(const DebugSurroundings& around) = 0;
  /// It is shown where nothing else of the run can be.
  [[nodiscard]] virtual bool yields() const { return false; }
};

}  // namespace rtvp::platform
