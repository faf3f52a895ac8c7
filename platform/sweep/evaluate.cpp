// See evaluate.hpp.
#include "platform/sweep/evaluate.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "platform/exit_status.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/space.hpp"

namespace rtvp::sweep {

using platform::InputError;

namespace {

// For each point the one with the first value of the first varying axis (and of what is linked to
// it), all else equal; its own count of points if there is none.
std::vector<std::size_t> firstOnes(const SweepResult& sweep) {
  const std::vector<Dimension> dimensions = dimensionsOf(sweep.spec);
  const auto first = std::find_if(dimensions.begin(), dimensions.end(),
                                  [](const Dimension& d) { return d.values > 1; });
  std::map<std::vector<std::string>, std::size_t> places;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    places.emplace(sweep.points[i].values, i);
  }
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    std::vector<std::string> row = sweep.points[i].values;
    if (first != dimensions.end()) {
      for (const std::size_t a : first->axes) row[a] = sweep.spec.axes[a].values.front();
    }
    const auto at = places.find(row);
    list.push_back(at == places.end() ? sweep.points.size() : at->second);
  }
  return list;
}

}  // namespace

// A name of a formula has to mean one thing, or the figure means none.
void checkMeanings(const SweepSpec& spec, const Stats& stats) {
  for (const Figure& f : spec.figures) {
    for (const std::string& name : Formula(f.formula, f.name).names()) {
      const Meaning meaning = meaningOf(stats, name);
      if (meaning.candidates.size() < 2) continue;
      std::string list;
      for (const std::string& c : meaning.candidates) list += (list.empty() ? "" : ", ") + c;
      throw InputError(
          "figures." + f.name + ": found '" + name +
          "', which ends several statistics' paths, expected more of one of them: " + list);
    }
  }
}

void computeFigures(SweepResult& sweep) {
  std::vector<Formula> formulas;
  for (const Figure& f : sweep.spec.figures) formulas.emplace_back(f.formula, "figures." + f.name);
  const auto lookup = [&](std::size_t index) -> Lookup {
    return [&sweep, index](std::string_view name) {
      return index < sweep.results.size() ? meaningOf(sweep.results[index].stats, name).value
                                          : std::nullopt;
    };
  };
  const std::vector<std::size_t> first = firstOnes(sweep);
  sweep.figures.clear();
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    auto& row = sweep.figures.emplace_back();
    for (const Formula& f : formulas) row.push_back(f.evaluate(lookup(i), lookup(first[i])));
  }
}

// Behind each figure that depends on the crops half the width of its 95 % interval.
void addIntervals(SweepResult& sweep) {
  const std::vector<std::size_t> first = firstOnes(sweep);
  const auto lookup = [&](std::size_t point, std::size_t crop) -> Lookup {
    return [&sweep, point, crop](std::string_view name) -> std::optional<double> {
      if (point >= sweep.without.size() || crop >= sweep.without[point].size()) return std::nullopt;
      const auto at = sweep.without[point][crop].find(name);
      return at == sweep.without[point][crop].end() ? std::nullopt : at->second;
    };
  };
  for (std::size_t f = sweep.spec.figures.size(); f-- > 0;) {
    const Figure figure = sweep.spec.figures[f];
    const Formula formula(figure.formula, figure.name);
    const auto at = static_cast<std::ptrdiff_t>(f) + 1;
    sweep.spec.figures.insert(sweep.spec.figures.begin() + at,
                              {figure.name + kIntervalSuffix, figure.unit, figure.formula});
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      std::vector<std::optional<double>> values;
      for (std::size_t c = 0; c < sweep.without[i].size(); ++c) {
        values.push_back(formula.evaluate(lookup(i, c), lookup(first[i], c)));
      }
      sweep.figures[i].insert(sweep.figures[i].begin() + at, halfWidth(values));
    }
  }
}

// Names that mean nothing at any point that succeeded.
void findUnknownNames(SweepResult& sweep) {
  if (sweep.failed == sweep.points.size()) return;
  for (const Figure& f : sweep.spec.figures) {
    for (const std::string& name : Formula(f.formula, f.name).names()) {
      const bool known =
          std::any_of(sweep.results.begin(), sweep.results.end(),
                      [&](const auto& r) { return meaningOf(r.stats, name).value.has_value(); });
      if (!known) {
        sweep.warnings.push_back("figures." + f.name + ": no path in stats.json ends with '" +
                                 name + "' (`platform --stats-help`)");
      }
    }
  }
}

// The part of each point's machines that was at work for most of the time.
void findLimits(SweepResult& sweep) {
  for (const PointResult& result : sweep.results) {
    std::string limit;
    double most = 0;
    for (auto at = result.stats.lower_bound("use."); at != result.stats.end(); ++at) {
      if (!at->first.starts_with("use.")) break;
      if (at->first == "use.limit_share" || at->second.value <= most) continue;
      most = at->second.value;
      limit = at->first.substr(4, at->first.rfind('_') - 4);
    }
    sweep.limits.push_back(limit);
  }
}

// Of the figures that the user did not ask for, those that the engine has; of several machines
// those that all have.
void dropEmptyFigures(SweepResult& sweep) {
  const bool several = hasSeveralMachines(sweep.spec);
  for (std::size_t f = sweep.spec.figures.size(); f-- > 0;) {
    std::size_t known = 0, absent = 0;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
      if (!sweep.results[i].ok()) continue;
      // The reference has no simulated time: what it lacks is no machine's fault.
      const auto time = sweep.results[i].stats.find("simulated_time_ps");
      const bool simulated = time != sweep.results[i].stats.end() && time->second.value > 0;
      if (sweep.figures[i][f].has_value()) {
        ++known;
      } else if (simulated) {
        ++absent;
      }
    }
    if (known != 0 && (absent == 0 || !several)) continue;
    const std::string name = sweep.spec.figures[f].name;
    const auto at = static_cast<std::ptrdiff_t>(f);
    sweep.spec.figures.erase(sweep.spec.figures.begin() + at);
    for (auto& row : sweep.figures) row.erase(row.begin() + at);
    for (Plot& p : sweep.spec.plots)
      p.y.erase(std::remove(p.y.begin(), p.y.end(), name), p.y.end());
  }
  auto& plots = sweep.spec.plots;
  plots.erase(std::remove_if(plots.begin(), plots.end(), [](const Plot& p) { return p.y.empty(); }),
              plots.end());
}

}  // namespace rtvp::sweep
