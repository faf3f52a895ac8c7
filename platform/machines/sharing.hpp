// The arithmetic of sharing: how many rays each machine gets so that all end together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rtvp::platform {

/// A machine as sharing sees it.
struct Worker {
  double start = 0;       ///< when it could begin, seconds
  double perRay = 0;      ///< seconds, more than 0
  std::size_t grain = 1;  ///< rays that it takes at a time
};

/// The earliest time at which `rays` rays can be done if each worker begins at its start. A worker
/// whose start lies later does nothing.
[[nodiscard]] double commonEnd(std::span<const Worker> workers, double rays);

/// Rays for each worker: all end at the common end, as far as whole grains allow; no worker gets
/// rays that would end after the others'. Adds up to `rays`.
[[nodiscard]] std::vector<std::size_t> dealRays(std::span<const Worker> workers, std::size_t rays);

/// Rays that a machine gets at a time of its `share` of all `open` ones. Half of the share, so that
/// what is found out meanwhile still counts; more for one that does most of the work, for whom the
/// others can do little: all of it if it works alone. No fewer than `least`, the share permitting,
/// and whole grains of it. `lot`: of the open rays those that lie together, the most that it gets.
struct Portion {
  std::size_t share = 0;
  std::size_t open = 0;
  std::size_t lot = 0;
  std::size_t grain = 1;
  std::size_t least = 1;
};
[[nodiscard]] std::size_t raysAtATime(const Portion& portion);

}  // namespace rtvp::platform
