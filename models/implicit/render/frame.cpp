// See frame.hpp: eye rays.
#include "models/implicit/render/frame.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "models/implicit/render/pipeline.hpp"
#include "models/implicit/render/raster.hpp"

namespace rtvp::implicit::render {
namespace {

bool contains(const Bounds& box, const Vec& p) {
  for (unsigned n = 0; n < 3; ++n)
    if (!(p[n] >= box.min[n] && p[n] <= box.max[n])) return false;
  return true;
}

/// Leaves so that along each ray from the eye the nearer comes first: a ray moves away from the
/// eye's lattice cell on each axis, so the sum of the distances in cells grows along it.
std::vector<std::uint32_t> frontToBack(const Hull& hull, const Vec& eye) {
  std::array<int, 3> home{};
  for (unsigned n = 0; n < 3; ++n)
    for (unsigned cell = 1; cell < kLeafGrid[n]; ++cell)
      if (eye[n] >= latticePlane(hull.bounds, n, cell, kLeafGrid[n]))
        home[n] = static_cast<int>(cell);
  const auto distance = [&](std::uint32_t leaf) {
    int sum = 0;
    for (unsigned n = 0; n < 3; ++n) sum += std::abs(int{hull.leaves[leaf].at[n]} - home[n]);
    return sum;
  };
  std::vector<std::uint32_t> order(hull.leaves.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
  return order;
}

/// One object of a frame.
class ObjectPass {
 public:
  ObjectPass(Pipeline& pipeline, const Placed& placed, std::uint32_t number, const Camera& camera,
             Frame& frame, PointBatch& batch)
      : pipeline_(pipeline),
        settings_(pipeline.settings()),
        placed_(placed),
        hull_(*placed.hull),
        number_(number),
        frame_(frame),
        view_(camera, placed.object->toObject(), settings_.near),
        rasteriser_(view_, frame.rectangle),
        batch_(batch) {}

  void run() {
    pipeline_.observer().object(number_);
    // The seed knows one side only.
    if (settings_.mode != Mode::Seed && contains(hull_.bounds, view_.eye()) &&
        pipeline_.sideValue(placed_, number_, view_.eye(), 0) < 0)
      side_ = -1;
    if (settings_.carries()) clear_.assign(frame_.depth.size(), 0);
    if (settings_.front_to_back) {
      for (const std::uint32_t leaf : frontToBack(hull_, view_.eye())) cuboid(leaf);
    } else {
      for (std::uint32_t leaf = 0; leaf < hull_.leaves.size(); ++leaf) cuboid(leaf);
    }
  }

 private:
  void cuboid(std::uint32_t leaf) {
    const Leaf& here = hull_.leaves[leaf];
    FaceSet faces = settings_.front_faces ? frontFaces(here.trimmed, view_.eye())
                                          : seedFaces(here.trimmed, view_.eye());
    const bool patched = settings_.near_patch && cutByNearPlane(here.trimmed, view_);
    if (patched) faces = backFaces(here.trimmed, view_.eye());
    const auto number = static_cast<std::uint8_t>(std::popcount(faces));
    pipeline_.counters().faces += number;
    pipeline_.observer().leaf({number_, leaf, here.code, number});
    for (unsigned face = 0; face < 6; ++face) {
      if ((unsigned{faces} >> face & 1U) == 0) continue;
      pixels_.clear();
      rasteriser_.cover(here.trimmed, static_cast<FaceSet>(1U << face), pixels_);
      // The pixels of a face are different ones, so they may be traced side by side.
      fragments_.clear();
      tracers_.clear();
      traced_.clear();
      for (const std::uint32_t pixel : pixels_) fragment(leaf, face, patched, pixel);
      batch_.trace(evaluation(leaf, 0), tracers_, traced_);
      finish(leaf);
    }
  }

  void rayOf(std::uint32_t pixel, View::PixelRay& ray) const {
    const Rectangle& area = frame_.rectangle;
    view_.pixelRay(area.left + pixel % area.width, area.top + pixel / area.width, ray);
    ray.ray.side = side_;
  }

  /// Where the trace of a fragment starts and may end; empty: clipped by the near plane.
  [[nodiscard]] Span spanOfFragment(const Bounds& box, unsigned face, bool patched,
                                    const View::PixelRay& pixel) const {
    Span span = spanOf(pixel.ray, box);
    if (settings_.exact_exit) {
      if (patched) span.enter = std::max(span.enter, pixel.near);
    } else {
      // The seed starts at the face that was drawn, even if it shows its inside.
      const unsigned axis = face / 2;
      const double plane = (face % 2 == 1 ? box.max : box.min)[axis];
      span.enter = (plane - pixel.ray.origin[axis]) / pixel.ray.direction[axis];
      span.leave = span.enter;
    }
    return span.enter >= pixel.near ? span : Span{};
  }

  /// A pixel that a face covers: rejected, or one of tracers_.
  struct Fragment {
    TraceEvent event;
    View::PixelRay pixel;
    std::size_t stencil = 0;  ///< of stencils_, if `shaded`
    bool shaded = false;
    Vec point{};
  };

  void fragment(std::uint32_t leaf, unsigned face, bool patched, std::uint32_t target) {
    const Leaf& here = hull_.leaves[leaf];
    Fragment& out = fragments_.emplace_back();
    rayOf(target, out.pixel);
    Span span = spanOfFragment(here.trimmed, face, patched, out.pixel);
    if (span.empty()) return fragments_.pop_back();
    out.event.object = number_;
    out.event.leaf = leaf;
    out.event.target = target;
    out.event.depth_read = settings_.early_depth;
    const double far = double{frame_.depth[target]} * out.pixel.scale;
    const bool behind = settings_.early_depth && span.enter >= far;
    if (settings_.early_depth && settings_.exact_exit) span.leave = std::min(span.leave, far);
    Walk walk;
    if (settings_.carries()) walk.clear = clear_[target];
    out.event.carried = !behind && settings_.carries() && double{walk.clear} >= span.leave;
    out.event.rejected = behind || out.event.carried;
    if (!out.event.rejected) {
      tracers_.emplace_back(*placed_.object, here.box, out.pixel.ray, span, settings_, walk,
                            hull_.slopeOf(here));
      traced_.push_back(target);
    }
  }

  /// Depth test, normals and records of the fragments of a face.
  void finish(std::uint32_t leaf) {
    points_.clear();
    shaded_.clear();
    auto tracer = tracers_.begin();
    for (Fragment& f : fragments_)
      if (!f.event.rejected) test(leaf, *tracer++, f);
    stencils_ = batch_.stencils(hull_, leaf, points_, settings_, evaluation(leaf, 0), shaded_);
    const std::vector<Vec> normals = batch_.normals(hull_, evaluation(leaf, 0), stencils_, shaded_);
    Counters& counters = pipeline_.counters();
    tracer = tracers_.begin();
    for (const Fragment& f : fragments_) {
      ++counters.fragments;
      counters.carried += f.event.carried ? 1U : 0U;
      counters.early_rejects += f.event.rejected && !f.event.carried ? 1U : 0U;
      pipeline_.tell(f.event);
      const double t = f.event.rejected ? 0 : (tracer++)->result().t;
      if (f.shaded) store(leaf, f, t, normals[f.stencil]);
    }
  }

  [[nodiscard]] Evaluation evaluation(std::uint32_t leaf, std::uint32_t target) const {
    return Pipeline::evaluation(placed_, number_, leaf, target);
  }

  void test(std::uint32_t leaf, const Tracer& tracer, Fragment& f) {
    const std::uint32_t target = f.event.target;
    const bool hit =
        pipeline_.account(placed_, leaf, tracer.result(), f.event, frame_.hits[target]);
    if (settings_.carries()) clear_[target] = tracer.walk().clear;
    const auto distance = static_cast<float>(tracer.result().t / f.pixel.scale);
    f.event.nearest = hit && nearer(distance, frame_.depth[target], frame_.hits[target]);
    pipeline_.counters().depth_rejects += hit && !f.event.nearest ? 1U : 0U;
    // The seed's fragments find their normals before the depth test.
    f.shaded = hit && (f.event.nearest || !settings_.early_depth);
    if (!f.shaded) return;
    f.stencil = points_.size();
    f.point = pipeline_.hitPoint(hull_.leaves[leaf], f.pixel.ray, tracer.result().t);
    points_.push_back(f.point);
    shaded_.push_back(target);
  }

  [[nodiscard]] bool nearer(float distance, float depth, const HitRecord& record) const {
    const bool same = distance == depth && record.hit();
    return distance < depth || (same && placed_.object->id() < record.object);
  }

  void store(std::uint32_t leaf, const Fragment& f, double t, const Vec& normal) {
    const std::uint32_t target = f.event.target;
    HitRecord& record = frame_.hits[target];
    HitRecord shaded = record;
    pipeline_.shade(placed_, number_, leaf, f.point, stencils_[f.stencil], normal, target, shaded);
    if (!f.event.nearest) {
      record.evaluations = shaded.evaluations;
      return;
    }
    pipeline_.counters().covered += record.hit() ? 0U : 1U;
    record = shaded;
    record.object = placed_.object->id();
    record.t = static_cast<float>(t / f.pixel.scale);
    frame_.depth[target] = record.t;
    pipeline_.observer().store(target);
  }

  Pipeline& pipeline_;
  const Settings& settings_;
  const Placed& placed_;
  const Hull& hull_;
  std::uint32_t number_;
  Frame& frame_;
  View view_;
  Rasteriser rasteriser_;
  int side_ = 1;
  std::vector<std::uint32_t> pixels_;
  std::vector<Fragment> fragments_;
  std::vector<Tracer> tracers_;
  std::vector<std::uint32_t> traced_;  ///< pixel of each
  std::vector<Vec> points_;            ///< hits to be shaded
  std::vector<NormalStencil> stencils_;
  std::vector<std::uint32_t> shaded_;  ///< pixel of each
  PointBatch& batch_;
  std::vector<float> clear_;  ///< per pixel: the ray is clear up to this object distance
};

/// Distance from the eye to the box of an object, in the world, for the order of objects only.
double distanceTo(const Placed& placed, const Vec& eye) {
  const Vec at = placed.object->toObject().point(eye);
  const Bounds& box = placed.hull->bounds;
  Vec nearest = at;
  for (unsigned n = 0; n < 3; ++n)
    nearest[n] = std::clamp(at[n], double{box.min[n]}, double{box.max[n]});
  return length(placed.object->toWorld().vector(sub(nearest, at)));
}

}  // namespace

void renderFrame(std::span<const Placed> objects, const Camera& camera, const Settings& settings,
                 Frame& frame, Counters& counters, Observer& observer) {
  requireValid(settings);
  if (!camera.valid()) throw std::invalid_argument("camera whose rays span no space");
  Pipeline pipeline(settings, counters, observer);
  PointBatch batch(observer.watch());
  std::vector<std::uint32_t> order(objects.size());
  std::iota(order.begin(), order.end(), 0U);
  if (settings.front_to_back)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return distanceTo(objects[a], camera.eye) < distanceTo(objects[b], camera.eye);
    });
  for (const std::uint32_t number : order)
    ObjectPass(pipeline, objects[number], number, camera, frame, batch).run();
}

void renderFrame(std::span<const Placed> objects, const Camera& camera, const Settings& settings,
                 Frame& frame, Counters& counters) {
  Observer silent;
  renderFrame(objects, camera, settings, frame, counters, silent);
}

}  // namespace rtvp::implicit::render
