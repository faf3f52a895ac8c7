#include "models/tigershark/dsp.hpp"

#include <algorithm>

namespace rtvp::tigershark {

void Dsp::report(common::StatGroup& stats) const {
  const LaneView v = view();
  stats.count("instructions", "instructions", "instructions executed", v.instructions);
  stats.count("cycles_busy", "cycles", "executing instructions", v.executing);
  stats.count("cycles_bus_wait", "cycles", "waiting for the shared memory", v.busWait);
  stats.count("cycles_barrier", "cycles", "held at a barrier", v.held);
  stats.count("cycles_idle", "cycles", "in IDLE", v.idleCycles);
}

}  // namespace rtvp::tigershark
