// How fast f may change within a box: a forward run with ranges of the value and of its three
// derivatives, through the clauses of a program. Beside the ranges each register carries a bound
// of its own steepness, and one of the root of its value, so that the root of a sum of squares is
// bounded where the sum reaches 0, which no range of derivatives is.
#pragma once

#include <array>
#include <limits>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

/// Of f in a box, which is convex: |f(p) - f(q)| <= norm |p - q|, and along a line of direction d
/// f changes by a rate between the least and the greatest of d . g, g in [lo, hi]. Rounded
/// outward; of the real function, of which binary32 is a rounding. Not finite where f jumps, has a
/// pole, or may have no value.
struct SlopeBound {
  std::array<float, 3> lo{-kNone, -kNone, -kNone};
  std::array<float, 3> hi{kNone, kNone, kNone};
  float norm = kNone;

  static constexpr float kNone = std::numeric_limits<float>::infinity();

  [[nodiscard]] bool finite() const { return norm < kNone; }
  /// Ends of the rate along a direction of length 1.
  struct Rate {
    double least = 0, most = 0;
  };
  [[nodiscard]] Rate along(const std::array<double, 3>& direction) const;
  bool operator==(const SlopeBound&) const = default;
};

SlopeBound slopeBound(const Program& program, const Bounds& box);

}  // namespace rtvp::implicit::registers
