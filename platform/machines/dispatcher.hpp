// Rays to machines by policy: the hit finder of a run with several machines. It gives batches to
// every machine without waiting for the last, and collects; what it gives to whom depends on
// simulated time only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/common/statistics.hpp"
#include "platform/machines/agent.hpp"
#include "platform/machines/policy.hpp"
#include "platform/machines/share_pool.hpp"
#include "platform/raytree/hit_finder.hpp"
#include "platform/report/hits.hpp"
#include "platform/scene/scene.hpp"

namespace rtvp::platform {

/// What the machines of a race said, beside the first one's answers.
struct RaceResult {
  /// Of each racer but the first: the primary hits that it found, by rows of the crop; empty unless
  /// hits are one a pixel.
  std::vector<report::HitDump> dumps;
  report::HitDump first;
  std::uint64_t rays = 0;       ///< raced
  std::uint64_t different = 0;  ///< another element, or blocked for one and free for another
};

class Dispatcher final : public host::HitFinder {
 public:
  struct Picture {
    host::Crop crop;
    int samples = 1;
    [[nodiscard]] std::uint64_t eyeRays() const {
      return static_cast<std::uint64_t>(crop.width) * static_cast<std::uint64_t>(crop.height) *
             static_cast<std::uint64_t>(samples);
    }
  };

  /// Keeps references; the agents outlive the dispatcher.
  Dispatcher(const scene::Scene& scene, const Picture& picture, Policy policy,
             std::vector<std::unique_ptr<Agent>>& agents, host::HostBus& bus);

  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override;
  void traceEye(std::span<const host::Ray> rays, std::span<const host::EyePosition> positions,
                std::span<host::Hit> hits) override;

  [[nodiscard]] const RaceResult& race() const { return race_; }
  void report(common::StatGroup& stats) const;
  /// For checkpoints, between two batches.
  void state(common::StateArchive& a);

 private:
  void give(std::size_t agent, RayClass rayClass, std::span<const host::Ray> rays,
            std::span<const host::EyePosition> positions, std::span<host::Hit> hits);
  void raceAll(RayClass rayClass, std::span<const host::Ray> rays,
               std::span<const host::EyePosition> positions, std::span<host::Hit> hits);
  void compare(std::span<const host::Ray> rays, std::span<const host::EyePosition> positions,
               const std::vector<std::vector<host::Hit>>& answers);
  void record(report::HitDump& dump, const host::Ray& ray, const host::EyePosition& at,
              const host::Hit& hit) const;
  void await(std::span<Batch> batches);

  const scene::Scene& scene_;
  Picture picture_;
  Policy policy_;
  std::vector<std::unique_ptr<Agent>>& agents_;
  host::HostBus& bus_;
  std::unique_ptr<SharePool> pool_;  ///< of a policy that shares
  std::uint64_t seen_ = 0, batches_ = 0;
  RaceResult race_;
};

}  // namespace rtvp::platform
