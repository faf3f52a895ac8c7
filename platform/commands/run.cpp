#include "platform/commands/run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
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
#include "platform/inputs/revision.hpp"
#include "platform/machines/crew.hpp"
#include "platform/options/run_params.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/report/statistics.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

host::RenderOptions renderOptionsFor(const scene::Scene& scene, const Settings& s) {
  host::RenderOptions options = renderOptions(s);
  const CropBox crop = runOptions(s).crop;
  if (crop.width > scene.width || crop.height > scene.height || crop.x > scene.width - crop.width ||
      crop.y > scene.height - crop.height) {
    throw InputError("render.crop: found " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                     "," + std::to_string(crop.width) + "," + std::to_string(crop.height) +
                     ", expected a part of the picture, " + std::to_string(scene.width) + "x" +
                     std::to_string(scene.height));
  }
  options.crop = {crop.x, crop.y, crop.width, crop.height};
  if (crop == CropBox{}) options.crop = {0, 0, scene.width, scene.height};
  options.recordHits = !outputOptions(s).hits.empty();
  return options;
}

// Whatever can be known to fail is refused before hours of rendering.
void checkRequest(const OutputOptions& output, const Settings& s) {
  const auto checkImage = [](const char* key, const std::string& file) {
    if (!file.empty() && !report::isImageName(file)) {
      throw InputError(std::string(key) + ": found '" + file +
                       "', expected a name that ends in .png or .ppm");
    }
  };
  checkImage("output.image", output.image);
  if (!output.costMap.empty() && !CostSheet::isFileName(output.costMap)) {
    throw InputError("output.cost_map: found '" + output.costMap +
                     "', expected a name that ends in .png, .ppm, .json or .csv");
  }
  if (output.costMap.empty() && s.said("output.cost_measure")) {
    throw InputError("output.cost_measure: found it without output.cost_map");
  }
  TraceOutput::check(output);
  const std::array<std::string, 6> files = {output.image,   output.stats, output.hits,
                                            output.costMap, output.trace, output.disagreements};
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
  const int samples = renderOptions(s).samples;
  if (!output.disagreements.empty() &&
      (!runOptions(s).assign.starts_with("race:") || samples != 1)) {
    throw InputError(
        "output.disagreements: expected machines that race, --assign race:A,B, with "
        "render.spp = 1");
  }
  if (!output.hits.empty() && samples > 1) {
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
    const OutputOptions output = outputOptions(lineUp.settings());
    installReportHandler(output.verbosity == Verbosity::Verbose);
    Progress progress(number == 0 && output.progress && output.verbosity != Verbosity::Quiet);
    const auto update = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    host::RenderOptions mine = options;
    mine.crop = crop;
    PartTrace trace = traces.part(number);
    return render(lineUp, scene, mine, update, trace, faults);
  };
}

/// Host computers read their files each for itself: one run has one content of each.
void checkInputs(const std::vector<PartResult>& parts) {
  for (const PartResult& part : parts) {
    const auto changed = differences(parts.front().inputs, part.inputs);
    if (!changed.empty()) throw InputError("while the run went on, the " + changed.front());
  }
}

/// Refuses to call it the same run when its files are others.
void checkAgain(const RecordedRun& again, const LineUp& lineUp, InputFiles inputs) {
  readMachineFiles(lineUp, inputs);
  again.checkInputs(inputs.all());
  if (again.revision != sourceRevision()) {
    warn(again.file + ": written by revision " + again.revision + ", this is " + sourceRevision() +
         ": figures may differ");
  }
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
  InputFiles inputs;
  LineUp lineUp(command.settings, registry, inputs);
  const Settings& s = lineUp.settings();
  const scene::Scene scene = loadScene(s, command.files.front(), lineUp.trianglesOnly(), inputs);
  OutputOptions output = outputOptions(s);
  if (output.image.empty()) output.image = scene.name + ".png";
  checkRequest(output, s);
  lineUp.complete(scene);
  if (command.again) checkAgain(*command.again, lineUp, inputs);
  const host::RenderOptions options = renderOptionsFor(scene, s);

  const int hosts = runOptions(s).hosts;
  const TraceOutput traces(output, divide(options.crop, hosts).size());
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
  checkInputs(parts);
  checkSums(parts);
  warnIfEmpty(parts, scene);

  const double wall = std::chrono::duration<double>(Clock::now() - begin).count();
  json::object stats =
      runStatistics(command, lineUp.configuration(), scene, options, output.image, wall, parts);
  addSpeed(lineUp, stats, wall);
  const RaceReport race = judgeRace(lineUp, parts, scene);
  if (!race.racers.empty()) stats["race"] = race.json();
  std::optional<CostSheet> costs;
  if (!output.costMap.empty()) {
    costs.emplace(lineUp, parts, options.crop);
    stats["costs"] = costs->statistics();
  }
  try {
    const report::Image picture = assemble(parts, options).image();
    report::writeImage(output.image, picture);
    if (const std::string& file = output.disagreements; !file.empty()) {
      common::replaceFile(file, race.csv());
      report::writeImage(std::filesystem::path(file).replace_extension(".png"),
                         race.draw(picture, options.crop));
    }
    traces.write();
    if (options.recordHits) report::writeHits(output.hits, joinHits(parts));
    if (costs) costs->write(output.costMap);
    if (!output.stats.empty()) common::replaceFile(output.stats, report::prettyJson(stats));
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  if (output.verbosity == Verbosity::Quiet) return ExitStatus::Done;
  std::vector<report::SummaryLine> lines = machineSummary(lineUp, stats);
  for (report::SummaryLine& line : race.summary()) lines.push_back(std::move(line));
  if (costs) std::ranges::move(costs->summary(), std::back_inserter(lines));
  report::printSummary(std::cout, stats, lines);
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
