// A processor's state as bytes, and back: registers, memory, peripherals, what is under way between
// two instructions. What engines have worked out of it (decoded words, sequences) is made again.
#include <array>

#include "models/c32/cpu.hpp"
#include "models/common/core/state.hpp"

namespace rtvp::c32 {

using common::StateArchive;

namespace {

void frameState(StateArchive& a, SerialFrame& f) {
  a(f.word, f.bits, f.arrival, f.bitNumerator, f.bitDenominator, f.sync, f.variable, f.leadingOne,
    f.clockLow, f.dataLow, f.syncLow);
}

void clockState(StateArchive& a, BitClock& clock) {
  a(clock.cyclesNumerator, clock.cyclesDenominator);
}

}  // namespace

void InstructionCache::state(StateArchive& a) {
  a(tags_, present_, words_, recent_, enabled_, frozen_);
}

void TimerCore::state(StateArchive& a) {
  a(last_, counter_, period_, base_);
  clockState(a, clock_);
  a(external_, running_, clockMode_, status_, pulsed_, pulseAt_);
}

void Timer::state(StateArchive& a) {
  a(core_);
  clockState(a, external_);
  a(control_, pin_);
}

void Dma::Channel::state(StateArchive& a) {
  a(control, source, destination, counter, data, latched, phase, started, lostOnce, ready);
}

void Dma::state(StateArchive& a) {
  a(channels_, last_, within_, busFree_, nextEvent_, finished_, finishedAt_);
}

void SerialPort::Arrival::state(StateArchive& a) {
  a(cycle);
  frameState(a, frame);
  a(kind);
}

void SerialPort::state(StateArchive& a) {
  a(divider_, global_, xPort_, rPort_, timerControl_, timers_, pins_, dxr_, drr_, rsr_, dxrFull_,
    unclocked_, rsrFull_, transfer_, shifterEmpty_, lastEdge_, blockBegun_, arrivals_, synced_,
    shifter_, shifted_, awaitsAcknowledge_, acknowledges_, nextEvent_);
  a(wordsSent_, wordsReceived_, transmitLost_, receiveLost_, misframed_, transmitUnheard_);
}

void Peripherals::state(StateArchive& a) {
  for (BusControl& control : bus_) a(control.value);
  a(timers_, serial_, dma_, timersRun_, driven_, localBase_, globalBase_, divider_, frozen_);
}

void Cpu::LineEvent::state(StateArchive& a) {
  a(cycle, line, asserted);
}

bool Cpu::atRest() const {
  return fault_.kind == Fault::Kind::None && flow_.restarting == 0 && accessCount_ == 0 &&
         entering_ == 0 && interlock_ == 0 && !single_ && dmaPart_ == 0;
}

void Cpu::state(StateArchive& a) {
  a.mark("c32");
  // setPc() forgets what is in progress, and wakes the processor.
  if (a.reading()) setPc(0);
  auto ram = ram_;
  // Engines differ in what is over and in notes that nobody reads: equal states are equal bytes.
  for (Cycle& ready : groupReady_) ready = ready <= cycle_ ? 0 : ready;
  if (!config_.trapUninitialised) ramKnown_.fill(true);
  a(reg_, exponent_, pc_, flow_.delaySlots, flow_.slowClock, delayTaken_, delayTarget_, cycle_,
    groupReady_, lastWasRead_, lastStrobe_, lastRead_, busFree_, extraCycles_, ram);
  if (a.reading()) {
    for (std::uint32_t i = 0; i < kRamWords; ++i) storeInternal(i, ram[i]);
  }
  a(ramKnown_, wideRam_, wideKnown_, stats_, idle_, xf0_, xf1_, dmaBusFree_, holdFrom_, holdUntil_,
    peripherals_, cache_, gieUntil_, cacheControlAt_, cacheClear_, dmaData_, dmaHeld_, holdPin_,
    holding_, resetCycle_, resetPending_, idleBlockedAt_, lines_, lineEvents_, clockDivider_,
    portsFull_, dmaPort_, lastStores_);
  if (!a.reading()) return;
  integerMode_.saturate = (reg_[reg::ST] & kOVM) != 0;
  updateRepeatEnd();
  updateAttention();
}

}  // namespace rtvp::c32
