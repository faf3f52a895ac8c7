// Interval arithmetic of the tape machine (sdf.md section 5), sound: the result holds the exact
// value and the binary32 point value (point.hpp) of every point of the operands, because each
// step of a point formula has its own interval step and each of those is rounded outward unless
// it is exact. Three places go beyond the reference's table, all to keep that promise:
// infinite ends that may meet (inf - inf, 0 * inf, inf / inf) set `undefined`; the second operand
// of Min and Max may be a NaN that the point rule ignores, so then the first operand's range is
// joined in; where a corner formula is exact only for real numbers (Mix, SmoothMin) a bound of
// the roundings between is added.
#pragma once

#include <array>
#include <limits>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit {

struct Interval {
  float lo = 0, hi = 0;
  bool undefined = false;  ///< some point of the box may have no value: sticky
  bool operator==(const Interval&) const = default;

  /// A single number; not-a-number is the whole line, undefined, as every NaN bound is (section 5).
  static constexpr Interval of(float a) {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    return a == a ? Interval{a, a, false} : Interval{-kInfinite, kInfinite, true};
  }
  [[nodiscard]] constexpr bool contains(float a) const { return lo <= a && a <= hi; }
  static Interval whole(bool undefined = true);
};

namespace interval {

using Operands = std::array<const Interval*, 4>;

Interval add(const Interval& a, const Interval& b);
Interval sub(const Interval& a, const Interval& b);
Interval mul(const Interval& a, const Interval& b);
Interval div(const Interval& a, const Interval& b);
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);
Interval abs(const Interval& a);
Interval square(const Interval& a);
Interval sqrt(const Interval& a);

Interval unary(Function function, const Interval& a);
Interval binary(Function function, const Interval& a, const Interval& b);
Interval ternary(Function function, const Interval& a, const Interval& b, const Interval& c);

/// As point::apply.
void apply(const OpcodeInfo& op, const Operands& in, Interval* out);

/// Outward rounding of a sum: no smaller than a + b.
float sumUp(float a, float b);

}  // namespace interval
}  // namespace rtvp::implicit
