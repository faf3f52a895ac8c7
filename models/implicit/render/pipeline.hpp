// What eye rays and rays of a list have in common: one trace through a leaf with its counters, and
// normal and material of a hit.
#pragma once

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

  /// Traces and counts; fills outcome, evaluations and code of the event and the marks of the
  /// record. True for a hit, also one by candidate.
  bool traceLeaf(const Placed& placed, std::uint32_t leaf, const ObjectRay& ray, Span span,
                 Walk& walk, TraceEvent& event, HitRecord& record, double& t);

  /// Normal, and material if asked for, of a hit at `t` along `ray`.
  void shade(const Placed& placed, std::uint32_t object, std::uint32_t leaf, const ObjectRay& ray,
             double t, std::uint32_t target, HitRecord& record);

  /// f at a point by the whole tape.
  double sideValue(const Placed& placed, std::uint32_t object, const Vec& point,
                   std::uint32_t target);

 private:
  void count(const Code& code, std::uint64_t evaluations);

  const Settings& settings_;
  Counters& counters_;
  Observer& observer_;
};

/// Throws std::invalid_argument.
void requireValid(const Settings& settings);

}  // namespace rtvp::implicit::render
