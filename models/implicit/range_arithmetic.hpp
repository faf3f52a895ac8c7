// The interval rules that vectors need (sdf.md section 5), without branches: the scalar rules of
// interval.cpp and the kernels that run many boxes at once are this one source, so their ranges are
// equal bits. See interval.hpp for what the rules promise, and arithmetic.hpp for why everything
// here is static.
//
// A rule works on lanes S: one number, or vectors of the compiler, whose operators are those of
// numbers lane by lane. A condition is then a vector of all ones and 0, so conditions are joined
// with & and |, and `c ? a : b` selects.
#pragma once

#include "models/implicit/arithmetic.hpp"
#include "models/implicit/elementary.hpp"

namespace rtvp::implicit::range {

/// One number.
struct Number : elementary::Number {
  using F = float;
  using I = std::int32_t;
  static constexpr unsigned kWidth = 1;
#define RTVP_LANE [[gnu::always_inline]] static inline

  RTVP_LANE D toDouble(F a) {
    return static_cast<D>(a);
  }
  RTVP_LANE F toFloat(D a) {
    return static_cast<F>(a);
  }
  RTVP_LANE bool both(bool a, bool b) {
    return a && b;
  }
  RTVP_LANE bool either(bool a, bool b) {
    return a || b;
  }
  RTVP_LANE bool narrow(bool condition) {
    return condition;
  }
  RTVP_LANE bool widen(bool condition) {
    return condition;
  }
  RTVP_LANE I flag(bool condition) {
    return condition ? -1 : 0;
  }
  RTVP_LANE bool isSet(I flag) {
    return flag != 0;
  }
  RTVP_LANE F sqrt(F a) {
    return __builtin_sqrtf(a);
  }
#undef RTVP_LANE
};

/// The vector types of N lanes, whose binary64 form fills a register of the host.
#define RTVP_VECTOR_TYPES(N)                                       \
  struct VectorTypes##N {                                          \
    static constexpr unsigned kWidth = N;                          \
    using F = float __attribute__((vector_size(4 * (N))));         \
    using D = double __attribute__((vector_size(8 * (N))));        \
    using I = std::int32_t __attribute__((vector_size(4 * (N))));  \
    using M = std::int64_t __attribute__((vector_size(8 * (N))));  \
    using L = std::uint64_t __attribute__((vector_size(8 * (N)))); \
  };
RTVP_VECTOR_TYPES(4)
RTVP_VECTOR_TYPES(8)
#undef RTVP_VECTOR_TYPES

template <class Types>
struct Vectors : Types {
  using F = typename Types::F;
  using D = typename Types::D;
  using I = typename Types::I;
  using M = typename Types::M;

#define RTVP_LANE [[gnu::always_inline]] static inline
  RTVP_LANE D toDouble(F a) {
    return __builtin_convertvector(a, D);
  }
  RTVP_LANE F toFloat(D a) {
    return __builtin_convertvector(a, F);
  }
  template <class C>
  RTVP_LANE C both(C a, C b) {
    return a & b;
  }
  template <class C>
  RTVP_LANE C either(C a, C b) {
    return a | b;
  }
  RTVP_LANE I narrow(M condition) {
    return __builtin_convertvector(condition, I);
  }
  RTVP_LANE M widen(I condition) {
    return __builtin_convertvector(condition, M);
  }
  RTVP_LANE I flag(I condition) {
    return condition;
  }
  RTVP_LANE I isSet(I flag) {
    return flag != 0;
  }
  RTVP_LANE F sqrt(F a) {
    F root{};
    for (unsigned n = 0; n < Types::kWidth; ++n) root[n] = __builtin_sqrtf(a[n]);
    return root;
  }
#undef RTVP_LANE
};
using Vectors4 = Vectors<VectorTypes4>;
using Vectors8 = Vectors<VectorTypes8>;

/// Ends and "may be undefined" as all ones or 0.
template <class S>
struct Range {
  typename S::F lo, hi;
  typename S::I u;
};

inline constexpr float kInf = __builtin_inff();
inline constexpr float kLargest = 0x1.fffffep127F;
inline constexpr double kPi = 0x1.921fb54442d18p+1;
inline constexpr double kReduceSlack = 1e-9;  ///< far above the error of the division by pi
/// Of binary64 functions, relative: the ends' own error and that of the points between.
inline constexpr double kFunctionError = 4 * elementary::kError;

#define RTVP_RANGE   \
  template <class S> \
  RTVP_ARITHMETIC
#define RTVP_F typename S::F
#define RTVP_D typename S::D

RTVP_RANGE RTVP_F all(float a) {
  return RTVP_F{} + a;
}
RTVP_RANGE RTVP_F abs(RTVP_F a) {
  return __builtin_bit_cast(RTVP_F, __builtin_bit_cast(typename S::I, a) & 0x7FFFFFFF);
}
RTVP_RANGE RTVP_D abs64(RTVP_D a) {
  return __builtin_bit_cast(RTVP_D, __builtin_bit_cast(typename S::L, a) & 0x7FFFFFFFFFFFFFFFU);
}
RTVP_RANGE RTVP_F below(RTVP_F a) {
  const auto bits = __builtin_bit_cast(typename S::I, a);
  // One less of a positive number's bits, one more of a negative one's.
  const RTVP_F next = __builtin_bit_cast(RTVP_F, bits - ((bits >> 31) | 1));
  const RTVP_F down = a == all<S>(0) ? all<S>(-0x1p-149F) : next;
  return a > all<S>(-kInf) ? down : a;
}
RTVP_RANGE RTVP_F above(RTVP_F a) {
  return -below<S>(-a);
}
/// Binary32 at or below a binary64 number. An overflow that a point rounds to +inf may stand for
/// a finite number, so the lower end stays finite.
RTVP_RANGE RTVP_F roundDown(RTVP_D d) {
  const RTVP_F f = S::toFloat(d);
  const RTVP_D back = S::toDouble(f);
  return S::narrow(S::either(back > d, back == RTVP_D{} + __builtin_inf())) ? below<S>(f) : f;
}
RTVP_RANGE RTVP_F roundUp(RTVP_D d) {
  return -roundDown<S>(-d);
}
/// The largest binary32 number at or below a + b (Knuth's two-sum).
RTVP_RANGE RTVP_F sumDown(RTVP_F a, RTVP_F b) {
  const RTVP_F s = a + b, bb = s - a;
  const RTVP_F error = (a - (s - bb)) + (b - bb);
  const RTVP_F down = error < all<S>(0) ? below<S>(s) : s;
  return s == all<S>(kInf) ? all<S>(kLargest) : down;
}
RTVP_RANGE RTVP_F sumUp(RTVP_F a, RTVP_F b) {
  return -sumDown<S>(-a, -b);
}
/// 0 * inf = 0; otherwise exact in binary64.
RTVP_RANGE RTVP_D product(RTVP_F a, RTVP_F b) {
  const RTVP_D x = S::toDouble(a), y = S::toDouble(b), zero{};
  return S::either(x == zero, y == zero) ? zero : x * y;
}
RTVP_RANGE RTVP_F quotientDown(RTVP_F a, RTVP_F b) {
  const RTVP_F q = a / b, lower = below<S>(q);
  // The product is exact, so the difference has the right sign.
  const RTVP_D rest = S::toDouble(a) - S::toDouble(q) * S::toDouble(b);
  const RTVP_D toward = S::widen(b > all<S>(0)) ? rest : -rest;
  const RTVP_F finite = S::narrow(toward < RTVP_D{}) ? lower : q;
  const RTVP_F infinite = S::both(abs<S>(a) == all<S>(kInf), q < all<S>(0)) ? q : lower;
  return abs<S>(q) == all<S>(kInf) ? infinite : finite;
}
RTVP_RANGE RTVP_F quotientUp(RTVP_F a, RTVP_F b) {
  return -quotientDown<S>(-a, b);
}
template <class T>
RTVP_ARITHMETIC T least(T a, T b) {
  return b < a ? b : a;
}
template <class T>
RTVP_ARITHMETIC T most(T a, T b) {
  return a < b ? b : a;
}

RTVP_RANGE auto infinite(Range<S> a) {
  return S::either(abs<S>(a.lo) == all<S>(kInf), abs<S>(a.hi) == all<S>(kInf));
}
RTVP_RANGE auto hasZero(Range<S> a) {
  return S::both(a.lo <= all<S>(0), a.hi >= all<S>(0));
}
RTVP_RANGE Range<S> whole() {
  return {all<S>(-kInf), all<S>(kInf), typename S::I{} - 1};
}
template <class S, class C>
RTVP_ARITHMETIC Range<S> select(C first, Range<S> a, Range<S> b) {
  return {first ? a.lo : b.lo, first ? a.hi : b.hi, first ? a.u : b.u};
}
/// Any NaN bound makes the whole line.
RTVP_RANGE Range<S> checked(Range<S> a) {
  return select<S>(S::either(a.lo != a.lo, a.hi != a.hi), whole<S>(), a);
}
/// Ends of a transcendental function's values with its error, rounded outward.
RTVP_RANGE Range<S> widened(RTVP_D lo, RTVP_D hi, typename S::I u) {
  // An infinite end less an infinite error would be no number.
  const RTVP_D infinity = RTVP_D{} + __builtin_inf();
  const RTVP_D low = abs64<S>(lo) < infinity ? lo - abs64<S>(lo) * kFunctionError : lo;
  const RTVP_D high = abs64<S>(hi) < infinity ? hi + abs64<S>(hi) * kFunctionError : hi;
  return checked<S>({roundDown<S>(low), roundUp<S>(high), u});
}
RTVP_RANGE Range<S> clipped(Range<S> a, float low, float high) {
  const RTVP_F lo = all<S>(low), hi = all<S>(high);
  return {least(most(a.lo, lo), hi), least(most(a.hi, lo), hi), a.u};
}
RTVP_RANGE Range<S> negate(Range<S> a) {
  return {-a.hi, -a.lo, a.u};
}

RTVP_RANGE Range<S> add(Range<S> a, Range<S> b) {
  const RTVP_F inf = all<S>(kInf);
  const auto low = S::either(a.lo == -inf, b.lo == -inf);
  const auto high = S::either(a.hi == inf, b.hi == inf);
  const auto meet =
      S::either(S::both(a.hi == inf, b.lo == -inf), S::both(a.lo == -inf, b.hi == inf));
  return checked<S>({low ? -inf : sumDown<S>(a.lo, b.lo), high ? inf : sumUp<S>(a.hi, b.hi),
                     a.u | b.u | S::flag(meet)});
}
RTVP_RANGE Range<S> sub(Range<S> a, Range<S> b) {
  return add<S>(a, negate<S>(b));
}
RTVP_RANGE Range<S> mul(Range<S> a, Range<S> b) {
  const RTVP_D p = product<S>(a.lo, b.lo), q = product<S>(a.lo, b.hi);
  const RTVP_D r = product<S>(a.hi, b.lo), s = product<S>(a.hi, b.hi);
  const auto meet =
      S::either(S::both(infinite<S>(a), hasZero<S>(b)), S::both(infinite<S>(b), hasZero<S>(a)));
  return checked<S>({roundDown<S>(least(least(p, q), least(r, s))),
                     roundUp<S>(most(most(p, q), most(r, s))), a.u | b.u | S::flag(meet)});
}
/// mul with a constant that is a finite number.
RTVP_RANGE Range<S> scale(Range<S> a, float b) {
  const RTVP_D p = product<S>(a.lo, all<S>(b)), r = product<S>(a.hi, all<S>(b));
  const auto meet = S::both(infinite<S>(a), all<S>(b) == all<S>(0));
  return checked<S>({roundDown<S>(least(p, r)), roundUp<S>(most(p, r)), a.u | S::flag(meet)});
}
RTVP_RANGE Range<S> div(Range<S> a, Range<S> b) {
  const RTVP_F lo = least(least(quotientDown<S>(a.lo, b.lo), quotientDown<S>(a.lo, b.hi)),
                          least(quotientDown<S>(a.hi, b.lo), quotientDown<S>(a.hi, b.hi)));
  const RTVP_F hi = most(most(quotientUp<S>(a.lo, b.lo), quotientUp<S>(a.lo, b.hi)),
                         most(quotientUp<S>(a.hi, b.lo), quotientUp<S>(a.hi, b.hi)));
  return select<S>(S::either(hasZero<S>(b), S::both(infinite<S>(a), infinite<S>(b))), whole<S>(),
                   checked<S>({least(all<S>(kInf), lo), most(all<S>(-kInf), hi), a.u | b.u}));
}
/// Where the point rule ignores a NaN second operand the first one's range is joined in.
RTVP_RANGE Range<S> min(Range<S> a, Range<S> b) {
  const RTVP_F lo = least(a.lo, b.lo), hi = least(a.hi, b.hi);
  const auto join = S::isSet(b.u);
  return {join ? least(lo, a.lo) : lo, join ? most(hi, a.hi) : hi, a.u | b.u};
}
RTVP_RANGE Range<S> max(Range<S> a, Range<S> b) {
  return negate<S>(min<S>(negate<S>(a), negate<S>(b)));
}
RTVP_RANGE Range<S> abs(Range<S> a) {
  const Range<S> across{RTVP_F{}, most(-a.lo, a.hi), a.u};
  return select<S>(a.lo >= all<S>(0), a, select<S>(a.hi <= all<S>(0), negate<S>(a), across));
}
RTVP_RANGE Range<S> square(Range<S> a) {
  const Range<S> m = abs<S>(a);
  return {roundDown<S>(product<S>(m.lo, m.lo)), roundUp<S>(product<S>(m.hi, m.hi)), a.u};
}
RTVP_RANGE Range<S> sqrt(Range<S> a) {
  const RTVP_F zero{}, lo = most(a.lo, zero), hi = most(a.hi, zero);
  const RTVP_F low = S::sqrt(lo), high = S::sqrt(hi);
  const auto over = S::narrow(product<S>(low, low) > S::toDouble(lo));
  const auto under = S::narrow(product<S>(high, high) < S::toDouble(hi));
  return select<S>(
      a.hi < zero, whole<S>(),
      {over ? below<S>(low) : low, under ? above<S>(high) : high, a.u | S::flag(a.lo < zero)});
}

RTVP_RANGE Range<S> exp(Range<S> a) {
  return clipped<S>(
      widened<S>(elementary::exp<S>(S::toDouble(a.lo)), elementary::exp<S>(S::toDouble(a.hi)), a.u),
      0, kInf);
}
RTVP_RANGE Range<S> exp2(Range<S> a) {
  return clipped<S>(widened<S>(elementary::exp2<S>(S::toDouble(a.lo)),
                               elementary::exp2<S>(S::toDouble(a.hi)), a.u),
                    0, kInf);
}
/// A logarithm from its values at the ends.
RTVP_RANGE Range<S> logarithm(Range<S> a, RTVP_D lo, RTVP_D hi) {
  const RTVP_F zero{};
  const RTVP_D least_value = RTVP_D{} - __builtin_inf();
  return select<S>(
      a.hi < zero, whole<S>(),
      widened<S>(S::widen(a.lo <= zero) ? least_value : lo,
                 S::widen(a.hi == zero) ? least_value : hi, a.u | S::flag(a.lo <= zero)));
}
RTVP_RANGE Range<S> log(Range<S> a) {
  return logarithm<S>(a, elementary::log<S>(S::toDouble(a.lo)),
                      elementary::log<S>(S::toDouble(a.hi)));
}
RTVP_RANGE Range<S> log2(Range<S> a) {
  return logarithm<S>(a, elementary::log2<S>(S::toDouble(a.lo)),
                      elementary::log2<S>(S::toDouble(a.hi)));
}

/// Whether some phase + 2 pi n lies in the range; its ends are not far.
RTVP_RANGE auto holdsTurn(Range<S> a, double phase) {
  constexpr double kTurn = 2 * kPi, kMagic = common::elementary::kRoundMagic;
  const RTVP_D first = (S::toDouble(a.lo) - phase) / kTurn - kReduceSlack;
  const RTVP_D last = (S::toDouble(a.hi) - phase) / kTurn + kReduceSlack;
  // The greatest whole number at or below `last`.
  const RTVP_D nearest = (last + kMagic) - kMagic;
  const RTVP_D floor = nearest > last ? nearest - 1.0 : nearest;
  return S::narrow(floor >= first);
}
/// sin or cos from the values at the ends and the place of a maximum.
RTVP_RANGE Range<S> wave(Range<S> a, double top, RTVP_D x, RTVP_D y) {
  const typename S::I u = a.u | S::flag(infinite<S>(a));
  const Range<S> ends = clipped<S>(widened<S>(least(x, y), most(x, y), u), -1, 1);
  const Range<S> reduced{holdsTurn<S>(a, top + kPi) ? all<S>(-1) : ends.lo,
                         holdsTurn<S>(a, top) ? all<S>(1) : ends.hi, ends.u};
  const RTVP_F limit = all<S>(static_cast<float>(elementary::kWideLimit));
  const auto near = S::both(abs<S>(a.lo) <= limit, abs<S>(a.hi) <= limit);
  return select<S>(near, reduced, {all<S>(-1), all<S>(1), u});
}
RTVP_RANGE Range<S> sin(Range<S> a) {
  return wave<S>(a, kPi / 2, elementary::sin<S>(S::toDouble(a.lo)),
                 elementary::sin<S>(S::toDouble(a.hi)));
}
RTVP_RANGE Range<S> cos(Range<S> a) {
  return wave<S>(a, 0, elementary::cos<S>(S::toDouble(a.lo)),
                 elementary::cos<S>(S::toDouble(a.hi)));
}

#undef RTVP_RANGE
#undef RTVP_F
#undef RTVP_D

}  // namespace rtvp::implicit::range
