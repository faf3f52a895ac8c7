// Integer operations of the C32 with their flags (c32.md 3.10, 3.11). Each returns the value that
// goes to the destination and a mask of kC kV kN kZ; which of these reach ST is the caller's table
// (flags.hpp).
#pragma once

#include <cstdint>

#include "models/c32/float40.hpp"

namespace rtvp::c32 {

/// How integer arithmetic treats overflow.
struct IntegerMode {
  bool saturate = false;  ///< ST.OVM
  bool exactN = true;  ///< N = sign of the exact result (manual); false: bit 31 of the wrapped one
};

namespace detail {

/// Folds an exact result (at most 34 bits) into 32 bits. Z looks at the wrapped word, so no flag
/// depends on OVM.
[[nodiscard]] inline IntegerResult finish(std::int64_t exact, std::uint32_t carry,
                                          IntegerMode mode) {
  const auto wrapped = static_cast<std::uint32_t>(exact);
  const bool overflow = exact != static_cast<std::int32_t>(wrapped);
  const bool negative = mode.exactN ? exact < 0 : (wrapped >> 31) != 0;
  IntegerResult r{wrapped,
                  carry | (overflow ? kV : 0u) | (negative ? kN : 0u) | (wrapped == 0 ? kZ : 0u)};
  if (overflow && mode.saturate) r.value = exact < 0 ? 0x80000000u : 0x7FFFFFFFu;
  return r;
}

[[nodiscard]] inline std::int64_t wide(std::uint32_t x) {
  return static_cast<std::int32_t>(x);
}

}  // namespace detail

/// a + b + carryIn (ADDI, ADDC).
[[nodiscard]] inline IntegerResult addi(std::uint32_t a, std::uint32_t b, std::uint32_t carryIn,
                                        IntegerMode mode) {
  const std::uint64_t sum = std::uint64_t{a} + b + carryIn;
  return detail::finish(detail::wide(a) + detail::wide(b) + carryIn,
                        static_cast<std::uint32_t>(sum >> 32), mode);
}

/// a - b - borrowIn (SUBI, SUBB, SUBRI, NEGI, CMPI ...). C = borrow.
[[nodiscard]] inline IntegerResult subi(std::uint32_t a, std::uint32_t b, std::uint32_t borrowIn,
                                        IntegerMode mode) {
  const std::uint64_t difference = std::uint64_t{a} - b - borrowIn;
  return detail::finish(detail::wide(a) - detail::wide(b) - borrowIn,
                        static_cast<std::uint32_t>(difference >> 32) & 1u, mode);
}

/// 24 x 24 bit signed product.
[[nodiscard]] inline IntegerResult mpyi(std::uint32_t a, std::uint32_t b, IntegerMode mode) {
  const std::int64_t a24 = static_cast<std::int32_t>(a << 8) >> 8;
  const std::int64_t b24 = static_cast<std::int32_t>(b << 8) >> 8;
  return detail::finish(a24 * b24, 0, mode);
}

/// |a|; only 80000000h overflows.
[[nodiscard]] inline IntegerResult absi(std::uint32_t a, IntegerMode mode) {
  const std::int64_t x = detail::wide(a);
  IntegerResult r = detail::finish(x < 0 ? -x : x, 0, mode);
  r.flags &= ~kN;
  return r;
}

/// One step of an unsigned division (SUBC). No flags.
[[nodiscard]] inline std::uint32_t subc(std::uint32_t dst, std::uint32_t src) {
  return dst >= src ? ((dst - src) << 1) | 1u : dst << 1;
}

[[nodiscard]] inline std::uint32_t signAndZero(std::uint32_t x) {
  return ((x >> 28) & kN) | (x == 0 ? kZ : 0u);
}

[[nodiscard]] inline IntegerResult logical(std::uint32_t x) {
  return {x, signAndZero(x)};
}

/// Low seven bits as a two's complement shift count, -64..63.
[[nodiscard]] inline int shiftCount(std::uint32_t word) {
  return static_cast<std::int32_t>(word << 25) >> 25;
}

/// LSH: count > 0 left, < 0 right, zero fill. C = last bit out.
[[nodiscard]] inline IntegerResult lsh(std::uint32_t x, std::uint32_t countWord) {
  const int count = shiftCount(countWord);
  std::uint64_t wide = x;
  std::uint32_t carry = 0;
  if (count > 0) {
    wide = count <= 32 ? wide << count : 0;
    carry = static_cast<std::uint32_t>(wide >> 32) & 1u;
  } else if (count < 0) {
    wide = count >= -32 ? (wide << 1) >> -count : 0;  // the bit shifted out last stays in bit 0
    carry = static_cast<std::uint32_t>(wide) & 1u;
    wide >>= 1;
  }
  const auto value = static_cast<std::uint32_t>(wide);
  return {value, carry | signAndZero(value)};
}

/// ASH: as LSH with sign fill; V when a left shift loses significant bits.
[[nodiscard]] inline IntegerResult ash(std::uint32_t x, std::uint32_t countWord) {
  const int count = shiftCount(countWord);
  if (count <= 0) {
    const std::int64_t wide = (detail::wide(x) * 2) >> (count >= -33 ? -count : 33);
    const auto value = static_cast<std::uint32_t>(wide >> 1);
    const std::uint32_t carry = count == 0 ? 0u : static_cast<std::uint32_t>(wide) & 1u;
    return {value, carry | signAndZero(value)};
  }
  IntegerResult r = lsh(x, countWord);
  const bool fits = x == 0 || (count < 32 && detail::wide(x) * (std::int64_t{1} << count) ==
                                                 detail::wide(r.value));
  if (!fits) r.flags |= kV;
  return r;
}

/// ROL, ROR: C = the bit that went round. ROLC, RORC: through C.
[[nodiscard]] inline IntegerResult rol(std::uint32_t x, std::uint32_t bitIn) {
  const std::uint32_t value = (x << 1) | bitIn;
  return {value, (x >> 31) | signAndZero(value)};
}
[[nodiscard]] inline IntegerResult ror(std::uint32_t x, std::uint32_t bitIn) {
  const std::uint32_t value = (x >> 1) | (bitIn << 31);
  return {value, (x & 1u) | signAndZero(value)};
}

}  // namespace rtvp::c32
