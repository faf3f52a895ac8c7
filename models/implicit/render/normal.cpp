// Normals by differences of f (sdf.md 10); see trace.hpp.
#include <algorithm>

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

}  // namespace

NormalResult normalAt(const Hull& hull, std::uint32_t leaf, const Vec& point,
                      const Settings& settings) {
  const Leaf& here = hull.leaves[leaf];
  NormalResult out;
  out.evaluations = 4;
  if (settings.normals == Normals::Forward) {
    out.code = here.code;
    const double h = settings.eps;
    const double f = hull.codes[out.code].valueAt(point);
    Vec slope{};
    for (unsigned n = 0; n < 3; ++n) {
      Vec p = point;
      p[n] += h;
      slope[n] = hull.codes[out.code].valueAt(p) - f;
    }
    out.normal = normalised(slope);
    return out;
  }
  const double h = std::max(1e-3, length(point) / 1024);
  const TaskCell& task = hull.tasks[here.task];
  out.code = holds(here.box, point, h) ? here.code : holds(task.box, point, h) ? task.code : 0;
  static constexpr std::array<Vec, 4> kCorners{Vec{1, -1, -1}, Vec{-1, -1, 1}, Vec{-1, 1, -1},
                                               Vec{1, 1, 1}};
  Vec slope{};
  for (const Vec& k : kCorners)
    slope = add(slope, scaled(k, hull.codes[out.code].valueAt(add(point, scaled(k, h)))));
  out.normal = normalised(slope);
  return out;
}

}  // namespace rtvp::implicit::render
