// THE instruction table of the SL machine (sl.md sections 2 and 3): one row per operand form.
// Assembler, disassembler, loader, both engines, the compiler to C32 and the manual read these
// rows.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/sl/registers.hpp"

namespace rtvp::sl {

/// Opcode numbers of the encoding.
enum class Op : std::uint8_t {
  Nop,
  Ret,
  Rnd,
  Turb,
  Mov,
  Movc,
  Lc,
  Li,
  Liv,
  Add,
  Sub,
  Mul,
  Dp3,
  Div,
  Clamp,
  Floor,
  Ceil,
  Norm,
  Pow,
  Exp,
  Jmp,
  Blt,
  Trace,
  Lookup,
};
inline constexpr unsigned kOps = 24;

/// Operand forms, one each: what engines switch on. The order is the table's.
enum class Form : std::uint8_t {
  Nop,
  Ret,
  Rnd,
  Turb1,
  Turb3,
  MovV,
  MovS,
  Movc,
  Lc,
  Li,
  Liv,
  AddV,
  AddS,
  SubV,
  SubS,
  Cross,
  Scale,
  MulS,
  Dp3,
  DivV,
  DivS,
  Clamp,
  Floor,
  Ceil,
  Norm,
  Pow,
  Exp,
  Jmp,
  Blt,
  Trace,
  Lookup,
};
inline constexpr unsigned kForms = 31;

/// What may stand in an operand's place; the letters are those of the operand strings below.
enum class Operand : char {
  Lane = 'c',
  VectorDestination = 'V',
  ScalarDestination = 'S',
  VectorSource = 'v',
  ScalarSource = 's',
  Literal = 'f',
  Offset = 'j',
  Slot = 'T',
};

struct FormInfo {
  Form form;
  Op op;
  std::uint8_t number;        ///< form field of the encoding
  std::string_view mnemonic;  ///< shared by all forms of an opcode
  std::string_view operands;  ///< one Operand letter each, in source order
  bool readsDestination;      ///< the destination's old value is a source, too
  std::uint8_t cycles;  ///< in the shading unit unless a parameter says otherwise (our choice)
  std::string_view effect;

  [[nodiscard]] constexpr bool has(Operand o) const {
    return operands.find(static_cast<char>(o)) != std::string_view::npos;
  }
  [[nodiscard]] constexpr bool writes() const {
    return has(Operand::VectorDestination) || has(Operand::ScalarDestination);
  }
  [[nodiscard]] constexpr bool branches() const { return has(Operand::Offset); }
  /// How many source fields (registers or a slot) the form uses.
  [[nodiscard]] constexpr unsigned sources() const {
    unsigned n = 0;
    for (const char c : operands) n += c == 'v' || c == 's' || c == 'T' ? 1U : 0U;
    return n;
  }
  /// The n-th source operand's kind.
  [[nodiscard]] constexpr Operand source(unsigned n) const {
    for (const char c : operands) {
      if ((c == 'v' || c == 's' || c == 'T') && n-- == 0) return static_cast<Operand>(c);
    }
    return Operand::Lane;
  }
};

inline constexpr auto kInstructions = std::to_array<FormInfo>({
    {Form::Nop, Op::Nop, 0, "nop", "", false, 1, "nothing"},
    {Form::Ret, Op::Ret, 0, "ret", "", false, 1, "stop now"},
    {Form::Rnd, Op::Rnd, 0, "rnd", "S", false, 2, "D = next random number in [0, 1)"},
    {Form::Turb1, Op::Turb, 0, "turb", "Ss", false, 8, "D = one octave of 1-D gradient noise"},
    {Form::Turb3, Op::Turb, 1, "turb", "Sv", false, 24, "D = one octave of 3-D gradient noise"},
    {Form::MovV, Op::Mov, 0, "mov", "Vv", false, 1, "D = A"},
    {Form::MovS, Op::Mov, 1, "mov", "Ss", false, 1, "D = A"},
    {Form::Movc, Op::Movc, 0, "movc", "cSv", false, 1, "D = lane c of A"},
    {Form::Lc, Op::Lc, 0, "lc", "cVs", true, 1, "lane c of D = A; the other lanes stay"},
    {Form::Li, Op::Li, 0, "li", "Sf", false, 1, "D = literal"},
    {Form::Liv, Op::Liv, 0, "liv", "cVf", true, 1, "lane c of D = literal; the other lanes stay"},
    {Form::AddV, Op::Add, 0, "add", "Vvv", false, 1, "D = A + B"},
    {Form::AddS, Op::Add, 1, "add", "Sss", false, 1, "D = A + B"},
    {Form::SubV, Op::Sub, 0, "sub", "Vvv", false, 1, "D = A - B"},
    {Form::SubS, Op::Sub, 1, "sub", "Sss", false, 1, "D = A - B"},
    {Form::Cross, Op::Mul, 0, "mul", "Vvv", false, 2, "D = A x B, the cross product"},
    {Form::Scale, Op::Mul, 1, "mul", "Vvs", false, 1, "D = A * B, every lane"},
    {Form::MulS, Op::Mul, 2, "mul", "Sss", false, 1, "D = A * B"},
    {Form::Dp3, Op::Dp3, 0, "dp3", "Svv", false, 2, "D = A . B, (x*x + y*y) + z*z"},
    {Form::DivV, Op::Div, 0, "div", "Vvs", false, 12, "D = A / B, every lane"},
    {Form::DivS, Op::Div, 1, "div", "Sss", false, 12, "D = A / B"},
    {Form::Clamp, Op::Clamp, 0, "clamp", "Sss", true, 2, "D = D < A ? A : D > B ? B : D"},
    {Form::Floor, Op::Floor, 0, "floor", "Ss", false, 1, "D = largest whole number <= A"},
    {Form::Ceil, Op::Ceil, 0, "ceil", "Ss", false, 1, "D = smallest whole number >= A"},
    {Form::Norm, Op::Norm, 0, "norm", "Vv", false, 26, "D = A / length of A; 0 if that is 0"},
    {Form::Pow, Op::Pow, 0, "pow", "Sss", false, 32, "D = A to the power B (C99 Annex F)"},
    {Form::Exp, Op::Exp, 0, "exp", "Ss", false, 16, "D = e to the power A (C99 Annex F)"},
    {Form::Jmp, Op::Jmp, 0, "jmp", "j", false, 1, "go on at the next instruction + offset"},
    {Form::Blt, Op::Blt, 0, "blt", "ssj", false, 1, "the same if A < B"},
    {Form::Trace, Op::Trace, 0, "trace", "Vvv", false, 4,
     "D = colour seen from world point A along object direction B"},
    {Form::Lookup, Op::Lookup, 0, "lookup", "VTv", false, 4,
     "D = texture slot at (s, t) = (B.x, B.y), 2 x 2 box filter"},
});
static_assert(kInstructions.size() == kForms);

constexpr const FormInfo& infoOf(Form form) {
  return kInstructions[static_cast<unsigned>(form)];
}
/// The row of an encoded opcode and form; null if there is none.
constexpr const FormInfo* findForm(unsigned opcode, unsigned number) {
  for (const FormInfo& f : kInstructions) {
    if (static_cast<unsigned>(f.op) == opcode && f.number == number) return &f;
  }
  return nullptr;
}
constexpr bool isMnemonic(std::string_view text) {
  for (const FormInfo& f : kInstructions) {
    if (f.mnemonic == text) return true;
  }
  return false;
}
constexpr bool instructionTableMatches() {
  for (unsigned i = 0; i < kForms; ++i) {
    const FormInfo& f = kInstructions[i];
    if (static_cast<unsigned>(f.form) != i || findForm(static_cast<unsigned>(f.op), f.number) != &f)
      return false;
  }
  return true;
}
static_assert(instructionTableMatches());

/// One instruction, its fields apart. Fields that the form does not use are 0.
struct Instruction {
  Form form = Form::Nop;
  std::uint8_t lane = 0;         ///< 0 x, 1 y, 2 z
  std::uint8_t destination = 0;  ///< register number
  std::uint8_t a = 0;            ///< source 0
  std::uint8_t b = 0;            ///< source 1
  std::uint32_t immediate = 0;   ///< literal's bits, or the offset sign-extended

  [[nodiscard]] const FormInfo& info() const { return infoOf(form); }
  [[nodiscard]] float literal() const { return std::bit_cast<float>(immediate); }
  [[nodiscard]] std::int32_t offset() const { return static_cast<std::int32_t>(immediate); }
  bool operator==(const Instruction&) const = default;
};

/// The 64-bit word of an instruction (sl.md section 3).
std::uint64_t encode(const Instruction& instruction);

/// What decoding a word gives: an instruction, or the reason why no machine may run it.
struct Decoded {
  std::optional<Instruction> instruction;
  std::string error;
};
/// Checks everything a single word can tell: opcode, form, lane, register numbers, writability,
/// range of the offset, unused fields 0. Any literal is a number a register can hold.
Decoded decode(std::uint64_t word);

/// The instruction as the strict assembler reads it; reassembles to the same word unless a
/// hand-made literal is not finite.
std::string disassemble(const Instruction& instruction);

/// "mul V v v": the operands of a form as error messages and the manual name them.
std::string describe(const FormInfo& form);

/// The programmer's manual as Markdown: instructions, registers, encoding.
std::string manual();

}  // namespace rtvp::sl
