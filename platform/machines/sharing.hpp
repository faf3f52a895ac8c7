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

}  // namespace rtvp::platform
