// PLY reader, see ply.hpp.
#include "platform/scene/ply.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/scene/bytes.hpp"
#include "platform/scene/mesh.hpp"

namespace rtvp::scene {

namespace {

enum class Scalar : std::uint8_t { I8, U8, I16, U16, I32, U32, F32, F64 };

struct ScalarName {
  std::string_view name;
  Scalar scalar;
};
constexpr std::array kScalars{
    ScalarName{"char", Scalar::I8},     ScalarName{"uchar", Scalar::U8},
    ScalarName{"short", Scalar::I16},   ScalarName{"ushort", Scalar::U16},
    ScalarName{"int", Scalar::I32},     ScalarName{"uint", Scalar::U32},
    ScalarName{"float", Scalar::F32},   ScalarName{"double", Scalar::F64},
    ScalarName{"int8", Scalar::I8},     ScalarName{"uint8", Scalar::U8},
    ScalarName{"int16", Scalar::I16},   ScalarName{"uint16", Scalar::U16},
    ScalarName{"int32", Scalar::I32},   ScalarName{"uint32", Scalar::U32},
    ScalarName{"float32", Scalar::F32}, ScalarName{"float64", Scalar::F64}};

std::size_t bytesOf(Scalar scalar) {
  constexpr std::array<std::size_t, 8> kBytes{1, 1, 2, 2, 4, 4, 4, 8};
  return kBytes[static_cast<std::size_t>(scalar)];
}

bool isWhole(Scalar scalar) {
  return scalar < Scalar::F32;
}

// What of a vertex a property is; the first eight are numbers of Vertex::values.
enum class Use : std::uint8_t { X, Y, Z, Nx, Ny, Nz, U, V, Color, Skip };

struct Property {
  Scalar scalar = Scalar::F32;
  std::optional<Scalar> count;  // of a list
  std::string name;
  Use use = Use::Skip;
};

struct ElementKind {
  std::string name;
  std::uint32_t count = 0;
  std::vector<Property> properties;
  Place place;
};

struct UseName {
  std::string_view name;
  Use use;
};
constexpr std::array kUses{
    UseName{"x", Use::X},       UseName{"y", Use::Y},         UseName{"z", Use::Z},
    UseName{"nx", Use::Nx},     UseName{"ny", Use::Ny},       UseName{"nz", Use::Nz},
    UseName{"u", Use::U},       UseName{"v", Use::V},         UseName{"s", Use::U},
    UseName{"t", Use::V},       UseName{"texture_u", Use::U}, UseName{"texture_v", Use::V},
    UseName{"red", Use::Color}, UseName{"r", Use::Color},     UseName{"diffuse_red", Use::Color}};

enum class Form : std::uint8_t { Ascii, Little, Big };

struct Header {
  Form form = Form::Ascii;
  std::vector<ElementKind> elements;
  std::size_t end = 0;      // offset behind end_header's newline
  std::uint32_t lines = 0;  // of the header
};

class HeaderReader {
 public:
  explicit HeaderReader(const TextFile& file) : file_(file) {}

  Header read() {
    Header header;
    bool formSeen = false;
    for (bool first = true;; first = false) {
      Words words = line();
      const Where where = words.where();
      const std::string_view key = words.word("a header line, up to end_header");
      if (first != (key == "ply"))
        where.fail(inQuotes(key), "ply on the first line, and only there");
      if (first || key == "comment" || key == "obj_info") continue;
      if (key == "end_header") break;
      if (key == "format") {
        header.form = form(words);
        formSeen = true;
      } else if (key == "element") {
        element(header, words);
      } else if (key == "property") {
        if (header.elements.empty()) where.fail("a property", "an element before it");
        property(header.elements.back(), words);
      } else {
        where.fail(inQuotes(key), "format, comment, obj_info, element, property or end_header");
      }
    }
    if (!formSeen) file_.fail({line_, 1}, "no format", "a format line before end_header");
    header.end = at_;
    header.lines = line_;
    return header;
  }

 private:
  static constexpr std::size_t kMaxLine = 4096;
  static constexpr std::size_t kMaxElementKinds = 64;
  static constexpr std::size_t kMaxProperties = 1024;

  Words line() {
    ++line_;
    const std::string_view left = file_.text().substr(at_);
    const std::size_t end = left.find('\n');
    if (end > kMaxLine) {  // npos is
      file_.fail(
          {line_, 1}, "no end of the line",
          "header lines of at most " + std::to_string(kMaxLine) + " characters, up to end_header");
    }
    at_ += end + 1;
    return {file_, left.substr(0, end), {line_, 1}, false};
  }

  static Form form(Words& words) {
    constexpr std::string_view kForm =
        "format ascii, binary_little_endian or binary_big_endian, and 1.0";
    const std::string_view name = words.peek();
    const Form form = name == "ascii"                  ? Form::Ascii
                      : name == "binary_little_endian" ? Form::Little
                                                       : Form::Big;
    if (form == Form::Big && name != "binary_big_endian") words.fail(kForm);
    words.word(kForm);
    if (words.peek() != "1.0") words.fail(kForm);
    return form;
  }

  void element(Header& header, Words& words) {
    ElementKind kind;
    kind.place = words.place();
    if (header.elements.size() >= kMaxElementKinds) {
      words.fail("at most " + std::to_string(kMaxElementKinds) + " kinds of elements");
    }
    kind.name = words.word("an element's name");
    kind.count =
        static_cast<std::uint32_t>(words.integer("the number of elements", 0, 2'000'000'000));
    header.elements.push_back(std::move(kind));
  }

  static void property(ElementKind& kind, Words& words) {
    Property property;
    if (kind.properties.size() >= kMaxProperties) {
      words.fail("at most " + std::to_string(kMaxProperties) + " properties");
    }
    if (words.peek() == "list") {
      words.word("list");
      const Where where = words.where();
      property.count = scalar(words);
      if (!isWhole(*property.count)) where.fail("a count of fractions", "a whole type");
    }
    property.scalar = scalar(words);
    property.name = words.word("a property's name");
    if (!property.count) {
      for (const UseName& use : kUses) {
        if (use.name == property.name) property.use = use.use;
      }
    }
    kind.properties.push_back(std::move(property));
  }

  static Scalar scalar(Words& words) {
    constexpr std::string_view kTypes =
        "a type: char, uchar, short, ushort, int, uint, float, double, or int8 to float64";
    for (const ScalarName& candidate : kScalars) {
      if (candidate.name == words.peek()) {
        words.word(kTypes);
        return candidate.scalar;
      }
    }
    words.fail(kTypes);
  }

  const TextFile& file_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 0;
};

constexpr std::string_view kValue = "the value of a property";

// Values of an ascii body.
class AsciiValues {
 public:
  AsciiValues(const TextFile& file, const Header& header)
      : words_(file, file.text().substr(header.end), {header.lines + 1, 1}, false) {}

  double take(Scalar /*scalar*/) {
    return words_.number(words_.atEnd() ? "as many values as the header promises" : kValue);
  }
  // Each value takes a digit and a blank.
  [[nodiscard]] std::size_t room() { return words_.left() / 2 + 1; }
  static std::size_t size(Scalar /*scalar*/) { return 1; }
  [[nodiscard]] Where where() { return words_.where(); }

 private:
  Words words_;
};

class BinaryValues {
 public:
  BinaryValues(const TextFile& file, const Header& header)
      : bytes_(file, header.end,
               header.form == Form::Big ? std::endian::big : std::endian::little) {}

  double take(Scalar scalar) {
    switch (scalar) {
      case Scalar::I8:
        return bytes_.take<std::int8_t>(kValue);
      case Scalar::U8:
        return bytes_.take<std::uint8_t>(kValue);
      case Scalar::I16:
        return bytes_.take<std::int16_t>(kValue);
      case Scalar::U16:
        return bytes_.take<std::uint16_t>(kValue);
      case Scalar::I32:
        return bytes_.take<std::int32_t>(kValue);
      case Scalar::U32:
        return bytes_.take<std::uint32_t>(kValue);
      case Scalar::F32:
        return double{bytes_.take<float>(kValue)};
      case Scalar::F64:
        return bytes_.take<double>(kValue);
    }
    return 0;
  }
  [[nodiscard]] std::size_t room() const { return bytes_.left(); }
  static std::size_t size(Scalar scalar) { return bytesOf(scalar); }
  [[nodiscard]] Where where() const { return bytes_.where(); }

 private:
  ByteReader bytes_;
};

template <typename Values>
class Body {
 public:
  Body(Builder& builder, const TextFile& file, const Header& header, Mesh& mesh,
       std::vector<std::uint32_t>* collected)
      : builder_(builder),
        file_(file),
        header_(header),
        values_(file, header),
        mesh_(mesh),
        faces_(builder, mesh, collected) {}

  void read() {
    for (const ElementKind& kind : header_.elements) {
      if (kind.properties.empty()) continue;
      checkCount(kind);
      if (kind.name == "vertex") {
        vertices(kind);
      } else if (kind.name == "face") {
        indexed(kind, [&](const Where& where) { face(where); });
      } else if (kind.name == "tristrips") {
        indexed(kind, [&](const Where& where) { strips(where); });
      } else {
        for (std::uint32_t k = 0; k < kind.count; ++k) skip(kind);
      }
    }
    if (faces_.count() == 0) {
      file_.fail({}, "no face", "at least one (points alone cannot be drawn)");
    }
  }

 private:
  void checkCount(const ElementKind& kind) {
    std::size_t least = 0;
    for (const Property& p : kind.properties) least += Values::size(p.count.value_or(p.scalar));
    if (kind.count > values_.room() / least) {
      file_.fail(kind.place,
                 std::to_string(kind.count) + " elements " + inQuotes(kind.name) +
                     " in the rest of the file, " + std::to_string(values_.room()) +
                     " values or bytes",
                 "a count that the file is long enough for");
    }
  }

  void vertices(const ElementKind& kind) {
    if (!mesh_.positions.empty()) file_.fail(kind.place, "vertices again", "one element vertex");
    std::array<bool, static_cast<std::size_t>(Use::Skip) + 1> has{};
    for (const Property& p : kind.properties) has[static_cast<std::size_t>(p.use)] = true;
    const auto all = [&](Use first, std::size_t n) {
      return std::all_of(has.begin() + static_cast<int>(first),
                         has.begin() + static_cast<int>(first) + static_cast<int>(n),
                         [](bool b) { return b; });
    };
    if (!all(Use::X, 3)) file_.fail(kind.place, "a vertex without x, y and z", "all three");
    const bool normals = all(Use::Nx, 3);
    const bool st = all(Use::U, 2);
    if (has[static_cast<std::size_t>(Use::Color)]) {
      builder_.warn({&file_, kind.place}, "colours of vertices are ignored");
    }
    mesh_.positions.reserve(kind.count);
    for (std::uint32_t k = 0; k < kind.count; ++k) {
      const std::array<double, 8> v = vertex(kind);
      mesh_.positions.push_back({v[0], v[1], v[2]});
      if (normals) mesh_.normals.push_back({v[3], v[4], v[5]});
      if (st) mesh_.st.push_back({static_cast<float>(v[6]), static_cast<float>(v[7])});
    }
  }

  std::array<double, 8> vertex(const ElementKind& kind) {
    std::array<double, 8> result{};
    for (const Property& p : kind.properties) {
      if (p.count) {
        list(p, nullptr);
        continue;
      }
      const Where where = values_.where();
      const double value = values_.take(p.scalar);
      if (p.use < Use::Color) {
        result[static_cast<std::size_t>(p.use)] = checkedNumber(value, p.name, where);
      }
    }
    return result;
  }

  // An element with a list of vertices; `use` finds it in list_.
  template <typename F>
  void indexed(const ElementKind& kind, F&& use) {
    const auto wanted =
        std::find_if(kind.properties.begin(), kind.properties.end(), [](const Property& p) {
          return p.count && (p.name == "vertex_indices" || p.name == "vertex_index");
        });
    if (wanted == kind.properties.end()) {
      file_.fail(kind.place, inQuotes(kind.name) + " without a list vertex_indices", "one");
    }
    if (!isWhole(wanted->scalar))
      file_.fail(kind.place, "vertex_indices in fractions", "whole ones");
    for (std::uint32_t k = 0; k < kind.count; ++k) {
      const Where where = values_.where();
      for (const Property& p : kind.properties) {
        if (p.count) {
          list(p, &p == &*wanted ? &list_ : nullptr);
        } else {
          values_.take(p.scalar);
        }
      }
      use(where);
    }
  }

  void skip(const ElementKind& kind) {
    for (const Property& p : kind.properties) {
      if (p.count) {
        list(p, nullptr);
      } else {
        values_.take(p.scalar);
      }
    }
  }

  void list(const Property& p, std::vector<double>* into) {
    const Where where = values_.where();
    const double count = values_.take(*p.count);
    const std::size_t most = values_.room() / Values::size(p.scalar);
    if (!(count >= 0) || count > static_cast<double>(most)) {
      where.fail("a list of " + std::to_string(static_cast<std::int64_t>(count)) + " values",
                 "one that the rest of the file is long enough for");
    }
    if (into != nullptr) into->clear();
    for (auto k = static_cast<std::uint32_t>(count); k > 0; --k) {
      const double value = values_.take(p.scalar);
      if (into != nullptr) into->push_back(value);
    }
  }

  std::uint32_t corner(double index, const Where& where) const {
    const auto vertices = static_cast<double>(mesh_.positions.size());
    if (!(index >= 0 && index < vertices)) {
      where.fail(
          "a face with the vertex " + std::to_string(static_cast<std::int64_t>(index)),
          "one of the " + std::to_string(mesh_.positions.size()) + " vertices before the faces");
    }
    return static_cast<std::uint32_t>(index);
  }

  void face(const Where& where) {
    corners_.clear();
    if (list_.size() > kMaxPolygonCorners) {
      where.fail("a face of " + std::to_string(list_.size()) + " corners",
                 "at most " + std::to_string(kMaxPolygonCorners));
    }
    for (const double index : list_) corners_.push_back(corner(index, where));
    if (corners_.size() >= 3) {
      faces_.add(corners_, where);
    } else if (!thinWarned_) {
      builder_.warn(where, "faces of fewer than three corners are skipped");
      thinWarned_ = true;
    }
  }

  // Every vertex but the first two of a strip makes a triangle; every second one is turned round.
  void strips(const Where& where) {
    std::array<std::uint32_t, 3> last{};
    std::size_t length = 0;
    for (const double index : list_) {
      if (index == -1) {
        length = 0;
        continue;
      }
      last = {last[1], last[2], corner(index, where)};
      if (++length < 3) continue;
      const std::array<std::uint32_t, 3> turned{last[1], last[0], last[2]};
      faces_.add(length % 2 == 1 ? last : turned, where);
    }
  }

  Builder& builder_;
  const TextFile& file_;
  const Header& header_;
  Values values_;
  Mesh& mesh_;
  MeshFaces faces_;
  std::vector<double> list_;
  std::vector<std::uint32_t> corners_;
  bool thinWarned_ = false;
};

void readAny(Builder& builder, const TextFile& text, Mesh& mesh,
             std::vector<std::uint32_t>* collected) {
  const Header header = HeaderReader(text).read();
  if (header.form == Form::Ascii) {
    text.refuseBinary();
    Body<AsciiValues>(builder, text, header, mesh, collected).read();
  } else {
    Body<BinaryValues>(builder, text, header, mesh, collected).read();
  }
}

}  // namespace

void readPly(Builder& builder, const std::filesystem::path& file) {
  Mesh mesh;
  readAny(builder, TextFile::readBinary(file, builder.reader("scene")), mesh, nullptr);
}

void readPlyMesh(Builder& builder, const TextFile& text, Mesh& mesh,
                 std::vector<std::uint32_t>& triangles) {
  readAny(builder, text, mesh, &triangles);
}

}  // namespace rtvp::scene
