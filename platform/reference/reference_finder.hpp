// The golden hit finder: double precision, the definition of the right picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "platform/host/hit_finder.hpp"
#include "platform/reference/bvh.hpp"

namespace rtvp::reference {

/// Nearest is the smallest (t, element) pair with 0 < t <= tmax (design.md section 10).
class ReferenceFinder : public host::HitFinder {
 public:
  enum class Mode : std::uint8_t {
    Bvh,         ///< visits what its tree says
    BruteForce,  ///< visits everything: the oracle for the tree
  };

  /// Keeps a reference to the scene, which must not change.
  explicit ReferenceFinder(const scene::Scene& scene, Mode mode = Mode::Bvh);

  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override;

  [[nodiscard]] host::Hit nearest(const host::Ray& ray) const;
  [[nodiscard]] host::Hit any(const host::Ray& ray) const;
  /// Every element's first hit with 0 < t <= ray.tmax, by (t, element).
  [[nodiscard]] std::vector<host::Hit> all(const host::Ray& ray) const;

 private:
  const scene::Scene& scene_;
  Mode mode_;
  Bvh bvh_;
};

}  // namespace rtvp::reference
