// Clock cycles against simulated time where the frequency, not the period, is a whole number: 30
// MHz has no period in picoseconds. Times are always derived from the count, so that rounding never
// accumulates (style.md S19). Clocks with a period: ClockDomain.
#pragma once

#include <cstdint>
#include <systemc>

namespace rtvp::common {

class HertzClock {
 public:
  using Cycle = std::uint64_t;

  /// `hz` is not 0.
  explicit HertzClock(std::uint64_t hz) : hz_(hz) {}

  /// When cycle `cycle` begins: floor(cycle * 1e12 / Hz) ps.
  [[nodiscard]] sc_core::sc_time timeOf(Cycle cycle) const {
    return sc_core::sc_time::from_value(
        static_cast<std::uint64_t>(static_cast<Wide>(cycle) * kSecond / hz_));
  }
  /// First cycle that begins at `time` or later; timeOf and cycleAt are inverse to each other.
  [[nodiscard]] Cycle cycleAt(const sc_core::sc_time& time) const {
    // floor(c * s / hz) <= t  <=>  c <= floor((t * hz + hz - 1) / s)
    return static_cast<Cycle>((static_cast<Wide>(time.value()) * hz_ + kSecond - 1) / kSecond);
  }
  [[nodiscard]] std::uint64_t hz() const { return hz_; }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr Wide kSecond = 1'000'000'000'000ULL;  // ps; sc_time's default resolution

  std::uint64_t hz_;
};

}  // namespace rtvp::common
