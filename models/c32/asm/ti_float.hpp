// Host double to the C32's number formats, as an assembler needs it (c32.md 2.2, 2.3): round to
// nearest.
#pragma once

#include <cstdint>
#include <optional>

namespace rtvp::c32 {

/// A TI float taken apart: value = (mantissa as 33-bit signed, see c32.md 2.4) x 2^(exponent-31).
struct TiFloat {
  int exponent = -128;         ///< -128 = zero
  std::uint32_t mantissa = 0;  ///< sign and 31 fraction bits

  /// The 32-bit memory word.
  std::uint32_t single() const {
    return static_cast<std::uint32_t>(exponent & 0xFF) << 24 | mantissa >> 8;
  }
};

/// Rounds a finite `value` to `fractionBits` (11 short, 23 single, 31 extended). Empty when |value|
/// exceeds the format's range (exponent limit `maxExponent`) or value is nonzero and below its
/// least magnitude.
std::optional<TiFloat> toTiFloat(double value, int fractionBits, int maxExponent);

/// The 16-bit short float of immediates; empty if not representable within rounding.
std::optional<std::uint16_t> toShortFloat(double value);
/// The 32-bit single word; empty on overflow or underflow.
std::optional<std::uint32_t> toSingleFloat(double value);
/// Exact value of a short float pattern.
double fromShortFloat(std::uint16_t bits);
/// Exact value of a single word.
double fromSingleFloat(std::uint32_t word);

}  // namespace rtvp::c32
