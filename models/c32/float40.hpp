// The C32's 40-bit extended-precision float and every operation on it, bit-exact as c32.md sections
// 2 and 3 define them: two's complement mantissa with an implied bit, all right shifts floor, no
// guard bits. Plain integers: the scalar engine's choice (performance.md section 2). The operations
// of inner loops are inline.
#pragma once

#include <bit>
#include <cstdint>

#include "models/c32/flags.hpp"

namespace rtvp::c32 {

/// Exponent byte and mantissa field (sign bit 31, fraction 30-0). Exponent -128 is zero whatever
/// the mantissa.
struct Float40 {
  std::int8_t exponent = -128;
  std::uint32_t mantissa = 0;

  friend bool operator==(const Float40&, const Float40&) = default;
  [[nodiscard]] constexpr bool isZero() const { return exponent == -128; }
  [[nodiscard]] constexpr bool negative() const { return (mantissa >> 31) != 0; }
};

inline constexpr Float40 kFloatZero{-128, 0};
inline constexpr Float40 kFloatMax{127, 0x7FFFFFFFu};  ///< most positive
inline constexpr Float40 kFloatMin{127, 0x80000000u};  ///< most negative, -2.0 x 2^127

/// A float result and the flags (kV kUF kN kZ) that go with it.
struct FloatResult {
  Float40 value;
  std::uint32_t flags = 0;
};

/// An integer result and its flags (kC kV kN kZ).
struct IntegerResult {
  std::uint32_t value = 0;
  std::uint32_t flags = 0;
};

/// What ADDF does with an operand 32 or more binades below the other (c32.md 3.1, unverified on
/// silicon).
enum class Alignment : std::uint8_t {
  IgnoreFrom32,  ///< it contributes nothing; the default of every engine
  FloorAlways,   ///< the flow chart: a tiny negative operand leaves -1 unit in the last place
};

/// 33-bit signed mantissa M: value = M x 2^(e-31), |M| in [2^31, 2^32] (c32.md 2.4). Meaningless
/// for zero.
[[nodiscard]] constexpr std::int64_t explicitMantissa(std::uint32_t field) {
  return static_cast<std::int64_t>(static_cast<std::int32_t>(field)) ^ 0x80000000LL;
}

/// Drops the implied bit of a normalised M.
[[nodiscard]] constexpr std::uint32_t mantissaField(std::int64_t m) {
  return static_cast<std::uint32_t>(m ^ 0x80000000LL);
}

/// Result of an exponent outside -127..127: saturated (V) or zero (UF, Z). `negative`: sign of the
/// exact value.
[[nodiscard]] constexpr FloatResult outOfRange(int exponent, bool negative) {
  if (exponent <= -128) return {kFloatZero, kUF | kZ};
  return negative ? FloatResult{kFloatMin, kV | kN} : FloatResult{kFloatMax, kV};
}

/// Normalises a nonzero M (|M| < 2^62) with exponent e, range-checks and packs it (c32.md 3.1 steps
/// 5 to 8).
[[nodiscard, gnu::always_inline]] inline FloatResult normalise(std::int64_t m, int e) {
  const auto magnitude = static_cast<std::uint64_t>(m ^ (m >> 63));
  const int lead = std::countl_zero((magnitude << 1) | 1u);  // 31: already normalised
  const int exponent = e + 31 - lead;
  if (static_cast<unsigned>(exponent + 127) > 254u) [[unlikely]]
    return outOfRange(exponent, m < 0);
  // First as far left as it goes, then to its place: rounds down if that is to the right.
  const std::uint64_t normal = static_cast<std::uint64_t>(m) << lead >> 31;
  return {{static_cast<std::int8_t>(exponent), static_cast<std::uint32_t>(normal) ^ 0x80000000u},
          m < 0 ? kN : 0u};
}

[[nodiscard]] inline std::uint32_t signFlag(Float40 x) {
  return (x.mantissa >> 28) & kN;
}

/// Two mantissas moved to the larger exponent, floor. Without a branch on which that is: nobody can
/// foretell it.
struct Aligned {
  std::int64_t a;
  std::int64_t b;
  int exponent;
};
[[nodiscard, gnu::always_inline]] inline Aligned align(Float40 a, Float40 b, Alignment alignment) {
  const int distance = a.exponent - b.exponent;
  const int downB = distance & ~(distance >> 31);
  const int downA = downB - distance;
  Aligned x{explicitMantissa(a.mantissa), explicitMantissa(b.mantissa), b.exponent + downB};
  if ((downA | downB) >= 32) [[unlikely]] {
    // Beyond the other's last place: nothing, or the sign, by policy.
    const bool ignore = alignment == Alignment::IgnoreFrom32;
    if (downA != 0) {
      x.a = ignore ? 0 : x.a >> 63;
    } else {
      x.b = ignore ? 0 : x.b >> 63;
    }
    return x;
  }
  x.a >>= downA;
  x.b >>= downB;
  return x;
}

/// ADDF (c32.md 3.1).
[[nodiscard, gnu::always_inline]] inline FloatResult addf(
    Float40 a, Float40 b, Alignment alignment = Alignment::IgnoreFrom32) {
  if (a.isZero()) return b.isZero() ? FloatResult{kFloatZero, kZ} : FloatResult{b, signFlag(b)};
  if (b.isZero()) return {a, signFlag(a)};
  const Aligned x = align(a, b, alignment);
  const std::int64_t sum = x.a + x.b;
  if (sum == 0) return {kFloatZero, kZ};
  return normalise(sum, x.exponent);
}

/// a - b (SUBF dst-src with a = dst; c32.md 3.2). A zero minuend still runs the full negation.
[[nodiscard, gnu::always_inline]] inline FloatResult subf(
    Float40 a, Float40 b, Alignment alignment = Alignment::IgnoreFrom32) {
  if (b.isZero()) return a.isZero() ? FloatResult{kFloatZero, kZ} : FloatResult{a, signFlag(a)};
  if (a.isZero()) return normalise(-explicitMantissa(b.mantissa), b.exponent);
  const Aligned x = align(a, b, alignment);
  const std::int64_t difference = x.a - x.b;
  if (difference == 0) return {kFloatZero, kZ};
  return normalise(difference, x.exponent);
}

/// MPYF: both operands truncated to 24-bit mantissas, the product floored to 32 (c32.md 3.3).
[[nodiscard, gnu::always_inline]] inline FloatResult mpyf(Float40 a, Float40 b) {
  if (a.isZero() || b.isZero()) return {kFloatZero, kZ};
  // Before the floor; it commutes with the one of the normalisation.
  const std::int64_t product =
      (explicitMantissa(a.mantissa) >> 8) * (explicitMantissa(b.mantissa) >> 8);
  return normalise(product, a.exponent + b.exponent - 15);
}

/// Orders nonzero values, and zero among them.
[[nodiscard, gnu::always_inline]] inline std::int64_t orderKey(Float40 x) {
  const std::int64_t sign = static_cast<std::int32_t>(x.mantissa) >> 31;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>((x.exponent + 128) ^ sign) << 32 |
                                   x.mantissa);
}

/// Flags of subf(a, b).
[[nodiscard, gnu::always_inline]] inline std::uint32_t compareFlags(Float40 a, Float40 b,
                                                                    Alignment alignment) {
  // Neither overflow nor, for all that cancels, underflow.
  const int larger = a.exponent > b.exponent ? a.exponent : b.exponent;
  if (static_cast<unsigned>(larger + 90) > 216u) [[unlikely]]
    return subf(a, b, alignment).flags;
  const std::int64_t ka = orderKey(a);
  const std::int64_t kb = orderKey(b);
  return (ka < kb ? kN : 0u) | (ka == kb ? kZ : 0u);
}

/// NEGF, ABSF (c32.md 3.4).
[[nodiscard]] FloatResult negf(Float40 x);
[[nodiscard]] FloatResult absf(Float40 x);

/// FLOAT: exact (c32.md 3.5).
[[nodiscard]] inline FloatResult floatFromInteger(std::uint32_t i) {
  if (i == 0) return {kFloatZero, kZ};
  return normalise(static_cast<std::int32_t>(i), 31);
}

/// FIX: floor, saturating beyond 32 bits whatever OVM says (c32.md 3.6).
[[nodiscard]] IntegerResult fix(Float40 x);

/// RND: nearest single, ties towards plus infinity; the source zero sets UF. Z never reported
/// (c32.md 3.7).
[[nodiscard]] FloatResult rnd(Float40 x);

/// NORM: the mantissa field is taken as a signed fraction without an implied bit (c32.md 3.9).
[[nodiscard]] FloatResult norm(Float40 x);

/// LDE: the exponent of `source` into `destination` (c32.md 3.8).
[[nodiscard]] constexpr Float40 lde(Float40 destination, Float40 source) {
  return source.isZero() ? kFloatZero : Float40{source.exponent, destination.mantissa};
}

// --- Formats (c32.md 2.2, 2.3) ---

/// Single word of memory to extended.
[[nodiscard]] constexpr Float40 extendedFromSingle(std::uint32_t word) {
  return {static_cast<std::int8_t>(word >> 24), word << 8};
}

/// Extended to single by truncation, as STF and PUSHF do: towards minus infinity.
[[nodiscard]] constexpr std::uint32_t singleFromExtended(Float40 x) {
  return (static_cast<std::uint32_t>(static_cast<std::uint8_t>(x.exponent)) << 24) |
         (x.mantissa >> 8);
}

/// 16-bit short float of an immediate operand to extended.
[[nodiscard]] constexpr Float40 extendedFromShort(std::uint32_t half) {
  const auto e = static_cast<std::int8_t>(static_cast<std::int16_t>(half) >> 12);
  if (e == -8) return kFloatZero;
  return {e, (half & 0xFFFu) << 20};
}

/// Exact: 33 mantissa bits fit a double.
[[nodiscard]] double toDouble(Float40 x);
[[nodiscard]] double doubleFromSingle(std::uint32_t word);

/// Round to nearest, ties to even mantissa. NaN gives zero; too large saturates; too small gives
/// zero.
[[nodiscard]] Float40 extendedFromDouble(double value);
/// The same to a single word: what the host driver puts into board memory.
[[nodiscard]] std::uint32_t singleFromDouble(double value);

/// Single word to IEEE-754 single bits and back (c32.md 2.4). -2.0 x 2^127 becomes -infinity; e =
/// -127 a denormal (its last bit truncated). The way back flushes denormals to zero and saturates
/// infinities and NaNs.
[[nodiscard]] std::uint32_t ieeeFromSingle(std::uint32_t word);
[[nodiscard]] std::uint32_t singleFromIeee(std::uint32_t bits);

}  // namespace rtvp::c32
