// See sweep_subject.hpp.
#include "platform/commands/sweep_subject.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "models/common/core/version.hpp"
#include "platform/commands/load_scene.hpp"
#include "platform/commands/machine_files.hpp"
#include "platform/commands/run_statistics.hpp"
#include "platform/inputs/revision.hpp"
#include "platform/machines/crew.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/report/compare.hpp"
#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "platform/sweep/store.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::platform {
namespace {

/// A value as a person would write it.
std::string valueText(const Settings& settings, const OptionSpec& option) {
  switch (option.type) {
    case OptionType::Integer:
      return std::to_string(settings.integer(option.key));
    case OptionType::Number:
      return sweep::numberText(settings.number(option.key));
    case OptionType::Flag:
      return settings.flag(option.key) ? "on" : "off";
    case OptionType::Size:
      return sizeText(settings.size(option.key));
    case OptionType::Crop:
      return cropText(settings.crop(option.key));
    default:
      return settings.text(option.key);
  }
}

/// What is known of runs beside what they leave, by the runs' own code. The latest scene is kept:
/// points that differ in their machines only share it.
class Runs {
 public:
  explicit Runs(const Registry& registry) : registry_(registry) {}

  /// The files that a run would read.
  std::vector<InputFile> inputs(const Settings& settings, const std::string& file) {
    InputFiles files;
    const LineUp lineUp = completed(settings, file, files);
    readMachineFiles(lineUp, files);
    return files.all();
  }
  std::pair<int, int> picture(const Settings& settings, const std::string& file) {
    const PictureSize said = runOptions(settings).size;
    if (said.width != 0) return {said.width, said.height};
    InputFiles files;
    const LineUp lineUp(settings, registry_, files);
    const scene::Scene& scene = sceneOf(lineUp.settings(), file, lineUp.trianglesOnly()).scene;
    return {scene.width, scene.height};
  }
  sweep::Stats common(const Settings& settings, const std::string& file,
                      const boost::json::object& statistics);
  std::vector<std::string> remarks(const Settings& settings, const std::string& file,
                                   const boost::json::object& statistics);
  sweep::Stats parts(const Settings& settings, const std::string& file, const sweep::Stats& stats,
                     const std::string& table);
  std::vector<std::string> reference(const Settings& settings, const std::string& file) const;
  sweep::Stats judge(const Settings& settings, const std::string& file,
                     const std::filesystem::path& run, const std::filesystem::path& reference);

 private:
  struct Read {
    std::string key;
    scene::Scene scene;
    std::vector<InputFile> files;
  };

  LineUp completed(const Settings& settings, const std::string& file, InputFiles& files) {
    LineUp lineUp(settings, registry_, files);
    const Read& read = sceneOf(lineUp.settings(), file, lineUp.trianglesOnly());
    for (const InputFile& f : read.files) files.add(f);
    lineUp.complete(read.scene);
    return lineUp;
  }

  /// Everything that can change which files a scene consists of. Asked several times a point: only
  /// these few settings are written out.
  static std::string keyOf(const Settings& settings, const std::string& file, bool triangles) {
    std::string key = file + (triangles ? "\ntriangles" : "\n");
    for (const OptionSpec& option : settings.table().all()) {
      const std::string_view name = option.key;
      if (name.starts_with("scene.") || name.starts_with("sl.") || name == "render.size") {
        key += "\n" + std::string(name) + "=" + valueText(settings, option);
      }
    }
    return key;
  }

  const Read& sceneOf(const Settings& settings, const std::string& file, bool triangles) {
    std::string key = keyOf(settings, file, triangles);
    if (latest_ && latest_->key == key) return *latest_;
    latest_.reset();
    Settings quiet = settings;
    quiet.set("host.output", "quiet", "sweep");
    InputFiles files;
    scene::Scene scene = loadScene(quiet, file, triangles, files);
    latest_ = Read{std::move(key), std::move(scene), files.all()};
    return *latest_;
  }

  const Registry& registry_;
  std::optional<Read> latest_;
  std::map<std::string, PartsTable> tables_;  ///< by file
};

/// Of a resource, as a part of a path: "chain in" becomes chain_in.
std::string wordOf(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return name;
}

sweep::Stats Runs::common(const Settings& settings, const std::string& file,
                          const boost::json::object& statistics) {
  InputFiles files;
  const LineUp lineUp = completed(settings, file, files);
  sweep::Stats stats;
  const double rays = report::numberOf(statistics.at("picture").at("rays"));
  std::optional<double> tests, bytes, limit;
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    const report::MachineFigures figures =
        member.kind->comparison(figuresOf(member.name, lineUp.grouped(), statistics));
    if (figures.tests) tests = tests.value_or(0) + *figures.tests;
    for (const report::Traffic& t : figures.traffic) {
      if (!t.inner) bytes = bytes.value_or(0) + t.bytes;
    }
    for (const report::Resource& r : figures.resources) {
      stats["use." + member.name + "." + wordOf(r.name) + "_share"] = {r.share, "share"};
      limit = std::max(limit.value_or(0), r.share);
    }
  }
  if (limit) stats["use.limit_share"] = {*limit, "share"};
  if (tests && rays > 0) stats["each_ray.tests_per_ray"] = {*tests / rays, "tests"};
  if (bytes && rays > 0) stats["each_ray.bytes_per_ray"] = {*bytes / rays, "bytes"};
  return stats;
}

std::vector<std::string> Runs::remarks(const Settings& settings, const std::string& file,
                                       const boost::json::object& statistics) {
  InputFiles files;
  const LineUp lineUp = completed(settings, file, files);
  std::vector<std::string> list;
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    const auto why = member.kind->tooLittle(figuresOf(member.name, lineUp.grouped(), statistics));
    if (why) list.push_back("rates say little of " + member.name + ": " + *why);
  }
  return list;
}

sweep::Stats Runs::parts(const Settings& settings, const std::string& file,
                         const sweep::Stats& known, const std::string& table) {
  const auto at = tables_.try_emplace(table, table).first;
  InputFiles files;
  const LineUp lineUp = completed(settings, file, files);
  sweep::Stats stats;
  const auto add = [&](const char* path, const char* unit, const std::optional<double>& amount) {
    if (!amount) return;
    sweep::Stat& stat = stats[path];
    stat = {stat.value + *amount, unit};
  };
  const sweep::Lookup lookup = [&](std::string_view name) {
    return sweep::meaningOf(known, name).value;
  };
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    for (const report::ListedPart& part : at->second.of(member.kind->info().name, lookup)) {
      add("parts.multipliers", "multipliers", part.multipliers);
      add("parts.memory_bytes", "bytes", part.memoryBytes);
      add("parts.dollars", "dollars", part.dollars);
      add("parts.watts", "W", part.watts);
      add("parts.area_mm2", "mm2", part.areaMm2);
    }
  }
  // Nothing is switched off: what parts do not do costs as much.
  if (const auto watts = stats.find("parts.watts"); watts != stats.end()) {
    const std::optional<double> time = lookup("simulated_time_ps");
    if (time) stats["parts.joules"] = {watts->second.value * *time * 1e-12, "J"};
  }
  return stats;
}

std::string textOf(const boost::json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_bool()) return value.get_bool() ? "on" : "off";
  return sweep::numberText(value.to_number<double>());
}

std::vector<std::string> Runs::reference(const Settings& settings, const std::string& file) const {
  std::vector<std::string> arguments{"run", file, "--engine", "reference"};
  for (const auto& [key, value] : settings.effective(false)) {
    const std::string_view name(key);
    const bool picture = name.starts_with("render.") || name.starts_with("scene.");
    // Machines shade as they do; the reference as the host does.
    if (!picture || !settings.said(name) || name == "render.shade") continue;
    arguments.insert(arguments.end(), {"--set", std::string(name) + "=" + textOf(value)});
  }
  InputFiles files;
  if (LineUp(settings, registry_, files).trianglesOnly()) {
    arguments.insert(arguments.end(), {"--set", "scene.tessellate=all"});
  }
  return arguments;
}

/// By the acceptance rule for hits, and the distance of colours.
sweep::Stats Runs::judge(const Settings& settings, const std::string& file,
                         const std::filesystem::path& run, const std::filesystem::path& reference) {
  // A picture that is equal has no finite ratio; one figure for all is easier to sort by.
  constexpr double kEqual = 200;
  sweep::Stats stats;
  const report::ImageDifference d = report::compareImages(
      report::readImage(run / "image.ppm"), report::readImage(reference / "image.ppm"));
  stats["quality.psnr_db"] = {std::isinf(d.psnr) ? kEqual : d.psnr, "dB"};
  if (!std::filesystem::exists(run / "hits.csv") ||
      !std::filesystem::exists(reference / "hits.csv")) {
    return stats;
  }
  InputFiles files;
  const LineUp lineUp = completed(settings, file, files);
  reference::HitTolerance tolerance;
  tolerance.functions = 0;
  for (const LineUp::Member& member : lineUp.members()) {
    if (member.idle) continue;
    tolerance.distance = std::max(tolerance.distance, member.kind->distanceTolerance());
    tolerance.functions = std::max(tolerance.functions, member.kind->slack(*member.settings));
  }
  const scene::Scene& scene = sceneOf(lineUp.settings(), file, lineUp.trianglesOnly()).scene;
  const auto c = reference::compareHits(report::readHits(run / "hits.csv"),
                                        report::readHits(reference / "hits.csv"), scene, tolerance);
  stats["quality.wrong_pixels"] = {static_cast<double>(c.wrong + c.wrongDistance), "pixels"};
  stats["quality.excused_pixels"] = {static_cast<double>(c.excused()), "pixels"};
  return stats;
}

std::vector<sweep::Figure> figuresOf(const Settings& settings, const Registry& registry) {
  InputFiles files;
  const LineUp lineUp(settings, registry, files);
  std::vector<sweep::Figure> figures;
  for (const LineUp::Member& member : lineUp.members()) {
    for (const FigureInfo& f : member.kind->info().figures) {
      figures.push_back({std::string(f.name), std::string(f.unit), std::string(f.formula)});
    }
  }
  return figures;
}

}  // namespace

sweep::Subject sweepSubject(const OptionTable& table, const Registry& registry) {
  const auto runs = std::make_shared<Runs>(registry);
  sweep::Subject subject{
      table,
      [runs](const Settings& settings, const std::string& scene) {
        return runs->inputs(settings, scene);
      },
      [&registry](const Settings& settings) { return figuresOf(settings, registry); },
      std::string(common::version()) + " " + sourceRevision()};
  subject.picture = [runs](const Settings& settings, const std::string& scene) {
    return runs->picture(settings, scene);
  };
  subject.common = [runs](const Settings& settings, const std::string& scene,
                          const boost::json::object& statistics) {
    return runs->common(settings, scene, statistics);
  };
  subject.remarks = [runs](const Settings& settings, const std::string& scene,
                           const boost::json::object& statistics) {
    return runs->remarks(settings, scene, statistics);
  };
  subject.parts = [runs](const Settings& settings, const std::string& scene,
                         const sweep::Stats& stats, const std::string& parts) {
    return runs->parts(settings, scene, stats, parts);
  };
  subject.reference = [runs](const Settings& settings, const std::string& scene) {
    return runs->reference(settings, scene);
  };
  subject.judge = [runs](const Settings& settings, const std::string& scene,
                         const std::filesystem::path& run, const std::filesystem::path& reference) {
    return runs->judge(settings, scene, run, reference);
  };
  return subject;
}

}  // namespace rtvp::platform
