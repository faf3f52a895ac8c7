// Float instructions on rows of doubles.
#include <algorithm>
#include <bit>

#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {
bool Machine::registerOperand(Group& g, unsigned r, FloatOperand& o) {
  Row& row = *extended_[r];
  o.s = row.readF(g.active);
  o.uniform = o.s.stride == 0;
  o.isShort = row.shortF();
  return o.s.p != nullptr;
}

/// An operand in RAM; one on the bus gets `block`, to be filled by finishBusOperand.
bool Machine::memoryOperand(Group& g, const Memory& m, FloatOperand& o, double* block) {
  o.isShort = true;
  if (!m.internal) {
    o.s = {block, 0};
    o.block = block;
    o.uniform = true;
    return true;
  }
  o.s = ramRow(m.offset).readF(g.active);
  o.uniform = o.s.stride == 0;
  return o.s.p != nullptr;
}

/// Arithmetic takes a zero with a mantissa for the zero it is.
void Machine::finishBusOperand(FloatOperand& o, std::uint32_t word) {
  std::fill_n(o.block, kBlock, singleToDouble(word));
}

/// One result for all processors of the group.
void Machine::placeUniform(Group& g, unsigned destination, double value) {
  Row& row = *extended_[destination];
  if (g.active.full) {
    row.fillF(value, isShortValue(value));
    return;
  }
  alignas(64) double block[kBlock];
  std::fill_n(block, kBlock, value);
  k_.ldf(g.active.set(), row.writeF(g.active, isShortValue(value)), {block, 0}, nullptr, faults_);
}

/// b OP a to `destination` (8: a comparison); flags of the group if wanted. `fn` by short operands.
void Machine::binary(Group& g, const Kernels::Binary* fn, unsigned destination,
                     const FloatOperand& b, const FloatOperand& a, bool flags) {
  const Kernels::Binary kernel = fn[(a.isShort ? 1u : 0u) | (b.isShort ? 2u : 0u)];
  const bool compare = destination == 8;
  if (!a.uniform || !b.uniform) {
    if (flags) g.flagsUniform = false;
    kernel(g.active.set(), compare ? nullptr : extended_[destination]->writeF(g.active, false), b.s,
           a.s, flagsFor(destination, flags), faults_);
    return;
  }
  // One vector stands for all.
  alignas(64) double d[kBlock];
  alignas(64) double f[kBlock];
  kernel({1, nullptr, nullptr}, d, b.s, a.s, f, oneFaults_);
  if (flags) setFlags(g, f[0]);
  if (!compare) placeUniform(g, destination, d[0]);
  if (oneFaults_.any) spreadFaults(g);
}

/// A fault of a value computed once is everybody's.
void Machine::spreadFaults(const Group& g) {
  if (oneFaults_.overflow.any()) faults_.overflow |= g.active.mask;
  if (oneFaults_.underflow.any()) faults_.underflow |= g.active.mask;
  faults_.any = true;
  oneFaults_ = {};
}

/// The same with one operand. RND looks at the flags, too: with flags it must not be handed a row
/// of them that is stale.
void Machine::unary(Group& g, Kernels::Unary fn, unsigned destination, const FloatOperand& a,
                    bool isShort, bool flags) {
  const bool round = fn == k_.rnd;
  if (a.uniform && (!round || !flags || g.flagsUniform)) {
    alignas(64) double d[kBlock];
    alignas(64) double f[kBlock];
    std::fill_n(f, kBlock, g.flags);
    fn({1, nullptr, nullptr}, d, a.s, f, oneFaults_);
    if (flags) setFlags(g, f[0]);
    placeUniform(g, destination, d[0]);
    if (oneFaults_.any) spreadFaults(g);
    return;
  }
  if (flags) {
    if (round) spreadFlags(g);
    g.flagsUniform = false;
  }
  fn(g.active.set(), extended_[destination]->writeF(g.active, isShort), a.s,
     flags ? flags_ : nullptr, faults_);
}

/// A bus word that no double can hold goes to the register as it is. Bus reads happen with all
/// processors together.
bool Machine::loadRaw(Step& s, const Memory& m, std::uint32_t word, unsigned destination) {
  const Float40 x = extendedFromSingle(word);
  if (m.internal || fitsDouble(x)) return false;
  extended_[destination]->fillExtended(x);
  if (!s.op.quiet) {
    setFlags(s.g, 0.0);
    finishFlags(s.g);
  }
  return true;
}

Machine::Did Machine::floatOp(Step& s) {
  Group& g = s.g;
  const VectorOp& op = s.op;
  const MicroOp& m = op.m;
  const bool aMemory = isMemory(m.low.access);
  const bool bMemory = op.threeOperand && isMemory(m.high.access);
  Memory ma;
  Memory mb;
  FloatOperand a;
  FloatOperand b;
  if ((aMemory && !plan(g, m.low, ma)) || (bMemory && !plan(g, m.high, mb))) return Did::HandBack;
  if (aMemory || bMemory) {
    const Did did = needBus(s, aMemory ? &ma : &mb, bMemory ? &mb : nullptr);
    if (did != Did::Next) return did;
  }
  if (aMemory) {
    if (!memoryOperand(g, ma, a, block_[0])) return Did::HandBack;
  } else if (m.low.access == Access::Constant) {
    a = {{op.constant, 0}, true, isShortValue(op.constant[0]), nullptr};
  } else if (!registerOperand(g, m.low.reg, a)) {
    return Did::HandBack;
  }
  if (op.binary) {
    if (bMemory) {
      if (!memoryOperand(g, mb, b, block_[1])) return Did::HandBack;
    } else if (!registerOperand(g, op.threeOperand ? m.high.reg : m.reg, b)) {
      return Did::HandBack;
    }
  }
  if (aMemory && bMemory) pairConflict(s, ma, mb);
  std::uint32_t word = 0;
  if (a.block != nullptr) {
    if (!busRead(s, ma, word)) return Did::HandBack;
    finishBusOperand(a, word);
  }
  if (b.block != nullptr) {
    std::uint32_t second = 0;
    if (!busRead(s, mb, second)) return Did::HandBack;
    finishBusOperand(b, second);
  }
  update(g, ma);
  update(g, mb);
  if (op.floatOp == FloatOp::Load && loadRaw(s, ma, word, m.reg)) return Did::Next;
  if (op.binary) {
    const bool reverse = op.floatOp == FloatOp::SubReverse;
    binary(g, op.binaryFn, op.compare ? 8u : m.reg, reverse ? a : b, reverse ? b : a, s.live);
  } else {
    const bool isShort = op.floatOp == FloatOp::Round || (op.floatOp == FloatOp::Load && a.isShort);
    unary(g, op.unaryFn, m.reg, a, isShort, s.live);
  }
  finishFlags(g);
  return Did::Next;
}

/// FIX into R0-R7.
Machine::Did Machine::fixOp(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory ma;
  FloatOperand a;
  if (isMemory(m.low.access)) {
    if (!plan(g, m.low, ma)) return Did::HandBack;
    const Did did = needBus(s, &ma);
    if (did != Did::Next) return did;
    if (!memoryOperand(g, ma, a, block_[0])) return Did::HandBack;
  } else if (m.low.access == Access::Constant) {
    a = {{s.op.constant, 0}, true, false, nullptr};
  } else if (!registerOperand(g, m.low.reg, a)) {
    return Did::HandBack;
  }
  if (a.block != nullptr) {
    std::uint32_t word = 0;
    if (!busRead(s, ma, word)) return Did::HandBack;
    finishBusOperand(a, word);
  }
  update(g, ma);
  if (a.uniform) {
    placeValue(s, fix(exactFloat40(a.s.p[0])));
    return Did::Next;
  }
  LaneMask over;
  if (s.live) g.flagsUniform = false;
  k_.fixWords(g.active.set(), extended_[m.reg]->writeM(g.active), a.s, s.live ? flags_ : nullptr,
              over);
  finishArithmetic(g, s.op.flagMask, {}, over);
  return Did::Next;
}

Machine::Did Machine::floatIf(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory ma;
  FloatOperand a;
  const bool aMemory = isMemory(m.low.access);
  if (aMemory) {
    if (!plan(g, m.low, ma)) return Did::HandBack;
    const Did did = needBus(s, &ma);
    if (did != Did::Next) return did;
    if (!memoryOperand(g, ma, a, block_[0])) return Did::HandBack;
  } else if (m.low.access == Access::Constant) {
    a = {{s.op.constant, 0}, true, isShortValue(s.op.constant[0]), nullptr};
  } else if (!registerOperand(g, m.low.reg, a)) {
    return Did::HandBack;
  }
  Row& row = *extended_[m.reg];
  const auto cond = static_cast<Cond>(m.cond);
  const bool nz = cond >= Cond::EQ && cond <= Cond::GE;
  if (cond != Cond::U && row.readF(g.active).p == nullptr) return Did::HandBack;
  std::uint32_t word = 0;
  if (a.block != nullptr) {
    if (!busRead(s, ma, word)) return Did::HandBack;
    finishBusOperand(a, word);
    if (!fitsDouble(extendedFromSingle(word))) {
      // Only now is it known that the value needs its bits.
      LaneMask holds;
      const Taken taken = evaluate(g, m.cond, holds);
      update(g, ma);
      if (taken == Taken::None) return Did::Next;
      if (taken == Taken::All) {
        row.fillExtended(extendedFromSingle(word));
        return Did::Next;
      }
      Active some;
      shape_.choose(some, holds);
      const Float40 x = extendedFromSingle(word);
      row.storeExtended(some, x);
      return Did::Next;
    }
  }
  update(g, ma);
  if (nz && !g.flagsUniform) {
    const unsigned c = cond == Cond::EQ ? 0u
                       : cond == Cond::NE
                           ? 1u
                           : static_cast<unsigned>(cond) - static_cast<unsigned>(Cond::LT) + 2u;
    double* d = row.updateF(g.active, a.isShort);
    // a may have been this row's uniform block: it is still there.
    k_.select[c](g.active.set(), d, a.s, flags_);
    return Did::Next;
  }
  LaneMask holds;
  const Taken taken = evaluate(g, m.cond, holds);
  if (taken == Taken::None) return Did::Next;
  if (taken == Taken::All) {
    unary(g, k_.ldf, m.reg, a, a.isShort, false);
    return Did::Next;
  }
  Active some;
  shape_.choose(some, holds);
  k_.ldf(some.set(), row.writeF(some, a.isShort), a.s, nullptr, faults_);
  return Did::Next;
}

/// The register's value, cut to a single word, to the active lanes of a RAM row. The register is
/// known to have an F view.
void Machine::storeRow(Group& g, Row& from, Row& to) {
  const Source s = from.readF(g.active);
  const auto& copy = from.shortF() ? k_.ldf : k_.cut;
  if (s.stride == 0) {
    alignas(64) double d[kBlock];
    copy({1, nullptr, nullptr}, d, s, nullptr, faults_);
    if (g.active.full) {
      to.fillF(d[0], true);
      return;
    }
    std::fill_n(d, kBlock, d[0]);
    k_.ldf(g.active.set(), to.writeF(g.active, true), {d, 0}, nullptr, faults_);
    return;
  }
  copy(g.active.set(), to.writeF(g.active, true), s, nullptr, faults_);
}

Machine::Did Machine::storeFloat(Step& s) {
  Group& g = s.g;
  Memory to;
  if (!plan(g, s.op.m.low, to) || !mayStore(to)) return Did::HandBack;
  Row& from = *extended_[s.op.m.reg];
  if (from.readF(g.active).p == nullptr) return Did::HandBack;
  update(g, to);
  storeRow(g, from, ramRow(to.offset));
  noteStore(to.offset);
  return Did::Next;
}

/// STF || STF: the store of the high field first, so that the low one stays.
Machine::Did Machine::storeStore(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory low;
  Memory high;
  if (!plan(g, m.low, low) || !plan(g, m.high, high) || !mayStore(low) || !mayStore(high)) {
    return Did::HandBack;
  }
  Row& lowFrom = *extended_[m.reg];
  Row& highFrom = *extended_[m.reg2];
  if (lowFrom.readF(g.active).p == nullptr || highFrom.readF(g.active).p == nullptr) {
    return Did::HandBack;
  }
  pairConflict(s, low, high);
  update(g, low);
  update(g, high);
  storeRow(g, highFrom, ramRow(high.offset));
  storeRow(g, lowFrom, ramRow(low.offset));
  noteStore(high.offset);
  noteStore(low.offset);
  return Did::Next;
}

/// Operation || STF (c32.md 4.4.6): the load half reads the old word, the store half the old
/// register; the ARn update of the low field wins.
Machine::Did Machine::floatAndStore(Step& s) {
  Group& g = s.g;
  const VectorOp& op = s.op;
  const MicroOp& m = op.m;
  const bool loads = isMemory(m.low.access);
  Memory to;
  Memory from;
  if (!plan(g, m.high, to) || !mayStore(to) || (loads && !plan(g, m.low, from))) {
    return Did::HandBack;
  }
  if (loads) {
    const Did did = needBus(s, &from);
    if (did != Did::Next) return did;
  }
  FloatOperand memory;
  FloatOperand other;
  Row& stored = *extended_[m.reg2];
  if (loads ? !memoryOperand(g, from, memory, block_[0]) : !registerOperand(g, m.low.reg, memory)) {
    return Did::HandBack;
  }
  if (op.binary && !registerOperand(g, m.reg3, other)) return Did::HandBack;
  if (stored.readF(g.active).p == nullptr) return Did::HandBack;
  const bool storeFirst = m.reg == m.reg2;
  if (storeFirst && loads && from.internal && from.offset == to.offset) return Did::HandBack;
  if (loads) pairConflict(s, to, from);
  std::uint32_t word = 0;
  if (memory.block != nullptr) {
    if (!busRead(s, from, word)) return Did::HandBack;
    finishBusOperand(memory, word);
  }
  update(g, to);
  if (loads) update(g, from);
  Row& target = ramRow(to.offset);
  noteStore(to.offset);
  if (storeFirst) storeRow(g, stored, target);
  if (op.binary) {
    const FloatOperand& b = op.registerFirst ? memory : other;
    const FloatOperand& a = op.registerFirst ? other : memory;
    binary(g, op.binaryFn, m.reg, b, a, s.live);
    finishFlags(g);
  } else if (op.floatOp != FloatOp::Load || !loads || !loadRaw(s, from, word, m.reg)) {
    const bool isShort = op.floatOp == FloatOp::Load && memory.isShort;
    unary(g, op.unaryFn, m.reg, memory, isShort, !op.quiet && s.live);
    if (!op.quiet) finishFlags(g);
  }
  if (!storeFirst) storeRow(g, stored, target);
  return Did::Next;
}

/// MPYF3 || ADDF3 or SUBF3 (c32.md 4.4.5): all sources are read before a result is written.
Machine::Did Machine::multiplyAdd(Step& s) {
  Group& g = s.g;
  const VectorOp& op = s.op;
  const MicroOp& m = op.m;
  // Sources: low field, high field, src1, src2; `from` tells the register, or none.
  FloatOperand source[4];
  unsigned from[4] = {8, 8, m.reg3, m.reg4};
  Memory memory[2];
  const OperandSpec* spec[2] = {&m.low, &m.high};
  bool isMem[2];
  for (unsigned i = 0; i < 2; ++i) {
    isMem[i] = isMemory(spec[i]->access);
    if (!isMem[i]) from[i] = spec[i]->reg;
    if (isMem[i] && !plan(g, *spec[i], memory[i])) return Did::HandBack;
  }
  const PairHalf product = kPairProduct[op.p];
  const PairHalf sum = kPairSum[op.p];
  if (op.entangled) return Did::HandBack;
  if (isMem[0] || isMem[1]) {
    const Did did =
        needBus(s, isMem[0] ? &memory[0] : &memory[1], isMem[0] && isMem[1] ? &memory[1] : nullptr);
    if (did != Did::Next) return did;
  }
  for (unsigned i = 0; i < 4; ++i) {
    const bool fine = i < 2 && isMem[i] ? memoryOperand(g, memory[i], source[i], block_[i])
                                        : registerOperand(g, from[i], source[i]);
    if (!fine) return Did::HandBack;
  }
  if (isMem[0] && isMem[1]) pairConflict(s, memory[0], memory[1]);
  for (unsigned i = 0; i < 2; ++i) {
    if (source[i].block == nullptr) continue;
    std::uint32_t word = 0;
    if (!busRead(s, memory[i], word)) return Did::HandBack;
    finishBusOperand(source[i], word);
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (isMem[i]) update(g, memory[i]);
  }
  const auto multiply = [&] {
    binary(g, op.binaryFn, m.reg, source[product.first], source[product.second], false);
  };
  const auto add = [&] {
    binary(g, op.sumFn, m.reg2, source[sum.first], source[sum.second], false);
  };
  if (op.sumFirst) {
    add();
    multiply();
  } else {
    multiply();
    add();
  }
  setFlags(g, 1.0);  // N and Z cleared (4.3 class PMA)
  finishFlags(g);
  return Did::Next;
}

/// LDF || LDF: into one register the low field's value stays.
Machine::Did Machine::loadLoad(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory memory[2];
  FloatOperand source[2];
  const OperandSpec* spec[2] = {&m.low, &m.high};
  bool isMem[2];
  for (unsigned i = 0; i < 2; ++i) {
    isMem[i] = isMemory(spec[i]->access);
    if (isMem[i] && !plan(g, *spec[i], memory[i])) return Did::HandBack;
  }
  if (!isMem[0] && m.low.reg == m.reg2) return Did::HandBack;
  if (isMem[0] || isMem[1]) {
    const Did did =
        needBus(s, isMem[0] ? &memory[0] : &memory[1], isMem[0] && isMem[1] ? &memory[1] : nullptr);
    if (did != Did::Next) return did;
  }
  for (unsigned i = 0; i < 2; ++i) {
    const bool fine = isMem[i] ? memoryOperand(g, memory[i], source[i], block_[i])
                               : registerOperand(g, spec[i]->reg, source[i]);
    if (!fine) return Did::HandBack;
  }
  if (isMem[0] && isMem[1]) pairConflict(s, memory[0], memory[1]);
  std::uint32_t word[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    if (source[i].block == nullptr) continue;
    if (!busRead(s, memory[i], word[i])) return Did::HandBack;
    finishBusOperand(source[i], word[i]);
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (isMem[i]) update(g, memory[i]);
  }
  const unsigned destination[2] = {m.reg, m.reg2};
  for (const unsigned i : {1u, 0u}) {
    if (isMem[i] && loadRaw(s, memory[i], word[i], destination[i])) continue;
    unary(g, k_.ldf, destination[i], source[i], source[i].isShort, false);
  }
  return Did::Next;
}

}  // namespace rtvp::c32::simt
