// The run loop of the scalar engine and what surrounds an instruction: reset, fetch, repeat blocks,
// delay slots, abandoning and restarting. Events are in cpu_events.cpp.
#include "models/c32/cpu.hpp"

#include <algorithm>
#include <bit>

#include "models/c32/boot_rom.hpp"
#include "models/c32/cpu_execute.hpp"

namespace rtvp::c32 {

Cpu::Cpu(const CpuConfig& config, CpuPort& port)
    : pool_(config.decodePool ? config.decodePool : std::make_shared<DecodePool>()),
      sequences_(pool_->sequences()),
      port_(port),
      config_(config),
      peripherals_(config) {
  integerMode_.exactN = config.exactN;
  if (config.pairFlagsOfSum) pairFlags_ |= kN | kZ;
  if (config.chip != Chip::C32 && !config.flatMemory) {
    wideRam_.resize(onChipRam(config.chip).words);
    wideKnown_.resize(wideRam_.size());
  }
  usualRam_ = config.chip == Chip::C32 && !config.flatMemory && !config.trapUninitialised;
  choosePath();
  alone_[1].execute = Execute::end;
  reset(0);
}

void Cpu::reset(Cycle release) {
  for (const unsigned r : {reg::ST, reg::IE, reg::IF, reg::IOF}) reg_[r] = 0;
  if (config_.prgwPin) reg_[reg::ST] = kPRGW;
  integerMode_.saturate = false;
  peripherals_.reset();
  cache_.reset();
  cacheControlAt_ = kNever;
  cacheClear_ = false;
  setPc(0);
  resetPending_ = true;
  lines_ = 0;
  lineEvents_.clear();
  clockDivider_ = 1;
  flow_.slowClock = 0;
  xf0_ = xf1_ = Drive::Released;
  cycle_ = resetCycle_ = release;
  busFree_ = dmaBusFree_ = release;
  dmaPart_ = 0;
  dmaHeld_ = holding_ = false;
  holdFrom_ = kNever;
  holdUntil_ = 0;
  lastWasRead_ = false;
  for (Cycle& ready : groupReady_) ready = 0;
  stats_ = {};
  extraCycles_ = 0;
  if (account_ != nullptr) account_->restart();
  updateAttention();
  if (holdPin_) updateHold(release);
}

void Cpu::setPc(std::uint32_t pc) {
  pc_ = pc & kAddressMask;
  forgetProgress();
  updateRepeatEnd();
  updateAttention();
}

/// Whatever the processor was about, between two instructions it is no more.
void Cpu::forgetProgress() {
  resetPending_ = false;
  flow_.restarting = 0;
  entering_ = interlock_ = 0;
  flow_.accessIndex = 0;
  accessCount_ = 0;
  flow_.delaySlots = 0;
  single_ = false;
  singleOp_ = nullptr;
  if (idle_ == Idle::Idle2) peripherals_.freeze(false, cycle_);
  idle_ = Idle::No;
  idleBlockedAt_ = 0;
  lastStores_ = 0;
  pending_ = {};
  if (fault_.kind != Fault::Kind::None) fault_ = {};
}

const CpuStatistics& Cpu::statistics() const {
  reported_ = stats_;
  reported_.executing = stats_.instructions + extraCycles_;
  return reported_;
}

std::uint32_t Cpu::registerValue(unsigned number) const {
  return number < reg::kCount ? reg_[number] : 0;
}

void Cpu::setRegister(unsigned number, std::uint32_t value) {
  if (number >= reg::kCount) return;
  reg_[number] = value;
  integerMode_.saturate = (reg_[reg::ST] & kOVM) != 0;
  cache_.control((reg_[reg::ST] & kCE) != 0, (reg_[reg::ST] & kCF) != 0);
  updateRepeatEnd();
  updateAttention();
}

void Cpu::setExtended(unsigned number, const Float40& value) {
  exponent_[number & 7u] = value.exponent;
  reg_[number & 7u] = value.mantissa;
}

std::optional<std::uint32_t> Cpu::peek(std::uint32_t address) const {
  if (config_.flatMemory) return std::nullopt;
  switch (placeOf(config_.chip, address & kAddressMask, config_.microprocessorMode).region) {
    case Region::InternalRam:
      return internalWord(address & kAddressMask);
    case Region::Peripheral:
      return peripherals_.peek(address & kAddressMask, cycle_);
    case Region::BootRom:
      return romWord(address & kAddressMask);
    default:
      return std::nullopt;
  }
}

bool Cpu::poke(std::uint32_t address, std::uint32_t value) {
  if (config_.flatMemory) return false;
  address &= kAddressMask;
  switch (placeOf(config_.chip, address, config_.microprocessorMode).region) {
    case Region::InternalRam:
      setInternalWord(address, value);
      return true;
    case Region::Peripheral: {
      const bool known = peripherals_.poke(address, value);
      updateHold(cycle_);
      updateAttention();
      return known;
    }
    default:
      return false;
  }
}

/// Under LOPOWER every cycle lasts sixteen (c32.md 4.5).
void Cpu::stretchLowPower(Cycle start) {
  const Cycle extra = (end_ - start) * (clockDivider_ - 1);
  stats_.lowPower += extra;
  end_ += extra;
}

const MicroOp* Cpu::decodeRam(std::uint32_t offset) {
  const MicroOp* op = pool_->lookup(ram_[offset], scratch_);
  decoded_[offset] = pool_->numberOf(op);
  if (decoded_[offset] != DecodePool::kNone) code_[offset / 32] |= 1u << offset % 32;
  return op;
}

/// Word at the PC by the external bus, through the cache if that is on (c32.md 7.6).
bool Cpu::fetchBus(Strobe strobe, std::uint32_t& word) {
  if (cycle_ >= cacheControlAt_) [[unlikely]] {
    cacheControlAt_ = kNever;
    if (cacheClear_) cache_.clear();
    cacheClear_ = false;
    cache_.control((reg_[reg::ST] & kCE) != 0, (reg_[reg::ST] & kCF) != 0);
  }
  const unsigned width = config_.programWidth();
  if (!cache_.enabled()) return busAccess(BusOp::Fetch, strobe, pc_, 32, width, word);
  // A word that this instruction fetched before it was held up comes from the bus again.
  const bool again = accessCount_ != 0 && completed_[0].op == BusOp::Fetch;
  const std::optional<std::uint32_t> cached = cache_.lookup(pc_);
  if (cached && !again) {
    if (flow_.restarting == 0) ++stats_.cacheHits;
    word = *cached;
    return true;
  }
  if (!busAccess(BusOp::Fetch, strobe, pc_, 32, width, word)) return false;
  if (cached) return true;
  ++stats_.cacheMisses;
  if (cache_.fill(pc_, word)) ++stats_.cacheSegmentMisses;
  return true;
}

/// Instruction from outside the internal RAM, or any if every access is watched; RPTS fetches its
/// word once.
const MicroOp* Cpu::fetchOutside() {
  if (single_ && singleOp_ != nullptr) return singleOp_;
  if (inUsualRam(pc_)) [[likely]] {
    const std::uint32_t offset = pc_ - kRamBase;
    return decoded_[offset] != DecodePool::kNone ? decodedAt(offset) : decodeRam(offset);
  }
  std::uint32_t word = 0;
  const Place place = config_.flatMemory ? Place{Region::External, Strobe::Strb0} : placeAt(pc_);
  switch (place.region) {
    case Region::InternalRam: {
      if (config_.trapUninitialised && !internalKnown(pc_)) {
        raise(Fault::Kind::UninitialisedRead, pc_);
        return nullptr;
      }
      if (!wideRam_.empty()) {
        word = internalWord(pc_);
        break;
      }
      const std::uint32_t offset = pc_ - kRamBase;
      return decoded_[offset] != DecodePool::kNone ? decodedAt(offset) : decodeRam(offset);
    }
    case Region::BootRom:
      word = romWord(pc_);
      break;
    case Region::External:
      if (!fetchBus(place.strobe, word)) return nullptr;
      exec_ = end_ - 1;
      break;
    default:
      raise(Fault::Kind::BusError, pc_);
      return nullptr;
  }
  const MicroOp* op = pool_->lookup(word, scratch_);
  if (single_) singleOp_ = op;
  return op;
}

bool Cpu::raise(Fault::Kind kind, std::uint32_t address) {
  fault_.kind = kind;
  fault_.pc = pc_;
  fault_.address = address;
  fault_.master = BusMaster::Cpu;
  stop_ = StopReason::Fault;
  return false;
}

/// Takes back what the instruction in progress did to the registers. Blocked: it runs again later
/// and completed accesses are kept; fault: it is over.
void Cpu::abandon(std::uint32_t word) {
  while (undoCount_ != 0) {
    const Undo& undo = undo_[--undoCount_];
    reg_[undo.reg] = undo.value;
  }
  if (flow_.accessIndex != 0) busFree_ = busFreeAtStart_;
  flow_.accessIndex = 0;
  flow_.restarting = stop_ != StopReason::Fault ? 1 : 0;
  if (flow_.restarting == 0) {
    accessCount_ = 0;
    entering_ = interlock_ = 0;
    describeFault(word);
  }
  if (flow_.restarting == 0 || entering_ != 0) attentionAt_ = 0;
}

void Cpu::commitAccesses() {
  if (flow_.accessIndex != 0) {
    for (unsigned c = 0; c < accessWait_.size(); ++c) {
      stats_.busWaitBy[c] += accessWait_[c];
      stats_.busWait += accessWait_[c];
    }
    stats_.held += accessHeld_;
    stats_.dmaConflict += accessDma_;
    accessCount_ = 0;
    flow_.accessIndex = 0;
  }
  if (pending_.kind != Pending::Kind::None) pending_ = {};
}

/// The end of a repeat block was fetched with RM = 1 (c32.md 4.6).
void Cpu::repeatBlock() {
  const std::uint32_t rc = --reg_[reg::RC];
  if (static_cast<std::int32_t>(rc) >= 0) {
    // A branch there (the manual forbids it) goes its own way.
    if (nextPc_ == ((pc_ + 1) & kAddressMask)) nextPc_ = reg_[reg::RS] & kAddressMask;
    return;
  }
  if (config_.repeatCountEndsZero) reg_[reg::RC] = 0;
  reg_[reg::ST] &= ~kRM;
  single_ = false;
  singleOp_ = nullptr;
  updateRepeatEnd();
}

void Cpu::finishSlot() {
  if (--flow_.delaySlots == 0 && delayTaken_) nextPc_ = delayTarget_;
}

/// INXF0 and INXF1 as an instruction executing now sees them.
bool Cpu::samplePins(const MicroOp& op) {
  std::uint32_t levels = 0;
  // Without an access that may be held up afterwards there is nothing to be remembered.
  const bool last = (op.special & kControl) == 0 && op.dataReads + op.dataWrites == 0;
  if (last || !replay(levels)) {
    const PinReply reply = port_.pinsSampled(exec_);
    if (!reply.ready) {
      pending_ = {Pending::Kind::Pins, {}, exec_};
      stop_ = StopReason::Blocked;
      return false;
    }
    levels = (reply.xf0 ? 0x08u : 0u) | (reply.xf1 ? 0x80u : 0u);
    if (!last) record(levels);
  }
  reg_[reg::IOF] = (reg_[reg::IOF] & ~kIofPins) | levels;
  return true;
}

StopReason Cpu::run(Cycle horizon, std::uint64_t maxInstructions) {
  straight_ = departed_ = answered_ = false;  // a port may have thrown
  tapeLimit_ = portLimit_ = 0;
  // An instruction that goes on where it was refused sees to it when it is over.
  if (flow_.restarting == 0 || horizon != horizon_) {
    horizon_ = horizon;
    updateAttention();
  }
  std::uint64_t left = maxInstructions;
  const StopReason why = full_ ? loop<true>(left) : loop<false>(left);
  stats_.instructions += maxInstructions - left;
  return why;
}

/// Full: timing options and observers; see cpu_trace.cpp.
template <bool Full>
StopReason Cpu::loop(std::uint64_t& left) {
  const bool conflicts = !Full || config_.timing != Timing::Static;
  const bool pipeline = Full && config_.timing == Timing::Pipeline;
  if (Full) before_.stallsKnown = false;
  for (;;) {
    if (left == 0) return StopReason::Steps;
    if (cycle_ >= attentionAt_) [[unlikely]] {
      if (Full) before_.stallsKnown = false;  // sleeping, an interrupt: cycles of no instruction
      const Attend next = attend();
      if (next == Attend::Stop) return stop_;
      if (next == Attend::Again) continue;
    }
    if (stops_ != nullptr && stopsHere()) [[unlikely]]
      return StopReason::Place;
    if (accelerator_ != nullptr) [[unlikely]] {
      const std::uint64_t ran = accelerator_->run(*this, left);
      left -= ran;
      if (ran != 0) continue;
    }
    const MicroOp* op = nullptr;
    const std::uint32_t offset = pc_ - kRamBase;
    if (offset < ramWords_) [[likely]] {
      if constexpr (!Full) {
        const Ran ran = straight(left);
        if (ran == Ran::Some) continue;
        if (ran == Ran::Stopped) return stop_;
      }
      op = decodedAt(offset);
      if (op->execute == nullptr) [[unlikely]]
        op = decodeRam(offset);
    }
    exec_ = cycle_;
    end_ = cycle_ + 1;
    undoCount_ = 0;
    if constexpr (Full) beginInstruction();
    if (op == nullptr) {
      op = fetchOutside();
      if (op == nullptr) {
        abandon();
        return stop_;
      }
    }
    Cycle conflict = 0;
    if (op->uses != 0 && conflicts) {
      const Cycle ready = readyFor(op->uses);
      if (ready > exec_) {
        conflict = ready - exec_;
        exec_ = ready;
        end_ = ready + 1;
      }
    }
    Cycle stores = 0;
    if (pipeline && conflict == 0) {
      stores = executeOnlyStall(*op);
      exec_ += stores;
      end_ += stores;
    }
    nextPc_ = (pc_ + 1) & kAddressMask;
    const bool blockEnd = pc_ == repeatEnd_;
    if (((op->special & (kReadsIof | kControl)) != 0 && !prepare(*op)) ||
        !executeAlone(*op, op->execute)) [[unlikely]] {
      abandon(op->word);
      return stop_;
    }
    --left;
    if (conflict != 0) stats_.registerConflict += conflict;
    if (pipeline) {
      stats_.executeOnly += stores;
      chargePorts(*op);
    }
    if ((op->writes | op->reads) != 0) markGroups(*op);
    if (blockEnd) [[unlikely]]
      repeatBlock();
    if (std::bit_cast<std::uint32_t>(flow_) != 0) [[unlikely]]
      finishRare();
    if (Full && observer_ != nullptr) report(*op);
    if (account_ != nullptr) [[unlikely]]
      account_->charge(pc_, 1, end_ - cycle_, stats_);
    pc_ = nextPc_;
    cycle_ = end_;
  }
}

/// The end of an instruction in a delay slot, under LOPOWER, after a restart or after accesses
/// outside the RAM.
void Cpu::finishRare() {
  if (flow_.restarting != 0) finishRestart();
  if (flow_.accessIndex != 0) commitAccesses();
  if (flow_.delaySlots != 0) finishSlot();
  if (flow_.slowClock != 0) stretchLowPower(cycle_);
}

bool Cpu::prepare(const MicroOp& op) {
  if ((op.special & kControl) != 0 && flow_.delaySlots != 0) {
    return raise(Fault::Kind::IllegalDelaySlot);
  }
  return (op.special & kReadsIof) == 0 || samplePins(op);
}

void Cpu::finishRestart() {
  flow_.restarting = 0;
  interlock_ = 0;
  if (flow_.accessIndex == 0) commitAccesses();
}

void Cpu::describeFault(std::uint32_t word) {
  fault_.word = word;
  fault_.text.clear();
  const auto hex = [](std::uint32_t value, int digits) {
    std::string text;
    for (int i = digits - 1; i >= 0; --i) text += "0123456789ABCDEF"[value >> (4 * i) & 15u];
    return text + "h";
  };
  switch (fault_.kind) {
    case Fault::Kind::UndefinedOpcode:
      fault_.text = "undefined instruction " + hex(word, 8);
      break;
    case Fault::Kind::BusError: {
      const Region region = placeAt(fault_.address).region;
      const char* why = region == Region::Reserved  ? "reserved address "
                        : region == Region::BootRom ? "write to the boot ROM, address "
                        : region == Region::Peripheral
                            ? "no instructions on the peripheral bus, address "
                            : "bus error at address ";
      if (fault_.master != BusMaster::Cpu) {
        fault_.text = fault_.master == BusMaster::Dma0 ? "DMA channel 0: " : "DMA channel 1: ";
      }
      fault_.text += why + hex(fault_.address, 6);
      break;
    }
    case Fault::Kind::UninitialisedRead:
      fault_.text =
          std::string(fault_.address == fault_.pc ? "instruction fetch from" : "read of") +
          " memory never written, address " + hex(fault_.address, 6);
      break;
    case Fault::Kind::IllegalDelaySlot:
      fault_.text = "control instruction " + hex(word, 8) + " in a delay slot";
      break;
    case Fault::Kind::SoftwareInterrupt:
      fault_.text = "SWI: reserved for an emulator, none is attached";
      break;
    case Fault::Kind::None:
      break;
  }
  fault_.text += " at PC " + hex(fault_.pc, 6);
}

}  // namespace rtvp::c32
