// See slope.hpp.
#include "models/implicit/registers/slope.hpp"

#include <algorithm>
#include <cmath>

#include "models/implicit/interval.hpp"
#include "models/implicit/opcode_rules.hpp"
#include "models/implicit/registers/machine.hpp"
#include "models/implicit/registers/watched.hpp"

namespace rtvp::implicit::registers {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
/// Norms are binary64 sums and products of positive numbers: a clause takes below a hundred
/// roundings of 2^-53 each, so this factor a clause is above all of them.
constexpr double kGuard = 1 + 0x1p-44;

/// 0 times infinity is 0: what does not depend on the point has no slope.
double times(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
double magnitude(const Interval& a) {
  return std::max(std::abs(double{a.lo}), std::abs(double{a.hi}));
}
bool unbounded(const Interval& a) {
  return a.undefined || std::isinf(a.lo) || std::isinf(a.hi);
}
bool constant(const Interval& a) {
  return a.lo == a.hi && !a.undefined;
}

/// Steepness of sqrt(max(v, 0)). Of a sum of squares v = x1^2 + x2^2 + ... its gradient is
/// (x1 g1 + x2 g2 + ...) / sqrt(v), at most the largest stretch of the matrix of rows g1, g2, ...:
/// that is at most its Frobenius norm, and at most the root of the largest sum of a row times the
/// largest sum of a column.
struct Root {
  double squares = kInf;  ///< sum of the squares of the terms' norms
  double row = kInf;      ///< largest sum of a row
  std::array<double, 3> column{kInf, kInf, kInf};

  static Root none() { return {}; }
  static Root zero() { return {0, 0, {0, 0, 0}}; }
  static Root of(double norm) {
    return {norm * norm * kGuard, norm * std::sqrt(3.0) * kGuard, {norm, norm, norm}};
  }
  [[nodiscard]] double norm() const {
    const double largest = std::max({column[0], column[1], column[2]});
    return std::sqrt(std::min(squares, times(row, largest))) * kGuard;
  }
  [[nodiscard]] Root scaled(double factor) const {
    return {times(squares, factor * factor) * kGuard,
            times(row, factor) * kGuard,
            {times(column[0], factor) * kGuard, times(column[1], factor) * kGuard,
             times(column[2], factor) * kGuard}};
  }
};

/// The larger of two, for the larger or the smaller of two values.
Root joined(const Root& a, const Root& b) {
  return Root::of(std::max(a.norm(), b.norm()));
}
/// Of a sum whose terms are not negative.
Root summed(const Root& a, const Root& b) {
  Root out{(a.squares + b.squares) * kGuard, std::max(a.row, b.row), {}};
  for (unsigned n = 0; n < 3; ++n) out.column[n] = (a.column[n] + b.column[n]) * kGuard;
  return out;
}

/// ln of a value above 0: its range, slopes and steepness. Smooth unions are written as the
/// logarithm of a sum of exponentials, each of which may be far beyond any range; of the sum's
/// logarithm the gradient is a mean of the exponents' gradients.
struct Log {
  bool known = false;
  Interval value{};
  std::array<Interval, 3> slope{};
  double norm = 0;
};

/// A number over a box: its range, the ranges of its derivatives, its steepness, its root's, and
/// its logarithm's where it is made of exponentials.
struct Slope {
  Interval value;
  std::array<Interval, 3> slope{};
  double norm = 0;
  Root root = Root::zero();
  Log log{};
};

/// No bound: a jump, a pole, no value.
Slope lost(const Interval& value) {
  Slope out;
  out.value = value;
  out.slope.fill(Interval::whole(false));
  out.norm = kInf;
  out.root = Root::none();
  return out;
}

Interval scaled(const Interval& factor, const Interval& slope) {
  if (slope.lo == 0 && slope.hi == 0) return {};
  return interval::mul(factor, slope);
}

float upward(double a) {
  const auto f = static_cast<float>(a);
  return double{f} >= a ? f : std::nextafter(f, std::numeric_limits<float>::infinity());
}

/// What the ranges say of the norm, and the norm of the ranges; the root of values above 0.
Slope settled(Slope a) {
  if (a.value.undefined || std::isnan(a.norm)) return lost(a.value);
  double squares = 0;
  for (const Interval& d : a.slope) squares += magnitude(d) * magnitude(d);
  a.norm = std::min(a.norm * kGuard, std::sqrt(squares) * kGuard);
  if (!(a.norm < kInf)) return lost(a.value);
  const float norm = upward(a.norm);
  for (Interval& d : a.slope) d = {std::max(d.lo, -norm), std::min(d.hi, norm), false};
  if (a.value.lo > 0) {
    const double by_value = a.norm / (2 * std::sqrt(double{a.value.lo})) * kGuard;
    if (by_value < a.root.norm()) a.root = Root::of(by_value);
  }
  if (a.norm == 0) a.root = Root::zero();
  return a;
}

/// A function whose derivative lies in `factor`.
Slope chained(const Interval& value, const Slope& a, const Interval& factor) {
  if (a.norm == 0) return settled({value, {}, 0, Root::zero(), {}});
  if (factor.undefined) return lost(value);
  Slope out{value, {}, times(magnitude(factor), a.norm), Root::none(), {}};
  for (unsigned n = 0; n < 3; ++n) out.slope[n] = scaled(factor, a.slope[n]);
  return settled(out);
}

/// x a + y b, for the derivatives of what has two operands.
Slope chained(const Interval& value, const Slope& a, const Interval& x, const Slope& b,
              const Interval& y) {
  if (a.norm == 0) return chained(value, b, y);
  if (b.norm == 0) return chained(value, a, x);
  if (x.undefined || y.undefined) return lost(value);
  Slope out{value, {}, times(magnitude(x), a.norm) + times(magnitude(y), b.norm), Root::none(), {}};
  for (unsigned n = 0; n < 3; ++n)
    out.slope[n] = interval::add(scaled(x, a.slope[n]), scaled(y, b.slope[n]));
  return settled(out);
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), a.undefined || b.undefined};
}
/// The derivatives are those of one of the two, or lie between them.
Slope either(const Interval& value, const Slope& a, const Slope& b) {
  Slope out{value, {}, std::max(a.norm, b.norm), joined(a.root, b.root), {}};
  for (unsigned n = 0; n < 3; ++n) out.slope[n] = hull(a.slope[n], b.slope[n]);
  return settled(out);
}

/// Of a constant too.
Log logOf(const Slope& a) {
  if (a.log.known || !(a.norm == 0 && constant(a.value) && a.value.lo > 0)) return a.log;
  return {true, interval::unary(Function::Log, a.value), {}, 0};
}
/// Of a sum: it is at least the largest term, and at most twice that.
Log logOfSum(const Slope& a, const Slope& b) {
  if (!a.log.known && !b.log.known) return {};
  const Log x = logOf(a), y = logOf(b);
  if (!x.known || !y.known) return {};
  Log out{true, {}, {}, std::max(x.norm, y.norm)};
  out.value = {std::max(x.value.lo, y.value.lo),
               interval::sumUp(std::max(x.value.hi, y.value.hi), 0x1.62e430p-1F), false};
  for (unsigned n = 0; n < 3; ++n) out.slope[n] = hull(x.slope[n], y.slope[n]);
  return out;
}
/// Of a product, or with sign -1 a quotient.
Log logOfProduct(const Slope& a, const Slope& b, float sign) {
  if (!a.log.known && !b.log.known) return {};
  const Log x = logOf(a), y = logOf(b);
  if (!x.known || !y.known) return {};
  Log out{true, {}, {}, (x.norm + y.norm) * kGuard};
  const auto join = sign > 0 ? interval::add : interval::sub;
  out.value = join(x.value, y.value);
  for (unsigned n = 0; n < 3; ++n) out.slope[n] = join(x.slope[n], y.slope[n]);
  out.known = !out.value.undefined;
  return out;
}

/// exp(a), whatever its range.
Slope exponential(const Interval& value, const Slope& a) {
  Slope out = chained(value, a, value);
  if (!a.value.undefined && a.norm < kInf) out.log = {true, a.value, a.slope, a.norm};
  return out;
}
/// A step function: without slope where it does not step.
Slope step(const Interval& value) {
  return constant(value) ? settled({value, {}, 0, Root::zero(), {}}) : lost(value);
}

Interval of(float a) {
  return Interval::of(a);
}
Interval call(Function f, const Interval& a) {
  return interval::unary(f, a);
}
Interval inverse(const Interval& a) {
  return interval::div(of(1), a);
}

/// The derivative of a function of one number over the range `a`, where it is in `y`; undefined
/// where there is none.
Interval derivative(Function function, const Interval& a, const Interval& y) {
  using namespace interval;
  const auto beside = [&](const Interval& x) { return inverse(sqrt(x)); };
  switch (function) {
    case Function::Abs:
      return {a.lo >= 0 ? 1.0F : -1.0F, a.hi <= 0 ? -1.0F : 1.0F, false};
    case Function::Square:
      return mul(of(2), a);
    case Function::Cube:
      return mul(of(3), square(a));
    case Function::Sqrt:
      return a.lo > 0 ? div(of(0.5F), y) : Interval{0, SlopeBound::kNone, false};
    case Function::InverseSqrt:
      return a.lo > 0 ? div(mul(of(-0.5F), y), a) : Interval::whole();
    case Function::Exp:
      return y;
    case Function::Exp2:
      return mul(y, {0x1.62e42ep-1F, 0x1.62e430p-1F, false});
    case Function::Log:
      return a.lo > 0 ? inverse(a) : Interval::whole();
    case Function::Log2:
      return a.lo > 0 ? div({0x1.715476p+0F, 0x1.715478p+0F, false}, a) : Interval::whole();
    case Function::Sin:
      return call(Function::Cos, a);
    case Function::Cos:
      return mul(of(-1), call(Function::Sin, a));
    case Function::Tan:
      return unbounded(y) ? Interval::whole() : add(of(1), square(y));
    case Function::Asin:
      return beside(mul(sub(of(1), a), add(of(1), a)));
    case Function::Acos:
      return mul(of(-1), beside(mul(sub(of(1), a), add(of(1), a))));
    case Function::Atan:
      return inverse(add(of(1), square(a)));
    case Function::Acosh:
      return beside(mul(sub(a, of(1)), add(a, of(1))));
    case Function::Asinh:
      return beside(add(of(1), square(a)));
    case Function::Atanh:
      return inverse(mul(sub(of(1), a), add(of(1), a)));
    case Function::Cosh:
      return call(Function::Sinh, a);
    case Function::Sinh:
      return call(Function::Cosh, a);
    case Function::Tanh:
      return inverse(square(call(Function::Cosh, a)));
    default:
      return Interval::whole();
  }
}

Slope logarithm(const Interval& value, const Slope& a) {
  if (!a.log.known) return chained(value, a, derivative(Function::Log, a.value, value));
  return settled({a.log.value, a.log.slope, a.log.norm, Root::none(), {}});
}

Slope square(const Interval& value, const Slope& a) {
  Slope out = chained(value, a, interval::mul(of(2), a.value));
  if (!(a.norm < kInf)) return out;
  // The root of a square is the number itself without its sign.
  Root root{a.norm * a.norm * kGuard, 0, {}};
  for (unsigned n = 0; n < 3; ++n) {
    root.column[n] = magnitude(a.slope[n]);
    root.row += root.column[n] * kGuard;
  }
  out.root = root;
  return out;
}

Slope squareRoot(const Interval& value, const Slope& a) {
  if (value.undefined) return lost(value);
  Slope out{value, {}, a.root.norm(), Root::none(), {}};
  const Interval factor = derivative(Function::Sqrt, a.value, value);
  for (unsigned n = 0; n < 3; ++n) out.slope[n] = scaled(factor, a.slope[n]);
  return settled(out);
}

/// Where no whole number lies between, the part behind the point grows as the number does.
Slope fraction(const Interval& value, const Slope& a) {
  const bool same = std::floor(a.value.lo) == std::floor(a.value.hi);
  return same && !unbounded(a.value) ? chained(value, a, of(1)) : lost(value);
}

Slope product(const Interval& value, const Slope& a, const Slope& b) {
  Slope out = chained(value, a, b.value, b, a.value);
  out.log = logOfProduct(a, b, 1);
  if (!(out.norm < kInf)) return out;
  const auto scale = [&](const Slope& by, const Slope& of_root) {
    const Root root = of_root.root.scaled(std::sqrt(double{by.value.lo}) * kGuard);
    if (root.norm() < out.root.norm()) out.root = root;
  };
  if (a.norm == 0 && constant(a.value) && a.value.lo >= 0) scale(a, b);
  if (b.norm == 0 && constant(b.value) && b.value.lo >= 0) scale(b, a);
  if (a.value.lo >= 0 && b.value.lo >= 0) {
    const double both = times(std::sqrt(double{a.value.hi}), b.root.norm()) +
                        times(std::sqrt(double{b.value.hi}), a.root.norm());
    if (both * kGuard < out.root.norm()) out.root = Root::of(both * kGuard);
  }
  return out;
}

Slope quotient(const Interval& value, const Slope& a, const Slope& b) {
  const Interval over = inverse(b.value);
  if (over.undefined || unbounded(over)) return lost(value);
  Slope out = b.norm == 0
                  ? chained(value, a, over)
                  : chained(value, a, over, b, interval::mul(of(-1), interval::mul(value, over)));
  if (b.norm == 0 && constant(b.value) && b.value.lo > 0) {
    const Root root = a.root.scaled(kGuard / std::sqrt(double{b.value.lo}));
    if (root.norm() < out.root.norm()) out.root = root;
  }
  return out;
}

Slope sum(const Interval& value, const Slope& a, const Slope& b) {
  Slope out = chained(value, a, of(1), b, of(1));
  out.log = logOfSum(a, b);
  if (!(a.value.lo >= 0 && b.value.lo >= 0 && out.norm < kInf)) return out;
  const Root root = summed(a.root, b.root);
  if (root.norm() < out.root.norm()) out.root = root;
  return out;
}

/// a - b floor(a / b): as a - k b where k is one number.
Slope modulo(const Interval& value, const Slope& a, const Slope& b) {
  constexpr double kExact = 0x1p28;
  if (!(b.value.lo > 0 || b.value.hi < 0) || unbounded(a.value) || unbounded(b.value))
    return lost(value);
  double least = kInf, most = -kInf;
  for (const float x : {a.value.lo, a.value.hi}) {
    for (const float y : {b.value.lo, b.value.hi}) {
      const double k = std::floor(double{x} / double{y});
      least = std::min(least, k);
      most = std::max(most, k);
    }
  }
  if (least != most || std::abs(least) > kExact) return lost(value);
  const auto k = static_cast<float>(least);
  return chained(value, a, of(1), b,
                 {std::nextafter(-k, -1e30F), std::nextafter(-k, 1e30F), false});
}

Slope power(const Interval& value, const Slope& a, const Slope& b) {
  const bool whole = b.norm == 0 && constant(b.value) && b.value.lo >= 1 && a.value.lo >= 0;
  if (!whole && !(a.value.lo > 0)) return lost(value);
  Interval below = interval::binary(Function::Pow, a.value, interval::sub(b.value, of(1)));
  below.undefined = false;  // 0 to the power of 0 at the very end of the range
  if (whole && a.value.lo == 0 && b.value.lo == 1) below = of(1);
  const Interval by_base = interval::mul(b.value, below);
  if (b.norm == 0) return chained(value, a, by_base);
  return chained(value, a, by_base, b, interval::mul(value, call(Function::Log, a.value)));
}

Slope arcTangent(const Interval& value, const Slope& a, const Slope& b) {
  if (a.value.lo <= 0 && a.value.hi >= 0 && b.value.lo <= 0) return lost(value);
  const Interval over =
      inverse(interval::add(interval::square(a.value), interval::square(b.value)));
  return chained(value, a, interval::mul(b.value, over), b,
                 interval::mul(of(-1), interval::mul(a.value, over)));
}

Slope least(const Interval& value, const Slope& a, const Slope& b) {
  if (a.value.undefined || b.value.undefined) return lost(value);
  if (a.value.hi < b.value.lo) return a;
  if (b.value.hi < a.value.lo) return b;
  return either(value, a, b);
}
Slope greatest(const Interval& value, const Slope& a, const Slope& b) {
  if (a.value.undefined || b.value.undefined) return lost(value);
  if (a.value.lo > b.value.hi) return a;
  if (b.value.lo > a.value.hi) return b;
  return either(value, a, b);
}

/// (1 - w) of one and w of the other, 0 <= w <= 1/2, and at most 1/4 of the radius's.
Slope blended(const Interval& value, const Slope& k, const Slope& a, const Slope& b) {
  Slope mean = either(value, a, b);
  mean.root = Root::none();
  return chained(value, mean, of(1), k, {-0.25F, 0.25F, false});
}

/// And, Or: a jump where a may be 0 and something else.
Slope chosen(const Interval& value, const Slope& a, const Slope& if_zero, const Slope& other) {
  if (a.value.undefined) return lost(value);
  if (a.value.lo == 0 && a.value.hi == 0) return if_zero;
  return a.value.lo > 0 || a.value.hi < 0 ? other : lost(value);
}

/// Numbers with slopes, for the opcodes' rules.
struct Slopes {
  using Value = Slope;

  static Slope constant(float a) { return {Interval::of(a), {}, 0, Root::zero(), {}}; }
  static unsigned index(const Slope& a) { return static_cast<unsigned>(a.value.lo); }
  static SeenNumber seen(const Slope& a) { return SeenNumber::of(a.value); }
  static void change(Slope& a, const SeenNumber& to) { to.into(a.value); }

  static Slope unary(Function function, const Slope& a) {
    const Interval value = interval::unary(function, a.value);
    switch (function) {
      case Function::Square:
        return square(value, a);
      case Function::Sqrt:
        return squareRoot(value, a);
      case Function::Fract:
        return fraction(value, a);
      case Function::Exp:
        return exponential(value, a);
      case Function::Log:
        return logarithm(value, a);
      case Function::Sign:
      case Function::Floor:
      case Function::Ceil:
      case Function::Round:
      case Function::Trunc:
      case Function::Not:
        return step(value);
      case Function::Abs:
        if (a.value.lo >= 0) return a;
        [[fallthrough]];
      default:
        return chained(value, a, derivative(function, a.value, value));
    }
  }

  static Slope binary(Function function, const Slope& a, const Slope& b) {
    const Interval value = interval::binary(function, a.value, b.value);
    switch (function) {
      case Function::Add:
        return sum(value, a, b);
      case Function::Sub:
        return chained(value, a, of(1), b, of(-1));
      case Function::Mul:
        return &a == &b ? square(value, a) : product(value, a, b);
      case Function::Div: {
        Slope out = quotient(value, a, b);
        out.log = logOfProduct(a, b, -1);
        return out;
      }
      case Function::Mod:
        return modulo(value, a, b);
      case Function::Pow:
        return power(value, a, b);
      case Function::Min:
        return least(value, a, b);
      case Function::Max:
        return greatest(value, a, b);
      case Function::Atan2:
        return arcTangent(value, a, b);
      case Function::Compare:
        return step(value);
      case Function::And:
        return chosen(value, a, a, b);
      case Function::Or:
        return chosen(value, a, b, a);
      default:
        return lost(value);
    }
  }

  static Slope ternary(Function function, const Slope& a, const Slope& b, const Slope& c) {
    const Interval value = interval::ternary(function, a.value, b.value, c.value);
    switch (function) {
      case Function::SmoothMin:
      case Function::SmoothMax:
        return blended(value, a, b, c);
      case Function::Fma:
        return binary(Function::Add, binary(Function::Mul, a, b), c);
      case Function::Clamp:
        return binary(Function::Min, binary(Function::Max, a, b), c);
      case Function::Mix: {
        const Slope rest = binary(Function::Sub, constant(1), c);
        Slope out =
            binary(Function::Add, binary(Function::Mul, a, rest), binary(Function::Mul, b, c));
        out.value = value;
        return out;
      }
      default:
        return lost(value);
    }
  }

  static void apply(const OpcodeInfo& op, const std::array<const Slope*, 4>& in, Slope* out) {
    Slopes slopes;
    OpcodeRules<Slopes>(slopes).apply(op, in, out);
  }

  void normalize(const Slope* a, unsigned width, Slope* out) {
    OpcodeRules<Slopes>(*this).normalize(a, width, out);
  }
  /// One of the two parts is 0 everywhere, so the derivatives are the other's.
  Slope box(const Slope* q) {
    OpcodeRules<Slopes> rules(*this);
    const Slope zero = constant(0);
    const std::array<Slope, 3> beyond{rules.max(q[0], zero), rules.max(q[1], zero),
                                      rules.max(q[2], zero)};
    const Slope outer = rules.length(beyond.data(), 3);
    const Slope inner = rules.min(rules.max(rules.max(q[0], q[1]), q[2]), zero);
    Slope out = either(interval::add(outer.value, inner.value), outer, inner);
    out.root = out.value.lo > 0
                   ? Root::of(out.norm / (2 * std::sqrt(double{out.value.lo})) * kGuard)
                   : Root::none();
    return out;
  }
};

Slope coordinate(const Bounds& box, unsigned axis) {
  Slope out;
  out.value = {box.min[axis], box.max[axis], false};
  out.slope[axis] = of(1);
  out.norm = 1;
  out.root = Root::none();
  return settled(out);
}

}  // namespace

SlopeBound::Rate SlopeBound::along(const std::array<double, 3>& direction) const {
  if (!finite()) return {-kInf, kInf};
  Rate out;
  for (unsigned n = 0; n < 3; ++n) {
    const double x = times(direction[n], lo[n]), y = times(direction[n], hi[n]);
    out.least += std::min(x, y);
    out.most += std::max(x, y);
  }
  // The sums' roundings are relative to their terms, which the norm bounds.
  const double slack = double{norm} * 0x1p-40;
  out.least = std::max(out.least, -double{norm}) - slack;
  out.most = std::min(out.most, double{norm}) + slack;
  return out;
}

namespace {

std::array<Slope, 3> coordinates(const Bounds& box) {
  return {coordinate(box, 0), coordinate(box, 1), coordinate(box, 2)};
}

SlopeBound boundOf(const Slope& f) {
  SlopeBound out;
  if (!(f.norm < kInf) || f.value.undefined) return out;
  out.norm = upward(f.norm);
  for (unsigned n = 0; n < 3; ++n) {
    out.lo[n] = f.slope[n].lo;
    out.hi[n] = f.slope[n].hi;
  }
  return out;
}

}  // namespace

SlopeBound slopeBound(const Program& program, const Bounds& box) {
  return boundOf(Machine<Slopes>(program, coordinates(box)).run());
}

SlopeBound slopeBound(const Program& program, const Bounds& box, RunWatch& watch) {
  return boundOf(watched<Slopes>(program, coordinates(box), watch));
}

}  // namespace rtvp::implicit::registers
