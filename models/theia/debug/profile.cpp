// See profile.hpp.
#include "models/theia/debug/profile.hpp"

#include <array>
#include <set>
#include <string_view>

namespace rtvp::theia {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Spent::Count)> kCauses = {
    "executing", "divider", "texture", "control", "host", "configuration", "idle"};

/// Rows that control can come to from `begins` on: by falling through, by jumps and by calls.
std::set<std::uint16_t> reachable(const Core& core, const std::set<std::uint16_t>& begins) {
  std::set<std::uint16_t> found;
  std::vector<std::uint16_t> work(begins.begin(), begins.end());
  while (!work.empty()) {
    const std::uint16_t address = work.back();
    work.pop_back();
    if (!core.loaded(address) || !found.insert(address).second) continue;
    const Instruction in = core.instruction(address);
    const OpInfo* const info = in.info();
    if (info == nullptr) continue;
    if (info->jumps()) work.push_back(in.destination());
    const bool leaves = info->op == Op::JMP || info->op == Op::RET || info->op == Op::RETURN;
    if (!leaves) work.push_back(static_cast<std::uint16_t>(address + 1));
  }
  return found;
}

}  // namespace

debug::Profile profileOf(std::string machine, debug::Program program,
                         const std::vector<std::pair<std::string, const Core*>>& cores) {
  debug::Profile profile;
  profile.machine = std::move(machine);
  profile.causes.assign(kCauses.begin(), kCauses.end());
  profile.program = std::move(program);
  std::set<std::uint16_t> executed;
  for (const auto& [name, core] : cores) {
    debug::Profile::Unit& unit = profile.units.emplace_back();
    unit.name = name;
    for (const auto& [address, row] : core->account()) {
      if (row.executions != 0) executed.insert(address);
      unit.places.push_back({address, row.executions, {row.clocks.begin(), row.clocks.end()}});
    }
  }
  if (cores.empty()) return profile;
  const std::set<std::uint16_t> code = reachable(*cores.front().second, executed);
  profile.instructions.assign(code.begin(), code.end());
  return profile;
}

}  // namespace rtvp::theia
