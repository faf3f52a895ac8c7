// See render.hpp.
#include "platform/commands/render.hpp"

#include <memory>
#include <systemc>

#include "platform/machines/computer.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

/// Runs the ray tree and fills in picture, hits and ray counts.
PartResult trace(Crew& crew, const scene::Scene& scene, const host::RenderOptions& options,
                 const host::ProgressFn& progress) {
  host::SurfaceShading* const shading = crew.shading();
  host::RayTree tree(scene, options);
  host::Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(crew.finder(), framebuffer, progress, shading);

  PartResult part;
  part.crop = tree.crop();
  part.sums.assign(framebuffer.sums().begin(), framebuffer.sums().end());
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
                        const host::ProgressFn& progress) {
  // No light: the ray tree then sends nothing but eye rays.
  scene::Scene dark = scene;
  dark.lights.clear();
  host::RenderOptions eyeOnly = options;
  eyeOnly.depth = 1;
  PartResult part = trace(crew, dark, eyeOnly, progress);
  host::Framebuffer picture(part.crop.width, part.crop.height, 1);
  const std::span<const scene::Vec3> colors = crew.painter()->colors();
  for (std::uint32_t i = 0; i < colors.size(); ++i) picture.add(i, colors[i]);
  part.sums.assign(picture.sums().begin(), picture.sums().end());
  return part;
}

void collect(Computer& computer, PartResult& part) {
  common::StatGroup stats("pc", "one host computer");
  computer.report(stats);
  part.problems = report::checkClosedSums(stats);
  for (std::string& problem : computer.problems()) part.problems.push_back(std::move(problem));
  for (auto& [key, value] : report::statisticsJson(stats)) part.modules[key] = std::move(value);
  part.hostModules = report::hostStatisticsJson(stats);
}

}  // namespace

PartResult render(const LineUp& lineUp, const Settings& settings, const scene::Scene& scene,
                  const host::RenderOptions& options, const host::ProgressFn& progress,
                  PartTrace& traces, std::span<const std::string_view> faults) {
  std::unique_ptr<CostMap> costs;
  if (const LineUp::Member* const counting = lineUp.counting();
      counting != nullptr && !settings.text("output.cost_map").empty()) {
    costs = std::make_unique<CostMap>(options.crop, counting->kind->info().costs.size());
  }
  Crew crew(lineUp, settings, scene, options, progress, costs.get());
  const host::RenderOptions tuned = crew.tuned(options);
  PartResult part;
  if (!lineUp.hardware()) {
    if (traces) {
      throw InputError("output.trace: the reference is no machine and has no signals");
    }
    return trace(crew, scene, tuned, progress);
  }
  Computer computer(settings, crew.machines(), [&](host::HostBus& bus) {
    crew.start(bus);
    part = crew.painter() != nullptr ? tracePainted(crew, scene, tuned, progress)
                                     : trace(crew, scene, tuned, progress);
  });
  computer.trace(traces);
  if (const auto failure = computer.run(settings.number("run.limit_ms"), faults)) {
    PartResult failed;
    failed.failure = failure;
    return failed;
  }
  if (costs) part.costMap = costs->sums();
  part.simulatedPs = sc_core::sc_time_stamp().value();
  collect(computer, part);
  return part;
}

}  // namespace rtvp::platform
