// See session.hpp.
#include "platform/debug/session.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "models/common/core/unreadable.hpp"
#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

bool asksForMore(const DebugOptions& options) {
  const bool written = !options.execute.empty() || !options.commands.empty();
  // After written commands only a person is asked for more.
  return !written || debug::Terminal::isTerminal();
}

/// Null: nobody is expected.
std::unique_ptr<debug::Front> clientFor(const DebugOptions& options) {
  if (options.dap.empty()) return nullptr;
  try {
    return std::make_unique<debug::Front>(
        debug::Protocol::Dap, debug::doorFrom(options.dap), [](const std::string& where) {
          std::cerr << "platform: a debugger's client may connect to " << where << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw InputError(std::string("--dap: ") + error.what());
  } catch (const std::system_error& error) {
    throw InputError("--dap " + options.dap + ": " + error.what());
  }
}

}  // namespace

DebugSession::DebugSession(const DebugOptions& options, std::function<void(ExitStatus)> leave)
    : hart_(options.gdb.empty() ? nullptr : std::make_unique<HartSession>(options.gdb, leave)),
      options_(options),
      leave_(std::move(leave)),
      front_(clientFor(options)) {
  if (hart_) return;
  if (front_) {
    client_ = std::make_unique<debug::DapHost>(*front_);
    return;
  }
  terminal_ = std::make_unique<debug::Terminal>("platform", asksForMore(options));
  if (options.commands.empty()) return;
  const auto text = terminal_->commands(options.commands);
  if (!text) {
    throw InputError(options.commands + ": " + common::unreadable(options.commands, "commands"));
  }
  script_ = *text;
}

DebugSession::~DebugSession() = default;

std::unique_ptr<Debuggee> DebugSession::debuggeeOf(
    std::span<const std::unique_ptr<Machine>> machines) {
  const std::string option = client_ ? "--dap" : "--debug";
  std::vector<std::unique_ptr<DebugPort>> ports;
  std::vector<DebuggedCores*> cores, yielding;
  for (const auto& machine : machines) {
    if (auto port = machine->debugPort()) ports.push_back(std::move(port));
    if (auto* const own = dynamic_cast<DebuggedCores*>(machine.get()))
      (own->yields() ? yielding : cores).push_back(own);
  }
  debug::Host& host = client_ ? static_cast<debug::Host&>(*client_) : *terminal_;
  std::function<bool()> interrupted = debug::Terminal::interrupted;
  if (client_) interrupted = [this] { return client_->interrupted(); };
  // Boards come first; a shading unit is beside them, beside other processors, or alone.
  const auto helpers = std::stable_partition(ports.begin(), ports.end(),
                                             [](const auto& port) { return port->polled(); });
  const bool boards = helpers != ports.begin();
  DebugSurroundings around{host, interrupted, &snapshots_};
  if (!boards && !ports.empty() && (!cores.empty() || hasHart(machines))) {
    beside_ = std::make_unique<PortBeside>(std::exchange(ports, {}));
    around.beside = beside_.get();
  }
  if (!boards && cores.empty()) {
    auto hart = hartDriver(machines, option, around);
    if (hart) return std::make_unique<HartDebuggee>(std::move(hart));
    if (ports.empty() && yielding.size() == 1) return yielding.front()->debuggee(around);
    if (ports.empty() && !yielding.empty())
      throw InputError(option + ": found several implicit-surface units in this run, expected one");
    if (ports.empty()) {
      throw InputError(option +
                       ": no machine of this run has processors that the debugger knows (--engine "
                       "tigershark, --engine theia and --engine implicit have, --engine xphmg with "
                       "xphmg.driver=hart, and any with --shade sl)");
    }
  }
  if (cores.size() > (boards ? 0U : 1U)) {
    throw InputError(option +
                     ": found THEIA units beside each other or beside boards of DSPs, "
                     "expected one THEIA unit, or boards alone");
  }
  if (!cores.empty()) return cores.front()->debuggee(around);
  return std::make_unique<Station>("debugger", std::move(ports), host, std::move(interrupted),
                                   &snapshots_);
}

void DebugSession::attach(std::span<const std::unique_ptr<Machine>> machines) {
  if (hart_) return hart_->attach(machines);
  debuggee_ = debuggeeOf(machines);
  debuggee_->leave = [this] { this->leave(); };
  if (terminal_) {
    terminal_->complete = [this](std::string_view line) {
      return debuggee_->dialogue().complete(line);
    };
  }
  queueCommands();
  debuggee_->begin();
}

void DebugSession::queueCommands() {
  try {
    if (!options_.commands.empty()) debuggee_->dialogue().script(script_, options_.commands);
    for (const std::string& line : options_.execute) {
      debuggee_->dialogue().check(line);
      debuggee_->dialogue().queue(line, "-x");
    }
  } catch (const debug::CommandError& error) {
    throw InputError(error.what());
  }
}

/// In the middle of a run. An error in a script ends it, too.
void DebugSession::leave() {
  const std::string& failure = debuggee_->dialogue().failure();
  if (!failure.empty()) print({ExitStatus::BadInput, failure});
  leave_(failure.empty() ? ExitStatus::Done : ExitStatus::BadInput);
}

void DebugSession::over(const std::string& why, ExitStatus status) {
  if (hart_) return hart_->over(why.substr(0, why.find('\n')), status);
  debuggee_->over(why.substr(0, why.find('\n')), toInt(status));
  const std::string& failure = debuggee_->dialogue().failure();
  if (!failure.empty()) throw InputError(failure);
}

}  // namespace rtvp::platform
