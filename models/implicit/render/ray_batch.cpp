// See ray_batch.hpp.
#include "models/implicit/render/ray_batch.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace rtvp::implicit::render {
namespace {

/// Traces go on together while there are so many; the last of them wait for those that come into
/// the leaf with the next round.
constexpr std::size_t kFewTraces = 16;

template <class... Rules>
struct Overloaded : Rules... {
  using Rules::operator()...;
};
template <class... Rules>
Overloaded(Rules...) -> Overloaded<Rules...>;

}  // namespace

void RayBatch::Log::link() {
  const auto at = static_cast<std::uint32_t>(kept_.size());
  (first_ == kLast ? first_ : kept_[last_].next) = at;
  last_ = at;
}

void RayBatch::Log::tell(Observer& observer) const {
  const Overloaded rules{
      [&](const TraceEvent& event) { observer.trace(event); },
      [&](const ShadeEvent& event) { observer.shade(event); },
      [&](const Side& side) { observer.side(side.object, side.target); },
      [&](const Store& store) { observer.store(store.target); },
  };
  for (std::uint32_t at = first_; at != kLast; at = kept_[at].next)
    std::visit(rules, kept_[at].event);
}

RayBatch::RayBatch(std::span<const Placed> objects, const Settings& settings, std::size_t most)
    : objects_(objects), settings_(settings), rays_(most) {
  requireValid(settings);
}

void RayBatch::add(const WorldRay& ray, Counters& counters, std::uint32_t number) {
  ++counters.rays;
  rays_.at(added_).emplace(kept_, objects_, settings_, counters, ray, number);
  ++added_;
}

HitRecord RayBatch::tell(std::size_t n, Observer& observer) const {
  const Ray& ray = *rays_.at(n);
  ray.log.tell(observer);
  return ray.pass.record();
}

/// In rounds: of each ray what it waits for, those with the same code side by side.
void RayBatch::run() {
  waiting_.clear();
  for (std::size_t n = 0; n < added_; ++n) {
    rays_[n]->pass.start();
    waiting_.push_back({RayPass::Due::Nothing, nullptr, &rays_[n]->pass});
  }
  for (;;) {
    std::erase_if(waiting_, [](Waiting& ray) {
      ray.due = ray.pass->due();
      if (ray.due == RayPass::Due::Nothing) return true;
      ray.code = ray.pass->code();
      return false;
    });
    if (waiting_.empty()) return;
    order();
    for (std::size_t first = 0; first < waiting_.size();) {
      std::size_t end = first + 1;
      while (end < waiting_.size() && waiting_[end].with(waiting_[first])) ++end;
      round(std::span(waiting_).subspan(first, end - first));
      first = end;
    }
  }
}

/// Those that wait for the same stand together: by counting where they wait for few things, else by
/// sorting. Which rays share a pass, and which pass comes first, changes no result.
void RayBatch::order() {
  kinds_.clear();
  kind_.clear();
  std::uint32_t at = 0;
  for (const Waiting& ray : waiting_) {
    if (kinds_.empty() || !ray.with(kinds_[at].first)) {
      for (at = 0; at < kinds_.size() && !ray.with(kinds_[at].first);) ++at;
      if (at == kMostKinds) return sort();
      if (at == kinds_.size()) kinds_.push_back({ray, 0});
    }
    ++kinds_[at].count;
    kind_.push_back(at);
  }
  if (kinds_.size() == 1) return;
  std::size_t sum = 0;
  for (Kind& kind : kinds_) sum += std::exchange(kind.count, sum);
  ordered_.resize(waiting_.size());
  for (std::size_t n = 0; n < waiting_.size(); ++n)
    ordered_[kinds_[kind_[n]].count++] = waiting_[n];
  waiting_.swap(ordered_);
}

void RayBatch::sort() {
  const auto before = [](const Waiting& a, const Waiting& b) {
    return a.due != b.due ? a.due < b.due : std::less<>()(a.code, b.code);
  };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), before))
    std::sort(waiting_.begin(), waiting_.end(), before);
}

void RayBatch::round(std::span<const Waiting> same) {
  switch (same.front().due) {
    case RayPass::Due::Side:
      return sides(same);
    case RayPass::Due::Trace:
      return traces(same);
    case RayPass::Due::Gradient:
      return gradients(same);
    case RayPass::Due::Normal:
      return normals(same);
    case RayPass::Due::Nothing:
      break;
  }
}

void RayBatch::sides(std::span<const Waiting> same) {
  points_.clear();
  for (const Waiting& one : same) points_.add(one.pass->point());
  const std::span<const float> f = points_.run(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n) same[n].pass->takeSide(f[n]);
}

void RayBatch::traces(std::span<const Waiting> same) {
  tracers_.clear();
  for (const Waiting& one : same) tracers_.push_back(&one.pass->tracer());
  points_.trace(*same.front().code, tracers_, kFewTraces);
  for (const Waiting& one : same)
    if (one.pass->tracer().done()) one.pass->traced();
}

void RayBatch::gradients(std::span<const Waiting> same) {
  points_.clear();
  for (const Waiting& one : same) points_.add(one.pass->point());
  const std::span<const registers::Gradient> found = points_.runGradients(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n) same[n].pass->takeGradient(found[n]);
}

void RayBatch::normals(std::span<const Waiting> same) {
  points_.clear();
  for (const Waiting& one : same)
    for (const Vec& corner : one.pass->stencil().point) points_.add(singleOf(corner));
  const std::span<const float> f = points_.run(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n)
    same[n].pass->takeNormal({f[4 * n], f[4 * n + 1], f[4 * n + 2], f[4 * n + 3]});
}

}  // namespace rtvp::implicit::render
