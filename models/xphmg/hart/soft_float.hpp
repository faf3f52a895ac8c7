// IEEE 754 binary32 and binary64 arithmetic on integers, as RISC-V defines it: canonical NaN,
// tininess after rounding, all five rounding modes. Written from the definition (exact value, then
// one rounding), it is the oracle for the host's floating-point unit, and it does what that unit
// cannot (round to nearest, ties away).
#pragma once

#include <cstdint>

namespace rtvp::rv64::fp {

enum class Rounding : std::uint8_t { RNE = 0, RTZ = 1, RDN = 2, RUP = 3, RMM = 4 };

/// Exception flags, as in fflags.
enum Flag : std::uint8_t { kNX = 1, kUF = 2, kOF = 4, kDZ = 8, kNV = 16 };

enum class Precision : std::uint8_t { Single, Double };

/// The bits of a number (low 32 for binary32, not NaN-boxed) and the flags its making raised.
struct Result {
  std::uint64_t bits = 0;
  std::uint8_t flags = 0;
  bool operator==(const Result&) const = default;
};

[[nodiscard]] Result add(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm);
[[nodiscard]] Result sub(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm);
[[nodiscard]] Result mul(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm);
[[nodiscard]] Result div(Precision p, std::uint64_t a, std::uint64_t b, Rounding rm);
[[nodiscard]] Result sqrt(Precision p, std::uint64_t a, Rounding rm);
/// a * b + c with one rounding. Infinity times zero is invalid even when c is a quiet NaN.
[[nodiscard]] Result fma(Precision p, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                         Rounding rm);

/// minimumNumber, maximumNumber of IEEE 754-2019: -0 < +0, a number wins over a NaN.
[[nodiscard]] Result min(Precision p, std::uint64_t a, std::uint64_t b);
[[nodiscard]] Result max(Precision p, std::uint64_t a, std::uint64_t b);

/// 1 or 0 in `bits`. Equality is quiet, the ordered comparisons signal on any NaN.
[[nodiscard]] Result equal(Precision p, std::uint64_t a, std::uint64_t b);
[[nodiscard]] Result less(Precision p, std::uint64_t a, std::uint64_t b);
[[nodiscard]] Result lessOrEqual(Precision p, std::uint64_t a, std::uint64_t b);

/// One bit of ten, as FCLASS gives it.
[[nodiscard]] std::uint64_t classify(Precision p, std::uint64_t a);

/// Number to integer of `width` 32 or 64 bits; NaN and values out of range saturate and raise NV.
/// A 32-bit result is sign-extended to 64 bits, the unsigned one too.
[[nodiscard]] Result toInteger(Precision p, std::uint64_t a, unsigned width, bool is_signed,
                               Rounding rm);
/// Integer (64 bits, already extended by the caller) to number.
[[nodiscard]] Result fromInteger(Precision p, std::uint64_t value, bool is_signed, Rounding rm);
/// Between the two precisions.
[[nodiscard]] Result convert(Precision from, Precision to, std::uint64_t a, Rounding rm);

[[nodiscard]] bool isNan(Precision p, std::uint64_t a);
[[nodiscard]] bool isSignallingNan(Precision p, std::uint64_t a);
[[nodiscard]] std::uint64_t canonicalNan(Precision p);

}  // namespace rtvp::rv64::fp
