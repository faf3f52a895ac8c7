#include "platform/sweep/sweep_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/options/option_table.hpp"
#include "platform/sweep/emit.hpp"
#include "platform/sweep/point_line.hpp"
#include "platform/sweep/points.hpp"
#include "platform/sweep/runner.hpp"
#include "platform/sweep/space.hpp"
#include "platform/sweep/sweep.hpp"
#include "platform/sweep/text_table.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

namespace po = boost::program_options;
using platform::ExitStatus;
using platform::InputError;

constexpr const char* kHelp =
    R"(platform sweep: one run for every combination of parameter values

  platform sweep SPEC.json [options]
  platform sweep SCENE --set key=VALUES ... [options]

  platform sweep scenes/bunny.shk --size 64x64 --dsps 1,2,...,512 --jobs 2
  platform sweep scenes/bunny.shk --set tigershark.dsps=4,16,64 \
      --set render.order=hilbert,scanline --figure 'rays[1/s]=driver.rays_traced/driver.batches_ps*1e12' \
      --plot rays:tigershark.dsps:render.order

VALUES   4,16,64          a list; with a semicolon in it the values are separated by semicolons
         1..8, 0..1:0.25  numbers from .. to, by 1 or by the step
         4,8,...,512      goes on by the factor that leads to the last value, or by the difference
         The last --set varies fastest. Any parameter of `platform params` will do, and `scene`.

  --set key=VALUES          a parameter; later wins over earlier and over SPEC
  --dsps, --engine, ...     the platform's own options, with VALUES
  --where 'A <= B'          only points that meet this: formulas of parameters, e.g. dsps*boards <= 512,
                            engine != theia; may be repeated
  --link KEY,KEY,...        parameters whose values go together, first with first and so on
  --random N, --lhs N       N of the combinations: drawn, or a Latin hypercube
  --one-at-a-time           the first value of everything, then every other value alone
  --refine N --goal F,...   at most N points: a Latin hypercube of a quarter of them, then neighbours of
                            those that no other beats in all goals; smaller is better, max:F larger
  --seed S                  of what is drawn [1]
  --sample N[:EDGE]         estimate every point from N crops of its picture, EDGE pixels wide and high:
                            each figure with NAME_ci95, half the width of its 95 % interval
  --quality                 compare every picture with the reference's: quality.psnr_db (200: equal),
                            quality.wrong_pixels, quality.excused_pixels
  --keep                    keep every point's picture, FOLDER/pictures
  --parts FILE              prices and sizes of parts (docs/machines/parts.json) instead of the built-in
                            table: parts.dollars, multipliers, memory_bytes, watts, joules, area_mm2
  --figure NAME[UNIT]=FORMULA   what to compute of each run's stats.json (default: what its machines offer)
  --plot Y,...:X[:SERIES]   figures over a parameter or a figure; one line for each value of SERIES
  --log-x, --log-y          axes of the plots before it on the command line
  -j, --jobs N              processes at a time [1]
  --timeout S               end a point after S seconds of wall time [0 = never]
  -o, --out FOLDER          results [NAME.sweep]
  --fresh                   forget earlier results
  --list                    print the points, run nothing
  --emit jsonl|make|slurm|snakemake
                            write the points that have no result yet for another engine instead of
                            running them: jsonl on standard output for `platform --worker`, others
                            as FOLDER/points.jsonl and a script beside it
  --merge FILE|FOLDER|- ... collect what workers left; runs nothing
  --point N                 run the Nth point (from 0, as --list shows them) and print its result
  --root FOLDER             of --emit: has all files of the sweep; lines name them below it [.]
  -q, --quiet               no progress line, no table

FOLDER holds sweep.sqlite (every figure of every run; tables point, stat, result, setting, figure),
sweep.csv, one SVG a plot, and index.html, which needs no other file. A point that succeeded is not
run again while program, parameters and the contents of all files that it reads are the same, so a
sweep that was interrupted goes on where it stopped, also from a copy elsewhere; what runs again
because a file or the program has changed is counted with the reason. Failed points keep status and
message and are tried again the next time.

FORMULA: + - * / ( ) numbers, min(a,b), max(a,b), log2(a), names, and first(FORMULA): its value at
the first value of the first parameter that varies, all else equal. A name is the end of a path in
stats.json (`platform --stats-help`), e.g. array.cycles_idle. It has to mean one statistic, whose
instances (boards, hosts: paths that differ in numbers only) are added up; if it ends the paths of
several, the sweep names them and stops. A parameter's name is its value.

SPEC.json (scenes are found beside it; docs/sweeps.md has all members):
  {"name": "scaling", "scene": "bunny.shk",
   "set": {"tigershark.dsps": "1,2,...,512", "render.order": ["hilbert", "scanline"]},
   "figures": {"speedup": {"formula": "first(simulated_time_ps) / simulated_time_ps", "unit": "1"}},
   "plots": [{"title": "Scaling", "x": "tigershark.dsps", "y": "speedup", "series": "render.order",
              "log_x": true, "log_y": true}]}

Exit status: 0 every point succeeded; otherwise that of the first point that failed; 2 the input is wrong; 130, 143
interrupted (Ctrl-C, SIGTERM): what has run is kept, the same command goes on.
)";

struct Request {
  SweepSpec spec;
  SweepOptions options;
  bool list = false;
  bool quiet = false;
  std::optional<EmitFormat> emit;
  std::vector<std::string> merge;
  std::optional<std::size_t> point;
  std::filesystem::path root = ".";
};

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

po::options_description describeOptions(const platform::OptionTable& table) {
  po::options_description all;
  auto add = all.add_options();
  const auto bare = [] { return po::value<std::string>()->zero_tokens(); };
  const auto valued = [] { return po::value<std::string>(); };
  for (const char* name :
       {"set", "figure", "plot", "jobs,j", "timeout", "out,o", "emit", "point", "root", "where",
        "link", "parts", "sample", "random", "lhs", "refine", "goal", "seed"}) {
    add(name, valued(), "");
  }
  for (const char* name : {"log-x", "log-y", "keep", "quality", "one-at-a-time", "fresh", "list",
                           "quiet,q", "help,h"}) {
    add(name, bare(), "");
  }
  for (const platform::OptionSpec& o : table.all()) {
    const bool output =
        o.key.substr(0, 7) == "output." || o.key == "host.progress" || o.key == "host.output";
    if (!o.flag.empty() && !output) {
      add(std::string(o.flag).c_str(), o.flagValue.empty() ? valued() : bare(), "");
    }
  }
  add("merge", po::value<std::vector<std::string>>()->multitoken(), "");
  add("words", po::value<std::vector<std::string>>(), "");
  return all;
}

std::vector<po::basic_option<char>> parse(const std::vector<std::string>& arguments,
                                          const platform::OptionTable& table) {
  const po::options_description all = describeOptions(table);
  po::positional_options_description words;
  words.add("words", -1);
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    return po::command_line_parser(arguments)
        .options(all)
        .positional(words)
        .style(style)
        .run()
        .options;
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform sweep --help`)");
  }
}

void addFigure(SweepSpec& spec, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--figure: found '" + text + "', expected NAME=FORMULA or NAME[UNIT]=FORMULA");
  }
  Figure figure{text.substr(0, equals), "", text.substr(equals + 1)};
  const std::size_t bracket = figure.name.find('[');
  if (bracket != std::string::npos && figure.name.back() == ']') {
    figure.unit = figure.name.substr(bracket + 1, figure.name.size() - bracket - 2);
    figure.name.resize(bracket);
  }
  spec.figures.push_back(std::move(figure));
}

void addPlot(SweepSpec& spec, const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (parts.size() < 2 || parts.size() > 3) {
    throw InputError("--plot: found '" + text + "', expected Y,...:X or Y,...:X:SERIES");
  }
  Plot plot;
  plot.y = expandValues(parts[0], "--plot");
  plot.x = parts[1];
  if (parts.size() == 3) plot.series = parts[2];
  spec.plots.push_back(std::move(plot));
}

void addValues(SweepSpec& spec, const std::string& key, const std::string& text,
               const std::string& origin, const platform::OptionTable& table) {
  const platform::OptionSpec* const option = table.find(key);
  // The commas of a crop belong to it.
  const bool whole = option != nullptr && option->type == platform::OptionType::Crop &&
                     text.find(';') == std::string::npos;
  spec.set(key, whole ? std::vector<std::string>{text} : expandValues(text, origin));
}

bool isSpec(const std::string& file) {
  return std::filesystem::path(file).extension() == ".json";
}

std::uint64_t wholeNumber(const std::string& origin, const std::string& text, double least,
                          double most) {
  const auto v = number(text);
  if (!v || !(*v >= least && *v <= most) || *v != std::floor(*v)) {
    throw InputError(origin + ": found '" + text + "', expected a whole number " +
                     numberText(least) + ".." + numberText(most));
  }
  return static_cast<std::uint64_t>(*v);
}

// Options that choose points; false for any other.
bool applySpace(SweepSpec& spec, const std::string& name, const std::string& value) {
  const std::string origin = "--" + name;
  if (name == "where") {
    spec.where.push_back(value);
  } else if (name == "link") {
    spec.links.push_back(expandValues(value, origin));
  } else if (name == "goal") {
    spec.space.goals = expandValues(value, origin);
  } else if (name == "seed") {
    spec.space.seed = wholeNumber(origin, value, 0, 9e15);
  } else if (name == "one-at-a-time") {
    spec.space.kind = SpaceKind::OneAtATime;
  } else if (name == "random" || name == "lhs" || name == "refine") {
    spec.space.kind = spaceKind(name);
    spec.space.points = wholeNumber(origin, value, 1, static_cast<double>(kMaxPoints));
  } else {
    return false;
  }
  return true;
}

void setPoint(Request& request, const std::string& text) {
  request.point = wholeNumber("--point", text, 0, static_cast<double>(kMaxPoints));
}

void apply(Request& request, const std::string& name, const std::string& value,
           const platform::OptionTable& table) {
  const std::string origin = "--" + name;
  SweepSpec& spec = request.spec;
  if (name == "set") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos) {
      throw InputError(origin + ": found '" + value + "', expected key=VALUES");
    }
    return addValues(spec, value.substr(0, equals), value.substr(equals + 1), origin, table);
  }
  if (name == "figure") return addFigure(spec, value);
  if (name == "plot") return addPlot(spec, value);
  if (name == "out") return void(request.options.folder = value);
  if (applySpace(spec, name, value)) return;
  if (name == "quality") return void(request.options.quality = true);
  if (name == "keep") return void(request.options.keep = true);
  if (name == "sample") return void(request.options.sample = sampleChoice(value));
  if (name == "parts") return void(request.options.parts = value);
  if (name == "emit") return void(request.emit = emitFormat(value));
  if (name == "root") return void(request.root = value);
  if (name == "point") return setPoint(request, value);
  if (name == "fresh") return void(request.options.fresh = true);
  if (name == "list") return void(request.list = true);
  if (name == "quiet") return void(request.quiet = true);
  if (name == "log-x" || name == "log-y") {
    for (Plot& p : spec.plots) (name == "log-x" ? p.logX : p.logY) = true;
    return;
  }
  if (name == "jobs" || name == "timeout") {
    const auto v = number(value);
    const bool jobs = name == "jobs";
    if (!v || !(*v >= (jobs ? 1 : 0)) || *v > 1e6 || (jobs && *v > 256)) {
      throw InputError(origin + ": found '" + value + "', expected " +
                       (jobs ? "a whole number 1..256" : "seconds"));
    }
    if (jobs) {
      request.options.jobs = static_cast<int>(*v);
    } else {
      request.options.timeoutSeconds = *v;
    }
    return;
  }
  for (const platform::OptionSpec& o : table.all()) {
    if (o.flag == name && !o.flag.empty()) {
      return addValues(spec, std::string(o.key),
                       o.flagValue.empty() ? value : std::string(o.flagValue), origin, table);
    }
  }
}

Request readRequest(const std::vector<po::basic_option<char>>& parsed,
                    const platform::OptionTable& table) {
  Request request;
  std::vector<std::string> words;
  for (const auto& option : parsed) {
    if (option.string_key == "words") {
      words.insert(words.end(), option.value.begin(), option.value.end());
    }
  }
  if (words.size() > 1) {
    throw InputError("found '" + words[1] +
                     "', expected one SPEC.json or SCENE; more scenes: " + "--set scene=A,B");
  }
  if (words.size() == 1 && isSpec(words[0])) {
    request.spec = loadSpec(words[0]);
  } else if (words.size() == 1) {
    request.spec.set(std::string(kSceneKey), {words[0]});
  }
  for (const auto& option : parsed) {
    if (option.string_key == "words") continue;
    if (option.string_key == "merge") {
      request.merge.insert(request.merge.end(), option.value.begin(), option.value.end());
      continue;
    }
    apply(request, option.string_key, option.value.empty() ? std::string() : option.value.front(),
          table);
  }
  return request;
}

void checkTogether(const Request& request) {
  const int ways = (request.list ? 1 : 0) + (request.emit ? 1 : 0) + (request.point ? 1 : 0) +
                   (request.merge.empty() ? 0 : 1);
  if (ways > 1) {
    throw InputError("found several of --list, --emit, --merge and --point, expected one");
  }
}

// An estimate is made here, of whole sets of crops.
void checkSample(const Request& request) {
  if (request.options.sample.crops == 0) return;
  const char* with = nullptr;
  if (request.emit) with = "--emit";
  if (request.point) with = "--point";
  if (!request.merge.empty()) with = "--merge";
  if (request.options.keep) with = "--keep";
  if (request.spec.space.kind == SpaceKind::Refine) with = "--refine";
  if (with == nullptr) return;
  throw InputError(std::string("--sample: found ") + with +
                   " beside it, which wants whole pictures: expected one of the two");
}

void printPoints(const Request& request, const Subject& subject) {
  SweepSpec spec = request.spec;
  complete(spec, subject);
  for (const Point& point : expand(spec, subject)) {
    std::string line;
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      line += (i == 0 ? "" : " ") + spec.axes[i].key + "=" + point.values[i];
    }
    std::printf("%s\n", line.c_str());
  }
}

// The lines of points, on standard output or as a file with a script beside it.
ExitStatus emit(const Request& request, const Subject& subject) {
  if (request.options.keep) throw InputError("--keep: pictures of points elsewhere stay there");
  const SweepPart part = unfinishedPoints(request.spec, request.options, subject);
  std::string lines;
  std::vector<std::string> identities;
  for (const std::size_t i : part.positions) {
    lines +=
        lineOf(part.spec, part.points[i], i, subject, request.root, request.options.quality) + "\n";
    identities.push_back(part.points[i].identity);
  }
  if (*request.emit == EmitFormat::JsonLines) {
    std::cout << lines;
    return ExitStatus::Done;
  }
  const std::filesystem::path& folder = request.options.folder;
  const Script script =
      scriptOf({*request.emit, std::filesystem::absolute(request.root).lexically_normal(),
                request.options.program, request.options.timeoutSeconds},
               part.spec.name, identities);
  try {
    std::filesystem::create_directories(folder);
    common::replaceFile(folder / "points.jsonl", lines);
    common::replaceFile(folder / script.name, script.text);
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  std::printf("%zu of %zu points to run; in %s: %s\nthen: the same sweep with --merge %s\n",
              part.positions.size(), part.points.size(), folder.string().c_str(),
              script.command.c_str(), (folder / "results").string().c_str());
  return ExitStatus::Done;
}

ExitStatus statusOf(int status) {
  switch (status) {
    case 0:
    case 2:
    case 3:
    case 4:
      return static_cast<ExitStatus>(status);
    default:
      return ExitStatus::Internal;
  }
}

// One point, its result on standard output as a worker would give it.
ExitStatus runPoint(const Request& request, const Subject& subject) {
  SweepSpec spec = request.spec;
  complete(spec, subject);
  const std::vector<Point> points = expand(spec, subject);
  if (*request.point >= points.size()) {
    throw InputError("--point: found " + std::to_string(*request.point) + ", expected 0.." +
                     std::to_string(points.size() - 1));
  }
  const Point& point = points[*request.point];
  if (!point.refused.empty()) throw InputError(point.refused);
  RunnerOptions options;
  options.program = request.options.program;
  options.scratch =
      std::filesystem::temp_directory_path() / ("rtvp-point-" + std::to_string(getpid()));
  options.timeoutSeconds = request.options.timeoutSeconds;
  ResultLine line{static_cast<std::int64_t>(*request.point), point.identity, subject.build, {}};
  runJobs({jobOf(spec, point, 0, subject)}, options,
          [&](std::size_t, PointResult&& result) { line.result = std::move(result); });
  checkInputs(point.inputs, line.result);
  std::cout << boost::json::serialize(lineOf(line)) << "\n";
  return statusOf(line.result.status);
}

// What failed, on standard error: at most a screen.
void reportFailures(const SweepResult& sweep) {
  constexpr std::size_t kMost = 5;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const PointResult& r = sweep.results[i];
    if (r.ok() || r.message == kNoResult || ++shown > kMost) continue;
    std::fprintf(stderr, "platform: error: point %zu (%s): %s\n", i,
                 describe(sweep.spec, sweep.points[i]).c_str(), r.message.c_str());
  }
  if (shown > kMost) {
    std::fprintf(stderr, "platform: error: %zu more points failed\n", shown - kMost);
  }
}

ExitStatus finish(const SweepResult& sweep, const Request& request) {
  if (!request.quiet) {
    // A file or a program wants all digits, a person a table.
    const bool person = isatty(STDOUT_FILENO) == 1;
    std::fputs((person ? textTableOf(sweep) : csvOf(sweep)).c_str(), stdout);
  }
  const bool merged = !request.merge.empty();
  std::printf("%zu points, %zu %s now, %zu failed: %s\n", sweep.points.size(), sweep.ran,
              merged ? "merged" : "run", sweep.failed - sweep.missing,
              (request.options.folder / "index.html").string().c_str());
  if (sweep.interrupted != 0) {
    std::printf("interrupted: %zu points have no result yet; the same command goes on with them\n",
                sweep.missing);
  } else if (sweep.missing != 0) {
    std::printf("%zu without a result: the same sweep with --emit instead of --merge gives them\n",
                sweep.missing);
  }
  if (sweep.strangers != 0) {
    std::printf("%zu results are no point's of this sweep: other parameters, files or program\n",
                sweep.strangers);
  }
  reportFailures(sweep);
  for (const auto& [reason, points] : sweep.again) {
    std::printf("%zu run again: %s\n", points, reason.c_str());
  }
  for (const std::string& w : sweep.warnings) {
    std::fprintf(stderr, "platform: warning: %s\n", w.c_str());
  }
  // As the shell says it of programs that a signal ended.
  if (sweep.interrupted != 0) return static_cast<ExitStatus>(128 + sweep.interrupted);
  for (const PointResult& r : sweep.results) {
    if (r.ok()) continue;
    return statusOf(r.status);
  }
  return ExitStatus::Done;
}

}  // namespace

ExitStatus sweepCommand(const std::vector<std::string>& arguments, const Subject& subject,
                        const std::function<int(const std::vector<std::string>&)>& run) {
  const platform::OptionTable& table = subject.table;
  const auto parsed = parse(arguments, table);
  const bool help = std::any_of(parsed.begin(), parsed.end(),
                                [](const auto& o) { return o.string_key == "help"; });
  if (help || arguments.empty()) {
    std::cout << kHelp;
    return ExitStatus::Done;
  }
  Request request = readRequest(parsed, table);
  request.options.quality = request.options.quality || request.spec.quality;
  checkTogether(request);
  checkSample(request);
  request.options.program = std::filesystem::read_symlink("/proc/self/exe");
  request.options.inside = run;
  if (request.list) {
    printPoints(request, subject);
    return ExitStatus::Done;
  }
  if (request.point) return runPoint(request, subject);
  if (request.options.folder.empty()) {
    SweepSpec named = request.spec;
    complete(named, subject);
    request.options.folder = named.name + ".sweep";
  }
  request.options.progress = !request.quiet;
  if (request.emit) return emit(request, subject);
  if (!request.merge.empty()) {
    return finish(mergeSweep(request.spec, request.merge, request.options, subject), request);
  }
  return finish(runSweep(request.spec, request.options, subject), request);
}

}  // namespace rtvp::sweep
