// Material libraries of OBJ files, see mtl.hpp.
#include "platform/scene/mtl.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/scene/files.hpp"
#include "platform/scene/text.hpp"
#include "platform/scene/texture_file.hpp"

namespace rtvp::scene {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxLibraries = 100;
constexpr double kAmbient = 0.2;  // the `.shk` default that Ka scales
constexpr std::string_view kDefaultKd = "0.8 0.8 0.8";
constexpr int kFirstReflectingModel = 3;

class MtlRecords : public ObjRecords {
 public:
  MtlRecords(Builder& builder, const ObjText& file, ObjNames& names, TextureNumbers& textures)
      : ObjRecords(builder, file, names), textures_(textures) {}

  void check(std::map<std::string, bool>& known) {
    forEachRecord([&](std::string_view key, Words& words, const Where& where) {
      if (key == "newmtl") {
        if (words.atEnd()) words.fail("a material's name");
        const std::string id = names_.id(words.rest());
        known[id] = true;
        out_ += "newmtl " + id + "\nKd " + std::string(kDefaultKd) + '\n';
        inMaterial_ = true;
      } else {
        constant(key, words, where);
      }
    });
  }

 private:
  void constant(std::string_view key, Words& words, const Where& where) {
    const bool colour = key == "Ka" || key == "Kd" || key == "Ks";
    const bool scalar = key == "Ns" || key == "Ni" || key == "d" || key == "Tr";
    if (key == "map_Kd") {
      if (!inMaterial_) where.fail(inQuotes(key), "newmtl before it");
      diffuseMap(words, where);
      return;
    }
    if (key.starts_with("map_") || key == "bump" || key == "disp" || key == "refl") {
      warnOnce(warned_, where, "textures other than map_Kd are ignored");
      return;
    }
    if (!colour && !scalar && key != "illum") return;
    if (!inMaterial_) where.fail(inQuotes(key), "newmtl before it");
    if (colour && (words.peek() == "spectral" || words.peek() == "xyz")) {
      warnOnce(warned_, where, "colours other than three numbers are ignored");
      return;
    }
    if (key == "d" && words.peek() == "-halo") words.word("-halo");
    if (key == "illum") {
      out_ += "illum " + std::to_string(words.integer("an illumination model", 0, 1000)) + '\n';
    } else if (colour && oneNumber(words)) {
      // A single number stands for three equal ones.
      const std::string text(words.peek());
      words.number("a colour of one or three numbers");
      out_ += std::string(key) + ' ' + text + ' ' + text + ' ' + text + '\n';
    } else {
      numbers(key, colour ? 3 : 1, colour ? "a colour of three numbers" : "a number", words);
    }
  }

  // map_Kd [-option value...] FILE: tinyobjloader sees the texture's number instead of the name.
  void diffuseMap(Words& words, const Where& where) {
    while (words.peek().starts_with('-')) {
      warnOnce(optionsWarned_, where, "options of a texture are ignored");
      words.word("an option");
      while (isOptionValue(words.peek())) words.word("a value");
    }
    if (words.atEnd()) words.fail("the name of a picture file");
    const Where nameAt = words.where();
    const std::string name(words.rest());
    const fs::path file = fileBeside(file_.name(), name);
    if (file.empty()) {
      builder_.warn(nameAt, "no such texture: " + inQuotes(name));
      return;
    }
    if (!isTextureName(file)) {
      builder_.warn(nameAt, "textures other than PNG and JPEG are ignored: " + inQuotes(name));
      return;
    }
    const auto [entry, added] = textures_.try_emplace(file.lexically_normal().string(), 0U);
    if (added) {
      entry->second = loadTexture(builder_, Texture::Kind::Color, file.filename().string(),
                                  std::span(&file, 1), 0, nameAt);
    }
    out_ += "map_Kd " + std::to_string(entry->second) + '\n';
  }

  static bool isOptionValue(std::string_view word) {
    if (word == "on" || word == "off") return true;
    double value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return !word.empty() && error == std::errc{} && stop == word.data() + word.size();
  }

  static bool oneNumber(Words words) {
    if (!words.numberFollows()) return false;
    words.word("a number");
    return words.atEnd();
  }

  TextureNumbers& textures_;
  bool inMaterial_ = false;
  bool warned_ = false;
  bool optionsWarned_ = false;
};

double share(double x) {
  return std::clamp(x, 0.0, 1.0);
}

double largest(const tinyobj::real_t (&rgb)[3]) {
  return share(std::max({rgb[0], rgb[1], rgb[2]}));
}

}  // namespace

bool MtlLibraries::operator()(const std::string& number,
                              std::vector<tinyobj::material_t>* materials,
                              std::map<std::string, int>* map, std::string* warning,
                              std::string* error) {
  std::size_t at = 0;
  std::from_chars(number.data(), number.data() + number.size(), at);
  const auto& [names, where] = libraries_.at(at);
  if (!read(names, materials, map, warning, error)) {
    // Several names may share the record.
    const TextFile list("", names);
    Words words(list, list.text(), {1, 1}, false);
    bool any = false;
    while (!words.atEnd()) any = read(words.word("a name"), materials, map, warning, error) || any;
    if (!any) builder_.warn(where, "no such material library: " + inQuotes(names));
  }
  return true;
}

bool MtlLibraries::read(std::string_view name, std::vector<tinyobj::material_t>* materials,
                        std::map<std::string, int>* map, std::string* warning, std::string* error) {
  const fs::path file = fileBeside(obj_, name);
  if (file.empty()) return false;
  if (++read_ > kMaxLibraries) return false;
  const TextFile text = TextFile::read(file, builder_.reader("mtl"));
  const ObjText lines(text);
  MtlRecords records(builder_, lines, names_, textures_);
  records.check(known_);
  std::istringstream in(records.take());
  tinyobj::LoadMtl(map, materials, &in, warning, error);
  return true;
}

Material convertedMtl(const tinyobj::material_t& m) {
  Material result;
  const double kd = largest(m.diffuse);
  result.color = {1, 1, 1};
  if (kd > 0) {
    result.color = Vec3{share(m.diffuse[0]), share(m.diffuse[1]), share(m.diffuse[2])} * (1 / kd);
  }
  result.kdiff = kd;
  result.kspec = largest(m.specular);
  result.kamb = kAmbient * largest(m.ambient);
  result.ns = std::max(0.0, static_cast<double>(m.shininess));
  result.ktrans = 1 - share(m.dissolve);
  result.refindex = m.ior > 0 ? m.ior : 1;
  result.reflect = m.illum >= kFirstReflectingModel ? result.kspec : 0;
  if (!m.diffuse_texname.empty()) {
    const std::string& number = m.diffuse_texname;
    std::from_chars(number.data(), number.data() + number.size(), result.texture);
  }
  return result;
}

}  // namespace rtvp::scene
