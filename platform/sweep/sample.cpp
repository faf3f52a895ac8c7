// See sample.hpp.
#include "platform/sweep/sample.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <random>
#include <utility>

#include "models/common/core/text.hpp"
#include "platform/exit_status.hpp"
#include "platform/raytree/coherence.hpp"

namespace rtvp::sweep {
namespace {

using platform::InputError;

constexpr int kLargestEdge = 4096;
constexpr std::string_view kSetup = "setup.";

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// All crops together are a sixteenth of the picture or little more; below 8 pixels nothing is
// coherent, above 64 nothing is gained.
int usualEdge(int width, int height, int crops) {
  const double wanted = std::sqrt(static_cast<double>(width) * height / 16 / crops);
  int edge = 8;
  while (edge < 64 && edge * 1.5 < wanted) edge *= 2;
  return edge;
}

enum class Kind : std::uint8_t {
  Fixed,    ///< says something of the run, not of its rays
  Count,    ///< grows with the rays
  Ratio,    ///< of counts
  Largest,  ///< of the values there were
};

std::string_view lastPart(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

bool saysLargest(std::string_view path) {
  const std::string_view name = lastPart(path);
  constexpr std::array<std::string_view, 5> kWords{"max_", "_most", "longest", "high_water",
                                                   "largest"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

bool saysRatio(std::string_view path, const std::string& unit) {
  const std::string_view name = lastPart(path);
  return unit.find('/') != std::string::npos || name.find("_per_") != std::string_view::npos ||
         name.ends_with("utilisation") || name.ends_with("share") || name.ends_with("_rate") ||
         name.ends_with("occupancy");
}

Kind kindOf(std::string_view path, std::span<const Stats> crops) {
  const bool picture = path == "picture.rays" || path == "picture.eye_rays" ||
                       path == "picture.eye_hits" || path == "quality.wrong_pixels" ||
                       path == "quality.excused_pixels";
  if (path == "simulated_time_ps" || picture) return Kind::Count;
  if (!path.starts_with("modules.")) return Kind::Fixed;
  if (saysLargest(path)) return Kind::Largest;
  for (const Stats& crop : crops) {
    const auto at = crop.find(std::string(path));
    if (at == crop.end()) continue;
    if (at->second.value != std::floor(at->second.value)) return Kind::Ratio;
    if (saysRatio(path, at->second.unit)) return Kind::Ratio;
  }
  return Kind::Count;
}

double valueIn(const Stats& stats, const std::string& path) {
  const auto at = stats.find(path);
  return at == stats.end() ? 0 : at->second.value;
}

// One statistic of crops.
class Extrapolation {
 public:
  Extrapolation(std::span<const Stats> crops, double pixels, std::optional<std::size_t> without)
      : crops_(crops), without_(without) {
    double sampled = 0;
    each([&](const Stats& crop) { sampled += valueIn(crop, "picture.eye_rays"); });
    // By eye rays: several samples a pixel are as many in a crop as in the picture.
    const double eyeRays = valueIn(crops.front(), "picture.eye_rays");
    const double area = valueIn(crops.front(), "picture.crop_width") *
                        valueIn(crops.front(), "picture.crop_height");
    scale_ = sampled > 0 && area > 0 ? pixels * (eyeRays / area) / sampled : 0;
  }

  [[nodiscard]] double count(const std::string& path) const {
    double setup = 0, rest = 0;
    int n = 0;
    each([&](const Stats& crop) {
      const double before = valueIn(crop, std::string(kSetup) + path);
      setup += before;
      rest += valueIn(crop, path) - before;
      ++n;
    });
    return n == 0 ? 0 : setup / n + rest * scale_;
  }
  [[nodiscard]] double ratio(const std::string& path) const {
    double sum = 0, weights = 0;
    each([&](const Stats& crop) {
      const double time = valueIn(crop, "simulated_time_ps");
      sum += time * valueIn(crop, path);
      weights += time;
    });
    // What the crops spent before their first ray counts once only.
    const double before = setupWeight(weights);
    sum -= before * valueIn(crops_.front(), std::string(kSetup) + path);
    weights -= before;
    return weights > 0 ? sum / weights : valueIn(crops_.front(), path);
  }
  [[nodiscard]] double largest(const std::string& path) const {
    double most = 0;
    each([&](const Stats& crop) { most = std::max(most, valueIn(crop, path)); });
    return most;
  }

 private:
  void each(const auto& use) const {
    for (std::size_t i = 0; i < crops_.size(); ++i) {
      if (i != without_) use(crops_[i]);
    }
  }
  // Simulated time of set-ups that the whole picture's run does not have. In that run the rest
  // takes `scale_` times as long and the set-up once.
  [[nodiscard]] double setupWeight(double all) const {
    double setups = 0;
    each([&](const Stats& crop) {
      setups += valueIn(crop, std::string(kSetup) + "simulated_time_ps");
    });
    const double n = static_cast<double>(crops_.size()) - (without_ ? 1 : 0);
    if (scale_ <= 0 || n <= 0) return 0;
    return std::clamp(setups - setups / n / scale_, 0.0, all);
  }

  std::span<const Stats> crops_;
  std::optional<std::size_t> without_;
  double scale_ = 0;
};

// The mean error of the colours is what adds up, not its logarithm.
std::optional<double> meanPsnr(std::span<const Stats> crops, std::optional<std::size_t> without) {
  double error = 0, n = 0;
  for (std::size_t i = 0; i < crops.size(); ++i) {
    const auto at = crops[i].find("quality.psnr_db");
    if (at == crops[i].end()) return std::nullopt;
    if (i == without) continue;
    error += std::pow(10.0, -at->second.value / 10);
    ++n;
  }
  return n > 0 ? -10 * std::log10(error / n) : 0;
}

// Student's t, 97.5 %, for 1, 2, ... degrees of freedom.
double studentT(std::size_t degrees) {
  constexpr std::array kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // Cornish and Fisher's expansion, exact to three decimals from here on.
  constexpr double kNormal = 1.959964;
  const double z3 = kNormal * kNormal * kNormal;
  return kNormal + (z3 + kNormal) / 4 / static_cast<double>(degrees);
}

}  // namespace

std::string SampleCrop::text() const {
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(width) + "," +
         std::to_string(height);
}

SampleChoice sampleChoice(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto crops = whole(text.substr(0, colon));
  const auto edge =
      colon == std::string_view::npos ? std::optional(0) : whole(text.substr(colon + 1));
  const bool edgeFits =
      edge && (colon == std::string_view::npos || (*edge >= 1 && *edge <= kLargestEdge));
  if (!crops || *crops < kFewestCrops || *crops > kMostCrops || !edgeFits) {
    throw InputError("--sample: found " + common::quoted(std::string(text)) +
                     ", expected N or N:EDGE, " + std::to_string(kFewestCrops) + ".." +
                     std::to_string(kMostCrops) + " crops with an edge of 1.." +
                     std::to_string(kLargestEdge) + " pixels");
  }
  return {*crops, *edge};
}

std::vector<SampleCrop> sampleCrops(int width, int height, const SampleChoice& choice,
                                    std::uint64_t seed) {
  const int edge = choice.edge != 0 ? choice.edge : usualEdge(width, height, choice.crops);
  const int columns = width / edge;
  const int rows = height / edge;
  const auto crops = static_cast<std::uint64_t>(choice.crops);
  if (columns < 1 || rows < 1 || std::uint64_t(columns) * std::uint64_t(rows) < crops) {
    throw InputError("--sample: found " + std::to_string(choice.crops) + " crops of " +
                     std::to_string(edge) + "x" + std::to_string(edge) + ", a picture of " +
                     std::to_string(width) + "x" + std::to_string(height) +
                     " has fewer such tiles: expected fewer or smaller crops, or a larger picture");
  }
  const std::vector<std::uint32_t> order =
      host::pixelSequence(host::PixelOrder::Hilbert, columns, rows);
  // The generator's raw numbers: distributions differ between libraries.
  std::mt19937_64 random(seed);
  std::vector<SampleCrop> list;
  for (std::uint64_t i = 0; i < crops; ++i) {
    const std::uint64_t from = order.size() * i / crops;
    const std::uint64_t to = order.size() * (i + 1) / crops;
    const auto tile = static_cast<int>(order[from + random() % (to - from)]);
    list.push_back({tile % columns * edge, tile / columns * edge, edge, edge});
  }
  return list;
}

Stats wholeOf(std::span<const Stats> crops, double pixels, std::optional<std::size_t> without) {
  const Extrapolation all(crops, pixels, without);
  Stats stats;
  for (const auto& [path, stat] : crops.front()) {
    const bool ours = path.starts_with(kSetup) || path.starts_with("use.") ||
                      path.starts_with("each_ray.") || path.starts_with("picture.crop_");
    if (ours) continue;
    Stat& mine = stats[path];
    mine = stat;
    switch (kindOf(path, crops)) {
      case Kind::Fixed:
        break;
      case Kind::Count:
        mine.value = all.count(path);
        break;
      case Kind::Ratio:
        mine.value = all.ratio(path);
        break;
      case Kind::Largest:
        mine.value = all.largest(path);
        break;
    }
  }
  if (const auto psnr = meanPsnr(crops, without)) stats["quality.psnr_db"].value = *psnr;
  return stats;
}

std::optional<double> halfWidth(std::span<const std::optional<double>> without) {
  const std::size_t n = without.size();
  double mean = 0;
  for (const auto& v : without) {
    if (!v) return std::nullopt;
    mean += *v / static_cast<double>(n);
  }
  if (n < 2) return std::nullopt;
  double squares = 0;
  for (const auto& v : without) squares += (*v - mean) * (*v - mean);
  const auto count = static_cast<double>(n);
  return studentT(n - 1) * std::sqrt((count - 1) / count * squares);
}

}  // namespace rtvp::sweep
