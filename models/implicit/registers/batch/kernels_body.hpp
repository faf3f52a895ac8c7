// The kernels, written once as loops that compilers turn into vectors. A file for each
// instruction set (cmake/VectorKernels.cmake) includes this in a namespace of its own, with its
// flags; no library function may be instantiated here, or the linker could give code for one
// instruction set to another.

#define RTVP_GROUPS for (std::size_t group = 0; group < n; group += kLanes)
#define RTVP_LANES _Pragma("omp simd") for (std::size_t k = 0; k < kLanes; ++k)

// ---- points ----

void fill(float* d, float value, unsigned n) {
  RTVP_GROUPS {
    RTVP_LANES d[group + k] = value;
  }
}

#define RTVP_UNARY(name, expression)                \
  void name(float* d, const float* a, unsigned n) { \
    RTVP_GROUPS {                                   \
      RTVP_LANES {                                  \
        const float x = a[group + k];               \
        d[group + k] = expression;                  \
      }                                             \
    }                                               \
  }
RTVP_UNARY(abs1, arithmetic::abs(x))
RTVP_UNARY(sign1, arithmetic::sign(x))
RTVP_UNARY(floor1, arithmetic::floor(x))
RTVP_UNARY(ceil1, arithmetic::ceil(x))
RTVP_UNARY(fract1, arithmetic::fract(x))
RTVP_UNARY(round1, arithmetic::round(x))
RTVP_UNARY(trunc1, arithmetic::trunc(x))
RTVP_UNARY(sqrt1, arithmetic::sqrt(x))
RTVP_UNARY(inverseSqrt1, arithmetic::inverseSqrt(x))
RTVP_UNARY(square1, x* x)
RTVP_UNARY(cube1, x* x* x)
RTVP_UNARY(not1, x == 0 ? 1.0F : 0.0F)
RTVP_UNARY(exp1, static_cast<float>(elementary::exp(static_cast<double>(x))))
RTVP_UNARY(exp21, static_cast<float>(elementary::exp2(static_cast<double>(x))))
RTVP_UNARY(log1, static_cast<float>(elementary::log(static_cast<double>(x))))
RTVP_UNARY(log21, static_cast<float>(elementary::log2(static_cast<double>(x))))
#undef RTVP_UNARY

/// sin and cos: far arguments are reduced one by one.
#define RTVP_WAVE(name, near, wide)                                                      \
  void name(float* d, const float* a, unsigned n) {                                      \
    RTVP_GROUPS {                                                                        \
      const float* const from = a + group;                                               \
      float* const to = d + group;                                                       \
      alignas(64) float out[kLanes];                                                     \
      int far = 0;                                                                       \
      _Pragma("omp simd reduction(|:far)") for (unsigned i = 0; i < kLanes; ++i) {       \
        const float x = from[i];                                                         \
        out[i] = static_cast<float>(near(static_cast<double>(x)));                       \
        far |= arithmetic::abs(x) <= static_cast<float>(elementary::kWideLimit) ? 0 : 1; \
      }                                                                                  \
      for (unsigned i = 0; far != 0 && i < kLanes; ++i)                                  \
        out[i] = static_cast<float>(wide(static_cast<double>(from[i])));                 \
      __builtin_memcpy(to, out, sizeof out);                                             \
    }                                                                                    \
  }
RTVP_WAVE(sin1, elementary::sin, elementary::sinWide)
RTVP_WAVE(cos1, elementary::cos, elementary::cosWide)
#undef RTVP_WAVE

#define RTVP_BINARY(name, expression)                                       \
  void name(float* d, const float* a, const float* b, unsigned n) {         \
    RTVP_GROUPS {                                                           \
      RTVP_LANES {                                                          \
        const float x = a[group + k], y = b[group + k];                     \
        d[group + k] = expression;                                          \
      }                                                                     \
    }                                                                       \
  }                                                                         \
  void name##First(float* d, const float* a, const float* b, unsigned n) {  \
    const float x = *a;                                                     \
    RTVP_GROUPS {                                                           \
      RTVP_LANES {                                                          \
        const float y = b[group + k];                                       \
        d[group + k] = expression;                                          \
      }                                                                     \
    }                                                                       \
  }                                                                         \
  void name##Second(float* d, const float* a, const float* b, unsigned n) { \
    const float y = *b;                                                     \
    RTVP_GROUPS {                                                           \
      RTVP_LANES {                                                          \
        const float x = a[group + k];                                       \
        d[group + k] = expression;                                          \
      }                                                                     \
    }                                                                       \
  }
RTVP_BINARY(add2, x + y)
RTVP_BINARY(sub2, x - y)
RTVP_BINARY(mul2, x* y)
RTVP_BINARY(div2, x / y)
RTVP_BINARY(min2, arithmetic::min(x, y))
RTVP_BINARY(max2, arithmetic::max(x, y))
RTVP_BINARY(compare2, arithmetic::compare(x, y))
RTVP_BINARY(and2, x == 0 ? x : y)
RTVP_BINARY(or2, x == 0 ? y : x)
#undef RTVP_BINARY

#define RTVP_TERNARY(name, expression)                                              \
  void name(float* d, const float* a, const float* b, const float* c, unsigned n) { \
    RTVP_GROUPS {                                                                   \
      RTVP_LANES {                                                                  \
        const float x = a[group + k], y = b[group + k], z = c[group + k];           \
        d[group + k] = expression;                                                  \
      }                                                                             \
    }                                                                               \
  }
RTVP_TERNARY(smoothMin3, arithmetic::smoothMin(x, y, z))
RTVP_TERNARY(smoothMax3, arithmetic::smoothMax(x, y, z))
RTVP_TERNARY(clamp3, arithmetic::clamp(x, y, z))
RTVP_TERNARY(mix3, arithmetic::mix(x, y, z))
#undef RTVP_TERNARY

// ---- points with derivatives ----

void slopeScale(float* d, const float* a, const float* x, unsigned n) {
  for (std::size_t row = 0; row < 3 * std::size_t{n}; row += n) {
    RTVP_GROUPS {
      RTVP_LANES d[row + group + k] = a[group + k] * x[row + group + k];
    }
  }
}
void slopeSum(float* d, const float* a, const float* x, const float* b, const float* y,
              unsigned n) {
  for (std::size_t row = 0; row < 3 * std::size_t{n}; row += n) {
    RTVP_GROUPS {
      RTVP_LANES d[row + group + k] =
          a[group + k] * x[row + group + k] + b[group + k] * y[row + group + k];
    }
  }
}
void choose(float* d, const float* a, const float* b, const float* first, const float* second,
            unsigned n) {
  for (std::size_t row = 0; row < 4 * std::size_t{n}; row += n) {
    RTVP_GROUPS {
      RTVP_LANES {
        const float x = first[row + group + k], y = second[row + group + k];
        d[row + group + k] = a[group + k] < b[group + k] ? x : y;
      }
    }
  }
}

// ---- boxes ----

/// As many boxes as fill a register with binary64.
#if defined(__AVX512DQ__)
using Lanes = range::Vectors8;
#elif defined(__AVX2__)
using Lanes = range::Vectors4;
#else
using Lanes = range::Number;
#endif
using Range = range::Range<Lanes>;

[[gnu::always_inline]] inline Range load(const RangeRow& row, std::size_t i) {
  Range value;
  __builtin_memcpy(&value.lo, row.lo + i, sizeof value.lo);
  __builtin_memcpy(&value.hi, row.hi + i, sizeof value.hi);
  __builtin_memcpy(&value.u, row.u + i, sizeof value.u);
  return value;
}
[[gnu::always_inline]] inline void store(RangeRow& row, std::size_t i, const Range& value) {
  __builtin_memcpy(row.lo + i, &value.lo, sizeof value.lo);
  __builtin_memcpy(row.hi + i, &value.hi, sizeof value.hi);
  __builtin_memcpy(row.u + i, &value.u, sizeof value.u);
}
#define RTVP_BOXES for (std::size_t i = 0; i < n; i += Lanes::kWidth)

void rangeFill(RangeRow& d, float value, unsigned n) {
  const std::int32_t u = value != value ? -1 : 0;
  for (std::size_t i = 0; i < n; ++i) {
    d.lo[i] = d.hi[i] = value;
    d.u[i] = u;
  }
}

#define RTVP_RANGE(name, expression)                      \
  void name(RangeRow& d, const RangeRow& a, unsigned n) { \
    RTVP_BOXES {                                          \
      const Range x = load(a, i);                         \
      store(d, i, expression);                            \
    }                                                     \
  }
RTVP_RANGE(rangeAbs, range::abs<Lanes>(x))
RTVP_RANGE(rangeSquare, range::square<Lanes>(x))
RTVP_RANGE(rangeSqrt, range::sqrt<Lanes>(x))
RTVP_RANGE(rangeExp, range::exp<Lanes>(x))
RTVP_RANGE(rangeExp2, range::exp2<Lanes>(x))
RTVP_RANGE(rangeLog, range::log<Lanes>(x))
RTVP_RANGE(rangeLog2, range::log2<Lanes>(x))
RTVP_RANGE(rangeSin, range::sin<Lanes>(x))
RTVP_RANGE(rangeCos, range::cos<Lanes>(x))
#undef RTVP_RANGE

#define RTVP_RANGES(name, rule, with_constant)                                      \
  void name(RangeRow& d, const RangeRow& a, const RangeRow& b, unsigned n) {        \
    RTVP_BOXES store(d, i, rule<Lanes>(load(a, i), load(b, i)));                    \
  }                                                                                 \
  void name##Constant(RangeRow& d, const RangeRow& a, float b, unsigned n) {        \
    [[maybe_unused]] const Range y{range::all<Lanes>(b), range::all<Lanes>(b), {}}; \
    RTVP_BOXES {                                                                    \
      const Range x = load(a, i);                                                   \
      store(d, i, with_constant);                                                   \
    }                                                                               \
  }
RTVP_RANGES(rangeAdd, range::add, range::add<Lanes>(x, y))
RTVP_RANGES(rangeSub, range::sub, range::sub<Lanes>(x, y))
RTVP_RANGES(rangeMul, range::mul, range::scale<Lanes>(x, b))
RTVP_RANGES(rangeDiv, range::div, range::div<Lanes>(x, y))
RTVP_RANGES(rangeMin, range::min, range::min<Lanes>(x, y))
RTVP_RANGES(rangeMax, range::max, range::max<Lanes>(x, y))
#undef RTVP_RANGES
#undef RTVP_BOXES

#if !defined(__AVX512DQ__)
/// One bit a box: in below[0] where all of a lies below all of b, in below[1] the other way round.
[[gnu::always_inline]] inline void separated(const RangeRow& a, const RangeRow& b,
                                             std::uint64_t* below, unsigned n) {
  std::uint64_t first = 0, second = 0;
#if defined(__AVX2__)
  for (std::size_t i = 0; i < n; i += kBoxLanes) {
    const __m256i u = _mm256_or_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(a.u + i)),
                                      _mm256_load_si256(reinterpret_cast<const __m256i*>(b.u + i)));
    const auto ends = [&](const float* high, const float* low) {
      const __m256 less =
          _mm256_cmp_ps(_mm256_load_ps(high + i), _mm256_load_ps(low + i), _CMP_LT_OQ);
      const __m256 defined = _mm256_andnot_ps(_mm256_castsi256_ps(u), less);
      return static_cast<std::uint64_t>(static_cast<unsigned>(_mm256_movemask_ps(defined))) << i;
    };
    first |= ends(a.hi, b.lo);
    second |= ends(b.hi, a.lo);
  }
#else
  for (std::size_t i = 0; i < n && i < kBoxes; ++i) {
    const bool defined = (a.u[i] | b.u[i]) == 0;
    first |= std::uint64_t{defined && a.hi[i] < b.lo[i]} << i;
    second |= std::uint64_t{defined && b.hi[i] < a.lo[i]} << i;
  }
#endif
  below[0] = first;
  below[1] = second;
}

/// The destination may be a source, so what wins is found before.
void rangeLeast(RangeRow& d, const RangeRow& a, const RangeRow& b, std::uint64_t* winner,
                unsigned n) {
  separated(a, b, winner, n);
  rangeMin(d, a, b, n);
}
void rangeMost(RangeRow& d, const RangeRow& a, const RangeRow& b, std::uint64_t* winner,
               unsigned n) {
  separated(b, a, winner, n);
  rangeMax(d, a, b, n);
}
#endif

#include "models/implicit/registers/batch/columns_body.hpp"

#undef RTVP_LANES
#undef RTVP_GROUPS

#if defined(__AVX512DQ__)
#include "models/implicit/registers/batch/avx512_functions.hpp"
#include "models/implicit/registers/batch/avx512_ranges.hpp"
#undef RTVP_INLINE
#endif

constexpr unsigned at(Function function) {
  return static_cast<unsigned>(function);
}

constexpr Kernels makeTable() {
  Kernels k{};
  k.fill = fill;
  k.unary[at(Function::Abs)] = abs1;
  k.unary[at(Function::Sign)] = sign1;
  k.unary[at(Function::Floor)] = floor1;
  k.unary[at(Function::Ceil)] = ceil1;
  k.unary[at(Function::Fract)] = fract1;
  k.unary[at(Function::Round)] = round1;
  k.unary[at(Function::Trunc)] = trunc1;
  k.unary[at(Function::Sqrt)] = sqrt1;
  k.unary[at(Function::InverseSqrt)] = inverseSqrt1;
  k.unary[at(Function::Square)] = square1;
  k.unary[at(Function::Cube)] = cube1;
  k.unary[at(Function::Not)] = not1;
  k.unary[at(Function::Exp)] = exp1;
  k.unary[at(Function::Exp2)] = exp21;
  k.unary[at(Function::Log)] = log1;
  k.unary[at(Function::Log2)] = log21;
  k.unary[at(Function::Sin)] = sin1;
  k.unary[at(Function::Cos)] = cos1;
#define RTVP_FORMS(function, name)                                                            \
  k.binary[at(Function::function)][static_cast<unsigned>(Form::Rows)] = name;                 \
  k.binary[at(Function::function)][static_cast<unsigned>(Form::FirstConstant)] = name##First; \
  k.binary[at(Function::function)][static_cast<unsigned>(Form::SecondConstant)] = name##Second;
  RTVP_FORMS(Add, add2)
  RTVP_FORMS(Sub, sub2)
  RTVP_FORMS(Mul, mul2)
  RTVP_FORMS(Div, div2)
  RTVP_FORMS(Min, min2)
  RTVP_FORMS(Max, max2)
  RTVP_FORMS(Compare, compare2)
  RTVP_FORMS(And, and2)
  RTVP_FORMS(Or, or2)
#undef RTVP_FORMS
  k.ternary[at(Function::SmoothMin)] = smoothMin3;
  k.ternary[at(Function::SmoothMax)] = smoothMax3;
  k.ternary[at(Function::Clamp)] = clamp3;
  k.ternary[at(Function::Mix)] = mix3;
  k.slope_scale = slopeScale;
  k.slope_sum = slopeSum;
  k.choose = choose;
  k.range_fill = rangeFill;
  k.range_unary[at(Function::Abs)] = rangeAbs;
  k.range_unary[at(Function::Square)] = rangeSquare;
  k.range_unary[at(Function::Sqrt)] = rangeSqrt;
  k.range_unary[at(Function::Exp)] = rangeExp;
  k.range_unary[at(Function::Exp2)] = rangeExp2;
  k.range_unary[at(Function::Log)] = rangeLog;
  k.range_unary[at(Function::Log2)] = rangeLog2;
  k.range_unary[at(Function::Sin)] = rangeSin;
  k.range_unary[at(Function::Cos)] = rangeCos;
#define RTVP_FORMS(function, name)               \
  k.range_binary[at(Function::function)] = name; \
  k.range_constant[at(Function::function)] = name##Constant;
  RTVP_FORMS(Add, rangeAdd)
  RTVP_FORMS(Sub, rangeSub)
  RTVP_FORMS(Mul, rangeMul)
  RTVP_FORMS(Div, rangeDiv)
  RTVP_FORMS(Min, rangeMin)
  RTVP_FORMS(Max, rangeMax)
#if defined(__AVX512DQ__)
  k.unary[at(Function::Exp)] = exp1Short;
  k.unary[at(Function::Sin)] = sin1Short;
  k.unary[at(Function::Cos)] = cos1Short;
  k.range_unary[at(Function::Exp)] = rangeExpShort;
  k.range_unary[at(Function::Sin)] = rangeSinShort;
  k.range_unary[at(Function::Cos)] = rangeCosShort;
  k.range_unary[at(Function::Square)] = wideSquare;
  k.range_unary[at(Function::Sqrt)] = wideSqrt;
  RTVP_FORMS(Add, wideAdd)
  RTVP_FORMS(Sub, wideSub)
  RTVP_FORMS(Mul, wideMul)
  RTVP_FORMS(Div, wideDiv)
#endif
#undef RTVP_FORMS
#if defined(__AVX512DQ__)
  k.range_least = wideLeast;
  k.range_most = wideMost;
#else
  k.range_least = rangeLeast;
  k.range_most = rangeMost;
#endif
  k.open_columns = openColumns;
  k.place_layers = placeLayers;
  k.take_hits = takeHits;
  k.beside_hits = besideHits;
  k.normals = normalsOf;
  return k;
}

constexpr Kernels kTable = makeTable();
