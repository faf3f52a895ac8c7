// A clock of any rate seen from H1, in exact rational arithmetic: the serial port's bit clock, the
// timers' external inputs.
#pragma once

#include <cstdint>

#include "models/c32/port.hpp"

namespace rtvp::c32 {

/// H1 cycles per edge as a fraction. Edge 0 is at cycle 0.
struct BitClock {
  std::uint64_t cyclesNumerator = 0;  ///< 0: no clock
  std::uint64_t cyclesDenominator = 1;

  [[nodiscard]] bool running() const { return cyclesNumerator != 0; }
  /// First edge at or after H1 cycle `c`.
  [[nodiscard]] std::uint64_t edgeFrom(Cycle c) const;
  /// First H1 cycle at or after edge `k`.
  [[nodiscard]] Cycle cycleOf(std::uint64_t k) const;
};

}  // namespace rtvp::c32
