// OFF reader, see off.hpp.
#include "platform/scene/off.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

namespace {

class Parser {
 public:
  Parser(Builder& builder, const TextFile& file)
      : builder_(builder), file_(file), words_(file, file.text(), {1, 1}, true) {}

  void read() {
    keyword();
    const Where where = words_.where();
    const auto vertices = count("the number of vertices");
    const auto faces = count("the number of faces");
    words_.integer("the number of edges", 0, 2'000'000'000);
    // Each vertex takes three digits and blanks, each face four.
    if (vertices * std::size_t{6} + faces * std::size_t{8} > words_.left() + 2) {
      where.fail(std::to_string(vertices) + " vertices and " + std::to_string(faces) +
                     " faces in " + std::to_string(words_.left()) + " characters",
                 "counts that the file is long enough for");
    }
    if (faces == 0) where.fail("no face", "at least one");
    for (std::uint32_t k = 0; k < vertices; ++k) vertex();
    for (std::uint32_t k = 0; k < faces; ++k) face();
    if (faces_.count() == 0) file_.fail({}, "no face of three corners", "at least one");
  }

 private:
  static constexpr std::string_view kKeyword =
      "OFF, with ST, C or N before it, in three dimensions and ascii";

  // [ST][C][N]OFF; the counts may stand behind it on the same line, without a blank even.
  void keyword() {
    std::string_view word = words_.peek();
    const auto has = [&](std::string_view prefix) {
      const bool yes = word.starts_with(prefix) && word != "OFF";
      if (yes) word.remove_prefix(prefix.size());
      return yes;
    };
    st_ = has("ST");
    color_ = has("C");
    normal_ = has("N");
    if (word != "OFF") words_.fail(kKeyword);
    words_.word(kKeyword);
    if (words_.peek() == "BINARY") words_.fail("the ascii form of OFF");
  }

  std::uint32_t count(std::string_view what) {
    return static_cast<std::uint32_t>(words_.integer(what, 0, 2'000'000'000));
  }

  // Position, normal, colour, texture coordinates, in this order, up to the end of the line.
  void vertex() {
    mesh_.positions.push_back(words_.vector("a vertex of three numbers"));
    const std::uint32_t line = words_.lastPlace().line;
    if (normal_) mesh_.normals.push_back(words_.vector("a normal of three numbers"));
    std::vector<double> rest;
    while (!words_.atEnd() && words_.place().line == line && rest.size() < kMostExtras) {
      rest.push_back(words_.number("a colour or texture coordinate"));
    }
    if (st_) {
      if (rest.size() < 2) words_.fail("two texture coordinates");
      mesh_.st.push_back(
          {static_cast<float>(rest[rest.size() - 2]), static_cast<float>(rest[rest.size() - 1])});
    }
    if (!colorWarned_ && (color_ || (!st_ && !rest.empty()))) {
      builder_.warn(words_.where(), "colours of vertices are ignored");
      colorWarned_ = true;
    }
  }

  // N, N vertices, then a colour up to the end of the line.
  void face() {
    const Where where = words_.where();
    const int n = words_.integer("the number of a face's corners", 0, kMaxPolygonCorners);
    corners_.clear();
    for (int k = 0; k < n; ++k) {
      corners_.push_back(static_cast<std::uint32_t>(
          words_.integer("a vertex of the face", 0, static_cast<int>(mesh_.positions.size()) - 1)));
    }
    const std::uint32_t line = words_.lastPlace().line;
    while (!words_.atEnd() && words_.place().line == line) words_.word("a colour");
    if (n >= 3) {
      faces_.add(corners_, where);
    } else if (!thinWarned_) {
      builder_.warn(where, "faces of fewer than three corners are skipped");
      thinWarned_ = true;
    }
  }

  static constexpr std::size_t kMostExtras = 8;

  Builder& builder_;
  const TextFile& file_;
  Words words_;
  Mesh mesh_;
  MeshFaces faces_{builder_, mesh_};
  std::vector<std::uint32_t> corners_;
  bool st_ = false;
  bool color_ = false;
  bool normal_ = false;
  bool colorWarned_ = false;
  bool thinWarned_ = false;
};

}  // namespace

void readOff(Builder& builder, const std::filesystem::path& file) {
  const TextFile text = TextFile::read(file, builder.reader("scene"));
  Parser(builder, text).read();
}

}  // namespace rtvp::scene
