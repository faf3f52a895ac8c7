// Instructions as the SIMT machine sees them: what kind of vector work a word is, on top of the
// scalar engine's own decoding (cpu_ops.hpp), so that both read the same fields.
#pragma once

#include <cstdint>

#include "models/c32/cpu_ops.hpp"
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
  Repeat,  ///< RPTB
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
  bool subtract = false;       ///< MultiplyAdd
  std::uint8_t p = 0;          ///< MultiplyAdd: the P field
  std::uint32_t flagMask = 0;  ///< ST bits an integer operation replaces
  IntegerFn integer = nullptr;
  Kernels::Bitwise Kernels::*bitwise = nullptr;  ///< vector form of `integer`
  bool setsFlags = false;            ///< replaces N, Z, V and UF without looking at them
  bool flagsDead = false;            ///< the instruction behind replaces them: nobody will look
  Kernels::Binary binaryFn[4] = {};  ///< by short operands: bit 0 a, bit 1 b
  Kernels::Unary unaryFn = nullptr;
  alignas(64) double constant[kBlock] = {};  ///< immediate of a float operation
};

/// `word` undefined or not covered: kind Other. `policy`: index of Kernels::addf.
void decodeVector(std::uint32_t word, const Kernels& k, unsigned policy, VectorOp& op);

}  // namespace rtvp::c32::simt
