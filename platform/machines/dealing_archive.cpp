// State of how rays are dealt out to machines as bytes, and back: between two batches.
#include <algorithm>

#include "models/common/core/state.hpp"
#include "platform/machines/crew.hpp"
#include "platform/machines/dispatcher.hpp"
#include "platform/machines/share_pool.hpp"
#include "platform/machines/together.hpp"

namespace rtvp::platform {

using common::StateArchive;

void Agent::state(StateArchive& a) {
  a(corrections_, lastCorrection_, queuedEnd_, counters_.batches, counters_.rays, counters_.classes,
    counters_.startTime, counters_.busyTime);
}

void SharePool::state(StateArchive& a) {
  a(seen_, eyeSeen_);
}

void Dispatcher::state(StateArchive& a) {
  a.mark("dispatcher");
  a(seen_, batches_, race_.rays, race_.different);
  const auto rows = [&a](report::HitDump& dump) {
    for (report::HitRow& row : dump) a(row.prim, row.t, row.u, row.v);
  };
  rows(race_.first);
  std::for_each(race_.dumps.begin(), race_.dumps.end(), rows);
  if (pool_) a(*pool_);
}

std::vector<Agent*> Crew::agents() const {
  std::vector<Agent*> all;
  for (const auto& agent : agents_) all.push_back(agent.get());
  if (functionsAgent_) all.push_back(functionsAgent_.get());
  return all;
}

bool Crew::quiescent() const {
  const std::vector<Agent*> all = agents();
  return std::all_of(all.begin(), all.end(),
                     [](const Agent* agent) { return !agent->started() || agent->free(); });
}

void Crew::atWork(StateArchive& a, host::HostBus& bus) {
  a.mark("machines at work");
  for (Agent* const agent : agents()) {
    bool started = agent->started();
    a(started);
    if (started) agent->begin();
  }
  if (a.reading()) bus.awaitTask([this] { return quiescent(); }, "machines to get ready");
}

void Crew::state(StateArchive& a) {
  for (Agent* const agent : agents()) a(*agent);
  if (dispatcher_) a(*dispatcher_);
  if (together_) a(*together_);
}

}  // namespace rtvp::platform
