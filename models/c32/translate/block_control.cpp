// Branches, delay slots, subroutines and repeat blocks in translated code.
#include <cstddef>

#include "models/c32/translate/block_code.hpp"

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

const Gp kContext = r12;
constexpr std::uint32_t kNegative24 = 0x800000;

bool decrements(const Step& s) {
  return s.i.op == Op::DBcond || s.i.op == Op::DBcondD;
}

bool always(const Step& s) {
  return s.op.cond == 0 && !decrements(s);
}

}  // namespace

bool BlockCode::targetInRegister(const Step& s) const {
  return s.op.low.access == Access::Register;
}

std::uint32_t BlockCode::target(const Step& s) const {
  const std::uint32_t base = s.op.low.access == Access::Relative ? s.pc : 0;
  return (base + static_cast<std::uint32_t>(s.op.low.value)) & kAddressMask;
}

/// ARn of DBcond one less, 24 bits; that in edx.
void BlockCode::countDown(const Step& s) {
  a_.mov(ecx, reg(s.i.reg));
  a_.lea(edx, ptr(rcx, -1));
  a_.and_(edx, kAddressMask);
  a_.and_(ecx, ~kAddressMask);
  a_.or_(ecx, edx);
  a_.mov(reg(s.i.reg), ecx);
}

/// To `where`, after `cycles` for the branch instead of the one that is accounted for.
void BlockCode::leaveFor(unsigned cycles, std::uint32_t where) {
  const Between before = at_;
  at_.tally.cycles += static_cast<std::int32_t>(cycles) - 1;
  at_.tally.extra += static_cast<std::int32_t>(cycles) - 1;
  goTo(keyAt(where));
  at_ = before;
}

/// The same to what eax says.
void BlockCode::leaveForRegister(unsigned cycles) {
  const Between before = at_;
  at_.tally.cycles += static_cast<std::int32_t>(cycles) - 1;
  at_.tally.extra += static_cast<std::int32_t>(cycles) - 1;
  goByRegister();
  at_ = before;
}

void BlockCode::branch(const Step& s) {
  finish(s);
  const Label untaken = a_.newLabel();
  if (decrements(s)) {
    countDown(s);
    a_.test(edx, kNegative24);
    a_.jne(untaken);
  }
  if (s.op.cond != 0) a_.j(negateCond(testCondition(s.op.cond)), untaken);
  if (targetInRegister(s)) {
    a_.mov(eax, reg(s.op.low.reg));
    a_.and_(eax, kAddressMask);
    leaveForRegister(kBranchCycles);
  } else {
    leaveFor(kBranchCycles, target(s));
  }
  a_.bind(untaken);
  if (!always(s)) leaveFor(conditions_.untakenCycles, (s.pc + 1) & kAddressMask);
  gone_ = true;
}

/// Whether it is taken, and where to if only a register knows, is decided here; the rest follows
/// behind the slots.
void BlockCode::delayed(const Step& s) {
  delayedBranch_ = &s;
  const Mem taken = member(layout_.delayTaken, 1);
  if (decrements(s)) countDown(s);
  if (targetInRegister(s)) {
    a_.mov(eax, reg(s.op.low.reg));
    a_.and_(eax, kAddressMask);
    a_.mov(member(layout_.delayTarget, 4), eax);
  }
  if (always(s)) {
    a_.mov(taken, 1);
  } else if (!decrements(s)) {
    a_.emit(Inst::setccFromCond(testCondition(s.op.cond)), taken);
  } else {
    a_.shr(edx, 23);
    a_.xor_(edx, 1);
    if (s.op.cond != 0) {
      a_.emit(Inst::setccFromCond(testCondition(s.op.cond)), cl);
      a_.and_(dl, cl);
    }
    a_.mov(taken, dl);
  }
  at_.slots = 4;  // this instruction counts the first one down
}

void BlockCode::afterSlots() {
  const Step& s = *delayedBranch_;
  const Label untaken = a_.newLabel();
  if (!always(s)) {
    a_.cmp(member(layout_.delayTaken, 1), 0);
    a_.je(untaken);
  }
  if (targetInRegister(s)) {
    a_.mov(eax, member(layout_.delayTarget, 4));
    leaveForRegister(1);
  } else {
    leaveFor(1, target(s));
  }
  a_.bind(untaken);
  if (!always(s)) leaveFor(1, (s.pc + 4) & kAddressMask);
  gone_ = true;
}

/// On at the address in eax: at once if it is a known way back, else by the translator.
void BlockCode::goByRegister() {
  Key key = keyAt(0);
  settle();
  gone_ = true;
  a_.mov(context(offsetof(Context, pc), 4), eax);
  if (key.repeatEnd == kNoRepeat && !key.waiting && key.lastStores == 0) {
    const Label miss = a_.newLabel();
    a_.mov(ecx, eax);
    a_.and_(ecx, Context::kReturns - 1);
    a_.shl(ecx, 4);
    a_.cmp(Mem(kContext, rcx, 0, offsetof(Context, returns), 8), rax);
    a_.jne(miss);
    a_.jmp(Mem(kContext, rcx, 0, offsetof(Context, returns) + 8, 8));
    a_.bind(miss);
  }
  // The waiting groups are in the Context, what else the key says goes with it.
  a_.mov(edx, static_cast<std::uint32_t>(key.lastStores));
  a_.jmp(context(offsetof(Context, dynamic)));
}

void BlockCode::subroutine(const Step& s) {
  const Place p = stackTop(true);
  a_.mov(ecx, (s.pc + 1) & kAddressMask);
  store(p, ecx);
  charge(p, true);
  update(p);
  finish(s);
  leaveFor(kBranchCycles, target(s));
  gone_ = true;
}

void BlockCode::returns(const Step& s) {
  const Label untaken = a_.newLabel();
  const Between before = at_;
  const std::int32_t end = end_;
  if (s.op.cond != 0) a_.j(negateCond(testCondition(s.op.cond)), untaken);
  const Place p = stackTop(false);
  load(eax, p);
  a_.and_(eax, kAddressMask);
  charge(p, false);
  update(p);
  const bool fetched = fetched_;
  finish(s);
  leaveForRegister(kBranchCycles);
  a_.bind(untaken);
  if (s.op.cond != 0) {
    at_ = before;
    end_ = end;
    fetched_ = fetched;
    execKept_ = false;
    finish(s);
    leaveFor(1, (s.pc + 1) & kAddressMask);
  }
  gone_ = true;
}

void BlockCode::repeat(const Step& s) {
  const auto last = static_cast<std::uint32_t>(s.op.low.value);
  a_.mov(reg(reg::RS), (s.pc + 1) & kAddressMask);
  a_.mov(reg(reg::RE), last);
  a_.mov(member(layout_.repeatEnd, 4), last & kAddressMask);
  a_.or_(reg(reg::ST), kRM);
  a_.or_(context(offsetof(Context, sticky), 4), kRM);
  finish(s);
  at_.tally.cycles += static_cast<std::int32_t>(kBranchCycles) - 1;
  at_.tally.extra += static_cast<std::int32_t>(kBranchCycles) - 1;
  Key body = keyAt((s.pc + 1) & kAddressMask);
  body.repeatEnd = last & kAddressMask;
  goTo(body);
}

}  // namespace rtvp::c32::translate
