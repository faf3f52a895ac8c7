// Integer instructions, stores and branches in their usual case (fast.hpp); machine_integer.cpp and
// machine_control.cpp have all cases.
#include <algorithm>

#include "models/c32/simt/fast.hpp"

namespace rtvp::c32::simt {

struct Machine::FastOther : Machine::Fast {
  /// An integer operand: a row, or one value for all.
  struct Word {
    WordSource row{nullptr, 0};
    std::uint32_t x = 0;
    std::uint32_t address = 0;
    bool bus = false;

    [[nodiscard]] bool single() const { return row.stride == 0; }
    /// As a row for a kernel.
    [[nodiscard]] WordSource source(std::uint32_t* block) const {
      if (!single()) return row;
      std::fill_n(block, kBlock, x);
      return {block, 0};
    }
  };

  /// False: the general path must look.
  [[gnu::always_inline]] static bool word(Machine& m, Group& g, Where place, unsigned reg,
                                          std::int32_t value, Word& w) {
    switch (place) {
      case Where::None:
        return true;
      case Where::Constant:
        w.x = static_cast<std::uint32_t>(value);
        return true;
      case Where::Rest:
        w.x = g.rest.x[reg];
        return true;
      case Where::Extended:
        w.row = m.registers_[reg]->readM(g.active);
        w.x = w.row.p[0];
        return true;
      case Where::Indirect:
        w.address = addressOf<Mode::Indirect>(g, reg, value);
        break;
      case Where::Direct:
        w.address = addressOf<Mode::Direct>(g, reg, value);
        break;
    }
    const std::uint32_t offset = w.address - kRamBase;
    if (offset >= kRamWords) {
      w.bus = true;
      return onBus(m, w.address);
    }
    Row* row = m.loaded_[offset];
    if (row == nullptr) return false;
    w.row = row->readM(g.active);
    w.x = w.row.p[0];
    return true;
  }
  [[gnu::always_inline]] static void step(Group& g, const FastOp& op) {
    const std::uint32_t a = op.aStep != 0 ? g.rest.x[op.aReg] : 0;
    const std::uint32_t b = op.bStep != 0 ? g.rest.x[op.bReg] : 0;
    if (op.aStep != 0) g.rest.x[op.aReg] = stepped(a, op.aStep);
    if (op.bStep != 0) g.rest.x[op.bReg] = stepped(b, op.bStep);
  }
  static void setRest(Group& g, unsigned r, std::uint32_t value) {
    g.rest.x[r] = value;
    const std::uint32_t bit = 1u << r;
    if (((g.rest.dual | g.rest.opaque) & bit) == 0) return;
    g.rest.dual &= ~bit;
    g.rest.opaque &= ~bit;
  }
  [[gnu::always_inline]] static void setWord(Machine& m, Group& g, unsigned r,
                                             std::uint32_t value) {
    Row& row = *m.registers_[r];
    if (g.active.full) {
      row.fillM(value);
      return;
    }
    alignas(64) std::uint32_t block[kBlock];
    std::fill_n(block, kBlock, value);
    m.k_.copyWords(g.active.set(), row.writeM(g.active), {block, 0}, nullptr);
  }

  [[gnu::always_inline]] static WordSource sourceA(Machine& m, const FastOp& op, const Word& a) {
    if (op.aPlace == Where::Constant) return {op.op->words, 0};
    return a.source(m.wordBlock_[0]);
  }
  /// Where the flags go: nowhere if nobody looks at them.
  [[gnu::always_inline]] static double* rowFlags(Machine& m, Group& g, const FastOp& op) {
    if (op.op->quiet || !live(g, op)) return nullptr;
    g.flagsUniform = false;
    return m.flags_;
  }
  /// Where the words go; those of a comparison nobody reads.
  [[gnu::always_inline]] static std::uint32_t* rowTo(Machine& m, Group& g, const FastOp& op) {
    return op.op->compare ? m.wide_[1] : m.registers_[op.d]->writeM(g.active);
  }

  /// Operations on rows that have a vector form.
  static std::uint32_t rows(Machine& m, Group& g, const FastOp& op, const Word& b, const Word& a,
                            Cycle end) {
    const VectorOp& v = *op.op;
    step(g, op);
    if (v.arithmetic != nullptr) return arithmeticRows(m, g, op, b, a, end);
    const WordSource sa = sourceA(m, op, a);
    std::uint32_t* const d = rowTo(m, g, op);
    double* const flags = rowFlags(m, g, op);
    if (v.copy) {
      m.k_.copyWords(g.active.set(), d, sa, flags);
    } else {
      Word left = b;
      if (!v.binary) left.x = v.fixedB;
      (m.k_.*v.bitwise)(g.active.set(), d, left.source(m.wordBlock_[1]), sa, flags);
    }
    if (!v.quiet) m.finishFlags(g);
    return done(g, end);
  }
  static std::uint32_t arithmeticRows(Machine& m, Group& g, const FastOp& op, const Word& b,
                                      const Word& a, Cycle end) {
    const VectorOp& v = *op.op;
    Word left = b;
    if (!v.binary) left.x = v.fixedB;
    const WordSource sa = sourceA(m, op, a);
    const WordSource sb = left.source(m.wordBlock_[1]);
    std::uint32_t* const d = rowTo(m, g, op);
    LaneMask carry;
    LaneMask over;
    (m.k_.*v.arithmetic)(g.active.set(), d, v.swapped ? sa : sb, v.swapped ? sb : sa,
                         rowFlags(m, g, op), carry, over);
    if (!v.quiet) m.finishArithmetic(g, v.flagMask, carry, over);
    return done(g, end);
  }

  static bool hasRows(const VectorOp& v) {
    return v.copy || v.bitwise != nullptr || v.arithmetic != nullptr;
  }
  /// Wherever its operands are.
  template <bool ToRest>
  static std::uint32_t integer(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    return integerAt<ToRest>(m, g, op, exec, op.aPlace, op.bPlace);
  }
  /// To R0-R7, the operands known to be there.
  template <Where A, Where B>
  static std::uint32_t integerFrom(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    return integerAt<false>(m, g, op, exec, A, B);
  }
  static FastOp::Run usualInteger(const FastOp& op) {
    using enum Where;
    const bool one = op.bPlace == None;
    if (!one && op.bPlace != Extended) return integer<false>;
    switch (op.aPlace) {
      case Constant:
        return one ? integerFrom<Constant, None> : integerFrom<Constant, Extended>;
      case Extended:
        return one ? integerFrom<Extended, None> : integerFrom<Extended, Extended>;
      case Direct:
        return one ? integerFrom<Direct, None> : integerFrom<Direct, Extended>;
      default:
        return integer<false>;
    }
  }
  template <bool ToRest>
  [[gnu::always_inline]] static std::uint32_t integerAt(Machine& m, Group& g, const FastOp& op,
                                                        Cycle exec, Where from, Where with) {
    const VectorOp& v = *op.op;
    Word a;
    Word b;
    if (!word(m, g, from, op.aReg, op.aValue, a)) return kGeneral;
    if (!word(m, g, with, op.bReg, op.bValue, b)) return kGeneral;
    const bool rowed = !a.single() || !b.single();
    if (ToRest && rowed && v.copy && !a.bus) return spread(m, g, op, a, exec);
    if ((a.bus && b.bus) || (rowed && (ToRest || !hasRows(v)))) {
      return kGeneral;
    }
    Cycle end = exec + 1;
    if (a.address != 0 && b.address != 0) end += conflict(g, a.address, b.address);
    if (a.bus && !read(m, g, a.address, exec, end, a.x)) return kBack;
    if (b.bus && !read(m, g, b.address, exec, end, b.x)) return kBack;
    if (rowed) return rows(m, g, op, b, a, end);
    const IntegerResult r = v.integer(b.x, a.x, 0);
    step(g, op);
    if constexpr (ToRest) {
      setRest(g, op.d, r.value);
    } else {
      if (!v.compare) setWord(m, g, op.d, r.value);
      if (!v.quiet) flags(m, g, v, r.flags);
    }
    return done(g, end);
  }

  /// LDI of many values to a register beside R0-R7.
  static std::uint32_t spread(Machine& m, Group& g, const FastOp& op, const Word& a, Cycle exec) {
    step(g, op);
    std::uint32_t* const d = m.spreadRow(g, op.d + 8u).writeM(g.active);
    m.k_.copyWords(g.active.set(), d, a.row, nullptr);
    return done(g, exec + 1);
  }

  /// LDI to R0-R7 through a register that may hold an address of each processor's own.
  static std::uint32_t loadThrough(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    if (((g.rest.dual | g.rest.opaque) >> op.aReg & 1u) == 0) return integer<false>(m, g, op, exec);
    WordOperand o;
    if (!m.gather(g, op.op->m.low, o)) return kGeneral;
    Word a;
    a.row = o.row;
    return rows(m, g, op, {}, a, exec + 1);
  }

  /// FLOAT of rows.
  static std::uint32_t floatFrom(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Word a;
    if (!word(m, g, op.aPlace, op.aReg, op.aValue, a) || a.single()) return kGeneral;
    step(g, op);
    const bool wanted = live(g, op);
    if (wanted) g.flagsUniform = false;
    m.k_.floatWords(g.active.set(), m.registers_[op.d]->writeF(g.active, false), a.row,
                    wanted ? m.flags_ : nullptr);
    m.finishFlags(g);
    return done(g, exec + 1);
  }

  static void flags(Machine& m, Group& g, const VectorOp& v, std::uint32_t f) {
    m.setFlags(g, nzOf(f));
    if ((f & kV) != 0) {
      m.faults_.overflow = g.active.mask;
      m.faults_.any = true;
    }
    m.finishFlags(g);
    m.carryFor(g.active.mask, f, v.flagMask);
  }

  /// LDIcond on N and Z.
  static std::uint32_t integerIf(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    LaneMask holds{LaneMask::Unset{}};
    Word a;
    if (!word(m, g, op.aPlace, op.aReg, op.aValue, a) || !a.single() || a.bus) return kGeneral;
    const Taken taken = m.evaluate(g, op.cond, holds);
    if (taken == Taken::Some) {
      const std::uint32_t bit = 1u << op.d;
      const bool stepsIt = op.aStep != 0 && op.aReg == op.d;
      if (!op.toRest || stepsIt || ((g.rest.dual | g.rest.opaque) & bit) != 0) return kGeneral;
      step(g, op);
      if (g.rest.x[op.d] == a.x) return done(g, exec + 1);
      g.rest.y[op.d] = a.x;
      g.rest.second[op.d] = holds;
      g.rest.dual |= bit;
      return done(g, exec + 1);
    }
    step(g, op);
    if (taken == Taken::All) {
      if (op.toRest) {
        setRest(g, op.d, a.x);
      } else {
        setWord(m, g, op.d, a.x);
      }
    }
    return done(g, exec + 1);
  }

  /// LDI to IOF, of a constant or a register that may hold two values.
  static std::uint32_t loadIof(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    WordOperand value;
    if (op.aPlace == Where::Constant) {
      value.x = static_cast<std::uint32_t>(op.aValue);
    } else if (!m.wordRegister(g, op.aReg + 8u, value)) {
      return kGeneral;
    }
    if (m.writeIof(g, exec, value) != Did::Next) return kGeneral;
    m.busOpen_ = m.busOpen_ && !m.arrived_;
    return done(g, exec + 1);
  }

  /// A comparison of IOF with a constant.
  static std::uint32_t testIof(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    if (m.samplePins(g, exec) != Did::Next) return kGeneral;
    return integer<false>(m, g, op, exec);
  }

  /// Operation || STI on values that all processors share: the load half reads the old word, the
  /// store half the old register; the ARn update of the low field wins.
  static std::uint32_t andStore(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    const VectorOp& v = *op.op;
    const std::uint32_t to = addressOf<Mode::Indirect>(g, op.bReg, op.bValue);
    const std::uint32_t offset = to - kRamBase;
    if (!mayFill(m, g, offset)) return kGeneral;
    Word memory;
    Word other;
    Word stored;
    if (!word(m, g, op.aPlace, op.aReg, op.aValue, memory) || !memory.single()) return kGeneral;
    if (v.binary && !word(m, g, Where::Extended, v.m.reg3, 0, other)) return kGeneral;
    if (!other.single() || !word(m, g, Where::Extended, op.d2, 0, stored)) return kGeneral;
    if (op.d == op.d2) return kGeneral;
    Cycle end = exec + 1;
    if (memory.address != 0) end += conflict(g, to, memory.address);
    if (memory.bus && !read(m, g, memory.address, exec, end, memory.x)) return kBack;
    const std::uint32_t from = op.aStep != 0 ? g.rest.x[op.aReg] : 0;
    if (op.bStep != 0) g.rest.x[op.bReg] = stepped(g.rest.x[op.bReg], op.bStep);
    if (op.aStep != 0) g.rest.x[op.aReg] = stepped(from, op.aStep);
    const std::uint32_t b = v.registerFirst ? memory.x : other.x;
    const std::uint32_t a = v.registerFirst ? other.x : memory.x;
    const IntegerResult r = v.integer(b, v.binary ? a : memory.x, 0);
    setWord(m, g, op.d, r.value);
    if (!v.quiet) flags(m, g, v, r.flags);
    put(m, g, offset, stored);
    return done(g, end);
  }

  /// To the active lanes of a RAM row.
  [[gnu::always_inline]] static void put(Machine& m, Group& g, std::uint32_t offset,
                                         const Word& from) {
    Row& to = rowToFill(m, offset);
    m.noteStore(offset);
    if (g.active.full && from.single()) {
      to.fillM(from.x);
      return;
    }
    alignas(64) std::uint32_t block[kBlock];
    const WordSource source = from.source(block);
    m.k_.copyWords(g.active.set(), to.writeM(g.active), source, nullptr);
  }

  static std::uint32_t storeWord(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    const std::uint32_t address = op.aPlace == Where::Direct
                                      ? addressOf<Mode::Direct>(g, op.aReg, op.aValue)
                                      : addressOf<Mode::Indirect>(g, op.aReg, op.aValue);
    const std::uint32_t offset = address - kRamBase;
    if (!mayFill(m, g, offset)) return kGeneral;
    Word from;
    if (!word(m, g, op.bPlace, op.bReg, 0, from)) return kGeneral;
    if (op.aStep != 0) g.rest.x[op.aReg] = stepped(g.rest.x[op.aReg], op.aStep);
    put(m, g, offset, from);
    return done(g, exec + 1);
  }

  static std::uint32_t nop(Machine& /*m*/, Group& g, const FastOp& /*op*/, Cycle exec) {
    return done(g, exec + 1);
  }
  /// NOP that steps an address register; it reads what the register points at.
  static std::uint32_t nopStep(Machine& /*m*/, Group& g, const FastOp& op, Cycle exec) {
    const std::uint32_t address = addressOf<Mode::Indirect>(g, op.aReg, op.aValue);
    if (address - kRamBase >= kRamWords) return kGeneral;
    g.rest.x[op.aReg] = stepped(g.rest.x[op.aReg], op.aStep);
    return done(g, exec + 1);
  }

  [[gnu::always_inline]] static std::uint32_t target(const Group& g, const FastOp& op) {
    const std::uint32_t from = op.aPlace == Where::None ? g.pc : 0;
    return (from + static_cast<std::uint32_t>(op.aValue)) & kAddressMask;
  }
  static std::uint32_t branch(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    LaneMask holds{LaneMask::Unset{}};
    if (g.delaySlots != 0) return kGeneral;
    const Taken taken = m.evaluate(g, op.cond, holds);
    if (taken == Taken::Some) return kGeneral;
    const Cycle cycles =
        taken == Taken::All ? kBranchCycles : std::max(1u, m.config_.cpu.bcondUntakenCycles);
    g.extra += cycles - 1;
    g.cycle = exec + cycles;
    return taken == Taken::All ? target(g, op) : g.pc + 1;
  }
  static std::uint32_t branchLater(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    LaneMask holds{LaneMask::Unset{}};
    if (g.delaySlots != 0) return kGeneral;
    const Taken taken = m.evaluate(g, op.cond, holds);
    if (taken == Taken::Some) {
      if (m.arrived_ || m.groups_.size() >= kMaxGroups) return kGeneral;
      g.takenMask = holds;
    }
    g.delaySlots = 4;
    g.taken = taken;
    g.delayTarget = target(g, op);
    return done(g, exec + 1);
  }

  static std::uint32_t jump(Group& g, Cycle exec, std::uint32_t to) {
    g.extra += kBranchCycles - 1;
    g.cycle = exec + kBranchCycles;
    return to & kAddressMask;
  }
  static std::uint32_t call(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    std::uint32_t& sp = g.rest.x[reg::SP - 8];
    std::uint32_t offset = 0;
    if (g.delaySlots != 0 || !g.active.full || !m.stackWord(g, sp + 1, offset)) return kGeneral;
    ++sp;
    rowToFill(m, offset).fillM((g.pc + 1) & kAddressMask);
    m.noteStore(offset);
    return jump(g, exec, static_cast<std::uint32_t>(op.aValue));
  }
  /// RETScond to one place for all.
  static std::uint32_t returnFrom(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    LaneMask holds{LaneMask::Unset{}};
    if (g.delaySlots != 0) return kGeneral;
    const Taken taken = m.evaluate(g, op.cond, holds);
    if (taken == Taken::None) return done(g, exec + 1);
    std::uint32_t& sp = g.rest.x[reg::SP - 8];
    std::uint32_t offset = 0;
    if (taken == Taken::Some || !m.stackWord(g, sp, offset) || m.loaded_[offset] == nullptr)
      return kGeneral;
    const WordSource where = m.loaded_[offset]->readM(g.active);
    if (where.stride != 0) return kGeneral;
    --sp;
    return jump(g, exec, where.p[0]);
  }

  // ---- which one

  static bool placeOf(const OperandSpec& spec, Where& place, std::uint8_t& reg, FastOp& op) {
    switch (spec.access) {
      case Access::None:
        place = Where::None;
        return true;
      case Access::Constant:
        place = Where::Constant;
        return true;
      case Access::Register:
        return registerOf(spec.reg, place, reg, op);
      case Access::Indirect:
        place = Where::Indirect;
        return true;
      case Access::Direct:
        place = Where::Direct;
        return true;
      default:
        return false;
    }
  }
  static bool registerOf(unsigned r, Where& place, std::uint8_t& reg, FastOp& op) {
    place = r < 8 ? Where::Extended : Where::Rest;
    reg = static_cast<std::uint8_t>(r < 8 ? r : r - 8);
    if (r >= 8) op.needs |= 1u << reg;
    return true;
  }
  static FastOp::Run integerOf(const VectorOp& v, FastOp& op) {
    const MicroOp& m = v.m;
    if (v.usesCarry) return nullptr;
    const std::uint32_t needs = op.needs;
    if (!placeOf(m.low, op.aPlace, op.aReg, op)) return nullptr;
    if (m.reg == reg::IOF && !v.compare) {
      op.needs = needs;
      const bool plain = op.aPlace == Where::Constant || op.aPlace == Where::Rest;
      return v.copy && plain && (m.special & kReadsIof) == 0 ? loadIof : nullptr;
    }
    op.bPlace = Where::None;
    if (v.binary && v.threeOperand) {
      if (!placeOf(m.high, op.bPlace, op.bReg, op)) return nullptr;
    } else {
      op.bStep = 0;
      if (v.binary) registerOf(m.reg, op.bPlace, op.bReg, op);
    }
    // A register operand sees the ARn that a memory operand has modified: rare.
    if (op.aStep != 0 && op.bPlace == Where::Rest && op.bReg == op.aReg) return nullptr;
    if (op.bStep != 0 && op.aPlace == Where::Rest && op.aReg == op.bReg) return nullptr;
    const bool toRest = !v.compare && m.reg >= 8;
    if (toRest) op.d = static_cast<std::uint8_t>(m.reg - 8);
    if ((m.special & kReadsIof) != 0) {
      const bool plain = !v.threeOperand && op.aPlace == Where::Constant;
      return v.compare && plain ? testIof : nullptr;
    }
    if (toRest) return integer<true>;
    const bool through = v.copy && op.aPlace == Where::Indirect && op.aStep == 0;
    if (!through) return usualInteger(op);
    op.needs &= ~(1u << op.aReg);
    return loadThrough;
  }
};

Machine::FastOp::Run Machine::Fast::otherHandler(const VectorOp& v, FastOp& op) {
  using Other = FastOther;
  const MicroOp& m = v.m;
  switch (v.kind) {
    case Kind::Integer:
      return Other::integerOf(v, op);
    case Kind::IntegerIf: {
      const auto cond = static_cast<Cond>(m.cond);
      if (cond != Cond::U && (cond < Cond::EQ || cond > Cond::GE)) return nullptr;
      if (!Other::placeOf(m.low, op.aPlace, op.aReg, op)) return nullptr;
      op.bStep = 0;
      op.toRest = m.reg >= 8;
      if (op.toRest) op.d = static_cast<std::uint8_t>(m.reg - 8);
      return Other::integerIf;
    }
    case Kind::StoreWord:
      if (!Other::placeOf(m.low, op.aPlace, op.aReg, op)) return nullptr;
      if (op.aPlace != Where::Indirect && op.aPlace != Where::Direct) return nullptr;
      Other::registerOf(m.reg, op.bPlace, op.bReg, op);
      if (op.aStep != 0 && op.bPlace == Where::Rest && op.bReg == op.aReg) return nullptr;
      return Other::storeWord;
    case Kind::IntegerAndStore:
      if (m.high.access != Access::Indirect || m.reg2 >= 8 || m.reg3 >= 8 || m.reg >= 8) {
        return nullptr;
      }
      return Other::placeOf(m.low, op.aPlace, op.aReg, op) ? Other::andStore : nullptr;
    case Kind::Nop:
      if (m.low.access == Access::Indirect) return Other::nopStep;
      return c32::isMemory(m.low.access) ? nullptr : Other::nop;
    case Kind::Branch:
    case Kind::BranchLater:
      if (m.low.access == Access::Register) return nullptr;
      op.aPlace = m.low.access == Access::Relative ? Where::None : Where::Constant;
      return v.kind == Kind::Branch ? Other::branch : Other::branchLater;
    case Kind::FloatFrom:
      return Other::placeOf(m.low, op.aPlace, op.aReg, op) ? Other::floatFrom : nullptr;
    case Kind::Call:
      return Other::call;
    case Kind::Return:
      return Other::returnFrom;
    default:
      return nullptr;
  }
}

}  // namespace rtvp::c32::simt
