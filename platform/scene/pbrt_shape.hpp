// Shapes of PBRT files in their own space.
#pragma once

#include <memory>
#include <string_view>

#include "platform/scene/affine.hpp"
#include "platform/scene/mesh.hpp"
#include "platform/scene/pbrt_text.hpp"

namespace rtvp::scene {

/// A whole sphere about the origin, or a mesh of triangles.
struct PbrtShape {
  double radius = 0;  ///< not 0: a sphere
  Mesh mesh;
  std::vector<std::uint32_t> triangles;  ///< three vertices each
};

/// Null for kinds that are not drawn (curves, NURBS ...).
[[nodiscard]] std::shared_ptr<const PbrtShape> readPbrtShape(Builder& builder, PbrtText& text,
                                                             std::string_view kind,
                                                             const PbrtParams& params,
                                                             const Where& where);

/// Adds it, moved by `to`, with the builder's material. A sphere that `to` squeezes becomes
/// triangles.
void addPbrtShape(Builder& builder, const PbrtShape& shape, const Affine& to, const Where& where);

/// Centre and area of the moved surface.
struct Moment {
  Vec3 place;
  double area = 0;
};
[[nodiscard]] Moment momentOf(const PbrtShape& shape, const Affine& to);

}  // namespace rtvp::scene
