// See policy.hpp.
#include "platform/machines/policy.hpp"

#include <algorithm>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

constexpr std::array<std::string_view, kRayClasses> kClassNames = {"eye", "shadow", "secondary"};

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::size_t machineOf(std::string_view name, const std::vector<std::string>& machines) {
  const auto it = std::find(machines.begin(), machines.end(), name);
  if (it != machines.end()) return static_cast<std::size_t>(it - machines.begin());
  throw InputError("assign: found machine '" + std::string(name) + "', expected one of " +
                   list(machines));
}

Policy parseRace(std::string_view text, const std::vector<std::string>& machines) {
  Policy policy;
  policy.kind = Policy::Kind::Race;
  for (const std::string_view name : split(text)) {
    const std::size_t machine = machineOf(name, machines);
    if (std::find(policy.racers.begin(), policy.racers.end(), machine) != policy.racers.end()) {
      throw InputError("assign: found '" + std::string(name) + "' twice in a race");
    }
    policy.racers.push_back(machine);
  }
  if (policy.racers.size() < 2) {
    throw InputError("assign: found a race of one machine, expected at least two of " +
                     list(machines));
  }
  return policy;
}

Policy parseClasses(std::string_view text, const std::vector<std::string>& machines) {
  Policy policy;
  std::array<bool, kRayClasses> named{};
  for (const std::string_view part : split(text)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto it = std::find(kClassNames.begin(), kClassNames.end(), part.substr(0, equals));
    if (equals == part.size() || it == kClassNames.end()) {
      throw InputError("assign: found '" + std::string(part) +
                       "', expected share, race:MACHINE,MACHINE or eye=MACHINE, shadow=MACHINE, "
                       "secondary=MACHINE separated by commas");
    }
    const auto at = static_cast<std::size_t>(it - kClassNames.begin());
    if (named[at]) throw InputError("assign: found '" + std::string(*it) + "' twice");
    named[at] = true;
    policy.classes[at] = machineOf(part.substr(equals + 1), machines);
  }
  return policy;
}

}  // namespace

std::string_view nameOf(RayClass rays) {
  return kClassNames[static_cast<std::size_t>(rays)];
}

Policy parsePolicy(std::string_view text, const std::vector<std::string>& machines) {
  if (text.empty()) return {};
  if (text == "share") {
    Policy policy;
    policy.kind = Policy::Kind::Share;
    return policy;
  }
  constexpr std::string_view kRace = "race:";
  if (text.starts_with(kRace)) return parseRace(text.substr(kRace.size()), machines);
  return parseClasses(text, machines);
}

}  // namespace rtvp::platform
