// Dual numbers, for the opcodes' rules: a value and its derivatives by x, y and z, one point at a
// time. Private to the register form.
#pragma once

#include <array>

#include "models/implicit/registers/gradient.hpp"
#include "models/implicit/watch.hpp"

namespace rtvp::implicit::registers {

struct Duals {
  using Value = Gradient;

  static Gradient constant(float a) { return {a, {}}; }
  static SeenNumber seen(const Gradient& a) { return {a.value, a.value, false, a.slope}; }
  static void change(Gradient& a, const SeenNumber& to) { a = {to.low, to.slope}; }
  static unsigned index(const Gradient& a) { return static_cast<unsigned>(a.value); }

  static Gradient unary(Function function, const Gradient& a);
  static Gradient binary(Function function, const Gradient& a, const Gradient& b);
  static Gradient ternary(Function function, const Gradient& a, const Gradient& b,
                          const Gradient& c);
  static void apply(const OpcodeInfo& op, const std::array<const Gradient*, 4>& in, Gradient* out);

  void normalize(const Gradient* a, unsigned width, Gradient* out);
  /// Within the box and on its faces the outer part is 0 nearby: its length has no derivative at 0,
  /// and needs none.
  Gradient box(const Gradient* q);
};

}  // namespace rtvp::implicit::registers
