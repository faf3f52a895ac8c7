// A machine with a queue: its driver runs as a task of the host's processor and works off batches
// of rays that others submit, so that several machines are busy at once.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <systemc>
#include <utility>

#include "models/common/statistics.hpp"
#include "platform/drivers/host_process.hpp"
#include "platform/machines/machine.hpp"
#include "platform/machines/policy.hpp"
#include "platform/machines/together.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::platform {

/// Rays of one class for one machine. Lives until it is done.
struct Batch {
  RayClass rayClass = RayClass::Eye;
  std::span<const host::Ray> rays;
  std::span<const host::EyePosition> positions;  ///< of the machine's own eye rays; else empty
  std::span<host::Hit> hits;
  bool done = false;
};

/// Of a ray that is no eye ray.
[[nodiscard]] inline RayClass classOf(const host::Ray& ray) {
  return ray.kind == host::Ray::Kind::Any ? RayClass::Shadow : RayClass::Secondary;
}

class Agent {
 public:
  /// Keeps references. `elements`: what the machine's elements are called in the whole scene; empty
  /// if they are the same.
  Agent(Machine& machine, host::HostBus& bus, const Estimate& estimate,
        std::span<const std::uint32_t> elements, Together& together);

  [[nodiscard]] const Machine& machine() const { return machine_; }

  /// Puts the machine to work, if nobody has yet, with this priority on the processor. Returns at
  /// once.
  void begin(int priority = 0);
  /// It has answered a batch: what it needs is no guess any more.
  [[nodiscard]] bool measured() const { return counters_.batches > 0; }
  [[nodiscard]] bool started() const { return started_; }
  /// At work, and with nothing to do.
  [[nodiscard]] bool free() const { return ready_ && queue_.empty() && current_ == nullptr; }
  /// `told` is called, as a task of the processor, when the machine is at work and whenever it has
  /// answered a batch.
  void whenFree(std::function<void()> told) { free_ = std::move(told); }
  /// Queues a batch for a machine that is at work, or soon. Returns at once.
  void submit(Batch& batch);
  [[nodiscard]] double secondsToSetUp() const { return estimate_.setUp; }
  [[nodiscard]] std::size_t grain() const { return estimate_.grain; }
  /// Seconds that one more ray of a class takes.
  [[nodiscard]] double secondsPerRay(RayClass rays) const {
    return estimate_.perRay * correctionOf(rays);
  }
  [[nodiscard]] double secondsPerBatch(RayClass rays) const {
    return estimate_.perBatch * correctionOf(rays);
  }
  /// When it could begin with something new: set-up and queue included.
  [[nodiscard]] double expectedStart() const;

  void report(common::StatGroup& stats) const;
  /// For checkpoints, while it is free: what it has learned and counted.
  void state(common::StateArchive& a);

 private:
  void work();
  void trace(Batch& batch);
  void learn(RayClass rayClass, std::size_t rays, double seconds);
  [[nodiscard]] double secondsFor(RayClass rayClass, std::size_t rays) const {
    return (estimate_.perBatch + estimate_.perRay * static_cast<double>(rays)) *
           correctionOf(rayClass);
  }
  /// What was measured of this class, to what was expected; before that, what was of any.
  [[nodiscard]] double correctionOf(RayClass rayClass) const {
    const double own = corrections_[static_cast<std::size_t>(rayClass)];
    return own > 0 ? own : lastCorrection_;
  }

  Machine& machine_;
  /// What the task waits for. Not on its stack, which nobody clears when the simulation ends.
  const std::string wants_ = "rays for " + machine_.name();
  host::HostBus& bus_;
  std::span<const std::uint32_t> elements_;
  Estimate estimate_;
  Together& together_;
  std::array<double, kRayClasses> corrections_{};  ///< 0: not measured
  double lastCorrection_ = 1;
  bool started_ = false, ready_ = false;
  std::deque<Batch*> queue_;
  const Batch* current_ = nullptr;
  double queuedEnd_ = 0;  ///< expected, seconds
  std::function<void()> free_;
  struct Counters {
    std::uint64_t batches = 0, rays = 0;
    std::array<std::uint64_t, kRayClasses> classes{};
    sc_core::sc_time startTime, busyTime;
  } counters_;
};

/// An agent as a hit finder for any number of tasks: their batches wait in its queue.
class AgentFinder final : public host::HitFinder {
 public:
  /// Keeps references.
  AgentFinder(Agent& agent, host::HostBus& bus) : agent_(agent), bus_(bus) {}
  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override;
  void traceEye(std::span<const host::Ray> rays, std::span<const host::EyePosition> positions,
                std::span<host::Hit> hits) override;

 private:
  void ask(Batch batch);

  Agent& agent_;
  host::HostBus& bus_;
};

}  // namespace rtvp::platform
