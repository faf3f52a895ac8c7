// Polygons into triangles. SPD's gear faces are concave with 144 corners, where a fan would be
// wrong (board.md 6).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "platform/scene/vec3.hpp"

namespace rtvp::scene {

/// Corner numbers of the pieces of polygon `corners`, each turning as the polygon does. A convex
/// polygon becomes the fan of its first corner; others lose ears on the plane of the largest
/// component of their normal, at most O(n^2) work. A polygon that crosses itself gives some set of
/// triangles. Fewer than three corners give none.
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> triangulate(std::span<const Vec3> corners);

/// Sum of the cross products of a polygon's edges, by Newell's method: twice the area along the
/// normal.
[[nodiscard]] Vec3 newellNormal(std::span<const Vec3> corners);

}  // namespace rtvp::scene
