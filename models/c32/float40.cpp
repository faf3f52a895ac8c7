// Out-of-line half of float40.hpp: rare operations and conversions.
#include "models/c32/float40.hpp"

#include <cmath>

namespace rtvp::c32 {

FloatResult negf(Float40 x) {
  if (x.isZero()) return {kFloatZero, kZ};
  return normalise(-explicitMantissa(x.mantissa), x.exponent);
}

FloatResult absf(Float40 x) {
  if (x.isZero()) return {kFloatZero, kZ};
  // A negative x has |x| of at least 1.0 x 2^-127 + 1 unit, so the negation cannot underflow.
  return x.negative() ? negf(x) : FloatResult{x, 0};
}

IntegerResult fix(Float40 x) {
  if (x.isZero()) return {0, kZ};
  const bool negative = x.negative();
  if (x.exponent > 30) {
    return negative ? IntegerResult{0x80000000u, kV | kN} : IntegerResult{0x7FFFFFFFu, kV};
  }
  const int shift = 31 - x.exponent;
  const std::int64_t value = explicitMantissa(x.mantissa) >> (shift > 63 ? 63 : shift);
  const auto word = static_cast<std::uint32_t>(value);
  return {word, (negative ? kN : 0u) | (word == 0 ? kZ : 0u)};
}

FloatResult rnd(Float40 x) {
  if (x.isZero()) return {kFloatZero, kUF};
  FloatResult result = normalise(explicitMantissa(x.mantissa) + 0x80, x.exponent);
  result.value.mantissa &= 0xFFFFFF00u;
  result.flags &= ~kZ;
  return result;
}

FloatResult norm(Float40 x) {
  if (x.mantissa == 0) return {kFloatZero, kZ};
  const std::uint32_t sign = x.mantissa & 0x80000000u;
  const std::uint32_t folded = sign != 0 ? ~x.mantissa : x.mantissa;
  const int k = std::countl_zero(folded);
  const int e = x.exponent - k;
  if (e <= -128) return {kFloatZero, kUF | kZ};
  const std::uint32_t shifted = k == 32 ? 0 : x.mantissa << k;
  return {{static_cast<std::int8_t>(e), sign | (shifted & 0x7FFFFFFFu)}, sign != 0 ? kN : 0u};
}

double toDouble(Float40 x) {
  if (x.isZero()) return 0.0;
  return std::ldexp(static_cast<double>(explicitMantissa(x.mantissa)), x.exponent - 31);
}

double doubleFromSingle(std::uint32_t word) {
  return toDouble(extendedFromSingle(word));
}

namespace {

/// Nearest value with `bits` mantissa bits (sign not counted), as a normalised 33-bit mantissa.
Float40 roundDouble(double value, int bits) {
  if (std::isnan(value) || value == 0.0) return kFloatZero;
  if (std::isinf(value)) return value < 0 ? kFloatMin : kFloatMax;
  int e = 0;
  const double fraction = std::frexp(value, &e);  // |fraction| in [0.5, 1)
  const auto exact = static_cast<std::int64_t>(std::ldexp(fraction, 53));
  const int drop = 53 - bits;
  std::int64_t kept = exact >> drop;
  const std::int64_t rest = exact - kept * (std::int64_t{1} << drop);
  const std::int64_t half = std::int64_t{1} << (drop - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // normalise() also gives -2^k its C32 exponent k-1.
  return normalise(kept * (std::int64_t{1} << (32 - bits)), e - 1).value;
}

}  // namespace

Float40 extendedFromDouble(double value) {
  return roundDouble(value, 32);
}

std::uint32_t singleFromDouble(double value) {
  return singleFromExtended(roundDouble(value, 24));
}

std::uint32_t ieeeFromSingle(std::uint32_t word) {
  const int e = static_cast<std::int8_t>(word >> 24);
  if (e == -128) return 0;
  const bool negative = (word & 0x00800000u) != 0;
  std::uint32_t fraction = word & 0x007FFFFFu;
  int field = e + 127;
  if (negative) {
    if (fraction == 0) {
      ++field;
    } else {
      fraction = 0x00800000u - fraction;
    }
  }
  if (field == 0) fraction = (0x00800000u | fraction) >> 1;
  return (negative ? 0x80000000u : 0u) | (static_cast<std::uint32_t>(field) << 23) | fraction;
}

std::uint32_t singleFromIeee(std::uint32_t bits) {
  const bool negative = (bits >> 31) != 0;
  const std::uint32_t field = (bits >> 23) & 0xFFu;
  const std::uint32_t fraction = bits & 0x007FFFFFu;
  if (field == 255) return negative ? 0x7F800000u : 0x7F7FFFFFu;
  if (field == 0) return 0x80000000u;
  const std::uint32_t exponent = (field - 127u) & 0xFFu;
  if (!negative) return (exponent << 24) | fraction;
  if (fraction != 0) return (exponent << 24) | 0x00800000u | (0x00800000u - fraction);
  return (((field - 128u) & 0xFFu) << 24) | 0x00800000u;
}

}  // namespace rtvp::c32
