// Pictures of light: linear floating-point numbers, as OpenEXR or PFM.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rtvp::report {

/// Linear RGB, rows from the top, no padding.
struct LightImage {
  int width = 0;
  int height = 0;
  std::vector<float> rgb;  ///< width * height * 3
};

/// True for names that end in .exr or .pfm, case ignored.
[[nodiscard]] bool isLightName(const std::filesystem::path& file);

/// OpenEXR (scan lines, channels R, G, B of 32 bits, ZIP) or PFM (colour, little-endian, rows from
/// the bottom), by the name. Throws ImageError for another name. The same light gives the same
/// bytes.
[[nodiscard]] std::vector<std::uint8_t> encodeLight(const std::filesystem::path& file,
                                                    const LightImage& light);

}  // namespace rtvp::report
