// Where in a pixel its samples lie.
#pragma once

#include <vector>

namespace rtvp::host {

/// Position in a pixel, 0 <= x, y < 1 from its top left corner.
struct SamplePosition {
  double x = 0.5;
  double y = 0.5;
  bool operator==(const SamplePosition&) const = default;
};

inline constexpr int kMaxSamples = 4096;

/// `count` positions, the same for every pixel and every run: a Hammersley set, so each of the
/// `count` columns of the pixel holds one sample, and for powers of two each of its rows and each
/// square stratum too. A single one lies at the centre. Weighted equally they make a box filter.
/// Throws std::invalid_argument outside 1..kMaxSamples.
[[nodiscard]] std::vector<SamplePosition> samplePositions(int count);

}  // namespace rtvp::host
