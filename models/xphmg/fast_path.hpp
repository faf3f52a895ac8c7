// Vector forms of the slab test and of the triangle test's first steps, for FP32. A speed setting:
// bits, flags and counts are those of intersect.cpp; whatever they cannot promise that for, they
// decline.
#pragma once

#include <array>
#include <cstdint>

#include "models/xphmg/intersect.hpp"

namespace rtvp::xphmg::fast {

/// May this ray take the vector path? FP32 without FTZ, finite origin, no zero direction component.
[[nodiscard]] bool suits(const Precision& precision, const xphmg::Ray& ray);

/// One value for four children.
struct alignas(16) Lanes {
  std::array<float, 4> v{};
  void fill(float x) { v = {x, x, x, x}; }
};
struct alignas(16) Bits {
  std::array<std::uint32_t, 4> v{};
  void fill(bool set) { v.fill(set ? 0xFFFFFFFFU : 0U); }
};

struct Ray {
  void assign(const SlabRay& ray);
  std::array<Lanes, 3> o, inverse;
  std::array<Bits, 3> negative;  ///< the near plane is the upper one
  Lanes tmin, tmax;
};

/// Distances of the four boxes of a 128-byte FP32 tile; returns the mask of those hit, whatever
/// their kind, or kDeclined: a NaN or an inverted box among them.
inline constexpr unsigned kDeclined = 0x80;
[[nodiscard]] unsigned testTile(const Ray& ray, const std::uint8_t* bytes, Lanes& tn);

/// Per-ray constants of the triangle test, each four times.
struct Shear {
  void assign(const ShearRay& ray);
  Lanes ox, oy, oz, sx, sy;
  unsigned kx = 0, ky = 1, kz = 2;
};

/// Can this FP32 triangle be missed for sure: in the sheared plane it lies to one side of the ray?
/// Never true when a NaN would have to be reported.
[[nodiscard]] bool surelyMissed(const Shear& ray, const std::uint8_t* bytes);

}  // namespace rtvp::xphmg::fast
