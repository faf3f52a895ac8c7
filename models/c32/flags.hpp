// Bits of the C32 status register ST and the rules that fold an operation's result flags into it
// (c32.md sections 1.2 and 4.3). Arithmetic returns flags as a mask of these bits; nothing else in
// the model invents flag encodings of its own.
#pragma once

#include <array>
#include <cstdint>

namespace rtvp::c32 {

inline constexpr std::uint32_t kC = 1u << 0;           ///< carry, borrow, last bit shifted out
inline constexpr std::uint32_t kV = 1u << 1;           ///< overflow
inline constexpr std::uint32_t kZ = 1u << 2;           ///< zero
inline constexpr std::uint32_t kN = 1u << 3;           ///< negative
inline constexpr std::uint32_t kUF = 1u << 4;          ///< floating underflow
inline constexpr std::uint32_t kLV = 1u << 5;          ///< latched V
inline constexpr std::uint32_t kLUF = 1u << 6;         ///< latched UF
inline constexpr std::uint32_t kOVM = 1u << 7;         ///< integer results saturate
inline constexpr std::uint32_t kRM = 1u << 8;          ///< repeat mode active
inline constexpr std::uint32_t kCF = 1u << 10;         ///< cache freeze
inline constexpr std::uint32_t kCE = 1u << 11;         ///< cache enable
inline constexpr std::uint32_t kCC = 1u << 12;         ///< cache clear, reads 0
inline constexpr std::uint32_t kGIE = 1u << 13;        ///< global interrupt enable
inline constexpr std::uint32_t kINTCONFIG = 1u << 14;  ///< INT3-0: 0 level, 1 edge triggered
inline constexpr std::uint32_t kPRGW = 1u << 15;       ///< read-only copy of the PRGW pin

/// Bits a program can change (c32.md 1.2: bits 0-8 and 10-14).
inline constexpr std::uint32_t kStWritable = 0x7DFFu;

/// Which ST bits an operation replaces; the flag-effect classes of c32.md 4.3. Latched twins are
/// set on top.
inline constexpr std::uint32_t kMaskArithmetic = kC | kV | kZ | kN | kUF;  ///< IA, LSHF, ASHF, ROT
inline constexpr std::uint32_t kMaskNoCarry =
    kV | kZ | kN | kUF;                                   ///< IM, LOG, FA, FAB, FLT, NRM, LD, PMA
inline constexpr std::uint32_t kMaskRnd = kV | kN | kUF;  ///< RND leaves Z alone

/// ST after an operation that replaces the bits of `mask` by those of `flags`. LV and LUF are set
/// where V and UF are, and never cleared here.
[[nodiscard]] constexpr std::uint32_t applyFlags(std::uint32_t st, std::uint32_t flags,
                                                 std::uint32_t mask) {
  return (st & ~mask) | flags | ((flags & kV) << 4) | ((flags & kUF) << 2);
}

/// True if condition code `cond` (0..1Fh, c32.md 5) is one of the twenty defined ones.
[[nodiscard]] constexpr bool conditionDefined(unsigned cond) {
  return cond <= 0x14 && cond != 0x0B;
}

/// Value of condition code `cond` for status `st`; false for undefined codes.
[[nodiscard]] constexpr bool evaluateCondition(unsigned cond, std::uint32_t st) {
  const bool c = (st & kC) != 0;
  const bool v = (st & kV) != 0;
  const bool z = (st & kZ) != 0;
  const bool n = (st & kN) != 0;
  const bool uf = (st & kUF) != 0;
  const bool lv = (st & kLV) != 0;
  const bool luf = (st & kLUF) != 0;
  switch (cond) {
    case 0x00:
      return true;
    case 0x01:
      return c;
    case 0x02:
      return c || z;
    case 0x03:
      return !c && !z;
    case 0x04:
      return !c;
    case 0x05:
      return z;
    case 0x06:
      return !z;
    case 0x07:
      return n;
    case 0x08:
      return n || z;
    case 0x09:
      return !n && !z;
    case 0x0A:
      return !n;
    case 0x0C:
      return !v;
    case 0x0D:
      return v;
    case 0x0E:
      return !uf;
    case 0x0F:
      return uf;
    case 0x10:
      return !lv;
    case 0x11:
      return lv;
    case 0x12:
      return !luf;
    case 0x13:
      return luf;
    case 0x14:
      return z || uf;
    default:
      return false;
  }
}

/// evaluateCondition for every value of the seven low ST bits, a bit for each code: one load on the
/// hot path.
inline constexpr auto kConditionsHolding = [] {
  std::array<std::uint32_t, 128> table{};
  for (std::uint32_t st = 0; st < 128; ++st) {
    for (unsigned cond = 0; cond < 32; ++cond) {
      table[st] |= static_cast<std::uint32_t>(evaluateCondition(cond, st)) << cond;
    }
  }
  return table;
}();

[[nodiscard]] inline bool conditionHolds(unsigned cond, std::uint32_t st) {
  return (kConditionsHolding[st & 127u] >> (cond & 31u) & 1u) != 0;
}

}  // namespace rtvp::c32
