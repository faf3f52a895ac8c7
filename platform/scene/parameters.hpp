// Surface parameters, texture coordinates and derivatives at a point of an element: what textures
// and shaders need beyond point and normal (sl.md sections 1 and 5).
#pragma once

#include <cstdint>

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

struct Barycentric {
  double u = 0;  ///< weight of the second vertex
  double v = 0;  ///< weight of the third
};

/// Coordinates of `point` after projecting it on the triangle's plane along the normal: point =
/// (1-u-v) v1 + u v2 + v v3. They may lie outside 0..1 by the machine's rounding. A triangle
/// without area has (0, 0).
[[nodiscard]] Barycentric barycentric(const Triangle& triangle, const Vec3& point);

/// Surface parameters (u, v), which are also the texture coordinates (s, t), and derivatives of the
/// point in world space.
///
/// Triangle with texture coordinates: they, interpolated. Other triangles: the barycentric weights,
/// so dP/du = v2 - v1 and dP/dv = v3 - v1 (sl.md section 5). Sphere: u = longitude / 2 pi, from the
/// +x half plane towards -z, v = 0 at the lowest point to 1 at the highest (y up), in object space
/// (Space); du x dv points outwards. The pieces of a tessellated sphere have these as texture
/// coordinates. Implicit surface: place in the box of object space along x and y, 0 to 1.
struct Parameters {
  double u = 0;
  double v = 0;
  Vec3 du;
  Vec3 dv;
};
[[nodiscard]] Parameters parametersAt(const Scene& scene, std::uint32_t element, const Vec3& point);

/// The tangent frame that bump maps are given in: ds = unit(dP/du without its part along `normal`),
/// dt = normal x ds, turned round where the texture is mirrored. `normal`: unit. Where dP/du
/// vanishes (a sphere's pole) any frame will do.
struct TangentFrame {
  Vec3 ds;
  Vec3 dt;
};
[[nodiscard]] TangentFrame tangentFrame(const Parameters& at, const Vec3& normal);

}  // namespace rtvp::scene
