// glTF 2.0 (Khronos 2017): .gltf with its buffers and textures, .glb.
#pragma once

#include <filesystem>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Adds the meshes of the file's scene to the builder's, nodes in the order of the file, depth
/// first, every triangle a primitive. Throws SceneError "FILE: meshes[0]...: found ..., expected
/// ..." or at the place of what is no JSON.
///
/// Read: nodes with matrix or translation, rotation, scale; triangles, strips and fans; accessors
/// with strides, sparse, normalised; base colour with its PNG or JPEG, metal, roughness,
/// transmission and index of refraction in our constants (docs/scenes.md); the first perspective
/// camera of the scene; KHR_lights_punctual. Animations, skins, morph targets, points, lines,
/// colours of vertices and other textures are left out, with one warning. Extensions that the file
/// says are required and that change its geometry (Draco, meshopt) are refused.
void readGltf(Builder& builder, const std::filesystem::path& file);

}  // namespace rtvp::scene
