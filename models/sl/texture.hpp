// The 2 x 2 box filter (sl.md section 5, sl_batch.md "What must be bit-exact"), apart from where
// the texels lie: a unit fetches the footprint over its bus, a host from its memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/sl/registers.hpp"

namespace rtvp::sl {

/// The four texels of a sample, column and row, in the order in which they are summed.
struct TexelIndex {
  std::uint32_t i = 0;
  std::uint32_t j = 0;
};
using Footprint = std::array<TexelIndex, 4>;

/// The texels round (s, t) of a picture of `width` x `height` (each 1 or more), repeating; none if
/// a coordinate is not finite: such a sample is (0,0,0).
std::optional<Footprint> boxFootprint(std::uint32_t width, std::uint32_t height, float s, float t);
/// The same of a square picture that does not repeat (a cube's face): cut at its edges. Coordinates
/// must be finite.
Footprint cutFootprint(std::uint32_t side, float s, float t);
/// Their mean as the filter computes it: lanes summed left to right, times 0.25.
Vec3 boxFilter(const std::array<Vec3, 4>& texels);

/// A direction's place on a cube map of six faces: +x, -x, +y, -y, +z, -z.
struct CubePlace {
  unsigned face = 0;  ///< of the largest component, the earlier axis on a tie
  float s = 0;        ///< 0..1 to the right, for an eye in the cube's centre
  float t = 0;        ///< 0..1 upwards; the top and bottom faces continue the +z face
};
/// The zero vector and not-a-number read the middle of a face.
CubePlace cubePlace(const Vec3& direction);

/// A picture in memory. Texel (i, j) is texels[j * width + i]; t grows with j.
struct Texture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<Vec3> texels;

  /// The filtered sample; (0,0,0) of an empty picture.
  [[nodiscard]] Vec3 sample(float s, float t) const;
};

}  // namespace rtvp::sl
