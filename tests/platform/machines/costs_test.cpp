// Accounts of `--cost-map` without a simulation: who is charged with what, and that nothing gets
// lost when a sum is divided.
#include "platform/machines/costs.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "platform/exit_status.hpp"

namespace rtvp::platform {
namespace {

using Numbers = std::vector<std::uint64_t>;

constexpr std::array<Cost, 2> kTwo{{{Measure::Bytes, "", ""}, {Measure::Tests, "", ""}}};
/// Columns 2 to 4 and rows 1 and 2 of a picture of 10 columns.
constexpr CostArea kArea{{2, 1, 3, 2}, 10};
constexpr std::uint32_t kFirst = 12;  // pixel (2, 1)

/// What the six pixels have been charged with of `measure`.
Numbers pixelsOf(const CostAccount& account, Measure measure) {
  const CostSums& s = account.sums();
  Numbers out;
  for (std::size_t i = 0; i < s.pixels.size(); ++i) {
    if (s.measures[i % s.measures.size()] == measure) out.push_back(s.pixels[i]);
  }
  return out;
}

TEST(Costs, ChargesGoToPixelsOfTheAreaAndTheRestIsNobodys) {
  CostAccount account(kArea, "m", kTwo);
  account.charge(kFirst, Measure::Tests, 5);
  account.charge(kFirst + 2, Measure::Tests, 1);
  account.charge(kFirst + 10, Measure::Tests, 2);
  account.charge(kFirst + 12, Measure::Bytes, 9);
  for (const std::uint32_t elsewhere : {kFirst - 1, kFirst + 3, kFirst - 10, kFirst + 20}) {
    account.charge(elsewhere, Measure::Tests, 100);
  }
  account.charge(host::kNoPixel, Measure::Bytes, 7);
  account.charge(kFirst, Measure::Cycles, 1000);  // not kept
  EXPECT_EQ(pixelsOf(account, Measure::Tests), (Numbers{5, 0, 1, 2, 0, 0}));
  EXPECT_EQ(pixelsOf(account, Measure::Bytes), (Numbers{0, 0, 0, 0, 0, 9}));
  EXPECT_EQ(account.sums().measures, (std::vector{Measure::Tests, Measure::Bytes}));
  EXPECT_EQ(account.sums().outside, (Numbers{400, 7}));
}

TEST(Costs, EqualPartsAddUp) {
  CostAccount account(kArea, "m", kTwo);
  const std::vector<std::uint32_t> pixels{kFirst, kFirst + 1, kFirst + 2};
  account.share(pixels, Measure::Tests, 11);
  EXPECT_EQ(pixelsOf(account, Measure::Tests), (Numbers{4, 4, 3, 0, 0, 0}));
  account.share({}, Measure::Tests, 5);
  EXPECT_EQ(account.sums().outside[0], 5U);
}

TEST(Costs, PartsInProportionAddUp) {
  CostAccount account(kArea, "m", kTwo);
  const std::vector<std::uint32_t> pixels{kFirst, kFirst + 1, kFirst + 2, kFirst + 10};
  account.share(pixels, Numbers{1, 0, 2, 3}, Measure::Tests, 12);
  EXPECT_EQ(pixelsOf(account, Measure::Tests), (Numbers{2, 0, 4, 6, 0, 0}));
  account.share(pixels, Numbers{0, 0, 0, 0}, Measure::Bytes, 6);
  EXPECT_EQ(pixelsOf(account, Measure::Bytes), (Numbers{2, 2, 1, 1, 0, 0}));
}

TEST(Costs, LargeSumsDivideWithoutOverflow) {
  CostAccount account(kArea, "m", kTwo);
  const std::vector<std::uint32_t> pixels{kFirst, kFirst + 1, kFirst + 2};
  constexpr std::uint64_t kAmount = 0xFFFF'FFFF'FFFF'0001;
  account.share(pixels, Numbers{3'000'000'000, 1, 1'000'000'000}, Measure::Bytes, kAmount);
  const Numbers parts = pixelsOf(account, Measure::Bytes);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}), kAmount);
  EXPECT_NEAR(static_cast<double>(parts[0]) / static_cast<double>(parts[2]), 3, 1e-6);
}

TEST(Costs, WhatIsSettledIsTheRest) {
  CostAccount account(kArea, "m", kTwo);
  account.charge(kFirst, Measure::Tests, 5);
  account.charge(host::kNoPixel, Measure::Tests, 2);
  account.settle(Measure::Tests, 20);
  EXPECT_EQ(account.sums().outside[0], 15U);
}

TEST(Costs, AMeasureThatARunCannotCountIsTakenOut) {
  CostAccount account(kArea, "m", kTwo);
  account.charge(kFirst, Measure::Bytes, 5);
  account.withdraw(Measure::Tests, "tests: nobody looks");
  account.charge(kFirst, Measure::Tests, 3);
  account.charge(kFirst + 1, Measure::Bytes, 6);
  EXPECT_EQ(account.sums().measures, std::vector{Measure::Bytes});
  EXPECT_EQ(account.sums().pixels, (Numbers{5, 6, 0, 0, 0, 0}));
  EXPECT_EQ(account.sums().missing, "tests: nobody looks");
}

TEST(Costs, AccountsOfMachinesThatCount) {
  CostMap map(kArea);
  EXPECT_EQ(map.open("silent", {}), nullptr);
  CostAccount* const one = map.open("a", kTwo);
  CostAccount* const two = map.open("b", kTwo);
  one->charge(kFirst, Measure::Tests, 1);
  two->charge(kFirst, Measure::Tests, 2);
  const std::vector<CostSums> sums = map.sums();
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].machine, "a");
  EXPECT_EQ(sums[1].pixels[0], 2U);
}

TEST(Costs, MeasuresByName) {
  EXPECT_EQ(parseMeasures("all", "m").size(), kMeasures.size());
  EXPECT_EQ(parseMeasures("tests,cycles,tests", "m"),
            (std::vector{Measure::Cycles, Measure::Tests}));
  for (const char* const bad : {"", "test", "tests,", "Tests", "all,tests"}) {
    EXPECT_THROW((void)parseMeasures(bad, "m"), InputError) << bad;
  }
}

}  // namespace
}  // namespace rtvp::platform
