// Float instructions in their usual case (fast.hpp); machine_float.cpp has all cases.
#include <algorithm>

#include "models/c32/simt/fast.hpp"

namespace rtvp::c32::simt {

/// A value that all processors share, computed once.
[[gnu::noinline]] void Machine::Fast::computeOnce(Machine& m, Group& g, Kernels::Binary kernel,
                                                  unsigned destination, Source b, Source a,
                                                  bool flags) {
  alignas(64) double d[kBlock];
  alignas(64) double f[kBlock];
  kernel({1, nullptr, nullptr}, d, b, a, f, m.oneFaults_);
  if (flags) m.setFlags(g, f[0]);
  if (destination != 8) m.registers_[destination]->fillF(d[0], isShortValue(d[0]));
  if (m.oneFaults_.any) m.spreadFaults(g);
}

/// b OP a to `destination` (8: a comparison).
[[gnu::always_inline]] inline void Machine::Fast::compute(Machine& m, Group& g,
                                                          const Kernels::Binary* kernels,
                                                          unsigned destination, const Operand& b,
                                                          const Operand& a, bool flags) {
  const Kernels::Binary kernel = kernels[(a.isShort ? 1u : 0u) | (b.isShort ? 2u : 0u)];
  if ((a.s.stride | b.s.stride) == 0 && g.active.once) {
    computeOnce(m, g, kernel, destination, b.s, a.s, flags);
    return;
  }
  if (flags) g.flagsUniform = false;
  double* d = destination == 8 ? nullptr : m.registers_[destination]->writeF(g.active, false);
  kernel(g.active.set(), d, b.s, a.s, m.flagsFor(destination, flags), m.faults_);
}

/// A value of all processors that only a kernel makes, computed once.
[[gnu::noinline]] double Machine::Fast::unaryOnce(Machine& m, Group& g, Kernels::Unary kernel,
                                                  Source a, bool flags) {
  alignas(64) double d[kBlock];
  alignas(64) double f[kBlock] = {};
  kernel({1, nullptr, nullptr}, d, a, f, m.oneFaults_);
  if (flags) m.setFlags(g, f[0]);
  if (m.oneFaults_.any) m.spreadFaults(g);
  return d[0];
}

namespace {

/// Which operand of a subtraction is taken away.
enum class Sense : std::uint8_t { Plain, Reverse, Compare };

}  // namespace

struct Machine::FastFloat : Machine::Fast {
  template <Mode A, Mode B, Sense S>
  static std::uint32_t binary(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Operand a;
    Operand b;
    if (!load<A>(m, g, op, op.aReg, op.aValue, a)) return kGeneral;
    if (!load<B>(m, g, op, op.bReg, op.bValue, b)) return kGeneral;
    Cycle end = exec + 1;
    if (isMemory(A) && isMemory(B)) {
      if (a.bus && b.bus) return kGeneral;
      end += conflict(g, a.address, b.address);
    }
    if (isMemory(A) && a.bus && !fetch(m, g, exec, end, a)) return kBack;
    if (isMemory(B) && b.bus && !fetch(m, g, exec, end, b)) return kBack;
    update<A, B>(g, op);
    const Operand& left = S == Sense::Reverse ? a : b;
    const Operand& right = S == Sense::Reverse ? b : a;
    compute(m, g, op.op->binaryFn, S == Sense::Compare ? 8 : op.d, left, right, live(g, op));
    m.finishFlags(g);
    return done(g, end);
  }

  /// A float value to a register, with flags or without.
  [[gnu::always_inline]] static void copy(Machine& m, Group& g, Row& to, const Operand& a,
                                          bool flags) {
    if (a.s.stride == 0 && g.active.full) {
      to.fillF(a.s.p[0], isShortValue(a.s.p[0]));
      if (flags) m.setFlags(g, a.s.p[0]);
      return;
    }
    if (flags) g.flagsUniform = false;
    m.k_.ldf(g.active.set(), to.writeF(g.active, a.isShort), a.s, flags ? m.flags_ : nullptr,
             m.faults_);
  }

  template <Mode A>
  static std::uint32_t move(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Operand a;
    if (!load<A>(m, g, op, op.aReg, op.aValue, a)) return kGeneral;
    Cycle end = exec + 1;
    if (isMemory(A) && a.bus) {
      std::uint32_t word = 0;
      if (!read(m, g, a.address, exec, end, word)) return kBack;
      update<A, Mode::Register>(g, op);
      const Float40 x = extendedFromSingle(word);
      if (fitsDouble(x)) {
        const double value = singleToDouble(word);
        m.registers_[op.d]->fillF(value, true);
        m.setFlags(g, value);
      } else {
        m.registers_[op.d]->fillExtended(x);
        m.setFlags(g, 0.0);
      }
    } else {
      update<A, Mode::Register>(g, op);
      copy(m, g, *m.registers_[op.d], a, live(g, op));
    }
    m.finishFlags(g);
    return done(g, end);
  }

  /// NEGF, ABSF, RND.
  template <Mode A, bool Round>
  static std::uint32_t unary(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Operand a;
    if (!load<A>(m, g, op, op.aReg, op.aValue, a)) return kGeneral;
    const bool flags = live(g, op);
    if (Round && flags && (a.bus || a.s.stride == 0)) return kGeneral;
    Cycle end = exec + 1;
    if (isMemory(A) && a.bus && !fetch(m, g, exec, end, a)) return kBack;
    update<A, Mode::Register>(g, op);
    Row& to = *m.registers_[op.d];
    if (a.s.stride == 0 && g.active.once) {
      const double x = unaryOnce(m, g, op.op->unaryFn, a.s, flags);
      to.fillF(x, isShortValue(x));
    } else {
      if (flags) {
        if (Round) m.spreadFlags(g);
        g.flagsUniform = false;
      }
      op.op->unaryFn(g.active.set(), to.writeF(g.active, Round), a.s, flags ? m.flags_ : nullptr,
                     m.faults_);
    }
    m.finishFlags(g);
    return done(g, end);
  }

  /// FIX of rows.
  template <Mode A>
  static std::uint32_t fix(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Operand a;
    if (!load<A>(m, g, op, op.aReg, op.aValue, a) || a.bus || a.s.stride == 0) return kGeneral;
    update<A, Mode::Register>(g, op);
    const bool wanted = live(g, op);
    if (wanted) g.flagsUniform = false;
    LaneMask over;
    m.k_.fixWords(g.active.set(), m.registers_[op.d]->writeM(g.active), a.s,
                  wanted ? m.flags_ : nullptr, over);
    m.finishArithmetic(g, op.op->flagMask, {}, over);
    return done(g, exec + 1);
  }

  /// LDFcond on N and Z; op.cond is the index of the condition, kNzConds for always.
  template <Mode A>
  static std::uint32_t moveIf(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    Operand a;
    if (!load<A>(m, g, op, op.aReg, op.aValue, a) || a.bus) return kGeneral;
    Row& row = *m.registers_[op.d];
    const bool always = op.cond == kNzConds;
    if (!always && row.readF(g.active).p == nullptr) return kGeneral;
    update<A, Mode::Register>(g, op);
    if (always || g.flagsUniform) {
      if (always || nzHolds(static_cast<NzCond>(op.cond), g.flags)) copy(m, g, row, a, false);
    } else {
      double* d = row.updateF(g.active, a.isShort);
      m.k_.select[op.cond](g.active.set(), d, a.s, m.flags_);
    }
    return done(g, exec + 1);
  }

  /// The register's value, cut to a single word, to a RAM row.
  [[gnu::always_inline]] static void store(Machine& m, Group& g, Row& from, std::uint32_t offset) {
    Row& to = rowToFill(m, offset);
    m.noteStore(offset);
    const Source s = from.readF(g.active);
    if (s.stride == 0 && g.active.full) {
      to.fillF(from.shortF() ? s.p[0] : unaryOnce(m, g, m.k_.cut, s, false), true);
      return;
    }
    (from.shortF() ? m.k_.ldf : m.k_.cut)(g.active.set(), to.writeF(g.active, true), s, nullptr,
                                          m.faults_);
  }

  template <Mode A>
  static std::uint32_t storeOne(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    const std::uint32_t offset = addressOf<A>(g, op.aReg, op.aValue) - kRamBase;
    Row& from = *m.registers_[op.d];
    if (!mayFill(m, g, offset) || from.readF(g.active).p == nullptr) return kGeneral;
    update<A, Mode::Register>(g, op);
    store(m, g, from, offset);
    return done(g, exec + 1);
  }

  /// An operation with STF: the store reads the old register, the load the old word.
  template <Mode A, bool Binary>
  static std::uint32_t andStore(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    const VectorOp& v = *op.op;
    const std::uint32_t to = addressOf<Mode::Indirect>(g, op.bReg, op.bValue);
    const std::uint32_t offset = to - kRamBase;
    if (!mayFill(m, g, offset)) return kGeneral;
    Operand memory;
    Operand other;
    Row& stored = *m.registers_[op.d2];
    if (!load<A>(m, g, op, op.aReg, op.aValue, memory)) return kGeneral;
    if (Binary && !load<Mode::Register>(m, g, op, v.m.reg3, 0, other)) return kGeneral;
    const bool storeFirst = op.d == op.d2;
    if (stored.readF(g.active).p == nullptr || (memory.bus && v.floatOp == FloatOp::Load) ||
        (storeFirst && isMemory(A) && memory.address == to)) {
      return kGeneral;
    }
    Cycle end = exec + 1;
    if (isMemory(A)) end += conflict(g, to, memory.address);
    if (isMemory(A) && memory.bus && !fetch(m, g, exec, end, memory)) return kBack;
    const std::uint32_t from = A == Mode::Indirect ? g.rest.x[op.aReg] : 0;
    if (op.bStep != 0) g.rest.x[op.bReg] = stepped(g.rest.x[op.bReg], op.bStep);
    if (A == Mode::Indirect && op.aStep != 0) g.rest.x[op.aReg] = stepped(from, op.aStep);
    if (storeFirst) store(m, g, stored, offset);
    const bool flags = !v.quiet && live(g, op);
    if (Binary) {
      const Operand& b = v.registerFirst ? memory : other;
      const Operand& a = v.registerFirst ? other : memory;
      compute(m, g, v.binaryFn, op.d, b, a, flags);
    } else if (v.floatOp == FloatOp::Load) {
      copy(m, g, *m.registers_[op.d], memory, flags);
    } else {
      if (flags) g.flagsUniform = false;
      v.unaryFn(g.active.set(), m.registers_[op.d]->writeF(g.active, false), memory.s,
                flags ? m.flags_ : nullptr, m.faults_);
    }
    if (!v.quiet) m.finishFlags(g);
    if (!storeFirst) store(m, g, stored, offset);
    return done(g, end);
  }

  /// MPYF3 || ADDF3 or SUBF3: all sources are read before a result is written.
  template <Mode A, Mode B, unsigned P>
  static std::uint32_t multiplyAdd(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    const VectorOp& v = *op.op;
    Operand o[4];
    if (!load<A>(m, g, op, op.aReg, op.aValue, o[0])) return kGeneral;
    if (!load<B>(m, g, op, op.bReg, op.bValue, o[1])) return kGeneral;
    if (!load<Mode::Register>(m, g, op, v.m.reg3, 0, o[2])) return kGeneral;
    if (!load<Mode::Register>(m, g, op, v.m.reg4, 0, o[3])) return kGeneral;
    Cycle end = exec + 1;
    if (isMemory(A) && isMemory(B)) {
      if (o[0].bus && o[1].bus) return kGeneral;
      end += conflict(g, o[0].address, o[1].address);
    }
    if (isMemory(A) && o[0].bus && !fetch(m, g, exec, end, o[0])) return kBack;
    if (isMemory(B) && o[1].bus && !fetch(m, g, exec, end, o[1])) return kBack;
    update<A, B>(g, op);
    constexpr PairHalf kProduct = kPairProduct[P];
    constexpr PairHalf kSum = kPairSum[P];
    if (v.sumFirst) compute(m, g, v.sumFn, op.d2, o[kSum.first], o[kSum.second], false);
    compute(m, g, v.binaryFn, op.d, o[kProduct.first], o[kProduct.second], false);
    if (!v.sumFirst) compute(m, g, v.sumFn, op.d2, o[kSum.first], o[kSum.second], false);
    m.setFlags(g, 1.0);
    m.finishFlags(g);
    return done(g, end);
  }

  // ---- which one

  template <Mode A, Sense S>
  static FastOp::Run binaryB(Mode b) {
    switch (b) {
      case Mode::Register:
        return binary<A, Mode::Register, S>;
      case Mode::Indirect:
        return binary<A, Mode::Indirect, S>;
      default:
        return nullptr;
    }
  }
  template <Sense S>
  static FastOp::Run binaryOf(Mode a, Mode b) {
    switch (a) {
      case Mode::Register:
        return binaryB<Mode::Register, S>(b);
      case Mode::Indirect:
        return binaryB<Mode::Indirect, S>(b);
      case Mode::Direct:
        return binaryB<Mode::Direct, S>(b);
      case Mode::Constant:
        return binaryB<Mode::Constant, S>(b);
    }
    return nullptr;
  }
  template <class F>
  static FastOp::Run byMode(Mode a, F&& f) {
    switch (a) {
      case Mode::Register:
        return f.template operator()<Mode::Register>();
      case Mode::Indirect:
        return f.template operator()<Mode::Indirect>();
      case Mode::Direct:
        return f.template operator()<Mode::Direct>();
      case Mode::Constant:
        return f.template operator()<Mode::Constant>();
    }
    return nullptr;
  }
  template <unsigned P>
  static FastOp::Run pairOf(Mode a, Mode b) {
    const bool ra = a == Mode::Register;
    const bool rb = b == Mode::Register;
    if (ra && rb) return multiplyAdd<Mode::Register, Mode::Register, P>;
    if (ra) return multiplyAdd<Mode::Register, Mode::Indirect, P>;
    if (rb) return multiplyAdd<Mode::Indirect, Mode::Register, P>;
    return multiplyAdd<Mode::Indirect, Mode::Indirect, P>;
  }

  static FastOp::Run plain(const VectorOp& v, Mode a, FastOp& op) {
    if (v.binary) {
      Mode b = Mode::Register;
      if (v.threeOperand) {
        if (!modeOf(v.m.high, b)) return nullptr;
      } else {
        op.bReg = v.m.reg;
      }
      if (v.compare) return binaryOf<Sense::Compare>(a, b);
      if (v.floatOp == FloatOp::SubReverse) return binaryOf<Sense::Reverse>(a, b);
      return binaryOf<Sense::Plain>(a, b);
    }
    if (v.floatOp == FloatOp::Load) {
      return byMode(a, []<Mode A> { return FastOp::Run{move<A>}; });
    }
    if (v.floatOp == FloatOp::Round) {
      return byMode(a, []<Mode A> { return FastOp::Run{unary<A, true>}; });
    }
    return byMode(a, []<Mode A> { return FastOp::Run{unary<A, false>}; });
  }
};

Machine::FastOp::Run Machine::Fast::floatHandler(const VectorOp& v, FastOp& op) {
  Mode a = Mode::Register;
  Mode b = Mode::Register;
  if (!modeOf(v.m.low, a)) return nullptr;
  switch (v.kind) {
    case Kind::Float:
      return FastFloat::plain(v, a, op);
    case Kind::FloatIf: {
      const auto cond = static_cast<Cond>(v.m.cond);
      if (cond != Cond::U && (cond < Cond::EQ || cond > Cond::GE)) return nullptr;
      op.cond = cond == Cond::U ? kNzConds : static_cast<std::uint8_t>(nzCond(cond));
      return FastFloat::byMode(a, []<Mode A> { return FastOp::Run{FastFloat::moveIf<A>}; });
    }
    case Kind::Fix:
      if (a == Mode::Constant) return nullptr;
      return FastFloat::byMode(a, []<Mode A> { return FastOp::Run{FastFloat::fix<A>}; });
    case Kind::StoreFloat:
      if (a == Mode::Direct) return FastFloat::storeOne<Mode::Direct>;
      return a == Mode::Indirect ? FastFloat::storeOne<Mode::Indirect> : nullptr;
    case Kind::FloatAndStore:
      if (!modeOf(v.m.high, b) || b != Mode::Indirect) return nullptr;
      if (a == Mode::Register) {
        return v.binary ? FastFloat::andStore<Mode::Register, true>
                        : FastFloat::andStore<Mode::Register, false>;
      }
      if (a != Mode::Indirect) return nullptr;
      return v.binary ? FastFloat::andStore<Mode::Indirect, true>
                      : FastFloat::andStore<Mode::Indirect, false>;
    case Kind::MultiplyAdd:
      if (v.entangled || !modeOf(v.m.high, b) || !(a == Mode::Register || a == Mode::Indirect) ||
          !(b == Mode::Register || b == Mode::Indirect)) {
        return nullptr;
      }
      switch (v.p) {
        case 0:
          return FastFloat::pairOf<0>(a, b);
        case 1:
          return FastFloat::pairOf<1>(a, b);
        case 2:
          return FastFloat::pairOf<2>(a, b);
        default:
          return FastFloat::pairOf<3>(a, b);
      }
    default:
      return nullptr;
  }
}

}  // namespace rtvp::c32::simt
