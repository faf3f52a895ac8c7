// From hits on shaded surfaces to the registers their programs start with (sl.md sections 1 and 5).
#pragma once

#include <cstdint>

#include "platform/raytree/hit_finder.hpp"
#include "platform/raytree/surface.hpp"
#include "platform/raytree/surface_shading.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// Where in the picture a run stands: what rnd is seeded from.
struct SeedPlace {
  std::uint32_t pixel = 0;   ///< y * width + x of the whole picture
  std::uint32_t sample = 0;  ///< of the pixel
  std::uint32_t depth = 0;   ///< 0 = eye ray's hit
};

/// All that does not depend on the light: V, Pw, xy, ds, dt, du, dv, uv, N, I, texture coordinates.
/// N faces the viewer; L = N and dE = 0 until setLight().
[[nodiscard]] ShadingPoint shadingPoint(const scene::Scene& scene, const Ray& ray, const Hit& hit,
                                        const Surface& surface);

/// The registers of one light. `color` is 0 where the light does not reach the point.
void setLight(ShadingPoint& point, const scene::Vec3& toLight, const scene::Vec3& color,
              const SeedPlace& place, std::uint32_t light);

/// World-space ray of a program's trace: the direction rotated into the world and normalised, the
/// origin moved `offset` along it.
[[nodiscard]] Ray shaderRay(const scene::Space& space, const ShaderRay& ray, double offset);

}  // namespace rtvp::host
