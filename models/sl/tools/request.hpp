// One run as the tools describe it (sl_batch.md): program, inputs, and the world outside.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/sl/texture.hpp"
#include "models/sl/tools/json_document.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::sl {

/// A world of constant light and textures in memory.
class RequestWorld final : public Environment {
 public:
  Vec3 traced{};
  std::array<Texture, kTextureSlots> textures;

  Vec3 trace(std::size_t /*point*/, const Vec3& /*origin*/, const Vec3& /*direction*/) override {
    return traced;
  }
  Vec3 lookup(std::size_t /*point*/, unsigned slot, float s, float t) override {
    return textures[slot].sample(s, t);
  }
};

struct Request {
  std::optional<Program> program;  ///< always, unless the caller brings one
  Registers registers{};           ///< what is not named is 0
  std::uint32_t seed = 1;
  RequestWorld world;
};

/// Reads a request line. `own_program`: it must have one of "program" and "code", else neither.
/// Throws BadRequest, LoadError.
Request parseRequest(std::string_view line, bool own_program = true);

/// Sets the register `name`, which any but v0 and v1 may be. Throws BadRequest.
void setRegister(Registers& registers, std::string_view name, const JsonValue& value);

/// The finished run as JSON: v0, v1, the writable registers, instructions, "budget" if it ran out.
std::string answerOf(const Vm& vm);

/// Parses, runs and answers.
std::string answer(std::string_view line);

}  // namespace rtvp::sl
