// STL (3D Systems 1989), ascii and binary.
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Adds the facets of `file` to the builder's scene, in file order. Throws SceneError.
///
/// A file whose length is what its count of facets asks for is binary, whatever its first word;
/// else one that begins with `solid` is ascii. The facets' normals are not used: the order of the
/// corners says the same and is not rounded. Attribute bytes (colours of some programs) are not
/// used.
void readStl(Builder& builder, const std::filesystem::path& file);

}  // namespace rtvp::scene
