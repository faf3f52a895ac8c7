// See image.hpp.
#include "models/c32/asm/image.hpp"

#include <algorithm>

namespace rtvp::c32 {

std::optional<std::uint32_t> Image::find(std::string_view name) const {
  const auto it = symbols.find(name);
  if (it == symbols.end()) return std::nullopt;
  return it->second.value;
}

std::vector<Section> Image::initialised() const {
  std::vector<Section> out;
  for (const Section& s : copies) {
    if (s.name != ".cinit") continue;
    for (std::size_t at = 0; at + 2 <= s.words.size() && s.words[at] != 0;) {
      const std::size_t count = s.words[at];
      if (count > s.words.size() - at - 2) break;
      Section record;
      record.name = s.name;
      record.kind = Section::Kind::Data;
      record.loadAddress = record.runAddress = s.words[at + 1] & 0xFFFFFFu;
      record.size = static_cast<std::uint32_t>(count);
      const auto first = s.words.begin() + static_cast<std::ptrdiff_t>(at + 2);
      record.words.assign(first, first + static_cast<std::ptrdiff_t>(count));
      out.push_back(std::move(record));
      at += count + 2;
    }
  }
  return out;
}

std::string Image::sourceLine(std::uint32_t address) const {
  const auto it =
      std::lower_bound(lines.begin(), lines.end(), address,
                       [](const LineEntry& e, std::uint32_t a) { return e.address < a; });
  if (it == lines.end() || it->address != address || it->file >= files.size()) return {};
  return files[it->file] + ":" + std::to_string(it->line);
}

}  // namespace rtvp::c32
