// See sl_profile.hpp.
#include "models/sl/debug/sl_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace rtvp::sl {

debug::Program debugProgram(std::span<const PlacedProgram> programs) {
  debug::Program all;
  all.addressDigits = 4;
  for (const PlacedProgram& p : programs) {
    const std::string name = std::filesystem::path(p.file).stem().string();
    all.symbols.emplace(name, p.start);
    all.labels.emplace(p.start, name);
    all.code.push_back({p.start, p.start + p.program->size() - 1});
    if (p.lines.empty()) continue;
    const auto file = static_cast<std::uint32_t>(all.files.size());
    all.files.push_back(p.file);
    for (std::uint32_t pc = 0; pc < p.program->size(); ++pc)
      all.lines.push_back({std::uint64_t{p.start} + pc, file, p.lines.at(pc)});
  }
  all.setSections(all.code);
  std::sort(all.lines.begin(), all.lines.end(),
            [](const debug::Line& a, const debug::Line& b) { return a.address < b.address; });
  return all;
}

debug::Profile emptyProfile(std::string machine, std::vector<std::string> causes,
                            std::span<const PlacedProgram> programs) {
  debug::Profile profile;
  profile.machine = std::move(machine);
  profile.causes = std::move(causes);
  profile.program = debugProgram(programs);
  for (const PlacedProgram& p : programs) {
    for (std::uint32_t pc = 0; pc < p.program->size(); ++pc)
      profile.instructions.push_back(std::uint64_t{p.start} + pc);
  }
  return profile;
}

std::string noCoverage(std::span<const PlacedProgram> programs) {
  const bool any = std::any_of(programs.begin(), programs.end(),
                               [](const PlacedProgram& p) { return !p.lines.empty(); });
  return any ? ""
             : "the shader has no source, so no line can be said to be executed; expected a .sl "
               "file, not a .slc file";
}

}  // namespace rtvp::sl
