// Comparisons together with the conditional loads behind them: one pass over the lanes instead of
// one for each instruction, and no row of flags in between. Two shapes, all operands in R0-R7:
//     CMPF, LDFcond                       and         CMPF, LDFU, LDFcond, LDFcond (one condition)
// as in minima, maxima and clipping.
//
// Invariants:
//  1. The whole chain happens or, by way of `single`, its comparison alone, which is the plain
//  twin:
//     the instructions behind it follow one by one as ever.
//  2. A chain happens only where nothing could come between its instructions: no delay slot is
//  under
//     way, the run does not end before the last one begins, no other group waits inside, nobody
//     keeps accounts or has a stop there. None of its instructions waits for an address register,
//     touches memory or changes anything but R0-R7 and flags, so each takes one cycle.
//  3. All rows that are read have their float view before the first one changes, so nothing can
//  fail
//     half way; each pick sees what the picks before it have written, lane by lane.
//  4. The flags of the comparison are kept unless the instruction behind the chain replaces them,
//     as those of a single instruction (FastOp::live); its faults always are.
#include <algorithm>

#include "models/c32/simt/fast.hpp"

namespace rtvp::c32::simt {

struct Machine::FastChain : Machine::Fast {
  /// So many loads behind the comparison.
  template <bool Copy>
  static constexpr unsigned kPicks = Copy ? 3 : 1;
  static constexpr std::uint32_t kLongest = 4;

  static bool ready(const Machine& m, const Group& g, unsigned r) {
    return m.registers_[r]->readF(g.active).p != nullptr;
  }
  /// All that is read; what the copy writes needs no view of its own.
  template <bool Copy>
  [[gnu::always_inline]] static bool readable(const Machine& m, const Group& g,
                                              const FastOp* picks) {
    if (!ready(m, g, picks[0].aReg)) return false;
    if constexpr (!Copy) return ready(m, g, picks[0].d);
    const unsigned copied = picks[0].d;
    const auto known = [&](unsigned r) { return r == copied || ready(m, g, r); };
    return known(picks[1].aReg) && known(picks[1].d) && known(picks[2].aReg) && known(picks[2].d);
  }
  template <bool All>
  [[gnu::always_inline]] static void prepare(const Machine& m, const Group& g, const FastOp& op,
                                             Pick& pick) {
    Row& from = *m.registers_[op.aReg];
    Row& to = *m.registers_[op.d];
    pick.s = from.readF(g.active);
    const bool isShort = from.shortF();
    pick.d = All ? to.writeF(g.active, isShort) : to.updateF(g.active, isShort);
  }

  template <bool Copy>
  static std::uint32_t chain(Machine& m, Group& g, const FastOp& op, Cycle exec) {
    constexpr unsigned kMore = kPicks<Copy>;
    const FastOp* const loaded = &op + 1;
    if (g.delaySlots != 0 || exec + kMore >= m.rowEnd_ || g.pc + kMore >= m.rowLimit_) {
      return op.single(m, g, op, exec);
    }
    const Source a = m.registers_[op.aReg]->readF(g.active);
    const Source b = m.registers_[op.bReg]->readF(g.active);
    // What all processors share is computed once.
    if (a.p == nullptr || b.p == nullptr || (a.stride | b.stride) == 0 ||
        !readable<Copy>(m, g, loaded)) {
      return op.single(m, g, op, exec);
    }
    Pick picks[kMore];
    prepare<Copy>(m, g, loaded[0], picks[0]);
    if constexpr (Copy) {
      prepare<false>(m, g, loaded[1], picks[1]);
      prepare<false>(m, g, loaded[2], picks[2]);
    }
    const FastOp& last = loaded[kMore - 1];
    const auto& kernels = Copy ? m.k_.compareCopyPick : m.k_.comparePick;
    if (last.live) g.flagsUniform = false;
    kernels[m.policy_][last.cond](g.active.set(), b, a, picks, last.live ? m.flags_ : nullptr,
                                  m.faults_);
    m.finishFlags(g);
    g.instructions += kMore;
    done(g, exec + 1 + kMore);
    return g.pc + 1 + kMore;
  }

  /// A conditional load between R0 and R7; `always`: LDFU.
  static bool loads(const VectorOp* v, bool always) {
    if (v == nullptr || v->kind != Kind::FloatIf || v->m.low.access != Access::Register) {
      return false;
    }
    const auto cond = static_cast<Cond>(v->m.cond);
    return always ? cond == Cond::U : cond >= Cond::EQ && cond <= Cond::GE;
  }
  static bool compares(const VectorOp* v) {
    if (v == nullptr || v->kind != Kind::Float || !v->compare) return false;
    const bool register2 = !v->threeOperand || v->m.high.access == Access::Register;
    return v->m.low.access == Access::Register && register2;
  }

  /// Makes the chain that begins at `offset`, or takes it apart.
  static void link(Machine& m, std::uint32_t offset) {
    FastOp& op = m.fast_[offset];
    if (op.single != nullptr) op.run = op.single;
    op.single = nullptr;
    const auto at = [&](std::uint32_t i) -> const VectorOp* {
      return offset + i < kRamWords ? m.code_[offset + i].get() : nullptr;
    };
    if (!compares(at(0))) return;
    std::uint32_t picks = 0;
    if (loads(at(1), false)) picks = 1;
    if (loads(at(1), true) && loads(at(2), false) && loads(at(3), false) &&
        at(2)->m.cond == at(3)->m.cond) {
      picks = 3;
    }
    if (picks == 0) return;
    op.single = op.run;
    op.run = picks == 3 ? FastOp::Run{chain<true>} : FastOp::Run{chain<false>};
  }
};

/// The word at `offset` has been decoded or forgotten: chains that it may belong to.
void Machine::linkChains(std::uint32_t offset) {
  const std::uint32_t first = offset - std::min(offset, FastChain::kLongest);
  for (std::uint32_t at = first; at <= offset; ++at) FastChain::link(*this, at);
}

}  // namespace rtvp::c32::simt
