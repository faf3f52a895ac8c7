// Integer arithmetic, shifts and conversions of kernels_body.hpp, over Vec: a vector holds its
// words sign extended in 64 bits, so that a sum, a difference or a product is exact there and V, N
// and the carry can be read off it (integer_ops.hpp says what they are).

/// N and Z of an exact result whose low word is the value; -0.0 if it is negative and its word
/// zero.
[[gnu::always_inline]] inline F exactFlags(I exact) {
  const K zero = Vec::equalI(Vec::left<32>(exact), Vec::setI(0));
  const I size = Vec::bits(Vec::zeroIf(zero, Vec::set(1.0)));
  return Vec::value(Vec::orI(size, Vec::andI(exact, Vec::setI(kSign))));
}

/// Lanes whose exact result is no word.
[[gnu::always_inline]] inline unsigned beyondWord(I exact) {
  const I high = Vec::right<32>(Vec::addI(exact, Vec::setI(0x80000000)));
  return ~Vec::toBits(Vec::equalI(high, Vec::setI(0))) & kAll;
}

[[gnu::always_inline]] inline I unsignedWord(I x) {
  return Vec::andI(x, Vec::setI(0xFFFFFFFF));
}

/// What an operation makes of a vector: the value in the low words, what N and Z come from, and the
/// lanes with a carry and an overflow.
struct Worked {
  I value;
  F flags;
  unsigned carry;
  unsigned overflow;
};

template <bool Full, class Op>
[[gnu::always_inline]] inline void integerLoop(const LaneSet& s, std::uint32_t* d, WordSource b,
                                               WordSource a, double* flags, LaneMask& carry,
                                               LaneMask& overflow, Op op) {
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const Worked w =
        op(Vec::loadWords(b.p + lane * b.stride), Vec::loadWords(a.p + lane * a.stride));
    putWords<Full>(d + lane, w.value, lanes);
    addLanes(carry, lane, w.carry & lanes);
    if (w.overflow != 0) addLanes(overflow, lane, w.overflow & lanes);
    if (flags != nullptr) put<Full>(flags + lane, w.flags, lanes);
  });
}
template <class Op>
[[gnu::always_inline]] inline void integerOp(const LaneSet& s, std::uint32_t* d, WordSource b,
                                             WordSource a, double* flags, LaneMask& carry,
                                             LaneMask& overflow, Op op) {
  if (s.list == nullptr) {
    integerLoop<true>(s, d, b, a, flags, carry, overflow, op);
  } else {
    integerLoop<false>(s, d, b, a, flags, carry, overflow, op);
  }
}

/// What an operation makes of twice as many words a vector where nobody wants N and Z: the value,
/// and carry and overflow in the highest bits of words.
struct PlainlyWorked {
  W value;
  W carry;
  W overflow;
};

template <class Op>
[[gnu::always_inline]] inline void plainIntegers(const LaneSet& s, std::uint32_t* d, WordSource b,
                                                 WordSource a, LaneMask& carry, LaneMask& overflow,
                                                 Op op) {
  const std::size_t end = std::size_t{s.count} * kWidth;
  for (std::size_t lane = 0; lane < end; lane += 2 * kWidth) {
    const PlainlyWorked w = op(wordsAt(b, lane), wordsAt(a, lane));
    __builtin_memcpy(d + lane, &w.value, sizeof w.value);
    // The last vector may hold words that are no lane's.
    const unsigned lanes = end - lane < 2 * kWidth ? kAll : ~0U;
    addLanes(carry, lane, Vec::topBits(w.carry) & lanes);
    const unsigned over = Vec::topBits(w.overflow) & lanes;
    if (over != 0) [[unlikely]]
      addLanes(overflow, lane, over);
  }
}
[[gnu::always_inline]] inline bool isPlain(const LaneSet& s, const double* flags) {
  return s.list == nullptr && flags == nullptr;
}

void addWords(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags,
              LaneMask& carry, LaneMask& overflow) {
  if (isPlain(s, flags)) {
    plainIntegers(s, d, b, a, carry, overflow, [](W x, W y) -> PlainlyWorked {
      const W sum = x + y;
      return {sum, (x & y) | ((x | y) & ~sum), (x ^ sum) & (y ^ sum)};
    });
    return;
  }
  integerOp(s, d, b, a, flags, carry, overflow, [](I x, I y) -> Worked {
    const I exact = Vec::addI(x, y);
    const I plain = Vec::addI(unsignedWord(x), unsignedWord(y));
    const unsigned none = Vec::toBits(Vec::equalI(Vec::right<32>(plain), Vec::setI(0)));
    return {exact, exactFlags(exact), ~none & kAll, beyondWord(exact)};
  });
}

void subtractWords(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags,
                   LaneMask& carry, LaneMask& overflow) {
  if (isPlain(s, flags)) {
    plainIntegers(s, d, b, a, carry, overflow, [](W x, W y) -> PlainlyWorked {
      const W difference = x - y;
      return {difference, (~x & y) | ((~x | y) & difference), (x ^ y) & (x ^ difference)};
    });
    return;
  }
  integerOp(s, d, b, a, flags, carry, overflow, [](I x, I y) -> Worked {
    const I exact = Vec::subI(x, y);
    const K borrow = Vec::lessI(unsignedWord(x), unsignedWord(y));
    return {exact, exactFlags(exact), Vec::toBits(borrow), beyondWord(exact)};
  });
}

/// 24 by 24 bits; no carry.
void multiplyWords(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags,
                   LaneMask& carry, LaneMask& overflow) {
  integerOp(s, d, b, a, flags, carry, overflow, [](I x, I y) -> Worked {
    const auto cut = [](I w) {
      const I low = Vec::andI(w, Vec::setI(0xFFFFFF));
      return Vec::subI(Vec::xorI(low, Vec::setI(0x800000)), Vec::setI(0x800000));
    };
    const I exact = Vec::mulWords(cut(x), cut(y));
    return {exact, exactFlags(exact), 0, beyondWord(exact)};
  });
}

/// The low seven bits as a count, left if it is positive.
struct Shift {
  I left;
  I right;
  K isLeft;
};
[[gnu::always_inline]] inline Shift shiftOf(I word) {
  const I low = Vec::andI(word, Vec::setI(0x7F));
  const I count = Vec::subI(Vec::xorI(low, Vec::setI(0x40)), Vec::setI(0x40));
  const K left = Vec::lessI(Vec::setI(0), count);
  const I zero = Vec::setI(0);
  return {Vec::blendI(left, count, zero), Vec::blendI(left, zero, Vec::subI(zero, count)), left};
}
[[gnu::always_inline]] inline unsigned lanesOfBit(I x, I bit) {
  return ~Vec::toBits(Vec::equalI(Vec::andI(x, bit), Vec::setI(0))) & kAll;
}

/// All ones where the shift by `count`, as an unsigned number, leaves anything of a word.
[[gnu::always_inline]] inline W inWord(W count) {
  return __builtin_bit_cast(W, count < W{} + 32U);
}

/// LSH of words. What is shifted out last is, to the left by n, bit 32 - n; to the right, bit n -
/// 1: either goes to the top by a shift to the left.
[[gnu::always_inline]] inline PlainlyWorked shiftPlainly(W x, W y) {
  const W count = ((y & 0x7FU) ^ 0x40U) - 0x40U;
  const W back = W{} - count;
  const W toRight = W{} - (count >> 31);
  const W up = (x << (count & 31U)) & inWord(count);
  const W down = (x >> (back & 31U)) & inWord(back);
  const W out = (count + (toRight & 32U)) - (~toRight & 1U);
  const W carry = (x << (out & 31U)) & inWord(out);
  return {(up & ~toRight) | (down & toRight), carry, W{}};
}

/// LSH. To the right the word is moved one place up first: the last bit out stays in bit 0.
void shiftWords(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags,
                LaneMask& carry, LaneMask& overflow) {
  if (isPlain(s, flags)) {
    plainIntegers(s, d, b, a, carry, overflow, [](W x, W y) { return shiftPlainly(x, y); });
    return;
  }
  integerOp(s, d, b, a, flags, carry, overflow, [](I x, I y) -> Worked {
    const Shift n = shiftOf(y);
    const I word = unsignedWord(x);
    const I up = Vec::leftBy(word, n.left);
    const I down = Vec::rightBy(Vec::left<1>(word), n.right);
    const I value = Vec::blendI(n.isLeft, up, Vec::right<1>(down));
    const I out = Vec::blendI(n.isLeft, Vec::right<32>(up), down);
    return {value, wordFlags(Vec::left<32>(value)), lanesOfBit(out, Vec::setI(1)), 0};
  });
}

/// ASH; V if a shift to the left loses significant bits.
void shiftSigned(const LaneSet& s, std::uint32_t* d, WordSource b, WordSource a, double* flags,
                 LaneMask& carry, LaneMask& overflow) {
  integerOp(s, d, b, a, flags, carry, overflow, [](I x, I y) -> Worked {
    const Shift n = shiftOf(y);
    const I sign = Vec::subI(Vec::setI(0), Vec::right<63>(x));
    // Complemented where it is negative: zeros that come in from the left are the sign's then.
    const I down = Vec::xorI(Vec::rightBy(Vec::xorI(Vec::left<1>(x), sign), n.right), sign);
    const I up = Vec::leftBy(x, n.left);
    const I value = Vec::blendI(n.isLeft, up, Vec::right<1>(down));
    const I none = Vec::setI(0);
    const I out = Vec::blendI(n.isLeft, Vec::right<32>(Vec::leftBy(unsignedWord(x), n.left)),
                              Vec::blendI(Vec::equalI(n.right, none), none, down));
    const unsigned far =
        Vec::toBits(Vec::lessI(Vec::setI(31), n.left)) & ~Vec::toBits(Vec::equalI(x, none));
    const unsigned lost = (beyondWord(up) & Vec::toBits(n.isLeft)) | far;
    return {value, wordFlags(Vec::left<32>(value)), lanesOfBit(out, Vec::setI(1)), lost & kAll};
  });
}

/// Words of a table at a place of each lane's own.
bool lookUp(std::uint32_t lanes, std::uint32_t* d, const std::uint32_t* addresses,
            const WordTable& t) {
  constexpr std::uint32_t kStep = 2 * kWidth;
  const auto placeOf = [&](auto address) {
    return ((address + t.displacement) & t.addressMask) - t.first;
  };
  std::uint32_t lane = 0;
  for (; lane + kStep <= lanes; lane += kStep) {
    const W place = placeOf(wordsAt({addresses, 1}, lane));
    const W inside = __builtin_bit_cast(W, place < W{} + t.count);
    if (Vec::topBits(inside) != Vec::topBits(~W{})) return false;
    const W strange = Vec::lookUp(t.stamps, place) ^ t.stamp;
    if (Vec::topBits(__builtin_bit_cast(W, strange != W{})) != 0) return false;
    const W words = Vec::lookUp(t.words, place);
    __builtin_memcpy(d + lane, &words, sizeof words);
  }
  for (; lane < lanes; ++lane) {
    const std::uint32_t place = placeOf(addresses[lane]);
    if (place >= t.count || t.stamps[place] != t.stamp) return false;
    d[lane] = t.words[place];
  }
  return true;
}

/// 1.5 x 2^52: in this binade a unit is 1, so that a sum rounded down is floored, and its low bits
/// are the integer.
constexpr double kWhole = 0x1.8p52;

/// FIX: floor, saturated.
template <bool Full>
[[gnu::always_inline]] inline void fixLoop(const LaneSet& s, std::uint32_t* d, Source a,
                                           double* flags, LaneMask& overflow) {
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const F x = Vec::load(a.p + lane * a.stride);
    const K small = Vec::less(x, Vec::set(-0x1p31));
    const K large = Vec::lessEqual(Vec::set(0x1p31), x);
    I word = Vec::subI(Vec::bits(Vec::add(x, Vec::set(kWhole))), Vec::bits(Vec::set(kWhole)));
    const unsigned beyond = Vec::toBits(Vec::orK(small, large)) & lanes;
    if (beyond != 0) [[unlikely]] {
      word = Vec::blendI(small, Vec::setI(-0x80000000LL), word);
      word = Vec::blendI(large, Vec::setI(0x7FFFFFFF), word);
      addLanes(overflow, lane, beyond);
    }
    putWords<Full>(d + lane, word, lanes);
    if (flags != nullptr) put<Full>(flags + lane, wordFlags(word), lanes);
  });
}
void fixWords(const LaneSet& s, std::uint32_t* d, Source a, double* flags, LaneMask& overflow) {
  if (s.list == nullptr) {
    fixLoop<true>(s, d, a, flags, overflow);
  } else {
    fixLoop<false>(s, d, a, flags, overflow);
  }
}

/// FLOAT.
template <bool Full>
[[gnu::always_inline]] inline void floatLoop(const LaneSet& s, double* d, WordSource a,
                                             double* flags) {
  each<Full>(s, [&](std::size_t lane, unsigned lanes) {
    const I word = Vec::loadWords(a.p + lane * a.stride);
    const F biased = Vec::value(Vec::addI(word, Vec::bits(Vec::set(kWhole))));
    // Rounded down, a difference of equal numbers is -0.0.
    const F x = Vec::zeroIf(Vec::equalI(word, Vec::setI(0)), Vec::sub(biased, Vec::set(kWhole)));
    put<Full>(d + lane, x, lanes);
    if (flags != nullptr) put<Full>(flags + lane, x, lanes);
  });
}
void floatWords(const LaneSet& s, double* d, WordSource a, double* flags) {
  if (s.list == nullptr) {
    floatLoop<true>(s, d, a, flags);
  } else {
    floatLoop<false>(s, d, a, flags);
  }
}
