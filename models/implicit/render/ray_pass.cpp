// See ray_pass.hpp.
#include "models/implicit/render/ray_pass.hpp"

#include <algorithm>
#include <cmath>

namespace rtvp::implicit::render {

// ---- the lattice

LatticeWalk::LatticeWalk(const Hull& hull, const ObjectRay& ray, Span span)
    : hull_(&hull),
      origin_(ray.origin),
      direction_(ray.direction),
      end_(span.leave),
      t_(span.enter) {
  for (unsigned n = 0; n < 3; ++n) {
    const double p = origin_[n] + direction_[n] * span.enter;
    // The last cell whose plane is not above: planes do not fall, and grids are powers of two.
    for (unsigned half = kLeafGrid[n] / 2; half > 0; half /= 2) {
      const unsigned cell = static_cast<unsigned>(at_[n]) + half;
      if (p >= plane(n, cell)) at_[n] = static_cast<int>(cell);
    }
    // A ray that runs down from a plane starts below it.
    if (direction_[n] < 0 && at_[n] > 0 && p <= plane(n, static_cast<unsigned>(at_[n]))) --at_[n];
    next_[n] = crossing(n);
  }
}

bool LatticeWalk::step() {
  const unsigned n = axis();
  t_ = std::max(t_, next_[n]);
  if (t_ >= end_) return false;
  at_[n] += direction_[n] > 0 ? 1 : -1;
  if (at_[n] < 0 || at_[n] >= static_cast<int>(kLeafGrid[n])) return false;
  next_[n] = crossing(n);
  return true;
}

double LatticeWalk::crossing(unsigned n) const {
  if (direction_[n] == 0) return std::numeric_limits<double>::infinity();
  const auto index = static_cast<unsigned>(at_[n] + (direction_[n] > 0 ? 1 : 0));
  return (plane(n, index) - origin_[n]) / direction_[n];
}

// ---- objects

void RayPass::start() {
  nextObject();
}

/// From object_ on to the first one that has something to evaluate; behind the last to the normal.
void RayPass::nextObject() {
  for (; object_ < objects_.size() && !(hit_ && world_.any); ++object_)
    if (enterObject()) return;
  if (hit_ && !world_.any) return shade();
  finish();
}

/// False: the ray does not touch the object's box.
bool RayPass::enterObject() {
  ray_ = {};
  ray_.origin = placed().object->toObject().point(world_.origin);
  const Vec along = placed().object->toObject().vector(world_.direction);
  scale_ = length(along);
  if (!(nearest_ > 0)) return false;
  if (!(scale_ > 0) || !std::isfinite(scale_ + dot(ray_.origin, ray_.origin))) return false;
  ray_.direction = scaled(along, 1 / scale_);
  ray_.cone = world_.cone;
  span_ = spanOf(ray_, placed().hull->bounds);
  span_.enter = std::max(span_.enter, 0.0);
  span_.leave = std::min(span_.leave, double{nearest_} * scale_);
  if (span_.empty()) return false;
  walk_ = {};
  ahead_ = false;
  if (span_.enter == 0) {
    askSide(Due::Side, ray_.origin);
    return true;
  }
  return enterCells();
}

// ---- the side that the ray starts on: it starts within the box, and f there tells

void RayPass::askSide(Due what, const Vec& point) {
  point_ = point;
  due_ = what;
  pipeline_.countSide(placed(), object_, target_);
  ++record_.evaluations;
}

void RayPass::takeSide(float f) {
  const double value = f;
  const bool sloped = placed().hull->sloped;
  if (ahead_) {
    chooseSide(value);
  } else {
    const double shell = (sloped ? 4 : 2) * double{pipeline_.settings().eps};
    if (sloped || std::abs(value) <= shell) {
      ahead_ = true;
      side_value_ = value;
      const double way = sloped ? shell : 2 * shell / placed().object->lipschitz();
      return askSide(Due::Side, add(ray_.origin, scaled(ray_.direction, way)));
    }
    if (value < 0) ray_.side = -1;
  }
  if (!enterCells()) {
    ++object_;
    nextObject();
  }
}

/// `ahead` is f a little further along the ray. Of a distance it tells whether f grows; else a
/// change of sign just ahead says that the ray starts on the surface.
void RayPass::chooseSide(double ahead) {
  if (placed().hull->sloped) {
    ray_.side = ahead < 0 ? -1 : 1;
    walk_.leaving = (side_value_ < 0) != (ahead < 0) || side_value_ == 0;
  } else {
    walk_.leaving = true;
    ray_.side = ahead < side_value_ ? -1 : 1;
  }
}

// ---- leaves

/// False: nothing to trace in the object.
bool RayPass::enterCells() {
  if (pipeline_.settings().mode == Mode::Brute) {
    openLeaf(0, span_);
    return true;
  }
  cells_.emplace(*placed().hull, ray_, span_);
  return walkCells(false);
}

/// To the next cell with a leaf that the ray meets, from the one at hand (`step`: behind it) on.
bool RayPass::walkCells(bool step) {
  for (;; step = true) {
    if (step && !cells_->step()) return false;
    const std::uint32_t at = cells_->leaf();
    if (at == kNoLeaf) continue;
    const Span cell = cells_->span(), part = spanOf(ray_, placed().hull->leaves[at].trimmed);
    const Span both{std::max(cell.enter, part.enter), std::min(cell.leave, part.leave)};
    if (both.empty()) continue;
    openLeaf(at, both);
    return true;
  }
}

void RayPass::openLeaf(std::uint32_t leaf, const Span& span) {
  ++pipeline_.counters().ray_leaves;
  leaf_ = leaf;
  const Leaf& here = placed().hull->leaves[leaf];
  tracer_.emplace(*placed().object, here.box, ray_, span, pipeline_.settings(), walk_,
                  placed().hull->slopeOf(here));
  due_ = Due::Trace;
}

/// True: a hit, be it behind one of an object before.
bool RayPass::closeLeaf() {
  TraceEvent event;
  event.object = object_;
  event.leaf = leaf_;
  event.target = target_;
  walk_ = tracer_->walk();
  const double t = tracer_->result().t;
  const bool hit = pipeline_.account(placed(), leaf_, tracer_->result(), event, record_);
  const auto distance = static_cast<float>(t / scale_);
  const bool same = distance == nearest_ && hit_;
  event.nearest = hit && (distance < nearest_ || (same && placed().object->id() < record_.object));
  pipeline_.tell(event);
  if (!event.nearest) return hit;
  hit_ = true;
  nearest_ = record_.t = distance;
  record_.object = placed().object->id();
  hit_object_ = object_;
  hit_leaf_ = leaf_;
  hit_ray_ = ray_;
  hit_t_ = t;
  return true;
}

void RayPass::traced() {
  if (!closeLeaf() && pipeline_.settings().mode != Mode::Brute && walkCells(true)) return;
  ++object_;
  nextObject();
}

// ---- the normal of the nearest hit

void RayPass::shade() {
  object_ = hit_object_;
  const Leaf& leaf = placed().hull->leaves[hit_leaf_];
  point_ = pipeline_.hitPoint(leaf, hit_ray_, hit_t_);
  if (pipeline_.settings().normals == Normals::Derivative) {
    due_ = Due::Gradient;
    return;
  }
  stencil_ = stencilAt(*placed().hull, hit_leaf_, point_, pipeline_.settings());
  due_ = Due::Normal;
}

void RayPass::takeGradient(const registers::Gradient& gradient) {
  stencil_ = stencilAt(*placed().hull, hit_leaf_, point_, pipeline_.settings(), &gradient);
  if (stencil_.due) {
    due_ = Due::Normal;
  } else {
    takeNormal(stencil_.found);
  }
}

void RayPass::takeNormal(const std::array<float, 4>& f) {
  takeNormal(stencil_.normal(f));
}

void RayPass::takeNormal(const Vec& normal) {
  pipeline_.shade(placed(), hit_object_, hit_leaf_, point_, stencil_, normal, target_, record_);
  finish();
}

void RayPass::finish() {
  pipeline_.counters().covered += hit_ ? 1U : 0U;
  pipeline_.observer().store(target_);
  due_ = Due::Nothing;
}

const Code* RayPass::code() const {
  const Hull& hull = *placed().hull;
  if (due_ == Due::Side) return hull.codes.data();
  if (due_ == Due::Trace) return &hull.codes[hull.leaves[leaf_].code];
  const Hull& hit = *objects_[hit_object_].hull;
  return &hit.codes[due_ == Due::Normal ? stencil_.code : hit.leaves[hit_leaf_].code];
}

Evaluation RayPass::evaluation() const {
  if (due_ == Due::Side) return Pipeline::sideOf(placed(), object_, target_);
  if (due_ == Due::Trace) return Pipeline::evaluation(placed(), object_, leaf_, target_);
  Evaluation what = Pipeline::evaluation(placed(), hit_object_, hit_leaf_, target_);
  what.phase = due_ == Due::Gradient ? Phase::Gradient : Phase::Normal;
  if (due_ == Due::Normal) {
    what.number = stencil_.code;
    what.code = &placed().hull->codes[stencil_.code];
  }
  return what;
}

}  // namespace rtvp::implicit::render
