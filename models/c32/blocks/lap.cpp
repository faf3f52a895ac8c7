#include "models/c32/blocks/lap.hpp"

#include <algorithm>

namespace rtvp::c32::blocks {

void LapTimings::clear(std::uint64_t cycles, std::uint64_t edges) {
  cycles_ = cycles;
  edges_ = edges;
  LapTiming none;
  none.place = kNoPlace;
  timings_.assign((std::size_t{1} << kBits) + kTries, none);
  next_ = 0;
}

void LapTimings::add(const LapTiming& timing) {
  const std::size_t first = indexOf(timing);
  for (std::size_t n = first; n < first + kTries; ++n) {
    if (timings_[n].place != kNoPlace) continue;
    timings_[n] = timing;
    return;
  }
  next_ = (next_ + 1) % kTries;
  timings_[first + next_] = timing;
}

bool LapTimings::has(const LapTiming& timing) const {
  const auto first = timings_.begin() + static_cast<std::ptrdiff_t>(indexOf(timing));
  return std::any_of(first, first + kTries, [&](const LapTiming& t) {
    return t.place == timing.place && t.lap == timing.lap && t.phase == timing.phase &&
           t.transfer == timing.transfer && t.empty == timing.empty &&
           std::equal(t.arrivals.begin(), t.arrivals.end(), timing.arrivals.begin(),
                      [](const auto& x, const auto& y) { return x.when == y.when; });
  });
}

}  // namespace rtvp::c32::blocks
