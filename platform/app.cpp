#include "platform/app.hpp"

#include <algorithm>
#include <iostream>

#include "models/common/core/process.hpp"
#include "models/common/core/version.hpp"
#include "platform/commands/compare.hpp"
#include "platform/commands/doctor.hpp"
#include "platform/commands/inform.hpp"
#include "platform/commands/instruction_output.hpp"
#include "platform/commands/machines.hpp"
#include "platform/commands/map.hpp"
#include "platform/commands/registers.hpp"
#include "platform/commands/run.hpp"
#include "platform/commands/sweep_subject.hpp"
#include "platform/exit_status.hpp"
#include "platform/options/built_in_options.hpp"
#include "platform/options/command_line.hpp"
#include "platform/options/help.hpp"
#include "platform/sweep/sweep_command.hpp"
#include "platform/sweep/worker_command.hpp"

namespace rtvp::platform {
namespace {

ExitStatus dispatch(const CommandLine& command, const OptionTable& table,
                    const Registry& registry) {
  switch (command.action) {
    case CommandLine::Action::Run:
      return runCommand(command, registry);
    case CommandLine::Action::Compare:
      return compareCommand(command, registry);
    case CommandLine::Action::SceneInfo:
      return sceneInfoCommand(command, registry);
    case CommandLine::Action::StatsHelp:
      return statsHelpCommand(command, registry);
    case CommandLine::Action::Map:
      return mapCommand(command, registry);
    case CommandLine::Action::Params:
      printParams(std::cout, command.json, table);
      return ExitStatus::Done;
    case CommandLine::Action::Help:
      printHelp(std::cout, table);
      return ExitStatus::Done;
    case CommandLine::Action::Doctor:
      return doctorCommand(command);
    case CommandLine::Action::Form:
      if (common::writeForm(std::cout, commandForm(table), command.form)) return ExitStatus::Done;
      throw InputError("--completion: found '" + command.form + "', expected bash or zsh");
    case CommandLine::Action::Version:
      std::cout << "platform " << common::version() << "\n";
      return ExitStatus::Done;
  }
  return ExitStatus::Internal;
}

/// The words that a choice among machines accepts: those of its row, then other machines' names.
void offer(OptionTable& table, std::string_view key, const Registry& registry,
           bool (*offered)(const MachineInfo&)) {
  std::vector<std::string_view> words;
  for (std::string_view left = table.find(key)->choices; !left.empty();) {
    const std::size_t end = std::min(left.find('|'), left.size());
    words.push_back(left.substr(0, end));
    left.remove_prefix(std::min(left.size(), end + 1));
  }
  for (const MachineKind* const kind : registry.kinds()) {
    const MachineInfo& info = kind->info();
    if (!offered(info) || std::find(words.begin(), words.end(), info.name) != words.end()) continue;
    words.push_back(info.name);
  }
  table.setChoices(key, words);
}

OptionTable optionsFor(const Registry& registry) {
  OptionTable table = builtInOptions();
  for (const MachineKind* const kind : registry.kinds()) table.add(kind->info().options);
  offer(table, "engine", registry, [](const MachineInfo& info) { return info.primitives.any(); });
  offer(table, "render.shade", registry,
        [](const MachineInfo& info) { return info.shades != Shades::Nothing; });
  return table;
}

}  // namespace

int runApplication(const std::vector<std::string>& arguments, const Registry& registry) {
  ExitStatus status = ExitStatus::Internal;
  try {
    const OptionTable table = optionsFor(registry);
    if (!arguments.empty() && arguments.front() == "sweep") {
      // Lists of values need a command line of their own.
      status = sweep::sweepCommand(
          {arguments.begin() + 1, arguments.end()}, sweepSubject(table, registry),
          [&](const std::vector<std::string>& point) { return runApplication(point, registry); });
    } else if (!arguments.empty() && arguments.front() == "--worker") {
      status = sweep::workerCommand(
          {arguments.begin() + 1, arguments.end()}, sweepSubject(table, registry),
          [&](const std::vector<std::string>& point) { return runApplication(point, registry); });
    } else if (!arguments.empty() && arguments.front() == "machines") {
      status = machinesCommand({arguments.begin() + 1, arguments.end()}, table, registry);
    } else if (!arguments.empty() && arguments.front() == "instructions") {
      status = instructionsCommand({arguments.begin() + 1, arguments.end()});
    } else if (!arguments.empty() && arguments.front() == "registers") {
      status = registersCommand({arguments.begin() + 1, arguments.end()}, table, registry);
    } else {
      status = dispatch(parseCommandLine(arguments, table), table, registry);
    }
  } catch (...) {
    const Failure failure = describe(std::current_exception());
    print(failure);
    status = failure.status;
  }
  if (const auto fault = common::flushStandardOutput()) {
    print({ExitStatus::Internal, *fault});
    status = ExitStatus::Internal;
  }
  return toInt(status);
}

int main(int argc, char** argv, const Registry& registry) {
  common::prepareStreams();
  return runApplication({argv + 1, argv + argc}, registry);
}

}  // namespace rtvp::platform

// The SystemC library refers to it; only its own main(), which such a program replaces, would call
// it.
extern "C" int sc_main(int argc, char** argv) {
  return rtvp::platform::main(argc, argv, rtvp::platform::builtinMachines());
}
