// Taking the processors over and giving them back.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/c32/flags.hpp"
#include "models/c32/simt/fast.hpp"
#include "models/c32/simt/word_runs.hpp"
#include "models/common/core/host_bytes.hpp"

namespace rtvp::c32::simt {
namespace {

constexpr std::uint32_t kFlagBits = kC | kV | kZ | kN | kUF | kLV | kLUF;

Cycle wait(Cycle ready, Cycle cycle) {
  return ready > cycle ? ready - cycle : 0;
}

}  // namespace

std::size_t Machine::bytes() const {
  std::size_t sum = (cpus_.capacity() + accounts_.capacity()) * sizeof(void*) +
                    common::bytesOf(late_) + common::bytesOf(own_) + common::bytesOf(states_) +
                    common::bytesOf(ends_) + (groups_.size() + spare_.size()) * sizeof(Group) +
                    sizeof(double) * shape_.lanes + scratch_->bytes();
  for (const auto& row : extended_) sum += row->bytes();
  for (const auto& row : ram_) sum += row != nullptr ? row->bytes() : 0;
  for (const auto& row : spread_) sum += row != nullptr ? row->bytes() : 0;
  if (wordRuns_ != nullptr) sum += wordRuns_->bytes();
  return sum;
}

/// The decoded program is good as long as no processor has stored into it.
void Machine::checkCode() {
  std::uint64_t writes = 0;
  for (const Cpu* cpu : cpus_) writes += cpu->codeWrites();
  if (writes == codeWrites_) return;
  codeWrites_ = writes;
  for (auto& op : code_) op.reset();
  fast_.fill({.run = Fast::general});
  forgetRuns();
}

bool Machine::take(Cycle heldUntil) {
  const Cpu& first = *cpus_.front();
  if (!config_.cpu.usualResults() || config_.cpu.timing != Timing::Interlock ||
      first.pc() - kRamBase >= kRamWords)
    return false;
  for (std::size_t i = 0; i < cpus_.size(); ++i) {
    prefetch(i);
    const Cpu& cpu = *cpus_[i];
    if (cpu.pc() != first.pc() || !cpu.canExport()) return false;
    cpu.exportState(states_[i]);
  }
  heldUntil_ = heldUntil;
  if (!importProcessors()) {
    drop();
    return false;
  }
  checkCode();
  openBus();
  active_ = true;
  ++takes_;
  ++counters_.taken;
  return true;
}

void Machine::drop() {
  active_ = arrived_ = false;
  while (!groups_.empty()) {
    spare_.push_back(std::move(groups_.back()));
    groups_.pop_back();
  }
  loaded_.fill(nullptr);
  dirty_.reset();
}

/// The state of a processor that comes soon, where all do one after the other: far more of them are
/// not in the host's caches than are.
void Machine::prefetch(std::size_t now, const InternalStores* stores) const {
  constexpr std::size_t kAhead = 4;
  if (cpus_.size() <= kMany || now + kAhead >= cpus_.size()) return;
  cpus_[now + kAhead]->prefetchState();
  if (stores != nullptr) cpus_[now + kAhead]->prefetchInternal(*stores);
}

/// False if the processors differ in something that the machine holds once.
bool Machine::importProcessors() {
  const CpuState& s0 = states_.front();
  stBase_ = s0.registers[reg::ST] & ~kFlagBits;
  if ((stBase_ & (kGIE | kOVM | kRM)) != 0) return false;
  xf1Low_ = s0.xf1 == Drive::Low;
  xf0Low_ = {};
  late_.assign(late_.size(), 0);
  lateLanes_ = {};
  anyLate_ = latenessKnown_ = false;
  lateBound_ = 0;
  for (unsigned lane = 0; lane < config_.lanes; ++lane) {
    const CpuState& s = states_[lane];
    if ((s.registers[reg::ST] & ~kFlagBits) != stBase_ || s.delaySlots != 0 ||
        s.busFree > s.cycle || s.lastRead != s0.lastRead || s.lastStrobe != s0.lastStrobe ||
        s.lastWasRead != s0.lastWasRead || s.xf0 == Drive::High || s.xf1 == Drive::High ||
        (s.xf1 == Drive::Low) != xf1Low_) {
      return false;
    }
    for (unsigned i = 0; i < 3; ++i) {
      if (wait(s.groupReady[i], s.cycle) != wait(s0.groupReady[i], s0.cycle)) return false;
    }
    for (const Strobe strobe : {Strobe::Strb0, Strobe::Strb1, Strobe::IoStrb}) {
      if (cpus_[lane]->busControl(strobe).value != cpus_.front()->busControl(strobe).value) {
        return false;
      }
    }
    if (s.xf0 == Drive::Low) xf0Low_.set(lane);
    late_[lane] = static_cast<std::int64_t>(s.cycle - s0.cycle);
    if (late_[lane] == 0) continue;
    lateLanes_.set(lane);
    lateBound_ = std::max(lateBound_, late_[lane]);
    anyLate_ = true;
  }
  anyPull_ = xf0Low_.any();
  busFree_ = s0.busFree;
  for (const CpuState& s : states_) busFree_ = std::min(busFree_, s.busFree);
  lastRead_ = s0.lastRead;
  lastStrobe_ = s0.lastStrobe;
  lastWasRead_ = s0.lastWasRead;
  own_.assign(own_.size(), {});
  holdEverything_ = dataIncomplete_ = held_ = reads_ = 0;
  programWait_ = fetchIncomplete_ = fetched_ = 0;
  busSeen_ = {};
  arrived_ = false;
  inVain_ = 0;

  if (spare_.empty()) spare_.push_back(std::make_unique<Group>());
  groups_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  Group& g = *groups_.back();
  g.pc = s0.pc;
  g.cycle = s0.cycle;
  g.ready = s0.groupReady;
  g.lastReady = *std::max_element(g.ready.begin(), g.ready.end());
  g.delaySlots = 0;
  g.taken = Taken::None;
  g.repeat = g.parked = false;
  g.instructions = g.extra = g.conflict = g.ramConflict = 0;
  shape_.choose(g.active, shape_.all);
  importFlags(g, states_);
  return importRest(g, states_);
}

void Machine::importFlags(Group& g, const std::vector<CpuState>& states) {
  c_ = v_ = uf_ = lv_ = luf_ = {};
  const auto nz = [](std::uint32_t st) {
    const bool n = (st & kN) != 0;
    if ((st & kZ) != 0) return n ? -0.0 : 0.0;
    return n ? -1.0 : 1.0;
  };
  g.flagsUniform = true;
  const std::uint32_t st0 = states.front().registers[reg::ST];
  g.flags = nz(st0);
  for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
    const std::uint32_t st = lane < config_.lanes ? states[lane].registers[reg::ST] : st0;
    flags_[lane] = nz(st);
    if (((st ^ st0) & (kN | kZ)) != 0) g.flagsUniform = false;
    if ((st & kC) != 0) c_.set(lane);
    if ((st & kV) != 0) v_.set(lane);
    if ((st & kUF) != 0) uf_.set(lane);
    if ((st & kLV) != 0) lv_.set(lane);
    if ((st & kLUF) != 0) luf_.set(lane);
  }
  anyVuf_ = v_.any() || uf_.any();
}

/// Registers beside R0-R7, by their place in Rest, that some processor holds another value of than
/// the first one.
std::uint32_t Machine::differing(const std::vector<CpuState>& states) const {
  std::uint32_t all[kRest] = {};
  const std::uint32_t* const first = states.front().registers.data() + 8;
  for (unsigned lane = 1; lane < config_.lanes; ++lane) {
    const std::uint32_t* const own = states[lane].registers.data() + 8;
    for (unsigned i = 0; i < kRest; ++i) all[i] |= own[i] ^ first[i];
  }
  std::uint32_t found = 0;
  for (unsigned i = 0; i < kRest; ++i) found |= (all[i] != 0 ? 1u : 0u) << i;
  return found;
}

bool Machine::importRest(Group& g, const std::vector<CpuState>& states) {
  constexpr std::uint32_t kOpaque = 1u << (reg::ST - 8) | 1u << (reg::IE - 8) | 1u << (reg::IF - 8);
  g.rest.dual = g.rest.spread = 0;
  g.rest.opaque = kOpaque;
  std::copy_n(states.front().registers.begin() + 8, kRest, g.rest.x.begin());
  for (std::uint32_t left = differing(states) & ~kOpaque; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    const std::uint32_t x = g.rest.x[i];
    bool dual = false;
    bool opaque = false;
    LaneMask second;
    std::uint32_t y = 0;
    for (unsigned lane = 0; lane < config_.lanes && !opaque; ++lane) {
      const std::uint32_t value = states[lane].registers[8 + i];
      if (value == x) continue;
      if (dual && value != y) opaque = true;
      dual = true;
      y = value;
      second.set(lane);
    }
    if (opaque) {
      g.rest.opaque |= 1u << i;
    } else {
      g.rest.y[i] = y;
      g.rest.second[i] = second;
      g.rest.dual |= 1u << i;
    }
  }
  std::uint32_t mantissas[kMaxLanes];
  std::int32_t exponents[kMaxLanes];
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned lane = 0; lane < config_.lanes; ++lane) {
      mantissas[lane] = states[lane].registers[r];
      exponents[lane] = states[lane].exponents[r];
    }
    extended_[r]->importExtended(mantissas, exponents);
  }
  return true;
}

void Machine::exportGroup(const Group& g) {
  LaneMask real = g.active.mask;
  real &= shape_.real;
  std::array<const std::uint32_t*, kRest> spread{};
  for (std::uint32_t left = g.rest.opaque & g.rest.spread; left != 0; left &= left - 1) {
    const auto r = static_cast<std::size_t>(std::countr_zero(left));
    spread[r] = spread_[r]->exportWords();
  }
  // Of registers that are the machine's own: all bits.
  std::uint32_t known[kRest];
  for (unsigned i = 0; i < kRest; ++i) known[i] = (g.rest.opaque >> i & 1u) - 1u;
  const std::uint32_t apart = (g.rest.opaque & g.rest.spread) | (g.rest.dual & ~g.rest.opaque);
  real.forEach([&](unsigned lane) {
    CpuState& s = states_[lane];
    std::uint32_t* const rest = s.registers.data() + 8;
    for (unsigned i = 0; i < kRest; ++i) {
      rest[i] = (g.rest.x[i] & known[i]) | (rest[i] & ~known[i]);
    }
    for (std::uint32_t left = apart; left != 0; left &= left - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(left));
      if ((g.rest.dual >> i & ~(g.rest.opaque >> i) & 1u) == 0) {
        rest[i] = spread[i][lane];
      } else if (g.rest.second[i].test(lane)) {
        rest[i] = g.rest.y[i];
      }
    }
    const double nz = g.flagsUniform ? g.flags : flags_[lane];
    s.registers[reg::ST] = stBase_ | (g.repeat ? kRM : 0u) | (std::signbit(nz) ? kN : 0u) |
                           (nz == 0.0 ? kZ : 0u) | (c_.test(lane) ? kC : 0u) |
                           (v_.test(lane) ? kV : 0u) | (uf_.test(lane) ? kUF : 0u) |
                           (lv_.test(lane) ? kLV : 0u) | (luf_.test(lane) ? kLUF : 0u);
    s.pc = g.pc;
    s.cycle = g.cycle + static_cast<Cycle>(late_[lane]);
    for (unsigned i = 0; i < 3; ++i) s.groupReady[i] = s.cycle + wait(g.ready[i], g.cycle);
    s.delaySlots = g.delaySlots;
    s.delayTaken = g.taken == Taken::All || (g.taken == Taken::Some && g.takenMask.test(lane));
    s.delayTarget = g.delayTarget;
    if (reads_ + fetched_ != 0) {
      s.busFree = busFree_;
      s.lastRead = lastRead_;
      s.lastStrobe = lastStrobe_;
      s.lastWasRead = lastWasRead_;
    }
    s.xf0 = xf0Low_.test(lane) ? Drive::Low : Drive::Released;
    s.xf1 = xf1Low_ ? Drive::Low : Drive::Released;
    const Extra& own = own_[lane];
    const auto sum = [](std::uint64_t common, std::int64_t mine) {
      return common + static_cast<std::uint64_t>(mine);
    };
    s.statistics.instructions += sum(g.instructions, own.instructions);
    s.extraCycles += sum(g.extra, own.extra);
    s.statistics.registerConflict += sum(g.conflict, own.conflict);
    s.statistics.ramConflict += sum(g.ramConflict, own.ramConflict);
    s.statistics.held += sum(held_, own.held);
    s.statistics.busWait += holdEverything_ + dataIncomplete_ + programWait_ + fetchIncomplete_;
    s.statistics.busWaitBy[static_cast<unsigned>(StallCause::ProgramWait)] += programWait_;
    s.statistics.busWaitBy[static_cast<unsigned>(StallCause::FetchIncomplete)] += fetchIncomplete_;
    s.statistics.externalFetches += fetched_;
    s.statistics.busWaitBy[static_cast<unsigned>(StallCause::HoldEverything)] += holdEverything_;
    s.statistics.busWaitBy[static_cast<unsigned>(StallCause::DataIncomplete)] += dataIncomplete_;
    s.statistics.externalReads += reads_;
    ends_[lane] = {arrived_, arrival_ + static_cast<Cycle>(late_[lane]), s.xf0, s.xf1};
  });
}

void Machine::giveBack() {
  for (unsigned r = 0; r < 8; ++r) {
    const std::uint32_t* mantissas = extended_[r]->exportWords();
    const std::int32_t* exponents = extended_[r]->exportExponents();
    for (unsigned lane = 0; lane < config_.lanes; ++lane) {
      states_[lane].registers[r] = mantissas[lane];
      states_[lane].exponents[r] = static_cast<std::int8_t>(exponents[lane]);
    }
  }
  for (const auto& g : groups_) exportGroup(*g);
  InternalStores stores;
  for (std::uint32_t offset = 0; offset < kRamWords; ++offset) {
    if (dirty_[offset]) stores.add(offset, ram_[offset]->exportWords());
  }
  for (unsigned lane = 0; lane < config_.lanes; ++lane) {
    Cpu& cpu = *cpus_[lane];
    prefetch(lane, &stores);
    cpu.storeInternal(stores, lane);
    cpu.importState(states_[lane]);
  }
  drop();
}

}  // namespace rtvp::c32::simt
