// A part of the picture by the golden renderer: no machine, no simulated time.
#pragma once

#include "platform/host/ray_tree.hpp"
#include "platform/part.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

[[nodiscard]] PartResult renderReference(const scene::Scene& scene,
                                         const host::RenderOptions& options,
                                         const host::ProgressFn& progress);

/// What every engine has in common: runs the ray tree on `finder` and fills in picture, hits and
/// ray counts. Surfaces with a shader are shaded by `shading`, or like any other if it is null.
[[nodiscard]] PartResult renderWith(host::HitFinder& finder, const scene::Scene& scene,
                                    const host::RenderOptions& options,
                                    const host::ProgressFn& progress,
                                    host::SurfaceShading* shading = nullptr);

}  // namespace rtvp::platform
