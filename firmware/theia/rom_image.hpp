// What theia-embed makes of a microcode source.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/theia/registers.hpp"

namespace rtvp::theia {

struct RomRow {
  std::uint16_t row;
  std::uint64_t word;
  std::uint32_t line;  ///< of the source
};
struct RomLabel {
  std::string_view name;
  std::uint16_t row;
};
struct RomImage {
  std::string_view file;
  std::span<const RomRow> rows;
  std::span<const RomLabel> labels;
  std::array<std::uint16_t, kEntries> table;
};

}  // namespace rtvp::theia
