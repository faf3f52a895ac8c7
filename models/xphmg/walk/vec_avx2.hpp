// The two tests of a walk with AVX2. Included by one translation unit only, inside its own
// namespace.
struct Vec {
  /// Of an axis: lower planes of two children, then their upper planes, twice. Inverses of far
  /// planes have the other sign, so that one maximum serves both bounds.
  struct Boxes {
    __m256 o[3], inverse[3];
    __m256i place[3];  ///< near planes first
    __m256 tmin, tmax;
  };
  struct Triangles {
    __m128 o, sx, sy, sz;
    __m128i place, lastPlace;  ///< kx, ky, kz of a vertex; of the last, which is loaded shifted
  };

  /// Element `K` of `v` everywhere.
  template <int K>
  [[gnu::always_inline]] static __m256 all(__m128 v) {
    return _mm256_broadcastss_ps(_mm_permute_ps(v, K));
  }
  template <int K>
  [[gnu::always_inline]] static void setAxis(Boxes& b, __m128 o, __m128 inverse) {
    const __m256 n = all<K>(inverse);
    b.o[K] = all<K>(o);
    b.inverse[K] = _mm256_xor_ps(n, _mm256_setr_ps(0, 0, -0.0F, -0.0F, 0, 0, -0.0F, -0.0F));
    // The sign bit becomes 2: places 2, 3, 0, 1.
    const __m256i turn = _mm256_slli_epi32(_mm256_srli_epi32(_mm256_castps_si256(n), 31), 1);
    b.place[K] = _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3), turn);
  }
  [[gnu::always_inline]] static void set(Boxes& b, __m128 o, __m128 inverse, float tmin,
                                         float tmax) {
    setAxis<0>(b, o, inverse);
    setAxis<1>(b, o, inverse);
    setAxis<2>(b, o, inverse);
    b.tmin = _mm256_set1_ps(tmin);
    b.tmax = _mm256_set1_ps(tmax);
  }

  template <Format F>
  [[gnu::always_inline]] static __m256 widen(__m128i halves) {
    const __m256i words = _mm256_cvtepu16_epi32(halves);
    if constexpr (F == Format::Fp16) {
      return fromFp16(words);
    } else {
      return _mm256_castsi256_ps(_mm256_slli_epi32(words, 16));
    }
  }
  /// Exactly: subnormals are normal after the product.
  [[gnu::always_inline]] static __m256 fromFp16(__m256i words) {
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(words, _mm256_set1_epi32(0x8000)), 16);
    const __m256i magnitude =
        _mm256_slli_epi32(_mm256_and_si256(words, _mm256_set1_epi32(0x7FFF)), 13);
    const __m256 rebias = _mm256_castsi256_ps(_mm256_set1_epi32(0x77800000));  // 2^112
    const __m256i finite =
        _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(magnitude), rebias));
    const __m256i special = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32((0x7C00 << 13) - 1));
    const __m256i top = _mm256_and_si256(special, _mm256_set1_epi32(0x7F800000));
    return _mm256_castsi256_ps(_mm256_or_si256(_mm256_or_si256(finite, top), sign));
  }
  /// Elements 4n .. 4n + 3 of the tile, and 4n + 12 .. 4n + 15.
  template <Format F>
  [[gnu::always_inline]] static __m256 row(const std::uint8_t* tile, unsigned n) {
    if constexpr (F == Format::Fp32) {
      const auto* const p = reinterpret_cast<const float*>(tile) + 4 * n;
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 12), 1);
    } else {
      const auto* const p = tile + 8 * n;
      const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
      const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p + 24));
      return widen<F>(_mm_unpacklo_epi64(low, high));
    }
  }

  template <int A, int B, int C, int D>
  [[gnu::always_inline]] static __m256 pick(__m256 ab, __m256 cd) {
    return _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(D, C, B, A));
  }
  [[gnu::always_inline]] static __m256 distance(const Boxes& b, int k, __m256 planes) {
    const __m256 sorted = _mm256_permutevar_ps(planes, b.place[k]);
    return _mm256_mul_ps(_mm256_sub_ps(sorted, b.o[k]), b.inverse[k]);
  }

  /// Children whose boxes are hit, or kBad: a box of `used` is inverted or holds a NaN. The chain
  /// from the tile to this mask is what a walk waits for, so nothing here crosses halves.
  template <Format F>
  [[gnu::always_inline]] static unsigned boxes(const Boxes& b, const std::uint8_t* tile,
                                               unsigned used, float* tn) {
    // Children 0 and 1 in the lower halves, 2 and 3 in the upper ones.
    const __m256 r0 = row<F>(tile, 0), r1 = row<F>(tile, 1), r2 = row<F>(tile, 2);
    const __m256 a = pick<0, 1, 2, 3>(r0, r1);  // lx ly lx ly
    const __m256 c = pick<2, 3, 0, 1>(r0, r2);  // lz hx lz hx
    const __m256 e = pick<0, 1, 2, 3>(r1, r2);  // hy hz hy hz
    const __m256 x = pick<0, 2, 1, 3>(a, c), y = pick<1, 3, 0, 2>(a, e);
    const __m256 z = pick<0, 2, 1, 3>(c, e);
    // Near bounds in places 0 and 1 of each half, far ones with the other sign in 2 and 3.
    const __m256 t =
        _mm256_max_ps(_mm256_max_ps(distance(b, 0, x), distance(b, 1, y)), distance(b, 2, z));
    const __m256 far = turned(t);
    const __m256 near = _mm256_max_ps(t, b.tmin);
    _mm256_store_ps(tn, near);
    // The pad goes outward: the larger product is the bound (D-47).
    const __m256 out = _mm256_mul_ps(far, _mm256_set1_ps(-kPadOut));
    const __m256 in = _mm256_mul_ps(far, _mm256_set1_ps(-kPadIn));
    const __m256 reached =
        _mm256_or_ps(_mm256_cmp_ps(near, out, _CMP_LE_OQ), _mm256_cmp_ps(near, in, _CMP_LE_OQ));
    const __m256 hit = _mm256_and_ps(reached, _mm256_cmp_ps(near, b.tmax, _CMP_LE_OQ));
    if ((used & ~ordered(x, y, z)) != 0) return kBad;
    return static_cast<unsigned>(_mm256_movemask_ps(hit)) & used;
  }
  /// Lower planes against upper ones.
  [[gnu::always_inline]] static unsigned ordered(__m256 x, __m256 y, __m256 z) {
    const __m256 both = _mm256_and_ps(_mm256_cmp_ps(x, turned(x), _CMP_LE_OQ),
                                      _mm256_cmp_ps(y, turned(y), _CMP_LE_OQ));
    return static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_and_ps(both, _mm256_cmp_ps(z, turned(z), _CMP_LE_OQ))));
  }
  [[gnu::always_inline]] static __m256 turned(__m256 v) {
    return _mm256_permute_ps(v, _MM_SHUFFLE(1, 0, 3, 2));
  }

  [[gnu::always_inline]] static void set(Triangles& r, const float* o, const Shear& s) {
    const int kx = static_cast<int>(s.kx), ky = static_cast<int>(s.ky), kz = static_cast<int>(s.kz);
    r.place = _mm_setr_epi32(kx, ky, kz, kz);
    r.lastPlace = _mm_add_epi32(r.place, _mm_set1_epi32(1));
    r.o = _mm_setr_ps(o[kx], o[ky], o[kz], o[kz]);
    r.sx = _mm_set1_ps(s.sx);
    r.sy = _mm_set1_ps(s.sy);
    r.sz = _mm_set1_ps(s.sz);
  }

  struct Vertices {
    __m128 a, b, c;  ///< c in the upper three elements
  };
  template <Format F>
  [[gnu::always_inline]] static Vertices load(const std::uint8_t* triangle) {
    if constexpr (F == Format::Fp32) {
      const auto* const p = reinterpret_cast<const float*>(triangle);
      return {_mm_loadu_ps(p), _mm_loadu_ps(p + 3), _mm_loadu_ps(p + 5)};
    } else {
      const __m128i front = _mm_loadu_si128(reinterpret_cast<const __m128i*>(triangle));
      const __m128i back = _mm_loadu_si128(reinterpret_cast<const __m128i*>(triangle + 2));
      const __m256 ab = widen<F>(_mm_unpacklo_epi64(front, _mm_srli_si128(front, 6)));
      const __m256 c = widen<F>(_mm_srli_si128(back, 8));
      return {_mm256_castps256_ps128(ab), _mm256_extractf128_ps(ab, 1), _mm256_castps256_ps128(c)};
    }
  }

  /// Edge values u, v, w, u of the triangle, and what T multiplies them by.
  template <Format F>
  [[gnu::always_inline]] static Edges edges(const Triangles& r, const std::uint8_t* triangle) {
    const Vertices v = load<F>(triangle);
    const __m128 a = _mm_sub_ps(_mm_permutevar_ps(v.a, r.place), r.o);
    const __m128 b = _mm_sub_ps(_mm_permutevar_ps(v.b, r.place), r.o);
    const __m128 c = _mm_sub_ps(_mm_permutevar_ps(v.c, r.lastPlace), r.o);
    const __m128 ab = _mm_unpacklo_ps(a, b);
    const __m128 z = _mm_shuffle_ps(_mm_unpackhi_ps(a, b), c, _MM_SHUFFLE(2, 2, 1, 0));
    const __m128 x =
        _mm_sub_ps(_mm_shuffle_ps(ab, c, _MM_SHUFFLE(0, 0, 1, 0)), _mm_mul_ps(r.sx, z));
    const __m128 y =
        _mm_sub_ps(_mm_shuffle_ps(ab, c, _MM_SHUFFLE(1, 1, 3, 2)), _mm_mul_ps(r.sy, z));
    const __m256d wx = _mm256_cvtps_pd(x), wy = _mm256_cvtps_pd(y);
    constexpr int kLeft = _MM_SHUFFLE(2, 1, 0, 2), kRight = _MM_SHUFFLE(1, 0, 2, 1);
    Edges e;
    e.value = _mm256_sub_pd(
        _mm256_mul_pd(_mm256_permute4x64_pd(wx, kLeft), _mm256_permute4x64_pd(wy, kRight)),
        _mm256_mul_pd(_mm256_permute4x64_pd(wy, kLeft), _mm256_permute4x64_pd(wx, kRight)));
    e.depth = _mm256_cvtps_pd(_mm_mul_ps(r.sz, z));
    return e;
  }
};
