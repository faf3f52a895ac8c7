// Float routines of the runtime library against double precision: thousands of
// seeded arguments and the edges of each; bounds in units of a single's last
// place, as the sources state them.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "models/c32/isa.hpp"
#include "tests/firmware/runtime/runtime_machine.hpp"

namespace rtvp::c32::testing {
namespace {

using Function = std::function<double(double)>;
const double kMost = doubleFromSingle(0x7F7FFFFF);
const double kLeast = doubleFromSingle(0x7F800000);

class RuntimeFloat : public ::testing::Test {
 protected:
  static RuntimeMachine& machine() {
    static RuntimeMachine m;
    return m;
  }
  double at(const std::string& name, double x) {
    cycles_ = machine().call(name, {x});
    return machine().resultFloat();
  }
  double at(const std::string& name, double x, double y) {
    cycles_ = machine().call(name, {x, y});
    return machine().resultFloat();
  }
  /// The greatest error over `arguments` must not exceed `bound`. Expected
  /// values below 2^-127 may be 0.
  void check(const std::string& name, const Function& expected,
             const std::vector<double>& arguments, double bound, Cycle cycles = 0) {
    double worst = 0;
    double where = 0;
    for (const double x : arguments) {
      const double want = expected(x);
      const double got = at(name, x);
      if (cycles != 0) {
        ASSERT_EQ(cycles_, cycles) << name << " " << x;
      }
      const double error = ulps(got, want);
      if (error > worst) {
        worst = error;
        where = x;
      }
    }
    EXPECT_LE(worst, bound) << name << " at " << std::hexfloat << where << std::defaultfloat << " "
                            << where;
    RecordProperty("ulps", std::to_string(worst));
  }
  static std::vector<double> uniform(double low, double high, unsigned n, std::uint32_t seed) {
    Singles random(seed);
    std::vector<double> result{low, high};
    while (result.size() < n) result.push_back(random.uniform(low, high));
    for (double& x : result) x = doubleFromSingle(singleFromDouble(x));
    return result;
  }
  static std::vector<double> magnitudes(int low, int high, bool positive, unsigned n,
                                        std::uint32_t seed) {
    Singles random(seed);
    std::vector<double> result;
    while (result.size() < n) {
      const double x = random.anyMagnitude(low, high);
      result.push_back(positive ? std::abs(x) : x);
    }
    return result;
  }
  Cycle cycles_ = 0;
};

TEST_F(RuntimeFloat, Reciprocal) {
  // LDF CALL RND RETS and rt_inv: 16, POP, BUD and slots
  check(
      "_recip", [](double x) { return 1 / x; }, magnitudes(-126, 99, false, 4000, 1), 0.56,
      1 + 4 + 1 + 4 + 15 + 1 + 4);
  EXPECT_EQ(at("_recip", 1), 1);
  EXPECT_EQ(at("_recip", -4), -0.25);
  EXPECT_EQ(at("_recip", 0), kMost);
  EXPECT_EQ(at("_recip", std::ldexp(1.5, 127)), 0);
  check(
      "_recip", [](double x) { return 1 / x; }, magnitudes(100, 125, false, 1000, 40), 1024);
}

TEST_F(RuntimeFloat, Division) {
  Singles random(2);
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const double a = random.anyMagnitude(-50, 50);
    const double b = random.anyMagnitude(-50, 50);
    worst = std::max(worst, ulps(at("_fdiv", a, b), a / b));
    if (i == 0) {
      EXPECT_EQ(cycles_, 1u + 4 + (4 + 20 + 4 + 5) + 4) << "rt_inv is 20";
    }
  }
  EXPECT_LE(worst, 0.51);
  EXPECT_EQ(at("_fdiv", 0, 3), 0);
  EXPECT_EQ(at("_fdiv", 6, -3), -2);
  EXPECT_EQ(at("_fdiv", kMost, 0.5), kMost);
  EXPECT_EQ(at("_fdiv", std::ldexp(1, -120), std::ldexp(1, 20)), 0);
}

TEST_F(RuntimeFloat, CompilerEntries) {
  RuntimeMachine& m = machine();
  for (const char* name : {"INV_F30", "DIV_F30"}) {
    for (unsigned n = 0; n < 8; ++n) m.setFloat(n, 1.0 / 3 + n);
    for (unsigned n = reg::AR0; n < reg::SP; ++n) m.setReg(n, 77 * n);
    m.setFloat(0, 3);
    m.setFloat(1, 7);
    const Float40 one = m.extended(1);
    m.jump(name);
    EXPECT_EQ(m.resultFloat(),
              doubleFromSingle(singleFromDouble(name[0] == 'I' ? 1.0 / 3 : 3.0 / 7)));
    if (name[0] == 'I') {
      EXPECT_EQ(m.extended(1), one);
    }
    for (unsigned n = 2; n < 8; ++n)
      EXPECT_EQ(m.extended(n), extendedFromDouble(1.0 / 3 + n)) << name << " R" << n;
    for (unsigned n = reg::AR0; n < reg::SP; ++n) EXPECT_EQ(m.reg(n), 77 * n) << name << " " << n;
  }
}

/// Compiled code branches on N and Z right behind the call, whatever they were before.
TEST_F(RuntimeFloat, CompilerEntriesLeaveTheFlagsOfTheResult) {
  RuntimeMachine& m = machine();
  const auto flags = [&](const char* name, double u, double v, std::uint32_t before) {
    m.setReg(reg::ST, before);
    m.setFloat(0, u);
    m.setFloat(1, v);
    m.jump(name);
    return m.reg(reg::ST) & (kN | kZ);
  };
  for (const std::uint32_t before : {0u, kN | kZ}) {
    EXPECT_EQ(flags("INV_F30", 3, 7, before), 0u);
    EXPECT_EQ(flags("INV_F30", -3, 7, before), kN);
    EXPECT_EQ(flags("DIV_F30", 3, 7, before), 0u);
    EXPECT_EQ(flags("DIV_F30", 3, -7, before), kN);
    EXPECT_EQ(flags("DIV_F30", 0, 7, before), kZ);
  }
}

TEST_F(RuntimeFloat, SquareRoots) {
  check(
      "_sqrt", [](double x) { return std::sqrt(x); }, magnitudes(-127, 127, true, 4000, 3), 0.72,
      39);
  check(
      "_rsqrt", [](double x) { return 1 / std::sqrt(x); }, magnitudes(-127, 127, true, 4000, 4),
      0.64, 43);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(at("_sqrt", i * i), i);
  EXPECT_EQ(at("_sqrt", -4), 0);
  EXPECT_EQ(at("_rsqrt", 0), kMost);
  EXPECT_EQ(at("_rsqrt", -1), 0);
  EXPECT_EQ(at("_sqrt", kMost), doubleFromSingle(singleFromDouble(std::sqrt(kMost))));
}

TEST_F(RuntimeFloat, Exp) {
  const Function f = [](double x) { return std::exp(x); };
  check("_exp", f, uniform(-87.9, 88.72, 4000, 5), 0.62, 53);
  check("_exp", f, magnitudes(-40, 3, false, 2000, 6), 0.62);
  EXPECT_EQ(at("_exp", 0), 1);
  EXPECT_EQ(at("_exp", 89), kMost);
  EXPECT_EQ(at("_exp", kMost), kMost);
  EXPECT_EQ(at("_exp", -89), 0);
  EXPECT_EQ(at("_exp", kLeast), 0);
}

TEST_F(RuntimeFloat, Logarithms) {
  const auto arguments = [](std::uint32_t seed) {
    auto result = magnitudes(-127, 127, true, 3000, seed);
    for (const double x : uniform(0.5, 2, 3000, seed + 1)) result.push_back(x);
    for (const double x : uniform(0.999, 1.001, 1000, seed + 2)) result.push_back(x);
    return result;
  };
  check(
      "_log", [](double x) { return std::log(x); }, arguments(7), 0.7, 60);
  check(
      "_log10", [](double x) { return std::log10(x); }, arguments(8), 0.75, 73);
  check(
      "_log2", [](double x) { return std::log2(x); }, arguments(9), 0.75, 69);
  EXPECT_EQ(at("_log", 1), 0);
  EXPECT_EQ(at("_log2", 1024), 10);
  EXPECT_EQ(at("_log", 0), kLeast);
  EXPECT_EQ(at("_log", -1), kLeast);
  EXPECT_LT(at("_log10", 0), -1e38);
}

TEST_F(RuntimeFloat, Power) {
  Singles random(10);
  for (int i = 0; i < 4000; ++i) {
    const double x = std::abs(random.anyMagnitude(-20, 20));
    const double y = random.uniform(-8, 8);
    const double exponent = y * std::log(x);
    if (std::abs(exponent) > 87) continue;
    EXPECT_LE(ulps(at("_pow", x, y), std::pow(x, y)), 1 + std::abs(exponent) / 12) << x << " " << y;
  }
  EXPECT_EQ(at("_pow", 0, 2), 0);
  EXPECT_EQ(at("_pow", 0, 0), 1);
  EXPECT_EQ(at("_pow", 0, -2), kMost);
  EXPECT_EQ(at("_pow", 2, 10), 1024);
  EXPECT_EQ(at("_pow", -2, 3), -8);
  EXPECT_EQ(at("_pow", -2, 4), 16);
  EXPECT_EQ(at("_pow", -2, 0.5), 0);
  EXPECT_EQ(at("_pow", -1, 1e12), 1);
  EXPECT_EQ(at("_pow", 10, 39), kMost);
  EXPECT_EQ(at("_pow", 10, -39), 0);
}

TEST_F(RuntimeFloat, SineAndCosine) {
  for (const char* name : {"_sin", "_cos"}) {
    const Function f = name[1] == 's' ? Function([](double x) { return std::sin(x); })
                                      : Function([](double x) { return std::cos(x); });
    check(name, f, uniform(-4, 4, 4000, 11), 1.1, 43);
    check(name, f, magnitudes(-60, 1, false, 2000, 12), 1.1);
    double worst = 0;  // in units of the last place, or 2^-31
    for (const double x : uniform(-100'000, 100'000, 4000, 13)) {
      const double error = std::abs(at(name, x) - f(x));
      worst = std::max(worst, std::min(error / std::ldexp(1, -31), ulps(at(name, x), f(x))));
    }
    EXPECT_LE(worst, 1.2) << name;
  }
  EXPECT_EQ(at("_sin", 0), 0);
  EXPECT_EQ(at("_cos", 0), 1);
}

TEST_F(RuntimeFloat, Tangent) {
  const Function f = [](double x) { return std::tan(x); };
  check("_tan", f, uniform(-1.5, 1.5, 4000, 14), 1.9, 81);
  check("_tan", f, uniform(-4, 4, 4000, 15), 1.9);
  check("_tan", f, magnitudes(-60, 0, false, 2000, 16), 1.9);
  EXPECT_EQ(at("_tan", 0), 0);
}

TEST_F(RuntimeFloat, InverseTrigonometric) {
  check(
      "_atan", [](double x) { return std::atan(x); }, magnitudes(-60, 60, false, 3000, 17), 1.5);
  check(
      "_atan", [](double x) { return std::atan(x); }, uniform(-3, 3, 3000, 18), 1.5, 104);
  check(
      "_asin", [](double x) { return std::asin(x); }, uniform(-1, 1, 4000, 19), 1.7, 160);
  check(
      "_acos", [](double x) { return std::acos(x); }, uniform(-1, 1, 4000, 20), 1.7, 160);
  Singles random(21);
  double worst = 0;
  for (int i = 0; i < 4000; ++i) {
    const double y = random.anyMagnitude(-10, 10);
    const double x = random.anyMagnitude(-10, 10);
    worst = std::max(worst, ulps(at("_atan2", y, x), std::atan2(y, x)));
  }
  EXPECT_LE(worst, 1.5);
  const double pi = doubleFromSingle(singleFromDouble(std::numbers::pi));
  EXPECT_EQ(at("_atan2", 0, 0), 0);
  EXPECT_EQ(at("_atan2", 0, 1), 0);
  EXPECT_EQ(at("_atan2", 0, -1), pi);
  EXPECT_EQ(at("_atan2", 5, 0), pi / 2);
  EXPECT_EQ(at("_atan2", -5, 0), -pi / 2);
  EXPECT_EQ(at("_asin", 1), pi / 2);
  EXPECT_EQ(at("_asin", -1), -pi / 2);
  EXPECT_EQ(at("_asin", 2), pi / 2);
  EXPECT_EQ(at("_acos", 1), 0);
  EXPECT_EQ(at("_acos", -1), pi);
  EXPECT_EQ(at("_acos", -7), pi);
}

TEST_F(RuntimeFloat, Rounding) {
  auto arguments = magnitudes(-10, 35, false, 2000, 22);
  for (int i = -20; i <= 20; ++i) arguments.push_back(i * 0.25);
  arguments.insert(arguments.end(), {kMost, kLeast, -std::ldexp(1, -126)});
  check(
      "_floor", [](double x) { return std::floor(x); }, arguments, 0, 8);
  check(
      "_ceil", [](double x) { return std::ceil(x); }, arguments, 0, 11);
  check(
      "_trunc", [](double x) { return std::trunc(x); }, arguments, 0, 13);
  check(
      "_round", [](double x) { return std::floor(x + 0.5); }, arguments, 0, 11);
  arguments.pop_back();
  check(
      "_fabs", [](double x) { return std::min(std::abs(x), kMost); }, arguments, 0, 5);
}

TEST_F(RuntimeFloat, Remainder) {
  Singles random(23);
  for (int i = 0; i < 3000; ++i) {
    const double x = random.anyMagnitude(-30, 90);
    const double y = random.anyMagnitude(-30, 40);
    ASSERT_EQ(at("_fmod", x, y), std::fmod(x, y)) << x << " " << y;
  }
  for (int x = -12; x <= 12; ++x)
    for (int y = 1; y < 6; ++y) EXPECT_EQ(at("_fmod", x, y), std::fmod(x, y)) << x << " " << y;
  EXPECT_EQ(at("_fmod", kMost, 3), std::fmod(kMost, 3));
  EXPECT_EQ(at("_fmod", kMost, std::ldexp(1.5, -100)), std::fmod(kMost, std::ldexp(1.5, -100)));
  EXPECT_EQ(at("_fmod", 5, 0), 0);
}

TEST_F(RuntimeFloat, Parts) {
  RuntimeMachine& m = machine();
  constexpr std::uint32_t kOut = RuntimeMachine::kHeap;
  for (const double x : magnitudes(-120, 120, false, 1000, 24)) {
    m.call("_frexp", {x, kOut});
    const int n = static_cast<int>(m.word(kOut));
    ASSERT_EQ(std::ldexp(m.resultFloat(), n), x);
    ASSERT_GE(std::abs(m.resultFloat()), 0.5);
    ASSERT_LE(std::abs(m.resultFloat()), 1);
    m.call("_ldexp", {x, static_cast<std::uint32_t>(n % 7)});
    ASSERT_EQ(m.resultFloat(), std::ldexp(x, n % 7));
    m.call("_modf", {x, kOut});
    ASSERT_EQ(m.number(kOut), std::trunc(x));
    ASSERT_EQ(m.resultFloat(), x - std::trunc(x));
  }
  m.call("_frexp", {0.0, kOut});
  EXPECT_EQ(m.resultFloat(), 0);
  EXPECT_EQ(m.word(kOut), 0u);
  m.call("_ldexp", {1.0, 1000u});
  EXPECT_EQ(m.resultFloat(), kMost);
  m.call("_ldexp", {1.0, static_cast<std::uint32_t>(-1000)});
  EXPECT_EQ(m.resultFloat(), 0);
  m.call("_ldexp", {std::ldexp(1.25, -120), 240u});
  EXPECT_EQ(m.resultFloat(), std::ldexp(1.25, 120));
}

TEST_F(RuntimeFloat, Ieee) {
  RuntimeMachine& m = machine();
  Singles random(25);
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t bits = random.word();
    const float value = std::bit_cast<float>(bits);
    m.call("_fromieee", {bits});
    double want = value;
    if (!std::isfinite(value)) want = (bits >> 31) != 0 ? -kMost : kMost;
    if (std::fpclassify(value) == FP_SUBNORMAL) want = 0;
    ASSERT_EQ(m.resultFloat(), want) << std::hex << bits;
    const double x = random.anyMagnitude(-127, 127);
    m.call("_toieee", {x});
    ASSERT_EQ(m.resultInt(), std::bit_cast<std::uint32_t>(static_cast<float>(x))) << x;
  }
  for (const std::uint32_t bits : {0u, 0x80000000u, 0x7F800000u, 0xFF800000u, 0x7FC00000u, 1u}) {
    m.call("_fromieee", {bits});
    const float value = std::bit_cast<float>(bits);
    const double most = (bits >> 31) != 0 ? -kMost : kMost;
    EXPECT_EQ(m.resultFloat(), std::isfinite(value) ? 0 : most) << std::hex << bits;
  }
  m.call("_toieee", {0.0});
  EXPECT_EQ(m.resultInt(), 0u);
  m.call("_toieee", {kLeast});
  EXPECT_EQ(m.resultInt(), std::bit_cast<std::uint32_t>(-FLT_MAX));
}

}  // namespace
}  // namespace rtvp::c32::testing
