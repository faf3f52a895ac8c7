// Number formats by definition, slowly: values as long double (64-bit significand, so every step
// below is exact for a binary64 input), words found by enumeration. Shares no code with format.cpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "models/xphmg/format.hpp"

namespace rtvp::xphmg::test {

/// A format as section 4.7 describes it.
struct FormatFacts {
  Format format;
  int exponentBits, mantissaBits, bias;
  long double maxFinite;
  bool infinity;
  std::uint32_t canonicalNan;
};

inline const std::vector<FormatFacts>& floatFormats() {
  static const std::vector<FormatFacts> kFacts = {
      {Format::Fp32, 8, 23, 127, 0x1.FFFFFEp127L, true, 0x7FC00000},
      {Format::Fp16, 5, 10, 15, 65504.0L, true, 0x7E00},
      {Format::Bf16, 8, 7, 127, 0x1.FEp127L, true, 0x7FC0},
      {Format::Fp8E5m2, 5, 2, 15, 57344.0L, true, 0x7F},
      {Format::Fp8E4m3, 4, 3, 7, 448.0L, false, 0x7F},
  };
  return kFacts;
}

enum class WordClass { Finite, Infinite, QuietNan, SignallingNan };

struct WordValue {
  WordClass kind = WordClass::Finite;
  long double value = 0;
};

/// What a word means.
inline WordValue meaning(const FormatFacts& f, std::uint32_t word) {
  const std::uint32_t mantissa = word & ((1U << f.mantissaBits) - 1U);
  const std::uint32_t top = (1U << f.exponentBits) - 1U;
  const std::uint32_t exponent = (word >> f.mantissaBits) & top;
  const bool negative = ((word >> (f.exponentBits + f.mantissaBits)) & 1U) != 0;
  const long double sign = negative ? -1.0L : 1.0L;
  if (exponent == top) {
    if (f.infinity) {
      if (mantissa == 0)
        return {WordClass::Infinite, sign * std::numeric_limits<long double>::infinity()};
      return {((mantissa >> (f.mantissaBits - 1)) & 1U) != 0 ? WordClass::QuietNan
                                                             : WordClass::SignallingNan,
              0};
    }
    if (mantissa == (1U << f.mantissaBits) - 1U) return {WordClass::QuietNan, 0};
  }
  const long double significand = exponent == 0 ? mantissa : mantissa + (1U << f.mantissaBits);
  const int e = exponent == 0 ? 1 : static_cast<int>(exponent);
  return {WordClass::Finite, sign * std::ldexp(significand, e - f.bias - f.mantissaBits)};
}

/// x to a multiple of 2^quantum.
inline long double roundTo(long double x, int quantum, Rounding mode) {
  const long double scaled = std::ldexp(x, -quantum);
  const long double below = std::floor(scaled);
  const long double rest = scaled - below;
  bool up = false;
  switch (mode) {
    case Rounding::Rne:
      up = rest > 0.5L || (rest == 0.5L && std::fmod(below, 2.0L) != 0);
      break;
    case Rounding::Rtz:
      up = x < 0 && rest > 0;
      break;
    case Rounding::Rup:
      up = rest > 0;
      break;
    case Rounding::Rdn:
      break;
    case Rounding::Rmm:
      up = rest > 0.5L || (rest == 0.5L && x > 0);
      break;
  }
  return std::ldexp(below + (up ? 1 : 0), quantum);
}

struct Encoded {
  std::uint32_t word = 0;
  Stickies stickies;
  bool operator==(const Encoded&) const = default;
};

/// Word of a finite value the format holds; sign of zero from `negative`.
inline std::uint32_t wordOf(const FormatFacts& f, long double value, bool negative) {
  const std::uint32_t sign = negative ? 1U << (f.exponentBits + f.mantissaBits) : 0U;
  const long double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int e = std::max(std::ilogb(magnitude), 1 - f.bias);
  const long double units = std::ldexp(magnitude, f.mantissaBits - e);
  const long double hidden = std::ldexp(1.0L, f.mantissaBits);
  if (units < hidden) return sign | static_cast<std::uint32_t>(units);  // subnormal
  return sign | static_cast<std::uint32_t>(e + f.bias) << f.mantissaBits |
         static_cast<std::uint32_t>(units - hidden);
}

/// encode() by the words of D-46.
inline Encoded encodeFloat(const FormatFacts& f, double x, Rounding mode, bool sat, bool ftz) {
  Encoded out;
  const bool negative = std::signbit(x);
  const std::uint32_t sign = negative ? 1U << (f.exponentBits + f.mantissaBits) : 0U;
  const std::uint32_t infinity = ((1U << f.exponentBits) - 1U) << f.mantissaBits;
  if (std::isnan(x)) return {f.canonicalNan, {}};
  if (std::isinf(x)) {
    if (f.infinity) return {sign | infinity, {}};
    if (!sat) return {f.canonicalNan, {}};
    return {wordOf(f, f.maxFinite, negative), {Stickies::kSatHit, 0}};
  }
  if (x == 0) return {sign, {}};
  const long double exact = x;
  const int e = std::ilogb(x);
  const long double unbounded = roundTo(exact, e - f.mantissaBits, mode);
  if (std::fabs(unbounded) > f.maxFinite) {
    if (sat) return {wordOf(f, f.maxFinite, negative), {Stickies::kSatHit, 0}};
    out.stickies.exc = Stickies::kOverflow | Stickies::kInexact;
    if (!f.infinity) return {f.canonicalNan, out.stickies};
    const bool to_max = mode == Rounding::Rtz || (mode == Rounding::Rup && negative) ||
                        (mode == Rounding::Rdn && !negative);
    out.word = to_max ? wordOf(f, f.maxFinite, negative) : sign | infinity;
    return out;
  }
  const long double least = std::ldexp(1.0L, 1 - f.bias);
  const long double bounded = roundTo(exact, std::max(e, 1 - f.bias) - f.mantissaBits, mode);
  if (bounded != exact) {
    out.stickies.exc |= Stickies::kInexact;
    if (std::fabs(unbounded) < least) out.stickies.exc |= Stickies::kUnderflow;
  }
  if (ftz && bounded != 0 && std::fabs(bounded) < least) {
    out.stickies.stat |= Stickies::kFtzHit;
    out.word = sign;
    return out;
  }
  out.word = wordOf(f, bounded, negative);
  return out;
}

/// The integer formats: q = round(real * 2^-shift) + zp, clamped.
inline Encoded encodeInteger(unsigned bits, bool is_unsigned, double x, Rounding mode, bool sat,
                             int zero_point, int shift) {
  Encoded out;
  const std::uint32_t mask = bits == 32 ? 0xFFFFFFFFU : (1U << bits) - 1U;
  if (std::isnan(x)) return {0, {0, Stickies::kInvalid}};
  const long double low = is_unsigned ? 0 : -std::ldexp(1.0L, static_cast<int>(bits) - 1);
  const long double high = std::ldexp(1.0L, static_cast<int>(bits) - (is_unsigned ? 0 : 1)) - 1.0L;
  const long double exact = std::ldexp(static_cast<long double>(x), -shift);
  const long double rounded = std::isinf(x) ? exact : roundTo(exact, 0, mode);
  const long double q = rounded + zero_point;
  if (q < low || q > high) {
    const long double clamped = q < low ? low : high;
    if (sat) {
      out.stickies.stat = Stickies::kSatHit;
    } else {
      out.stickies.exc = Stickies::kInvalid;
    }
    out.word = static_cast<std::uint32_t>(static_cast<std::int64_t>(clamped)) & mask;
    return out;
  }
  if (rounded != exact) out.stickies.exc = Stickies::kInexact;
  out.word = static_cast<std::uint32_t>(static_cast<std::int64_t>(q)) & mask;
  return out;
}

}  // namespace rtvp::xphmg::test
