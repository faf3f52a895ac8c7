// What eye rays and rays of a list have in common: counters and events of traces, normal and
// material of a hit.
#pragma once

#include "models/implicit/render/batch.hpp"
#include "models/implicit/render/frame.hpp"
#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {

class Pipeline {
 public:
  Pipeline(const Settings& settings, Counters& counters, Observer& observer)
      : settings_(settings), counters_(counters), observer_(observer) {}

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] Counters& counters() { return counters_; }
  [[nodiscard]] Observer& observer() { return observer_; }
  /// Who sees evaluations from within, or null.
  [[nodiscard]] EvaluationWatch* watch() const { return observer_.watch(); }
  /// A ray in a leaf is done.
  void tell(const TraceEvent& event) {
    observer_.trace(event);
    if (watch() != nullptr) watch()->trace(event);
  }

  /// Counts a finished trace; fills outcome, evaluations and code of the event and the marks of the
  /// record. True for a hit, also one by candidate.
  bool account(const Placed& placed, std::uint32_t leaf, const Trace& result, TraceEvent& event,
               HitRecord& record);

  /// Where a hit at `t` is: within its leaf, as its trace was.
  [[nodiscard]] Vec hitPoint(const Leaf& leaf, const ObjectRay& ray, double t) const;
  /// Counts the normal, and finds the material if asked for, of a hit.
  void shade(const Placed& placed, std::uint32_t object, std::uint32_t leaf, const Vec& point,
             const NormalStencil& stencil, const Vec& normal, std::uint32_t target,
             HitRecord& record);

  /// A trace of `target` in a leaf, as who watches hears of it; its code is the leaf's.
  [[nodiscard]] static Evaluation evaluation(const Placed& placed, std::uint32_t object,
                                             std::uint32_t leaf, std::uint32_t target);

  /// Counts and tells that f at the start of a ray is found, by the whole tape.
  void countSide(const Placed& placed, std::uint32_t object, std::uint32_t target);
  [[nodiscard]] static Evaluation sideOf(const Placed& placed, std::uint32_t object,
                                         std::uint32_t target);
  /// That f.
  double sideValue(const Placed& placed, std::uint32_t object, const Vec& point,
                   std::uint32_t target);

 private:
  void count(const Code& code, std::uint64_t evaluations);
  void countNormal(const Hull& hull, std::uint32_t code, const NormalStencil& stencil,
                   ShadeEvent& event);

  const Settings& settings_;
  Counters& counters_;
  Observer& observer_;
};

/// Throws std::invalid_argument.
void requireValid(const Settings& settings);

}  // namespace rtvp::implicit::render
