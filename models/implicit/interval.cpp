// See interval.hpp: scalar rules.
#include "models/implicit/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/implicit/elementary.hpp"
#include "models/implicit/point.hpp"
#include "models/implicit/range_arithmetic.hpp"

namespace rtvp::implicit {

Interval Interval::whole(bool undefined) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  return {-kInf, kInf, undefined};
}

namespace interval {
namespace {

using range::kInf;
using range::kPi;
using range::kReduceSlack;
using Number = range::Number;

constexpr double kReduceLimit = elementary::kWideLimit;  ///< beyond it tan is not reduced

range::Range<Number> in(const Interval& a) {
  return {a.lo, a.hi, Number::flag(a.undefined)};
}
Interval out(const range::Range<Number>& a) {
  return {a.lo, a.hi, a.u != 0};
}

/// a + b rounded down, for binary64 operands; exact sums stay.
float sumDown64(double a, double b) {
  const double s = a + b;
  if (std::isinf(s)) return range::roundDown<Number>(s);
  const double bb = s - a;
  const double error = (a - (s - bb)) + (b - bb);  // Knuth's two-sum
  const float f = range::roundDown<Number>(s);
  return static_cast<double>(f) == s && error < 0 ? range::below<Number>(f) : f;
}

bool infinite(const Interval& a) {
  return range::infinite<Number>(in(a));
}
bool hasZero(const Interval& a) {
  return a.lo <= 0 && a.hi >= 0;
}

/// Any NaN bound makes the whole line.
Interval checked(float lo, float hi, bool undefined) {
  return out(range::checked<Number>({lo, hi, Number::flag(undefined)}));
}

/// Ends of a transcendental function's values with its error, rounded outward.
Interval widened(double lo, double hi, bool undefined) {
  return out(range::widened<Number>(lo, hi, Number::flag(undefined)));
}

Interval clipped(Interval a, float lo, float hi) {
  return {std::clamp(a.lo, lo, hi), std::clamp(a.hi, lo, hi), a.undefined};
}

template <class F>
Interval monotone(const Interval& a, F f, bool undefined = false) {
  return widened(f(static_cast<double>(a.lo)), f(static_cast<double>(a.hi)),
                 a.undefined || undefined);
}

template <class F>
Interval exactMonotone(const Interval& a, F f) {
  return checked(f(a.lo), f(a.hi), a.undefined);
}

Interval negate(const Interval& a) {
  return {-a.hi, -a.lo, a.undefined};
}

Interval tangent(const Interval& a) {
  const double lo = a.lo, hi = a.hi;
  if (!(std::max(std::abs(lo), std::abs(hi)) <= kReduceLimit)) return Interval::whole();
  const double branch = std::floor(lo / kPi + 0.5 - kReduceSlack);
  if (branch != std::floor(hi / kPi + 0.5 + kReduceSlack)) return Interval::whole();
  return widened(elementary::tan(lo), elementary::tan(hi), a.undefined);
}

/// asin, acos, acosh, atanh: the part of the operand inside the domain.
Interval restricted(const Interval& a, float lo, float hi, bool falling, double (*f)(double)) {
  const bool outside = a.lo < lo || a.hi > hi;
  if (a.hi < lo || a.lo > hi) return Interval::whole();
  const Interval in = clipped(a, lo, hi);
  const double x = f(in.lo), y = f(in.hi);
  return falling ? widened(y, x, a.undefined || outside) : widened(x, y, a.undefined || outside);
}

Interval inverseSqrt(const Interval& a) {
  if (a.hi < 0) return Interval::whole();
  const Interval root = sqrt(a);
  const float hi = a.lo <= 0 || root.lo <= 0 ? kInf : range::quotientUp<Number>(1, root.lo);
  const float lo = root.hi == 0 ? kInf : range::quotientDown<Number>(1, root.hi);
  return {lo, hi, a.undefined || a.lo <= 0};
}

Interval cube(const Interval& a) {
  const auto down = [](float x) {  // x >= 0: both roundings downward
    return range::roundDown<Number>(
        range::product<Number>(range::roundDown<Number>(range::product<Number>(x, x)), x));
  };
  const auto up = [](float x) {
    return range::roundUp<Number>(
        range::product<Number>(range::roundUp<Number>(range::product<Number>(x, x)), x));
  };
  return checked(a.lo >= 0 ? down(a.lo) : -up(-a.lo), a.hi >= 0 ? up(a.hi) : -down(-a.hi),
                 a.undefined);
}

Interval fract(const Interval& a) {
  const bool undefined = a.undefined || infinite(a);
  const float floor = std::floor(a.lo);
  if (infinite(a) || floor != std::floor(a.hi)) return {0, 1, undefined};
  return clipped(sub(a, Interval::of(floor)), 0, 1);
}

Interval cosh(const Interval& a) {
  const Interval m = abs(a);
  Interval result = monotone(m, [](double x) { return elementary::cosh(x); });
  result.lo = std::max(result.lo, 1.0F);
  return result;
}

/// b > 0: the sign of the result is that of b.
Interval modPositive(const Interval& a, const Interval& b) {
  const Interval any{0, b.hi, a.undefined || b.undefined || infinite(a)};
  if (infinite(a) || infinite(b)) return any;
  constexpr double kExact = 0x1p28;  // the binary64 floor of a quotient is right below it
  const auto floorOf = [](float x, float y) {
    return std::floor(static_cast<double>(x) / static_cast<double>(y));
  };
  const double k = floorOf(a.lo, b.lo);
  if (std::abs(k) > kExact || k != floorOf(a.lo, b.hi) || k != floorOf(a.hi, b.lo) ||
      k != floorOf(a.hi, b.hi))
    return any;
  const double x = k * static_cast<double>(b.lo), y = k * static_cast<double>(b.hi);
  return clipped({sumDown64(a.lo, -std::max(x, y)),
                  -sumDown64(-static_cast<double>(a.hi), std::min(x, y)), any.undefined},
                 0, b.hi);
}

Interval mod(const Interval& a, const Interval& b) {
  if (b.lo > 0) return modPositive(a, b);
  if (b.hi < 0) return negate(modPositive(negate(a), negate(b)));
  return {std::min(b.lo, 0.0F), std::max(b.hi, 0.0F), true};
}

Interval pow(const Interval& a, const Interval& b) {
  if (a.hi < 0) return Interval::whole();
  const bool undefined = a.undefined || b.undefined || a.lo < 0 || (a.lo <= 0 && b.lo <= 0);
  const double base_lo = a.lo > 0 ? a.lo : 0, base_hi = a.hi > 0 ? a.hi : 0;  // no -0
  double lo = static_cast<double>(kInf), hi = 0;
  for (const double x : {base_lo, base_hi}) {
    for (const float y : {b.lo, b.hi}) {
      const double corner = elementary::pow(x, static_cast<double>(y));
      lo = std::min(lo, corner);
      hi = std::max(hi, corner);
    }
  }
  return clipped(widened(lo, hi, undefined), 0, kInf);
}

/// Where the point rule ignores a NaN second operand the first one's range is the result's.
Interval joinedIf(bool join, Interval result, const Interval& a) {
  if (!join) return result;
  return {std::min(result.lo, a.lo), std::max(result.hi, a.hi), result.undefined};
}

/// min - h^2/(4k) of real numbers at one corner.
double smoothCorner(double k, double a, double b) {
  const double hard = std::min(a, b);
  if (k <= 0 || std::isinf(hard)) return hard;
  const double h = std::max(k - std::abs(a - b), 0.0);
  return hard - 0.25 * (h * (h / k));
}

Interval smoothMin(const Interval& k, const Interval& a, const Interval& b) {
  const bool undefined = k.undefined || a.undefined || b.undefined;
  const bool meet =
      (std::isinf(a.lo) && std::isinf(b.lo)) || (std::isinf(a.hi) && std::isinf(b.hi));
  if (k.hi > 0 && (meet || std::isinf(k.hi) || undefined)) return Interval::whole();
  // The point formula rounds h, h/k, h*(h/k) and the difference: below 4 units of k, and the
  // hard minimum's own rounding, which rounding outward covers.
  const double slack = k.hi > 0 ? static_cast<double>(k.hi) * 0x1p-21 + 0x1p-140 : 0;
  const Interval result{range::roundDown<Number>(smoothCorner(k.hi, a.lo, b.lo) - slack),
                        range::roundUp<Number>(smoothCorner(k.lo, a.hi, b.hi) + slack), undefined};
  return joinedIf(b.undefined, result, a);
}

Interval smoothMax(const Interval& k, const Interval& a, const Interval& b) {
  return negate(smoothMin(k, negate(a), negate(b)));
}

bool isZero(const Interval& a) {
  return a.lo == 0 && a.hi == 0 && !a.undefined;
}
Interval join(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.undefined || b.undefined};
}

/// ATAN2: continuous but across the negative half of b's axis, so the corners decide elsewhere.
Interval atan2(const Interval& a, const Interval& b) {
  const bool undefined = a.undefined || b.undefined;
  if (hasZero(a) && b.lo <= 0) return widened(-kPi, kPi, undefined);
  double lo = kPi, hi = -kPi;
  for (const double y : {a.lo, a.hi}) {
    for (const double x : {b.lo, b.hi}) {
      lo = std::min(lo, elementary::atan2(y, x));
      hi = std::max(hi, elementary::atan2(y, x));
    }
  }
  return widened(lo, hi, undefined);
}

Interval compare(const Interval& a, const Interval& b) {
  const float lo = a.lo > b.hi ? 1.0F : a.lo < b.hi ? -1.0F : 0.0F;
  const float hi = a.hi < b.lo ? -1.0F : a.hi > b.lo ? 1.0F : 0.0F;
  return {lo, hi, a.undefined || b.undefined};
}

/// A not-a-number is not 0: then And gives b, Not gives 0.
Interval both(const Interval& a, const Interval& b) {
  const bool undefined = a.undefined || b.undefined;
  if (isZero(a)) return {0, 0, undefined};
  return hasZero(a) ? join({0, 0, undefined}, b) : Interval{b.lo, b.hi, undefined};
}
Interval either(const Interval& a, const Interval& b) {
  if (isZero(a)) return b;
  return hasZero(a) ? join(a, b) : Interval{a.lo, a.hi, a.undefined || b.undefined};
}
Interval negation(const Interval& a) {
  if (isZero(a)) return {1, 1, false};
  return {0, hasZero(a) ? 1.0F : 0.0F, a.undefined};
}

Interval mix(const Interval& a, const Interval& b, const Interval& c) {
  const Interval rest = sub(Interval::of(1), c);
  const Interval natural = add(mul(a, rest), mul(b, c));
  if (natural.undefined || infinite(a) || infinite(b) || infinite(c)) return natural;
  const auto mag = [](const Interval& x) {
    return static_cast<double>(std::max(std::abs(x.lo), std::abs(x.hi)));
  };
  const double size = mag(a) * mag(rest) + mag(b) * mag(c);
  if (size > 1e38) return natural;  // a product of the point formula may overflow on its own
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const double x : {a.lo, a.hi}) {
    for (const double y : {b.lo, b.hi}) {
      for (const double t : {c.lo, c.hi}) {
        const double value = x * (1 - t) + y * t;
        lo = std::min(lo, value);
        hi = std::max(hi, value);
      }
    }
  }
  const double slack = 0x1p-21 * size + 0x1p-140;
  return {std::max(natural.lo, range::roundDown<Number>(lo - slack)),
          std::min(natural.hi, range::roundUp<Number>(hi + slack)), false};
}

}  // namespace

float sumUp(float a, float b) {
  return range::sumUp<Number>(a, b);
}

Interval add(const Interval& a, const Interval& b) {
  return out(range::add<Number>(in(a), in(b)));
}
Interval sub(const Interval& a, const Interval& b) {
  return out(range::sub<Number>(in(a), in(b)));
}
Interval mul(const Interval& a, const Interval& b) {
  return out(range::mul<Number>(in(a), in(b)));
}
Interval div(const Interval& a, const Interval& b) {
  return out(range::div<Number>(in(a), in(b)));
}
Interval min(const Interval& a, const Interval& b) {
  return out(range::min<Number>(in(a), in(b)));
}
Interval max(const Interval& a, const Interval& b) {
  return out(range::max<Number>(in(a), in(b)));
}
Interval abs(const Interval& a) {
  return out(range::abs<Number>(in(a)));
}
Interval square(const Interval& a) {
  return out(range::square<Number>(in(a)));
}
Interval sqrt(const Interval& a) {
  return out(range::sqrt<Number>(in(a)));
}

Interval unary(Function function, const Interval& a) {
  const auto point = [function](float x) { return point::unary(function, x); };
  switch (function) {
    case Function::Abs:
      return abs(a);
    case Function::Square:
      return square(a);
    case Function::Cube:
      return cube(a);
    case Function::Sign:
    case Function::Floor:
    case Function::Ceil:
    case Function::Round:
    case Function::Trunc:
      return exactMonotone(a, point);
    case Function::Fract:
      return fract(a);
    case Function::Sqrt:
      return sqrt(a);
    case Function::InverseSqrt:
      return inverseSqrt(a);
    case Function::Exp:
      return out(range::exp<Number>(in(a)));
    case Function::Exp2:
      return out(range::exp2<Number>(in(a)));
    case Function::Log:
      return out(range::log<Number>(in(a)));
    case Function::Log2:
      return out(range::log2<Number>(in(a)));
    case Function::Sin:
      return out(range::sin<Number>(in(a)));
    case Function::Cos:
      return out(range::cos<Number>(in(a)));
    case Function::Tan:
      return tangent(a);
    case Function::Asin:
      return restricted(a, -1, 1, false, elementary::asin);
    case Function::Acos:
      return restricted(a, -1, 1, true, elementary::acos);
    case Function::Acosh:
      return restricted(a, 1, kInf, false, elementary::acosh);
    case Function::Atanh: {
      Interval result = restricted(a, -1, 1, false, elementary::atanh);
      result.undefined = result.undefined || a.lo <= -1 || a.hi >= 1;
      if (a.hi >= 1) result.hi = kInf;
      return result;
    }
    case Function::Atan:
      return monotone(a, [](double x) { return elementary::atan(x); });
    case Function::Asinh:
      return monotone(a, [](double x) { return elementary::asinh(x); });
    case Function::Sinh:
      return monotone(a, [](double x) { return elementary::sinh(x); });
    case Function::Tanh:
      return clipped(monotone(a, [](double x) { return elementary::tanh(x); }), -1, 1);
    case Function::Cosh:
      return cosh(a);
    case Function::Not:
      return negation(a);
    default:
      return Interval::whole();
  }
}

Interval binary(Function function, const Interval& a, const Interval& b) {
  switch (function) {
    case Function::Add:
      return add(a, b);
    case Function::Sub:
      return sub(a, b);
    case Function::Mul:
      return mul(a, b);
    case Function::Div:
      return div(a, b);
    case Function::Mod:
      return mod(a, b);
    case Function::Pow:
      return pow(a, b);
    case Function::Min:
      return min(a, b);
    case Function::Max:
      return max(a, b);
    case Function::Atan2:
      return atan2(a, b);
    case Function::Compare:
      return compare(a, b);
    case Function::And:
      return both(a, b);
    case Function::Or:
      return either(a, b);
    default:
      return Interval::whole();
  }
}

Interval ternary(Function function, const Interval& a, const Interval& b, const Interval& c) {
  switch (function) {
    case Function::SmoothMin:
      return smoothMin(a, b, c);
    case Function::SmoothMax:
      return smoothMax(a, b, c);
    case Function::Fma:
      return add(mul(a, b), c);
    case Function::Clamp:
      return min(max(a, b), c);
    case Function::Mix:
      return mix(a, b, c);
    default:
      return Interval::whole();
  }
}

}  // namespace interval
}  // namespace rtvp::implicit
