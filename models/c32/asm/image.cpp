// See image.hpp.
#include "models/c32/asm/image.hpp"

#include <algorithm>

namespace rtvp::c32 {

std::optional<std::uint32_t> Image::find(std::string_view name) const {
  const auto it = symbols.find(name);
  if (it == symbols.end()) return std::nullopt;
  return it->second.value;
}

std::string Image::sourceLine(std::uint32_t address) const {
  const auto it =
      std::lower_bound(lines.begin(), lines.end(), address,
                       [](const LineEntry& e, std::uint32_t a) { return e.address < a; });
  if (it == lines.end() || it->address != address || it->file >= files.size()) return {};
  return files[it->file] + ":" + std::to_string(it->line);
}

}  // namespace rtvp::c32
