// The surface at a hit and what light does there: everything the ray tree computes between two
// batches of rays. It turns an element number and a distance into a point, normals and barycentric
// coordinates, so a machine needs to return nothing else (design.md section 10).
#pragma once

#include <optional>

#include "platform/raytree/hit_finder.hpp"
#include "platform/scene/parameters.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

using scene::Barycentric;
using scene::barycentric;

struct Surface {
  scene::Vec3 point;
  scene::Vec3 geometric;       ///< unit normal of the element itself, turned to face the ray
  scene::Vec3 normal;          ///< unit shading normal, turned to face the ray
  Barycentric uv;              ///< 0 on a sphere
  bool entering = true;        ///< the ray came from the side the geometric normal points to
  double slack = 0;            ///< as Hit::slack
  scene::Vec3 color{1, 1, 1};  ///< the material's colour, times its texture there
};

/// `hit.element` must be an element of the scene.
[[nodiscard]] Surface surfaceAt(const scene::Scene& scene, const Ray& ray, const Hit& hit);

/// What a light of unit strength adds, by channel: kdiff C max(0, N.L) + kspec max(0, R.V)^ns
/// (board.md 5.5), R being L mirrored at N and C `color`. `toLight` and `toEye` are unit vectors.
/// Zero where the light is behind the surface.
[[nodiscard]] scene::Vec3 phong(const scene::Material& material, const scene::Vec3& color,
                                const scene::Vec3& normal, const scene::Vec3& toLight,
                                const scene::Vec3& toEye);

/// `direction` mirrored at `normal`, unit.
[[nodiscard]] scene::Vec3 reflected(const scene::Vec3& direction, const scene::Vec3& normal);

/// `direction` bent by Snell's law; `normal` faces the ray, `refindex` is the inside relative to
/// the outside. Nothing on total internal reflection, and nothing for a material whose index is not
/// positive.
[[nodiscard]] std::optional<scene::Vec3> refracted(const scene::Vec3& direction,
                                                   const scene::Vec3& normal, double refindex,
                                                   bool entering);

}  // namespace rtvp::host
