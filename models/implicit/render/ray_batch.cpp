// See ray_batch.hpp.
#include "models/implicit/render/ray_batch.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

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

void RayBatch::Log::tell(Observer& observer) const {
  const Overloaded rules{
      [&](const TraceEvent& event) { observer.trace(event); },
      [&](const ShadeEvent& event) { observer.shade(event); },
      [&](const Side& side) { observer.side(side.object, side.target); },
      [&](const Store& store) { observer.store(store.target); },
  };
  for (const auto& event : events_) std::visit(rules, event);
}

RayBatch::RayBatch(std::span<const Placed> objects, const Settings& settings)
    : objects_(objects), settings_(settings) {
  requireValid(settings);
}

void RayBatch::add(const WorldRay& ray, Counters& counters, std::uint32_t number) {
  ++counters.rays;
  rays_.emplace_back(objects_, settings_, counters, ray, number);
}

HitRecord RayBatch::tell(std::size_t n, Observer& observer) const {
  rays_[n].log.tell(observer);
  return rays_[n].pass.record();
}

/// In rounds: of each ray what it waits for, those with the same code side by side.
void RayBatch::run() {
  for (Ray& ray : rays_) ray.pass.start();
  std::vector<Waiting> waiting;
  const auto before = [](const Waiting& a, const Waiting& b) {
    if (a.due != b.due) return a.due < b.due;
    if (a.code != b.code) return std::less<>()(a.code, b.code);
    return a.ray < b.ray;
  };
  for (;;) {
    waiting.clear();
    for (std::uint32_t n = 0; n < rays_.size(); ++n) {
      const RayPass& pass = rays_[n].pass;
      if (pass.due() != RayPass::Due::Nothing)
        waiting.push_back({pass.due(), pass.evaluation().code, n});
    }
    if (waiting.empty()) return;
    std::sort(waiting.begin(), waiting.end(), before);
    for (std::size_t first = 0; first < waiting.size();) {
      std::size_t end = first + 1;
      while (end < waiting.size() && waiting[end].due == waiting[first].due &&
             waiting[end].code == waiting[first].code)
        ++end;
      round(std::span(waiting).subspan(first, end - first));
      first = end;
    }
  }
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
  for (const Waiting& one : same) points_.add(pass(one).point());
  const std::span<const float> f = points_.run(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n) pass(same[n]).takeSide(f[n]);
}

void RayBatch::traces(std::span<const Waiting> same) {
  tracers_.clear();
  for (const Waiting& one : same) tracers_.push_back(&pass(one).tracer());
  points_.trace(*same.front().code, tracers_, kFewTraces);
  for (const Waiting& one : same)
    if (pass(one).tracer().done()) pass(one).traced();
}

void RayBatch::gradients(std::span<const Waiting> same) {
  points_.clear();
  for (const Waiting& one : same) points_.add(pass(one).point());
  const std::span<const registers::Gradient> found = points_.runGradients(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n) pass(same[n]).takeGradient(found[n]);
}

void RayBatch::normals(std::span<const Waiting> same) {
  points_.clear();
  for (const Waiting& one : same)
    for (const Vec& corner : pass(one).stencil().point) points_.add(singleOf(corner));
  const std::span<const float> f = points_.run(*same.front().code);
  for (std::size_t n = 0; n < same.size(); ++n)
    pass(same[n]).takeNormal({f[4 * n], f[4 * n + 1], f[4 * n + 2], f[4 * n + 3]});
}

}  // namespace rtvp::implicit::render
