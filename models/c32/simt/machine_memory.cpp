// Addresses, internal RAM rows and the shared bus.
#include <algorithm>
#include <cstring>

#include "models/c32/peripheral_registers.hpp"
#include "models/c32/simt/machine.hpp"
#include "models/c32/simt/rounding.hpp"
#include "models/c32/single.hpp"

namespace rtvp::c32::simt {

/// Where the operand lies, if that is the same for all processors of the group and a place that
/// kernels can read.
bool Machine::plan(const Group& g, const OperandSpec& spec, Memory& m) const {
  const std::uint32_t unknown = g.rest.dual | g.rest.opaque;
  if (spec.access == Access::Direct) {
    constexpr unsigned kDp = reg::DP - 8;
    if ((unknown >> kDp & 1u) != 0) return false;
    m.address = ((g.rest.x[kDp] & 0xFFu) << 16) | static_cast<std::uint32_t>(spec.value);
  } else if (spec.access == Access::Indirect) {
    const unsigned r = spec.reg - 8u;
    if ((unknown >> r & 1u) != 0) return false;
    const std::uint32_t ar = g.rest.x[r];
    m.address = (ar + static_cast<std::uint32_t>(spec.value)) & kAddressMask;
    m.modifies = spec.step != 0;
    m.reg = spec.reg;
    m.updated =
        (ar & ~kAddressMask) | ((ar + static_cast<std::uint32_t>(spec.step)) & kAddressMask);
  } else {
    return false;  // index registers, circular and bit-reversed addressing
  }
  m.offset = m.address - kRamBase;
  m.internal = m.offset < kRamWords;
  if (m.internal) return true;
  const Place place = cpus_.front()->placeAt(m.address);
  m.strobe = place.strobe;
  return place.region == Region::External &&
         (place.strobe == Strobe::IoStrb || cpus_.front()->busControl(place.strobe).plain());
}

void Machine::update(Group& g, const Memory& m) {
  if (m.modifies) g.rest.x[m.reg - 8u] = m.updated;
}

/// Two data accesses and the fetch in one block of two ports: one waits (c32.md 7.5).
void Machine::pairConflict(Step& s, const Memory& a, const Memory& b) const {
  if (((a.address ^ b.address) & ~0xFFu) == 0 && (b.address & ~0xFFu) == (s.g.pc & ~0xFFu) &&
      b.internal) {
    ++s.end;
    ++s.ramConflict;
  }
}

/// The row of a word, whether it holds it or not.
Row& Machine::rowOf(std::uint32_t offset) {
  if (!ram_[offset]) ram_[offset] = std::make_unique<Row>(shape_, true);
  return *ram_[offset];
}

/// The same, to be written now: it holds anything.
Row& Machine::newRow(std::uint32_t offset) {
  loaded_[offset] = &rowOf(offset);
  return *loaded_[offset];
}

/// A word of the processor's RAM that comes soon, where all are read one after the other.
inline void Machine::prefetchRam(std::size_t now, std::uint32_t offset) const {
  constexpr std::size_t kAhead = 16;
  if (cpus_.size() > kMany && now + kAhead < cpus_.size())
    __builtin_prefetch(&cpus_[now + kAhead]->internalRam()[offset]);
}

Row& Machine::ramRow(std::uint32_t offset) {
  if (loaded_[offset] != nullptr) return *loaded_[offset];
  Row& row = newRow(offset);
  std::uint32_t words[kMaxLanes];
  for (unsigned lane = 0; lane < config_.lanes; ++lane) {
    prefetchRam(lane, offset);
    words[lane] = cpus_[lane]->internalRam()[offset];
  }
  row.importWords(words);
  return row;
}

/// The words of a cache line around `offset` go to rows together: of many processors each line is
/// read once. Tables are the same in all of them as a rule.
void Machine::loadLine(std::uint32_t offset) {
  constexpr std::uint32_t kLine = 16;
  const std::uint32_t first = offset / kLine * kLine;
  const std::uint32_t* const known = cpus_.front()->internalRam().data() + first;
  std::size_t next = 0;
  const bool same = std::all_of(cpus_.begin(), cpus_.end(), [&](const Cpu* cpu) {
    prefetchRam(next++, first);
    return std::memcmp(cpu->internalRam().data() + first, known, std::size_t{kLine} * 4) == 0;
  });
  if (!same) return;
  for (std::uint32_t i = first; i < first + kLine; ++i) {
    if (loaded_[i] != nullptr) continue;
    if (!ram_[i]) ram_[i] = std::make_unique<Row>(shape_, true);
    loaded_[i] = ram_[i].get();
    ram_[i]->fillM(known[i - first]);
    known_[i] = known[i - first];
    knownAt_[i] = takes_;
  }
}

/// Whether a word of the RAM is the same in all processors, and has been since they were taken
/// over.
bool Machine::shared(std::uint32_t offset, std::uint32_t& value) {
  if (dirty_[offset]) return false;
  if (knownAt_[offset] != takes_) {
    if (loaded_[offset] == nullptr) loadLine(offset);
    Row& row = ramRow(offset);
    if (!row.uniform()) return false;
    if (!row.knowsWord()) {
      Active every;
      shape_.choose(every, shape_.all);
      row.readM(every);
    }
    known_[offset] = row.word();
    knownAt_[offset] = takes_;
  }
  value = known_[offset];
  return true;
}

/// A word of internal RAM at an address of each processor's own. False: an address lies elsewhere
/// or steps, or the register holds no row.
bool Machine::gather(const Group& g, const OperandSpec& spec, WordOperand& o) {
  if (spec.access != Access::Indirect || spec.step != 0) return false;
  const unsigned r = spec.reg - 8u;
  if ((g.rest.opaque & g.rest.spread & 1u << r) == 0) return false;
  const WordSource from = spread_[r]->readM(g.active);
  const auto disp = static_cast<std::uint32_t>(spec.value);
  o.shape = WordOperand::Shape::Row;
  o.row = {wide_[0], 1};
  o.x = 0;
  if (!g.active.full || from.stride == 0) return gatherRows(g, disp, from);
  const WordTable table{.words = known_.data(),
                        .stamps = knownAt_.data(),
                        .stamp = takes_,
                        .count = kRamWords,
                        .first = kRamBase,
                        .addressMask = kAddressMask,
                        .displacement = disp};
  if (k_.lookUp(shape_.lanes, wide_[0], from.p, table)) return true;
  for (unsigned lane = 0; lane < shape_.lanes; ++lane) {
    const std::uint32_t offset = ((from.p[lane] + disp) & kAddressMask) - kRamBase;
    if (offset >= kRamWords) return false;
    if (!shared(offset, wide_[0][lane])) return gatherRows(g, disp, from);
  }
  return true;
}

/// The same, whatever the words are.
bool Machine::gatherRows(const Group& g, std::uint32_t disp, WordSource from) {
  bool inside = true;
  g.active.mask.forEach([&](unsigned lane) {
    const std::uint32_t address = (from.p[lane * from.stride] + disp) & kAddressMask;
    const std::uint32_t offset = address - kRamBase;
    if (offset >= kRamWords) {
      inside = false;
      return;
    }
    const WordSource words = ramRow(offset).readM(g.active);
    wide_[0][lane] = words.p[lane * words.stride];
  });
  return inside;
}

/// A register of a timer, which all processors may access in this cycle.
bool Machine::timerAt(const Step& s, const Memory& m) const {
  return !m.internal && isTimerAddress(m.address) && alone() && !anyLate_ && !arrived_ &&
         s.g.active.full;
}

void Machine::timerRead(Step& s, const Memory& m, WordOperand& o) {
  bool same = true;
  for (unsigned lane = 0; lane < config_.lanes; ++lane) {
    board_.handOver(lane);
    cpus_[lane]->timerAccess(s.exec, false, m.address, wide_[0][lane]);
    states_[lane].registers[reg::IF] = cpus_[lane]->registerValue(reg::IF);
    same = same && wide_[0][lane] == wide_[0][0];
  }
  std::fill(wide_[0] + config_.lanes, wide_[0] + shape_.lanes, wide_[0][0]);
  o.shape = same ? WordOperand::Shape::One : WordOperand::Shape::Row;
  o.x = wide_[0][0];
  o.row = {wide_[0], 1};
}

void Machine::timerWrite(Step& s, const Memory& m, const WordOperand& value) {
  for (unsigned lane = 0; lane < config_.lanes; ++lane) {
    std::uint32_t word = value.x;
    if (value.shape == WordOperand::Shape::Row) word = value.row.p[lane * value.row.stride];
    if (value.shape == WordOperand::Shape::Two && value.second.test(lane)) word = value.y;
    board_.handOver(lane);
    cpus_[lane]->timerAccess(s.exec, true, m.address, word);
    states_[lane].registers[reg::IF] = cpus_[lane]->registerValue(reg::IF);
  }
}

unsigned Machine::countAboveZero(std::uint32_t offset) const {
  if (active_ && loaded_[offset] != nullptr) return loaded_[offset]->countAboveZero();
  unsigned count = 0;
  for (const Cpu* const cpu : cpus_) count += aboveZero(cpu->internalRam()[offset]) ? 1U : 0U;
  return count;
}

bool Machine::isAboveZero(unsigned processor, std::uint32_t offset) const {
  if (active_ && loaded_[offset] != nullptr) return loaded_[offset]->isAboveZero(processor);
  return aboveZero(cpus_[processor]->internalRam()[offset]);
}

/// Into internal RAM that holds no code.
bool Machine::mayStore(const Memory& m) const {
  return m.internal && !code_[m.offset];
}

Machine::BusState Machine::busState() const {
  return {busFree_,        lastRead_,       lastStrobe_, lastWasRead_,
          holdEverything_, dataIncomplete_, held_,       reads_};
}

void Machine::restoreBus(const BusState& b) {
  busFree_ = b.busFree;
  lastRead_ = b.lastRead;
  lastStrobe_ = b.lastStrobe;
  lastWasRead_ = b.lastWasRead;
  holdEverything_ = b.holdEverything;
  dataIncomplete_ = b.dataIncomplete;
  held_ = b.held;
  reads_ = b.reads;
}

/// Next if a shared access may start now: all processors at this instruction, and in the same cycle
/// unless they were held.
Machine::Did Machine::needBus(Step& s, const Memory* a, const Memory* b) {
  if (a->internal && (b == nullptr || b->internal)) return Did::Next;
  if (!alone()) return Did::Park;
  const auto exec = static_cast<std::int64_t>(s.exec);
  const bool late = anyLate_;
  const auto least = late ? lateness().least : 0;
  if (arrived_) {
    // Before HOLD acts it is a violation; the scalar engine tells it.
    if (s.exec <= arrival_ + config_.holdCycles) return Did::HandBack;
    if (static_cast<std::int64_t>(busFree_) > exec + least) return Did::HandBack;
    pending_ = s.exec;
    pendingPc_ = s.g.pc;
    return Did::Barrier;
  }
  const bool two = b != nullptr && !a->internal && !b->internal;
  if (onlyWindow_) {
    const auto inWindow = [&](const Memory* m) {
      return m == nullptr || m->internal ||
             (m->strobe == Strobe::Strb0 && m->address - window_.first < window_.count);
    };
    if (two || !inWindow(a) || !inWindow(b)) return Did::HandBack;
  }
  if (two && late) return Did::HandBack;  // the first read would level what the second may undo
  if (two) before_ = busState();
  stepReads_ = 0;
  twoReads_ = two;
  if (late && (exec + lateness().most > static_cast<std::int64_t>(heldUntil_) ||
               static_cast<std::int64_t>(busFree_) > exec + least)) {
    return Did::HandBack;
  }
  return Did::Next;
}

/// The board's answer to a read. False: nothing answered.
bool Machine::ask(const BusRequest& request, std::uint32_t& waitStates, std::uint32_t& word) {
  closeWindow();
  VectorBoard::Reply reply;
  {
    const RoundNearest outside;
    reply = board_.read(request);
  }
  openWindow();
  ++stepReads_;
  waitStates = reply.waitStates;
  word = reply.data;
  if (reply.error) inVain_ = stepReads_;
  return !reply.error;
}

/// The instruction takes until the bus is free again: to whom the time is charged.
void Machine::account(Cycle exec, Cycle wanted, Cycle start, Cycle& end) {
  Cycle grown = busFree_ - end;
  const Cycle held = std::min(grown, start - wanted);
  grown -= held;
  const Cycle behind = std::min(grown, wanted - exec);
  held_ += held;
  holdEverything_ += behind;
  dataIncomplete_ += grown - behind;
  end = busFree_;
}

/// Processors that came at different times are together behind a read that starts in `start`, and
/// none has an address register on its way any more: they would differ in when it is there.
bool Machine::levels(const Step& s, Cycle start) const {
  const std::int64_t most = lateness().most;
  const auto waits = [&](Cycle ready) {
    return static_cast<std::int64_t>(ready) + most > static_cast<std::int64_t>(start + 1);
  };
  const MicroOp& m = s.op.m;
  const Cycle latency = std::max<Cycle>(kAddressWriteLatency, 1 + config_.cpu.arReadStall);
  if ((m.writes | m.reads) != 0 && waits(s.exec + latency)) return false;
  return std::none_of(s.g.ready.begin(), s.g.ready.end(), waits);
}

/// One read for all processors; timing as Cpu::external. False: nothing answered.
bool Machine::busRead(Step& s, const Memory& m, std::uint32_t& word) {
  const bool late = anyLate_;
  const Cycle wanted = std::max(s.exec, busFree_);
  // Processors that came at different times were all held (needBus).
  const Cycle start = late ? heldUntil_ : std::max(wanted, heldUntil_);
  if (late && !levels(s, start)) return false;
  BusRequest request;
  request.strobe = m.strobe;
  request.address = m.address;
  request.cycle = start;
  request.pc = s.g.pc;
  std::uint32_t waitStates = window_.waitStates;
  if (!twoReads_ && m.strobe == Strobe::Strb0 && m.address - window_.first < window_.count) {
    std::memcpy(&word, window_.bytes + std::size_t{m.address - window_.first} * 4, 4);
    ++windowReads_;
    windowLast_ = start;
  } else if (!ask(request, waitStates, word)) {
    if (stepReads_ > 1) restoreBus(before_);
    return false;
  }
  const BusControl& control = cpus_.front()->busControl(m.strobe);
  Cycle duration = m.strobe == Strobe::IoStrb ? config_.cpu.ioStrobeCycles : 1;
  duration += control.waits(waitStates);
  if (lastWasRead_ && lastStrobe_ == m.strobe && control.crossesBank(lastRead_, m.address)) {
    duration += config_.cpu.bankSwitchCycles;
  }
  lastWasRead_ = true;
  lastStrobe_ = m.strobe;
  lastRead_ = m.address;
  busFree_ = start + duration;
  if (late) {
    // The processor that the common account stands for need not exist: its share may be negative,
    // the sum with each processor's own is not. Now all are together again.
    held_ += start - s.exec;
    dataIncomplete_ += duration - 1;
    s.end = busFree_;
    s.levelled = true;
    for (Cycle& ready : s.g.ready) ready = std::min(ready, s.end);
    s.g.lastReady = std::min(s.g.lastReady, s.end);
    lateLanes_.forEach([&](unsigned lane) {
      own_[lane].held -= late_[lane];
      if (common_ != nullptr) {
        CycleAccount::stall(accounts_[lane]->at(s.g.pc), StallCause::Held) -=
            static_cast<std::uint64_t>(late_[lane]);
      }
      late_[lane] = 0;
    });
    lateLanes_ = {};
    anyLate_ = latenessKnown_ = false;
    lateBound_ = 0;
  } else if (busFree_ > s.end) {
    account(s.exec, wanted, start, s.end);
  }
  ++reads_;
  return true;
}

}  // namespace rtvp::c32::simt
