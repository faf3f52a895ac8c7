// Two lanes a vector: SSE4.2. Masks are vectors of all ones or zeros. Included by one translation
// unit only, inside its own namespace.
struct Vec {
  static constexpr unsigned kWidth = 2;
  using F = __m128d;
  using I = __m128i;
  using K = __m128d;

  static F load(const double* p) { return _mm_load_pd(p); }
  static void store(double* p, F x) { _mm_store_pd(p, x); }
  static I loadWords(const void* p) {
    return _mm_cvtepi32_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(p)));
  }
  static void storeWords(void* p, I x) {
    _mm_storel_epi64(static_cast<__m128i*>(p), _mm_shuffle_epi32(x, _MM_SHUFFLE(3, 1, 2, 0)));
  }
  static void storeIf(double* p, K k, F x) { store(p, blend(k, x, load(p))); }
  static void storeSome(double* p, F x, unsigned lanes) { storeIf(p, fromBits(lanes), x); }
  static F set(double x) { return _mm_set1_pd(x); }
  static I setI(std::int64_t x) { return _mm_set1_epi64x(x); }
  static I bits(F x) { return _mm_castpd_si128(x); }
  static F value(I x) { return _mm_castsi128_pd(x); }
  static F add(F a, F b) { return _mm_add_pd(a, b); }
  static F sub(F a, F b) { return _mm_sub_pd(a, b); }
  static F mul(F a, F b) { return _mm_mul_pd(a, b); }
  static F larger(F a, F b) { return _mm_max_pd(a, b); }
  static F smaller(F a, F b) { return _mm_min_pd(a, b); }
  static I addI(I a, I b) { return _mm_add_epi64(a, b); }
  static I subI(I a, I b) { return _mm_sub_epi64(a, b); }
  /// Signed product of the low words.
  static I mulWords(I a, I b) { return _mm_mul_epi32(a, b); }
  /// By counts up to 64, which leave nothing.
  static I leftBy(I a, I n) {
    const I high = _mm_sll_epi64(a, _mm_unpackhi_epi64(n, n));
    return _mm_blend_epi16(_mm_sll_epi64(a, n), high, 0xF0);
  }
  static I rightBy(I a, I n) {
    const I high = _mm_srl_epi64(a, _mm_unpackhi_epi64(n, n));
    return _mm_blend_epi16(_mm_srl_epi64(a, n), high, 0xF0);
  }
  static I andI(I a, I b) { return _mm_and_si128(a, b); }
  static I orI(I a, I b) { return _mm_or_si128(a, b); }
  static I xorI(I a, I b) { return _mm_xor_si128(a, b); }
  static I andnI(I a, I b) { return _mm_andnot_si128(a, b); }
  template <int N>
  static I right(I a) {
    return _mm_srli_epi64(a, N);
  }
  template <int N>
  static I left(I a) {
    return _mm_slli_epi64(a, N);
  }
  /// Negative ones plus 2^N - 1.
  template <int N>
  static I lifted(I a) {
    return addI(a, right<64 - N>(bits(negative(a))));
  }
  static K negative(I a) { return value(_mm_cmpgt_epi64(_mm_setzero_si128(), a)); }
  static K equal(F a, F b) { return _mm_cmpeq_pd(a, b); }
  static K less(F a, F b) { return _mm_cmplt_pd(a, b); }
  static K lessEqual(F a, F b) { return _mm_cmple_pd(a, b); }
  static K lessI(I a, I b) { return value(_mm_cmpgt_epi64(b, a)); }
  static K equalI(I a, I b) { return value(_mm_cmpeq_epi64(a, b)); }
  static K andK(K a, K b) { return _mm_and_pd(a, b); }
  static K orK(K a, K b) { return _mm_or_pd(a, b); }
  static K notK(K a) { return _mm_xor_pd(a, value(setI(-1))); }
  static bool any(K a) { return _mm_movemask_pd(a) != 0; }
  static unsigned toBits(K a) { return static_cast<unsigned>(_mm_movemask_pd(a)); }
  static K fromBits(unsigned x) {
    const __m128i bit = _mm_set_epi64x(2, 1);
    return value(_mm_cmpeq_epi64(_mm_and_si128(setI(static_cast<std::int64_t>(x)), bit), bit));
  }
  /// Of words, four a vector: their highest bits; those of a table at places.
  template <class W>
  static unsigned topBits(W w) {
    return static_cast<unsigned>(_mm_movemask_ps(__builtin_bit_cast(__m128, w)));
  }
  template <class W>
  static W lookUp(const std::uint32_t* table, W places) {
    for (unsigned i = 0; i < 2 * kWidth; ++i) places[i] = table[places[i]];
    return places;
  }
  static F blend(K k, F yes, F no) { return _mm_blendv_pd(no, yes, k); }
  static I blendI(K k, I yes, I no) { return bits(blend(k, value(yes), value(no))); }
  static F zeroIf(K k, F x) { return _mm_andnot_pd(k, x); }
};
