#include "models/c32/translate/plan.hpp"

#include "models/c32/decode.hpp"
#include "models/c32/integer_ops.hpp"
#include "models/c32/isa_table.hpp"

namespace rtvp::c32::translate {
namespace {

constexpr std::size_t kMostSteps = 48;
constexpr std::size_t kMostOfRounds = 16;  ///< instructions of a repeat block's rounds in one block

bool isIndirect(const Operand& o) {
  return o.kind == Operand::Kind::Indirect;
}

bool addressable(const Operand& o) {
  return !isIndirect(o) || !indirectMode(o.mode).bitReversed;
}

/// A shift by a constant that one host instruction does, C included.
bool easyShift(const Step& s) {
  const Operand& count = s.i.a;
  if (count.kind != Operand::Kind::Immediate) return false;
  const int n = shiftCount(count.value);
  if (s.function == Function::Ash && n > 0) return false;
  return n > -32 && n < 32;
}

bool isShift(Function f) {
  return f == Function::Lsh || f == Function::Ash;
}

/// Only registers and constants, and nothing that the run loop watches.
bool callable(const Step& s) {
  constexpr std::uint8_t kWatched = kStop | kRare | kDelayed | kControl | kReadsIof;
  return (s.op.special & kWatched) == 0 && s.op.dataReads + s.op.dataWrites == 0 &&
         !isMemory(s.op.low.access) && !isMemory(s.op.high.access);
}

Form branchForm(Op op) {
  switch (op) {
    case Op::BR:
    case Op::BRD:
    case Op::Bcond:
    case Op::BcondD:
    case Op::DBcond:
    case Op::DBcondD:
      return Form::Branch;
    case Op::CALL:
      return Form::Subroutine;
    case Op::RETScond:
      return Form::Return;
    case Op::RPTB:
      return Form::Repeat;
    default:
      return Form::Unknown;
  }
}

Form plainForm(const Step& s, const OpInfo& row) {
  switch (s.i.op) {
    case Op::STI:
    case Op::STF:
      return Form::Store;
    case Op::PUSH:
    case Op::PUSHF:
      return Form::Push;
    case Op::POP:
    case Op::POPF:
      return Form::Pop;
    case Op::NOP:
      return Form::Nop;
    case Op::LDIcond:
    case Op::LDFcond:
      return Form::Conditional;
    case Op::STF_STF:
    case Op::STI_STI:
      return Form::StoreStore;
    case Op::LDF_LDF:
    case Op::LDI_LDI:
      return Form::LoadLoad;
    default:
      break;
  }
  const bool known = functionOf(s.i.op).has_value();
  switch (row.format) {
    case Format::MultiplyAdd:
      return s.i.op == Op::MPYF3_ADDF3 || s.i.op == Op::MPYF3_SUBF3 ? Form::MultiplyAdd
                                                                    : Form::Unknown;
    case Format::Op2Store:
    case Format::Op3Store:
      return known && !isShift(*functionOf(s.i.op)) ? Form::OpStore : Form::Unknown;
    case Format::General:
      return known ? Form::General : Form::Unknown;
    case Format::Three:
    case Format::ThreeCompare:
      return known && !isShift(*functionOf(s.i.op)) ? Form::Three : Form::Unknown;
    default:
      return Form::Unknown;
  }
}

Form formOf(Step& s) {
  const OpInfo& row = info(s.i.op);
  if ((s.op.special & kRare) != 0 || (s.op.special & kReadsIof) != 0) return Form::Unknown;
  if (const Form branch = branchForm(s.i.op); branch != Form::Unknown) return branch;
  if ((s.op.special & (kStop | kControl)) != 0) return Form::Unknown;
  for (const Operand* o : {&s.i.a, &s.i.b, &s.i.c, &s.i.d}) {
    if (!addressable(*o)) return Form::Unknown;
  }
  s.function = functionOf(s.i.op).value_or(Function::Ldi);
  const Form form = plainForm(s, row);
  if (form == Form::General && isShift(s.function) && !easyShift(s))
    return callable(s) ? Form::Call : Form::Unknown;
  if (form != Form::Unknown) return form;
  return callable(s) ? Form::Call : Form::Unknown;
}

bool namesStatus(const Step& s) {
  for (const Operand* o : {&s.i.a, &s.i.b, &s.i.c, &s.i.d}) {
    if (o->kind == Operand::Kind::Register && o->number == reg::ST) return true;
  }
  const bool stores = s.form == Form::Store || s.form == Form::Push || s.form == Form::General;
  return stores && s.i.reg == reg::ST;
}

/// Flags that an instruction looks at.
std::uint8_t readFlags(const Step& s) {
  if (s.form == Form::Call || namesStatus(s)) return kAllFlags;
  const bool conditional =
      s.form == Form::Conditional || s.form == Form::Branch || s.form == Form::Return;
  if (conditional && s.op.cond != 0) return kAllFlags;
  const bool computes = s.form == Form::General || s.form == Form::Three || s.form == Form::OpStore;
  const bool carry = s.function == Function::Addc || s.function == Function::Subb;
  return computes && carry ? kCarryFlag : 0;
}

/// Whether the result of General, Three, OpStore goes where flags follow.
bool changesFlags(const Step& s) {
  switch (s.form) {
    case Form::General:
    case Form::Three:
      return isCompare(s.function) || s.i.reg < 8;
    case Form::OpStore:
      return !(s.i.op == Op::LDF_STF || s.i.op == Op::LDI_STI);
    case Form::MultiplyAdd:
      return true;
    case Form::Pop:
      return s.i.reg < 8;
    default:
      return false;
  }
}

std::uint8_t writtenFlags(const Step& s) {
  if (!changesFlags(s)) return 0;
  if (s.form == Form::Pop || s.form == Form::MultiplyAdd) return kOtherFlags;
  return setsCarry(s.function) ? kAllFlags : kOtherFlags;
}

bool canLeave(const Step& s) {
  if (s.form == Form::Call || s.form == Form::Branch) return false;
  if (s.op.dataReads + s.op.dataWrites != 0 || s.form == Form::Subroutine ||
      s.form == Form::Return || isMemory(s.op.low.access) || isMemory(s.op.high.access)) {
    return true;
  }
  return isFloat(s.function) && s.function != Function::Ldf;
}

/// A register operand is one that an address changes: the order of the two counts.
bool entangled(const Step& s) {
  const bool reads = s.form == Form::Store || s.form == Form::Conditional ||
                     (s.form == Form::General && !isUnary(s.function));
  for (const Operand* o : {&s.i.a, &s.i.b, &s.i.c, &s.i.d}) {
    if (!isIndirect(*o) || !indirectMode(o->mode).update) continue;
    const unsigned ar = reg::AR0 + o->number;
    if (reads && s.i.reg == ar) return true;
    for (const Operand* other : {&s.i.a, &s.i.b, &s.i.c, &s.i.d}) {
      if (other->kind == Operand::Kind::Register && other->number == ar) return true;
    }
  }
  return false;
}

/// From the end to the begin: who looks at whose flags.
void followFlags(std::vector<Step>& steps) {
  std::uint8_t used = kAllFlags;
  std::uint8_t leaving = kAllFlags;
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    const std::uint8_t written = writtenFlags(*s);
    if (s->goesRound) leaving = kAllFlags;  // behind the last round
    s->used = used & written;
    s->atLeave = leaving & written;
    used = static_cast<std::uint8_t>((used & ~written) | readFlags(*s));
    // A block may also be left for want of time, by addresses that are not ready.
    leaving = static_cast<std::uint8_t>((leaving & ~written) |
                                        (s->mayLeave || s->op.uses != 0 ? kAllFlags : 0));
  }
}

}  // namespace

bool isFloat(Function f) {
  return f >= Function::Addf;
}
bool isSum(Function f) {
  return f == Function::Addf || f == Function::Subf || f == Function::Subrf;
}
bool isCompare(Function f) {
  return f == Function::Tstb || f == Function::Cmpi || f == Function::Cmpf;
}
bool isUnary(Function f) {
  return f == Function::Ldi || f == Function::Ldf || f == Function::Not || f == Function::Negi;
}
bool setsCarry(Function f) {
  switch (f) {
    case Function::Addi:
    case Function::Addc:
    case Function::Subi:
    case Function::Subb:
    case Function::Subri:
    case Function::Negi:
    case Function::Cmpi:
    case Function::Lsh:
    case Function::Ash:
      return true;
    default:
      return false;
  }
}

std::optional<Function> functionOf(Op op) {
  switch (op) {
    case Op::ADDI:
    case Op::ADDI3:
    case Op::ADDI3_STI:
      return Function::Addi;
    case Op::ADDC:
    case Op::ADDC3:
      return Function::Addc;
    case Op::SUBI:
    case Op::SUBI3:
    case Op::SUBI3_STI:
      return Function::Subi;
    case Op::SUBB:
    case Op::SUBB3:
      return Function::Subb;
    case Op::SUBRI:
      return Function::Subri;
    case Op::MPYI:
    case Op::MPYI3:
    case Op::MPYI3_STI:
      return Function::Mpyi;
    case Op::AND:
    case Op::AND3:
    case Op::AND3_STI:
      return Function::And;
    case Op::ANDN:
    case Op::ANDN3:
      return Function::Andn;
    case Op::OR:
    case Op::OR3:
    case Op::OR3_STI:
      return Function::Or;
    case Op::XOR:
    case Op::XOR3:
    case Op::XOR3_STI:
      return Function::Xor;
    case Op::NOT:
    case Op::NOT_STI:
      return Function::Not;
    case Op::LDI:
    case Op::LDI_STI:
      return Function::Ldi;
    case Op::LSH:
    case Op::LSH3:
    case Op::LSH3_STI:
      return Function::Lsh;
    case Op::ASH:
    case Op::ASH3:
    case Op::ASH3_STI:
      return Function::Ash;
    case Op::NEGI:
    case Op::NEGI_STI:
      return Function::Negi;
    case Op::TSTB:
    case Op::TSTB3:
      return Function::Tstb;
    case Op::CMPI:
    case Op::CMPI3:
      return Function::Cmpi;
    case Op::ADDF:
    case Op::ADDF3:
    case Op::ADDF3_STF:
      return Function::Addf;
    case Op::SUBF:
    case Op::SUBF3:
    case Op::SUBF3_STF:
      return Function::Subf;
    case Op::SUBRF:
      return Function::Subrf;
    case Op::MPYF:
    case Op::MPYF3:
    case Op::MPYF3_STF:
    case Op::MPYF3_ADDF3:
    case Op::MPYF3_SUBF3:
      return Function::Mpyf;
    case Op::LDF:
    case Op::LDF_STF:
      return Function::Ldf;
    case Op::CMPF:
    case Op::CMPF3:
      return Function::Cmpf;
    default:
      return std::nullopt;
  }
}

Plan planOf(const Key& key, const FetchWord& fetch, bool loops) {
  Plan plan;
  std::size_t rounds = 0;
  std::uint32_t pc = key.pc;
  unsigned slots = 0;  // of a delayed branch, still to come
  while (plan.steps.size() < kMostSteps || slots != 0) {
    const std::optional<std::uint32_t> word = fetch(pc);
    const std::optional<Instruction> i = word ? decode(*word) : std::nullopt;
    if (!i) break;
    Step s;
    s.pc = pc;
    s.i = *i;
    s.op = makeMicroOp(*word);
    s.form = formOf(s);
    const bool control = (s.op.special & (kControl | kDelayed)) != 0;
    const bool last = pc == key.repeatEnd;
    if (s.form == Form::Unknown || entangled(s) || ((control || slots != 0) && last) ||
        (control && slots != 0))
      break;
    s.mayLeave = canLeave(s);
    plan.steps.push_back(s);
    pc = (pc + 1) & kAddressMask;
    if ((s.op.special & kDelayed) != 0) {
      slots = 3;
      plan.branches = true;
    } else if (control) {
      plan.branches = true;
      break;
    } else if (slots != 0) {
      if (--slots == 0) break;
    } else if (last) {
      // Some rounds of a short body in one go.
      if (!loops || plan.steps.size() + plan.steps.size() / ++rounds > kMostOfRounds) break;
      plan.steps.back().goesRound = true;
      pc = key.pc;
    }
  }
  followFlags(plan.steps);
  return plan;
}

}  // namespace rtvp::c32::translate
