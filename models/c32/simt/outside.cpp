// See outside.hpp.
#include "models/c32/simt/outside.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/c32/simt/fast.hpp"

namespace rtvp::c32::simt {

const Machine::Outside::Place& Machine::Outside::decode(const Machine& m, std::uint32_t index,
                                                        std::uint64_t words) {
  const std::size_t page = index / kPageWords;
  if (page >= pages.size()) pages.resize(page + 1);
  if (pages[page] == nullptr) {
    if (made == kMostPages) {
      for (auto& p : pages) p.reset();
      made = 0;
    }
    pages[page] = std::make_unique<Page>();
    ++made;
    lastNumber = ~0U;
  }
  Place& place = (*pages[page])[index % kPageWords];
  std::array<std::uint32_t, 2> pair{};
  std::memcpy(pair.data(), &words, sizeof words);
  VectorOp next;
  decodeVector(pair[1], m.k_, m.policy_, next);
  decodeVector(pair[0], m.k_, m.policy_, place.op);
  place.op.flagsDead = Fast::replacesFlags(&next);
  Fast::decode(place.op, place.fast);
  const auto kind = place.op.kind;
  place.divides = kind == Kind::Branch || kind == Kind::BranchLater || kind == Kind::Decrement ||
                  kind == Kind::DecrementLater;
  if (kind == Kind::BranchLater) place.fast.run = Fast::general;  // it would divide at its end
  place.words = words;
  place.known = true;
  return place;
}

bool Machine::mayRunOutside() const {
  return window_.bytes != nullptr && fetches_ && !arrived_ && !anyLate_ && busCount_ != 0;
}

namespace {

/// A fetch, and how long it keeps the instruction waiting for what.
struct Fetch {
  Cycle start;
  Cycle free;  ///< the bus, afterwards
  Cycle exec;  ///< of the instruction, if nothing else keeps it
  Cycle held;
  Cycle programWait;
  Cycle incomplete;
};

/// As Cpu::external and chargeAccess.
[[gnu::always_inline]] inline Fetch fetchAt(Cycle cycle, Cycle busFree, Cycle heldUntil,
                                            Cycle duration) {
  const Cycle wanted = std::max(cycle, busFree);
  Fetch f{std::max(wanted, heldUntil), 0, cycle, 0, 0, 0};
  f.free = f.start + duration;
  if (f.free <= cycle + 1) return f;
  Cycle grown = f.free - (cycle + 1);
  f.held = std::min(grown, f.start - wanted);
  grown -= f.held;
  f.programWait = std::min(grown, wanted - cycle);
  f.incomplete = grown - f.programWait;
  f.exec = f.free - 1;
  return f;
}

}  // namespace

/// The usual case. General: it is not, and nothing has happened.
template <bool Accounted>
[[gnu::always_inline]] inline Machine::Did Machine::fastOutside(Group& g, const OutsidePlace& place,
                                                                Cycle exec) {
  const FastOp& op = place.fast;
  if (((g.rest.dual | g.rest.opaque) & op.needs) != 0) return Did::General;
  bool blockEnd = false;
  if (g.repeat) {
    constexpr std::uint32_t kLoop = 1u << (reg::RE - 8) | 1u << (reg::RS - 8) | 1u << (reg::RC - 8);
    if (((g.rest.dual | g.rest.opaque) & kLoop) != 0) return Did::HandBack;
    blockEnd = g.pc == (g.rest.x[reg::RE - 8] & kAddressMask);
    if (blockEnd && (!op.live || place.divides)) return Did::General;
  }
  Cycle waited = 0;
  if (g.lastReady > exec && op.uses != 0) [[unlikely]] {
    const Cycle fetched = exec;
    for (unsigned i = 0; i < 3; ++i) {
      if ((op.uses >> i & 1u) != 0) exec = std::max(exec, g.ready[i]);
    }
    waited = exec - fetched;
  }
  const Cycle start = g.cycle;
  const std::uint64_t ramConflict = g.ramConflict;
  std::uint32_t next = op.run(*this, g, op, exec);
  if (next >= Fast::kBack) return next == Fast::kBack ? Did::HandBack : Did::General;
  if constexpr (Accounted) charge(g, g.cycle - start, waited, g.ramConflict - ramConflict);
  ++counters_.issues;
  counters_.instructions += g.active.lanes;
  ++g.instructions;
  if (waited != 0) [[unlikely]]
    g.conflict += waited;
  if (op.marks != 0) [[unlikely]]
    mark(g, op.op->m, exec);
  if (blockEnd) {
    if (static_cast<std::int32_t>(--g.rest.x[reg::RC - 8]) >= 0) {
      if (next == g.pc + 1) next = g.rest.x[reg::RS - 8] & kAddressMask;
    } else {
      g.repeat = false;
    }
  }
  if (g.delaySlots != 0) {
    endDelay(g, next);
  } else {
    g.pc = next & kAddressMask;
  }
  return Did::Next;
}

/// In all cases, as step().
Machine::Did Machine::stepOutside(Group& g, const OutsidePlace& place, Cycle exec) {
  if (place.divides) {
    LaneMask holds;
    if (evaluate(g, place.op.m.cond, holds) == Taken::Some) return Did::HandBack;
  }
  Did did = execute(g, place.op, exec);
  return did == Did::Split ? Did::HandBack : did;
}

/// One instruction: its fetch, and the instruction in its usual case or in all of them. What the
/// fetch counts for is added up by the caller.
template <bool Accounted>
[[gnu::always_inline]] inline Machine::Did Machine::outsideOne(Group& g, const OutsidePlace& place,
                                                               bool banks) {
  const FetchUndo undo{busFree_, windowLast_, lastRead_, lastStrobe_, lastWasRead_};
  Fetch f{g.cycle, g.cycle + 1, g.cycle, 0, 0, 0};
  if (banks || std::max(busFree_, heldUntil_) > g.cycle) {
    Cycle duration = 1 + busControl_.waits(window_.waitStates);
    if (lastWasRead_ && lastStrobe_ == Strobe::Strb0 && busControl_.crossesBank(lastRead_, g.pc)) {
      duration += config_.cpu.bankSwitchCycles;
    }
    f = fetchAt(g.cycle, busFree_, heldUntil_, duration);
    held_ += f.held;
    programWait_ += f.programWait;
    fetchIncomplete_ += f.incomplete;
  }
  busFree_ = f.free;
  windowLast_ = f.start;
  lastRead_ = g.pc;
  lastStrobe_ = Strobe::Strb0;
  lastWasRead_ = true;
  Did did = fastOutside<Accounted>(g, place, f.exec);
  if (did == Did::General) did = stepOutside(g, place, f.exec);
  if (did == Did::Next) [[likely]]
    return did;
  busFree_ = undo.busFree;
  windowLast_ = undo.windowLast;
  lastRead_ = undo.lastRead;
  lastStrobe_ = undo.lastStrobe;
  lastWasRead_ = undo.lastWasRead;
  held_ -= f.held;
  programWait_ -= f.programWait;
  fetchIncomplete_ -= f.incomplete;
  return did;
}

/// Instructions of the only group, until it comes back into the internal RAM (Next) or something is
/// not covered.
template <bool Accounted>
Machine::Did Machine::outsideRow(Group& g) {
  if (!alone()) return Did::Park;
  if (!mayRunOutside()) return Did::HandBack;
  // Shared words of the window, as far as it lies behind STRB0.
  const std::uint32_t first = std::max(busFirst_, window_.first);
  const std::uint32_t last = std::min(busFirst_ + busCount_, window_.first + window_.count);
  if (first + 1 >= last) return Did::HandBack;
  const std::uint32_t saved[2] = {busFirst_, busCount_};
  busFirst_ = first;
  busCount_ = last - first;
  busOpen_ = onlyWindow_ = true;
  const Cycle most = static_cast<Cycle>(lateBound_);
  const Cycle end = horizon_ > most ? horizon_ - most : 0;
  rowEnd_ = end;
  rowLimit_ = ~0u;
  const bool banks = busControl_.bankBits() != 0 || busControl_.waits(window_.waitStates) != 0;
  std::uint64_t fetches = 0;
  Did did = Did::Next;
  while (!isInside(g.pc)) {
    did = g.cycle < end && g.pc - first < last - first - 1
              ? outsideOne<Accounted>(g, outside_->at(*this, g.pc - window_.first), banks)
              : Did::HandBack;
    if (did != Did::Next) break;
    ++fetches;
  }
  fetched_ += fetches;
  windowReads_ += fetches;
  windowFetches_ += fetches;
  counters_.outside += fetches * g.active.lanes;
  busFirst_ = saved[0];
  busCount_ = saved[1];
  onlyWindow_ = false;
  return did;
}

template Machine::Did Machine::outsideRow<false>(Group& g);
template Machine::Did Machine::outsideRow<true>(Group& g);

}  // namespace rtvp::c32::simt
