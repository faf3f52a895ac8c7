// Filters, vectors, matrices and bit reversal of the runtime library against
// double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "models/c32/isa.hpp"
#include "tests/firmware/runtime/runtime_machine.hpp"

namespace rtvp::c32::testing {
namespace {

constexpr std::uint32_t kA = 0x10000, kB = 0x11000, kC = 0x12000;
const std::vector<std::string> kObjects = {"vector", "fir", "iir", "lms", "bitrev"};

class RuntimeDsp : public ::testing::TestWithParam<Model> {
 protected:
  std::vector<double> noise(std::size_t n) {
    std::vector<double> x(n);
    for (double& value : x) value = random_.uniform(-1, 1);
    return x;
  }
  void put(std::uint32_t at, const std::vector<double>& x) {
    for (const double value : x) m_.setNumber(at++, value);
  }
  [[nodiscard]] Cycle fetched(unsigned n) const { return GetParam() == Model::Stack ? n + 3 : 0; }
  Singles random_{31};
  RuntimeMachine m_{GetParam(), Memory::Flat, kObjects};
};
INSTANTIATE_TEST_SUITE_P(Models, RuntimeDsp, ::testing::Values(Model::Register, Model::Stack));

double dot(const double* a, const double* b, std::size_t n, std::size_t step = 1) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i * step];
  return sum;
}

TEST_P(RuntimeDsp, Dot) {
  for (const std::uint32_t n : {1u, 2u, 3u, 64u, 500u}) {
    const auto a = noise(n);
    const auto b = noise(n);
    put(kA, a);
    put(kB, b);
    const Cycle cycles = m_.call("_dot", {kA, kB, n});
    EXPECT_NEAR(m_.resultFloat(), dot(a.data(), b.data(), n), n * 3e-8);
    // 4, RPTS, n, POP, BUD and slots
    if (GetParam() == Model::Register) {
      EXPECT_EQ(cycles, 4u + 4 + n + 1 + 4);
    }
  }
}

TEST_P(RuntimeDsp, MatrixProduct) {
  for (const std::uint32_t rows : {1u, 4u, 7u}) {
    for (const std::uint32_t inner : {1u, 4u, 9u}) {
      for (const std::uint32_t columns : {1u, 4u, 5u}) {
        const auto a = noise(rows * inner);
        const auto b = noise(inner * columns);
        put(kA, a);
        put(kB, b);
        const Cycle cycles = m_.call("_matmul", {kC, kA, kB, rows, inner, columns});
        for (std::uint32_t r = 0; r < rows; ++r)
          for (std::uint32_t c = 0; c < columns; ++c)
            ASSERT_NEAR(m_.number(kC + r * columns + c), dot(&a[r * inner], &b[c], inner, columns),
                        inner * 6e-8);
        if (GetParam() == Model::Register) {
          // RPTS, inner, 5, DBUD and slots; DBUD and slots, 7 and what the
          // loads of AR0, AR1 cost
          EXPECT_EQ(cycles, rows * (columns * (inner + 13) + 11) + 24) << rows << inner << columns;
        }
      }
    }
  }
}

TEST_P(RuntimeDsp, Fir) {
  for (const std::uint32_t n : {2u, 8u, 13u, 64u}) {
    const auto h = noise(n);
    std::vector<double> x(n - 1, 0.0);
    put(kA, h);
    for (std::uint32_t i = 0; i < n; ++i) m_.setNumber(kB + i, 0);
    m_.setWord(kB + n, kB);
    for (int i = 0; i < 200; ++i) {
      x.push_back(random_.uniform(-1, 1));
      const Cycle cycles = m_.call("_fir", {kA, kB, x.back(), n});
      double want = 0;
      for (std::uint32_t k = 0; k < n; ++k) want += h[k] * x[x.size() - 1 - k];
      ASSERT_NEAR(m_.resultFloat(), want, n * 3e-8) << n << " taps, sample " << i;
      if (GetParam() == Model::Register) {
        ASSERT_EQ(cycles, n + 21u);
      }
    }
    // The same by blocks.
    put(kC, x);
    const Cycle cycles = m_.call("_firblock", {kC + 0x800, kC, kA, n, 200u});
    for (std::uint32_t i = 0; i < 200; ++i) {
      double want = 0;
      for (std::uint32_t k = 0; k < n; ++k) want += h[k] * x[i + n - 1 - k];
      ASSERT_NEAR(m_.number(kC + 0x800 + i), want, n * 3e-8) << n << " taps, result " << i;
    }
    if (GetParam() == Model::Register) {
      EXPECT_EQ(cycles, 200u * (n + 10) + 19);
    }
  }
}

TEST_P(RuntimeDsp, Biquads) {
  // Stable sections: poles of radius 0.9 at several angles.
  for (const std::uint32_t sections : {1u, 2u, 5u}) {
    std::vector<double> c;
    for (std::uint32_t s = 0; s < sections; ++s) {
      const double angle = 0.4 + 0.5 * s;
      for (const double value : {0.81, -1.8 * std::cos(angle), 0.3, -0.2, 0.5})
        c.push_back(doubleFromSingle(singleFromDouble(value)));
    }
    put(kA, c);
    for (std::uint32_t i = 0; i < 4 * sections; ++i) m_.setNumber(kB + i, 0);
    std::vector<double> state(2 * sections, 0.0);
    const auto x = noise(150);
    put(kC, x);
    const Cycle block =
        m_.call("_iirblock", {kC + 0x400, kC, kA, kB + 2 * sections, sections, 150u});
    for (std::uint32_t i = 0; i < 150; ++i) {
      double y = x[i];
      for (std::uint32_t s = 0; s < sections; ++s) {
        const double* k = &c[5 * s];
        const double d = y - k[1] * state[2 * s + 1] - k[0] * state[2 * s];
        y = k[4] * d + k[3] * state[2 * s + 1] + k[2] * state[2 * s];
        state[2 * s] = state[2 * s + 1];
        state[2 * s + 1] = d;
      }
      const Cycle cycles = m_.call("_iir", {kA, kB, x[i], sections});
      ASSERT_NEAR(m_.resultFloat(), y, 2e-5 * sections) << i;
      ASSERT_NEAR(m_.number(kC + 0x400 + i), y, 2e-5 * sections) << i;
      if (GetParam() == Model::Register) {
        ASSERT_EQ(cycles, 8 * sections + 14);
      }
    }
    if (GetParam() == Model::Register) {
      EXPECT_EQ(block, 150 * (8 * sections + 14) + 22);
    }
  }
}

TEST_P(RuntimeDsp, AdaptiveFilterLearnsASystem) {
  constexpr std::uint32_t kN = 8;
  const auto system = noise(kN);
  put(kA, std::vector<double>(kN, 0.0));
  put(kB, std::vector<double>(kN, 0.0));
  m_.setWord(kB + kN, kB);
  m_.setNumber(kB + kN + 1, 0.1);
  std::vector<double> x(kN - 1, 0.0);
  std::vector<double> w(kN, 0.0);
  const double step = m_.number(kB + kN + 1);
  for (int i = 0; i < 1000; ++i) {
    x.push_back(random_.uniform(-1, 1));
    double wanted = 0;
    double y = 0;
    for (std::uint32_t k = 0; k < kN; ++k) {
      wanted += system[k] * x[x.size() - 1 - k];
      y += w[k] * x[x.size() - 1 - k];
    }
    wanted = doubleFromSingle(singleFromDouble(wanted));
    const Cycle cycles = m_.call("_lms", {kA, kB, x.back(), wanted, kN});
    ASSERT_NEAR(m_.resultFloat(), y, 1e-5) << i;
    for (std::uint32_t k = 0; k < kN; ++k) w[k] += step * (wanted - y) * x[x.size() - 1 - k];
    if (GetParam() == Model::Register) {
      ASSERT_EQ(cycles, 3 * kN + 37);
    }
  }
  for (std::uint32_t k = 0; k < kN; ++k) EXPECT_NEAR(m_.number(kA + k), system[k], 1e-4) << k;
}

TEST_P(RuntimeDsp, BitReversal) {
  for (std::uint32_t bits = 1; bits < 9; ++bits) {
    const std::uint32_t n = 1u << bits;
    for (std::uint32_t i = 0; i < 2 * n; ++i) m_.setWord(kA + i, 1000 + i);
    const auto reversed = [&](std::uint32_t i) {
      std::uint32_t r = 0;
      for (std::uint32_t b = 0; b < bits; ++b) r |= (i >> b & 1u) << (bits - 1 - b);
      return r;
    };
    const Cycle pairs = m_.call("_bitrev", {kB, kA, n});
    for (std::uint32_t i = 0; i < n; ++i) {
      ASSERT_EQ(m_.word(kB + 2 * i), 1000 + 2 * reversed(i)) << n;
      ASSERT_EQ(m_.word(kB + 2 * i + 1), 1001 + 2 * reversed(i)) << n;
    }
    const Cycle singles = m_.call("_bitrevr", {kB, kA, n});
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(m_.word(kB + i), 1000 + reversed(i)) << n;
    if (GetParam() == Model::Register) {
      EXPECT_EQ(pairs, 2 * n + 14);
      EXPECT_EQ(singles, n + 15);
    }
  }
}

// On the chip itself: program in RAM block 0, data in block 1, the pipeline's
// conflicts counted.
TEST(RuntimeDspOnTheChip, DotAndFir) {
  RuntimeMachine chip(Model::Register, Memory::Internal, {"vector", "fir"});
  constexpr std::uint32_t kFast = RuntimeMachine::kFastData;
  Singles random(32);
  double want = 0;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const double a = random.uniform(-1, 1);
    const double b = random.uniform(-1, 1);
    chip.setNumber(kFast + i, a);
    chip.setNumber(kFast + 64 + i, b);
    want += a * b;
  }
  EXPECT_EQ(chip.call("_dot", {kFast, kFast + 64, 64u}), 64u + 13) << "as with ideal memory";
  EXPECT_NEAR(chip.resultFloat(), want, 64 * 3e-8);
}

}  // namespace
}  // namespace rtvp::c32::testing
