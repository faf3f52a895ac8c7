// sl-run under commands, a prompt, or a client of the Debug Adapter Protocol.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/debug/remote/front.hpp"
#include "models/sl/debug/sl_driver.hpp"

namespace rtvp::sl {

struct DebugWish {
  bool interactive = false;          ///< commands from whoever types
  std::vector<std::string> execute;  ///< commands in front of them
  std::string commands;              ///< a file of commands, in front of those
  std::string dap;                   ///< where a client is expected; empty: nowhere
  [[nodiscard]] bool any() const {
    return interactive || !execute.empty() || !commands.empty() || !dap.empty();
  }
};

class DebuggedRun {
 public:
  /// Opens the door if a client is expected. Throws tool::Failure.
  explicit DebuggedRun(const DebugWish& wish);

  /// Checks all commands, then runs as they say what `make` makes. Gives the run as it then stands.
  /// Throws tool::Failure for a wrong command.
  using Make = std::function<std::unique_ptr<VmDriver>(debug::Host&, std::function<bool()>)>;
  [[nodiscard]] Vm run(const Make& make);

 private:
  [[nodiscard]] Vm atTerminal(const Make& make) const;

  const DebugWish& wish_;
  std::unique_ptr<debug::Front> front_;
};

}  // namespace rtvp::sl
