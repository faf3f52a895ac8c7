// See program.hpp.
#include "models/theia/debug/program.hpp"

#include <algorithm>
#include <filesystem>

#include "models/theia/debug/unit.hpp"

namespace rtvp::theia {
namespace {

constexpr std::string_view kEntryPrefix = "ENTRYPOINT_ADRR_";

std::string shortName(const std::string& label) {
  return label.starts_with(kEntryPrefix) ? label.substr(kEntryPrefix.size()) : label;
}

}  // namespace

debug::Program debugProgram(std::span<const CodeSource> sources,
                            std::span<const std::uint16_t> table) {
  debug::Program program;
  std::vector<debug::Program::Range> sections;
  program.addressDigits = 4;
  for (std::size_t slot = 0; slot < std::min<std::size_t>(table.size(), kEntries); ++slot)
    program.symbols.emplace(kEntryTable[slot].name, table[slot]);
  for (const CodeSource& source : sources) {
    const std::string stem = std::filesystem::path(source.file).stem().string();
    for (const auto& [label, address] : source.labels) {
      const bool first = program.symbols.emplace(label, address).first->second == address;
      const std::string own = stem + "_" + shortName(label);
      program.symbols.emplace(own, address);
      program.labels.try_emplace(address, first && !label.starts_with(kEntryPrefix) ? label : own);
    }
    const auto file = static_cast<std::uint32_t>(program.files.size());
    program.files.push_back(source.file);
    const auto [first, last] = std::minmax_element(source.lines.begin(), source.lines.end());
    if (first != source.lines.end()) sections.push_back({first->first, last->first});
    for (const auto& [address, line] : source.lines) {
      const bool known =
          std::any_of(program.lines.begin(), program.lines.end(),
                      [a = address](const debug::Line& l) { return l.address == a; });
      if (known) continue;
      program.lines.push_back({address, file, line});
      program.code.push_back({address, address});
    }
  }
  std::sort(program.lines.begin(), program.lines.end(),
            [](const debug::Line& a, const debug::Line& b) { return a.address < b.address; });
  program.setSections(std::move(sections));
  program.symbols.emplace("TEXTURE", DebugUnit::kTexture);
  program.symbols.emplace("OUTPUT", DebugUnit::kOutput);
  return program;
}

}  // namespace rtvp::theia
