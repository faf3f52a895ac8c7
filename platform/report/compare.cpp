// Picture difference in one pass.
#include "platform/report/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace rtvp::report {

ImageDifference compareImages(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) {
    throw ImageError("the pictures differ in size: " + std::to_string(a.width) + " x " +
                     std::to_string(a.height) + " and " + std::to_string(b.width) + " x " +
                     std::to_string(b.height));
  }
  ImageDifference result;
  result.pixels = a.rgb.size() / 3;
  std::uint64_t squares = 0;
  for (std::size_t i = 0; i < a.rgb.size(); i += 3) {
    int largest = 0;
    for (std::size_t channel = i; channel < i + 3; ++channel) {
      const int difference = std::abs(int{a.rgb[channel]} - int{b.rgb[channel]});
      squares += static_cast<std::uint64_t>(difference * difference);
      largest = std::max(largest, difference);
    }
    if (largest > 0) ++result.differing;
    result.maxDifference = std::max(result.maxDifference, largest);
  }
  result.psnr = squares == 0 ? std::numeric_limits<double>::infinity()
                             : 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.rgb.size()) /
                                               static_cast<double>(squares));
  return result;
}

}  // namespace rtvp::report
