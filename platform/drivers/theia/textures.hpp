// A scene's textures as THEIA wants them (theia.md 3.5, 5.6): square pictures of one size, a power
// of two, in texture memory. The original's routines know one texture, at word 0; the microcode set
// `textured` takes a texture's first word from a spare lane of the triangle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/theia/fixed.hpp"
#include "platform/drivers/theia/geometry.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

struct TheiaTextures {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  int side = 1;                      ///< texels, of all textures
  std::vector<std::uint32_t> words;  ///< texture memory from word 0: three a texel, rows upwards
  std::vector<std::uint32_t> first;  ///< by Scene::textures: its first word, or kNone
  std::size_t count = 0;             ///< textures in `words`
  std::size_t resampled = 0;         ///< of these, those that had another size
  std::size_t ignored = 0;           ///< materials whose texture THEIA cannot apply (bump, cube)

  /// Texture of an element, or kNone: where its first word is.
  [[nodiscard]] std::uint32_t firstWordOf(const scene::Scene& scene,
                                          const scene::Element& element) const;
  /// CREG_UV0, UV1, UV2 of a piece; all zero for one without texture. z of UV0 is 1.0 when it has
  /// one, z of UV1 its first word. Throws std::invalid_argument for a triangle that repeats a
  /// texture more often than the number format can count.
  [[nodiscard]] std::array<theia::Vec, 3> coordinates(const scene::Scene& scene,
                                                      const TheiaPiece& piece) const;
};

/// Textures that triangles of the scene use. Throws std::invalid_argument when they need more than
/// `limit` words.
[[nodiscard]] TheiaTextures theiaTextures(const scene::Scene& scene, std::size_t limit);

}  // namespace rtvp::host
