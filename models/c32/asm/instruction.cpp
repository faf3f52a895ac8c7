// Choosing the row for a mnemonic and its operands, and filling the row's fields
// (c32.md 4.4, 10.5).
#include "models/c32/asm/instruction.hpp"

#include "models/c32/asm/mnemonics.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {

bool isMnemonic(const std::string& upperName) {
  if (upperName == "LDP" || upperName == "LDPK" || !findMnemonic(upperName).empty()) return true;
  // LDF1, LDF2 ... occur in parallel pairs only.
  return upperName.size() == 4 && (upperName[3] == '1' || upperName[3] == '2') &&
         findPair(upperName.substr(0, 3) + '2', upperName.substr(0, 3) + '1').op != Op::kCount;
}

std::size_t InstructionAssembler::findBars(const std::string& line, std::size_t from) {
  char quote = '\0';
  for (std::size_t i = from; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ';') {
      break;
    } else if (c == '|' && i + 1 < line.size() && line[i + 1] == '|') {
      return i;
    }
  }
  return std::string::npos;
}

std::uint32_t InstructionAssembler::assemble(const Half& first, const std::optional<Half>& second,
                                             std::uint32_t pc, int section) {
  half_ = 0;
  section_ = section;
  relocation_.reset();
  return second ? assemblePair(first, *second) : assembleOne(first, pc);
}

std::uint32_t InstructionAssembler::assembleOne(const Half& half, std::uint32_t pc) {
  if (half.mnemonic == "LDP" || half.mnemonic == "LDPK") return loadPage(half);
  const auto& candidates = findMnemonic(half.mnemonic);
  if (candidates.empty()) {
    throw SourceError(half.mnemonicAt, foundExpected(half.line, half.mnemonicAt,
                                                     "an instruction, a directive or a macro"));
  }
  const Operands o = readOperands(half);
  const Mnemonic* chosen = &candidates.front();
  for (const Mnemonic& candidate : candidates) {
    const Format format = info(candidate.op).format;
    const bool three =
        (format == Format::Three && o.size() == 3) ||
        (format == Format::ThreeCompare && o.size() == 2 && o[1].kind == Written::Kind::Indirect);
    if (three) chosen = &candidate;
  }
  return build(info(chosen->op), chosen->cond, half, o, pc);
}

/// LDP address[,register]: page of a label or address; a plain number up to FFh is the page itself.
/// Same word as LDIU page,DP, or LDI.
std::uint32_t InstructionAssembler::loadPage(const Half& half) {
  const Operands o = readOperands(half);
  expectCount(half, o, 1, 2);
  std::uint32_t destination = reg::DP;
  if (o.size() == 2) destination = registerOf(o[1], RegClass::Any);
  if (o[0].kind == Written::Kind::Register || o[0].kind == Written::Kind::Indirect)
    wrong(o[0], "an address");
  const std::uint32_t opcode = ldiPages_ ? info(Op::LDI).base : info(Op::LDIcond).base;
  const std::uint32_t base = opcode | 3u << 21 | destination << 16;
  if (relocate(o[0], RelocationType::PartMs8)) return base;
  const auto value = static_cast<std::uint32_t>(integer(o[0]));
  if (value > kAddressMask) wrong(o[0], "a 24-bit address");
  const bool page = o[0].kind == Written::Kind::Expression && !o[0].value.address && value <= 0xFF;
  return base | (page ? value : value >> 16);
}

std::uint32_t InstructionAssembler::build(const OpInfo& row, Cond cond, const Half& half,
                                          const Operands& o, std::uint32_t pc) {
  Instruction i;
  i.op = row.op;
  i.cond = cond;
  switch (row.format) {
    case Format::General:
    case Format::CondLoad:
      expectCount(half, o, 1, 2);
      if (o.size() == 1 && o[0].kind != Written::Kind::Register) expectCount(half, o, 2, 2);
      i.a = source(o.front(), row);
      i.reg = registerOf(o.back(), row.destination);
      break;
    case Format::Store:
      expectCount(half, o, 2, 2);
      i.reg = registerOf(o[0], row.source);
      i.a = source(o[1], row);
      break;
    case Format::Rotate:
    case Format::Stack:
      expectCount(half, o, 1, 1);
      i.reg = registerOf(o[0], row.writesRegister ? row.destination : row.source);
      break;
    case Format::Whole:
    case Format::Return:
      expectCount(half, o, 0, 0);
      break;
    case Format::Nop:
      expectCount(half, o, 0, 1);
      i.a = o.empty() ? Operand{.kind = Operand::Kind::Register} : source(o[0], row);
      break;
    case Format::Source:
      expectCount(half, o, 1, 1);
      i.a = source(o[0], row);
      break;
    case Format::Three:
      expectCount(half, o, 2, 3);
      buildThree(row, o, i);
      break;
    case Format::ThreeCompare:
      expectCount(half, o, 2, 2);
      buildThree(row, o, i);
      break;
    case Format::Absolute:
    case Format::Branch:
      expectCount(half, o, 1, 1);
      i.a = target(o[0], row, pc);
      break;
    case Format::DecBranch:
      expectCount(half, o, 2, 2);
      i.reg = registerOf(o[0], RegClass::Any);
      if (i.reg < reg::AR0 || i.reg > reg::AR7) wrong(o[0], "AR0 to AR7");
      i.a = target(o[1], row, pc);
      break;
    case Format::Trap:
      expectCount(half, o, 1, 1);
      if (o[0].kind != Written::Kind::Expression || integer(o[0]) < 0 || integer(o[0]) > 31) {
        wrong(o[0], "a trap number 0 to 31");
      }
      i.a = {.kind = Operand::Kind::Immediate,
             .field = Field::Low,
             .value = static_cast<std::uint32_t>(integer(o[0]))};
      break;
    default:
      throw SourceError(half.mnemonicAt,
                        "found " + half.mnemonic + " alone, expected a parallel pair");
  }
  return encode(i);
}

void InstructionAssembler::buildThree(const OpInfo& row, const Operands& o, Instruction& i) {
  const auto operand = [&](const Written& w, Field field) -> Operand {
    if (w.kind == Written::Kind::Indirect) return shortIndirect(w, field);
    if (w.kind != Written::Kind::Register) wrong(w, "a register or *ARn (three-operand form)");
    return {.kind = Operand::Kind::Register, .field = field, .number = registerOf(w, row.source)};
  };
  i.a = operand(o[0], Field::Low);
  i.b = operand(o[1], Field::High);
  if (row.format == Format::Three) i.reg = registerOf(o.back(), row.destination);
}

std::uint32_t InstructionAssembler::assemblePair(const Half& first, const Half& second) {
  for (const Half* half : {&first, &second}) {
    if (isMnemonic(half->mnemonic)) continue;
    half_ = half == &second ? 1 : 0;
    throw SourceError(half->mnemonicAt,
                      foundExpected(half->line, half->mnemonicAt, "an instruction"));
  }
  const PairMatch match = findPair(first.mnemonic, second.mnemonic);
  if (match.op == Op::kCount) {
    half_ = 1;
    throw SourceError(second.mnemonicAt,
                      "found " + first.mnemonic + " || " + second.mnemonic +
                          ", expected a pair the processor has (c32.md 4.4.5, 4.4.6)");
  }
  const OpInfo& row = info(match.op);
  const std::array<Half, 2> halves =
      match.exchanged ? std::array<Half, 2>{second, first} : std::array<Half, 2>{first, second};
  const std::array<int, 2> order =
      match.exchanged ? std::array<int, 2>{1, 0} : std::array<int, 2>{0, 1};
  std::array<Operands, 2> operands;
  for (std::size_t h = 0; h < 2; ++h) {
    half_ = order[h];
    operands[h] = readOperands(halves[h]);
  }
  Instruction i;
  i.op = row.op;
  buildPair(row, halves, order, operands, i);
  return encode(i);
}

void InstructionAssembler::buildPair(const OpInfo& row, const std::array<Half, 2>& halves,
                                     const std::array<int, 2>& order,
                                     const std::array<Operands, 2>& o, Instruction& i) {
  const auto enter = [&](std::size_t h, std::size_t least, std::size_t most) {
    half_ = order[h];
    line_ = &halves[h].line;
    expectCount(halves[h], o[h], least, most);
  };
  const bool three = row.format == Format::Op3Store || row.format == Format::MultiplyAdd;
  const bool one = row.format == Format::Op2Store && enhanced_;  // OP R means OP R,R
  enter(0, one ? 1 : 2, three ? 3 : 2);
  switch (row.format) {
    case Format::StoreStore:
      i.reg = registerOf(o[0][0], RegClass::Extended);
      i.a = shortIndirect(o[0][1], Field::Low);
      break;
    case Format::LoadLoad:
    case Format::Op2Store:
      i.a = enhancedOperand(o[0].front(), row.source);
      i.reg = registerOf(o[0].back(), RegClass::Extended);
      break;
    case Format::Op3Store:
      buildOpStore(row, o[0], i);
      break;
    default: {
      i.reg = registerOf(o[0].back(), RegClass::Extended);
      if (i.reg > reg::R1) wrong(o[0].back(), "R0 or R1 as destination of the product");
      const auto operand = [&](const Written& w) -> Operand {
        if (w.kind == Written::Kind::Register) {
          return {.kind = Operand::Kind::Register,
                  .number = registerOf(w, enhanced_ ? row.source : RegClass::Extended)};
        }
        return shortIndirect(w, Field::None);
      };
      i.a = operand(o[0][0]);
      i.b = operand(o[0][1]);
      enter(1, 2, 3);
      i.reg2 = registerOf(o[1].back(), RegClass::Extended);
      if (i.reg2 != reg::R2 && i.reg2 != reg::R3)
        wrong(o[1].back(), "R2 or R3 as destination of the sum");
      i.c = operand(o[1][0]);
      i.d = operand(o[1][1]);
      if (!placeMultiplyAdd(i, enhanced_)) {
        throw SourceError(halves[1].operandsAt,
                          "found operands that fit no form of the pair, expected two registers "
                          "R0-R7 and two indirects "
                          "among the four sources");
      }
      return;
    }
  }
  enter(1, 2, 2);
  if (row.format == Format::LoadLoad) {
    i.c = shortIndirect(o[1][0], Field::High);
    i.reg2 = registerOf(o[1][1], RegClass::Extended);
  } else {
    i.reg2 = registerOf(o[1][0], RegClass::Extended);
    i.c = shortIndirect(o[1][1], Field::High);
  }
}

/// OP3 || STx: one register, one i* operand; SUBx3, ASH3 and LSH3 want the register first.
void InstructionAssembler::buildOpStore(const OpInfo& row, const Operands& o, Instruction& i) {
  i.reg = registerOf(o.back(), RegClass::Extended);
  const auto plain = [&](const Written& w) -> Operand {
    return {.kind = Operand::Kind::Register, .number = registerOf(w, RegClass::Extended)};
  };
  if (row.registerFirst) {
    i.a = plain(o[0]);
    i.b = enhancedOperand(o[1], row.source);
    return;
  }
  const bool swap = o[0].kind == Written::Kind::Register && o[1].kind == Written::Kind::Indirect;
  i.a = enhancedOperand(o[swap ? 1 : 0], row.source);
  i.b = plain(o[swap ? 0 : 1]);
}

}  // namespace rtvp::c32
