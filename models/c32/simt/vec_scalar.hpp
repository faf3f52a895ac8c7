// One lane a vector, plain C++: the fallback for every host. Included by one translation unit only,
// inside its own namespace.
struct Vec {
  static constexpr unsigned kWidth = 1;
  using F = double;
  using I = std::uint64_t;
  using K = bool;

  static F load(const double* p) { return *p; }
  static void store(double* p, F x) { *p = x; }
  static I loadWords(const void* p) {
    return static_cast<I>(std::int64_t{*static_cast<const std::int32_t*>(p)});
  }
  static void storeWords(void* p, I x) {
    *static_cast<std::uint32_t*>(p) = static_cast<std::uint32_t>(x);
  }
  static void storeIf(double* p, K k, F x) {
    if (k) *p = x;
  }
  static void storeSome(double* p, F x, unsigned lanes) { storeIf(p, fromBits(lanes), x); }
  static F set(double x) { return x; }
  static I setI(std::int64_t x) { return static_cast<I>(x); }
  static I bits(F x) { return __builtin_bit_cast(I, x); }
  static F value(I x) { return __builtin_bit_cast(F, x); }
  static F add(F a, F b) { return a + b; }
  static F sub(F a, F b) { return a - b; }
  static F mul(F a, F b) { return a * b; }
  static F larger(F a, F b) { return a > b ? a : b; }
  static F smaller(F a, F b) { return a < b ? a : b; }
  static I addI(I a, I b) { return a + b; }
  static I subI(I a, I b) { return a - b; }
  /// Signed product of the low words.
  static I mulWords(I a, I b) {
    return static_cast<I>(std::int64_t{static_cast<std::int32_t>(a)} *
                          static_cast<std::int32_t>(b));
  }
  /// By counts up to 64, which leave nothing.
  static I leftBy(I a, I n) { return n < 64 ? a << n : 0; }
  static I rightBy(I a, I n) { return n < 64 ? a >> n : 0; }
  static I andI(I a, I b) { return a & b; }
  static I orI(I a, I b) { return a | b; }
  static I xorI(I a, I b) { return a ^ b; }
  static I andnI(I a, I b) { return ~a & b; }
  template <int N>
  static I right(I a) {
    return a >> N;
  }
  template <int N>
  static I left(I a) {
    return a << N;
  }
  /// Negative ones plus 2^N - 1.
  template <int N>
  static I lifted(I a) {
    return a + ((I{1} << N) - 1) * (a >> 63);
  }
  static K negative(I a) { return a >> 63 != 0; }
  static K equal(F a, F b) { return a == b; }
  static K less(F a, F b) { return a < b; }
  static K lessEqual(F a, F b) { return a <= b; }
  static K lessI(I a, I b) { return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b); }
  static K equalI(I a, I b) { return a == b; }
  static K andK(K a, K b) { return a && b; }
  static K orK(K a, K b) { return a || b; }
  static K notK(K a) { return !a; }
  static bool any(K a) { return a; }
  static unsigned toBits(K a) { return a ? 1u : 0u; }
  static K fromBits(unsigned x) { return (x & 1u) != 0; }
  /// Of words, two a vector: their highest bits; those of a table at places.
  template <class W>
  static unsigned topBits(W w) {
    return (w[0] >> 31) | (w[1] >> 31) << 1;
  }
  template <class W>
  static W lookUp(const std::uint32_t* table, W places) {
    for (unsigned i = 0; i < 2 * kWidth; ++i) places[i] = table[places[i]];
    return places;
  }
  static F blend(K k, F yes, F no) { return k ? yes : no; }
  static I blendI(K k, I yes, I no) { return k ? yes : no; }
  static F zeroIf(K k, F x) { return k ? 0.0 : x; }
};
