// Polygon files (PLY, Stanford 1994): ascii and binary of both byte orders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "platform/scene/builder.hpp"
#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

/// Adds the faces of `file` to the builder's scene, in file order. Throws SceneError, in an ascii
/// file at line and column, in a binary one at the byte.
///
/// Read: x y z, normals nx ny nz, texture coordinates (u v, s t, texture_u texture_v) of `vertex`;
/// `vertex_indices` or `vertex_index` of `face`; `vertex_indices` of `tristrips` (-1 starts a strip
/// anew). Every other element and property is skipped by its type; colours with a warning. A count
/// is refused if the file is too short for it, before anything is allocated.
void readPly(Builder& builder, const std::filesystem::path& file);

/// The same from a text in memory, into a mesh and the corners of its triangles.
void readPlyMesh(Builder& builder, const TextFile& text, Mesh& mesh,
                 std::vector<std::uint32_t>& triangles);

}  // namespace rtvp::scene
