// What a machine offers to the debugger: its processors, their program, and a hand on their
// progress.
#pragma once

#include <systemc>
#include <vector>

#include "models/debug/dialogue.hpp"
#include "models/tigershark/array_control.hpp"

namespace rtvp::platform {

class DebugPort;

/// What the debugger tells machines, and hears from them.
class DebugControl : public tigershark::ArrayControl {
 public:
  /// The moment that a stop shows.
  [[nodiscard]] virtual const sc_core::sc_time& moment() const = 0;

  // From units that are no array's lanes, by their number in the port.
  /// One has halted in front of a place, with what began before that time behind it. True: others
  /// may have run beyond, and the simulation is of no further use; else the user has spoken.
  virtual bool haltedAt(const DebugPort& port, std::size_t unit, const sc_core::sc_time& time) = 0;
  /// stepping(): around an instruction. It shows at `moment`.
  virtual void begins(const DebugPort& port, std::size_t unit) = 0;
  virtual void ended(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) = 0;
  /// stepping(): the unit has got other work, and stands at its first instruction.
  virtual void arrived(const DebugPort& port, std::size_t unit, const sc_core::sc_time& moment) = 0;
};

/// Around the instructions of some units that begin in one cycle.
class DebugObserver {
 public:
  virtual ~DebugObserver() = default;
  virtual void before(std::size_t unit) = 0;
  /// `entry`: not an instruction but the entry of an interrupt.
  virtual void after(std::size_t unit, const debug::Effects* entry) = 0;
  /// Something of DebugPort::events() has happened, at a unit or at the first of its group.
  virtual void event(std::size_t unit, std::string_view name, std::int64_t value,
                     const std::string& text) = 0;
  /// What the unit can read may have changed without it.
  virtual void look(std::size_t unit) = 0;
};

class DebugPort {
 public:
  virtual ~DebugPort() = default;
  [[nodiscard]] virtual std::vector<debug::Unit*> units() = 0;
  /// What they run.
  [[nodiscard]] virtual debug::Program program() const = 0;
  /// Of their clock.
  [[nodiscard]] virtual double hertz() const = 0;
  /// What the observer can be told.
  [[nodiscard]] virtual std::vector<debug::EventKind> events() const { return {}; }
  /// The units may have code there.
  [[nodiscard]] virtual bool reaches(std::uint64_t address) const = 0;
  /// Before the simulation.
  virtual void attach(DebugControl& control) = 0;
  /// Simulated time is `time`, the control's limit: every unit comes to stand behind its last
  /// instruction begun before it.
  virtual void comeTo(const sc_core::sc_time& time) = 0;
  /// The earliest time that no unit has run beyond.
  [[nodiscard]] virtual sc_core::sc_time furthest() = 0;
  /// Begin of cycle `cycle` of the units' clock.
  [[nodiscard]] virtual sc_core::sc_time timeOf(std::uint64_t cycle) const = 0;
  /// Units halt in front of these addresses in free runs, those of `units` that are true: the
  /// control's halted() tells. Those that stand there now go on. False: not possible there; none
  /// halts then.
  virtual bool setStops(const std::vector<std::uint64_t>& addresses,
                        const std::vector<bool>& units) = 0;
  /// The array's units, for before() and after() of the control: all are told to `observer`.
  /// `first`: number of this port's first unit. False: the array is not this port's.
  virtual bool before(const tigershark::LockstepArray& array, std::size_t first,
                      DebugObserver& observer) {
    (void)array, (void)first, (void)observer;
    return false;
  }
  virtual void after(const tigershark::LockstepArray& array, std::size_t first,
                     DebugObserver& observer) {
    (void)array, (void)first, (void)observer;
  }
  /// The units can read what is not their own, and changes by itself. Such a port is the first.
  [[nodiscard]] virtual bool polled() const { return false; }
  /// Each cycle while somebody looks at that.
  virtual void poll(std::size_t first, DebugObserver& observer) { (void)first, (void)observer; }
};

}  // namespace rtvp::platform
