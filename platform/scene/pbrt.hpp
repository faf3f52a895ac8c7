// PBRT scene files, versions 3 and 4: a subset.
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Adds the shapes of the file, and of what it includes, to the builder's scene, in file order.
/// Throws SceneError.
///
/// Read: transforms, attributes, objects and instances; perspective cameras and the film's size;
/// triangle, PLY and bilinear meshes, spheres, disks, cylinders, cones, paraboloids; base meshes of
/// subdivision surfaces; materials and their colours and pictures (PNG, JPEG) in our constants
/// (docs/scenes.md); point, spot and distant lights, area lights as points in their middle. PBRT's
/// space is left-handed: unless its camera mirrors, x changes sign. What is left out is said in one
/// warning; a directive that is not known is refused.
void readPbrt(Builder& builder, const std::filesystem::path& file);

}  // namespace rtvp::scene
