#include "platform/run_command.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <system_error>
#include <systemc>

#include "platform/cost_map.hpp"
#include "platform/implicit_part.hpp"
#include "platform/part.hpp"
#include "platform/progress.hpp"
#include "platform/reference_part.hpp"
#include "platform/report/file_io.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/report/statistics.hpp"
#include "platform/scene/describe.hpp"
#include "platform/scene/load.hpp"
#include "platform/shading_device.hpp"
#include "platform/theia_part.hpp"
#include "platform/tigershark_part.hpp"
#include "platform/trace_output.hpp"
#include "platform/xphmg_part.hpp"

namespace rtvp::platform {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

void warn(const std::string& text) {
  std::fprintf(stderr, "platform: warning: %s\n", text.c_str());
}

bool quiet(const Settings& s) {
  return s.text("host.output") == "quiet";
}

host::RenderOptions renderOptions(const Settings& s, const scene::Scene& scene) {
  host::RenderOptions options;
  const CropBox crop = s.crop("render.crop");
  if (crop.width > scene.width || crop.height > scene.height || crop.x > scene.width - crop.width ||
      crop.y > scene.height - crop.height) {
    throw InputError("render.crop: found " + std::to_string(crop.x) + "," + std::to_string(crop.y) +
                     "," + std::to_string(crop.width) + "," + std::to_string(crop.height) +
                     ", expected a part of the picture, " + std::to_string(scene.width) + "x" +
                     std::to_string(scene.height));
  }
  options.crop = {crop.x, crop.y, crop.width, crop.height};
  if (crop == CropBox{}) options.crop = {0, 0, scene.width, scene.height};
  options.samples = static_cast<int>(s.integer("render.spp"));
  options.depth = static_cast<int>(s.integer("render.depth"));
  const auto order = host::pixelOrderFromName(s.text("render.order"));
  if (!order) throw std::logic_error("render.order: the table and the ray tree disagree");
  options.order = *order;
  options.rayOffset = s.number("render.ray_offset");
  options.seedCompat = s.flag("render.seed_compat");
  options.recordHits = !s.text("output.hits").empty();
  return options;
}

std::string imageName(const Settings& s, const scene::Scene& scene) {
  const std::string& name = s.text("output.image");
  return name.empty() ? scene.name + ".png" : name;
}

// Whatever can be known to fail is refused before hours of rendering.
void checkRequest(const Settings& s, const std::string& image, const scene::Scene& scene) {
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
  const std::array<std::string, 5> files = {image, s.text("output.stats"), s.text("output.hits"),
                                            costMap, s.text("output.trace")};
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
  if (!s.text("output.hits").empty() && s.integer("render.spp") > 1) {
    throw InputError("output.hits: primary hits are one a pixel, expected render.spp = 1");
  }
  if (!s.text("output.cost_map").empty() && s.text("engine") != "xphmg") {
    throw InputError("output.cost_map: only XPHMG_RT counts by ray, expected engine = xphmg");
  }
  if (s.flag("render.seed_compat") && !scene.implicits.empty()) {
    throw InputError(scene.implicits.front().where +
                     "the 1996 program knows no implicit surfaces, expected render.seed_compat = "
                     "off");
  }
  if (s.text("render.shade") == "theia" && !scene.implicits.empty()) {
    throw InputError(scene.implicits.front().where +
                     "THEIA's microcode draws no implicit surfaces, expected render.shade = host");
  }
  if (s.flag("render.seed_compat") && s.text("engine") != "reference") {
    throw InputError(
        "render.seed_compat: no machine knows the 1996 rule, expected engine = reference");
  }
  if (s.text("render.shade") == "theia" && s.text("engine") != "theia") {
    throw InputError("render.shade: found theia, expected engine = theia with it");
  }
  if (s.text("render.shade") == "tigershark" && s.text("engine") != "tigershark") {
    throw InputError("render.shade: found tigershark, expected engine = tigershark with it");
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

json::object sceneJson(const scene::Scene& scene) {
  return {{"name", scene.name},
          {"primitives", scene.primitiveCount},
          {"elements", std::uint64_t{scene.elements.size()}},
          {"triangles", std::uint64_t{scene.triangles.size()}},
          {"spheres", std::uint64_t{scene.spheres.size()}},
          {"implicits", std::uint64_t{scene.implicits.size()}},
          {"lights", std::uint64_t{scene.lights.size()}},
          {"diagonal", scene.bounds().diagonal()},
          {"units", json::object{{"diagonal", "scene units"}}}};
}

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
  json::object host{{"command", command.text},
                    {"scene_file", command.files.front()},
                    {"image_file", image},
                    {"settings", command.settings.effective(true)},
                    {"wall_s", wallSeconds}};
  if (!modules.empty()) host["modules"] = std::move(modules);
  return host;
}

json::object statistics(const CommandLine& command, const scene::Scene& scene,
                        const host::RenderOptions& options, const std::string& image,
                        double wallSeconds, const std::vector<PartResult>& parts) {
  std::uint64_t simulated = 0;  // the slowest host's
  json::object modules;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    simulated = std::max(simulated, parts[i].simulatedPs);
    modules["pc" + std::to_string(i)] = parts[i].modules;
  }
  json::object host = hostJson(command, image, wallSeconds, parts);
  if (const double instructions = report::sumOf(modules, "array", "instructions");
      instructions > 0) {
    host["simulated_mips"] = instructions / 1e6 / wallSeconds;
  }
  return {{"schema_version", report::kStatsSchemaVersion},
          {"configuration", command.settings.effective(false)},
          {"configuration_hash", command.settings.hash()},
          {"configuration_hash_kind", "UUID version 5 (SHA-1) of the configuration's compact JSON"},
          {"scene", sceneJson(scene)},
          {"picture", pictureJson(scene, options, parts)},
          {"simulated_time_ps", simulated},
          {"modules", std::move(modules)},
          {"host", std::move(host)}};
}

report::HitDump joinHits(const std::vector<PartResult>& parts) {
  report::HitDump all;
  for (const PartResult& p : parts) all.insert(all.end(), p.hits.begin(), p.hits.end());
  return all;
}

PartRenderer makeRenderer(const CommandLine& command, const scene::Scene& scene,
                          const host::RenderOptions& options, const TraceOutput& traces) {
  return [&command, &scene, &traces, options](const host::Crop& crop, std::size_t number) {
    const Settings& s = command.settings;
    installReportHandler(s.text("host.output") == "verbose");
    Progress progress(number == 0 && s.flag("host.progress") && !quiet(s));
    const auto update = [&](std::uint64_t done, std::uint64_t total) {
      progress.update(done, total);
    };
    host::RenderOptions mine = options;
    mine.crop = crop;
    PartTrace trace = traces.part(number);
    const std::string& engine = s.text("engine");
    if (engine == "reference") {
      if (const auto plan = planShading(scene, s)) {
        return renderReferenceShaded(scene, mine, s, *plan, update, trace);
      }
      if (trace) {
        throw InputError("output.trace: the reference is no machine and has no signals");
      }
      return renderReference(scene, mine, update);
    }
    if (engine == "implicit") return renderImplicit(scene, mine, s, update, trace);
    if (engine == "theia") return renderTheia(scene, mine, s, update, trace);
    if (engine == "xphmg") return renderXphmg(scene, mine, s, update, trace);
    return renderTigershark(scene, mine, s, update, trace);
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

}  // namespace

scene::Scene loadScene(const Settings& s, const std::string& file) {
  scene::LoadOptions options;
  options.strict = s.flag("scene.strict");
  options.segments = static_cast<int>(s.integer("scene.segments"));
  // THEIA and XPHMG_RT know triangles only.
  options.tessellateAll = s.text("scene.tessellate") == "all" || s.text("engine") == "theia" ||
                          s.text("engine") == "xphmg";
  // The 2001 renderer's habit (sl.md section 5); the option comes first.
  if (const std::string& folder = s.text("sl.shader_path"); !folder.empty()) {
    options.shaderFolders.emplace_back(folder);
  }
  if (const char* const folder = std::getenv("LRT_SHADER"); folder != nullptr && *folder != '\0') {
    options.shaderFolders.emplace_back(folder);
  }
  scene::Scene scene = scene::load(file, options);
  if (!quiet(s)) {
    for (const std::string& w : scene.warnings) warn(w);
  }
  const PictureSize size = s.size("render.size");
  if (size.width != 0) {
    if (std::int64_t{size.width} * size.height > scene::kMaxPicturePixels) {
      throw InputError("render.size: found " + std::to_string(size.width) + "x" +
                       std::to_string(size.height) + ", expected at most " +
                       std::to_string(scene::kMaxPicturePixels) + " pixels");
    }
    scene.width = size.width;
    scene.height = size.height;
  }
  return scene;
}

void installReportHandler(bool verbose) {
  sc_core::sc_report_handler::set_verbosity_level(verbose ? sc_core::SC_HIGH : sc_core::SC_MEDIUM);
  sc_core::sc_report_handler::set_handler(
      [](const sc_core::sc_report& report, const sc_core::sc_actions&) {
        constexpr int kMost = 20;  // of one id; the statistics have the full count
        switch (report.get_severity()) {
          case sc_core::SC_INFO:
            break;
          case sc_core::SC_WARNING: {
            const int number = sc_core::sc_report_handler::get_count(report.get_msg_type());
            if (number <= kMost) warn(std::string(report.get_msg_type()) + ": " + report.get_msg());
            break;
          }
          default:
            throw report;
        }
      });
}

ExitStatus runCommand(const CommandLine& command) {
  const auto begin = Clock::now();
  const Settings& s = command.settings;
  const scene::Scene scene = loadScene(command.settings, command.files.front());
  const std::string image = imageName(s, scene);
  checkRequest(s, image, scene);
  const host::RenderOptions options = renderOptions(s, scene);

  const int hosts = static_cast<int>(s.integer("system.hosts"));
  const TraceOutput traces(s, divide(options.crop, hosts).size());
  std::vector<PartResult> parts;
  try {
    parts = renderParts(options.crop, hosts, makeRenderer(command, scene, options, traces));
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
  const json::object stats = statistics(command, scene, options, image, wall, parts);
  try {
    report::writeImage(image, assemble(parts, options).image());
    traces.write();
    if (options.recordHits) report::writeHits(s.text("output.hits"), joinHits(parts));
    if (const std::string& map = s.text("output.cost_map"); !map.empty())
      report::writeImage(map, costMapImage(parts, options.crop));
    if (!s.text("output.stats").empty()) {
      report::replaceFile(s.text("output.stats"), report::prettyJson(stats));
    }
  } catch (const std::system_error& e) {
    throw InputError(e.what());
  }
  if (!quiet(s)) report::printSummary(std::cout, stats);
  return ExitStatus::Done;
}

ExitStatus sceneInfoCommand(const CommandLine& command) {
  const scene::Scene scene = loadScene(command.settings, command.files.front());
  const Settings& s = command.settings;
  std::cout << scene::toText(scene::describe(scene))
            << (s.text("engine") == "xphmg" ? describeXphmgNeed(scene, s) : describeNeed(scene, s));
  return ExitStatus::Done;
}

ExitStatus statsHelpCommand(const CommandLine& command) {
  installReportHandler(false);
  common::StatGroup stats("pc0", "one host computer; pc1 ... with --hosts");
  host::RayCounts counts;
  counts.generations.resize(1);
  counts.describe(stats.group("ray_tree", "rays of this host's part of the picture"));
  host::ShaderCounts{}.describe(stats.group(
      "shaders", "surface shaders of this host's part of the picture, if there are any"));
  const std::string& engine = command.settings.text("engine");
  if (engine == "implicit") {
    describeImplicit(stats, command.settings);
  } else if (engine == "xphmg") {
    describeXphmg(stats, command.settings);
  } else if (engine == "theia") {
    describeTheia(stats, command.settings);
  } else {
    describeTigershark(stats, command.settings);
  }
  std::cout
      << "stats.json: `schema_version`, `configuration` and its hash, `scene`, `picture`,\n"
         "`simulated_time_ps`, `modules` (below), and `host`: all that may differ between two\n"
         "equal runs (time, command, files, speed settings). A figure's unit is in `units`.\n"
         "cycles = the sum of all cycles_..., in every group that has them.\n\n";
  report::printStatisticsHelp(std::cout, stats);
  return ExitStatus::Done;
}

}  // namespace rtvp::platform
