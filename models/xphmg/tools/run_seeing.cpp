// See run_seeing.hpp.
#include "models/xphmg/tools/run_seeing.hpp"

#include <iostream>

#include "models/common/tool/failure.hpp"
#include "models/xphmg/debug/hart_profile.hpp"

namespace rtvp::xphmg {
namespace {

constexpr const char* kMachine = "hart";
constexpr const char* kUnit = "hart0";

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
      coverage_(openCoverage(options.coverage, image)) {}

void RunSeeing::attach(HartModule& hart) {
  if (profile_.wanted() || coverage_.wanted()) hart.hart().setAccount(&account_);
}

void RunSeeing::write() {
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
