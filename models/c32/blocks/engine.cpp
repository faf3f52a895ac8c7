#include "models/c32/blocks/engine.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "models/c32/cpu_execute.hpp"

namespace rtvp::c32::blocks {
namespace {

/// Words that the processor gets ahead of their time when it runs without the engine.
constexpr std::size_t kAhead = 4;
/// Fewer instructions than this in blocks: the processor goes on for longer by itself.
constexpr std::uint64_t kWorthwhile = 8;
constexpr std::uint64_t kMostScalarSteps = 256;
/// A block entered that often begins a path.
constexpr unsigned kHot = 32;
constexpr std::size_t kMostLegs = 64;
/// Times that blocks are built anew because a processor's program has changed.
constexpr unsigned kMostForgotten = 64;
/// Residues beyond this are not kept as keys.
constexpr Cycle kMostResidue = 15;

}  // namespace

// ---- Station

void Station::deliver(std::uint32_t word, Cycle arrival) {
  if (arrival < cpu_->cycle_) ++cpu_->stats_.lateWords;
  inbox_.push({arrival, word});
}

void Station::deliver(std::span<const SerialWord> words) {
  const Cycle now = cpu_->cycle_;
  const auto late = std::lower_bound(words.begin(), words.end(), now,
                                     [](const SerialWord& w, Cycle c) { return w.arrival < c; });
  cpu_->stats_.lateWords += static_cast<std::uint64_t>(late - words.begin());
  inbox_.push(words);
}

void Station::handOver() {
  QuickSerial(cpu_->peripherals_.serialPort(), inbox_).handOver(inbox_.size());
  cpu_->updateAttention();
}

Cycle Station::nextEvent() const {
  return std::min(cpu_->nextEvent(), inbox_.next());
}

// ---- Engine

Engine::Engine(const CpuConfig& config, Turns turns) : config_(config) {
  if (turns != Turns::Blocks) wave_ = std::make_unique<Wave>(config, turns == Turns::Translated);
  const std::uint64_t common =
      std::max<std::uint64_t>(1, std::gcd(config.h1Hz, config.serialBitClockHz));
  clock_ = QuickClock(config.h1Hz / common, config.serialBitClockHz / common);
}

/// Between two instructions, and nothing but the serial port can happen to it.
bool Engine::quiet(const Cpu& cpu) {
  const std::uint32_t st = cpu.reg_[reg::ST];
  const bool idle = cpu.idle_ == Cpu::Idle::Idle;
  return cpu.config_.usualResults() && !cpu.full_ && cpu.ramWords_ == kRamWords &&
         cpu.fault_.kind == Fault::Kind::None && !cpu.resetPending_ &&
         std::bit_cast<std::uint32_t>(cpu.flow_) == 0 && cpu.entering_ == 0 &&
         cpu.interlock_ == 0 && cpu.accessCount_ == 0 && !cpu.single_ && cpu.repeatEnd_ == ~0u &&
         cpu.lineEvents_.empty() && cpu.lines_ == 0 && cpu.idleBlockedAt_ == 0 &&
         (idle || (cpu.idle_ == Cpu::Idle::No && (st & kGIE) == 0)) &&
         cpu.peripherals_.dma().quiet() && !cpu.peripherals_.timersRun() && !cpu.holding_ &&
         !cpu.dmaHeld_ && cpu.holdFrom_ == kNever && cpu.pc_ - kRamBase < kRamWords;
}

bool Engine::enter(Station& s) {
  Cpu& cpu = *s.cpu_;
  if (!quiet(cpu)) return false;
  SerialPort& serial = cpu.peripherals_.serialPort();
  if (!QuickSerial::usable(serial) || !clock_.covers(std::max(cpu.cycle_, s.inbox_.last())) ||
      !compareCode(s)) {
    return false;
  }
  return QuickSerial(serial, s.inbox_).collect();
}

void Engine::leave(Station& s) {
  Cpu& cpu = *s.cpu_;
  QuickSerial(cpu.peripherals_.serialPort(), s.inbox_).settle();
  if (cpu.account_ != nullptr) cpu.account_->settle(cpu.stats_);
  cpu.updateAttention();
}

/// True if the processor's program is the one that the blocks were made of.
bool Engine::compareCode(Station& s) {
  Cpu& cpu = *s.cpu_;
  if (s.generation_ != generation_ || s.codeWrites_ != cpu.codeWrites_) {
    s.generation_ = generation_;
    s.known_ = 0;
    s.sameCode_ = true;
  }
  for (; s.sameCode_ && s.known_ < code_.size(); ++s.known_) {
    const Word& w = code_[s.known_];
    s.sameCode_ = cpu.ram_[w.offset] == w.word && cpu.watchCode(w.offset);
  }
  s.codeWrites_ = cpu.codeWrites_;
  if (s.sameCode_ || forgotten_ == kMostForgotten) return s.sameCode_;
  forgetCode();
  return compareCode(s);
}

void Engine::forgetCode() {
  for (auto& keyed : blocks_) keyed.clear();
  paths_.clear();
  if (wave_) wave_->forget();
  endRecord(false);
  code_.clear();
  isCode_ = {};
  ++generation_;
  ++forgotten_;
}

void Engine::setStops(const StopPlaces* stops) {
  stops_ = stops;
  forgetCode();
  --forgotten_;  // no program has changed
}

StopReason Engine::run(Station& s, Cycle horizon) {
  std::uint64_t steps = 1;
  std::size_t ahead = kAhead;
  for (;;) {
    if (enter(s)) {
      const std::uint64_t before = instructions();
      const Did did = execute(s, horizon);
      leave(s);
      if (did == Did::Idle) return StopReason::Idle;
      if (did == Did::Horizon) return StopReason::Horizon;
      if (instructions() - before >= kWorthwhile) {
        steps = 1;
        ahead = kAhead;
      }
    }
    // Words go to the processor as it needs them: moving all of them to and fro would cost more
    // than what the blocks save.
    Cpu& cpu = *s.cpu_;
    SerialPort& serial = cpu.peripherals_.serialPort();
    QuickSerial port(serial, s.inbox_);
    while (!s.inbox_.empty() &&
           (serial.queuedArrivals() < ahead || s.inbox_.next() <= cpu.cycle_)) {
      port.handOver(1);
    }
    const Cycle limit = s.inbox_.next();
    const StopReason why = cpu.run(std::min(horizon, limit), steps);
    steps = std::min(steps * 2, kMostScalarSteps);
    if (why == StopReason::Steps) continue;
    // Asleep for good, or up to the horizon, as far as it knows: there may be more words.
    const bool asleep = why == StopReason::Horizon || why == StopReason::Idle;
    if (!asleep) return why;
    if (limit >= horizon) return s.inbox_.empty() ? why : StopReason::Horizon;
    ahead = std::min<std::size_t>(ahead * 2, 1024);
    if (cpu.cycle_ >= horizon) return why;
  }
}

/// IDLE, to the event that ends it.
std::optional<Engine::Did> Engine::wake(Station& s, QuickSerial& port, Cycle horizon) {
  Cpu& cpu = *s.cpu_;
  if (cpu.cycle_ >= horizon) return Did::Horizon;
  std::uint32_t* const reg = cpu.reg_;
  reg[reg::IF] |= port.advance(cpu.cycle_);
  Cycle when = cpu.cycle_;
  while ((reg[reg::IF] & reg[reg::IE] & 0xFFFu) == 0) {
    const Cycle next = port.next();
    if (next == kNever) return Did::Idle;
    if (next >= horizon) return Did::Horizon;
    when = std::max(when, next);
    reg[reg::IF] |= port.advance(next);
  }
  cpu.stats_.idle += when - cpu.cycle_;
  if (cpu.sleepWatched_ && when != cpu.cycle_) cpu.port_.slept(cpu.cycle_, when);
  if (cpu.account_ != nullptr) {
    CycleAccount::stall(cpu.account_->at(cpu.sleepsAt()), StallCause::Idle) += when - cpu.cycle_;
  }
  cpu.cycle_ = when;
  cpu.idle_ = Cpu::Idle::No;
  return std::nullopt;
}

/// A store there would change a program.
bool Engine::isDecoded(const Cpu& cpu, std::uint32_t offset) {
  return cpu.decoded_[offset] != DecodePool::kNone;
}

/// As Cpu::enterInterrupt. False: vector or stack lie outside the internal RAM.
bool Engine::interrupt(Cpu& cpu) {
  std::uint32_t* const reg = cpu.reg_;
  const auto n = static_cast<unsigned>(std::countr_zero(reg[reg::IF] & reg[reg::IE] & 0xFFFu));
  const std::uint32_t vector = (((reg[reg::IF] >> 16 << 8) + n + 1u) & kAddressMask) - kRamBase;
  const std::uint32_t stack = reg[reg::SP] + 1;
  const std::uint32_t slot = (stack & kAddressMask) - kRamBase;
  if (vector >= kRamWords || slot >= kRamWords || isDecoded(cpu, slot)) return false;
  const Cycle start = std::max(cpu.cycle_, cpu.groupReady_[2]);
  cpu.stats_.registerConflict += start - cpu.cycle_;
  cpu.storeInternal(slot, cpu.pc_);
  reg[reg::SP] = stack;
  reg[reg::IF] &= ~(1u << n);
  reg[reg::ST] &= ~kGIE;
  cpu.pc_ = cpu.ram_[vector] & kAddressMask;
  const Cycle entry = std::max(1u, config_.interruptEntryCycles);
  ++cpu.stats_.interruptsTaken;
  cpu.stats_.interruptEntry += entry;
  if (cpu.account_ != nullptr) {
    PlaceCost& routine = cpu.account_->at(cpu.pc_);
    CycleAccount::stall(routine, StallCause::InterruptEntry) += entry;
    CycleAccount::stall(routine, StallCause::RegisterConflict) += start - cpu.cycle_;
  }
  cpu.cycle_ = start + entry;
  cpu.lastStores_ = 0;
  return true;
}

const Block* Engine::find(Station& s, std::uint32_t pc, const Residue& residue) {
  const std::uint32_t offset = pc - kRamBase;
  if (offset >= kRamWords) return nullptr;
  for (const Keyed& k : blocks_[offset]) {
    if (k.residue == residue) return k.block.get();
  }
  Cpu& cpu = *s.cpu_;
  const auto fetch = [&](std::uint32_t at) -> const MicroOp* {
    if (at >= kRamWords || (stops_ != nullptr && stops_->at(at)) || !cpu.watchCode(at))
      return nullptr;
    if (!isCode_[at]) {
      isCode_[at] = true;
      code_.push_back({at, cpu.ram_[at]});
    }
    return cpu.decodedAt(at);
  };
  blocks_[offset].push_back(
      {residue, std::make_unique<Block>(buildBlock(offset, residue, config_, fetch))});
  s.known_ = code_.size();
  return blocks_[offset].back().block.get();
}

Engine::Did Engine::execute(Station& s, Cycle horizon) {
  Cpu& cpu = *s.cpu_;
  QuickSerial port(cpu.peripherals_.serialPort(), s.inbox_, clock_);
  const Block* block = nullptr;
  endRecord(false);
  for (;;) {
    if (cpu.idle_ == Cpu::Idle::Idle) {
      // Summaries are made of blocks, and those end in front of stops. They tell of no sleep.
      if (wave_ && !cpu.sleepWatched_) {
        wave_->run(cpu, s.inbox_, horizon,
                   [&](std::uint32_t pc, const Residue& residue) { return find(s, pc, residue); });
        port.forgetDue();
      }
      if (const auto did = wake(s, port, horizon)) return *did;
      if (!interrupt(cpu)) return Did::Uncovered;
      block = nullptr;
    }
    if (block == nullptr) {
      Residue residue{};
      for (unsigned g = 0; g < 3; ++g) {
        const Cycle ready = cpu.groupReady_[g];
        const Cycle wait = ready > cpu.cycle_ ? ready - cpu.cycle_ : 0;
        if (wait > kMostResidue) return Did::Uncovered;
        residue.set(g, wait);
      }
      block = find(s, cpu.pc_, residue);
      if (block == nullptr) return Did::Uncovered;
    }
    if (!block->path) {
      if (block->better != nullptr && legs_.empty()) {
        block = block->better;
      } else if (block->heat < kHot) {
        ++block->heat;
      }
    }
    if (cpu.cycle_ + block->most >= horizon) return Did::Uncovered;
    const Left left = runBlock(cpu, port, *block);
    if (left.exit == nullptr) return Did::Uncovered;
    const bool idle = cpu.idle_ != Cpu::Idle::No;
    if (!block->path && (!legs_.empty() || block->heat == kHot) && record(*block, left, idle)) {
      block->heat = kHot + 1;
    }
    if (idle) continue;
    block = follow(s, *left.exit, left.pc);
    if (block == nullptr) return Did::Uncovered;
  }
}

/// A leg of a path that begins with a block that is entered often. True if it was the first.
bool Engine::record(const Block& block, const Left& left, bool idle) {
  const bool first = legs_.empty();
  const auto exit = static_cast<std::uint8_t>(left.exit - block.exits.data());
  legs_.push_back({&block, exit, left.pc});
  stepsRecorded_ += block.steps.size();
  const bool again = std::any_of(legs_.begin(), legs_.end(), [&](const Leg& leg) {
    return leg.block->steps.front().pc == left.pc;
  });
  const bool end = idle || again || block.steps.back().kind == Kind::Cut ||
                   stepsRecorded_ + kMostSteps > kMostOnPath || legs_.size() == kMostLegs;
  if (end) endRecord(true);
  return first;
}

void Engine::endRecord(bool keep) {
  if (keep && legs_.size() > 1) {
    paths_.push_back(std::make_unique<Block>(joinBlocks(legs_)));
    legs_.front().block->better = paths_.back().get();
  }
  legs_.clear();
  stepsRecorded_ = 0;
}

/// The block behind an exit; null if there is none.
const Block* Engine::follow(Station& s, const Exit& exit, std::uint32_t pc) {
  if (exit.nextPc != pc) {
    exit.next = find(s, pc, exit.residue);
    exit.nextPc = pc;
  }
  return exit.next;
}

/// One block at work.
struct Engine::Frame {
  Cpu& cpu;
  QuickSerial& port;
  std::uint32_t* const reg;
  const Cycle base;

  [[gnu::always_inline]] void events(Cycle until) { reg[reg::IF] |= port.advance(until); }

  [[gnu::always_inline]] std::uint32_t addressOf(const OperandSpec& spec, std::uint32_t& updated,
                                                 bool& modifies) const {
    if (spec.access == Access::Direct) {
      return ((reg[reg::DP] & 0xFFu) << 16) | static_cast<std::uint32_t>(spec.value);
    }
    const Execute::Address a = Execute::addressOf(cpu, spec);
    updated = a.updated;
    modifies = a.modifies;
    return a.address;
  }

  /// The source operand; ARn is updated. False, and nothing has happened: none of ours.
  [[gnu::always_inline]] bool source(const Step& step, std::uint32_t& word) {
    const OperandSpec& spec = step.source;
    if (spec.access == Access::Constant) {
      word = static_cast<std::uint32_t>(spec.value);
      return true;
    }
    if (spec.access == Access::Register) {
      word = reg[spec.reg];
      return true;
    }
    std::uint32_t updated = 0;
    bool modifies = false;
    const std::uint32_t address = addressOf(spec, updated, modifies);
    const std::uint32_t offset = address - kRamBase;
    if (offset < kRamWords) [[likely]] {
      word = cpu.ram_[offset];
    } else if (address == serial::kGlobal) {
      events(base + step.exec);
      word = port.status();
    } else if (address == serial::kDRR) {
      events(base + step.exec);
      word = port.read(reg[reg::IF]);
    } else {
      return false;
    }
    if (modifies) reg[spec.reg] = updated;
    return true;
  }

  [[gnu::always_inline]] bool store(const Step& step) {
    std::uint32_t updated = 0;
    bool modifies = false;
    const OperandSpec& spec = step.source;
    const std::uint32_t address = addressOf(spec, updated, modifies);
    const std::uint32_t offset = address - kRamBase;
    const bool internal = offset < kRamWords;
    if (internal ? isDecoded(cpu, offset) : address != serial::kDXR) return false;
    if (modifies) reg[spec.reg] = updated;
    const std::uint32_t word = reg[step.destination];
    if (internal) {
      cpu.ram_[offset] = word;
    } else {
      events(base + step.exec);
      port.write(word, base + step.exec, cpu.port_);
    }
    return true;
  }

  [[gnu::always_inline]] bool push(std::uint32_t word) {
    const std::uint32_t stack = reg[reg::SP] + 1;
    const std::uint32_t offset = (stack & kAddressMask) - kRamBase;
    if (offset >= kRamWords || isDecoded(cpu, offset)) return false;
    reg[reg::SP] = stack;
    cpu.ram_[offset] = word;
    return true;
  }

  [[gnu::always_inline]] bool pop(std::uint32_t& word) {
    const std::uint32_t offset = (reg[reg::SP] & kAddressMask) - kRamBase;
    if (offset >= kRamWords) return false;
    word = cpu.ram_[offset];
    --reg[reg::SP];
    return true;
  }

  [[gnu::always_inline]] void place(const Step& step, const IntegerResult& r) {
    if (step.flagMask != 0) {
      reg[step.destination] = r.value;
      Execute::setFlags(cpu, r.flags, step.flagMask);
      return;
    }
    placeWord(step, r.value);
  }
  [[gnu::always_inline]] void placeWord(const Step& step, std::uint32_t value) {
    switch (step.destination) {
      case reg::IE:
        reg[reg::IE] = value & kIeWritable;
        break;
      case reg::IF:
        reg[reg::IF] = value & kIfWritable;
        cpu.peripherals_.dma().forget(reg[reg::IF]);
        break;
      default:
        reg[step.destination] = value;
    }
  }

  [[gnu::always_inline]] bool data(const Step& step);
  [[gnu::always_inline]] bool loadAndTest(const Step& load);
};

/// The first two of three steps: a load, and the flags of what is asked about it.
inline bool Engine::Frame::loadAndTest(const Step& load) {
  std::uint32_t word = 0;
  if (!source(load, word)) return false;
  reg[load.destination] = word;
  const Step& test = (&load)[1];
  const auto constant = static_cast<std::uint32_t>(test.source.value);
  if (test.kind == Kind::Test) {
    reg[reg::ST] = (reg[reg::ST] & ~kMaskNoCarry) | signAndZero(word & constant);
  } else {
    Execute::setFlags(cpu, subi(word, constant, 0, cpu.integerMode_).flags, kMaskArithmetic);
  }
  return true;
}

/// An instruction that ends no block. False, and nothing has happened: the processor executes it.
inline bool Engine::Frame::data(const Step& step) {
  if (step.looksAtFlags) events(base + step.start);
  std::uint32_t a = 0;
  if (step.kind < Kind::Store) {
    if (!source(step, a)) return false;
  }
  const auto b = [&] { return reg[step.destination]; };
  const IntegerMode mode = cpu.integerMode_;
  switch (step.kind) {
    case Kind::Load:
      place(step, logical(a));
      return true;
    case Kind::Add:
      place(step, addi(b(), a, 0, mode));
      return true;
    case Kind::Subtract:
      place(step, subi(b(), a, 0, mode));
      return true;
    case Kind::SubtractReverse:
      place(step, subi(a, b(), 0, mode));
      return true;
    case Kind::Multiply:
      place(step, mpyi(b(), a, mode));
      return true;
    case Kind::And:
      place(step, logical(b() & a));
      return true;
    case Kind::AndNot:
      place(step, logical(b() & ~a));
      return true;
    case Kind::Or:
      place(step, logical(b() | a));
      return true;
    case Kind::Xor:
      place(step, logical(b() ^ a));
      return true;
    case Kind::Not:
      place(step, logical(~a));
      return true;
    case Kind::ShiftLogical:
      place(step, lsh(b(), a));
      return true;
    case Kind::ShiftArithmetic:
      place(step, ash(b(), a));
      return true;
    case Kind::Compare:
      Execute::setFlags(cpu, subi(b(), a, 0, mode).flags, kMaskArithmetic);
      return true;
    case Kind::Test:
      Execute::setFlags(cpu, logical(b() & a).flags, kMaskNoCarry);
      return true;
    case Kind::LoadIf:
      if (conditionHolds(step.cond, reg[reg::ST])) placeWord(step, a);
      return true;
    case Kind::Store:
      return store(step);
    case Kind::Nop:
      return !isMemory(step.source.access) || source(step, a);
    case Kind::Push:
      return push(step.destination == reg::SP ? reg[reg::SP] + 1 : reg[step.destination]);
    case Kind::Pop:
      if (!pop(a)) return false;
      place(step, logical(a));
      return true;
    default:
      return false;
  }
}

/// The first `count` steps of a block took so many cycles.
void Engine::accountSteps(CycleAccount& account, const Block& block, std::size_t count,
                          Cycle cycles, Cycle conflict) {
  for (std::size_t n = 0; n < count; ++n) {
    const Step& step = block.steps[n];
    const bool last = n + 1 == count;
    const Cycle until = last ? cycles : block.steps[n + 1].start;
    const Cycle conflicts = last ? conflict : block.steps[n + 1].conflict;
    account.instruction(step.pc, until - step.start, conflicts - step.conflict);
  }
}

/// Executes a block or path up to where it is left.
Engine::Left Engine::runBlock(Cpu& cpu, QuickSerial& port, const Block& block) {
  std::uint32_t* const reg = cpu.reg_;
  Frame frame{cpu, port, reg, cpu.cycle_};
  const Step* step = block.steps.data();
  const auto account = [&](Cycle cycles, Cycle extra, Cycle conflict, const auto& ready,
                           std::ptrdiff_t count) {
    for (unsigned g = 0; g < 3; ++g) {
      if (ready[g] != 0) cpu.groupReady_[g] = frame.base + ready[g];
    }
    cpu.cycle_ = frame.base + cycles;
    cpu.extraCycles_ += extra;
    cpu.stats_.registerConflict += conflict;
    cpu.stats_.instructions += static_cast<std::uint64_t>(count);
    instructions_ += static_cast<std::uint64_t>(count);
    if (cpu.account_ != nullptr) [[unlikely]] {
      accountSteps(*cpu.account_, block, static_cast<std::size_t>(count), cycles, conflict);
    }
  };
  const auto leave = [&](unsigned number, std::uint32_t pc, int own) -> Left {
    const Exit& exit = block.exits[number];
    account(exit.cycles, exit.extra, exit.conflict, exit.ready, step - block.steps.data() + own);
    cpu.pc_ = pc;
    return {&exit, pc};
  };
  for (;; ++step) {
    bool done = true;
    if (step->kind < Kind::LoadTestBranch) {
      done = frame.data(*step);
    } else if (step->kind == Kind::LoadTestBranch) {
      done = frame.loadAndTest(*step);
      if (done) {
        step += 2;
        const bool taken = conditionHolds(step->cond, reg[reg::ST]);
        if (step->on != (taken ? Step::On::Taken : Step::On::Fallen)) {
          const unsigned number = taken ? step->taken : step->fallen;
          return leave(number, block.exits[number].pc, 1);
        }
      }
    } else if (step->kind <= Kind::Decrement) {
      bool taken = conditionHolds(step->cond, reg[reg::ST]);
      if (step->kind == Kind::Decrement) {
        std::uint32_t& ar = reg[step->destination];
        const std::uint32_t counted = (ar - 1) & kAddressMask;
        ar = Execute::keepHigh(ar, counted);
        taken = taken && (counted >> 23) == 0;
      }
      if (step->on != (taken ? Step::On::Taken : Step::On::Fallen)) {
        const unsigned number = taken ? step->taken : step->fallen;
        return leave(number, block.exits[number].pc, 1);
      }
    } else if (step->kind == Kind::Call) {
      done = frame.push((step->pc + 1) & kAddressMask);
      if (done && step->on == Step::On::Nowhere) {
        return leave(step->taken, block.exits[step->taken].pc, 1);
      }
    } else if (step->kind == Kind::Return) {
      std::uint32_t pc = 0;
      done = frame.pop(pc);
      pc &= kAddressMask;
      if (done && (step->on == Step::On::Nowhere || pc != step->expected)) {
        return leave(step->taken, pc, 1);
      }
    } else if (step->kind == Kind::Idle) {
      reg[reg::ST] |= kGIE;
      cpu.idle_ = Cpu::Idle::Idle;
      return leave(step->taken, block.exits[step->taken].pc, 1);
    } else {
      if (step == block.steps.data()) return {};  // the first instruction is none of a block's
      return leave(step->taken, block.exits[step->taken].pc, 0);
    }
    if (!done) {
      account(step->start, step->extra, step->conflict, step->ready, step - block.steps.data());
      cpu.pc_ = step->pc;
      return {};
    }
  }
}

}  // namespace rtvp::c32::blocks
