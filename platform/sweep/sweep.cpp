#include "platform/sweep/sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/merge.hpp"
#include "platform/sweep/points.hpp"
#include "platform/sweep/runner.hpp"
#include "platform/sweep/space.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

// "7/24 points, 1 failed, 12 s left: tigershark.dsps=64", on a terminal only.
class Line {
 public:
  explicit Line(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~Line() {
    if (drawn_) std::fputs("\r\033[K", stderr);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void update(std::size_t done, std::size_t total, std::size_t failed, const std::string& what) {
    if (!shown_) return;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    std::fprintf(stderr, "\r\033[K%zu/%zu points", done, total);
    if (failed != 0) std::fprintf(stderr, ", %zu failed", failed);
    if (done != 0) {
      std::fprintf(stderr, ", %.0f s left",
                   seconds / static_cast<double>(done) * static_cast<double>(total - done));
    }
    std::fprintf(stderr, ": %s", what.c_str());
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

// Why a point is run whose question had an answer; empty if it had none.
std::string whyAgain(const Point& point, const std::optional<Store::Earlier>& earlier,
                     const std::string& build) {
  if (!earlier) return {};
  const std::vector<std::string> files = platform::differences(earlier->inputs, point.inputs);
  if (!files.empty()) {
    return files.front() +
           (files.size() == 1 ? "" : " (and " + std::to_string(files.size() - 1) + " more)");
  }
  return earlier->build != build ? "the program has changed" : "";
}

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

PointResult refusal(const Point& point) {
  PointResult result;
  result.status = platform::toInt(platform::ExitStatus::BadInput);
  result.message = point.refused;
  return result;
}

std::filesystem::path pictureOf(const Point& point, const SweepOptions& options) {
  return options.folder / "pictures" / (point.identity.substr(0, 24) + ".png");
}

// A success that has all that is asked for now.
bool suffices(const PointResult& result, const Point& point, const SweepOptions& options) {
  std::error_code ec;
  return result.ok() && (!options.quality || result.stats.count("quality.psnr_db") != 0) &&
         (!options.keep || std::filesystem::exists(pictureOf(point, options), ec));
}

RunnerOptions runnerFor(const SweepOptions& options) {
  RunnerOptions runner;
  runner.program = options.program;
  runner.scratch = options.folder / "running";
  runner.jobs = options.jobs;
  runner.timeoutSeconds = options.timeoutSeconds;
  if (options.keep) std::filesystem::create_directories(options.folder / "pictures");
  return runner;
}

// What the pictures of points are compared with: folders of the reference's runs, by point. A
// reference that fails leaves its points without.
std::map<std::size_t, std::filesystem::path> runReferences(SweepResult& sweep,
                                                           const std::vector<std::size_t>& points,
                                                           const RunnerOptions& runner,
                                                           const SweepOptions& options,
                                                           const Subject& subject) {
  std::map<std::size_t, std::filesystem::path> folders;
  if (!options.quality || !subject.reference) return folders;
  std::vector<Job> jobs;
  std::map<std::string, bool> known;
  for (const std::size_t i : points) {
    const Point& point = sweep.points[i];
    if (!point.problem.empty()) continue;
    const std::string name = referenceOf(point, subject);
    folders[i] = options.folder / "reference" / name;
    if (!known.emplace(name, true).second || std::filesystem::exists(folders[i] / "done")) continue;
    jobs.push_back(referenceJobOf(point, i, subject, folders[i]));
  }
  runJobs(jobs, runner, [&](std::size_t i, PointResult&& result) {
    if (result.ok()) return common::replaceFile(folders[i] / "done", "");
    sweep.warnings.push_back("the reference of point " + std::to_string(i) + ": " + result.message);
    known[referenceOf(sweep.points[i], subject)] = false;
  });
  std::erase_if(folders, [&](const auto& f) { return !known[f.second.filename().string()]; });
  return folders;
}

void runMissing(SweepResult& sweep, std::size_t begin, Store& store, const SweepOptions& options,
                const Subject& subject, bool chosen) {
  std::vector<std::size_t> wanted;
  std::set<std::string> known;
  for (std::size_t i = begin; i < sweep.points.size(); ++i) {
    const Point& point = sweep.points[i];
    const auto earlier = store.find(point.identity);
    const bool done = earlier && suffices(*earlier, point, options);
    if (earlier && earlier->ok() && chosen) checkMeanings(sweep.spec, earlier->stats);
    if (done || !known.insert(point.identity).second) continue;
    if (!point.refused.empty()) {
      store.save(point, subject.build, refusal(point));
      continue;
    }
    const std::string why = earlier && earlier->ok()
                                ? "more is asked of them"
                                : whyAgain(point, store.lastFor(point.asked), subject.build);
    if (!why.empty()) ++sweep.again[why];
    wanted.push_back(i);
  }
  sweep.ran += wanted.size();
  const RunnerOptions runner = runnerFor(options);
  const auto references = runReferences(sweep, wanted, runner, options, subject);
  std::vector<Job> jobs;
  for (const std::size_t i : wanted) {
    Extras extras;
    if (const auto at = references.find(i); at != references.end()) extras.reference = at->second;
    if (options.keep) extras.picture = pictureOf(sweep.points[i], options);
    jobs.push_back(jobOf(sweep.spec, sweep.points[i], i, subject, extras));
  }
  Line line(options.progress);
  std::size_t done = 0;
  std::size_t failed = 0;
  if (!jobs.empty())
    line.update(0, jobs.size(), 0, describe(sweep.spec, sweep.points[jobs[0].point]));
  runJobs(jobs, runner, [&](std::size_t index, PointResult&& result) {
    ++done;
    checkInputs(sweep.points[index].inputs, result);
    if (!result.ok()) ++failed;
    store.save(sweep.points[index], subject.build, result);
    if (chosen) checkMeanings(sweep.spec, result.stats);
    line.update(done, jobs.size(), failed, describe(sweep.spec, sweep.points[index]));
  });
}

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

// The goals at a point, smaller is better.
std::optional<std::vector<double>> goalsAt(const SweepResult& sweep, std::size_t point) {
  std::vector<double> goals;
  for (const std::string& goal : sweep.spec.space.goals) {
    const bool larger = goal.starts_with("max:");
    const std::string name = larger ? goal.substr(4) : goal;
    for (std::size_t f = 0; f < sweep.spec.figures.size(); ++f) {
      if (sweep.spec.figures[f].name != name) continue;
      const auto& value = sweep.figures[point][f];
      if (!sweep.results[point].ok() || !value) return std::nullopt;
      goals.push_back(larger ? -*value : *value);
    }
  }
  return goals;
}

// What the store knows of the points from `begin` on; false if something is missing.
bool takeResults(SweepResult& sweep, std::size_t begin, Store* store) {
  for (std::size_t i = begin; i < sweep.points.size(); ++i) {
    auto result = store == nullptr ? std::nullopt : store->find(sweep.points[i].identity);
    if (!result && !sweep.points[i].refused.empty()) result = refusal(sweep.points[i]);
    if (!result || result->message == kNoResult) return false;
    sweep.results.push_back(*std::move(result));
  }
  return true;
}

// All points of a sweep: those it begins with and, of a refined one, those that follow from what
// came out. `obtain` gets results of the points from a position on into the store.
SweepResult grow(SweepSpec spec, const Subject& subject,
                 const std::function<Store*(SweepResult&, std::size_t begin)>& obtain) {
  complete(spec, subject);
  checkSpec(spec, subject);
  SweepResult sweep;
  sweep.spec = std::move(spec);
  std::vector<Row> rows = firstRows(sweep.spec, subject.table);
  std::vector<Row> all;
  while (!rows.empty()) {
    all.insert(all.end(), rows.begin(), rows.end());
    const std::size_t begin = sweep.points.size();
    for (Point& p : pointsOf(sweep.spec, std::move(rows), subject)) {
      sweep.points.push_back(std::move(p));
    }
    rows.clear();
    Store* const store = obtain(sweep, begin);
    if (sweep.spec.space.kind != SpaceKind::Refine || !takeResults(sweep, begin, store)) break;
    computeFigures(sweep);
    std::vector<std::optional<std::vector<double>>> goals;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) goals.push_back(goalsAt(sweep, i));
    rows = nextRows(sweep.spec, subject.table, all, goals);
  }
  sweep.results.clear();
  return sweep;
}

std::filesystem::path storeOf(const SweepOptions& options) {
  return options.folder / "sweep.sqlite";
}

void makeFolder(const std::filesystem::path& folder) {
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  if (ec) throw InputError(folder.string() + ": " + ec.message());
}

// Figures, table, page: of what the store knows of the points.
void collect(SweepResult& sweep, Store& store, const SweepOptions& options, const Subject& subject,
             bool chosen) {
  for (const Point& point : sweep.points) {
    const auto result = store.find(point.identity);
    if (!result) throw std::logic_error("a point has no result");
    if (!result->ok()) ++sweep.failed;
    sweep.results.push_back(*result);
    if (result->ok() && subject.parts) {
      sweep.results.back().stats.merge(
          subject.parts(point.settings, point.scene, result->stats, options.parts));
    }
  }
  computeFigures(sweep);
  if (chosen) {
    findUnknownNames(sweep);
  } else if (sweep.failed != sweep.points.size()) {
    if (hasSeveralMachines(sweep.spec)) findLimits(sweep);
    dropEmptyFigures(sweep);
  }
  store.saveTable(sweep.spec, sweep.points, sweep.figures);
  try {
    if (options.write) writeResults(sweep, options.folder);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
}

// What the files have of a point that has no success yet; an earlier failure stays one. False if
// nothing is known.
bool mergePoint(const Point& point, Store& store, CollectedResults& results,
                const std::string& build) {
  if (!point.refused.empty()) {
    store.save(point, build, refusal(point));
    return true;
  }
  const auto found = results.found.find(point.identity);
  if (found != results.found.end()) {
    PointResult result = found->second;
    checkInputs(point.inputs, result);
    store.save(point, build, result);
    return true;
  }
  const auto earlier = store.find(point.identity);
  if (earlier && earlier->message != kNoResult) return true;
  PointResult none;
  none.status = platform::toInt(platform::ExitStatus::Unfinished);
  none.message = kNoResult;
  store.save(point, build, none);
  return false;
}

}  // namespace

SweepResult runSweep(SweepSpec spec, const SweepOptions& options, const Subject& subject) {
  const bool chosen = !spec.figures.empty();
  std::optional<Store> store;
  SweepResult sweep = grow(std::move(spec), subject, [&](SweepResult& points, std::size_t begin) {
    if (!store) {
      makeFolder(options.folder);
      store.emplace(storeOf(options));
      if (options.fresh) store->clear();
    }
    runMissing(points, begin, *store, options, subject, chosen);
    return &*store;
  });
  collect(sweep, *store, options, subject, chosen);
  return sweep;
}

SweepResult mergeSweep(SweepSpec spec, const std::vector<std::string>& files,
                       const SweepOptions& options, const Subject& subject) {
  const bool chosen = !spec.figures.empty();
  makeFolder(options.folder);
  Store store(storeOf(options));  // first: of two collectors one is told at once
  if (options.fresh) store.clear();
  CollectedResults results = readResults(files);
  std::set<std::string> own;
  SweepResult sweep = grow(std::move(spec), subject, [&](SweepResult& points, std::size_t begin) {
    for (std::size_t i = begin; i < points.points.size(); ++i) {
      const Point& point = points.points[i];
      if (!own.insert(point.identity).second) continue;
      const auto known = store.find(point.identity);
      if (known && suffices(*known, point, options)) continue;
      const bool merged = mergePoint(point, store, results, subject.build);
      ++(merged ? points.ran : points.missing);
    }
    return &store;
  });
  for (const auto& [identity, result] : results.found) {
    if (own.count(identity) == 0) ++sweep.strangers;
  }
  collect(sweep, store, options, subject, chosen);
  if (chosen) {
    for (const PointResult& result : sweep.results) checkMeanings(sweep.spec, result.stats);
  }
  for (std::string& problem : results.problems) sweep.warnings.push_back(std::move(problem));
  if (results.more != 0) {
    sweep.warnings.push_back(std::to_string(results.more) + " more lines gave no result");
  }
  return sweep;
}

SweepPart unfinishedPoints(SweepSpec spec, const SweepOptions& options, const Subject& subject) {
  std::error_code ec;
  std::optional<Store> store;
  if (!options.fresh && std::filesystem::exists(storeOf(options), ec)) {
    store.emplace(storeOf(options));
  }
  SweepPart part;
  std::set<std::string> seen;
  SweepResult sweep = grow(std::move(spec), subject, [&](SweepResult& points, std::size_t begin) {
    for (std::size_t i = begin; i < points.points.size(); ++i) {
      const Point& point = points.points[i];
      if (!point.refused.empty() || !seen.insert(point.identity).second) continue;
      const auto known = store ? store->find(point.identity) : std::nullopt;
      if (!known || !suffices(*known, point, options)) part.positions.push_back(i);
    }
    return store ? &*store : nullptr;
  });
  part.points = std::move(sweep.points);
  part.spec = std::move(sweep.spec);
  return part;
}

std::optional<double> SweepResult::at(const std::vector<std::pair<std::string, std::string>>& where,
                                      const std::string& figure) const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool matches = std::all_of(where.begin(), where.end(), [&](const auto& condition) {
      for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        if (spec.axes[a].key == condition.first) return points[i].values[a] == condition.second;
      }
      return false;
    });
    if (!matches) continue;
    if (found) return std::nullopt;
    found = i;
  }
  if (!found) return std::nullopt;
  for (std::size_t f = 0; f < spec.figures.size(); ++f) {
    if (spec.figures[f].name == figure) return figures[*found][f];
  }
  return std::nullopt;
}

}  // namespace rtvp::sweep
