#include "models/c32/translate/translator.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/c32/cpu_execute.hpp"
#include "models/c32/host_flags.hpp"
#include "models/c32/translate/block_code.hpp"
#include "models/c32/translate/plan.hpp"
#include "models/c32/translate/shared_code.hpp"
#include "models/hostcode/convention.hpp"
#include "models/hostcode/piece.hpp"

namespace rtvp::c32::translate {
namespace {

/// Below that many cycles it is not worth it.
constexpr Cycle kLeastRoom = 64;
/// A block that is left so often in its middle is made anew, with what its registers hold then.
constexpr std::uint32_t kTooOften = 16;
constexpr std::uint8_t kMostTries = 4;
/// A program that rewrites itself: calls to wait after so many changes.
constexpr std::uint64_t kManyFlushes = 16;
constexpr std::uint32_t kHoldOff = 4096;

std::uint64_t number(const Key& key) {
  const std::uint64_t end = key.repeatEnd == kNoRepeat ? kAddressMask + 1 : key.repeatEnd;
  return key.pc | end << 24 | std::uint64_t{key.waiting} << 49 |
         std::uint64_t{key.lastStores} << 50;
}

struct Slot {
  Key key;
  std::uint32_t left = 0;  ///< times the block was left in its middle
  std::uint8_t tries = 0;
};

}  // namespace

/// What goes when all is forgotten.
struct Translator::Store {
  asmjit::JitRuntime runtime;
  Context context;
  std::optional<SharedCode> shared;
  Layout layout;
  Conditions conditions;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;  ///< of slots
  std::vector<Slot> slots;
  std::vector<Leave> leaves;
  std::deque<MicroOp> kept;
  std::vector<std::uint32_t> marked;  ///< words of plain memory that are translated
  bool full = false;

  static void callHandler(Cpu* cpu, const MicroOp* op) { cpu->executeAlone(*op, op->execute); }
  static Layout layoutOf(const Cpu& cpu);
};

Layout Translator::Store::layoutOf(const Cpu& cpu) {
  const auto place = [&cpu](const auto& member) {
    return static_cast<std::int32_t>(reinterpret_cast<const char*>(&member) -
                                     reinterpret_cast<const char*>(&cpu));
  };
  Layout l;
  l.reg = place(cpu.reg_);
  l.exponent = place(cpu.exponent_);
  l.ram = place(cpu.ram_);
  l.code = place(cpu.code_);
  l.repeatEnd = place(cpu.repeatEnd_);
  l.delayTaken = place(cpu.delayTaken_);
  l.delayTarget = place(cpu.delayTarget_);
  l.extraCycles = place(cpu.extraCycles_);
  l.registerConflict = place(cpu.stats_.registerConflict);
  l.ramConflict = place(cpu.stats_.ramConflict);
  l.executeOnly = place(cpu.stats_.executeOnly);
  l.busWait = place(cpu.stats_.busWait);
  l.busWaitBy = place(cpu.stats_.busWaitBy);
  l.fetches = place(cpu.stats_.externalFetches);
  l.reads = place(cpu.stats_.externalReads);
  l.writes = place(cpu.stats_.externalWrites);
  l.lastRead = place(cpu.lastRead_);
  l.lastWasRead = place(cpu.lastWasRead_);
  l.lastStrobe = place(cpu.lastStrobe_);
  return l;
}

Translator::Translator(const PlainMemory& plain) : plain_(plain) {}
Translator::~Translator() = default;

bool Translator::possible() {
  using Has = asmjit::CpuFeatures::X86;
  return hostcode::hostHas({Has::kBMI, Has::kBMI2, Has::kLZCNT, Has::kLAHFSAHF});
}

/// What the processor is configured to never changes: the rest is asked each time.
bool Translator::suits(const Cpu& cpu) const {
  const CpuConfig& c = cpu.config_;
  if (c.flatMemory && plain_.words == nullptr) return false;
  return (c.flatMemory || c.chip == Chip::C32) && !c.trapUninitialised && c.arReadStall == 1 &&
         !c.pairFlagsOfSum && !c.secondStoreRemains && c.externalWriteCycles < 64 &&
         c.bankSwitchCycles < 64 && c.executeOnlyCycles < 64 && c.bcondUntakenCycles < 64;
}

/// Nothing is in progress and nobody looks.
bool Translator::mayRun(const Cpu& cpu, std::uint64_t left) const {
  if (std::bit_cast<std::uint32_t>(cpu.flow_) != 0 || left < kLeastRoom ||
      cpu.cycle_ + kLeastRoom >= cpu.attentionAt_) {
    return false;
  }
  if (cpu.observer_ != nullptr || cpu.stops_ != nullptr || cpu.account_ != nullptr ||
      cpu.tape_ != nullptr || cpu.single_ || cpu.accessCount_ != 0 || cpu.interlock_ != 0 ||
      cpu.integerMode_.saturate || cpu.pending_.kind != Pending::Kind::None) {
    return false;
  }
  const bool ports = std::all_of(cpu.dmaPort_.begin(), cpu.dmaPort_.end(),
                                 [&cpu](Cycle until) { return until <= cpu.cycle_; });
  return ports && !cpu.peripherals_.dma().active() && cpu.dmaBusFree_ <= cpu.cycle_ &&
         (cpu.holdFrom_ == kNever || cpu.holdUntil_ <= cpu.cycle_) && suits(cpu);
}

Conditions Translator::conditionsOf(const Cpu& cpu) const {
  const CpuConfig& config = cpu.config_;
  const BusControl& control = cpu.peripherals_.bus(Strobe::Strb0);
  Conditions c;
  c.flat = config.flatMemory;
  c.conflicts = c.flat || config.timing != Timing::Static;
  c.pipeline = !c.flat && config.timing == Timing::Pipeline;
  c.ports = !c.flat && config.timing != Timing::Static;
  c.waits = control.waits(0);
  c.bankBits = control.bankBits();
  c.firstPlain = config.microprocessorMode ? 0 : 0x1000;
  c.plainEnd = plain_.words != nullptr && control.plain() ? kStrobe0End : 0;
  c.fetchOutside = c.flat || (c.plainEnd != 0 && fetchOutside_);
  c.holeFirst = plain_.holeFirst;
  c.holeWords = plain_.holeWords;
  c.untakenCycles = std::max(1u, config.bcondUntakenCycles);
  c.writeCycles = config.externalWriteCycles;
  c.bankCycles = config.bankSwitchCycles;
  c.executeOnlyCycles = config.executeOnlyCycles;
  c.exactN = config.exactN;
  c.repeatCountEndsZero = config.repeatCountEndsZero;
  return c;
}

std::uint64_t Translator::run(Cpu& cpu, std::uint64_t left) {
  if (skip_) {
    skip_ = false;
    return 0;
  }
  if (holdOff_ != 0) {
    --holdOff_;
    return 0;
  }
  if (refused_ || !mayRun(cpu, left)) return 0;
  const bool outside =
      !cpu.cache_.enabled() && cpu.cacheControlAt_ == kNever && cpu.config_.programWidth() == 32;
  const std::uint32_t strobe = cpu.peripherals_.bus(Strobe::Strb0).value;
  if (stale_ || strobe != strobe_ || outside != fetchOutside_ || store_->full ||
      codeWrites_ != cpu.codeWrites()) {
    strobe_ = strobe;
    fetchOutside_ = outside;
    flush(cpu, conditionsOf(cpu));
    if (refused_ || holdOff_ != 0) return 0;
  }
  Key key;
  if (!keyHere(cpu, key)) return 0;
  const Cycle most = left > kNever - cpu.cycle_ ? kNever : cpu.cycle_ + left;
  // Every instruction takes a cycle at least: so many cycles are not more instructions.
  const std::uint64_t ran = execute(cpu, key, std::min({cpu.attentionAt_, most, kNever / 2}));
  instructions_ += ran;
  return ran;
}

void Translator::flush(Cpu& cpu, const Conditions& conditions) {
  if (store_ != nullptr) {
    for (const std::uint32_t address : store_->marked)
      plain_.states()[address] &= static_cast<std::uint8_t>(~PlainMemory::kTranslated);
    if (++flushes_ > kManyFlushes) holdOff_ = kHoldOff;
  }
  store_ = std::make_unique<Store>();
  Context& context = store_->context;
  store_->layout = Store::layoutOf(cpu);
  store_->conditions = conditions;
  store_->shared.emplace(store_->runtime, context,
                         cpu.config_.alignment == Alignment::IgnoreFrom32);
  if (!store_->shared->usable()) {  // and never will be
    refused_ = true;
    return;
  }
  context.callHandler = reinterpret_cast<const void*>(&Store::callHandler);
  context.slots.fill(context.missing);
  context.flagsOf = flagsOfHost();
  codeWrites_ = cpu.codeWrites();
  stale_ = false;
}

/// Where the processor stands. False: it waits for longer than blocks know.
bool Translator::keyHere(const Cpu& cpu, Key& key) const {
  const Cycle ready = std::max({cpu.groupReady_[0], cpu.groupReady_[1], cpu.groupReady_[2]});
  if (ready > cpu.cycle_ + kAddressWriteLatency - 1) return false;
  key.pc = cpu.pc_;
  key.repeatEnd = cpu.repeatEnd_;
  key.waiting = store_->conditions.conflicts && ready > cpu.cycle_;
  key.lastStores = store_->conditions.pipeline ? cpu.lastStores_ : std::uint8_t{0};
  return true;
}

std::uint32_t Translator::slotOf(const Key& key) {
  const auto [place, added] =
      store_->numbers.try_emplace(number(key), static_cast<std::uint32_t>(store_->slots.size()));
  if (added) {
    if (store_->slots.size() >= Context::kSlots) {  // goes nowhere any more
      store_->numbers.erase(place);
      store_->full = true;
      return 0;
    }
    store_->slots.push_back({key});
  }
  return place->second;
}

/// False: the instruction there is the run loop's.
bool Translator::translate(Cpu& cpu, std::uint32_t slot) {
  Store& s = *store_;
  const Key key = s.slots[slot].key;
  const bool inside = !s.conditions.flat && key.pc - kRamBase < kRamWords;
  const FetchWord fetch = [&](std::uint32_t address) -> std::optional<std::uint32_t> {
    const std::uint32_t offset = address - kRamBase;
    if (inside) {
      if (offset >= kRamWords || !cpu.watchCode(offset)) return std::nullopt;
      return cpu.ram_[offset];
    }
    if (!s.conditions.fetchOutside) return std::nullopt;
    const bool there = s.conditions.flat
                           ? address - s.conditions.holeFirst >= s.conditions.holeWords
                           : address < s.conditions.plainEnd && address >= s.conditions.firstPlain;
    if (!there) return std::nullopt;
    if ((plain_.states()[address] & PlainMemory::kTranslated) == 0) {
      plain_.states()[address] |= PlainMemory::kTranslated;
      s.marked.push_back(address);
    }
    return plain_.words[address];
  };
  const Plan plan = planOf(key, fetch, (cpu.reg_[reg::RS] & kAddressMask) == key.pc);
  if (plan.steps.empty()) return false;
  hostcode::Piece piece(s.runtime);
  Surroundings around;
  around.layout = &s.layout;
  around.conditions = &s.conditions;
  around.slotOf = [this](const Key& k) { return slotOf(k); };
  around.guess = [&cpu](unsigned n) { return cpu.reg_[n]; };
  around.leaves = &s.leaves;
  around.keep = [&s](const MicroOp& op) { return &s.kept.emplace_back(op); };
  const std::size_t first = s.leaves.size();
  BlockCode(piece.to(), around, key, plan).make();
  for (std::size_t n = first; n < s.leaves.size(); ++n) s.leaves[n].slot = slot;
  const void* const code = s.full ? nullptr : piece.keep(s.runtime);
  if (code == nullptr) {
    s.full = true;
    return false;
  }
  s.context.slots[slot] = code;
  return true;
}

/// From `key` on until somebody has to look around or an instruction is the run loop's.
std::uint64_t Translator::execute(Cpu& cpu, Key key, Cycle limit) {
  Store& s = *store_;
  Context& c = s.context;
  enter(cpu, limit);
  std::uint64_t ran = 0;
  for (;;) {
    const std::uint32_t slot = slotOf(key);
    if (s.full || (c.slots[slot] == c.missing && !translate(cpu, slot))) {
      skip_ = true;
      leave(cpu, key, limit);
      return ran;
    }
    s.shared->run(&cpu, c, plain_.words, c.slots[slot]);
    ran += c.instructions;
    switch (c.why) {
      case Why::Missing:
        key = s.slots[c.where].key;
        break;
      case Why::Limit:
        skip_ = true;
        leave(cpu, s.slots[c.where].key, limit);
        return ran;
      case Why::Dynamic: {
        key = dynamicKey(cpu);
        break;
      }
      case Why::Leave: {
        Leave& where = s.leaves[c.where];
        ran += static_cast<std::uint64_t>(where.tally.instructions);
        skip_ = true;
        leaveInside(cpu, where, limit);
        return ran;
      }
    }
  }
}

/// Behind a return: where to, and the next time at once.
Key Translator::dynamicKey(const Cpu& cpu) {
  Store& s = *store_;
  Context& c = s.context;
  Key key;
  key.pc = c.pc;
  key.repeatEnd = cpu.repeatEnd_;
  key.lastStores = static_cast<std::uint8_t>(c.where);
  key.waiting =
      s.conditions.conflicts && *std::max_element(c.ready.begin(), c.ready.end()) > c.clock;
  const std::uint32_t slot = slotOf(key);
  const bool plain = key.repeatEnd == kNoRepeat && !key.waiting && key.lastStores == 0;
  if (plain && !s.full && c.slots[slot] != c.missing)
    c.returns[key.pc % Context::kReturns] = {key.pc, c.slots[slot]};
  return key;
}

void Translator::enter(const Cpu& cpu, Cycle limit) {
  Context& c = store_->context;
  const auto relative = [limit](Cycle cycle) { return static_cast<std::int64_t>(cycle - limit); };
  c.clock = relative(cpu.cycle_);
  for (unsigned g = 0; g < c.ready.size(); ++g) c.ready[g] = relative(cpu.groupReady_[g]);
  c.busFree = relative(cpu.busFree_);
  c.sticky = cpu.reg_[reg::ST] & ~kResultFlags;
}

void Translator::leave(Cpu& cpu, const Key& key, Cycle limit) {
  const Context& c = store_->context;
  const auto absolute = [limit](std::int64_t cycle) { return limit + static_cast<Cycle>(cycle); };
  cpu.cycle_ = absolute(c.clock);
  for (unsigned g = 0; g < c.ready.size(); ++g) cpu.groupReady_[g] = absolute(c.ready[g]);
  cpu.busFree_ = absolute(c.busFree);
  cpu.pc_ = key.pc;
  if (store_->conditions.pipeline) cpu.lastStores_ = key.lastStores;
}

/// The clock as if the instruction that is left had not begun.
void Translator::takeBack(Cpu& cpu, const Leave& where) {
  Context& c = store_->context;
  CpuStatistics& stats = cpu.stats_;
  const auto take = [&](Shift kind, std::uint64_t& cause, bool bus) {
    if ((where.shifts >> static_cast<unsigned>(kind) & 1u) == 0) return;
    const std::int64_t cycles = c.shifts[static_cast<std::size_t>(kind)];
    c.clock -= cycles;
    cause -= static_cast<std::uint64_t>(cycles);
    if (bus) stats.busWait -= static_cast<std::uint64_t>(cycles);
  };
  take(Shift::FetchWait, stats.busWaitBy[0], true);
  take(Shift::FetchBank, stats.busWaitBy[1], true);
  take(Shift::Conflict, stats.registerConflict, false);
}

/// In front of an instruction in the middle of a block: what its straight part has not accounted
/// for yet.
void Translator::leaveInside(Cpu& cpu, Leave& where, Cycle limit) {
  Context& c = store_->context;
  const Tally& t = where.tally;
  takeBack(cpu, where);
  for (unsigned g = 0; g < c.ready.size(); ++g) {
    if (where.ready[g] != 0) c.ready[g] = std::max(c.ready[g], c.clock + where.ready[g]);
  }
  if (where.busUsed) c.busFree = c.clock + where.busFree;
  if (where.fetched) cpu.lastRead_ = where.lastRead;
  c.clock += t.cycles;
  CpuStatistics& stats = cpu.stats_;
  const auto add = [](std::uint64_t& to, std::int32_t n) { to += static_cast<std::uint64_t>(n); };
  add(stats.registerConflict, t.registerConflict);
  add(stats.executeOnly, t.executeOnly);
  add(stats.busWait, t.busWait);
  for (unsigned n = 0; n < t.busWaitBy.size(); ++n) add(stats.busWaitBy[n], t.busWaitBy[n]);
  add(stats.externalFetches, t.fetches);
  add(stats.externalReads, t.reads);
  add(stats.externalWrites, t.writes);
  add(cpu.extraCycles_, t.extra);
  std::uint32_t& st = cpu.reg_[reg::ST];
  if (where.lazy.kind == LazyFlags::Kind::Integer) {
    st = (st & ~kMaskNoCarry) | signAndZero(cpu.reg_[where.lazy.reg]);
  } else if (where.lazy.kind == LazyFlags::Kind::Float) {
    const Float40 x = cpu.extended(where.lazy.reg);
    st = (st & ~kMaskNoCarry) | (x.isZero() ? kZ : x.negative() ? kN : 0u);
  }
  cpu.flow_.delaySlots = where.delaySlots;
  if (where.constantTarget) cpu.delayTarget_ = where.delayTarget;
  Key key;
  key.pc = where.toRepeatStart ? cpu.reg_[reg::RS] & kAddressMask : where.pc;
  key.lastStores = where.lastStores;
  leave(cpu, key, limit);
  Slot& slot = store_->slots[where.slot];
  if (++slot.left == kTooOften && slot.tries < kMostTries) {
    slot.left = 0;
    ++slot.tries;
    c.slots[where.slot] = c.missing;
    c.returns = {};
  }
}

}  // namespace rtvp::c32::translate
