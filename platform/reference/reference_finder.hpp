// The golden hit finder: double precision, the definition of the right picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "platform/raytree/hit_finder.hpp"
#include "platform/reference/bvh.hpp"
#include "platform/reference/implicit_surface.hpp"
#include "platform/reference/intersect.hpp"

namespace rtvp::reference {

/// What one ray met on its way.
struct WalkCounts {
  std::uint64_t boxes = 0;     ///< boxes tested
  std::uint64_t nodes = 0;     ///< nodes entered, leaves included
  std::uint64_t elements = 0;  ///< triangles, spheres and surfaces tested
};

/// Nearest is the smallest (t, element) pair with 0 < t <= tmax (design.md section 10).
class ReferenceFinder : public host::HitFinder {
 public:
  enum class Mode : std::uint8_t {
    Bvh,         ///< visits what its tree says
    BruteForce,  ///< visits everything: the oracle for the tree
  };

  /// Keeps a reference to the scene, which must not change. `threads`: of this computer, for the
  /// tree and for trace(); hits, counts and what the observer is told do not depend on it.
  explicit ReferenceFinder(const scene::Scene& scene, Mode mode = Mode::Bvh, unsigned threads = 1);

  void trace(std::span<const host::Ray> rays, std::span<host::Hit> hits) override;
  /// Called for every ray of trace(), in their order and by trace()'s caller, once they are
  /// answered.
  void setObserver(std::function<void(const host::Ray&, const WalkCounts&)> observer) {
    observer_ = std::move(observer);
  }

  [[nodiscard]] host::Hit nearest(const host::Ray& ray) const;
  [[nodiscard]] host::Hit any(const host::Ray& ray) const;
  /// Every element's first hit with 0 < t <= ray.tmax, by (t, element).
  [[nodiscard]] std::vector<host::Hit> all(const host::Ray& ray) const;

  /// That of Scene::implicits[index].
  [[nodiscard]] const ImplicitSurface& implicit(std::size_t index) const {
    return implicits_[index];
  }

 private:
  [[nodiscard]] std::optional<double> hitElement(std::uint32_t number, const host::Ray& ray,
                                                 const ShearedRay& sheared, double limit) const;
  template <typename Counter>
  [[nodiscard]] host::Hit answer(const host::Ray& ray, Counter& counter) const;
  template <typename Counter>
  [[nodiscard]] host::Hit nearest(const host::Ray& ray, Counter& counter) const;
  template <typename Counter>
  [[nodiscard]] host::Hit any(const host::Ray& ray, Counter& counter) const;
  template <typename Visit, typename Counter>
  void visit(const host::Ray& ray, double& limit, const Visit& visit, Counter& counter) const;
  template <typename Visit, typename Counter>
  void walk(const host::Ray& ray, double& limit, const Visit& visit, Counter& counter) const;
  template <typename Visit, typename Counter>
  void visitAll(const host::Ray& ray, const double& limit, const Visit& visit,
                Counter& counter) const;

  const scene::Scene& scene_;
  Mode mode_;
  unsigned threads_;
  Bvh bvh_;
  std::vector<ImplicitSurface> implicits_;  ///< of Scene::implicits
  std::function<void(const host::Ray&, const WalkCounts&)> observer_;
};

}  // namespace rtvp::reference
