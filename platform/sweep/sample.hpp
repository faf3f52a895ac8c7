// Fast estimates: a few crops spread over the picture stand for all of it (docs/sweeps.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/sweep/stats.hpp"

namespace rtvp::sweep {

/// How a picture is sampled.
struct SampleChoice {
  int crops = 0;  ///< 0: not at all, whole pictures are rendered
  int edge = 0;   ///< of a crop, pixels; 0: by the picture
};

inline constexpr int kFewestCrops = 4;  ///< fewer say nothing of their spread
inline constexpr int kMostCrops = 1024;

/// "16" or "16:32": crops, and their edge in pixels. Throws InputError beginning with "--sample".
[[nodiscard]] SampleChoice sampleChoice(std::string_view text);

/// Part of a picture, pixels.
struct SampleCrop {
  int x = 0, y = 0, width = 0, height = 0;
  /// As `render.crop` wants it.
  [[nodiscard]] std::string text() const;
};

/// The crops of a picture: tiles that lie on a grid of their edge, so that each is a run of the
/// whole picture's Hilbert order; one drawn from each of as many equal parts of that order. The
/// same for the same arguments. Without an edge: a power of two between 8 and 64, so that all
/// together are a sixteenth of the picture or little more. Throws InputError if the picture has
/// fewer tiles than crops.
[[nodiscard]] std::vector<SampleCrop> sampleCrops(int width, int height, const SampleChoice& choice,
                                                  std::uint64_t seed);

/// Statistics of a whole picture, `pixels` large, from those of crops, each with what there was
/// before its first ray named `setup.NAME`. Counts: the set-up's, and of the rest what the crops
/// had together times the pixels by theirs. Ratios: weighted by simulated time. Largest values: the
/// largest. `without`: one crop that does not count.
[[nodiscard]] Stats wholeOf(std::span<const Stats> crops, double pixels,
                            std::optional<std::size_t> without = std::nullopt);

/// Half the width of the 95 % interval of a figure, from its values without each crop in turn
/// (jackknife, Student's t). Nothing if one is missing.
[[nodiscard]] std::optional<double> halfWidth(std::span<const std::optional<double>> without);

}  // namespace rtvp::sweep
