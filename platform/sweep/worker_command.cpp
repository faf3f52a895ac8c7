// See worker_command.hpp.
#include "platform/sweep/worker_command.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <set>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "models/common/core/text.hpp"
#include "platform/sweep/formula.hpp"
#include "platform/sweep/merge.hpp"
#include "platform/sweep/point_line.hpp"
#include "platform/sweep/points.hpp"
#include "platform/sweep/runner.hpp"
#include "platform/sweep/worker_folder.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using platform::ExitStatus;
using platform::InputError;

constexpr std::uint64_t kLargestInput = std::uint64_t{1} << 34U;

constexpr const char* kHelp =
    R"(platform --worker: runs points of sweeps that come as lines of JSON

  platform sweep SPEC --emit jsonl | platform --worker > results.jsonl
  platform sweep SPEC --emit jsonl | parallel --pipe -N1 platform --worker > results.jsonl
  platform sweep SPEC --merge results.jsonl

One object a line on standard input, one a line on standard output; every point runs in a process of
its own. A line that is no point, or whose files have other contents here, is answered by
{"error": "..."} and the next is read. Members of a line (docs/sweeps.md): scene, set, and, checked
if they are there, inputs and paths, build, identity; figures: name and formula, computed in the
answer; quality: true to compare the picture with the reference's; point: a number, repeated in the answer.

  --root FOLDER   where the files that lines name are looked up [the current folder]
  --timeout S     end a point after S seconds of wall time [0 = never]
  --check         run nothing: only check program, files and settings of every line
  -h, --help      this text

Exit status: 0 at the end of standard input; 2 wrong arguments, or --check found something wrong.
)";

class Worker {
 public:
  Worker(const Subject& subject, RunnerOptions options)
      : subject_(subject), options_(std::move(options)) {}

  json::object answer(const std::string& text) {
    if (text.size() > kLongestLine) throw InputError("the line is too long");
    const json::object object = parseLine(text);
    try {
      return run(readPointLine(object, subject_.table));
    } catch (const std::exception& e) {
      json::object error{{"error", e.what()}};
      // Who asked may want to know which.
      for (const char* const name : {"point", "identity"}) {
        if (const json::value* v = object.if_contains(name)) {
          if (v->is_string() || v->is_number()) error[name] = *v;
        }
      }
      return error;
    }
  }

  /// Throws InputError for a line that could not be run here.
  void check(const std::string& text) {
    if (text.size() > kLongestLine) throw InputError("the line is too long");
    const PointLine line = readPointLine(parseLine(text), subject_.table);
    const SweepSpec spec = specOf(line);
    (void)prepared(line, spec);
  }

 private:
  static SweepSpec specOf(const PointLine& line) {
    SweepSpec spec;
    spec.axes.push_back({std::string(kSceneKey), {line.scene}});
    for (const auto& [key, value] : line.set) spec.axes.push_back({key, {value}});
    for (const Figure& figure : line.figures) (void)Formula(figure.formula, figure.name);
    checkAxes(spec);
    return spec;
  }

  Point prepared(const PointLine& line, const SweepSpec& spec) {
    std::vector<std::string> values;
    for (const Axis& axis : spec.axes) values.push_back(axis.values.front());
    Point point = pointOf(spec, std::move(values), subject_);
    if (!line.build.empty() && line.build != subject_.build) {
      throw InputError("build: found '" + line.build + "', this program is '" + subject_.build +
                       "': both ends of a sweep have to be the same program");
    }
    std::error_code ec;
    if (!std::filesystem::is_regular_file(line.scene, ec)) {
      throw InputError("scene: found no file " + common::quoted(line.scene) + " below " +
                       std::filesystem::current_path().string());
    }
    if (line.inputs) checkContents(*line.inputs);
    return point;
  }

  // What a line names must be here, with the same bytes.
  void checkContents(const std::vector<platform::InputFile>& inputs) {
    for (const platform::InputFile& f : inputs) {
      const std::string seen = f.path.string() + '\0' + f.sha256;
      if (checked_.count(seen) != 0) continue;
      std::string here;
      try {
        here = platform::sha256(common::readBytes(f.path, kLargestInput));
      } catch (const std::system_error& e) {
        throw InputError(std::string("paths: ") + e.what());
      }
      if (here != f.sha256) {
        throw InputError("paths: the " + f.role + " '" + f.path.string() +
                         "' has other contents here than where the sweep was made");
      }
      // A run that reads something else all the same fails: what it read is compared afterwards.
      checked_.insert(seen);
    }
  }

  json::object run(const PointLine& line) {
    const SweepSpec spec = specOf(line);
    const Point point = prepared(line, spec);
    ResultLine answer;
    answer.point = line.point;
    answer.build = subject_.build;
    Extras extras;
    if (line.quality) extras.reference = reference(line, point);
    runJobs({jobOf(spec, point, 0, subject_, extras)}, options_,
            [&](std::size_t, PointResult&& result) { answer.result = std::move(result); });
    if (line.inputs) checkInputs(*line.inputs, answer.result);
    answer.identity = line.identity;
    if (answer.result.ok()) {
      answer.identity = identityOf(spec, point, subject_, answer.result.inputs, line.problem);
      if (!line.identity.empty() && line.identity != answer.identity) {
        throw InputError("identity: found " + common::quoted(line.identity) + ", this point is " +
                         answer.identity);
      }
    }
    return lineOf(answer, figures(line, point, answer.result));
  }

  // The run of the reference that the point's picture is compared with: once for all points of the
  // same picture.
  std::filesystem::path reference(const PointLine& line, const Point& point) {
    Point known = point;
    if (line.inputs) known.inputs = *line.inputs;
    const std::string name = referenceOf(known, subject_);
    std::filesystem::path folder = options_.scratch.parent_path() / ("reference-" + name);
    if (!line.inputs || !std::filesystem::exists(folder)) {
      runJobs({referenceJobOf(known, 0, subject_, folder)}, options_,
              [&](std::size_t, PointResult&& result) {
                if (result.ok()) return;
                std::error_code ec;
                std::filesystem::remove_all(folder, ec);
                throw InputError("quality: the reference: " + result.message);
              });
    }
    return folder;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::optional<double>>> figures(
      const PointLine& line, const Point& point, const PointResult& result) const {
    std::vector<std::pair<std::string, std::optional<double>>> values;
    Stats stats = result.stats;
    if (!line.figures.empty() && result.ok() && subject_.parts) {
      stats.merge(subject_.parts(point.settings, point.scene, result.stats, ""));
    }
    const Lookup lookup = [&](std::string_view name) { return meaningOf(stats, name).value; };
    for (const Figure& f : line.figures) {
      values.emplace_back(f.name, Formula(f.formula, f.name).evaluate(lookup, lookup));
    }
    return values;
  }

  const Subject& subject_;
  RunnerOptions options_;
  std::set<std::string> checked_;
};

po::variables_map parse(const std::vector<std::string>& arguments) {
  po::options_description own;
  own.add_options()("root", po::value<std::string>(), "")("timeout", po::value<double>(), "")(
      "check", "")("help,h", "");
  po::variables_map given;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(own).positional({}).style(style).run(),
              given);
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform --worker --help`)");
  }
  return given;
}

void enter(const std::string& root) {
  std::error_code ec;
  std::filesystem::current_path(root, ec);
  if (ec) throw InputError("--root: " + root + ": " + ec.message());
}

ExitStatus checkAll(Worker& worker) {
  std::string line;
  bool ended = false;
  std::size_t wrong = 0;
  for (std::size_t number = 1; readLine(std::cin, line, ended); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      worker.check(line);
    } catch (const InputError& e) {
      if (++wrong <= 20) {
        std::cerr << "platform: error: line " << number << ": " << e.what() << "\n";
      }
    }
  }
  if (wrong == 0) return ExitStatus::Done;
  throw InputError(std::to_string(wrong) + " lines cannot be run here");
}

void answerAll(Worker& worker) {
  std::string line;
  bool ended = false;
  while (std::cout && readLine(std::cin, line, ended)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    json::object reply;
    try {
      reply = worker.answer(line);
    } catch (const std::exception& e) {
      reply = {{"error", e.what()}};
    }
    // One write a line, as far as the pipe takes it.
    std::cout << json::serialize(reply) + "\n" << std::flush;
  }
}

}  // namespace

ExitStatus workerCommand(const std::vector<std::string>& arguments, const Subject& subject,
                         const std::function<int(const std::vector<std::string>&)>& run) {
  const po::variables_map given = parse(arguments);
  if (given.count("help") != 0) {
    std::cout << kHelp;
    return ExitStatus::Done;
  }
  RunnerOptions options;
  options.inside = run;
  if (given.count("timeout") != 0) options.timeoutSeconds = given["timeout"].as<double>();
  if (!(options.timeoutSeconds >= 0 && options.timeoutSeconds <= 1e6)) {
    throw InputError("--timeout: expected seconds, 0..1000000");
  }
  const WorkerFolder folder;
  options.scratch = folder.path() / "point";
  if (given.count("root") != 0) enter(given["root"].as<std::string>());
  Worker worker(subject, std::move(options));
  if (given.count("check") != 0) return checkAll(worker);
  answerAll(worker);
  return ExitStatus::Done;
}

}  // namespace rtvp::sweep
