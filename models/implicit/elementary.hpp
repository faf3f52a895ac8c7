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
/// (-1)^k / (2k+1)!, k = 8 down to 0.
inline constexpr double kSinSeries[]{
    0x1.952c77030ad4ap-49,  -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33,
    -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19,  -0x1.a01a01a01a01ap-13,
    0x1.1111111111111p-7,   -0x1.5555555555555p-3,  1.0};

using series::Number;

template <class S = Number>
RTVP_ELEMENTARY typename S::D exp2(typename S::D a) {
  return series::exp2<S>(series::expRange<S>(a));
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D exp(typename S::D a) {
  return exp2<S>(a * series::kLog2E);
}
template <class S = Number>
RTVP_ELEMENTARY typename S::D log2(typename S::D a) {
  using D = typename S::D;
  const D zero{}, infinity = zero + __builtin_inf();
  const D finite = series::log2<S>(a);
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
  const D q = r * r;
  D sum = D{} + kSinSeries[0];
  for (unsigned n = 1; n < sizeof kSinSeries / sizeof kSinSeries[0]; ++n)
    sum = sum * q + kSinSeries[n];
  return __builtin_bit_cast(D, __builtin_bit_cast(L, r * sum) ^ (parity << 63U));
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
