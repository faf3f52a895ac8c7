// See session.hpp.
#include "platform/debug/session.hpp"

#include <iostream>
#include <stdexcept>
#include <system_error>

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

void DebugSession::attach(std::span<const std::unique_ptr<Machine>> machines) {
  if (hart_) return hart_->attach(machines);
  std::vector<std::unique_ptr<DebugPort>> ports;
  for (const auto& machine : machines) {
    if (auto port = machine->debugPort()) ports.push_back(std::move(port));
  }
  debug::Host& host = client_ ? static_cast<debug::Host&>(*client_) : *terminal_;
  std::function<bool()> interrupted = debug::Terminal::interrupted;
  if (client_) interrupted = [this] { return client_->interrupted(); };
  const std::string option = client_ ? "--dap" : "--debug";
  if (ports.empty()) {
    hartDriver_ = hartDriver(machines, option, host, std::move(interrupted), &snapshots_);
    if (!hartDriver_)
      throw InputError(option +
                       ": no machine of this run has processors that the debugger knows (--engine "
                       "tigershark has, and --engine xphmg with xphmg.driver=hart)");
  } else {
    station_ = std::make_unique<Station>("debugger", std::move(ports), host, std::move(interrupted),
                                         &snapshots_);
    station_->leave = [this] { this->leave(); };
  }
  if (terminal_) {
    terminal_->complete = [this](std::string_view line) { return dialogue().complete(line); };
  }
  queueCommands();
  if (station_) return station_->begin();
  if (!hartDriver_->begin()) leave();
}

debug::Dialogue& DebugSession::dialogue() {
  return station_ ? station_->dialogue() : hartDriver_->dialogue();
}

void DebugSession::queueCommands() {
  try {
    if (!options_.commands.empty()) dialogue().script(script_, options_.commands);
    for (const std::string& line : options_.execute) {
      dialogue().check(line);
      dialogue().queue(line, "-x");
    }
  } catch (const debug::CommandError& error) {
    throw InputError(error.what());
  }
}

/// In the middle of a run. An error in a script ends it, too.
void DebugSession::leave() {
  const std::string& failure = dialogue().failure();
  if (!failure.empty()) print({ExitStatus::BadInput, failure});
  leave_(failure.empty() ? ExitStatus::Done : ExitStatus::BadInput);
}

void DebugSession::over(const std::string& why, ExitStatus status) {
  if (hart_) return hart_->over(why.substr(0, why.find('\n')), status);
  const std::string line = why.substr(0, why.find('\n'));
  if (station_) {
    station_->over(line, toInt(status));
  } else {
    // The user's farewell ends the simulation where it stands.
    if (hartDriver_->dialogue().quit()) leave();
    hartDriver_->over(line, status != ExitStatus::Done, toInt(status));
  }
  const std::string& failure = dialogue().failure();
  if (!failure.empty()) throw InputError(failure);
}

}  // namespace rtvp::platform
