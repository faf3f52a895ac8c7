#include "platform/commands/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "models/common/core/file_io.hpp"
#include "platform/commands/cost_map.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/commands/part.hpp"
#include "platform/commands/progress.hpp"
#include "platform/commands/race.hpp"
#include "platform/commands/render.hpp"
#include "platform/commands/run_statistics.hpp"
#include "platform/commands/trace_output.hpp"
#include "platform/machines/crew.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

host::RenderOptions renderOptions(const Settings& s, const scene::Scene& scene) {
  auto options = s.read<host::RenderOptions>(kRunParams);
  const CropBox crop = s.read<RunOptions>(kRunParams).crop;
  if (crop.width > scene.width || crop.height > scene.height || crop.x > scene.width - crop.width ||
      crop.y > scene.height - crop.height) {
    throw InputError("render.crop: found " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                     "," + std::to_string(crop.width) + "," + std::to_string(crop.height) +
                     ", expected a part of the picture, " + std::to_string(scene.width) + "x" +
                     std::to_string(scene.height));
  }
  options.crop = {crop.x, crop.y, crop.width, crop.height};
  if (crop == CropBox{}) options.crop = {0, 0, scene.width, scene.height};
  options.recordHits = !s.read<OutputOptions>(kOutputParams).hits.empty();
  return options;
}

std::string imageName(const Settings& s, const scene::Scene& scene) {
  const std::string& name = s.text("output.image");
  return name.empty() ? scene.name + ".png" : name;
}

// Whatever can be known to fail is refused before hours of rendering.
void checkRequest(const Settings& s, const std::string& image) {
  if (!report::isImageName(image)) {
    throw InputError("output.image: found '" + image +
                     "', expected a name that ends in .png or .ppm");
  }
  const std::string& costMap = s.text("output.cost_map");
  if (!costMap.empty() && !report::isImageName(costMap)) {
    throw InputError("output.cost_map: found '" + costMap +
                     "', expected a name that ends in .png or .ppm");
  }
  TraceOutput::check(s);
  const std::string& differences = s.text("output.disagreements");
  const std::array<std::string, 6> files = {image,   s.text("output.stats"), s.text("output.hits"),
                                            costMap, s.text("output.trace"), differences};
  for (const std::string& file : files) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    std::error_code ec;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ec)) {
      throw InputError("'" + file + "': there is no folder '" + folder.string() + "'");
    }
  }
  for (auto file = files.begin(); file != files.end(); ++file) {
    if (!file->empty() && std::find(files.begin(), file, *file) != file) {
      throw InputError("found '" + *file + "' for two outputs, expected a file for each");
    }
  }
  if (!differences.empty() &&
      (!s.text("computer.assign").starts_with("race:") || s.integer("render.spp") != 1)) {
    throw InputError(
        "output.disagreements: expected machines that race, --assign race:A,B, with "
        "render.spp = 1");
  }
  if (!s.text("output.hits").empty() && s.integer("render.spp") > 1) {
    throw InputError("output.hits: primary hits are one a pixel, expected render.spp = 1");
  }
}

host::Framebuffer assemble(const std::vector<PartResult>& parts,
                           const host::RenderOptions& options) {
  host::Framebuffer picture(options.crop.width, options.crop.height, options.samples);
  for (const PartResult& part : parts) {
    host::Framebuffer band(part.crop.width, part.crop.height, options.samples);
    std::copy(part.sums.begin(), part.sums.end(), band.sums().begin());
    picture.merge(band, part.crop.x - options.crop.x, part.crop.y - options.crop.y);
  }
  return picture;
}

void warnIfEmpty(const std::vector<PartResult>& parts, const scene::Scene& scene) {
  if (std::any_of(parts.begin(), parts.end(), [](const auto& p) { return p.eyeHits != 0; })) return;
  const auto text = [](const scene::Vec3& v) {
    return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) +
           ")";
  };
  const scene::Bounds bounds = scene.bounds();
  warn("no eye ray hit anything: the camera at " + text(scene.camera.eye) + " looks at " +
       text(scene.camera.lookAt) + ", the scene lies between " + text(bounds.lo) + " and " +
       text(bounds.hi));
}

report::HitDump joinHits(const std::vector<PartResult>& parts) {
  report::HitDump all;
  for (const PartResult& p : parts) all.insert(all.end(), p.hits.begin(), p.hits.end());
  return all;
}

PartRenderer makeRenderer(const scene::Scene& scene, const LineUp& lineUp,
                          const host::RenderOptions& options, const TraceOutput& traces,
                          std::span<const std::string_view> faults) {
  return [&, options, faults](const host::Crop& crop, std::size_t number) {
    const Settings& s = lineUp.settings();
    installReportHandler(s.text("host.output") == "verbose");
    Progress progress(number == 0 && s.flag("host.progress") && !quiet(s));
    const auto update = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    host::RenderOptions mine = options;
    mine.crop = crop;
    PartTrace trace = traces.part(number);
    return render(lineUp, scene, mine, update, trace, faults);
  };
}

void checkSums(const std::vector<PartResult>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const std::string& p : parts[i].problems) text += "\n  pc" + std::to_string(i) + ": " + p;
  }
  if (!text.empty()) throw RunError(ExitStatus::Internal, "statistics do not add up:" + text);
}

/// A run that failed has no picture, but what its machines did until then is what one wants to see.
void writeTraceOfFailure(const TraceOutput& traces, ExitStatus status) {
  if (status != ExitStatus::Fault && status != ExitStatus::Unfinished) return;
  try {
    traces.write();
  } catch (const std::exception& e) {
    warn(std::string("no trace: ") + e.what());
  }
}

/// What each machine has to say, those that find hits first.
std::vector<report::SummaryLine> machineSummary(const LineUp& lineUp, const json::object& stats) {
  std::vector<report::SummaryLine> lines;
  const auto say = [&](bool finders) {
    for (const LineUp::Member& member : lineUp.members()) {
      if (member.kind->info().primitives.any() != finders || member.idle) continue;
      if (lineUp.grouped()) lines.push_back({member.name, std::string(member.kind->info().help)});
      const report::RunFigures figures = figuresOf(member.name, lineUp.grouped(), stats);
      for (report::SummaryLine& line : member.kind->summary(figures)) {
        lines.push_back(std::move(line));
      }
    }
  };
  say(true);
  const report::RunFigures all(stats.at("modules").as_object(), 0, 0);
  for (report::SummaryLine& line : report::shaderSummary(all)) lines.push_back(std::move(line));
  say(false);
  return lines;
}

/// The simulator's speed, where the machines' processors execute instructions.
void addSpeed(const LineUp& lineUp, json::object& stats, double wallSeconds) {
  double instructions = 0;
  for (const LineUp::Member& member : lineUp.members()) {
    instructions += member.kind->instructions(figuresOf(member.name, lineUp.grouped(), stats));
  }
  if (instructions > 0) {
    stats["host"].as_object()["simulated_mips"] = instructions / 1e6 / wallSeconds;
  }
}

}  // namespace

ExitStatus runCommand(const CommandLine& command, const Registry& registry) {
  const auto begin = Clock::now();
  LineUp lineUp(command.settings, registry);
  const Settings& s = lineUp.settings();
  const scene::Scene scene = loadScene(s, command.files.front(), lineUp.trianglesOnly());
  const std::string image = imageName(s, scene);
  checkRequest(s, image);
  lineUp.complete(scene);
  const host::RenderOptions options = renderOptions(s, scene);

  const int hosts = static_cast<int>(s.integer("system.hosts"));
  const TraceOutput traces(s, divide(options.crop, hosts).size());
  const std::vector<std::string_view> faults = registry.faults();
  std::vector<PartResult> parts;
  try {
    parts = renderParts(options.crop, hosts, makeRenderer(scene, lineUp, options, traces, faults));
  } catch (const RunError& e) {
    writeTraceOfFailure(traces, e.status());
    throw;
  }
  if (parts.front().failure) {
    writeTraceOfFailure(traces, parts.front().failure->status);
    print(*parts.front().failure);
    // The simulated processes stand in the middle of their work and nothing can unwind their
    // stacks: leave at once.
    std::fflush(nullptr);
    std::_Exit(toInt(parts.front().failure->status));
  }
  checkSums(parts);
  warnIfEmpty(parts, scene);

  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  json::object stats =
      runStatistics(command, lineUp.configuration(), scene, options, image, wall, parts);
  addSpeed(lineUp, stats, wall);
  const RaceReport race = judgeRace(lineUp, parts, scene);
  if (!race.racers.empty()) stats["race"] = race.json();
  try {
    const report::Image picture = assemble(parts, options).image();
    report::writeImage(image, picture);
    if (const std::string& file = s.text("output.disagreements"); !file.empty()) {
      common::replaceFile(file, race.csv());
      report::writeImage(std::filesystem::path(file).replace_extension(".png"),
                         race.draw(picture, options.crop));
    }
    traces.write();
    if (options.recordHits) report::writeHits(s.text("output.hits"), joinHits(parts));
    if (const std::string& map = s.text("output.cost_map"); !map.empty())
      report::writeImage(map, costMapImage(parts, options.crop));
    if (!s.text("output.stats").empty()) {
      common::replaceFile(s.text("output.stats"), report::prettyJson(stats));
    }
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  if (quiet(s)) return ExitStatus::Done;
  std::vector<report::SummaryLine> lines = machineSummary(lineUp, stats);
  for (report::SummaryLine& line : race.summary()) lines.push_back(std::move(line));
  report::printSummary(std::cout, stats, lines);
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
