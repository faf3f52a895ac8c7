// One processor of the array as a place in the module tree: its name in reports, its statistics and
// its debug view. It has no process: the array's engine executes all lanes (design.md section 8).
#pragma once

#include <optional>
#include <systemc>

#include "models/common/statistics.hpp"
#include "models/tigershark/lockstep_array.hpp"

namespace rtvp::tigershark {

class Dsp : public sc_core::sc_module {
 public:
  Dsp(const sc_core::sc_module_name& name, const LockstepArray& array, int lane)
      : sc_module(name), array_(array), lane_(lane) {}

  [[nodiscard]] LaneView view() const { return array_.engine().lane(lane_); }
  /// Internal memory or peripheral register without side effects; empty for an external address.
  [[nodiscard]] std::optional<std::uint32_t> peek(std::uint32_t address) const {
    return array_.engine().peek(lane_, address);
  }
  void report(common::StatGroup& stats) const;

 private:
  const LockstepArray& array_;
  int lane_;
};

}  // namespace rtvp::tigershark
