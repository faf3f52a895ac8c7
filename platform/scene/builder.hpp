// Turns the primitives of a scene file into numbered elements.
//
// The parsers know syntax; what a polygon, cone or degenerate triangle becomes is decided here once
// for all formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "platform/scene/load.hpp"
#include "platform/scene/scene.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

using Corners = std::array<Vec3, 3>;
using TextureCorners = std::array<TexturePoint, 3>;

/// Adds primitives to a scene in file order. Every add function numbers one primitive and throws
/// SceneError at `where` when the scene grows beyond LoadOptions::maxElements.
class Builder {
 public:
  Builder(Scene& scene, const LoadOptions& options);

  [[nodiscard]] Scene& scene() { return scene_; }

  /// The material of later primitives. It enters the scene with the first primitive that uses it;
  /// equal materials enter once.
  void setMaterial(const Material& material);
  [[nodiscard]] const Material& material() const { return material_; }

  /// Object space of later primitives: their coordinates are given in it.
  void setSpace(const Space& space, const Where& where);
  [[nodiscard]] const Space& space() const { return scene_.spaces[space_]; }
  /// Adds a texture and returns its number; fails at `where` when there are too many.
  std::uint32_t addTexture(Texture texture, const Where& where);
  /// Fails unless a picture of this size, with `faces` faces, still fits.
  void checkTexture(int width, int height, int faces, const Where& where) const;
  std::uint32_t addSurface(SurfaceShader surface);
  /// Texture coordinates of the next triangle only.
  void setTextureCorners(const TextureCorners& st) { textureCorners_ = st; }
  [[nodiscard]] const LoadOptions& options() const { return options_; }

  /// For the scene's files.
  [[nodiscard]] platform::InputReader reader(std::string_view role) const {
    return {options_.inputs, role};
  }

  void addLight(const Light& light, const Where& where);
  void addTriangle(const Corners& v, const Where& where);
  /// Normals need not have unit length; a zero one is replaced by the geometric normal.
  void addTriangle(const Corners& v, const Corners& n, const Where& where);
  void addSphere(const Vec3& center, double radius, const Where& where);
  /// The placement is into the world: the object space of later primitives does not act on it.
  void addImplicit(Implicit object, const Where& where);
  /// `normals` is empty or has one normal a corner.
  void addPolygon(std::span<const Vec3> corners, std::span<const Vec3> normals, const Where& where);
  /// Open cone or cylinder, tessellated into LoadOptions::segments sides with smooth normals.
  void addCone(const Vec3& base, double baseRadius, const Vec3& apex, double apexRadius,
               const Where& where);
  void warn(const Where& where, const std::string& text);

  /// The file has brought a camera and a picture's size: none is fitted.
  void setCamera(const Camera& camera, int width, int height);
  [[nodiscard]] bool hasCamera() const { return hasCamera_; }

 private:
  class Primitive;

  void enterMaterial();
  void push(Element::Kind kind, std::size_t index, const Where& where);
  void piece(const Corners& v, const Corners* n, const Where& where);
  void wholeTriangle(const Corners& v, const Corners* n, const Where& where);
  void tessellateSphere(const Vec3& center, double radius, const Where& where);
  void sphereFace(const Corners& face, const Vec3& center, double radius, const Where& where);

  Scene& scene_;
  LoadOptions options_;
  Material material_;
  std::uint32_t materialIndex_ = 0;
  bool materialPending_ = true;
  // By their ten numbers, texture, surface and space.
  std::map<std::array<double, 13>, std::uint32_t> materials_;
  std::uint32_t space_ = 0;
  std::size_t texels_ = 0;
  std::optional<TextureCorners> textureCorners_;
  bool hasCamera_ = false;
};

}  // namespace rtvp::scene
