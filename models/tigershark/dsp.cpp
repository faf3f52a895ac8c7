#include "models/tigershark/dsp.hpp"

namespace rtvp::tigershark {

void Dsp::report(common::StatGroup& stats) const {
  const c32::CpuStatistics s = array_.laneTotals(lane_);
  stats.count("instructions", "instructions", "instructions executed", s.instructions);
  stats.count("cycles", "cycles", "H1 cycles out of reset", s.totalCycles());
  stats.count("cycles_busy", "cycles", "executing instructions", s.executing);
  stats.count("cycles_bus_wait", "cycles", "waiting for the shared memory", s.busWait);
  stats.count("cycles_barrier", "cycles", "held at a barrier", s.held);
  stats.count("cycles_conflict", "cycles", "lost to conflicts inside the processor: pipeline, DMA",
              s.registerConflict + s.ramConflict + s.executeOnly + s.dmaConflict);
  stats.count("cycles_interrupt", "cycles", "entering interrupt routines", s.interruptEntry);
  stats.count("cycles_idle", "cycles", "in IDLE", s.idle);
  stats.count("cycles_other", "cycles", "reset release, interlocks, low-power mode",
              s.interlockWait + s.lowPower + s.reset);
}

}  // namespace rtvp::tigershark
