// The C32's flags of what an x86-64 host's are after an integer operation, for translated code.
#pragma once

#include <array>
#include <cstdint>

#include "models/c32/flags.hpp"

namespace rtvp::c32 {

/// C, Z and N by what LAHF leaves in AH: SF, ZF and CF.
[[nodiscard]] constexpr std::array<std::uint8_t, 256> flagsOfHost() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned flags = 0; flags < table.size(); ++flags) {
    table[flags] = static_cast<std::uint8_t>((flags >> 7 & 1u) * kN | (flags >> 6 & 1u) * kZ |
                                             (flags & 1u) * kC);
  }
  return table;
}

}  // namespace rtvp::c32
