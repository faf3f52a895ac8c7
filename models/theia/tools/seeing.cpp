// See seeing.hpp.
#include "models/theia/tools/seeing.hpp"

#include <array>

#include "models/common/core/text.hpp"
#include "models/common/tool/files.hpp"
#include "models/common/tool/program.hpp"
#include "models/theia/debug/profile.hpp"

namespace rtvp::theia {
namespace {

void write(const std::string& path, const std::string& text) {
  tool::writeOutput(path, text, tool::Failure(path + ": cannot write the file"));
}

}  // namespace

void checkSeeing(const SeeingWishes& wishes) {
  if (wishes.profile.empty() || debug::profileForm(wishes.profile)) return;
  throw tool::Failure("--profile: found " + common::quoted(wishes.profile) +
                      ", expected a name that ends in .txt, .callgrind or .svg, or - for a table "
                      "on standard output");
}

InstructionFile::InstructionFile(const debug::Program& program, unsigned cores)
    : log_(program, {.cores = std::vector<bool>(cores, true),
                     .sink = [this](std::string_view line) { text_ += line; }}) {}

void writeAccounts(const SeeingWishes& wishes, const debug::Program& program,
                   const std::vector<std::pair<std::string, const Core*>>& cores,
                   const std::string& title) {
  if (!wishes.accounts()) return;
  const std::array profiles = {profileOf("theia", program, cores)};
  if (!wishes.profile.empty())
    write(wishes.profile,
          debug::profileText(profiles, wishes.each, title, *debug::profileForm(wishes.profile)));
  if (!wishes.coverage.empty()) write(wishes.coverage, debug::coverageInfo(profiles));
}

void writeInstructions(const SeeingWishes& wishes, const InstructionFile& file) {
  write(wishes.instructions, file.text());
}

}  // namespace rtvp::theia
