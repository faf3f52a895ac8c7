// Affine maps of scene files that nest their transforms: glTF, PBRT.
#pragma once

#include <array>
#include <cmath>

#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// p -> columns[0] p.x + columns[1] p.y + columns[2] p.z + origin.
struct Affine {
  std::array<Vec3, 3> columns{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vec3 origin;

  [[nodiscard]] Vec3 vector(const Vec3& d) const {
    return columns[0] * d.x + columns[1] * d.y + columns[2] * d.z;
  }
  [[nodiscard]] Vec3 point(const Vec3& p) const { return vector(p) + origin; }
  /// Of a surface's normal, up to its length: the inverse's transpose, times the determinant.
  [[nodiscard]] Vec3 normal(const Vec3& n) const {
    return cross(columns[1], columns[2]) * n.x + cross(columns[2], columns[0]) * n.y +
           cross(columns[0], columns[1]) * n.z;
  }
  [[nodiscard]] double determinant() const {
    return dot(columns[0], cross(columns[1], columns[2]));
  }
  /// This after `first`.
  [[nodiscard]] Affine after(const Affine& first) const {
    return {{vector(first.columns[0]), vector(first.columns[1]), vector(first.columns[2])},
            point(first.origin)};
  }
  [[nodiscard]] bool finite() const {
    double sum = 0;
    for (const Vec3& v : {columns[0], columns[1], columns[2], origin}) {
      sum += std::abs(v.x) + std::abs(v.y) + std::abs(v.z);
    }
    return std::isfinite(sum);
  }
  bool operator==(const Affine&) const = default;
};

}  // namespace rtvp::scene
