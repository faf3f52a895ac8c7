// One entry point for every scene format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/inputs/input_files.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::scene {

/// Bad input: what() is "file:line:column: found ..., expected ..." (1-based; line 0 is left out
/// when the file as a whole is at fault).
class SceneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Bounds that hostile or mistaken files meet before memory does.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20U;
/// Elements, and primitives too; all of them triangles take about 0.8 GB.
inline constexpr std::uint32_t kMaxElements = 4'000'000;
inline constexpr int kMaxPictureSide = 16384;
inline constexpr std::int64_t kMaxPicturePixels = std::int64_t{1} << 26U;
inline constexpr int kMaxPolygonCorners = 1024;
inline constexpr std::uint32_t kMaxLights = 4096;
/// Largest magnitude of a number in a scene file. The cube of a length still fits a TI or IEEE
/// single word, so no engine overflows on a scene that loads.
inline constexpr double kMaxNumber = 1e12;

struct LoadOptions {
  bool strict = false;         ///< `.shk` exactly as in 1996: no extension keyword, board.md 5.1
  int segments = 24;           ///< sides of a tessellated cone or cylinder, 3..1024
  bool tessellateAll = false;  ///< spheres become triangles too (scene.tessellate=all)
  std::uint32_t maxElements = kMaxElements;  ///< bound on elements and on primitives
  /// Where surface shaders are looked for after the scene file's folder and its `shaders` folder.
  std::vector<std::filesystem::path> shaderFolders{};
  platform::InputFiles* inputs = nullptr;  ///< remembers what is read; may be null
};

/// Reads a scene by its extension (case ignored): .shk, .nff, .obj, .off, .ply, .stl, .sdf, .sdft,
/// .vm. What a file does not bring, camera, lights, material, is a default (docs/scenes.md). A tape
/// is one implicit surface. Throws SceneError; never returns a scene without an element. A
/// triangle, polygon or cone without area and a sphere without radius can never be hit: it keeps
/// its primitive number but has no element, and Scene::counts.dropped counts it. A file that is not
/// there is looked for among the installed scenes (shared_files.hpp).
[[nodiscard]] Scene load(const std::filesystem::path& given, const LoadOptions& options = {});

}  // namespace rtvp::scene
