// From light to the levels of an 8-bit picture.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace rtvp::report {

enum class ToneCurve : std::uint8_t {
  Clamp,     ///< as it is, cut at 1
  Reinhard,  ///< c / (1 + luminance), Reinhard et al. 2002, equation 3, with the key left to
             ///< exposure
  Filmic,    ///< per channel, Narkowicz' 2015 fit to the ACES film curve
};

struct ToneMapping {
  ToneCurve curve = ToneCurve::Clamp;
  double exposure = 0;  ///< stops: light is multiplied by 2^exposure first
  bool operator==(const ToneMapping&) const = default;
};

/// Levels, 1 = white, of linear red, green and blue; not clamped. Negative light counts as none
/// unless the curve is Clamp.
[[nodiscard]] inline std::array<double, 3> toneMapped(std::array<double, 3> rgb,
                                                      const ToneMapping& tone) {
  if (tone == ToneMapping{}) return rgb;
  const double scale = std::exp2(tone.exposure);
  for (double& c : rgb) c *= scale;
  if (tone.curve == ToneCurve::Clamp) return rgb;
  for (double& c : rgb) c = c > 0 ? c : 0;
  if (tone.curve == ToneCurve::Reinhard) {
    const double luminance = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    for (double& c : rgb) c /= 1 + luminance;
  } else {
    for (double& c : rgb) c = c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14);
  }
  return rgb;
}

}  // namespace rtvp::report
