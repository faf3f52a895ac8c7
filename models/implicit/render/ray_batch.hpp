// Rays of a list side by side: f of many at once where they wait for the same code. Results,
// counters and events are those of one traceRay() after the other.
#pragma once

#include <deque>
#include <variant>

#include "models/implicit/render/batch.hpp"
#include "models/implicit/render/ray_pass.hpp"

namespace rtvp::implicit::render {

class RayBatch {
 public:
  /// Both must outlive it. Throws std::invalid_argument for settings that cannot be.
  RayBatch(std::span<const Placed> objects, const Settings& settings);

  /// One more ray, the target `number` of its events; its work is added to `counters`, which must
  /// outlive the batch.
  void add(const WorldRay& ray, Counters& counters, std::uint32_t number);
  /// Traces what was added.
  void run();
  /// Of the ray that was added `n`th, from 0: what traceRay() would have told.
  HitRecord tell(std::size_t n, Observer& observer) const;

 private:
  /// Keeps events, to tell them in their order.
  class Log final : public Observer {
   public:
    void trace(const TraceEvent& event) override { events_.emplace_back(event); }
    void shade(const ShadeEvent& event) override { events_.emplace_back(event); }
    void side(std::uint32_t object, std::uint32_t target) override {
      events_.emplace_back(Side{object, target});
    }
    void store(std::uint32_t target) override { events_.emplace_back(Store{target}); }
    void tell(Observer& observer) const;

   private:
    struct Side {
      std::uint32_t object, target;
    };
    struct Store {
      std::uint32_t target;
    };
    std::vector<std::variant<TraceEvent, ShadeEvent, Side, Store>> events_;
  };
  struct Ray {
    Ray(std::span<const Placed> objects, const Settings& settings, Counters& counters,
        const WorldRay& ray, std::uint32_t number)
        : pass(objects, settings, counters, log, ray, number) {}
    Log log;
    RayPass pass;
  };
  /// A ray, and what it waits for.
  struct Waiting {
    RayPass::Due due;
    const Code* code;
    std::uint32_t ray;
  };

  void round(std::span<const Waiting> same);
  void sides(std::span<const Waiting> same);
  void traces(std::span<const Waiting> same);
  void gradients(std::span<const Waiting> same);
  void normals(std::span<const Waiting> same);
  RayPass& pass(const Waiting& waiting) { return rays_[waiting.ray].pass; }

  std::span<const Placed> objects_;
  const Settings& settings_;
  PointBatch points_;
  std::deque<Ray> rays_;  // a deque: they stay where they are
  std::vector<Tracer*> tracers_;
};

}  // namespace rtvp::implicit::render
