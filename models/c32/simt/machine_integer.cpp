// Integer instructions: one value for all, two values, or rows of words.
#include <algorithm>
#include <bit>

#include "models/c32/flags.hpp"
#include "models/c32/simt/machine.hpp"

namespace rtvp::c32::simt {
bool Machine::wordRegister(Group& g, unsigned r, WordOperand& o) {
  using Shape = WordOperand::Shape;
  if (r < 8) {
    o.row = extended_[r]->readM(g.active);
    o.shape = o.row.stride == 0 ? Shape::One : Shape::Row;
    o.x = o.row.p[0];
    return true;
  }
  const unsigned i = r - 8u;
  if ((g.rest.opaque >> i & 1u) != 0) {
    if ((g.rest.spread >> i & 1u) == 0) return false;
    o.row = spread_[i]->readM(g.active);
    o.shape = o.row.stride == 0 ? Shape::One : Shape::Row;
    o.x = o.row.p[0];
    return true;
  }
  o.shape = Shape::One;
  o.x = g.rest.x[i];
  if ((g.rest.dual >> i & 1u) == 0) return true;
  o.second = g.rest.second[i] & g.active.mask;
  if (!o.second.any()) return true;
  if (o.second == g.active.mask) {
    o.x = g.rest.y[i];
    return true;
  }
  o.y = g.rest.y[i];
  o.shape = Shape::Two;
  return true;
}

/// Plans and, if internal, reads a source operand; a bus operand is read by the caller.
Machine::Did Machine::wordSource(Step& s, const OperandSpec& spec, Memory& m, WordOperand& o) {
  Group& g = s.g;
  switch (spec.access) {
    case Access::Register:
      return wordRegister(g, spec.reg, o) ? Did::Next : Did::HandBack;
    case Access::Constant:
      o.x = static_cast<std::uint32_t>(spec.value);
      return Did::Next;
    default:
      break;
  }
  if (!isMemory(spec.access) || !plan(g, spec, m)) return Did::HandBack;
  if (!m.internal) return needBus(s, &m);
  o.row = ramRow(m.offset).readM(g.active);
  o.shape = o.row.stride == 0 ? WordOperand::Shape::One : WordOperand::Shape::Row;
  o.x = o.row.p[0];
  return Did::Next;
}

/// The read that wordSource() has found possible, of an instruction with one memory operand: the
/// word if it comes from the bus, and the address register. False: nothing answered.
bool Machine::takeSource(Step& s, const Memory& m, WordOperand& o) {
  if (isMemory(s.op.m.low.access) && !m.internal && !busRead(s, m, o.x)) return false;
  update(s.g, m);
  return true;
}

void Machine::carryFor(const LaneMask& lanes, std::uint32_t flags, std::uint32_t mask) {
  if ((mask & kC) == 0) return;
  if ((flags & kC) != 0) {
    c_ |= lanes;
  } else {
    c_.remove(lanes);
  }
}

/// A register beside R0-R7, of many values as a row.
void Machine::placeRest(Group& g, unsigned r, const WordOperand& value) {
  const unsigned i = r - 8u;
  const std::uint32_t bit = 1u << i;
  if (value.shape == WordOperand::Shape::Row) {
    if (!spread_[i]) spread_[i] = std::make_unique<Row>(shape_, true);
    std::uint32_t* d = spread_[i]->writeM(g.active);
    k_.copyWords(g.active.set(), d, value.row, nullptr);
    g.rest.dual &= ~bit;
    g.rest.opaque |= bit;
    g.rest.spread |= bit;
    return;
  }
  g.rest.x[i] = value.x;
  g.rest.opaque &= ~bit;
  g.rest.dual &= ~bit;
  if (value.shape == WordOperand::Shape::Two) {
    g.rest.y[i] = value.y;
    g.rest.second[i] = value.second;
    g.rest.dual |= bit;
  }
}

/// Two values as a row; `which` of the buffers is free.
void Machine::expand(const Group& g, WordOperand& o, unsigned which) {
  if (o.shape != WordOperand::Shape::Two) return;
  std::fill_n(wide_[which], shape_.lanes, o.x);
  (o.second & g.active.mask).forEach([&](unsigned lane) { wide_[which][lane] = o.y; });
  o.shape = WordOperand::Shape::Row;
  o.row = {wide_[which], 1};
}

/// A row of at most two values as these. False: there are more.
bool Machine::twoValues(const Group& g, WordOperand& o) {
  const WordSource row = o.row;
  bool known = false;
  bool more = false;
  o.second = {};
  o.x = row.p[static_cast<std::size_t>(std::countr_zero(g.active.mask.w[0])) * row.stride];
  g.active.mask.forEach([&](unsigned lane) {
    const std::uint32_t word = row.p[lane * row.stride];
    if (word == o.x) return;
    more = more || (known && word != o.y);
    known = true;
    o.y = word;
    o.second.set(lane);
  });
  o.shape = known ? WordOperand::Shape::Two : WordOperand::Shape::One;
  return !more;
}

/// One result for all processors of the group, to R0-R7 or, for a comparison, nowhere.
void Machine::placeValue(Step& s, const IntegerResult& r) {
  Group& g = s.g;
  const VectorOp& op = s.op;
  if (!op.compare) {
    Row& row = *extended_[op.m.reg];
    if (g.active.full) {
      row.fillM(r.value);
    } else {
      alignas(64) std::uint32_t block[kBlock];
      std::fill_n(block, kBlock, r.value);
      k_.copyWords(g.active.set(), row.writeM(g.active), {block, 0}, nullptr);
    }
  }
  if (op.quiet) return;
  setFlags(g, nzOf(r.flags));
  if ((r.flags & kV) != 0) {
    faults_.overflow = g.active.mask;
    faults_.any = true;
  }
  finishFlags(g);
  carryFor(g.active.mask, r.flags, op.flagMask);
}

/// Carry, V and LV after a vector form.
void Machine::finishArithmetic(const Group& g, std::uint32_t mask, const LaneMask& carry,
                               const LaneMask& over) {
  std::uint64_t some = 0;
  for (unsigned i = 0; i < shape_.maskWords; ++i) {
    if ((mask & kC) != 0) c_.w[i] = (c_.w[i] & ~g.active.mask.w[i]) | carry.w[i];
    some |= over.w[i];
  }
  if (some != 0) {
    faults_.overflow = over;
    faults_.any = true;
  }
  finishFlags(g);
}

/// Where a register beside R0-R7 gets many values.
Row& Machine::spreadRow(Group& g, unsigned r) {
  const unsigned i = r - 8u;
  if (!spread_[i]) spread_[i] = std::make_unique<Row>(shape_, true);
  g.rest.dual &= ~(1u << i);
  g.rest.opaque |= 1u << i;
  g.rest.spread |= 1u << i;
  return *spread_[i];
}

/// Rows of results.
void Machine::placeRow(Step& s, const WordOperand& b, const WordOperand& a) {
  Group& g = s.g;
  const VectorOp& op = s.op;
  const bool flags = !op.quiet;
  const bool wanted = flags && s.live;
  alignas(64) std::uint32_t blockA[kBlock];
  alignas(64) std::uint32_t blockB[kBlock];
  const auto source = [](const WordOperand& o, std::uint32_t* block) -> WordSource {
    if (o.shape == WordOperand::Shape::Row) return o.row;
    std::fill_n(block, kBlock, o.x);
    return {block, 0};
  };
  WordOperand fixed;
  fixed.x = op.fixedB;
  const WordSource sa = source(a, blockA);
  const WordSource sb = source(op.binary ? b : fixed, blockB);
  Row& to = op.compare ? *scratch_ : op.m.reg >= 8 ? spreadRow(g, op.m.reg) : *extended_[op.m.reg];
  std::uint32_t* d = to.writeM(g.active);
  double* f = wanted ? flags_ : nullptr;
  if (op.arithmetic != nullptr) {
    if (wanted) g.flagsUniform = false;
    LaneMask carry;
    LaneMask over;
    (k_.*op.arithmetic)(g.active.set(), d, op.swapped ? sa : sb, op.swapped ? sb : sa, f, carry,
                        over);
    if (flags) finishArithmetic(g, op.flagMask, carry, over);
    return;
  }
  if (op.bitwise != nullptr || op.copy) {
    if (wanted) g.flagsUniform = false;
    if (op.copy) {
      k_.copyWords(g.active.set(), d, sa, f);
    } else {
      (k_.*op.bitwise)(g.active.set(), d, sb, sa, f);
    }
    if (flags) finishFlags(g);
    return;
  }
  if (flags) g.flagsUniform = false;
  LaneMask over;
  g.active.mask.forEach([&](unsigned lane) {
    const IntegerResult r =
        op.integer(sb.p[lane * sb.stride], sa.p[lane * sa.stride], c_.test(lane) ? 1u : 0u);
    d[lane] = r.value;
    if (!flags) return;
    flags_[lane] = nzOf(r.flags);
    if ((r.flags & kV) != 0) over.set(lane);
    if ((op.flagMask & kC) == 0) return;
    if ((r.flags & kC) != 0) {
      c_.set(lane);
    } else {
      c_.clear(lane);
    }
  });
  if (!flags) return;
  if (over.any()) {
    faults_.overflow = over;
    faults_.any = true;
  }
  finishFlags(g);
}

/// An operand that is not where wordSource() looks: a word at an address of each processor's own,
/// or a timer's register. False: neither, and nothing has happened.
bool Machine::apart(Step& s, const OperandSpec& spec, Memory& m, WordOperand& o) {
  if (!isMemory(spec.access)) return false;
  if (gather(s.g, spec, o)) return true;
  if (plan(s.g, spec, m) || !timerAt(s, m)) {
    m = {};
    return false;
  }
  timerRead(s, m, o);
  m.internal = true;  // nothing is left to be read
  return true;
}

/// Whether operands in two values must become rows: another operand is one, both have two values
/// but not in the same processors, or the result goes where two values cannot be.
bool Machine::needRows(bool rest, const WordOperand& a, const WordOperand& b) {
  using Shape = WordOperand::Shape;
  const bool twoA = a.shape == Shape::Two;
  const bool twoB = b.shape == Shape::Two;
  if (a.shape == Shape::Row || b.shape == Shape::Row) return true;
  return (twoA || twoB) && (!rest || (twoA && twoB && !(a.second == b.second)));
}

Machine::Did Machine::integerOp(Step& s) {
  using Shape = WordOperand::Shape;
  Group& g = s.g;
  const VectorOp& op = s.op;
  const MicroOp& m = op.m;
  if (m.reg == reg::IOF && !op.compare && !alone()) return Did::Park;
  Memory ma;
  Memory mb;
  WordOperand a;
  WordOperand b;
  Did did = wordSource(s, m.low, ma, a);
  if (did == Did::HandBack && !op.threeOperand && apart(s, m.low, ma, a)) did = Did::Next;
  if (did != Did::Next) return did;
  if (op.binary) {
    if (op.threeOperand) {
      did = wordSource(s, m.high, mb, b);
      if (did != Did::Next) return did;
    } else if (!wordRegister(g, m.reg, b)) {
      return Did::HandBack;
    }
    // A register operand sees the ARn that a memory operand has modified: rare.
    const unsigned other = op.threeOperand ? m.high.reg : m.reg;
    if (ma.modifies && other == ma.reg) return Did::HandBack;
    if (mb.modifies && m.low.reg == mb.reg) return Did::HandBack;
  }
  const bool rest = !op.compare && m.reg >= 8;
  if (m.reg == reg::IOF && rest) {
    if (op.binary ? a.shape == Shape::Row : a.shape == Shape::Row && !twoValues(g, a)) {
      return Did::HandBack;
    }
  } else if (needRows(rest, a, b)) {
    expand(g, a, 0);
    expand(g, b, 1);
  }
  const bool rows = a.shape == Shape::Row || b.shape == Shape::Row;
  const bool twos = a.shape == Shape::Two || b.shape == Shape::Two;
  if (twos && a.shape == b.shape && !(a.second == b.second)) return Did::HandBack;
  std::uint32_t carry = 0;
  if (op.usesCarry && !rows) {
    const LaneMask carries = c_ & g.active.mask;
    carry = carries.any() ? 1u : 0u;
    if (carry != 0 && !(carries == g.active.mask)) return Did::HandBack;
  }
  WordOperand result;
  IntegerResult rx;
  IntegerResult ry;
  if (twos) {
    result.second = a.shape == Shape::Two ? a.second : b.second;
  }
  const bool busA = isMemory(m.low.access) && !ma.internal;
  const bool busB = op.threeOperand && isMemory(m.high.access) && !mb.internal;
  if (op.threeOperand && isMemory(m.low.access) && isMemory(m.high.access)) {
    pairConflict(s, ma, mb);
  }
  if (busA && !busRead(s, ma, a.x)) return Did::HandBack;
  if (busB && !busRead(s, mb, b.x)) return Did::HandBack;
  if (rows) {
    update(g, ma);
    update(g, mb);
    placeRow(s, b, a);
    return Did::Next;
  }
  rx = op.integer(b.x, a.x, carry);
  result.x = rx.value;
  if (twos) {
    ry = op.integer(b.shape == Shape::Two ? b.y : b.x, a.shape == Shape::Two ? a.y : a.x, carry);
    result.y = ry.value;
    result.shape = rx.value == ry.value ? Shape::One : Shape::Two;
  }
  if (rest) {
    // The destination is written after the address registers.
    if (m.reg == reg::IOF) {
      did = writeIof(g, s.exec, result);
      if (did != Did::Next) return did;
      update(g, ma);
      update(g, mb);
      return Did::Next;
    }
    update(g, ma);
    update(g, mb);
    placeRest(g, m.reg, result);
    return Did::Next;
  }
  update(g, ma);
  update(g, mb);
  placeValue(s, rx);
  return Did::Next;
}

Machine::Did Machine::integerIf(Step& s) {
  using Shape = WordOperand::Shape;
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory ma;
  WordOperand a;
  const Did did = wordSource(s, m.low, ma, a);
  if (did != Did::Next) return did;
  LaneMask holds;
  const Taken taken = evaluate(g, m.cond, holds);
  const bool rest = m.reg >= 8;
  WordOperand old;
  if (taken == Taken::Some && rest &&
      (!wordRegister(g, m.reg, old) || (ma.modifies && ma.reg == m.reg))) {
    return Did::HandBack;
  }
  if (!takeSource(s, ma, a)) return Did::HandBack;
  if (taken == Taken::None) return Did::Next;
  if (rest && taken == Taken::All) {
    placeRest(g, m.reg, a);
    return Did::Next;
  }
  if (rest && a.shape == Shape::One && old.shape == Shape::One) {
    if (a.x == old.x) return Did::Next;
    old.shape = Shape::Two;
    old.y = a.x;
    old.second = holds;
    placeRest(g, m.reg, old);
    return Did::Next;
  }
  expand(g, a, 0);
  if (rest) keepOld(g, m.reg, old);
  Row& row = rest ? spreadRow(g, m.reg) : *extended_[m.reg];
  if (taken == Taken::All && g.active.full && a.shape == Shape::One) {
    row.fillM(a.x);
    return Did::Next;
  }
  alignas(64) std::uint32_t block[kBlock];
  std::fill_n(block, kBlock, a.x);
  const WordSource source = a.shape == Shape::Row ? a.row : WordSource{block, 0};
  Active some;
  shape_.choose(some, taken == Taken::All ? g.active.mask : holds);
  k_.copyWords(some.set(), row.writeM(some), source, nullptr);
  return Did::Next;
}

/// A register beside R0-R7 as a row of the values that it has.
void Machine::keepOld(Group& g, unsigned r, WordOperand& old) {
  if (old.shape == WordOperand::Shape::Row) return;
  expand(g, old, 1);
  alignas(64) std::uint32_t block[kBlock];
  std::fill_n(block, kBlock, old.x);
  const bool rowed = old.shape == WordOperand::Shape::Row;
  std::uint32_t* d = spreadRow(g, r).writeM(g.active);
  k_.copyWords(g.active.set(), d, rowed ? old.row : WordSource{block, 0}, nullptr);
}

/// Operation || STI (c32.md 4.4.6): the load half reads the old word, the store half the old
/// register; the ARn update of the low field wins.
Machine::Did Machine::integerAndStore(Step& s) {
  using Shape = WordOperand::Shape;
  Group& g = s.g;
  const VectorOp& op = s.op;
  const MicroOp& m = op.m;
  Memory to;
  Memory from;
  WordOperand memory;
  WordOperand other;
  WordOperand stored;
  if (!plan(g, m.high, to) || !mayStore(to)) return Did::HandBack;
  const bool loads = isMemory(m.low.access);
  const Did did = wordSource(s, m.low, from, memory);
  if (did != Did::Next) return did;
  if (op.binary && !wordRegister(g, m.reg3, other)) return Did::HandBack;
  if (!wordRegister(g, m.reg2, stored)) return Did::HandBack;
  const bool storeFirst = m.reg == m.reg2;
  // Both halves from and to one word, or a register beside R0-R7 that is not one value: rare.
  if ((storeFirst && loads && from.internal && from.offset == to.offset) ||
      memory.shape == Shape::Two || other.shape == Shape::Two || stored.shape == Shape::Two) {
    return Did::HandBack;
  }
  if (loads) pairConflict(s, to, from);
  if (loads && !from.internal && !busRead(s, from, memory.x)) return Did::HandBack;
  update(g, to);
  if (loads) update(g, from);
  // An operand in one value was copied; a row of the register stored is still to be read.
  if (storeFirst) storeWords(g, stored, to.offset);
  const WordOperand& b = op.registerFirst ? memory : other;
  const WordOperand& a = op.registerFirst ? other : memory;
  const WordOperand& single = op.binary ? a : memory;
  if (b.shape == Shape::Row || single.shape == Shape::Row) {
    placeRow(s, b, single);
  } else {
    placeValue(s, op.integer(b.x, single.x, 0));
  }
  if (!storeFirst) storeWords(g, stored, to.offset);
  return Did::Next;
}

/// A register's words to the active lanes of a RAM row.
void Machine::storeWords(Group& g, const WordOperand& a, std::uint32_t offset) {
  using Shape = WordOperand::Shape;
  Row& row = ramRow(offset);
  noteStore(offset);
  if (g.active.full && a.shape == Shape::One) {
    row.fillM(a.x);
    return;
  }
  alignas(64) std::uint32_t block[kBlock];
  std::fill_n(block, kBlock, a.x);
  const WordSource source = a.shape == Shape::Row ? a.row : WordSource{block, 0};
  std::uint32_t* d = row.writeM(g.active);
  k_.copyWords(g.active.set(), d, source, nullptr);
  if (a.shape != Shape::Two) return;
  Active some;
  shape_.choose(some, a.second);
  std::fill_n(block, kBlock, a.y);
  k_.copyWords(some.set(), d, {block, 0}, nullptr);
}

Machine::Did Machine::storeWord(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  Memory to;
  WordOperand a;
  const bool planned = plan(g, m.low, to);
  const bool timer = !planned && timerAt(s, to);
  if (!timer && (!planned || !mayStore(to))) return Did::HandBack;
  // The register stored may be the one that the address modifies: it is read in the E stage.
  if ((to.modifies && to.reg == m.reg) || !wordRegister(g, m.reg, a)) return Did::HandBack;
  update(g, to);
  if (timer) {
    timerWrite(s, to, a);
  } else {
    storeWords(g, a, to.offset);
  }
  return Did::Next;
}

/// FLOAT.
Machine::Did Machine::floatFrom(Step& s) {
  Memory from;
  WordOperand a;
  if (const Did did = wordSource(s, s.op.m.low, from, a); did != Did::Next) return did;
  if (!takeSource(s, from, a)) return Did::HandBack;
  Group& g = s.g;
  const unsigned to = s.op.m.reg;
  expand(g, a, 0);
  if (a.shape == WordOperand::Shape::Row) {
    if (s.live) g.flagsUniform = false;
    k_.floatWords(g.active.set(), extended_[to]->writeF(g.active, false), a.row,
                  s.live ? flags_ : nullptr);
  } else {
    const double value = static_cast<std::int32_t>(a.x);
    placeUniform(g, to, value);
    setFlags(g, value);
  }
  finishFlags(g);
  return Did::Next;
}

}  // namespace rtvp::c32::simt
