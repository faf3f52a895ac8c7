// Scheduling of groups and the course of an instruction; construction.

#include <algorithm>
#include <bit>

#include "models/c32/simt/fast.hpp"
#include "models/c32/simt/outside.hpp"
#include "models/c32/simt/rounding.hpp"
#include "models/c32/simt/runs.hpp"
#include "models/c32/simt/word_runs.hpp"

namespace rtvp::c32::simt {

Machine::Machine(const MachineConfig& config, VectorBoard& board, std::vector<Cpu*> processors)
    : config_(config),
      board_(board),
      cpus_(std::move(processors)),
      k_(kernelsFor(config.isa, config.lanes)),
      policy_(config.cpu.alignment == Alignment::FloorAlways ? 1u : 0u),
      outside_(std::make_unique<Outside>()) {
  shape_.k = &k_;
  shape_.processors = config.lanes;
  shape_.lanes = (config.lanes + k_.width - 1) / k_.width * k_.width;
  shape_.all = LaneMask::first(shape_.lanes);
  shape_.real = LaneMask::first(config.lanes);
  shape_.maskWords = (shape_.lanes + 63) / 64;
  for (int r = 0; r < 8; ++r) extended_.push_back(std::make_unique<Row>(shape_, false));
  for (std::size_t r = 0; r < 8; ++r) registers_[r] = extended_[r].get();
  fast_.fill({.run = Fast::general});
  scratch_ = std::make_unique<Row>(shape_, true);
  // Rows of kernels start at whole vectors.
  flagMemory_ = std::make_unique<double[]>(shape_.lanes + kBlock);
  void* p = flagMemory_.get();
  std::size_t space = (shape_.lanes + kBlock) * sizeof(double);
  flags_ = static_cast<double*>(std::align(64, shape_.lanes * sizeof(double), p, space));
  if (config_.runPatience != 0 && RunCode::possible(k_.width)) {
    runs_ = std::make_unique<Runs>(*this);
    wordRuns_ = std::make_unique<WordRuns>(*this);
  }
  late_.assign(shape_.lanes, 0);
  own_.resize(config.lanes);
  states_.resize(config.lanes);
  ends_.resize(config.lanes);
}

Machine::~Machine() = default;

// ---- groups

Machine::Stop Machine::run(Cycle horizon) {
  const RoundDown down;
  horizon_ = horizon;
  openWindow();
  const Stop stop = runGroups();
  closeWindow();
  return stop;
}

Machine::Stop Machine::runGroups() {
  for (;;) {
    Group* g = choose();
    if (g == nullptr) {
      if (resolve() == Stop::HandBack) return Stop::HandBack;
      continue;
    }
    Did did;
    do {
      did = isInside(g->pc) ? fast(*g) : outside(*g);
      if (did == Did::General) did = isInside(g->pc) ? step(*g) : Did::Next;
    } while (did == Did::Next && alone());
    if (did == Did::HandBack) return Stop::HandBack;
    if (did == Did::Barrier) return Stop::Barrier;
    if (did == Did::Park) g->parked = true;
    if (did == Did::Next) {
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        Group& other = *groups_[i];
        if (&other == g || other.parked || other.pc != g->pc || !mergeable(*g, other)) continue;
        if (merge(*g, other)) break;
      }
    }
  }
}

/// The group furthest behind; null if all wait for the others.
Machine::Group* Machine::choose() {
  if (alone()) return groups_.front().get();
  Group* first = nullptr;
  for (const auto& g : groups_) {
    if (!g->parked && (first == nullptr || g->pc < first->pc)) first = g.get();
  }
  return first;
}

/// All groups want something that needs all processors: possible if they stand at one instruction.
Machine::Stop Machine::resolve() {
  Group& first = *groups_.front();
  for (const auto& g : groups_) {
    if (g->pc != first.pc || !mergeable(first, *g)) return Stop::HandBack;
  }
  while (groups_.size() > 1) {
    if (!merge(first, *groups_.back())) return Stop::HandBack;
  }
  first.parked = false;
  return Stop::Barrier;  // nothing stands in the way
}

/// All but the lanes; registers with one value cost one value.
void Machine::copyGroup(Group& to, const Group& from) {
  to.pc = from.pc;
  to.cycle = from.cycle;
  to.ready = from.ready;
  to.lastReady = from.lastReady;
  to.rest.x = from.rest.x;
  to.rest.y = from.rest.y;
  to.rest.dual = from.rest.dual;
  to.rest.opaque = from.rest.opaque;
  to.rest.spread = from.rest.spread;
  for (std::uint32_t left = from.rest.dual; left != 0; left &= left - 1) {
    const auto r = static_cast<std::size_t>(std::countr_zero(left));
    to.rest.second[r] = from.rest.second[r];
  }
  to.repeat = from.repeat;
  to.flagsUniform = from.flagsUniform;
  to.flags = from.flags;
  to.delaySlots = from.delaySlots;
  to.taken = from.taken;
  to.takenMask = from.takenMask;
  to.delayTarget = from.delayTarget;
  to.instructions = from.instructions;
  to.extra = from.extra;
  to.conflict = from.conflict;
  to.ramConflict = from.ramConflict;
  to.parked = from.parked;
}

void Machine::split(Group& g, const LaneMask& away, std::uint32_t pc) {
  if (spare_.empty()) spare_.push_back(std::make_unique<Group>());
  auto other = std::move(spare_.back());
  spare_.pop_back();
  copyGroup(*other, g);
  shape_.choose(other->active, away);
  shape_.choose(g.active, without(g.active.mask, away));
  other->pc = pc;
  groups_.push_back(std::move(other));
  ++counters_.splits;
}

/// The pipelines of both groups are in the same state, and their repeat blocks.
bool Machine::mergeable(const Group& a, const Group& b) const {
  if (a.delaySlots != 0 || b.delaySlots != 0 || a.repeat != b.repeat) return false;
  for (std::size_t i = 0; i < a.ready.size(); ++i) {
    const Cycle wa = a.ready[i] > a.cycle ? a.ready[i] - a.cycle : 0;
    const Cycle wb = b.ready[i] > b.cycle ? b.ready[i] - b.cycle : 0;
    if (wa != wb) return false;
  }
  return true;
}

/// One register of both groups as at most two values. False if there are more.
bool Machine::mergeRest(const Group& into, const Group& from, unsigned r, Pair& pair) {
  const std::uint32_t bit = 1u << r;
  const Rest& a = into.rest;
  const Rest& b = from.rest;
  const bool aDual = (a.dual & bit) != 0;
  const bool bDual = (b.dual & bit) != 0;
  // Processors with the first value of `into` on one side; all others must hold one other value.
  const std::uint32_t x = a.x[r];
  bool known = aDual;
  pair.r = r;
  pair.y = a.y[r];
  pair.second = aDual ? a.second[r] & into.active.mask : LaneMask{};
  const auto join = [&](std::uint32_t value, const LaneMask& lanes) {
    if (value == x) return true;
    if (known && value != pair.y) return false;
    known = true;
    pair.y = value;
    pair.second |= lanes;
    return true;
  };
  const LaneMask bSecond = bDual ? b.second[r] & from.active.mask : LaneMask{};
  return join(b.x[r], without(from.active.mask, bSecond)) && (!bDual || join(b.y[r], bSecond));
}

/// False, with nothing changed, if a register would have more than two values.
bool Machine::merge(Group& into, Group& from) {
  const std::uint32_t opaque = into.rest.opaque | from.rest.opaque;
  if (opaque != (into.rest.opaque & from.rest.opaque)) return false;
  if (((into.rest.spread ^ from.rest.spread) & opaque) != 0) return false;
  Pair pairs[kRest];
  std::size_t count = 0;
  for (unsigned r = 0; r < kRest; ++r) {
    if ((opaque >> r & 1u) != 0) continue;
    const bool dual = ((into.rest.dual | from.rest.dual) >> r & 1u) != 0;
    if (!dual && into.rest.x[r] == from.rest.x[r]) continue;
    if (!mergeRest(into, from, r, pairs[count++])) return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Pair& pair = pairs[i];
    into.rest.y[pair.r] = pair.y;
    into.rest.second[pair.r] = pair.second;
    into.rest.dual |= 1u << pair.r;
  }
  if (!into.flagsUniform || !from.flagsUniform ||
      std::bit_cast<std::uint64_t>(into.flags) != std::bit_cast<std::uint64_t>(from.flags)) {
    spreadFlags(into);
    spreadFlags(from);
  }
  LaneMask real = from.active.mask;
  real &= shape_.real;
  addLate(real, static_cast<std::int64_t>(from.cycle - into.cycle));
  const Extra more{static_cast<std::int64_t>(from.instructions - into.instructions),
                   static_cast<std::int64_t>(from.extra - into.extra),
                   static_cast<std::int64_t>(from.conflict - into.conflict),
                   static_cast<std::int64_t>(from.ramConflict - into.ramConflict), 0};
  real.forEach([&](unsigned lane) {
    Extra& own = own_[lane];
    own.instructions += more.instructions;
    own.extra += more.extra;
    own.conflict += more.conflict;
    own.ramConflict += more.ramConflict;
  });
  shape_.choose(into.active, into.active.mask | from.active.mask);
  const auto gone =
      std::find_if(groups_.begin(), groups_.end(), [&](const auto& g) { return g.get() == &from; });
  spare_.push_back(std::move(*gone));
  groups_.erase(gone);
  ++counters_.merges;
  return true;
}

// ---- clocks of single processors

void Machine::addLate(const LaneMask& lanes, std::int64_t by) {
  if (by == 0) return;
  latenessKnown_ = false;
  lanes.forEach([&](unsigned lane) {
    late_[lane] += by;
    if (late_[lane] != 0) {
      lateLanes_.set(lane);
      lateBound_ = std::max(lateBound_, late_[lane]);
    } else {
      lateLanes_.clear(lane);
    }
  });
  anyLate_ = lateLanes_.any();
}

/// The earliest and the latest processor, looked for once after a change.
const Machine::Lateness& Machine::lateness() const {
  if (latenessKnown_) return lateness_;
  latenessKnown_ = true;
  const unsigned late = lateLanes_.count();
  const std::int64_t first = late == config_.lanes ? late_[0] : 0;
  lateness_ = {first, first, 0};
  lateLanes_.forEach([&](unsigned lane) {
    lateness_.least = std::min(lateness_.least, late_[lane]);
    lateness_.most = std::max(lateness_.most, late_[lane]);
    lateness_.sum += late_[lane];
  });
  return lateness_;
}

Cycle Machine::lastArrival() const {
  return arrival_ + static_cast<Cycle>(lateness().most);
}

Cycle Machine::arrivalSkew() const {
  const Lateness& l = lateness();
  return static_cast<Cycle>(l.most * static_cast<std::int64_t>(config_.lanes) - l.sum);
}

Cycle Machine::lastPending() const {
  return pending_ + static_cast<Cycle>(lateness().most);
}

void Machine::release(Cycle edge) {
  arrived_ = false;
  heldUntil_ = edge;
}

// ---- one instruction

/// The decoded word at `offset`, if all processors hold the same one; null otherwise.
const VectorOp* Machine::fetch(std::uint32_t offset) {
  if (dirty_[offset] || (stops_ != nullptr && stops_->at(offset))) return nullptr;
  const std::uint32_t word = cpus_.front()->internalRam()[offset];
  for (Cpu* cpu : cpus_) {
    if (cpu->internalRam()[offset] != word || !cpu->watchCode(offset)) return nullptr;
  }
  auto op = std::make_unique<VectorOp>();
  decodeVector(word, k_, policy_, *op);
  if (offset + 1 < kRamWords) op->flagsDead = Fast::replacesFlags(code_[offset + 1].get());
  if (offset > 0 && code_[offset - 1]) {
    code_[offset - 1]->flagsDead = Fast::replacesFlags(op.get());
    fast_[offset - 1].live = !Fast::replacesFlags(op.get());
  }
  code_[offset] = std::move(op);
  Fast::decode(*code_[offset], fast_[offset]);
  linkChains(offset);
  return code_[offset].get();
}

void Machine::setStops(const StopPlaces* stops) {
  stops_ = stops;
  forgetRuns();
  if (stops == nullptr) return;  // what is not decoded is decoded when it is met
  for (const std::uint32_t offset : stops->offsets()) {
    code_[offset].reset();
    fast_[offset] = {.run = Fast::general};
    // The processors need the flags of the instruction before.
    if (offset != 0 && code_[offset - 1]) {
      code_[offset - 1]->flagsDead = false;
      fast_[offset - 1].live = true;
    }
    linkChains(offset);
  }
}

void Machine::forgetRuns() {
  if (runs_ == nullptr) return;
  runs_->forget();
  wordRuns_->forget();
  outside_->forgetRuns();
  for (FastOp& op : fast_) {
    if (op.straight != FastOp::kNoRun) op.straight = 0;
  }
}

Machine::Did Machine::step(Group& g) {
  const std::uint32_t offset = g.pc - kRamBase;
  if (offset >= kRamWords || g.cycle + static_cast<Cycle>(lateBound_) >= horizon_) {
    return Did::HandBack;
  }
  const VectorOp* op = code_[offset].get();
  if (op == nullptr) {
    op = fetch(offset);
    if (op == nullptr) return Did::HandBack;
  }
  return execute(g, *op, g.cycle);
}

/// The instruction that stands next, decoded; `exec`: where it executes if no address register and
/// no pin keeps it.
Machine::Did Machine::execute(Group& g, const VectorOp& op, Cycle exec) {
  Step s{g, op};
  s.exec = exec;
  const MicroOp& m = op.m;
  if (m.uses != 0) {
    Cycle ready = 0;
    for (unsigned i = 0; i < 3; ++i) {
      if ((m.uses >> i & 1u) != 0) ready = std::max(ready, g.ready[i]);
    }
    if (ready > s.exec) {
      s.conflict = ready - s.exec;
      s.exec = ready;
    }
  }
  s.end = s.exec + 1;
  s.nextPc = (g.pc + 1) & kAddressMask;
  if (g.repeat) {
    constexpr std::uint32_t kLoop = 1u << (reg::RE - 8) | 1u << (reg::RS - 8) | 1u << (reg::RC - 8);
    if (((g.rest.dual | g.rest.opaque) & kLoop) != 0) return Did::HandBack;
    s.blockEnd = g.pc == (g.rest.x[reg::RE - 8] & kAddressMask);
  }
  if ((m.special & kControl) != 0 && (g.delaySlots != 0 || s.blockEnd)) return Did::HandBack;
  s.live = !op.flagsDead || s.blockEnd || g.delaySlots == 1;
  if ((m.special & kReadsIof) != 0) {
    const Did did = samplePins(s.g, s.exec);
    if (did != Did::Next) return did;
  }
  const Did did = dispatch(s);
  if (did == Did::Next) finish(s);
  return did;
}

Machine::Did Machine::dispatch(Step& s) {
  switch (s.op.kind) {
    case Kind::Float:
      return floatOp(s);
    case Kind::FloatIf:
      return floatIf(s);
    case Kind::FloatAndStore:
      return floatAndStore(s);
    case Kind::MultiplyAdd:
      return multiplyAdd(s);
    case Kind::LoadLoad:
      return loadLoad(s);
    case Kind::StoreFloat:
      return storeFloat(s);
    case Kind::StoreStore:
      return storeStore(s);
    case Kind::Integer:
      return integerOp(s);
    case Kind::IntegerIf:
      return integerIf(s);
    case Kind::IntegerAndStore:
      return integerAndStore(s);
    case Kind::StoreWord:
      return storeWord(s);
    case Kind::Nop:
      return nop(s);
    case Kind::Branch:
      return branch(s, false);
    case Kind::Decrement:
      return branch(s, true);
    case Kind::BranchLater:
      return branchLater(s, false);
    case Kind::DecrementLater:
      return branchLater(s, true);
    case Kind::Repeat:
      return repeat(s);
    case Kind::RepeatSingle:
      return repeatSingle(s);
    case Kind::Fix:
      return fixOp(s);
    case Kind::FloatFrom:
      return floatFrom(s);
    case Kind::Call:
      return call(s);
    case Kind::Return:
      return returnFrom(s);
    case Kind::Other:
      return Did::HandBack;
  }
  return Did::HandBack;
}

void Machine::finish(Step& s) {
  Group& g = s.g;
  const MicroOp& m = s.op.m;
  if (common_ != nullptr) charge(g, s.end - g.cycle, s.conflict, s.ramConflict);
  ++counters_.issues;
  counters_.instructions += g.active.lanes;
  ++g.instructions;
  g.extra += s.extra;
  g.conflict += s.conflict;
  g.ramConflict += s.ramConflict;
  if ((m.writes | m.reads) != 0 && !s.levelled) mark(g, m, s.exec);
  if (s.blockEnd) repeatBlock(s);
  g.cycle = s.end;
  if (g.delaySlots != 0) {
    endDelay(g, s.nextPc);
  } else {
    g.pc = s.nextPc;
  }
}

/// The instruction that the group stands at has cost each of its processors so much.
void Machine::charge(const Group& g, Cycle cycles, Cycle conflict, Cycle ramConflict) {
  const std::array<std::uint64_t, 5> bus{holdEverything_, dataIncomplete_, held_, programWait_,
                                         fetchIncomplete_};
  if (g.active.full && conflict + ramConflict == 0 && bus == busSeen_) {
    PlaceCost& place = common_->at(g.pc);
    ++place.instructions;
    place.executing += cycles;
    return;
  }
  PlaceCost cost;
  cost.instructions = 1;
  const auto stall = [&](StallCause cause, std::uint64_t part) {
    CycleAccount::stall(cost, cause) = part;
    cycles -= part;
  };
  stall(StallCause::RegisterConflict, conflict);
  stall(StallCause::RamConflict, ramConflict);
  if (bus != busSeen_) {
    stall(StallCause::HoldEverything, bus[0] - busSeen_[0]);
    stall(StallCause::DataIncomplete, bus[1] - busSeen_[1]);
    stall(StallCause::Held, bus[2] - busSeen_[2]);
    stall(StallCause::ProgramWait, bus[3] - busSeen_[3]);
    stall(StallCause::FetchIncomplete, bus[4] - busSeen_[4]);
    busSeen_ = bus;
  }
  cost.executing = cycles;
  if (g.active.full) {
    common_->at(g.pc).add(cost);
    return;
  }
  LaneMask real = g.active.mask;
  real &= shape_.real;
  real.forEach([&](unsigned lane) { accounts_[lane]->at(g.pc).add(cost); });
}

/// When address registers that the instruction writes or reads can be used for addresses again.
void Machine::mark(Group& g, const MicroOp& m, Cycle exec) const {
  for (unsigned i = 0; i < 3; ++i) {
    if ((m.writes >> i & 1u) != 0) {
      g.ready[i] = std::max(g.ready[i], exec + kAddressWriteLatency);
    } else if ((m.reads >> i & 1u) != 0) {
      g.ready[i] = std::max(g.ready[i], exec + 1 + config_.cpu.arReadStall);
    }
    g.lastReady = std::max(g.lastReady, g.ready[i]);
  }
}

/// The end of a repeat block was executed with RM = 1 (c32.md 4.6).
void Machine::repeatBlock(Step& s) {
  Group& g = s.g;
  const std::uint32_t rc = --g.rest.x[reg::RC - 8];
  if (static_cast<std::int32_t>(rc) >= 0) {
    if (s.nextPc == ((g.pc + 1) & kAddressMask)) {
      s.nextPc = g.rest.x[reg::RS - 8] & kAddressMask;
    }
    return;
  }
  g.repeat = false;
}

void Machine::endDelay(Group& g, std::uint32_t nextPc) {
  g.pc = nextPc;
  if (--g.delaySlots != 0) return;
  if (g.taken == Taken::All) g.pc = g.delayTarget;
  if (g.taken != Taken::Some) return;
  g.taken = Taken::None;
  split(g, g.takenMask, g.delayTarget);
}

}  // namespace rtvp::c32::simt
