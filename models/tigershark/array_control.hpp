// What a debugger tells the arrays of a simulation, and hears from them. An array that nobody
// controls knows nothing of it.
#pragma once

#include <systemc>

#include "models/c32/port.hpp"

namespace rtvp::tigershark {

class LockstepArray;

class ArrayControl {
 public:
  virtual ~ArrayControl() = default;
  /// Every instruction is looked at: each begins in its own simulated time, and arrays do not run
  /// ahead of one another.
  [[nodiscard]] virtual bool stepping() const = 0;
  /// No instruction begins at this time or later.
  [[nodiscard]] virtual const sc_core::sc_time& limit() const = 0;
  /// Notified when one of the above has changed.
  [[nodiscard]] virtual const sc_core::sc_event& changed() const = 0;
  /// The lanes are about to run on: the place to ask for a stop.
  virtual void advancing() = 0;
  /// A lane has halted in front of a place (ArrayEngine::setStops()), other lanes may have run
  /// beyond that time: the simulation is of no further use.
  virtual void halted(LockstepArray& array, c32::Cycle cycle) = 0;
  /// stepping(): around the instructions that begin in `cycle`.
  virtual void before(LockstepArray& array, c32::Cycle cycle) = 0;
  virtual void after(LockstepArray& array, c32::Cycle cycle) = 0;
};

}  // namespace rtvp::tigershark
