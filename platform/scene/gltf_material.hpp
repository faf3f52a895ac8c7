// Materials and textures of glTF files in our constants.
#pragma once

#include <map>
#include <set>
#include <string>

#include "platform/scene/gltf_data.hpp"

namespace rtvp::scene {

/// Things that a file has and the picture does not show, for one warning.
using LeftOut = std::set<std::string>;

class GltfMaterials {
 public:
  GltfMaterials(Builder& builder, GltfData& data, LeftOut& leftOut)
      : builder_(builder), data_(data), leftOut_(leftOut) {}

  struct Look {
    Material material;
    std::size_t set = 0;  ///< which TEXCOORD_n its texture uses
  };
  /// `place`: a primitive's `material`; not there: the default material.
  [[nodiscard]] const Look& of(const JsonPlace& place);

 private:
  Look converted(const JsonPlace& material);
  void baseTexture(const JsonPlace& info, Look& look);
  std::uint32_t texture(const JsonPlace& place);

  Builder& builder_;
  GltfData& data_;
  LeftOut& leftOut_;
  std::map<std::size_t, Look> looks_;
  std::map<std::size_t, std::uint32_t> images_;  // image -> texture of the scene, or kNoIndex
};

/// How light of this linear strength looks on a screen, 0 to 1: the sRGB curve. Pictures show their
/// numbers as they are, so colours of linear light go through it, textures do not.
[[nodiscard]] double screenLevel(double linear);

}  // namespace rtvp::scene
