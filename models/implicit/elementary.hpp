// Transcendental functions of binary32 numbers, computed in binary64 and rounded once by the
// caller: our own series, so that every host, instruction set and engine gives the same bits. The
// relative error in binary64 is below kError (a test compares with the library), so that a result
// in binary32 is off by less than 0.5001 units in the last place.
// exp, exp2, log, log2, sin and cos have no branches and become vectors; sin and cos only up to
// kWideLimit, beyond which sinWide and cosWide reduce the argument. The rest is called one by one.
#pragma once

#include "models/common/elementary.hpp"

namespace rtvp::implicit::elementary {

namespace series = common::elementary;

inline constexpr double kError = 0x1p-42;
inline constexpr double kWideLimit = 1048576;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

/// pi in three parts; products of the first two with 20-bit numbers are exact.
inline constexpr double kPi1 = 0x1.921fb54400000p+1, kPi2 = 0x1.0b4611a600000p-33,
                        kPi3 = 0x1.3198a2e037073p-68, kInversePi = 0x1.45f306dc9c883p-2;
/// sin(r)/r by r^2 for |r| <= pi/2; 2^f for |f| <= 1/2; log2((1+s)/(1-s))/s by s^2 for s^2 <=
/// 0.0295: interpolations at Chebyshev's points, the constant terms of the first two set to 1
/// (errors 1e-13, 3e-14 and 3e-14).
inline constexpr double kSinSeries[]{0x1.52e518c09afe4p-33,
                                     -0x1.ae0443c43fe01p-26,
                                     0x1.71dcf806fa696p-19,
                                     -0x1.a019fd487d2dcp-13,
                                     0x1.11111109ee17ap-7,
                                     -0x1.5555555543bb2p-3,
                                     1.0};
inline constexpr double kExpSeries[]{0x1.b6573d402f8e6p-24, 0x1.63efb5b9d763fp-20,
                                     0x1.ffcb765d2594fp-17, 0x1.43088e0a4284dp-13,
                                     0x1.5d87fe9096e32p-10, 0x1.3b2ab72b25f6ep-7,
                                     0x1.c6b08d70440f2p-5,  0x1.ebfbdff814956p-3,
                                     0x1.62e42fefa39f7p-1,  1.0};
inline constexpr double kLogSeries[]{0x1.21af101c073efp-2, 0x1.47957ca53fbd6p-2,
                                     0x1.a61a2db52464ap-2, 0x1.2776c294d1dbap-1,
                                     0x1.ec709dc53ace3p-1, 0x1.71547652b8252p+1};

using series::Number;

template <class S = Number>
RTVP_ELEMENTARY typename S::D exp2(typename S::D a) {
  return series::exp2<S>(series::expRange<S>(a), kExpSeries);
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D exp(typename S::D a) {
  return exp2<S>(a * series::kLog2E);
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D log2(typename S::D a) {
  using D = typename S::D;
  const D zero{}, infinity = zero + __builtin_inf();
  const D finite = series::log2<S>(a, kLogSeries);
  const D positive = a < infinity ? finite : infinity;
  const D rest = a == zero ? -infinity : zero + __builtin_nan("");
  return a > zero ? positive : rest;
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D log(typename S::D a) {
  return log2<S>(a) * kLn2;
}

/// sin(r) for |r| <= pi/2, with its sign turned if the lowest bit of `parity` is set.
template <class S = Number>
RTVP_ELEMENTARY typename S::D sinSeries(typename S::D r, typename S::L parity) {
  using D = typename S::D;
  using L = typename S::L;
  const D value = r * series::polynomial<S>(kSinSeries, r * r);
  return __builtin_bit_cast(D, __builtin_bit_cast(L, value) ^ (parity << 63U));
}
/// For |a| <= kWideLimit.
template <class S = Number>
RTVP_ELEMENTARY typename S::D sin(typename S::D a) {
  const typename S::D shifted = a * kInversePi + series::kRoundMagic;
  const typename S::D n = shifted - series::kRoundMagic;
  const typename S::D r = ((a - n * kPi1) - n * kPi2) - n * kPi3;
  return sinSeries<S>(r, __builtin_bit_cast(typename S::L, shifted));
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D cos(typename S::D a) {
  const typename S::D shifted = (a * kInversePi - 0.5) + series::kRoundMagic;
  const typename S::D n = (shifted - series::kRoundMagic) + 0.5;
  const typename S::D r = ((a - n * kPi1) - n * kPi2) - n * kPi3;
  return sinSeries<S>(r, __builtin_bit_cast(typename S::L, shifted) + 1);
}

/// Any binary32 number; not-a-number for infinities.
double sinWide(double a);
double cosWide(double a);

double tan(double a);
double asin(double a);
double acos(double a);
double atan(double a);
double atan2(double y, double x);
double sinh(double a);
double cosh(double a);
double tanh(double a);
double asinh(double a);
double acosh(double a);
double atanh(double a);
/// For a >= 0; 0^0 is 1, as in C.
double pow(double a, double b);

}  // namespace rtvp::implicit::elementary
