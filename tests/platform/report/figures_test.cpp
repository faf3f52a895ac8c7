// Numbers as the summary writes them.
#include "platform/report/figures.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rtvp::report {
namespace {

TEST(SummaryNumbers, SharesArePerCentWithATenth) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.25), "25.0 %");
  EXPECT_EQ(percent(1), "100.0 %");
  EXPECT_EQ(percent(0.0004), "0.0 %");
  EXPECT_EQ(percent(2.0 / 3), "66.7 %");
}

TEST(SummaryNumbers, PartsAreSharesOfTheWhole) {
  const auto sum = [](const char* figure) { return figure[0] == 'a' ? 300.0 : 100.0; };
  const std::array<Part, 2> parts{{{"a", "busy"}, {"b", "idle"}}};
  EXPECT_EQ(shares(sum, parts, 400).substr(0, 23), "busy 75.0 %, idle 25.0 ");
  EXPECT_EQ(shares(sum, parts, 0).substr(0, 22), "busy 0.0 %, idle 0.0 %");
}

}  // namespace
}  // namespace rtvp::report
