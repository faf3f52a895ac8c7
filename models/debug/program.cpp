// See program.hpp.
#include "models/debug/program.hpp"

#include <algorithm>

#include "models/common/core/text.hpp"

namespace rtvp::debug {

std::optional<std::uint64_t> Program::find(std::string_view symbol) const {
  const auto it = symbols.find(symbol);
  if (it == symbols.end()) return std::nullopt;
  return it->second;
}

bool Program::isCode(std::uint64_t address) const {
  return std::any_of(code.begin(), code.end(),
                     [address](const Range& r) { return address >= r.first && address <= r.last; });
}

std::string Program::symbolic(std::uint64_t address) const {
  constexpr std::uint64_t kFar = 0x1000;  // what lies further behind a symbol is something else
  auto it = labels.upper_bound(address);
  if (it == labels.begin()) return common::hex(address, addressDigits);
  --it;
  const std::uint64_t distance = address - it->first;
  if (distance > kFar) return common::hex(address, addressDigits);
  return distance == 0 ? it->second : it->second + "+" + std::to_string(distance);
}

const Line* Program::lineAt(std::uint64_t address) const {
  const auto it =
      std::lower_bound(lines.begin(), lines.end(), address,
                       [](const Line& line, std::uint64_t a) { return line.address < a; });
  return it != lines.end() && it->address == address ? &*it : nullptr;
}

std::string Program::lineText(std::uint64_t address) const {
  const Line* const line = lineAt(address);
  return line == nullptr ? "" : files[line->file] + ":" + std::to_string(line->number);
}

std::string Program::place(std::uint64_t address) const {
  std::string text = common::hex(address, addressDigits) + " " + symbolic(address);
  if (const std::string line = lineText(address); !line.empty()) text += " (" + line + ")";
  return text;
}

std::optional<std::uint32_t> Program::file(std::string_view name) const {
  for (std::uint32_t n = 0; n < files.size(); ++n) {
    const std::string& path = files[n];
    const bool end = path.size() > name.size() && path.ends_with(name) &&
                     path[path.size() - name.size() - 1] == '/';
    if (path == name || end) return n;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Program::addressOf(std::uint32_t file, std::uint32_t line) const {
  const Line* best = nullptr;
  for (const Line& entry : lines) {
    const bool fits = entry.file == file && entry.number >= line;
    if (fits && (best == nullptr || entry.number < best->number)) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  return best->address;
}

}  // namespace rtvp::debug
