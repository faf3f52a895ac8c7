// The seam between the ray tree (camera, shading, secondary rays) and whatever machine finds the
// hits.
#pragma once

#include <cstdint>
#include <span>

#include "platform/scene/scene.hpp"

namespace rtvp::host {

struct Ray {
  enum class Kind : std::uint8_t {
    Nearest,  ///< the smallest (t, element) pair with 0 < t <= tmax is wanted
    Any,      ///< shadow ray: is there any element with 0 < t < tmax?
  };
  scene::Vec3 origin;
  scene::Vec3 direction;  ///< unit
  double tmax = 0;        ///< kInfinity when unlimited
  Kind kind = Kind::Nearest;
};

/// Larger than any scene; exactly representable as a TI single word (2^100).
inline constexpr double kInfinity = 1267650600228229401496703205376.0;

struct Hit {
  std::uint32_t element = scene::kNoElement;  ///< for Any rays: some blocker, or kNoElement
  double t = 0;                               ///< distance along the ray
};

/// Finds hits for a batch of rays. The order of `rays` is the coherence order: neighbours should be
/// alike.
class HitFinder {
 public:
  virtual ~HitFinder() = default;
  /// Writes hits[i] for rays[i]; both spans have the same length. May take simulated time.
  virtual void trace(std::span<const Ray> rays, std::span<Hit> hits) = 0;
};

}  // namespace rtvp::host
