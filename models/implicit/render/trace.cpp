// See trace.hpp.
#include "models/implicit/render/trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rtvp::implicit::render {
namespace {

Vec alongRay(const ObjectRay& ray, double t) {
  return add(ray.origin, scaled(ray.direction, t));
}

Vec clamped(Vec p, const Bounds& box) {
  for (unsigned n = 0; n < 3; ++n) p[n] = std::clamp(p[n], double{box.min[n]}, double{box.max[n]});
  return p;
}

/// One ray in one cuboid.
class Tracer {
 public:
  Tracer(const Object& object, const Code& code, const Bounds& box, const ObjectRay& ray,
         const Settings& settings)
      : object_(object), code_(code), box_(box), ray_(ray), settings_(settings) {}

  Trace run(Span span, Walk& walk) {
    t_ = span.enter;
    end_ = settings_.exact_exit ? span.leave : span.enter + diagonal();
    relaxing_ = settings_.stepping != Stepping::Plain;
    if (settings_.carries()) {
      t_ = std::max(t_, double{walk.clear});
      if (t_ >= end_) return ended(Outcome::Miss);
    }
    while (out_.evaluations < settings_.step_limit) {
      const double f = sample();
      if (std::isnan(f)) return ended(Outcome::Undefined);
      if (walk.leaving) {
        if (!leaveShell(f, walk)) return ended(Outcome::Hit);
      } else if (step_ > before_ && f / object_.lipschitz() + before_ < step_) {
        // The spheres do not overlap: what lies between them is not known to be empty.
        t_ += before_ - step_;
        step_ = before_ = 0;
        relaxing_ = false;
        continue;
      } else if (f <= eps()) {
        if (settings_.last_step && f > 0) t_ = std::min(t_ + f / object_.lipschitz(), end_);
        return ended(Outcome::Hit);
      } else {
        advance(f);
      }
      if (t_ >= end_) {
        // The last sphere reaches beyond the cuboid, where f is the same function.
        walk.setClear(t_ - step_ + before_);
        return ended(Outcome::Miss);
      }
    }
    return capped();
  }

 private:
  [[nodiscard]] double diagonal() const {
    return length({double{box_.max[0]} - box_.min[0], double{box_.max[1]} - box_.min[1],
                   double{box_.max[2]} - box_.min[2]});
  }

  double sample() {
    ++out_.evaluations;
    const Vec p = alongRay(ray_, t_);
    return ray_.side * double{code_.valueAt(settings_.exact_exit ? clamped(p, box_) : p)};
  }

  [[nodiscard]] double coneRadius() const { return ray_.cone * t_; }
  [[nodiscard]] double eps() const {
    return std::max(double{settings_.eps}, settings_.cone_scale * coneRadius());
  }

  /// Steps that grow while the ray grazes the surface it starts on; false: it has gone in.
  bool leaveShell(double f, Walk& walk) {
    if (f < -double{settings_.eps}) return false;
    if (f > settings_.eps) {
      walk.leaving = false;
      advance(f);
    } else {
      t_ += settings_.eps / object_.lipschitz() * out_.evaluations;
    }
    return true;
  }

  void advance(double f) {
    const double radius = f / object_.lipschitz();
    if (settings_.best_candidate && t_ > 0 && f / t_ < best_error_) {
      best_error_ = f / t_;
      best_t_ = t_;
    }
    double step = radius * settings_.step_scale;
    if (relaxing_) {
      const double longer = relaxed(radius);
      if (t_ + longer < end_) step = longer;  // never past the exit by more than f allows
    }
    before_ = radius;
    step_ = step;
    t_ += step;
  }

  [[nodiscard]] double relaxed(double radius) const {
    if (settings_.stepping == Stepping::Relaxed) return radius * settings_.relaxation;
    // The distance falls by a constant slope from sample to sample on a plane; the next sphere
    // then touches this one.
    if (!(step_ > 0)) return radius;
    const double next = radius * (step_ - before_ + radius) / (step_ + before_ - radius);
    return next > 0 && std::isfinite(next) ? radius + settings_.relaxation * next : radius;
  }

  Trace ended(Outcome outcome) {
    out_.outcome = outcome;
    out_.t = t_;
    return out_;
  }

  Trace capped() {
    if (settings_.best_candidate && best_error_ <= ray_.cone) {
      out_.t = best_t_;
      out_.candidate = true;
    }
    out_.outcome = Outcome::Capped;
    return out_;
  }

  const Object& object_;
  const Code& code_;
  const Bounds& box_;
  const ObjectRay& ray_;
  const Settings& settings_;
  Trace out_;
  double t_ = 0, end_ = 0;
  double step_ = 0, before_ = 0;  ///< the last step, and the sphere it started in
  bool relaxing_ = false;
  double best_error_ = std::numeric_limits<double>::infinity(), best_t_ = 0;
};

}  // namespace

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

Trace trace(const Object& object, const Hull& hull, std::uint32_t code, const Bounds& box,
            const ObjectRay& ray, Span span, const Settings& settings, Walk& walk) {
  return Tracer(object, hull.codes[code], box, ray, settings).run(span, walk);
}

}  // namespace rtvp::implicit::render
