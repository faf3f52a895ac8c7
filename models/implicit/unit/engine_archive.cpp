// State of the engine without a job as bytes, and back: port, cores with their caches, totals.
// Objects and their hulls are made again by the jobs that a driver starts with.
#include "models/common/core/state.hpp"
#include "models/implicit/unit/engine.hpp"

namespace rtvp::implicit::unit {

using common::StateArchive;

void stateOf(StateArchive& a, EngineTotals& t) {
  a(t.counters);
  a.sized(t.cores);
  a(t.traffic, t.front, t.jobs, t.faults, t.kinds);
}

void Cache::state(StateArchive& a) {
  a.sized(ways_);
  a(clock_);
}

void Core::state(StateArchive& a) {
  for (Cache& cache : caches_) a(cache);
  a(counters_, now_, arrival_);
}

void Cores::state(StateArchive& a) {
  for (Core& core : cores_) a(core);
  a(numbered_, written_, written_at_);
}

void Port::state(StateArchive& a) {
  a(free_, totals_);
}

void Engine::state(StateArchive& a) {
  std::uint64_t words = store_.words_used;
  a(words);
  if (words != store_.words_used) {
    throw common::StateError("the state has hulls of another size than this run has made");
  }
  a(port_, cores_, counters_, begin_, kind_, totals_);
}

}  // namespace rtvp::implicit::unit
