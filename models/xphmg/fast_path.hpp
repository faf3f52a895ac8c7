// Vector forms of the slab test and of the triangle test's first steps, for FP32, FP16 and BF16. A
// speed setting: bits, flags and counts are those of intersect.cpp; whatever they cannot promise
// that for, they decline.
//
// Invariants: suits() has been asked of the ray; no NaN and no inverted box is among what a test
// looks at, or it declines before anything is counted; a triangle is called missed only if the
// plain test misses it without a flag. The plain twin is TraversalSetup::plain
// (xphmg.datapath=plain).
#pragma once

#include <array>
#include <cstdint>

#include "models/xphmg/intersect.hpp"

namespace rtvp::xphmg::fast {

/// May this ray take the vector path? FP32, FP16 or BF16 without FTZ, finite origin, no zero
/// direction component.
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

/// Distances of the four boxes of a tile; returns the mask of those hit, whatever
/// their kind, or kDeclined: a NaN or an inverted box among them.
inline constexpr unsigned kDeclined = 0x80;
[[nodiscard]] unsigned testTile(const Ray& ray, Format format, const std::uint8_t* bytes,
                                Lanes& tn);

/// Per-ray constants of the triangle test, each four times.
struct Shear {
  void assign(const ShearRay& ray);
  Lanes ox, oy, oz, sx, sy;
  unsigned kx = 0, ky = 1, kz = 2;
};

/// What a first look at a triangle in the sheared plane tells.
enum class Verdict : std::uint8_t {
  Missed,   ///< it lies to one side of the ray: a miss without any flag
  Decoded,  ///< no NaN; its vertices have been decoded
  Unknown,  ///< declined: a NaN may have to be reported
};
[[nodiscard]] Verdict screen(const Shear& ray, Format format, const std::uint8_t* bytes,
                             Triangle& triangle);

}  // namespace rtvp::xphmg::fast
