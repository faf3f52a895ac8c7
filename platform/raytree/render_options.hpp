// Checks of what is asked of a ray tree.
#pragma once

#include "platform/raytree/ray_tree.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// The crop with its defaults filled in. Throws std::invalid_argument for one outside the picture.
[[nodiscard]] Crop wholePicture(const scene::Scene& scene, const Crop& crop);

/// Throws std::invalid_argument for options out of range.
void checkOptions(const RenderOptions& options);

}  // namespace rtvp::host
