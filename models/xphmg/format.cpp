// See format.hpp.
#include "models/xphmg/format.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace rtvp::xphmg {
namespace {

constexpr FormatInfo kFormats[] = {
    {Format::Int8, "int8", 1, true, 0, 0, 0, false, 0, 0},
    {Format::Int16, "int16", 2, true, 0, 0, 0, false, 0, 0},
    {Format::Bf16, "bf16", 2, false, 8, 7, 127, true, 0x7F7F, 0x7FC0},
    {Format::Fp16, "fp16", 2, false, 5, 10, 15, true, 0x7BFF, 0x7E00},
    {Format::Fp32, "fp32", 4, false, 8, 23, 127, true, 0x7F7FFFFF, 0x7FC00000},
    {Format::Int32, "int32", 4, true, 0, 0, 0, false, 0, 0},
    {Format::Fp8E4m3, "fp8_e4m3", 1, false, 4, 3, 7, false, 0x7E, 0x7F},
    {Format::Fp8E5m2, "fp8_e5m2", 1, false, 5, 2, 15, true, 0x7B, 0x7F},
};

std::uint32_t signBit(const FormatInfo& f) {
  return 1U << (f.exponentBits + f.mantissaBits);
}

/// Is `magnitude` (a word without its sign) a NaN of the format?
bool isNan(const FormatInfo& f, std::uint32_t magnitude) {
  if (!f.infinity) return magnitude == f.canonicalNan;
  return magnitude > f.maxFinite + 1;
}

float decodeInteger(const Precision& p, const FormatInfo& f, std::uint32_t word) {
  const unsigned bits = 8U * f.bytes;
  const std::uint32_t mask = bits == 32 ? 0xFFFFFFFFU : (1U << bits) - 1U;
  std::int64_t q = static_cast<std::int64_t>(word & mask);
  if (!p.isUnsigned && ((word >> (bits - 1U)) & 1U) != 0) q -= std::int64_t{1} << bits;
  // 33 bits fit a double; the one rounding (INT32 only) is the conversion to FP32.
  return static_cast<float>(std::ldexp(static_cast<double>(q - p.zeroPoint), p.scaleShift));
}

float decodeFloat(const FormatInfo& f, std::uint32_t magnitude, bool negative) {
  const std::uint32_t mantissa = magnitude & ((1U << f.mantissaBits) - 1U);
  const std::uint32_t exponent = magnitude >> f.mantissaBits;
  float value;
  if (f.infinity && magnitude > f.maxFinite) {
    value = std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissaBits);
  } else {
    const std::uint32_t bits = ((exponent + 127U - static_cast<std::uint32_t>(f.bias)) << 23U) |
                               (mantissa << (23U - f.mantissaBits));
    value = std::bit_cast<float>(bits);
  }
  return negative ? -value : value;
}

/// A magnitude split as significand * 2^exponent, 53 bits, top bit set.
struct Split {
  std::uint64_t significand;
  int exponent;
};

Split split(double magnitude) {
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // [0.5, 1)
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), exponent - 53};
}

struct Rounded {
  std::uint64_t quotient;
  bool inexact;
};

/// significand / 2^shift, rounded. `shift` may be any size; below 1 it is exact and must keep 64
/// bits.
Rounded roundShift(std::uint64_t significand, int shift, Rounding mode, bool negative) {
  if (shift <= 0) return {significand << static_cast<unsigned>(-shift), false};
  const unsigned s = static_cast<unsigned>(shift > 62 ? 62 : shift);
  // At most 63 bits of significand: past 62 only "less than half" is left of 53.
  const std::uint64_t quotient = significand >> s;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << s) - 1U);
  const std::uint64_t half = std::uint64_t{1} << (s - 1U);
  bool up = false;
  switch (mode) {
    case Rounding::Rne:
      up = rest > half || (rest == half && (quotient & 1U) != 0);
      break;
    case Rounding::Rtz:
      break;
    case Rounding::Rup:
      up = rest != 0 && !negative;
      break;
    case Rounding::Rdn:
      up = rest != 0 && negative;
      break;
    case Rounding::Rmm:
      up = rest >= half;
      break;
  }
  return {quotient + (up ? 1U : 0U), rest != 0};
}

/// Largest finite value or infinity (E4M3: NaN), as the rounding direction says.
std::uint32_t overflowWord(const FormatInfo& f, Rounding mode, bool negative) {
  if (!f.infinity) return f.canonicalNan;
  const bool toInfinity = mode == Rounding::Rne || mode == Rounding::Rmm ||
                          (mode == Rounding::Rup && !negative) ||
                          (mode == Rounding::Rdn && negative);
  return f.maxFinite + (toInfinity ? 1U : 0U);
}

std::uint32_t encodeInfinity(const Precision& p, const FormatInfo& f, Stickies& stickies) {
  if (f.infinity) return f.maxFinite + 1U;
  if (!p.sat) return f.canonicalNan;
  stickies.stat |= Stickies::kSatHit;
  return f.maxFinite;
}

/// The magnitude of a value that is a normal number of the format and below its largest exponent:
/// the value's own bits, rounded in place, a carry going into the exponent. False: it is none.
/// Speed only. Invariant: the exponent is so far from both ends that neither the rounding's carry
/// nor tininess can matter; encodeMagnitude(), the plain twin, comes to the same.
bool encodeNormal(const Precision& p, const FormatInfo& f, double value, Stickies& stickies,
                  std::uint32_t& word) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63U);
  const unsigned exponent = static_cast<unsigned>(bits >> 52U);
  const unsigned least = 1024U - static_cast<unsigned>(f.bias);
  const unsigned most = least - 1U + (f.maxFinite >> f.mantissaBits);
  if (exponent < least || exponent >= most) return false;
  const int shift = 52 - f.mantissaBits;
  Rounded rounded{0, false};
  if (p.rounding == Rounding::Rne) {
    const std::uint64_t half = std::uint64_t{1} << static_cast<unsigned>(shift - 1);
    const std::uint64_t odd = bits >> static_cast<unsigned>(shift) & 1U;
    rounded = {(bits + (half - 1U) + odd) >> static_cast<unsigned>(shift),
               (bits & (2U * half - 1U)) != 0};
  } else {
    rounded = roundShift(bits, shift, p.rounding, std::signbit(value));
  }
  word =
      static_cast<std::uint32_t>(rounded.quotient - (std::uint64_t{least - 1U} << f.mantissaBits));
  if (rounded.inexact) stickies.exc |= Stickies::kInexact;
  return true;
}

/// Finite, non-zero magnitude to the word without its sign.
std::uint32_t encodeMagnitude(const Precision& p, const FormatInfo& f, double magnitude,
                              bool negative, Stickies& stickies) {
  const Split x = split(magnitude);
  const int top = x.exponent + 52;  // floor(log2)
  const int least = 1 - f.bias;     // exponent of the smallest normal number
  // With unbounded exponent: decides tininess and overflow (D-46).
  const Rounded free = roundShift(x.significand, 52 - f.mantissaBits, p.rounding, negative);
  const bool carried = (free.quotient >> (f.mantissaBits + 1U)) != 0;
  const int exponent = top + (carried ? 1 : 0);
  if (exponent >= least) {
    const std::uint64_t mantissa = carried ? free.quotient >> 1U : free.quotient;
    const std::int64_t word = (static_cast<std::int64_t>(exponent - least) << f.mantissaBits) +
                              static_cast<std::int64_t>(mantissa);
    if (word > static_cast<std::int64_t>(f.maxFinite)) {
      if (p.sat) {
        stickies.stat |= Stickies::kSatHit;
        return f.maxFinite;
      }
      stickies.exc |= Stickies::kOverflow | Stickies::kInexact;
      const std::uint32_t over = overflowWord(f, p.rounding, negative);
      return over;
    }
    // A number just below the normal range that rounds up to it is not tiny, but its own quantum is
    // the subnormal one: both roundings meet at the smallest normal number or differ below it.
    if (top >= least) {
      if (free.inexact) stickies.exc |= Stickies::kInexact;
      return static_cast<std::uint32_t>(word);
    }
  }
  const int quantum = least - f.mantissaBits;
  const Rounded sub = roundShift(x.significand, quantum - x.exponent, p.rounding, negative);
  if (sub.inexact) {
    stickies.exc |= Stickies::kInexact;
    if (exponent < least) stickies.exc |= Stickies::kUnderflow;
  }
  const std::uint32_t word = static_cast<std::uint32_t>(sub.quotient);
  if (p.ftz && word != 0 && (word >> f.mantissaBits) == 0) {
    stickies.stat |= Stickies::kFtzHit;
    return 0;
  }
  return word;
}

std::uint32_t encodeInteger(const Precision& p, const FormatInfo& f, double value,
                            Stickies& stickies) {
  if (std::isnan(value)) {
    stickies.exc |= Stickies::kInvalid;
    return 0;
  }
  const unsigned bits = 8U * f.bytes;
  const std::int64_t low = p.isUnsigned ? 0 : -(std::int64_t{1} << (bits - 1U));
  const std::int64_t high =
      p.isUnsigned ? (std::int64_t{1} << bits) - 1 : (std::int64_t{1} << (bits - 1U)) - 1;
  const std::uint32_t mask = bits == 32 ? 0xFFFFFFFFU : (1U << bits) - 1U;
  const bool negative = std::signbit(value);
  const auto clamp = [&] {
    if (p.sat) {
      stickies.stat |= Stickies::kSatHit;
    } else {
      stickies.exc |= Stickies::kInvalid;
    }
    return static_cast<std::uint32_t>(negative ? low : high) & mask;
  };
  // 2^40 is far outside every range whatever the zero point, and keeps the shifts below in 64 bits.
  const double magnitude = std::ldexp(std::abs(value), -p.scaleShift);
  if (!(magnitude < 1099511627776.0)) return clamp();
  Rounded rounded{0, false};
  if (magnitude != 0) {
    const Split x = split(magnitude);
    rounded = roundShift(x.significand, -x.exponent, p.rounding, negative);
  }
  const std::int64_t whole = static_cast<std::int64_t>(rounded.quotient);
  const std::int64_t q = (negative ? -whole : whole) + p.zeroPoint;
  if (q < low || q > high) return clamp();
  if (rounded.inexact) stickies.exc |= Stickies::kInexact;
  return static_cast<std::uint32_t>(q) & mask;
}

}  // namespace

const FormatInfo& formatInfo(Format format) {
  const unsigned code = static_cast<unsigned>(format);
  return kFormats[code < 6 ? code : code - 2];
}

Rounding fromFrm(unsigned frm) {
  switch (frm) {
    case 1:
      return Rounding::Rtz;
    case 2:
      return Rounding::Rdn;
    case 3:
      return Rounding::Rup;
    case 4:
      return Rounding::Rmm;
    default:
      return Rounding::Rne;
  }
}

float decode(const Precision& precision, std::uint32_t word, Stickies& stickies) {
  const FormatInfo& f = formatInfo(precision.format);
  if (f.integer) return decodeInteger(precision, f, word);
  const std::uint32_t sign = signBit(f);
  const std::uint32_t magnitude = word & (sign - 1U);
  const bool negative = (word & sign) != 0;
  if (isNan(f, magnitude)) {
    const bool quiet = !f.infinity || ((magnitude >> (f.mantissaBits - 1U)) & 1U) != 0;
    stickies.exc |= quiet ? Stickies::kQnanSeen : Stickies::kSnanSeen | Stickies::kInvalid;
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (precision.ftz && magnitude != 0 && (magnitude >> f.mantissaBits) == 0) {
    stickies.stat |= Stickies::kFtzHit;
    return negative ? -0.0F : 0.0F;
  }
  if (precision.format == Format::Fp32) return std::bit_cast<float>(word);
  return decodeFloat(f, magnitude, negative);
}

std::uint32_t encode(const Precision& precision, Format format, double value, Stickies& stickies) {
  const FormatInfo& f = formatInfo(format);
  if (f.integer) return encodeInteger(precision, f, value, stickies);
  const bool negative = std::signbit(value);
  std::uint32_t word = 0;
  if (encodeNormal(precision, f, value, stickies, word)) return negative ? word | signBit(f) : word;
  if (std::isnan(value)) return f.canonicalNan;
  if (std::isinf(value)) {
    word = encodeInfinity(precision, f, stickies);
  } else if (value != 0) {
    word = encodeMagnitude(precision, f, std::abs(value), negative, stickies);
  }
  const bool nan = !f.infinity && word == f.canonicalNan;
  return negative && !nan ? word | signBit(f) : word;
}

std::uint32_t nanPolicyWord(const Precision& precision, Format format, Stickies& stickies) {
  switch (precision.nanPolicy) {
    case NanPolicy::Zero:
      return 0;
    case NanPolicy::Infinity:
      return encode(precision, format, std::numeric_limits<double>::infinity(), stickies);
    default:
      return encode(precision, format, std::numeric_limits<double>::quiet_NaN(), stickies);
  }
}

}  // namespace rtvp::xphmg
