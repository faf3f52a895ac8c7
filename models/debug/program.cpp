// See program.hpp.
#include "models/debug/program.hpp"

#include <algorithm>
#include <iterator>

#include "models/common/core/text.hpp"

namespace rtvp::debug {

void Program::add(const Program& other, std::uint64_t base) {
  const auto called = [this](std::string name) {
    if (symbols.contains(name)) name += "_2";
    return name;
  };
  std::map<std::string, std::string> names;
  for (const auto& [name, address] : other.symbols)
    symbols.emplace(names[name] = called(name), base + address);
  for (const auto& [address, name] : other.labels) {
    const auto renamed = names.find(name);
    labels.emplace(base + address, renamed == names.end() ? name : renamed->second);
  }
  const auto file = static_cast<std::uint32_t>(files.size());
  files.insert(files.end(), other.files.begin(), other.files.end());
  for (const Line& line : other.lines)
    lines.push_back({base + line.address, file + line.file, line.number});
  std::sort(lines.begin(), lines.end(),
            [](const Line& a, const Line& b) { return a.address < b.address; });
  for (const Range& r : other.code) code.push_back({base + r.first, base + r.last});
}

const Program::Owner* Program::ownerOf(std::uint64_t address) const {
  const auto found = std::find_if(owners.begin(), owners.end(), [address](const Owner& o) {
    return address >= o.first && address <= o.last;
  });
  return found == owners.end() ? nullptr : &*found;
}

std::size_t Program::runnerOf(std::uint64_t address, std::size_t focus) const {
  const auto has = [focus](const Owner& o) { return focus >= o.unit && focus < o.unit + o.units; };
  if (const Owner* const owner = ownerOf(address)) return has(*owner) ? focus : owner->unit;
  return std::any_of(owners.begin(), owners.end(), has) ? 0 : focus;
}

std::optional<std::uint64_t> Program::find(std::string_view symbol) const {
  const auto it = symbols.find(symbol);
  if (it == symbols.end()) return std::nullopt;
  return it->second;
}

bool Program::isCode(std::uint64_t address) const {
  return std::any_of(code.begin(), code.end(),
                     [address](const Range& r) { return address >= r.first && address <= r.last; });
}

void Program::setSections(std::vector<Range> sections) {
  std::erase_if(sections, [](const Range& r) { return r.last < r.first; });
  std::sort(sections.begin(), sections.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::vector<Range> apart;  // those that overlap are one
  for (const Range& r : sections) {
    if (apart.empty() || r.first > apart.back().last) {
      apart.push_back(r);
    } else {
      apart.back().last = std::max(apart.back().last, r.last);
    }
  }
  const auto add = [this](std::uint64_t address) {
    if (!labels.contains(address)) edges.insert(address);
  };
  for (std::size_t n = 0; n < apart.size(); ++n) {
    const std::uint64_t end = apart[n].last + 1;
    add(apart[n].first);
    add(end);
    // A label at a section's end names that place and none behind it.
    if (n + 1 == apart.size() || apart[n + 1].first != end) add(end + 1);
  }
}

const std::pair<const std::uint64_t, std::string>* Program::labelAt(std::uint64_t address) const {
  const auto behind = labels.upper_bound(address);
  if (behind == labels.begin()) return nullptr;
  const auto label = std::prev(behind);
  const auto edge = edges.upper_bound(address);
  if (edge != edges.begin() && *std::prev(edge) > label->first) return nullptr;
  return &*label;
}

std::string Program::symbolic(std::uint64_t address) const {
  constexpr std::uint64_t kFar = 0x1000;  // what lies further behind a symbol is something else
  const auto* const label = labelAt(address);
  if (label == nullptr || address - label->first > kFar) return common::hex(address, addressDigits);
  const std::uint64_t distance = address - label->first;
  return distance == 0 ? label->second : label->second + "+" + std::to_string(distance);
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
