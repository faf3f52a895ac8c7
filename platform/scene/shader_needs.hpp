// What a surface statement leaves to its shader: defaults that the shader's source names, and what
// is missing so that the surface would be black.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

/// The line of a shader's source that names defaults of tokens: `# defaults: Kr 1 index 1.5`.
inline constexpr std::string_view kDefaultsMark = "# defaults:";

/// Sentences for warnings: texture slots that the shader reads and nobody set (they read as black),
/// and tokens nobody set whose 0 leaves every point black, lit from the front with white all about.
/// `given`: tokens of the statement, and of the shader's defaults. Nothing for a shader that cannot
/// run: that is reported where it is loaded.
[[nodiscard]] std::vector<std::string> missingOf(const SurfaceShader& surface,
                                                 const std::set<std::string>& given);

}  // namespace rtvp::scene
