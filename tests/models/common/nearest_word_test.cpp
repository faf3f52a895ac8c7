// What a user may have meant: distances and hints counted by hand.
#include "models/common/core/nearest_word.hpp"

#include <gtest/gtest.h>

#include <array>

namespace rtvp::common {
namespace {

using std::string_view;

TEST(NearestWord, DistancesAreThoseOfTheTextbook) {
  EXPECT_EQ(editDistance("", ""), 0U);
  EXPECT_EQ(editDistance("", "abc"), 3U);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3U);  // Wagner and Fischer's example
  EXPECT_EQ(editDistance("brake", "break"), 2U);
}

TEST(NearestWord, OfEquallyNearWordsTheOneThatBeginsSo) {
  constexpr std::array<string_view, 3> kWords{"sump", "sum", "suma"};
  EXPECT_EQ(nearestWord("su", kWords), "sum");
  constexpr std::array<string_view, 2> kEqual{"xlist", "lists"};
  EXPECT_EQ(nearestWord("list", kEqual), "lists");
}

TEST(NearestWord, AHintOnlyForASlip) {
  constexpr std::array<string_view, 6> kWords{"break", "step", "units", "print", "AR5", "watch"};
  EXPECT_EQ(likelyWord("brake", kWords), "break");
  EXPECT_EQ(likelyWord("brk", kWords), "");       // two edits of three letters
  EXPECT_EQ(likelyWord("setp", kWords), "step");  // exchanged
  EXPECT_EQ(likelyWord("AR6", kWords), "AR5");
  EXPECT_EQ(likelyWord("unit", kWords), "units");
  EXPECT_EQ(likelyWord("wacht", kWords), "watch");
  EXPECT_EQ(likelyWord("reverse", kWords), "");
  EXPECT_EQ(likelyWord("s", kWords), "");
  EXPECT_EQ(likelyWord("step", {}), "");
}

}  // namespace
}  // namespace rtvp::common
