// Where a ray tree can be stored and put back: between two batches.
#pragma once

#include <functional>

#include "models/common/core/state.hpp"
#include "platform/raytree/hit_finder.hpp"

namespace rtvp::scene {

inline void stateOf(common::StateArchive& a, Vec3& v) {
  a(v.x, v.y, v.z);
}

}  // namespace rtvp::scene

namespace rtvp::host {

inline void stateOf(common::StateArchive& a, Ray& ray) {
  a(ray.origin, ray.direction, ray.tmax, ray.kind, ray.pixel);
}

inline void stateOf(common::StateArchive& a, Hit& hit) {
  a(hit.element, hit.t, hit.hasUv, hit.u, hit.v, hit.hasNormal, hit.normal, hit.hasColor, hit.color,
    hit.slack);
}

class TreePause {
 public:
  using State = std::function<void(common::StateArchive& a)>;

  virtual ~TreePause() = default;
  /// The tree is about to choose its next batch, or has none left; nothing of it is with the
  /// finder. `tree` stores it or puts it back, then or never.
  virtual void between(const State& tree) = 0;
};

}  // namespace rtvp::host
