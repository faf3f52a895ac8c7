// See cost_map.hpp.
#include "platform/commands/cost_map.hpp"

#include <algorithm>
#include <array>

namespace rtvp::platform {
namespace {

constexpr std::size_t kPanels = 3;
constexpr int kGap = 4;  // pixels between panels

/// Black, blue, red, yellow, white, linear between.
std::array<double, 3> heat(double x) {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{0, 0, 0}, {0, 0, 0.8}, {0.9, 0.1, 0.1}, {1, 0.9, 0}, {1, 1, 1}}};
  const double at = std::clamp(x, 0.0, 1.0) * (kStops.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double share = at - static_cast<double>(low);
  std::array<double, 3> color{};
  for (std::size_t k = 0; k < 3; ++k)
    color[k] = kStops[low][k] + (kStops[low + 1][k] - kStops[low][k]) * share;
  return color;
}

/// What is white in each panel: one pixel in 500 costs more, those that met cold memory for
/// instance.
std::array<std::uint64_t, kPanels> whites(const std::vector<PartResult>& parts) {
  constexpr std::size_t kOneIn = 500;
  std::array<std::uint64_t, kPanels> white{};
  for (std::size_t panel = 0; panel < kPanels; ++panel) {
    std::vector<std::uint64_t> values;
    for (const PartResult& part : parts) {
      for (std::size_t i = panel; i < part.costMap.size(); i += kPanels)
        values.push_back(part.costMap[i]);
    }
    if (values.empty()) continue;
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(values.size() - 1 - values.size() / kOneIn);
    std::nth_element(values.begin(), at, values.end());
    white[panel] = *at;
  }
  return white;
}

}  // namespace

report::Image costMapImage(const std::vector<PartResult>& parts, const host::Crop& whole) {
  const std::array<std::uint64_t, kPanels> most = whites(parts);
  report::Image image(static_cast<int>(kPanels) * whole.width + 2 * kGap, whole.height);
  for (const PartResult& part : parts) {
    for (std::size_t i = 0; i < part.costMap.size(); ++i) {
      const std::size_t panel = i % kPanels, pixel = i / kPanels;
      const auto width = static_cast<std::size_t>(part.crop.width);
      const int x = part.crop.x - whole.x + static_cast<int>(pixel % width) +
                    static_cast<int>(panel) * (whole.width + kGap);
      const int y = part.crop.y - whole.y + static_cast<int>(pixel / width);
      const auto color = heat(static_cast<double>(part.costMap[i]) /
                              static_cast<double>(std::max<std::uint64_t>(1, most[panel])));
      const std::size_t at =
          3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
               static_cast<std::size_t>(x));
      for (std::size_t k = 0; k < 3; ++k) image.rgb[at + k] = report::quantize(color[k]);
    }
  }
  return image;
}

}  // namespace rtvp::platform
