// A program on the hart under commands, a prompt, or a client of a debugger's protocol.
#pragma once

#include <memory>

#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/front.hpp"
#include "models/debug/remote/gdb.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/terminal.hpp"
#include "models/xphmg/debug/hart_driver.hpp"
#include "models/xphmg/tools/run_elf.hpp"

namespace rtvp::xphmg {

class DebuggedRun {
 public:
  /// Opens the door if a client is expected. Call it before anything is read from standard input.
  /// Throws tool::Failure.
  explicit DebuggedRun(const RunElfOptions& options);
  ~DebuggedRun();
  DebuggedRun(const DebuggedRun&) = delete;
  DebuggedRun& operator=(const DebuggedRun&) = delete;

  /// The client that gets the program's console; null: there is none.
  [[nodiscard]] debug::DapHost* editor() { return editor_.get(); }
  /// Checks all commands, then simulates as they say. `trace`: sees each instruction, or null.
  /// False: the user has left before the program's end. Throws tool::Failure for a wrong command.
  bool simulate(HartModule& hart, const rv64::ElfImage& image, double hertz, rv64::Observer* trace);

 private:
  void queueCommands(debug::Dialogue& dialogue) const;
  [[nodiscard]] debug::Host& host();
  [[nodiscard]] bool interrupted() const;
  void over(HartDriver& driver, const HartModule& hart, const rv64::ElfImage& image) const;

  const RunElfOptions& options_;
  std::unique_ptr<debug::Front> front_;  ///< before snapshots_
  debug::Snapshots snapshots_;
  std::unique_ptr<debug::Terminal> terminal_;
  std::unique_ptr<debug::DapHost> editor_;
  std::unique_ptr<debug::GdbHost> gdb_;
};

/// Exit status of xphmg-run for a program that ended so.
[[nodiscard]] int statusOf(const rv64::Outcome& outcome);

}  // namespace rtvp::xphmg
