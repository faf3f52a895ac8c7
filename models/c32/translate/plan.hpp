// What a block consists of: instructions from one place on, as far as translated code can go, and
// which flags somebody looks at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/c32/cpu_ops.hpp"
#include "models/c32/isa.hpp"
#include "models/c32/translate/code.hpp"

namespace rtvp::c32::translate {

/// Operations that are made inline, in general, three-operand and parallel form alike. The result
/// is `b OP a`.
enum class Function : std::uint8_t {
  Addi,
  Addc,
  Subi,
  Subb,
  Subri,
  Mpyi,
  And,
  Andn,
  Or,
  Xor,
  Not,
  Ldi,
  Lsh,
  Ash,
  Negi,
  Tstb,
  Cmpi,
  Addf,
  Subf,
  Subrf,
  Mpyf,
  Ldf,
  Cmpf,
};

[[nodiscard]] bool isFloat(Function f);
/// Of two floats: a sum or a difference.
[[nodiscard]] bool isSum(Function f);
/// Flags only, whatever the destination.
[[nodiscard]] bool isCompare(Function f);
[[nodiscard]] bool isUnary(Function f);
/// C is among its flags.
[[nodiscard]] bool setsCarry(Function f);
/// The function of an operation, of the first half if it is a pair.
[[nodiscard]] std::optional<Function> functionOf(Op op);

enum class Form : std::uint8_t {
  Unknown,  ///< for the run loop
  General,
  Three,
  Conditional,  ///< LDIcond, LDFcond
  Store,
  MultiplyAdd,
  OpStore,
  LoadLoad,
  StoreStore,
  Push,
  Pop,
  Nop,
  Call,    ///< of the processor's own handler: registers and constants only
  Branch,  ///< BR, BRD, Bcond, BcondD, DBcond, DBcondD
  Subroutine,
  Return,
  Repeat,
};

/// Of ST, as far as code looks at them apart.
inline constexpr std::uint8_t kCarryFlag = 1;
inline constexpr std::uint8_t kOtherFlags = 2;
inline constexpr std::uint8_t kAllFlags = 3;

struct Step {
  std::uint32_t pc = 0;
  Form form = Form::Unknown;
  Function function = Function::Ldi;
  Instruction i;
  MicroOp op;
  bool mayLeave = false;     ///< an access, or a rare result, may need the run loop
  bool goesRound = false;    ///< the end of a repeat block, followed by its begin
  std::uint8_t used = 0;     ///< flags of its result that the block itself looks at
  std::uint8_t atLeave = 0;  ///< flags of its result that count if the block is left early
};

struct Plan {
  std::vector<Step> steps;
  bool branches = false;  ///< the last one, or the fourth from the end, goes somewhere
};

/// The instruction at an address; empty: not to be had.
using FetchWord = std::function<std::optional<std::uint32_t>(std::uint32_t address)>;

/// `loops`: a repeat block begins at the key's place.
[[nodiscard]] Plan planOf(const Key& key, const FetchWord& fetch, bool loops);

}  // namespace rtvp::c32::translate
