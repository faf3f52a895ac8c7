// See debugged_run.hpp.
#include "models/sl/tools/debugged_run.hpp"

#include <iostream>
#include <stdexcept>
#include <system_error>

#include "models/common/tool/failure.hpp"
#include "models/common/tool/files.hpp"
#include "models/debug/remote/dap.hpp"
#include "models/debug/terminal.hpp"

namespace rtvp::sl {
namespace {

std::unique_ptr<debug::Front> frontFor(const DebugWish& wish) {
  if (wish.dap.empty()) return nullptr;
  if (wish.interactive || !wish.execute.empty() || !wish.commands.empty())
    throw tool::Failure(
        "found --dap and another way to say what to do, expected one of --dap, or -i, -x and "
        "--commands");
  try {
    return std::make_unique<debug::Front>(
        debug::Protocol::Dap, debug::doorFrom(wish.dap), [](const std::string& place) {
          std::cerr << "sl-run: a debugger's client may connect to " << place << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw tool::Failure(std::string("--dap: ") + error.what());
  } catch (const std::system_error& error) {
    throw tool::Failure("--dap " + wish.dap + ": " + error.what());
  }
}

void queueCommands(const DebugWish& wish, debug::Dialogue& dialogue) {
  try {
    if (!wish.commands.empty()) {
      const std::string name = tool::inputName(wish.commands);
      dialogue.script(tool::readInput(wish.commands, tool::Failure(name + ": cannot be read")),
                      name);
    }
    for (const std::string& line : wish.execute) {
      dialogue.check(line);
      dialogue.queue(line, "-x");
    }
  } catch (const debug::CommandError& error) {
    throw tool::Failure(error.what());
  }
}

}  // namespace

DebuggedRun::DebuggedRun(const DebugWish& wish) : wish_(wish), front_(frontFor(wish)) {}

Vm DebuggedRun::run(const Make& make) {
  if (!front_) return atTerminal(make);
  debug::DapHost host(*front_);
  const std::unique_ptr<VmDriver> driver = make(host, [&host] { return host.interrupted(); });
  driver->run();
  return driver->vm();
}

Vm DebuggedRun::atTerminal(const Make& make) const {
  const bool written = !wish_.execute.empty() || !wish_.commands.empty();
  // After written commands only a person is asked for more.
  debug::Terminal terminal("sl-run",
                           wish_.interactive && (!written || debug::Terminal::isTerminal()));
  const std::unique_ptr<VmDriver> driver = make(terminal, debug::Terminal::interrupted);
  terminal.complete = [&driver](std::string_view line) {
    return driver->dialogue().complete(line);
  };
  queueCommands(wish_, driver->dialogue());
  driver->run();
  if (!driver->dialogue().failure().empty()) throw tool::Failure(driver->dialogue().failure());
  return driver->vm();
}

}  // namespace rtvp::sl
