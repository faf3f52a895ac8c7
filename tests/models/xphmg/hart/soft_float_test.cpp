// soft_float against the host's floating-point unit (round to nearest even and the three directed
// modes) and, for ties away, against exact rational arithmetic.
#include "models/xphmg/hart/soft_float.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

#include "models/xphmg/hart/host_float.hpp"

namespace rtvp::rv64::fp {
namespace {

using boost::multiprecision::cpp_rational;
constexpr std::uint64_t kSeed = 20261121;

/// Bit patterns biased towards what goes wrong: specials, subnormals, neighbours of powers of two.
class Operands {
 public:
  explicit Operands(Precision p) : p_(p) {}
  std::uint64_t next() {
    const bool d = p_ == Precision::Double;
    const std::uint64_t mask = d ? ~std::uint64_t{0} : 0xFFFFFFFFU;
    const int fraction = d ? 52 : 23;
    const std::uint64_t sign = (random_() & 1U) << (d ? 63U : 31U);
    const std::uint64_t infinity = (d ? std::uint64_t{0x7FF} : 0xFFU) << fraction;
    switch (random_() % 10) {
      case 0:
        return sign;
      case 1:
        return sign | infinity;
      case 2:
        return sign | infinity | (random_() & ((std::uint64_t{1} << fraction) - 1));
      case 3:
        return sign | (random_() & ((std::uint64_t{1} << fraction) - 1));  // subnormal
      case 4: {                                                            // near a power of two
        const std::uint64_t e = (random_() % (d ? 0x7FEU : 0xFEU)) + 1;
        return (sign | (e << fraction)) + random_() % 5 - 2;
      }
      case 5:
      case 6: {  // middling exponents, so that sums and products meet
        const std::uint64_t bias = d ? 1023 : 127;
        const std::uint64_t e = bias - 8 + random_() % 16;
        return sign | (e << fraction) | (random_() & ((std::uint64_t{1} << fraction) - 1));
      }
      case 7: {  // few significant bits: exact results and ties
        const std::uint64_t bias = d ? 1023 : 127;
        const std::uint64_t e = bias - 4 + random_() % 60;
        return sign | (e << fraction) | ((random_() & 7U) << (fraction - 3));
      }
      default:
        return random_() & mask;
    }
  }

 private:
  Precision p_;
  std::mt19937_64 random_{kSeed};
};

constexpr std::array kHostModes{Rounding::RNE, Rounding::RTZ, Rounding::RDN, Rounding::RUP};

template <typename T>
T fromBits(std::uint64_t bits) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<T>(static_cast<Bits>(bits));
}
template <typename T>
std::uint64_t toBits(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(value);
}

/// The host's result in RISC-V's terms.
template <typename T, typename F>
Result onHost(Precision p, Rounding rm, F operation) {
  HostUnit unit;
  unit.enter();
  HostUnit::setRounding(rm);
  const T value = operation();
  const std::uint8_t flags = unit.leave();
  return {isNan(p, toBits(value)) ? canonicalNan(p) : toBits(value), flags};
}

template <typename T>
void compareWithHost(Precision p, int count) {
  Operands operands(p);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t a = operands.next();
    const std::uint64_t b = operands.next();
    const std::uint64_t c = operands.next();
    const T x = fromBits<T>(a);
    const T y = fromBits<T>(b);
    const T z = fromBits<T>(c);
    for (const Rounding rm : kHostModes) {
      const auto where = [&] {
        std::ostringstream out;
        out << std::hex << "seed " << kSeed << " operands " << a << ' ' << b << ' ' << c << " rm "
            << static_cast<int>(rm);
        return out.str();
      };
      ASSERT_EQ(add(p, a, b, rm), onHost<T>(p, rm, [&] { return hostAdd(x, y); })) << where();
      ASSERT_EQ(sub(p, a, b, rm), onHost<T>(p, rm, [&] { return hostSub(x, y); })) << where();
      ASSERT_EQ(mul(p, a, b, rm), onHost<T>(p, rm, [&] { return hostMul(x, y); })) << where();
      ASSERT_EQ(div(p, a, b, rm), onHost<T>(p, rm, [&] { return hostDiv(x, y); })) << where();
      ASSERT_EQ(sqrt(p, a, rm), onHost<T>(p, rm, [&] { return hostSqrt(x); })) << where();
      const bool special = isNan(p, a) || isNan(p, b) || isNan(p, c);
      if (HostUnit::hasFma() && !special) {
        ASSERT_EQ(fma(p, a, b, c, rm), onHost<T>(p, rm, [&] { return hostFma(x, y, z); }))
            << where();
      }
      if (p == Precision::Double) {
        const auto narrow = convert(Precision::Double, Precision::Single, a, rm);
        ASSERT_EQ(narrow, onHost<float>(Precision::Single, rm,
                                        [&] { return hostNarrow(fromBits<double>(a)); }))
            << where();
      }
      ASSERT_EQ(fromInteger(p, a, true, rm),
                onHost<T>(p, rm, [&] { return hostFromSigned(static_cast<std::int64_t>(a), T{}); }))
          << where();
    }
  }
}

TEST(SoftFloat, EqualsTheHostsUnitInSinglePrecision) {
  if (!HostUnit::kAvailable) GTEST_SKIP() << "this host's floating-point unit is not used";
  compareWithHost<float>(Precision::Single, 200000);
}

TEST(SoftFloat, EqualsTheHostsUnitInDoublePrecision) {
  if (!HostUnit::kAvailable) GTEST_SKIP() << "this host's floating-point unit is not used";
  compareWithHost<double>(Precision::Double, 200000);
}

cpp_rational exactly(double value) {
  return cpp_rational(value);
}

/// Of the two neighbours the nearer one; of two equally near ones the larger in magnitude.
double nearestAway(const cpp_rational& exact, double below, double above) {
  if (below == above) return below;
  const cpp_rational low = exact - exactly(below);
  const cpp_rational high = exactly(above) - exact;
  if (low != high) return low < high ? below : above;
  return std::abs(below) > std::abs(above) ? below : above;
}

TEST(SoftFloat, TiesAwayAgreesWithExactArithmetic) {
  Operands operands(Precision::Double);
  int compared = 0;
  while (compared < 3000) {
    const std::uint64_t a = operands.next();
    const std::uint64_t b = operands.next();
    const double x = fromBits<double>(a);
    const double y = fromBits<double>(b);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const auto check = [&](const cpp_rational& exact, const Result& down, const Result& up,
                           const Result& away) {
      const double below = fromBits<double>(down.bits);
      const double above = fromBits<double>(up.bits);
      if (!std::isfinite(below) || !std::isfinite(above)) return;
      EXPECT_EQ(fromBits<double>(away.bits), nearestAway(exact, below, above))
          << std::hex << "seed " << kSeed << " operands " << a << ' ' << b;
      ++compared;
    };
    const auto p = Precision::Double;
    check(exactly(x) + exactly(y), add(p, a, b, Rounding::RDN), add(p, a, b, Rounding::RUP),
          add(p, a, b, Rounding::RMM));
    check(exactly(x) * exactly(y), mul(p, a, b, Rounding::RDN), mul(p, a, b, Rounding::RUP),
          mul(p, a, b, Rounding::RMM));
  }
}

TEST(SoftFloat, TiesAwayOverflowsToInfinity) {
  const std::uint64_t largest = 0x7FEFFFFFFFFFFFFFU;
  const Result r = add(Precision::Double, largest, largest, Rounding::RMM);
  EXPECT_EQ(r, (Result{0x7FF0000000000000U, kOF | kNX}));
}

TEST(SoftFloat, InfinityTimesZeroIsInvalidEvenWithAQuietNanAddend) {
  const Result r = fma(Precision::Single, 0x7F800000U, 0, 0x7FC00001U, Rounding::RNE);
  EXPECT_EQ(r, (Result{0x7FC00000U, kNV}));
}

TEST(SoftFloat, ConversionsToIntegersSaturate) {
  const auto d = [](double value) { return toBits(value); };
  const auto p = Precision::Double;
  const std::uint64_t ones = ~std::uint64_t{0};
  struct Case {
    double value;
    unsigned width;
    bool is_signed;
    Rounding rm;
    Result expected;
  };
  const std::array cases{
      Case{1.5, 32, true, Rounding::RNE, {2, kNX}},
      Case{2.5, 32, true, Rounding::RNE, {2, kNX}},
      Case{2.5, 32, true, Rounding::RMM, {3, kNX}},
      Case{-2.5, 32, true, Rounding::RMM, {ones - 2, kNX}},
      Case{-0.5, 32, false, Rounding::RTZ, {0, kNX}},
      Case{-0.5, 32, false, Rounding::RDN, {0, kNV}},
      Case{-1, 32, false, Rounding::RNE, {0, kNV}},
      Case{4294967295.0, 32, false, Rounding::RNE, {ones, 0}},
      Case{4294967296.0, 32, false, Rounding::RNE, {ones, kNV}},
      Case{2147483648.0, 32, true, Rounding::RNE, {0x7FFFFFFF, kNV}},
      Case{-2147483648.0, 32, true, Rounding::RNE, {0xFFFFFFFF80000000U, 0}},
      Case{-2147483649.0, 32, true, Rounding::RNE, {0xFFFFFFFF80000000U, kNV}},
      Case{9223372036854775808.0, 64, true, Rounding::RNE, {0x7FFFFFFFFFFFFFFFU, kNV}},
      Case{9223372036854775808.0, 64, false, Rounding::RNE, {0x8000000000000000U, 0}},
      Case{18446744073709551616.0, 64, false, Rounding::RNE, {ones, kNV}},
      Case{1e300, 64, false, Rounding::RNE, {ones, kNV}},
      Case{-1e300, 64, true, Rounding::RNE, {0x8000000000000000U, kNV}},
      Case{1e-300, 64, true, Rounding::RUP, {1, kNX}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(toInteger(p, d(c.value), c.width, c.is_signed, c.rm), c.expected)
        << c.value << " width " << c.width << " signed " << c.is_signed;
  }
  EXPECT_EQ(toInteger(p, 0x7FF8000000000000U, 32, true, Rounding::RNE), (Result{0x7FFFFFFF, kNV}));
}

TEST(SoftFloat, MinimumPrefersNegativeZeroAndNumbers) {
  const auto p = Precision::Single;
  EXPECT_EQ(min(p, 0x00000000U, 0x80000000U).bits, 0x80000000U);
  EXPECT_EQ(max(p, 0x80000000U, 0x00000000U).bits, 0x00000000U);
  EXPECT_EQ(min(p, 0x7FC00000U, 0x3F800000U), (Result{0x3F800000U, 0}));
  EXPECT_EQ(max(p, 0x7F800001U, 0x3F800000U), (Result{0x3F800000U, kNV}));
  EXPECT_EQ(min(p, 0x7FC00000U, 0x7FC00001U), (Result{0x7FC00000U, 0}));
}

TEST(SoftFloat, OnlyOrderedComparisonsSignalQuietNans) {
  const auto p = Precision::Double;
  const std::uint64_t quiet = 0x7FF8000000000000U;
  const std::uint64_t signalling = 0x7FF0000000000001U;
  EXPECT_EQ(equal(p, quiet, 0), (Result{0, 0}));
  EXPECT_EQ(equal(p, signalling, 0), (Result{0, kNV}));
  EXPECT_EQ(less(p, quiet, 0), (Result{0, kNV}));
  EXPECT_EQ(lessOrEqual(p, 0, 0x8000000000000000U), (Result{1, 0}));
  EXPECT_EQ(less(p, 0x8000000000000000U, 0), (Result{0, 0}));
}

TEST(SoftFloat, ClassifiesTenKinds) {
  const auto p = Precision::Single;
  const std::array<std::uint64_t, 10> ofEachClass{
      0xFF800000U, 0xBF800000U, 0x80000001U, 0x80000000U, 0,
      0x00000001U, 0x3F800000U, 0x7F800000U, 0x7F800001U, 0x7FC00000U};
  for (unsigned i = 0; i < ofEachClass.size(); ++i) {
    EXPECT_EQ(classify(p, ofEachClass[i]), std::uint64_t{1} << i) << i;
  }
}

}  // namespace
}  // namespace rtvp::rv64::fp
