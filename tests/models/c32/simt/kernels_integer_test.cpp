// The vector kernels of conditions and integers against the definitional oracle, for every
// instruction set of this host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "models/c32/simt/kernels.hpp"
#include "models/c32/simt/rounding.hpp"
#include "tests/models/c32/oracle.hpp"
#include "tests/models/c32/simt/kernels_bench.hpp"

namespace rtvp::c32::simt {
namespace {

TEST_F(SimtKernels, ConditionsAndWords) {
  forEachSet([&] {
    static constexpr double kFlags[] = {0.0, -0.0, 1.0, -1.0};  // Z, NZ, -, N
    static constexpr bool kHolds[kNzConds][4] = {
        {true, true, false, false},   // Eq
        {false, false, true, true},   // Ne
        {false, true, false, true},   // Lt: N
        {true, true, false, true},    // Le: N or Z
        {false, false, true, false},  // Gt
        {true, false, true, false},   // Ge: not N
    };
    for (unsigned round = 0; round < 200; ++round) {
      fill();
      const LaneSet set = lanes(round % 2 == 0);
      for (unsigned i = 0; i < kLanes; ++i) r_->flags[i] = kFlags[(i + round) % 4];
      for (unsigned c = 0; c < kNzConds; ++c) {
        LaneMask out;
        k_->holds[c](set, r_->flags, out);
        std::fill(std::begin(r_->d), std::end(r_->d), 12345.0);
        k_->select[c](set, r_->d, {r_->a}, r_->flags);
        for (unsigned i = 0; i < kLanes; ++i) {
          const bool want = active(set, i) && kHolds[c][(i + round) % 4];
          ASSERT_EQ(out.test(i), want);
          ASSERT_EQ(r_->d[i], want ? r_->a[i] : 12345.0);
        }
      }
      alignas(64) std::uint32_t x[kLanes];
      alignas(64) std::uint32_t y[kLanes];
      alignas(64) std::uint32_t d[kLanes];
      const auto words = [&](const Kernels::Bitwise& op, auto&& reference) {
        for (unsigned i = 0; i < kLanes; ++i) {
          x[i] = in_.word();
          y[i] = i % 7 == 0 ? ~x[i] : in_.word();
          d[i] = 99;
          r_->flags[i] = 5.0;
        }
        op(set, d, {x}, {y}, r_->flags);
        for (unsigned i = 0; i < kLanes; ++i) {
          const std::uint32_t want = active(set, i) ? reference(x[i], y[i]) : 99u;
          ASSERT_EQ(d[i], want);
          if (!active(set, i)) {
            ASSERT_EQ(r_->flags[i], 5.0);
            continue;
          }
          ASSERT_EQ(r_->flags[i] == 0.0, want == 0);
          ASSERT_EQ(flagN(r_->flags[i]), want >> 31 != 0);
        }
      };
      words(k_->bitAnd, [](std::uint32_t b, std::uint32_t a) { return b & a; });
      words(k_->bitOr, [](std::uint32_t b, std::uint32_t a) { return b | a; });
      words(k_->bitXor, [](std::uint32_t b, std::uint32_t a) { return b ^ a; });
      words(k_->bitAndn, [](std::uint32_t b, std::uint32_t a) { return b & ~a; });
    }
  });
}

TEST_F(SimtKernels, IntegersHaveTheOraclesWordsAndFlags) {
  forEachSet([&] {
    alignas(64) std::uint32_t x[kLanes];
    alignas(64) std::uint32_t y[kLanes];
    alignas(64) std::uint32_t d[kLanes];
    static constexpr std::uint32_t kEdges[] = {0, 1, 0x7FFFFFFFu, 0x80000000u, ~0u, 31, 32, 33, 64};
    const auto check = [&](const LaneSet& set, bool wanted, const Kernels::Integer& op,
                           auto&& reference) {
      for (unsigned i = 0; i < kLanes; ++i) {
        x[i] = i % 3 == 0 ? kEdges[in_.word() % 9] : in_.word();
        y[i] = i % 5 == 0 ? kEdges[in_.word() % 9] : i % 5 == 1 ? in_.word() % 140 : in_.word();
        d[i] = 99;
        r_->flags[i] = 5.0;
      }
      LaneMask carry;
      LaneMask over;
      op(set, d, {x}, {y}, wanted ? r_->flags : nullptr, carry, over);
      for (unsigned i = 0; i < kLanes; ++i) {
        if (!active(set, i)) {
          ASSERT_TRUE(d[i] == 99 && r_->flags[i] == 5.0 && !carry.test(i) && !over.test(i));
          continue;
        }
        const oracle::WordOut want = reference(x[i], y[i]);
        SCOPED_TRACE(std::to_string(x[i]) + " and " + std::to_string(y[i]));
        ASSERT_EQ(d[i], want.value);
        ASSERT_EQ(carry.test(i), want.flags.c);
        ASSERT_EQ(over.test(i), want.flags.v);
        if (!wanted) continue;
        ASSERT_EQ(r_->flags[i] == 0.0, want.flags.z);
        ASSERT_EQ(flagN(r_->flags[i]), want.flags.n);
      }
    };
    for (unsigned round = 0; round < 200; ++round) {
      const LaneSet set = lanes(round % 2 == 0);
      const bool wanted = round % 4 < 2;
      using Word = std::uint32_t;
      check(set, wanted, k_->addWords,
            [](Word b, Word a) { return oracle::addIntegers(b, a, 0, false); });
      check(set, wanted, k_->subtractWords,
            [](Word b, Word a) { return oracle::subtractIntegers(b, a, 0, false); });
      check(set, wanted, k_->multiplyWords,
            [](Word b, Word a) { return oracle::multiplyIntegers(b, a, false); });
      check(set, wanted, k_->shiftWords, [](Word b, Word a) { return oracle::shift(b, a, false); });
      check(set, wanted, k_->shiftSigned, [](Word b, Word a) { return oracle::shift(b, a, true); });
    }
  });
}

TEST_F(SimtKernels, WordsWithoutFlagsAreTheSame) {
  forEachSet([&] {
    alignas(64) std::uint32_t x[kLanes];
    alignas(64) std::uint32_t y[kLanes];
    alignas(64) std::uint32_t d[kLanes];
    for (unsigned round = 0; round < 40; ++round) {
      const LaneSet set = lanes(round % 2 == 0);
      for (unsigned i = 0; i < kLanes; ++i) {
        x[i] = in_.word();
        y[i] = in_.word();
      }
      const std::size_t stride = round % 4 < 2 ? 1 : 0;
      const auto check = [&](const Kernels::Bitwise& op, auto&& reference) {
        std::fill(std::begin(d), std::end(d), 99u);
        op(set, d, {x}, {y, stride}, nullptr);
        for (unsigned i = 0; i < kLanes; ++i) {
          ASSERT_EQ(d[i], active(set, i) ? reference(x[i], y[i * stride]) : 99u);
        }
      };
      if (stride == 0) std::fill_n(y, 8, y[0]);
      check(k_->bitAnd, [](std::uint32_t b, std::uint32_t a) { return b & a; });
      check(k_->bitOr, [](std::uint32_t b, std::uint32_t a) { return b | a; });
      check(k_->bitXor, [](std::uint32_t b, std::uint32_t a) { return b ^ a; });
      check(k_->bitAndn, [](std::uint32_t b, std::uint32_t a) { return b & ~a; });
    }
  });
}

TEST_F(SimtKernels, IntegersAndFloatsBecomeEachOther) {
  forEachSet([&] {
    alignas(64) std::uint32_t words[kLanes];
    for (unsigned round = 0; round < 200; ++round) {
      fill();
      const LaneSet set = lanes(round % 2 == 0);
      std::fill(std::begin(words), std::end(words), 99u);
      LaneMask over;
      {
        const RoundDown down;
        k_->fixWords(set, words, {r_->a}, r_->flags, over);
      }
      for (unsigned i = 0; i < kLanes; ++i) {
        const oracle::WordOut want = oracle::toInteger(toOracle(r_->x[i]));
        if (!active(set, i)) {
          ASSERT_TRUE(words[i] == 99 && !over.test(i));
          continue;
        }
        ASSERT_EQ(words[i], want.value) << r_->a[i];
        ASSERT_EQ(over.test(i), want.flags.v);
        ASSERT_EQ(r_->flags[i] == 0.0, want.flags.z);
        ASSERT_EQ(flagN(r_->flags[i]), want.flags.n);
      }
      for (unsigned i = 0; i < kLanes; ++i) words[i] = i % 9 == 0 ? i / 9 - 1 : in_.word();
      clear();
      {
        const RoundDown down;
        k_->floatWords(set, r_->d, {words}, r_->flags);
      }
      for (unsigned i = 0; i < kLanes; ++i) {
        const double want = active(set, i) ? toRow(oracle::fromInteger(words[i]).value) : 12345.0;
        ASSERT_TRUE(sameBits(r_->d[i], want)) << words[i];
        if (!active(set, i)) continue;
        ASSERT_TRUE(sameBits(r_->flags[i], want));
      }
    }
  });
}

}  // namespace
}  // namespace rtvp::c32::simt
