// Frame of a block: timing, what is accounted for, ways out.
#include "models/c32/translate/block_code.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rtvp::c32::translate {

using namespace asmjit::x86;  // NOLINT(google-build-using-namespace): the host's registers

namespace {

// See shared_code.cpp for the registers.
const Gp kCpu = rbx, kContext = r12, kClock = r13;

/// Cycles that an instruction takes at most.
std::int32_t longest(const Conditions& c) {
  const std::int32_t access = static_cast<std::int32_t>(c.waits + c.bankCycles + c.writeCycles + 2);
  const bool bus = !c.flat && c.plainEnd != 0;
  return 6 + static_cast<std::int32_t>(c.executeOnlyCycles) + (bus ? 4 * access : 0);
}

}  // namespace

BlockCode::BlockCode(Assembler& to, const Surroundings& around, const Key& key, const Plan& plan)
    : a_(to),
      around_(around),
      conditions_(*around.conditions),
      layout_(*around.layout),
      key_(key),
      plan_(plan) {
  slot_ = around.slotOf(key);
  start_ = a_.newLabel();
  codeOutside_ = conditions_.flat || key.pc - kRamBase >= kRamWords;
  if (key.waiting) at_.dynamicUntil = static_cast<std::int32_t>(kAddressWriteLatency) - 1;
  at_.lastStores = key.lastStores;
}

Mem BlockCode::member(std::int32_t offset, unsigned size) const {
  return Mem(kCpu, offset, size);
}
Mem BlockCode::context(std::size_t offset, unsigned size) const {
  return Mem(kContext, static_cast<std::int32_t>(offset), size);
}
Mem BlockCode::reg(unsigned number) const {
  return member(layout_.reg + 4 * static_cast<std::int32_t>(number), 4);
}
Mem BlockCode::exponent(unsigned number) const {
  return member(layout_.exponent + static_cast<std::int32_t>(number), 1);
}

void BlockCode::aside(const Label& from, std::function<void()> make) {
  asides_.push_back({from, std::move(make)});
}

void BlockCode::make() {
  a_.bind(start_);
  const auto bound = longest(conditions_) * static_cast<std::int32_t>(plan_.steps.size() + 1);
  const Label late = a_.newLabel();
  a_.cmp(kClock, -bound);
  a_.jge(late);
  aside(late, [this] {
    a_.mov(eax, slot_);
    a_.jmp(context(offsetof(Context, limit)));
  });
  for (const Step& s : plan_.steps) {
    step(s);
    if (gone_) break;
  }
  if (!gone_) endOfBlock();
  for (std::size_t n = 0; n < asides_.size(); ++n) {  // one may add another
    const Aside one = asides_[n];
    a_.bind(one.from);
    one.make();
  }
}

void BlockCode::step(const Step& s) {
  begin(s);
  compute(s);
  if (leaves_) {
    const std::uint32_t number = addLeave(before_);
    aside(leave_, [this, number] {
      a_.mov(eax, number);
      a_.jmp(context(offsetof(Context, leave)));
    });
  }
  if (gone_) return;
  finish(s);
  if (accumulator_.step != &s &&
      (s.form == Form::Call || s.i.reg == accumulator_.reg || s.i.reg2 == accumulator_.reg))
    accumulator_ = {};
  if (s.form == Form::Call || s.i.reg >= reg::DP) repeatStartKnown_ = false;  // it may write RS
  if (s.pc == key_.repeatEnd) {
    repeatEnd(s);
  } else if (at_.slots != 0 && --at_.slots == 0) {
    afterSlots();
  }
}

/// Where to go if the instruction in progress cannot be done here.
asmjit::Label BlockCode::leave() {
  leaves_ = true;
  return leave_;
}

std::uint32_t BlockCode::addLeave(const Leave& l) {
  around_.leaves->push_back(l);
  return static_cast<std::uint32_t>(around_.leaves->size() - 1);
}

Leave BlockCode::leaveNow(std::uint32_t pc) const {
  Leave l;
  l.pc = pc;
  l.lastStores = at_.lastStores;
  l.delaySlots = at_.slots;
  if (at_.slots != 0) {
    l.constantTarget = !targetInRegister(*delayedBranch_);
    if (l.constantTarget) l.delayTarget = target(*delayedBranch_);
  }
  l.ready = at_.ready;
  l.tally = at_.tally;
  l.lazy = at_.lazy;
  l.busUsed = at_.busUsed;
  l.busFree = at_.busFree;
  l.fetched = at_.fetched;
  l.lastRead = at_.lastRead;
  return l;
}

// ---- time

void BlockCode::begin(const Step& s) {
  now_ = &s;
  before_ = leaveNow(s.pc);
  leave_ = a_.newLabel();
  leaves_ = execKept_ = ports_ = ringKnown_ = false;
  ++at_.tally.instructions;
  exec_ = at_.tally.cycles;
  end_ = exec_ + 1;
  if (codeOutside_) fetch(s);
  conflict(s);
}

/// As Cpu::fetchBus, external() and chargeAccess() without a cache.
void BlockCode::fetch(const Step& s) {
  ++at_.tally.fetches;
  if (conditions_.flat) return;
  std::int32_t start = exec_;
  if (!at_.busKnown) {
    makeReadyDynamic();
    mayShift(Shift::FetchWait);
    waitForBus(start, StallCause::ProgramWait);
  } else if (at_.busFree > start) {
    const std::int32_t wait = at_.busFree - start;
    at_.tally.busWaitBy[0] += wait;
    at_.tally.busWait += wait;
    start += wait;
  }
  std::int32_t longer = static_cast<std::int32_t>(conditions_.waits);
  if (conditions_.bankBits != 0) {
    if (at_.fetched) {
      const BusControl control{conditions_.bankBits << 8};
      if (control.crossesBank(at_.lastRead, s.pc))
        longer += static_cast<std::int32_t>(conditions_.bankCycles);
    } else {
      bankSwitch(s.pc);
    }
  }
  at_.tally.busWaitBy[1] += longer;
  at_.tally.busWait += longer;
  at_.busKnown = at_.busUsed = true;
  at_.busFree = start + 1 + longer;
  exec_ = start + longer;
  end_ = exec_ + 1;
  fetched_ = true;
}

/// Nobody knows when the bus will be free. Changes rsi.
void BlockCode::waitForBus(std::int32_t start, StallCause cause) {
  const Label wait = a_.newLabel(), go = a_.newLabel();
  a_.mov(rsi, context(offsetof(Context, busFree)));
  a_.sub(rsi, kClock);
  a_.cmp(rsi, start);
  a_.jg(wait);
  a_.bind(go);
  aside(wait, [this, go, start, cause] {
    a_.sub(rsi, start);
    a_.add(kClock, rsi);
    if (cause == StallCause::ProgramWait) a_.mov(shifted(Shift::FetchWait), rsi);
    a_.add(waitPlace(cause), rsi);
    a_.add(member(layout_.busWait, 8), rsi);
    a_.jmp(go);
  });
}

Mem BlockCode::waitPlace(StallCause cause) const {
  return member(layout_.busWaitBy + 8 * static_cast<std::int32_t>(cause), 8);
}

/// A fetch behind a data access: one more cycle if it lies in another bank.
void BlockCode::bankSwitch(std::uint32_t pc) {
  if (at_.last == Between::Last::Write) return;
  makeReadyDynamic();
  mayShift(Shift::FetchBank);
  const Label other = a_.newLabel(), go = a_.newLabel();
  if (at_.last == Between::Last::Unknown) {
    a_.cmp(member(layout_.lastWasRead, 1), 1);
    a_.jne(go);
    a_.cmp(member(layout_.lastStrobe, 1), 0);
    a_.jne(go);
  }
  a_.mov(ecx, member(layout_.lastRead, 4));
  a_.xor_(ecx, pc);
  a_.test(ecx, bankMask());
  a_.jne(other);
  a_.bind(go);
  const auto cycles = static_cast<std::int32_t>(conditions_.bankCycles);
  aside(other, [this, go, cycles] {
    a_.add(kClock, cycles);
    a_.mov(shifted(Shift::FetchBank), cycles);
    a_.add(waitPlace(StallCause::FetchIncomplete), cycles);
    a_.add(member(layout_.busWait, 8), cycles);
    a_.jmp(go);
  });
}

std::uint32_t BlockCode::bankMask() const {
  const unsigned compared = std::min(conditions_.bankBits, 16u);
  return compared == 0 ? 0 : (0xFFFFFFu << (24 - compared)) & 0xFFFFFFu;
}

/// Address generation and what the stores before cost (c32.md 7.4, 7.5).
void BlockCode::conflict(const Step& s) {
  if (!conditions_.conflicts) return;
  const bool stores = conditions_.pipeline && ((at_.lastStores == 2 && s.op.dataReads != 0) ||
                                               (at_.lastStores != 0 && s.op.dataReads == 2));
  std::int32_t wait = 0;
  for (unsigned g = 0; g < 3; ++g) {
    if ((s.op.uses >> g & 1u) != 0) wait = std::max(wait, at_.ready[g] - exec_);
  }
  if (at_.dynamicUntil > exec_ && s.op.uses != 0) waitForGroups(s.op.uses, stores);
  if (wait != 0) {
    at_.tally.registerConflict += wait;
  } else if (stores) {
    wait = static_cast<std::int32_t>(conditions_.executeOnlyCycles);
    at_.tally.executeOnly += wait;
  }
  exec_ += wait;
  end_ += wait;
}

/// `elsewhere`: an instruction that has to wait is the run loop's.
void BlockCode::waitForGroups(std::uint8_t groups, bool elsewhere) {
  // The fetch is over when the operands ask for the bus: so much later, that it may be free.
  elsewhere |= codeOutside_ && !conditions_.flat;
  if (!elsewhere) makeBusDynamic();
  for (unsigned g = 0; g < 3; ++g) {
    if ((static_cast<unsigned>(groups) >> g & 1u) == 0) continue;
    const Label wait = a_.newLabel(), go = a_.newLabel();
    if (!elsewhere) mayShift(Shift::Conflict);
    a_.mov(r8, context(offsetof(Context, ready) + std::size_t{8} * g));
    a_.lea(rcx, ptr(kClock, exec_));
    a_.sub(r8, rcx);
    if (elsewhere) {
      a_.jg(leave());
      continue;
    }
    a_.jg(wait);
    a_.bind(go);
    aside(wait, [this, go] {
      a_.add(kClock, r8);
      a_.add(shifted(Shift::Conflict), r8);
      a_.add(member(layout_.registerConflict, 8), r8);
      a_.jmp(go);
    });
  }
}

/// The clock may move before it is certain that the instruction is done here.
void BlockCode::mayShift(Shift kind) {
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(kind));
  if ((before_.shifts & bit) != 0) return;
  before_.shifts |= bit;
  a_.mov(shifted(kind), 0);
}

Mem BlockCode::shifted(Shift kind) const {
  return context(offsetof(Context, shifts) + std::size_t{8} * static_cast<std::size_t>(kind));
}

/// What address generation waits for, as code finds it when the clock does not go as planned.
void BlockCode::makeReadyDynamic() {
  for (unsigned g = 0; g < 3; ++g) {
    if (at_.ready[g] > at_.tally.cycles) {
      a_.lea(rsi, ptr(kClock, at_.ready[g]));
      a_.mov(context(offsetof(Context, ready) + std::size_t{8} * g), rsi);
      at_.dynamicUntil = std::max(at_.dynamicUntil, at_.ready[g]);
    }
    at_.ready[g] = 0;
  }
}

/// The same for the bus, if it is still busy then. Changes rsi.
void BlockCode::makeBusDynamic() {
  if (!at_.busKnown || at_.busFree <= at_.tally.cycles) return;
  a_.lea(rsi, ptr(kClock, at_.busFree));
  a_.mov(context(offsetof(Context, busFree)), rsi);
  at_.busKnown = at_.busUsed = false;
}

/// In front of code that may move the clock within an instruction. Changes rsi.
void BlockCode::beforeShift() {
  makeReadyDynamic();
  if (execKept_ || !conditions_.conflicts || (now_->op.writes | now_->op.reads) == 0) return;
  a_.lea(rsi, ptr(kClock, exec_));
  a_.mov(context(offsetof(Context, exec)), rsi);
  execKept_ = true;
}

/// As Cpu::markGroups().
void BlockCode::mark(const Step& s) {
  if (!conditions_.conflicts) return;
  for (unsigned g = 0; g < 3; ++g) {
    std::int32_t latency = 0;
    if ((s.op.writes >> g & 1u) != 0) {
      latency = static_cast<std::int32_t>(kAddressWriteLatency);
    } else if ((s.op.reads >> g & 1u) != 0) {
      latency = kReadLatency;
    } else {
      continue;
    }
    const std::int32_t ready = exec_ + latency;
    if (!execKept_ && at_.dynamicUntil <= end_) {
      at_.ready[g] = std::max(at_.ready[g], ready);
      continue;
    }
    if (execKept_) {
      a_.mov(rsi, context(offsetof(Context, exec)));
      a_.add(rsi, latency);
    } else {
      a_.lea(rsi, ptr(kClock, ready));
    }
    a_.mov(context(offsetof(Context, ready) + std::size_t{8} * g), rsi);
    at_.dynamicUntil = std::max(at_.dynamicUntil, ready);
  }
}

void BlockCode::finish(const Step& s) {
  if (fetched_) {
    noteBus(true);
    // Unless the operands have used the bus since.
    if (!dataOutside_) {
      at_.fetched = true;
      at_.lastRead = s.pc;
    }
  }
  fetched_ = dataOutside_ = false;
  mark(s);
  if (conditions_.pipeline) at_.lastStores = s.op.dataWrites;
  at_.tally.cycles = end_;
  for (std::int32_t& ready : at_.ready) {
    if (ready <= end_) ready = 0;
  }
  if (at_.dynamicUntil <= end_) at_.dynamicUntil = 0;
}

/// The last access was one by STRB0.
void BlockCode::noteBus(bool read) {
  if (dataOutside_) return;  // said by charge()
  if (read && at_.last != Between::Last::Read) {
    a_.mov(member(layout_.lastWasRead, 1), 1);
    a_.mov(member(layout_.lastStrobe, 1), 0);
    at_.last = Between::Last::Read;
  }
}

/// What comes before leaving the block for good.
void BlockCode::settle() {
  makeReadyDynamic();
  if (at_.busUsed) {
    a_.lea(rsi, ptr(kClock, at_.busFree));
    a_.mov(context(offsetof(Context, busFree)), rsi);
  }
  if (at_.fetched) a_.mov(member(layout_.lastRead, 4), at_.lastRead);
  const Tally& t = at_.tally;
  const auto add = [this](std::int32_t place, std::int32_t value) {
    if (value != 0) a_.add(member(place, 8), value);
  };
  add(layout_.registerConflict, t.registerConflict);
  add(layout_.executeOnly, t.executeOnly);
  add(layout_.busWait, t.busWait);
  for (std::int32_t n = 0; n < 4; ++n)
    add(layout_.busWaitBy + 8 * n, t.busWaitBy[static_cast<std::size_t>(n)]);
  add(layout_.fetches, t.fetches);
  add(layout_.reads, t.reads);
  add(layout_.writes, t.writes);
  add(layout_.extraCycles, t.extra);
  if (t.cycles != 0) a_.add(kClock, t.cycles);
  if (t.instructions != 0) a_.add(context(offsetof(Context, instructions)), t.instructions);
}

Key BlockCode::keyAt(std::uint32_t pc) const {
  Key key;
  key.pc = pc;
  key.repeatEnd = key_.repeatEnd;
  key.lastStores = at_.lastStores;
  key.waiting = at_.dynamicUntil > at_.tally.cycles ||
                *std::max_element(at_.ready.begin(), at_.ready.end()) > at_.tally.cycles;
  return key;
}

void BlockCode::goTo(const Key& key) {
  settle();
  gone_ = true;
  if (key == key_) {
    a_.jmp(start_);
    return;
  }
  const std::uint32_t slot = around_.slotOf(key);
  a_.mov(eax, slot);
  a_.jmp(context(offsetof(Context, slots) + std::size_t{8} * slot));
}

void BlockCode::endOfBlock() {
  const std::uint32_t pc =
      plan_.steps.empty() ? key_.pc : (plan_.steps.back().pc + 1) & kAddressMask;
  if (at_.slots == 0 && !plan_.steps.empty()) return goTo(keyAt(pc));
  a_.mov(eax, addLeave(leaveNow(pc)));
  a_.jmp(context(offsetof(Context, leave)));
  gone_ = true;
}

/// As Cpu::repeatBlock().
void BlockCode::repeatEnd(const Step& s) {
  const Label done = a_.newLabel(), elsewhere = a_.newLabel();
  a_.sub(reg(reg::RC), 1);
  a_.js(done);
  if (!repeatStartKnown_) {
    a_.cmp(reg(reg::RS), around_.guess(reg::RS));
    a_.jne(elsewhere);
    Leave l = leaveNow(s.pc);
    l.toRepeatStart = true;
    const std::uint32_t number = addLeave(l);
    aside(elsewhere, [this, number] {
      a_.mov(eax, number);
      a_.jmp(context(offsetof(Context, leave)));
    });
    repeatStartKnown_ = true;
  }
  const std::uint32_t next = (s.pc + 1) & kAddressMask;
  aside(done, [this, next, end = at_] {
    at_ = end;
    settleLazy();
    repeatDone(next);
  });
  if (!s.goesRound) goTo(keyAt(around_.guess(reg::RS) & kAddressMask));
}

void BlockCode::repeatDone(std::uint32_t next) {
  if (conditions_.repeatCountEndsZero) a_.mov(reg(reg::RC), 0);
  a_.and_(reg(reg::ST), ~kRM);
  a_.and_(context(offsetof(Context, sticky), 4), ~kRM);
  a_.mov(member(layout_.repeatEnd, 4), kNoRepeat);
  Key key = keyAt(next);
  key.repeatEnd = kNoRepeat;
  goTo(key);
}

}  // namespace rtvp::c32::translate
