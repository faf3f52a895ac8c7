// A run under the debugger: who types, which commands are given, and what they are about.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/front.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/terminal.hpp"
#include "platform/debug/hart_session.hpp"
#include "platform/debug/port_beside.hpp"
#include "platform/debug/station.hpp"
#include "platform/machines/machine.hpp"
#include "platform/options/command_line.hpp"

namespace rtvp::platform {

class DebugSession {
 public:
  /// Reads the file of commands: InputError if it cannot be read. `leave`: the user has left a run
  /// that is not over; does not return.
  DebugSession(const DebugOptions& options, std::function<void(ExitStatus)> leave);
  ~DebugSession();
  DebugSession(const DebugSession&) = delete;
  DebugSession& operator=(const DebugSession&) = delete;

  /// The machines are built: checks all commands (InputError) and hears the first of them.
  void attach(std::span<const std::unique_ptr<Machine>> machines);
  /// The simulation is over. Throws InputError for a command that was wrong.
  void over(const std::string& why, ExitStatus status);

 private:
  [[nodiscard]] std::unique_ptr<Debuggee> debuggeeOf(
      std::span<const std::unique_ptr<Machine>> machines);
  void leave();
  void queueCommands();

  std::unique_ptr<HartSession> hart_;  ///< with --gdb: all that there is
  DebugOptions options_;
  std::string script_;  ///< of options_.commands
  std::function<void(ExitStatus)> leave_;
  std::unique_ptr<debug::Front> front_;  ///< before snapshots_; null: somebody types
  debug::Snapshots snapshots_;
  std::unique_ptr<debug::Terminal> terminal_;  ///< either this
  std::unique_ptr<debug::DapHost> client_;     ///< or that
  std::unique_ptr<PortBeside> beside_;         ///< before debuggee_
  std::unique_ptr<Debuggee> debuggee_;
};

}  // namespace rtvp::platform
