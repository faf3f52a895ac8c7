// Materials, colours and textures of PBRT files in our constants.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "platform/scene/pbrt_text.hpp"

namespace rtvp::scene {

/// Things that a file has and the picture does not show, for one warning.
using PbrtLeftOut = std::set<std::string>;

class PbrtMaterials {
 public:
  PbrtMaterials(Builder& builder, PbrtText& text, PbrtLeftOut& leftOut)
      : builder_(builder), text_(text), leftOut_(leftOut) {}

  /// The directive Texture.
  void addTexture(const std::string& name, const std::string& kind, const PbrtParams& params);
  /// The directive MakeNamedMaterial.
  void addNamed(const std::string& name, const PbrtParams& params);
  /// Of NamedMaterial; nothing if its surfaces are not drawn. A name that is not there: grey.
  [[nodiscard]] std::optional<Material> named(const std::string& name);
  /// Of a kind of material; nothing: an interface without a surface.
  [[nodiscard]] std::optional<Material> material(const std::string& kind, const PbrtParams& params);
  /// Linear light of a parameter: rgb, spectrum, blackbody ...
  [[nodiscard]] Vec3 color(const PbrtParams& params, std::string_view name,
                           const Vec3& fallback) const;

 private:
  struct Texture {
    Vec3 color{0.5, 0.5, 0.5};
    std::uint32_t picture = kNoIndex;
  };
  [[nodiscard]] Texture colorOrTexture(const PbrtParams& params, std::string_view name,
                                       const Vec3& fallback) const;
  [[nodiscard]] Vec3 colorOf(const PbrtParam& param, const Vec3& fallback) const;
  std::uint32_t picture(const PbrtParams& params);

  Builder& builder_;
  PbrtText& text_;
  PbrtLeftOut& leftOut_;
  std::map<std::string, Texture> textures_;
  std::map<std::string, std::optional<Material>> named_;
  std::map<std::string, std::uint32_t> pictures_;
};

}  // namespace rtvp::scene
