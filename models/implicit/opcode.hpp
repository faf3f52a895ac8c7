// THE opcode table of the implicit-surface tape machine (sdf.md sections 2, 4.1): one row per
// opcode number, and one row per function that several opcodes share. Assembler, disassembler,
// codec, both evaluators, pruning and the manual read these rows.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace rtvp::implicit {

/// Value types (sdf.md 3.1). Matrices are column major and come from constants only.
enum class Type : std::uint8_t { F, V2, V3, V4, M2, M3, M4 };
inline constexpr unsigned kTypes = 7;
inline constexpr unsigned kStackTypes = 4;  ///< types that opcodes push

/// Numbers in a value of the type.
constexpr unsigned widthOf(Type type) {
  return std::array<unsigned, kTypes>{1, 2, 3, 4, 4, 9, 16}[static_cast<std::size_t>(type)];
}
/// `F`, `V2`, ... as the tables of the reference write it.
constexpr std::string_view nameOf(Type type) {
  return std::array<std::string_view, kTypes>{
      "F", "V2", "V3", "V4", "M2", "M3", "M4"}[static_cast<std::size_t>(type)];
}

/// What an opcode computes; vector opcodes apply it to each component.
enum class Function : std::uint8_t {
  Nop,
  Stop,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  Pow,
  Cross,
  Dot,
  Length,
  Distance,
  Normalize,
  Abs,
  Sign,
  Floor,
  Ceil,
  Fract,
  Sqrt,
  InverseSqrt,
  Exp,
  Exp2,
  Log,
  Log2,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Min,
  Max,
  SmoothMin,
  SmoothMax,
  Dup,
  Dup2,
  Dup3,
  Dup4,
  Promote,
  Acosh,
  Asinh,
  Atanh,
  Cosh,
  Sinh,
  Tanh,
  Round,
  Trunc,
  Fma,
  Clamp,
  Mix,
  Square,
  Cube,
  SDFSphere,
  SDFBox,
  SDFTorus,
  Invalid,
  PushP,
  Drop,
  Swap2,
  PushConst,
  MulMat,
  MulMatPoint,
  Extract,
  Atan2,
  Compare,
  And,
  Or,
  Not,
};
inline constexpr unsigned kFunctions = 68;

/// How pruning treats an instruction (sdf.md 6.1).
enum class Prune : std::uint8_t {
  Dead,    ///< removed only when its output is unused
  Select,  ///< SEL: a min or max may be decided
  Smooth,  ///< SMO: decided when further apart than the blend radius
  Clamp,   ///< CLP
  Dup,     ///< DUP: passed through when one of two outputs is unused
  Root,    ///< OPStop
};

/// Whether inputs may come from constants.
enum class Inputs : std::uint8_t {
  Any,            ///< each from its stack or a constant
  StackOnly,      ///< a constant makes no sense (Dup2..4, Drop, Swap2)
  FirstConstant,  ///< the first input is a constant (PushConst, matrices)
  LastConstant,   ///< the last input is a constant (the component of Extract)
};

struct FunctionInfo {
  Function function;
  std::string_view formula;   ///< a, b, c, d: the inputs in order
  std::string_view interval;  ///< the rule's name in sdf.md section 5
  Prune prune = Prune::Dead;
  Inputs inputs = Inputs::Any;
  bool reduces = false;  ///< not componentwise
};

/// At most four types.
class TypeList {
 public:
  constexpr TypeList(std::initializer_list<Type> types) {
    for (const Type t : types) types_[size_++] = t;
  }
  [[nodiscard]] constexpr unsigned size() const { return size_; }
  constexpr Type operator[](unsigned n) const { return types_[n]; }

 private:
  std::array<Type, 4> types_{};
  unsigned size_ = 0;
};

struct OpcodeInfo {
  std::uint16_t number;   ///< of the 10-bit field
  std::string_view name;  ///< with its OP prefix
  TypeList in;            ///< the first is popped first
  TypeList out;           ///< the last ends on top
  Function function;

  [[nodiscard]] const FunctionInfo& info() const;
  /// Whether input `n` may, or must, be a constant.
  [[nodiscard]] bool mayBeConstant(unsigned n) const;
  [[nodiscard]] bool mustBeConstant(unsigned n) const;
  /// Dup2..4 look at an entry below the top and pop nothing: how deep it lies (1 = top); else 0.
  [[nodiscard]] unsigned peekDepth() const;
};

/// All opcodes by number; 221..255 and gaps above are absent.
std::span<const OpcodeInfo> opcodes();
std::span<const FunctionInfo, kFunctions> functions();
/// Null if there is none. OPInvalid is found by its name and its number like any other.
const OpcodeInfo* findOpcode(unsigned number);
const OpcodeInfo* findOpcode(std::string_view name);

/// `sdf-tape --manual`: Markdown generated from the two tables.
std::string manual();

}  // namespace rtvp::implicit
