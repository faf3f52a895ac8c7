// Decoder and encoder of C32 words (c32.md 4.1 to 4.4). Both walk the fields a Format names.
#include "models/c32/decode.hpp"

#include <array>
#include <utility>

#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

using Kind = Operand::Kind;

constexpr std::uint8_t kNoOp = 0xFF;

/// Up to two candidate rows for each value of bits 31-23 (the delayed twins and IDLE/IDLE2 share
/// theirs).
constexpr auto kCandidates = [] {
  std::array<std::array<std::uint8_t, 2>, 512> index{};
  for (auto& slot : index) slot = {kNoOp, kNoOp};
  for (const OpInfo& row : kInstructions) {
    const std::uint32_t mask = row.mask >> 23, base = row.base >> 23;
    for (std::uint32_t key = base; key < index.size(); ++key) {
      if ((key & mask) != base) continue;
      auto& slot = index[key];
      slot[slot[0] == kNoOp ? 0 : 1] = static_cast<std::uint8_t>(row.op);
    }
  }
  return index;
}();

constexpr std::uint32_t bits(std::uint32_t word, int high, int low) {
  return (word >> low) & ((1u << (high - low + 1)) - 1);
}
constexpr std::uint32_t signExtend16(std::uint32_t value) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(value)));
}
constexpr bool allowed(RegClass cls, std::uint32_t number) {
  return cls == RegClass::Any ? number < reg::kCount : cls == RegClass::Extended && number < 8;
}

bool readRegister(std::uint32_t number, RegClass cls, Field field, Operand& out) {
  if (!allowed(cls, number)) return false;
  out = {.kind = Kind::Register, .field = field, .number = static_cast<std::uint8_t>(number)};
  return true;
}

/// Does this mode take its step from an 8-bit displacement?
constexpr bool hasDisplacement(std::uint32_t m) {
  return m < 8;
}

/// The 8-bit field of three-operand and parallel forms: mode and ARn; displacement 1 is implied.
bool readShort(std::uint32_t field8, Field field, Operand& out) {
  const std::uint32_t m = field8 >> 3;
  if (m > kModeBitReversed) return false;
  out = {.kind = Kind::Indirect, .field = field};
  out.number = static_cast<std::uint8_t>(field8 & 7);
  out.mode = static_cast<std::uint8_t>(m);
  out.value = hasDisplacement(m) ? 1 : 0;
  return true;
}

/// The same field where revision 2 silicon admits a register (E0h | number).
bool readEnhanced(std::uint32_t field8, RegClass cls, Field field, Operand& out) {
  if ((field8 & 0xE0) == 0xE0) return readRegister(field8 & 0x1F, cls, field, out);
  return readShort(field8, field, out);
}

/// The register-or-indirect field of three-operand forms.
bool readThree(std::uint32_t field8, bool indirect, RegClass cls, Field field, Operand& out) {
  return indirect ? readShort(field8, field, out) : readRegister(field8, cls, field, out);
}

bool readSource(std::uint32_t word, const OpInfo& row, Operand& out) {
  const std::uint32_t g = bits(word, 22, 21), low = word & 0xFFFF;
  if ((row.modes >> g & 1) == 0) return false;
  switch (g) {
    case 0:
      return readRegister(low, row.source, Field::Low, out);
    case 1:
      out = {.kind = Kind::Direct, .field = Field::Low, .value = low};
      return true;
    case 2:
      if (!readShort(low >> 8, Field::Low, out)) return false;
      if (!hasDisplacement(out.mode)) return (low & 0xFF) == 0;
      out.value = low & 0xFF;
      return true;
    default:
      out = {.kind = Kind::Immediate, .field = Field::Low};
      out.value = row.immediate == Immediate::Signed ? signExtend16(low) : low;
      return true;
  }
}

bool readReg(std::uint32_t number, RegClass cls, std::uint8_t& out) {
  out = static_cast<std::uint8_t>(number);
  return allowed(cls, number);
}

bool readCond(std::uint32_t code, Cond& out) {
  out = static_cast<Cond>(code);
  return condDefined(code);
}

bool readTarget(std::uint32_t word, Operand& out) {
  if (bits(word, 25, 25) == 0) return readRegister(word & 0xFFFF, RegClass::Any, Field::Low, out);
  out = {.kind = Kind::Relative, .field = Field::Low, .value = signExtend16(word & 0xFFFF)};
  return true;
}

Operand extended(std::uint32_t number) {
  return {.kind = Kind::Register, .number = static_cast<std::uint8_t>(number)};
}

bool readMultiplyAdd(std::uint32_t word, const OpInfo& row, Instruction& i) {
  i.parallel = static_cast<std::uint8_t>(bits(word, 25, 24));
  i.reg = static_cast<std::uint8_t>(bits(word, 23, 23));
  i.reg2 = static_cast<std::uint8_t>(2 + bits(word, 22, 22));
  const Operand src1 = extended(bits(word, 21, 19)), src2 = extended(bits(word, 18, 16));
  Operand src3, src4;
  if (!readEnhanced(bits(word, 15, 8), row.source, Field::High, src3)) return false;
  if (!readEnhanced(bits(word, 7, 0), row.source, Field::Low, src4)) return false;
  // Written order of c32.md 4.4.5: a, b the factors; c first and d second operand of the other
  // half.
  switch (i.parallel) {
    case 0:
      i.a = src4, i.b = src3, i.c = src2, i.d = src1;
      break;
    case 1:
      i.a = src3, i.b = src1, i.c = src2, i.d = src4;
      break;
    case 2:
      i.a = src2, i.b = src1, i.c = src4, i.d = src3;
      break;
    default:
      i.a = src3, i.b = src1, i.c = src4, i.d = src2;
      break;
  }
  return true;
}

bool readParallel(std::uint32_t word, const OpInfo& row, Instruction& i) {
  const std::uint32_t low = word & 0xFF, high = bits(word, 15, 8);
  const std::uint32_t f24 = bits(word, 24, 22), f21 = bits(word, 21, 19), f18 = bits(word, 18, 16);
  i.reg = static_cast<std::uint8_t>(f24);
  i.reg2 = static_cast<std::uint8_t>(row.format == Format::LoadLoad ? f21 : f18);
  switch (row.format) {
    case Format::MultiplyAdd:
      return readMultiplyAdd(word, row, i);
    case Format::StoreStore:
      return readShort(low, Field::Low, i.a) && readShort(high, Field::High, i.c);
    case Format::Op3Store: {
      Operand& memory = row.registerFirst ? i.b : i.a;
      (row.registerFirst ? i.a : i.b) = extended(f21);
      return readEnhanced(low, row.source, Field::Low, memory) && readShort(high, Field::High, i.c);
    }
    default:  // Op2Store, LoadLoad
      return readEnhanced(low, row.source, Field::Low, i.a) && readShort(high, Field::High, i.c);
  }
}

bool readFields(std::uint32_t word, const OpInfo& row, Instruction& i) {
  const std::uint32_t f20 = bits(word, 20, 16);
  switch (row.format) {
    case Format::General:
      return readReg(f20, row.destination, i.reg) && readSource(word, row, i.a);
    case Format::Store:
      return readReg(f20, row.source, i.reg) && readSource(word, row, i.a);
    case Format::CondLoad:
      return readCond(bits(word, 27, 23), i.cond) && readReg(f20, row.destination, i.reg) &&
             readSource(word, row, i.a);
    case Format::Rotate:
    case Format::Stack:
      return readReg(f20, row.writesRegister ? row.destination : row.source, i.reg);
    case Format::Whole:
      return true;
    case Format::Nop:
    case Format::Source:
      i.reg = static_cast<std::uint8_t>(f20);
      return readSource(word, row, i.a);
    case Format::Three:
    case Format::ThreeCompare:
      return (row.format == Format::ThreeCompare || readReg(f20, row.destination, i.reg)) &&
             readThree(word & 0xFF, bits(word, 22, 22) != 0, row.source, Field::Low, i.a) &&
             readThree(bits(word, 15, 8), bits(word, 21, 21) != 0, row.source, Field::High, i.b);
    case Format::Absolute:
      i.a = {.kind = Kind::Absolute, .field = Field::Low, .value = word & kAddressMask};
      return true;
    case Format::DecBranch:
      i.reg = static_cast<std::uint8_t>(reg::AR0 + bits(word, 24, 22));
      [[fallthrough]];
    case Format::Branch:
      return readCond(f20, i.cond) && readTarget(word, i.a);
    case Format::Trap:
      i.a = {.kind = Kind::Immediate, .field = Field::Low, .value = word & 0x1F};
      return readCond(f20, i.cond);
    case Format::Return:
      return readCond(f20, i.cond);
    default:
      return readParallel(word, row, i);
  }
}

// --- encoder -------------------------------------------------------------------------------------

std::uint32_t shortField(const Operand& o) {
  if (o.kind == Kind::Register) return 0xE0u | o.number;
  return static_cast<std::uint32_t>(o.mode << 3 | o.number) & 0xFF;
}

std::uint32_t threeField(const Operand& o) {
  return o.kind == Kind::Register ? o.number : shortField(o);
}

std::uint32_t sourceField(const Operand& o) {
  switch (o.kind) {
    case Kind::Register:
      return o.number;
    case Kind::Direct:
      return 1u << 21 | (o.value & 0xFFFF);
    case Kind::Indirect:
      return 2u << 21 | shortField(o) << 8 | (hasDisplacement(o.mode) ? o.value & 0xFF : 0);
    case Kind::Immediate:
      return 3u << 21 | (o.value & 0xFFFF);
    default:
      return 0;
  }
}

std::uint32_t targetField(const Operand& o) {
  return o.kind == Kind::Relative ? 1u << 25 | (o.value & 0xFFFF) : o.number;
}

std::uint32_t multiplyAddFields(const Instruction& i) {
  const Operand *src1 = &i.d, *src2 = &i.c, *src3 = &i.b, *src4 = &i.a;
  switch (i.parallel & 3) {
    case 0:
      break;
    case 1:
      src3 = &i.a, src1 = &i.b, src4 = &i.d;
      break;
    case 2:
      src2 = &i.a, src1 = &i.b, src4 = &i.c, src3 = &i.d;
      break;
    default:
      src3 = &i.a, src1 = &i.b, src4 = &i.c, src2 = &i.d;
      break;
  }
  return (i.parallel & 3u) << 24 | (i.reg & 1u) << 23 | (i.reg2 & 1u) << 22 |
         (src1->number & 7u) << 19 | (src2->number & 7u) << 16 | shortField(*src3) << 8 |
         shortField(*src4);
}

std::uint32_t parallelFields(const OpInfo& row, const Instruction& i) {
  if (row.format == Format::MultiplyAdd) return multiplyAddFields(i);
  const Operand& memory = row.registerFirst ? i.b : i.a;
  const Operand& source1 = row.registerFirst ? i.a : i.b;
  std::uint32_t word = (i.reg & 7u) << 22 | shortField(i.c) << 8 | shortField(memory);
  word |= (i.reg2 & 7u) << (row.format == Format::LoadLoad ? 19 : 16);
  if (row.format == Format::Op3Store) word |= (source1.number & 7u) << 19;
  return word;
}

}  // namespace

std::optional<Instruction> decode(std::uint32_t word) {
  for (const std::uint8_t candidate : kCandidates[word >> 23]) {
    if (candidate == kNoOp) break;
    const OpInfo& row = kInstructions[candidate];
    if ((word & row.mask) != row.base) continue;
    Instruction i;
    i.op = row.op;
    i.word = word;
    if (!readFields(word, row, i)) return std::nullopt;
    return i;
  }
  return std::nullopt;
}

std::uint32_t encode(const Instruction& i) {
  const OpInfo& row = info(i.op);
  const std::uint32_t f20 = (i.reg & 0x1Fu) << 16, cond = static_cast<std::uint32_t>(i.cond);
  switch (row.format) {
    case Format::General:
    case Format::Store:
      return row.base | f20 | sourceField(i.a);
    case Format::CondLoad:
      return row.base | cond << 23 | f20 | sourceField(i.a);
    case Format::Rotate:
    case Format::Stack:
      return row.base | f20;
    case Format::Whole:
      return row.base;
    case Format::Nop:
    case Format::Source:
      return row.base | sourceField(i.a);
    case Format::Three:
    case Format::ThreeCompare:
      return row.base | (row.format == Format::Three ? f20 : 0) |
             (i.a.kind == Kind::Indirect ? 1u << 22 : 0) |
             (i.b.kind == Kind::Indirect ? 1u << 21 : 0) | threeField(i.b) << 8 | threeField(i.a);
    case Format::Absolute:
      return row.base | (i.a.value & kAddressMask);
    case Format::Branch:
      return row.base | cond << 16 | targetField(i.a);
    case Format::DecBranch:
      return row.base | cond << 16 | (i.reg & 7u) << 22 | targetField(i.a);
    case Format::Trap:
      return row.base | cond << 16 | (i.a.value & 0x1F);
    case Format::Return:
      return row.base | cond << 16;
    default:
      return row.base | parallelFields(row, i);
  }
}

std::optional<std::uint32_t> branchTarget(const Instruction& i, std::uint32_t pc) {
  if (i.a.kind == Kind::Absolute) return i.a.value;
  if (i.a.kind != Kind::Relative) return std::nullopt;
  return (pc + (info(i.op).delayed ? 3u : 1u) + i.a.value) & kAddressMask;
}

bool placeMultiplyAdd(Instruction& i, bool enhanced) {
  const auto isRegister = [](const Operand& o) { return o.kind == Kind::Register && o.number < 8; };
  const RegClass cls = info(i.op).source;
  const auto isShort = [&](const Operand& o) {
    return o.kind == Kind::Indirect ||
           (enhanced && o.kind == Kind::Register && allowed(cls, o.number));
  };
  // A product does not care which factor is the indirect one; the word has it in src3.
  const auto orderFactors = [&] {
    if (isShort(i.a) && isRegister(i.b)) return true;
    if (!isShort(i.b) || !isRegister(i.a)) return false;
    std::swap(i.a, i.b);
    return true;
  };
  if (isShort(i.a) && isShort(i.b) && isRegister(i.c) && isRegister(i.d)) {
    i.parallel = 0;
    i.a.field = Field::Low, i.b.field = Field::High;
  } else if (isRegister(i.c) && isShort(i.d) && orderFactors()) {
    i.parallel = 1;
    i.a.field = Field::High, i.d.field = Field::Low;
  } else if (isRegister(i.a) && isRegister(i.b) && isShort(i.c) && isShort(i.d)) {
    i.parallel = 2;
    i.c.field = Field::Low, i.d.field = Field::High;
  } else if (isShort(i.c) && isRegister(i.d) && orderFactors()) {
    i.parallel = 3;
    i.a.field = Field::High, i.c.field = Field::Low;
  } else {
    return false;
  }
  return true;
}

}  // namespace rtvp::c32
