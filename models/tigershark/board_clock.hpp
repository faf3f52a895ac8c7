// Board time: integer H1 cycles and serial bit clocks against sc_time, without accumulating
// rounding.
//
// A 30 MHz period is not a whole number of picoseconds, so times are always derived from the count
// (style.md S19): start of cycle c = floor(c * 1e12 / Hz) ps.
#pragma once

#include <cstdint>
#include <systemc>

#include "models/c32/port.hpp"
#include "models/common/hertz_clock.hpp"

namespace rtvp::tigershark {

class BoardClock {
 public:
  using Cycle = c32::Cycle;

  BoardClock(std::uint64_t clockHz, std::uint64_t bitHz) : clockHz_(clockHz), bitHz_(bitHz) {}

  [[nodiscard]] sc_core::sc_time timeOf(Cycle cycle) const {
    return common::HertzClock(clockHz_).timeOf(cycle);
  }

  /// First cycle that starts at `time` or later; timeOf and cycleAt are inverse to each other.
  [[nodiscard]] Cycle cycleAt(const sc_core::sc_time& time) const {
    return common::HertzClock(clockHz_).cycleAt(time);
  }

  /// Bit clock edge k lies at k / bitHz.
  [[nodiscard]] sc_core::sc_time timeOfBit(std::uint64_t bit) const {
    return picoseconds(ceilOf(bit, bitHz_));
  }
  /// First bit edge at `time` or later; inverse of timeOfBit, which rounds up: ceil(k s / Hz) >= t
  /// <=> k > (t-1) Hz / s.
  [[nodiscard]] std::uint64_t bitAt(const sc_core::sc_time& time) const {
    if (time.value() == 0) return 0;
    return static_cast<std::uint64_t>(static_cast<Wide>(time.value() - 1) * bitHz_ / kSecond) + 1;
  }
  /// First H1 cycle that starts at bit edge `bit` or later.
  [[nodiscard]] Cycle cycleOfBit(std::uint64_t bit) const {
    return static_cast<Cycle>((static_cast<Wide>(bit) * clockHz_ + bitHz_ - 1) / bitHz_);
  }

  /// Last bit edge that is not later than the start of `cycle`; undoes cycleOfBit.
  [[nodiscard]] std::uint64_t bitOfCycle(Cycle cycle) const {
    return static_cast<std::uint64_t>(static_cast<Wide>(cycle) * bitHz_ / clockHz_);
  }

  [[nodiscard]] std::uint64_t clockHz() const { return clockHz_; }
  [[nodiscard]] std::uint64_t bitHz() const { return bitHz_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kSecond =
      1'000'000'000'000ULL;  // picoseconds; sc_time's default resolution

  static sc_core::sc_time picoseconds(std::uint64_t ps) { return sc_core::sc_time::from_value(ps); }
  static std::uint64_t ceilOf(std::uint64_t count, std::uint64_t hz) {
    return static_cast<std::uint64_t>((static_cast<Wide>(count) * kSecond + hz - 1) / hz);
  }

  std::uint64_t clockHz_;
  std::uint64_t bitHz_;
};

}  // namespace rtvp::tigershark
