// Four lanes a vector: AVX2. Masks are vectors of all ones or zeros. Included by one translation
// unit only, inside its own namespace.
struct Vec {
  static constexpr unsigned kWidth = 4;
  using F = __m256d;
  using I = __m256i;
  using K = __m256d;

  static F load(const double* p) { return _mm256_load_pd(p); }
  static void store(double* p, F x) { _mm256_store_pd(p, x); }
  static I loadWords(const void* p) {
    return _mm256_cvtepi32_epi64(_mm_load_si128(static_cast<const __m128i*>(p)));
  }
  static void storeWords(void* p, I x) {
    const __m256i even = _mm256_shuffle_epi32(x, _MM_SHUFFLE(3, 1, 2, 0));
    const __m256i packed = _mm256_permute4x64_epi64(even, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_store_si128(static_cast<__m128i*>(p), _mm256_castsi256_si128(packed));
  }
  static void storeIf(double* p, K k, F x) { store(p, blend(k, x, load(p))); }
  static void storeSome(double* p, F x, unsigned lanes) { storeIf(p, fromBits(lanes), x); }
  static F set(double x) { return _mm256_set1_pd(x); }
  static I setI(std::int64_t x) { return _mm256_set1_epi64x(x); }
  static I bits(F x) { return _mm256_castpd_si256(x); }
  static F value(I x) { return _mm256_castsi256_pd(x); }
  static F add(F a, F b) { return _mm256_add_pd(a, b); }
  static F sub(F a, F b) { return _mm256_sub_pd(a, b); }
  static F mul(F a, F b) { return _mm256_mul_pd(a, b); }
  static F larger(F a, F b) { return _mm256_max_pd(a, b); }
  static F smaller(F a, F b) { return _mm256_min_pd(a, b); }
  static I addI(I a, I b) { return _mm256_add_epi64(a, b); }
  static I subI(I a, I b) { return _mm256_sub_epi64(a, b); }
  /// Signed product of the low words.
  static I mulWords(I a, I b) { return _mm256_mul_epi32(a, b); }
  /// By counts up to 64, which leave nothing.
  static I leftBy(I a, I n) { return _mm256_sllv_epi64(a, n); }
  static I rightBy(I a, I n) { return _mm256_srlv_epi64(a, n); }
  static I andI(I a, I b) { return _mm256_and_si256(a, b); }
  static I orI(I a, I b) { return _mm256_or_si256(a, b); }
  static I xorI(I a, I b) { return _mm256_xor_si256(a, b); }
  static I andnI(I a, I b) { return _mm256_andnot_si256(a, b); }
  template <int N>
  static I right(I a) {
    return _mm256_srli_epi64(a, N);
  }
  template <int N>
  static I left(I a) {
    return _mm256_slli_epi64(a, N);
  }
  /// Negative ones plus 2^N - 1.
  template <int N>
  static I lifted(I a) {
    return addI(a, right<64 - N>(bits(negative(a))));
  }
  static K negative(I a) { return value(_mm256_cmpgt_epi64(_mm256_setzero_si256(), a)); }
  static K equal(F a, F b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
  static K less(F a, F b) { return _mm256_cmp_pd(a, b, _CMP_LT_OQ); }
  static K lessEqual(F a, F b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
  static K lessI(I a, I b) { return value(_mm256_cmpgt_epi64(b, a)); }
  static K equalI(I a, I b) { return value(_mm256_cmpeq_epi64(a, b)); }
  static K andK(K a, K b) { return _mm256_and_pd(a, b); }
  static K orK(K a, K b) { return _mm256_or_pd(a, b); }
  static K notK(K a) { return _mm256_xor_pd(a, value(setI(-1))); }
  static bool any(K a) { return _mm256_movemask_pd(a) != 0; }
  static unsigned toBits(K a) { return static_cast<unsigned>(_mm256_movemask_pd(a)); }
  static K fromBits(unsigned x) {
    const __m256i bit = _mm256_set_epi64x(8, 4, 2, 1);
    return value(
        _mm256_cmpeq_epi64(_mm256_and_si256(setI(static_cast<std::int64_t>(x)), bit), bit));
  }
  /// Of words, eight a vector: their highest bits; those of a table at places.
  template <class W>
  static unsigned topBits(W w) {
    return static_cast<unsigned>(_mm256_movemask_ps(__builtin_bit_cast(__m256, w)));
  }
  template <class W>
  static W lookUp(const std::uint32_t* table, W places) {
    return __builtin_bit_cast(W, _mm256_i32gather_epi32(reinterpret_cast<const int*>(table),
                                                        __builtin_bit_cast(I, places), 4));
  }
  static F blend(K k, F yes, F no) { return _mm256_blendv_pd(no, yes, k); }
  static I blendI(K k, I yes, I no) { return bits(blend(k, value(yes), value(no))); }
  static F zeroIf(K k, F x) { return _mm256_andnot_pd(k, x); }
};
