// State of an array whose lanes sleep as bytes, and back, whichever engine
// goes on with them.
#include <algorithm>

#include "models/common/core/state.hpp"
#include "models/tigershark/scalar_array.hpp"
#include "models/tigershark/scalar_lane.hpp"
#include "models/tigershark/simt_array.hpp"

namespace rtvp::tigershark {

using common::StateArchive;

void WireOr::state(StateArchive& a) {
  for (Lane& lane : lanes_) {
    for (Low& low : lane.low) a(low.from, low.to);
    a(lane.newest);
    lane.newest %= kHistory;
  }
}

bool ScalarArray::asleep() const {
  return !anyError_ && !failed_ && arrived_ == 0 && log_.empty() && answered_.empty() &&
         std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) {
           return lane->state == Lane::State::Idle && !lane->arrived && lane->cpu.idle() &&
                  lane->cpu.atRest() && lane->station.nextEvent() == c32::kNever;
         });
}

void ScalarArray::state(StateArchive& a) {
  a.mark("array");
  for (auto& lane : lanes_) {
    lane->station.handOver();
    a(lane->xf0, lane->xf1, lane->arrival, lane->heldUntil, lane->pinsAt, lane->cpu);
    if (!a.reading()) continue;
    lane->state = Lane::State::Idle;
    lane->arrived = false;
    lane->logIndex = 0;
  }
  a(vote_, lastArrival_, frontier_, counters_);
  std::uint64_t samples = samples_.size();
  a(samples);
  if (a.reading()) samples_.clear();
  for (std::uint64_t i = 0; i < samples; ++i) {
    if (a.reading()) samples_.emplace_back();
    a(samples_[i].seen, samples_[i].high);
  }
}

bool SimtArray::asleep() const {
  return !machine_.active() && !running_ && waitingWords_.empty() && scalar_.asleep();
}

/// What the machine has learned of the program is speed, and learned again.
void SimtArray::state(StateArchive& a) {
  scalar_.state(a);
  if (a.reading()) released_ = atBarrier_ = false;
}

}  // namespace rtvp::tigershark
