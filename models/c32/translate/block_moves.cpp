// Stores, conditional loads, parallel pairs and the stack in translated code.
#include <cstddef>

#include "models/c32/isa_table.hpp"
#include "models/c32/translate/block_code.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

const Gp kCpu = rbx;

struct Condition {
  std::uint32_t flags = 0;
  bool inverted = false;  ///< holds if none of them is set
};

/// Every condition asks whether any of some flags is set (c32.md 5).
Condition conditionOf(unsigned code) {
  for (const bool inverted : {false, true}) {
    std::uint32_t flags = 0;
    for (std::uint32_t flag = kC; flag <= kLUF; flag <<= 1) {
      if (evaluateCondition(code, flag) != inverted) flags |= flag;
    }
    if (evaluateCondition(code, 0) == inverted) return {flags, inverted};
  }
  return {};
}

}  // namespace

/// The host's flags say whether the condition holds: the condition to jump by.
CondCode BlockCode::testCondition(unsigned code) {
  const Condition c = conditionOf(code);
  const CondCode holds = testAny(c.flags);
  return c.inverted ? negateCond(holds) : holds;
}

/// Any of these flags of ST is set. Straight from where they were made a branch is decided some ten
/// cycles earlier than by way of memory, which is what a wrong guess of the host costs more.
CondCode BlockCode::testAny(std::uint32_t flags) {
  const bool fresh = fresh_.at == a_.offset();
  if (fresh && fresh_.what == Fresh::Word && (flags & ~(kN | kZ)) == 0) {
    a_.test(ecx, ecx);
    return flags == kZ ? CondCode::kZero : flags == kN ? CondCode::kSign : CondCode::kSignedLE;
  }
  if (fresh && fresh_.what == Fresh::Ah && (flags & ~(kN | kZ | kC)) == 0) {
    a_.test(ah, ((flags & kN) != 0 ? 0x80 : 0) | ((flags & kZ) != 0 ? 0x40 : 0) |
                    ((flags & kC) != 0 ? 0x01 : 0));
  } else if (fresh) {
    a_.test(edx, flags);
  } else {
    a_.test(member(layout_.reg + 4 * static_cast<std::int32_t>(reg::ST), 1), flags);
  }
  return CondCode::kNotEqual;
}

/// LDIcond, LDFcond: access and ARn always, the register if the condition holds.
void BlockCode::conditional(const Step& s) {
  const bool isFloating = s.i.op == Op::LDFcond;
  Places p;
  placesOf(p, s.i.a, Operand{});
  if (isFloating) {
    intoFloat(eax, edx, s.i.a, p.first);
  } else {
    intoInteger(eax, s.i.a, p.first);
  }
  commitReads(p);
  if (s.op.cond != 0) {
    a_.mov(ecx, reg(s.i.reg));
    if (isFloating) a_.movsx(esi, exponent(s.i.reg));
    const CondCode holds = testCondition(s.op.cond);
    a_.emit(Inst::cmovccFromCond(holds), ecx, eax);
    if (isFloating) a_.emit(Inst::cmovccFromCond(holds), esi, edx);
    a_.mov(eax, ecx);
    if (isFloating) a_.mov(edx, esi);
  }
  if (isFloating) {
    intoExtended(s.i.reg);
  } else {
    a_.mov(reg(s.i.reg), eax);
  }
}

/// The word that a store of register `number` writes, into ecx. Changes esi.
void BlockCode::storedWord(bool isFloating, unsigned number) {
  if (isFloating) {
    singleOf(ecx, esi, number);
  } else {
    a_.mov(ecx, reg(number));
  }
}

void BlockCode::storeRegister(const Step& s) {
  Places p;
  placesOf(p, s.i.a, Operand{});
  const bool stays = a_.offset() == result_.behind;
  checkStore(*p.first);
  if (stays && s.i.op == Op::STF && s.i.reg == result_.reg) {
    a_.mov(ecx, edx);
    a_.mov(esi, eax);
    singleFrom(ecx, esi);
  } else {
    storedWord(s.i.op == Op::STF, s.i.reg);
  }
  store(*p.first, ecx);
  charge(*p.first, true);
  update(*p.first);
  if (stays) result_.behind = a_.offset();
}

void BlockCode::nop(const Step& s) {
  Places p;
  placesOf(p, s.i.a, Operand{});
  commitReads(p);
}

/// op || ST: the old register is stored, the old word read. The low field's ARn remains.
void BlockCode::opStore(const Step& s) {
  const bool isFloating = isFloat(s.function);
  const bool storesFloat = info(s.i.op).second == Op::STF;
  const Operand& a = s.i.a;
  const Operand none;
  const Operand& b = isUnary(s.function) ? none : s.i.b;
  const Operand& target = s.i.c;
  Place to = high();
  addressOf(target, to);
  const Operand* const memory = a.kind == Operand::Kind::Indirect   ? &a
                                : b.kind == Operand::Kind::Indirect ? &b
                                                                    : nullptr;
  Place from = low();
  if (memory != nullptr) addressOf(*memory, from);
  check(to);
  if (memory != nullptr) {
    check(from);
    portsOf(from, to);
  }
  checkStore(to);
  keepAddress(to);
  const Place* const pa = memory == &a ? &from : nullptr;
  const Place* const pb = memory == &b ? &from : nullptr;
  if (isFloating) {
    floatOperands(s.function, b, a, pb, pa);
    floatResult(s.function);
  } else {
    integerResult(s, b, a, pb, pa);
    a_.mov(eax, ecx);
  }
  chargePorts();
  if (memory != nullptr) charge(from, false);
  storedWord(storesFloat, s.i.reg2);
  takeAddress(to);
  store(to, ecx);
  charge(to, true);
  update(to);
  if (memory != nullptr) update(from);
  if (isFloating) {
    intoExtended(s.i.reg);
    floatFlags(s, s.i.reg);
  } else {
    a_.mov(reg(s.i.reg), eax);
  }
}

/// MPYF3 || ADDF3, SUBF3 (4.4.5): all sources before any result. N, Z, V, UF become 0.
void BlockCode::multiplyAdd(const Step& s) {
  const Operand* lowOperand = nullptr;
  const Operand* highOperand = nullptr;
  for (const Operand* o : {&s.i.a, &s.i.b, &s.i.c, &s.i.d}) {
    if (o->kind != Operand::Kind::Indirect) continue;
    (o->field == Field::High ? highOperand : lowOperand) = o;
  }
  const Operand none;
  Places p;
  placesOf(p, lowOperand != nullptr ? *lowOperand : none,
           highOperand != nullptr ? *highOperand : none);
  // Words first: arithmetic takes the addresses' registers.
  if (p.low.operand != nullptr) {
    load(edx, p.low);
    a_.mov(scratch(0), edx);
  }
  if (p.high.operand != nullptr) {
    load(edx, p.high);
    a_.mov(scratch(1), edx);
  }
  const auto into = [this](Mantissa as, const Gp& mantissa, const Gp& exponentTo,
                           const Operand& o) {
    const bool isWord = o.kind == Operand::Kind::Indirect;
    if (isWord) a_.mov(exponentTo, scratch(o.field == Field::High ? 1 : 0));
    intoMantissa(as, mantissa, exponentTo, o, isWord);
  };
  into(Mantissa::Single, rax, edx, s.i.a);
  into(Mantissa::Single, rsi, edi, s.i.b);
  floatResult(Function::Mpyf);
  a_.mov(scratch(2), eax);
  a_.mov(scratch(3), edx);
  into(Mantissa::Extended, rax, edx, s.i.c);
  into(Mantissa::Extended, rsi, edi, s.i.d);
  keepSum(s, s.i.reg2, s.i.c, s.i.d);
  floatResult(s.i.op == Op::MPYF3_ADDF3 ? Function::Addf : Function::Subf);
  commitReads(p);
  intoExtended(s.i.reg2);
  a_.mov(eax, scratch(2));
  a_.mov(edx, scratch(3));
  intoExtended(s.i.reg);
  if ((s.used | s.atLeave) == 0) return;
  a_.mov(ecx, reg(reg::ST));
  a_.and_(ecx, kC);
  putFlags(ecx);
}

/// Both loads; into one register the low field's stays.
void BlockCode::loadLoad(const Step& s) {
  const bool isFloating = s.i.op == Op::LDF_LDF;
  Places p;
  placesOf(p, s.i.a, s.i.c);
  if (isFloating) {
    if (p.second != nullptr) load(esi, *p.second);
    intoFloat(eax, edx, s.i.a, p.first);
    if (p.second != nullptr) {
      a_.mov(scratch(0), esi);
    }
    commitReads(p);
    if (p.second != nullptr) {
      a_.mov(edi, scratch(0));
      singleInto(esi, edi);
    } else {
      intoFloat(esi, edi, s.i.c, nullptr);
    }
    a_.mov(reg(s.i.reg2), esi);
    a_.mov(exponent(s.i.reg2), dil);
    intoExtended(s.i.reg);
  } else {
    intoInteger(eax, s.i.a, p.first);
    intoInteger(ecx, s.i.c, p.second);
    commitReads(p);
    a_.mov(reg(s.i.reg2), ecx);
    a_.mov(reg(s.i.reg), eax);
  }
}

/// The high field's store comes first.
void BlockCode::storeStore(const Step& s) {
  const bool isFloating = s.i.op == Op::STF_STF;
  Places p;
  placesOf(p, s.i.a, s.i.c);
  checkStore(*p.first);
  checkStore(*p.second);
  chargePorts();
  storedWord(isFloating, p.second == &p.high ? s.i.reg2 : s.i.reg);
  store(p.high, ecx);
  charge(p.high, true);
  storedWord(isFloating, p.second == &p.high ? s.i.reg : s.i.reg2);
  store(p.low, ecx);
  charge(p.low, true);
  update(p.low);
  update(p.high);
}

/// A copy of the handler's instruction outlives the code; the flags are in ST before and after.
void BlockCode::callHandler(const Step& s) {
  settleLazy();
  a_.mov(rdi, kCpu);
  a_.mov(rsi, reinterpret_cast<std::uint64_t>(around_.keep(s.op)));
  a_.call(context(offsetof(Context, callHandler)));
  a_.mov(eax, reg(reg::ST));
  a_.and_(eax, ~kResultFlags);
  a_.mov(context(offsetof(Context, sticky), 4), eax);
}

// ---- the stack

/// Address of the top of the stack, after a push or before a pop; SP as it will be in r9d.
BlockCode::Place BlockCode::stackTop(bool push) {
  Place p = low();
  p.operand = &stackOperand_;
  p.ar = reg::SP;
  p.updates = true;
  p.region = outside(around_.guess(reg::SP) + (push ? 1u : 0u)) ? Region::Outside : Region::Inside;
  a_.mov(r8d, reg(reg::SP));
  a_.lea(r9d, ptr(r8, push ? 1 : -1));
  if (push) a_.mov(r8d, r9d);
  a_.and_(r8d, kAddressMask);
  check(p);
  if (push) checkStore(p);
  return p;
}

void BlockCode::push(const Step& s) {
  const Place p = stackTop(true);
  if (s.i.op == Op::PUSH && s.i.reg == reg::SP) {
    a_.mov(ecx, r9d);  // SP changes in the decode stage
  } else {
    storedWord(s.i.op == Op::PUSHF, s.i.reg);
  }
  store(p, ecx);
  charge(p, true);
  update(p);
}

void BlockCode::pop(const Step& s) {
  const Place p = stackTop(false);
  if (s.i.op == Op::POPF) {
    load(edx, p);
    singleInto(eax, edx);
    charge(p, false);
    update(p);
    intoExtended(s.i.reg);
    floatFlags(s, s.i.reg);
    return;
  }
  load(ecx, p);
  charge(p, false);
  update(p);
  a_.mov(reg(s.i.reg), ecx);
  integerFlags(s);
}

}  // namespace rtvp::c32::translate
