// State of the unit without a job as bytes, and back: registers and ring; the rest is
// engine_archive.cpp's. Objects and their hulls are made again by the
// jobs that the driver starts with.
#include "models/common/core/state.hpp"
#include "models/implicit/unit/implicit_unit.hpp"

namespace rtvp::implicit::unit {

using common::StateArchive;

bool ImplicitUnit::quiescent() const {
  return !busy_ && !halted_ && !resetting_ && !flushing_ && pending() == 0;
}

void ImplicitUnit::state(StateArchive& a) {
  a.mark("implicit");
  a(engine_, file_, head_, job_begin_, base_.totals, base_.clock, total_, lost_, resets_, accesses_,
    errors_);
  if (a.reading()) interrupt_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace rtvp::implicit::unit
