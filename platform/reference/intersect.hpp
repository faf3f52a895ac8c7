// Ray-triangle and ray-sphere tests in double precision; the triangle test is watertight.
//
// The ray's frame is sheared so that the ray runs along one axis (Woop, Benthin, Wald: Watertight
// Ray/Triangle Intersection, JCGT 2013); the triangle is then three points of a plane and the
// question is on which side of each edge the origin lies. That sign is computed exactly from the
// sheared coordinates, and a vertex has the same sheared coordinates in every triangle that shares
// it, so a ray cannot slip between two triangles at a shared edge or vertex. Points on an edge
// belong to both; the tie rule decides.
#pragma once

#include <array>
#include <optional>

#include "platform/raytree/hit_finder.hpp"

namespace rtvp::reference {

/// What all triangles have in common for one ray.
struct ShearedRay {
  explicit ShearedRay(const host::Ray& ray);
  scene::Vec3 origin;
  int kx;
  int ky;
  int kz;  ///< axis along which the ray runs fastest
  double shearX;
  double shearY;
  double scaleZ;
};

/// Distance to the plane where the ray meets the triangle, of either sign; nothing if it misses or
/// lies in the plane.
[[nodiscard]] std::optional<double> intersect(const ShearedRay& ray,
                                              const std::array<scene::Vec3, 3>& triangle);

/// Distances to both surfaces of the sphere, nearer first (equal where the ray grazes); nothing if
/// the ray's line misses. Uses the perpendicular from the centre to the line, which does not cancel
/// for small distant spheres.
[[nodiscard]] std::optional<std::array<double, 2>> intersect(const host::Ray& ray,
                                                             const scene::Sphere& sphere);

}  // namespace rtvp::reference
