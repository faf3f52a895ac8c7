// See point.hpp.
#include "models/implicit/point.hpp"

#include <cmath>
#include <limits>

#include "models/implicit/arithmetic.hpp"
#include "models/implicit/elementary.hpp"
#include "models/implicit/opcode_rules.hpp"

namespace rtvp::implicit::point {
namespace {

template <class T>
constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

/// Sign of b, exact but for the one rounding of r + b.
template <class T>
T mod(T a, T b) {
  const T r = std::fmod(a, b);
  return r != 0 && std::signbit(r) != std::signbit(b) ? r + b : r;
}

/// The unit's, in binary64 for one rounding to binary32.
float transcendental(Function function, float number) {
  const auto a = static_cast<double>(number);
  const auto value = [&] {
    switch (function) {
      case Function::Exp:
        return elementary::exp(a);
      case Function::Exp2:
        return elementary::exp2(a);
      case Function::Log:
        return elementary::log(a);
      case Function::Log2:
        return elementary::log2(a);
      case Function::Sin:
        return elementary::sinWide(a);
      case Function::Cos:
        return elementary::cosWide(a);
      case Function::Tan:
        return elementary::tan(a);
      case Function::Asin:
        return elementary::asin(a);
      case Function::Acos:
        return elementary::acos(a);
      case Function::Atan:
        return elementary::atan(a);
      case Function::Acosh:
        return elementary::acosh(a);
      case Function::Asinh:
        return elementary::asinh(a);
      case Function::Atanh:
        return elementary::atanh(a);
      case Function::Cosh:
        return elementary::cosh(a);
      case Function::Sinh:
        return elementary::sinh(a);
      case Function::Tanh:
        return elementary::tanh(a);
      default:
        return kNaN<double>;
    }
  };
  return static_cast<float>(value());
}

/// The host's: the library's.
double transcendental(Function function, double a) {
  switch (function) {
    case Function::Exp:
      return std::exp(a);
    case Function::Exp2:
      return std::exp2(a);
    case Function::Log:
      return std::log(a);
    case Function::Log2:
      return std::log2(a);
    case Function::Sin:
      return std::sin(a);
    case Function::Cos:
      return std::cos(a);
    case Function::Tan:
      return std::tan(a);
    case Function::Asin:
      return std::asin(a);
    case Function::Acos:
      return std::acos(a);
    case Function::Atan:
      return std::atan(a);
    case Function::Acosh:
      return std::acosh(a);
    case Function::Asinh:
      return std::asinh(a);
    case Function::Atanh:
      return std::atanh(a);
    case Function::Cosh:
      return std::cosh(a);
    case Function::Sinh:
      return std::sinh(a);
    case Function::Tanh:
      return std::tanh(a);
    default:
      return kNaN<double>;
  }
}

float pow(float a, float b) {
  return static_cast<float>(elementary::pow(static_cast<double>(a), static_cast<double>(b)));
}
double pow(double a, double b) {
  return std::pow(a, b);
}
/// Defined for positive bases, and for 0 with positive exponents.
template <class T>
T power(T a, T b) {
  const bool defined = a > 0 || (a == 0 && b > 0);
  return defined && !std::isnan(b) ? pow(a, b) : kNaN<T>;
}

float atan2(float a, float b) {
  return static_cast<float>(elementary::atan2(static_cast<double>(a), static_cast<double>(b)));
}
double atan2(double a, double b) {
  return std::atan2(a, b);
}

/// Numbers, for the opcodes' rules.
template <class T>
struct Numbers {
  using Value = T;
  static T unary(Function function, T a) { return point::unary(function, a); }
  static T binary(Function function, T a, T b) { return point::binary(function, a, b); }
  static T ternary(Function function, T a, T b, T c) { return point::ternary(function, a, b, c); }
  static T constant(float a) { return static_cast<T>(a); }
  static unsigned index(T a) { return static_cast<unsigned>(a); }
  void normalize(const T* a, unsigned width, T* out) {
    OpcodeRules<Numbers>(*this).normalize(a, width, out);
  }
  T box(const T* q) { return OpcodeRules<Numbers>(*this).box(q); }
};

}  // namespace

template <class T>
T unary(Function function, T a) {
  switch (function) {
    case Function::Abs:
      return arithmetic::abs(a);
    case Function::Sign:
      return arithmetic::sign(a);
    case Function::Floor:
      return arithmetic::floor(a);
    case Function::Ceil:
      return arithmetic::ceil(a);
    case Function::Fract:
      return arithmetic::fract(a);
    case Function::Sqrt:
      return arithmetic::sqrt(a);
    case Function::InverseSqrt:
      return arithmetic::inverseSqrt(a);
    case Function::Round:
      return arithmetic::round(a);
    case Function::Trunc:
      return arithmetic::trunc(a);
    case Function::Square:
      return a * a;
    case Function::Cube:
      return a * a * a;
    case Function::Not:
      return a == 0 ? T(1) : T(0);
    default:
      return transcendental(function, a);
  }
}

template <class T>
T binary(Function function, T a, T b) {
  switch (function) {
    case Function::Add:
      return a + b;
    case Function::Sub:
      return a - b;
    case Function::Mul:
      return a * b;
    case Function::Div:
      return a / b;
    case Function::Mod:
      return mod(a, b);
    case Function::Pow:
      return power(a, b);
    case Function::Min:
      return arithmetic::min(a, b);
    case Function::Max:
      return arithmetic::max(a, b);
    case Function::Atan2:
      return atan2(a, b);
    case Function::Compare:
      return arithmetic::compare(a, b);
    case Function::And:
      return a == 0 ? a : b;
    case Function::Or:
      return a == 0 ? b : a;
    default:
      return kNaN<T>;
  }
}

template <class T>
T ternary(Function function, T a, T b, T c) {
  switch (function) {
    case Function::SmoothMin:
      return arithmetic::smoothMin(a, b, c);
    case Function::SmoothMax:
      return arithmetic::smoothMax(a, b, c);
    case Function::Fma:
      return std::fma(a, b, c);
    case Function::Clamp:
      return arithmetic::clamp(a, b, c);
    case Function::Mix:
      return arithmetic::mix(a, b, c);
    default:
      return kNaN<T>;
  }
}

template <class T>
void apply(const OpcodeInfo& op, const std::array<const T*, 4>& in, T* out) {
  Numbers<T> numbers;
  OpcodeRules<Numbers<T>>(numbers).apply(op, in, out);
}

template float unary(Function, float);
template double unary(Function, double);
template float binary(Function, float, float);
template double binary(Function, double, double);
template float ternary(Function, float, float, float);
template double ternary(Function, double, double, double);
template void apply(const OpcodeInfo&, const std::array<const float*, 4>&, float*);
template void apply(const OpcodeInfo&, const std::array<const double*, 4>&, double*);

}  // namespace rtvp::implicit::point
