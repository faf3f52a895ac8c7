// Point arithmetic of the tape machine in binary32 (sdf.md 4.1 to 4.4): what an opcode computes,
// without stacks. Transcendentals are computed in binary64 and rounded once, so their error is
// below one unit in the last place; sums of products run in the order of the components, without
// contraction.
#pragma once

#include <array>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit::point {

/// The numbers of each input; matrices are column major.
using Operands = std::array<const float*, 4>;

/// Min and Max as 4.2 fixes them: a NaN second operand is ignored, a NaN first one stays.
inline float min(float a, float b) {
  return b < a ? b : a;
}
inline float max(float a, float b) {
  return a < b ? b : a;
}

/// Functions of one number and componentwise functions of several; NaN outside the domain.
float unary(Function function, float a);
float binary(Function function, float a, float b);
float ternary(Function function, float a, float b, float c);

/// Computes the outputs of an opcode that computes (not Stop, Dup, Drop, Swap2, PushP, ...).
void apply(const OpcodeInfo& op, const Operands& in, float* out);

}  // namespace rtvp::implicit::point
