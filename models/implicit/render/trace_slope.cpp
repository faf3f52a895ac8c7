// See trace.hpp: traces by bounds of the derivatives.
#include <algorithm>
#include <cmath>
#include <utility>

#include "models/implicit/render/trace.hpp"

namespace rtvp::implicit::render {
namespace {

constexpr double kLeave = 4;  ///< eps from its start on within which a ray leaves its surface
constexpr double kLeast = 1.0 / 16;  ///< of eps: the shortest step
constexpr double kTouch = 0.002;  ///< of eps: f that a slope makes up in so little may be rounding
constexpr double kClose = 0.02;   ///< of eps: a hit is no nearer than that to its surface
constexpr double kEdge = 0.05;    ///< of a bracket: how near to its ends the next sample may lie

}  // namespace

void Tracer::slopeAlong(const registers::SlopeBound& slope) {
  rate_ = slope.along(scaled(ray_.direction, ray_.side));
  const double eps = settings_->eps;
  // Half of the limit is left for the closing in.
  least_step_ =
      slope.finite() ? kLeast * eps : std::max(eps, (end_ - t_) / settings_->slope_steps * 2);
}

void Tracer::takeSloped(double f) {
  const Sample here{t_, f};
  if (walk_.leaving && f <= 0 && t_ < kLeave * double{settings_->eps}) {
    t_ += settings_->eps;
  } else {
    walk_.leaving = false;
    const bool doubted = std::exchange(doubted_, false);
    if (f > 0) {
      outside(here);
    } else {
      inside(doubted ? doubt_ : here, doubted);
    }
  }
  if (done_ || out_.evaluations < settings_->slope_steps) return;
  if (!bracketed_) return end(Outcome::Capped);
  t_ = crossing();
  end(Outcome::Hit);
}

void Tracer::outside(const Sample& here) {
  low_ = here;
  has_low_ = true;
  if (bracketed_) return closeIn();
  const bool proven = rate_.least >= 0 || here.t >= end_ || here.f > -rate_.least * (end_ - here.t);
  if (proven) {
    walk_.setClear(end_);
    return end(Outcome::Miss);
  }
  t_ = end_;
  if (rate_.most < 0) return;
  double least = least_step_;
  // Where half the steps are gone the rest of the way is shared out among what is left, less some
  // for the closing in.
  const double left = 0.9 * settings_->slope_steps - out_.evaluations;
  if (2 * out_.evaluations > settings_->slope_steps)
    least = std::max(least, (end_ - here.t) / std::max(left, 1.0));
  t_ = std::min(end_, here.t + std::max(here.f / -rate_.least, least));
}

void Tracer::inside(const Sample& here, bool sure) {
  const double touch = kTouch * double{settings_->eps} * -rate_.least;
  if (!sure && !bracketed_ && here.f > -touch && here.t < end_) {
    // Where f only touches 0 its rounding may be below: what comes behind tells.
    doubted_ = true;
    doubt_ = here;
    t_ = std::min(end_, here.t + least_step_);
    return;
  }
  // The cuboid before ended less than a step away, or the object's box cuts the inside.
  if (!has_low_) return end(Outcome::Hit);
  if (!bracketed_ && std::isfinite(rate_.least))
    out_.overshoot |= low_.f - here.f > -rate_.least * (here.t - low_.t + double{settings_->eps});
  high_ = here;
  bracketed_ = true;
  closeIn();
}

/// A hit if the samples about it are near enough; else the next one, between them.
void Tracer::closeIn() {
  const double width = high_.t - low_.t, eps = settings_->eps;
  const double nearest = std::min(low_.f, -high_.f) * width / (low_.f - high_.f);
  t_ = crossing();
  if (width <= eps || nearest <= kClose * eps) return end(Outcome::Hit);
  // An end that stays where it is keeps its f, which pulls the next sample to it: halve now and
  // then.
  if (out_.evaluations % 3 == 0) t_ = low_.t + width / 2;
  t_ = std::clamp(t_, low_.t + kEdge * width, high_.t - kEdge * width);
}

/// Where the line through the two samples is 0.
double Tracer::crossing() const {
  return low_.t + (high_.t - low_.t) * (low_.f / (low_.f - high_.f));
}

}  // namespace rtvp::implicit::render
