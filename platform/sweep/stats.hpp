// Figures of one run by their paths.
#pragma once

#include <map>
#include <string>

namespace rtvp::sweep {

struct Stat {
  double value = 0;
  std::string unit;
};
/// Dotted path in stats.json -> figure. Beside those of stats.json: `use.` (shares of the time that
/// parts of machines were at work; `use.limit_share` is the largest), `each_ray.` (tests and bytes
/// a ray), `quality.` (against the reference), `parts.` (what the machines are made of).
using Stats = std::map<std::string, Stat>;

}  // namespace rtvp::sweep
