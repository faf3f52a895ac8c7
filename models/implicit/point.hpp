// Point arithmetic of the tape machine (sdf.md 4.1 to 4.4): what an opcode computes, without
// stacks. float is the unit's binary32, double the host's binary64; one table of semantics serves
// both. In binary32 transcendentals are our own (elementary.hpp): computed in binary64 and rounded
// once, so their error is below one unit in the last place; sums of products run in the order of
// the components, without contraction.
#pragma once

#include <array>

#include "models/implicit/opcode.hpp"

namespace rtvp::implicit::point {

/// The numbers of each input; matrices are column major.
template <class T>
using Operands = std::array<const T*, 4>;

/// Functions of one number and componentwise functions of several; NaN outside the domain.
template <class T>
T unary(Function function, T a);
template <class T>
T binary(Function function, T a, T b);
template <class T>
T ternary(Function function, T a, T b, T c);

/// Computes the outputs of an opcode that computes (not Stop, Dup, Drop, Swap2, PushP, ...).
template <class T>
void apply(const OpcodeInfo& op, const std::array<const T*, 4>& in, T* out);

extern template float unary(Function, float);
extern template double unary(Function, double);
extern template float binary(Function, float, float);
extern template double binary(Function, double, double);
extern template float ternary(Function, float, float, float);
extern template double ternary(Function, double, double, double);
extern template void apply(const OpcodeInfo&, const std::array<const float*, 4>&, float*);
extern template void apply(const OpcodeInfo&, const std::array<const double*, 4>&, double*);

}  // namespace rtvp::implicit::point
