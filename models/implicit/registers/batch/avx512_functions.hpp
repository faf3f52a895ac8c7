// exp, sin and cos for AVX-512, included by kernels_body.hpp. A result of elementary.hpp is a
// binary64 number that is rounded once; here another binary64 number near it is found, with fused
// products and a shorter series. Where the two could round to different binary32 numbers, and for
// arguments that need more care, the group is computed as elementary.hpp does: the bits are the
// same for every argument (test_implicit_registers_long tries all of them).

/// 2^f by eighths, and 2^r for |r| <= 1/16: an interpolation at Chebyshev's points, error 3e-13.
inline constexpr double kEighths[]{0x1.0000000000000p+0, 0x1.172b83c7d517bp+0, 0x1.306fe0a31b715p+0,
                                   0x1.4bfdad5362a27p+0, 0x1.6a09e667f3bcdp+0, 0x1.8ace5422aa0dbp+0,
                                   0x1.ae89f995ad3adp+0, 0x1.d5818dcfba487p+0};
inline constexpr double kShortExpSeries[]{0x1.5d8dfde822453p-10, 0x1.3b324944cbf5dp-7,
                                          0x1.c6b08d5e4bb3bp-5,  0x1.ebfbdfcabe822p-3,
                                          0x1.62e42fefa3aefp-1,  0x1.000000000050cp+0};
/// Beyond it 2^p is 0 or infinity in binary32.
inline constexpr double kExpFar = 250;
/// How far from the middle of two binary32 numbers (28 bits of the fraction's last 29) a binary64
/// number must lie, in units of its last place: more than twice the errors of both.
inline constexpr long long kDoubtfulExp = 1LL << 13, kDoubtfulWave = 1LL << 12;

#define RTVP_INLINE [[gnu::always_inline]] inline

RTVP_INLINE __m512d wide(__m512 x, int half) {
  return half == 0 ? _mm512_cvtps_pd(_mm512_castps512_ps256(x))
                   : _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}
/// Lanes whose rounding to binary32 is in doubt.
RTVP_INLINE __mmask8 doubtful(__m512d y, long long margin) {
  constexpr long long kRest = (1LL << 29) - 1, kMiddle = 1LL << 28;
  const __m512i from = _mm512_set1_epi64(margin - kMiddle);
  const __m512i rest =
      _mm512_and_epi64(_mm512_add_epi64(_mm512_castpd_si512(y), from), _mm512_set1_epi64(kRest));
  return _mm512_cmple_epu64_mask(rest, _mm512_set1_epi64(2 * margin));
}
RTVP_INLINE __m512 narrow(__m512d low, __m512d high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}

/// 2^p; p may be any number.
RTVP_INLINE __m512d shortExp2(__m512d p) {
  p = _mm512_max_pd(_mm512_set1_pd(-kExpFar), _mm512_min_pd(_mm512_set1_pd(kExpFar), p));
  const __m512d magic = _mm512_set1_pd(0x1.8p49);  // its last place is an eighth
  const __m512d shifted = _mm512_add_pd(p, magic);
  const __m512d r = _mm512_sub_pd(p, _mm512_sub_pd(shifted, magic));
  const __m512i eighths = _mm512_castpd_si512(shifted);
  const __m512d part = _mm512_permutexvar_pd(eighths, _mm512_loadu_pd(kEighths));
  const __m512i power = _mm512_slli_epi64(_mm512_andnot_epi64(_mm512_set1_epi64(7), eighths), 49);
  __m512d sum = _mm512_set1_pd(kShortExpSeries[0]);
  for (int n = 1; n < 6; ++n) sum = _mm512_fmadd_pd(sum, r, _mm512_set1_pd(kShortExpSeries[n]));
  return _mm512_mul_pd(sum,
                       _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(part), power)));
}

/// What is doubtful is done again by `slow`.
void exp1Short(float* d, const float* a, unsigned n) {
  for (std::size_t group = 0; group < n; group += kLanes) {
    const __m512 x = _mm512_loadu_ps(a + group);
    const __m512d log2e = _mm512_set1_pd(elementary::series::kLog2E);
    const __m512d low = shortExp2(_mm512_mul_pd(wide(x, 0), log2e));
    const __m512d high = shortExp2(_mm512_mul_pd(wide(x, 1), log2e));
    // Results below the normal numbers are rounded elsewhere.
    const __mmask16 tiny =
        _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(x, _mm512_set1_ps(-105), _CMP_GT_OQ), x,
                                _mm512_set1_ps(-87), _CMP_LT_OQ);
    const unsigned doubt = static_cast<unsigned>(doubtful(low, kDoubtfulExp)) |
                           static_cast<unsigned>(doubtful(high, kDoubtfulExp)) | tiny;
    if (doubt != 0) {
      exp1(d + group, a + group, kLanes);
    } else {
      _mm512_storeu_ps(d + group, narrow(low, high));
    }
  }
}

/// sin(r) of a reduced argument with the sign of its half turn.
RTVP_INLINE __m512d sinSeries(__m512d a, __m512d n, __m512i parity) {
  __m512d r = _mm512_fnmadd_pd(n, _mm512_set1_pd(elementary::kPi1), a);
  r = _mm512_fnmadd_pd(n, _mm512_set1_pd(elementary::kPi2), r);
  r = _mm512_fnmadd_pd(n, _mm512_set1_pd(elementary::kPi3), r);
  const __m512d square = _mm512_mul_pd(r, r);
  __m512d sum = _mm512_set1_pd(elementary::kSinSeries[0]);
  for (int k = 1; k < 7; ++k)
    sum = _mm512_fmadd_pd(sum, square, _mm512_set1_pd(elementary::kSinSeries[k]));
  return _mm512_castsi512_pd(
      _mm512_xor_epi64(_mm512_castpd_si512(_mm512_mul_pd(r, sum)), _mm512_slli_epi64(parity, 63)));
}
RTVP_INLINE __m512d shortSin(__m512d a) {
  const __m512d magic = _mm512_set1_pd(elementary::series::kRoundMagic);
  const __m512d shifted = _mm512_fmadd_pd(a, _mm512_set1_pd(elementary::kInversePi), magic);
  return sinSeries(a, _mm512_sub_pd(shifted, magic), _mm512_castpd_si512(shifted));
}
RTVP_INLINE __m512d shortCos(__m512d a) {
  const __m512d magic = _mm512_set1_pd(elementary::series::kRoundMagic);
  const __m512d half = _mm512_set1_pd(0.5);
  const __m512d turns = _mm512_fmsub_pd(a, _mm512_set1_pd(elementary::kInversePi), half);
  const __m512d shifted = _mm512_add_pd(turns, magic);
  return sinSeries(a, _mm512_add_pd(_mm512_sub_pd(shifted, magic), half),
                   _mm512_add_epi64(_mm512_castpd_si512(shifted), _mm512_set1_epi64(1)));
}

#define RTVP_SHORT_WAVE(name, function, slow)                                            \
  void name(float* d, const float* a, unsigned n) {                                      \
    for (std::size_t group = 0; group < n; group += kLanes) {                            \
      const __m512 x = _mm512_loadu_ps(a + group);                                       \
      const __m512d low = function(wide(x, 0)), high = function(wide(x, 1));             \
      const __mmask16 far = _mm512_cmp_ps_mask(                                          \
          _mm512_abs_ps(x), _mm512_set1_ps(float{elementary::kWideLimit}), _CMP_NLE_UQ); \
      const unsigned doubt = static_cast<unsigned>(doubtful(low, kDoubtfulWave)) |       \
                             static_cast<unsigned>(doubtful(high, kDoubtfulWave)) | far; \
      if (doubt != 0) {                                                                  \
        slow(d + group, a + group, kLanes);                                              \
      } else {                                                                           \
        _mm512_storeu_ps(d + group, narrow(low, high));                                  \
      }                                                                                  \
    }                                                                                    \
  }
RTVP_SHORT_WAVE(sin1Short, shortSin, sin1)
RTVP_SHORT_WAVE(cos1Short, shortCos, cos1)
#undef RTVP_SHORT_WAVE
