// See debugged_run.hpp.
#include "models/xphmg/tools/debugged_run.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <systemc>

#include "models/common/tool/failure.hpp"
#include "models/common/tool/files.hpp"
#include "models/xphmg/debug/hart_gdb.hpp"
#include "models/xphmg/hart/outcome.hpp"

namespace rtvp::xphmg {
namespace {

namespace status = tool::status;

/// Null: nobody is expected.
std::unique_ptr<debug::Front> frontFor(const RunElfOptions& options) {
  if (options.dap.empty() && options.gdb.empty()) return nullptr;
  const bool editor = !options.dap.empty();
  const std::string name = editor ? "--dap" : "--gdb";
  const std::string& where = editor ? options.dap : options.gdb;
  const bool others = options.interactive || !options.execute.empty() || !options.commands.empty();
  if (others || (editor && !options.gdb.empty()))
    throw tool::Failure("found " + name + " and another way to say what to do, expected one of " +
                        "--dap, --gdb, or -i, -x and --commands");
  try {
    return std::make_unique<debug::Front>(
        editor ? debug::Protocol::Dap : debug::Protocol::Gdb, debug::doorFrom(where),
        [editor](const std::string& place) {
          std::cerr << "xphmg-run: "
                    << (editor ? "a debugger's client may connect to " : "gdb: target remote ")
                    << place << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw tool::Failure(name + ": " + error.what());
  } catch (const std::system_error& error) {
    throw tool::Failure(name + " " + where + ": " + error.what());
  }
}

}  // namespace

int statusOf(const rv64::Outcome& outcome) {
  if (outcome.kind == rv64::Outcome::Kind::Exit)
    return static_cast<int>(std::min<std::uint64_t>(outcome.code, 255));
  return outcome.kind == rv64::Outcome::Kind::Limit ? status::kLimit : status::kFault;
}

DebuggedRun::DebuggedRun(const RunElfOptions& options)
    : options_(options), front_(frontFor(options)) {
  if (!options.dap.empty()) {
    editor_ = std::make_unique<debug::DapHost>(*front_);
  } else if (front_) {
    gdb_ = std::make_unique<debug::GdbHost>(*front_, rv64::gdbTarget());
  } else {
    const bool written = !options.execute.empty() || !options.commands.empty();
    // After written commands only a person is asked for more.
    terminal_ = std::make_unique<debug::Terminal>(
        "xphmg-run", options.interactive && (!written || debug::Terminal::isTerminal()));
  }
}

DebuggedRun::~DebuggedRun() = default;

debug::Host& DebuggedRun::host() {
  if (editor_) return *editor_;
  if (gdb_) return *gdb_;
  return *terminal_;
}

bool DebuggedRun::interrupted() const {
  if (editor_) return editor_->interrupted();
  return gdb_ ? gdb_->interrupted() : debug::Terminal::interrupted();
}

void DebuggedRun::queueCommands(debug::Dialogue& dialogue) const {
  try {
    if (!options_.commands.empty()) {
      const std::string name = tool::inputName(options_.commands);
      dialogue.script(tool::readInput(options_.commands, tool::Failure(name + ": cannot be read")),
                      name);
    }
    for (const std::string& line : options_.execute) {
      dialogue.check(line);
      dialogue.queue(line, "-x");
    }
  } catch (const debug::CommandError& error) {
    throw tool::Failure(error.what());
  }
}

void DebuggedRun::over(HartDriver& driver, const HartModule& hart,
                       const rv64::ElfImage& image) const {
  const rv64::Outcome& outcome = hart.outcome();
  const bool exited = outcome.kind == rv64::Outcome::Kind::Exit;
  const std::string why = exited ? "exit status " + std::to_string(outcome.code)
                                 : rv64::describe(outcome, hart.hart(), image);
  driver.over(why, !exited, statusOf(outcome));
}

bool DebuggedRun::simulate(HartModule& hart, const rv64::ElfImage& image, double hertz,
                           rv64::Observer* trace) {
  HartDriver driver(
      hart, image, hertz, host(), [this] { return interrupted(); }, &snapshots_, trace);
  if (terminal_) {
    terminal_->complete = [&driver](std::string_view line) {
      return driver.dialogue().complete(line);
    };
    queueCommands(driver.dialogue());
  }
  const auto checked = [&driver](bool ended) {
    const std::string& failure = driver.dialogue().failure();
    if (!failure.empty()) throw tool::Failure(failure);
    return ended;
  };
  if (!driver.begin()) return checked(false);
  sc_core::sc_start();
  if (!hart.finished()) return checked(false);
  over(driver, hart, image);
  return checked(true);
}

}  // namespace rtvp::xphmg
