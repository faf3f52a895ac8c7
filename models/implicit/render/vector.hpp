// Three numbers in binary64 and affine maps: what ray set-up needs. Tapes run in binary32; rays,
// boxes and matrices are binary64, so that a point at t never leaves its cuboid by rounding.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace rtvp::implicit::render {

using Vec = std::array<double, 3>;

inline Vec add(const Vec& a, const Vec& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec sub(const Vec& a, const Vec& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec scaled(const Vec& a, double s) {
  return {a[0] * s, a[1] * s, a[2] * s};
}
inline double dot(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
/// Exactly antisymmetric: cross(b, a) is cross(a, b) with each sign changed. The rasteriser's
/// shared edges rest on it.
inline Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec& a) {
  return std::sqrt(dot(a, a));
}
/// The zero vector stays zero.
inline Vec unit(const Vec& a) {
  const double l = length(a);
  return l > 0 ? scaled(a, 1 / l) : a;
}

/// p -> M p + t, three rows of four numbers.
struct Affine {
  std::array<double, 12> row{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

  [[nodiscard]] Vec vector(const Vec& v) const {
    Vec out{};
    for (std::size_t n = 0; n < 3; ++n)
      out[n] = row[4 * n] * v[0] + row[4 * n + 1] * v[1] + row[4 * n + 2] * v[2];
    return out;
  }
  [[nodiscard]] Vec point(const Vec& p) const { return add(vector(p), {row[3], row[7], row[11]}); }
  /// Transposed M times v: takes normals of object space to the world if this is world to object.
  [[nodiscard]] Vec transposed(const Vec& v) const {
    Vec out{};
    for (std::size_t n = 0; n < 3; ++n)
      out[n] = row[n] * v[0] + row[n + 4] * v[1] + row[n + 8] * v[2];
    return out;
  }
  /// All 12 finite and M regular to working precision.
  [[nodiscard]] bool invertible() const;
  /// The inverse map; only if invertible().
  [[nodiscard]] Affine inverse() const;
  bool operator==(const Affine&) const = default;
};

}  // namespace rtvp::implicit::render
