// See memory_map.hpp.
#include "models/implicit/unit/memory_map.hpp"

#include <algorithm>
#include <bit>

#include "models/implicit/unit/registers.hpp"

namespace rtvp::implicit::unit {
namespace {

/// MODE bits of the switches.
struct Switch {
  std::uint32_t bit;
  bool render::Settings::*field;
};
constexpr std::array<Switch, 14> kSwitches{{
    {mode::kPrune, &render::Settings::prune},
    {mode::kSmooth, &render::Settings::smooth_prune},
    {mode::kEarlyDepth, &render::Settings::early_depth},
    {mode::kMaterials, &render::Settings::materials},
    {mode::kCompact, &render::Settings::compact},
    {mode::kCarry, &render::Settings::carry},
    {mode::kTrim, &render::Settings::trim},
    {mode::kSlopes, &render::Settings::slopes},
    {mode::kFrontToBack, &render::Settings::front_to_back},
    {mode::kExactExit, &render::Settings::exact_exit},
    {mode::kFrontFaces, &render::Settings::front_faces},
    {mode::kNearPatch, &render::Settings::near_patch},
    {mode::kLastStep, &render::Settings::last_step},
    {mode::kBestCandidate, &render::Settings::best_candidate},
}};

constexpr std::array<Reg, kTapeKinds> kTapeRegisters{
    "OPCODES", "FLOATS", "VEC2S", "VEC4S", "MAT2S", "MAT3S", "MAT4S", "MATERIALS", "DEPENDENCIES"};

/// A LOW, HIGH, count triple by the name of its count.
Area areaOf(const common::RegisterFile& file, Reg count) {
  const std::size_t at = count.row();
  return {file.peek(at - 2) | std::uint64_t{file.peek(at - 1)} << 32U, file.peek(at)};
}

float floatOf(const common::RegisterFile& file, Reg reg) {
  return std::bit_cast<float>(file.peek(reg.row()));
}

render::Settings settingsOf(const common::RegisterFile& file) {
  const std::uint32_t bits = file.peek(row("MODE"));
  render::Settings s;
  s.mode = (bits & mode::kField) == mode::kSeed    ? render::Mode::Seed
           : (bits & mode::kField) == mode::kBrute ? render::Mode::Brute
                                                   : render::Mode::Improved;
  for (const Switch& one : kSwitches) s.*one.field = (bits & one.bit) != 0;
  const std::uint32_t stepping = (bits & mode::kSteppingField) >> mode::kSteppingShift;
  s.stepping = stepping == mode::kPlain    ? render::Stepping::Plain
               : stepping == mode::kPlanar ? render::Stepping::Planar
                                           : render::Stepping::Relaxed;
  const std::uint32_t normals = (bits & mode::kNormalsField) >> mode::kNormalsShift;
  s.normals = normals == mode::kForward       ? render::Normals::Forward
              : normals == mode::kTetrahedron ? render::Normals::Tetrahedron
                                              : render::Normals::Derivative;
  s.eps = floatOf(file, "EPS");
  s.step_limit = std::max<std::uint32_t>(1, file.peek(row("STEP_LIMIT")));
  s.slope_steps = std::max<std::uint32_t>(1, file.peek(row("SLOPE_STEPS")));
  s.relaxation = floatOf(file, "RELAXATION");
  s.near = static_cast<double>(floatOf(file, "NEAR"));
  s.step_scale = floatOf(file, "STEP_SCALE");
  s.cone_scale = floatOf(file, "CONE_SCALE");
  return s;
}

}  // namespace

Configuration configurationOf(const common::RegisterFile& file) {
  Configuration c;
  c.map.ring = areaOf(file, "RING_ENTRIES");
  c.map.objects = areaOf(file, "OBJECTS");
  c.map.descriptions = areaOf(file, "DESCRIPTIONS");
  for (unsigned n = 0; n < kTapeKinds; ++n) c.map.tapes[n] = areaOf(file, kTapeRegisters[n]);
  c.map.programs = areaOf(file, "PROGRAMS");
  c.map.clauses = areaOf(file, "CLAUSES");
  c.map.leaves = areaOf(file, "LEAVES");
  c.map.leaf_programs = areaOf(file, "LEAF_PROGRAMS");
  c.settings = settingsOf(file);
  const std::uint32_t bits = file.peek(row("MODE"));
  if (c.settings.mode == render::Mode::Seed) c.settings.compact = false;
  c.known_stepping = (bits & mode::kSteppingField) != mode::kSteppingField;
  c.known_normals = (bits & mode::kNormalsField) != mode::kNormalsField;
  c.wide = (bits & mode::kWide) != 0;
  c.lipschitz = floatOf(file, "LIPSCHITZ");
  return c;
}

std::array<RegisterValue, 8> registersOf(const render::Settings& s, bool wide) {
  std::uint32_t bits = s.mode == render::Mode::Seed    ? mode::kSeed
                       : s.mode == render::Mode::Brute ? mode::kBrute
                                                       : mode::kImproved;
  for (const Switch& one : kSwitches) bits |= s.*one.field ? one.bit : 0U;
  bits |= (s.stepping == render::Stepping::Plain    ? mode::kPlain
           : s.stepping == render::Stepping::Planar ? mode::kPlanar
                                                    : mode::kRelaxed)
          << mode::kSteppingShift;
  bits |= (s.normals == render::Normals::Forward       ? mode::kForward
           : s.normals == render::Normals::Tetrahedron ? mode::kTetrahedron
                                                       : mode::kDerivative)
          << mode::kNormalsShift;
  bits |= wide ? mode::kWide : 0U;
  const auto word = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  return {{{offsetOf("MODE"), bits},
           {offsetOf("EPS"), word(s.eps)},
           {offsetOf("STEP_LIMIT"), std::min<std::uint32_t>(s.step_limit, 0xFFFF)},
           {offsetOf("RELAXATION"), word(s.relaxation)},
           {offsetOf("NEAR"), word(static_cast<float>(s.near))},
           {offsetOf("STEP_SCALE"), word(s.step_scale)},
           {offsetOf("CONE_SCALE"), word(s.cone_scale)},
           {offsetOf("SLOPE_STEPS"), std::min<std::uint32_t>(s.slope_steps, 0xFFFF)}}};
}

render::Settings rounded(const render::Settings& settings) {
  render::Settings out = settings;
  out.near = static_cast<double>(static_cast<float>(settings.near));
  out.step_limit = std::min(settings.step_limit, 0xFFFFU);
  out.slope_steps = std::min(settings.slope_steps, 0xFFFFU);
  if (out.mode == render::Mode::Seed) out.compact = false;
  return out;
}

}  // namespace rtvp::implicit::unit
