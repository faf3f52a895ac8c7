// The 1996 program's intersection rule, in its own precision, for --seed-compat (board.md 5.4). It
// is kept for comparison with the original; it accepts points near the infinite lines of edges and
// everything near a small triangle, so no tree can speed it up: it visits every element for every
// ray, as the original did.
#pragma once

#include <array>
#include <vector>

#include "platform/raytree/hit_finder.hpp"

namespace rtvp::reference {

/// Nearest is the smallest t > 0.1; of equal t the later line of the file wins. Spheres, which the
/// original did not know, follow the same limits. Use it with RenderOptions::seedCompat, so that
/// origins stay on the surface.
class SeedFinder : public host::HitFinder {
 public:
  static constexpr float kRayEpsilon = 1e-1F;     ///< rayeps: nearest t, and tolerance of VecEqual
  static constexpr float kAreaThreshold = 1e-4F;  ///< THRESH3, on un-normalised cross products

  /// Keeps a reference to the scene, which must not change.
  explicit SeedFinder(const scene::Scene& scene);

  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override;

 private:
  using Vec = std::array<float, 3>;
  struct Triangle {
    std::array<Vec, 3> v;
    Vec normal;
    float d = 0;  ///< plane: normal . p + d = 0
  };
  struct FloatRay {
    Vec origin;
    Vec direction;
  };

  static Vec toFloat(const scene::Vec3& v);
  static Vec crossOf(const Vec& a, const Vec& b, const Vec& c);
  static bool intersect(const FloatRay& ray, const Triangle& triangle, float& t);
  bool intersectElement(const FloatRay& ray, const scene::Element& element, float& t) const;

  const scene::Scene& scene_;
  std::vector<Triangle> triangles_;
};

}  // namespace rtvp::reference
