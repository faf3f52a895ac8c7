// 2^p and log2 in binary64 with about 1e-14 of relative error, so that one rounding to binary32
// decides a result. No branches: loops over them become vectors. The functions are static and call
// nothing: files compiled for one instruction set of the host include this, and must not leave code
// behind for others. Equal constants and equal order of operations make equal bits everywhere.
#pragma once

#include <cstdint>

namespace rtvp::common::elementary {

#define RTVP_ELEMENTARY [[gnu::always_inline, maybe_unused]] static inline

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
/// 2/ln 2 / (2k+1), k = 9 down to 0: log2((1+s)/(1-s)) = s * sum q^k, q = s^2 <= 0.0295.
inline constexpr double kLogSeries[]{
    0x1.3703c1f4d0ffep-3, 0x1.5b9ac9b743f0dp-3, 0x1.89f3b1694cffep-3, 0x1.c68f568d31760p-3,
    0x1.0c9a84994022dp-2, 0x1.484b13d7c02a9p-2, 0x1.a61762a7aded9p-2, 0x1.2776c50ef9bfep-1,
    0x1.ec709dc3a03fdp-1, 0x1.71547652b82fep+1};
/// (ln 2)^k / k!, k = 12 down to 0: 2^f for |f| <= 1/2.
inline constexpr double kExpSeries[]{
    0x1.c3bd650fc2986p-36, 0x1.e8cac7351bb25p-32, 0x1.e4cf5158b8ecap-28, 0x1.b5253d395e7c4p-24,
    0x1.62c0223a5c824p-20, 0x1.ffcbfc588b0c7p-17, 0x1.430912f86c787p-13, 0x1.5d87fe78a6731p-10,
    0x1.3b2ab6fba4e77p-7,  0x1.c6b08d704a0c0p-5,  0x1.ebfbdff82c58fp-3,  0x1.62e42fefa39efp-1,
    0x1.0000000000000p+0};
/// 2 to powers beyond these bounds is 0 or infinity in binary32.
inline constexpr double kExpLimit = 200;

inline constexpr std::uint64_t kSqrtHalfBits = 0x3FE6A09E667F3BCDU;
inline constexpr std::uint64_t kMantissaMask = 0x000FFFFFFFFFFFFFU;
/// Keeps exponents positive while they are shifted as unsigned numbers.
inline constexpr std::uint64_t kExponentBias = std::uint64_t{1024} << 52U;
/// 2^52 as bits: OR-ing a small whole number in and subtracting 2^52 converts it.
inline constexpr std::uint64_t kMagicBits = 0x4330000000000000U;
inline constexpr double kMagicExponentBias = 0x1p52 + 1024;
/// Adding and subtracting it rounds to a whole number.
inline constexpr double kRoundMagic = 0x1.8p52;

/// What the functions work on: one number, or vectors of the compiler (kernels have their own).
struct Number {
  using D = double;
  using L = std::uint64_t;  ///< its bits
};

/// c[0] x^(N-1) + ... + c[N-1].
template <class S = Number, unsigned N>
RTVP_ELEMENTARY typename S::D polynomial(const double (&c)[N], typename S::D x) {
  typename S::D sum = typename S::D{} + c[0];
  for (unsigned n = 1; n < N; ++n) sum = sum * x + c[n];
  return sum;
}

/// p within the limits of exp2().
template <class S = Number>
RTVP_ELEMENTARY typename S::D expRange(typename S::D p) {
  const typename S::D limit = typename S::D{} + kExpLimit;
  const typename S::D low = p < -limit ? -limit : p;
  return low > limit ? limit : low;
}

/// 2^p for |p| <= kExpLimit; not-a-number stays. `series`: of 2^f.
template <class S = Number, unsigned N>
RTVP_ELEMENTARY typename S::D exp2(typename S::D p, const double (&series)[N]) {
  using D = typename S::D;
  using L = typename S::L;
  const D shifted = p + kRoundMagic;
  const D f = p - (shifted - kRoundMagic);
  const L scale = (__builtin_bit_cast(L, shifted) + 1023) << 52U;
  return polynomial<S>(series, f) * __builtin_bit_cast(D, scale);
}
RTVP_ELEMENTARY double exp2(double p) {
  return exp2<Number>(p, kExpSeries);
}

/// log2 of a positive normal finite number. `series`: of log2((1+s)/(1-s)) / s by s^2.
template <class S = Number, unsigned N>
RTVP_ELEMENTARY typename S::D log2(typename S::D x, const double (&series)[N]) {
  using D = typename S::D;
  using L = typename S::L;
  // Mantissa in [sqrt(1/2), sqrt(2)): the exponent counts from there.
  const L shifted = __builtin_bit_cast(L, x) - kSqrtHalfBits + kExponentBias;
  const D exponent = __builtin_bit_cast(D, (shifted >> 52U) | kMagicBits) - kMagicExponentBias;
  const D m = __builtin_bit_cast(D, (shifted & kMantissaMask) + kSqrtHalfBits);
  const D s = (m - 1.0) / (m + 1.0);
  return exponent + s * polynomial<S>(series, s * s);
}
RTVP_ELEMENTARY double log2(double x) {
  return log2<Number>(x, kLogSeries);
}

}  // namespace rtvp::common::elementary
