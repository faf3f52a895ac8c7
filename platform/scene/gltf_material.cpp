// glTF materials, see gltf_material.hpp.
#include "platform/scene/gltf_material.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "platform/scene/texture_file.hpp"

namespace rtvp::scene {

namespace {

constexpr std::size_t kDefaultMaterial = std::numeric_limits<std::size_t>::max();
constexpr double kDielectric = 0.1;  // weight of the highlight of what is no metal

double share(double x) {
  return std::clamp(x, 0.0, 1.0);
}

// Blinn-Phong exponent of a GGX roughness, Karis 2013: 2 / a^2 - 2 with a = roughness^2.
double exponentOf(double roughness) {
  const double a = std::max(roughness * roughness, 0.03);
  return std::clamp(2 / (a * a) - 2, 1.0, 1000.0);
}

}  // namespace

double screenLevel(double linear) {
  const double x = share(linear);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

const GltfMaterials::Look& GltfMaterials::of(const JsonPlace& place) {
  const JsonPlace all = data_.root().at("materials");
  const std::size_t number =
      place.there() ? place.index(all.size(), "a material") : kDefaultMaterial;
  const auto found = looks_.find(number);
  if (found != looks_.end()) return found->second;
  const Look look =
      converted(place.there() ? all.at(number) : JsonPlace(data_.name(), nullptr, "materials"));
  return looks_.try_emplace(number, look).first->second;
}

GltfMaterials::Look GltfMaterials::converted(const JsonPlace& material) {
  const JsonPlace pbr = material.at("pbrMetallicRoughness");
  const JsonPlace extensions = material.at("extensions");
  const JsonPlace glossy = extensions.at("KHR_materials_pbrSpecularGlossiness");
  const JsonPlace factor = glossy.there() ? glossy.at("diffuseFactor") : pbr.at("baseColorFactor");
  std::vector<double> base{1, 1, 1, 1};
  if (factor.there()) base = factor.numbers(4);
  const JsonPlace texture =
      glossy.there() ? glossy.at("diffuseTexture") : pbr.at("baseColorTexture");
  // With a texture for it the factor says little: most such surfaces are no metal.
  const bool mapped = pbr.at("metallicRoughnessTexture").there();
  const double metal =
      glossy.there() || mapped || !material.there() ? 0 : share(pbr.at("metallicFactor").number(1));
  const double roughness = glossy.there()
                               ? 1 - share(glossy.at("glossinessFactor").number(1))
                               : (mapped ? 0.6 : share(pbr.at("roughnessFactor").number(1)));

  Look look;
  Material& m = look.material;
  const Vec3 colour{screenLevel(base[0]), screenLevel(base[1]), screenLevel(base[2])};
  const double largest = std::max({colour.x, colour.y, colour.z});
  m.color = largest > 0 ? colour * (1 / largest) : Vec3{1, 1, 1};
  m.kdiff = 0.8 * largest * (1 - 0.6 * metal);
  m.kspec = kDielectric + (0.6 - kDielectric) * metal;
  m.reflect = 0.6 * metal * (1 - roughness);
  m.ns = exponentOf(roughness);
  m.ktrans = share(extensions.at("KHR_materials_transmission").at("transmissionFactor").number(0));
  m.refindex = std::max(1.0, extensions.at("KHR_materials_ior").at("ior").number(1.5));
  if (m.ktrans == 0) m.refindex = 1;
  const JsonPlace mode = material.at("alphaMode");
  if (mode.there() && mode.text() == "BLEND") m.ktrans = std::max(m.ktrans, 1 - share(base[3]));
  if (mode.there() && mode.text() == "MASK")
    leftOut_.insert("holes that textures cut (alphaMode MASK)");
  if (m.ktrans > 0) m.kdiff *= 1 - m.ktrans;
  for (const char* const other : {"normalTexture", "occlusionTexture", "emissiveTexture"}) {
    if (material.at(other).there()) leftOut_.insert("textures other than the base colour's");
  }
  if (texture.there()) baseTexture(texture, look);
  return look;
}

void GltfMaterials::baseTexture(const JsonPlace& info, Look& look) {
  const JsonPlace all = data_.root().at("textures");
  const JsonPlace texture = all.at(info.at("index").index(all.size(), "a texture"));
  look.set = info.at("texCoord").index(8, "a set of texture coordinates", 0);
  if (info.at("extensions").at("KHR_texture_transform").there()) {
    leftOut_.insert("moves of textures (KHR_texture_transform)");
  }
  const JsonPlace source = texture.at("source");
  if (!source.there()) {
    leftOut_.insert("textures in formats other than PNG and JPEG");
    return;
  }
  look.material.texture = this->texture(source);
}

std::uint32_t GltfMaterials::texture(const JsonPlace& place) {
  const JsonPlace all = data_.root().at("images");
  const std::size_t number = place.index(all.size(), "an image");
  const auto [entry, added] = images_.try_emplace(number, kNoIndex);
  if (!added) return entry->second;
  const JsonPlace image = all.at(number);
  const JsonPlace view = image.at("bufferView");
  std::vector<std::uint8_t> read;
  std::span<const std::uint8_t> bytes;
  if (view.there()) {
    bytes = data_.view(view);
  } else {
    read = data_.resource(image.at("uri"), "texture");
    bytes = read;
  }
  const bool png = bytes.size() >= 4 && bytes[0] == 0x89 && bytes[1] == 'P';
  const bool jpeg = bytes.size() >= 4 && bytes[0] == 0xFF && bytes[1] == 0xD8;
  if (!png && !jpeg) {
    leftOut_.insert("textures in formats other than PNG and JPEG");
    return kNoIndex;
  }
  const TextFile self = image.file();
  const JsonPlace name = image.at("name");
  entry->second = addTexture(
      builder_, name.there() ? name.text() : "image" + std::to_string(number), bytes, {&self, {}});
  return entry->second;
}

}  // namespace rtvp::scene
