// See shader_needs.hpp.
#include "platform/scene/shader_needs.hpp"

#include <array>
#include <cstdint>
#include <optional>

#include "models/sl/assembler.hpp"
#include "models/sl/vm.hpp"

namespace rtvp::scene {
namespace {

constexpr unsigned kSamples = 4;  ///< across u and v

std::optional<sl::Program> programOf(const SurfaceShader& surface) {
  const std::vector<std::uint8_t>& bytes = *surface.program;
  try {
    if (surface.file.extension() == ".slc") return sl::readSlc(bytes);
    return sl::assemble(surface.file.string(), std::string(bytes.begin(), bytes.end())).program;
  } catch (const sl::LoadError&) {
    return std::nullopt;
  }
}

sl::Vec3 single(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

constexpr sl::Vec3 kWhite{1, 1, 1}, kBlack{};

/// White wherever a ray goes; textures that are set are white.
class White final : public sl::Environment {
 public:
  explicit White(const SurfaceShader& surface) : surface_(surface) {}
  sl::Vec3 trace(std::size_t, const sl::Vec3&, const sl::Vec3&) override { return kWhite; }
  sl::Vec3 lookup(std::size_t, unsigned slot, float, float) override {
    return surface_.textures[slot] == kNoIndex ? kBlack : kWhite;
  }

 private:
  const SurfaceShader& surface_;
};

/// A point that faces light and viewer.
sl::Registers pointAt(const SurfaceShader& surface, float u, float v) {
  using namespace sl::reg;
  sl::Registers r = sl::Registers::sceneDefaults();
  r.vector(C0) = single(surface.c0);
  r.vector(C1) = single(surface.c1);
  r.vector(N) = r.vector(V) = r.vector(L) = {0, 0, 1};
  r.vector(ds) = r.vector(du) = {1, 0, 0};
  r.vector(dt) = r.vector(dv) = {0, 1, 0};
  r.vector(uv) = {u, v, 0};
  r.vector(xy) = r.vector(Pw) = {3 * u, 3 * v, 1};
  r.vector(dE) = kWhite;
  for (unsigned n = 0; n < kTextureSlots; ++n)
    r.vector(t0 + n) = surface.textures[n] == kNoIndex ? kBlack : kWhite;
  for (unsigned n = 0; n < 4; ++n) {
    r.vector(r0 + n) = single(surface.r[n]);
    r.scalar(s0 + n) = static_cast<float>(surface.s[n]);
  }
  r.scalar(Kd) = static_cast<float>(surface.kd);
  r.scalar(Ks) = static_cast<float>(surface.ks);
  r.scalar(S) = static_cast<float>(8 / surface.roughness);
  r.scalar(Kr) = static_cast<float>(surface.kr);
  r.scalar(Kt) = static_cast<float>(surface.kt);
  r.scalar(Ka) = static_cast<float>(surface.ka);
  r.scalar(I) = static_cast<float>(1 / surface.index);
  return r;
}

bool blackEverywhere(const sl::Program& program, const SurfaceShader& surface) {
  White world(surface);
  sl::Vm vm(program);
  for (unsigned n = 0; n < kSamples * kSamples; ++n) {
    const auto at = [](unsigned k) { return (static_cast<float>(k) + 0.37F) / kSamples; };
    vm.start(pointAt(surface, at(n % kSamples), at(n / kSamples)), 1);
    if (vm.run(world) != sl::Stop::Done) return false;
    const sl::Vec3& colour = vm.colour();
    if (colour.x > 0 || colour.y > 0 || colour.z > 0) return false;
  }
  return true;
}

struct Token {
  std::string_view name;
  sl::reg::Id id;
  double SurfaceShader::*value;
};
constexpr std::array<Token, 3> kZeroTokens{{{"Kr", sl::reg::Kr, &SurfaceShader::kr},
                                            {"Kt", sl::reg::Kt, &SurfaceShader::kt},
                                            {"Ka", sl::reg::Ka, &SurfaceShader::ka}}};

}  // namespace

std::vector<std::string> missingOf(const SurfaceShader& surface,
                                   const std::set<std::string>& given) {
  const std::optional<sl::Program> program = programOf(surface);
  if (!program) return {};
  std::vector<std::string> out;
  for (unsigned n = 0; n < kTextureSlots; ++n) {
    if ((program->textureMask() >> n & 1U) == 0 || surface.textures[n] != kNoIndex) continue;
    out.push_back("the shader '" + surface.name + "' reads texture slot t" + std::to_string(n) +
                  ", which is not set: it reads as black");
  }
  if (!blackEverywhere(*program, surface)) return out;
  std::string unset;
  for (const Token& token : kZeroTokens) {
    const bool read = (program->reads() >> token.id & 1U) != 0;
    if (!read || surface.*token.value != 0 || given.contains(std::string(token.name))) continue;
    unset += (unset.empty() ? "" : ", ") + std::string(token.name);
  }
  if (!unset.empty())
    out.push_back("the surface is black in any light: the shader '" + surface.name + "' needs " +
                  unset + ", which the statement does not set");
  return out;
}

}  // namespace rtvp::scene
