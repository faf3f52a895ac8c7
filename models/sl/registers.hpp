// THE register table of the SL machine (sl.md section 1): assembler, loader, machine, manual and
// tests read these rows.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace rtvp::sl {

/// Three binary32 lanes: what a vector register holds.
struct Vec3 {
  float x = 0;
  float y = 0;
  float z = 0;

  float& operator[](unsigned lane) { return lane == 0 ? x : lane == 1 ? y : z; }
  float operator[](unsigned lane) const { return lane == 0 ? x : lane == 1 ? y : z; }
  bool operator==(const Vec3&) const = default;
};

inline bool isFinite(const Vec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Register numbers as instructions hold them; bit 5 tells scalars from vectors.
namespace reg {
enum Id : std::uint8_t {
  C0 = 0,
  C1,
  L,
  V,
  Pw,
  xy,
  ds,
  dt,
  du,
  dv,
  uv,
  N,
  dE,
  t0,
  t1,
  t2,
  t3,
  t4,
  t5,
  t6,
  t7,
  r0,
  r1,
  r2,
  r3,
  v0,
  s0 = 32,
  s1,
  s2,
  s3,
  v1,
  Kd,
  Ks,
  S,
  Kr,
  Kt,
  Ka,
  I,
};
}  // namespace reg

inline constexpr unsigned kVectors = 26;
inline constexpr unsigned kScalars = 12;
inline constexpr unsigned kFirstScalar = 32;
inline constexpr unsigned kTextureSlots = 8;

constexpr bool isVector(unsigned id) {
  return id < kVectors;
}
constexpr bool isScalar(unsigned id) {
  return id >= kFirstScalar && id < kFirstScalar + kScalars;
}
/// Textures are named by the registers t0 to t7.
constexpr bool isTextureSlot(unsigned id) {
  return id >= reg::t0 && id <= reg::t7;
}

struct RegisterInfo {
  reg::Id id;
  std::string_view name;
  bool writable;
  float initial;  ///< every lane at the start of a run, unless the scene gives a value
  std::string_view meaning;
};

inline constexpr auto kRegisters = std::to_array<RegisterInfo>({
    {reg::C0, "C0", false, 0, "surface colour"},
    {reg::C1, "C1", false, 0, "specular (secondary) colour"},
    {reg::L, "L", false, 0, "unit direction to the light, object space"},
    {reg::V, "V", false, 0, "unit direction to the viewer, object space"},
    {reg::Pw, "Pw", false, 0, "hit point, world space"},
    {reg::xy, "xy", false, 0, "hit point, object space; three lanes in spite of its name"},
    {reg::ds, "ds", false, 0, "object-space derivative by texture coordinate s; 0 if none"},
    {reg::dt, "dt", false, 0, "object-space derivative by texture coordinate t; 0 if none"},
    {reg::du, "du", false, 0, "object-space derivative by surface parameter u; 0 if none"},
    {reg::dv, "dv", false, 0, "object-space derivative by surface parameter v; 0 if none"},
    {reg::uv, "uv", false, 0, "surface parameters (u, v, 0)"},
    {reg::N, "N", false, 0, "unit normal, object space"},
    {reg::dE, "dE", false, 0, "intensity of this light; 0 if shadowed"},
    {reg::t0, "t0", false, 0, "texture slot 0 at (s,t); a bump slot: the perturbed normal"},
    {reg::t1, "t1", false, 0, "texture slot 1, as t0"},
    {reg::t2, "t2", false, 0, "texture slot 2, as t0"},
    {reg::t3, "t3", false, 0, "texture slot 3, as t0"},
    {reg::t4, "t4", false, 0, "texture slot 4, as t0"},
    {reg::t5, "t5", false, 0, "texture slot 5, as t0"},
    {reg::t6, "t6", false, 0, "texture slot 6, as t0"},
    {reg::t7, "t7", false, 0, "texture slot 7, as t0"},
    {reg::r0, "r0", true, 0, "general purpose; the scene's r0 or 0"},
    {reg::r1, "r1", true, 0, "general purpose; the scene's r1 or 0"},
    {reg::r2, "r2", true, 0, "general purpose; the scene's r2 or 0"},
    {reg::r3, "r3", true, 0, "general purpose; the scene's r3 or 0"},
    {reg::v0, "v0", true, 0, "the colour returned"},
    {reg::s0, "s0", true, 0, "general purpose; the scene's s0 or 0"},
    {reg::s1, "s1", true, 0, "general purpose; the scene's s1 or 0"},
    {reg::s2, "s2", true, 0, "general purpose; the scene's s2 or 0"},
    {reg::s3, "s3", true, 0, "general purpose; the scene's s3 or 0"},
    {reg::v1, "v1", true, 0, "scalar returned"},
    {reg::Kd, "Kd", false, 0.5F, "diffuse reflectance"},
    {reg::Ks, "Ks", false, 0.5F, "specular reflectance"},
    {reg::S, "S", false, 80, "specular exponent, 8 / roughness"},
    {reg::Kr, "Kr", false, 0, "reflection"},
    {reg::Kt, "Kt", false, 0, "transmission"},
    {reg::Ka, "Ka", false, 0, "ambient reflectance"},
    {reg::I, "I", false, 0, "old index of refraction / new index; the integrator sets it"},
});

/// The row of a register number; null if there is no such register.
constexpr const RegisterInfo* findRegister(unsigned id) {
  if (isVector(id)) return &kRegisters[id];
  if (isScalar(id)) return &kRegisters[kVectors + id - kFirstScalar];
  return nullptr;
}
constexpr const RegisterInfo* findRegister(std::string_view name) {
  for (const RegisterInfo& r : kRegisters) {
    if (r.name == name) return &r;
  }
  return nullptr;
}
constexpr bool registerTableMatches() {
  for (const RegisterInfo& r : kRegisters) {
    if (findRegister(r.id) != &r || findRegister(r.name) != &r) return false;
  }
  return kRegisters.size() == kVectors + kScalars;
}
static_assert(registerTableMatches());

/// The values of all registers at one moment.
struct Registers {
  std::array<Vec3, kVectors> vectors{};
  std::array<float, kScalars> scalars{};

  [[nodiscard]] Vec3& vector(unsigned id) { return vectors[id]; }
  [[nodiscard]] const Vec3& vector(unsigned id) const { return vectors[id]; }
  [[nodiscard]] float& scalar(unsigned id) { return scalars[id - kFirstScalar]; }
  [[nodiscard]] float scalar(unsigned id) const { return scalars[id - kFirstScalar]; }

  /// What a run starts from where the scene says nothing (Kd 0.5, S 80, ...).
  static constexpr Registers sceneDefaults() {
    Registers r;
    for (const RegisterInfo& row : kRegisters) {
      if (isVector(row.id)) {
        r.vectors[row.id] = {row.initial, row.initial, row.initial};
      } else {
        r.scalars[row.id - kFirstScalar] = row.initial;
      }
    }
    return r;
  }
};

}  // namespace rtvp::sl
