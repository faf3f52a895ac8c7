// The kernels, written once over Vec. A file for each instruction set (cmake/VectorKernels.cmake)
// includes this inside a namespace of its own, so that no function compiled for one instruction set
// can be linked into code for another (performance.md 8.3). No standard containers here for the
// same reason.

#if defined(__AVX512DQ__)
#include "models/c32/simt/vec_avx512.hpp"
#elif defined(__AVX2__)
#include "models/c32/simt/vec_avx2.hpp"
#elif defined(__SSE4_2__)
#include "models/c32/simt/vec_sse42.hpp"
#else
#include "models/c32/simt/vec_scalar.hpp"
#endif

using I = Vec::I;
using F = Vec::F;
using K = Vec::K;
constexpr unsigned kWidth = Vec::kWidth;
constexpr unsigned kAll = (1u << kWidth) - 1u;
constexpr std::int64_t kExponentField = 0x7FF0000000000000;
constexpr std::int64_t kSign = -0x7FFFFFFFFFFFFFFF - 1;
constexpr std::int64_t kOneBits = 0x3FF0000000000000;
/// Added to the bits of 2^e: 1.5 x 2^(e+21), whose unit is 2^(e-31); and minus that unit.
constexpr std::int64_t kGrid = (std::int64_t{21} << 52) + (std::int64_t{1} << 51);
constexpr auto kMinusUnit =
    static_cast<std::int64_t>(0x8000000000000000u - (std::uint64_t{31} << 52));

[[gnu::always_inline]] inline unsigned laneBits(const LaneSet& s, unsigned v) {
  const unsigned lane = v * kWidth;
  return static_cast<unsigned>(s.mask->w[lane / 64] >> (lane % 64)) & kAll;
}

/// body(first lane, lanes as bits) for every vector of the set, or the full ones from lane `from`
/// on.
template <bool Full, class Body>
[[gnu::always_inline]] inline void each(const LaneSet& s, Body body, std::size_t from = 0) {
  if constexpr (Full) {
    const std::size_t end = std::size_t{s.count} * kWidth;
    for (std::size_t lane = from; lane < end; lane += kWidth) body(lane, kAll);
  } else {
    const std::uint32_t count = s.count;
    for (unsigned i = 0; i < count; ++i) {
      body(std::size_t{s.list[i]} * kWidth, laneBits(s, s.list[i]));
    }
  }
}

template <bool Full>
[[gnu::always_inline]] inline void put(double* p, F x, unsigned lanes) {
  if constexpr (Full) {
    Vec::store(p, x);
  } else {
    Vec::storeSome(p, x, lanes);
  }
}

template <bool Full>
[[gnu::always_inline]] inline void putWords(void* p, I x, unsigned lanes) {
  if constexpr (Full) {
    Vec::storeWords(p, x);
  } else {
    Vec::storeWords(p, Vec::blendI(Vec::fromBits(lanes), x, Vec::loadWords(p)));
  }
}

[[gnu::always_inline]] inline void addLanes(LaneMask& m, std::size_t lane, unsigned lanes) {
  m.w[lane / 64] |= std::uint64_t{lanes} << (lane % 64);
}

/// Bits whose exponent field is the C32's exponent, for every nonzero value (3.1).
[[gnu::always_inline]] inline I c32Bits(I b) {
  return Vec::subI(b, Vec::right<63>(b));
}

/// Floor of the mantissa: drops N bits (3.2).
template <int N>
[[gnu::always_inline]] inline F floorBits(F x) {
  return Vec::value(Vec::andI(Vec::lifted<N>(Vec::bits(x)), Vec::setI(-(std::int64_t{1} << N))));
}

[[gnu::noinline]] F leftRange(F r, unsigned fine, std::size_t lane, unsigned lanes,
                              Faults& faults) {
  const K zero = Vec::equal(r, Vec::set(0.0));
  if ((fine | Vec::toBits(zero)) == kAll) {
    // Exact zeros, of either sign, are the usual reason: they become +0.0.
    return Vec::zeroIf(zero, r);
  }
  alignas(64) double x[kWidth];
  Vec::store(x, r);
  for (unsigned i = 0; i < kWidth; ++i) {
    if ((fine >> i & 1u) != 0) continue;
    if (x[i] == 0.0) {
      x[i] = 0.0;
    } else if (x[i] > -1.0 && x[i] < 1.0) {
      x[i] = 0.0;
      if ((lanes >> i & 1u) != 0) {
        addLanes(faults.underflow, lane + i, 1u);
        faults.any = true;
      }
    } else {
      x[i] = x[i] < 0.0 ? -0x1p128 : 0x1.FFFFFFFEp127;
      if ((lanes >> i & 1u) != 0) {
        addLanes(faults.overflow, lane + i, 1u);
        faults.any = true;
      }
    }
  }
  return Vec::load(x);
}

/// Lanes of a result that lie within the range: the others are zero, too small or too large.
[[gnu::always_inline]] inline unsigned within(F r) {
  const I t = c32Bits(Vec::bits(r));
  const I y = Vec::addI(Vec::addI(t, t), Vec::setI(0x1000000000000000));
  return Vec::toBits(Vec::lessI(y, Vec::setI(kSign + 0x1FE0000000000000)));
}

/// 3.2 `range`: 2^-127 <= |t| < 2^128 in one signed comparison of 2t, biased.
[[gnu::always_inline]] inline F range(F r, std::size_t lane, unsigned lanes, Faults& faults) {
  const unsigned fine = within(r);
  if (fine != kAll) [[unlikely]]
    return leftRange(r, fine, lane, lanes, faults);
  return r;
}

/// ADDF and SUBF on vectors: both operands floored to the grid of the larger exponent (3.2, 3.3).
/// A negative operand 32 or more binades below floors to minus one unit; unless FloorAlways it
/// counts as nothing (c32.md 3.1).
template <bool Subtract, bool FloorAlways>
[[gnu::always_inline]] inline F sum(F b, F a) {
  const I exponents = Vec::setI(kExponentField);
  const I ea = Vec::andI(c32Bits(Vec::bits(a)), exponents);
  const I eb = Vec::andI(c32Bits(Vec::bits(b)), exponents);
  const I m = Vec::bits(Vec::larger(Vec::value(ea), Vec::value(eb)));
  const F c = Vec::value(Vec::addI(m, Vec::setI(kGrid)));
  F fa = Vec::sub(Vec::add(a, c), c);
  F fb = Vec::sub(Vec::add(b, c), c);
  if constexpr (!FloorAlways) {
    const F unit = Vec::value(Vec::addI(m, Vec::setI(kMinusUnit)));
    fa = Vec::zeroIf(Vec::equal(fa, unit), fa);
    fb = Vec::zeroIf(Vec::equal(fb, unit), fb);
  }
  return floorBits<21>(Subtract ? Vec::sub(fb, fa) : Vec::add(fb, fa));
}

#include "models/c32/simt/kernels_binary.hpp"

template <bool Full, class Op>
[[gnu::always_inline]] inline void unaryLoop(const LaneSet& s, double* d, Source a, double* flags,
                                             Faults& faults, Op op) {
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const F r = op(Vec::load(a.p + lane * a.stride), lane, lanes, faults);
    put<Full>(d + lane, r, lanes);
    if (flags != nullptr) put<Full>(flags + lane, r, lanes);
  });
}
template <class Op>
[[gnu::always_inline]] inline void unary(const LaneSet& s, double* d, Source a, double* flags,
                                         Faults& faults, Op op) {
  if (s.list == nullptr) {
    unaryLoop<true>(s, d, a, flags, faults, op);
  } else {
    unaryLoop<false>(s, d, a, flags, faults, op);
  }
}

void negf(const LaneSet& s, double* d, Source a, double* flags, Faults& faults) {
  unary(s, d, a, flags, faults, [](F x, std::size_t lane, unsigned lanes, Faults& f) {
    return range(Vec::value(Vec::xorI(Vec::bits(x), Vec::setI(kSign))), lane, lanes, f);
  });
}
void absf(const LaneSet& s, double* d, Source a, double* flags, Faults& faults) {
  unary(s, d, a, flags, faults, [](F x, std::size_t lane, unsigned lanes, Faults& f) {
    return range(Vec::value(Vec::andI(Vec::bits(x), Vec::setI(~kSign))), lane, lanes, f);
  });
}
void ldf(const LaneSet& s, double* d, Source a, double* flags, Faults& faults) {
  if (s.list == nullptr && flags == nullptr && a.stride != 0) {
    __builtin_memmove(d, a.p, std::size_t{s.count} * kWidth * sizeof(double));
    return;
  }
  unary(s, d, a, flags, faults, [](F x, std::size_t, unsigned, Faults&) { return x; });
}
void cut(const LaneSet& s, double* d, Source a, double* /*flags*/, Faults& faults) {
  unary(s, d, a, nullptr, faults,
        [](F x, std::size_t, unsigned, Faults&) { return floorBits<29>(x); });
}

/// RND: half a unit of the single format added, then floor; the source zero sets UF; Z stays
/// (c32.md 3.7).
template <bool Full>
[[gnu::always_inline]] inline void rndLoop(const LaneSet& s, double* d, Source a, double* flags,
                                           Faults& faults) {
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const F x = Vec::load(a.p + lane * a.stride);
    const I e = Vec::andI(c32Bits(Vec::bits(x)), Vec::setI(kExponentField));
    const F half = Vec::value(Vec::subI(e, Vec::setI(std::int64_t{24} << 52)));
    F r = floorBits<29>(Vec::add(x, half));
    // A zero has no half: what it is added to lies outside.
    if (within(r) != kAll) [[unlikely]] {
      const K zero = Vec::equal(x, Vec::set(0.0));
      r = floorBits<29>(range(Vec::zeroIf(zero, r), lane, lanes, faults));
      const unsigned zeros = Vec::toBits(zero) & lanes;
      if (zeros != 0) {
        addLanes(faults.underflow, lane, zeros);
        faults.any = true;
      }
    }
    put<Full>(d + lane, r, lanes);
    if (flags == nullptr) return;
    const K wasZero = Vec::equal(Vec::load(flags + lane), Vec::set(0.0));
    const I size = Vec::bits(Vec::zeroIf(wasZero, Vec::set(1.0)));
    const I sign = Vec::andI(Vec::bits(r), Vec::setI(kSign));
    put<Full>(flags + lane, Vec::value(Vec::orI(size, sign)), lanes);
  });
}
void rnd(const LaneSet& s, double* d, Source a, double* flags, Faults& faults) {
  if (s.list == nullptr) {
    rndLoop<true>(s, d, a, flags, faults);
  } else {
    rndLoop<false>(s, d, a, flags, faults);
  }
}

/// Mask of the lanes whose flag value meets the condition: good for blend and toBits.
template <NzCond C>
[[gnu::always_inline]] inline K meets(F f) {
  const F zero = Vec::set(0.0);
  if constexpr (C == NzCond::Eq) return Vec::equal(f, zero);
  if constexpr (C == NzCond::Ne) return Vec::notK(Vec::equal(f, zero));
  if constexpr (C == NzCond::Lt) return Vec::negative(Vec::bits(f));
  if constexpr (C == NzCond::Ge) return Vec::notK(Vec::negative(Vec::bits(f)));
  if constexpr (C == NzCond::Le) return Vec::lessEqual(f, zero);
  return Vec::less(zero, f);
}

template <NzCond C>
void select(const LaneSet& s, double* d, Source a, const double* flags) {
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t lane, unsigned) {
      Vec::storeIf(d + lane, meets<C>(Vec::load(flags + lane)), Vec::load(a.p + lane * a.stride));
    });
  } else {
    each<false>(s, [&](std::size_t lane, unsigned lanes) {
      const K k = Vec::andK(meets<C>(Vec::load(flags + lane)), Vec::fromBits(lanes));
      Vec::storeIf(d + lane, k, Vec::load(a.p + lane * a.stride));
    });
  }
}

template <NzCond C>
void holds(const LaneSet& s, const double* flags, LaneMask& out) {
  if (s.list != nullptr) {
    each<false>(s, [&](std::size_t lane, unsigned lanes) {
      addLanes(out, lane, Vec::toBits(meets<C>(Vec::load(flags + lane))) & lanes);
    });
    return;
  }
  const std::size_t end = std::size_t{s.count} * kWidth;
  for (std::size_t lane = 0; lane < end;) {
    std::uint64_t& word = out.w[lane / 64];
    std::uint64_t found = 0;
    for (unsigned i = 0; i < 64 && lane < end; i += kWidth, lane += kWidth) {
      found |= std::uint64_t{Vec::toBits(meets<C>(Vec::load(flags + lane)))} << i;
    }
    word |= found;
  }
}

template <bool Full, bool FloorAlways, NzCond C, bool Copy>
[[gnu::always_inline]] inline void chosenLoop(const LaneSet& s, Source b, Source a,
                                              const Pick* picks, double* flags, Faults& faults) {
  const Pick first = picks[0];
  const Pick second = Copy ? picks[1] : first;
  const Pick third = Copy ? picks[2] : first;
  const auto from = [](const Pick& p, std::size_t lane) {
    return Vec::load(p.s.p + lane * p.s.stride);
  };
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const F r = compare<FloorAlways>(Vec::load(b.p + lane * b.stride),
                                     Vec::load(a.p + lane * a.stride), faults, lane, lanes);
    if (flags != nullptr) put<Full>(flags + lane, r, lanes);
    K k = meets<C>(r);
    if constexpr (!Full) k = Vec::andK(k, Vec::fromBits(lanes));
    if constexpr (Copy) {
      put<Full>(first.d + lane, from(first, lane), lanes);
      Vec::storeIf(second.d + lane, k, from(second, lane));
      Vec::storeIf(third.d + lane, k, from(third, lane));
    } else {
      Vec::storeIf(first.d + lane, k, from(first, lane));
    }
  });
}
template <bool FloorAlways, NzCond C, bool Copy>
void chosen(const LaneSet& s, Source b, Source a, const Pick* picks, double* flags,
            Faults& faults) {
  if (s.list == nullptr) {
    chosenLoop<true, FloorAlways, C, Copy>(s, b, a, picks, flags, faults);
  } else {
    chosenLoop<false, FloorAlways, C, Copy>(s, b, a, picks, flags, faults);
  }
}

// ---- conversions: integer operations only. A negative double's fraction, one unit less (c32Bits),
// is the complement of the C32's fraction; positive ones are equal.

[[gnu::always_inline]] inline I spread(I bit0) {
  return Vec::subI(Vec::setI(0), bit0);
}

/// Packs sign mask, biased exponent and complemented fraction of `Bits` bits.
template <int Bits>
[[gnu::always_inline]] inline I pack(I sign, I exponent, I fraction) {
  constexpr int kShift = 52 - Bits;
  const I low = Vec::andI(sign, Vec::setI((std::int64_t{1} << kShift) - 1));
  const I t = Vec::orI(Vec::orI(Vec::left<52>(exponent), Vec::left<kShift>(fraction)), low);
  return Vec::orI(Vec::subI(t, sign), Vec::left<63>(sign));
}

void fromWords(const LaneSet& s, double* d, const std::uint32_t* words, LaneMask& raw) {
  const auto value = [&](std::size_t lane, unsigned lanes) {
    const I w = Vec::andI(Vec::loadWords(words + lane), Vec::setI(0xFFFFFFFF));
    const I sign = spread(Vec::andI(Vec::right<23>(w), Vec::setI(1)));
    const I fraction = Vec::andI(Vec::xorI(w, sign), Vec::setI(0x7FFFFF));
    const I exponent =
        Vec::addI(Vec::xorI(Vec::right<24>(w), Vec::setI(0x80)), Vec::setI(1023 - 128));
    const K zero = Vec::equalI(Vec::right<24>(w), Vec::setI(0x80));
    if (Vec::any(zero)) [[unlikely]] {
      const K clean = Vec::equalI(Vec::andI(w, Vec::setI(0xFFFFFF)), Vec::setI(0));
      addLanes(raw, lane, Vec::toBits(Vec::andK(zero, Vec::notK(clean))) & lanes);
    }
    return Vec::zeroIf(zero, Vec::value(pack<23>(sign, exponent, fraction)));
  };
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) { put<true>(d + l, value(l, n), n); });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) { put<false>(d + l, value(l, n), n); });
  }
}

void toWords(const LaneSet& s, std::uint32_t* words, const double* a) {
  const auto value = [&](std::size_t lane) {
    const I b = Vec::bits(Vec::load(a + lane));
    const I t = c32Bits(b);
    const I sign = spread(Vec::right<63>(b));
    const I fraction = Vec::andI(Vec::right<29>(t), Vec::setI(0x7FFFFF));
    const I mantissa = Vec::andI(Vec::xorI(fraction, sign), Vec::setI(0xFFFFFF));
    const I exponent = Vec::subI(Vec::andI(Vec::right<52>(t), Vec::setI(0x7FF)), Vec::setI(1023));
    const I word = Vec::orI(Vec::left<24>(exponent), mantissa);
    return Vec::blendI(Vec::equalI(b, Vec::setI(0)), Vec::setI(0x80000000), word);
  };
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) { putWords<true>(words + l, value(l), n); });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) { putWords<false>(words + l, value(l), n); });
  }
}

void fromExtended(const LaneSet& s, double* d, const std::uint32_t* mantissa,
                  const std::int32_t* exponent, LaneMask& raw) {
  const auto value = [&](std::size_t lane, unsigned lanes) {
    const I m = Vec::loadWords(mantissa + lane);
    const I e = Vec::loadWords(exponent + lane);
    const I sign = spread(Vec::right<63>(m));
    const I fraction = Vec::andI(Vec::xorI(m, sign), Vec::setI(0x7FFFFFFF));
    const K zero = Vec::equalI(e, Vec::setI(-128));
    if (Vec::any(zero)) [[unlikely]] {
      const K clean = Vec::equalI(m, Vec::setI(0));
      addLanes(raw, lane, Vec::toBits(Vec::andK(zero, Vec::notK(clean))) & lanes);
    }
    const I b = pack<31>(sign, Vec::addI(e, Vec::setI(1023)), fraction);
    return Vec::zeroIf(zero, Vec::value(b));
  };
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) { put<true>(d + l, value(l, n), n); });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) { put<false>(d + l, value(l, n), n); });
  }
}

void toMantissa(const LaneSet& s, std::uint32_t* mantissa, const double* a) {
  const auto value = [&](std::size_t lane) {
    const I b = Vec::bits(Vec::load(a + lane));
    const I fraction = Vec::andI(Vec::right<21>(c32Bits(b)), Vec::setI(0x7FFFFFFF));
    return Vec::xorI(fraction, spread(Vec::right<63>(b)));
  };
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) { putWords<true>(mantissa + l, value(l), n); });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) { putWords<false>(mantissa + l, value(l), n); });
  }
}

void toExponent(const LaneSet& s, std::int32_t* exponent, const double* a) {
  const auto value = [&](std::size_t lane) {
    const I b = Vec::bits(Vec::load(a + lane));
    const I e = Vec::subI(Vec::andI(Vec::right<52>(c32Bits(b)), Vec::setI(0x7FF)), Vec::setI(1023));
    return Vec::blendI(Vec::equalI(b, Vec::setI(0)), Vec::setI(-128), e);
  };
  if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) { putWords<true>(exponent + l, value(l), n); });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) { putWords<false>(exponent + l, value(l), n); });
  }
}

// ---- words

[[gnu::always_inline]] inline F wordFlags(I r) {
  const I signed1 = Vec::orI(Vec::andI(r, Vec::setI(kSign)), Vec::setI(kOneBits));
  return Vec::zeroIf(Vec::equalI(r, Vec::setI(0)), Vec::value(signed1));
}

/// Words as they are, twice as many a vector: where nobody wants flags. Rows are whole cache lines,
/// so the last vector may hold words that are no lane's.
using W [[gnu::vector_size(8 * kWidth)]] = std::uint32_t;

[[gnu::always_inline]] inline W wordsAt(WordSource s, std::size_t lane) {
  W w;
  if (s.stride == 0) {
    w = W{} + s.p[0];
  } else {
    __builtin_memcpy(&w, s.p + lane, sizeof w);
  }
  return w;
}

template <class Op>
[[gnu::always_inline]] inline void plainWords(const LaneSet& s, std::uint32_t* d, WordSource b,
                                              WordSource a, Op op) {
  const std::size_t end = std::size_t{s.count} * kWidth;
  for (std::size_t lane = 0; lane < end; lane += 2 * kWidth) {
    const W r = op(wordsAt(b, lane), wordsAt(a, lane));
    __builtin_memcpy(d + lane, &r, sizeof r);
  }
}

template <class Op>
[[gnu::always_inline]] inline void wordOp(const LaneSet& s, std::uint32_t* d, WordSource b,
                                          WordSource a, double* flags, Op op) {
  if (s.list == nullptr && flags == nullptr) {
    plainWords(s, d, b, a, op);
  } else if (s.list == nullptr) {
    each<true>(s, [&](std::size_t l, unsigned n) {
      const I r = op(Vec::loadWords(b.p + l * b.stride), Vec::loadWords(a.p + l * a.stride));
      putWords<true>(d + l, r, n);
      if (flags != nullptr) put<true>(flags + l, wordFlags(r), n);
    });
  } else {
    each<false>(s, [&](std::size_t l, unsigned n) {
      const I r = op(Vec::loadWords(b.p + l * b.stride), Vec::loadWords(a.p + l * a.stride));
      putWords<false>(d + l, r, n);
      if (flags != nullptr) put<false>(flags + l, wordFlags(r), n);
    });
  }
}

[[gnu::always_inline]] inline I both(I x, I y) {
  return Vec::andI(x, y);
}
[[gnu::always_inline]] inline W both(W x, W y) {
  return x & y;
}
[[gnu::always_inline]] inline I either(I x, I y) {
  return Vec::orI(x, y);
}
[[gnu::always_inline]] inline W either(W x, W y) {
  return x | y;
}
[[gnu::always_inline]] inline I different(I x, I y) {
  return Vec::xorI(x, y);
}
[[gnu::always_inline]] inline W different(W x, W y) {
  return x ^ y;
}
[[gnu::always_inline]] inline I without(I x, I y) {
  return Vec::andnI(y, x);
}
[[gnu::always_inline]] inline W without(W x, W y) {
  return x & ~y;
}

void bitAnd(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags) {
  wordOp(s, d, b, a, flags, [](auto x, auto y) { return both(x, y); });
}
void bitOr(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags) {
  wordOp(s, d, b, a, flags, [](auto x, auto y) { return either(x, y); });
}
void bitXor(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags) {
  wordOp(s, d, b, a, flags, [](auto x, auto y) { return different(x, y); });
}
void bitAndn(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags) {
  wordOp(s, d, b, a, flags, [](auto x, auto y) { return without(x, y); });
}
void copyWords(const LaneSet& s, std::uint32_t* d, WordSource a, double* flags) {
  if (s.list == nullptr && flags == nullptr && a.stride != 0) {
    __builtin_memmove(d, a.p, std::size_t{s.count} * kWidth * sizeof *d);
    return;
  }
  wordOp(s, d, a, a, flags, [](auto x, auto) { return x; });
}

#include "models/c32/simt/kernels_integer.hpp"

const Kernels kTable = {
    kWidth,
    {mpyf<false, false>, mpyf<true, false>, mpyf<false, true>, mpyf<true, true>},
    {addSub<false, false>, addSub<false, true>},
    {addSub<true, false>, addSub<true, true>},
    {cmpf<false>, cmpf<true>},
    negf,
    absf,
    rnd,
    ldf,
    cut,
    {select<NzCond::Eq>, select<NzCond::Ne>, select<NzCond::Lt>, select<NzCond::Le>,
     select<NzCond::Gt>, select<NzCond::Ge>},
    {holds<NzCond::Eq>, holds<NzCond::Ne>, holds<NzCond::Lt>, holds<NzCond::Le>, holds<NzCond::Gt>,
     holds<NzCond::Ge>},
    {{chosen<false, NzCond::Eq, false>, chosen<false, NzCond::Ne, false>,
      chosen<false, NzCond::Lt, false>, chosen<false, NzCond::Le, false>,
      chosen<false, NzCond::Gt, false>, chosen<false, NzCond::Ge, false>},
     {chosen<true, NzCond::Eq, false>, chosen<true, NzCond::Ne, false>,
      chosen<true, NzCond::Lt, false>, chosen<true, NzCond::Le, false>,
      chosen<true, NzCond::Gt, false>, chosen<true, NzCond::Ge, false>}},
    {{chosen<false, NzCond::Eq, true>, chosen<false, NzCond::Ne, true>,
      chosen<false, NzCond::Lt, true>, chosen<false, NzCond::Le, true>,
      chosen<false, NzCond::Gt, true>, chosen<false, NzCond::Ge, true>},
     {chosen<true, NzCond::Eq, true>, chosen<true, NzCond::Ne, true>,
      chosen<true, NzCond::Lt, true>, chosen<true, NzCond::Le, true>,
      chosen<true, NzCond::Gt, true>, chosen<true, NzCond::Ge, true>}},
    fromWords,
    toWords,
    fromExtended,
    toMantissa,
    toExponent,
    bitAnd,
    bitOr,
    bitXor,
    bitAndn,
    copyWords,
    addWords,
    subtractWords,
    multiplyWords,
    shiftWords,
    shiftSigned,
    fixWords,
    floatWords,
    lookUp,
};
