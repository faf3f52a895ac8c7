// See sharing.hpp.
#include "platform/machines/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rtvp::platform {

double commonEnd(std::span<const Worker> workers, double rays) {
  // Workers by their start: each joins while it can begin before the end that the earlier ones
  // reach.
  std::vector<const Worker*> order;
  for (const Worker& w : workers) order.push_back(&w);
  std::stable_sort(order.begin(), order.end(),
                   [](const Worker* a, const Worker* b) { return a->start < b->start; });
  double rate = 0;    // rays a second
  double missed = 0;  // rays that the working ones lack for not having begun at time 0
  double end = 0;
  for (const Worker* const w : order) {
    if (rate > 0 && w->start >= end) break;
    rate += 1 / w->perRay;
    missed += w->start / w->perRay;
    end = (rays + missed) / rate;
  }
  return end;
}

std::vector<std::size_t> dealRays(std::span<const Worker> workers, std::size_t rays) {
  const double end = commonEnd(workers, static_cast<double>(rays));
  std::vector<std::size_t> shares(workers.size(), 0);
  std::size_t left = rays;
  std::size_t fastest = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const Worker& w = workers[i];
    // What rounding leaves over goes to the one that it delays least.
    if (w.start + w.perRay < workers[fastest].start + workers[fastest].perRay) fastest = i;
    if (w.start >= end) continue;
    const auto grains =
        static_cast<std::size_t>((end - w.start) / w.perRay / static_cast<double>(w.grain));
    shares[i] = std::min(left, grains * w.grain);
    left -= shares[i];
  }
  shares[fastest] += left;
  return shares;
}

std::size_t raysAtATime(const Portion& portion) {
  const auto share = static_cast<double>(portion.share);
  const double part = std::max(0.5, share / static_cast<double>(portion.open));
  const std::size_t wanted =
      std::max(static_cast<std::size_t>(std::ceil(share * part)), portion.least);
  const std::size_t grains = (wanted + portion.grain - 1) / portion.grain;
  return std::min({grains * portion.grain, portion.share, portion.lot});
}

}  // namespace rtvp::platform
