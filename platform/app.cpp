#include "platform/app.hpp"

#include <cstdio>
#include <iostream>

#include "platform/commands/compare.hpp"
#include "platform/commands/inform.hpp"
#include "platform/commands/run.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/command_line.hpp"
#include "platform/sweep/sweep_command.hpp"

namespace rtvp::platform {
namespace {

constexpr const char* kVersion = "platform 0.1.0";

ExitStatus dispatch(const CommandLine& command, const Registry& registry) {
  switch (command.action) {
    case CommandLine::Action::Run:
      return runCommand(command, registry);
    case CommandLine::Action::Compare:
      return compareCommand(command, registry);
    case CommandLine::Action::SceneInfo:
      return sceneInfoCommand(command, registry);
    case CommandLine::Action::StatsHelp:
      return statsHelpCommand(command, registry);
    case CommandLine::Action::Params:
      printParams(std::cout, command.json);
      return ExitStatus::Done;
    case CommandLine::Action::Help:
      printHelp(std::cout);
      return ExitStatus::Done;
    case CommandLine::Action::Version:
      std::cout << kVersion << "\n";
      return ExitStatus::Done;
  }
  return ExitStatus::Internal;
}

}  // namespace

int runApplication(const std::vector<std::string>& arguments) {
  ExitStatus status = ExitStatus::Internal;
  try {
    if (!arguments.empty() && arguments.front() == "sweep") {
      // Lists of values need a command line of their own.
      status = sweep::sweepCommand({arguments.begin() + 1, arguments.end()});
    } else {
      status = dispatch(parseCommandLine(arguments), builtinMachines());
    }
    std::cout.flush();
    std::fflush(stdout);
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    print(failure);
    status = failure.status;
  }
  return toInt(status);
}

}  // namespace rtvp::platform
