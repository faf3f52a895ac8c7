// Arithmetic of the instructions that are more than one IEEE operation: noise, power, exponential,
// random numbers, unit vectors (sl.md section 2). Plain, and the definition of every bit: the
// batched engine repeats the same operations in the same order.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "models/sl/registers.hpp"

namespace rtvp::sl {

/// xorshift32 (13, 17, 5). `state` is never 0; stepping keeps it so.
constexpr std::uint32_t stepRandom(std::uint32_t state) {
  state ^= state << 13U;
  state ^= state >> 17U;
  state ^= state << 5U;
  return state;
}
/// The value of a new state, in [0, 1).
constexpr float randomValue(std::uint32_t state) {
  return static_cast<float>(state >> 8U) * (1.0F / 16777216.0F);
}
/// Seed of a run from where it stands in the picture: equal places give equal numbers; never 0.
std::uint32_t randomSeed(std::uint32_t pixel, std::uint32_t sample, std::uint32_t light,
                         std::uint32_t depth);

/// Permutation P of the noise and the gradients drawn from it.
struct NoiseTables {
  std::array<std::uint8_t, 256> permutation{};
  /// Slope of the 1-D noise at hash P[x & 255].
  std::array<float, 16> slopes{};
  /// gradientCode() (math_constants.hpp) of the 3-D noise at a hash.
  std::array<std::uint32_t, 256> gradients{};
};
const NoiseTables& noiseTables();

/// One octave of gradient noise. Not a number if a coordinate is not finite.
float turb(float x);
float turb(const Vec3& p);

/// e^x and x^y: correctly rounded but for about one case in a million, special cases as C99 Annex
/// F.
float exponential(float x);
float power(float x, float y);

/// (a.x*b.x + a.y*b.y) + a.z*b.z.
inline float dot(const Vec3& a, const Vec3& b) {
  return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {(a.y * b.z) - (a.z * b.y), (a.z * b.x) - (a.x * b.z), (a.x * b.y) - (a.y * b.x)};
}
/// Each lane divided by the rounded length; the zero vector if the sum of squares is 0.
inline Vec3 norm(const Vec3& v) {
  const float sum = dot(v, v);
  if (sum == 0) return {};
  const float length = std::sqrt(sum);
  return {v.x / length, v.y / length, v.z / length};
}

}  // namespace rtvp::sl
