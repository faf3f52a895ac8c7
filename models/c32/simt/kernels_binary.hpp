// Part of kernels_body.hpp: the operations of two operands, which most of the time goes to.
//
// Op::of gives a result for any operands, and range() brings it into the C32's range. Op::quick
// does less and says in which lanes that was enough; in the others its result means nothing, and
// binaryOne, the plain twin, makes the vector again. Invariants:
//  1. A lane that quick() calls good has the bits that range(Op::of) gives, and no fault.
//  2. Zeros of either sign, tiny and huge results, and addends that the alignment may drop are
//     never called good where they need more than the plain arithmetic.
//  3. quick() reads no lane but its own and writes nothing, so a vector can be made twice.

/// Lanes with 2^Least <= |r| < 2^Limit, whatever the sign: no zero, and inside the range of both
/// signs if Least >= -126 and Limit <= 127.
template <int Least, int Limit>
[[gnu::always_inline]] inline K surely(F r) {
  // Twice the bits, without the sign, so much up that the least one is the smallest number.
  constexpr auto kUp =
      static_cast<std::int64_t>((std::uint64_t{1} << 63) - (std::uint64_t{1023 + Least} << 53));
  constexpr std::int64_t kSpan = std::int64_t{Limit - Least} << 53;
  const I b = Vec::bits(r);
  return Vec::lessI(Vec::addI(Vec::addI(b, b), Vec::setI(kUp)), Vec::setI(kSign + kSpan));
}
[[gnu::always_inline]] inline K surely(F r) {
  return surely<-126, 127>(r);
}

/// The vector at `lane` of an operation in its plain form.
template <bool Flags, class Op>
[[gnu::noinline]] void binaryOne(double* d, Source b, Source a, double* flags, Faults& faults,
                                 std::size_t lane, unsigned lanes) {
  const F r = range(Op::of(Vec::load(b.p + lane * b.stride), Vec::load(a.p + lane * a.stride)),
                    lane, lanes, faults);
  if (lanes == kAll) {
    put<true>(d + lane, r, lanes);
    if constexpr (Flags) put<true>(flags + lane, r, lanes);
  } else {
    put<false>(d + lane, r, lanes);
    if constexpr (Flags) put<false>(flags + lane, r, lanes);
  }
}

/// All vectors from the one at `lane` on, which is not quick.
template <bool Flags, class Op>
[[gnu::noinline]] void binaryRest(const LaneSet& s, double* d, Source b, Source a, double* flags,
                                  Faults& faults, std::size_t lane) {
  const std::size_t end = std::size_t{s.count} * kWidth;
  for (;;) {
    binaryOne<Flags, Op>(d, b, a, flags, faults, lane, kAll);
    for (;;) {
      lane += kWidth;
      if (lane >= end) return;
      F r;
      const K good =
          Op::quick(Vec::load(b.p + lane * b.stride), Vec::load(a.p + lane * a.stride), r);
      if (Vec::toBits(good) != kAll) [[unlikely]]
        break;
      Vec::store(d + lane, r);
      if constexpr (Flags) Vec::store(flags + lane, r);
    }
  }
}

/// All lanes, as long as vectors are quick; then binaryRest goes on. Without a call in the loop
/// nothing has to be saved.
template <bool Flags, class Op>
[[gnu::always_inline]] inline void binaryFull(const LaneSet& s, double* d, Source b, Source a,
                                              double* flags, Faults& faults) {
  const std::size_t end = std::size_t{s.count} * kWidth;
  std::size_t lane = 0;
  do {
    F r;
    const K good = Op::quick(Vec::load(b.p + lane * b.stride), Vec::load(a.p + lane * a.stride), r);
    if (Vec::toBits(good) != kAll) [[unlikely]] {
      return binaryRest<Flags, Op>(s, d, b, a, flags, faults, lane);
    }
    Vec::store(d + lane, r);
    if constexpr (Flags) Vec::store(flags + lane, r);
    lane += kWidth;
  } while (lane < end);
}

/// Some lanes.
template <bool Flags, class Op>
[[gnu::noinline]] void binarySome(const LaneSet& s, double* d, Source b, Source a, double* flags,
                                  Faults& faults) {
  each<false>(s, [&](std::size_t lane, unsigned lanes) {
    F r;
    const K good = Op::quick(Vec::load(b.p + lane * b.stride), Vec::load(a.p + lane * a.stride), r);
    if ((~Vec::toBits(good) & lanes) != 0) [[unlikely]] {
      binaryOne<Flags, Op>(d, b, a, flags, faults, lane, lanes);
      return;
    }
    put<false>(d + lane, r, lanes);
    if constexpr (Flags) put<false>(flags + lane, r, lanes);
  });
}

template <class Op>
[[gnu::always_inline]] inline void binary(const LaneSet& s, double* d, Source b, Source a,
                                          double* flags, Faults& faults) {
  if (s.list == nullptr) {
    if (flags != nullptr) {
      binaryFull<true, Op>(s, d, b, a, flags, faults);
    } else {
      binaryFull<false, Op>(s, d, b, a, flags, faults);
    }
  } else {
    if (flags != nullptr) {
      binarySome<true, Op>(s, d, b, a, flags, faults);
    } else {
      binarySome<false, Op>(s, d, b, a, flags, faults);
    }
  }
}

template <bool A24, bool B24>
struct Product {
  [[gnu::always_inline]] static F of(F x, F y) {
    if constexpr (!B24) x = floorBits<29>(x);
    if constexpr (!A24) y = floorBits<29>(y);
    return floorBits<21>(Vec::mul(x, y));
  }
  [[gnu::always_inline]] static K quick(F x, F y, F& r) {
    r = of(x, y);
    return surely(r);
  }
};
template <bool A24, bool B24>
void mpyf(const LaneSet& s, double* d, Source b, Source a, double* flags, Faults& faults) {
  binary<Product<A24, B24>>(s, d, b, a, flags, faults);
}

template <bool Subtract, bool FloorAlways>
struct Sum {
  [[gnu::always_inline]] static F of(F x, F y) { return sum<Subtract, FloorAlways>(x, y); }
  [[gnu::always_inline]] static K quick(F b, F a, F& r) {
#if defined(__AVX512DQ__)
    return quickByMagnitude(b, a, r);
#else
    return quickByExponents(b, a, r);
#endif
  }

 private:
#if defined(__AVX512DQ__)
  /// The operand of the larger magnitude has the larger exponent, or the same one, and lies on the
  /// grid already. Where both have the same magnitude and different signs the exponent may be one
  /// too small; both lie on the finer grid then, and the results - zero, twice the operand - too.
  /// If it is no extreme one, the result is zero, made positive by the rounding of the last step,
  /// which is exact otherwise, or lies within the range.
  [[gnu::always_inline]] static K quickByMagnitude(F b, F a, F& r) {
    const F large = Vec::largerMagnitude(b, a);
    const I m = Vec::andI(c32Bits(Vec::bits(large)), Vec::setI(kExponentField));
    const I grid = Vec::addI(m, Vec::setI(kGrid));
    const F c = Vec::value(grid);
    const F dropped = Vec::value(Vec::subI(grid, Vec::setI(1)));  // minus one unit of the grid
    const auto floored = [&](F x) {
      const F on = Vec::add(x, c);
      if constexpr (FloorAlways) return Vec::sub(on, c);
      return Vec::subOrZero(Vec::unequal(on, dropped), on, c);
    };
    if constexpr (Subtract) {
      r = floorBits<21>(Vec::subNearest(floored(b), floored(a)));
    } else {
      r = floorBits<21>(Vec::addNearest(large, floored(Vec::smallerMagnitude(b, a))));
    }
    constexpr std::int64_t kLeast = std::int64_t{1023 - 90} << 52;
    constexpr std::int64_t kSpan = std::int64_t{90 + 126} << 52;
    return Vec::belowI(Vec::subI(m, Vec::setI(kLeast)), Vec::setI(kSpan));
  }
#else
  /// Operands less than 32 binades apart: none is dropped, and a sum may be floored once.
  [[gnu::always_inline]] static K quickByExponents(F b, F a, F& r) {
    const I exponents = Vec::setI(kExponentField);
    const F ea = Vec::value(Vec::andI(c32Bits(Vec::bits(a)), exponents));
    const F eb = Vec::value(Vec::andI(c32Bits(Vec::bits(b)), exponents));
    const I m = Vec::bits(Vec::larger(ea, eb));
    const F c = Vec::value(Vec::addI(m, Vec::setI(kGrid)));
    if constexpr (Subtract) {
      r = floorBits<21>(Vec::sub(Vec::sub(Vec::add(b, c), c), Vec::sub(Vec::add(a, c), c)));
    } else {
      r = floorBits<21>(Vec::sub(Vec::add(Vec::add(b, a), c), c));
    }
    if constexpr (FloorAlways) return surely(r);
    const I apart = Vec::subI(m, Vec::bits(Vec::smaller(ea, eb)));
    return Vec::andK(surely(r), Vec::lessI(apart, Vec::setI(std::int64_t{32} << 52)));
  }
#endif
};
template <bool Subtract, bool FloorAlways>
void addSub(const LaneSet& s, double* d, Source b, Source a, double* flags, Faults& faults) {
  binary<Sum<Subtract, FloorAlways>>(s, d, b, a, flags, faults);
}

/// The plain difference has the right sign and is zero at the right time unless it is tiny or out
/// of range; then the subtraction itself decides (3.2).
struct Difference {
  F r;             ///< zero is +0.0
  unsigned plain;  ///< lanes where r will do
};
[[gnu::always_inline]] inline Difference difference(F x, F y) {
  const F d = Vec::sub(x, y);
  const F size = Vec::value(Vec::andI(Vec::bits(d), Vec::setI(~kSign)));
  const K zero = Vec::equal(d, Vec::set(0.0));
  const K plain =
      Vec::andK(Vec::lessEqual(Vec::set(0x1p-120), size), Vec::less(size, Vec::set(0x1p127)));
  return {Vec::zeroIf(zero, d), Vec::toBits(Vec::orK(plain, zero))};
}

/// The flags of b - a of the vector at `lane` in their plain form.
template <bool FloorAlways>
[[gnu::noinline]] F compared(F b, F a, Faults& faults, std::size_t lane, unsigned lanes) {
  const Difference d = difference(b, a);
  if (d.plain == kAll) return d.r;
  return range(sum<true, FloorAlways>(b, a), lane, lanes, faults);
}
/// The same where that is not needed; most often it is not.
template <bool FloorAlways>
[[gnu::always_inline]] inline F compare(F b, F a, Faults& faults, std::size_t lane,
                                        unsigned lanes) {
  const F r = Vec::sub(b, a);
  if ((~Vec::toBits(surely<-120, 127>(r)) & lanes) != 0) [[unlikely]] {
    return compared<FloorAlways>(b, a, faults, lane, lanes);
  }
  return r;
}

/// Some lanes, or all of them from `from` on.
template <bool Full, bool FloorAlways>
[[gnu::noinline]] void cmpfLoop(const LaneSet& s, Source b, Source a, double* flags, Faults& faults,
                                std::size_t from) {
  each<Full>(
      s,
      [&](std::size_t lane, unsigned lanes) {
        const F x = Vec::load(b.p + lane * b.stride);
        const F y = Vec::load(a.p + lane * a.stride);
        put<Full>(flags + lane, compare<FloorAlways>(x, y, faults, lane, lanes), lanes);
      },
      from);
}
template <bool FloorAlways>
void cmpf(const LaneSet& s, double* /*d*/, Source b, Source a, double* flags, Faults& faults) {
  if (flags == nullptr) return;
  if (s.list != nullptr) return cmpfLoop<false, FloorAlways>(s, b, a, flags, faults, 0);
  const std::size_t end = std::size_t{s.count} * kWidth;
  std::size_t lane = 0;
  do {
    const F r = Vec::sub(Vec::load(b.p + lane * b.stride), Vec::load(a.p + lane * a.stride));
    if (Vec::toBits(surely<-120, 127>(r)) != kAll) [[unlikely]] {
      return cmpfLoop<true, FloorAlways>(s, b, a, flags, faults, lane);
    }
    Vec::store(flags + lane, r);
    lane += kWidth;
  } while (lane < end);
}
