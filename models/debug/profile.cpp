// See profile.hpp. The data itself: packing, joining, adding up.
#include "models/debug/profile.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <type_traits>

namespace rtvp::debug {
namespace {

class Packer {
 public:
  void number(std::uint64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
  }
  void text(const std::string& value) {
    number(value.size());
    out += value;
  }
  std::string out;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > left_.size())
      throw std::runtime_error("the profile of a host process is incomplete");
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(count);
    return bytes;
  }
  std::string_view left_;
};

void pack(Packer& to, const Program& program) {
  to.number(program.labels.size());
  for (const auto& [address, name] : program.labels) {
    to.number(address);
    to.text(name);
  }
  to.number(program.edges.size());
  for (const std::uint64_t address : program.edges) to.number(address);
  to.number(program.files.size());
  for (const std::string& file : program.files) to.text(file);
  to.number(program.lines.size());
  for (const Line& line : program.lines) {
    to.number(line.address);
    to.number(line.file);
    to.number(line.number);
  }
  to.number(program.addressDigits);
}

Program unpackProgram(Unpacker& from) {
  Program program;
  for (auto n = from.number(); n > 0; --n) {
    const std::uint64_t address = from.number();
    program.labels[address] = from.text();
  }
  for (auto n = from.number(); n > 0; --n) program.edges.insert(from.number());
  for (auto n = from.number(); n > 0; --n) program.files.push_back(from.text());
  for (auto n = from.number(); n > 0; --n) {
    Line& line = program.lines.emplace_back();
    line.address = from.number();
    line.file = static_cast<std::uint32_t>(from.number());
    line.number = static_cast<std::uint32_t>(from.number());
  }
  program.addressDigits = static_cast<unsigned>(from.number());
  return program;
}

void pack(Packer& to, const Profile& profile) {
  to.text(profile.machine);
  to.number(profile.causes.size());
  for (const std::string& cause : profile.causes) to.text(cause);
  pack(to, profile.program);
  to.number(profile.instructions.size());
  for (const std::uint64_t address : profile.instructions) to.number(address);
  to.number(profile.units.size());
  for (const Profile::Unit& unit : profile.units) {
    to.text(unit.name);
    to.number(unit.places.size());
    for (const Profile::Place& place : unit.places) {
      to.number(place.address);
      to.number(place.executions);
      for (const std::uint64_t cycles : place.cycles) to.number(cycles);
    }
  }
}

Profile unpackProfile(Unpacker& from) {
  Profile profile;
  profile.machine = from.text();
  for (auto n = from.number(); n > 0; --n) profile.causes.push_back(from.text());
  profile.program = unpackProgram(from);
  for (auto n = from.number(); n > 0; --n) profile.instructions.push_back(from.number());
  for (auto n = from.number(); n > 0; --n) {
    Profile::Unit& unit = profile.units.emplace_back();
    unit.name = from.text();
    for (auto places = from.number(); places > 0; --places) {
      Profile::Place& place = unit.places.emplace_back();
      place.address = from.number();
      place.executions = from.number();
      for (std::size_t c = 0; c < profile.causes.size(); ++c) place.cycles.push_back(from.number());
    }
  }
  return profile;
}

}  // namespace

std::string packed(std::span<const Profile> profiles) {
  Packer to;
  for (const Profile& profile : profiles) pack(to, profile);
  return std::move(to.out);
}

std::vector<Profile> unpacked(std::string_view bytes) {
  Unpacker from(bytes);
  std::vector<Profile> profiles;
  while (!from.empty()) profiles.push_back(unpackProfile(from));
  return profiles;
}

std::vector<Profile> joined(const std::vector<std::vector<Profile>>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<Profile> all;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    for (Profile profile : parts[n]) {
      for (Profile::Unit& unit : profile.units) unit.name.insert(0, "pc" + std::to_string(n) + ".");
      const auto same = std::find_if(all.begin(), all.end(), [&](const Profile& other) {
        return other.machine == profile.machine && other.program.labels == profile.program.labels;
      });
      if (same == all.end()) {
        all.push_back(std::move(profile));
        continue;
      }
      same->units.insert(same->units.end(), profile.units.begin(), profile.units.end());
    }
  }
  return all;
}

std::optional<ProfileForm> profileForm(std::string_view file) {
  if (file == "-" || file.ends_with(".txt")) return ProfileForm::Table;
  if (file.ends_with(".callgrind")) return ProfileForm::Callgrind;
  if (file.ends_with(".svg")) return ProfileForm::FlameGraph;
  return std::nullopt;
}

std::string profileText(std::span<const Profile> profiles, bool each, std::string_view title,
                        ProfileForm form) {
  switch (form) {
    case ProfileForm::Callgrind:
      return profileCallgrind(profiles, each, title);
    case ProfileForm::FlameGraph:
      return profileFlameGraph(profiles, each, title);
    case ProfileForm::Table:
      break;
  }
  return profileTable(profiles, each, title);
}

void ProfileSum::add(const Profile::Place& place) {
  executions += place.executions;
  cycles.resize(std::max(cycles.size(), place.cycles.size()));
  for (std::size_t c = 0; c < place.cycles.size(); ++c) cycles[c] += place.cycles[c];
}

std::uint64_t ProfileSum::total() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t c : cycles) sum += c;
  return sum;
}

std::string symbolOf(const Program& program, std::uint64_t address) {
  std::string name = program.symbolic(address);
  return name.substr(0, name.find('+'));
}

Profile::Unit together(const Profile& profile) {
  std::map<std::uint64_t, ProfileSum> sums;
  for (const Profile::Unit& unit : profile.units) {
    for (const Profile::Place& place : unit.places) sums[place.address].add(place);
  }
  Profile::Unit all{profile.machine, {}};
  for (const auto& [address, sum] : sums)
    all.places.push_back({address, sum.executions, sum.cycles});
  return all;
}

}  // namespace rtvp::debug
