// The programs of a scene's surface shaders, from .slc files or sources.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/sl/program.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// One program a surface of the scene, in its order; surfaces that name the same file share it.
/// Sources are read in the strict form. `lines`: gets the source lines of each, one an instruction,
/// none for a .slc file; null: nobody asks. Throws scene::SceneError that names the scene's line
/// and, behind it, what is wrong with the shader.
[[nodiscard]] std::vector<std::shared_ptr<const sl::Program>> loadPrograms(
    const scene::Scene& scene, std::vector<std::vector<std::uint32_t>>* lines = nullptr);

/// True if some element has a surface shader.
[[nodiscard]] bool hasShaders(const scene::Scene& scene);

}  // namespace rtvp::host
