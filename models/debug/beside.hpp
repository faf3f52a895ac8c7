// Units that run in processes of their own, beside those that a driver runs one after the other (a
// shading unit beside a hart). While one of all of them is shown the others stand where they have
// come to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/debug/program.hpp"
#include "models/debug/unit.hpp"

namespace rtvp::debug {

/// What they tell the driver, by their number, from 0 on. Each call may give the user the word; the
/// units then go on as the user wants.
class BesideHost {
 public:
  virtual ~BesideHost() = default;
  /// Each instruction is told.
  [[nodiscard]] virtual bool looking() const = 0;
  virtual void unitBegins(std::size_t unit) = 0;
  virtual void unitEnded(std::size_t unit) = 0;
  /// It has got other work.
  virtual void unitArrived(std::size_t unit) = 0;
  /// Not looking: it is in front of one of the addresses of setHalts().
  virtual void unitHalted(std::size_t unit) = 0;
  /// Now and then.
  virtual void unitsAdvance() = 0;
};

class Beside {
 public:
  virtual ~Beside() = default;
  [[nodiscard]] virtual std::vector<Unit*> units() = 0;
  /// Before the simulation.
  virtual void attach(BesideHost& host) = 0;
  /// Adds what they run to a driver's program; `first`: number of the first of them there.
  virtual void describe(Program& program, std::size_t first) const = 0;
  /// From here on they halt in front of these addresses, by unit; who stands there now goes on.
  virtual void setHalts(const std::vector<std::vector<std::uint64_t>>& halts) = 0;
};

}  // namespace rtvp::debug
