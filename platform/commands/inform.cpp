// See inform.hpp.
#include "platform/commands/inform.hpp"

#include <iostream>

#include "platform/commands/load_scene.hpp"
#include "platform/machines/computer.hpp"
#include "platform/machines/crew.hpp"
#include "platform/report/statistics.hpp"
#include "platform/scene/describe.hpp"

namespace rtvp::platform {

ExitStatus sceneInfoCommand(const CommandLine& command, const Registry& registry) {
  const Settings& s = command.settings;
  InputFiles inputs;
  LineUp lineUp(s, registry, inputs);
  const scene::Scene scene = loadScene(s, command.files.front(), lineUp.trianglesOnly(), inputs);
  lineUp.complete(scene);
  std::cout << scene::toText(scene::describe(scene));
  host::RenderOptions options;
  options.crop = {0, 0, scene.width, scene.height};
  const Crew crew(lineUp, scene, options, {}, nullptr);
  for (std::size_t i = 0; i < crew.machines().size(); ++i) {
    if (!lineUp.members()[i].idle) std::cout << crew.machines()[i]->describeNeed();
  }
  return ExitStatus::Done;
}

ExitStatus statsHelpCommand(const CommandLine& command, const Registry& registry) {
  installReportHandler(false);
  common::StatGroup stats("pc0", "one host computer; pc1 ... with --hosts");
  host::RayCounts counts;
  counts.generations.resize(1);
  counts.describe(stats.group("ray_tree", "rays of this host's part of the picture"));
  host::ShaderCounts{}.describe(stats.group(
      "shaders", "surface shaders of this host's part of the picture, if there are any"));
  InputFiles inputs;
  LineUp lineUp(command.settings, registry, inputs);
  lineUp.addHelpers();
  const Crew crew(lineUp);
  Computer computer(command.settings, crew.machines(), [](host::HostBus&) {});
  computer.report(stats);
  std::cout
      << "stats.json: `schema_version`, `configuration` and its hash, `scene`, `picture`,\n"
         "`simulated_time_ps`, `modules` (below), and `host`: all that may differ between two\n"
         "equal runs (time, command, files, speed settings). A figure's unit is in `units`.\n"
         "cycles = the sum of all cycles_..., in every group that has them.\n\n";
  report::printStatisticsHelp(std::cout, stats);
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
