// Normals by derivatives and by differences of f (sdf.md 10); see trace.hpp.
#include <algorithm>

#include "models/implicit/registers/gradient.hpp"
#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {
namespace {

/// Whether the cube of half side `h` around `p` lies in the box.
bool holds(const Bounds& box, const Vec& p, double h) {
  for (unsigned n = 0; n < 3; ++n)
    if (p[n] - h < box.min[n] || p[n] + h > box.max[n]) return false;
  return true;
}

Vec normalised(const Vec& v) {
  const double l = length(v);
  return l > 0 && std::isfinite(l) ? scaled(v, 1 / l) : Vec{};
}

constexpr std::array<Vec, 4> kCorners{Vec{1, -1, -1}, Vec{-1, -1, 1}, Vec{-1, 1, -1}, Vec{1, 1, 1}};

/// False where f has no derivatives, or they are all 0.
bool derivativeOf(const registers::Gradient& g, Vec& normal) {
  if (!g.defined()) return false;
  normal = normalised({double{g.slope[0]}, double{g.slope[1]}, double{g.slope[2]}});
  return length(normal) > 0;
}

}  // namespace

NormalStencil stencilAt(const Hull& hull, std::uint32_t leaf, const Vec& point,
                        const Settings& settings, const registers::Gradient* gradient) {
  const Leaf& here = hull.leaves[leaf];
  NormalStencil out;
  if (gradient != nullptr) {
    out.gradient = true;
    if (derivativeOf(*gradient, out.found)) {
      out.due = false;
      return out;
    }
  }
  out.kind = settings.normals == Normals::Forward ? Normals::Forward : Normals::Tetrahedron;
  if (settings.normals == Normals::Forward) {
    out.code = here.code;
    out.point.fill(point);
    for (unsigned n = 0; n < 3; ++n) out.point[n + 1][n] += double{settings.eps};
    return out;
  }
  const double h = std::max(1e-3, length(point) / 1024);
  const TaskCell& task = hull.tasks[here.task];
  out.code = holds(here.box, point, h) ? here.code : holds(task.box, point, h) ? task.code : 0;
  for (unsigned n = 0; n < 4; ++n) out.point[n] = add(point, scaled(kCorners[n], h));
  return out;
}

Vec NormalStencil::normal(const std::array<float, 4>& f) const {
  if (!due) return found;
  Vec slope{};
  if (kind == Normals::Forward) {
    for (unsigned n = 0; n < 3; ++n) slope[n] = double{f[n + 1] - f[0]};
  } else {
    for (unsigned n = 0; n < 4; ++n) slope = add(slope, scaled(kCorners[n], double{f[n]}));
  }
  return normalised(slope);
}

}  // namespace rtvp::implicit::render
