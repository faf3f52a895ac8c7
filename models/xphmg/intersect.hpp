// The two tests of XPHMG_RT on decoded operands: RT.BBOX's robust slab (xphmg.md 9.1) and RT.TRI's
// watertight triangle test (9.2). FP32 steps are rounded to nearest even, whatever FP_RMODE says;
// results leave unrounded and are rounded once by encode().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "models/xphmg/format.hpp"
#include "models/xphmg/layout.hpp"

namespace rtvp::xphmg {

/// A decoded ray record.
struct Ray {
  std::array<float, 3> o{};
  std::array<float, 3> d{};
  float tmin = 0;
  float tmax = 0;
  bool nan = false;    ///< a NaN among the words: no box or triangle is consumed (D-50)
  bool zeroW = false;  ///< W_GUARD and w = +-0: a miss
  [[nodiscard]] bool ends() const { return nan || zeroW; }
};
// The eight numbers lie in a row, as in an FP32 record; walks and decodeRay() move them as one.
static_assert(std::is_trivially_copyable_v<Ray> && std::is_standard_layout_v<Ray>);
static_assert(offsetof(Ray, o) == 0 && offsetof(Ray, d) == 3 * sizeof(float) &&
              offsetof(Ray, tmin) == 6 * sizeof(float) && offsetof(Ray, tmax) == 7 * sizeof(float));

/// Reads 8 elements, 9 with `w_guard`. Sets the operands' stickies.
[[nodiscard]] Ray decodeRay(const Precision& precision, const std::uint8_t* bytes, bool w_guard,
                            Stickies& stickies);

// ---- RT.BBOX ----

struct Box {
  std::array<float, 3> lo{};
  std::array<float, 3> hi{};
  bool nan = false;
};
[[nodiscard]] Box decodeBox(const Precision& precision, const std::array<std::uint32_t, 6>& words,
                            Stickies& stickies);

/// Per-ray constants of the slab test.
struct SlabRay {
  explicit SlabRay(const Ray& ray);
  Ray ray;
  std::array<float, 3> inverse{};  ///< 1/d, FP32 RNE; unused on axes with d = +-0
};

struct SlabResult {
  bool hit = false;
  float tn = 0, tf = 0;             ///< clamped into [tmin, tmax]: decides and orders
  float slabNear = 0, slabFar = 0;  ///< before that: what T_CLAMP=0 reports
};
/// Tests one box. Sets NV for inf - inf (D-50). The ray must not `ends()`.
[[nodiscard]] SlabResult intersectBox(const SlabRay& ray, const Box& box, Stickies& stickies);

// ---- RT.TRI ----

/// Per-ray constants of the triangle test.
struct ShearRay {
  explicit ShearRay(const Ray& ray);
  Ray ray;
  unsigned kx = 0, ky = 1, kz = 2;
  float sx = 0, sy = 0, sz = 0;
  bool finiteOrigin = true;    ///< inf - inf cannot happen
  bool zeroDirection = false;  ///< every triangle is missed and none consumed (D-50)
};

struct TriOptions {
  bool cullBack = false;
  bool edgeInclusive = false;  ///< option of D-41: both neighbours of a shared edge report a hit
  double tlo = 0;              ///< from lowerBound()
};
/// tmin raised by k epsilon steps (D-19, D-53).
[[nodiscard]] double lowerBound(float tmin, unsigned k);

using Vertices = std::array<std::array<float, 3>, 3>;
struct Triangle {
  Vertices v{};
  bool nan = false;
};
/// Nine packed elements.
[[nodiscard]] Triangle decodeTriangle(const Precision& precision, const std::uint8_t* bytes,
                                      Stickies& stickies);

struct TriResult {
  bool hit = false;
  bool front = false;
  double t = 0, u = 0, v = 0;  ///< unrounded; u is the weight of v1, v of v2
};
/// Tests one triangle by itself, t interval included. Sets NV for inf - inf. The ray must neither
/// `ends()` nor have a zero direction.
[[nodiscard]] TriResult intersectTriangle(const ShearRay& ray, const Triangle& triangle,
                                          const TriOptions& options, Stickies& stickies);

/// D-48: may a stack entry at `tn` be dropped when a hit at `best_t` is known?
[[nodiscard]] inline bool beyond(float tn, double best_t) {
  constexpr double kPad = 0x1p-22;
  return static_cast<double>(tn) > best_t * (best_t >= 0 ? 1 + kPad : 1 - kPad);
}

}  // namespace rtvp::xphmg
