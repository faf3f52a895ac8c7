// What the counts of sdf.md 13.1 were taken from, as far as they tell: the default object of the
// report, the settings of its columns, a camera found by search; and the report's four angles. Test
// and table share it.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "models/implicit/assembler.hpp"
#include "models/implicit/render/far_query.hpp"
#include "models/implicit/render/frame.hpp"

namespace rtvp::implicit::render::reference {

inline constexpr unsigned kSize = 256;  ///< of the picture

/// sdf.md 3.2: a ball and a torus.
inline constexpr std::string_view kDefaultObject =
    "OPMulVec3Float var f(0.9)\nOPDupVec3 var\nOPAddVec3Vec3 var v3(-0.7,-1.2,-0.7)\n"
    "OPSDFSphere f(0.5) var\nOPSDFTorus v2(0.7,0.4) var\nOPMinFloat var var\n"
    "OPDivFloatFloat var f(0.9)\nOPStop var\n";

/// In the box of the report's formula.
inline Object defaultObject() {
  Tape tape = *assemble("default", kDefaultObject).tape;
  const FarBounds far = seedFarQuery(tape);
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = static_cast<float>(far.min[n]);
    box.max[n] = static_cast<float>(far.max[n]);
  }
  return {std::move(tape), box};
}

/// The reference gives no camera. This one was found by minimising the deviations of all counts
/// over position, direction and field of view.
inline Camera camera() {
  return Camera::lookAt({3.03, 1.82, 1.91}, {0.35, 0.57, -0.22}, {0, 1, 0}, 60, kSize, kSize);
}

/// A column of the table: what the reference counted, and the settings that count the same.
struct Column {
  std::string_view name;
  double evaluations, instructions;  ///< thousands, by traces
  std::uint64_t capped;              ///< 0: not given
  Settings settings;
};

inline constexpr double kCoveredPixels = 27977;  ///< with a fragment or more
inline constexpr double kFragments = 201;        ///< thousands

inline std::vector<Column> columns() {
  Settings full = Settings::improved();
  full.compact = false;
  full.stepping = Stepping::Plain;
  full.carry = full.trim = full.last_step = full.best_candidate = full.materials = false;
  Settings layers = full;
  layers.early_depth = layers.front_to_back = false;
  // Brute force as the report has it: with the seed's steps and its far end.
  Settings brute = Settings::brute();
  brute.compact = brute.exact_exit = brute.near_patch = brute.materials = false;
  brute.step_scale = 0.9F;
  return {{"source settings, all layers", 1044, 4622, 0, Settings::seedSource()},
          {"report eps, all layers", 855, 3786, 435, Settings::seedReport()},
          {"step f, exact exit, all layers", 412, 1832, 0, layers},
          {"front to back with stop", 233, 1053, 57, full},
          {"brute force from the box", 394, 3154, 360, brute}};
}

/// The report shows its four angles as pictures only; these are those of
/// scenes/implicit_default_1.shk to _4.shk.
inline constexpr double kAngleFieldOfView = 53.13010235415598;  ///< degrees, that of .shk scenes
struct Angle {
  std::string_view name;
  Vec eye, target;
};
inline constexpr std::array<Angle, 4> kAngles{
    {{"1: from the front and above", {-1.2, 2.6, 5.2}, {-0.3, 0.45, 0}},
     {"2: from the side", {4.6, 1.9, 2.2}, {0, 0.5, 0}},
     {"3: along the torus", {-0.9, 0.75, 3.6}, {0.1, 0.4, 0}},
     {"4: from below", {0.6, -2.1, 2.2}, {0.05, 0.2, 0.1}}}};

}  // namespace rtvp::implicit::render::reference
