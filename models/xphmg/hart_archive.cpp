// State of the hart on a bus while it sleeps as bytes, and back.
#include "models/common/core/state.hpp"
#include "models/xphmg/hart_module.hpp"

namespace rtvp::xphmg {

using common::StateArchive;

bool HartModule::quiescent() const {
  return rest_ != Rest::None;
}

/// The process that is to go on from here sleeps. Where the state is that of a hart that does not,
/// it is woken when simulated time has caught up with it, as that one was.
void HartModule::state(StateArchive& a) {
  a.mark("hart on its bus");
  a(machine_, extension_, inline_port_, config_.max_instructions, rest_, asleepSince_, idle_cycles_,
    blocked_cycles_, device_cycles_, inline_cycles_, device_accesses_, device_errors_, interrupts_);
  if (!a.reading() || rest_ == Rest::Asleep) return;
  const sc_core::sc_time local = clock_.of(machine_.hart().cycle());
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  wake_event_.notify(local > now ? local - now : sc_core::SC_ZERO_TIME);
}

}  // namespace rtvp::xphmg
