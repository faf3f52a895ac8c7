// Implementation of the shading statements, see shk_shading.hpp.
#include "platform/scene/shk_shading.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/scene/shader_needs.hpp"
#include "platform/scene/texture_file.hpp"

namespace rtvp::scene {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNone = "none";
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxSurfaces = 10'000;
constexpr double kDefaultBumpHeight = 8;
constexpr double kMaxScale = 1e6;
constexpr std::string_view kTokenNames =
    "a token: t0..t7, r0..r3, s0..s3, C0, C1, Kd, Ks, roughness, Kr, Kt, Ka or index";

// Tokens whose value is one number.
struct NumberToken {
  std::string_view name;
  double SurfaceShader::*member;
  bool positive;
};
constexpr std::array<NumberToken, 7> kNumberTokens{{
    {"Kd", &SurfaceShader::kd, false},
    {"Ks", &SurfaceShader::ks, false},
    {"roughness", &SurfaceShader::roughness, true},
    {"Kr", &SurfaceShader::kr, false},
    {"Kt", &SurfaceShader::kt, false},
    {"Ka", &SurfaceShader::ka, false},
    {"index", &SurfaceShader::index, true},
}};

// "x0".."x<count-1>" for the letter x: the digit; otherwise -1.
int numbered(std::string_view name, char letter, int count) {
  if (name.size() != 2 || name[0] != letter) return -1;
  const int digit = name[1] - '0';
  return digit >= 0 && digit < count ? digit : -1;
}

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

}  // namespace

// The rest of a line as quoted or bare words, with `[` and `]` as words of their own wherever they
// stand outside quotes. A '#' at the start of a word hides what follows.
class ShkShading::Tokens {
 public:
  explicit Tokens(Words& words) : where_(words.where()), text_(words.rest()) { skip(); }

  [[nodiscard]] bool atEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] Where where() const {
    return {where_.file,
            {where_.place.line, where_.place.column + static_cast<std::uint32_t>(at_)}};
  }
  [[noreturn]] void fail(std::string_view expected) const {
    where().fail(atEnd() ? "the end of the line" : inQuotes(text_.substr(at_, length())), expected);
  }
  void expectEnd() const {
    if (!atEnd()) fail("the end of the line");
  }

  // A quoted or bare word, without quotes.
  std::string_view word(std::string_view expected) {
    if (atEnd() || text_[at_] == '[' || text_[at_] == ']') fail(expected);
    std::string_view word = text_.substr(at_, length());
    if (word[0] == '"') {
      if (word.size() < 3 || word.back() != '"') fail(std::string(expected) + " between quotes");
      take();
      return word.substr(1, word.size() - 2);
    }
    take();
    return word;
  }

  // The name of a texture or shader.
  std::string name(std::string_view expected) {
    const Tokens before = *this;
    const std::string_view text = word(expected);
    if (text.size() > kMaxName || !std::all_of(text.begin(), text.end(), isNameCharacter)) {
      before.fail(std::string(expected) + " of at most 64 letters, digits, _, - and .");
    }
    return std::string(text);
  }

  [[nodiscard]] bool bracketFollows(char bracket) const {
    return !atEnd() && text_[at_] == bracket;
  }
  void bracket(char bracket, std::string_view expected) {
    if (!bracketFollows(bracket)) fail(expected);
    take();
  }
  double number(std::string_view expected) {
    if (atEnd() || text_[at_] == '[' || text_[at_] == ']') fail(expected);
    Words one(*where_.file, text_.substr(at_, length()), where().place, false);
    const double value = one.number(expected);
    take();
    return value;
  }
  // A number, in brackets or not.
  double scalar(std::string_view expected) {
    const bool open = bracketFollows('[');
    if (open) take();
    const double value = number(expected);
    if (open) bracket(']', "]");
    return value;
  }
  Vec3 vector(std::string_view expected) {
    bracket('[', expected);
    Vec3 value;
    for (int axis = 0; axis < 3; ++axis) value[axis] = number(expected);
    bracket(']', expected);
    return value;
  }

 private:
  [[nodiscard]] std::size_t length() const {
    const char first = text_[at_];
    if (first == '[' || first == ']') return 1;
    if (first == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      return (end == std::string_view::npos ? text_.size() : end + 1) - at_;
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && !isBlank(text_[end]) && text_[end] != '[' && text_[end] != ']') {
      ++end;
    }
    return end - at_;
  }
  void take() {
    at_ += length();
    skip();
  }
  void skip() {
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '#') text_ = text_.substr(0, at_);
  }

  Where where_;  // of text_'s first character
  std::string_view text_;
  std::size_t at_ = 0;
};

void ShkShading::define(Tokens& tokens, Texture::Kind kind, const fs::path& folder) {
  const Where nameAt = tokens.where();
  const std::string name = tokens.name("a name for the texture");
  if (name == kNone || names_.contains(name)) {
    nameAt.fail(inQuotes(name), name == kNone ? "another name: this one means no texture"
                                              : "a name that no other texture has");
  }
  const Where fileAt = tokens.where();
  std::vector<fs::path> files;
  for (int k = 0; k < (kind == Texture::Kind::Cube ? 6 : 1); ++k) {
    const Where where = tokens.where();
    files.push_back(folder / fs::path(std::string(tokens.word("the name of a PNG file"))));
    std::error_code ignored;
    if (!fs::exists(files.back(), ignored)) {
      where.fail(inQuotes(files.back().string(), std::string_view::npos), "a file that exists");
    }
  }
  double height = 0;
  if (kind == Texture::Kind::Bump) {
    height = tokens.atEnd() ? kDefaultBumpHeight : tokens.number("a height in texels");
  }
  tokens.expectEnd();
  names_[name] = loadTexture(builder_, kind, name, files, height, fileAt);
}

void ShkShading::texture(Words& words, const fs::path& folder) {
  Tokens tokens(words);
  define(tokens, Texture::Kind::Color, folder);
}

void ShkShading::bump(Words& words, const fs::path& folder) {
  Tokens tokens(words);
  define(tokens, Texture::Kind::Bump, folder);
}

void ShkShading::cubeMap(Words& words, const fs::path& folder) {
  Tokens tokens(words);
  define(tokens, Texture::Kind::Cube, folder);
}

fs::path ShkShading::shaderFile(const std::string& name, const fs::path& folder,
                                const Where& where) const {
  std::vector<fs::path> folders{folder, folder / "shaders"};
  const std::vector<fs::path>& more = builder_.options().shaderFolders;
  folders.insert(folders.end(), more.begin(), more.end());
  for (const fs::path& each : folders) {
    for (const char* const extension : {".slc", ".sl"}) {
      fs::path file = each / (name + extension);
      std::error_code ignored;
      if (fs::is_regular_file(file, ignored)) return file;
    }
  }
  std::string places;
  for (const fs::path& each : folders) {
    places += (places.empty() ? "" : ", ") + (each.empty() ? std::string(".") : each.string());
  }
  where.fail(inQuotes(name), "a shader: " + name + ".slc or " + name + ".sl in " + places);
}

std::shared_ptr<const std::vector<std::uint8_t>> ShkShading::shaderProgram(
    const SurfaceShader& shader) {
  constexpr std::uint64_t kLargest = std::uint64_t{4} << 20U;
  auto& program = programs_[shader.file];
  if (program) return program;
  try {
    program = std::make_shared<const std::vector<std::uint8_t>>(
        builder_.reader("shader").read(shader.file, kLargest));
  } catch (const std::system_error& e) {
    throw SceneError(shader.where + "found the shader '" + shader.name +
                     "', expected one that can run\n" + e.what());
  }
  return program;
}

std::uint32_t ShkShading::textureNamed(Tokens& tokens, bool needsColours) {
  const Where where = tokens.where();
  const std::string name = tokens.name("the name of a texture");
  const auto found = names_.find(name);
  if (found == names_.end()) {
    where.fail(inQuotes(name), "the name of an earlier texture, bump or cubemap statement");
  }
  if (needsColours && builder_.scene().textures[found->second].kind == Texture::Kind::Bump) {
    where.fail(inQuotes(name) + ", a bump map", "a texture that has colours");
  }
  return found->second;
}

void ShkShading::token(Tokens& tokens, SurfaceShader& shader, std::map<std::string, int>& seen) {
  const Tokens before = tokens;
  const std::string name(tokens.word(kTokenNames));
  if (++seen[name] > 1) before.fail("each token once");
  if (const int slot = numbered(name, 't', kTextureSlots); slot >= 0) {
    shader.textures[static_cast<std::size_t>(slot)] = textureNamed(tokens, false);
  } else if (const int vector = numbered(name, 'r', 4); vector >= 0) {
    shader.r[static_cast<std::size_t>(vector)] = tokens.vector("three numbers in brackets");
  } else if (const int scalar = numbered(name, 's', 4); scalar >= 0) {
    shader.s[static_cast<std::size_t>(scalar)] = tokens.scalar("a number");
  } else if (name == "C0") {
    shader.c0 = tokens.vector("a colour of three numbers in brackets");
  } else if (name == "C1") {
    shader.c1 = tokens.vector("a colour of three numbers in brackets");
  } else {
    const auto* const known = std::find_if(kNumberTokens.begin(), kNumberTokens.end(),
                                           [&](const NumberToken& t) { return t.name == name; });
    if (known == kNumberTokens.end()) before.fail(kTokenNames);
    const Tokens value = tokens;
    shader.*known->member = tokens.scalar("a number");
    if (known->positive && !(shader.*known->member > 0)) value.fail("a number above zero");
  }
}

/// Tokens that the shader's source has defaults for; the statement's come after and win.
std::set<std::string> ShkShading::defaults(SurfaceShader& shader) {
  if (shader.file.extension() == ".slc") return {};
  const TextFile source(shader.file.string(),
                        std::string(shader.program->begin(), shader.program->end()));
  std::map<std::string, int> seen;
  forEachLine(source, [&](std::string_view line, std::uint32_t number) {
    if (!line.starts_with(kDefaultsMark)) return;
    Words words(source, line.substr(kDefaultsMark.size()),
                {number, static_cast<std::uint32_t>(kDefaultsMark.size()) + 1}, false);
    Tokens tokens(words);
    while (!tokens.atEnd()) token(tokens, shader, seen);
  });
  std::set<std::string> names;
  for (const auto& [name, times] : seen) names.insert(name);
  return names;
}

void ShkShading::surface(Words& words, const fs::path& folder) {
  Tokens tokens(words);
  const Where where = tokens.where();
  const std::string name = tokens.name("the name of a shader, or none");
  Material material = builder_.material();
  if (name == kNone) {
    tokens.expectEnd();
    material.surface = kNoIndex;
    builder_.setMaterial(material);
    return;
  }
  if (builder_.scene().surfaces.size() >= kMaxSurfaces) {
    where.fail("one surface more", "at most " + std::to_string(kMaxSurfaces));
  }
  SurfaceShader shader;
  shader.name = name;
  shader.file = shaderFile(name, folder, where);
  shader.where = where.prefix();
  shader.program = shaderProgram(shader);
  shader.c0 = material.color;
  std::set<std::string> given = defaults(shader);
  std::map<std::string, int> seen;
  while (!tokens.atEnd()) token(tokens, shader, seen);
  for (const auto& [token_name, times] : seen) given.insert(token_name);
  for (const std::string& text : missingOf(shader, given)) builder_.warn(where, text);
  material.surface = builder_.addSurface(std::move(shader));
  builder_.setMaterial(material);
}

void ShkShading::paint(Words& words) {
  Tokens tokens(words);
  Material material = builder_.material();
  if (const Tokens before = tokens; tokens.name("the name of a texture, or none") == kNone) {
    material.texture = kNoIndex;
  } else {
    tokens = before;
    material.texture = textureNamed(tokens, true);
  }
  tokens.expectEnd();
  builder_.setMaterial(material);
}

void ShkShading::textureCorners(Words& words) {
  TextureCorners corners;
  constexpr std::string_view kFields = "six texture coordinates: u1 v1 u2 v2 u3 v3";
  for (TexturePoint& corner : corners) {
    corner.u = static_cast<float>(words.number(kFields));
    corner.v = static_cast<float>(words.number(kFields));
  }
  builder_.setTextureCorners(corners);
}

void ShkShading::object(Words& words) {
  const Where where = words.where();
  Space space;
  if (words.peek() == kNone) {
    words.word(kNone);
    builder_.setSpace(space, where);
    return;
  }
  space.origin = words.vector("the origin of an object space, three numbers, or none");
  if (!words.atEnd()) {
    const Where scaleAt = words.where();
    space.scale = words.number("a scale");
    if (!(space.scale >= 1 / kMaxScale && space.scale <= kMaxScale)) {
      scaleAt.fail("a scale out of range", "1e-6 to 1e6");
    }
  }
  constexpr double kDegree = std::numbers::pi / 180;
  const double turn = words.atEnd() ? 0 : words.number("a turn in degrees") * kDegree;
  const double tilt = words.atEnd() ? 0 : words.number("a tilt in degrees") * kDegree;
  // Multiples of a right angle shall be exact: a box then stays a box.
  const auto exact = [](double x) { return std::abs(x) < 1e-15 ? 0.0 : x; };
  const double c = exact(std::cos(turn));
  const double s = exact(std::sin(turn));
  const double ct = exact(std::cos(tilt));
  const double st = exact(std::sin(tilt));
  space.axes = {{{c, 0, -s}, {s * st, ct, c * st}, {s * ct, -st, c * ct}}};
  builder_.setSpace(space, where);
}

}  // namespace rtvp::scene
