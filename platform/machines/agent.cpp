// See agent.hpp.
#include "platform/machines/agent.hpp"

#include <algorithm>

namespace rtvp::platform {

Agent::Agent(Machine& machine, host::HostBus& bus, const Estimate& estimate,
             std::span<const std::uint32_t> elements, Together& together)
    : machine_(machine), bus_(bus), elements_(elements), estimate_(estimate), together_(together) {}

void Agent::begin(int priority) {
  if (started_) return;
  queuedEnd_ = bus_.now().to_seconds() + estimate_.setUp;
  started_ = true;
  bus_.spawn(machine_.name(), priority, [this] { work(); });
}

void Agent::submit(Batch& batch) {
  begin();
  queuedEnd_ = expectedStart() + secondsFor(batch.rayClass, batch.rays.size());
  queue_.push_back(&batch);
  bus_.wake();
}

double Agent::expectedStart() const {
  const double now = bus_.now().to_seconds();
  if (!started_) return now + estimate_.setUp;
  return queue_.empty() && current_ == nullptr && ready_ ? now : std::max(now, queuedEnd_);
}

void Agent::work() {
  const sc_core::sc_time begin = bus_.now();
  machine_.start(bus_);
  counters_.startTime = bus_.now() - begin;
  ready_ = true;
  bus_.wake();
  for (;;) {
    if (free_ && free()) free_();
    bus_.awaitTask([this] { return !queue_.empty(); }, wants_);
    Batch& batch = *queue_.front();
    queue_.pop_front();
    current_ = &batch;
    machine_.showBusy(true);
    together_.begin(bus_.now());
    trace(batch);
    together_.end(bus_.now());
    machine_.showBusy(false);
    current_ = nullptr;
    batch.done = true;
    bus_.wake();
  }
}

void Agent::trace(Batch& batch) {
  const sc_core::sc_time begin = bus_.now();
  host::HitFinder& finder = *machine_.finder();
  if (batch.positions.empty()) {
    finder.trace(batch.rays, batch.hits);
  } else {
    finder.traceEye(batch.rays, batch.positions, batch.hits);
  }
  if (!elements_.empty()) {
    for (host::Hit& hit : batch.hits) {
      if (hit.element == scene::kNoElement) continue;
      if (hit.element >= elements_.size()) {
        throw host::HitFault(machine_.name() + " names element " + std::to_string(hit.element) +
                             ", which it was not given");
      }
      hit.element = elements_[hit.element];
    }
  }
  const sc_core::sc_time taken = bus_.now() - begin;
  counters_.busyTime += taken;
  ++counters_.batches;
  counters_.rays += batch.rays.size();
  counters_.classes[static_cast<std::size_t>(batch.rayClass)] += batch.rays.size();
  learn(batch.rayClass, batch.rays.size(), taken.to_seconds());
}

/// The first measurement replaces the guess; later ones are averaged, so that a batch of unusual
/// rays does not throw the sharing about.
void Agent::learn(RayClass rayClass, std::size_t rays, double seconds) {
  const double expected = estimate_.perBatch + estimate_.perRay * static_cast<double>(rays);
  if (!(expected > 0) || !(seconds > 0)) return;
  double& own = corrections_[static_cast<std::size_t>(rayClass)];
  const double ratio = seconds / expected;
  own = own > 0 ? 0.5 * own + 0.5 * ratio : ratio;
  lastCorrection_ = own;
  double end = bus_.now().to_seconds();
  for (const Batch* const batch : queue_) end += secondsFor(batch->rayClass, batch->rays.size());
  queuedEnd_ = end;
}

void Agent::report(common::StatGroup& stats) const {
  stats.count("batches", "batches", "batches of rays given to this machine", counters_.batches);
  stats.count("rays", "rays", "rays in these", counters_.rays);
  for (std::size_t i = 0; i < kRayClasses; ++i) {
    const std::string name(nameOf(static_cast<RayClass>(i)));
    stats.count(name + "_rays", "rays", name + " rays among them", counters_.classes[i]);
  }
  stats.count("start_ps", "ps", "simulated time to put the machine to work",
              counters_.startTime.value());
  stats.count("busy_ps", "ps", "simulated time with a batch under way", counters_.busyTime.value());
}

void AgentFinder::trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) {
  if (!rays.empty()) ask({classOf(rays.front()), rays, {}, hits});
}

void AgentFinder::traceEye(std::span<const host::Ray> rays,
                           std::span<const host::EyePosition> positions,
                           std::span<host::Hit> hits) {
  if (!rays.empty()) ask({RayClass::Eye, rays, positions, hits});
}

void AgentFinder::ask(Batch batch) {
  agent_.submit(batch);
  bus_.awaitTask([&] { return batch.done; }, agent_.machine().name() + " to answer rays");
}

}  // namespace rtvp::platform
