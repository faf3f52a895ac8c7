// See texture_reader.hpp.
#include "models/sl/unit/texture_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "models/sl/math.hpp"
#include "models/sl/texture.hpp"

namespace rtvp::sl::unit {
namespace {

constexpr float kSnorm = 32767.0F;

Vec3 decodeColour(std::uint32_t word) {
  const auto channel = [word](unsigned n) {
    return static_cast<float>(word >> (8 * n) & 0xFFU) / 255.0F;
  };
  return {channel(0), channel(1), channel(2)};
}

// The third component of a unit normal follows from the other two.
Vec3 decodeNormal(std::uint32_t word) {
  const auto signedHalf = [](std::uint32_t bits) {
    return static_cast<float>(std::bit_cast<std::int16_t>(static_cast<std::uint16_t>(bits)));
  };
  const float x = signedHalf(word & 0xFFFFU) / kSnorm;
  const float y = signedHalf(word >> 16U) / kSnorm;
  return {x, y, std::sqrt(std::max(0.0F, 1.0F - x * x - y * y))};
}

}  // namespace

bool isUsable(const TextureSlot& slot) {
  if (slot.format == Format::None) return true;
  if (static_cast<std::uint32_t>(slot.format) > kLastFormat) return false;
  if (slot.width == 0 || slot.height == 0 || slot.address % 4 != 0) return false;
  return slot.format != Format::Cube || slot.width == slot.height;
}

TextureReader::TextureReader(unsigned lines) : lines_(lines) {}

void TextureReader::flush() {
  for (Line& line : lines_) line.address = ~std::uint64_t{0};
}

std::uint32_t TextureReader::word(std::uint64_t address, MemoryPort& port, Clock& clock) {
  const Clock before = clock;
  const std::uint32_t texel = fetched(address, port, clock);
  if (probe_ && clock != kBusError) probe_(address, clock - before);
  return texel;
}

std::uint32_t TextureReader::fetched(std::uint64_t address, MemoryPort& port, Clock& clock) {
  ++counters_.texels;
  if (lines_.empty()) {
    std::uint32_t value = 0;
    ++counters_.misses;
    clock = port.read(address, {&value, 1}, clock);
    return value;
  }
  constexpr std::uint64_t kLineBytes = std::uint64_t{4} * kLineWords;
  const std::uint64_t start = address - address % kLineBytes;
  Line& line = lines_[start / kLineBytes % lines_.size()];
  if (line.address == start) {
    ++counters_.hits;
  } else {
    ++counters_.misses;
    clock = port.read(start, line.words, clock);
    line.address = clock == kBusError ? ~std::uint64_t{0} : start;
  }
  return line.words[address % kLineBytes / 4];
}

Vec3 TextureReader::sample(const TextureSlot& slot, const Vec3& at, MemoryPort& port,
                           Clock& clock) {
  ++counters_.samples;
  if (slot.format == Format::None) return {};
  std::uint64_t base = slot.address;
  std::optional<Footprint> footprint;
  if (slot.format == Format::Cube) {
    const CubePlace place = cubePlace(at);
    base += std::uint64_t{4} * place.face * slot.width * slot.height;
    footprint = cutFootprint(slot.width, place.s, place.t);
  } else {
    footprint = boxFootprint(slot.width, slot.height, at.x, at.y);
  }
  if (!footprint) return {};
  std::array<Vec3, 4> texels;
  for (std::size_t k = 0; k < 4; ++k) {
    const TexelIndex& n = (*footprint)[k];
    const std::uint32_t bits =
        word(base + 4 * (std::uint64_t{n.j} * slot.width + n.i), port, clock);
    if (clock == kBusError) return {};
    texels[k] = slot.format == Format::Bump ? decodeNormal(bits) : decodeColour(bits);
  }
  const Vec3 mean = boxFilter(texels);
  return slot.format == Format::Bump ? norm(mean) : mean;
}

}  // namespace rtvp::sl::unit
