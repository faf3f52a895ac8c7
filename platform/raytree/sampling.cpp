// Hammersley sample positions.
#include "platform/raytree/sampling.hpp"

#include <stdexcept>
#include <string>

namespace rtvp::host {
namespace {

/// The binary digits of `i` mirrored at the point: 1 -> 1/2, 2 -> 1/4, 3 -> 3/4 ...
double radicalInverse(unsigned i) {
  double value = 0;
  for (double digit = 0.5; i != 0; i >>= 1, digit /= 2) {
    if ((i & 1) != 0) value += digit;
  }
  return value;
}

}  // namespace

std::vector<SamplePosition> samplePositions(int count) {
  if (count < 1 || count > kMaxSamples) {
    throw std::invalid_argument(std::to_string(count) + " samples a pixel, expected 1 to " +
                                std::to_string(kMaxSamples));
  }
  std::vector<SamplePosition> positions;
  positions.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    // Half a step in both axes centres the set in the pixel. The largest of `count` radical
    // inverses is below 1 - 1/(2 count), so the sum stays below 1.
    const double step = 0.5 / count;
    positions.push_back({(i + 0.5) / count, radicalInverse(static_cast<unsigned>(i)) + step});
  }
  return positions;
}

}  // namespace rtvp::host
