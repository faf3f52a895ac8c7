// Where runs are made, when, and how many (run_places.hpp).
#include "models/c32/simt/run_places.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace rtvp::c32::simt {
namespace {

/// Stands for a run of a circumstance.
struct TestRun {
  int circumstance = 0;
  const char* code = "";  ///< null: given up
};
using Places = RunPlaces<TestRun>;

struct Fixture : testing::Test {
  Places places{3};
  std::uint16_t number = 0;
  int made = 0;

  TestRun* visit(int circumstance, bool worthIt = true, bool may = true) {
    return places.find(
        *places.at(number), may,
        [&](const TestRun& run) { return run.circumstance == circumstance; },
        [&]() -> std::unique_ptr<TestRun> {
          ++made;
          return worthIt ? std::make_unique<TestRun>(TestRun{circumstance}) : nullptr;
        });
  }
  /// Visits until one of them tries to make a run.
  int visitsUntilDue(int circumstance, bool worthIt) {
    const int before = made;
    for (int visits = 1; visits < 1000; ++visits) {
      visit(circumstance, worthIt);
      if (made != before) return visits;
    }
    return 0;
  }
};
using RunPlacesTest = Fixture;

TEST_F(RunPlacesTest, EachAttemptDoublesThePatience) {
  EXPECT_EQ(visitsUntilDue(1, false), 3);
  EXPECT_EQ(visitsUntilDue(1, false), 6);
  EXPECT_EQ(visitsUntilDue(1, true), 12);
  EXPECT_EQ(visitsUntilDue(2, true), 24);
}

TEST_F(RunPlacesTest, CountsWhatWasNotWorthIt) {
  visitsUntilDue(1, false);
  EXPECT_EQ(places.at(number)->inVain(), 1U);
  visitsUntilDue(1, true);
  EXPECT_EQ(places.at(number)->inVain(), 1U);
  number = 0;
  EXPECT_EQ(places.at(number)->inVain(), 0U);
}

TEST_F(RunPlacesTest, AVisitWhereNoneMayBeMadeCostsPatienceOnly) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(visit(1, true, false), nullptr);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(places.at(number)->inVain(), 0U);
  EXPECT_EQ(visitsUntilDue(1, true), 6);
  EXPECT_NE(visit(1, true, false), nullptr) << "what there is may begin";
}

TEST_F(RunPlacesTest, ARunThatDoesNotFitWhenItIsMadeWaits) {
  TestRun* found = nullptr;
  for (int i = 0; i < 3; ++i) {
    found = places.find(
        *places.at(number), true, [](const TestRun& /*run*/) { return false; },
        [] { return std::make_unique<TestRun>(TestRun{1}); });
  }
  EXPECT_EQ(found, nullptr);
  EXPECT_NE(visit(1), nullptr);
  EXPECT_EQ(made, 0);
}

TEST_F(RunPlacesTest, ARunIsFoundByWhatItMatches) {
  EXPECT_EQ(visit(1), nullptr);
  EXPECT_EQ(visit(1), nullptr);
  TestRun* const one = visit(1);
  ASSERT_NE(one, nullptr);
  ASSERT_EQ(visitsUntilDue(2, true), 6);
  EXPECT_EQ(visit(1), one) << "it stays where it is";
  EXPECT_EQ(visit(2)->circumstance, 2);
  EXPECT_EQ(made, 2) << "what is found needs no other";
}

TEST_F(RunPlacesTest, ARunThatWasGivenUpIsNotMadeAgain) {
  visitsUntilDue(1, true);
  visit(1)->code = nullptr;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(visit(1), nullptr);
  EXPECT_EQ(made, 1);
}

TEST_F(RunPlacesTest, APlaceHasFourRunsAtMost) {
  for (int i = 0; i < 4; ++i) EXPECT_GT(visitsUntilDue(i, true), 0) << i;
  EXPECT_EQ(visitsUntilDue(4, true), 0);
  EXPECT_NE(visit(3), nullptr);
}

TEST_F(RunPlacesTest, FullWith512Runs) {
  for (int i = 0; i < 512; ++i) {
    EXPECT_FALSE(places.full()) << i;
    number = 0;
    EXPECT_EQ(visitsUntilDue(1, true), 3);
  }
  EXPECT_TRUE(places.full());
  number = 0;
  EXPECT_EQ(visitsUntilDue(1, true), 0) << "no more are made";
  places.forget();
  EXPECT_FALSE(places.full());
}

TEST_F(RunPlacesTest, FullWith32767Places) {
  for (unsigned i = 1; i < 0x8000; ++i) {
    EXPECT_FALSE(places.full()) << i;
    number = 0;
    ASSERT_NE(places.at(number), nullptr);
    ASSERT_EQ(number, i);
  }
  EXPECT_TRUE(places.full());
  number = 0;
  EXPECT_EQ(places.at(number), nullptr);
  EXPECT_EQ(number, 0) << "it has none, and gets one when there is room";
}

TEST_F(RunPlacesTest, ForgettingBeginsAnew) {
  EXPECT_FALSE(places.forget()) << "there were none";
  visitsUntilDue(1, true);
  EXPECT_TRUE(places.forget());
  EXPECT_FALSE(places.full());
  number = 0;
  EXPECT_EQ(visitsUntilDue(1, true), 3) << "with the patience of the beginning";
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace rtvp::c32::simt
