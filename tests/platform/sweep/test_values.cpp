// Lists and ranges as a user writes them.
#include <gtest/gtest.h>

#include <random>

#include "platform/exit_status.hpp"
#include "platform/sweep/values.hpp"

namespace rtvp::sweep {
namespace {

using List = std::vector<std::string>;

List values(const std::string& text) {
  return expandValues(text, "test");
}

TEST(SweepValues, Lists) {
  EXPECT_EQ(values("4"), (List{"4"}));
  EXPECT_EQ(values("hilbert, scanline"), (List{"hilbert", "scanline"}));
  EXPECT_EQ(values("0,0,4,4;all"), (List{"0,0,4,4", "all"}));
  EXPECT_EQ(values("../a.shk,b..c.shk"), (List{"../a.shk", "b..c.shk"}));
}

TEST(SweepValues, Ranges) {
  EXPECT_EQ(values("1..4"), (List{"1", "2", "3", "4"}));
  EXPECT_EQ(values("0..1:0.25"), (List{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(values("1..8:3,20"), (List{"1", "4", "7", "20"}));
  EXPECT_EQ(values("-2..-1"), (List{"-2", "-1"}));
  EXPECT_EQ(values("3..3"), (List{"3"}));
}

TEST(SweepValues, ContinuedLists) {
  EXPECT_EQ(values("4,8,...,64"), (List{"4", "8", "16", "32", "64"}));
  EXPECT_EQ(values("1,2,\u2026,16"), (List{"1", "2", "4", "8", "16"}));
  EXPECT_EQ(values("4,8,12,...,20"), (List{"4", "8", "12", "16", "20"}));
  EXPECT_EQ(values("1,3,...,7"), (List{"1", "3", "5", "7"}));
  EXPECT_EQ(values("64,32,...,8"), (List{"64", "32", "16", "8"}));
  EXPECT_EQ(values("10,8,...,4"), (List{"10", "8", "6", "4"}));
  EXPECT_EQ(values("1,2,...,4"), (List{"1", "2", "4"}));
  EXPECT_EQ(values("0,5,...,15,99"), (List{"0", "5", "10", "15", "99"}));
}

TEST(SweepValues, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "1,,2", "1,", "4,...,16", "...", "1,2,...", "1,3,...,8",
                           "5,5,...,5", "a,b,...,c", "4..1", "1..9:0", "1..9:-1", "1..9:x",
                           "0..1e9", "0,1,...,1e9", "1,2,...,nan", "1,2,...,0"}) {
    try {
      (void)values(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (const platform::InputError& e) {
      EXPECT_EQ(std::string(e.what()).rfind("test: ", 0), 0U) << e.what();
    }
  }
}

// Any text gives a bounded list or a located error.
TEST(SweepValues, AnyTextIsReadOrRefused) {
  constexpr unsigned kSeed = 20261;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::string letters = "0123456789.,;:-e \u2026ax";
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    for (auto n = random() % 14; n > 0; --n) text += letters[random() % letters.size()];
    try {
      const List list = values(text);
      EXPECT_FALSE(list.empty()) << text;
      EXPECT_LE(list.size(), kMaxPoints) << text;
    } catch (const platform::InputError&) {
    }
  }
}

TEST(SweepValues, NumbersAreShort) {
  EXPECT_EQ(numberText(512), "512");
  EXPECT_EQ(numberText(-0.5), "-0.5");
  EXPECT_EQ(numberText(1e300), "1e+300");
  EXPECT_EQ(numberText(11500000), "11500000");
}

}  // namespace
}  // namespace rtvp::sweep
