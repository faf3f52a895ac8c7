// Camera rays, bounds and geometric normals of the scene model.
#include "platform/scene/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "platform/scene/camera_rays.hpp"

namespace rtvp::scene {

namespace {

struct Basis {
  Vec3 forward;
  Vec3 right;
  Vec3 up;
};

// Below this sine of the angle between view and up the cross product is rounding noise.
constexpr double kColinearSine = 1e-9;

// board.md 5.3, with the two cases in which the 1996 program divided by zero: without a view
// direction the camera looks along -z, and an up vector along the view is replaced by the axis that
// is farthest from it.
Basis cameraBasis(const Camera& camera) {
  Basis b;
  b.forward = unit(camera.lookAt - camera.eye);
  if (b.forward == Vec3{}) b.forward = {0, 0, -1};
  Vec3 side = cross(b.forward, unit(camera.up));
  if (!(length(side) > kColinearSine)) {
    const Vec3& d = b.forward;
    int axis = 1;
    if (std::abs(d.x) < std::abs(d[axis])) axis = 0;
    if (std::abs(d.z) < std::abs(d[axis])) axis = 2;
    Vec3 other;
    other[axis] = 1;
    side = cross(d, other);
  }
  b.right = unit(side);
  b.up = cross(b.right, b.forward);
  return b;
}

}  // namespace

CameraRays::CameraRays(const Camera& camera, int width, int height)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      plane_(camera.projection == Camera::Projection::Nff) {
  const Basis b = cameraBasis(camera);
  forward_ = b.forward;
  right_ = b.right;
  up_ = b.up;
  // One pixel step in the plane at distance 1: the angle spans the centres of the outer rows.
  if (plane_) {
    step_ = 2 * std::tan(camera.angle * (std::numbers::pi / 360)) / std::max(height_ - 1, 1.0);
  }
}

Vec3 Camera::direction(double px, double py, int width, int height) const {
  return CameraRays(*this, width, height).direction(px, py);
}

Camera::Plane Camera::plane(int width, int height) const {
  const Basis b = cameraBasis(*this);
  const double w = std::max(width, 1);
  const double h = std::max(height, 1);
  if (projection == Projection::Nff) {
    const double step = 2 * std::tan(angle * (std::numbers::pi / 360)) / std::max(h - 1, 1.0);
    return {b.forward + b.right * (-w / 2 * step) + b.up * (h / 2 * step), b.right * step,
            b.up * -step};
  }
  return {b.forward + b.right * -0.5 + b.up * 0.5, b.right * (1 / w), b.up * (-1 / h)};
}

void Bounds::include(const Vec3& p) {
  const auto smaller = [](double a, double b) { return b < a ? b : a; };
  const auto larger = [](double a, double b) { return a < b ? b : a; };
  lo = {smaller(lo.x, p.x), smaller(lo.y, p.y), smaller(lo.z, p.z)};
  hi = {larger(hi.x, p.x), larger(hi.y, p.y), larger(hi.z, p.z)};
}

void Bounds::include(const Bounds& b) {
  if (b.empty()) return;
  include(b.lo);
  include(b.hi);
}

Bounds Scene::bounds(const Element& e) const {
  Bounds result;
  if (e.kind == Element::Kind::Sphere) {
    const Sphere& s = spheres[e.index];
    const Vec3 r{s.radius, s.radius, s.radius};
    result.include(s.center - r);
    result.include(s.center + r);
  } else if (e.kind == Element::Kind::Implicit) {
    const Implicit& object = implicits[e.index];
    for (unsigned corner = 0; corner < 8; ++corner) {
      result.include(object.placement.toWorld({(corner & 1U) != 0 ? object.hi.x : object.lo.x,
                                               (corner & 2U) != 0 ? object.hi.y : object.lo.y,
                                               (corner & 4U) != 0 ? object.hi.z : object.lo.z}));
    }
  } else {
    for (const Vec3& v : triangles[e.index].v) result.include(v);
  }
  return result;
}

Bounds Scene::bounds() const {
  Bounds result = elsewhere;
  for (const Element& e : elements) result.include(bounds(e));
  return result;
}

Vec3 Scene::geometricNormal(std::uint32_t element, const Vec3& p) const {
  const Element& e = elements[element];
  if (e.kind == Element::Kind::Sphere) {
    const Vec3 n = unit(p - spheres[e.index].center);
    return n == Vec3{} ? Vec3{0, 0, 1} : n;
  }
  if (e.kind == Element::Kind::Implicit) return implicits[e.index].normal(p);
  const std::array<Vec3, 3>& v = triangles[e.index].v;
  return unit(cross(v[1] - v[0], v[2] - v[1]));
}

}  // namespace rtvp::scene
