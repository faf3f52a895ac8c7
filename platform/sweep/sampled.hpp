// Points whose pictures are sampled: their crops as points of their own, and what these say
// together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/sweep/sample.hpp"
#include "platform/sweep/spec.hpp"
#include "platform/sweep/store.hpp"

namespace rtvp::sweep {

/// The crops of a point, ready to be run. Throws InputError for a point that cannot be sampled:
/// several host computers, a crop of its own, a picture too small.
[[nodiscard]] std::vector<Point> cropsOf(const Point& point, const SweepSpec& spec,
                                         const Subject& subject, const SampleChoice& choice);

/// What crops say of a whole picture.
struct SampledResult {
  PointResult whole;           ///< as if it had been run; failed if a crop failed
  std::vector<Stats> without;  ///< its statistics without each crop in turn
};

/// `crops`: the results of cropsOf(), in order. Throws what the subject throws.
[[nodiscard]] SampledResult combine(const Point& point, const std::vector<PointResult>& crops,
                                    const Subject& subject, const std::string& parts);

/// Values of some names, all that is kept of a set of statistics.
using Names = std::map<std::string, std::optional<double>, std::less<>>;
[[nodiscard]] Names valuesOf(const Stats& stats, const std::set<std::string>& names);

}  // namespace rtvp::sweep
