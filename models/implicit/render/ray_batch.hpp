// Rays of a list side by side: f of many at once where they wait for the same code. Results,
// counters and events are those of one traceRay() after the other, the plain twin, which runs where
// somebody watches.
//
// Invariants: a ray's numbers depend on no other ray, so which of them wait together is open; what
// a ray counts is its own, and its events are kept and told later, ray by ray.
#pragma once

#include <optional>
#include <variant>

#include "models/implicit/render/batch.hpp"
#include "models/implicit/render/ray_pass.hpp"

namespace rtvp::implicit::render {

class RayBatch {
 public:
  /// Objects and settings must outlive it; it takes up to `most` rays. Throws std::invalid_argument
  /// for settings that cannot be.
  RayBatch(std::span<const Placed> objects, const Settings& settings, std::size_t most);

  /// One more ray, the target `number` of its events; its work is added to `counters`, which must
  /// outlive the batch.
  void add(const WorldRay& ray, Counters& counters, std::uint32_t number);
  /// Traces what was added.
  void run();
  /// Of the ray that was added `n`th, from 0: what traceRay() would have told.
  HitRecord tell(std::size_t n, Observer& observer) const;

 private:
  /// An event of a ray, and the ray's next one.
  struct Side {
    std::uint32_t object, target;
  };
  struct Store {
    std::uint32_t target;
  };
  struct Kept {
    std::variant<TraceEvent, ShadeEvent, Side, Store> event;
    std::uint32_t next = kLast;

    template <class Event>
    explicit Kept(const Event& what) : event(what) {}
  };
  static constexpr std::uint32_t kLast = 0xFFFFFFFF;

  /// Keeps a ray's events among those of all rays, to tell them in their order.
  class Log final : public Observer {
   public:
    explicit Log(std::vector<Kept>& kept) : kept_(kept) {}
    void trace(const TraceEvent& event) override { keep(event); }
    void shade(const ShadeEvent& event) override { keep(event); }
    void side(std::uint32_t object, std::uint32_t target) override { keep(Side{object, target}); }
    void store(std::uint32_t target) override { keep(Store{target}); }
    void tell(Observer& observer) const;

   private:
    template <class Event>
    void keep(const Event& event) {
      link();
      kept_.emplace_back(event);
    }
    void link();
    std::vector<Kept>& kept_;
    std::uint32_t first_ = kLast, last_ = kLast;
  };
  struct Ray {
    Ray(std::vector<Kept>& kept, std::span<const Placed> objects, const Settings& settings,
        Counters& counters, const WorldRay& ray, std::uint32_t number)
        : log(kept), pass(objects, settings, counters, log, ray, number) {}
    Log log;
    RayPass pass;
  };
  /// A ray, and what it waits for.
  struct Waiting {
    RayPass::Due due;
    const Code* code;
    RayPass* pass;
    [[nodiscard]] bool with(const Waiting& other) const {
      return due == other.due && code == other.code;
    }
  };

  /// What some rays wait for, and how many, or where the next of them is put.
  struct Kind {
    Waiting first;
    std::size_t count;
  };
  static constexpr std::size_t kMostKinds = 12;

  void order();
  void sort();
  void round(std::span<const Waiting> same);
  void sides(std::span<const Waiting> same);
  void traces(std::span<const Waiting> same);
  void gradients(std::span<const Waiting> same);
  void normals(std::span<const Waiting> same);
  std::span<const Placed> objects_;
  const Settings& settings_;
  PointBatch points_;
  std::vector<std::optional<Ray>> rays_;  ///< `added_` of them
  std::size_t added_ = 0;
  std::vector<Kept> kept_;
  std::vector<Waiting> waiting_, ordered_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_;  ///< of each that waits
  std::vector<Tracer*> tracers_;
};

}  // namespace rtvp::implicit::render
