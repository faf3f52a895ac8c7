// See object.hpp.
#include "models/c32/link/object.hpp"

#include <algorithm>
#include <tuple>

namespace rtvp::c32 {

std::string relocationName(RelocationType type) {
  switch (type) {
    case RelocationType::Absolute:
      return "R_ABS";
    case RelocationType::Rel24:
      return "R_REL24";
    case RelocationType::RelWord:
      return "R_RELWORD";
    case RelocationType::RelLong:
      return "R_RELLONG";
    case RelocationType::PcrWord:
      return "R_PCRWORD";
    case RelocationType::Pcr24:
      return "R_PCR24";
    case RelocationType::PartLs16:
      return "R_PARTLS16";
    case RelocationType::PartMs8:
      return "R_PARTMS8";
  }
  return {};
}

std::string Object::sourceLine(std::uint32_t section, std::uint32_t offset) const {
  const auto key = std::tuple(section, offset);
  const auto it =
      std::lower_bound(lines.begin(), lines.end(), key,
                       [](const ObjectLine& l, const std::tuple<std::uint32_t, std::uint32_t>& k) {
                         return std::tuple(l.section, l.offset) < k;
                       });
  if (it == lines.end() || std::tuple(it->section, it->offset) != key || it->file >= files.size())
    return {};
  return files[it->file] + ":" + std::to_string(it->line);
}

}  // namespace rtvp::c32
