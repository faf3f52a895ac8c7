// See machine_runs.hpp.
#include "platform/commands/machine_runs.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/commands/cost_map.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/commands/run_statistics.hpp"
#include "platform/exit_status.hpp"
#include "platform/machines/line_up.hpp"
#include "platform/options/run_params.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/compare.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/terminal_line.hpp"
#include "platform/sweep/runner.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using report::ComparedRun;
constexpr std::uint64_t kLargestStats = std::uint64_t{1} << 30U;

/// A scene as some machines see it, and the reference's view of it.
struct View {
  scene::Scene scene;
  std::filesystem::path folder;  ///< of the reference's run
  report::HitDump hits;
  report::Image picture;
};

/// A run to be made, or one that cannot be.
struct Planned {
  const MachineKind* kind = nullptr;
  ComparedRun result;
  std::vector<std::string> arguments;
  std::vector<LineUp::Member> members;  ///< those with something to do
  bool grouped = false;
  bool trianglesOnly = false;
  std::filesystem::path folder;
};

/// "3/8 runs done, now theia".
std::string stateOf(std::size_t done, std::size_t total, const std::string& next) {
  return std::to_string(done) + "/" + std::to_string(total) + " runs done" +
         (next.empty() ? "" : ", now " + next);
}

/// What a run leaves, as people want it.
void tidy(const std::filesystem::path& folder, const report::Image& picture) {
  report::writeImage(folder / "picture.png", picture);
  std::filesystem::remove(folder / "image.ppm");
  std::error_code ec;
  if (std::filesystem::file_size(folder / "errors.txt", ec) == 0 && !ec) {
    std::filesystem::remove(folder / "errors.txt", ec);
  }
}

/// Everything that one comparison needs to know in several steps.
class Comparer {
 public:
  Comparer(const ComparisonRequest& request, const OptionTable& table, const Registry& registry,
           const std::filesystem::path& work)
      : request_(request),
        table_(table),
        registry_(registry),
        work_(work),
        said_(parse({})),
        settings_(machineSettings(request.settings)),
        parts_(request.parts) {}

  report::Comparison run();

 private:
  /// The user's command line with `before` said before it and `after` after it.
  [[nodiscard]] CommandLine parse(const std::vector<std::string>& before,
                                  const std::vector<std::string>& after = {}) const;
  void checkRequest() const;
  void checkSettings() const;
  void loadViews();
  void planAll();
  [[nodiscard]] Planned plan(const MachineKind& kind, const MachineSetting* setting);
  void takeScene(Planned& planned, const std::vector<std::string>& own) const;
  void execute();
  void finish(Planned& planned, const sweep::PointResult& result);
  void judge(Planned& planned);
  void takeCosts(Planned& planned, const json::object& stats);
  void readReference(View& view) const;
  [[nodiscard]] View& viewOf(bool trianglesOnly) {
    return trianglesOnly && triangles_ ? *triangles_ : *whole_;
  }
  [[nodiscard]] std::vector<std::string> ownArguments(const std::string& machine,
                                                      const std::filesystem::path& folder) const;
  void describe(report::Comparison& all) const;

  const ComparisonRequest& request_;
  const OptionTable& table_;
  const Registry& registry_;
  std::filesystem::path work_;
  CommandLine said_;
  std::vector<MachineSetting> settings_;
  PartsTable parts_;
  const MachineKind* reference_ = nullptr;
  std::unique_ptr<View> whole_;
  std::unique_ptr<View> triangles_;  ///< null if it is the same
  std::vector<Planned> planned_;
  double referenceSeconds_ = 0;
};

CommandLine Comparer::parse(const std::vector<std::string>& before,
                            const std::vector<std::string>& after) const {
  std::vector<std::string> words{"run"};
  words.insert(words.end(), before.begin(), before.end());
  words.insert(words.end(), request_.arguments.begin(), request_.arguments.end());
  words.insert(words.end(), after.begin(), after.end());
  return parseCommandLine(words, table_);
}

void Comparer::checkRequest() const {
  const Settings& s = said_.settings;
  for (const char* const key :
       {"engine", "computer.machines", "computer.file", "computer.assign"}) {
    if (s.said(key)) {
      throw InputError(
          std::string(key) +
          ": every machine is compared alone; expected --only NAME,... to choose some");
    }
  }
  for (const char* const key :
       {"output.stats", "output.hits", "output.cost_map", "output.trace", "output.disagreements"}) {
    if (s.said(key)) {
      throw InputError(std::string(key) +
                       ": every run has files of its own in the folder that -o names");
    }
  }
  if (renderOptions(s).samples != 1) {
    throw InputError("render.spp: hits are compared pixel by pixel, expected 1");
  }
  for (const std::string& name : request_.only) (void)registry_.at(name, "--only");
}

/// A setting of a machine that this program does not have is no error: another program's may.
void Comparer::checkSettings() const {
  for (const MachineSetting& setting : settings_) {
    Settings checked(table_);
    for (const ConfigEntry& entry : setting.set) {
      checked.set(entry.key, entry.value, setting.file + ":" + std::to_string(entry.line));
    }
  }
}

void Comparer::loadViews() {
  const std::string& file = said_.files.front();
  InputFiles inputs;  // each run records its own
  whole_ = std::make_unique<View>();
  whole_->scene = loadScene(said_.settings, file, false, inputs);
  whole_->folder = work_ / "runs" / "reference";
  if (whole_->scene.spheres.empty()) return;
  triangles_ = std::make_unique<View>();
  CommandLine quietly = parse({}, {"--quiet"});  // warnings were told
  triangles_->scene = loadScene(quietly.settings, file, true, inputs);
  triangles_->folder = work_ / "runs" / "reference-triangles";
}

std::vector<std::string> Comparer::ownArguments(const std::string& machine,
                                                const std::filesystem::path& folder) const {
  return {"--engine", machine, "--hits", (folder / "hits.csv").string()};
}

/// What the machine's line-up makes of the scene before anything is simulated.
void Comparer::takeScene(Planned& planned, const std::vector<std::string>& own) const {
  const auto refuse = [&](const std::string& why) { planned.result.reason = why; };
  if (!planned.kind->info().primitives.any()) return refuse("it finds no hits, it only shades");
  try {
    const CommandLine command = parse(planned.arguments, own);
    InputFiles inputs;
    LineUp lineUp(command.settings, registry_, inputs);
    planned.trianglesOnly = lineUp.trianglesOnly();
    const scene::Scene& scene =
        planned.trianglesOnly && triangles_ ? triangles_->scene : whole_->scene;
    lineUp.complete(scene);
    planned.grouped = lineUp.grouped();
    for (const LineUp::Member& member : lineUp.members()) {
      if (!member.idle) planned.members.push_back(member);
    }
  } catch (const InputError& e) {
    return refuse(e.what());
  }
  const bool works = std::any_of(planned.members.begin(), planned.members.end(),
                                 [&](const auto& m) { return m.kind == planned.kind; });
  if (!works) refuse("the scene has no surface that it knows");
}

Planned Comparer::plan(const MachineKind& kind, const MachineSetting* setting) {
  Planned planned;
  planned.kind = &kind;
  ComparedRun& r = planned.result;
  r.machine = kind.info().name;
  r.help = kind.info().help;
  r.setting = setting == nullptr ? "defaults" : setting->setting;
  r.title = setting == nullptr ? "every parameter's default" : setting->title;
  r.note = setting == nullptr ? "" : setting->note;
  planned.folder = work_ / "runs" / (r.machine + "-" + r.setting);
  if (setting != nullptr) {
    for (const ConfigEntry& entry : setting->set) {
      r.set.emplace_back(entry.key, entry.value);
      planned.arguments.insert(planned.arguments.end(), {"--set", entry.key + "=" + entry.value});
    }
  }
  const std::vector<std::string> own = ownArguments(r.machine, planned.folder);
  takeScene(planned, own);
  planned.arguments.insert(planned.arguments.begin(), "run");
  planned.arguments.insert(planned.arguments.end(), request_.arguments.begin(),
                           request_.arguments.end());
  planned.arguments.insert(planned.arguments.end(), own.begin(), own.end());
  const bool counts =
      std::any_of(planned.members.begin(), planned.members.end(),
                  [](const LineUp::Member& m) { return !m.kind->info().costs.empty(); });
  if (counts) {
    planned.arguments.insert(planned.arguments.end(),
                             {"--cost-map", (planned.folder / "cost.png").string()});
  }
  return planned;
}

void Comparer::planAll() {
  for (const MachineKind* const kind : registry_.kinds()) {
    if (!kind->info().hardware) {
      if (reference_ == nullptr) reference_ = kind;
      continue;
    }
    const std::string_view name = kind->info().name;
    if (!request_.only.empty() &&
        std::find(request_.only.begin(), request_.only.end(), name) == request_.only.end()) {
      continue;
    }
    bool any = false;
    for (const MachineSetting& setting : settings_) {
      if (setting.machine != name) continue;
      planned_.push_back(plan(*kind, &setting));
      any = true;
    }
    if (!any) planned_.push_back(plan(*kind, nullptr));
  }
}

/// The references first, then the machines, as many at a time as the user allows.
void Comparer::execute() {
  std::vector<sweep::Job> jobs;
  std::vector<Planned*> machines;
  std::vector<View*> views;
  std::vector<std::string> names;
  for (View* const view : {whole_.get(), triangles_.get()}) {
    if (view == nullptr) continue;
    std::vector<std::string> arguments{"run"};
    arguments.insert(arguments.end(), request_.arguments.begin(), request_.arguments.end());
    const auto own = ownArguments(std::string(reference_->info().name), view->folder);
    arguments.insert(arguments.end(), own.begin(), own.end());
    if (view == triangles_.get()) {
      arguments.insert(arguments.end(), {"--set", "scene.tessellate=all"});
    }
    jobs.push_back({jobs.size(), std::move(arguments), view->folder});
    views.push_back(view);
    names.emplace_back("reference");
  }
  for (Planned& planned : planned_) {
    if (!planned.result.reason.empty()) continue;
    jobs.push_back({jobs.size(), planned.arguments, planned.folder});
    machines.push_back(&planned);
    names.push_back(planned.result.label());
  }
  sweep::RunnerOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe");
  options.scratch = work_ / "running";
  options.jobs = request_.jobs;
  options.timeoutSeconds = request_.timeoutSeconds;
  report::TerminalLine line(request_.progress);
  std::size_t done = 0;
  std::vector<std::optional<sweep::PointResult>> results(jobs.size());
  const auto next = [&] {
    const auto at = std::find(results.begin(), results.end(), std::nullopt) - results.begin();
    return static_cast<std::size_t>(at) < names.size() ? names[static_cast<std::size_t>(at)] : "";
  };
  line.show(stateOf(0, jobs.size(), next()));
  sweep::runJobs(jobs, options, [&](std::size_t index, sweep::PointResult&& result) {
    results[index] = std::move(result);
    line.show(stateOf(++done, jobs.size(), next()));
  });
  for (std::size_t i = 0; i < views.size(); ++i) {
    const sweep::PointResult& result = *results[i];
    if (!result.ok()) {
      if (result.status == toInt(ExitStatus::BadInput)) throw InputError(result.message);
      throw RunError(ExitStatus::Internal, "the reference: " + result.message);
    }
    readReference(*views[i]);
    referenceSeconds_ += result.wallSeconds;
  }
  for (std::size_t i = 0; i < machines.size(); ++i) {
    finish(*machines[i], *results[views.size() + i]);
  }
}

void Comparer::readReference(View& view) const {
  view.hits = report::readHits(view.folder / "hits.csv");
  view.picture = report::readImage(view.folder / "image.ppm");
  tidy(view.folder, view.picture);
}

void Comparer::finish(Planned& planned, const sweep::PointResult& result) {
  ComparedRun& r = planned.result;
  if (!result.ok()) {
    r.state = result.status == toInt(ExitStatus::BadInput) ? ComparedRun::State::Refused
                                                           : ComparedRun::State::Failed;
    r.reason = result.message;
    // A signal has no status of ours.
    r.status =
        result.status <= toInt(ExitStatus::Internal) ? result.status : toInt(ExitStatus::Internal);
    return;
  }
  r.state = ComparedRun::State::Done;
  r.hostSeconds = result.wallSeconds;
  const auto bytes = common::readBytes(planned.folder / "stats.json", kLargestStats);
  const json::object stats =
      json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).as_object();
  r.simulatedSeconds = report::numberOf(stats.at("simulated_time_ps")) * 1e-12;
  r.rays = report::numberOf(stats.at("picture").at("rays"));
  r.configurationHash = std::string(stats.at("configuration_hash").as_string());
  // The machine first, then the units beside it.
  std::stable_partition(planned.members.begin(), planned.members.end(),
                        [&](const auto& m) { return m.kind == planned.kind; });
  for (const LineUp::Member& member : planned.members) {
    const report::RunFigures figures = figuresOf(member.name, planned.grouped, stats);
    r.members.push_back({member.name, member.kind->comparison(figures)});
    for (const report::Resource& resource : r.members.back().figures.resources) {
      if (resource.share <= r.limitShare) continue;
      r.limitShare = resource.share;
      r.limit = (r.members.size() > 1 ? member.name + ": " : "") + resource.name;
    }
    for (report::ListedPart& part : parts_.of(member.kind->info().name, [&](std::string_view name) {
           return sweep::meaningOf(result.stats, name).value;
         })) {
      r.parts.push_back(std::move(part));
    }
  }
  judge(planned);
  takeCosts(planned, stats);
}

/// Against the reference: hits by the acceptance rule, colours by their distance.
void Comparer::judge(Planned& planned) {
  ComparedRun& r = planned.result;
  const View& view = viewOf(planned.trianglesOnly);
  reference::HitTolerance tolerance;
  tolerance.functions = 0;
  for (const LineUp::Member& member : planned.members) {
    tolerance.distance = std::max(tolerance.distance, member.kind->distanceTolerance());
    tolerance.functions = std::max(tolerance.functions, member.kind->slack(*member.settings));
  }
  const reference::HitComparison c = reference::compareHits(
      report::readHits(planned.folder / "hits.csv"), view.hits, view.scene, tolerance);
  r.pixels = c.compared;
  r.wrongPixels = c.wrong + c.wrongDistance;
  r.excusedPixels = c.excused();
  r.accepted = c.passed();
  r.picture = report::readImage(planned.folder / "image.ppm");
  tidy(planned.folder, r.picture);
  const report::ImageDifference d = report::compareImages(r.picture, view.picture);
  if (!std::isinf(d.psnr)) r.psnr = d.psnr;
}

/// The cost map's panels, each with what it says in numbers.
void Comparer::takeCosts(Planned& planned, const json::object& stats) {
  ComparedRun& r = planned.result;
  for (const LineUp::Member& member : planned.members) {
    r.uncounted.push_back("of " + member.name + ": " + std::string(member.kind->info().uncounted));
  }
  const json::value* const costs = stats.if_contains("costs");
  if (costs == nullptr) return;
  const json::array& panels = costs->at("panels").as_array();
  const report::Image all = report::readImage(planned.folder / "cost.png");
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const json::object& panel = panels[i].as_object();
    const auto figure = [&](const char* name) { return report::numberOf(panel.at(name)); };
    report::CostPicture picture;
    const auto measure = parseMeasures(std::string(panel.at("measure").as_string()), "costs");
    picture.title = infoOf(measure.front()).title;
    const json::array& machines = panel.at("machines").as_array();
    if (planned.members.size() > 1 && machines.size() == 1) {
      picture.title = std::string(machines.front().as_string()) + ": " + picture.title;
    }
    picture.picture = panelOf(all, panels.size(), i);
    picture.mean = figure("total") / static_cast<double>(picture.picture.width) /
                   static_cast<double>(picture.picture.height);
    picture.white = figure("white");
    const double sum = figure("total") + figure("outside");
    picture.outside = sum > 0 ? figure("outside") / sum : 0;
    r.costs.push_back(std::move(picture));
  }
}

void Comparer::describe(report::Comparison& all) const {
  const scene::Scene& scene = whole_->scene;
  all.scene = std::filesystem::path(said_.files.front()).filename().string();
  all.width = scene.width;
  all.height = scene.height;
  all.primitives = scene.primitiveCount;
  all.triangles = scene.triangles.size();
  all.spheres = scene.spheres.size();
  all.functions = scene.implicits.size();
  for (const auto& [key, value] : said_.settings.effective(false)) {
    if (said_.settings.said(key)) {
      all.said.emplace_back(
          key, value.is_string() ? std::string(value.as_string()) : json::serialize(value));
    }
  }
  all.reference = whole_->picture;
  all.referenceSeconds = referenceSeconds_;
}

report::Comparison Comparer::run() {
  checkRequest();
  checkSettings();
  loadViews();
  planAll();
  if (reference_ == nullptr) throw std::logic_error("no kind without hardware to compare with");
  execute();
  report::Comparison all;
  describe(all);
  for (Planned& planned : planned_) all.runs.push_back(std::move(planned.result));
  return all;
}

}  // namespace

report::Comparison compareMachines(const ComparisonRequest& request, const OptionTable& table,
                                   const Registry& registry, const std::filesystem::path& work) {
  return Comparer(request, table, registry, work).run();
}

}  // namespace rtvp::platform
