// theia-run under commands, a prompt, or an editor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/debug/tool/session.hpp"
#include "models/theia/debug/driver.hpp"

namespace rtvp::theia {

class DebuggedRun {
 public:
  /// Opens the door if a client is expected. Call it before anything is read from standard input.
  /// `wishes` outlives it. Throws tool::Failure.
  explicit DebuggedRun(const debug::ToolWishes& wishes)
      : session_("theia-run", wishes), snapshots_(session_.snapshots()) {}

  /// Checks all commands; the driver is to run the cores. `chained`: hears of each instruction, or
  /// null. Throws tool::Failure for a wrong command.
  DebugDriver& attach(std::vector<std::unique_ptr<DebugUnit>> units, debug::Program program,
                      GpuObserver* chained, double hertz);
  /// The user has left before the end; throws tool::Failure for what was wrong.
  void left() const;
  /// The run is over: the user's last word. `fault`: as it ended, or none.
  void over(const std::string& why, const Fault& fault);

 private:
  debug::ToolSession session_;
  debug::Snapshots& snapshots_;
  std::unique_ptr<DebugDriver> driver_;
};

}  // namespace rtvp::theia
