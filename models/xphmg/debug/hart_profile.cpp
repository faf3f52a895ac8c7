// See hart_profile.hpp.
#include "models/xphmg/debug/hart_profile.hpp"

#include <utility>

#include "models/xphmg/debug/hart_unit.hpp"
#include "models/xphmg/hart/line_table.hpp"

namespace rtvp::rv64 {

debug::Profile profileOf(std::string machine, std::string unit, const ElfImage& image,
                         const Account& account) {
  debug::Profile profile;
  profile.machine = std::move(machine);
  for (unsigned cause = 0; cause < kSpent; ++cause)
    profile.causes.emplace_back(spentName(static_cast<Spent>(cause)));
  profile.program = debugProgram(image);
  for (const debug::Line& line : profile.program.lines)
    profile.instructions.push_back(line.address);
  debug::Profile::Unit& only = profile.units.emplace_back();
  only.name = std::move(unit);
  for (const Account::Place& place : account.places()) {
    only.places.push_back({place.address, place.begun, {place.cycles.begin(), place.cycles.end()}});
  }
  return profile;
}

std::string noCoverage(const ElfImage& image) {
  if (!readLines(image).empty()) return {};
  return "the program has no line tables, so no source line can be said to be executed; expected "
         "one that was compiled with -g";
}

}  // namespace rtvp::rv64
