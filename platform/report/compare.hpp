// How far two pictures are apart: what `platform compare` prints.
#pragma once

#include <cstdint>

#include "platform/report/image.hpp"

namespace rtvp::report {

struct ImageDifference {
  std::uint64_t pixels = 0;     ///< in each picture
  std::uint64_t differing = 0;  ///< pixels with at least one unequal channel
  int maxDifference = 0;        ///< largest difference of a channel, 0..255
  double psnr = 0;  ///< peak signal-to-noise ratio over all channels, dB; infinite if equal
};

/// Throws ImageError if the sizes differ.
[[nodiscard]] ImageDifference compareImages(const Image& a, const Image& b);

}  // namespace rtvp::report
