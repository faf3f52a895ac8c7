// See fast_path.hpp. SSE2, which every x86-64 has; elsewhere the vector path is never taken.
#include "models/xphmg/fast_path.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rtvp::xphmg::fast {

void Ray::assign(const SlabRay& ray) {
  for (unsigned k = 0; k < 3; ++k) {
    o[k].fill(ray.ray.o[k]);
    inverse[k].fill(ray.inverse[k]);
    negative[k].fill(ray.inverse[k] < 0);
  }
  tmin.fill(ray.ray.tmin);
  tmax.fill(ray.ray.tmax);
}

void Shear::assign(const ShearRay& ray) {
  kx = ray.kx;
  ky = ray.ky;
  kz = ray.kz;
  ox.fill(ray.ray.o[kx]);
  oy.fill(ray.ray.o[ky]);
  oz.fill(ray.ray.o[kz]);
  sx.fill(ray.sx);
  sy.fill(ray.sy);
}

#if defined(__SSE2__)

namespace {

__m128 load(const Lanes& lanes) {
  return _mm_load_ps(lanes.v.data());
}
__m128 load(const Bits& bits) {
  return _mm_castsi128_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(bits.v.data())));
}
/// Four FP16 numbers in the low halves of `words`, exactly: subnormals are normal after the
/// product.
__m128 fromFp16(__m128i words) {
  const __m128i sign = _mm_slli_epi32(_mm_and_si128(words, _mm_set1_epi32(0x8000)), 16);
  const __m128i magnitude = _mm_slli_epi32(_mm_and_si128(words, _mm_set1_epi32(0x7FFF)), 13);
  const __m128 rebias = _mm_castsi128_ps(_mm_set1_epi32(0x77800000));  // 2^112
  const __m128i finite = _mm_castps_si128(_mm_mul_ps(_mm_castsi128_ps(magnitude), rebias));
  const __m128i special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32((0x7C00 << 13) - 1));
  const __m128i top = _mm_and_si128(special, _mm_set1_epi32(0x7F800000));
  return _mm_castsi128_ps(_mm_or_si128(_mm_or_si128(finite, top), sign));
}

template <unsigned Vectors>
struct Row {
  __m128 v[Vectors];
};

/// `Vectors` times four elements in a row, from any address.
template <unsigned Vectors>
Row<Vectors> loadFp32(const std::uint8_t* bytes) {
  Row<Vectors> row;
  for (unsigned n = 0; n < Vectors; ++n)
    row.v[n] = _mm_loadu_ps(reinterpret_cast<const float*>(bytes) + std::size_t{4} * n);
  return row;
}
/// The same of FP16 or BF16.
template <unsigned Vectors>
Row<Vectors> loadHalves(Format format, const std::uint8_t* bytes) {
  static_assert(Vectors % 2 == 0);
  Row<Vectors> row;
  const __m128i zero = _mm_setzero_si128();
  for (unsigned n = 0; n < Vectors; n += 2) {
    const __m128i eight =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + std::size_t{8} * n));
    if (format == Format::Fp16) {
      row.v[n] = fromFp16(_mm_unpacklo_epi16(eight, zero));
      row.v[n + 1] = fromFp16(_mm_unpackhi_epi16(eight, zero));
    } else {  // BF16: the upper half of an FP32 word
      row.v[n] = _mm_castsi128_ps(_mm_unpacklo_epi16(zero, eight));
      row.v[n + 1] = _mm_castsi128_ps(_mm_unpackhi_epi16(zero, eight));
    }
  }
  return row;
}

template <int A, int B, int C, int D>
__m128 pick(__m128 ab, __m128 cd) {
  return _mm_shuffle_ps(ab, cd, _MM_SHUFFLE(D, C, B, A));
}

struct Interval {
  __m128 near, far;
};

/// One axis of section 9.1, steps 3: the second operand of max and min stays when equal or when the
/// first is a NaN, which is D-49's compare form.
void slab(const Ray& ray, unsigned k, __m128 lo, __m128 hi, Interval& t) {
  const __m128 pad_out = _mm_set1_ps(std::bit_cast<float>(0x3F800002U));
  const __m128 pad_flip = _mm_set1_ps(std::bit_cast<float>(0x3F800002U ^ 0x3F7FFFFCU));
  const __m128 swap = _mm_and_ps(_mm_xor_ps(lo, hi), load(ray.negative[k]));
  const __m128 o = load(ray.o[k]), inverse = load(ray.inverse[k]);
  const __m128 t0 = _mm_mul_ps(_mm_sub_ps(_mm_xor_ps(lo, swap), o), inverse);
  const __m128 t1 = _mm_mul_ps(_mm_sub_ps(_mm_xor_ps(hi, swap), o), inverse);
  const __m128 behind = _mm_cmplt_ps(t1, _mm_setzero_ps());
  const __m128 pad = _mm_xor_ps(pad_out, _mm_and_ps(behind, pad_flip));
  t.near = _mm_max_ps(t0, t.near);
  t.far = _mm_min_ps(_mm_mul_ps(t1, pad), t.far);
}

/// Six vectors hold min xyz, max xyz of children 0 .. 3 in a row.
[[gnu::always_inline]] inline unsigned testBoxes(const Ray& ray, const __m128 (&r)[6], Lanes& tn) {
  const __m128 a = pick<0, 1, 2, 3>(r[0], r[1]), b = pick<0, 1, 2, 3>(r[3], r[4]);
  const __m128 c = pick<2, 3, 0, 1>(r[0], r[2]), d = pick<2, 3, 0, 1>(r[3], r[5]);
  const __m128 e = pick<0, 1, 2, 3>(r[1], r[2]), f = pick<0, 1, 2, 3>(r[4], r[5]);
  const __m128 lx = pick<0, 2, 0, 2>(a, b), ly = pick<1, 3, 1, 3>(a, b);
  const __m128 lz = pick<0, 2, 0, 2>(c, d), hx = pick<1, 3, 1, 3>(c, d);
  const __m128 hy = pick<0, 2, 0, 2>(e, f), hz = pick<1, 3, 1, 3>(e, f);
  const __m128 ordered =
      _mm_and_ps(_mm_and_ps(_mm_cmple_ps(lx, hx), _mm_cmple_ps(ly, hy)), _mm_cmple_ps(lz, hz));
  if (_mm_movemask_ps(ordered) != 0xF) return kDeclined;
  Interval t{load(ray.tmin), load(ray.tmax)};
  slab(ray, 0, lx, hx, t);
  slab(ray, 1, ly, hy, t);
  slab(ray, 2, lz, hz, t);
  _mm_store_ps(tn.v.data(), t.near);
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(t.near, t.far)));
}

}  // namespace

bool suits(const Precision& precision, const xphmg::Ray& ray) {
  const bool known = precision.format == Format::Fp32 || precision.format == Format::Fp16 ||
                     precision.format == Format::Bf16;
  if (!known || precision.ftz) return false;
  // x - x is 0 for finite x only.
  const bool finite =
      ray.o[0] - ray.o[0] == 0 && ray.o[1] - ray.o[1] == 0 && ray.o[2] - ray.o[2] == 0;
  return finite && ray.d[0] != 0 && ray.d[1] != 0 && ray.d[2] != 0;
}

unsigned testTile(const Ray& ray, Format format, const std::uint8_t* bytes, Lanes& tn) {
  if (format == Format::Fp32) return testBoxes(ray, loadFp32<6>(bytes).v, tn);
  return testBoxes(ray, loadHalves<6>(format, bytes).v, tn);
}

Verdict screen(const Shear& ray, Format format, const std::uint8_t* bytes, Triangle& triangle) {
  // Nine elements, and room for what a vector load takes more.
  alignas(16) std::array<float, 12> p;
  if (format == Format::Fp32) {
    std::memcpy(p.data(), bytes, triangleBytes(4));
  } else {
    alignas(16) std::array<std::uint8_t, 32> halves{};
    std::memcpy(halves.data(), bytes, triangleBytes(2));
    const Row<4> row = loadHalves<4>(format, halves.data());
    for (unsigned n = 0; n < 3; ++n) _mm_store_ps(p.data() + std::size_t{4} * n, row.v[n]);
  }
  // Lanes: v0, v1, v2, and v2 once more.
  const auto axis = [&p](unsigned k) { return _mm_set_ps(p[6 + k], p[6 + k], p[3 + k], p[k]); };
  const __m128 z = _mm_sub_ps(axis(ray.kz), load(ray.oz));
  const __m128 x = _mm_sub_ps(_mm_sub_ps(axis(ray.kx), load(ray.ox)), _mm_mul_ps(load(ray.sx), z));
  const __m128 y = _mm_sub_ps(_mm_sub_ps(axis(ray.ky), load(ray.oy)), _mm_mul_ps(load(ray.sy), z));
  if (_mm_movemask_ps(_mm_cmpunord_ps(x, y)) != 0) return Verdict::Unknown;
  const __m128 zero = _mm_setzero_ps();
  // To one side of the ray: the edge values have both signs or are all 0.
  const bool aside = _mm_movemask_ps(_mm_cmpgt_ps(x, zero)) == 0xF ||
                     _mm_movemask_ps(_mm_cmplt_ps(x, zero)) == 0xF ||
                     _mm_movemask_ps(_mm_cmpgt_ps(y, zero)) == 0xF ||
                     _mm_movemask_ps(_mm_cmplt_ps(y, zero)) == 0xF;
  if (aside) return Verdict::Missed;
  std::memcpy(triangle.v.data(), p.data(), sizeof triangle.v);
  return Verdict::Decoded;
}

#else

bool suits(const Precision& /*precision*/, const xphmg::Ray& /*ray*/) {
  return false;
}
unsigned testTile(const Ray& /*ray*/, Format /*format*/, const std::uint8_t* /*bytes*/,
                  Lanes& /*tn*/) {
  return kDeclined;
}
Verdict screen(const Shear& /*ray*/, Format /*format*/, const std::uint8_t* /*bytes*/,
               Triangle& /*triangle*/) {
  return Verdict::Unknown;
}

#endif

}  // namespace rtvp::xphmg::fast
