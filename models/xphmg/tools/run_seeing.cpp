// See run_seeing.hpp.
#include "models/xphmg/tools/run_seeing.hpp"

#include <iostream>
#include <string_view>
#include <vector>

#include "models/common/tool/failure.hpp"
#include "models/xphmg/debug/hart_profile.hpp"

namespace rtvp::xphmg {
namespace {

constexpr const char* kMachine = "hart";
constexpr const char* kUnit = "hart0";

bool isBinary(const std::string& path) {
  return path.ends_with(".bin");
}

tool::OutputStream openInstructions(const RunElfOptions& options) {
  const std::string& path = options.instructions;
  if (!path.empty() && path != "-" && !isBinary(path) && !path.ends_with(".txt")) {
    throw tool::Failure("found --instructions " + path +
                        ", expected a name that ends in .txt or .bin, or - for text on standard "
                        "error (--help)");
  }
  if (!path.empty() && options.debugged()) {
    throw tool::Failure(
        "--instructions: found a debugger beside it, expected a run without (the way back would "
        "be in the log)");
  }
  return openDiagnostics(path);
}

tool::OutputStream openProfile(const std::string& path) {
  if (!path.empty() && !debug::profileForm(path)) {
    throw tool::Failure("found --profile " + path +
                        ", expected a name that ends in .txt, .callgrind or .svg, or - for a table "
                        "on standard error (--help)");
  }
  return openDiagnostics(path);
}

tool::OutputStream openCoverage(const std::string& path, const rv64::ElfImage& image) {
  if (!path.empty()) {
    if (const std::string why = rv64::noCoverage(image); !why.empty())
      throw tool::Failure("--coverage: " + why);
  }
  return openDiagnostics(path);
}

}  // namespace

tool::OutputStream openDiagnostics(const std::string& path) {
  try {
    return {path, std::cerr};
  } catch (const tool::Failure& failure) {
    throw tool::Failure::report("xphmg-run: " + std::string(failure.what()) + "\n",
                                failure.status());
  }
}

RunSeeing::RunSeeing(const RunElfOptions& options, const rv64::ElfImage& image)
    : options_(options),
      image_(image),
      profile_(openProfile(options.profile)),
      coverage_(openCoverage(options.coverage, image)),
      instructions_(openInstructions(options)) {}

rv64::Observer* RunSeeing::attach(HartModule& hart, rv64::Observer* trace) {
  if (profile_.wanted() || coverage_.wanted()) hart.hart().setAccount(&account_);
  if (!instructions_.wanted()) return trace;
  unit_ = std::make_unique<rv64::DebugUnit>(kUnit, hart.hart(), [&hart](std::uint32_t word) {
    return hart.extension().disassemble(word);
  });
  log_ = std::make_unique<rv64::HartLog>(image_, *unit_, 0, ~std::uint64_t{0},
                                         [this](std::string_view bytes) {
                                           if (isBinary(options_.instructions)) {
                                             instructions_.stream() << bytes;
                                           } else {
                                             bytes_ += bytes;
                                           }
                                         });
  watchers_.add(log_.get());
  if (trace != nullptr) watchers_.add(trace);
  return &watchers_;
}

void RunSeeing::writeLog(const HartModule& hart) {
  log_->finish(hart.hart().cycle());
  if (!isBinary(options_.instructions)) {
    rv64::writeHartLog(bytes_, false,
                       [this](std::string_view text) { instructions_.stream() << text; });
  }
  instructions_.close();
}

void RunSeeing::write(const HartModule& hart) {
  if (log_) writeLog(hart);
  if (!profile_.wanted() && !coverage_.wanted()) return;
  const std::vector<debug::Profile> all{rv64::profileOf(kMachine, kUnit, image_, account_)};
  if (profile_.wanted()) {
    const std::string title = "xphmg-run " + tool::inputName(options_.file);
    profile_.stream() << debug::profileText(all, false, title,
                                            *debug::profileForm(options_.profile));
    profile_.close();
  }
  if (!coverage_.wanted()) return;
  coverage_.stream() << debug::coverageInfo(all);
  coverage_.close();
}

}  // namespace rtvp::xphmg
