// See outside.hpp.
#include "models/c32/simt/outside.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "models/c32/simt/runs.hpp"
#include "models/c32/simt/word_runs.hpp"

namespace rtvp::c32::simt {

namespace {

/// It goes straight on, leaves the words behind it alone and neither looks at N and Z nor
/// replaces them; RND, which keeps Z, is one if nobody looks behind it.
bool passesFlags(const VectorOp& v) {
  const bool address = (v.m.reg >= reg::AR0 && v.m.reg <= reg::AR0 + 7) || v.m.reg == reg::IR0 ||
                       v.m.reg == reg::IR1;
  switch (v.kind) {
    case Kind::Float:
      return v.floatOp == FloatOp::Round;
    case Kind::StoreFloat:
    case Kind::StoreWord:
      return v.m.low.access == Access::Direct;
    case Kind::Integer:
      return v.quiet && !v.usesCarry && address;
    default:
      return false;
  }
}

}  // namespace

void Machine::Outside::select(const Machine& m, std::uint32_t number) {
  if (number >= pages_.size()) pages_.resize(number + std::size_t{1});
  if (pages_[number] == nullptr) {
    if (made_ == kMostPages) {
      for (auto& p : pages_) p.reset();
      made_ = 0;
      stale_ = true;
    }
    pages_[number] = std::make_unique<Page>();
    ++made_;
  }
  last_ = pages_[number].get();
  lastNumber_ = number;
  if (last_->visit == visit_) return;
  last_->visit = visit_;
  compare(m, number, *last_);
}

/// Words that are not what they were are forgotten, with all of the page.
void Machine::Outside::compare(const Machine& m, std::uint32_t number, Page& page) {
  const std::uint32_t first = number * kPageWords;
  const std::uint32_t count = std::min(kPageWords + kBehind, m.window_.count - first);
  const unsigned char* const from = m.window_.bytes + std::size_t{first} * 4;
  const std::size_t bytes = std::size_t{count} * 4;
  if (count == page.count && std::memcmp(page.words.data(), from, bytes) == 0) return;
  stale_ = stale_ || page.count != 0;
  page.count = count;
  page.version = ++versions_;
  std::memcpy(page.words.data(), from, bytes);
  for (Place& place : page.places) place.known = false;
}

void Machine::Outside::forgetRuns() {
  for (const auto& page : pages_) {
    if (page == nullptr) continue;
    for (Place& place : page->places) {
      if (place.fast.straight != FastOp::kNoRun) place.fast.straight = 0;
    }
  }
}

void Machine::Outside::decode(const Machine& m, Page& page, std::uint32_t i) {
  Place& place = page.places[i];
  const std::uint32_t end = std::min(i + 1 + kBehind, page.count);
  VectorOp next;
  if (i + 1 < end) decodeVector(page.words[i + 1], m.k_, m.policy_, next);
  decodeVector(page.words[i], m.k_, m.policy_, place.op);
  place.op.flagsDead = Fast::replacesFlags(&next);
  Fast::decode(place.op, place.fast);
  place.farFlags = false;
  for (std::uint32_t k = i + 2; k < end && place.fast.live && passesFlags(next); ++k) {
    decodeVector(page.words[k], m.k_, m.policy_, next);
    place.farFlags = Fast::replacesFlags(&next);
    place.fast.live = !place.farFlags;
  }
  const auto kind = place.op.kind;
  place.divides = kind == Kind::Branch || kind == Kind::BranchLater || kind == Kind::Decrement ||
                  kind == Kind::DecrementLater;
  place.control = place.divides || (place.op.m.special & kControl) != 0;
  // A delayed branch would divide at its end; behind an arrival nothing is fetched.
  const bool pins = place.op.m.reg == reg::IOF && kind == Kind::Integer;
  if (kind == Kind::BranchLater || pins) place.fast.run = Fast::general;
  place.known = true;
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

/// What lies between an instruction and the one further behind that replaces its flags goes
/// straight on, and its stores stay inside.
bool Machine::farFlagsDead(const Group& g) {
  constexpr std::uint32_t kDp = reg::DP - 8;
  return !g.repeat && g.delaySlots == 0 && ((g.rest.dual | g.rest.opaque) >> kDp & 1u) == 0 &&
         (g.rest.x[kDp] & 0xFFu) == kRamBase >> 16;
}

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
    if (blockEnd && (!op.live || place.control)) return Did::General;
  }
  if (place.farFlags && !farFlagsDead(g)) return Did::General;
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

/// Runs of programs that are no more make room for others.
void Machine::forgetStaleRuns() {
  if (runs_ == nullptr || !outside_->takeStale()) return;
  if (runs_->full() || wordRuns_->full()) forgetRuns();
}

/// Instructions as invariant 5 has them, of `count` words from `first` on; how many. What stands
/// next then is none, or nothing is left to be done here.
std::uint64_t Machine::freeOutside(Group& g, std::uint32_t first, std::uint32_t count) {
  FreeRow row{.before = g.instructions, .farDead = farFlagsDead(g)};
  busOpen_ = false;
  while (g.cycle < rowEnd_ && g.pc - first < count) {
    const std::uint32_t index = g.pc - window_.first;
    OutsidePlace* const place = &outside_->at(*this, index);
    const std::uint32_t left = std::min(Outside::leftInPage(index), count - (g.pc - first));
    if (!freePage(g, place, left, row)) break;
  }
  busOpen_ = true;
  const std::uint64_t fetches = g.instructions - row.before;
  if (fetches == 0) return 0;
  busFree_ = row.fetchedAt + 1;
  windowLast_ = row.fetchedAt;
  lastRead_ = row.fetchedFrom;
  lastStrobe_ = Strobe::Strb0;
  lastWasRead_ = true;
  counters_.issues += fetches;
  counters_.instructions += fetches * g.active.lanes;
  return fetches;
}

/// A run has begun here and is over (runs.hpp, word_runs.hpp).
[[gnu::always_inline]] inline bool Machine::startsRun(Group& g, FastOp& op, FreeRow& row) {
  if (!row.since.due(op.words)) return false;
  if (op.words) {
    const auto last = wordRuns_->execute(g, op);
    if (!last) return false;
    row.fetchedAt = last->at;
    row.fetchedFrom = last->from;
  } else {
    if (!runs_->execute(g, op)) return false;
    row.fetchedAt = g.cycle - 1;
    row.fetchedFrom = g.pc - 1;
  }
  row.since = {};
  return true;
}

/// The same as far as they lie one behind the other from `place` on, `left` words at most. False:
/// that is where it ends.
bool Machine::freePage(Group& g, OutsidePlace* place, std::uint32_t left, FreeRow& row) {
  const bool runs = runs_ != nullptr && g.active.full;
  const Cycle end = rowEnd_;
  std::uint64_t instructions = 0;
  bool going = true;
  while (left-- != 0 && g.cycle < end) {
    if (!place->known) [[unlikely]]
      outside_->at(*this, g.pc - window_.first);
    const FastOp& op = place->fast;
    const Cycle cycle = g.cycle;
    if (op.straight == FastOp::kNoRun) {
      row.since = {};
    } else if (runs && startsRun(g, place->fast, row)) {
      break;
    }
    going = false;
    if (((g.rest.dual | g.rest.opaque) & op.needs) != 0 || (place->farFlags && !row.farDead)) break;
    Cycle exec = cycle;
    if (g.lastReady > cycle && op.uses != 0) [[unlikely]] {
      for (unsigned i = 0; i < 3; ++i) {
        if ((op.uses >> i & 1u) != 0) exec = std::max(exec, g.ready[i]);
      }
    }
    const std::uint32_t pc = g.pc;
    const std::uint32_t next = op.run(*this, g, op, exec);
    if (next >= Fast::kBack) break;
    going = true;
    ++instructions;
    row.fetchedAt = cycle;
    row.fetchedFrom = pc;
    if (exec != cycle) [[unlikely]]
      g.conflict += exec - cycle;
    if (op.marks != 0) [[unlikely]] {
      mark(g, op.op->m, exec);
      row.farDead = farFlagsDead(g);
    }
    g.pc = next & kAddressMask;
    if (next != pc + 1) break;
    ++place;
  }
  g.instructions += instructions;
  return going;
}

/// Instructions of the only group, until it comes back into the internal RAM (Next) or something is
/// not covered.
template <bool Accounted>
Machine::Did Machine::outsideRow(Group& g) {
  if (!alone()) return Did::Park;
  if (!mayRunOutside()) return Did::HandBack;
  // Shared words of the window, as far as it lies behind STRB0.
  const std::uint32_t first = std::max(busFirst_, window_.first);
  const std::uint32_t last =
      std::min({busFirst_ + busCount_, window_.first + window_.count, kRamBase});
  if (first >= last) return Did::HandBack;
  const std::uint32_t count = last - first;
  outside_->begin();
  forgetStaleRuns();
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
    if (!Accounted && !banks && !g.repeat && g.delaySlots == 0 &&
        std::max(busFree_, heldUntil_) <= g.cycle) {
      fetches += freeOutside(g, first, count);
      if (isInside(g.pc)) break;
    }
    did = g.cycle < end && g.pc - first < count && !arrived_
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
