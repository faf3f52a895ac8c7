// Faces of meshes, see mesh.hpp.
#include "platform/scene/mesh.hpp"

#include <cmath>
#include <sstream>
#include <string>

#include "platform/scene/triangulate.hpp"

namespace rtvp::scene {

void MeshFaces::add(std::span<const std::uint32_t> corners, const Where& where) {
  ++count_;
  if (corners.size() == 3) {
    triangle(corners[0], corners[1], corners[2], where);
    return;
  }
  outline_.clear();
  for (const std::uint32_t k : corners) outline_.push_back(mesh_.positions[k]);
  for (const auto& [a, b, c] : triangulate(outline_)) {
    triangle(corners[a], corners[b], corners[c], where);
  }
}

void MeshFaces::triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c, const Where& where) {
  if (collected_ != nullptr) {
    collected_->insert(collected_->end(), {a, b, c});
    return;
  }
  const Corners v{mesh_.positions[a], mesh_.positions[b], mesh_.positions[c]};
  if (!mesh_.st.empty()) builder_.setTextureCorners({mesh_.st[a], mesh_.st[b], mesh_.st[c]});
  if (mesh_.normals.empty()) {
    builder_.addTriangle(v, where);
  } else {
    builder_.addTriangle(v, {mesh_.normals[a], mesh_.normals[b], mesh_.normals[c]}, where);
  }
}

double checkedNumber(double value, std::string_view what, const Where& where) {
  if (std::abs(value) <= kMaxNumber) return value;
  std::ostringstream found;
  found << value;
  where.fail(found.str() + " for " + std::string(what),
             "a finite number of magnitude at most 1e+12");
}

}  // namespace rtvp::scene
