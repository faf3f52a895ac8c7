// theia-run under commands, a prompt, or an editor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/front.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/terminal.hpp"
#include "models/theia/debug/driver.hpp"

namespace rtvp::theia {

struct DebugWishes {
  bool interactive = false;
  std::vector<std::string> execute;  ///< lines of commands
  std::string commands;              ///< a file of them
  std::string dap;                   ///< a port
  [[nodiscard]] bool any() const {
    return interactive || !execute.empty() || !commands.empty() || !dap.empty();
  }
};

class DebuggedRun {
 public:
  /// Opens the door if a client is expected. Call it before anything is read from standard input.
  /// `wishes` outlives it. Throws tool::Failure.
  explicit DebuggedRun(const DebugWishes& wishes);
  ~DebuggedRun();
  DebuggedRun(const DebuggedRun&) = delete;
  DebuggedRun& operator=(const DebuggedRun&) = delete;

  /// Checks all commands; the driver is to run the cores. `chained`: hears of each instruction, or
  /// null. Throws tool::Failure for a wrong command.
  DebugDriver& attach(std::vector<std::unique_ptr<DebugUnit>> units, debug::Program program,
                      GpuObserver* chained, double hertz);
  /// The user has left before the end; throws tool::Failure for what was wrong.
  void left() const;
  /// The run is over: the user's last word. `fault`: as it ended, or none.
  void over(const std::string& why, const Fault& fault);

 private:
  [[nodiscard]] debug::Host& host();
  void queueCommands(debug::Dialogue& dialogue) const;

  const DebugWishes& wishes_;
  std::unique_ptr<debug::Front> front_;  ///< before snapshots_
  debug::Snapshots snapshots_;
  std::unique_ptr<debug::Terminal> terminal_;
  std::unique_ptr<debug::DapHost> editor_;
  std::unique_ptr<DebugDriver> driver_;
};

}  // namespace rtvp::theia
