// Texture pictures of a scene: colour, bump and cube maps (sl.md section 5), and how they are
// sampled.
//
// Texel (i, j) lies at s = (i + 0.5) / width, t = (j + 0.5) / height; t grows upwards, as OBJ has
// it, so row j = 0 is the *bottom* row of the picture file. Sampling is the 2 x 2 box with equal
// weights of sl_batch.md, with repeat addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

inline constexpr int kMaxTextureSide = 4096;
inline constexpr std::size_t kMaxTextures = 256;
/// Texels of all textures of a scene together (256 MiB of RGBA).
inline constexpr std::size_t kMaxTexels = std::size_t{1} << 26U;

struct Texture {
  enum class Kind : std::uint8_t {
    Color,  ///< reads as its colour, 0..1 by channel
    Bump,   ///< a height field (the mean of r, g, b); reads as a unit normal in tangent space
    Cube,   ///< six square faces, read by a direction
  };
  Kind kind = Kind::Color;
  std::string name;                ///< as the scene binds it; an OBJ texture's file name
  int width = 0;                   ///< texels; of one face for Cube
  int height = 0;                  ///< equal to width for Cube
  double bumpHeight = 0;           ///< Bump: height of white over black, in texels
  std::vector<std::uint8_t> rgba;  ///< texel (i, j) of face f at 4 * ((f * height + j) * width + i)

  [[nodiscard]] int faces() const { return kind == Kind::Cube ? 6 : 1; }
  [[nodiscard]] const std::uint8_t* texel(int i, int j, int face = 0) const {
    const auto w = static_cast<std::size_t>(width);
    const auto h = static_cast<std::size_t>(height);
    return rgba.data() +
           4 * ((static_cast<std::size_t>(face) * h + static_cast<std::size_t>(j)) * w +
                static_cast<std::size_t>(i));
  }
};

/// Tangent-space normal at texel (i, j) of a Bump texture: unit(-dh/di, -dh/dj, 1) with central
/// differences, repeat addressing.
[[nodiscard]] Vec3 bumpNormal(const Texture& bump, int i, int j);

/// The box-filtered value as the shading unit reads it, in binary32: a colour (Color), or a unit
/// tangent-space normal (Bump). Not for Cube.
[[nodiscard]] Vec3 sample(const Texture& texture, double s, double t);
/// A Cube texture's colour in `direction`.
[[nodiscard]] Vec3 sampleCube(const Texture& texture, const Vec3& direction);

}  // namespace rtvp::scene
