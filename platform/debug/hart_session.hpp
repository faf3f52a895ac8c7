// The hart of a run under the debugger: `--gdb PORT`, `--debug`, `--dap PORT`. The rest of the
// simulation stands while the hart does, at the time that it has come to.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "models/debug/remote/front.hpp"
#include "models/debug/remote/gdb.hpp"
#include "models/debug/snapshots.hpp"
#include "models/xphmg/debug/hart_driver.hpp"
#include "platform/debug/debuggee.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/machine.hpp"

namespace rtvp::platform {

/// A machine of the run has a hart.
[[nodiscard]] bool hasHart(std::span<const std::unique_ptr<Machine>> machines);

/// The hart of a run; null: no machine has one. Throws InputError: there are several, or the line
/// tables of its program are wrong; `option` begins the message.
[[nodiscard]] std::unique_ptr<xphmg::HartDriver> hartDriver(
    std::span<const std::unique_ptr<Machine>> machines, const std::string& option,
    const DebugSurroundings& around);

/// The hart at the prompt, or under an editor.
class HartDebuggee final : public Debuggee {
 public:
  explicit HartDebuggee(std::unique_ptr<xphmg::HartDriver> driver) : driver_(std::move(driver)) {
    driver_->leave = [this] { leave(); };
  }
  [[nodiscard]] debug::Dialogue& dialogue() override { return driver_->dialogue(); }
  void begin() override {
    if (!driver_->begin()) leave();
  }
  void over(const std::string& why, int status) override {
    // The user's farewell ends the simulation where it stands.
    if (dialogue().quit()) leave();
    driver_->over(why, status != 0, status);
  }

 private:
  std::unique_ptr<xphmg::HartDriver> driver_;
};

/// The hart under GDB.
class HartSession {
 public:
  /// Opens the door: InputError if it cannot be. `leave`: the user has left a run that is not over;
  /// does not return.
  HartSession(const std::string& where, std::function<void(ExitStatus)> leave);
  ~HartSession();
  HartSession(const HartSession&) = delete;
  HartSession& operator=(const HartSession&) = delete;

  /// The machines are built: waits for the client's first word. InputError if none has a hart.
  void attach(std::span<const std::unique_ptr<Machine>> machines);
  /// The simulation is over.
  void over(const std::string& why, ExitStatus status);

 private:
  std::function<void(ExitStatus)> leave_;
  std::unique_ptr<debug::Front> front_;  ///< before snapshots_
  debug::Snapshots snapshots_;
  std::unique_ptr<debug::GdbHost> host_;
  std::unique_ptr<xphmg::HartDriver> driver_;
};

}  // namespace rtvp::platform
