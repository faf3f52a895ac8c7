// See opcode.hpp.
#include "models/implicit/opcode.hpp"

#include <algorithm>

#include "models/common/core/text.hpp"

namespace rtvp::implicit {
namespace {

using enum Type;

constexpr OpcodeInfo kOpcodes[] = {
#include "models/implicit/opcode_rows.inc"
};

constexpr std::array<FunctionInfo, kFunctions> kRows = {{
    {Function::Nop, "nothing", "-"},
    {Function::Stop, "pop F, return it", "-", Prune::Root},
    {Function::Add, "a + b", "ADD"},
    {Function::Sub, "a - b", "SUB"},
    {Function::Mul, "a * b", "MUL"},
    {Function::Div, "a / b", "DIV"},
    {Function::Mod, "a - b*floor(a/b)", "MOD"},
    {Function::Pow, "a ^ b", "POW"},
    {Function::Cross, "(ay bz - az by, az bx - ax bz, ax by - ay bx)", "CROSS", Prune::Dead,
     Inputs::Any, true},
    {Function::Dot, "sum(a_i b_i)", "DOT", Prune::Dead, Inputs::Any, true},
    {Function::Length, "sqrt(sum a_i^2)", "LEN", Prune::Dead, Inputs::Any, true},
    {Function::Distance, "sqrt(sum (a_i-b_i)^2)", "DIST", Prune::Dead, Inputs::Any, true},
    {Function::Normalize, "a / length(a)", "NORM", Prune::Dead, Inputs::Any, true},
    {Function::Abs, "abs(a)", "ABS"},
    {Function::Sign, "-1, 0, +1", "MONO"},
    {Function::Floor, "floor a", "MONO"},
    {Function::Ceil, "ceil a", "MONO"},
    {Function::Fract, "a - floor a", "FRACT"},
    {Function::Sqrt, "sqrt a", "SQRT"},
    {Function::InverseSqrt, "1/sqrt a", "RSQRT"},
    {Function::Exp, "e^a", "MONO"},
    {Function::Exp2, "2^a", "MONO"},
    {Function::Log, "ln a", "LOG"},
    {Function::Log2, "log2 a", "LOG"},
    {Function::Sin, "sin a", "SIN"},
    {Function::Cos, "cos a", "COS"},
    {Function::Tan, "tan a", "TAN"},
    {Function::Asin, "asin a", "ASIN"},
    {Function::Acos, "acos a", "ACOS"},
    {Function::Atan, "atan a", "MONO"},
    {Function::Min, "b<a ? b : a", "MIN", Prune::Select},
    {Function::Max, "a<b ? b : a", "MAX", Prune::Select},
    {Function::SmoothMin, "k,a,b: min(a,b) - h^2/(4k), h = max(k - abs(a-b), 0)", "SMIN",
     Prune::Smooth},
    {Function::SmoothMax, "k,a,b: max(a,b) + h^2/(4k), h = max(k - abs(a-b), 0)", "SMAX",
     Prune::Smooth},
    {Function::Dup, "pop, push twice", "COPY", Prune::Dup},
    {Function::Dup2, "push a copy of the 2nd entry", "COPY", Prune::Dup, Inputs::StackOnly},
    {Function::Dup3, "push a copy of the 3rd entry", "COPY", Prune::Dup, Inputs::StackOnly},
    {Function::Dup4, "push a copy of the 4th entry", "COPY", Prune::Dup, Inputs::StackOnly},
    {Function::Promote, "concatenate inputs in order", "COPY", Prune::Dead, Inputs::Any, true},
    {Function::Acosh, "acosh a", "ACOSH"},
    {Function::Asinh, "asinh a", "MONO"},
    {Function::Atanh, "atanh a", "ATANH"},
    {Function::Cosh, "cosh a", "COSH"},
    {Function::Sinh, "sinh a", "MONO"},
    {Function::Tanh, "tanh a", "MONO"},
    {Function::Round, "nearest, ties away", "MONO"},
    {Function::Trunc, "toward 0", "MONO"},
    {Function::Fma, "a*b + c, rounded once", "FMA"},
    {Function::Clamp, "min(max(a,b),c)", "CLAMP", Prune::Clamp},
    {Function::Mix, "a(1-c) + b c", "MIX"},
    {Function::Square, "a^2", "SQ"},
    {Function::Cube, "a^3", "MONO"},
    {Function::SDFSphere, "length(b) - a", "SPH", Prune::Dead, Inputs::Any, true},
    {Function::SDFBox, "q = abs(b) - a: length(max(q,0)) + min(max(qx,qy,qz),0)", "BOX",
     Prune::Dead, Inputs::Any, true},
    {Function::SDFTorus, "sqrt((sqrt(bx^2+bz^2) - ax)^2 + by^2) - ay", "TOR", Prune::Dead,
     Inputs::Any, true},
    {Function::Invalid, "error", "-"},
    {Function::PushP, "push the query point", "COPY"},
    {Function::Drop, "pop and forget", "COPY", Prune::Dead, Inputs::StackOnly},
    {Function::Swap2, "exchange the two top entries", "COPY", Prune::Dead, Inputs::StackOnly},
    {Function::PushConst, "push the constant", "COPY", Prune::Dead, Inputs::FirstConstant},
    {Function::MulMat, "matrix a times column b", "DOT", Prune::Dead, Inputs::FirstConstant, true},
    {Function::MulMatPoint, "matrix a times (b, 1), w dropped", "DOT", Prune::Dead,
     Inputs::FirstConstant, true},
    {Function::Extract, "component b of a", "COPY", Prune::Dead, Inputs::LastConstant, true},
    {Function::Atan2, "angle of (b, a)", "ATAN2"},
    {Function::Compare, "a<b: -1, a=b: 0, a>b: 1, else NaN", "CMP"},
    {Function::And, "a=0 ? a : b", "AND"},
    {Function::Or, "a=0 ? b : a", "OR"},
    {Function::Not, "a=0 ? 1 : 0", "NOT"},
}};

constexpr bool rowsInOrder() {
  for (unsigned n = 0; n < kFunctions; ++n)
    if (static_cast<unsigned>(kRows[n].function) != n) return false;
  for (unsigned n = 1; n < std::size(kOpcodes); ++n)
    if (kOpcodes[n].number <= kOpcodes[n - 1].number) return false;
  return true;
}
static_assert(rowsInOrder());

std::string_view pruneName(Prune rule) {
  switch (rule) {
    case Prune::Dead:
      return "dead";
    case Prune::Select:
      return "SEL";
    case Prune::Smooth:
      return "SMO";
    case Prune::Clamp:
      return "CLP";
    case Prune::Dup:
      return "DUP";
    case Prune::Root:
      break;
  }
  return "root";
}

std::string listed(const TypeList& types) {
  std::string text;
  for (unsigned n = 0; n < types.size(); ++n)
    text += (n > 0 ? " " : "") + std::string(nameOf(types[n]));
  return text.empty() ? "-" : text;
}

}  // namespace

std::span<const OpcodeInfo> opcodes() {
  return kOpcodes;
}
std::span<const FunctionInfo, kFunctions> functions() {
  return kRows;
}

const FunctionInfo& OpcodeInfo::info() const {
  return kRows[static_cast<std::size_t>(function)];
}

bool OpcodeInfo::mustBeConstant(unsigned n) const {
  const Inputs rule = info().inputs;
  return (rule == Inputs::FirstConstant && n == 0) ||
         (rule == Inputs::LastConstant && n + 1 == in.size());
}

bool OpcodeInfo::mayBeConstant(unsigned /*n*/) const {
  return info().inputs != Inputs::StackOnly;
}

unsigned OpcodeInfo::peekDepth() const {
  switch (function) {
    case Function::Dup2:
      return 2;
    case Function::Dup3:
      return 3;
    case Function::Dup4:
      return 4;
    default:
      return 0;
  }
}

const OpcodeInfo* findOpcode(unsigned number) {
  const auto* const it =
      std::ranges::lower_bound(kOpcodes, number, {}, [](const OpcodeInfo& o) { return o.number; });
  return it != std::end(kOpcodes) && it->number == number ? it : nullptr;
}

const OpcodeInfo* findOpcode(std::string_view name) {
  const auto* const it = std::ranges::find(kOpcodes, name, &OpcodeInfo::name);
  return it != std::end(kOpcodes) ? it : nullptr;
}

std::string manual() {
  std::string text =
      "# Opcodes of the implicit-surface tape machine\n\n"
      "One 16-bit word an instruction: bits 0..9 the number, bit 15 - k set if input k is the\n"
      "next constant of its type instead of the top of its stack. Inputs are fetched in the\n"
      "order listed. A Float partner of a vector applies to every component.\n\n"
      "| no | word | name | in (first popped first) | out | point | interval | prune |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const OpcodeInfo& op : kOpcodes) {
    text += "| " + std::to_string(op.number) + " | " + common::hex0x(op.number, 3) + " | " +
            std::string(op.name) + " | " + listed(op.in) + " | " + listed(op.out) + " | " +
            std::string(op.info().formula) + " | " + std::string(op.info().interval) + " | " +
            std::string(pruneName(op.info().prune)) + " |\n";
  }
  return text;
}

}  // namespace rtvp::implicit
