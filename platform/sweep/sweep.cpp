#include "platform/sweep/sweep.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/report/terminal_line.hpp"
#include "platform/sweep/collect.hpp"
#include "platform/sweep/evaluate.hpp"
#include "platform/sweep/interrupt.hpp"
#include "platform/sweep/merge.hpp"
#include "platform/sweep/points.hpp"
#include "platform/sweep/runner.hpp"
#include "platform/sweep/space.hpp"
#include "platform/sweep/text_table.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

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

std::filesystem::path pictureOf(const Point& point, const SweepOptions& options) {
  return options.folder / "pictures" / (point.identity.substr(0, 24) + ".png");
}

// A success that has all that is asked for now.
bool suffices(const PointResult& result, const Point& point, const SweepOptions& options) {
  std::error_code ec;
  const bool begun = point.crop.empty() || result.stats.count("setup.simulated_time_ps") != 0 ||
                     result.stats.count("simulated_time_ps") == 0;
  return result.ok() && begun && (!options.quality || result.stats.count("quality.psnr_db") != 0) &&
         (!options.keep || std::filesystem::exists(pictureOf(point, options), ec));
}

RunnerOptions runnerFor(const SweepOptions& options) {
  RunnerOptions runner;
  runner.program = options.program;
  runner.scratch = options.folder / "running";
  runner.jobs = options.jobs;
  runner.timeoutSeconds = options.timeoutSeconds;
  runner.tick = [] { return Interrupt::signal() != 0; };
  if (options.sample.crops != 0) runner.inside = options.inside;
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

// Runs jobs, saves their results, and says on terminal and page how far it is.
void execute(SweepResult& sweep, const std::vector<Job>& jobs, Store& store,
             const SweepOptions& options, const Subject& subject, bool chosen, std::size_t begin) {
  report::TerminalLine line(options.progress);
  SweepState state;
  state.total = sweep.points.size() - begin;
  state.known = state.total - jobs.size();
  state.done = state.known;
  state.jobs = static_cast<std::size_t>(options.jobs);
  std::string latest = jobs.empty() ? "" : describe(sweep.spec, sweep.points[jobs[0].point]);
  RunningPage page(options);
  RunnerOptions runner = runnerFor(options);
  runner.tick = [&] {
    state.seconds = line.seconds();
    if (line.due()) line.show(stateLine(state, latest));
    return Interrupt::signal() != 0;
  };
  runJobs(jobs, runner, [&](std::size_t index, PointResult&& result) {
    // On a terminal Ctrl-C ends the runs too: that is not what came of them.
    if (Interrupt::signal() != 0 && !result.ok()) return;
    ++state.done;
    state.spent += result.wallSeconds;
    checkInputs(sweep.points[index].inputs, result);
    if (!result.ok()) ++state.failed;
    store.save(sweep.points[index], subject.build, result);
    if (chosen) checkMeanings(sweep.spec, result.stats);
    latest = describe(sweep.spec, sweep.points[index]);
    page.update(sweep, store, options, subject, chosen);
  });
  sweep.interrupted = Interrupt::signal();
  sweep.ran -= jobs.size() - (state.done - state.known);
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
  execute(sweep, jobs, store, options, subject, chosen, begin);
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

// Runs the crops of the points from `begin` on. The points themselves are then known as estimates.
void runSamples(SweepResult& sweep, std::size_t begin, Store& store, const SweepOptions& options,
                const Subject& subject) {
  SweepResult flat;
  flat.spec = sweep.spec;
  for (std::size_t i = begin; i < sweep.points.size(); ++i) {
    Point& point = sweep.points[i];
    if (!point.refused.empty()) continue;
    try {
      std::vector<Point> crops = cropsOf(point, sweep.spec, subject, options.sample);
      std::move(crops.begin(), crops.end(), std::back_inserter(flat.points));
    } catch (const std::exception& e) {
      point.refused = e.what();
    }
    point.identity =
        platform::sha256(point.identity + " sample " + std::to_string(options.sample.crops) + ":" +
                         std::to_string(options.sample.edge));
  }
  runMissing(flat, 0, store, options, subject, false);
  sweep.ran += flat.ran;
  sweep.interrupted = flat.interrupted;
  for (const auto& [why, points] : flat.again) sweep.again[why] += points;
  std::move(flat.warnings.begin(), flat.warnings.end(), std::back_inserter(sweep.warnings));
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
  store.save(point, build, noResult());
  return false;
}

}  // namespace

SweepResult runSweep(SweepSpec spec, const SweepOptions& options, const Subject& subject) {
  const bool chosen = !spec.figures.empty();
  const Interrupt interrupt;
  std::optional<Store> store;
  SweepResult sweep = grow(std::move(spec), subject, [&](SweepResult& points, std::size_t begin) {
    if (!store) {
      makeFolder(options.folder);
      store.emplace(storeOf(options));
      if (options.fresh) store->clear();
    }
    if (options.sample.crops != 0) {
      runSamples(points, begin, *store, options, subject);
    } else {
      runMissing(points, begin, *store, options, subject, chosen);
    }
    return &*store;
  });
  collect(sweep, *store, options, subject, chosen);
  if (chosen && options.sample.crops != 0) {
    for (const PointResult& result : sweep.results) checkMeanings(sweep.spec, result.stats);
  }
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
