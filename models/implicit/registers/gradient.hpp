// f and its gradient in one pass (sdf.md 10, 14): dual numbers of four lanes, the value and its
// derivatives by x, y and z, through the clauses of a program. Selections take the winner's
// derivatives by the point rule of 4.2, smooth ones blend them; the value is evaluate()'s, bit by
// bit. Derivatives are binary32 too.
#pragma once

#include <array>

#include "models/implicit/registers/program.hpp"

namespace rtvp::implicit::registers {

/// A number and its derivatives. Where there is none (a length of 0, the end of a domain) they are
/// not finite. At a step (floor, mod, compare) they are those beside it, of abs(0) they are 0.
struct Gradient {
  float value = 0;
  std::array<float, 3> slope{};

  /// The value is a number, the derivatives are finite and not all 0: there is a normal.
  [[nodiscard]] bool defined() const;
};

Gradient gradient(const Program& program, const std::array<float, 3>& point);

}  // namespace rtvp::implicit::registers
