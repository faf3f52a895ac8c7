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
///
/// Fragments are traced in waves: those of face after face and leaf after leaf, as long as each is
/// of another pixel. Invariants: what a fragment reads and writes (depth, how far its ray is clear,
/// hit record) is its pixel's alone, so within a wave the order of traces is open, and those by the
/// same code go side by side. What is counted and told comes behind, leaf by leaf and fragment by
/// fragment, as if each had been traced when it was its turn. The plain twin is who watches: then
/// each face is a wave.
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
        eye_(view_.rows()),
        rasteriser_(view_, frame.rectangle),
        batch_(batch) {}

  void run() {
    pipeline_.observer().object(number_);
    // The seed knows one side only.
    if (settings_.mode != Mode::Seed && contains(hull_.bounds, view_.eye()) &&
        pipeline_.sideValue(placed_, number_, view_.eye(), 0) < 0)
      side_ = -1;
    if (settings_.carries()) clear_.assign(frame_.depth.size(), 0);
    wave_of_.assign(frame_.depth.size(), 0);
    if (settings_.front_to_back) {
      for (const std::uint32_t leaf : frontToBack(hull_, view_.eye())) cuboid(leaf);
    } else {
      for (std::uint32_t leaf = 0; leaf < hull_.leaves.size(); ++leaf) cuboid(leaf);
    }
    flush();
  }

 private:
  /// A leaf begins, or the fragments of one of its faces.
  struct Part {
    std::uint32_t leaf = 0;
    bool begins = false;
    std::uint8_t faces = 0;  ///< if it begins
    std::size_t events = 0, end = 0;
    std::size_t traced = 0, traced_end = 0;
  };
  /// A fragment that is not rejected; its tracer has the same place in tracers_.
  struct Traced {
    std::size_t event;
    double scale;
    std::size_t stencil = 0;  ///< of stencils_, if `shaded`
    bool shaded = false;
    Vec point{};
  };
  /// So many fragments are enough to fill the rows of those that run the same code.
  static constexpr std::size_t kWave = 4096;

  void cuboid(std::uint32_t leaf) {
    const Leaf& here = hull_.leaves[leaf];
    FaceSet faces = settings_.front_faces ? frontFaces(here.trimmed, view_.eye())
                                          : seedFaces(here.trimmed, view_.eye());
    const bool patched = settings_.near_patch && cutByNearPlane(here.trimmed, view_);
    if (patched) faces = backFaces(here.trimmed, view_.eye());
    Part& part = parts_.emplace_back();
    part.leaf = leaf;
    part.begins = true;
    part.faces = static_cast<std::uint8_t>(std::popcount(faces));
    if (pipeline_.watch() != nullptr) flush();
    for (unsigned face = 0; face < 6; ++face)
      if ((unsigned{faces} >> face & 1U) != 0) drawFace(leaf, face, patched);
  }

  void drawFace(std::uint32_t leaf, unsigned face, bool patched) {
    const Bounds& box = hull_.leaves[leaf].trimmed;
    runs_.clear();
    rasteriser_.cover(box, static_cast<FaceSet>(1U << face), runs_);
    if (inWave()) flush();
    Part part;
    part.leaf = leaf;
    part.events = events_.size();
    part.traced = traced_.size();
    rows::Face rows{};
    for (unsigned n = 0; n < 3; ++n) {
      rows.low[n] = box.min[n];
      rows.high[n] = box.max[n];
    }
    rows.axis = face / 2;
    rows.plane = (face % 2 == 1 ? box.max : box.min)[rows.axis];
    rows.exact_exit = settings_.exact_exit;
    rows.patched = patched;
    rows.early_depth = settings_.early_depth;
    rows.carries = settings_.carries();
    std::size_t count = 0;
    for (const PixelRun& run : runs_) {
      for (std::uint32_t left = run.left; left < run.right;) {
        const auto room = static_cast<std::uint32_t>(rows::kMostFragments - count);
        const std::uint32_t right = std::min(run.right, left + room);
        place(run.row, left, right, count);
        count += right - left;
        left = right;
        if (count < rows::kMostFragments) continue;
        meet(leaf, rows, count);
        count = 0;
      }
    }
    meet(leaf, rows, count);
    part.end = events_.size();
    part.traced_end = traced_.size();
    parts_.push_back(part);
    if (events_.size() >= kWave || pipeline_.watch() != nullptr) flush();
  }

  /// Whether a pixel of runs_ has a fragment in the wave; if none has, all have from now on.
  bool inWave() {
    const std::uint32_t width = frame_.rectangle.width;
    bool in = false;
    for (const PixelRun& run : runs_) {
      const std::uint32_t* const row = wave_of_.data() + std::size_t{run.row} * width;
      for (std::uint32_t x = run.left; x < run.right; ++x) in |= row[x] == wave_;
    }
    // A wave that has to end begins anew with these.
    const std::uint32_t wave = in ? wave_ + 1 : wave_;
    for (const PixelRun& run : runs_) {
      std::uint32_t* const row = wave_of_.data() + std::size_t{run.row} * width;
      std::fill(row + run.left, row + run.right, wave);
    }
    return in;
  }

  /// Pixels of a row become fragments from `at` on.
  void place(std::uint32_t row, std::uint32_t left, std::uint32_t right, std::size_t at) {
    const Rectangle& area = frame_.rectangle;
    const std::uint32_t first = row * area.width;
    const double y = area.top + row;
    for (std::uint32_t x = left; x < right; ++x, ++at) {
      targets_[at] = first + x;
      fragments_.x[at] = area.left + x;
      fragments_.y[at] = y;
      fragments_.depth[at] = frame_.depth[first + x];
      fragments_.clear[at] = clear_.empty() ? 0 : clear_[first + x];
    }
  }

  /// The first `count` fragments become events, and those that are to be traced tracers.
  void meet(std::uint32_t leaf, const rows::Face& face, std::size_t count) {
    kernels_.fragments(fragments_, count, eye_, face);
    const Leaf& here = hull_.leaves[leaf];
    TraceEvent event;
    event.object = number_;
    event.leaf = leaf;
    event.depth_read = settings_.early_depth;
    ObjectRay ray;
    ray.origin = view_.eye();
    ray.cone = view_.cone();
    ray.side = side_;
    Walk walk;
    for (std::size_t n = 0; n < count; ++n) {
      const double kind = fragments_.kind[n];
      if (kind == rows::kClipped) continue;
      event.target = targets_[n];
      event.carried = kind == rows::kCarried;
      event.rejected = kind != rows::kTraced;
      events_.push_back(event);
      if (event.rejected) continue;
      for (unsigned axis = 0; axis < 3; ++axis) ray.direction[axis] = fragments_.direction[axis][n];
      if (settings_.carries()) walk.clear = clear_[event.target];
      tracers_.emplace_back(*placed_.object, here.box, ray,
                            Span{fragments_.enter[n], fragments_.leave[n]}, settings_, walk,
                            hull_.slopeOf(here));
      traced_.push_back({events_.size() - 1, fragments_.scale[n]});
    }
  }

  /// Traces the wave, and tells of it.
  void flush() {
    if (pipeline_.watch() == nullptr) {
      traceByCode();
    } else if (!tracers_.empty()) {
      traced_targets_.clear();
      for (const Traced& traced : traced_) traced_targets_.push_back(events_[traced.event].target);
      batch_.trace(evaluation(parts_.back().leaf, 0), tracers_, traced_targets_);
    }
    for (const Part& part : parts_) {
      if (part.begins) {
        pipeline_.counters().faces += part.faces;
        pipeline_.observer().leaf({number_, part.leaf, hull_.leaves[part.leaf].code, part.faces});
      } else {
        finish(part);
      }
    }
    parts_.clear();
    events_.clear();
    tracers_.clear();
    traced_.clear();
    ++wave_;
  }

  void traceByCode() {
    by_code_.clear();
    for (const Part& part : parts_)
      if (part.traced != part.traced_end)
        by_code_.emplace_back(hull_.leaves[part.leaf].code, &part);
    std::sort(by_code_.begin(), by_code_.end());
    for (std::size_t first = 0; first < by_code_.size();) {
      const std::uint32_t code = by_code_[first].first;
      pointers_.clear();
      for (; first < by_code_.size() && by_code_[first].first == code; ++first) {
        const Part& part = *by_code_[first].second;
        for (std::size_t n = part.traced; n < part.traced_end; ++n)
          pointers_.push_back(&tracers_[n]);
      }
      batch_.trace(hull_.codes[code], pointers_);
    }
  }

  /// Depth test, normals and records of the fragments of a face.
  void finish(const Part& part) {
    points_.clear();
    shaded_.clear();
    for (std::size_t n = part.traced; n < part.traced_end; ++n) test(part.leaf, n);
    std::vector<Vec> normals;
    if (!points_.empty()) {
      const Evaluation what = evaluation(part.leaf, 0);
      stencils_ = batch_.stencils(hull_, part.leaf, points_, settings_, what, shaded_);
      normals = batch_.normals(hull_, what, stencils_, shaded_);
    }
    std::size_t told = part.events;
    for (std::size_t n = part.traced; n < part.traced_end && !points_.empty(); ++n) {
      const Traced& traced = traced_[n];
      if (!traced.shaded) continue;
      tell(told, traced.event + 1);
      told = traced.event + 1;
      store(part.leaf, n, normals[traced.stencil]);
    }
    tell(told, part.end);
  }

  /// Counts and tells events, many at once where nobody wants them one by one.
  void tell(std::size_t first, std::size_t end) {
    while (first < end) {
      const auto rest = std::span<const TraceEvent>(events_).subspan(first, end - first);
      const std::size_t many = pipeline_.watch() == nullptr ? pipeline_.observer().traces(rest) : 0;
      for (const TraceEvent& event : rest.first(many)) count(event);
      if (many < rest.size()) {
        count(rest[many]);
        pipeline_.tell(rest[many]);
      }
      first += many + 1;
    }
  }

  void count(const TraceEvent& event) {
    Counters& counters = pipeline_.counters();
    ++counters.fragments;
    counters.carried += event.carried ? 1U : 0U;
    counters.early_rejects += event.rejected && !event.carried ? 1U : 0U;
  }

  [[nodiscard]] Evaluation evaluation(std::uint32_t leaf, std::uint32_t target) const {
    return Pipeline::evaluation(placed_, number_, leaf, target);
  }

  void test(std::uint32_t leaf, std::size_t n) {
    Traced& traced = traced_[n];
    const Tracer& tracer = tracers_[n];
    TraceEvent& event = events_[traced.event];
    const std::uint32_t target = event.target;
    HitRecord& record = frame_.hits[target];
    const bool hit = pipeline_.account(placed_, leaf, tracer.result(), event, record);
    if (settings_.carries()) clear_[target] = tracer.walk().clear;
    if (!hit) return;
    const auto distance = static_cast<float>(tracer.result().t / traced.scale);
    event.nearest = nearer(distance, frame_.depth[target], record);
    pipeline_.counters().depth_rejects += event.nearest ? 0U : 1U;
    // The seed's fragments find their normals before the depth test.
    traced.shaded = event.nearest || !settings_.early_depth;
    if (!traced.shaded) return;
    traced.stencil = points_.size();
    traced.point = pipeline_.hitPoint(hull_.leaves[leaf], tracer.ray(), tracer.result().t);
    points_.push_back(traced.point);
    shaded_.push_back(target);
  }

  [[nodiscard]] bool nearer(float distance, float depth, const HitRecord& record) const {
    const bool same = distance == depth && record.hit();
    return distance < depth || (same && placed_.object->id() < record.object);
  }

  void store(std::uint32_t leaf, std::size_t n, const Vec& normal) {
    const Traced& traced = traced_[n];
    const TraceEvent& event = events_[traced.event];
    const std::uint32_t target = event.target;
    HitRecord& record = frame_.hits[target];
    HitRecord shaded = record;
    pipeline_.shade(placed_, number_, leaf, traced.point, stencils_[traced.stencil], normal, target,
                    shaded);
    if (!event.nearest) {
      record.evaluations = shaded.evaluations;
      return;
    }
    pipeline_.counters().covered += record.hit() ? 0U : 1U;
    record = shaded;
    record.object = placed_.object->id();
    record.t = static_cast<float>(tracers_[n].result().t / traced.scale);
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
  rows::Eye eye_;
  Rasteriser rasteriser_;
  PointBatch& batch_;
  const rows::Kernels& kernels_ = rows::kernels(common::bestIsa());
  int side_ = 1;

  std::vector<PixelRun> runs_;
  rows::Fragments fragments_;
  std::array<std::uint32_t, rows::kMostFragments> targets_{};  ///< pixel of each

  std::uint32_t wave_ = 1;
  std::vector<std::uint32_t> wave_of_;  ///< per pixel: the last wave in which it had a fragment
  std::vector<Part> parts_;
  std::vector<TraceEvent> events_;
  std::vector<Tracer> tracers_;
  std::vector<Traced> traced_;
  std::vector<std::uint32_t> traced_targets_;  ///< pixel of each
  std::vector<std::pair<std::uint32_t, const Part*>> by_code_;
  std::vector<Tracer*> pointers_;

  std::vector<Vec> points_;  ///< hits to be shaded, of a face
  std::vector<NormalStencil> stencils_;
  std::vector<std::uint32_t> shaded_;  ///< pixel of each
  std::vector<float> clear_;           ///< per pixel: the ray is clear up to this object distance
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
