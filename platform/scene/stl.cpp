// STL reader, see stl.hpp.
#include "platform/scene/stl.hpp"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/bytes.hpp"
#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

namespace {

constexpr std::size_t kHeader = 80;
constexpr std::size_t kFacet = 50;  // normal, three corners, two attribute bytes

// Facets that the count of a binary file asks for.
std::uint32_t facetCount(const TextFile& file) {
  return ByteReader(file, kHeader, std::endian::little).take<std::uint32_t>("the number of facets");
}

bool isBinary(const TextFile& file) {
  const std::size_t size = file.text().size();
  if (size >= kHeader + 4 && size == kHeader + 4 + std::size_t{facetCount(file)} * kFacet) {
    return true;
  }
  Words words(file, file.text().substr(0, kHeader), {1, 1}, false);
  return lowered(words.peek()) != "solid";
}

void readBinary(Builder& builder, const TextFile& file) {
  const std::uint32_t count = facetCount(file);
  ByteReader bytes(file, kHeader + 4, std::endian::little);
  if (count > bytes.left() / kFacet) {
    file.fail(Place::atByte(kHeader),
              std::to_string(count) + " facets in " + std::to_string(bytes.left()) + " bytes",
              "50 bytes for each, or an ascii file that begins with solid");
  }
  if (count == 0) file.fail(Place::atByte(kHeader), "no facet", "at least one");
  if (bytes.left() > count * kFacet) {
    builder.warn({&file, Place::atByte(bytes.at() + count * kFacet)},
                 "what follows the last facet is ignored");
  }
  constexpr std::string_view kWhat = "a corner of a facet";
  for (std::uint32_t k = 0; k < count; ++k) {
    const Where where = bytes.where();
    bytes.bytes(12, "a normal");
    Corners corners;
    for (Vec3& corner : corners) {
      for (int axis = 0; axis < 3; ++axis) {
        const Where at = bytes.where();
        corner[axis] = checkedNumber(double{bytes.take<float>(kWhat)}, kWhat, at);
      }
    }
    bytes.bytes(2, "the attribute bytes");
    builder.addTriangle(corners, where);
  }
}

class AsciiReader {
 public:
  AsciiReader(Builder& builder, const TextFile& file)
      : builder_(builder), file_(file), words_(file, file.text(), {1, 1}, false) {}

  void read() {
    while (!words_.atEnd()) solid();
    if (!any_) file_.fail({}, "no facet", "at least one");
  }

 private:
  // solid NAME facet ... endsolid NAME; a name may be several words, up to the end of the line.
  void solid() {
    expect("solid");
    skipLine();
    while (next() == "facet") facet();
    expect("endsolid");
    skipLine();
  }

  void facet() {
    const Where where = words_.where();
    expect("facet");
    // Some programs write `nan` for the normal of a thin facet: not used, not read.
    while (next() != "outer" && !words_.atEnd()) words_.word("outer");
    expect("outer");
    expect("loop");
    mesh_.positions.clear();
    corners_.clear();
    while (next() == "vertex") {
      if (corners_.size() >= kMaxPolygonCorners) {
        words_.fail("at most " + std::to_string(kMaxPolygonCorners) + " corners in a facet");
      }
      expect("vertex");
      corners_.push_back(static_cast<std::uint32_t>(mesh_.positions.size()));
      mesh_.positions.push_back(words_.vector("a corner of three numbers"));
    }
    if (corners_.size() < 3) words_.fail("at least three corners in a facet");
    expect("endloop");
    expect("endfacet");
    faces_.add(corners_, where);
    any_ = true;
  }

  std::string next() { return lowered(words_.peek()); }

  void expect(std::string_view word) {
    if (next() != word) words_.fail(word);
    words_.word(word);
  }

  void skipLine() {
    const std::uint32_t line = words_.lastPlace().line;
    while (!words_.atEnd() && words_.place().line == line) words_.word("a name");
  }

  Builder& builder_;
  const TextFile& file_;
  Words words_;
  Mesh mesh_;
  MeshFaces faces_{builder_, mesh_};
  std::vector<std::uint32_t> corners_;
  bool any_ = false;
};

}  // namespace

void readStl(Builder& builder, const std::filesystem::path& file) {
  const TextFile text = TextFile::readBinary(file, builder.reader("scene"));
  if (isBinary(text)) {
    readBinary(builder, text);
  } else {
    text.refuseBinary();
    AsciiReader(builder, text).read();
  }
}

}  // namespace rtvp::scene
