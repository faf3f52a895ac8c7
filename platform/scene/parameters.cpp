// Surface parameters of triangles and spheres, see parameters.hpp.
#include "platform/scene/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rtvp::scene {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Parameters ofTriangle(const Triangle& triangle, const Vec3& point) {
  const Barycentric at = barycentric(triangle, point);
  Parameters result{at.u, at.v, triangle.v[1] - triangle.v[0], triangle.v[2] - triangle.v[0]};
  if (!triangle.textured) return result;
  const auto& st = triangle.st;
  const double u0 = st[0].u;
  const double v0 = st[0].v;
  const double u1 = st[1].u - u0;
  const double v1 = st[1].v - v0;
  const double u2 = st[2].u - u0;
  const double v2 = st[2].v - v0;
  result.u = u0 + at.u * u1 + at.v * u2;
  result.v = v0 + at.u * v1 + at.v * v2;
  const double area = u1 * v2 - u2 * v1;
  // A texture squeezed to a line has no derivatives; the triangle's edges are then as good as any.
  if (area != 0 && std::isfinite(1 / area)) {
    const Vec3 e1 = result.du;
    const Vec3 e2 = result.dv;
    result.du = (e1 * v2 - e2 * v1) * (1 / area);
    result.dv = (e2 * u1 - e1 * u2) * (1 / area);
  }
  return result;
}

Parameters ofSphere(const Sphere& sphere, const Space& space, const Vec3& point) {
  Vec3 d = unit(space.directionToObject(point - sphere.center));
  if (d == Vec3{}) d = {0, 0, 1};
  Parameters result;
  const double longitude = std::atan2(-d.z, d.x);
  result.u = (longitude < 0 ? longitude + kTurn : longitude) / kTurn;
  result.v = 1 - std::acos(std::clamp(d.y, -1.0, 1.0)) / std::numbers::pi;
  const double ring = std::sqrt(d.x * d.x + d.z * d.z);
  const Vec3 outward = ring > 0 ? Vec3{d.x / ring, 0, d.z / ring} : Vec3{1, 0, 0};
  const double r = sphere.radius;
  result.du = space.directionToWorld(Vec3{d.z, 0, -d.x} * (kTurn * r));
  result.dv = space.directionToWorld((Vec3{0, ring, 0} - outward * d.y) * (std::numbers::pi * r));
  return result;
}

Parameters ofImplicit(const Implicit& object, const Vec3& point) {
  const Vec3 p = object.placement.toObject(point);
  const Vec3 size = object.hi - object.lo;
  return {(p.x - object.lo.x) / size.x, (p.y - object.lo.y) / size.y,
          object.placement.columns()[0] * size.x, object.placement.columns()[1] * size.y};
}

}  // namespace

Barycentric barycentric(const Triangle& triangle, const Vec3& point) {
  const Vec3 e1 = triangle.v[1] - triangle.v[0];
  const Vec3 e2 = triangle.v[2] - triangle.v[0];
  const Vec3 normal = cross(e1, e2);
  const double area = dot(normal, normal);
  if (!(area > 0)) return {};
  const Vec3 p = point - triangle.v[0];
  return {dot(cross(p, e2), normal) / area, dot(cross(e1, p), normal) / area};
}

Parameters parametersAt(const Scene& scene, std::uint32_t element, const Vec3& point) {
  const Element& e = scene.elements[element];
  if (e.kind == Element::Kind::Triangle) return ofTriangle(scene.triangles[e.index], point);
  if (e.kind == Element::Kind::Implicit) return ofImplicit(scene.implicits[e.index], point);
  return ofSphere(scene.spheres[e.index], scene.spaces[scene.materials[e.material].space], point);
}

TangentFrame tangentFrame(const Parameters& at, const Vec3& normal) {
  TangentFrame frame;
  frame.ds = unit(at.du - normal * dot(at.du, normal));
  if (frame.ds == Vec3{}) {
    const Vec3 axis = std::abs(normal.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    frame.ds = unit(axis - normal * dot(axis, normal));
  }
  frame.dt = cross(normal, frame.ds);
  if (dot(frame.dt, at.dv) < 0) frame.dt = -frame.dt;
  return frame;
}

}  // namespace rtvp::scene
