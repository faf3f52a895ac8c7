// See trace_lanes.hpp.
#include "models/implicit/render/trace_lanes.hpp"

#include <algorithm>
#include <bit>

namespace rtvp::implicit::render {
namespace {

rows::Rules rulesOf(const Settings& settings) {
  rows::Rules rules{};
  rules.eps = settings.eps;
  rules.cone_scale = settings.cone_scale;
  rules.step_scale = settings.step_scale;
  rules.relaxation = settings.relaxation;
  rules.step_limit = settings.step_limit;
  rules.planar = settings.stepping != Stepping::Relaxed;
  rules.best_candidate = settings.best_candidate;
  rules.last_step = settings.last_step;
  rules.exact_exit = settings.exact_exit;
  return rules;
}

}  // namespace

void TraceLanes::enter(Tracer& tracer, std::size_t lane) {
  tracers_[lane] = &tracer;
  rays_.outcome[lane] = rows::kOn;
  rays_.t[lane] = tracer.t_;
  rays_.end[lane] = tracer.end_;
  rays_.step[lane] = tracer.step_;
  rays_.before[lane] = tracer.before_;
  rays_.best_error[lane] = tracer.best_error_;
  rays_.best_t[lane] = tracer.best_t_;
  rays_.last_f[lane] = tracer.last_f_;
  rays_.last_t[lane] = tracer.last_t_;
  rays_.leaving[lane] = tracer.walk_.leaving ? 1 : 0;
  rays_.relaxing[lane] = tracer.relaxing_ ? 1 : 0;
  rays_.overshoot[lane] = tracer.out_.overshoot ? 1 : 0;
  rays_.evaluations[lane] = tracer.out_.evaluations;
  rays_.lipschitz[lane] = tracer.lipschitz_;
  rays_.side[lane] = tracer.ray_.side;
  rays_.cone[lane] = tracer.ray_.cone;
  for (unsigned n = 0; n < 3; ++n) {
    rays_.origin[n][lane] = tracer.ray_.origin[n];
    rays_.direction[n][lane] = tracer.ray_.direction[n];
    rays_.low[n][lane] = tracer.low_corner_[n];
    rays_.high[n][lane] = tracer.high_corner_[n];
  }
}

/// Back into the tracer, as far as the ray has come.
void TraceLanes::leave(std::size_t lane) {
  Tracer& tracer = *tracers_[lane];
  tracer.t_ = rays_.t[lane];
  tracer.step_ = rays_.step[lane];
  tracer.before_ = rays_.before[lane];
  tracer.best_error_ = rays_.best_error[lane];
  tracer.best_t_ = rays_.best_t[lane];
  tracer.last_f_ = rays_.last_f[lane];
  tracer.last_t_ = rays_.last_t[lane];
  tracer.walk_.leaving = rays_.leaving[lane] != 0;
  tracer.relaxing_ = rays_.relaxing[lane] != 0;
  tracer.out_.overshoot = rays_.overshoot[lane] != 0;
  tracer.out_.evaluations = static_cast<std::uint32_t>(rays_.evaluations[lane]);
  const double outcome = rays_.outcome[lane];
  if (outcome == rows::kOn) return;
  if (outcome == rows::kCapped) return tracer.cap();
  if (outcome == rows::kMiss) return tracer.miss();
  tracer.end(outcome == rows::kHit ? Outcome::Hit : Outcome::Undefined);
}

void TraceLanes::move(std::size_t from, std::size_t to) {
  tracers_[to] = tracers_[from];
  const auto copy = [from, to](auto&... row) { ((row[to] = row[from]), ...); };
  copy(rays_.t, rays_.end, rays_.step, rays_.before, rays_.best_error, rays_.best_t, rays_.last_f,
       rays_.last_t, rays_.leaving, rays_.relaxing, rays_.overshoot, rays_.evaluations,
       rays_.lipschitz, rays_.side, rays_.cone, rays_.outcome);
  for (unsigned n = 0; n < 3; ++n)
    copy(rays_.origin[n], rays_.direction[n], rays_.low[n], rays_.high[n]);
}

/// Rays that have come to their end give their lanes to those that wait, or to the last ones.
void TraceLanes::replace() {
  // From the last lane down: what comes into a free lane from behind has been looked at.
  for (std::size_t group = (lanes_ + rows::kLanes - 1) / rows::kLanes; group-- > 0;) {
    unsigned ended = ended_[group];
    if (lanes_ < (group + 1) * rows::kLanes) ended &= (1U << (lanes_ - group * rows::kLanes)) - 1;
    while (ended != 0) {
      const auto bit = static_cast<unsigned>(std::bit_width(ended)) - 1;
      ended &= ~(1U << bit);
      const std::size_t lane = group * rows::kLanes + bit;
      leave(lane);
      if (!waiting_.empty()) {
        enter(*waiting_.front(), lane);
        waiting_ = waiting_.subspan(1);
      } else if (lane != --lanes_) {
        move(lanes_, lane);
      }
    }
  }
}

void TraceLanes::run(registers::BatchEvaluator& evaluator, const registers::Program& program,
                     std::vector<Tracer*>& tracers, std::size_t fewest) {
  if (tracers.empty()) return;
  const rows::Rules rules = rulesOf(*tracers.front()->settings_);
  const std::size_t most = std::min(registers::BatchEvaluator::mostPoints(program), rows::kMost);
  lanes_ = std::min(most, tracers.size());
  waiting_ = std::span<Tracer* const>(tracers).subspan(lanes_);
  for (std::size_t lane = 0; lane < lanes_; ++lane) enter(*tracers[lane], lane);
  do {
    const std::array<float*, 3> at = evaluator.place(program, lanes_);
    kernels_.points(rays_, lanes_, rules.exact_exit, at[0], at[1], at[2]);
    kernels_.take(rays_, lanes_, evaluator.evaluate(program), rules, ended_.data());
    replace();
  } while (lanes_ != 0 && lanes_ >= fewest);
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    leave(lane);
    tracers[lane] = tracers_[lane];
  }
  tracers.resize(lanes_);
}

}  // namespace rtvp::implicit::render
