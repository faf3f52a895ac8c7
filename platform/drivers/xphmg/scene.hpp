// A scene as an XPHMG_RT unit sees it: moved and scaled into the number format's range, vertices
// rounded to the format once, so that shared vertices stay shared.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/xphmg/format.hpp"
#include "platform/drivers/xphmg/bvh.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// unit = (world - centre) * scale; the scale is a power of two.
struct XphmgSpace {
  xphmg::Format format = xphmg::Format::Fp32;
  scene::Vec3 centre;
  double scale = 1;

  [[nodiscard]] scene::Vec3 toUnit(const scene::Vec3& p) const { return (p - centre) * scale; }
  /// One number rounded to nearest.
  [[nodiscard]] std::uint32_t word(double value) const {
    if (format == xphmg::Format::Fp32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return encoded(value);
  }
  [[nodiscard]] double value(std::uint32_t word) const {
    const float plain = std::bit_cast<float>(word);
    return format == xphmg::Format::Fp32 && !std::isnan(plain) ? double{plain} : decoded(word);
  }
  /// The largest word whose value is below `value` (positive).
  [[nodiscard]] std::uint32_t wordBelow(double value) const;

 private:
  [[nodiscard]] std::uint32_t encoded(double value) const;
  [[nodiscard]] double decoded(std::uint32_t word) const;
};

/// The centre is the middle of the scene. FP16: scaled so that scene and eye stay below 2^11, which
/// leaves distances far from 65504; FP32 and BF16 have range enough.
[[nodiscard]] XphmgSpace xphmgSpace(const scene::Scene& scene, xphmg::Format format);

/// Four units in the last place of `format` at the scene's largest coordinate, as a share of the
/// scene's diagonal: the least that secondary rays must leave a surface by.
[[nodiscard]] double xphmgLeastOffset(const scene::Scene& scene, const XphmgSpace& space);

/// What goes into the unit's memory.
struct XphmgDatabase {
  XphmgBvh bvh;
  std::vector<std::uint8_t> triangles;  ///< in prim_id order, 9 elements each
  std::vector<std::uint32_t> elements;  ///< scene element of each prim_id
};
/// The scene must be of triangles only; throws std::invalid_argument otherwise.
[[nodiscard]] XphmgDatabase xphmgDatabase(const scene::Scene& scene, const XphmgSpace& space,
                                          const XphmgBvhOptions& options = {});

}  // namespace rtvp::host
