// The kernels, written once as loops that compilers turn into vectors. A file for each
// instruction set (cmake/VectorKernels.cmake) includes this in a namespace of its own, with its
// flags; no library function may be instantiated here, or the linker could give code for one
// instruction set to another.

using F = float;
using I = std::int32_t;
using U = std::uint32_t;
using L = std::uint64_t;

#define RTVP_LANES _Pragma("omp simd") for (unsigned i = 0; i < kPoints; ++i)

namespace elementary = common::elementary;

/// A row of results that no other row overlaps.
struct alignas(64) Row {
  F v[kPoints];
};
struct alignas(64) Doubles {
  double v[kPoints];
};

[[gnu::always_inline]] inline F asFloat(U x) {
  return __builtin_bit_cast(F, x);
}
[[gnu::always_inline]] inline U asBits(F x) {
  return __builtin_bit_cast(U, x);
}

/// Stores `value(i)` at the points of the mask.
template <class Value>
[[gnu::always_inline]] inline void put(F* d, const Mask* mask, Value value) {
  if (mask == nullptr) {
    RTVP_LANES d[i] = value(i);
  } else {
    const I* const on = mask->on;
    RTVP_LANES {
      const U keep = static_cast<U>(~on[i]), take = static_cast<U>(on[i]);
      d[i] = asFloat((asBits(value(i)) & take) | (asBits(d[i]) & keep));
    }
  }
}

// ---- one row out ----

#define RTVP_KERNEL(name)                                                                        \
  void name(Block& block, [[maybe_unused]] const Operands& op, [[maybe_unused]] const Tables& t, \
            [[maybe_unused]] const Mask* mask)

RTVP_KERNEL(move1) {
  const F* const a = block.rows[op.a];
  put(block.rows[op.destination], mask, [a](unsigned i) { return a[i]; });
}
RTVP_KERNEL(literal) {
  const F x = op.literal;
  put(block.rows[op.destination], mask, [x](unsigned) { return x; });
}
RTVP_KERNEL(add1) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  put(block.rows[op.destination], mask, [a, b](unsigned i) { return a[i] + b[i]; });
}
RTVP_KERNEL(sub1) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  put(block.rows[op.destination], mask, [a, b](unsigned i) { return a[i] - b[i]; });
}
RTVP_KERNEL(mul1) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  put(block.rows[op.destination], mask, [a, b](unsigned i) { return a[i] * b[i]; });
}
RTVP_KERNEL(div1) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  put(block.rows[op.destination], mask, [a, b](unsigned i) { return a[i] / b[i]; });
}
RTVP_KERNEL(clamp) {
  F* const d = block.rows[op.destination];
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  put(d, mask, [a, b, d](unsigned i) {
    const F x = d[i], low = a[i], high = b[i];
    const F upper = x > high ? high : x;
    return x < low ? low : upper;
  });
}
RTVP_KERNEL(floor1) {
  const F* const a = block.rows[op.a];
  put(block.rows[op.destination], mask, [a](unsigned i) { return __builtin_floorf(a[i]); });
}
RTVP_KERNEL(ceil1) {
  const F* const a = block.rows[op.a];
  put(block.rows[op.destination], mask, [a](unsigned i) { return __builtin_ceilf(a[i]); });
}
RTVP_KERNEL(dot3) {
  const F(*const a)[kPoints] = &block.rows[op.a];
  const F(*const b)[kPoints] = &block.rows[op.b];
  put(block.rows[op.destination], mask,
      [a, b](unsigned i) { return (a[0][i] * b[0][i] + a[1][i] * b[1][i]) + a[2][i] * b[2][i]; });
}
RTVP_KERNEL(random1) {
  U* const state = block.random;
  Row out;
  RTVP_LANES {
    U x = state[i];
    x ^= x << 13U;
    x ^= x >> 17U;
    x ^= x << 5U;
    const U take = mask == nullptr ? ~U{0} : static_cast<U>(mask->on[i]);
    state[i] = (x & take) | (state[i] & ~take);
    out.v[i] = static_cast<F>(static_cast<I>(x >> 8U)) * (1.0F / 16777216.0F);
  }
  put(block.rows[op.destination], mask, [&out](unsigned i) { return out.v[i]; });
}

// ---- three rows out ----

RTVP_KERNEL(move3) {
  for (std::uint16_t lane = 0; lane < 3; ++lane) {
    const F* const a = block.rows[op.a + lane];
    put(block.rows[op.destination + lane], mask, [a](unsigned i) { return a[i]; });
  }
}
RTVP_KERNEL(add3) {
  for (std::uint16_t lane = 0; lane < 3; ++lane) {
    const F *const a = block.rows[op.a + lane], *const b = block.rows[op.b + lane];
    put(block.rows[op.destination + lane], mask, [a, b](unsigned i) { return a[i] + b[i]; });
  }
}
RTVP_KERNEL(sub3) {
  for (std::uint16_t lane = 0; lane < 3; ++lane) {
    const F *const a = block.rows[op.a + lane], *const b = block.rows[op.b + lane];
    put(block.rows[op.destination + lane], mask, [a, b](unsigned i) { return a[i] - b[i]; });
  }
}
RTVP_KERNEL(scale3) {
  const F* const b = block.rows[op.b];
  for (std::uint16_t lane = 0; lane < 3; ++lane) {
    const F* const a = block.rows[op.a + lane];
    put(block.rows[op.destination + lane], mask, [a, b](unsigned i) { return a[i] * b[i]; });
  }
}
RTVP_KERNEL(div3) {
  const F* const b = block.rows[op.b];
  for (std::uint16_t lane = 0; lane < 3; ++lane) {
    const F* const a = block.rows[op.a + lane];
    put(block.rows[op.destination + lane], mask, [a, b](unsigned i) { return a[i] / b[i]; });
  }
}
RTVP_KERNEL(cross3) {
  const F(*const a)[kPoints] = &block.rows[op.a];
  const F(*const b)[kPoints] = &block.rows[op.b];
  Row x, y, z;
  RTVP_LANES {
    x.v[i] = (a[1][i] * b[2][i]) - (a[2][i] * b[1][i]);
    y.v[i] = (a[2][i] * b[0][i]) - (a[0][i] * b[2][i]);
    z.v[i] = (a[0][i] * b[1][i]) - (a[1][i] * b[0][i]);
  }
  put(block.rows[op.destination], mask, [&x](unsigned i) { return x.v[i]; });
  put(block.rows[op.destination + 1], mask, [&y](unsigned i) { return y.v[i]; });
  put(block.rows[op.destination + 2], mask, [&z](unsigned i) { return z.v[i]; });
}
RTVP_KERNEL(norm3) {
  const F(*const a)[kPoints] = &block.rows[op.a];
  Row sum, length;
  RTVP_LANES {
    sum.v[i] = (a[0][i] * a[0][i] + a[1][i] * a[1][i]) + a[2][i] * a[2][i];
    length.v[i] = __builtin_sqrtf(sum.v[i]);
  }
  for (unsigned lane = 0; lane < 3; ++lane) {
    const F* const from = a[lane];
    put(block.rows[op.destination + lane], mask, [&sum, &length, from](unsigned i) {
      const F quotient = from[i] / length.v[i];
      return sum.v[i] == 0 ? 0.0F : quotient;
    });
  }
}

// ---- noise ----

[[gnu::always_inline]] inline F fadeOf(F t) {
  return ((t * t) * t) * (t * (t * 6.0F - 15.0F) + 10.0F);
}
[[gnu::always_inline]] inline F mixOf(F f, F a, F b) {
  return a + f * (b - a);
}
/// 0 if the coordinate is not finite: cells of such points are never used, but must be in range.
[[gnu::always_inline]] inline F finiteOrZero(F x) {
  return __builtin_fabsf(x) <= 3.40282347e38F ? x : 0.0F;
}
[[gnu::always_inline]] inline I cellIndex(F whole) {
  return static_cast<I>(whole - 256.0F * __builtin_floorf(whole * (1.0F / 256.0F)));
}
[[gnu::always_inline]] inline F nanUnless(bool good, F x) {
  return good ? x : __builtin_nanf("");
}

RTVP_KERNEL(turb1) {
  const F* const a = block.rows[op.a];
  Row out;
  RTVP_LANES {
    const F x = finiteOrZero(a[i]);
    const F whole = __builtin_floorf(x);
    const I at = cellIndex(whole);
    const F p = x - whole;
    const F left = t.slopes[at] * p;
    const F right = t.slopes[(at + 1) & 255] * (p - 1.0F);
    const F result = 2.0F * mixOf(fadeOf(p), left, right);
    out.v[i] = nanUnless(__builtin_fabsf(a[i]) <= 3.40282347e38F, result);
  }
  put(block.rows[op.destination], mask, [&out](unsigned i) { return out.v[i]; });
}

struct alignas(64) Cells {
  F t[kPoints];
  F fade[kPoints];
  I index[kPoints];
};
inline void cells(const F* a, Cells& c) {
  RTVP_LANES {
    const F x = finiteOrZero(a[i]);
    const F whole = __builtin_floorf(x);
    const F p = x - whole;
    c.index[i] = cellIndex(whole);
    c.t[i] = p;
    c.fade[i] = fadeOf(p);
  }
}

[[gnu::always_inline]] inline F along(I code, F x, F y, F z) {
  const U bits = static_cast<U>(code);
  const F u = (bits & kGradientUy) != 0 ? y : x;
  const F v = (bits & kGradientVy) != 0 ? y : z;
  return asFloat(asBits(u) ^ (bits & 0x80000000U)) +
         asFloat(asBits(v) ^ ((bits << 1U) & 0x80000000U));
}

/// Along x between two corners of the cell, for one choice of the other two sides.
template <I Dy, I Dz>
[[gnu::always_inline]] inline F edge(const Tables& t, const Cells& x, const Cells& y,
                                     const Cells& z, unsigned i) {
  const I a0 = t.permutation[x.index[i]], a1 = t.permutation[(x.index[i] + 1) & 255];
  const I b0 = t.permutation[(a0 + y.index[i] + Dy) & 255];
  const I b1 = t.permutation[(a1 + y.index[i] + Dy) & 255];
  // The table is indexed by the hash before its last permutation.
  const I g0 = t.gradients[(b0 + z.index[i] + Dz) & 255];
  const I g1 = t.gradients[(b1 + z.index[i] + Dz) & 255];
  const F py = Dy == 0 ? y.t[i] : y.t[i] - 1.0F, pz = Dz == 0 ? z.t[i] : z.t[i] - 1.0F;
  return mixOf(x.fade[i], along(g0, x.t[i], py, pz), along(g1, x.t[i] - 1.0F, py, pz));
}

RTVP_KERNEL(turb3) {
  Cells x, y, z;
  cells(block.rows[op.a], x);
  cells(block.rows[op.a + 1], y);
  cells(block.rows[op.a + 2], z);
  const F *const ax = block.rows[op.a], *const ay = block.rows[op.a + 1],
                 *const az = block.rows[op.a + 2];
  Row low, high, out;
  RTVP_LANES low.v[i] = mixOf(y.fade[i], edge<0, 0>(t, x, y, z, i), edge<1, 0>(t, x, y, z, i));
  RTVP_LANES high.v[i] = mixOf(y.fade[i], edge<0, 1>(t, x, y, z, i), edge<1, 1>(t, x, y, z, i));
  RTVP_LANES {
    const F result = mixOf(z.fade[i], low.v[i], high.v[i]);
    const F worst = (__builtin_fabsf(ax[i]) <= 3.40282347e38F ? 0.0F : 1.0F) +
                    (__builtin_fabsf(ay[i]) <= 3.40282347e38F ? 0.0F : 1.0F) +
                    (__builtin_fabsf(az[i]) <= 3.40282347e38F ? 0.0F : 1.0F);
    out.v[i] = nanUnless(worst == 0.0F, result);
  }
  put(block.rows[op.destination], mask, [&out](unsigned i) { return out.v[i]; });
}

// ---- exponential and power, in double precision as math.cpp has them ----

/// 2^p of every entry, to binary32.
inline void exp2All(const Doubles& p, Row& out) {
  RTVP_LANES {
    out.v[i] = static_cast<F>(elementary::exp2(elementary::expRange(p.v[i])));
  }
}

RTVP_KERNEL(exp1) {
  const F* const a = block.rows[op.a];
  Doubles p;
  Row out;
  RTVP_LANES p.v[i] = static_cast<double>(a[i]) * elementary::kLog2E;
  exp2All(p, out);
  put(block.rows[op.destination], mask, [&out](unsigned i) { return out.v[i]; });
}

/// log2 of every |x|: minus infinity of 0, infinity of infinity; anything of not-a-number.
inline void log2All(const F* x, Doubles& out) {
  RTVP_LANES {
    const auto size = static_cast<double>(__builtin_fabsf(x[i]));
    const double log = elementary::log2(size);
    const double large = size > 3.5e38 ? __builtin_inf() : log;
    out.v[i] = size == 0 ? -__builtin_inf() : large;
  }
}

RTVP_KERNEL(pow1) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  Doubles p;
  Row size, out;
  log2All(a, p);
  RTVP_LANES p.v[i] *= static_cast<double>(b[i]);
  exp2All(p, size);
  RTVP_LANES {
    const F x = a[i], y = b[i], inf = __builtin_inff();
    const F half = y * 0.5F;
    const U whole = __builtin_floorf(y) == y ? 1U : 0U;
    const U odd = whole & (__builtin_floorf(half) != half ? 1U : 0U);
    const U negative = asBits(x) >> 31U;
    const F base = __builtin_fabsf(x), power = __builtin_fabsf(y);
    F r = asFloat(asBits(size.v[i]) ^ ((odd & negative) << 31U));
    // A negative finite number to a power that is no whole number.
    const U outside = (x < 0 ? 1U : 0U) & (whole ^ 1U) & (base < inf ? 1U : 0U);
    const U unordered = (x != x ? 1U : 0U) | (y != y ? 1U : 0U);
    r = (outside | unordered) != 0 ? __builtin_nanf("") : r;
    const U one = (y == 0 ? 1U : 0U) | (x == 1 ? 1U : 0U) |
                  ((power == inf ? 1U : 0U) & (base == 1 ? 1U : 0U));
    out.v[i] = one != 0 ? 1.0F : r;
  }
  put(block.rows[op.destination], mask, [&out](unsigned i) { return out.v[i]; });
}

// ---- control ----

std::uint64_t less(const Block& block, const Operands& op) {
  const F *const a = block.rows[op.a], *const b = block.rows[op.b];
  alignas(64) unsigned char flags[kPoints];
  RTVP_LANES flags[i] = a[i] < b[i] ? 1 : 0;
  std::uint64_t out = 0;
  for (unsigned n = 0; n < kPoints / 8; ++n) {
    L eight = 0;
    __builtin_memcpy(&eight, flags + 8 * std::size_t{n}, 8);
    // Gathers bit 0 of eight bytes (little endian) into the top byte.
    out |= ((eight * 0x0102040810204080U) >> 56U) << (8U * n);
  }
  return out;
}

void expand(std::uint64_t bits, Mask& mask) {
  const U half[2] = {static_cast<U>(bits), static_cast<U>(bits >> 32U)};
  for (unsigned h = 0; h < 2; ++h) {
    const U word = half[h];
    I* const on = mask.on + 32 * std::size_t{h};
    _Pragma("omp simd") for (unsigned i = 0; i < 32; ++i) {
      on[i] = -static_cast<I>((word >> i) & 1U);
    }
  }
}

void collect(float* row, const float* from, std::size_t stride) {
  RTVP_LANES row[i] = from[i * stride];
}

#undef RTVP_KERNEL
#undef RTVP_LANES

/// Order: Form.
constexpr Kernels kTable{
    {nullptr, nullptr, random1, turb1, turb3,  move3,   move1,   move1,   move1,  literal, literal,
     add3,    add1,    sub3,    sub1,  cross3, scale3,  mul1,    dot3,    div3,   div1,    clamp,
     floor1,  ceil1,   norm3,   pow1,  exp1,   nullptr, nullptr, nullptr, nullptr},
    less,
    expand,
    collect};
