// What a scene holds, for `platform scene-info` and for reports.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::scene {

/// A scene in figures.
struct Description {
  std::string name;
  std::uint32_t primitives = 0;
  PrimitiveCounts counts;               ///< primitives by kind
  std::uint32_t triangles = 0;          ///< elements: triangles ...
  std::uint32_t smoothTriangles = 0;    ///< ... of these with vertex normals
  std::uint32_t texturedTriangles = 0;  ///< ... of these with texture coordinates
  std::uint32_t spheres = 0;            ///< ... spheres
  struct ImplicitInfo {
    std::string file;
    std::size_t instructions = 0;
    Vec3 lo;  ///< bounds in object space
    Vec3 hi;
  };
  std::vector<ImplicitInfo> implicits;  ///< ... and implicit surfaces
  Bounds bounds;
  double diagonal = 0;
  int width = 0;
  int height = 0;
  Vec3 background;
  Camera camera;
  double verticalAngle = 0;  ///< field of view in degrees, as Camera::Projection defines it
  std::vector<Light> lights;
  std::vector<Material> materials;
  std::vector<std::uint32_t> materialUse;  ///< elements per material
  struct TextureInfo {
    Texture::Kind kind = Texture::Kind::Color;
    std::string name;
    int width = 0;
    int height = 0;
  };
  std::vector<TextureInfo> textures;
  std::vector<SurfaceShader> surfaces;
  std::vector<std::uint32_t> surfaceUse;  ///< elements per surface shader
  std::size_t spaces = 0;                 ///< object spaces besides the world
};

[[nodiscard]] Description describe(const Scene& scene);

/// Several lines of text, the same bytes for the same scene; ends with a newline.
[[nodiscard]] std::string toText(const Description& description);

/// The scene's counts and size, for stats.json.
[[nodiscard]] boost::json::object statistics(const Scene& scene);

}  // namespace rtvp::scene
