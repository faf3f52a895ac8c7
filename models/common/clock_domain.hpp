// Clock cycles against simulated time, for every module whose clock has a period.
//
// Times are always derived from the count, so that rounding never accumulates (style.md S19). A
// clock whose frequency is no whole number of picoseconds a period is another matter: BoardClock.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <systemc>

namespace rtvp::common {

/// Clock cycles: a number of them, or the one that begins that many periods after time 0.
using Cycle = std::uint64_t;

class ClockDomain {
 public:
  /// Throws std::invalid_argument, which names `owner`, for a period of 0.
  explicit ClockDomain(const sc_core::sc_time& period, const char* owner = "clock")
      : period_(period.value()) {
    if (period_ == 0)
      throw std::invalid_argument(std::string(owner) + ": the clock period must not be 0");
  }

  /// The first cycle that begins at `time` or later; of a duration, the whole cycles it takes.
  [[nodiscard]] Cycle at(const sc_core::sc_time& time) const {
    return (time.value() + period_ - 1) / period_;
  }
  /// When cycle `cycle` begins; how long `cycle` of them last.
  [[nodiscard]] sc_core::sc_time of(Cycle cycle) const {
    return sc_core::sc_time::from_value(cycle * period_);
  }
  /// The cycle that begins now or next.
  [[nodiscard]] Cycle now() const { return at(sc_core::sc_time_stamp()); }
  [[nodiscard]] sc_core::sc_time period() const { return sc_core::sc_time::from_value(period_); }

 private:
  std::uint64_t period_;  ///< in units of the kernel's resolution
};

}  // namespace rtvp::common
