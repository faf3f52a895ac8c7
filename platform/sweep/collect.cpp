// See collect.hpp.
#include "platform/sweep/collect.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/evaluate.hpp"
#include "platform/sweep/formula.hpp"

namespace rtvp::sweep {

using platform::InputError;

PointResult refusal(const Point& point) {
  PointResult result;
  result.status = platform::toInt(platform::ExitStatus::BadInput);
  result.message = point.refused;
  return result;
}

PointResult noResult() {
  PointResult none;
  none.status = platform::toInt(platform::ExitStatus::Unfinished);
  none.message = kNoResult;
  return none;
}

namespace {

std::string fileName(const std::string& title, std::size_t index) {
  std::string name = "plot" + std::to_string(index + 1);
  std::string words;
  for (const char c : title) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      words += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (!words.empty() && words.back() != '-') {
      words += '-';
    }
  }
  while (!words.empty() && words.back() == '-') words.pop_back();
  return name + (words.empty() ? "" : "-" + words.substr(0, 60)) + ".svg";
}

void writeResults(const SweepResult& sweep, const std::filesystem::path& folder) {
  common::replaceFile(folder / "sweep.csv", csvOf(sweep));
  common::replaceFile(folder / "index.html", htmlOf(sweep));
  for (std::size_t i = 0; i < sweep.spec.plots.size(); ++i) {
    const Chart chart = chartOf(sweep, sweep.spec.plots[i]);
    common::replaceFile(folder / fileName(chart.title, i), svgOf(chart));
  }
}

// What is known of a point or crop; nothing yet counts as a failure of its own kind.
PointResult knownOf(const Point& point, Store& store, SweepResult& sweep) {
  auto result = store.find(point.identity);
  if (result) return *std::move(result);
  if (!point.refused.empty()) return refusal(point);
  if (sweep.interrupted == 0 && !sweep.running) throw std::logic_error("a point has no result");
  return noResult();
}

std::set<std::string> namesIn(const SweepSpec& spec) {
  std::set<std::string> names;
  for (const Figure& f : spec.figures) {
    for (const std::string& name : Formula(f.formula, f.name).names()) names.insert(name);
  }
  return names;
}

// A run has hundreds of statistics, a sweep thousands of runs: what no figure asks for stays in the
// store.
void dropUnasked(Stats& stats, const std::set<std::string>& names) {
  std::erase_if(stats, [&](const auto& stat) {
    const std::string& path = stat.first;
    if (path.starts_with("use.") || path == "simulated_time_ps") return false;
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return endsWithPath(path, name); });
  });
}

void takeWhole(SweepResult& sweep, Store& store, const SweepOptions& options,
               const Subject& subject) {
  const std::set<std::string> names = namesIn(sweep.spec);
  for (const Point& point : sweep.points) {
    PointResult result = knownOf(point, store, sweep);
    if (!result.ok()) ++sweep.failed;
    if (result.message == kNoResult && (sweep.interrupted != 0 || sweep.running)) ++sweep.missing;
    if (result.ok() && subject.parts) {
      result.stats.merge(subject.parts(point.settings, point.scene, result.stats, options.parts));
    }
    dropUnasked(result.stats, names);
    sweep.results.push_back(std::move(result));
  }
}

// Each point from its crops' results. Of what a point would be without one of them only what
// figures need is kept.
void takeSamples(SweepResult& sweep, Store& store, const SweepOptions& options,
                 const Subject& subject) {
  const std::set<std::string> names = namesIn(sweep.spec);
  for (const Point& point : sweep.points) {
    auto& without = sweep.without.emplace_back();
    if (!point.refused.empty()) {
      ++sweep.failed;
      sweep.results.push_back(refusal(point));
      store.save(point, subject.build, sweep.results.back());
      continue;
    }
    std::vector<PointResult> crops;
    for (const Point& crop : cropsOf(point, sweep.spec, subject, options.sample)) {
      crops.push_back(knownOf(crop, store, sweep));
    }
    SampledResult sampled = combine(point, crops, subject, options.parts);
    if (!sampled.whole.ok()) ++sweep.failed;
    if (sampled.whole.message == kNoResult) {
      ++sweep.missing;
      sweep.results.push_back(std::move(sampled.whole));
      continue;
    }
    for (const Stats& stats : sampled.without) without.push_back(valuesOf(stats, names));
    store.save(point, subject.build, sampled.whole);
    sweep.results.push_back(std::move(sampled.whole));
  }
}

}  // namespace

void collect(SweepResult& sweep, Store& store, const SweepOptions& options, const Subject& subject,
             bool chosen) {
  if (options.sample.crops != 0) {
    takeSamples(sweep, store, options, subject);
  } else {
    takeWhole(sweep, store, options, subject);
  }
  computeFigures(sweep);
  if (chosen) {
    findUnknownNames(sweep);
  } else if (sweep.failed != sweep.points.size()) {
    if (hasSeveralMachines(sweep.spec)) findLimits(sweep);
    dropEmptyFigures(sweep);
  }
  if (options.sample.crops != 0) addIntervals(sweep);
  // The table has a row for every point.
  for (std::size_t i = 0; sweep.interrupted != 0 && i < sweep.points.size(); ++i) {
    if (sweep.results[i].message == kNoResult) {
      store.save(sweep.points[i], subject.build, sweep.results[i]);
    }
  }
  store.saveTable(sweep.spec, sweep.points, sweep.figures);
  try {
    if (options.write) writeResults(sweep, options.folder);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

RunningPage::RunningPage(const SweepOptions& options) {
  constexpr double kFirst = 2;  // shorter sweeps need no page on the way
  const bool never = !options.write || options.sample.crops != 0;
  next_ = never ? std::numeric_limits<double>::infinity() : kFirst;
}

void RunningPage::update(SweepResult& sweep, Store& store, const SweepOptions& options,
                         const Subject& subject, bool chosen) {
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  };
  const double begin = seconds();
  if (begin < next_) return;
  SweepResult now;
  now.spec = sweep.spec;
  now.running = true;
  now.points.swap(sweep.points);  // lent: they are large, and jobs know where they lie
  try {
    takeWhole(now, store, options, subject);
    computeFigures(now);
    if (!chosen && now.failed != now.points.size()) dropEmptyFigures(now);
    common::replaceFile(options.folder / "index.html", htmlOf(now));
  } catch (...) {
    now.points.swap(sweep.points);
    throw;
  }
  now.points.swap(sweep.points);
  constexpr double kLeast = 5, kTimes = 50;
  next_ = seconds() + std::max(kLeast, kTimes * (seconds() - begin));
}

}  // namespace rtvp::sweep
