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

/// A camera seen from an object, as View has it.
struct Eye {
  double eye[3], corner[3], column[3], row[3];
  double world_corner[3], world_column[3], world_row[3];
  double near_depth;
};

/// What becomes of the fragments of a face: the numbers of ObjectPass, by their names.
struct Face {
  double low[3], high[3];  ///< of the box that is drawn
  double plane;            ///< where the face lies on its axis, for the seed's entry
  unsigned axis;
  bool exact_exit, patched, early_depth, carries;
};

/// How a fragment is met: traced, behind the depth buffer, known to be clear, or before the near
/// plane.
inline constexpr double kTraced = 0, kBehind = 1, kCarried = 2, kClipped = 3;

inline constexpr std::size_t kMostFragments = 256;
struct alignas(64) Fragments {
  double x[kMostFragments], y[kMostFragments];  ///< pixel of the picture
  double depth[kMostFragments],
      clear[kMostFragments];            ///< of the pixel: distances in the world, in the object
  double direction[3][kMostFragments];  ///< of the ray, in the object
  double scale[kMostFragments];         ///< object distance / world distance
  double enter[kMostFragments], leave[kMostFragments];  ///< of the ray, in the box
  double kind[kMostFragments];
};

struct Kernels {
  /// Where f is due of the first `count` rays.
  void (*points)(const Rays& rays, std::size_t count, bool exact_exit, float* x, float* y,
                 float* z);
  /// They take f there; bit k of ended[n] says that ray 8 n + k has come to its end. Rows behind
  /// `count` may be changed up to a whole multiple of kLanes.
  void (*take)(Rays& rays, std::size_t count, const float* f, const Rules& rules,
               std::uint8_t* ended);
  /// Rays of the first `count` pixels, and what becomes of the fragments.
  void (*fragments)(Fragments& fragments, std::size_t count, const Eye& eye, const Face& face);
};

/// The table; the instruction set must be usable.
const Kernels& kernels(common::Isa isa);

}  // namespace rtvp::implicit::render::rows
