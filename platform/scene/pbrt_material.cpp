// PBRT materials, see pbrt_material.hpp.
#include "platform/scene/pbrt_material.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "platform/scene/gltf_material.hpp"
#include "platform/scene/texture_file.hpp"

namespace rtvp::scene {

namespace {

constexpr Vec3 kGrey{0.5, 0.5, 0.5};
constexpr Vec3 kNone{0, 0, 0};

double largest(const Vec3& v) {
  return std::max({v.x, v.y, v.z});
}

// What the kinds of both versions are to us: which parameter has the colour of diffuse light, which
// that of mirror light, and how much of each there is when the file does not say.
struct Kind {
  std::string_view name;
  std::string_view diffuse;
  Vec3 diffuseFallback;
  std::string_view specular;
  double specularFallback = 0;
  double reflect = 0;  // of the specular part
  double transmit = 0;
  double exponent = 5;
};

constexpr std::array kKinds{
    Kind{"matte", "Kd", kGrey, "", 0},
    Kind{"plastic", "Kd", {0.25, 0.25, 0.25}, "Ks", 0.25, 0, 0, 40},
    Kind{"substrate", "Kd", kGrey, "Ks", 0.3, 0.2, 0, 60},
    Kind{"uber", "Kd", {0.25, 0.25, 0.25}, "Ks", 0.25, 0, 0, 40},
    Kind{"translucent", "Kd", {0.25, 0.25, 0.25}, "Ks", 0.25, 0, 0, 40},
    Kind{"disney", "color", kGrey, "", 0.1, 0, 0, 20},
    Kind{"kdsubsurface", "Kd", kGrey, "", 0.2, 0, 0, 40},
    Kind{"glass", "", kNone, "Kr", 1, 0.1, 0.9, 200},
    Kind{"mirror", "", kNone, "Kr", 0.9, 0.9, 0, 200},
    Kind{"metal", "", {0.35, 0.35, 0.35}, "", 0.6, 0.5, 0, 80},
    Kind{"diffuse", "reflectance", kGrey, "", 0},
    Kind{"diffusetransmission", "reflectance", {0.25, 0.25, 0.25}, "", 0},
    Kind{"coateddiffuse", "reflectance", kGrey, "", 0.2, 0.1, 0, 60},
    Kind{"conductor", "reflectance", {0.35, 0.35, 0.35}, "", 0.6, 0.5, 0, 80},
    Kind{"coatedconductor", "reflectance", {0.35, 0.35, 0.35}, "", 0.6, 0.5, 0, 80},
    Kind{"dielectric", "", kNone, "", 1, 0.1, 0.9, 200},
    Kind{"thindielectric", "", kNone, "", 1, 0.1, 0.9, 200},
    Kind{"subsurface", "reflectance", kGrey, "", 0.2, 0, 0, 40},
};

}  // namespace

Vec3 PbrtMaterials::colorOf(const PbrtParam& param, const Vec3& fallback) const {
  const std::vector<double>& n = param.numbers;
  if (param.type == "blackbody") return {1, 1, 1};
  if (param.type == "xyz" && n.size() >= 3) {
    // IEC 61966-2-1, primaries of sRGB.
    return {std::max(0.0, 3.2406 * n[0] - 1.5372 * n[1] - 0.4986 * n[2]),
            std::max(0.0, -0.9689 * n[0] + 1.8758 * n[1] + 0.0415 * n[2]),
            std::max(0.0, 0.0557 * n[0] - 0.2040 * n[1] + 1.0570 * n[2])};
  }
  if (param.type == "spectrum" && n.size() >= 2) {
    // Pairs of wavelength and value: their mean.
    double sum = 0;
    for (std::size_t k = 1; k < n.size(); k += 2) sum += n[k];
    const std::size_t pairs = n.size() / 2;
    const double mean = sum / static_cast<double>(pairs);
    return {mean, mean, mean};
  }
  if (n.size() >= 3) return {n[0], n[1], n[2]};
  if (!n.empty()) return {n[0], n[0], n[0]};
  return fallback;
}

Vec3 PbrtMaterials::color(const PbrtParams& params, std::string_view name,
                          const Vec3& fallback) const {
  const PbrtParam* const param = params.find(name);
  return param == nullptr ? fallback : colorOf(*param, fallback);
}

PbrtMaterials::Texture PbrtMaterials::colorOrTexture(const PbrtParams& params,
                                                     std::string_view name,
                                                     const Vec3& fallback) const {
  const PbrtParam* const param = params.find(name);
  if (param == nullptr) return {fallback, kNoIndex};
  if (param->type == "texture" && !param->texts.empty()) {
    const auto found = textures_.find(param->texts[0]);
    return found == textures_.end() ? Texture{fallback, kNoIndex} : found->second;
  }
  return {colorOf(*param, fallback), kNoIndex};
}

std::uint32_t PbrtMaterials::picture(const PbrtParams& params) {
  const PbrtParam* const name = params.find("filename");
  if (name == nullptr || name->texts.empty()) return kNoIndex;
  if (!isTextureName(name->texts[0])) {
    leftOut_.insert("textures in formats other than PNG and JPEG");
    return kNoIndex;
  }
  const std::filesystem::path file = text_.file(name->texts[0], name->where);
  const auto [entry, added] = pictures_.try_emplace(file.lexically_normal().string(), kNoIndex);
  if (added) {
    entry->second = loadTexture(builder_, rtvp::scene::Texture::Kind::Color,
                                file.filename().string(), std::span(&file, 1), 0, name->where);
  }
  return entry->second;
}

void PbrtMaterials::addTexture(const std::string& name, const std::string& kind,
                               const PbrtParams& params) {
  Texture texture;
  if (kind == "imagemap") {
    texture.picture = picture(params);
    if (texture.picture != kNoIndex) texture.color = {1, 1, 1};
  } else if (kind == "constant") {
    texture.color = color(params, "value", {1, 1, 1});
  } else if (kind == "scale") {
    const std::string_view first = params.find("tex") != nullptr ? "tex" : "tex1";
    const std::string_view second = params.find("scale") != nullptr ? "scale" : "tex2";
    const Texture a = colorOrTexture(params, first, {1, 1, 1});
    const Texture b = colorOrTexture(params, second, {1, 1, 1});
    texture = {a.color * b.color, a.picture != kNoIndex ? a.picture : b.picture};
  } else {
    leftOut_.insert("patterns that are computed (their mean colour stands for them)");
    if (params.find("tex1") != nullptr || params.find("tex2") != nullptr) {
      const Texture a = colorOrTexture(params, "tex1", {1, 1, 1});
      const Texture b = colorOrTexture(params, "tex2", kind == "mix" ? Vec3{1, 1, 1} : Vec3{});
      texture = {(a.color + b.color) * 0.5, a.picture != kNoIndex ? a.picture : b.picture};
    }
  }
  textures_[name] = texture;
}

void PbrtMaterials::addNamed(const std::string& name, const PbrtParams& params) {
  named_[name] = material(params.text("type", "matte"), params);
}

std::optional<Material> PbrtMaterials::named(const std::string& name) {
  const auto found = named_.find(name);
  if (found != named_.end()) return found->second;
  leftOut_.insert("materials that have no definition (grey)");
  return Material{};
}

std::optional<Material> PbrtMaterials::material(const std::string& kind, const PbrtParams& params) {
  if (kind.empty() || kind == "none" || kind == "interface") return std::nullopt;
  if (kind == "mix") {
    const PbrtParam* names = params.find("materials");
    if (names != nullptr && !names->texts.empty()) return named(names->texts[0]);
    if (!params.text("namedmaterial1", "").empty()) return named(params.text("namedmaterial1", ""));
  }
  const auto* const known =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& k) { return k.name == kind; });
  Kind look{"", "", kGrey, "", 0};
  if (known != kKinds.end()) {
    look = *known;
  } else {
    leftOut_.insert("the material '" + kind.substr(0, 32) + "' (grey)");
  }
  const Texture diffuse = look.diffuse.empty()
                              ? Texture{look.diffuseFallback, kNoIndex}
                              : colorOrTexture(params, look.diffuse, look.diffuseFallback);
  const Vec3 specular =
      look.specular.empty()
          ? Vec3{1, 1, 1} * look.specularFallback
          : colorOrTexture(params, look.specular, Vec3{1, 1, 1} * look.specularFallback).color;
  Material m;
  const Vec3 seen{screenLevel(diffuse.color.x), screenLevel(diffuse.color.y),
                  screenLevel(diffuse.color.z)};
  const double most = largest(seen);
  m.color = most > 0 ? seen * (1 / most) : Vec3{1, 1, 1};
  m.kdiff = most;
  m.texture = diffuse.picture;
  m.kspec = std::clamp(largest(specular), 0.0, 1.0) * (look.transmit > 0 ? 0.3 : 1);
  m.reflect = std::clamp(look.reflect, 0.0, 1.0);
  m.ktrans = look.transmit;
  m.ns = look.exponent;
  if (look.transmit > 0) {
    m.kamb = 0;
    m.refindex = kind == "thindielectric"
                     ? 1
                     : std::max(1.0, params.number("eta", params.number("index", 1.5)));
  }
  return m;
}

}  // namespace rtvp::scene
