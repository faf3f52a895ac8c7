// Ranges of sums, products, squares, roots and quotients for AVX-512, included by kernels_body.hpp:
// sixteen boxes at once in binary32, each end rounded by the instruction itself. The bits are those
// of range_arithmetic.hpp, which rounds what it finds in binary64 or as an error; comments say
// where the instruction alone would give others.

struct Ranges16 {
  __m512 lo, hi;
  __m512i u;
};

RTVP_INLINE __m512 splat(float a) {
  return _mm512_set1_ps(a);
}
RTVP_INLINE __mmask16 isEqual(__m512 a, __m512 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}
RTVP_INLINE __m512 negated(__m512 a) {
  return _mm512_xor_ps(a, splat(-0.0F));
}
/// As range::least and most: of equal ones, or if one is no number, the first.
RTVP_INLINE __m512 lesser(__m512 a, __m512 b) {
  return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(b, a, _CMP_LT_OQ), b);
}
RTVP_INLINE __m512 greater(__m512 a, __m512 b) {
  return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), b);
}
/// A lower end of +inf may stand for a finite number that a point rounds to it; an upper one so.
RTVP_INLINE __m512 finiteLow(__m512 a) {
  return _mm512_mask_mov_ps(a, isEqual(a, splat(range::kInf)), splat(range::kLargest));
}
RTVP_INLINE __m512 finiteHigh(__m512 a) {
  return _mm512_mask_mov_ps(a, isEqual(a, splat(-range::kInf)), splat(-range::kLargest));
}
RTVP_INLINE __mmask16 isInfinite(const Ranges16& a) {
  return isEqual(_mm512_abs_ps(a.lo), splat(range::kInf)) |
         isEqual(_mm512_abs_ps(a.hi), splat(range::kInf));
}
RTVP_INLINE __mmask16 holdsZero(const Ranges16& a) {
  return _mm512_cmp_ps_mask(a.lo, splat(0), _CMP_LE_OQ) &
         _mm512_cmp_ps_mask(a.hi, splat(0), _CMP_GE_OQ);
}
RTVP_INLINE __m512i flagged(__m512i u, __mmask16 where) {
  return _mm512_mask_mov_epi32(u, where, _mm512_set1_epi32(-1));
}
RTVP_INLINE Ranges16 wholeWhere(__mmask16 where, const Ranges16& a) {
  return {_mm512_mask_mov_ps(a.lo, where, splat(-range::kInf)),
          _mm512_mask_mov_ps(a.hi, where, splat(range::kInf)), flagged(a.u, where)};
}
RTVP_INLINE Ranges16 checkedRanges(const Ranges16& a) {
  return wholeWhere(_mm512_cmp_ps_mask(a.lo, a.hi, _CMP_UNORD_Q), a);
}

RTVP_INLINE Ranges16 sumOf(const Ranges16& a, const Ranges16& b) {
  const __m512 inf = splat(range::kInf), minus = splat(-range::kInf), zero = splat(0);
  __m512 lo = _mm512_add_round_ps(a.lo, b.lo, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  __m512 hi = _mm512_add_round_ps(a.hi, b.hi, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  // A sum of 0 is exact; its sign is that of the sum rounded to nearest.
  lo = _mm512_mask_add_ps(lo, isEqual(lo, zero), a.lo, b.lo);
  hi = _mm512_mask_mov_ps(hi, isEqual(hi, zero),
                          negated(_mm512_add_ps(negated(a.hi), negated(b.hi))));
  const __mmask16 al = isEqual(a.lo, minus), bl = isEqual(b.lo, minus);
  const __mmask16 ah = isEqual(a.hi, inf), bh = isEqual(b.hi, inf);
  lo = _mm512_mask_mov_ps(finiteLow(lo), al | bl, minus);
  hi = _mm512_mask_mov_ps(finiteHigh(hi), ah | bh, inf);
  const auto meet = static_cast<__mmask16>((ah & bl) | (al & bh));
  return checkedRanges({lo, hi, flagged(_mm512_or_epi32(a.u, b.u), meet)});
}
RTVP_INLINE Ranges16 differenceOf(const Ranges16& a, const Ranges16& b) {
  return sumOf(a, {negated(b.hi), negated(b.lo), b.u});
}

/// The ends of a product of two ends: 0 times anything is +0.
struct Product16 {
  __m512 down, up;
  __mmask16 zero;
};
RTVP_INLINE Product16 productOf(__m512 a, __m512 b) {
  const __mmask16 zero = isEqual(a, splat(0)) | isEqual(b, splat(0));
  const auto rest = static_cast<__mmask16>(~zero);
  return {_mm512_maskz_mul_round_ps(rest, a, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
          _mm512_maskz_mul_round_ps(rest, a, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC), zero};
}
/// An upper end of 0 is +0 if a product is 0, and -0 if all are negative and round to it.
RTVP_INLINE __m512 upperEnd(__m512 a, __mmask16 zero) {
  return _mm512_mask_mov_ps(finiteHigh(a), zero & isEqual(a, splat(0)), splat(0));
}
RTVP_INLINE Ranges16 scaleOf(const Ranges16& a, __m512 b) {
  const Product16 p = productOf(a.lo, b), r = productOf(a.hi, b);
  const __mmask16 meet = isInfinite(a) & isEqual(b, splat(0));
  return checkedRanges({finiteLow(lesser(p.down, r.down)),
                        upperEnd(greater(p.up, r.up), p.zero | r.zero), flagged(a.u, meet)});
}
RTVP_INLINE Ranges16 productOf(const Ranges16& a, const Ranges16& b) {
  const Product16 p = productOf(a.lo, b.lo), q = productOf(a.lo, b.hi);
  const Product16 r = productOf(a.hi, b.lo), s = productOf(a.hi, b.hi);
  const auto meet =
      static_cast<__mmask16>((isInfinite(a) & holdsZero(b)) | (isInfinite(b) & holdsZero(a)));
  return checkedRanges({finiteLow(lesser(lesser(p.down, q.down), lesser(r.down, s.down))),
                        upperEnd(greater(greater(p.up, q.up), greater(r.up, s.up)),
                                 p.zero | q.zero | r.zero | s.zero),
                        flagged(_mm512_or_epi32(a.u, b.u), meet)});
}
RTVP_INLINE Ranges16 squareOf(const Ranges16& a) {
  // range::abs
  const __mmask16 positive = _mm512_cmp_ps_mask(a.lo, splat(0), _CMP_GE_OQ);
  const __mmask16 negative = _mm512_cmp_ps_mask(a.hi, splat(0), _CMP_LE_OQ);
  __m512 lo = _mm512_maskz_mov_ps(negative, negated(a.hi));
  __m512 hi = _mm512_mask_mov_ps(greater(negated(a.lo), a.hi), negative, negated(a.lo));
  lo = _mm512_mask_mov_ps(lo, positive, a.lo);
  hi = _mm512_mask_mov_ps(hi, positive, a.hi);
  const Product16 low = productOf(lo, lo), high = productOf(hi, hi);
  return {finiteLow(low.down), finiteHigh(high.up), a.u};
}
RTVP_INLINE Ranges16 rootOf(const Ranges16& a) {
  const __m512 zero = splat(0);
  const __m512 lo =
      _mm512_sqrt_round_ps(greater(a.lo, zero), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const __m512 hi =
      _mm512_sqrt_round_ps(greater(a.hi, zero), _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  const __m512i u = flagged(a.u, _mm512_cmp_ps_mask(a.lo, zero, _CMP_LT_OQ));
  return wholeWhere(_mm512_cmp_ps_mask(a.hi, zero, _CMP_LT_OQ), {lo, hi, u});
}
RTVP_INLINE Ranges16 quotientOf(const Ranges16& a, const Ranges16& b) {
  const auto down = [](__m512 x, __m512 y) {
    return finiteLow(_mm512_div_round_ps(x, y, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  };
  const auto up = [](__m512 x, __m512 y) {
    return finiteHigh(_mm512_div_round_ps(x, y, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
  };
  const __m512 lo = lesser(lesser(down(a.lo, b.lo), down(a.lo, b.hi)),
                           lesser(down(a.hi, b.lo), down(a.hi, b.hi)));
  const __m512 hi =
      greater(greater(up(a.lo, b.lo), up(a.lo, b.hi)), greater(up(a.hi, b.lo), up(a.hi, b.hi)));
  const auto none = static_cast<__mmask16>(holdsZero(b) | (isInfinite(a) & isInfinite(b)));
  return wholeWhere(none,
                    checkedRanges({lesser(splat(range::kInf), lo), greater(splat(-range::kInf), hi),
                                   _mm512_or_epi32(a.u, b.u)}));
}
/// All ends of the divisor are one number.
RTVP_INLINE Ranges16 quotientOf(const Ranges16& a, __m512 b) {
  const __m512 first =
      finiteLow(_mm512_div_round_ps(a.lo, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  const __m512 second =
      finiteLow(_mm512_div_round_ps(a.hi, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
  const __m512 third =
      finiteHigh(_mm512_div_round_ps(a.lo, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
  const __m512 fourth =
      finiteHigh(_mm512_div_round_ps(a.hi, b, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
  return wholeWhere(isEqual(b, splat(0)),
                    checkedRanges({lesser(splat(range::kInf), lesser(first, second)),
                                   greater(splat(-range::kInf), greater(third, fourth)), a.u}));
}

RTVP_INLINE Ranges16 negatedRanges(const Ranges16& a) {
  return {negated(a.hi), negated(a.lo), a.u};
}
/// range::min
RTVP_INLINE Ranges16 leastOf(const Ranges16& a, const Ranges16& b) {
  const __m512 lo = lesser(a.lo, b.lo), hi = lesser(a.hi, b.hi);
  const __mmask16 join = _mm512_test_epi32_mask(b.u, b.u);
  return {_mm512_mask_mov_ps(lo, join, lesser(lo, a.lo)),
          _mm512_mask_mov_ps(hi, join, greater(hi, a.hi)), _mm512_or_epi32(a.u, b.u)};
}
RTVP_INLINE Ranges16 mostOf(const Ranges16& a, const Ranges16& b) {
  return negatedRanges(leastOf(negatedRanges(a), negatedRanges(b)));
}
/// Where all of a lies below all of b, and both are defined.
RTVP_INLINE std::uint64_t belowBits(const Ranges16& a, const Ranges16& b, std::size_t first) {
  const __m512i u = _mm512_or_epi32(a.u, b.u);
  const __mmask16 below =
      _mm512_mask_cmp_ps_mask(_mm512_testn_epi32_mask(u, u), a.hi, b.lo, _CMP_LT_OQ);
  return std::uint64_t{below} << first;
}

/// A row of eight boxes fills half a vector.
RTVP_INLINE __mmask16 lanesFrom(std::size_t i, unsigned n) {
  return n - i >= 16 ? __mmask16{0xFFFF} : __mmask16{0xFF};
}
RTVP_INLINE Ranges16 loadRanges(const RangeRow& row, std::size_t i, __mmask16 lanes) {
  return {_mm512_maskz_loadu_ps(lanes, row.lo + i), _mm512_maskz_loadu_ps(lanes, row.hi + i),
          _mm512_maskz_loadu_epi32(lanes, row.u + i)};
}
RTVP_INLINE void storeRanges(RangeRow& row, std::size_t i, __mmask16 lanes, const Ranges16& a) {
  _mm512_mask_storeu_ps(row.lo + i, lanes, a.lo);
  _mm512_mask_storeu_ps(row.hi + i, lanes, a.hi);
  _mm512_mask_storeu_epi32(row.u + i, lanes, a.u);
}
#define RTVP_WIDE_BOXES for (std::size_t i = 0; i < n; i += 16)
#define RTVP_WIDE_RANGE(name, expression)                 \
  void name(RangeRow& d, const RangeRow& a, unsigned n) { \
    RTVP_WIDE_BOXES {                                     \
      const __mmask16 lanes = lanesFrom(i, n);            \
      const Ranges16 x = loadRanges(a, i, lanes);         \
      storeRanges(d, i, lanes, expression);               \
    }                                                     \
  }
RTVP_WIDE_RANGE(wideSquare, squareOf(x))
RTVP_WIDE_RANGE(wideSqrt, rootOf(x))
#undef RTVP_WIDE_RANGE
#define RTVP_WIDE_RANGES(name, rule, with_constant)                                     \
  void name(RangeRow& d, const RangeRow& a, const RangeRow& b, unsigned n) {            \
    RTVP_WIDE_BOXES {                                                                   \
      const __mmask16 lanes = lanesFrom(i, n);                                          \
      storeRanges(d, i, lanes, rule(loadRanges(a, i, lanes), loadRanges(b, i, lanes))); \
    }                                                                                   \
  }                                                                                     \
  void name##Constant(RangeRow& d, const RangeRow& a, float b, unsigned n) {            \
    const __m512 c = splat(b);                                                          \
    [[maybe_unused]] const Ranges16 y{c, c, _mm512_setzero_si512()};                    \
    RTVP_WIDE_BOXES {                                                                   \
      const __mmask16 lanes = lanesFrom(i, n);                                          \
      const Ranges16 x = loadRanges(a, i, lanes);                                       \
      storeRanges(d, i, lanes, with_constant);                                          \
    }                                                                                   \
  }
RTVP_WIDE_RANGES(wideAdd, sumOf, sumOf(x, y))
RTVP_WIDE_RANGES(wideSub, differenceOf, differenceOf(x, y))
RTVP_WIDE_RANGES(wideMul, productOf, scaleOf(x, c))
RTVP_WIDE_RANGES(wideDiv, quotientOf, quotientOf(x, c))
#undef RTVP_WIDE_RANGES
#define RTVP_WIDE_SELECTION(name, rule, first, second)                                \
  void name(RangeRow& d, const RangeRow& a, const RangeRow& b, std::uint64_t* winner, \
            unsigned n) {                                                             \
    winner[0] = winner[1] = 0;                                                        \
    RTVP_WIDE_BOXES {                                                                 \
      const __mmask16 lanes = lanesFrom(i, n);                                        \
      const Ranges16 x = loadRanges(a, i, lanes), y = loadRanges(b, i, lanes);        \
      winner[0] |= belowBits(first, second, i);                                       \
      winner[1] |= belowBits(second, first, i);                                       \
      storeRanges(d, i, lanes, rule(x, y));                                           \
    }                                                                                 \
  }
RTVP_WIDE_SELECTION(wideLeast, leastOf, x, y)
RTVP_WIDE_SELECTION(wideMost, mostOf, y, x)
#undef RTVP_WIDE_SELECTION
#undef RTVP_WIDE_BOXES

// ---- exp, sin, cos: eight boxes, both ends found as in avx512_functions.hpp

/// Lanes in which a directed rounding to binary32 is in doubt: near a binary32 number, or below the
/// normal ones.
RTVP_INLINE __mmask8 doubtfulEnd(__m512d y, long long margin) {
  const __m512i rest =
      _mm512_and_epi64(_mm512_add_epi64(_mm512_castpd_si512(y), _mm512_set1_epi64(margin)),
                       _mm512_set1_epi64((1LL << 29) - 1));
  return _mm512_cmple_epu64_mask(rest, _mm512_set1_epi64(2 * margin)) |
         _mm512_cmp_pd_mask(_mm512_abs_pd(y), _mm512_set1_pd(0x1p-120), _CMP_LT_OQ);
}
/// range::widened() of ends that are finite, or no numbers.
struct Ends8 {
  __m256 lo, hi;
  __mmask8 doubt;
};
RTVP_INLINE Ends8 widenedEnds(__m512d lo, __m512d hi, long long margin) {
  const __m512d error = _mm512_set1_pd(range::kFunctionError);
  const __m512d low = _mm512_sub_pd(lo, _mm512_mul_pd(_mm512_abs_pd(lo), error));
  const __m512d high = _mm512_add_pd(hi, _mm512_mul_pd(_mm512_abs_pd(hi), error));
  return {_mm512_cvt_roundpd_ps(low, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
          _mm512_cvt_roundpd_ps(high, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC),
          static_cast<__mmask8>(doubtfulEnd(low, margin) | doubtfulEnd(high, margin))};
}
RTVP_INLINE __m512d endsFrom(const float* row) {
  return _mm512_cvtps_pd(_mm256_loadu_ps(row));
}

void rangeExpShort(RangeRow& d, const RangeRow& a, unsigned n) {
  const __m512d log2e = _mm512_set1_pd(elementary::series::kLog2E);
  for (std::size_t i = 0; i < n; i += 8) {
    const __m512d lo = endsFrom(a.lo + i), hi = endsFrom(a.hi + i);
    const Ends8 ends = widenedEnds(shortExp2(_mm512_mul_pd(lo, log2e)),
                                   shortExp2(_mm512_mul_pd(hi, log2e)), kDoubtfulExp);
    // Overflows, results below the normal numbers and what is no number are left to the plain rule.
    const __m512d limit = _mm512_set1_pd(87);
    const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(lo), limit, _CMP_NLE_UQ) |
                         _mm512_cmp_pd_mask(_mm512_abs_pd(hi), limit, _CMP_NLE_UQ);
    if ((ends.doubt | far) != 0) {
      store(d, i, range::exp<Lanes>(load(a, i)));
      continue;
    }
    _mm256_storeu_ps(d.lo + i, ends.lo);
    _mm256_storeu_ps(d.hi + i, ends.hi);
    __builtin_memmove(d.u + i, a.u + i, 8 * sizeof(std::int32_t));
  }
}

/// range::holdsTurn() with a product in place of a quotient; `doubt`: where that could matter.
RTVP_INLINE __mmask8 holdsTurn8(__m512d lo, __m512d hi, double phase, __mmask8& doubt) {
  const __m512d turns = _mm512_set1_pd(1 / (2 * range::kPi)), shift = _mm512_set1_pd(phase);
  const __m512d slack = _mm512_set1_pd(range::kReduceSlack);
  const __m512d first = _mm512_sub_pd(_mm512_mul_pd(_mm512_sub_pd(lo, shift), turns), slack);
  const __m512d last = _mm512_add_pd(_mm512_mul_pd(_mm512_sub_pd(hi, shift), turns), slack);
  const __m512d floor = _mm512_roundscale_pd(last, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const __m512d nearest = _mm512_roundscale_pd(last, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const __m512d close = _mm512_set1_pd(1e-10);
  doubt = static_cast<__mmask8>(
      doubt | _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_sub_pd(last, nearest)), close, _CMP_LT_OQ) |
      _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_sub_pd(floor, first)), close, _CMP_LT_OQ));
  return _mm512_cmp_pd_mask(floor, first, _CMP_GE_OQ);
}

#define RTVP_SHORT_RANGE(name, function, rule, top)                                                \
  void name(RangeRow& d, const RangeRow& a, unsigned n) {                                          \
    for (std::size_t i = 0; i < n; i += 8) {                                                       \
      const __m512d lo = endsFrom(a.lo + i), hi = endsFrom(a.hi + i);                              \
      const __m512d x = function(lo), y = function(hi);                                            \
      Ends8 ends = widenedEnds(_mm512_min_pd(x, y), _mm512_max_pd(x, y), kDoubtfulWave);           \
      const __mmask8 least = holdsTurn8(lo, hi, top + range::kPi, ends.doubt);                     \
      const __mmask8 most = holdsTurn8(lo, hi, top, ends.doubt);                                   \
      const __m512d limit = _mm512_set1_pd(elementary::kWideLimit);                                \
      const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(lo), limit, _CMP_NLE_UQ) |             \
                           _mm512_cmp_pd_mask(_mm512_abs_pd(hi), limit, _CMP_NLE_UQ);              \
      if ((ends.doubt | far) != 0) {                                                               \
        store(d, i, range::rule<Lanes>(load(a, i)));                                               \
        continue;                                                                                  \
      }                                                                                            \
      const __m256 one = _mm256_set1_ps(1), minus = _mm256_set1_ps(-1);                            \
      _mm256_storeu_ps(d.lo + i, _mm256_mask_mov_ps(_mm256_max_ps(ends.lo, minus), least, minus)); \
      _mm256_storeu_ps(d.hi + i, _mm256_mask_mov_ps(_mm256_min_ps(ends.hi, one), most, one));      \
      __builtin_memmove(d.u + i, a.u + i, 8 * sizeof(std::int32_t));                               \
    }                                                                                              \
  }
RTVP_SHORT_RANGE(rangeSinShort, shortSin, sin, range::kPi / 2)
RTVP_SHORT_RANGE(rangeCosShort, shortCos, cos, 0)
#undef RTVP_SHORT_RANGE
