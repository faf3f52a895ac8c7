// See duals.hpp.
#include "models/implicit/registers/duals.hpp"

#include <cmath>
#include <limits>

#include "models/implicit/opcode_rules.hpp"
#include "models/implicit/point.hpp"

namespace rtvp::implicit::registers {
namespace {

using Slope = std::array<float, 3>;

constexpr float kLn2 = 0.693147181F;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

bool isZero(const Slope& s) {
  return s[0] == 0 && s[1] == 0 && s[2] == 0;
}
Slope scaled(float a, const Slope& x) {
  return {a * x[0], a * x[1], a * x[2]};
}
/// a x + b y
Slope sum(float a, const Slope& x, float b, const Slope& y) {
  return {a * x[0] + b * y[0], a * x[1] + b * y[1], a * x[2] + b * y[2]};
}

float value(Function function, float a) {
  return point::unary(function, a);
}

/// The derivative of a function of one number at `a`, where it is `y`.
float derivative(Function function, float a, float y) {
  switch (function) {
    case Function::Abs:
      return value(Function::Sign, a);
    case Function::Fract:
      return 1;
    case Function::Sqrt:
      return 0.5F / y;
    case Function::InverseSqrt:
      return -0.5F * y / a;
    case Function::Square:
      return 2 * a;
    case Function::Cube:
      return 3 * (a * a);
    case Function::Exp:
      return y;
    case Function::Exp2:
      return y * kLn2;
    case Function::Log:
      return 1 / a;
    case Function::Log2:
      return 1 / (a * kLn2);
    case Function::Sin:
      return value(Function::Cos, a);
    case Function::Cos:
      return -value(Function::Sin, a);
    case Function::Tan:
      return 1 + y * y;
    case Function::Asin:
      return 1 / value(Function::Sqrt, (1 - a) * (1 + a));
    case Function::Acos:
      return -1 / value(Function::Sqrt, (1 - a) * (1 + a));
    case Function::Atan:
      return 1 / (1 + a * a);
    case Function::Acosh:
      return 1 / value(Function::Sqrt, (a - 1) * (a + 1));
    case Function::Asinh:
      return 1 / value(Function::Sqrt, a * a + 1);
    case Function::Atanh:
      return 1 / ((1 - a) * (1 + a));
    case Function::Cosh:
      return value(Function::Sinh, a);
    case Function::Sinh:
      return value(Function::Cosh, a);
    case Function::Tanh: {
      const float cosh = value(Function::Cosh, a);
      return 1 / (cosh * cosh);
    }
    case Function::Sign:
    case Function::Floor:
    case Function::Ceil:
    case Function::Round:
    case Function::Trunc:
    case Function::Not:
      return 0;
    default:
      return kNaN;
  }
}

/// a - b floor(a / b): the whole number is that of the value.
Slope modulo(const Gradient& a, const Gradient& b, float y) {
  if (isZero(b.slope)) return a.slope;
  const double times = std::round((static_cast<double>(a.value) - static_cast<double>(y)) /
                                  static_cast<double>(b.value));
  return sum(1, a.slope, -static_cast<float>(times), b.slope);
}

Slope power(const Gradient& a, const Gradient& b, float y) {
  const Slope base =
      isZero(a.slope)
          ? Slope{}
          : scaled(b.value * point::binary(Function::Pow, a.value, b.value - 1), a.slope);
  if (isZero(b.slope)) return base;
  return sum(1, base, y * value(Function::Log, a.value), b.slope);
}

Slope arcTangent(const Gradient& a, const Gradient& b) {
  const float square = a.value * a.value + b.value * b.value;
  return sum(b.value / square, a.slope, -a.value / square, b.slope);
}

/// 4.4: with w = h / (2k), h = max(k - |a - b|, 0), the loser weighs w, and k -+(w - w^2).
Slope blended(const Gradient& k, const Gradient& winner, const Gradient& loser, float sign) {
  const float h = k.value - std::abs(winner.value - loser.value);
  if (!(k.value > 0 && h > 0)) return winner.slope;
  const float weight = 0.5F * (h / k.value);
  return sum(1, sum(1 - weight, winner.slope, weight, loser.slope),
             sign * (weight - weight * weight), k.slope);
}

}  // namespace

Gradient Duals::unary(Function function, const Gradient& a) {
  const float y = value(function, a.value);
  return {y, scaled(derivative(function, a.value, y), a.slope)};
}

Gradient Duals::binary(Function function, const Gradient& a, const Gradient& b) {
  const float y = point::binary(function, a.value, b.value);
  switch (function) {
    case Function::Add:
      return {y, sum(1, a.slope, 1, b.slope)};
    case Function::Sub:
      return {y, sum(1, a.slope, -1, b.slope)};
    case Function::Mul:
      return {y, sum(b.value, a.slope, a.value, b.slope)};
    case Function::Div:
      return {y, sum(1 / b.value, a.slope, -y / b.value, b.slope)};
    case Function::Mod:
      return {y, modulo(a, b, y)};
    case Function::Pow:
      return {y, power(a, b, y)};
    case Function::Min:
      return b.value < a.value ? b : a;
    case Function::Max:
      return a.value < b.value ? b : a;
    case Function::Atan2:
      return {y, arcTangent(a, b)};
    case Function::Compare:
      return {y, {}};
    case Function::And:
      return a.value == 0 ? a : b;
    case Function::Or:
      return a.value == 0 ? b : a;
    default:
      return {kNaN, {}};
  }
}

Gradient Duals::ternary(Function function, const Gradient& a, const Gradient& b,
                        const Gradient& c) {
  const float y = point::ternary(function, a.value, b.value, c.value);
  switch (function) {
    case Function::SmoothMin:
      return {y, c.value < b.value ? blended(a, c, b, -1) : blended(a, b, c, -1)};
    case Function::SmoothMax:
      return {y, b.value < c.value ? blended(a, c, b, 1) : blended(a, b, c, 1)};
    case Function::Fma:
      return {y, sum(1, sum(b.value, a.slope, a.value, b.slope), 1, c.slope)};
    case Function::Clamp:
      return binary(Function::Min, binary(Function::Max, a, b), c);
    case Function::Mix:
      return {y, sum(1, sum(1 - c.value, a.slope, c.value, b.slope), b.value - a.value, c.slope)};
    default:
      return {kNaN, {}};
  }
}

void Duals::apply(const OpcodeInfo& op, const std::array<const Gradient*, 4>& in, Gradient* out) {
  Duals duals;
  OpcodeRules<Duals>(duals).apply(op, in, out);
}

void Duals::normalize(const Gradient* a, unsigned width, Gradient* out) {
  OpcodeRules<Duals>(*this).normalize(a, width, out);
}
Gradient Duals::box(const Gradient* q) {
  Gradient out = OpcodeRules<Duals>(*this).box(q);
  if (q[0].value > 0 || q[1].value > 0 || q[2].value > 0) return out;
  out.slope = binary(Function::Max, binary(Function::Max, q[0], q[1]), q[2]).slope;
  return out;
}

}  // namespace rtvp::implicit::registers
