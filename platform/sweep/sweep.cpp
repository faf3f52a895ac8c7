#include "platform/sweep/sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/exit_status.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/runner.hpp"

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

std::string describe(const SweepSpec& spec, const Point& point) {
  std::string text;
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    if (spec.axes[i].values.size() == 1) continue;
    text += (text.empty() ? "" : " ") + spec.axes[i].key + "=" + point.values[i];
  }
  return text.empty() ? point.scene : text;
}

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

// What was read must be what the point is known by.
void checkInputs(const Point& point, PointResult& result) {
  if (!result.ok()) return;
  const std::vector<std::string> changed = platform::differences(point.inputs, result.inputs);
  if (changed.empty()) return;
  result = {};
  result.status = platform::toInt(platform::ExitStatus::BadInput);
  result.message = "while it ran: " + changed.front();
}

void runMissing(SweepResult& sweep, Store& store, const SweepOptions& options,
                const Subject& subject, bool chosen) {
  std::vector<Job> jobs;
  std::set<std::string> known;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const Point& point = sweep.points[i];
    const auto earlier = store.find(point.identity);
    if (earlier && earlier->ok() && chosen) checkMeanings(sweep.spec, earlier->stats);
    if ((earlier && earlier->ok()) || !known.insert(point.identity).second) continue;
    const std::string why = whyAgain(point, store.lastFor(point.asked), subject.build);
    if (!why.empty()) ++sweep.again[why];
    jobs.push_back({i, argumentsOf(sweep.spec, point)});
  }
  sweep.ran = jobs.size();
  RunnerOptions runner;
  runner.program = options.program;
  runner.scratch = options.folder / "running";
  runner.jobs = options.jobs;
  runner.timeoutSeconds = options.timeoutSeconds;
  Line line(options.progress);
  std::size_t done = 0;
  std::size_t failed = 0;
  if (!jobs.empty())
    line.update(0, jobs.size(), 0, describe(sweep.spec, sweep.points[jobs[0].point]));
  runJobs(jobs, runner, [&](std::size_t index, PointResult&& result) {
    ++done;
    checkInputs(sweep.points[index], result);
    if (!result.ok()) ++failed;
    store.save(sweep.points[index], subject.build, result);
    if (chosen) checkMeanings(sweep.spec, result.stats);
    line.update(done, jobs.size(), failed, describe(sweep.spec, sweep.points[index]));
  });
}

// Index of the point with the first value of the first varying axis, all else equal.
std::size_t firstOf(const SweepSpec& spec, std::size_t index) {
  std::size_t stride = 1;
  for (std::size_t i = spec.axes.size(); i-- > 0;) stride *= spec.axes[i].values.size();
  for (const Axis& axis : spec.axes) {
    const std::size_t block = stride;
    stride /= axis.values.size();
    if (axis.values.size() > 1) return index - (index % block) / stride * stride;
  }
  return index;
}

void computeFigures(SweepResult& sweep) {
  std::vector<Formula> formulas;
  for (const Figure& f : sweep.spec.figures) formulas.emplace_back(f.formula, "figures." + f.name);
  const auto lookup = [&](std::size_t index) -> Lookup {
    return [&sweep, index](std::string_view name) {
      return meaningOf(sweep.results[index].stats, name).value;
    };
  };
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    auto& row = sweep.figures.emplace_back();
    for (const Formula& f : formulas) {
      row.push_back(f.evaluate(lookup(i), lookup(firstOf(sweep.spec, i))));
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

// Of the figures that the user did not ask for, those that the engine has.
void dropEmptyFigures(SweepResult& sweep) {
  for (std::size_t f = sweep.spec.figures.size(); f-- > 0;) {
    const bool any = std::any_of(sweep.figures.begin(), sweep.figures.end(),
                                 [&](const auto& row) { return row[f].has_value(); });
    if (any) continue;
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

}  // namespace

SweepResult runSweep(SweepSpec spec, const SweepOptions& options, const Subject& subject) {
  const bool chosen = !spec.figures.empty();
  complete(spec, subject);
  SweepResult sweep;
  sweep.points = expand(spec, subject);
  sweep.spec = std::move(spec);
  std::error_code ec;
  std::filesystem::create_directories(options.folder, ec);
  if (ec) throw InputError(options.folder.string() + ": " + ec.message());
  Store store(options.folder / "sweep.sqlite");
  if (options.fresh) store.clear();
  runMissing(sweep, store, options, subject, chosen);
  for (const Point& point : sweep.points) {
    const auto result = store.find(point.identity);
    if (!result) throw std::logic_error("a point has no result");
    if (!result->ok()) ++sweep.failed;
    sweep.results.push_back(*result);
  }
  computeFigures(sweep);
  if (chosen) {
    findUnknownNames(sweep);
  } else if (sweep.failed != sweep.points.size()) {
    dropEmptyFigures(sweep);
  }
  store.saveTable(sweep.spec, sweep.points, sweep.figures);
  try {
    if (options.write) writeResults(sweep, options.folder);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  return sweep;
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
