// See frame.hpp: rays of a list.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/implicit/render/frame.hpp"
#include "models/implicit/render/pipeline.hpp"

namespace rtvp::implicit::render {
namespace {

/// The cells of the leaf lattice along a ray, in order.
class LatticeWalk {
 public:
  /// `span` is that of the ray within the bounds, from its start; not empty.
  LatticeWalk(const Hull& hull, const ObjectRay& ray, Span span)
      : hull_(hull), ray_(ray), end_(span.leave), t_(span.enter) {
    for (unsigned n = 0; n < 3; ++n) {
      const double p = ray.origin[n] + ray.direction[n] * span.enter;
      for (unsigned cell = 1; cell < kLeafGrid[n]; ++cell)
        if (p >= plane(n, cell)) at_[n] = static_cast<int>(cell);
      // A ray that runs down from a plane starts below it.
      if (ray.direction[n] < 0 && at_[n] > 0 && p <= plane(n, static_cast<unsigned>(at_[n])))
        --at_[n];
      next_[n] = crossing(n);
    }
  }

  [[nodiscard]] std::uint32_t leaf() const {
    return hull_.leafAt(static_cast<unsigned>(at_[0]), static_cast<unsigned>(at_[1]),
                        static_cast<unsigned>(at_[2]));
  }
  /// The ray's part in the cell.
  [[nodiscard]] Span span() const { return {t_, std::min(next_[axis()], end_)}; }

  /// False: the ray has left the lattice, or the span.
  bool step() {
    const unsigned n = axis();
    t_ = std::max(t_, next_[n]);
    if (t_ >= end_) return false;
    at_[n] += ray_.direction[n] > 0 ? 1 : -1;
    if (at_[n] < 0 || at_[n] >= static_cast<int>(kLeafGrid[n])) return false;
    next_[n] = crossing(n);
    return true;
  }

 private:
  [[nodiscard]] double plane(unsigned n, unsigned index) const {
    return latticePlane(hull_.bounds, n, index, kLeafGrid[n]);
  }
  [[nodiscard]] double crossing(unsigned n) const {
    if (ray_.direction[n] == 0) return std::numeric_limits<double>::infinity();
    const auto index = static_cast<unsigned>(at_[n] + (ray_.direction[n] > 0 ? 1 : 0));
    return (plane(n, index) - ray_.origin[n]) / ray_.direction[n];
  }
  [[nodiscard]] unsigned axis() const {
    return static_cast<unsigned>(std::min_element(next_.begin(), next_.end()) - next_.begin());
  }

  const Hull& hull_;
  const ObjectRay& ray_;
  double end_, t_;
  std::array<int, 3> at_{};
  std::array<double, 3> next_{};
};

/// One ray and one object after the other; keeps the nearest hit.
class RayPass {
 public:
  RayPass(Pipeline& pipeline, const WorldRay& ray, std::uint32_t target)
      : pipeline_(pipeline), world_(ray), target_(target), nearest_(ray.tmax) {}

  void object(const Placed& placed, std::uint32_t number) {
    ObjectRay ray;
    ray.origin = placed.object->toObject().point(world_.origin);
    const Vec along = placed.object->toObject().vector(world_.direction);
    scale_ = length(along);
    if (!(nearest_ > 0)) return;
    if (!(scale_ > 0) || !std::isfinite(scale_ + dot(ray.origin, ray.origin))) return;
    ray.direction = scaled(along, 1 / scale_);
    ray.cone = world_.cone;
    Span span = spanOf(ray, placed.hull->bounds);
    span.enter = std::max(span.enter, 0.0);
    span.leave = std::min(span.leave, double{nearest_} * scale_);
    if (span.empty()) return;
    Walk walk;
    if (span.enter == 0) chooseSide(placed, number, ray, walk);
    if (pipeline_.settings().mode == Mode::Brute) {
      leaf(placed, number, 0, ray, span, walk);
      return;
    }
    LatticeWalk cells(*placed.hull, ray, span);
    do {
      const std::uint32_t at = cells.leaf();
      if (at == kNoLeaf) continue;
      const Span cell = cells.span(), part = spanOf(ray, placed.hull->leaves[at].trimmed);
      const Span both{std::max(cell.enter, part.enter), std::min(cell.leave, part.leave)};
      if (!both.empty() && leaf(placed, number, at, ray, both, walk)) return;
    } while (cells.step());
  }

  HitRecord finish(std::span<const Placed> objects) {
    if (hit_ && !world_.any) shade(objects[number_]);
    pipeline_.counters().covered += hit_ ? 1U : 0U;
    pipeline_.observer().store(target_);
    return record_;
  }

  [[nodiscard]] bool done() const { return hit_ && world_.any; }

 private:
  void shade(const Placed& placed) {
    const Vec point = pipeline_.hitPoint(placed.hull->leaves[leaf_], ray_, t_);
    Evaluation what = Pipeline::evaluation(placed, number_, leaf_, target_);
    const NormalStencil stencil =
        stencilAt(*placed.hull, leaf_, point, pipeline_.settings(), pipeline_.watch(), what);
    what.phase = Phase::Normal;
    what.number = stencil.code;
    what.code = &placed.hull->codes[stencil.code];
    std::array<float, 4> f{};
    for (unsigned n = 0; n < stencil.evaluations(); ++n) {
      what.sample = n;
      f[n] = valueAt(pipeline_.watch(), what, singleOf(stencil.point[n]));
    }
    pipeline_.shade(placed, number_, leaf_, point, stencil, stencil.normal(f), target_, record_);
  }

  /// The ray starts within the box: f there tells on which side of the surface.
  void chooseSide(const Placed& placed, std::uint32_t number, ObjectRay& ray, Walk& walk) {
    const double shell = 2 * double{pipeline_.settings().eps};
    const double f = pipeline_.sideValue(placed, number, ray.origin, target_);
    ++record_.evaluations;
    if (placed.hull->sloped) return chooseSloped(placed, number, f, ray, walk);
    if (std::abs(f) <= shell) {
      walk.leaving = true;
      const Vec ahead =
          add(ray.origin, scaled(ray.direction, 2 * shell / placed.object->lipschitz()));
      ray.side = pipeline_.sideValue(placed, number, ahead, target_) < f ? -1 : 1;
      ++record_.evaluations;
    } else if (f < 0) {
      ray.side = -1;
    }
  }

  /// f is no distance: a change of sign just ahead says that the ray starts on the surface.
  void chooseSloped(const Placed& placed, std::uint32_t number, double f, ObjectRay& ray,
                    Walk& walk) {
    const double shell = 4 * double{pipeline_.settings().eps};
    const Vec point = add(ray.origin, scaled(ray.direction, shell));
    const double ahead = pipeline_.sideValue(placed, number, point, target_);
    ++record_.evaluations;
    ray.side = ahead < 0 ? -1 : 1;
    walk.leaving = (f < 0) != (ahead < 0) || f == 0;
  }

  bool leaf(const Placed& placed, std::uint32_t number, std::uint32_t at, const ObjectRay& ray,
            const Span& span, Walk& walk) {
    TraceEvent event;
    event.object = number;
    event.leaf = at;
    event.target = target_;
    ++pipeline_.counters().ray_leaves;
    const Leaf& here = placed.hull->leaves[at];
    Tracer tracer(*placed.object, here.box, ray, span, pipeline_.settings(), walk,
                  placed.hull->slopeOf(here));
    trace(tracer, placed, number, at);
    walk = tracer.walk();
    const double t = tracer.result().t;
    const bool hit = pipeline_.account(placed, at, tracer.result(), event, record_);
    const auto distance = static_cast<float>(t / scale_);
    const bool same = distance == nearest_ && hit_;
    event.nearest = hit && (distance < nearest_ || (same && placed.object->id() < record_.object));
    pipeline_.tell(event);
    if (!event.nearest) return hit;
    hit_ = true;
    nearest_ = record_.t = distance;
    record_.object = placed.object->id();
    number_ = number;
    leaf_ = at;
    ray_ = ray;
    t_ = t;
    return true;
  }

  /// To its end.
  void trace(Tracer& tracer, const Placed& placed, std::uint32_t number, std::uint32_t at) {
    EvaluationWatch* const watch = pipeline_.watch();
    const registers::Program& program = *placed.hull->codes[placed.hull->leaves[at].code].program;
    if (watch == nullptr) {
      while (!tracer.done()) tracer.take(registers::evaluate(program, tracer.point()));
      return;
    }
    Evaluation what = Pipeline::evaluation(placed, number, at, target_);
    const Settings& settings = pipeline_.settings();
    const bool apart = watch->apart(what, std::max(settings.step_limit, settings.slope_steps));
    for (; !tracer.done(); ++what.sample)
      tracer.take(apart ? valueAt(watch, what, tracer.point())
                        : registers::evaluate(program, tracer.point()));
    if (!apart) watch->passed(what, what.sample);
  }

  Pipeline& pipeline_;
  const WorldRay& world_;
  std::uint32_t target_;
  float nearest_;
  double scale_ = 1;
  HitRecord record_;
  bool hit_ = false;
  std::uint32_t number_ = 0, leaf_ = 0;  ///< of the nearest hit
  ObjectRay ray_;
  double t_ = 0;
};

}  // namespace

HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters, Observer& observer, std::uint32_t number) {
  requireValid(settings);
  Pipeline pipeline(settings, counters, observer);
  ++counters.rays;
  RayPass pass(pipeline, ray, number);
  for (std::uint32_t n = 0; n < objects.size() && !pass.done(); ++n) pass.object(objects[n], n);
  return pass.finish(objects);
}

HitRecord traceRay(std::span<const Placed> objects, const WorldRay& ray, const Settings& settings,
                   Counters& counters) {
  Observer silent;
  return traceRay(objects, ray, settings, counters, silent);
}

}  // namespace rtvp::implicit::render
