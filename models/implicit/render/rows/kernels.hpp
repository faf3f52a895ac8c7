// Rays in rows, a ray a lane: one step of sphere tracing, and where f is due. Compiled once per
// instruction set of the host; the numbers are those of Tracer, bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/host_isa.hpp"

namespace rtvp::implicit::render::rows {

inline constexpr std::size_t kLanes = 8;  ///< rows are worked on in whole multiples of it
inline constexpr std::size_t kMost = 256;

/// How a ray stands after a step. Numbers, so that all rows have lanes of the same width.
inline constexpr double kOn = 0, kMiss = 1, kHit = 2, kCapped = 3, kUndefined = 4;

/// The state of Tracer, by its names; flags are 0 or 1.
struct alignas(64) Rays {
  double t[kMost], end[kMost], step[kMost], before[kMost];
  double best_error[kMost], best_t[kMost], last_f[kMost], last_t[kMost];
  double leaving[kMost], relaxing[kMost], overshoot[kMost], evaluations[kMost];
  double lipschitz[kMost], side[kMost], cone[kMost], outcome[kMost];
  double origin[3][kMost], direction[3][kMost], low[3][kMost], high[3][kMost];
};

/// The settings that steps look at, by their names.
struct Rules {
  double eps, cone_scale, step_scale, relaxation, step_limit;
  bool planar, best_candidate, last_step, exact_exit;
};

struct Kernels {
  /// Where f is due of the first `count` rays.
  void (*points)(const Rays& rays, std::size_t count, bool exact_exit, float* x, float* y,
                 float* z);
  /// They take f there; bit k of ended[n] says that ray 8 n + k has come to its end. Rows behind
  /// `count` may be changed up to a whole multiple of kLanes.
  void (*take)(Rays& rays, std::size_t count, const float* f, const Rules& rules,
               std::uint8_t* ended);
};

/// The table; the instruction set must be usable.
const Kernels& kernels(common::Isa isa);

}  // namespace rtvp::implicit::render::rows
