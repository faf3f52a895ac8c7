// Program control, the flags that conditions look at, and the XF pins.
#include <cmath>

#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr unsigned kIof = reg::IOF - 8;

}  // namespace

// ---- flags

/// N and Z of the group go to the row.
void Machine::spreadFlags(Group& g) {
  if (!g.flagsUniform) return;
  g.flagsUniform = false;
  alignas(64) double block[kBlock];
  std::fill_n(block, kBlock, g.flags);
  Faults none;
  k_.ldf(g.active.set(), flags_, {block, 0}, nullptr, none);
}

void Machine::clearFaultFlags(const Group& g) {
  v_.remove(g.active.mask);
  uf_.remove(g.active.mask);
  anyVuf_ = v_.any() || uf_.any();
}

void Machine::addFaults(const Group& g) {
  const LaneMask over = faults_.overflow & g.active.mask;
  const LaneMask under = faults_.underflow & g.active.mask;
  v_ |= over;
  lv_ |= over;
  uf_ |= under;
  luf_ |= under;
  anyVuf_ = true;
  faults_ = {};
}

LaneMask Machine::zeroLanes(Group& g) {
  if (g.flagsUniform) return g.flags == 0.0 ? g.active.mask : LaneMask{};
  LaneMask zero;
  k_.holds[static_cast<unsigned>(NzCond::Eq)](g.active.set(), flags_, zero);
  return zero;
}

/// Which processors of the group meet the condition; `holds` is filled for Some only.
Machine::Taken Machine::evaluate(Group& g, unsigned cond, LaneMask& holds) {
  const auto c = static_cast<Cond>(cond);
  switch (c) {
    case Cond::U:
      return Taken::All;
    case Cond::EQ:
    case Cond::NE:
    case Cond::LT:
    case Cond::LE:
    case Cond::GT:
    case Cond::GE:
      if (g.flagsUniform) return nzHolds(nzCond(c), g.flags) ? Taken::All : Taken::None;
      holds = {};
      k_.holds[static_cast<unsigned>(nzCond(c))](g.active.set(), flags_, holds);
      break;
    case Cond::LO:
      holds = c_;
      break;
    case Cond::HS:
      holds = without(shape_.all, c_);
      break;
    case Cond::LS:
      holds = c_ | zeroLanes(g);
      break;
    case Cond::HI:
      holds = without(shape_.all, c_ | zeroLanes(g));
      break;
    case Cond::V:
      holds = v_;
      break;
    case Cond::NV:
      holds = without(shape_.all, v_);
      break;
    case Cond::UF:
      holds = uf_;
      break;
    case Cond::NUF:
      holds = without(shape_.all, uf_);
      break;
    case Cond::LV:
      holds = lv_;
      break;
    case Cond::NLV:
      holds = without(shape_.all, lv_);
      break;
    case Cond::LUF:
      holds = luf_;
      break;
    case Cond::NLUF:
      holds = without(shape_.all, luf_);
      break;
    case Cond::ZUF:
      holds = uf_ | zeroLanes(g);
      break;
  }
  std::uint64_t some = 0;
  std::uint64_t others = 0;
  for (unsigned i = 0; i < shape_.maskWords; ++i) {
    const std::uint64_t asked = g.active.mask.w[i];
    const std::uint64_t found = holds.w[i] &= asked;
    some |= found;
    others |= found ^ asked;
  }
  if (some == 0) return Taken::None;
  return others == 0 ? Taken::All : Taken::Some;
}

// ---- branches

Machine::Did Machine::branch(Step& s, bool decrement) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  LaneMask holds;
  Taken taken = evaluate(g, m.cond, holds);
  std::uint32_t target = static_cast<std::uint32_t>(m.low.value);
  if (m.low.access == Access::Register) {
    WordOperand o;
    if (!wordRegister(g, m.low.reg, o) || o.shape != WordOperand::Shape::One) return Did::HandBack;
    target = o.x;
  } else if (m.low.access == Access::Relative) {
    target += g.pc;
  }
  target &= kAddressMask;
  if (taken == Taken::Some && (arrived_ || groups_.size() >= kMaxGroups)) return Did::HandBack;
  if (decrement) {
    const unsigned r = m.reg - 8u;
    if (((g.rest.dual | g.rest.opaque) >> r & 1u) != 0) return Did::HandBack;
    const std::uint32_t counted = (g.rest.x[r] - 1) & kAddressMask;
    g.rest.x[r] = (g.rest.x[r] & ~kAddressMask) | counted;
    if (counted >> 23 != 0) taken = Taken::None;
  }
  const Cycle untaken = std::max(1u, config_.cpu.bcondUntakenCycles) - 1;
  if (taken == Taken::Some) {
    split(g, holds, g.pc);
    Step other{*groups_.back(), s.op, s.exec, s.end, s.conflict, 0, 0, target, false, true};
    other.end += kBranchCycles - 1;
    other.extra = kBranchCycles - 1;
    finish(other);
    s.end += untaken;
    s.extra += untaken;
    finish(s);
    return Did::Split;
  }
  if (taken == Taken::All) s.nextPc = target;
  const Cycle cost = taken == Taken::All ? kBranchCycles - 1 : untaken;
  s.end += cost;
  s.extra += cost;
  return Did::Next;
}

Machine::Did Machine::branchLater(Step& s, bool decrement) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  LaneMask holds;
  Taken taken = evaluate(g, m.cond, holds);
  std::uint32_t target = static_cast<std::uint32_t>(m.low.value);
  if (m.low.access == Access::Register) {
    WordOperand o;
    if (!wordRegister(g, m.low.reg, o) || o.shape != WordOperand::Shape::One) return Did::HandBack;
    target = o.x;
  } else if (m.low.access == Access::Relative) {
    target += g.pc;
  }
  // Groups may have multiplied until the delay slots end: leave room for them.
  if (taken == Taken::Some && (arrived_ || groups_.size() >= kMaxGroups)) return Did::HandBack;
  if (decrement) {
    const unsigned r = m.reg - 8u;
    if (((g.rest.dual | g.rest.opaque) >> r & 1u) != 0) return Did::HandBack;
    const std::uint32_t counted = (g.rest.x[r] - 1) & kAddressMask;
    g.rest.x[r] = (g.rest.x[r] & ~kAddressMask) | counted;
    if (counted >> 23 != 0) taken = Taken::None;
  }
  g.delaySlots = 4;  // this instruction counts the first one down
  g.taken = taken;
  g.takenMask = holds;
  g.delayTarget = target & kAddressMask;
  return Did::Next;
}

Machine::Did Machine::repeat(Step& s) {
  Rest& rest = s.g.rest;
  constexpr std::uint32_t kBits = 1u << (reg::RS - 8) | 1u << (reg::RE - 8);
  rest.x[reg::RS - 8] = s.nextPc;
  rest.x[reg::RE - 8] = static_cast<std::uint32_t>(s.op.m.low.value);
  rest.dual &= ~kBits;
  rest.opaque &= ~kBits;
  s.g.repeat = true;
  s.end += kBranchCycles - 1;
  s.extra += kBranchCycles - 1;
  return Did::Next;
}

/// RPTS of a constant in front of a NOP, all of it in one step: in between the processors could not
/// go on alone (Cpu::canExport).
Machine::Did Machine::repeatSingle(Step& s) {
  Group& g = s.g;
  const std::uint32_t offset = s.nextPc - kRamBase;
  // Accounts are kept by instruction.
  if (s.op.m.low.access != Access::Constant || g.repeat || g.delaySlots != 0 ||
      common_ != nullptr || offset >= kRamWords) {
    return Did::HandBack;
  }
  const VectorOp* next = code_[offset] ? code_[offset].get() : fetch(offset);
  if (next == nullptr || next->kind != Kind::Nop || isMemory(next->m.low.access)) {
    return Did::HandBack;
  }
  const Cycle times = Cycle{static_cast<std::uint32_t>(s.op.m.low.value)} + 1;
  s.end += kBranchCycles - 1 + times;
  if (s.end + static_cast<Cycle>(lateBound_) > horizon_) return Did::HandBack;
  Rest& rest = g.rest;
  constexpr std::uint32_t kBits = 1u << (reg::RS - 8) | 1u << (reg::RE - 8) | 1u << (reg::RC - 8);
  rest.x[reg::RS - 8] = rest.x[reg::RE - 8] = s.nextPc;
  rest.x[reg::RC - 8] = ~0u;
  rest.dual &= ~kBits;
  rest.opaque &= ~kBits;
  s.extra += kBranchCycles - 1;
  g.instructions += times;
  counters_.issues += times;
  counters_.instructions += times * g.active.lanes;
  s.nextPc = (s.nextPc + 1) & kAddressMask;
  return Did::Next;
}

/// Where a word of the stack lies: in internal RAM that holds no code.
bool Machine::stackWord(const Group& g, std::uint32_t sp, std::uint32_t& offset) const {
  constexpr std::uint32_t kSp = 1u << (reg::SP - 8);
  offset = (sp & kAddressMask) - kRamBase;
  return ((g.rest.dual | g.rest.opaque) & kSp) == 0 && offset < kRamWords && !code_[offset];
}

Machine::Did Machine::call(Step& s) {
  Group& g = s.g;
  std::uint32_t& sp = g.rest.x[reg::SP - 8];
  std::uint32_t offset = 0;
  if (!stackWord(g, sp + 1, offset)) return Did::HandBack;
  ++sp;
  WordOperand back;
  back.x = s.nextPc;
  storeWords(g, back, offset);
  s.nextPc = static_cast<std::uint32_t>(s.op.m.low.value) & kAddressMask;
  s.end += kBranchCycles - 1;
  s.extra += kBranchCycles - 1;
  return Did::Next;
}

/// RETScond.
Machine::Did Machine::returnFrom(Step& s) {
  Group& g = s.g;
  LaneMask holds;
  const Taken taken = evaluate(g, s.op.m.cond, holds);
  if (taken == Taken::None) return Did::Next;
  std::uint32_t& sp = g.rest.x[reg::SP - 8];
  std::uint32_t offset = 0;
  if (taken == Taken::Some || !stackWord(g, sp, offset)) return Did::HandBack;
  const WordSource where = ramRow(offset).readM(g.active);
  if (where.stride != 0) return Did::HandBack;
  --sp;
  s.nextPc = where.p[0] & kAddressMask;
  s.end += kBranchCycles - 1;
  s.extra += kBranchCycles - 1;
  return Did::Next;
}

Machine::Did Machine::nop(Step& s) {
  if (!isMemory(s.op.m.low.access)) return Did::Next;
  Memory m;
  if (!plan(s.g, s.op.m.low, m)) return Did::HandBack;
  if (!m.internal) {
    const Did did = needBus(s, &m);
    if (did != Did::Next) return did;
    std::uint32_t ignored = 0;
    if (!busRead(s, m, ignored)) return Did::HandBack;
  }
  update(s.g, m);
  return Did::Next;
}

// ---- pins

/// INXF0 and INXF1 as an instruction executing in `exec` sees them. All processors must have come
/// to the same cycle, so that every pull is known.
Machine::Did Machine::samplePins(Group& g, Cycle exec) {
  if (!alone()) return Did::Park;
  Rest& rest = g.rest;
  if (anyLate_ || (rest.opaque >> kIof & 1u) != 0) return Did::HandBack;
  std::uint32_t levels = xf1Low_ ? 0u : 0x80u;
  if (board_.voteHigh(exec)) levels |= 0x08u;
  rest.x[kIof] = (rest.x[kIof] & ~kIofPins) | levels;
  rest.y[kIof] = (rest.y[kIof] & ~kIofPins) | levels;
  return Did::Next;
}

/// IOF: the vote and the arrival. Anything but "released" and "low" is left to the scalar engine.
Machine::Did Machine::writeIof(Group& g, Cycle exec, const WordOperand& value) {
  if (!alone()) return Did::Park;
  Rest& rest = g.rest;
  if ((rest.opaque >> kIof & 1u) != 0 || value.shape == WordOperand::Shape::Row ||
      (g.delaySlots != 0 && g.taken == Taken::Some)) {
    return Did::HandBack;
  }
  const std::uint32_t pins = rest.x[kIof] & kIofPins;
  if ((rest.dual >> kIof & 1u) != 0 && (rest.y[kIof] & kIofPins) != pins) return Did::HandBack;
  const bool two = value.shape == WordOperand::Shape::Two;
  const std::uint32_t x = (value.x & kIofWritable) | pins;
  const std::uint32_t y = ((two ? value.y : value.x) & kIofWritable) | pins;
  const auto low = [](std::uint32_t iof, unsigned direction) {
    return (iof >> direction & 1u) != 0 && (iof >> (direction + 1) & 1u) == 0;
  };
  const auto high = [](std::uint32_t iof) {
    return (iof & 0x06u) == 0x06u || (iof & 0x60u) == 0x60u;
  };
  if (high(x) || high(y) || low(x, 5) != low(y, 5)) return Did::HandBack;
  const bool arrives = low(x, 5);
  if (!arrives && arrived_) return Did::HandBack;

  if (anyPull_ || low(x, 1) || low(y, 1)) {
    LaneMask pulls;
    for (unsigned i = 0; i < shape_.maskWords; ++i) {
      const std::uint64_t lanes = g.active.mask.w[i] & shape_.real.w[i];
      const std::uint64_t second = two ? value.second.w[i] & lanes : 0;
      pulls.w[i] = (low(x, 1) ? lanes & ~second : 0) | (low(y, 1) ? second : 0);
    }
    if (!(pulls == xf0Low_)) {
      board_.voteDriven(without(pulls, xf0Low_), without(xf0Low_, pulls), exec,
                        anyLate_ ? late_.data() : nullptr);
      xf0Low_ = pulls;
      anyPull_ = pulls.any();
    }
  }
  if (arrives && !xf1Low_) {
    arrived_ = true;
    arrival_ = exec;
  }
  xf1Low_ = arrives;
  rest.x[kIof] = x;
  rest.y[kIof] = y;
  rest.dual &= ~(1u << kIof);
  if (two && x != y) {
    rest.second[kIof] = value.second & g.active.mask;
    rest.dual |= 1u << kIof;
  }
  return Did::Next;
}

}  // namespace rtvp::c32::simt
