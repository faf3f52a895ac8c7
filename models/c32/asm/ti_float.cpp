// See ti_float.hpp.
#include "models/c32/asm/ti_float.hpp"

#include <cmath>

namespace rtvp::c32 {

std::optional<TiFloat> toTiFloat(double value, int fractionBits, int maxExponent) {
  if (!std::isfinite(value)) return std::nullopt;
  if (value == 0.0) return TiFloat{};
  int exponent = std::ilogb(value);
  const std::uint64_t one = 1ull << fractionBits;
  // The magnitude is rounded, ties away from zero, as the established C3x assembler does.
  const double scaled = std::ldexp(std::fabs(value), fractionBits - exponent);
  auto magnitude = static_cast<std::uint64_t>(std::floor(scaled + 0.5));
  if (magnitude == 2 * one) {
    ++exponent;
    magnitude = one;
  }
  std::uint64_t fraction = magnitude - one;
  if (value < 0) {
    // Negative mantissas lie in [-2, -1): -1.0 is -2.0 with the next lower exponent.
    if (fraction == 0) {
      --exponent;
    } else {
      fraction = one - fraction;
    }
  }
  if (exponent > maxExponent || exponent < -maxExponent) return std::nullopt;
  TiFloat result;
  result.exponent = exponent;
  result.mantissa = static_cast<std::uint32_t>(fraction << (31 - fractionBits));
  if (value < 0) result.mantissa |= 0x80000000u;
  return result;
}

std::optional<std::uint16_t> toShortFloat(double value) {
  if (value == 0.0) return std::uint16_t{0x8000};
  const auto parts = toTiFloat(value, 11, 7);
  if (!parts) return std::nullopt;
  return static_cast<std::uint16_t>((parts->exponent & 0xF) << 12 |
                                    static_cast<int>(parts->mantissa >> 20));
}

std::optional<std::uint32_t> toSingleFloat(double value) {
  const auto parts = toTiFloat(value, 23, 127);
  if (!parts) return std::nullopt;
  return parts->single();
}

namespace {
double compose(int exponent, bool negative, std::uint32_t fraction, int fractionBits) {
  const double lead = negative ? -2.0 : 1.0;
  return std::ldexp(lead + std::ldexp(static_cast<double>(fraction), -fractionBits), exponent);
}
}  // namespace

double fromShortFloat(std::uint16_t bits) {
  const int exponent = (bits >> 12 ^ 8) - 8;
  if (exponent == -8) return 0.0;
  return compose(exponent, (bits & 0x800) != 0, bits & 0x7FFu, 11);
}

double fromSingleFloat(std::uint32_t word) {
  const int exponent = static_cast<int>(static_cast<std::int8_t>(word >> 24));
  if (exponent == -128) return 0.0;
  return compose(exponent, (word & 0x800000) != 0, word & 0x7FFFFF, 23);
}

}  // namespace rtvp::c32
