// Implementation of the OBJ and MTL reader, see obj.hpp.
#include "platform/scene/obj.hpp"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/scene/text.hpp"
#include "platform/scene/texture_file.hpp"
#include "platform/scene/triangulate.hpp"

namespace rtvp::scene {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxFaceCorners = 255;  // tinyobjloader keeps the number in a byte
constexpr double kAmbient = 0.2;      // the `.shk` default that Ka scales
constexpr std::string_view kDefaultKd = "0.8 0.8 0.8";
constexpr int kFirstReflectingModel = 3;

// Names may hold blanks, which tinyobjloader reads differently in its two formats: it sees numbers
// instead.
class Names {
 public:
  std::string id(std::string_view name) {
    const auto [entry, added] = ids_.try_emplace(std::string(name), ids_.size());
    static_cast<void>(added);
    return "m" + std::to_string(entry->second);
  }

 private:
  std::map<std::string, std::size_t> ids_;
};

// Checks a file line by line and writes what tinyobjloader shall see.
class Checker {
 public:
  Checker(Builder& builder, const TextFile& file, Names& names)
      : builder_(builder), file_(file), names_(names) {}

  [[nodiscard]] std::string take() { return std::move(out_); }

 protected:
  template <typename F>
  void forEachRecord(F&& record) {
    forEachLine(file_, [&](std::string_view line, std::uint32_t number) {
      Words words(file_, line, {number, 1}, true);
      if (words.atEnd()) return;
      if (trimmed(line).back() == '\\') {
        words.fail("a record on one line (it is continued on the next)");
      }
      const Where where = words.where();
      record(words.word("a record"), words, where);
    });
  }

  // Takes `count` numbers and copies their text.
  void numbers(std::string_view key, int count, std::string_view expected, Words& words) {
    out_ += key;
    for (int k = 0; k < count; ++k) {
      const std::string_view text = words.peek();
      words.number(expected);
      out_ += ' ';
      out_ += text;
    }
    out_ += '\n';
  }

  void warnOnce(bool& done, const Where& where, const std::string& text) {
    if (!done) builder_.warn(where, text);
    done = true;
  }

  static std::string_view trimmed(std::string_view line) {
    while (!line.empty() && isBlank(line.back())) line.remove_suffix(1);
    return line;
  }

  Builder& builder_;
  const TextFile& file_;
  Names& names_;
  std::string out_;
};

// Scene textures by file: libraries share pictures.
using TextureNumbers = std::map<std::string, std::uint32_t>;

class MtlChecker : public Checker {
 public:
  MtlChecker(Builder& builder, const TextFile& file, Names& names, TextureNumbers& textures)
      : Checker(builder, file, names), textures_(textures) {}

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
    if (words.atEnd()) words.fail("the name of a PNG file");
    const Where nameAt = words.where();
    const std::string name(words.rest());
    const fs::path file = fs::path(file_.name()).parent_path() / fs::path(name);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      builder_.warn(nameAt, "no such texture: " + inQuotes(name));
      return;
    }
    const auto [entry, added] = textures_.try_emplace(file.lexically_normal().string(), 0U);
    if (added) {
      entry->second =
          loadTexture(builder_, Texture::Kind::Color, fs::path(name).filename().string(),
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

class ObjChecker : public Checker {
 public:
  using Checker::Checker;

  void check() {
    forEachRecord(
        [&](std::string_view key, Words& words, const Where& where) { record(key, words, where); });
    if (last_ && (largest_[0] > vertices_ || largest_[2] > normals_ || largest_[1] > textures_)) {
      file_.fail(*last_, "an index of a vertex, texture or normal that does not follow",
                 "one that the file holds");
    }
  }

  // mtllib entries, one a record, by the number that tinyobjloader will ask for.
  [[nodiscard]] const std::vector<std::pair<std::string, Where>>& libraries() const {
    return libraries_;
  }
  [[nodiscard]] const std::vector<Where>& faces() const { return faces_; }
  [[nodiscard]] const std::map<std::string, std::pair<std::string, Where>>& used() const {
    return used_;
  }

 private:
  void record(std::string_view key, Words& words, const Where& where) {
    if (key == "v") {
      numbers(key, 3, "a vertex of three numbers", words);
      ++vertices_;
    } else if (key == "vn") {
      numbers(key, 3, "a normal of three numbers", words);
      ++normals_;
    } else if (key == "vt") {
      textureCoordinates(words);
    } else if (key == "f") {
      face(words, where);
    } else if (key == "usemtl") {
      const std::string name(words.rest());
      const std::string id = names_.id(name);
      used_.try_emplace(id, inQuotes(name), where);
      out_ += "usemtl " + id + '\n';
    } else if (key == "mtllib") {
      if (words.atEnd()) words.fail("the name of a material library");
      out_ += "mtllib " + std::to_string(libraries_.size()) + '\n';
      libraries_.emplace_back(words.rest(), where);
    }
  }

  // One to three numbers; the third belongs to solid textures and is not kept.
  void textureCoordinates(Words& words) {
    constexpr std::string_view kForm = "one to three texture coordinates";
    out_ += "vt";
    for (int k = 0; k < 2; ++k) {
      if (k == 1 && words.atEnd()) {
        out_ += " 0";
        break;
      }
      const std::string_view text = words.peek();
      words.number(kForm);
      out_ += ' ';
      out_ += text;
    }
    out_ += '\n';
    ++textures_;
  }

  void face(Words& words, const Where& where) {
    out_ += 'f';
    int corners = 0;
    bool allNormals = true;
    bool allTextures = true;
    std::vector<std::array<std::int64_t, 3>> indices;
    for (; !words.atEnd(); ++corners) {
      if (corners >= kMaxFaceCorners) {
        words.fail("at most " + std::to_string(kMaxFaceCorners) + " corners in a face");
      }
      const std::array<std::int64_t, 3> index = corner(words);
      allNormals = allNormals && index[2] > 0;
      allTextures = allTextures && index[1] > 0;
      indices.push_back(index);
    }
    if (corners < 3) words.fail("at least three corners in a face");
    // Normals and texture coordinates count only where every corner has them.
    for (const auto& [vertex, texture, normal] : indices) {
      out_ += ' ' + std::to_string(vertex);
      if (allTextures || allNormals) out_ += '/';
      if (allTextures) out_ += std::to_string(texture);
      if (allNormals) out_ += '/' + std::to_string(normal);
    }
    out_ += '\n';
    if (faces_.size() >= kMaxElements) {
      where.fail("one face more", "at most " + std::to_string(kMaxElements));
    }
    faces_.push_back(where);
  }

  // v, v/vt, v//vn or v/vt/vn as positive numbers; 0 for what is absent.
  std::array<std::int64_t, 3> corner(Words& words) {
    constexpr std::string_view kForm = "a corner as v, v/vt, v//vn or v/vt/vn";
    const std::array<std::int64_t, 3> counts{vertices_, textures_, normals_};
    const Place place = words.place();
    std::array<std::int64_t, 3> result{};
    std::string_view left = words.peek();
    for (std::size_t part = 0; part < 3; ++part) {
      if (part == 1 && left.starts_with('/')) {
        left.remove_prefix(1);
        continue;
      }
      std::int64_t value = 0;
      const auto [stop, error] = std::from_chars(left.data(), left.data() + left.size(), value);
      if (error != std::errc{} || value == 0 || value > kMaxIndex) words.fail(kForm);
      if (value < 0) value += counts[part] + 1;
      if (value < 1)
        words.fail("an index that is not before the first " + std::string(kKinds[part]));
      result[part] = value;
      if (value > std::max(largest_[part], counts[part])) {
        largest_[part] = value;
        last_ = place;
      }
      left.remove_prefix(static_cast<std::size_t>(stop - left.data()));
      if (left.empty()) break;
      if (left[0] != '/' || part == 2) words.fail(kForm);
      left.remove_prefix(1);
    }
    words.word(kForm);
    return result;
  }

  static constexpr std::int64_t kMaxIndex = 1'000'000'000;
  static constexpr std::array<std::string_view, 3> kKinds{"vertex", "texture coordinate", "normal"};

  std::int64_t vertices_ = 0;
  std::int64_t normals_ = 0;
  std::int64_t textures_ = 0;
  std::array<std::int64_t, 3> largest_{};  // indices beyond what had been read at that point
  std::optional<Place> last_;
  std::vector<std::pair<std::string, Where>> libraries_;
  std::map<std::string, std::pair<std::string, Where>> used_;
  std::vector<Where> faces_;
};

// Gives tinyobjloader the checked text of a material library.
class LibraryReader : public tinyobj::MaterialReader {
 public:
  LibraryReader(Builder& builder, const fs::path& folder, const ObjChecker& obj, Names& names)
      : builder_(builder), folder_(folder), obj_(obj), names_(names) {}

  bool operator()(const std::string& number, std::vector<tinyobj::material_t>* materials,
                  std::map<std::string, int>* map, std::string* warning,
                  std::string* error) override {
    std::size_t at = 0;
    std::from_chars(number.data(), number.data() + number.size(), at);
    const auto& [names, where] = obj_.libraries().at(at);
    if (!read(names, materials, map, warning, error)) {
      // Several names may share the record.
      const TextFile list("", names);
      Words words(list, list.text(), {1, 1}, false);
      bool any = false;
      while (!words.atEnd())
        any = read(words.word("a name"), materials, map, warning, error) || any;
      if (!any) builder_.warn(where, "no such material library: " + inQuotes(names));
    }
    return true;
  }

  [[nodiscard]] bool knows(const std::string& id) const { return known_.contains(id); }

 private:
  bool read(std::string_view name, std::vector<tinyobj::material_t>* materials,
            std::map<std::string, int>* map, std::string* warning, std::string* error) {
    const fs::path file = folder_ / fs::path(std::string(name));
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return false;
    if (++read_ > kMaxLibraries) return false;
    const TextFile text = TextFile::read(file, builder_.reader("mtl"));
    MtlChecker checker(builder_, text, names_, textures_);
    checker.check(known_);
    std::istringstream in(checker.take());
    tinyobj::LoadMtl(map, materials, &in, warning, error);
    return true;
  }

  static constexpr int kMaxLibraries = 100;

  Builder& builder_;
  fs::path folder_;
  const ObjChecker& obj_;
  Names& names_;
  std::map<std::string, bool> known_;
  TextureNumbers textures_;
  int read_ = 0;
};

double share(double x) {
  return std::clamp(x, 0.0, 1.0);
}

double largest(const tinyobj::real_t (&rgb)[3]) {
  return share(std::max({rgb[0], rgb[1], rgb[2]}));
}

Material converted(const tinyobj::material_t& m) {
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

Vec3 at(const std::vector<tinyobj::real_t>& values, int index) {
  const std::size_t k = 3 * static_cast<std::size_t>(index);
  return {values[k], values[k + 1], values[k + 2]};
}

// Adds the faces that tinyobjloader found, each triangle a primitive.
class Faces {
 public:
  Faces(Builder& builder, const tinyobj::attrib_t& attributes)
      : builder_(builder), attributes_(attributes) {}

  void add(const tinyobj::index_t* corners, std::size_t count, const Where& where) {
    v_.clear();
    n_.clear();
    st_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      v_.push_back(at(attributes_.vertices, corners[k].vertex_index));
      if (corners[k].normal_index >= 0)
        n_.push_back(at(attributes_.normals, corners[k].normal_index));
      if (corners[k].texcoord_index >= 0) {
        const std::size_t first = 2 * static_cast<std::size_t>(corners[k].texcoord_index);
        st_.push_back({static_cast<float>(attributes_.texcoords[first]),
                       static_cast<float>(attributes_.texcoords[first + 1])});
      }
    }
    for (const auto& [a, b, c] : triangulate(v_)) {
      const Corners v{v_[a], v_[b], v_[c]};
      if (st_.size() == count) builder_.setTextureCorners({st_[a], st_[b], st_[c]});
      if (n_.size() == count) {
        builder_.addTriangle(v, {n_[a], n_[b], n_[c]}, where);
      } else {
        builder_.addTriangle(v, where);
      }
    }
  }

 private:
  Builder& builder_;
  const tinyobj::attrib_t& attributes_;
  std::vector<Vec3> v_;
  std::vector<Vec3> n_;
  std::vector<TexturePoint> st_;
};

}  // namespace

void readObj(Builder& builder, const fs::path& file, const Where* from) {
  const TextFile text = TextFile::read(file, builder.reader(from != nullptr ? "obj" : "scene"));
  Names names;
  ObjChecker checker(builder, text, names);
  checker.check();
  LibraryReader libraries(builder, file.parent_path(), checker, names);

  tinyobj::attrib_t attributes;
  std::vector<tinyobj::shape_t> shapes;
  std::vector<tinyobj::material_t> materials;
  std::string warning;
  std::string error;
  std::istringstream in(checker.take());
  // Unchecked corners would need triangulation by fan; ours cuts concave faces rightly.
  constexpr bool kTriangulate = false;
  if (!tinyobj::LoadObj(&attributes, &shapes, &materials, &warning, &error, &in, &libraries,
                        kTriangulate)) {
    text.fail({}, "faces that cannot be read (" + error + ")", "an OBJ file");
  }
  for (const auto& [id, use] : checker.used()) {
    if (!libraries.knows(id)) builder.warn(use.second, "no such material: " + use.first);
  }

  const Material before = builder.material();
  Faces faces(builder, attributes);
  std::size_t face = 0;
  for (const tinyobj::shape_t& shape : shapes) {
    std::size_t corner = 0;
    for (std::size_t k = 0; k < shape.mesh.num_face_vertices.size(); ++k, ++face) {
      const std::size_t count = shape.mesh.num_face_vertices[k];
      const int id = shape.mesh.material_ids[k];
      // A surface shader or a painted texture of the scene file replaces the OBJ's materials.
      const bool covered = before.surface != kNoIndex || before.texture != kNoIndex;
      builder.setMaterial(
          id < 0 || covered ? before : converted(materials.at(static_cast<std::size_t>(id))));
      faces.add(shape.mesh.indices.data() + corner, count, checker.faces().at(face));
      corner += count;
    }
  }
  builder.setMaterial(before);
  if (face == 0) {
    if (from != nullptr) from->fail("a file without a face", "an OBJ file with triangles");
    text.fail({}, "no face", "at least one");
  }
}

}  // namespace rtvp::scene
