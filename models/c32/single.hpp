// Words of memory read as single-precision floats, for who only looks at them.
#pragma once

#include <cstdint>

namespace rtvp::c32 {

/// Exponent -128 is zero whatever the rest; the sign is bit 23.
[[nodiscard]] constexpr bool aboveZero(std::uint32_t single) {
  return single >> 24 != 0x80 && (single & 0x800000) == 0;
}

}  // namespace rtvp::c32
