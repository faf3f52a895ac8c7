// A tool whose run is under commands, a prompt, or a client of the Debug Adapter Protocol: its
// options, and who then says what to do.
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/debug/remote/dap.hpp"
#include "models/debug/remote/front.hpp"
#include "models/debug/snapshots.hpp"
#include "models/debug/terminal.hpp"

namespace rtvp::debug {

/// What the user gave of --execute, --commands, --interactive and --dap.
struct ToolWishes {
  bool interactive = false;          ///< commands from whoever types
  std::vector<std::string> execute;  ///< commands in front of them
  std::string commands;              ///< a file of commands, in front of those
  std::string dap;                   ///< where a client is expected; empty: nowhere

  static void declare(boost::program_options::options_description& options,
                      const std::string& example);
  static ToolWishes of(const boost::program_options::variables_map& given);
  [[nodiscard]] bool any() const {
    return interactive || !execute.empty() || !commands.empty() || !dap.empty();
  }
};

class ToolSession {
 public:
  /// Opens the door if a client is expected. Call it before anything is read from standard input.
  /// Throws tool::Failure. `wishes` outlives it.
  ToolSession(const std::string& tool, const ToolWishes& wishes);
  ToolSession(const ToolSession&) = delete;
  ToolSession& operator=(const ToolSession&) = delete;

  [[nodiscard]] Host& host();
  /// Whether the user wants to say something.
  [[nodiscard]] std::function<bool()> interrupted();
  /// To go back in time. The first call is to come before anything is read from standard input.
  [[nodiscard]] Snapshots& snapshots();
  /// Checks all commands, and hands them over. Throws tool::Failure for a wrong one.
  void attach(Dialogue& dialogue);
  /// The session is over: throws tool::Failure for what was wrong in it.
  static void finish(const Dialogue& dialogue);

 private:
  const ToolWishes& wishes_;
  std::unique_ptr<Front> front_;  ///< before snapshots_
  std::unique_ptr<Snapshots> snapshots_;
  std::unique_ptr<Terminal> terminal_;  ///< either this
  std::unique_ptr<DapHost> editor_;     ///< or that
};

}  // namespace rtvp::debug
