// See math_functions.hpp. Names and meaning: TI, Assembly Language Tools User's Guide (SPRU035),
// "Mathematical functions".
#include "models/c32/asm/math_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rtvp::c32 {
namespace {

enum class Result : std::uint8_t { Real, Integer, AsGiven };

struct MathFunction {
  std::string_view name;
  std::size_t arguments;
  Result result;
  double (*apply)(double, double);
};

constexpr std::array kFunctions = {
    MathFunction{"acos", 1, Result::Real, [](double a, double) { return std::acos(a); }},
    MathFunction{"asin", 1, Result::Real, [](double a, double) { return std::asin(a); }},
    MathFunction{"atan", 1, Result::Real, [](double a, double) { return std::atan(a); }},
    MathFunction{"atan2", 2, Result::Real, [](double a, double b) { return std::atan2(a, b); }},
    MathFunction{"ceil", 1, Result::Real, [](double a, double) { return std::ceil(a); }},
    MathFunction{"cos", 1, Result::Real, [](double a, double) { return std::cos(a); }},
    MathFunction{"cosh", 1, Result::Real, [](double a, double) { return std::cosh(a); }},
    MathFunction{"cvf", 1, Result::Real, [](double a, double) { return a; }},
    MathFunction{"cvi", 1, Result::Integer, [](double a, double) { return std::trunc(a); }},
    MathFunction{"exp", 1, Result::Real, [](double a, double) { return std::exp(a); }},
    MathFunction{"fabs", 1, Result::Real, [](double a, double) { return std::fabs(a); }},
    MathFunction{"floor", 1, Result::Real, [](double a, double) { return std::floor(a); }},
    MathFunction{"fmod", 2, Result::Real, [](double a, double b) { return std::fmod(a, b); }},
    MathFunction{"int", 1, Result::Integer,
                 [](double a, double) { return a == std::trunc(a) ? 1.0 : 0.0; }},
    MathFunction{
        "ldexp",
        2, Result::Real,
        [](double a,
           double b) { return std::ldexp(a, static_cast<int>(std::clamp(b, -2000.0, 2000.0))); }},
    MathFunction{"log", 1, Result::Real, [](double a, double) { return std::log(a); }},
    MathFunction{"log10", 1, Result::Real, [](double a, double) { return std::log10(a); }},
    MathFunction{"max", 2, Result::AsGiven, [](double a, double b) { return std::max(a, b); }},
    MathFunction{"min", 2, Result::AsGiven, [](double a, double b) { return std::min(a, b); }},
    MathFunction{"pow", 2, Result::Real, [](double a, double b) { return std::pow(a, b); }},
    MathFunction{"round", 1, Result::Real, [](double a, double) { return std::round(a); }},
    MathFunction{"sgn", 1, Result::Integer,
                 [](double a, double) { return a < 0   ? -1.0
                                               : a > 0 ? 1.0
                                                       : 0.0; }},
    MathFunction{"sin", 1, Result::Real, [](double a, double) { return std::sin(a); }},
    MathFunction{"sinh", 1, Result::Real, [](double a, double) { return std::sinh(a); }},
    MathFunction{"sqrt", 1, Result::Real, [](double a, double) { return std::sqrt(a); }},
    MathFunction{"tan", 1, Result::Real, [](double a, double) { return std::tan(a); }},
    MathFunction{"tanh", 1, Result::Real, [](double a, double) { return std::tanh(a); }},
    MathFunction{"trunc", 1, Result::Real, [](double a, double) { return std::trunc(a); }}};

const MathFunction* find(const std::string& name) {
  const std::size_t first = name.find_first_not_of('$');
  if (first > 2) return nullptr;  // npos, too
  std::string lower = name.substr(first);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const auto it = std::find_if(kFunctions.begin(), kFunctions.end(),
                               [&](const MathFunction& f) { return f.name == lower; });
  return it == kFunctions.end() ? nullptr : &*it;
}

}  // namespace

bool isMathFunction(const std::string& name) {
  return find(name) != nullptr;
}

Value callMath(const std::string& name, const std::vector<Value>& arguments, std::size_t at) {
  const MathFunction& f = *find(name);
  if (arguments.size() != f.arguments) {
    throw SourceError(at, "found " + std::to_string(arguments.size()) + " arguments of " + name +
                              ", expected " + std::to_string(f.arguments));
  }
  bool integers = true;
  for (const Value& v : arguments) {
    if (v.relative()) throw SourceError(at, "found an address in " + name + ", expected a number");
    integers = integers && !v.isFloat;
  }
  const double result =
      f.apply(arguments[0].asReal(), arguments.size() > 1 ? arguments[1].asReal() : 0);
  if (!std::isfinite(result))
    throw SourceError(at,
                      "found an argument outside the domain of " + name + ", expected a result");
  if (f.result == Result::Real || (f.result == Result::AsGiven && !integers))
    return {.isFloat = true, .real = result};
  if (result < -2147483648.0 || result > 4294967295.0)
    throw SourceError(at, "found a result of " + name + " beyond 32 bits, expected an integer");
  const auto wide = static_cast<std::int64_t>(result);
  return Value::of(static_cast<std::int32_t>(static_cast<std::uint32_t>(wide)));
}

}  // namespace rtvp::c32
