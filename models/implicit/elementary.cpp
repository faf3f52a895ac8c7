// See elementary.hpp: what is called one by one.
#include "models/implicit/elementary.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace rtvp::implicit::elementary {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;
constexpr double kLogSeriesLimit = 0.17;  ///< of kLogSeries

/// A quarter turn's number, and the angle left, in [-pi/4, pi/4].
struct Reduced {
  unsigned quarter;
  double angle;
};

/// Payne and Hanek: only those bits of 2/pi enter that can matter.
Reduced reduced(double a) {
  static constexpr std::array<std::uint32_t, 8> kTwoOverPi{0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                                           0xf534ddc0, 0xdb629599, 0x3c439041,
                                                           0xfe5163ab, 0xdebbc561};
  __extension__ using U128 = unsigned __int128;
  __extension__ using I128 = __int128;
  const int e = std::ilogb(a) - 23;  // a = m 2^e, m of 24 bits
  const auto m = static_cast<std::uint64_t>(std::ldexp(a, -e));
  const int first = e < 2 ? 0 : (e - 2) / 32;
  const auto word = [&](std::size_t n) {
    return m * kTwoOverPi[static_cast<std::size_t>(first) + n];
  };
  const int s = e - 32 * (first + 1);  // the product's unit is 2^(s - 96)
  U128 high = (U128{word(0)} << 32U) + word(1);
  const U128 low = (U128{word(2)} << 32U) + word(3);
  high += low >> 64U;
  const auto rest = static_cast<std::uint64_t>(low);
  // Two bits of quarter turns to the top.
  const int up = 30 + s;
  const U128 turned = (high << static_cast<unsigned>(64 + up)) +
                      (up >= 0 ? U128{rest} << static_cast<unsigned>(up)
                               : U128{rest} >> static_cast<unsigned>(-up));
  const auto fraction = static_cast<I128>(turned << 2U);  // of a quarter, signed
  const auto quarter = static_cast<unsigned>(turned >> 126U) + (fraction < 0 ? 1U : 0U);
  return {quarter & 3U, static_cast<double>(fraction) * 0x1p-128 * (kPi / 2)};
}

/// sin(a + quarters pi/2).
double wide(double a, unsigned quarters) {
  if (!(std::abs(a) <= std::numeric_limits<float>::max())) return kNaN;
  Reduced r = reduced(std::abs(a));
  if (a < 0) {
    r.quarter = 4 - r.quarter;
    r.angle = -r.angle;
  }
  const unsigned turn = r.quarter + quarters;
  const double angle = turn % 2 == 0 ? r.angle : kPi / 2 - std::abs(r.angle);
  return sinSeries(angle, turn / 2);
}

/// atan of 0 <= a <= 1.
double atanSmall(double a) {
  const bool upper = a > 0.41421356237309503;  // tan(pi/8)
  const double t = upper ? (a - 1) / (a + 1) : a, q = t * t;
  double sum = 0;
  for (int n = 37; n >= 1; n -= 2) sum = 1.0 / n - q * sum;
  return (upper ? kPi / 4 : 0) + t * sum;
}

double sinhSmall(double a) {
  const double q = a * a;
  double sum = 1;
  for (int n = 14; n >= 2; n -= 2) sum = 1 + sum * q / (n * (n + 1));
  return a * sum;
}

}  // namespace

double sinWide(double a) {
  return std::abs(a) <= kWideLimit ? sin(a) : wide(a, 0);
}
double cosWide(double a) {
  return std::abs(a) <= kWideLimit ? cos(a) : wide(a, 1);
}
double tan(double a) {
  return sinWide(a) / cosWide(a);
}
double atan(double a) {
  const double size = std::abs(a);
  const double angle = size <= 1 ? atanSmall(size) : kPi / 2 - atanSmall(1 / size);
  return std::copysign(std::isnan(a) ? kNaN : angle, a);
}
double asin(double a) {
  return atan(a / std::sqrt((1 - a) * (1 + a)));
}
double acos(double a) {
  return 2 * atan(std::sqrt((1 - a) / (1 + a)));
}
double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  double angle = 0;  // of the first quadrant
  const double ax = std::abs(x), ay = std::abs(y);
  if (ax == ay) {
    angle = ax == 0 ? 0 : kPi / 4;
  } else {
    angle = ay <= ax ? atanSmall(ay / ax) : kPi / 2 - atanSmall(ax / ay);
  }
  return std::copysign(std::signbit(x) ? kPi - angle : angle, y);
}
double sinh(double a) {
  if (std::abs(a) < 0.5) return sinhSmall(a);
  const double e = exp(std::abs(a));
  return std::copysign((e - 1 / e) / 2, a);
}
double cosh(double a) {
  const double e = exp(std::abs(a));
  return (e + 1 / e) / 2;
}
double tanh(double a) {
  if (std::abs(a) < 0.5) return sinhSmall(a) / cosh(a);
  const double e = exp(2 * std::abs(a));
  return std::copysign(1 - 2 / (e + 1), a);
}
double atanh(double a) {
  if (std::abs(a) <= kLogSeriesLimit) return a * series::polynomial(kLogSeries, a * a) * (kLn2 / 2);
  const double ratio = (1 + std::abs(a)) / (1 - std::abs(a));
  return std::copysign(std::abs(a) <= 1 ? log(ratio) / 2 : kNaN, a);
}
double asinh(double a) {
  const double size = std::abs(a), root = std::sqrt(size * size + 1);
  if (size <= kLogSeriesLimit) return atanh(a / root);
  return std::copysign(log(size + root), a);
}
double acosh(double a) {
  if (!(a >= 1)) return kNaN;
  if (a < 1.05) return 2 * atanh(std::sqrt((a - 1) / (a + 1)));
  return log(a + std::sqrt((a - 1) * (a + 1)));
}
double pow(double a, double b) {
  if (b == 0 || a == 1) return 1;
  if (a == 0) return b > 0 ? 0 : std::numeric_limits<double>::infinity();
  return exp2(b * log2(a));
}

}  // namespace rtvp::implicit::elementary
