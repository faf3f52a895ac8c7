// Word to Instruction and back, driven by the instruction table.
#pragma once

#include <cstdint>
#include <optional>

#include "models/c32/isa.hpp"

namespace rtvp::c32 {

/// Decodes a word (c32.md 4.1). Empty for an undefined encoding: unknown opcode, undefined
/// condition or indirect mode, a register that does not exist or that the operation cannot name,
/// nonzero bits in a reserved field. `encode(*decode(w)) == w` for every w that decodes.
std::optional<Instruction> decode(std::uint32_t word);

/// Builds the word from the fields; `instruction.word` is not read. Fields wider than their place
/// are cut.
std::uint32_t encode(const Instruction& instruction);

/// Target of a branch, CALL or RPTB at `pc` with an Absolute or Relative operand a (PC+1+disp,
/// delayed PC+3+disp); 24 bits. Empty when the target comes from a register.
std::optional<std::uint32_t> branchTarget(const Instruction& instruction, std::uint32_t pc);

/// Chooses the P field of a multiply/add pair for operands in written order (a, b factors; c, d add
/// or subtract operands) and fills `parallel` and the operands' fields. P is tried 00, 01, 10, 11.
/// False if the operands fit no P. `enhanced` admits registers in the 8-bit fields (silicon
/// revision 2, c32.md 4.2).
bool placeMultiplyAdd(Instruction& instruction, bool enhanced);

}  // namespace rtvp::c32
