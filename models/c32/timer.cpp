// Timers: see timer.hpp.
#include "models/c32/timer.hpp"

#include <algorithm>

#include "models/c32/peripheral_registers.hpp"

namespace rtvp::c32 {
namespace {

__extension__ using Wide =
    unsigned __int128;  // edge number x clock rate exceeds 64 bits after days

// Global control bits (c32.md 8.5).
constexpr std::uint32_t kFunc = 1u << 0, kOutput = 1u << 1, kDatOut = 1u << 2, kDatIn = 1u << 3,
                        kGo = 1u << 6, kHld = 1u << 7, kClockMode = 1u << 8, kInternal = 1u << 9,
                        kInvert = 1u << 10, kStatus = 1u << 11;
constexpr std::uint32_t kWritable = peripheralRegister(0x808020)->mask(common::Access::Rw);

}  // namespace

std::uint64_t BitClock::edgeFrom(Cycle c) const {
  return static_cast<std::uint64_t>((Wide{c} * cyclesDenominator + cyclesNumerator - 1) /
                                    cyclesNumerator);
}

Cycle BitClock::cycleOf(std::uint64_t k) const {
  return static_cast<Cycle>((Wide{k} * cyclesNumerator + cyclesDenominator - 1) /
                            cyclesDenominator);
}

void TimerCore::reset() {
  const std::uint32_t last = last_;
  *this = TimerCore(32);
  last_ = last;
}

/// Counts between base_ and `now`.
std::uint64_t TimerCore::ticks(Cycle now) const {
  if (!running_ || now <= base_) return 0;
  if (!external_) return (now - base_) / 2;
  return clock_.running() ? clock_.edgeFrom(now + 1) - clock_.edgeFrom(base_ + 1) : 0;
}

/// When the counter makes its `tick`th step after base_ (1 = the next one).
Cycle TimerCore::timeOf(std::uint64_t tick) const {
  if (!external_) return base_ + 2 * tick;
  return clock_.running() ? clock_.cycleOf(clock_.edgeFrom(base_ + 1) + tick - 1) : kNever;
}

/// Steps until the counter reaches the period and returns to 0. A counter already beyond the period
/// runs through the highest value first.
std::uint64_t TimerCore::ticksToEvent() const {
  if (counter_ < period_) return period_ - counter_;
  if (counter_ == period_) return 1;
  return std::uint64_t{last_} + 1 - counter_ + period_;
}

/// `count` times the counter has reached the period, the last time at `at`.
bool TimerCore::event(std::uint64_t count, Cycle at) {
  if (!clockMode_) {
    pulsed_ = true;
    pulseAt_ = at;
    return true;
  }
  const bool rises = count > 1 || !status_;
  status_ ^= (count & 1u) != 0;
  return rises;
}

/// Locked from now on: in pulse mode TSTAT is set and stays so.
bool TimerCore::entered(bool wasLocked, Cycle now) {
  if (!locked() || !running_ || wasLocked) return false;
  base_ = now;
  return !clockMode_;
}

bool TimerCore::advance(Cycle now) {
  if (!running_ || now <= base_) return false;
  if (locked()) {
    const Cycle passed = now - base_;
    base_ = now;
    return clockMode_ && event(passed, now);
  }
  const std::uint64_t done = ticks(now);
  if (done == 0) return false;
  const std::uint64_t first = ticksToEvent();
  if (done < first) {
    base_ = timeOf(done);
    counter_ = static_cast<std::uint32_t>(counter_ + done) & last_;
    return false;
  }
  if (period_ == 0) {  // came round to 0, which is the period: locked from there on
    const Cycle at = timeOf(first);
    counter_ = 0;
    base_ = at;
    const bool rises = event(1, at);
    return advance(now) || rises;
  }
  const std::uint64_t events = 1 + (done - first) / period_;
  const Cycle at = timeOf(first + (events - 1) * period_);
  const Cycle base = timeOf(done);
  counter_ = static_cast<std::uint32_t>((done - first) % period_);
  base_ = base;
  return event(events, at);
}

Cycle TimerCore::nextRise() const {
  if (!running_ || (external_ && !clock_.running())) return kNever;
  if (locked()) return clockMode_ ? base_ + (status_ ? 2 : 1) : kNever;
  const std::uint64_t first = ticksToEvent();
  if (!clockMode_ || !status_) return timeOf(first);
  return period_ == 0 ? timeOf(first) + 1 : timeOf(first + period_);
}

bool TimerCore::restart(Cycle now) {
  counter_ = 0;
  base_ = now;
  status_ = pulsed_ = false;
  running_ = true;
  return entered(false, now);
}

bool TimerCore::run(bool on, Cycle now) {
  if (on == running_) return false;
  running_ = on;
  base_ = now;
  return on && entered(false, now);
}

bool TimerCore::setCounter(std::uint32_t value, Cycle now) {
  const bool was = locked();
  counter_ = value & last_;
  return entered(was, now);
}

bool TimerCore::setPeriod(std::uint32_t value, Cycle now) {
  const bool was = locked();
  period_ = value & last_;
  return entered(was, now);
}

bool TimerCore::setMode(bool clockMode, const BitClock* external, Cycle now) {
  const bool changed = clockMode != clockMode_;
  if ((external != nullptr) != external_) base_ = now;
  clockMode_ = clockMode;
  external_ = external != nullptr;
  if (external != nullptr) clock_ = *external;
  return changed && locked() && running_ && !clockMode_;
}

bool TimerCore::pulse(Cycle now) {
  if (!running_ || !external_ || clock_.running()) return false;
  if (locked()) return clockMode_ && event(1, now);
  if (ticksToEvent() != 1) {
    counter_ = (counter_ + 1) & last_;
    return false;
  }
  counter_ = 0;
  base_ = now;
  const bool rises = event(1, now);
  return entered(false, now) || rises;
}

bool Timer::setPin(bool level, Cycle now) {
  const bool edge = level != pin_ && level != ((control_ & kInvert) != 0);
  pin_ = level;
  return edge && (control_ & kFunc) != 0 && core_.pulse(now);
}

void Timer::reset() {
  core_.reset();
  control_ = 0;
}

Drive Timer::drive() const {
  if ((control_ & kFunc) != 0 || (control_ & kOutput) == 0) return Drive::Released;
  return (control_ & kDatOut) != 0 ? Drive::High : Drive::Low;
}

std::uint32_t Timer::read(Register which, Cycle now) const {
  if (which == Register::Counter) return core_.counter();
  if (which == Register::Period) return core_.period();
  const bool status = core_.status(now);
  bool level = pin_;
  if ((control_ & kFunc) != 0 && (control_ & kInternal) != 0) {
    level = status != ((control_ & kInvert) != 0);
  } else if (drive() != Drive::Released) {
    level = drive() == Drive::High;
  }
  return control_ | (level ? kDatIn : 0) | (status ? kStatus : 0);
}

bool Timer::write(Register which, std::uint32_t value, Cycle now) {
  if (which == Register::Counter) return core_.setCounter(value, now);
  if (which == Register::Period) return core_.setPeriod(value, now);
  control_ = value & kWritable;
  const bool external = (value & kInternal) == 0;
  bool rises = core_.setMode((value & kClockMode) != 0, external ? &external_ : nullptr, now);
  const bool runs = (value & kHld) != 0;
  rises |= runs && (value & kGo) != 0 ? core_.restart(now) : core_.run(runs, now);
  return rises;
}

}  // namespace rtvp::c32
