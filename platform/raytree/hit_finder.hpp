// The seam between the ray tree (camera, shading, secondary rays) and whatever machine finds the
// hits.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "platform/scene/scene.hpp"

namespace rtvp::host {

/// Of a ray that no pixel asked for.
inline constexpr std::uint32_t kNoPixel = 0xFFFF'FFFF;

struct Ray {
  enum class Kind : std::uint8_t {
    Nearest,  ///< the smallest (t, element) pair with 0 < t <= tmax is wanted
    Any,      ///< shadow ray: is there any element with 0 < t < tmax?
  };
  scene::Vec3 origin;
  scene::Vec3 direction;  ///< unit
  double tmax = 0;        ///< kInfinity when unlimited
  Kind kind = Kind::Nearest;
  /// y * width + x of the whole picture: the pixel that it works for, however deep in the tree. No
  /// finder may let hits depend on it.
  std::uint32_t pixel = kNoPixel;
};

/// Larger than any scene; exactly representable as a TI single word (2^100).
inline constexpr double kInfinity = 1267650600228229401496703205376.0;

struct Hit {
  std::uint32_t element = scene::kNoElement;  ///< for Any rays: some blocker, or kNoElement
  double t = 0;                               ///< distance along the ray
  /// Machines that return barycentric coordinates of a triangle say so: the point is then the
  /// triangle's, which t in a coarse number format may miss by more than the ray offset.
  bool hasUv = false;
  double u = 0;  ///< weight of the second vertex
  double v = 0;  ///< weight of the third
  /// Machines that find an implicit surface say what they met there.
  bool hasNormal = false;
  scene::Vec3 normal{};  ///< unit, in the world, towards the outside
  bool hasColor = false;
  scene::Vec3 color{};  ///< base colour that takes the place of the material's
  double slack = 0;     ///< how far the point may lie from the surface: secondary rays start beyond
};

/// A part of the picture, in pixels from its top left corner. Width 0: the whole picture.
struct Crop {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Where in the picture an eye ray passes: a pixel, and a position in it from its top left corner.
struct EyePosition {
  int column = 0;
  int row = 0;
  double x = 0.5;
  double y = 0.5;
};

/// The finder returned something that is not a hit of this scene: a fault of the machine, not of
/// the input.
class HitFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Finds hits for a batch of rays. The order of `rays` is the coherence order: neighbours should be
/// alike.
class HitFinder {
 public:
  virtual ~HitFinder() = default;
  /// Both spans have the same length. On entry hits[i] is what others have found of rays[i] on
  /// surfaces that this finder does not know, or no hit: it may spare itself what lies behind. On
  /// return it is this finder's own hit, or none. May take simulated time.
  virtual void trace(std::span<const Ray> rays, std::span<Hit> hits) = 0;
  /// The same for eye rays of the scene's camera; rays[i] goes through positions[i]. For machines
  /// that make eye rays themselves.
  virtual void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                        std::span<Hit> hits) {
    (void)positions;
    trace(rays, hits);
  }
};

/// Hits on different surfaces: the smaller (t, element) counts.
[[nodiscard]] constexpr bool isNearer(const Hit& a, const Hit& b) {
  if (a.element == scene::kNoElement) return false;
  return b.element == scene::kNoElement || a.t < b.t || (a.t == b.t && a.element < b.element);
}

/// Two finders that know different surfaces, one after the other: the second is told what the first
/// has found.
class MergedFinder final : public HitFinder {
 public:
  /// Keeps references.
  MergedFinder(HitFinder& first, HitFinder& second) : first_(first), second_(second) {}
  void trace(std::span<const Ray> rays, std::span<Hit> hits) override {
    first_.trace(rays, hits);
    std::vector<Hit> own(hits.begin(), hits.end());
    second_.trace(rays, own);
    merge(own, hits);
  }
  void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                std::span<Hit> hits) override {
    first_.traceEye(rays, positions, hits);
    std::vector<Hit> own(hits.begin(), hits.end());
    second_.traceEye(rays, positions, own);
    merge(own, hits);
  }

 private:
  static void merge(std::span<const Hit> own, std::span<Hit> hits) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (isNearer(own[i], hits[i])) hits[i] = own[i];
    }
  }

  HitFinder& first_;
  HitFinder& second_;
};

/// A finder that was given a part of a scene: its hits, by the names of the whole scene's elements.
class RenumberedFinder final : public HitFinder {
 public:
  /// Keeps references. `elements[i]`: what the finder's element i is in the whole scene.
  RenumberedFinder(HitFinder& finder, std::span<const std::uint32_t> elements)
      : finder_(finder), elements_(elements) {}
  void trace(std::span<const Ray> rays, std::span<Hit> hits) override {
    finder_.trace(rays, hits);
    renumber(hits);
  }
  void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                std::span<Hit> hits) override {
    finder_.traceEye(rays, positions, hits);
    renumber(hits);
  }

 private:
  void renumber(std::span<Hit> hits) const {
    for (Hit& hit : hits) {
      if (hit.element == scene::kNoElement) continue;
      if (hit.element >= elements_.size()) {
        throw std::logic_error("a machine names an element that it was not given");
      }
      hit.element = elements_[hit.element];
    }
  }

  HitFinder& finder_;
  std::span<const std::uint32_t> elements_;
};

}  // namespace rtvp::host
