// Eight lanes a vector: AVX-512 F, DQ, VL. Masks are mask registers. Included by one translation
// unit only, inside its own namespace.
struct Vec {
  static constexpr unsigned kWidth = 8;
  using F = __m512d;
  using I = __m512i;
  using K = __mmask8;

  static F load(const double* p) { return _mm512_load_pd(p); }
  static void store(double* p, F x) { _mm512_store_pd(p, x); }
  static I loadWords(const void* p) {
    return _mm512_cvtepi32_epi64(_mm256_load_si256(static_cast<const __m256i*>(p)));
  }
  static void storeWords(void* p, I x) {
    _mm256_store_si256(static_cast<__m256i*>(p), _mm512_cvtepi64_epi32(x));
  }
  static void storeIf(double* p, K k, F x) { _mm512_mask_store_pd(p, k, x); }
  static void storeSome(double* p, F x, unsigned lanes) { storeIf(p, fromBits(lanes), x); }
  static F set(double x) { return _mm512_set1_pd(x); }
  static I setI(std::int64_t x) { return _mm512_set1_epi64(x); }
  static I bits(F x) { return _mm512_castpd_si512(x); }
  static F value(I x) { return _mm512_castsi512_pd(x); }
  static F add(F a, F b) { return _mm512_add_pd(a, b); }
  static F sub(F a, F b) { return _mm512_sub_pd(a, b); }
  static F mul(F a, F b) { return _mm512_mul_pd(a, b); }
  static F larger(F a, F b) { return _mm512_max_pd(a, b); }
  /// Of two with the same magnitude and different signs each takes another one.
  static F largerMagnitude(F a, F b) { return _mm512_range_pd(a, b, 0b0111); }
  static F smallerMagnitude(F a, F b) { return _mm512_range_pd(a, b, 0b0110); }
  /// Rounded to nearest, so that a zero is positive.
  static F addNearest(F a, F b) {
    return _mm512_add_round_pd(a, b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static F subNearest(F a, F b) {
    return _mm512_sub_round_pd(a, b, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  /// a - b where k, else 0.
  static F subOrZero(K k, F a, F b) { return _mm512_maskz_sub_pd(k, a, b); }
  static I addI(I a, I b) { return _mm512_add_epi64(a, b); }
  static I subI(I a, I b) { return _mm512_sub_epi64(a, b); }
  /// Signed product of the low words.
  static I mulWords(I a, I b) { return _mm512_mul_epi32(a, b); }
  /// By counts up to 64, which leave nothing.
  static I leftBy(I a, I n) { return _mm512_sllv_epi64(a, n); }
  static I rightBy(I a, I n) { return _mm512_srlv_epi64(a, n); }
  static I andI(I a, I b) { return _mm512_and_si512(a, b); }
  static I orI(I a, I b) { return _mm512_or_si512(a, b); }
  static I xorI(I a, I b) { return _mm512_xor_si512(a, b); }
  static I andnI(I a, I b) { return _mm512_andnot_si512(a, b); }
  template <int N>
  static I right(I a) {
    return _mm512_srli_epi64(a, N);
  }
  template <int N>
  static I left(I a) {
    return _mm512_slli_epi64(a, N);
  }
  /// Negative ones plus 2^N - 1.
  template <int N>
  static I lifted(I a) {
    return _mm512_mask_add_epi64(a, negative(a), a, setI((std::int64_t{1} << N) - 1));
  }
  static K negative(I a) { return _mm512_movepi64_mask(a); }
  static K equal(F a, F b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  static K unequal(F a, F b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ); }
  static K less(F a, F b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
  static K lessEqual(F a, F b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
  static K lessI(I a, I b) { return _mm512_cmplt_epi64_mask(a, b); }
  /// Unsigned.
  static K belowI(I a, I b) { return _mm512_cmplt_epu64_mask(a, b); }
  static K equalI(I a, I b) { return _mm512_cmpeq_epi64_mask(a, b); }
  static K andK(K a, K b) { return static_cast<K>(a & b); }
  static K orK(K a, K b) { return static_cast<K>(a | b); }
  static K notK(K a) { return static_cast<K>(~a); }
  static bool any(K a) { return a != 0; }
  static unsigned toBits(K a) { return a; }
  static K fromBits(unsigned x) { return static_cast<K>(x); }
  /// Of words, sixteen a vector: their highest bits; those of a table at places.
  template <class W>
  static unsigned topBits(W w) {
    return _mm512_movepi32_mask(__builtin_bit_cast(I, w));
  }
  template <class W>
  static W lookUp(const std::uint32_t* table, W places) {
    return __builtin_bit_cast(W, _mm512_i32gather_epi32(__builtin_bit_cast(I, places), table, 4));
  }
  static F blend(K k, F yes, F no) { return _mm512_mask_blend_pd(k, no, yes); }
  static I blendI(K k, I yes, I no) { return _mm512_mask_blend_epi64(k, no, yes); }
  static F zeroIf(K k, F x) { return _mm512_maskz_mov_pd(notK(k), x); }
};
