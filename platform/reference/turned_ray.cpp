#include "platform/reference/turned_ray.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace rtvp::reference {
namespace {

using scene::Vec3;

/// Of t: hits so close together have no order.
constexpr double kSamePlace = 1e-9;

Vec3 normalOf(const scene::Triangle& triangle) {
  return cross(triangle.v[1] - triangle.v[0], triangle.v[2] - triangle.v[0]);
}

}  // namespace

bool TurnedRay::mayMeet(const host::Ray& ray, const report::HitRow& row) const {
  host::Ray whole = ray;
  whole.tmax = host::kInfinity;
  const std::vector<host::Hit> met = finder_.all(whole);
  if (row.prim == report::kMiss) return goesBy(ray, met, host::kInfinity, scene::kNoElement);
  const auto& pieces = pieces_[static_cast<std::size_t>(row.prim)];
  return std::any_of(pieces.begin(), pieces.end(), [&](std::uint32_t piece) {
    const std::optional<double> t = place(ray, met, piece, row.t);
    return t && goesBy(ray, met, *t, piece);
  });
}

const scene::Triangle* TurnedRay::triangle(std::uint32_t element) const {
  const scene::Element& e = scene_.elements[element];
  return e.kind == scene::Element::Kind::Triangle ? &scene_.triangles[e.index] : nullptr;
}

std::optional<double> TurnedRay::place(const host::Ray& ray, const std::vector<host::Hit>& met,
                                       std::uint32_t piece, double t) const {
  for (const host::Hit& hit : met) {
    if (hit.element == piece && std::abs(hit.t - t) <= distance_ * std::max(hit.t, t)) return hit.t;
  }
  const scene::Triangle* const there = triangle(piece);
  if (there == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<double> edge = passes(ray, there->v[i], there->v[(i + 1) % 3]);
    if (edge && fits(ray, *there, *edge, t)) return edge;
  }
  return std::nullopt;
}

bool TurnedRay::fits(const host::Ray& ray, const scene::Triangle& triangle, double there,
                     double t) const {
  double nearest = host::kInfinity;
  double farthest = -host::kInfinity;
  for (const Vec3& corner : triangle.v) {
    const double along = dot(corner - ray.origin, ray.direction);
    nearest = std::min(nearest, along);
    farthest = std::max(farthest, along);
  }
  const double slack = distance_ * std::max(there, t);
  if (t < nearest - slack || t > farthest + slack) return false;
  // Turned from one side of the ray to the other, it moves over the plane by the slope times that.
  const Vec3 normal = normalOf(triangle);
  const double slope = length(normal) / std::abs(dot(normal, ray.direction));
  return !(std::abs(t - there) > slack + 2 * angle_ * there * slope);
}

bool TurnedRay::goesBy(const host::Ray& ray, const std::vector<host::Hit>& met, double t,
                       std::uint32_t target) const {
  return std::all_of(met.begin(), met.end(), [&](const host::Hit& hit) {
    return hit.element == target || hit.t >= t * (1 - kSamePlace) ||
           leaves(ray, hit.element, target);
  });
}

bool TurnedRay::leaves(const host::Ray& ray, std::uint32_t element, std::uint32_t target) const {
  std::vector<std::uint32_t> reached{element};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::uint32_t here = reached[next];
    const scene::Triangle* const from = triangle(here);
    if (from == nullptr) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& p = from->v[i];
      const Vec3& q = from->v[(i + 1) % 3];
      if (!passes(ray, p, q)) continue;
      const std::vector<std::uint32_t> others = beyond(ray, here, p, q);
      if (others.empty()) return true;
      for (const std::uint32_t other : others) {
        if (other == target) return true;
        if (std::find(reached.begin(), reached.end(), other) == reached.end()) {
          reached.push_back(other);
        }
      }
    }
  }
  return false;
}

std::vector<std::uint32_t> TurnedRay::beyond(const host::Ray& ray, std::uint32_t element,
                                             const Vec3& p, const Vec3& q) const {
  const double facing = dot(normalOf(*triangle(element)), ray.direction);
  // Consistent winding runs the shared edge both ways; equal runs mean that the neighbour's normal
  // is turned. This one's own run is p-q.
  std::vector<std::uint32_t> found;
  for (std::uint32_t other = 0; other < scene_.elements.size(); ++other) {
    const scene::Triangle* const neighbour = other == element ? nullptr : triangle(other);
    if (neighbour == nullptr) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3& from = neighbour->v[i];
      const Vec3& to = neighbour->v[(i + 1) % 3];
      const bool opposite = from == q && to == p;
      if (!opposite && !(from == p && to == q)) continue;
      const double its = dot(normalOf(*neighbour), ray.direction);
      if (facing * (opposite ? its : -its) > 0) {
        found.push_back(other);
        break;
      }
    }
  }
  return found;
}

std::optional<double> TurnedRay::passes(const host::Ray& ray, const Vec3& p, const Vec3& q) const {
  // Seen along the ray: how far aside the edge's points lie, and how far along.
  const auto aside = [&](const Vec3& corner) {
    const Vec3 to = corner - ray.origin;
    return to - ray.direction * dot(to, ray.direction);
  };
  const Vec3 from = aside(p);
  const Vec3 run = aside(q) - from;
  const double square = dot(run, run);
  const double share = square > 0 ? std::clamp(-dot(from, run) / square, 0.0, 1.0) : 0.0;
  const double along = dot(p + (q - p) * share - ray.origin, ray.direction);
  if (along <= 0 || length(from + run * share) > angle_ * along) return std::nullopt;
  return along;
}

}  // namespace rtvp::reference
