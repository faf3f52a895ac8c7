// Instructions as the SIMT machine sees them: what kind of vector work a word is, on top of the
// scalar engine's own decoding (cpu_ops.hpp), so that both read the same fields.
#pragma once

#include <cmath>
#include <cstdint>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/flags.hpp"
#include "models/c32/integer_ops.hpp"
#include "models/c32/simt/kernels.hpp"
#include "models/c32/simt/row.hpp"

namespace rtvp::c32::simt {

enum class Kind : std::uint8_t {
  Other,          ///< the scalar engine executes it
  Float,          ///< one float operation into R0-R7
  FloatIf,        ///< LDFcond
  FloatAndStore,  ///< a float operation with STF
  MultiplyAdd,    ///< MPYF3 with ADDF3 or SUBF3
  LoadLoad,       ///< LDF with LDF
  StoreFloat,
  StoreStore,  ///< STF with STF
  Integer,
  IntegerIf,        ///< LDIcond
  IntegerAndStore,  ///< an integer operation with STI
  StoreWord,
  Nop,
  Branch,       ///< BR, Bcond
  BranchLater,  ///< BRD, BcondD
  Decrement,    ///< DBcond
  DecrementLater,
  Repeat,        ///< RPTB
  RepeatSingle,  ///< RPTS
  Fix,           ///< float to integer, into R0-R7
  FloatFrom,     ///< FLOAT: integer to float
  Call,          ///< CALL
  Return,        ///< RETScond
};

enum class FloatOp : std::uint8_t {
  Add,
  Sub,
  SubReverse,
  Multiply,
  Compare,
  Load,
  Neg,
  Abs,
  Round
};

struct VectorOp {
  using IntegerFn = IntegerResult (*)(std::uint32_t b, std::uint32_t a, std::uint32_t carry);

  MicroOp m;
  Kind kind = Kind::Other;
  FloatOp floatOp = FloatOp::Load;
  bool binary = false;         ///< the operation has a second source, b
  bool threeOperand = false;   ///< b is the high field, not the destination
  bool quiet = false;          ///< no flags
  bool compare = false;        ///< flags only
  bool usesCarry = false;      ///< integer
  bool registerFirst = false;  ///< with a store: memory OP register
  bool copy = false;           ///< integer: the result is the operand
  std::uint8_t p = 0;          ///< MultiplyAdd: the P field
  bool sumFirst = false;       ///< MultiplyAdd: the sum's register is no factor
  bool entangled = false;      ///< MultiplyAdd: each half reads the other one's register
  Kernels::Binary sumFn[4] = {};
  std::uint32_t flagMask = 0;  ///< ST bits an integer operation replaces
  IntegerFn integer = nullptr;
  Kernels::Bitwise Kernels::*bitwise = nullptr;     ///< vector form of `integer`
  Kernels::Integer Kernels::*arithmetic = nullptr;  ///< or this one
  bool swapped = false;                             ///< its operands change places
  std::uint32_t fixedB = 0;          ///< b of a vector form whose operation has one operand
  bool setsFlags = false;            ///< replaces N, Z, V and UF without looking at them
  bool flagsDead = false;            ///< the instruction behind replaces them: nobody will look
  Kernels::Binary binaryFn[4] = {};  ///< by short operands: bit 0 a, bit 1 b
  Kernels::Unary unaryFn = nullptr;
  alignas(64) double constant[kBlock] = {};      ///< immediate of a float operation
  alignas(64) std::uint32_t words[kBlock] = {};  ///< the low field of an integer operation
};

/// Which of the sources low field, high field, src1, src2 the halves of MPYF3 || ADDF3 take, by the
/// P field (c32.md 4.4.5).
struct PairHalf {
  std::uint8_t first, second;
};
inline constexpr PairHalf kPairProduct[4] = {{1, 0}, {2, 1}, {2, 3}, {2, 1}};  // factor B, factor A
inline constexpr PairHalf kPairSum[4] = {{2, 3}, {0, 3}, {1, 0}, {3, 0}};      // left, right

/// Conditions EQ to GE, which look at N and Z only.
[[nodiscard]] constexpr NzCond nzCond(Cond c) {
  switch (c) {
    case Cond::EQ:
      return NzCond::Eq;
    case Cond::NE:
      return NzCond::Ne;
    case Cond::LT:
      return NzCond::Lt;
    case Cond::LE:
      return NzCond::Le;
    case Cond::GT:
      return NzCond::Gt;
    default:
      return NzCond::Ge;
  }
}

[[nodiscard]] inline bool nzHolds(NzCond c, double flags) {
  const bool n = std::signbit(flags);
  const bool z = flags == 0.0;
  switch (c) {
    case NzCond::Eq:
      return z;
    case NzCond::Ne:
      return !z;
    case NzCond::Lt:
      return n;
    case NzCond::Le:
      return n || z;
    case NzCond::Gt:
      return !n && !z;
    case NzCond::Ge:
      return !n;
  }
  return false;
}

/// N and Z of an integer result as a flag value (kernels.hpp).
[[nodiscard]] inline double nzOf(std::uint32_t flags) {
  const bool n = (flags & kN) != 0;
  if ((flags & kZ) != 0) return n ? -0.0 : 0.0;
  return n ? -1.0 : 1.0;
}

/// `word` undefined or not covered: kind Other. `policy`: index of Kernels::addf.
void decodeVector(std::uint32_t word, const Kernels& k, unsigned policy, VectorOp& op);

}  // namespace rtvp::c32::simt
