// See request.hpp.
#include "models/sl/tools/request.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/sl/assembler.hpp"
#include "models/sl/number.hpp"

namespace rtvp::sl {
namespace {

using Kind = JsonValue::Kind;

constexpr std::uint32_t kMaxTextureSide = 4096;

[[noreturn]] void expected(std::string_view what, std::string_view wanted) {
  throw BadRequest(std::string(what) + ": expected " + std::string(wanted));
}

/// A whole number within bounds.
std::uint32_t wholeOf(const JsonValue& value, std::string_view what, std::uint32_t least,
                      std::uint32_t most) {
  std::uint32_t n = 0;
  const std::string_view text = value.text();
  const bool number = value.kind() == Kind::Number && value.whole();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (!number || error != std::errc() || end != text.data() + text.size() || n < least || n > most)
    expected(what, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return n;
}

Vec3 vectorOf(const JsonValue& value, std::string_view what) {
  if (value.kind() != Kind::Vector) expected(what, "an array of three numbers");
  return value.vector();
}

Program programOf(const JsonValue& value) {
  if (value.kind() != Kind::String) expected("program", "SL source as a string");
  AssemblyResult result = assemble("program", value.text());
  if (result.program) return std::move(*result.program);
  std::string report = result.report();
  if (report.ends_with('\n')) report.pop_back();
  throw BadRequest(report);
}

Program codeOf(const JsonValue& value) {
  if (value.kind() != Kind::Array) expected("code", "an array of 16-digit hexadecimal words");
  std::vector<std::uint64_t> words;
  value.elements([&words](const JsonValue& element) {
    if (element.kind() != Kind::String)
      expected("code", "words of 16 hexadecimal digits as strings");
    words.push_back(tool::parseHex(element.text(), 16, true, "code"));
  });
  try {
    return Program(words);
  } catch (const LoadError& e) {
    throw BadRequest(std::string("code: ") + e.what());
  }
}

Texture textureOf(const JsonValue& value, const std::string& name) {
  if (value.kind() != Kind::Object) expected(name, "an object with w, h and texels");
  Texture texture;
  bool texels = false;
  value.members([&](std::string_view key, const JsonValue& part) {
    if (key == "w") {
      texture.width = wholeOf(part, name + ".w", 1, kMaxTextureSide);
    } else if (key == "h") {
      texture.height = wholeOf(part, name + ".h", 1, kMaxTextureSide);
    } else if (key == "texels") {
      if (part.kind() != Kind::Array) expected(name + ".texels", "an array of [r,g,b]");
      texture.texels.clear();
      part.elements([&](const JsonValue& texel) {
        texture.texels.push_back(vectorOf(texel, name + ".texels"));
      });
      texels = true;
    } else {
      throw BadRequest(name + ": unknown field " + common::quotedAsIs(key));
    }
  });
  if (texture.width == 0 || texture.height == 0 || !texels) expected(name, "w, h and texels");
  const std::size_t wanted = std::size_t{texture.width} * texture.height;
  if (texture.texels.size() != wanted)
    throw BadRequest(name + ".texels: found " + std::to_string(texture.texels.size()) +
                     ", expected w*h = " + std::to_string(wanted));
  return texture;
}

void setTextures(RequestWorld& world, const JsonValue& value) {
  if (value.kind() != Kind::Object) expected("textures", "an object of t0 to t7");
  value.members([&world](std::string_view key, const JsonValue& texture) {
    const RegisterInfo* const r = findRegister(key);
    if (r == nullptr || !isTextureSlot(r->id))
      throw BadRequest("textures: found " + common::quotedAsIs(key) + ", expected t0 to t7");
    world.textures[r->id - static_cast<unsigned>(reg::t0)] = textureOf(texture, std::string(key));
  });
}

void append(std::string& out, float value) {
  out += std::isfinite(value) ? shortest(value) : '"' + shortest(value) + '"';
}
void append(std::string& out, const Vec3& v) {
  out += '[';
  for (unsigned lane = 0; lane < 3; ++lane) {
    if (lane > 0) out += ',';
    append(out, v[lane]);
  }
  out += ']';
}

}  // namespace

void setRegister(Registers& registers, std::string_view name, const JsonValue& value) {
  const RegisterInfo* const r = findRegister(name);
  if (r == nullptr) throw BadRequest("set: unknown register " + common::quotedAsIs(name));
  if (r->id == reg::v0 || r->id == reg::v1)
    throw BadRequest("set: " + common::quotedAsIs(name) +
                     " starts at 0, expected another register");
  const std::string what = "set." + std::string(name);
  if (isVector(r->id)) {
    registers.vector(r->id) = vectorOf(value, what);
  } else {
    registers.scalar(r->id) = numberOf(value, what);
  }
}

Request parseRequest(std::string_view line, bool own_program) {
  const JsonDocument document(line);
  if (document.root().kind() != Kind::Object) throw BadRequest("expected an object");
  Request request;
  std::vector<std::string> seen;
  document.root().members([&](std::string_view key, const JsonValue& value) {
    if (std::ranges::find(seen, key) != seen.end())
      throw BadRequest("field " + common::quotedAsIs(key) + " is given twice");
    seen.emplace_back(key);
    if (own_program && (key == "program" || key == "code")) {
      if (request.program) throw BadRequest("found both, expected one of \"program\" and \"code\"");
      request.program = key == "program" ? programOf(value) : codeOf(value);
    } else if (key == "set") {
      if (value.kind() != Kind::Object) expected("set", "an object of registers");
      value.members([&request](std::string_view name, const JsonValue& v) {
        setRegister(request.registers, name, v);
      });
    } else if (key == "seed") {
      request.seed = wholeOf(value, "seed", 1, 0xFFFFFFFFU);
    } else if (key == "trace") {
      request.world.traced = vectorOf(value, "trace");
    } else if (key == "textures") {
      setTextures(request.world, value);
    } else {
      throw BadRequest("unknown field " + common::quotedAsIs(key));
    }
  });
  if (own_program && !request.program) throw BadRequest("expected \"program\" or \"code\"");
  return request;
}

std::string answerOf(const Vm& vm) {
  const Registers& r = vm.registers();
  std::string out = "{\"v0\":";
  append(out, r.vector(reg::v0));
  out += ",\"v1\":";
  append(out, r.scalar(reg::v1));
  out += ",\"regs\":{";
  bool first = true;
  for (const RegisterInfo& row : kRegisters) {
    if (!row.writable) continue;
    out += (first ? "\"" : ",\"") + std::string(row.name) + "\":";
    first = false;
    if (isVector(row.id)) {
      append(out, r.vector(row.id));
    } else {
      append(out, r.scalar(row.id));
    }
  }
  out += "},\"ops\":" + std::to_string(vm.instructions());
  if (vm.state() == Stop::Budget) out += ",\"budget\":true";
  return out + '}';
}

std::string answer(std::string_view line) {
  Request request = parseRequest(line);
  Vm vm(*request.program);
  vm.start(request.registers, request.seed);
  vm.run(request.world);
  return answerOf(vm);
}

}  // namespace rtvp::sl
