// Executed lines as lcov's .info. See profile.hpp.
#include <algorithm>
#include <map>

#include "models/debug/profile.hpp"

namespace rtvp::debug {
namespace {

struct File {
  std::map<std::uint32_t, std::uint64_t> lines;  ///< executions
  struct Function {
    std::uint32_t line = 0;
    std::uint64_t executions = 0;
  };
  std::map<std::string, Function> functions;
};

void collect(const Profile& profile, std::map<std::string, File>& files) {
  std::map<std::uint64_t, std::uint64_t> executions;
  for (const std::uint64_t address : profile.instructions) executions[address] = 0;
  for (const Profile::Unit& unit : profile.units) {
    for (const Profile::Place& place : unit.places) executions[place.address] += place.executions;
  }
  for (const auto& [address, count] : executions) {
    const Line* const line = profile.program.lineAt(address);
    if (line == nullptr) continue;
    File& file = files[profile.program.files[line->file]];
    std::uint64_t& most = file.lines[line->number];
    most = std::max(most, count);
    const auto label = profile.program.labels.find(address);
    if (label == profile.program.labels.end()) continue;
    File::Function& function = file.functions[label->second];
    function.line = line->number;
    function.executions = std::max(function.executions, count);
  }
}

}  // namespace

std::string coverageInfo(std::span<const Profile> profiles) {
  std::map<std::string, File> files;
  for (const Profile& profile : profiles) collect(profile, files);
  std::string out;
  const auto record = [&out](const char* name, std::uint64_t value) {
    out += name + std::to_string(value) + "\n";
  };
  for (const auto& [name, file] : files) {
    out += "TN:\nSF:" + name + "\n";
    const auto line = [&out](const char* tag, std::uint64_t n, const std::string& rest) {
      out += tag + std::to_string(n) + "," + rest + "\n";
    };
    std::uint64_t hit = 0;
    for (const auto& [function, info] : file.functions) line("FN:", info.line, function);
    for (const auto& [function, info] : file.functions) {
      line("FNDA:", info.executions, function);
      hit += info.executions != 0 ? 1 : 0;
    }
    record("FNF:", file.functions.size());
    record("FNH:", hit);
    hit = 0;
    for (const auto& [number, count] : file.lines) {
      line("DA:", number, std::to_string(count));
      hit += count != 0 ? 1 : 0;
    }
    record("LF:", file.lines.size());
    record("LH:", hit);
    out += "end_of_record\n";
  }
  return out;
}

}  // namespace rtvp::debug
