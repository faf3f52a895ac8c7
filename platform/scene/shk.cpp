// Implementation of the `.shk` parser, see shk.hpp.
#include "platform/scene/shk.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "platform/scene/obj.hpp"
#include "platform/scene/shk_implicit.hpp"
#include "platform/scene/shk_shading.hpp"
#include "platform/scene/text.hpp"

namespace rtvp::scene {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kStrictLine = 499;
constexpr std::size_t kMaxDepth = 16;
constexpr int kMaxFiles = 1000;
constexpr std::size_t kMaxOpenGroups = 64;
constexpr std::string_view kDirectives = "w, h, b, e, lo, u, li, m, t, n or #";

// `g` boxes whose primitives have not all been seen (board.md 5.2).
class Groups {
 public:
  void open(const Scene& scene, Words& words) {
    const Where where = words.where();
    Group group;
    group.prefix = where.prefix();
    group.line = where.place.line;
    const Vec3 lo = words.vector("the smallest corner of a group's box");
    for (int axis = 0; axis < 3; ++axis) {
      const Place place = words.place();
      const double hi = words.number("the largest corner of a group's box");
      if (hi < lo[axis])
        where.file->fail(place, "a box with its largest corner below its smallest", "the opposite");
      group.box.lo[axis] = lo[axis];
      group.box.hi[axis] = hi;
    }
    // Corners are written with as few as six digits.
    const double slack = 1e-5 * group.box.diagonal();
    group.box.lo += Vec3{-slack, -slack, -slack};
    group.box.hi += Vec3{slack, slack, slack};
    const int count = words.integer("the number of primitives in a group", 1, kMaxElements);
    group.end = scene.primitiveCount + static_cast<std::uint32_t>(count);
    if (open_.size() >= kMaxOpenGroups) {
      where.fail("one group more",
                 "at most " + std::to_string(kMaxOpenGroups) + " within each other");
    }
    open_.push_back(group);
  }

  // Looks at the elements that appeared since the last call.
  void check(const Scene& scene, const Where& where) {
    for (; !open_.empty() && checked_ < scene.elements.size(); ++checked_) {
      const Element& e = scene.elements[checked_];
      const Bounds box = scene.bounds(e);
      for (const Group& g : open_) {
        if (e.primitive < g.end && !inside(box, g.box)) {
          where.fail("primitive " + std::to_string(e.primitive) + " outside its group's box",
                     "it inside the box of line " + std::to_string(g.line));
        }
      }
    }
    checked_ = scene.elements.size();
    std::erase_if(open_, [&](const Group& g) { return g.end <= scene.primitiveCount; });
  }

  void finish(const Scene& scene) const {
    if (open_.empty()) return;
    const Group& g = open_.front();
    throw SceneError(g.prefix + "found the end of the file, expected " +
                     std::to_string(g.end - scene.primitiveCount) +
                     " more primitives in this group");
  }

 private:
  struct Group {
    Bounds box;
    std::uint32_t end = 0;  // number after its last primitive
    std::uint32_t line = 0;
    std::string prefix;
  };

  static bool inside(const Bounds& a, const Bounds& b) {
    for (int axis = 0; axis < 3; ++axis) {
      if (a.lo[axis] < b.lo[axis] || a.hi[axis] > b.hi[axis]) return false;
    }
    return true;
  }

  std::vector<Group> open_;
  std::size_t checked_ = 0;
};

class Parser {
 public:
  Parser(Builder& builder, bool strict)
      : builder_(builder),
        scene_(builder.scene()),
        shading_(builder),
        implicit_(builder),
        strict_(strict) {}

  void read(const fs::path& file);

 private:
  using Handler = void (Parser::*)(Words&);
  struct Keyword {
    std::string_view word;
    Handler handler;
  };
  static const std::array<Keyword, 15> kKeywords;

  void line(std::string_view text, const TextFile& file, std::uint32_t number);
  void directive(char first, char second, Words& words, const Where& where);
  [[noreturn]] void unknown(std::string_view text, const Where& where) const;

  void size(int& side, std::string_view what, Words& words);
  void material(Words& words);
  void light(Words& words, const Where& where);
  void triangle(Words& words, const Where& where);
  void normalTriangle(Words& words, const Where& where);

  void sphere(Words& words);
  void group(Words& words);
  void obj(Words& words);
  void include(Words& words);
  void implicit(Words& words);
  void surface(Words& words) { shading_.surface(words, folder()); }
  void texture(Words& words) { shading_.texture(words, folder()); }
  void bump(Words& words) { shading_.bump(words, folder()); }
  void cubeMap(Words& words) { shading_.cubeMap(words, folder()); }
  void paint(Words& words) { shading_.paint(words); }
  void textureCorners(Words& words) { shading_.textureCorners(words); }
  void object(Words& words) { shading_.object(words); }

  [[nodiscard]] fs::path folder() const { return open_.back().file.parent_path(); }
  fs::path fileName(Words& words);
  [[nodiscard]] fs::path existing(std::string_view name, const Where& where) const;

  Builder& builder_;
  Scene& scene_;
  ShkShading shading_;
  ShkImplicit implicit_;
  bool strict_;
  int filesRead_ = 0;
  struct Open {
    fs::path file;       // as named, for messages
    fs::path canonical;  // to recognise it
  };
  std::vector<Open> open_;  // from the outermost file to the one being read
  Where record_;
  Groups groups_;
};

const std::array<Parser::Keyword, 15> Parser::kKeywords{{
    {"s", &Parser::sphere},
    {"sphere", &Parser::sphere},
    {"g", &Parser::group},
    {"group", &Parser::group},
    {"obj", &Parser::obj},
    {"include", &Parser::include},
    {"implicit", &Parser::implicit},
    {"surface", &Parser::surface},
    {"surf", &Parser::surface},
    {"texture", &Parser::texture},
    {"bump", &Parser::bump},
    {"cubemap", &Parser::cubeMap},
    {"paint", &Parser::paint},
    {"st", &Parser::textureCorners},
    {"object", &Parser::object},
}};

void Parser::read(const fs::path& file) {
  const TextFile text = TextFile::read(file, builder_.reader(open_.empty() ? "scene" : "include"));
  ++filesRead_;
  std::error_code error;
  open_.push_back({file, fs::canonical(file, error)});
  forEachLine(text, [&](std::string_view content, std::uint32_t number) {
    line(strict_ ? content.substr(0, kStrictLine) : content, text, number);
  });
  open_.pop_back();
  if (open_.empty()) groups_.finish(scene_);
}

void Parser::line(std::string_view text, const TextFile& file, std::uint32_t number) {
  if (text.empty() || text[0] == '#') return;
  const Where where{&file, {number, 1}};
  record_ = where;
  if (isBlank(text[0])) {
    where.fail(text[0] == '\r' ? "a carriage return" : "a blank",
               "a directive in the first column: " + std::string(kDirectives));
  }
  Words words(file, text, where.place, !strict_);
  const std::string first = lowered(words.word("a directive"));
  const Keyword* keyword = nullptr;
  if (!strict_) {
    const auto* const found = std::find_if(kKeywords.begin(), kKeywords.end(),
                                           [&](const Keyword& k) { return k.word == first; });
    if (found != kKeywords.end()) keyword = found;
  }
  if (keyword != nullptr) {
    (this->*keyword->handler)(words);
    words.expectEnd();
  } else {
    directive(first[0], first.size() > 1 ? first[1] : ' ', words, where);
  }
  groups_.check(scene_, where);
}

void Parser::directive(char first, char second, Words& words, const Where& where) {
  switch (first) {
    case 'w':
      return size(scene_.width, "the picture's width", words);
    case 'h':
      return size(scene_.height, "the picture's height", words);
    case 'b':
      scene_.background = words.vector("a background colour of three numbers");
      return;
    case 'e':
      scene_.camera.eye = words.vector("an eye point of three numbers");
      return;
    case 'u':
      scene_.camera.up = words.vector("an up vector of three numbers");
      return;
    case 'l':
      if (second == 'o') {
        scene_.camera.lookAt = words.vector("a look-at point of three numbers");
      } else if (second == 'i') {
        light(words, where);
      } else if (!strict_) {
        builder_.warn(where,
                      "ignored, as the 1996 program does: neither lo (look at) nor li (light)");
      }
      return;
    case 'm':
      return material(words);
    case 't':
      return triangle(words, where);
    case 'n':
      return normalTriangle(words, where);
    default:
      unknown(first == '\0' ? std::string_view{} : std::string_view(&first, 1), where);
  }
}

void Parser::unknown(std::string_view text, const Where& where) const {
  std::string expected(kDirectives);
  expected += strict_ ? " (strict mode knows no extensions)"
                      : ", or an extension: sphere, group, obj, "
                        "include, implicit, texture, bump, "
                        "cubemap, surface, paint, st, "
                        "object";
  where.fail(inQuotes(text), expected);
}

void Parser::size(int& side, std::string_view what, Words& words) {
  const Place place = words.place();
  side = words.integer(what, 1, kMaxPictureSide);
  if (std::int64_t{scene_.width} * scene_.height > kMaxPicturePixels) {
    record_.file->fail(
        place,
        "a picture of " + std::to_string(scene_.width) + " x " + std::to_string(scene_.height),
        "at most " + std::to_string(kMaxPicturePixels) + " pixels");
  }
}

void Parser::material(Words& words) {
  constexpr std::string_view kFields =
      "ten numbers of a material: r g b kdiff kspec kamb ns ktrans reflect refindex";
  Material m;
  m.color = words.vector(kFields);
  m.kdiff = words.number(kFields);
  m.kspec = words.number(kFields);
  m.kamb = words.number(kFields);
  const Place exponent = words.place();
  m.ns = words.number(kFields);
  if (m.ns < 0) record_.file->fail(exponent, "a negative Phong exponent", "zero or more");
  m.ktrans = words.number(kFields);
  m.reflect = words.number(kFields);
  const Place index = words.place();
  m.refindex = words.number(kFields);
  if (m.refindex <= 0) {
    if (m.ktrans != 0)
      record_.file->fail(index, "an index of refraction that is not positive", "more than zero");
    m.refindex = 1;  // never used, and safe to divide by
  }
  builder_.setMaterial(m);
}

void Parser::light(Words& words, const Where& where) {
  Light l;
  l.position = words.vector("six numbers of a light: x y z r g b");
  l.color = words.vector("six numbers of a light: x y z r g b");
  builder_.addLight(l, where);
}

void Parser::triangle(Words& words, const Where& where) {
  Corners v;
  for (Vec3& corner : v) corner = words.vector("nine numbers of a triangle: v1 v2 v3");
  builder_.addTriangle(v, where);
}

void Parser::normalTriangle(Words& words, const Where& where) {
  Corners v;
  Corners n;
  for (Vec3& corner : v) corner = words.vector("18 numbers of a triangle: v1 v2 v3 n1 n2 n3");
  for (Vec3& normal : n) normal = words.vector("18 numbers of a triangle: v1 v2 v3 n1 n2 n3");
  builder_.addTriangle(v, n, where);
}

void Parser::sphere(Words& words) {
  const Vec3 center = words.vector("a sphere's centre and radius");
  const Place place = words.place();
  const double radius = words.number("a sphere's radius");
  if (radius < 0) record_.file->fail(place, "a negative radius", "zero or more");
  builder_.addSphere(center, radius, record_);
}

void Parser::group(Words& words) {
  groups_.open(scene_, words);
}

fs::path Parser::fileName(Words& words) {
  if (words.atEnd()) words.fail("a file name");
  const Where where = words.where();
  std::string_view name;
  if (words.peek()[0] == '"') {
    name = words.rest();
    if (name.size() < 3 || name.find('"', 1) != name.size() - 1)
      where.fail(inQuotes(name), "a file name between quotes");
    name = name.substr(1, name.size() - 2);
  } else {
    name = words.word("a file name");
  }
  return existing(name, where);
}

fs::path Parser::existing(std::string_view name, const Where& where) const {
  fs::path file = folder() / fs::path(std::string(name));
  std::error_code error;
  if (!fs::exists(file, error))
    where.fail(inQuotes(file.string(), std::string_view::npos), "a file that exists");
  return file;
}

void Parser::obj(Words& words) {
  const Where where = words.where();
  const fs::path file = fileName(words);
  if (++filesRead_ > kMaxFiles) where.fail("one file more", "at most " + std::to_string(kMaxFiles));
  readObj(builder_, file, &where);
}

void Parser::include(Words& words) {
  const Where where = words.where();
  const fs::path file = fileName(words);
  words.expectEnd();
  if (open_.size() >= kMaxDepth) {
    where.fail("an include within " + std::to_string(open_.size()) + " files",
               "at most " + std::to_string(kMaxDepth));
  }
  if (filesRead_ >= kMaxFiles) where.fail("one file more", "at most " + std::to_string(kMaxFiles));
  std::error_code error;
  const fs::path same = fs::canonical(file, error);
  if (std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.canonical == same; })) {
    where.fail("a file that includes itself", "another file");
  }
  const Where record = record_;
  read(file);
  record_ = record;
}

void Parser::implicit(Words& words) {
  if (words.atEnd()) words.fail("a file name");
  const Where where = words.where();
  if (++filesRead_ > kMaxFiles) where.fail("one file more", "at most " + std::to_string(kMaxFiles));
  if (words.peek()[0] != '"') {
    const fs::path file = existing(words.word("a file name"), where);
    return implicit_.implicit(words, file, record_);
  }
  const std::string_view rest = words.rest();
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos || end < 2) {
    where.fail(inQuotes(rest), "a file name between quotes");
  }
  const Place behind{where.place.line, where.place.column + static_cast<std::uint32_t>(end) + 1};
  Words keywords(*where.file, rest.substr(end + 1), behind, true);
  implicit_.implicit(keywords, existing(rest.substr(1, end - 1), where), record_);
}

}  // namespace

void readShk(Builder& builder, const fs::path& file, bool strict) {
  Parser(builder, strict).read(file);
}

}  // namespace rtvp::scene
