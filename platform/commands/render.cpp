// See render.hpp.
#include "platform/commands/render.hpp"

#include <functional>
#include <memory>
#include <systemc>

#include "platform/machines/computer.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

/// Strands of the ray tree as tasks of the host's processor.
class TaskStrands final : public host::Strands {
 public:
  TaskStrands(host::HostBus& bus, std::size_t count) : bus_(bus), count_(count) {}
  [[nodiscard]] std::size_t count() const override { return count_; }
  void run(const std::function<void(std::size_t strand)>& part) override {
    std::size_t done = 0;
    for (std::size_t i = 1; i < count_; ++i) {
      bus_.spawn("strand" + std::to_string(i), host::HostBus::kProgramPriority, [&, i] {
        part(i);
        ++done;
        bus_.wake();
      });
    }
    part(0);
    bus_.awaitTask([&] { return done + 1 == count_; }, "the other strands of the ray tree");
  }

 private:
  host::HostBus& bus_;
  std::size_t count_;
};

/// Triangles that stand for a part of a primitive.
std::uint64_t tessellated(const scene::Scene& scene) {
  std::vector<std::uint32_t> parts(scene.primitiveCount);
  for (const scene::Element& element : scene.elements) ++parts.at(element.primitive);
  std::uint64_t count = 0;
  for (const std::uint32_t n : parts) count += n > 1 ? n : 0;
  return count;
}

/// Runs the ray tree and fills in picture, hits and ray counts. `meter`: who is told of its work.
PartResult trace(Crew& crew, const scene::Scene& scene, const host::RenderOptions& options,
                 host::RayProgress& progress, host::WorkMeter* meter,
                 host::Strands* strands = nullptr, host::TreePause* pause = nullptr) {
  host::SurfaceShading* const shading = crew.shading();
  host::RayTree tree(scene, options);
  host::Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(crew.finder(), framebuffer, &progress, shading, strands, meter, pause);

  PartResult part;
  part.crop = tree.crop();
  part.sums = std::move(framebuffer).takeSums();
  part.hits = tree.primaryHits();
  const host::RayCounts& counts = tree.counts();
  part.eyeHits = counts.generations.empty() ? 0 : counts.generations.front().hits;
  part.raysTraced = counts.traced();
  common::StatGroup rays("ray_tree", "rays of this host's part of the picture");
  counts.describe(rays);
  part.modules["ray_tree"] = report::statisticsJson(rays);
  if (shading != nullptr) {
    common::StatGroup shaders("shaders", "surface shaders of this host's part of the picture");
    tree.shaderCounts().describe(shaders);
    part.modules["shaders"] = report::statisticsJson(shaders);
  }
  return part;
}

/// Eye rays of every pixel's centre through the ray tree (which keeps the hits), but the colours of
/// the machine.
PartResult tracePainted(Crew& crew, const scene::Scene& scene, const host::RenderOptions& options,
                        host::RayProgress& progress, host::WorkMeter& meter,
                        host::TreePause* pause) {
  progress.eyeRaysOnly();
  // No light: the ray tree then sends nothing but eye rays.
  scene::Scene dark = scene;
  dark.lights.clear();
  host::RenderOptions eyeOnly = options;
  eyeOnly.depth = 1;
  PartResult part = trace(crew, dark, eyeOnly, progress, &meter, nullptr, pause);
  host::Framebuffer picture(part.crop.width, part.crop.height, 1);
  const std::span<const scene::Vec3> colors = crew.painter()->colors();
  for (std::uint32_t i = 0; i < colors.size(); ++i) picture.add(i, colors[i]);
  part.sums = std::move(picture).takeSums();
  return part;
}

void collect(Computer& computer, const Crew& crew, PartResult& part) {
  common::StatGroup stats("pc", "one host computer");
  crew.report(stats);
  computer.report(stats);
  part.problems = report::checkClosedSums(stats);
  for (std::string& problem : computer.problems()) part.problems.push_back(std::move(problem));
  for (auto& [key, value] : report::statisticsJson(stats)) part.modules[key] = std::move(value);
  part.hostModules = report::hostStatisticsJson(stats);
  if (const RaceResult* const race = crew.race()) part.race = *race;
}

std::vector<CostSums> settled(const Crew& crew, const CostMap& costs) {
  crew.chargeRest();
  return costs.sums();
}

/// Statistics before the first ray.
struct SetupStatistics {
  std::uint64_t timePs = 0;
  boost::json::object modules;
};

SetupStatistics setupStatistics(Computer& computer, const Crew& crew) {
  common::StatGroup stats("pc", "one host computer");
  crew.report(stats);
  computer.report(stats);
  return {sc_core::sc_time_stamp().value(), report::statisticsJson(stats)};
}

std::vector<DiagnosticFile> finishFiles(const Crew& crew) {
  std::vector<DiagnosticFile> files;
  for (const auto& machine : crew.machines()) {
    for (DiagnosticFile& file : machine->finishFiles()) files.push_back(std::move(file));
  }
  return files;
}

/// For a failure's report: what machines leave of the run until then. A run that is refused leaves
/// nothing.
std::string filesOfFailure(const Crew& crew, ExitStatus status) {
  if (status == ExitStatus::BadInput) return {};
  std::string text;
  for (const DiagnosticFile& file : finishFiles(crew)) {
    text += file.problem.empty() ? "\n  the " + file.key + " until then: " + file.name
                                 : "\n  no " + file.key + ": " + file.problem;
  }
  return text;
}

/// What the host's processor runs. `ready`: told when the machines wait for the first ray, and says
/// who may stop the tree.
PartResult hostProgram(host::HostBus& bus, Crew& crew, const scene::Scene& scene,
                       const host::RenderOptions& options, host::RayProgress& progress,
                       const std::function<host::TreePause*()>& ready) {
  bus.work(host::Work::Tessellate, tessellated(scene));
  crew.start(bus);
  host::TreePause* const pause = ready();
  if (crew.painter() != nullptr) return tracePainted(crew, scene, options, progress, bus, pause);
  const std::size_t strands = crew.strands();
  if (strands == 1) return trace(crew, scene, options, progress, &bus, nullptr, pause);
  TaskStrands tasks(bus, strands);
  return trace(crew, scene, options, progress, &bus, &tasks);
}

/// "pixel 3,4, run 2".
std::string momentOf(const NodeOrder& order) {
  std::string text = order.what + " " + std::to_string(order.number);
  if (order.second) text += "," + std::to_string(*order.second);
  if (order.run) text += ", run " + std::to_string(*order.run);
  return text;
}

/// The machine that has the unit records it; "NAME." in front of the unit says which of several.
void orderDump(const Crew& crew, const NodeOrder& dump) {
  std::string known;
  for (const auto& machine : crew.machines()) {
    NodeOrder order = dump;
    const std::string own = machine->name() + ".";
    if (order.unit.starts_with(own)) order.unit.erase(0, own.size());
    if (machine->dump(order)) return;
    const std::string units = machine->dumpable();
    if (!units.empty()) known += (known.empty() ? "" : ", ") + units;
  }
  throw InputError("--dump-node: found '" + dump.unit + "', expected " +
                   (known.empty() ? "a run with machines whose units can be recorded"
                                  : "a unit of this run: " + known));
}

}  // namespace

PartResult render(const LineUp& lineUp, const scene::Scene& scene,
                  const host::RenderOptions& options, const host::ProgressFn& progress,
                  const PartWatch& watch, std::span<const std::string_view> faults) {
  const auto& [traces, profile, instructions, debugger, dump, checkpoints] = watch;
  const Settings& settings = lineUp.settings();
  std::unique_ptr<CostMap> costs;
  if (!outputOptions(settings).costMap.empty()) {
    costs = std::make_unique<CostMap>(CostArea{options.crop, scene.width});
  }
  const std::uint64_t pixels = static_cast<std::uint64_t>(options.crop.width) *
                               static_cast<std::uint64_t>(options.crop.height);
  host::RayProgress rays(scene, options.depth, pixels * static_cast<std::uint64_t>(options.samples),
                         progress);
  const host::AnsweredFn answered = [&](std::uint64_t count) { rays.machine(count); };
  Crew crew(lineUp, scene, options, answered, costs.get());
  const host::RenderOptions tuned = crew.tuned(options);
  if (!lineUp.hardware()) {
    if (debugger != nullptr) debugger->attach({});
    profile.begin({});
    if (dump != nullptr) orderDump(crew, *dump);
    instructions.begin({});
    if (traces) {
      throw InputError("output.trace: the reference is no machine and has no signals");
    }
    PartResult part = trace(crew, scene, tuned, rays, nullptr);
    part.diagnostics = finishFiles(crew);
    if (costs) part.costs = settled(crew, *costs);
    part.inputs = lineUp.files().all();
    return part;
  }
  if (dump != nullptr) orderDump(crew, *dump);
  PartResult part;
  SetupStatistics setup;
  Computer* built = nullptr;
  if (checkpoints != nullptr) checkpoints->check(crew, lineUp);
  // Its own name: clang takes no binding of a declaration into a function.
  const auto ready = [&, checkpoints = checkpoints](host::HostBus& bus) -> host::TreePause* {
    if (outputOptions(settings).setup) setup = setupStatistics(*built, crew);
    if (checkpoints != nullptr) checkpoints->begin(*built, crew, bus);
    return checkpoints;
  };
  Computer computer(settings, crew.machines(), [&](host::HostBus& bus) {
    part = hostProgram(bus, crew, scene, tuned, rays, [&] { return ready(bus); });
  });
  built = &computer;
  computer.trace(traces);
  if (debugger != nullptr) debugger->attach(crew.machines());
  profile.begin(crew.machines());
  instructions.begin(crew.machines());
  auto failure = computer.run(runOptions(settings).limitMs, faults);
  profile.finish(crew.machines());
  instructions.finish(crew.machines());
  if (failure) {
    failure->message += filesOfFailure(crew, failure->status);
    if (debugger != nullptr) {
      debugger->over("the run has failed: " + failure->message, failure->status);
    }
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  if (debugger != nullptr) debugger->over("the run is over", ExitStatus::Done);
  if (dump != nullptr) {
    PartResult missed;
    missed.failure = {ExitStatus::BadInput, "--dump-node: the run is over, and there was no " +
                                                momentOf(*dump) + " (they are counted from 0 on)"};
    return missed;
  }
  if (costs) part.costs = settled(crew, *costs);
  part.traceProblem = traces.problem();
  part.profileProblem = profile.problem();
  part.diagnostics = finishFiles(crew);
  part.simulatedPs = sc_core::sc_time_stamp().value();
  part.setupPs = setup.timePs;
  part.setupModules = std::move(setup.modules);
  collect(computer, crew, part);
  part.inputs = lineUp.files().all();
  return part;
}

}  // namespace rtvp::platform
