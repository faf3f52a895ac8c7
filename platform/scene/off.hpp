// Object File Format (OFF, Geomview), ascii.
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Adds the faces of `file` to the builder's scene, in file order. Throws SceneError.
///
/// Read: OFF, COFF, NOFF, STOFF and their mixtures in three dimensions; normals and texture
/// coordinates of vertices are used, colours are not. The binary form is refused.
void readOff(Builder& builder, const std::filesystem::path& file);

}  // namespace rtvp::scene
