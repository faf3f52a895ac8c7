// See machines.hpp.
#include "platform/commands/machines.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/commands/machine_runs.hpp"
#include "platform/report/comparison.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

namespace po = boost::program_options;
using report::ComparedRun;

constexpr const char* kHelp =
    R"(platform machines: every machine on one scene, side by side

  platform machines SCENE [-o FOLDER] [options]

  platform machines scenes/cornell.shk --size 64x64
  platform machines scenes/bunny.shk --size 64x64 -o bunny.machines
  platform machines scenes/teapot.shk --size 32x32 --only theia,xphmg --set render.depth=1

Each machine renders the scene alone, in a process of its own: in its original setting, and in its
best one, which a sweep has found (docs/machines). A machine without such settings runs with its
defaults. What the command line says goes for every run and wins over a setting. Hits are compared
with the double-precision reference by the acceptance rule, pictures by their signal-to-noise ratio;
machines without spheres are compared with the reference's view of the same triangles.

FOLDER, which appears complete or not at all, holds index.html (one page that needs no other file),
machines.json, machines.txt, and what each run left: runs/MACHINE-SETTING/stats.json, hits.csv,
picture.png, cost.png. A folder of an earlier comparison is replaced, any other is left alone.

  -o, --output FOLDER  where to leave the results (default: the tables on standard output only)
  --only NAME,...      these machines
  --json               machines.json on standard output instead of the tables
  --settings FOLDER    MACHINE.SETTING.json files instead of the built-in ones
  --parts FILE         table of parts instead of the built-in one
  -j, --jobs N         runs at a time [1]; host seconds mean something at 1 only
  --timeout S          end a run after S seconds of wall time [0 = never]
  --reproducible       no seconds on this computer: the same bytes every time
  --no-progress        no line on the terminal that says what runs
  --size, --set, ...   as for `platform run`, for every machine; none of --engine, --machines,
                       --computer, --assign, and no output file but -o

Exit status: 0 every machine rendered the scene or said why it does not take it; 2 the input is
wrong, or nobody takes the scene; otherwise that of the first run that failed, and no FOLDER.
)";

struct Request {
  ComparisonRequest comparison;
  std::filesystem::path folder;
  bool json = false;
  bool host = true;  ///< seconds on this computer are shown
};

double number(const std::string& option, const std::string& text, double least, double most) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (text.empty() || used != text.size() || !(value >= least && value <= most)) {
    throw InputError("--" + option + ": found '" + text + "', expected a number " +
                     std::to_string(static_cast<long>(least)) + ".." +
                     std::to_string(static_cast<long>(most)));
  }
  return value;
}

std::vector<std::string> names(const std::string& list) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    all.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

/// The words that are ours, and the rest as it stands.
po::variables_map split(const std::vector<std::string>& arguments, std::vector<std::string>& rest) {
  po::options_description own;
  auto add = own.add_options();
  for (const char* const name : {"output,o", "only", "settings", "parts", "jobs,j", "timeout"}) {
    add(name, po::value<std::string>(), "");
  }
  for (const char* const name : {"json", "help,h", "no-progress", "reproducible"}) add(name, "");
  po::variables_map given;
  try {
    const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    const auto parsed =
        po::command_line_parser(arguments).options(own).style(style).allow_unregistered().run();
    po::store(parsed, given);
    rest = po::collect_unrecognized(parsed.options, po::include_positional);
  } catch (const po::error& e) {
    throw InputError(std::string(e.what()) + " (`platform machines --help`)");
  }
  return given;
}

Request readRequest(const po::variables_map& given) {
  Request request;
  const auto text = [&](const char* name) {
    return given.count(name) == 0 ? std::string() : given[name].as<std::string>();
  };
  request.folder = text("output");
  if (given.count("output") != 0 && request.folder.empty()) {
    throw InputError("--output: found no name, expected a folder");
  }
  request.json = given.count("json") != 0;
  request.host = given.count("reproducible") == 0;
  ComparisonRequest& c = request.comparison;
  if (given.count("only") != 0) c.only = names(text("only"));
  c.settings = text("settings");
  c.parts = text("parts");
  c.progress = given.count("no-progress") == 0;
  if (given.count("jobs") != 0) c.jobs = static_cast<int>(number("jobs", text("jobs"), 1, 256));
  if (given.count("timeout") != 0) c.timeoutSeconds = number("timeout", text("timeout"), 0, 1e6);
  return request;
}

/// Where the work is done until it is whole; removed with all that is in it unless it was moved.
class WorkFolder {
 public:
  explicit WorkFolder(const std::filesystem::path& wanted) : wanted_(wanted) {
    std::error_code ec;
    if (!wanted.empty() && std::filesystem::exists(wanted, ec) &&
        !std::filesystem::exists(wanted / kMark, ec)) {
      throw InputError("--output: '" + wanted.string() + "' is there and holds no " +
                       std::string(kMark) + ", expected a new name or an earlier comparison");
    }
    const std::filesystem::path base =
        wanted.empty() ? std::filesystem::temp_directory_path() / "platform-machines"
                       : std::filesystem::path(trimmed(wanted.string()));
    path_ = std::filesystem::absolute(base.string() + ".part" + std::to_string(getpid()));
    std::filesystem::create_directories(path_, ec);
    if (ec) throw InputError("--output: " + path_.string() + ": " + ec.message());
  }
  ~WorkFolder() {
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Becomes the folder that the user wants, in the place of an earlier one.
  void publish() const {
    std::error_code ec;
    const std::filesystem::path old = path_.string() + ".old";
    if (std::filesystem::exists(wanted_, ec)) std::filesystem::rename(wanted_, old);
    std::filesystem::rename(path_, wanted_);
    std::filesystem::remove_all(old, ec);
  }

  static constexpr std::string_view kMark = "machines.json";

 private:
  static std::string trimmed(std::string name) {
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    return name;
  }
  std::filesystem::path wanted_, path_;
};

void write(const report::Comparison& all, const std::filesystem::path& folder, bool host) {
  common::replaceFile(folder / WorkFolder::kMark,
                      report::prettyJson(report::comparisonJson(all, host)));
  common::replaceFile(folder / "machines.txt", report::comparisonText(all, host));
  common::replaceFile(folder / "index.html", report::comparisonPage(all, host));
}

/// The first run that failed, or that nobody could be run.
void checkRuns(const report::Comparison& all) {
  bool any = false;
  std::string refusals;
  for (const ComparedRun& run : all.runs) {
    if (run.state == ComparedRun::State::Failed) {
      throw RunError(static_cast<ExitStatus>(run.status), run.label() + ": " + run.reason);
    }
    any = any || run.state == ComparedRun::State::Done;
    if (run.state == ComparedRun::State::Refused) {
      refusals += "\n  " + run.label() + ": " + run.reason;
    }
  }
  if (!any) throw InputError("no machine takes this scene:" + refusals);
}

}  // namespace

ExitStatus machinesCommand(const std::vector<std::string>& arguments, const OptionTable& table,
                           const Registry& registry) {
  std::vector<std::string> rest;
  const po::variables_map given = split(arguments, rest);
  if (given.count("help") != 0 || arguments.empty()) {
    std::cout << kHelp;
    return ExitStatus::Done;
  }
  Request request = readRequest(given);
  request.comparison.arguments = std::move(rest);
  try {
    const WorkFolder work(request.folder);
    const report::Comparison all =
        compareMachines(request.comparison, table, registry, work.path());
    checkRuns(all);
    if (!request.folder.empty()) {
      write(all, work.path(), request.host);
      work.publish();
    }
    if (request.json) {
      std::cout << report::prettyJson(report::comparisonJson(all, request.host));
    } else {
      std::cout << report::comparisonText(all, request.host);
    }
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
