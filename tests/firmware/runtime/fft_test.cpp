// FFTs of the runtime library against the definition in double precision,
// inverse round trip, Parseval's theorem, and cycles by the formulas of
// fft.asm.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "tests/firmware/runtime/runtime_machine.hpp"

namespace rtvp::c32::testing {
namespace {

using Signal = std::vector<std::complex<double>>;

constexpr std::uint32_t kFrom = 0x10000, kTo = 0x14000, kBack = 0x18000, kTable = 0x1C000;
const std::vector<std::string> kObjects = {"fft", "sincos", "inverse", "twiddle", "rfft"};

Signal transform(const Signal& x, double sign) {
  const std::size_t n = x.size();
  Signal root(n);
  for (std::size_t k = 0; k < n; ++k)
    root[k] = std::polar(
        1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  Signal y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) y[k] += x[i] * root[k * i % n];
  return y;
}

double energy(const Signal& x) {
  double sum = 0;
  for (const auto& value : x) sum += std::norm(value);
  return sum;
}

/// Root of the mean square error, relative to the signal's.
double distance(const Signal& got, const Signal& want) {
  Signal difference(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) difference[i] = got[i] - want[i];
  return std::sqrt(energy(difference) / energy(want));
}

struct Kind {
  const char* forward;
  const char* inverse;
  const char* table;
  bool radix4;
};
constexpr Kind kRadix4{"_cfft4", "_cifft4", "_twiddle4", true};
constexpr Kind kRadix2{"_cfft2", "_cifft2", "_twiddle2", false};

class RuntimeFft : public ::testing::Test {
 protected:
  void put(std::uint32_t at, const Signal& x) {
    for (const auto& value : x) {
      machine_.setNumber(at++, value.real());
      machine_.setNumber(at++, value.imag());
    }
  }
  Signal get(std::uint32_t at, std::size_t n) const {
    Signal x;
    for (; x.size() < n; at += 2) x.emplace_back(machine_.number(at), machine_.number(at + 1));
    return x;
  }
  static Signal noise(std::uint32_t n, std::uint32_t seed) {
    Singles random(seed);
    Signal x(n);
    for (auto& value : x) value = {random.uniform(-1, 1), random.uniform(-1, 1)};
    return x;
  }
  RuntimeMachine machine_{Model::Register, Memory::Flat, kObjects};
};

TEST_F(RuntimeFft, AgainstTheDefinition) {
  for (const Kind& kind : {kRadix4, kRadix2}) {
    for (std::uint32_t n = kind.radix4 ? 16 : 8; n <= 1024; n *= kind.radix4 ? 4 : 2) {
      machine_.call(kind.table, {kTable, n});
      const Signal x = noise(n, n);
      put(kFrom, x);
      put(kTo, Signal(n + 1, {77, 78}));
      machine_.call(kind.forward, {kTo, kFrom, kTable, n});
      const Signal got = get(kTo, n);
      EXPECT_LE(distance(got, transform(x, -1)), 4e-7) << kind.forward << " " << n;
      EXPECT_EQ(get(kTo + 2 * n, 1)[0], (std::complex<double>{77, 78})) << "behind the result";
      EXPECT_EQ(get(kFrom, n), x);
      EXPECT_NEAR(energy(got) / (n * energy(x)), 1, 1e-6) << "Parseval";
      put(kFrom, got);
      machine_.call(kind.inverse, {kBack, kFrom, kTable, n});
      EXPECT_LE(distance(get(kBack, n), x), 7e-7) << kind.inverse << " " << n;
    }
  }
}

TEST_F(RuntimeFft, SingleFrequencies) {
  constexpr std::uint32_t kN = 64;
  machine_.call("_twiddle4", {kTable, kN});
  for (std::uint32_t k = 0; k < kN; ++k) {
    Signal x(kN);
    for (std::uint32_t i = 0; i < kN; ++i)
      x[i] = std::polar(1.0, 2 * std::numbers::pi * k * i / kN);
    put(kFrom, x);
    machine_.call("_cfft4", {kTo, kFrom, kTable, kN});
    const Signal y = get(kTo, kN);
    for (std::uint32_t i = 0; i < kN; ++i)
      ASSERT_LT(std::abs(y[i] - (i == k ? double{kN} : 0.0)), 3e-5) << k << " " << i;
  }
}

TEST_F(RuntimeFft, StackModel) {
  RuntimeMachine stack(Model::Stack, Memory::Flat, kObjects);
  constexpr std::uint32_t kN = 64;
  machine_.call("_twiddle4", {kTable, kN});
  stack.call("_twiddle4", {kTable, kN});
  const Signal x = noise(kN, 5);
  put(kFrom, x);
  for (std::uint32_t i = 0; i < 2 * kN; ++i) stack.setWord(kFrom + i, machine_.word(kFrom + i));
  machine_.call("_cfft4", {kTo, kFrom, kTable, kN});
  stack.call("_cfft4", {kTo, kFrom, kTable, kN});
  for (std::uint32_t i = 0; i < 2 * kN; ++i) ASSERT_EQ(stack.word(kTo + i), machine_.word(kTo + i));
}

TEST_F(RuntimeFft, RealSignals) {
  constexpr std::uint32_t kHalf = 0x1E000;
  const struct {
    Kind complex;
    const char* forward;
    const char* inverse;
  } kinds[] = {{kRadix4, "_rfft4", "_irfft4"}, {kRadix2, "_rfft2", "_irfft2"}};
  for (const auto& kind : kinds) {
    for (std::uint32_t n = kind.complex.radix4 ? 32 : 16; n <= 1024;
         n *= kind.complex.radix4 ? 4 : 2) {
      machine_.call(kind.complex.table, {kTable, n / 2});
      machine_.call("_rtwiddle", {kHalf, n});
      Singles random(n);
      Signal x(n);
      for (std::uint32_t i = 0; i < n; ++i) {
        x[i] = random.uniform(-1, 1);
        machine_.setNumber(kFrom + i, x[i].real());
      }
      machine_.call(kind.forward, {kTo, kFrom, kTable, kHalf, n});
      Signal got = get(kTo, n / 2);
      Signal want = transform(x, -1);
      want.resize(n / 2 + 1);
      want[0] = {want[0].real(), want[n / 2].real()};  // the last one lies in its imaginary part
      want.resize(n / 2);
      EXPECT_LE(distance(got, want), 4e-7) << kind.forward << " " << n;
      put(kFrom, got);
      machine_.call(kind.inverse, {kBack, kFrom, kTable, kHalf, n});
      Signal back(n);
      for (std::uint32_t i = 0; i < n; ++i) back[i] = machine_.number(kBack + i);
      EXPECT_LE(distance(back, x), 7e-7) << kind.inverse << " " << n;
    }
  }
}

/// Fixed costs of fft.asm (c32.md 7.2): what each piece says of itself.
Cycle cyclesOf(const Kind& kind, Cycle n) {
  const Cycle keep = 9 + 9 + 4;                               // keep, restore, RETS
  const Cycle first = 4 + 20 + 4 + 4 + (9 + 20 * n / 4) + 4;  // CALL setup, CALL forward
  Cycle passes = 4 + 5 + 4;
  for (Cycle block = 4; block < n; block *= kind.radix4 ? 4 : 2) {
    passes += kind.radix4 ? 28 * n / 4 + 13 * n / (4 * block) + 26
                          : 8 * n / 2 + 11 * n / (2 * block) + 22;
  }
  return keep + first + passes;
}

TEST_F(RuntimeFft, Cycles) {
  for (const Kind& kind : {kRadix4, kRadix2}) {
    for (const std::uint32_t n : {64u, 256u, 1024u}) {
      machine_.call(kind.table, {kTable, n});
      put(kFrom, noise(n, 1));
      const Cycle cycles = machine_.call(kind.forward, {kTo, kFrom, kTable, n});
      EXPECT_EQ(cycles, cyclesOf(kind, n)) << kind.forward << " " << n;
      RecordProperty(kind.forward + std::to_string(n), std::to_string(cycles));
    }
  }
}

}  // namespace
}  // namespace rtvp::c32::testing
