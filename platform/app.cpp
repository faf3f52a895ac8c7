#include "platform/app.hpp"

#include <cmath>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "platform/exit_status.hpp"
#include "platform/options/command_line.hpp"
#include "platform/report/compare.hpp"
#include "platform/report/image.hpp"
#include "platform/run_command.hpp"

namespace rtvp::platform {
namespace {

constexpr const char* kVersion = "platform 0.1.0";

report::Image readPicture(const std::string& file) {
  try {
    return report::readImage(file);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

ExitStatus compareCommand(const CommandLine& command) {
  const report::Image a = readPicture(command.files[0]);
  const report::Image b = readPicture(command.files[1]);
  const report::ImageDifference d = report::compareImages(a, b);
  std::printf("pixels %llu, differing %llu, largest difference %d, PSNR ",
              static_cast<unsigned long long>(d.pixels),
              static_cast<unsigned long long>(d.differing), d.maxDifference);
  if (std::isinf(d.psnr)) {
    std::printf("infinite\n");
  } else {
    std::printf("%.2f dB\n", d.psnr);
  }
  // Without any bound the pictures must be equal.
  const bool bounded = command.maxDiff.has_value() || command.minPsnr.has_value();
  const bool tooFar = d.maxDifference > command.maxDiff.value_or(bounded ? 255 : 0);
  const bool tooNoisy = command.minPsnr.has_value() && d.psnr < *command.minPsnr;
  return tooFar || tooNoisy ? ExitStatus::Different : ExitStatus::Done;
}

ExitStatus dispatch(const CommandLine& command) {
  switch (command.action) {
    case CommandLine::Action::Run:
      return runCommand(command);
    case CommandLine::Action::Compare:
      return compareCommand(command);
    case CommandLine::Action::SceneInfo:
      return sceneInfoCommand(command);
    case CommandLine::Action::StatsHelp:
      return statsHelpCommand(command);
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
    status = dispatch(parseCommandLine(arguments));
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
