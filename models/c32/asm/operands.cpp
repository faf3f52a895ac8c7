// Reading operands as they are written (c32.md 6.2, 6.5) and turning them into fields.
#include <cmath>

#include "models/c32/asm/instruction.hpp"
#include "models/c32/asm/ti_float.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {

/// A register by its own name or by one that the program gave it; -1 for anything else.
int InstructionAssembler::registerNamed(const std::string& name) const {
  const int number = registerNumber(name);
  return number < 0 && lookup_.alias && !name.empty() ? lookup_.alias(name) : number;
}

/// A name that is nowhere is one mistake, however often it stands for a register.
void InstructionAssembler::requireKnown(const std::string& name, std::size_t at) const {
  try {
    lookup_(name, at);
  } catch (const UndefinedSymbol& error) {
    if (*error.what() == '\0') throw;
    throw UndefinedSymbol(at, "found undefined symbol '" + name + "', expected AR0 to AR7");
  }
}

InstructionAssembler::Operands InstructionAssembler::readOperands(const Half& half) {
  constexpr std::size_t kMostOperands = 3;
  line_ = &half.line;
  Scanner s(half.line, half.operandsAt);
  Operands operands;
  if (s.atEnd()) return operands;
  do {
    if (operands.size() == kMostOperands) s.fail("at most three operands");
    operands.push_back(readOperand(s));
  } while (s.accept(','));
  if (!s.atEnd()) s.fail("',' or end of line");
  return operands;
}

InstructionAssembler::Written InstructionAssembler::readOperand(Scanner& s) {
  s.skipBlanks();
  if (s.peek() == '*') return readIndirect(s);
  Written w;
  w.at = s.position();
  if (s.peek() == '@') {
    s.next();
    w.kind = Written::Kind::Direct;
    w.value = parseExpression(s, lookup_);
    return w;
  }
  const std::string name = s.name();
  // A member (FP.x) or a number of an alias's name is no register.
  if (const int number = s.peek() == '.' ? -1 : registerNamed(name); number >= 0) {
    w.kind = Written::Kind::Register;
    w.number = static_cast<std::uint8_t>(number);
    return w;
  }
  s.seek(w.at);
  w.value = parseExpression(s, lookup_);
  return w;
}

InstructionAssembler::Written InstructionAssembler::readIndirect(Scanner& s) {
  Written w;
  w.kind = Written::Kind::Indirect;
  w.at = s.position();
  s.next();
  s.skipBlanks();
  const auto doubled = [&](char c) {
    if (s.peek() != c) return 0;
    s.next();
    if (s.peek() != c) return 1;
    s.next();
    return 2;
  };
  // Number of mode 00xxx: +, -, ++, -- before ARn are 0 to 3, ++ and -- behind it 4 and 5.
  int step = -1;
  if (const int plus = doubled('+'); plus != 0) {
    step = plus == 1 ? 0 : 2;
  } else if (const int minus = doubled('-'); minus != 0) {
    step = minus == 1 ? 1 : 3;
  }
  s.skipBlanks();
  const std::size_t at = s.position();
  const std::string base = s.name();
  const int number = registerNamed(base);
  if (number < 0 && !base.empty()) requireKnown(base, at);
  if (number < reg::AR0 || number > reg::AR7) s.failAt(at, "AR0 to AR7");
  w.number = static_cast<std::uint8_t>(number - reg::AR0);
  bool post = false;
  if (step < 0) {
    s.skipBlanks();
    if (s.peek() == '+' || s.peek() == '-') {
      const char sign = s.peek();
      if (doubled(sign) != 2) s.fail(std::string(2, sign));
      step = sign == '+' ? 4 : 5;
      post = true;
    }
  }
  if (step < 0) {
    w.mode = kModePlain;
    return w;
  }
  readIndirectTail(s, w, step, post);
  return w;
}

/// The optional (displacement), (IR0), (IR1) and the % or B behind it.
void InstructionAssembler::readIndirectTail(Scanner& s, Written& w, int step, bool post) {
  int index = 0;
  s.skipBlanks();
  if (s.peek() == '(') {
    s.next();
    s.skipBlanks();
    const std::size_t at = s.position();
    const int number = registerNamed(s.name());
    if (number == reg::IR0 || number == reg::IR1) {
      index = number == reg::IR0 ? 1 : 2;
    } else {
      s.seek(at);
      const Value v = parseExpression(s, lookup_);
      if (v.isFloat || v.relative()) s.failAt(at, "an integer displacement");
      w.displacement = v.integer;
    }
    if (!s.accept(')')) s.fail("')'");
  }
  s.skipBlanks();
  const char tail = s.peek();
  const bool bitReversed = (tail == 'B' || tail == 'b') && !isNameChar(s.peek(1));
  if (tail == '%') {
    if (!post) s.fail("no % with an index before ARn");
    s.next();
    step += 2;
  } else if (bitReversed) {
    if (step != 4 || index != 1) s.fail("B only in *ARn++(IR0)B");
    s.next();
    w.mode = kModeBitReversed;
    return;
  }
  if (index == 0 && w.displacement < 0) {
    step ^= 1;
    if (w.displacement < -255) s.fail("a displacement of -255 to 255");
    w.displacement = -w.displacement;
  }
  w.mode = static_cast<std::uint8_t>(index << 3 | step);
}

void InstructionAssembler::wrong(const Written& w, const std::string& expected) const {
  throw SourceError(w.at, foundExpected(*line_, w.at, expected));
}

void InstructionAssembler::expectCount(const Half& half, const Operands& o, std::size_t least,
                                       std::size_t most) {
  if (o.size() >= least && o.size() <= most) return;
  const std::string count =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  throw SourceError(half.mnemonicAt, "found " + std::to_string(o.size()) + " operands of " +
                                         half.mnemonic + ", expected " + count);
}

std::uint8_t InstructionAssembler::registerOf(const Written& w, RegClass cls) const {
  if (w.kind != Written::Kind::Register)
    wrong(w, cls == RegClass::Extended ? "a register R0-R7" : "a register");
  if (cls == RegClass::Extended && w.number > reg::R7) wrong(w, "a register R0-R7");
  return w.number;
}

std::int32_t InstructionAssembler::integer(const Written& w) const {
  if (w.value.isFloat) wrong(w, "an integer");
  if (w.value.relative()) wrong(w, "a constant (the linker decides this address)");
  return w.value.integer;
}

/// True if the linker decides the operand's value: the word then gets a relocation of `type`.
bool InstructionAssembler::relocate(const Written& w, RelocationType type, std::int32_t addend) {
  if (w.value.isFloat || !w.value.relative()) return false;
  relocation_ = FieldRelocation{type, w.value, w.at};
  relocation_->value.integer += addend;
  return true;
}

/// `halves`: an address as unsigned operand means its lower half (OR sym,R0).
Operand InstructionAssembler::immediate(const Written& w, Immediate kind, bool halves) {
  Operand o{.kind = Operand::Kind::Immediate, .field = Field::Low};
  if (kind == Immediate::Float) {
    if (w.value.relative()) wrong(w, "a floating constant");
    const auto bits = toShortFloat(w.value.asReal());
    if (!bits) wrong(w, "0 or a magnitude between 0.0078 and 256 (short float immediate)");
    o.value = *bits;
    return o;
  }
  if (w.value.part == Part::High8 && relocate(w, RelocationType::PartMs8)) return o;
  if (w.value.part == Part::Low16 && relocate(w, RelocationType::PartLs16)) return o;
  if (kind == Immediate::Signed && relocate(w, RelocationType::RelWord)) return o;
  if (kind == Immediate::Unsigned && halves && relocate(w, RelocationType::PartLs16)) return o;
  const std::int32_t value = integer(w);
  if (kind == Immediate::Unsigned) {
    if (value < 0 || value > 0xFFFF) wrong(w, "an unsigned 16-bit immediate, 0 to 65535");
    o.value = static_cast<std::uint32_t>(value);
    return o;
  }
  if (value < -0x8000 || value > 0xFFFF) wrong(w, "a signed 16-bit immediate, -32768 to 32767");
  if (value > 0x7FFF) warn_(w.at, "immediate above 32767 is sign-extended to a negative number");
  o.value = static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(value)));
  return o;
}

Operand InstructionAssembler::generalIndirect(const Written& w) const {
  if (w.mode < 8 && w.displacement > 255) wrong(w, "a displacement of 0 to 255");
  return {.kind = Operand::Kind::Indirect,
          .field = Field::Low,
          .number = w.number,
          .mode = w.mode,
          .value = w.mode < 8 ? static_cast<std::uint32_t>(w.displacement) : 0};
}

/// 8-bit fields imply displacement 1; displacement 0 is the plain mode.
Operand InstructionAssembler::shortIndirect(const Written& w, Field field) const {
  if (w.kind != Written::Kind::Indirect) wrong(w, "an indirect operand *ARn");
  Operand o{.kind = Operand::Kind::Indirect, .field = field, .number = w.number, .mode = w.mode};
  if (w.mode >= 8) return o;
  if (w.displacement == 0 && w.mode < 6) {
    o.mode = kModePlain;
    return o;
  }
  if (w.displacement != 1)
    wrong(w, "displacement 0 or 1, IR0 or IR1 (three-operand and parallel forms)");
  o.value = 1;
  return o;
}

Operand InstructionAssembler::enhancedOperand(const Written& w, RegClass cls) const {
  if (w.kind != Written::Kind::Register) return shortIndirect(w, Field::Low);
  if (!enhanced_) wrong(w, "an indirect operand *ARn (a register needs the enhanced option)");
  return {.kind = Operand::Kind::Register, .field = Field::Low, .number = registerOf(w, cls)};
}

Operand InstructionAssembler::source(const Written& w, const OpInfo& row) {
  const auto allow = [&](std::uint8_t bit) { return (row.modes & bit) != 0; };
  switch (w.kind) {
    case Written::Kind::Register:
      if (!allow(mode::kRegister)) wrong(w, "a memory operand: @address or *ARn");
      return {.kind = Operand::Kind::Register,
              .field = Field::Low,
              .number = registerOf(w, row.source)};
    case Written::Kind::Indirect:
      if (!allow(mode::kIndirect)) wrong(w, "another operand kind");
      return generalIndirect(w);
    case Written::Kind::Expression:
      if (allow(mode::kImmediate))
        return immediate(w, row.immediate, row.format == Format::General);
      if (!allow(mode::kDirect)) wrong(w, "a register or *ARn");
      if (!w.value.address) wrong(w, "a memory operand: @address or *ARn");
      [[fallthrough]];
    default:
      if (!allow(mode::kDirect)) wrong(w, "a register or *ARn");
      if (relocate(w, RelocationType::PartLs16))
        return {.kind = Operand::Kind::Direct, .field = Field::Low};
      return {.kind = Operand::Kind::Direct,
              .field = Field::Low,
              .value = static_cast<std::uint32_t>(integer(w)) & 0xFFFF};
  }
}

Operand InstructionAssembler::target(const Written& w, const OpInfo& row, std::uint32_t pc) {
  if (w.kind == Written::Kind::Register) {
    if (row.format == Format::Absolute) wrong(w, "an address");
    return {.kind = Operand::Kind::Register, .field = Field::Low, .number = w.number};
  }
  if (w.kind == Written::Kind::Indirect) wrong(w, "a label or a register");
  const bool here = w.value.section >= 0 && w.value.section == section_ && !w.value.load;
  const std::int32_t ahead = row.delayed ? 3 : 1;
  if (row.format == Format::Absolute && relocate(w, RelocationType::Rel24))
    return {.kind = Operand::Kind::Absolute, .field = Field::Low};
  if (!here && relocate(w, RelocationType::PcrWord, -ahead))
    return {.kind = Operand::Kind::Relative, .field = Field::Low};
  if (!here && section_ >= 0 && row.format != Format::Absolute)
    wrong(w, "a label (a number is no target in relocatable code)");
  const auto address = static_cast<std::uint32_t>(here ? w.value.integer : integer(w));
  if (address > kAddressMask && address < 0xFF000000u) wrong(w, "a 24-bit address");
  if (row.format == Format::Absolute) {
    if (address > kAddressMask) wrong(w, "a 24-bit address");
    return {.kind = Operand::Kind::Absolute, .field = Field::Low, .value = address};
  }
  // The difference of two 24-bit addresses, as the address adder sees it.
  const std::uint32_t raw = (address - pc - static_cast<std::uint32_t>(ahead)) & kAddressMask;
  const auto displacement = static_cast<std::int32_t>(raw << 8) >> 8;
  if (displacement < -0x8000 || displacement > 0x7FFF) {
    wrong(w, "a target within 32768 words (displacement is " + std::to_string(displacement) + ")");
  }
  return {.kind = Operand::Kind::Relative,
          .field = Field::Low,
          .value = static_cast<std::uint32_t>(displacement)};
}

}  // namespace rtvp::c32
