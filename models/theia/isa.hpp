// THE instruction table of THEIA (theia.md 2): assembler, disassembler, executors, manual and tests
// read these rows, so they cannot disagree.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/theia/fixed.hpp"

namespace rtvp::theia {

/// Opcode numbers are the hardware's.
enum class Op : std::uint8_t {
  NOP = 0x00,
  ADD,
  SUB,
  DIV,
  MUL,
  MAG,
  UNUSED6,
  COPY,
  JGX,
  JLX,
  JEQX,
  JNEX,
  JGEX,
  JLEX,
  INC,
  ZERO,
  JGY,
  JLY,
  JEQY,
  JNEY,
  JGEY,
  JLEY,
  CROSS,
  DOT,
  JGZ,
  JLZ,
  JEQZ,
  JNEZ,
  JGEZ,
  JLEZ,
  DEBUG_PRINT,
  MULP,
  MOD,
  FRAC,
  INTP,
  NEG,
  DEC,
  XCHANGEX,
  XCHANGEY,
  XCHANGEZ,
  IMUL,
  UNSCALE,
  RESCALE,
  INCX,
  INCY,
  INCZ,
  UNUSED46,
  OMWRITE,
  TMREAD,
  LEA,
  RETURN = 0x40,
  SETX,
  SETY,
  SETZ,
  SWIZZLE3D,
  JMP = 0x58,
  CALL,
  RET,
};
inline constexpr unsigned kOpcodes = 128;

/// How a statement writes its operands (theia.md 6).
enum class Operands : std::uint8_t {
  DstTwo,        ///< OP DST S1 S2
  DstOne,        ///< OP DST S1 [VOID]
  DstOnly,       ///< OP DST [VOID VOID]
  Target,        ///< OP LABEL [VOID VOID]
  TargetTwo,     ///< OP LABEL S1 S2
  Flag,          ///< OP RT_TRUE|RT_FALSE
  DstImmediate,  ///< OP DST 32'h...
  DstSwizzle,    ///< OP DST SWIZZLE_...
  DstFlag,       ///< OP DST TRUE|FALSE
  None,          ///< not assembled: the opcode hangs the hardware
};

struct OpInfo {
  Op op;
  std::string_view mnemonic;
  Operands operands;
  std::uint8_t period;  ///< issue to issue, clocks (2.2); TMREAD: without waiting; 0: hangs
  std::string_view effect;

  [[nodiscard]] constexpr unsigned code() const { return static_cast<unsigned>(op); }
  [[nodiscard]] constexpr bool hangs() const { return period == 0; }
  /// As hangs(), for a profile: the manual's reading has INTP.
  [[nodiscard]] constexpr bool hangs(bool strict_isa) const {
    return period == 0 && !(strict_isa && op == Op::INTP);
  }
  [[nodiscard]] constexpr bool typeTwo() const { return (code() & 0x40U) != 0; }
  [[nodiscard]] constexpr bool jumps() const {
    return operands == Operands::Target || operands == Operands::TargetTwo;
  }
  [[nodiscard]] constexpr bool conditional() const { return operands == Operands::TargetTwo; }
  /// The result goes to the destination register (if its bank takes writes).
  [[nodiscard]] constexpr bool writes() const {
    return operands != Operands::None && !jumps() && op != Op::NOP && op != Op::RETURN;
  }
  /// Which operands the result depends on. For type II, B is the old destination.
  [[nodiscard]] constexpr bool readsA() const {
    return !typeTwo() && (operands == Operands::DstTwo || operands == Operands::DstOne ||
                          operands == Operands::TargetTwo);
  }
  [[nodiscard]] constexpr bool readsB() const {
    return operands == Operands::DstTwo || operands == Operands::TargetTwo ||
           operands == Operands::DstImmediate || operands == Operands::DstSwizzle ||
           operands == Operands::DstFlag;
  }
};

/// TMREAD without any wait for an arbiter (theia.md 2.9).
inline constexpr unsigned kTextureReadPeriod = 9;

inline constexpr auto kInstructions = std::to_array<OpInfo>({
    {Op::NOP, "NOP", Operands::Flag, 2, "nothing"},
    {Op::ADD, "ADD", Operands::DstTwo, 2, "D = fold(A + B) per lane"},
    {Op::SUB, "SUB", Operands::DstTwo, 2, "D = fold(A - B) per lane"},
    {Op::DIV, "DIV", Operands::DstTwo, 66, "D = A / B per lane, towards zero; x/0 is all ones"},
    {Op::MUL, "MUL", Operands::DstTwo, 3, "D = A * B per lane, towards zero, low 32 bits"},
    {Op::MAG, "MAG", Operands::DstOne, 6,
     "D = length of A from a table of integer squares, in all lanes"},
    {Op::UNUSED6, "OP06", Operands::None, 0, "hangs the core"},
    {Op::COPY, "COPY", Operands::DstOne, 2, "D = A"},
    {Op::JGX, "JGX", Operands::TargetTwo, 2, "jump if A.x > B.x"},
    {Op::JLX, "JLX", Operands::TargetTwo, 2, "jump if not A.x > B.x (less OR EQUAL)"},
    {Op::JEQX, "JEQX", Operands::TargetTwo, 2, "jump if |A.x| = |B.x|"},
    {Op::JNEX, "JNEX", Operands::TargetTwo, 2, "jump if |A.x| differs from |B.x|"},
    {Op::JGEX, "JGEX", Operands::TargetTwo, 2, "jump if A.x > B.x or |A.x| = |B.x|"},
    {Op::JLEX, "JLEX", Operands::TargetTwo, 2, "jump if not A.x > B.x, or |A.x| = |B.x|"},
    {Op::INC, "INC", Operands::DstOne, 2, "D = fold(A + 1.0) per lane"},
    {Op::ZERO, "ZERO", Operands::DstOnly, 2, "D = 0"},
    {Op::JGY, "JGY", Operands::TargetTwo, 2, "as JGX on y"},
    {Op::JLY, "JLY", Operands::TargetTwo, 2, "as JLX on y"},
    {Op::JEQY, "JEQY", Operands::TargetTwo, 2, "as JEQX on y"},
    {Op::JNEY, "JNEY", Operands::TargetTwo, 2, "as JNEX on y"},
    {Op::JGEY, "JGEY", Operands::TargetTwo, 2, "as JGEX on y"},
    {Op::JLEY, "JLEY", Operands::TargetTwo, 2, "as JLEX on y"},
    {Op::CROSS, "CROSS", Operands::DstTwo, 4, "D = A x B, sums of 64-bit products, folded"},
    {Op::DOT, "DOT", Operands::DstTwo, 5, "D = A . B in all lanes"},
    {Op::JGZ, "JGZ", Operands::TargetTwo, 2, "as JGX on z"},
    {Op::JLZ, "JLZ", Operands::TargetTwo, 2, "as JLX on z"},
    {Op::JEQZ, "JEQZ", Operands::TargetTwo, 2, "as JEQX on z"},
    {Op::JNEZ, "JNEZ", Operands::TargetTwo, 2, "as JNEX on z"},
    {Op::JGEZ, "JGEZ", Operands::TargetTwo, 2, "as JGEX on z"},
    {Op::JLEZ, "JLEZ", Operands::TargetTwo, 2, "as JLEX on z"},
    {Op::DEBUG_PRINT, "DEBUG_PRINT", Operands::DstOne, 0, "simulation only; hangs the core"},
    {Op::MULP, "MULP", Operands::DstOne, 3, "D.z = A.x * A.y; x and y undefined (here: of A)"},
    {Op::MOD, "MOD", Operands::DstTwo, 2,
     "D = A & (B - 1.0) per lane: floor(A) mod a power of two"},
    {Op::FRAC, "FRAC", Operands::DstOne, 2, "D = A & 1FFFFh per lane"},
    {Op::INTP, "INTP", Operands::DstOne, 0,
     "not built: hangs the core (strict_isa: D = integer part of A, 2 clocks)"},
    {Op::NEG, "NEG", Operands::DstOne, 2, "D = -A per lane"},
    {Op::DEC, "DEC", Operands::DstOne, 2, "D = fold(A - 1.0) per lane"},
    {Op::XCHANGEX, "XCHANGEX", Operands::DstTwo, 2, "D = (B.x, A.y, A.z)"},
    {Op::XCHANGEY, "XCHANGEY", Operands::DstTwo, 2, "D = (A.x, B.y, A.z)"},
    {Op::XCHANGEZ, "XCHANGEZ", Operands::DstTwo, 2, "D = (A.x, A.y, B.z)"},
    {Op::IMUL, "IMUL", Operands::DstTwo, 3, "D = low 32 bits of the integer product per lane"},
    {Op::UNSCALE, "UNSCALE", Operands::DstOne, 2, "D = A >> 17 logical, per lane"},
    {Op::RESCALE, "RESCALE", Operands::DstOne, 2, "D = A << 17 per lane"},
    {Op::INCX, "INCX", Operands::DstOne, 2, "D = A with fold(A.x + 1.0)"},
    {Op::INCY, "INCY", Operands::DstOne, 2, "D = A with fold(A.y + 1.0)"},
    {Op::INCZ, "INCZ", Operands::DstOne, 2, "D = A with fold(A.z + 1.0)"},
    {Op::UNUSED46, "OP2E", Operands::None, 0, "hangs the core"},
    {Op::OMWRITE, "OMWRITE", Operands::DstTwo, 4, "output memory[A] = B, lane by lane; D = 0"},
    {Op::TMREAD, "TMREAD", Operands::DstOne, kTextureReadPeriod,
     "D = texture memory[A], lane by lane; waits for the arbiters"},
    {Op::LEA, "LEA", Operands::DstOnly, 2,
     "D = fetch pointer in all lanes (here: own address + 1)"},
    {Op::RETURN, "RETURN", Operands::Flag, 2, "ends the routine; bit 0 of the word is its flag"},
    {Op::SETX, "SETX", Operands::DstImmediate, 2, "D.x = immediate"},
    {Op::SETY, "SETY", Operands::DstImmediate, 2, "D.y = immediate"},
    {Op::SETZ, "SETZ", Operands::DstImmediate, 2, "D.z = immediate"},
    {Op::SWIZZLE3D, "SWIZZLE3D", Operands::DstSwizzle, 2,
     "permutes D; only XXX, YYY, ZZZ, YXZ exist, others give 0"},
    {Op::JMP, "JMP", Operands::Target, 2, "jump"},
    {Op::CALL, "CALL", Operands::Target, 2, "saves the return address in one register and jumps"},
    {Op::RET, "RET", Operands::DstFlag, 4, "D.x = immediate; jumps to the saved address"},
});

/// Row of an opcode (bits 6:0), null for numbers that no generation defines: they hang, too.
constexpr const OpInfo* findOp(unsigned code) {
  code &= 0x7FU;
  if (code < 0x32) return &kInstructions[code];
  if (code >= 0x40 && code <= 0x44) return &kInstructions[code - 0x40 + 0x32];
  if (code >= 0x58 && code <= 0x5A) return &kInstructions[code - 0x58 + 0x37];
  return nullptr;
}
constexpr bool instructionTableMatches() {
  for (const OpInfo& info : kInstructions) {
    if (findOp(info.code()) != &info) return false;
  }
  return true;
}
static_assert(instructionTableMatches());

inline constexpr std::array<std::string_view, 22> kSwizzles{
    "XXX", "YYY", "ZZZ", "XYY", "XXY", "XZZ", "XXZ", "YXX", "YYX", "YZZ", "YYZ",
    "ZXX", "ZZX", "ZYY", "ZZY", "XZX", "XYX", "YXY", "YZY", "ZXZ", "ZYZ", "YXZ"};

/// One 64-bit instruction word: 63:48 opcode, 47:32 destination, 31:16 source 1, 15:0 source 2;
/// type II has the immediate in 31:0.
struct Instruction {
  std::uint64_t word = 0;

  [[nodiscard]] constexpr unsigned opcode() const {
    return static_cast<unsigned>(word >> 48) & 0x7FU;
  }
  [[nodiscard]] constexpr std::uint16_t destination() const {
    return static_cast<std::uint16_t>(word >> 32);
  }
  [[nodiscard]] constexpr std::uint16_t source1() const {
    return static_cast<std::uint16_t>(word >> 16);
  }
  [[nodiscard]] constexpr std::uint16_t source2() const { return static_cast<std::uint16_t>(word); }
  [[nodiscard]] constexpr Word immediate() const { return static_cast<Word>(word); }
  [[nodiscard]] constexpr bool typeTwo() const { return ((word >> 54) & 1U) != 0; }
  [[nodiscard]] constexpr const OpInfo* info() const { return findOp(opcode()); }

  static constexpr Instruction typeOne(Op op, unsigned d, unsigned a, unsigned b) {
    return {static_cast<std::uint64_t>(op) << 48 | static_cast<std::uint64_t>(d & 0xFFFFU) << 32 |
            static_cast<std::uint64_t>(a & 0xFFFFU) << 16 | (b & 0xFFFFU)};
  }
  static constexpr Instruction typeTwoOf(Op op, unsigned d, Word immediate) {
    return {static_cast<std::uint64_t>(op) << 48 | static_cast<std::uint64_t>(d & 0xFFFFU) << 32 |
            immediate};
  }
};

/// Choices between readings and generations of the execution unit.
struct AluProfile {
  bool exactMath = false;  ///< DIV and MAG of the older generations (2.6)
  bool strictIsa = false;  ///< the manual's reading where the hardware differs; list: README.md
  unsigned exactDivideClocks = 70;  ///< of the older divider when it must iterate; 4 to 70
};

/// Result of an instruction that computes one (no jump, memory access or control). For type II,
/// `a` = (immediate, 0, 0) and `b` is the old destination.
Vec compute(Op op, const Vec& a, const Vec& b, const AluProfile& profile);
/// Whether a conditional jump is taken.
bool jumpTaken(Op op, const Vec& a, const Vec& b, const AluProfile& profile);
/// Issue period of an instruction, operands included (only exactMath's DIV depends on them).
unsigned periodOf(const OpInfo& info, const Vec& a, const Vec& b, const AluProfile& profile);

/// The row's mnemonic lookup for the assembler.
const OpInfo* findMnemonic(std::string_view mnemonic);
/// One statement as the assembler reads it; words that hang become a comment.
std::string disassemble(Instruction instruction);
/// The programmer's manual as Markdown: instructions, registers, entry points.
std::string manual();

}  // namespace rtvp::theia
