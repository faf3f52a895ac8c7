#include "models/c32/blocks/wave.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "models/c32/blocks/wave_parts.hpp"
#include "models/c32/flags.hpp"

namespace rtvp::c32::blocks {
namespace {

constexpr std::uint32_t kXInt = 1u << 4;  // IF bits
constexpr std::uint32_t kRInt = 1u << 5;
constexpr std::size_t kMostAlike = 48;    ///< summaries with one key
constexpr std::size_t kMostInAll = 4096;  ///< and together
/// Times that they are made anew because the port is set up differently.
constexpr unsigned kMostForgotten = 64;
/// Bits of global control that Wire keeps.
constexpr std::uint32_t kWireBits =
    serial::kRRDY | serial::kXRDY | serial::kXSREMPTY | serial::kRSRFULL;

}  // namespace

Wave::Wave(const CpuConfig& config, bool translate) {
  const std::uint64_t common =
      std::max<std::uint64_t>(1, std::gcd(config.h1Hz, config.serialBitClockHz));
  clock_ =
      EdgeClock(config.h1Hz / common, std::max<std::uint64_t>(1, config.serialBitClockHz / common));
  word_ = clock_.stride(kWordBits);
  complete_ = clock_.stride(kWordBits + kSerialExtraBits);
  entry_ = std::max(1u, config.interruptEntryCycles);
  if (translate) makePassages(config.h1Hz / common, config.serialBitClockHz / common);
}

Wave::~Wave() = default;

void Wave::forget() {
  nodes_.clear();
  summaries_ = 0;
  forgetPassages();
  forgetLaps();
}

/// All processors set up alike share the summaries; another setting begins anew, a few times.
bool Wave::suits(const Cpu& cpu) {
  const SerialPort& p = cpu.peripherals_.serialPort();
  const std::uint32_t global = p.global_ & ~kWireBits;
  const IntegerMode mode = cpu.integerMode_;
  const bool same =
      global == global_ && mode.saturate == mode_.saturate && mode.exactN == mode_.exactN;
  if (!same && !nodes_.empty()) {
    if (forgotten_ == kMostForgotten) return false;
    ++forgotten_;
    forget();
  }
  if (passages_) {
    passages_->setting.global = global;
    passages_->setting.mode = mode;
  }
  global_ = global;
  mode_ = mode;
  return p.dxrFull_ == (p.transfer_ != kNever);
}

// ---- to and fro

void Wave::load(Run& r) const {
  const Cpu& cpu = r.cpu;
  const SerialPort& p = cpu.peripherals_.serialPort();
  Wire& w = r.wire;
  w.transfer = p.transfer_;
  w.empty = p.shifterEmpty_ != 0 ? p.shifterEmpty_ : kNever;
  w.last = clock_.at(p.lastEdge_);
  w.drr = p.drr_;
  w.rsr = p.rsr_;
  w.dxr = p.dxr_;
  w.drrFull = (p.global_ & serial::kRRDY) != 0;
  w.rsrFull = p.rsrFull_;
  w.flags = cpu.reg_[reg::IF];
  w.received = w.written = 0;
  r.cycle = cpu.cycle_;
  r.readyAt = *std::max_element(std::begin(cpu.groupReady_), std::end(cpu.groupReady_));
  r.pc = cpu.pc_;
  r.enable = cpu.reg_[reg::IE];
  r.status = cpu.reg_[reg::ST];
  std::copy_n(cpu.reg_, reg::kCount, r.value.begin());
  r.last = nullptr;
}

/// The end of a run().
void Wave::store(Run& r) {
  if (r.last == nullptr) return;  // nothing has happened
  if (passages_) storePassages(r);
  if (laps_) storeLaps(r);
  Cpu& cpu = r.cpu;
  SerialPort& p = cpu.peripherals_.serialPort();
  const Wire& w = r.wire;
  p.transfer_ = w.transfer;
  p.dxrFull_ = w.transfer != kNever;
  p.shifterEmpty_ = w.empty != kNever ? w.empty : 0;
  p.lastEdge_ = w.last.number;
  p.drr_ = w.drr;
  p.rsr_ = w.rsr;
  p.dxr_ = w.dxr;
  p.global_ = (p.global_ & ~serial::kRRDY) | (w.drrFull ? serial::kRRDY : 0);
  p.rsrFull_ = w.rsrFull;
  p.wordsReceived_ += w.received;
  p.wordsSent_ += w.written;
  p.blockBegun_ = p.blockBegun_ || w.written != 0;
  std::copy_n(r.value.begin(), reg::kCount, cpu.reg_);
  cpu.reg_[reg::ST] = r.status;
  cpu.reg_[reg::IF] = w.flags;
  cpu.reg_[reg::IE] = r.enable;
  cpu.pc_ = r.pc;
  cpu.cycle_ = r.cycle;
  cpu.lastStores_ = 0;
  const Summary& last = *r.last->summary;
  for (unsigned g = 0; g < 3; ++g) {
    if (last.exit.ready[g] != 0) cpu.groupReady_[g] = r.lastBase + last.exit.ready[g];
  }
  if (r.flagsKept != ~0u) cpu.peripherals_.dma().forget(r.flagsKept);
  cpu.stats_.idle += r.idle;
  for (Known* k : used_) {
    const Summary& s = *k->summary;
    const std::uint64_t n = k->uses;
    k->uses = 0;
    cpu.ramKnown_[s.interruptSlot] = true;
    cpu.extraCycles_ += n * s.exit.extra;
    cpu.stats_.registerConflict += n * s.exit.conflict;
    cpu.stats_.instructions += n * s.steps;
    cpu.stats_.interruptsTaken += n;
    cpu.stats_.interruptEntry += n * entry_;
    instructions_ += n * s.steps;
    if (cpu.account_ != nullptr) accountTurns(*cpu.account_, s, n);
  }
  used_.clear();
}

void Wave::accountTurns(CycleAccount& account, const Summary& s, std::uint64_t times) const {
  CycleAccount::stall(account.at(s.costs.front().pc), StallCause::InterruptEntry) += times * entry_;
  for (const Summary::Cost& c : s.costs) {
    PlaceCost& place = account.at(c.pc);
    place.instructions += times;
    place.executing += times * (c.cycles - c.conflict);
    CycleAccount::stall(place, StallCause::RegisterConflict) += times * c.conflict;
  }
}

void Wave::run(Cpu& cpu, Inbox& inbox, Cycle horizon, const Find& find) {
  if (!suits(cpu)) return;
  ++round_;
  Run r(cpu, inbox, horizon, value_, find);
  load(r);
  if (laps_) ++laps_->run;
  for (const Node* learnt = nullptr;;) {
    if (r.last != nullptr && passages_ && !r.inLap) {
      noteReturn(r);
      takePassages(r);
    }
    r.before = r.wire;
    r.pops = 0;
    if (!sleep(r)) break;
    Node& node = nodeFor(r);
    Known* const before = r.last;
    if (turn(r, node)) {
      learnt = nullptr;
      if (before != nullptr && passages_) notePassage(r, *before);
      if (r.inLap) noteTurn(r);
      continue;
    }
    if (r.late) break;
    r.inLap = false;
    ++node.misses;
    if (learnt == &node) node.learnAt = 4 * node.misses;  // what it has learnt is of no use here
    if (node.misses < node.learnAt || !learn(r, node, find)) break;
    learnt = &node;
  }
  r.wire = r.before;
  inbox.unpop(r.pops);
  store(r);
}

// ---- one turn

/// As Engine::wake. False, with the wire as it was: nothing wakes it in time, or a word is lost.
bool Wave::sleep(Run& r) const {
  Wire& w = r.wire;
  Cycle now = r.cycle;
  if (now >= r.horizon) return false;
  Slept& slept = r.slept;
  slept = {};
  for (bool first = true;; first = false) {
    const std::uint32_t flags = w.flags;
    for (;;) {
      const Cycle arrival = r.inbox.next();
      if (w.empty <= now && w.empty <= w.transfer) {
        w.empty = kNever;
        (slept.transferred ? slept.emptiedAfter : slept.emptied) = true;
      } else if (w.transfer <= now) {
        w.transfer = kNever;
        w.empty = w.last.cycle();
        slept.transferred = true;
        if ((global_ & serial::kXINT) != 0) w.flags |= kXInt;
      } else if (arrival <= now) {
        if (w.rsrFull) return false;
        ++w.received;
        ++r.pops;
        ++slept.arrived;
        const std::uint32_t word = r.inbox.pop().word;
        if (w.drrFull) {
          w.rsr = word;
          w.rsrFull = true;
        } else {
          w.drr = word;
          w.drrFull = true;
          if ((global_ & serial::kRINT) != 0) w.flags |= kRInt;
        }
      } else {
        break;
      }
    }
    if (const std::uint32_t awake = w.flags & r.enable & 0xFFFu; awake != 0) {
      slept.by = Slept::wokenBy(awake & ~flags, first && (awake & flags) != 0);
      break;
    }
    now = w.next(r.inbox.next());
    if (now >= r.horizon) return false;
  }
  r.awake = now;
  r.base = now + entry_;
  return r.readyAt <= now;
}

Wave::Node& Wave::nodeFor(Run& r) {
  const Key key{r.pc, r.enable, r.wire.flags, portState(r.wire)};
  if (r.last != nullptr) {
    for (Node* n : r.last->next) {
      if (n != nullptr && n->key == key) return *n;
    }
  }
  std::unique_ptr<Node>& node = nodes_[key];
  if (!node) {
    node = std::make_unique<Node>();
    node->key = key;
  }
  if (r.last != nullptr) {
    r.last->next[r.last->oldestNext] = node.get();
    r.last->oldestNext = (r.last->oldestNext + 1) % r.last->next.size();
  }
  return *node;
}

/// The first summary whose guards hold.
bool Wave::turn(Run& r, Node& node) {
  const Wire woken = r.wire;
  const std::size_t pops = r.pops;
  for (std::size_t n = 0; n < node.summaries.size(); ++n) {
    Known& k = *node.summaries[n];
    if (!fits(r, k)) {
      if (r.late) return false;
      continue;
    }
    if (apply(r, *k.summary)) {
      commit(r, k);
      if (n != 0) std::swap(node.summaries[n], node.summaries[n / 2]);
      return true;
    }
    while (r.undoCount != 0) {
      --r.undoCount;
      r.cpu.ram_[r.undo[r.undoCount].offset] = r.undo[r.undoCount].word;
    }
    r.sentCount = 0;
    r.inbox.unpop(r.pops - pops);
    r.pops = pops;
    r.wire = woken;
  }
  return false;
}

bool Wave::fits(Run& r, Known& k) const {
  const Summary& s = *k.summary;
  r.late = r.base + s.most >= r.horizon;
  if (r.late) return false;
  if (!s.empty.holds(r.wire.empty, r.base) || !s.transfer.holds(r.wire.transfer, r.base) ||
      !s.arrival.holds(r.inbox.next(), r.base)) {
    return false;
  }
  if (k.checked != round_) {
    for (const std::uint16_t offset : s.stores) {
      if (r.cpu.decoded_[offset] != DecodePool::kNone) return false;
    }
    k.checked = round_;
  }
  if (r.last != nullptr) {
    for (const Known* before : k.implied) {
      if (before == r.last) return true;
    }
  }
  for (const Summary::Pin& p : s.pins) {
    if (r.value[p.reg] != p.value) return false;
  }
  if (r.last != nullptr) {
    const Summary& before = *r.last->summary;
    const bool always = std::all_of(s.pins.begin(), s.pins.end(), [&](const Summary::Pin& p) {
      return before.known[p.reg] && before.value[p.reg] == p.value;
    });
    if (always) {
      k.implied[k.oldest] = r.last;
      k.oldest = (k.oldest + 1) % k.implied.size();
    }
  }
  return true;
}

/// The operations of a summary; false if a guard fails.
bool Wave::apply(Run& r, const Summary& s) const {
  using Code = Operation::Code;
  Wire& w = r.wire;
  std::uint32_t* const value = r.value.data();
  std::uint32_t* const ram = r.cpu.ram_.data();
  std::uint32_t status = r.status;
  const auto operand = [&](std::uint8_t at, const Operation& op) {
    return at == kConstant ? op.word : value[at];
  };
  const auto computed = [&](const Operation& op, const IntegerResult& result) {
    value[op.to] = result.value;
    if (op.mask != 0) status = applyFlags(status, result.flags, op.mask);
  };
  const auto put = [&](std::uint32_t offset, std::uint32_t word) {
    r.undo[r.undoCount++] = {static_cast<std::uint16_t>(offset), ram[offset]};
    ram[offset] = word;
  };
  for (const Operation* op = s.operations.data();; ++op) {
    const std::uint32_t a = operand(op->a, *op);
    const std::uint32_t b = operand(op->b, *op);
    switch (op->code) {
      case Code::Add:
        computed(*op, addi(a, b, 0, mode_));
        break;
      case Code::Subtract:
        computed(*op, subi(a, b, 0, mode_));
        break;
      case Code::Multiply:
        computed(*op, mpyi(a, b, mode_));
        break;
      case Code::And:
        computed(*op, logical(a & b));
        break;
      case Code::AndNot:
        computed(*op, logical(a & ~b));
        break;
      case Code::Or:
        computed(*op, logical(a | b));
        break;
      case Code::Xor:
        computed(*op, logical(a ^ b));
        break;
      case Code::Not:
        computed(*op, logical(~b));
        break;
      case Code::ShiftLogical:
        computed(*op, lsh(a, b));
        break;
      case Code::ShiftArithmetic:
        computed(*op, ash(a, b));
        break;
      case Code::Copy:
        computed(*op, logical(b));
        break;
      case Code::Status:
        value[op->to] = status;
        break;
      case Code::MaskStatus:
        status = (status & op->mask) | op->word;
        break;
      case Code::Condition:
        if (conditionHolds(op->a, status) != (op->b != 0)) return false;
        break;
      case Code::Equal:
        if (value[op->b] != op->word) return false;
        break;
      case Code::EqualInRam:
        if ((ram[op->offset] & kAddressMask) != op->word) return false;
        break;
      case Code::Bit:
        if ((value[op->a] >> op->b & 1u) != op->word) return false;
        break;
      case Code::Load: {
        const std::uint32_t offset = ((value[op->a] + op->word) & kAddressMask) - kRamBase;
        if (offset >= kRamWords) return false;
        value[op->to] = ram[offset];
        break;
      }
      case Code::LoadAt:
        value[op->to] = ram[op->offset];
        break;
      case Code::Store: {
        const std::uint32_t offset = ((value[op->a] + op->word) & kAddressMask) - kRamBase;
        if (offset >= kRamWords || r.cpu.decoded_[offset] != DecodePool::kNone) return false;
        put(offset, op->b == kConstant ? op->mask : value[op->b]);
        break;
      }
      case Code::StoreAt:
        put(op->offset, b);
        break;
      case Code::Step:
        value[op->to] = stepAddress(value[op->a], op->word);
        break;
      case Code::Circular:
        value[op->to] = stepCircular(value[op->a], static_cast<std::int32_t>(op->word), op->offset);
        break;
      case Code::Quiet:
        if (w.next(r.inbox.next()) <= r.base + op->at) return false;
        break;
      case Code::Empty:
        if (w.empty > r.base + op->at || w.empty > w.transfer) return false;
        w.empty = kNever;
        break;
      case Code::Transfer: {
        const Cycle now = r.base + op->at;
        if (w.transfer > now || (w.empty <= now && w.empty <= w.transfer)) return false;
        w.transfer = kNever;
        w.empty = w.last.cycle();
        break;
      }
      case Code::Arrive: {
        const Cycle now = r.base + op->at;
        if (r.inbox.next() > now || w.transfer <= now || w.empty <= now) return false;
        (op->a != 0 ? w.rsr : w.drr) = r.inbox.pop().word;
        ++w.received;
        ++r.pops;
        break;
      }
      case Code::ReadWord:
        value[op->to] = w.drr;
        if (op->a != 0) w.drr = w.rsr;
        break;
      case Code::Write: {
        if (r.sentCount == kMostSent) return false;
        const Edge first = clock_.from(w.last, r.base + op->at + 1);
        w.transfer = first.cycle();
        w.last = clock_.after(first, word_);
        w.dxr = b;
        ++w.written;
        r.sent[r.sentCount++] = {b, clock_.after(first, complete_).cycle()};
        break;
      }
      case Code::End:
        r.status = status;
        return true;
    }
  }
}

void Wave::commit(Run& r, Known& k) {
  const Summary& s = *k.summary;
  Wire& w = r.wire;
  for (const Summary::Result& x : s.registers) {
    r.value[x.to] = x.value == kConstant ? x.word : r.value[x.value];
  }
  for (const Summary::Result& x : s.ram) {
    r.cpu.ram_[x.to] = x.value == kConstant ? x.word : r.value[x.value];
  }
  r.undoCount = 0;
  r.status = (r.status & s.statusKept) | s.statusSet;
  w.flags = s.flags;
  w.drrFull = s.drrFull;
  w.rsrFull = s.rsrFull;
  r.flagsKept &= s.flagsKept;
  r.enable = s.enable;
  r.idle += r.awake - r.cycle;
  if (r.cpu.account_ != nullptr) {
    const std::uint32_t asleep = (r.pc - 1) & kAddressMask;
    CycleAccount::stall(r.cpu.account_->at(asleep), StallCause::Idle) += r.awake - r.cycle;
  }
  r.lastBase = r.base;
  r.cycle = r.base + s.exit.cycles;
  r.readyAt = r.base + s.readyMost;
  r.pc = s.exit.pc;
  if (k.uses++ == 0) used_.push_back(&k);
  r.last = &k;
  const unsigned count = r.sentCount;
  r.sentCount = 0;
  for (unsigned n = 0; n < count; ++n) {
    r.cpu.port_.serialTransmitted(r.sent[n].word, static_cast<int>(kWordBits), r.sent[n].arrival);
    if (r.inLap) noteSent(r.sent[n].arrival);
  }
}

/// Makes a summary of the turn that is to come. False if it has none.
bool Wave::learn(Run& r, Node& node, const Find& find) {
  if (node.summaries.size() >= kMostAlike || summaries_ >= kMostInAll) {
    node.learnAt = ~std::uint64_t{0};
    return false;
  }
  Woken woken;
  woken.key = node.key;
  std::array<std::uint32_t, reg::kCount> registers{};
  std::copy_n(r.value.begin(), reg::kCount, registers.begin());
  registers[reg::ST] = r.status;
  registers[reg::IF] = r.wire.flags;
  registers[reg::IE] = r.enable;
  woken.reg = registers.data();
  woken.ram = r.cpu.ram_.data();
  woken.wire = r.wire;
  woken.arrivals = r.inbox.ahead(kMostArrivals);
  woken.moreArrivals = r.inbox.size() > woken.arrivals.size();
  woken.base = r.base;
  woken.global = global_;
  woken.mode = mode_;
  std::unique_ptr<Summary> summary = summarise(woken, {clock_, find});
  ++round_;  // more of the program is known now
  if (!summary) {
    node.learnAt = 4 * node.misses;
    return false;
  }
  node.learnAt = node.misses + 1;
  auto known = std::make_unique<Known>();
  known->summary = std::move(summary);
  node.summaries.insert(node.summaries.begin(), std::move(known));
  ++summaries_;
  // The turn is begun again: from its sleep.
  r.wire = r.before;
  r.inbox.unpop(r.pops);
  return true;
}

}  // namespace rtvp::c32::blocks
