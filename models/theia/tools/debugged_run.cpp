// See debugged_run.hpp.
#include "models/theia/tools/debugged_run.hpp"

#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "models/common/tool/failure.hpp"
#include "models/common/tool/files.hpp"

namespace rtvp::theia {
namespace {

namespace status = tool::status;

/// Null: nobody is expected.
std::unique_ptr<debug::Front> frontFor(const DebugWishes& wishes) {
  if (wishes.dap.empty()) return nullptr;
  if (wishes.interactive || !wishes.execute.empty() || !wishes.commands.empty())
    throw tool::Failure(
        "found --dap and another way to say what to do, expected one of --dap, or "
        "-i, -x and --commands");
  try {
    return std::make_unique<debug::Front>(
        debug::Protocol::Dap, debug::doorFrom(wishes.dap), [](const std::string& place) {
          std::cerr << "theia-run: a debugger's client may connect to " << place << std::endl;
        });
  } catch (const std::invalid_argument& error) {
    throw tool::Failure(std::string("--dap: ") + error.what());
  } catch (const std::system_error& error) {
    throw tool::Failure("--dap " + wishes.dap + ": " + error.what());
  }
}

}  // namespace

DebuggedRun::DebuggedRun(const DebugWishes& wishes) : wishes_(wishes), front_(frontFor(wishes)) {
  if (front_) {
    editor_ = std::make_unique<debug::DapHost>(*front_);
    return;
  }
  const bool written = !wishes.execute.empty() || !wishes.commands.empty();
  // After written commands only a person is asked for more.
  terminal_ = std::make_unique<debug::Terminal>(
      "theia-run", wishes.interactive && (!written || debug::Terminal::isTerminal()));
}

DebuggedRun::~DebuggedRun() = default;

debug::Host& DebuggedRun::host() {
  if (editor_) return *editor_;
  return *terminal_;
}

void DebuggedRun::queueCommands(debug::Dialogue& dialogue) const {
  try {
    if (!wishes_.commands.empty()) {
      const std::string name = tool::inputName(wishes_.commands);
      dialogue.script(tool::readInput(wishes_.commands, tool::Failure(name + ": cannot be read")),
                      name);
    }
    for (const std::string& line : wishes_.execute) {
      dialogue.check(line);
      dialogue.queue(line, "-x");
    }
  } catch (const debug::CommandError& error) {
    throw tool::Failure(error.what());
  }
}

DebugDriver& DebuggedRun::attach(std::vector<std::unique_ptr<DebugUnit>> units,
                                 debug::Program program, GpuObserver* chained, double hertz) {
  std::function<bool()> interrupted = [] { return debug::Terminal::interrupted(); };
  if (editor_) interrupted = [this] { return editor_->interrupted(); };
  driver_ = std::make_unique<DebugDriver>(
      std::move(units), std::move(program),
      DebugDriver::Surroundings{host(), std::move(interrupted), &snapshots_, chained, hertz});
  if (terminal_) {
    terminal_->complete = [this](std::string_view line) {
      return driver_->dialogue().complete(line);
    };
    queueCommands(driver_->dialogue());
  }
  return *driver_;
}

void DebuggedRun::left() const {
  const std::string& failure = driver_->dialogue().failure();
  if (!failure.empty()) throw tool::Failure(failure);
}

void DebuggedRun::over(const std::string& why, const Fault& fault) {
  if (fault) driver_->dialogue().setFocus(fault.core);
  driver_->over(why, static_cast<bool>(fault), fault ? status::kFault : status::kDone);
  left();
}

}  // namespace rtvp::theia
