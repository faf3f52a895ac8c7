// The loop, written once with the compiler's vectors. A file for each instruction set
// (cmake/VectorKernels.cmake) includes this in a namespace of its own, with its flags; no library
// function may be instantiated here, or the linker could give code for one instruction set to
// another.

using U = std::uint32_t;
using I = std::int32_t;
using L = std::int64_t;
/// Three lanes and one that pads; registers are read and written as a whole.
typedef U Four __attribute__((vector_size(16), may_alias));

constexpr unsigned kFraction = 17;
constexpr U kOne = 1U << kFraction;
constexpr U kSign = 0x80000000U;

/// What the loop wants to have in registers: the compiler would make it anew wherever it is used.
struct Constants {
  Four ones{kOne, kOne, kOne, kOne};
  Four signs{kSign, kSign, kSign, kSign};
#ifdef __AVX2__
  __m256i wideSign = _mm256_set1_epi64x(static_cast<L>(1ULL << 63));
#endif
};
#if defined(__x86_64__)
#define RTVP_KEEP(value) __asm__("" : "+x"(value))
#else
#define RTVP_KEEP(value) static_cast<void>(0)
#endif

#define RTVP_INLINE [[gnu::always_inline]] inline

/// fold() of 32-bit sums or differences: an overflow keeps the true sign, which is that of `a`.
RTVP_INLINE Four add(const Constants& k, Four a, Four b) {
  const Four s = a + b;
  return s ^ ((s ^ a) & (s ^ b) & k.signs);
}
RTVP_INLINE Four subtract(const Constants& k, Four a, Four b) {
  const Four s = a - b;
  return s ^ ((a ^ b) & (a ^ s) & k.signs);
}
RTVP_INLINE U magnitude(U a) {
  return a >> 31 != 0 ? 0U - a : a;
}

#ifdef __AVX2__

/// Products of all lanes in 64 bits, scaled, towards zero; each is 2^46 above its value, so that
/// one shift without sign does. Operands are widened with their signs: where these differ, the
/// upper words do in every bit, and 2^17 - 1 is what a negative product lacks. (A product of 0 that
/// gets it, too, stays 0.) Only an addition and a shift wait for the multiplier.
RTVP_INLINE __m256i product(const Constants& k, __m256i a, __m256i b) {
  const __m256i lacks = _mm256_srli_epi64(_mm256_xor_si256(a, b), 64 - kFraction);
  const __m256i lift = _mm256_or_si256(lacks, k.wideSign);
  return _mm256_srli_epi64(_mm256_add_epi64(_mm256_mul_epi32(a, b), lift), kFraction);
}
constexpr L kAbove = L{1} << (63 - kFraction);

RTVP_INLINE __m256i wide(Four a) {
  return _mm256_cvtepi32_epi64(reinterpret_cast<__m128i>(a));
}
RTVP_INLINE Four lows(__m256i a) {
  const __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(a));
  const __m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(a, 1));
  return reinterpret_cast<Four>(_mm_shuffle_ps(low, high, 0x88));
}
RTVP_INLINE Four highs(__m256i a) {
  const __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(a));
  const __m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(a, 1));
  return reinterpret_cast<Four>(_mm_shuffle_ps(low, high, 0xDD));
}
/// The multiplier treats these multiplicands exactly; it does some larger ones, too.
RTVP_INLINE bool exact(Four a) {
  const Four large{0xC0000000U, 0xC0000000U, 0xC0000000U, 0};
  return _mm_testz_si128(_mm_abs_epi32(reinterpret_cast<__m128i>(a)),
                         reinterpret_cast<__m128i>(large)) != 0;
}
RTVP_INLINE Four multiply(const Constants& k, Four a, Four b) {
  return lows(product(k, wide(a), wide(b)));
}
RTVP_INLINE Four cross(const Constants& k, Four a, Four b) {
  constexpr int kYzx = 0xC9, kZxy = 0xD2;
  const __m256i x = wide(a), y = wide(b);
  const __m256i difference = _mm256_sub_epi64(
      product(k, _mm256_permute4x64_epi64(x, kYzx), _mm256_permute4x64_epi64(y, kZxy)),
      product(k, _mm256_permute4x64_epi64(x, kZxy), _mm256_permute4x64_epi64(y, kYzx)));
  return (highs(difference) & k.signs) | (lows(difference) & ~k.signs);
}
RTVP_INLINE Four dot(const Constants& k, Four a, Four b) {
  const __m256i p = product(k, wide(a), wide(b));
  const __m128i xy = _mm256_castsi256_si128(p), z = _mm256_extracti128_si256(p, 1);
  const __m128i sum = _mm_sub_epi64(_mm_add_epi64(_mm_add_epi64(xy, z), _mm_unpackhi_epi64(xy, xy)),
                                    _mm_set1_epi64x(3 * kAbove));
  const auto low = reinterpret_cast<Four>(_mm_shuffle_epi32(sum, 0x00));
  const auto high = reinterpret_cast<Four>(_mm_shuffle_epi32(sum, 0x55));
  return (high & k.signs) | (low & ~k.signs);
}
/// No divisor 0 and no magnitude 2^31.
RTVP_INLINE bool divisible(Four a, Four b) {
  const auto x = _mm_abs_epi32(reinterpret_cast<__m128i>(a));
  const auto y = _mm_abs_epi32(reinterpret_cast<__m128i>(b));
  const __m128i zero = _mm_cmpeq_epi32(y, _mm_setzero_si128());
  return (_mm_movemask_ps(_mm_castsi128_ps(_mm_or_si128(_mm_or_si128(x, y), zero))) & 7) == 0;
}
/// Operands are whole numbers n < 2^48 and d < 2^31. Where n / d is no whole number it is at least
/// 1 / d away from one, which is more than half a unit in the last place of a quotient below 2^48:
/// the rounded quotient has the true one's whole part. 2^52 puts that in the low bits.
RTVP_INLINE Four divide(Four a, Four b) {
  const auto x = reinterpret_cast<__m128i>(a), y = reinterpret_cast<__m128i>(b);
  const __m256d n =
      _mm256_mul_pd(_mm256_cvtepi32_pd(_mm_abs_epi32(x)), _mm256_set1_pd(double{kOne}));
  const __m256d q = _mm256_round_pd(_mm256_div_pd(n, _mm256_cvtepi32_pd(_mm_abs_epi32(y))),
                                    _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  const Four low = lows(_mm256_castpd_si256(_mm256_add_pd(q, _mm256_set1_pd(4503599627370496.0))));
  const auto sign = reinterpret_cast<Four>(_mm_srai_epi32(_mm_xor_si128(x, y), 31));
  return (low ^ sign) - sign;
}

#else

RTVP_INLINE L product(U a, U b) {
  const L p = L{static_cast<I>(a)} * static_cast<I>(b);
  return (p + ((p >> 63) & (kOne - 1))) >> kFraction;
}
RTVP_INLINE U low(L wide) {
  return static_cast<U>(static_cast<std::uint64_t>(wide));
}
RTVP_INLINE U fold(L sum) {
  const auto bits = static_cast<std::uint64_t>(sum);
  return static_cast<U>(bits >> 63 << 31) | static_cast<U>(bits & (kSign - 1));
}
RTVP_INLINE bool exact(Four a) {
  const Four large = a ^ (a << 1);
  return ((large[0] | large[1] | large[2]) & kSign) == 0;
}
RTVP_INLINE Four multiply(const Constants& /*k*/, Four a, Four b) {
  return Four{low(product(a[0], b[0])), low(product(a[1], b[1])), low(product(a[2], b[2])), 0};
}
RTVP_INLINE Four cross(const Constants& /*k*/, Four a, Four b) {
  return Four{fold(product(a[1], b[2]) - product(a[2], b[1])),
              fold(product(a[2], b[0]) - product(a[0], b[2])),
              fold(product(a[0], b[1]) - product(a[1], b[0])), 0};
}
RTVP_INLINE Four dot(const Constants& /*k*/, Four a, Four b) {
  const U sum = fold(product(a[0], b[0]) + product(a[1], b[1]) + product(a[2], b[2]));
  return Four{sum, sum, sum, 0};
}
RTVP_INLINE bool divisible(U a, U b) {
  return b != 0 && a != kSign && b != kSign;
}
RTVP_INLINE bool divisible(Four a, Four b) {
  return divisible(a[0], b[0]) && divisible(a[1], b[1]) && divisible(a[2], b[2]);
}
/// As above; a product of 2^17 and a 32-bit number is exact, and so is what is below 2^48.
RTVP_INLINE U divide(U a, U b) {
  const auto n = static_cast<double>(L{magnitude(a)} << kFraction);
  const U q = low(static_cast<L>(n / static_cast<double>(magnitude(b))));
  return (a ^ b) >> 31 != 0 ? 0U - q : q;
}
RTVP_INLINE Four divide(Four a, Four b) {
  return Four{divide(a[0], b[0]), divide(a[1], b[1]), divide(a[2], b[2]), 0};
}

#endif

RTVP_INLINE Four all(U w) {
  return Four{w, w, w, w};
}
RTVP_INLINE bool sameMagnitude(U a, U b) {
  return a == b || a == 0U - b;
}
RTVP_INLINE bool greater(U a, U b) {
  return static_cast<I>(a) > static_cast<I>(b);
}

#define RTVP_AT(offset) (*reinterpret_cast<Four*>(places + (offset)))
#define RTVP_LANE(offset) (*reinterpret_cast<const U*>(places + (offset)))
/// A jump of its own at every row: the host predicts each by itself.
#define RTVP_NEXT goto* kLabels[static_cast<unsigned>(in->code)]
#define RTVP_ROW(name, value) \
  name:                       \
  RTVP_AT(in->d) = value;     \
  ++in;                       \
  RTVP_NEXT;
#define RTVP_ROW_WITHIN(name, range, value) \
  name:                                     \
  RTVP_ROW_BODY(range, value)
#define RTVP_ROW_BODY(range, value) \
  {                                 \
    const Four a = RTVP_AT(in->a);  \
    const Four b = RTVP_AT(in->b);  \
    if (!(range)) [[unlikely]]      \
      goto Rare;                    \
    RTVP_AT(in->d) = value;         \
    ++in;                           \
    RTVP_NEXT;                      \
  }
#define RTVP_JUMP(name, condition)                      \
  name : {                                              \
    const U a = RTVP_LANE(in->a), b = RTVP_LANE(in->b); \
    in += (condition) ? in->jump : 1;                   \
    goto enter;                                         \
  }
#define RTVP_PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

void run(Loop& loop) {
  // As Code has them.
  static const void* const kLabels[] = {
      &&Nop,   &&Add,       &&Sub,       &&Div,       &&Mul,      &&Copy,       &&Inc,  &&Dec,
      &&IncX,  &&IncY,      &&IncZ,      &&Zero,      &&Cross,    &&Dot,        &&Mod,  &&Frac,
      &&Neg,   &&ExchangeX, &&ExchangeY, &&ExchangeZ, &&Unscale,  &&Rescale,    &&Load, &&SetX,
      &&SetY,  &&SetZ,      &&SwizzleX,  &&SwizzleY,  &&SwizzleZ, &&SwizzleYXZ, &&Rare, &&JumpG,
      &&JumpL, &&JumpEq,    &&JumpNe,    &&JumpGe,    &&JumpLe,   &&Jump,       &&Call, &&Ret,
      &&leave, &&leave,     &&leave,     &&leave,     &&leave};
  static_assert(sizeof kLabels / sizeof *kLabels == static_cast<unsigned>(Code::Halt) + 1);
  Constants k;
  RTVP_KEEP(k.ones);
  RTVP_KEEP(k.signs);
#ifdef __AVX2__
  RTVP_KEEP(k.wideSign);
#endif
  char* const places = reinterpret_cast<char*>(loop.places);
  Row* in = loop.row;
  Row* back = loop.back;
  std::uint64_t executed = loop.executed, clocks = loop.clocks;
  const std::uint64_t limit = loop.limit;
  if (loop.inside) RTVP_NEXT;
enter:
  if (executed > limit) goto leave;
  ++in->count;
  executed += in->run;
  clocks += in->runClocks;
  RTVP_NEXT;

Nop:
  ++in;
  RTVP_NEXT;
  RTVP_ROW(Add, add(k, RTVP_AT(in->a), RTVP_AT(in->b)))
  RTVP_ROW(Sub, subtract(k, RTVP_AT(in->a), RTVP_AT(in->b)))
  RTVP_ROW(Copy, RTVP_AT(in->a))
  RTVP_ROW(Inc, add(k, RTVP_AT(in->a), k.ones))
  RTVP_ROW(Dec, subtract(k, RTVP_AT(in->a), k.ones))
  RTVP_ROW(IncX, add(k, RTVP_AT(in->a), (Four{kOne, 0, 0, 0})))
  RTVP_ROW(IncY, add(k, RTVP_AT(in->a), (Four{0, kOne, 0, 0})))
  RTVP_ROW(IncZ, add(k, RTVP_AT(in->a), (Four{0, 0, kOne, 0})))
  RTVP_ROW(Zero, Four{})
  RTVP_ROW(Mod, RTVP_AT(in->a) & (RTVP_AT(in->b) - k.ones))
  RTVP_ROW(Frac, RTVP_AT(in->a) & (k.ones - 1))
  RTVP_ROW(Neg, -RTVP_AT(in->a))
  RTVP_ROW(ExchangeX, RTVP_PICK(RTVP_AT(in->a), RTVP_AT(in->b), 4, 1, 2, 3))
  RTVP_ROW(ExchangeY, RTVP_PICK(RTVP_AT(in->a), RTVP_AT(in->b), 0, 5, 2, 3))
  RTVP_ROW(ExchangeZ, RTVP_PICK(RTVP_AT(in->a), RTVP_AT(in->b), 0, 1, 6, 3))
  RTVP_ROW(Unscale, RTVP_AT(in->a) >> kFraction)
  RTVP_ROW(Rescale, RTVP_AT(in->a) << kFraction)
  RTVP_ROW(Load, all(in->immediate))
  RTVP_ROW(SetX, RTVP_PICK(RTVP_AT(in->b), all(in->immediate), 4, 1, 2, 3))
  RTVP_ROW(SetY, RTVP_PICK(RTVP_AT(in->b), all(in->immediate), 0, 5, 2, 3))
  RTVP_ROW(SetZ, RTVP_PICK(RTVP_AT(in->b), all(in->immediate), 0, 1, 6, 3))
  RTVP_ROW(SwizzleX, all(RTVP_LANE(in->b)))
  RTVP_ROW(SwizzleY, all(RTVP_LANE(in->b + 4)))
  RTVP_ROW(SwizzleZ, all(RTVP_LANE(in->b + 8)))
  RTVP_ROW(SwizzleYXZ, RTVP_PICK(RTVP_AT(in->b), RTVP_AT(in->b), 1, 0, 2, 3))
  RTVP_ROW_WITHIN(Mul, exact(a), multiply(k, a, b))
  RTVP_ROW_WITHIN(Cross, exact(a), cross(k, a, b))
  RTVP_ROW_WITHIN(Dot, exact(a), dot(k, a, b))
Div:
  loop.dividerClocks += in->period;
  RTVP_ROW_BODY(divisible(a, b), divide(a, b))
Rare:
  loop.rare(*in, loop.places);
  ++in;
  RTVP_NEXT;
  RTVP_JUMP(JumpG, greater(a, b))
  RTVP_JUMP(JumpL, !greater(a, b))
  RTVP_JUMP(JumpEq, sameMagnitude(a, b))
  RTVP_JUMP(JumpNe, !sameMagnitude(a, b))
  RTVP_JUMP(JumpGe, greater(a, b) || sameMagnitude(a, b))
  RTVP_JUMP(JumpLe, !greater(a, b) || sameMagnitude(a, b))
Call:
  back = in + 1;
Jump:
  in += in->jump;
  goto enter;
Ret:
  RTVP_AT(in->d) = RTVP_PICK(RTVP_AT(in->b), all(in->immediate), 4, 1, 2, 3);
  in = back;
  goto enter;

leave:
  loop.row = in;
  loop.back = back;
  loop.executed = executed;
  loop.clocks = clocks;
}

/// Each register's fourth lane is what follows it in memory; nothing follows the last one.
void spread(const U* triangle, Lanes* const* to, unsigned count) {
  typedef U Unaligned __attribute__((vector_size(16), aligned(4), may_alias));
  typedef U Eight __attribute__((vector_size(32)));
  typedef U EightAt __attribute__((vector_size(32), aligned(16), may_alias));
  const auto four = [triangle](unsigned row) -> Four {
    return *reinterpret_cast<const Unaligned*>(triangle + 3 * row);
  };
  const auto eight = [&four](unsigned row) -> Eight {
    return __builtin_shufflevector(four(row), four(row + 1), 0, 1, 2, 3, 4, 5, 6, 7);
  };
  static_assert(kTriangleRows == 7);
  const Eight first = eight(0), second = eight(2), third = eight(4);
  const Four last{triangle[18], triangle[19], triangle[20], 0};
  for (unsigned i = 0; i < count; ++i) {
    Lanes* const rows = to[i];
    *reinterpret_cast<EightAt*>(rows) = first;
    *reinterpret_cast<EightAt*>(rows + 2) = second;
    *reinterpret_cast<EightAt*>(rows + 4) = third;
    *reinterpret_cast<Four*>(rows + 6) = last;
  }
}

#undef RTVP_INLINE
#undef RTVP_KEEP
#undef RTVP_AT
#undef RTVP_LANE
#undef RTVP_NEXT
#undef RTVP_ROW
#undef RTVP_ROW_WITHIN
#undef RTVP_ROW_BODY
#undef RTVP_JUMP
#undef RTVP_PICK

constexpr Kernels kTable{run, spread};
