// From the instruction table's view of a word to the engine's: handler, operand fields, pipeline
// groups.
#include "models/c32/cpu_execute.hpp"
#include "models/c32/cpu_sequence.hpp"
#include "models/c32/decode.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32 {
namespace {

/// Group of 7.4 a register belongs to, or 0.
constexpr std::uint8_t groupOf(unsigned number) {
  switch (number) {
    case reg::DP:
      return kGroupDp;
    case reg::SP:
      return kGroupSp;
    case reg::IR0:
    case reg::IR1:
    case reg::BK:
      return kGroupAr;
    default:
      return number >= reg::AR0 && number <= reg::AR7 ? kGroupAr : 0;
  }
}

OperandSpec indirectSpec(const Operand& o) {
  OperandSpec spec;
  spec.reg = static_cast<std::uint8_t>(reg::AR0 + o.number);
  spec.mode = o.mode;
  const IndirectMode mode = indirectMode(o.mode);
  const auto displacement = static_cast<std::int32_t>(o.value);
  if (o.mode == kModePlain) {
    spec.access = Access::Indirect;
  } else if (mode.index == IndirectMode::Index::Displacement && !mode.circular) {
    const std::int32_t step = mode.subtract ? -displacement : displacement;
    spec.access = Access::Indirect;
    if (mode.useModified) spec.value = step;
    if (mode.update) spec.step = step;
  } else {
    spec.access = Access::Indexed;
    spec.value = displacement;
  }
  return spec;
}

OperandSpec specOf(const Operand& o, Immediate immediate) {
  OperandSpec spec;
  switch (o.kind) {
    case Operand::Kind::None:
      return spec;
    case Operand::Kind::Register:
      spec.access = Access::Register;
      spec.reg = o.number;
      return spec;
    case Operand::Kind::Direct:
      spec.access = Access::Direct;
      spec.value = static_cast<std::int32_t>(o.value);
      return spec;
    case Operand::Kind::Indirect:
      return indirectSpec(o);
    case Operand::Kind::Relative:
      spec.access = Access::Relative;
      spec.value = static_cast<std::int32_t>(o.value);
      return spec;
    default:
      spec.access = Access::Constant;
      spec.value = static_cast<std::int32_t>(o.value);
      if (immediate == Immediate::Float) {
        const Float40 x = extendedFromShort(o.value);
        spec.exponent = x.exponent;
        spec.value = static_cast<std::int32_t>(x.mantissa);
      }
      return spec;
  }
}

/// Register operands read in the E stage, as a mask.
std::uint32_t registersRead(const Instruction& i, const OpInfo& row) {
  std::uint32_t mask = 0;
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
    if (o->kind == Operand::Kind::Register) mask |= 1u << o->number;
  }
  const std::uint32_t own = 1u << (i.reg & 31u);
  switch (row.format) {
    case Format::Store:
    case Format::Rotate:
      mask |= own;
      break;
    case Format::Stack:
      if (!row.writesRegister) mask |= own;
      break;
    case Format::General:
      switch (i.op) {
        case Op::ABSI:
        case Op::FIX:
        case Op::LDI:
        case Op::LDII:
        case Op::NEGB:
        case Op::NEGI:
        case Op::NOT:
          break;
        default:
          mask |= own;  // dst OP src; float ones have R0-R7, which nobody asks about
      }
      break;
    default:
      break;
  }
  return mask;
}

/// Waits within an instruction, and changes of the clock.
bool isRare(Op op) {
  switch (op) {
    case Op::LDFI:
    case Op::LDII:
    case Op::STFI:
    case Op::STII:
    case Op::SIGI:
    case Op::LOPOWER:
    case Op::MAXSPEED:
      return true;
    default:
      return false;
  }
}

/// True if an instruction does nothing but compute, move data and go on to the next one.
bool goesStraight(const Instruction& i, const OpInfo& row) {
  constexpr std::uint32_t kWatched = 1u << reg::ST | 1u << reg::IE | 1u << reg::IF | 1u << reg::RE;
  if (row.writesRegister && row.destination == RegClass::Any && (kWatched >> i.reg & 1u) != 0) {
    return false;
  }
  if (Execute::arithmetic(i) != nullptr || Execute::parallel(i) != nullptr) return true;
  switch (i.op) {
    case Op::STI:
    case Op::STF:
    case Op::PUSH:
    case Op::PUSHF:
    case Op::POP:
    case Op::POPF:
    case Op::NOP:
      return true;
    default:
      return false;
  }
}

void fillPipeline(MicroOp& op, const Instruction& i, const OpInfo& row) {
  const bool branch = row.format == Format::Branch || row.format == Format::DecBranch;
  for (const OperandSpec* spec : {&op.low, &op.high}) {
    if (!isMemory(spec->access)) continue;
    op.uses |= spec->access == Access::Direct ? kGroupDp : kGroupAr;
  }
  if (row.format == Format::DecBranch) op.uses |= kGroupAr;
  switch (i.op) {
    case Op::PUSH:
    case Op::PUSHF:
    case Op::POP:
    case Op::POPF:
    case Op::CALL:
    case Op::CALLcond:
    case Op::TRAPcond:
    case Op::RETIcond:
    case Op::RETScond:
      op.uses |= kGroupSp;
      break;
    default:
      break;
  }
  if (row.writesRegister && row.destination == RegClass::Any) op.writes = groupOf(i.reg);
  const std::uint32_t read = registersRead(i, row);
  // A branch reads its target register in E without an extra conflict (7.4).
  for (unsigned n = 0; n < reg::kCount && !branch; ++n) {
    if ((read >> n & 1u) != 0) op.reads |= groupOf(n);
  }
  if ((read >> reg::IOF & 1u) != 0) op.special |= kReadsIof;
  if (row.control) op.special |= kControl;
  if (row.delayed) {
    op.special |= kDelayed;
  } else if (!goesStraight(i, row)) {
    op.special |= kStop | kLeaves;
  }
  const bool drivesPins =
      row.writesRegister && row.destination == RegClass::Any && i.reg == reg::IOF;
  if ((op.special & kReadsIof) != 0 || drivesPins) op.special |= kStop;
  if (isRare(i.op)) op.special |= kStop | kRare;
}

/// How many words the operands read and write in memory.
void countAccesses(MicroOp& op, const OpInfo& row) {
  const unsigned memory =
      (isMemory(op.low.access) ? 1u : 0u) + (isMemory(op.high.access) ? 1u : 0u);
  unsigned writes = 0;
  unsigned reads = memory;
  switch (row.format) {
    case Format::Store:
      writes = 1;
      reads = 0;
      break;
    case Format::Op2Store:
    case Format::Op3Store:
      writes = 1;
      reads = memory - 1;
      break;
    case Format::StoreStore:
      writes = 2;
      reads = 0;
      break;
    case Format::Stack:
      (row.writesRegister ? reads : writes) = 1;
      break;
    default:
      break;
  }
  op.dataReads = static_cast<std::uint8_t>(reads);
  op.dataWrites = static_cast<std::uint8_t>(writes);
}

void fillFields(MicroOp& op, const Instruction& i, const OpInfo& row) {
  op.reg = i.reg;
  op.reg2 = i.reg2;
  op.cond = static_cast<std::uint8_t>(i.cond);
  const auto place = [&](const Operand& o) {
    (o.field == Field::High ? op.high : op.low) = specOf(o, row.immediate);
  };
  switch (row.format) {
    case Format::MultiplyAdd: {
      for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
        if (o->field != Field::None) place(*o);
      }
      op.reg3 = static_cast<std::uint8_t>((i.word >> 19) & 7u);  // src1, src2 of 4.4.5
      op.reg4 = static_cast<std::uint8_t>((i.word >> 16) & 7u);
      break;
    }
    case Format::Op3Store: {
      const Operand& memory = row.registerFirst ? i.b : i.a;
      const Operand& other = row.registerFirst ? i.a : i.b;
      place(memory);
      place(i.c);
      op.reg3 = other.number;
      break;
    }
    case Format::Op2Store:
    case Format::LoadLoad:
    case Format::StoreStore:
      place(i.a);
      place(i.c);
      break;
    default:
      place(i.a);
      if (i.b.kind != Operand::Kind::None) place(i.b);
      break;
  }
  // The displacement counts from the word after the branch, or after its three slots.
  if (i.a.kind == Operand::Kind::Relative) op.low.value += row.delayed ? 3 : 1;
}

}  // namespace

Execute::Path Execute::pathFor(const Instruction& i) {
  std::uint32_t used = 0;
  for (const Operand* o : {&i.a, &i.b, &i.c, &i.d}) {
    if (o->kind != Operand::Kind::Indirect) continue;
    if (indirectSpec(*o).access == Access::Indexed || (used >> o->number & 1u) != 0) {
      return Path::Whole;
    }
    used |= 1u << o->number;
  }
  return Path::Quick;
}

MicroOp makeMicroOp(std::uint32_t word) {
  MicroOp op;
  op.word = word;
  const std::optional<Instruction> i = decode(word);
  if (!i) {
    op.special = kStop | kRare;
    op.execute = Execute::control(Instruction{});
    return op;
  }
  const OpInfo& row = info(i->op);
  fillFields(op, *i, row);
  fillPipeline(op, *i, row);
  countAccesses(op, row);
  op.execute = Execute::arithmetic(*i);
  if (op.execute == nullptr) op.execute = Execute::parallel(*i);
  if (op.execute == nullptr) op.execute = Execute::control(*i);
  return op;
}

DecodePool::DecodePool() : sequences_(std::make_shared<SequencePool>()) {
  ops_.reserve(kMaxEntries + 1);
  ops_.emplace_back().special = kStop | kRare;
}

const MicroOp* DecodePool::lookup(std::uint32_t word, MicroOp& scratch) {
  const MicroOp*& recent = recent_[(word ^ (word >> 8) ^ (word >> 20)) % kRecent];
  if (recent != nullptr && recent->word == word) return recent;
  const auto found = index_.find(word);
  if (found != index_.end()) return recent = found->second;
  if (ops_.size() > kMaxEntries) {
    scratch = makeMicroOp(word);
    return &scratch;
  }
  recent = &ops_.emplace_back(makeMicroOp(word));
  index_.emplace(word, recent);
  return recent;
}

}  // namespace rtvp::c32
