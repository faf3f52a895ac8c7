// Implementation of the OBJ and MTL reader, see obj.hpp.
#include "platform/scene/obj.hpp"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/scene/mtl.hpp"
#include "platform/scene/obj_records.hpp"
#include "platform/scene/text.hpp"
#include "platform/scene/triangulate.hpp"

namespace rtvp::scene {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxFaceCorners = 255;  // tinyobjloader keeps the number in a byte

class ObjChecker : public ObjRecords {
 public:
  using ObjRecords::ObjRecords;

  void check() {
    forEachRecord(
        [&](std::string_view key, Words& words, const Where& where) { record(key, words, where); });
    if (last_ && (largest_[0] > vertices_ || largest_[2] > normals_ || largest_[1] > textures_)) {
      file_.text().fail(*last_, "an index of a vertex, texture or normal that does not follow",
                        "one that the file holds");
    }
    reportSkipped();
  }

  // mtllib entries, one a record, by the number that tinyobjloader will ask for.
  [[nodiscard]] const std::vector<ObjLibrary>& libraries() const { return libraries_; }
  [[nodiscard]] const std::vector<Where>& faces() const { return faces_; }
  /// By face; 0: none.
  [[nodiscard]] const std::vector<std::uint32_t>& smoothing() const { return smoothing_; }
  [[nodiscard]] const std::map<std::string, std::pair<std::string, Where>>& used() const {
    return used_;
  }

 private:
  struct Skipped {
    Where first;
    std::size_t count = 0;
  };

  void record(std::string_view key, Words& words, const Where& where) {
    if (key == "v") {
      numbers(key, 3, "a vertex of three numbers", words);
      ++vertices_;
      color(words, where);
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
    } else if (key == "s") {
      smoothingGroup(words);
    } else if (key != "g" && key != "o") {
      const auto entry = skipped_.try_emplace(std::string(key), Skipped{where, 0}).first;
      ++entry->second.count;
    }
  }

  // x y z w has one number more, x y z r g b three.
  void color(Words& words, const Where& where) {
    if (colorWarned_) return;
    int more = 0;
    for (; !words.atEnd() && more < 3; ++more) words.word("a colour");
    if (more == 3) warnOnce(colorWarned_, where, "colours of vertices are ignored");
  }

  void smoothingGroup(Words& words) {
    const std::string_view word = words.peek();
    if (word.empty() || word == "off" || word == "on") {
      group_ = word == "on" ? 1 : 0;
    } else {
      group_ = static_cast<std::uint32_t>(
          words.integer("a smoothing group, on or off", 0, 2'000'000'000));
    }
  }

  // Records that are no faces: said once a kind.
  void reportSkipped() {
    constexpr std::size_t kMost = 20;
    std::size_t kinds = 0;
    for (const auto& [key, skipped] : skipped_) {
      if (++kinds > kMost) break;
      const std::string_view what = key == "l"        ? " (lines are not drawn)"
                                    : key == "p"      ? " (points are not drawn)"
                                    : isFreeForm(key) ? " (curves and surfaces are not drawn)"
                                                      : " (not known)";
      builder_.warn(skipped.first, std::to_string(skipped.count) + " records " + inQuotes(key) +
                                       " are skipped" + std::string(what));
    }
  }

  static bool isFreeForm(std::string_view key) {
    static constexpr std::array<std::string_view, 17> kKeys{
        "vp",   "cstype", "deg",  "bmat", "step", "curv", "curv2", "surf", "parm",
        "trim", "hole",   "scrv", "sp",   "end",  "con",  "ctech", "stech"};
    return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
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
    if (corners == 0) words.fail("the corners of a face");
    if (corners < 3) {
      warnOnce(thinWarned_, where, "faces of fewer than three corners are skipped");
      return;
    }
    out_ += 'f';
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
    smoothing_.push_back(group_);
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
  std::vector<ObjLibrary> libraries_;
  std::map<std::string, std::pair<std::string, Where>> used_;
  std::vector<Where> faces_;
  std::vector<std::uint32_t> smoothing_;
  std::uint32_t group_ = 0;
  bool thinWarned_ = false;
  bool colorWarned_ = false;
  std::map<std::string, Skipped, std::less<>> skipped_;
};

Vec3 at(const std::vector<tinyobj::real_t>& values, int index) {
  const std::size_t k = 3 * static_cast<std::size_t>(index);
  return {values[k], values[k + 1], values[k + 2]};
}

// Normals of faces in smoothing groups: at each vertex the sum of its faces' normals, by area.
class Smoothing {
 public:
  void include(std::uint32_t group, const tinyobj::index_t* corners,
               std::span<const Vec3> outline) {
    const Vec3 normal = newellNormal(outline);
    for (std::size_t k = 0; k < outline.size(); ++k) {
      sums_[key(group, corners[k].vertex_index)] += normal;
    }
  }
  [[nodiscard]] Vec3 at(std::uint32_t group, int vertex) const {
    const auto found = sums_.find(key(group, vertex));
    return found == sums_.end() ? Vec3{} : found->second;
  }

 private:
  static std::uint64_t key(std::uint32_t group, int vertex) {
    return (std::uint64_t{group} << 32U) | static_cast<std::uint32_t>(vertex);
  }

  std::unordered_map<std::uint64_t, Vec3> sums_;
};

// Adds the faces that tinyobjloader found, each triangle a primitive.
class Faces {
 public:
  Faces(Builder& builder, const tinyobj::attrib_t& attributes)
      : builder_(builder), attributes_(attributes) {}

  // First for all faces, then add() for all.
  void smooth(const tinyobj::index_t* corners, std::size_t count, std::uint32_t group) {
    if (group == 0) return;
    v_.clear();
    bool normals = true;
    for (std::size_t k = 0; k < count; ++k) {
      v_.push_back(at(attributes_.vertices, corners[k].vertex_index));
      normals = normals && corners[k].normal_index >= 0;
    }
    if (!normals) smoothing_.include(group, corners, v_);
  }

  void add(const tinyobj::index_t* corners, std::size_t count, std::uint32_t group,
           const Where& where) {
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
    if (group != 0 && n_.size() != count) {
      n_.clear();
      for (std::size_t k = 0; k < count; ++k) {
        n_.push_back(smoothing_.at(group, corners[k].vertex_index));
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
  Smoothing smoothing_;
  std::vector<Vec3> v_;
  std::vector<Vec3> n_;
  std::vector<TexturePoint> st_;
};

// Calls `use(face, corners, how many, material)` for each face, in file order.
template <typename F>
std::size_t forEachFace(const std::vector<tinyobj::shape_t>& shapes, F&& use) {
  std::size_t face = 0;
  for (const tinyobj::shape_t& shape : shapes) {
    std::size_t corner = 0;
    for (std::size_t k = 0; k < shape.mesh.num_face_vertices.size(); ++k, ++face) {
      const std::size_t count = shape.mesh.num_face_vertices[k];
      use(face, shape.mesh.indices.data() + corner, count, shape.mesh.material_ids[k]);
      corner += count;
    }
  }
  return face;
}

}  // namespace

void readObj(Builder& builder, const fs::path& file, const Where* from) {
  const TextFile whole = TextFile::read(file, builder.reader(from != nullptr ? "obj" : "scene"));
  const ObjText lines(whole);
  const TextFile& text = lines.text();
  ObjNames names;
  ObjChecker checker(builder, lines, names);
  checker.check();
  MtlLibraries libraries(builder, file, checker.libraries(), names);

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
  forEachFace(shapes, [&](std::size_t face, const tinyobj::index_t* corners, std::size_t count,
                          int /*material*/) {
    faces.smooth(corners, count, checker.smoothing().at(face));
  });
  // A surface shader or a painted texture of the scene file replaces the OBJ's materials.
  const bool covered = before.surface != kNoIndex || before.texture != kNoIndex;
  const std::size_t count = forEachFace(
      shapes, [&](std::size_t face, const tinyobj::index_t* corners, std::size_t n, int id) {
        builder.setMaterial(
            id < 0 || covered ? before : convertedMtl(materials.at(static_cast<std::size_t>(id))));
        faces.add(corners, n, checker.smoothing().at(face), checker.faces().at(face));
      });
  builder.setMaterial(before);
  if (count == 0) {
    if (from != nullptr) from->fail("a file without a face", "an OBJ file with triangles");
    text.fail({}, "no face", "at least one");
  }
}

}  // namespace rtvp::scene
