// Every arithmetic operation against the definitional oracle on edge-biased inputs
// (performance.md 3.4).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>

#include "models/c32/float40.hpp"
#include "models/c32/integer_ops.hpp"
#include "tests/models/c32/oracle.hpp"

namespace rtvp::c32 {
namespace {

constexpr std::uint64_t kSeed = 0x7135'1996'C32Aull;

/// Pairs per operation: one million, or RTVP_C32_PAIRS for a nightly run.
std::uint64_t pairs() {
  const char* wanted = std::getenv("RTVP_C32_PAIRS");
  return wanted == nullptr ? 1'000'000 : std::strtoull(wanted, nullptr, 10);
}

class Inputs {
 public:
  explicit Inputs(std::uint64_t seed) : random_(seed) {}

  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  std::uint32_t mantissa() {
    static constexpr std::uint32_t kEdges[] = {
        0,          1,          0xFFFFFFFF, 2,          0xFFFFFFFE, 0x7FFFFFFF,
        0x80000000, 0x80000001, 0xFF,       0x100,      0x7F,       0x80,
        0x7FFFFF80, 0x7FFFFF7F, 0xFFFFFF80, 0xFFFFFF7F, 0x40000000, 0xC0000000,
        0xBFFFFFFF, 0x3FFFFFFF, 0x800000FF, 0x80000100};
    switch (word() % 4) {
      case 0:
        return kEdges[word() % std::size(kEdges)];
      case 1:
        return word() & 0xFFFFFF00u;
      default:
        return word();
    }
  }
  int exponent() {
    switch (word() % 5) {
      case 0:
        return static_cast<std::int8_t>(word());
      case 1:
        return static_cast<int>(word() % 41) - 20;
      case 2:
        return static_cast<int>(word() % 71) - 35;
      case 3:
        return -128 + static_cast<int>(word() % 6);
      default:
        return 122 + static_cast<int>(word() % 6);
    }
  }
  Float40 value() { return {static_cast<std::int8_t>(exponent()), mantissa()}; }

  /// Every 16th pair nearly equal or nearly opposite.
  void pair(Float40& a, Float40& b) {
    a = value();
    b = value();
    if (word() % 16 != 0) return;
    b = a;
    if (word() % 2 != 0) b.mantissa = 0u - b.mantissa;
    b.mantissa += word() % 5 - 2;
    const int e = b.exponent + static_cast<int>(word() % 3) - 1;
    if (e >= -128 && e <= 127) b.exponent = static_cast<std::int8_t>(e);
  }

  std::uint32_t integer() {
    static constexpr std::uint32_t kEdges[] = {
        0,        1,        2,        0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001,
        0x7FFFFF, 0x800000, 0xFFFFFF, 0x1000000,  0xFF800000, 31,         32,
        33,       0x60,     0x5F,     0x40,       0x3F};
    switch (word() % 4) {
      case 0:
        return kEdges[word() % std::size(kEdges)];
      case 1:
        return word() % 256;
      default:
        return word();
    }
  }

 private:
  std::mt19937_64 random_;
};

oracle::Value toOracle(Float40 x) {
  return {x.exponent, x.mantissa};
}

std::uint32_t mask(const oracle::Flags& f) {
  return (f.c ? kC : 0u) | (f.v ? kV : 0u) | (f.z ? kZ : 0u) | (f.n ? kN : 0u) | (f.uf ? kUF : 0u);
}

std::string show(Float40 x) {
  char text[16];
  std::snprintf(text, sizeof text, "%02X:%08X",
                static_cast<unsigned>(static_cast<std::uint8_t>(x.exponent)), x.mantissa);
  return text;
}

bool same(const FloatResult& got, const oracle::FloatOut& want, std::uint32_t ignore = 0) {
  return got.value.exponent == want.value.exponent && got.value.mantissa == want.value.field &&
         ((got.flags ^ mask(want.flags)) & ~ignore) == 0;
}
bool same(const IntegerResult& got, const oracle::WordOut& want) {
  return got.value == want.value && got.flags == mask(want.flags);
}

template <class Got, class Want>
void checkFloatPairs(const char* name, Got got, Want want) {
  Inputs inputs(kSeed);
  const std::uint64_t count = pairs();
  for (std::uint64_t i = 0; i < count; ++i) {
    Float40 a;
    Float40 b;
    inputs.pair(a, b);
    ASSERT_TRUE(same(got(a, b), want(toOracle(a), toOracle(b))))
        << name << " " << show(a) << " " << show(b) << " gave " << show(got(a, b).value)
        << " flags " << got(a, b).flags << ", seed " << kSeed << ", pair " << i;
  }
}

TEST(C32ArithProperty, Addf) {
  for (const bool ignore : {true, false}) {
    const Alignment policy = ignore ? Alignment::IgnoreFrom32 : Alignment::FloorAlways;
    checkFloatPairs(
        "ADDF", [=](Float40 a, Float40 b) { return addf(a, b, policy); },
        [=](oracle::Value a, oracle::Value b) { return oracle::add(a, b, ignore); });
  }
}

TEST(C32ArithProperty, Subf) {
  for (const bool ignore : {true, false}) {
    const Alignment policy = ignore ? Alignment::IgnoreFrom32 : Alignment::FloorAlways;
    checkFloatPairs(
        "SUBF", [=](Float40 a, Float40 b) { return subf(a, b, policy); },
        [=](oracle::Value a, oracle::Value b) { return oracle::subtract(a, b, ignore); });
  }
}

TEST(C32ArithProperty, Cmpf) {
  for (const bool ignore : {true, false}) {
    const Alignment policy = ignore ? Alignment::IgnoreFrom32 : Alignment::FloorAlways;
    checkFloatPairs(
        "CMPF",
        [=](Float40 a, Float40 b) {
          return FloatResult{{}, compareFlags(a, b, policy)};
        },
        [=](oracle::Value a, oracle::Value b) {
          oracle::FloatOut out = oracle::subtract(a, b, ignore);
          out.value = toOracle(Float40{});
          return out;
        });
  }
}

TEST(C32ArithProperty, Mpyf) {
  checkFloatPairs(
      "MPYF", [](Float40 a, Float40 b) { return mpyf(a, b); },
      [](oracle::Value a, oracle::Value b) { return oracle::multiply(a, b); });
}

TEST(C32ArithProperty, UnaryFloat) {
  Inputs inputs(kSeed + 1);
  const std::uint64_t count = pairs();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Float40 x = inputs.value();
    const oracle::Value o = toOracle(x);
    ASSERT_TRUE(same(negf(x), oracle::negate(o))) << "NEGF " << show(x);
    ASSERT_TRUE(same(absf(x), oracle::absolute(o))) << "ABSF " << show(x);
    ASSERT_TRUE(same(rnd(x), oracle::round(o), kZ)) << "RND " << show(x);
    ASSERT_TRUE(same(norm(x), oracle::normalize(o))) << "NORM " << show(x);
    ASSERT_TRUE(same(fix(x), oracle::toInteger(o))) << "FIX " << show(x);
  }
}

TEST(C32ArithProperty, Integers) {
  Inputs inputs(kSeed + 2);
  const std::uint64_t count = pairs();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t a = inputs.integer();
    const std::uint32_t b = inputs.integer();
    const std::uint32_t carry = inputs.word() & 1u;
    const bool ovm = (inputs.word() & 1u) != 0;
    const IntegerMode mode{ovm, true};
    ASSERT_TRUE(same(addi(a, b, carry, mode), oracle::addIntegers(a, b, carry, ovm)))
        << a << " + " << b;
    ASSERT_TRUE(same(subi(a, b, carry, mode), oracle::subtractIntegers(a, b, carry, ovm)))
        << a << " - " << b;
    ASSERT_TRUE(same(mpyi(a, b, mode), oracle::multiplyIntegers(a, b, ovm))) << a << " * " << b;
    ASSERT_TRUE(same(absi(a, mode), oracle::absoluteInteger(a, ovm))) << a;
    ASSERT_TRUE(same(lsh(a, b), oracle::shift(a, b, false))) << a << " LSH " << b;
    ASSERT_TRUE(same(ash(a, b), oracle::shift(a, b, true))) << a << " ASH " << b;
    ASSERT_TRUE(same(floatFromInteger(a), oracle::fromInteger(a))) << "FLOAT " << a;
  }
}

TEST(C32ArithProperty, ConversionsRoundTrip) {
  Inputs inputs(kSeed + 3);
  for (int i = 0; i < 300'000; ++i) {
    const Float40 x = inputs.value();
    const Float40 canonical = x.isZero() ? kFloatZero : x;
    ASSERT_EQ(extendedFromDouble(toDouble(x)), canonical) << show(x);
    const std::uint32_t word = inputs.word();
    const bool zero = (word >> 24) == 0x80;
    ASSERT_EQ(singleFromDouble(doubleFromSingle(word)), zero ? 0x80000000u : word) << word;
    ASSERT_EQ(singleFromExtended(extendedFromSingle(word)), word);
    // IEEE: exact for every single whose exponent IEEE has as a normal number.
    const int e = static_cast<std::int8_t>(word >> 24);
    if (e < -126 || e == 127) continue;
    const std::uint32_t bits = ieeeFromSingle(word);
    ASSERT_EQ(singleFromIeee(bits), word) << word;
    ASSERT_EQ(static_cast<double>(std::bit_cast<float>(bits)), doubleFromSingle(word)) << word;
  }
}

/// Nearest single: no other single is closer.
TEST(C32ArithProperty, SingleFromDoubleIsNearest) {
  std::mt19937_64 random(kSeed + 4);
  std::uniform_real_distribution<double> mantissa(-2.0, 2.0);
  std::uniform_int_distribution<int> exponent(-100, 100);
  for (int i = 0; i < 300'000; ++i) {
    const double x = std::ldexp(mantissa(random), exponent(random));
    const Float40 s = extendedFromSingle(singleFromDouble(x));
    const double error = std::abs(toDouble(s) - x);
    const Float40 unit{static_cast<std::int8_t>(s.exponent - 23), 0};
    ASSERT_LE(error, std::abs(toDouble(subf(addf(s, unit).value, {}).value) - x)) << x;
    ASSERT_LE(error, std::abs(toDouble(subf(s, unit).value) - x)) << x;
  }
}

}  // namespace
}  // namespace rtvp::c32
