// See trace.hpp.
#include "models/implicit/render/trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtvp::implicit::render {
namespace {

double diagonalOf(const Bounds& box) {
  return length({double{box.max[0]} - box.min[0], double{box.max[1]} - box.min[1],
                 double{box.max[2]} - box.min[2]});
}

}  // namespace

Tracer::Tracer(const Object& object, const Bounds& box, const ObjectRay& ray, Span span,
               const Settings& settings, const Walk& walk, const registers::SlopeBound* slope)
    : settings_(&settings),
      ray_(ray),
      low_corner_{double{box.min[0]}, double{box.min[1]}, double{box.min[2]}},
      high_corner_{double{box.max[0]}, double{box.max[1]}, double{box.max[2]}},
      lipschitz_(object.lipschitz()),
      walk_(walk),
      t_(span.enter),
      end_(settings.exact_exit ? span.leave : span.enter + diagonalOf(box)),
      relaxing_(settings.stepping != Stepping::Plain),
      best_error_(std::numeric_limits<double>::infinity()),
      sloped_(slope != nullptr) {
  if (sloped_) slopeAlong(*slope);
  if (!settings.carries()) return;
  t_ = std::max(t_, double{walk.clear});
  if (t_ >= end_) end(Outcome::Miss);
}

std::array<float, 3> Tracer::point() const {
  Vec p = add(ray_.origin, scaled(ray_.direction, t_));
  // As std::clamp, in a form that takes no branches.
  if (settings_->exact_exit)
    for (unsigned n = 0; n < 3; ++n)
      p[n] = std::max(std::min(p[n], high_corner_[n]), low_corner_[n]);
  return singleOf(p);
}

void Tracer::take(float value) {
  const double f = ray_.side * double{value};  // 1 or -1 times
  ++out_.evaluations;
  if (std::isnan(f)) return end(Outcome::Undefined);
  if (sloped_) return takeSloped(f);
  checkDrop(f);
  if (walk_.leaving) {
    if (!leaveShell(f)) return end(Outcome::Hit);
  } else if (step_ > before_ && f / lipschitz_ + before_ < step_) {
    // The spheres do not overlap: what lies between them is not known to be empty.
    t_ += before_ - step_;
    step_ = before_ = 0;
    relaxing_ = false;
  } else if (f <= eps()) {
    if (settings_->last_step && f > 0) t_ = std::min(t_ + f / lipschitz_, end_);
    return end(Outcome::Hit);
  } else {
    advance(f);
  }
  if (t_ >= end_) return miss();
  if (out_.evaluations >= settings_->step_limit) cap();
}

/// A bound that is declared may be too small.
void Tracer::checkDrop(double f) {
  const double eps = settings_->eps;
  if (out_.evaluations > 1 && !walk_.leaving && f < -eps && last_f_ > 0 && t_ > last_t_)
    out_.overshoot |= last_f_ - f > (lipschitz_ * (t_ - last_t_)) * (1 + 1e-3) + eps;
  last_f_ = f;
  last_t_ = t_;
}

double Tracer::eps() const {
  return std::max(double{settings_->eps}, settings_->cone_scale * ray_.cone * t_);
}

/// Steps that grow while the ray grazes the surface it starts on; false: it has gone in.
bool Tracer::leaveShell(double f) {
  if (f < -double{settings_->eps}) return false;
  if (f > settings_->eps) {
    walk_.leaving = false;
    advance(f);
  } else {
    t_ += settings_->eps / lipschitz_ * out_.evaluations;
  }
  return true;
}

void Tracer::advance(double f) {
  const double radius = f / lipschitz_;
  if (settings_->best_candidate && t_ > 0 && f / t_ < best_error_) {
    best_error_ = f / t_;
    best_t_ = t_;
  }
  double step = radius * settings_->step_scale;
  if (relaxing_) {
    const double longer = relaxed(radius);
    if (t_ + longer < end_) step = longer;  // never past the exit by more than f allows
  }
  before_ = radius;
  step_ = step;
  t_ += step;
}

double Tracer::relaxed(double radius) const {
  if (settings_->stepping == Stepping::Relaxed) return radius * settings_->relaxation;
  // The distance falls by a constant slope from sample to sample on a plane; the next sphere then
  // touches this one.
  if (!(step_ > 0)) return radius;
  const double next = radius * (step_ - before_ + radius) / (step_ + before_ - radius);
  return next > 0 && std::isfinite(next) ? radius + settings_->relaxation * next : radius;
}

void Tracer::end(Outcome outcome) {
  out_.outcome = outcome;
  out_.t = t_;
  done_ = true;
}

/// The last sphere reaches beyond the cuboid, where f is the same function.
void Tracer::miss() {
  walk_.setClear(t_ - step_ + before_);
  end(Outcome::Miss);
}

void Tracer::cap() {
  end(Outcome::Capped);
  if (!settings_->best_candidate || best_error_ > ray_.cone) return;
  out_.t = best_t_;
  out_.candidate = true;
}

Span spanOf(const ObjectRay& ray, const Bounds& box) {
  Span span{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (unsigned n = 0; n < 3; ++n) {
    const double o = ray.origin[n], d = ray.direction[n];
    if (d == 0) {
      if (o < box.min[n] || o > box.max[n]) return {};
      continue;
    }
    const double a = (box.min[n] - o) / d, b = (box.max[n] - o) / d;
    span.enter = std::max(span.enter, std::min(a, b));
    span.leave = std::min(span.leave, std::max(a, b));
  }
  return span;
}

}  // namespace rtvp::implicit::render
