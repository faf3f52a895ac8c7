// What the mesh formats have in common: vertices, and faces that name them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platform/scene/builder.hpp"

namespace rtvp::scene {

/// Vertices of one mesh. `normals` and `st` are empty or as long as `positions`.
struct Mesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;     ///< need not have unit length
  std::vector<TexturePoint> st;  ///< texture coordinates
};

/// Adds a face to a builder's scene, each of its triangles a primitive, as of an OBJ face.
class MeshFaces {
 public:
  MeshFaces(Builder& builder, const Mesh& mesh) : builder_(builder), mesh_(mesh) {}
  /// Appends the corners of the triangles to `collected` instead of adding them to the scene.
  MeshFaces(Builder& builder, const Mesh& mesh, std::vector<std::uint32_t>* collected)
      : builder_(builder), mesh_(mesh), collected_(collected) {}

  /// `corners`: at least three numbers of vertices that the mesh has.
  void add(std::span<const std::uint32_t> corners, const Where& where);
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c, const Where& where);

  Builder& builder_;
  const Mesh& mesh_;
  std::vector<std::uint32_t>* collected_ = nullptr;
  std::vector<Vec3> outline_;
  std::size_t count_ = 0;
};

/// Fails unless the number is finite and within +-kMaxNumber.
double checkedNumber(double value, std::string_view what, const Where& where);

}  // namespace rtvp::scene
