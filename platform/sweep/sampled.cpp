// See sampled.hpp.
#include "platform/sweep/sampled.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <exception>
#include <string_view>

#include "platform/exit_status.hpp"
#include "platform/sweep/points.hpp"

namespace rtvp::sweep {
namespace {

namespace json = boost::json;
using platform::InputError;

// The same crops for every point of a picture size: points then differ in what they are, not in
// what they were shown.
constexpr std::uint64_t kSeed = 1;

void checkSampled(const Point& point) {
  const platform::OptionTable& table = point.settings.table();
  if (table.find("system.hosts") != nullptr && point.settings.integer("system.hosts") != 1) {
    throw InputError("--sample: found " + std::to_string(point.settings.integer("system.hosts")) +
                     " host computers, expected 1: a crop has too few rows to divide among them");
  }
  if (table.find("render.crop") != nullptr && point.settings.said("render.crop")) {
    throw InputError("--sample: found a render.crop, which it chooses itself");
  }
}

// "modules.pc0.driver.rays" = 5 as {"modules": {"pc0": {"driver": {"rays": 5}}}}.
json::object unflattened(const Stats& stats) {
  json::object all;
  for (const auto& [path, stat] : stats) {
    json::object* at = &all;
    std::size_t begin = 0;
    for (std::size_t dot = path.find('.'); dot != std::string::npos;
         begin = dot + 1, dot = path.find('.', begin)) {
      json::value& next = (*at)[std::string_view(path).substr(begin, dot - begin)];
      if (!next.is_object()) next.emplace_object();
      at = &next.get_object();
    }
    (*at)[std::string_view(path).substr(begin)] = stat.value;
  }
  for (const char* const group : {"modules", "scene", "picture", "host"}) {
    if (!all.contains(group)) all[group].emplace_object();
  }
  return all;
}

Stats completed(Stats stats, const Point& point, const Subject& subject, const std::string& parts) {
  if (subject.common) {
    for (auto& [path, stat] : subject.common(point.settings, point.scene, unflattened(stats))) {
      stats[path] = stat;
    }
  }
  if (subject.parts) stats.merge(subject.parts(point.settings, point.scene, stats, parts));
  return stats;
}

// That a crop shows nothing is no news; that all do is what the run of the whole would say.
constexpr std::string_view kEmpty = "no eye ray hit anything";

void addWarnings(PointResult& whole, const PointResult& crop) {
  for (const std::string& warning : crop.warnings) {
    if (warning.starts_with(kEmpty)) continue;
    if (std::find(whole.warnings.begin(), whole.warnings.end(), warning) == whole.warnings.end()) {
      whole.warnings.push_back(warning);
    }
  }
}

}  // namespace

std::vector<Point> cropsOf(const Point& point, const SweepSpec& spec, const Subject& subject,
                           const SampleChoice& choice) {
  checkSampled(point);
  if (!subject.picture) throw InputError("--sample: this program does not know its pictures");
  const auto [width, height] = subject.picture(point.settings, point.scene);
  std::vector<Point> crops;
  for (const SampleCrop& crop : sampleCrops(width, height, choice, kSeed)) {
    crops.push_back(cropOf(point, spec, subject, crop.text()));
  }
  return crops;
}

SampledResult combine(const Point& point, const std::vector<PointResult>& crops,
                      const Subject& subject, const std::string& parts) {
  SampledResult result;
  std::vector<Stats> stats;
  for (const PointResult& crop : crops) {
    result.whole.wallSeconds += crop.wallSeconds;
    addWarnings(result.whole, crop);
    if (!crop.ok() && result.whole.ok()) {
      result.whole.status = crop.status;
      result.whole.message = crop.message;
    }
    stats.push_back(crop.stats);
  }
  if (!result.whole.ok()) return result;
  const auto [width, height] = subject.picture(point.settings, point.scene);
  const double pixels = static_cast<double>(width) * height;
  result.whole.inputs = crops.front().inputs;
  result.whole.stats = completed(wholeOf(stats, pixels), point, subject, parts);
  result.whole.stats["host.wall_s"] = {result.whole.wallSeconds, ""};
  for (std::size_t i = 0; i < stats.size(); ++i) {
    result.without.push_back(completed(wholeOf(stats, pixels, i), point, subject, parts));
  }
  return result;
}

Names valuesOf(const Stats& stats, const std::set<std::string>& names) {
  Names values;
  for (const std::string& name : names) values[name] = meaningOf(stats, name).value;
  return values;
}

}  // namespace rtvp::sweep
