// A session under the debugger: owns the loop that moves the machine as the dialogue asks, and the
// commands that only a C32 has.
#pragma once

#include <functional>
#include <optional>

#include "models/c32/debug/session.hpp"
#include "models/c32/debug/unit.hpp"
#include "models/debug/dialogue.hpp"

namespace rtvp::c32 {

class Driver final : private debug::World {
 public:
  /// `interrupted`: the user wants the machine to stop; asked now and then, empty: never.
  Driver(Session& session, debug::Host& host, std::function<bool()> interrupted = {});

  debug::Dialogue& dialogue() { return dialogue_; }
  /// Until the commands end.
  void run();
  /// How the latest move ended; empty before the first.
  [[nodiscard]] const std::optional<StopReport>& last() const { return last_; }

 private:
  std::vector<debug::Unit*> units() override { return {&unit_}; }
  [[nodiscard]] std::vector<debug::EventKind> events() const override;
  [[nodiscard]] double hertz() const override;
  std::optional<StopReport> stepWatched();
  std::optional<StopReport> runFree();
  std::vector<debug::Command> commands();

  Session& session_;
  DebugUnit unit_;
  debug::Program program_;
  debug::Dialogue dialogue_;
  std::function<bool()> interrupted_;
  std::optional<StopReport> last_;
};

}  // namespace rtvp::c32
