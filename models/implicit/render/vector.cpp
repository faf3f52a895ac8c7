// See vector.hpp.
#include "models/implicit/render/vector.hpp"

#include <algorithm>

namespace rtvp::implicit::render {
namespace {

double determinant(const Affine& a) {
  const auto& m = a.row;
  return dot({m[0], m[1], m[2]}, cross({m[4], m[5], m[6]}, {m[8], m[9], m[10]}));
}

}  // namespace

bool Affine::invertible() const {
  double size = 1;
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t k = 0; k < 4; ++k)
      if (!std::isfinite(row[4 * n + k])) return false;
    size *= length({row[4 * n], row[4 * n + 1], row[4 * n + 2]});
  }
  // Hadamard: |determinant| <= product of the rows' lengths.
  return std::isfinite(size) && std::abs(determinant(*this)) > 1e-12 * size;
}

Affine Affine::inverse() const {
  const Vec x{row[0], row[1], row[2]}, y{row[4], row[5], row[6]}, z{row[8], row[9], row[10]};
  const double scale = 1 / determinant(*this);
  const Vec a = cross(y, z), b = cross(z, x), c = cross(x, y);
  Affine out;
  for (std::size_t n = 0; n < 3; ++n) {
    out.row[4 * n] = a[n] * scale;
    out.row[4 * n + 1] = b[n] * scale;
    out.row[4 * n + 2] = c[n] * scale;
  }
  const Vec shift = out.vector({row[3], row[7], row[11]});
  for (std::size_t n = 0; n < 3; ++n) out.row[4 * n + 3] = -shift[n];
  return out;
}

}  // namespace rtvp::implicit::render
