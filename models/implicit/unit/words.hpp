// Little-endian words in byte buffers.
#pragma once

#include <bit>
#include <boost/endian/conversion.hpp>
#include <cstdint>

#include "models/implicit/render/vector.hpp"

namespace rtvp::implicit::unit {

inline std::uint32_t wordAt(const std::uint8_t* bytes, unsigned offset) {
  return boost::endian::load_little_u32(bytes + offset);
}
inline std::uint64_t wideAt(const std::uint8_t* bytes, unsigned offset) {
  return boost::endian::load_little_u64(bytes + offset);
}
inline float floatAt(const std::uint8_t* bytes, unsigned offset) {
  return std::bit_cast<float>(wordAt(bytes, offset));
}
inline render::Vec vectorAt(const std::uint8_t* bytes, unsigned offset) {
  return {floatAt(bytes, offset), floatAt(bytes, offset + 4), floatAt(bytes, offset + 8)};
}
inline void putWord(std::uint8_t* bytes, unsigned offset, std::uint32_t value) {
  boost::endian::store_little_u32(bytes + offset, value);
}
inline void putWide(std::uint8_t* bytes, unsigned offset, std::uint64_t value) {
  boost::endian::store_little_u64(bytes + offset, value);
}
inline void putFloat(std::uint8_t* bytes, unsigned offset, float value) {
  putWord(bytes, offset, std::bit_cast<std::uint32_t>(value));
}

}  // namespace rtvp::implicit::unit
