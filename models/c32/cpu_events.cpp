// What happens to the processor between two instructions: interrupt lines, peripherals and DMA in
// time order, idling, reset vector and interrupt entry.
#include <algorithm>
#include <bit>

#include "models/c32/cpu.hpp"

namespace rtvp::c32 {

void Cpu::setInterruptLine(unsigned n, bool asserted, Cycle when) {
  if (n > 3) return;
  const LineEvent event{std::max(when, cycle_) + config_.interruptSynchroniserCycles,
                        static_cast<std::uint8_t>(n), asserted};
  const auto place =
      std::upper_bound(lineEvents_.begin(), lineEvents_.end(), event,
                       [](const LineEvent& a, const LineEvent& b) { return a.cycle < b.cycle; });
  lineEvents_.insert(place, event);
  updateAttention();
}

void Cpu::deliverSerial(std::uint32_t word, Cycle arrival) {
  if (arrival < cycle_) ++stats_.lateWords;
  peripherals_.serialPort().deliver(word, arrival);
  updateAttention();
}

void Cpu::deliverSerial(const SerialFrame& frame) {
  if (frame.arrival < cycle_) ++stats_.lateWords;
  peripherals_.serialPort().deliver(frame);
  updateAttention();
}

void Cpu::acknowledgeSerial(Cycle arrival) {
  peripherals_.serialPort().acknowledge(arrival);
  updateAttention();
}

void Cpu::setPin(Pin pin, bool level) {
  std::uint32_t bits = idle_ == Idle::Idle2 ? 0 : peripherals_.advance(cycle_, port_);
  bits |= peripherals_.setPin(pin, level, cycle_);
  raiseInterruptFlags(bits, cycle_);
}

/// Flags whose timers need not be watched: they are set, and no DMA channel waits for the next one.
std::uint32_t Cpu::ignoredFlags() const {
  std::uint32_t flags = reg_[reg::IF];
  if (peripherals_.dma().active()) {
    flags &= ~(dmaFlags(reg_[reg::IE], 0) | dmaFlags(reg_[reg::IE], 1));
  }
  return flags;
}

/// When the loop has to look around: at the next event, or at once if something is unfinished.
void Cpu::updateAttention() {
  nextEvent_ = kNever;
  if (idle_ != Idle::Idle2) {
    nextEvent_ = peripherals_.nextEvent(peripherals_.timersRun() ? ignoredFlags() : 0);
    if (!dmaHeld_) nextEvent_ = std::min(nextEvent_, peripherals_.dma().nextEvent());
  }
  if (!lineEvents_.empty()) nextEvent_ = std::min(nextEvent_, lineEvents_.front().cycle);
  const bool interrupt = interruptible() && interruptPending();
  const bool unfinished =
      entering_ != 0 || resetPending_ || idle_ != Idle::No || fault_.kind != Fault::Kind::None;
  attentionAt_ = interrupt || unfinished ? 0 : std::min(nextEvent_, horizon_);
  const bool plain = ramWords_ != 0 && config_.microprocessorMode && !peripherals_.dma().active() &&
                     peripherals_.bus(Strobe::Strb0).plain();
  plainEnd_ = plain ? kStrobe0End : 0;
  const BusControl& control = peripherals_.bus(Strobe::Strb0);
  const bool bare = plain && control.waits(0) == 0 && control.bankBits() == 0 &&
                    dmaBusFree_ <= cycle_ && (holdFrom_ == kNever || holdUntil_ <= cycle_);
  bareEnd_ = bare ? kStrobe0End : 0;
}

/// Sets IF bits at `at`; those that a DMA channel waits for start it and are gone again, unless a
/// level-triggered pin is still low.
void Cpu::raiseInterruptFlags(std::uint32_t bits, Cycle at) {
  reg_[reg::IF] |= bits;
  Dma& dma = peripherals_.dma();
  if (dma.active()) {
    const std::uint32_t used = dma.offer(bits, reg_[reg::IE], at);
    if (used != 0) peripherals_.settle(at);
    reg_[reg::IF] &= ~used;
    const std::uint32_t low = (reg_[reg::ST] & kINTCONFIG) == 0 ? used & lines_ : 0;
    if (low != 0) {
      reg_[reg::IF] |= low;
      dma.offer(low, reg_[reg::IE], at + 1);
    }
  }
  updateAttention();
}

/// Interrupt lines in time order up to `now`; IF bits.
std::uint32_t Cpu::takeLineEvents(Cycle now) {
  std::uint32_t bits = 0;
  while (!lineEvents_.empty() && lineEvents_.front().cycle <= now) {
    const LineEvent event = lineEvents_.front();
    lineEvents_.erase(lineEvents_.begin());
    const auto mask = static_cast<std::uint8_t>(1u << event.line);
    if (event.asserted && (lines_ & mask) == 0 && lowLongEnough(event)) bits |= mask;
    lines_ = static_cast<std::uint8_t>(event.asserted ? lines_ | mask : lines_ & ~mask);
  }
  return bits;
}

/// IDLE2 ends only if the pin stays low for a while (c32.md 4.5), as far as that is known.
bool Cpu::lowLongEnough(const LineEvent& event) const {
  if (idle_ != Idle::Idle2) return true;
  const auto released = std::find_if(
      lineEvents_.begin(), lineEvents_.end(),
      [&](const LineEvent& later) { return later.line == event.line && !later.asserted; });
  return released == lineEvents_.end() || released->cycle >= event.cycle + config_.idle2WakeCycles;
}

/// Applies what happened up to `now`, one event after the other: interrupt lines, peripherals, DMA.
/// False: DMA's access was refused or failed.
bool Cpu::advancePeripherals(Cycle now) {
  while (nextEvent_ <= now) {
    const Cycle at = nextEvent_;
    std::uint32_t bits = takeLineEvents(at);
    const bool clocked = idle_ != Idle::Idle2;
    if (clocked) {
      bits |= peripherals_.advance(at, port_);
      bits |= peripherals_.dma().due(at);
    }
    raiseInterruptFlags(bits, at);
    if (clocked && !dmaHeld_ && peripherals_.dma().nextEvent() <= at && !dmaStep(at)) return false;
    updateAttention();
  }
  return true;
}

/// A processor in IDLE sleeps until its next known event; without one nothing inside will ever wake
/// it.
// The clock moves only to what wakes the processor. Events that do not (the transmitter running
// empty while only the receiver may interrupt) pass behind its back: had the clock followed them, a
// word that arrives before them, but is delivered later, would come too late.
Cpu::Attend Cpu::attendIdle() {
  const std::uint32_t wakers = idle_ == Idle::Idle2 ? 0xFu : kCpuInterrupts;
  Cycle when = std::max(cycle_, idleBlockedAt_);
  idleBlockedAt_ = 0;
  while ((reg_[reg::IF] & reg_[reg::IE] & wakers) == 0) {
    if (nextEvent_ == kNever) {
      stop_ = StopReason::Idle;
      return Attend::Stop;
    }
    if (nextEvent_ >= horizon_) {
      stop_ = StopReason::Horizon;
      return Attend::Stop;
    }
    when = std::max(when, nextEvent_);
    if (!advancePeripherals(nextEvent_)) {
      idleBlockedAt_ = when;  // what woke it may have happened already
      return Attend::Stop;
    }
  }
  stats_.idle += when - cycle_;
  if (sleepWatched_ && when != cycle_) port_.slept(cycle_, when);
  if (account_ != nullptr) account_->charge(sleepsAt(), 0, when - cycle_, stats_);
  cycle_ = when;
  if (idle_ == Idle::Idle2) peripherals_.freeze(false, when);
  idle_ = Idle::No;
  updateAttention();
  return Attend::Again;
}

Cpu::Attend Cpu::attend() {
  if (cycle_ >= horizon_) {
    stop_ = StopReason::Horizon;
    return Attend::Stop;
  }
  if (fault_.kind != Fault::Kind::None) {
    stop_ = StopReason::Fault;
    return Attend::Stop;
  }
  if (resetPending_) return fetchResetVector() ? Attend::Again : Attend::Stop;
  if (flow_.restarting != 0) {
    // The instruction (or interrupt entry) in progress comes first; events wait for the next
    // boundary.
    if (entering_ == 0) return Attend::Proceed;
    return enterInterrupt() ? Attend::Again : Attend::Stop;
  }
  if (!advancePeripherals(cycle_)) return Attend::Stop;
  if (idle_ != Idle::No) return attendIdle();
  if (flow_.delaySlots != 0 || single_) return Attend::Proceed;
  if (!interruptible() || !interruptPending()) {
    updateAttention();
    return Attend::Proceed;
  }
  return enterInterrupt() ? Attend::Again : Attend::Stop;
}

bool Cpu::fetchResetVector() {
  undoCount_ = 0;
  exec_ = cycle_ + kResetReleaseCycles;
  end_ = exec_ + 1;
  std::uint32_t vector = 0;
  if (!slowRead(BusOp::VectorFetch, 0, false, vector)) {
    abandon();
    return false;
  }
  commitAccesses();
  stats_.reset += kResetReleaseCycles + 1;
  if (account_ != nullptr) account_->charge(vector & kAddressMask, 0, end_ - cycle_, stats_);
  cycle_ = end_;
  setPc(vector);
  return true;
}

/// Hardware entry (c32.md 7.7): flag and GIE cleared, return address pushed, vector fetched.
bool Cpu::enterInterrupt() {
  undoCount_ = 0;
  exec_ = config_.timing == Timing::Static ? cycle_ : std::max(cycle_, groupReady_[2]);
  const Cycle conflict = exec_ - cycle_;
  end_ = exec_ + 1;
  // An entry the port held back continues with the interrupt it began with.
  const std::uint32_t active = reg_[reg::IF] & reg_[reg::IE] & kCpuInterrupts;
  const unsigned n =
      entering_ != 0 ? entering_ - 1u : static_cast<unsigned>(std::countr_zero(active));
  const std::uint32_t vectorAddress = ((reg_[reg::IF] >> 16 << 8) + n + 1u) & kAddressMask;
  const std::uint32_t stack = reg_[reg::SP] + 1;
  const std::uint32_t slot = (stack & kAddressMask) - kRamBase;
  const bool internal = slot < ramWords_;
  std::uint32_t vector = 0;
  if (!slowRead(BusOp::VectorFetch, vectorAddress, false, vector) ||
      (!internal && !slowWrite(stack & kAddressMask, false, pc_))) {
    entering_ = static_cast<std::uint8_t>(n + 1);
    abandon();
    return false;
  }
  if (internal) {
    storeInternal(slot, pc_);
  }
  commitAccesses();
  entering_ = 0;
  flow_.restarting = 0;
  reg_[reg::SP] = stack;
  peripherals_.settle(cycle_);
  reg_[reg::IF] &= ~(1u << n);
  if ((reg_[reg::ST] & kINTCONFIG) == 0) reg_[reg::IF] |= lines_;
  reg_[reg::ST] &= ~kGIE;
  gieUntil_ = 0;
  const std::uint32_t from = pc_;
  pc_ = vector & kAddressMask;
  const Cycle entry = std::max(1u, config_.interruptEntryCycles);
  ++stats_.interruptsTaken;
  stats_.interruptEntry += entry;
  stats_.registerConflict += conflict;
  end_ += entry - 1;
  if (clockDivider_ != 1) stretchLowPower(cycle_);
  if (observer_ != nullptr) observer_->interrupted(n, from, pc_, cycle_, end_);
  if (account_ != nullptr) account_->charge(pc_, 0, end_ - cycle_, stats_);
  cycle_ = end_;
  lastStores_ = 0;
  updateAttention();
  return true;
}

}  // namespace rtvp::c32
