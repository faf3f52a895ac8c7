// Bit patterns shared by the plain and the batched arithmetic: equal constants and equal order of
// operations make equal bits. Files compiled for one instruction set of the host include this, and
// must not leave library functions behind for others.
#pragma once

#include <cstdint>

namespace rtvp::sl {

/// Gradient n of twelve, packed: bit 31 and 30 are the signs of its two terms; bit 0: the first
/// term is y, else x; bit 1: the second is y, else z.
inline constexpr std::uint32_t kGradientUy = 1, kGradientVy = 2;
constexpr std::uint32_t gradientCode(unsigned n) {
  return (n & 1U) << 31U | (n & 2U) << 29U | (n >= 8 ? kGradientUy : 0U) |
         (n < 4 ? kGradientVy : 0U);
}

}  // namespace rtvp::sl
