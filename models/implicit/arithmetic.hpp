// The arithmetic of one number, shared by the plain evaluator and by kernels compiled once per
// instruction set of the host: the same source in the same order of operations gives the same bits
// everywhere. Functions are static and call no library function that could be instantiated here:
// code made for one instruction set must not stand in for another's at link time.
#pragma once

#include <cstdint>

namespace rtvp::implicit::arithmetic {

#define RTVP_ARITHMETIC [[gnu::always_inline, maybe_unused]] static inline

/// Min and Max as sdf.md 4.2 fixes them: a NaN second operand is ignored, a NaN first one stays.
template <class T>
RTVP_ARITHMETIC T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
RTVP_ARITHMETIC T max(T a, T b) {
  return a < b ? b : a;
}

RTVP_ARITHMETIC float abs(float a) {
  return __builtin_fabsf(a);
}
RTVP_ARITHMETIC double abs(double a) {
  return __builtin_fabs(a);
}
RTVP_ARITHMETIC float floor(float a) {
  return __builtin_floorf(a);
}
RTVP_ARITHMETIC double floor(double a) {
  return __builtin_floor(a);
}
RTVP_ARITHMETIC float ceil(float a) {
  return __builtin_ceilf(a);
}
RTVP_ARITHMETIC double ceil(double a) {
  return __builtin_ceil(a);
}
RTVP_ARITHMETIC float sqrt(float a) {
  return __builtin_sqrtf(a);
}
RTVP_ARITHMETIC double sqrt(double a) {
  return __builtin_sqrt(a);
}
RTVP_ARITHMETIC float copySign(float a, float b) {
  return __builtin_copysignf(a, b);
}
RTVP_ARITHMETIC double copySign(double a, double b) {
  return __builtin_copysign(a, b);
}

template <class T>
RTVP_ARITHMETIC T sign(T a) {
  const T low = a < 0 ? T(-1) : a;
  return a > 0 ? T(1) : low;
}
template <class T>
RTVP_ARITHMETIC T fract(T a) {
  return a - floor(a);
}
/// Of -0 too the root is +0: +inf, not -inf.
template <class T>
RTVP_ARITHMETIC T inverseSqrt(T a) {
  return T(1) / abs(sqrt(a));
}
template <class T>
RTVP_ARITHMETIC T trunc(T a) {
  return copySign(floor(abs(a)), a);
}
/// Ties away from zero; a half is seen exactly.
template <class T>
RTVP_ARITHMETIC T round(T a) {
  const T size = abs(a), whole = floor(size);
  return copySign(size - whole >= T(0.5) ? whole + T(1) : whole, a);
}

template <class T>
RTVP_ARITHMETIC T compare(T a, T b) {
  const T ordered = a == b ? T(0) : a + b;  // not-a-number stays
  const T low = a < b ? T(-1) : ordered;
  return a > b ? T(1) : low;
}

/// h^2 / (4k) of 4.4, in an order in which nothing overflows or vanishes early; 0 if k <= 0.
template <class T>
RTVP_ARITHMETIC T blend(T k, T a, T b) {
  const T h = max(k - abs(a - b), T(0));
  const T drop = T(0.25) * (h * (h / k));
  return k <= 0 ? T(0) : drop;
}
template <class T>
RTVP_ARITHMETIC T smoothMin(T k, T a, T b) {
  const T hard = min(a, b), drop = blend(k, a, b);
  return drop == 0 ? hard : hard - drop;
}
template <class T>
RTVP_ARITHMETIC T smoothMax(T k, T a, T b) {
  const T hard = max(a, b), rise = blend(k, a, b);
  return rise == 0 ? hard : hard + rise;
}
template <class T>
RTVP_ARITHMETIC T clamp(T a, T low, T high) {
  return min(max(a, low), high);
}
template <class T>
RTVP_ARITHMETIC T mix(T a, T b, T c) {
  return a * (T(1) - c) + b * c;
}

}  // namespace rtvp::implicit::arithmetic
