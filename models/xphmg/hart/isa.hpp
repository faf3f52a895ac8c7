// The instruction set of the hart as data types: operations, operand formats and the decoded form
// of an instruction. The rows themselves are in isa_table.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "models/xphmg/hart/isa_table.hpp"

namespace rtvp::rv64 {

/// One name for each row of the table; Illegal stands for every other word.
enum class Op : std::uint8_t {
  Illegal,
#define RTVP_ROW(op, name, match, mask, format, extension, meaning) op,
  RTVP_RV64_INSTRUCTIONS(RTVP_ROW)
#undef RTVP_ROW
      Count
};

/// Which operands an instruction has, where they lie in the word and how they are written.
enum class Format : std::uint8_t {
  R,       ///< rd, rs1, rs2
  I,       ///< rd, rs1, imm[11:0]
  Shift,   ///< rd, rs1, shamt[5:0]
  ShiftW,  ///< rd, rs1, shamt[4:0]
  JumpI,   ///< rd, offset(rs1)
  Load,    ///< rd, offset(rs1)
  Store,   ///< rs2, offset(rs1)
  B,       ///< rs1, rs2, branch target
  U,       ///< rd, imm[31:12]
  J,       ///< rd, jump target
  Fence,   ///< predecessor and successor sets, without effect here
  None,    ///< no operand
  Csr,     ///< rd, CSR, rs1
  CsrI,    ///< rd, CSR, uimm[4:0]
  Lr,      ///< rd, (rs1)
  Amo,     ///< rd, rs2, (rs1)
  FLoad,   ///< fd, offset(rs1)
  FStore,  ///< fs2, offset(rs1)
  R4,      ///< fd, fs1, fs2, fs3, rm
  FRm,     ///< fd, fs1, fs2, rm
  F1Rm,    ///< fd, fs1, rm
  F,       ///< fd, fs1, fs2
  FCmp,    ///< rd, fs1, fs2
  FToX,    ///< rd, fs1
  FToXRm,  ///< rd, fs1, rm
  XToF,    ///< fd, rs1
  XToFRm,  ///< fd, rs1, rm
  Custom,  ///< the whole word belongs to the vendor extension
};

enum class Extension : std::uint8_t { I, M, A, F, D, Zicsr, Zifencei, Vendor };

struct InstructionRow {
  Op op;
  std::string_view mnemonic;
  std::uint32_t match;
  std::uint32_t mask;
  Format format;
  Extension extension;
  std::string_view meaning;
};

/// All rows, in the order of `Op` without Illegal.
[[nodiscard]] std::span<const InstructionRow> instructions();
[[nodiscard]] const InstructionRow& row(Op op);  ///< `op` must not be Illegal

/// An instruction ready to execute. `rs2` is also the shift amount's place in no format: immediates
/// of every kind, CSR numbers and shift amounts are in `imm`.
struct Decoded {
  Op op = Op::Illegal;
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint8_t rs3 = 0;
  std::uint8_t rm = 0;      ///< rounding mode field, 7 = dynamic
  std::uint8_t length = 4;  ///< bytes: 2 or 4
  std::int32_t imm = 0;
  std::uint32_t word = 0;  ///< the instruction as fetched; 16 bits of a compressed one
};

/// Decodes the instruction at the start of `word`; its low half alone counts when it is compressed.
/// Unknown words give Op::Illegal with length and word set.
[[nodiscard]] Decoded decode(std::uint32_t word);

/// "addi a0, sp, 16"; a compressed instruction is written as what it stands for. `pc` is used for
/// branch targets.
[[nodiscard]] std::string disassemble(const Decoded& instruction, std::uint64_t pc);

/// ABI names: "zero", "ra", ... and "ft0", ...
[[nodiscard]] std::string_view integerRegisterName(unsigned number);
[[nodiscard]] std::string_view floatRegisterName(unsigned number);

/// The instruction reference as Markdown, made from the table.
[[nodiscard]] std::string manual();

}  // namespace rtvp::rv64
