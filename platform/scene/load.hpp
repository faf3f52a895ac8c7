// One entry point for every scene format.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

/// Bad input: what() is "file:line:column: found ..., expected ..." (1-based; line 0 is left out when the file as a
/// whole is at fault).
class SceneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LoadOptions {
  bool strict = false;          ///< `.shk` exactly as in 1996: no extension keyword, board.md 5.1
  int segments = 24;            ///< sides of a tessellated cone or cylinder, 3..1024
  bool tessellateAll = false;   ///< spheres become triangles too (scene.tessellate=all)
};

/// Reads a scene by its extension: .shk, .nff, .obj. Throws SceneError; never returns a scene without a primitive.
[[nodiscard]] Scene load(const std::filesystem::path& file, const LoadOptions& options = {});

}  // namespace rtvp::scene
