// Numbers in the words of the shading unit's memory.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "models/sl/registers.hpp"

namespace rtvp::sl::unit {

inline float asFloat(std::uint32_t word) {
  return std::bit_cast<float>(word);
}
inline std::uint32_t asWord(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline Vec3 vectorAt(std::span<const std::uint32_t> words, unsigned at) {
  return {asFloat(words[at]), asFloat(words[at + 1]), asFloat(words[at + 2])};
}
inline void storeVector(std::span<std::uint32_t> words, unsigned at, const Vec3& v) {
  words[at] = asWord(v.x);
  words[at + 1] = asWord(v.y);
  words[at + 2] = asWord(v.z);
}

}  // namespace rtvp::sl::unit
