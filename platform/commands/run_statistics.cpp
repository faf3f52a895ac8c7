// See run_statistics.hpp.
#include "platform/commands/run_statistics.hpp"

#include <algorithm>

#include "models/common/core/utf8.hpp"
#include "models/common/core/version.hpp"
#include "platform/inputs/input_json.hpp"
#include "platform/inputs/revision.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/statistics.hpp"
#include "platform/scene/describe.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;

json::object pictureJson(const scene::Scene& scene, const host::RenderOptions& options,
                         const std::vector<PartResult>& parts) {
  std::uint64_t traced = 0;
  std::uint64_t hits = 0;
  for (const PartResult& p : parts) {
    traced += p.raysTraced;
    hits += p.eyeHits;
  }
  return {{"width", scene.width},
          {"height", scene.height},
          {"crop_x", options.crop.x},
          {"crop_y", options.crop.y},
          {"crop_width", options.crop.width},
          {"crop_height", options.crop.height},
          {"rays", traced},
          {"eye_rays", std::uint64_t(options.crop.width) * std::uint64_t(options.crop.height) *
                           std::uint64_t(options.samples)},
          {"eye_hits", hits},
          {"units", json::object{{"width", "pixels"},
                                 {"height", "pixels"},
                                 {"crop_x", "pixels"},
                                 {"crop_y", "pixels"},
                                 {"crop_width", "pixels"},
                                 {"crop_height", "pixels"},
                                 {"rays", "rays"},
                                 {"eye_rays", "rays"},
                                 {"eye_hits", "rays"}}}};
}

// What may differ between two equal runs or between speed settings, all in one place (design.md
// section 7).
json::object hostJson(const CommandLine& command, const std::string& image, double wallSeconds,
                      const std::vector<PartResult>& parts) {
  json::object modules;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].hostModules.empty()) modules["pc" + std::to_string(i)] = parts[i].hostModules;
  }
  json::object host{
      {"command", common::escapedUtf8(command.text)},
      {"scene_file", common::escapedUtf8(command.files.front())},
      {"input_files", pathsOf(parts.front().inputs)},
      {"build", json::object{{"version", common::version()}, {"revision", sourceRevision()}}},
      {"image_file", common::escapedUtf8(image)},
      {"settings", command.settings.effective(true)},
      {"wall_s", wallSeconds}};
  if (!modules.empty()) host["modules"] = std::move(modules);
  return host;
}

// What had happened before the first ray.
json::object setupJson(const std::vector<PartResult>& parts) {
  std::uint64_t simulated = 0;
  json::object modules;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    simulated = std::max(simulated, parts[i].setupPs);
    modules["pc" + std::to_string(i)] = parts[i].setupModules;
  }
  return {{"simulated_time_ps", simulated},
          {"modules", std::move(modules)},
          {"units", json::object{{"simulated_time_ps", "ps"}}}};
}

}  // namespace

json::object runStatistics(const CommandLine& command, json::object configuration,
                           const scene::Scene& scene, const host::RenderOptions& options,
                           const std::string& image, double wallSeconds,
                           const std::vector<PartResult>& parts) {
  std::uint64_t simulated = 0;  // the slowest host's
  json::object modules;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    simulated = std::max(simulated, parts[i].simulatedPs);
    modules["pc" + std::to_string(i)] = parts[i].modules;
  }
  json::object setup;
  if (outputOptions(command.settings).setup) setup = setupJson(parts);
  json::object host = hostJson(command, image, wallSeconds, parts);
  configuration["inputs"] = contentsOf(parts.front().inputs);
  std::string hash = Settings::hash(configuration);
  json::object all{
      {"schema_version", report::kStatsSchemaVersion},
      {"configuration", std::move(configuration)},
      {"configuration_hash", std::move(hash)},
      {"configuration_hash_kind", "UUID version 5 (SHA-1) of the configuration's compact JSON"},
      {"scene", scene::statistics(scene)},
      {"picture", pictureJson(scene, options, parts)},
      {"simulated_time_ps", simulated},
      {"modules", std::move(modules)},
      {"host", std::move(host)}};
  if (!setup.empty()) all["setup"] = std::move(setup);
  return all;
}

report::RunFigures figuresOf(const std::string& machine, bool grouped,
                             const json::object& statistics) {
  json::object own;
  for (const auto& [host, modules] : statistics.at("modules").as_object()) {
    const json::value* const group = grouped ? modules.as_object().if_contains(machine) : &modules;
    if (group != nullptr) own[host] = *group;
  }
  const double simulated = report::numberOf(statistics.at("simulated_time_ps")) * 1e-12;
  const double wall = report::numberOf(statistics.at("host").at("wall_s"));
  return {std::move(own), simulated, wall, statistics.at("scene").as_object()};
}

}  // namespace rtvp::platform
