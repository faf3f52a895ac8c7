// The C32's timers (c32.md 8.5). The counter is a function of time, so a running timer costs
// nothing between the transitions somebody waits for.
#pragma once

#include <cstdint>

#include "models/c32/bit_clock.hpp"
#include "models/c32/port.hpp"

namespace rtvp::common {
class StateArchive;
}

namespace rtvp::c32 {

/// Counter, period and status of a timer: two of 32 bits on the peripheral bus, two of 16 bits in
/// the serial port. Time is the peripheral clock, H1 cycles while neither IDLE2 nor LOPOWER acts.
class TimerCore {
 public:
  explicit TimerCore(unsigned bits) : last_(bits >= 32 ? ~0u : (1u << bits) - 1u) {}

  void reset();
  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);

  /// Brings the timer to `now`. True if TSTAT went from 0 to 1 on the way.
  bool advance(Cycle now);
  /// When TSTAT next goes from 0 to 1, kNever if it will not.
  [[nodiscard]] Cycle nextRise() const;

  // All of these with the timer already advanced to `now`; true if TSTAT rises at once.

  /// Counter to 0, then run.
  bool restart(Cycle now);
  /// Runs on, or holds counter and output.
  bool run(bool on, Cycle now);
  bool setCounter(std::uint32_t value, Cycle now);
  bool setPeriod(std::uint32_t value, Cycle now);
  /// Clock mode (TSTAT toggles) or pulse mode (TSTAT is 1 for one cycle); `external`: the clock
  /// that is counted instead of H1/2, null for internal.
  bool setMode(bool clockMode, const BitClock* external, Cycle now);
  /// One edge at the clock input, where no clock of known rate is connected.
  bool pulse(Cycle now);

  [[nodiscard]] std::uint32_t counter() const { return counter_; }
  [[nodiscard]] std::uint32_t period() const { return period_; }
  [[nodiscard]] bool running() const { return running_; }
  /// TSTAT at `now`, the cycle advanced to.
  [[nodiscard]] bool status(Cycle now) const {
    return clockMode_ ? status_ : (locked() && running_) || (pulsed_ && pulseAt_ == now);
  }

 private:
  /// Period and counter both 0: pulse mode keeps TSTAT set, clock mode toggles it every cycle.
  [[nodiscard]] bool locked() const { return period_ == 0 && counter_ == 0; }
  [[nodiscard]] std::uint64_t ticks(Cycle now) const;
  [[nodiscard]] Cycle timeOf(std::uint64_t tick) const;
  [[nodiscard]] std::uint64_t ticksToEvent() const;
  bool event(std::uint64_t count, Cycle at);
  bool entered(bool wasLocked, Cycle now);

  std::uint32_t last_;  // highest counter value
  std::uint32_t counter_ = 0;
  std::uint32_t period_ = 0;
  Cycle base_ = 0;  // counter_ was reached here
  BitClock clock_;  // external; not running: H1/2
  bool external_ = false;
  bool running_ = false;
  bool clockMode_ = false;
  bool status_ = false;  // clock mode
  bool pulsed_ = false;
  Cycle pulseAt_ = 0;
};

/// One timer with its three registers.
class Timer {
 public:
  enum class Register : std::uint8_t { Control, Counter, Period };

  /// `external`: the clock at TCLK, not running if nothing is connected.
  explicit Timer(const BitClock& external) : core_(32), external_(external) {}

  void reset();
  /// All of it, both ways (cpu_archive.cpp).
  void state(common::StateArchive& a);
  bool advance(Cycle now) { return core_.advance(now); }
  [[nodiscard]] Cycle nextRise() const { return core_.nextRise(); }
  [[nodiscard]] bool running() const { return core_.running(); }

  /// Timer advanced to `now`.
  [[nodiscard]] std::uint32_t read(Register which, Cycle now) const;
  /// True if the write makes TSTAT rise.
  bool write(Register which, std::uint32_t value, Cycle now);
  /// Level outside at the TCLK pin. As clock input it counts the edge to high (INV: to low); true
  /// if that makes TSTAT rise.
  bool setPin(bool level, Cycle now);
  /// What the pin drives as general output: only there is it a signal of its own.
  [[nodiscard]] Drive drive() const;

 private:
  TimerCore core_;
  BitClock external_;
  std::uint32_t control_ = 0;
  bool pin_ = false;
};

}  // namespace rtvp::c32
