// The vector kernels of floats against the definitional oracle, for every instruction set of this
// host (performance.md 3.4): edge-biased pairs, both alignment policies, full and partial lane
// sets.
#include "models/c32/simt/kernels.hpp"

#include <gtest/gtest.h>

#include "models/c32/float40.hpp"
#include "models/c32/simt/rounding.hpp"
#include "tests/models/c32/oracle.hpp"
#include "tests/models/c32/simt/kernels_bench.hpp"

namespace rtvp::c32::simt {
namespace {

TEST_F(SimtKernels, AddAndSubtractUnderBothPolicies) {
  for (const unsigned policy : {0u, 1u}) {
    const bool ignore = policy == static_cast<unsigned>(Alignment::IgnoreFrom32);
    check(
        Looks::Everything,
        [&](const LaneSet& s, Faults& f) {
          k_->addf[policy](s, r_->d, {r_->b}, {r_->a}, r_->flags, f);
        },
        [&](unsigned i) { return oracle::add(toOracle(r_->y[i]), toOracle(r_->x[i]), ignore); });
    check(
        Looks::Everything,
        [&](const LaneSet& s, Faults& f) {
          k_->subf[policy](s, r_->d, {r_->b}, {r_->a}, r_->flags, f);
        },
        [&](unsigned i) {
          return oracle::subtract(toOracle(r_->y[i]), toOracle(r_->x[i]), ignore);
        });
  }
}

TEST_F(SimtKernels, CompareHasTheFlagsOfTheSubtraction) {
  for (const unsigned policy : {0u, 1u}) {
    const bool ignore = policy == static_cast<unsigned>(Alignment::IgnoreFrom32);
    check(
        Looks::NoResult,
        [&](const LaneSet& s, Faults& f) {
          k_->cmpf[policy](s, nullptr, {r_->b}, {r_->a}, r_->flags, f);
        },
        [&](unsigned i) {
          return oracle::subtract(toOracle(r_->y[i]), toOracle(r_->x[i]), ignore);
        });
  }
}

/// Variants with operands of 24 bits: bit 0 a, bit 1 b.
void shorten(Rows& r, unsigned variant) {
  for (unsigned i = 0; i < kLanes; ++i) {
    if ((variant & 1u) != 0) r.x[i].mantissa &= 0xFFFFFF00u;
    if ((variant & 2u) != 0) r.y[i].mantissa &= 0xFFFFFF00u;
    r.a[i] = toRow(r.x[i]);
    r.b[i] = toRow(r.y[i]);
  }
}

TEST_F(SimtKernels, MultiplyWithWholeAndShortOperands) {
  for (unsigned variant = 0; variant < 4; ++variant) {
    check(
        Looks::Everything,
        [&](const LaneSet& s, Faults& f) {
          k_->mpyf[variant](s, r_->d, {r_->b}, {r_->a}, r_->flags, f);
        },
        [&](unsigned i) { return oracle::multiply(toOracle(r_->y[i]), toOracle(r_->x[i])); },
        shorten, variant);
  }
}

TEST_F(SimtKernels, OneOperandForAllLanes) {
  alignas(64) double block[8];
  for (double& x : block) x = -2.0;
  check(
      Looks::Everything,
      [&](const LaneSet& s, Faults& f) {
        k_->subf[0](s, r_->d, {block, 0}, {r_->a}, r_->flags, f);
      },
      [&](unsigned i) {
        return oracle::subtract({0, 0x80000000u}, toOracle(r_->x[i]), true);
      });
}

TEST_F(SimtKernels, NegateAbsoluteLoad) {
  check(
      Looks::Everything,
      [&](const LaneSet& s, Faults& f) { k_->negf(s, r_->d, {r_->a}, r_->flags, f); },
      [&](unsigned i) { return oracle::negate(toOracle(r_->x[i])); });
  check(
      Looks::Everything,
      [&](const LaneSet& s, Faults& f) { k_->absf(s, r_->d, {r_->a}, r_->flags, f); },
      [&](unsigned i) { return oracle::absolute(toOracle(r_->x[i])); });
  check(
      Looks::Everything,
      [&](const LaneSet& s, Faults& f) { k_->ldf(s, r_->d, {r_->a}, r_->flags, f); },
      [&](unsigned i) {
        oracle::FloatOut out;
        out.value = toOracle(r_->x[i]);
        out.flags.n = !r_->x[i].isZero() && r_->x[i].negative();
        out.flags.z = r_->x[i].isZero();
        return out;
      });
}

TEST_F(SimtKernels, RoundKeepsZ) {
  bool wasZero[kLanes];
  check(
      Looks::NoFlags,
      [&](const LaneSet& s, Faults& f) {
        for (unsigned i = 0; i < kLanes; ++i) wasZero[i] = r_->flags[i] == 0.0;
        k_->rnd(s, r_->d, {r_->a}, r_->flags, f);
        for (unsigned i = 0; i < kLanes; ++i) ASSERT_EQ(r_->flags[i] == 0.0, wasZero[i]) << i;
        for (unsigned i = 0; i < kLanes; ++i) {
          if (active(s, i)) {
            ASSERT_EQ(flagN(r_->flags[i]), r_->d[i] < 0) << i;
          }
        }
      },
      [&](unsigned i) { return oracle::round(toOracle(r_->x[i])); });
}

TEST_F(SimtKernels, ConversionsKeepEveryBit) {
  for (std::uint64_t block = 0; block < blocks(); ++block) {
    fill();
    choose(block % 2 == 0);
    forEachSet([&] { conversions(chosen()); });
    if (HasFatalFailure()) return;
  }
}

TEST_F(SimtKernels, AZeroWithAMantissaIsReported) {
  forEachSet([&] {
    const LaneSet set{kLanes / k_->width, nullptr, nullptr};
    LaneMask raw;
    for (unsigned i = 0; i < kLanes; ++i) r_->words[i] = i % 5 == 0 ? 0x80000000u : 0x01000000u;
    r_->words[3] = 0x80000001u;
    k_->fromWords(set, r_->d, r_->words, raw);
    EXPECT_EQ(raw.count(), 1u);
    EXPECT_TRUE(raw.test(3));
    raw = {};
    for (unsigned i = 0; i < kLanes; ++i) r_->exponents[i] = i == 9 ? -128 : 0;
    k_->fromExtended(set, r_->d, r_->words, r_->exponents, raw);
    EXPECT_EQ(raw.count(), 1u);
    EXPECT_TRUE(raw.test(9));
  });
}

TEST(SimtRounding, TheModeEndsWithTheScope) {
  volatile double third = 1.0;
  const double before = third / 3.0;
  {
    const RoundDown down;
    third = -1.0;
    EXPECT_NE(third / 3.0, -before);
    {
      const RoundNearest nearest;
      EXPECT_EQ(third / 3.0, -before);
    }
    EXPECT_NE(third / 3.0, -before);
  }
  EXPECT_EQ(third / 3.0, -before);
}

}  // namespace
}  // namespace rtvp::c32::simt
