// See interval.hpp: rules of vectors, distance functions and whole opcodes.
#include <algorithm>
#include <cmath>

#include "models/implicit/interval.hpp"
#include "models/implicit/opcode_rules.hpp"

namespace rtvp::implicit::interval {
namespace {

/// One component of NORM in real numbers, x / sqrt(x^2 + r^2), with r from the other components.
/// The slack covers the six roundings of the point formula.
Interval direction(const Interval& x, double r_lo, double r_hi, bool undefined) {
  const auto at = [](double v, double r) { return v == 0 ? 0 : v / std::hypot(v, r); };
  constexpr double kSlack = 0x1p-20;
  const double hi = at(x.hi, x.hi >= 0 ? r_lo : r_hi);
  const double lo = at(x.lo, x.lo >= 0 ? r_hi : r_lo);
  // Clipping is right for points too: sqrt(fl(x^2)) is abs(x), and more terms only add.
  return {std::nextafter(static_cast<float>(std::max(lo - kSlack * std::abs(lo), -1.0)), -2.0F),
          std::nextafter(static_cast<float>(std::min(hi + kSlack * std::abs(hi), 1.0)), 2.0F),
          undefined};
}

/// Ranges, for the opcodes' rules.
struct Ranges {
  using Value = Interval;
  static Interval unary(Function function, const Interval& a) {
    return interval::unary(function, a);
  }
  static Interval binary(Function function, const Interval& a, const Interval& b) {
    return interval::binary(function, a, b);
  }
  static Interval ternary(Function function, const Interval& a, const Interval& b,
                          const Interval& c) {
    return interval::ternary(function, a, b, c);
  }
  static Interval constant(float a) { return Interval::of(a); }
  static unsigned index(const Interval& a) { return static_cast<unsigned>(a.lo); }
  void normalize(const Interval* a, unsigned width, Interval* out);
  Interval box(const Interval* q);
};

void Ranges::normalize(const Interval* a, unsigned width, Interval* out) {
  const Interval l = OpcodeRules<Ranges>(*this).length(a, width);
  // Squares that neither vanish nor overflow in binary32; else only the division is safe.
  constexpr float kSmall = 0x1p-50F, kLarge = 0x1p60F;
  const bool ordinary = l.lo >= kSmall && l.hi <= kLarge;
  for (unsigned n = 0; n < width; ++n) {
    out[n] = div(a[n], l);
    if (!ordinary || l.undefined) continue;
    double r_lo = 0, r_hi = 0;
    for (unsigned k = 0; k < width; ++k) {
      if (k == n) continue;
      const Interval m = abs(a[k]);
      r_lo = std::hypot(r_lo, static_cast<double>(m.lo));
      r_hi = std::hypot(r_hi, static_cast<double>(m.hi));
    }
    const Interval exact = direction(a[n], r_lo, r_hi, false);
    out[n].lo = std::max(std::max(out[n].lo, exact.lo), -1.0F);
    out[n].hi = std::min(std::min(out[n].hi, exact.hi), 1.0F);
  }
}

/// The box formula grows with every q: its value at both ends.
Interval Ranges::box(const Interval* q) {
  std::array<Interval, 3> low, high;
  bool undefined = false;
  for (unsigned n = 0; n < 3; ++n) {
    undefined = undefined || q[n].undefined;
    low[n] = Interval::of(q[n].lo);
    high[n] = Interval::of(q[n].hi);
  }
  OpcodeRules<Ranges> rules(*this);
  const Interval lo = rules.box(low.data()), hi = rules.box(high.data());
  if (undefined || lo.undefined || hi.undefined) return Interval::whole();
  return {lo.lo, hi.hi, false};
}

}  // namespace

void apply(const OpcodeInfo& op, const Operands& in, Interval* out) {
  Ranges ranges;
  OpcodeRules<Ranges>(ranges).apply(op, in, out);
}

}  // namespace rtvp::implicit::interval
