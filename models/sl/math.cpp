// See math.hpp. The double-precision series below carry about 1e-14 of relative error, so the one
// rounding to binary32 decides the result.
#include "models/sl/math.hpp"

#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "models/common/elementary.hpp"
#include "models/sl/math_constants.hpp"

namespace rtvp::sl {
namespace {

namespace elementary = common::elementary;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

NoiseTables makeTables() {
  NoiseTables t;
  for (unsigned i = 0; i < 256; ++i) t.permutation[i] = static_cast<std::uint8_t>(i);
  std::uint32_t x = 1996;
  for (unsigned i = 255; i >= 1; --i) {
    x = x * 1664525U + 1013904223U;
    std::swap(t.permutation[i], t.permutation[(x >> 16U) % (i + 1)]);
  }
  for (unsigned h = 0; h < 16; ++h) {
    const float slope = static_cast<float>(1 + (h & 7U)) / 8;
    t.slopes[h] = (h & 8U) != 0 ? -slope : slope;
  }
  for (unsigned h = 0; h < 256; ++h) t.gradients[h] = gradientCode(h % 12);
  return t;
}

float fade(float t) {
  return ((t * t) * t) * (t * (t * 6.0F - 15.0F) + 10.0F);
}
float mix(float f, float a, float b) {
  return a + f * (b - a);
}

/// A lattice coordinate: the cell modulo 256 and the place in it.
struct Cell {
  unsigned index;
  float t;
};
Cell cellOf(float x) {
  const float whole = std::floor(x);
  // floor(x) mod 256 without leaving binary32: every step is exact.
  const float rest = whole - 256.0F * std::floor(whole * (1.0F / 256.0F));
  return {static_cast<unsigned>(static_cast<int>(rest)), x - whole};
}

/// Dot product with a gradient: two of the three lanes, each with a sign.
float along(std::uint32_t code, float x, float y, float z) {
  const float u = (code & kGradientUy) != 0 ? y : x;
  const float v = (code & kGradientVy) != 0 ? y : z;
  const auto flip = [](float value, std::uint32_t sign) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ sign);
  };
  return flip(u, code & 0x80000000U) + flip(v, (code << 1U) & 0x80000000U);
}

}  // namespace

std::uint32_t randomSeed(std::uint32_t pixel, std::uint32_t sample, std::uint32_t light,
                         std::uint32_t depth) {
  // Neighbours must not get neighbouring streams: each part is stirred in by a multiplicative hash.
  std::uint32_t h = 0x9E3779B9U;
  for (const std::uint32_t part : {pixel, sample, light, depth}) {
    h = (h ^ part) * 0x85EBCA6BU;
    h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
    h ^= h >> 16U;
  }
  return h == 0 ? 1U : h;
}

const NoiseTables& noiseTables() {
  static const NoiseTables tables = makeTables();
  return tables;
}

float turb(float x) {
  if (!std::isfinite(x)) return kNan;
  const NoiseTables& n = noiseTables();
  const Cell c = cellOf(x);
  const float left = n.slopes[n.permutation[c.index] & 15U] * c.t;
  const float right = n.slopes[n.permutation[(c.index + 1) & 255U] & 15U] * (c.t - 1.0F);
  return 2.0F * mix(fade(c.t), left, right);
}

float turb(const Vec3& p) {
  if (!isFinite(p)) return kNan;
  const NoiseTables& n = noiseTables();
  const Cell x = cellOf(p.x), y = cellOf(p.y), z = cellOf(p.z);
  const float fx = fade(x.t), fy = fade(y.t), fz = fade(z.t);
  // Along x between two corners of the cell.
  const auto edge = [&](unsigned dy, unsigned dz) {
    const auto corner = [&](unsigned dx) {
      const auto& perm = n.permutation;
      const unsigned a = perm[(x.index + dx) & 255U], b = perm[(a + y.index + dy) & 255U];
      const unsigned h = perm[(b + z.index + dz) & 255U];
      return along(n.gradients[h], dx == 0 ? x.t : x.t - 1.0F, dy == 0 ? y.t : y.t - 1.0F,
                   dz == 0 ? z.t : z.t - 1.0F);
    };
    return mix(fx, corner(0), corner(1));
  };
  const float low = mix(fy, edge(0, 0), edge(1, 0));
  return mix(fz, low, mix(fy, edge(0, 1), edge(1, 1)));
}

float exponential(float x) {
  if (std::isnan(x)) return x;
  return static_cast<float>(
      elementary::exp2(elementary::expRange(static_cast<double>(x) * elementary::kLog2E)));
}

float power(float x, float y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return kNan;
  const float size = std::fabs(x);
  if (std::isinf(y) && size == 1) return 1;
  const bool whole = std::floor(y) == y;
  const float half = y * 0.5F;
  const bool odd = whole && !std::isinf(y) && std::floor(half) != half;
  if (x < 0 && !whole && !std::isinf(x)) return kNan;
  double log = -kInfinity;
  if (size > 0) log = std::isinf(size) ? kInfinity : elementary::log2(size);
  const auto result =
      static_cast<float>(elementary::exp2(elementary::expRange(log * static_cast<double>(y))));
  return odd && std::signbit(x) ? -result : result;
}

}  // namespace rtvp::sl
