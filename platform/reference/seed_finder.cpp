// tri.c and SceneIntersect() of the seed's appendix B, in our words.
#include "platform/reference/seed_finder.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace rtvp::reference {
namespace {

using Vec = std::array<float, 3>;

float dotOf(const Vec& a, const Vec& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

float lengthOf(const Vec& a) {
  return std::sqrt(dotOf(a, a));
}

Vec unitOf(const Vec& a) {
  const float l = lengthOf(a);
  return {a[0] / l, a[1] / l, a[2] / l};
}

/// VecEqual is not in the listings: taken as a bound on each component's difference.
bool nearlyEqual(const Vec& a, const Vec& b, float tolerance) {
  return std::abs(a[0] - b[0]) < tolerance && std::abs(a[1] - b[1]) < tolerance &&
         std::abs(a[2] - b[2]) < tolerance;
}

}  // namespace

Vec SeedFinder::toFloat(const scene::Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// boring_cross_product: (b - a) x (c - b), not normalised.
Vec SeedFinder::crossOf(const Vec& a, const Vec& b, const Vec& c) {
  const Vec p{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const Vec q{c[0] - b[0], c[1] - b[1], c[2] - b[2]};
  return {p[1] * q[2] - q[1] * p[2], p[2] * q[0] - q[2] * p[0], p[0] * q[1] - q[0] * p[1]};
}

SeedFinder::SeedFinder(const scene::Scene& scene) : scene_(scene) {
  triangles_.reserve(scene.triangles.size());
  for (const scene::Triangle& from : scene.triangles) {
    Triangle to;
    for (std::size_t i = 0; i < 3; ++i) to.v[i] = toFloat(from.v[i]);
    to.normal = unitOf(crossOf(to.v[2], to.v[0], to.v[1]));
    to.d = -dotOf(to.normal, to.v[0]);
    triangles_.push_back(to);
  }
}

/// A triangle without area has a normal that is not a number; every comparison below then fails,
/// and so does the test.
bool SeedFinder::intersect(const FloatRay& ray, const Triangle& triangle, float& t) {
  const float facing = dotOf(triangle.normal, ray.direction);
  if (facing == 0) return false;
  t = -(dotOf(ray.origin, triangle.normal) + triangle.d) / facing;
  if (!(t > kRayEpsilon)) return false;
  const Vec point{ray.origin[0] + t * ray.direction[0], ray.origin[1] + t * ray.direction[1],
                  ray.origin[2] + t * ray.direction[2]};
  const Vec n1 = crossOf(point, triangle.v[0], triangle.v[1]);
  const Vec n2 = crossOf(point, triangle.v[1], triangle.v[2]);
  const Vec n3 = crossOf(point, triangle.v[2], triangle.v[0]);
  if (lengthOf(n1) < kAreaThreshold || lengthOf(n2) < kAreaThreshold ||
      lengthOf(n3) < kAreaThreshold) {
    return true;
  }
  const Vec u1 = unitOf(n1);
  const Vec u2 = unitOf(n2);
  const Vec u3 = unitOf(n3);
  return nearlyEqual(u1, u2, kRayEpsilon) && nearlyEqual(u2, u3, kRayEpsilon);
}

bool SeedFinder::intersectElement(const FloatRay& ray, const scene::Element& element,
                                  float& t) const {
  if (element.kind == scene::Element::Kind::Triangle) {
    return intersect(ray, triangles_[element.index], t);
  }
  const scene::Sphere& sphere = scene_.spheres[element.index];
  const Vec centre = toFloat(sphere.center);
  const auto radius = static_cast<float>(sphere.radius);
  const Vec to{centre[0] - ray.origin[0], centre[1] - ray.origin[1], centre[2] - ray.origin[2]};
  const float along = dotOf(to, ray.direction);
  const Vec off{to[0] - along * ray.direction[0], to[1] - along * ray.direction[1],
                to[2] - along * ray.direction[2]};
  const float square = radius * radius - dotOf(off, off);
  if (!(square >= 0)) return false;
  const float half = std::sqrt(square);
  t = along - half > kRayEpsilon ? along - half : along + half;
  return t > kRayEpsilon;
}

void SeedFinder::trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) {
  if (rays.size() != hits.size())
    throw std::invalid_argument("trace: rays and hits differ in number");
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const FloatRay ray{toFloat(rays[i].origin), toFloat(rays[i].direction)};
    // Larger distances than a float holds cannot be; both kinds of ray look for the nearest hit, as
    // in 1996.
    float best = std::numeric_limits<float>::max();
    std::uint32_t element = scene::kNoElement;
    // The original prepends each line to a list: its array, and ours, runs from the last line to
    // the first.
    for (std::uint32_t e = static_cast<std::uint32_t>(scene_.elements.size()); e-- > 0;) {
      float t = 0;
      if (intersectElement(ray, scene_.elements[e], t) && t < best) {
        best = t;
        element = e;
      }
    }
    const bool counts = rays[i].kind == host::Ray::Kind::Any ? double{best} < rays[i].tmax
                                                             : double{best} <= rays[i].tmax;
    hits[i] =
        element != scene::kNoElement && counts ? host::Hit{element, double{best}} : host::Hit{};
  }
}

}  // namespace rtvp::reference
