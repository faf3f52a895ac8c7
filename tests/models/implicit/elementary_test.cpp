// Our transcendental functions against the library's in extended precision, over numbers of all
// sizes and at the edges of domains.
#include "models/implicit/elementary.hpp"

#include <cmath>

#include "models/implicit/point.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::test {
namespace {

constexpr unsigned kSeed = 17;
using Library = long double (*)(long double);

struct Row {
  Function function;
  const char* name;
  Library library;
};
const Row kRows[] = {
    {Function::Exp, "exp", std::exp},       {Function::Exp2, "exp2", std::exp2},
    {Function::Log, "log", std::log},       {Function::Log2, "log2", std::log2},
    {Function::Sin, "sin", std::sin},       {Function::Cos, "cos", std::cos},
    {Function::Tan, "tan", std::tan},       {Function::Asin, "asin", std::asin},
    {Function::Acos, "acos", std::acos},    {Function::Atan, "atan", std::atan},
    {Function::Sinh, "sinh", std::sinh},    {Function::Cosh, "cosh", std::cosh},
    {Function::Tanh, "tanh", std::tanh},    {Function::Asinh, "asinh", std::asinh},
    {Function::Acosh, "acosh", std::acosh}, {Function::Atanh, "atanh", std::atanh},
};

/// Units in the last place between a binary32 result and the exact one.
long double unitsOff(float got, long double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9L;
  const auto nearest = static_cast<float>(want);
  if (std::isinf(nearest) || std::isinf(got)) return got == nearest ? 0 : 1e9L;
  if (want == 0) return got == 0 ? 0 : 1e9L;
  const int exponent = std::max(std::ilogb(want), -126);
  return std::abs(static_cast<long double>(got) - want) / std::ldexp(1.0L, exponent - 23);
}

float anyNumber(std::mt19937& random) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (random() % 4) {
    case 0:
      return std::bit_cast<float>(bits);  // all of binary32
    case 1:
      return std::ldexp(static_cast<float>(bits) / 0x1p31F - 1, 2);
    case 2:
      return 1 +
             std::ldexp(static_cast<float>(bits) / 0x1p31F - 1, -static_cast<int>(random() % 24));
    default:
      return std::ldexp(static_cast<float>(bits) / 0x1p31F - 1,
                        static_cast<int>(random() % 40) - 20);
  }
}

class Functions : public ::testing::TestWithParam<Row> {};

TEST_P(Functions, AreWithinOneUnit) {
  const auto& [function, name, library] = GetParam();
  std::mt19937 random(kSeed);
  long double worst = 0;
  const auto check = [&](float a) {
    const float got = point::unary(function, a);
    const long double want = library(static_cast<long double>(a));
    // What overflows binary32 may round either way at the limit.
    const long double off = unitsOff(got, want);
    worst = std::max(worst, off);
    EXPECT_LT(off, 1) << name << "(" << a << ") = " << got << ", seed " << kSeed;
  };
  for (unsigned n = 0; n < 40 * RTVP_BOXES && !HasFailure(); ++n) check(anyNumber(random));
  for (const float edge :
       {0.0F,       1.0F,   0.5F,       2.0F,       0.41421357F, 0.99999994F, 1.0000001F,
        1.05F,      0.17F,  1.5707964F, 3.1415927F, 88.72283F,   88.72284F,   103.97F,
        127.99999F, 128.0F, 149.0F,     150.0F,     1048576.0F,  1048577.0F,  1.6e7F,
        3.4e38F,    1e-38F, 1e-45F,     INFINITY}) {
    check(edge);
    check(-edge);
  }
  EXPECT_TRUE(std::isnan(point::unary(function, NAN)));
  EXPECT_LT(worst, 0.5001L);
  RecordProperty("worst_units", std::to_string(static_cast<double>(worst)));
}

INSTANTIATE_TEST_SUITE_P(All, Functions, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Functions, OfTwoNumbersAreWithinOneUnit) {
  std::mt19937 random(kSeed);
  for (unsigned n = 0; n < 40 * RTVP_BOXES && !HasFailure(); ++n) {
    const float a = anyNumber(random), b = anyNumber(random);
    EXPECT_LT(unitsOff(point::binary(Function::Atan2, a, b),
                       std::atan2(static_cast<long double>(a), static_cast<long double>(b))),
              1)
        << "atan2 " << a << " " << b << ", seed " << kSeed;
    const float base = std::abs(a);
    if (!(base > 0) || std::isnan(b)) continue;
    EXPECT_LT(unitsOff(point::binary(Function::Pow, base, b),
                       std::pow(static_cast<long double>(base), static_cast<long double>(b))),
              1)
        << "pow " << base << " " << b << ", seed " << kSeed;
  }
  EXPECT_EQ(point::binary(Function::Pow, 1.0F, INFINITY), 1);
  EXPECT_TRUE(std::isnan(point::binary(Function::Pow, 1.0F, NAN)));  // not as in C
  EXPECT_EQ(point::binary(Function::Pow, INFINITY, -1.0F), 0);
}

}  // namespace
}  // namespace rtvp::implicit::test
