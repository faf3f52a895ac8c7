// The two tests of a walk with AVX-512. Included by one translation unit only, inside its own
// namespace.
struct Vec {
  /// Bounds and distances: x of children 0 .. 3, then y, z, z.
  struct Boxes {
    __m512 o, inverse;
    __m512i near, far;  ///< places of the planes among the tile's 24 elements
    __mmask16 upward, downward;
    __m128 tmin, tmax;
  };
  /// Vertices 0, 1, 2, 2: their x, then y, z, z; x, y, z are the ray's kx, ky, kz.
  struct Triangles {
    __m512 o, shear;
    __m512i place;  ///< of each among the triangle's nine elements
    __m128 sz;
  };

  [[gnu::always_inline]] static void set(Boxes& b, __m128 o, __m128 inverse, float tmin,
                                         float tmax) {
    const __m512i axis = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2);
    const __m512i lower = _mm512_setr_epi32(0, 6, 12, 18, 1, 7, 13, 19, 2, 8, 14, 20, 2, 8, 14, 20);
    const __m512i three = _mm512_set1_epi32(3);
    b.o = _mm512_permutexvar_ps(axis, _mm512_castps128_ps512(o));
    b.inverse = _mm512_permutexvar_ps(axis, _mm512_castps128_ps512(inverse));
    b.downward = _mm512_cmp_ps_mask(b.inverse, _mm512_setzero_ps(), _CMP_LT_OQ);
    b.upward = static_cast<__mmask16>(~b.downward);
    b.near = _mm512_mask_add_epi32(lower, b.downward, lower, three);
    b.far = _mm512_mask_add_epi32(lower, b.upward, lower, three);
    b.tmin = _mm_set1_ps(tmin);
    b.tmax = _mm_set1_ps(tmax);
  }

  template <Format F>
  [[gnu::always_inline]] static __m512 widen(__m256i halves) {
    if constexpr (F == Format::Fp16) {
      return _mm512_cvtph_ps(halves);
    } else {
      return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
    }
  }

  /// Children whose boxes are hit, or kBad: a box of `used` is inverted or holds a NaN.
  template <Format F>
  [[gnu::always_inline]] static unsigned boxes(const Boxes& b, const std::uint8_t* tile,
                                               unsigned used, float* tn) {
    __m512 first, rest;
    if constexpr (F == Format::Fp32) {
      first = _mm512_loadu_ps(tile);
      rest = _mm512_loadu_ps(tile + 64);
    } else {
      first = widen<F>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile)));
      rest = widen<F>(
          _mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(tile + 32))));
    }
    const __m512 near = _mm512_permutex2var_ps(first, b.near, rest);
    const __m512 far = _mm512_permutex2var_ps(first, b.far, rest);
    const unsigned ordered =
        static_cast<unsigned>(_mm512_mask_cmp_ps_mask(b.upward, near, far, _CMP_LE_OQ) |
                              _mm512_mask_cmp_ps_mask(b.downward, far, near, _CMP_LE_OQ));
    if (ordered != 0xFFFF && (used & ~(ordered & ordered >> 4U & ordered >> 8U)) != 0) return kBad;
    const __m512 t0 = _mm512_mul_ps(_mm512_sub_ps(near, b.o), b.inverse);
    const __m512 t1 = _mm512_mul_ps(_mm512_sub_ps(far, b.o), b.inverse);
    const __m256 n2 = _mm256_max_ps(_mm512_castps512_ps256(t0), _mm512_extractf32x8_ps(t0, 1));
    const __m256 f2 = _mm256_min_ps(_mm512_castps512_ps256(t1), _mm512_extractf32x8_ps(t1, 1));
    const __m128 n1 = _mm_max_ps(_mm256_castps256_ps128(n2), _mm256_extractf128_ps(n2, 1));
    const __m128 f1 = _mm_min_ps(_mm256_castps256_ps128(f2), _mm256_extractf128_ps(f2, 1));
    const __m128 pad = _mm_blendv_ps(_mm_set1_ps(kPadOut), _mm_set1_ps(kPadIn), f1);
    const __m128 n = _mm_max_ps(n1, b.tmin);
    const __m128 f = _mm_min_ps(_mm_mul_ps(f1, pad), b.tmax);
    _mm_store_ps(tn, n);
    return static_cast<unsigned>(_mm_cmp_ps_mask(n, f, _CMP_LE_OQ)) & used;
  }

  [[gnu::always_inline]] static void set(Triangles& r, const float (&o)[3], const Shear& s) {
    const __m512i first = _mm512_setr_epi32(0, 3, 6, 6, 0, 3, 6, 6, 0, 3, 6, 6, 0, 3, 6, 6);
    const __m512i axis =
        _mm512_broadcast_i32x4(_mm_setr_epi32(static_cast<int>(s.kx), static_cast<int>(s.ky),
                                              static_cast<int>(s.kz), static_cast<int>(s.kz)));
    const __m512i four = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2);
    const __m512i own = _mm512_permutexvar_epi32(four, axis);
    r.o = _mm512_permutexvar_ps(own, _mm512_maskz_loadu_ps(7, o));
    r.place = _mm512_add_epi32(first, own);
    r.shear =
        _mm512_permutexvar_ps(four, _mm512_castps128_ps512(_mm_setr_ps(s.sx, s.sy, 0.0F, 0.0F)));
    r.sz = _mm_set1_ps(s.sz);
  }

  /// Edge values u, v, w, u of the triangle, and what T multiplies them by.
  template <Format F>
  [[gnu::always_inline]] static Edges edges(const Triangles& r, const std::uint8_t* triangle) {
    __m512 elements;
    if constexpr (F == Format::Fp32) {
      elements = _mm512_maskz_loadu_ps(0x1FF, triangle);
    } else {
      elements = widen<F>(_mm256_maskz_loadu_epi16(0x1FF, triangle));
    }
    const __m512 p = _mm512_sub_ps(_mm512_permutexvar_ps(r.place, elements), r.o);
    const __m512 z = _mm512_shuffle_f32x4(p, p, _MM_SHUFFLE(2, 2, 2, 2));
    const __m256 xy = _mm512_castps512_ps256(_mm512_sub_ps(p, _mm512_mul_ps(r.shear, z)));
    const __m512d wide = _mm512_cvtps_pd(xy);
    const __m512d left = _mm512_permutexvar_pd(_mm512_setr_epi64(2, 0, 1, 2, 6, 4, 5, 6), wide);
    const __m512d right = _mm512_permutexvar_pd(_mm512_setr_epi64(5, 6, 4, 5, 1, 2, 0, 1), wide);
    const __m512d products = _mm512_mul_pd(left, right);
    Edges e;
    e.value = _mm256_sub_pd(_mm512_castpd512_pd256(products), _mm512_extractf64x4_pd(products, 1));
    e.depth = _mm256_cvtps_pd(_mm_mul_ps(r.sz, _mm512_castps512_ps128(z)));
    return e;
  }
};
