// Traversal of the reference BVH.
#include "platform/reference/reference_finder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "models/common/core/host_threads.hpp"
#include "platform/reference/intersect.hpp"

namespace rtvp::reference {
namespace {

using host::Hit;
using host::Ray;
using scene::Bounds;
using scene::Vec3;

/// Slab test that errs on the side of entering: boxes are widened by more than the triangle test's
/// rounding.
class SlabTest {
 public:
  SlabTest(const Ray& ray, const Bounds& root) : origin_(ray.origin) {
    // A zero component gets a huge reciprocal instead of infinity, which could turn 0 * infinity
    // into not-a-number.
    constexpr double kTiny = 1e-300;
    constexpr double kRelativePad = 1e-12;
    double largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = ray.direction[axis];
      inverse_[axis] = 1 / (std::abs(d) < kTiny ? std::copysign(kTiny, d) : d);
      largest = std::max(
          {largest, std::abs(ray.origin[axis]), std::abs(root.lo[axis]), std::abs(root.hi[axis])});
    }
    pad_ = largest * kRelativePad;
  }

  /// Distance at which the ray enters the box, at least 0; nothing if it misses or enters beyond
  /// `limit`.
  [[nodiscard]] std::optional<double> enter(const Bounds& box, double limit) const {
    constexpr double kSlack = 1 + 1e-12;
    double near = 0;
    double far = limit;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = (box.lo[axis] - pad_ - origin_[axis]) * inverse_[axis];
      const double b = (box.hi[axis] + pad_ - origin_[axis]) * inverse_[axis];
      near = std::max(near, std::min(a, b));
      far = std::min(far, std::max(a, b));
    }
    return near <= far * kSlack ? std::optional(near) : std::nullopt;
  }

 private:
  Vec3 origin_;
  Vec3 inverse_;
  double pad_ = 0;
};

/// Counts what a walk meets, or nothing.
struct Counting {
  WalkCounts counts;
  void box(unsigned n) { counts.boxes += n; }
  void node() { ++counts.nodes; }
  void element() { ++counts.elements; }
};
struct NotCounting {
  void box(unsigned /*n*/) {}
  void node() {}
  void element() {}
};

}  // namespace

/// First hit of one element with t > 0, if it hits at all.
std::optional<double> ReferenceFinder::hitElement(std::uint32_t number, const Ray& ray,
                                                  const ShearedRay& sheared, double limit) const {
  const scene::Element& element = scene_.elements[number];
  if (element.kind == scene::Element::Kind::Triangle) {
    const std::optional<double> t = intersect(sheared, scene_.triangles[element.index].v);
    return t && *t > 0 ? t : std::nullopt;
  }
  if (element.kind == scene::Element::Kind::Implicit) {
    return implicits_[element.index].hit(ray, limit);
  }
  const auto both = intersect(ray, scene_.spheres[element.index]);
  if (!both) return std::nullopt;
  if ((*both)[0] > 0) return (*both)[0];
  return (*both)[1] > 0 ? std::optional((*both)[1]) : std::nullopt;
}

/// Calls visit(element, t) for each element hit at t <= limit; visit may lower the limit, and stops
/// the walk by returning false.
template <typename Visit, typename Counter>
void ReferenceFinder::walk(const Ray& ray, double& limit, const Visit& visit,
                           Counter& counter) const {
  if (bvh_.nodes.empty()) return;
  const ShearedRay sheared(ray);
  const SlabTest slab(ray, bvh_.nodes[0].bounds);
  struct Entry {
    std::uint32_t node;
    double t;
  };
  std::array<Entry, kMaxBvhDepth + 1> stack;
  std::size_t depth = 0;
  counter.box(1);
  if (const auto t = slab.enter(bvh_.nodes[0].bounds, limit)) stack[depth++] = {0, *t};
  while (depth > 0) {
    const Entry entry = stack[--depth];
    // Not ">=": an element of equal t and smaller number may be in there; the slack covers the slab
    // test's rounding.
    if (entry.t > limit * (1 + 1e-12)) continue;
    const BvhNode& node = bvh_.nodes[entry.node];
    counter.node();
    if (node.count > 0) {
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        const std::uint32_t element = bvh_.order[i];
        counter.element();
        const std::optional<double> t = hitElement(element, ray, sheared, limit);
        if (t && *t <= limit && !visit(element, *t)) return;
      }
      continue;
    }
    counter.box(2);
    const auto left = slab.enter(bvh_.nodes[node.first].bounds, limit);
    const auto right = slab.enter(bvh_.nodes[node.first + 1].bounds, limit);
    const bool leftFirst = !right || (left && *left <= *right);
    if (leftFirst && right) stack[depth++] = {node.first + 1, *right};
    if (left) stack[depth++] = {node.first, *left};
    if (!leftFirst) stack[depth++] = {node.first + 1, *right};
  }
}

template <typename Visit, typename Counter>
void ReferenceFinder::visitAll(const Ray& ray, const double& limit, const Visit& visit,
                               Counter& counter) const {
  const ShearedRay sheared(ray);
  for (std::uint32_t i = 0; i < scene_.elements.size(); ++i) {
    counter.element();
    const std::optional<double> t = hitElement(i, ray, sheared, limit);
    if (t && *t <= limit && !visit(i, *t)) return;
  }
}

template <typename Visit, typename Counter>
void ReferenceFinder::visit(const Ray& ray, double& limit, const Visit& visit,
                            Counter& counter) const {
  if (mode_ == Mode::Bvh) {
    walk(ray, limit, visit, counter);
  } else {
    visitAll(ray, limit, visit, counter);
  }
}

ReferenceFinder::ReferenceFinder(const scene::Scene& scene, Mode mode, unsigned threads)
    : scene_(scene), mode_(mode), threads_(threads), bvh_(scene, threads) {
  implicits_.reserve(scene.implicits.size());
  for (const scene::Implicit& object : scene.implicits) implicits_.emplace_back(object);
}

void ReferenceFinder::trace(std::span<const Ray> rays, std::span<Hit> hits) {
  if (rays.size() != hits.size())
    throw std::invalid_argument("trace: rays and hits differ in number");
  // Neighbours cost alike, so pieces are small; a thread that is done takes the next.
  constexpr std::size_t kPiece = 256;
  std::vector<WalkCounts> counts(observer_ ? rays.size() : 0);
  common::inParts(rays.size(), kPiece, threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!observer_) {
        NotCounting nothing;
        hits[i] = answer(rays[i], nothing);
      } else {
        Counting counting;
        hits[i] = answer(rays[i], counting);
        counts[i] = counting.counts;
      }
    }
  });
  for (std::size_t i = 0; i < counts.size(); ++i) observer_(rays[i], counts[i]);
}

template <typename Counter>
Hit ReferenceFinder::answer(const Ray& ray, Counter& counter) const {
  return ray.kind == Ray::Kind::Any ? any(ray, counter) : nearest(ray, counter);
}

Hit ReferenceFinder::nearest(const Ray& ray) const {
  NotCounting nothing;
  return nearest(ray, nothing);
}

Hit ReferenceFinder::any(const Ray& ray) const {
  NotCounting nothing;
  return any(ray, nothing);
}

template <typename Counter>
Hit ReferenceFinder::nearest(const Ray& ray, Counter& counter) const {
  Hit best;
  double limit = ray.tmax;
  const auto take = [&best, &limit](std::uint32_t element, double t) {
    if (t < limit || best.element == scene::kNoElement || element < best.element) {
      best = {element, t};
      limit = t;
    }
    return true;
  };
  visit(ray, limit, take, counter);
  return best;
}

template <typename Counter>
Hit ReferenceFinder::any(const Ray& ray, Counter& counter) const {
  Hit blocker;
  double limit = ray.tmax;
  const auto take = [&blocker, &limit](std::uint32_t element, double t) {
    if (!(t < limit)) return true;
    blocker = {element, t};
    return false;
  };
  visit(ray, limit, take, counter);
  return blocker;
}

std::vector<Hit> ReferenceFinder::all(const Ray& ray) const {
  std::vector<Hit> hits;
  double limit = ray.tmax;
  const auto take = [&hits](std::uint32_t element, double t) {
    hits.push_back({element, t});
    return true;
  };
  NotCounting nothing;
  visit(ray, limit, take, nothing);
  std::sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) {
    return a.t != b.t ? a.t < b.t : a.element < b.element;
  });
  return hits;
}

}  // namespace rtvp::reference
