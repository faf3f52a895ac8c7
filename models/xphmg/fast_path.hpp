// The vector form of the slab test for FP32 tiles. A speed setting: bits, flags and counts are
// those of intersect.cpp; whatever it cannot promise that for, it declines.
#pragma once

#include <array>
#include <cstdint>

#include "models/xphmg/intersect.hpp"

namespace rtvp::xphmg::fast {

/// May this ray take the vector path? FP32 without FTZ, finite origin, no zero direction component.
[[nodiscard]] bool suits(const Precision& precision, const xphmg::Ray& ray);

struct Ray {
  Ray() = default;
  explicit Ray(const SlabRay& ray);
  std::array<float, 3> o{}, inverse{};
  std::array<bool, 3> negative{};  ///< near plane is the upper one
  float tmin = 0, tmax = 0;
};

struct TileResult {
  unsigned mask = 0;  ///< boxes hit, whatever their kind
  std::array<float, 4> tn{};
};

/// Tests the four boxes of a 128-byte FP32 tile. False: declined (a NaN among the boxes).
[[nodiscard]] bool testTile(const Ray& ray, const std::uint8_t* bytes, TileResult& result);

}  // namespace rtvp::xphmg::fast
