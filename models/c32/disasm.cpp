// See disasm.hpp.
#include "models/c32/disasm.hpp"

#include <charconv>
#include <cstdio>

#include "models/c32/asm/ti_float.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"
#include "models/common/core/text.hpp"

namespace rtvp::c32 {
namespace {

/// A hexadecimal constant that starts with a digit.
std::string real(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  (void)error;  // 64 characters hold every double
  std::string result(text, end);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::string indirect(const Operand& o) {
  const std::string ar = "AR" + std::to_string(o.number);
  if (o.mode == kModePlain) return "*" + ar;
  if (o.mode == kModeBitReversed) return "*" + ar + "++(IR0)B";
  const IndirectMode m = indirectMode(o.mode);
  const std::string step = m.index == IndirectMode::Index::Ir0 ? "(IR0)"
                           : m.index == IndirectMode::Index::Ir1
                               ? "(IR1)"
                               : "(" + std::to_string(o.value) + ")";
  const std::string sign = m.subtract ? "-" : "+";
  if (!m.update) return "*" + sign + ar + step;
  if (m.useModified) return "*" + sign + sign + ar + step;
  return "*" + ar + sign + sign + step + (m.circular ? "%" : "");
}

std::string operand(const Operand& o, const OpInfo& row, std::uint32_t target) {
  switch (o.kind) {
    case Operand::Kind::Register:
      return std::string(registerName(o.number));
    case Operand::Kind::Direct:
      return "@0" + common::hexH(o.value, 4);
    case Operand::Kind::Indirect:
      return indirect(o);
    case Operand::Kind::Absolute:
    case Operand::Kind::Relative:
      return "0" + common::hexH(target, 6);
    case Operand::Kind::Immediate:
      if (row.immediate == Immediate::Float)
        return real(fromShortFloat(static_cast<std::uint16_t>(o.value)));
      if (row.immediate == Immediate::Unsigned) return "0" + common::hexH(o.value, 4);
      return std::to_string(static_cast<std::int32_t>(o.value));
    default:
      return {};
  }
}

std::string half(Op op, const std::string& operands) {
  return std::string(info(op).mnemonic) + " " + operands;
}

std::string pair(const Instruction& i, const OpInfo& row) {
  const auto text = [&](const Operand& o) { return operand(o, row, 0); };
  const std::string first(registerName(i.reg)), second(registerName(i.reg2));
  switch (row.format) {
    case Format::MultiplyAdd:
      return half(row.first, text(i.a) + "," + text(i.b) + "," + first) + " || " +
             half(row.second, text(i.c) + "," + text(i.d) + "," + second);
    case Format::StoreStore:
      return half(row.first, first + "," + text(i.a)) + " || " +
             half(row.second, second + "," + text(i.c));
    case Format::LoadLoad:
      return half(row.first, text(i.a) + "," + first) + " || " +
             half(row.second, text(i.c) + "," + second);
    default: {
      const std::string b = row.format == Format::Op3Store ? text(i.b) + "," : "";
      return half(row.first, text(i.a) + "," + b + first) + " || " +
             half(row.second, second + "," + text(i.c));
    }
  }
}

/// Would the text be assembled to this very encoding?
bool canonical(const Instruction& i, const OpInfo& row) {
  if (row.format == Format::MultiplyAdd) {
    Instruction again = i;
    return placeMultiplyAdd(again, true) && encode(again) == i.word;
  }
  const bool floatImmediate =
      row.immediate == Immediate::Float && i.a.kind == Operand::Kind::Immediate;
  // Zero has 4096 short patterns; only one has a spelling.
  return !floatImmediate || i.a.value >> 12 != 8 || i.a.value == 0x8000;
}

std::string single(const Instruction& i, const OpInfo& row, std::uint32_t pc) {
  std::string name(row.mnemonic);
  if (row.conditional) name += condName(i.cond);
  if (row.conditional && row.delayed) name += "D";
  const std::string a = operand(i.a, row, branchTarget(i, pc).value_or(0));
  const std::string number(registerName(i.reg));
  switch (row.format) {
    case Format::General:
    case Format::CondLoad:
      return name + " " + a + "," + number;
    case Format::Store:
    case Format::DecBranch:
      return name + " " + number + "," + a;
    case Format::Rotate:
    case Format::Stack:
      return name + " " + number;
    case Format::Whole:
    case Format::Return:
      return name;
    case Format::Nop:
      return i.a == Operand{.kind = Operand::Kind::Register, .field = Field::Low} ? name
                                                                                  : name + " " + a;
    case Format::Three:
      return name + " " + a + "," + operand(i.b, row, 0) + "," + number;
    case Format::ThreeCompare:
      return name + " " + a + "," + operand(i.b, row, 0);
    default:
      return name + " " + a;
  }
}

}  // namespace

std::string disassemble(std::uint32_t word, std::uint32_t pc) {
  const std::optional<Instruction> i = decode(word);
  if (!i || !canonical(*i, info(i->op))) return ".word 0" + common::hexH(word, 8);
  const OpInfo& row = info(i->op);
  return row.first == Op::kCount ? single(*i, row, pc) : pair(*i, row);
}

}  // namespace rtvp::c32
