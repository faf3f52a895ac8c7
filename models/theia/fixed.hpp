// THEIA's Q15.17 arithmetic, bit for bit as the execution unit computes it (theia.md 2.3 to 2.6):
// pure functions on 32-bit words, shared by every executor, the tests and the host driver.
#pragma once

#include <cstdint>

namespace rtvp::theia {

/// A 32-bit machine word: Q15.17 two's complement unless a text says integer.
using Word = std::uint32_t;
inline constexpr unsigned kFractionBits = 17;
inline constexpr Word kOne = 1U << kFractionBits;

/// A 96-bit register: X = bits 95:64, Y = 63:32, Z = 31:0.
struct Vec {
  Word x = 0, y = 0, z = 0;
  bool operator==(const Vec&) const = default;
};

namespace fixed {

constexpr std::int64_t widen(Word a) {
  return static_cast<std::int32_t>(a);
}
constexpr bool negative(Word a) {
  return (a >> 31) != 0;
}
/// Two's complement magnitude in 32 bits; -2^31 keeps 80000000h.
constexpr Word magnitude(Word a) {
  return negative(a) ? 0U - a : a;
}

/// The adder's output stage: bit 63 over bits 30:0, so an overflow keeps the true sign (2.4).
constexpr Word fold(std::int64_t sum) {
  const auto bits = static_cast<std::uint64_t>(sum);
  return static_cast<Word>((bits >> 63) << 31) | static_cast<Word>(bits & 0x7FFFFFFFU);
}
constexpr Word add(Word a, Word b) {
  return fold(widen(a) + widen(b));
}
constexpr Word subtract(Word a, Word b) {
  return fold(widen(a) - widen(b));
}

/// The radix-4 multiplier on magnitudes: 2|A| and 3|A| are cut to 32 bits, |B| is the source of the
/// digits (2.4).
constexpr std::uint64_t multiplyMagnitudes(Word a, Word b) {
  if (a < 0x55555556U) return static_cast<std::uint64_t>(a) * b;  // 3|A| fits: exact
  std::uint64_t product = 0;
  for (unsigned shift = 0; shift < 32; shift += 2) {
    const Word multiple = a * ((b >> shift) & 3U);
    product += static_cast<std::uint64_t>(multiple) << shift;
  }
  return product;
}
/// A product scaled back to Q.17 with its sign, all 64 bits: what CROSS, DOT and MAG add up.
constexpr std::int64_t product64(Word a, Word b) {
  const auto scaled =
      static_cast<std::int64_t>(multiplyMagnitudes(magnitude(a), magnitude(b)) >> kFractionBits);
  return negative(a) != negative(b) ? -scaled : scaled;
}
/// MUL: truncation towards zero, the low 32 bits whatever the size.
constexpr Word multiply(Word a, Word b) {
  return static_cast<Word>(static_cast<std::uint64_t>(product64(a, b)));
}
/// IMUL: low 32 bits of the unscaled product.
constexpr Word multiplyInteger(Word a, Word b) {
  const std::uint64_t product = multiplyMagnitudes(magnitude(a), magnitude(b));
  return static_cast<Word>(negative(a) != negative(b) ? 0U - product : product);
}

/// The divider's view of a magnitude: -2^31 is sign-extended before use (2.5).
constexpr std::uint64_t divisionMagnitude(Word a) {
  return a == 0x80000000U ? 0xFFFFFFFF80000000ULL : magnitude(a);
}
/// DIV of G1c: low 32 bits of floor((|A| << 17) / |B|), sign applied; x/0 is all ones before the
/// sign.
constexpr Word divide(Word a, Word b) {
  const std::uint64_t dividend = divisionMagnitude(a) << kFractionBits;
  const std::uint64_t divisor = divisionMagnitude(b);
  const Word quotient = divisor == 0 ? 0xFFFFFFFFU : static_cast<Word>(dividend / divisor);
  return negative(a) != negative(b) ? 0U - quotient : quotient;
}
/// DIV of the older divider (2.6): 31 bits, x/0 is 0FFFFFFFh with the sign.
constexpr Word divideExact(Word a, Word b) {
  const std::uint64_t dividend = divisionMagnitude(a) << kFractionBits;
  const std::uint64_t divisor = divisionMagnitude(b);
  const Word quotient =
      divisor == 0 ? 0x0FFFFFFFU : static_cast<Word>(dividend / divisor) & 0x7FFFFFFFU;
  return negative(a) != negative(b) ? 0U - quotient : quotient;
}
/// True when the older divider is done after 4 clocks: divisor 0 or above the scaled dividend.
constexpr bool dividesAtOnce(Word a, Word b) {
  const std::uint64_t divisor = divisionMagnitude(b);
  return divisor == 0 || divisor > (divisionMagnitude(a) << kFractionBits);
}

/// floor(sqrt(n)) for any 64-bit n, digit by digit.
constexpr std::uint64_t integerRoot(std::uint64_t n) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = 1ULL << 62; bit != 0; bit >>= 2) {
    if (n >= root + bit) {
      n -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root;
}

/// The square-root table of G1c: entry i is floor(sqrt(i) * 2^17); above 127 a constant (2.6).
struct RootTable {
  Word entry[128];
  constexpr RootTable() : entry{} {
    for (std::uint64_t i = 0; i < 128; ++i) entry[i] = static_cast<Word>(integerRoot(i << 34));
  }
  static constexpr Word kBeyond = 0x0000CACAU;
  constexpr Word lookUp(Word i) const { return i <= 127 ? entry[i] : kBeyond; }
};
inline constexpr RootTable kRootTable{};

constexpr std::int64_t squaredLength(const Vec& a) {
  return product64(a.x, a.x) + product64(a.y, a.y) + product64(a.z, a.z);
}
/// MAG of G1c: a look-up of the integer part of the squared length; wrong by design from 128 up.
constexpr Word length(const Vec& a) {
  const auto s = static_cast<std::uint64_t>(squaredLength(a));
  if (((s >> 24) & 1U) == 0) return kRootTable.lookUp(static_cast<Word>(s & 0xFFFFFFFFU) >> 17);
  return 2 * kRootTable.lookUp(static_cast<Word>(s & 0xFFFFFFFFU) >> 23);
}
/// MAG of the older generations: the true root.
constexpr Word lengthExact(const Vec& a) {
  return static_cast<Word>(
      integerRoot(static_cast<std::uint64_t>(squaredLength(a)) << kFractionBits));
}

constexpr Vec cross(const Vec& a, const Vec& b) {
  return {fold(product64(a.y, b.z) - product64(a.z, b.y)),
          fold(product64(a.z, b.x) - product64(a.x, b.z)),
          fold(product64(a.x, b.y) - product64(a.y, b.x))};
}
constexpr Word dot(const Vec& a, const Vec& b) {
  return fold(product64(a.x, b.x) + product64(a.y, b.y) + product64(a.z, b.z));
}

/// The comparator (2.3): greater-than is signed, equal compares magnitudes.
constexpr bool greater(Word a, Word b) {
  return widen(a) > widen(b);
}
constexpr bool equalMagnitude(Word a, Word b) {
  return magnitude(a) == magnitude(b);
}

}  // namespace fixed
}  // namespace rtvp::theia
