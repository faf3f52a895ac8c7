// The timings of laps (models/c32/blocks/lap.hpp) by themselves: which one a processor goes
// through.
#include "models/c32/blocks/lap.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rtvp::c32::blocks {
namespace {

constexpr std::uint64_t kCycles = 60;  // of H1 in which the bit clock has so many edges
constexpr std::uint64_t kEdges = 23;

struct Bench {
  LapTimings timings;
  TurnFrame frame;
  std::vector<SerialWord> words{kMostLapWords + 1};
  std::vector<unsigned> asked;  ///< laps whose code was called

  Bench() {
    timings.clear(kCycles, kEdges);
    frame.place = 3;
    frame.cycle = 10'000;
    frame.last = 3'840;  // some edges later than cycle 10,000
    words[0].arrival = 10'027;
    frame.in = words.data();
  }

  /// One that fits the frame as it is.
  [[nodiscard]] LapTiming fitting(unsigned lap) const {
    LapTiming t;
    t.place = frame.place;
    t.phase = timings.phaseOf(frame.last, frame.cycle);
    t.arrivals[0].when = words[0].arrival - frame.cycle;
    t.lap = lap;
    return t;
  }
  bool take(unsigned working) {
    asked.clear();
    return timings.take(frame, [&](const LapTiming& t) {
      asked.push_back(t.lap);
      return t.lap == working;
    });
  }
};

TEST(LapTimings, OnlyOneThatBeginsAlikeIsTaken) {
  Bench b;
  EXPECT_FALSE(b.take(0));
  EXPECT_TRUE(b.asked.empty());
  b.timings.add(b.fitting(7));
  EXPECT_TRUE(b.take(7));
  EXPECT_EQ(b.asked, std::vector<unsigned>{7});
  // Later by 60 cycles and 23 edges everything lies alike.
  b.frame.cycle += kCycles;
  b.frame.last += kEdges;
  b.words[0].arrival += kCycles;
  EXPECT_TRUE(b.take(7));
}

TEST(LapTimings, AnotherPlaceOrPhaseIsNotAsked) {
  // A neighbour in the table: found by its begin, and then by nothing but place and phase.
  const auto asks = [](unsigned place, std::uint64_t edges) {
    Bench b;
    b.timings.add(b.fitting(7));
    b.frame.place = place;
    b.frame.last += edges;
    const bool taken = b.take(7);
    EXPECT_EQ(b.asked.size(), taken ? 1U : 0U);
    return taken;
  };
  EXPECT_TRUE(asks(3, 0));
  for (unsigned place = 4; place < 4'000; ++place) EXPECT_FALSE(asks(place, 0)) << place;
  for (unsigned edges = 1; edges < 4'000; ++edges) EXPECT_FALSE(asks(3, edges)) << edges;
}

TEST(LapTimings, AFailedGuardLeavesTheNextOneItsTurn) {
  Bench b;
  b.timings.add(b.fitting(1));
  b.timings.add(b.fitting(2));
  EXPECT_TRUE(b.take(2));
  EXPECT_EQ(b.asked, (std::vector<unsigned>{1, 2}));
  EXPECT_FALSE(b.take(5));
}

TEST(LapTimings, KnowsWhatItHas) {
  Bench b;
  const LapTiming t = b.fitting(1);
  EXPECT_FALSE(b.timings.has(t));
  b.timings.add(t);
  EXPECT_TRUE(b.timings.has(t));
  const auto with = [&](auto change) {
    LapTiming other = t;
    change(other);
    return b.timings.has(other);
  };
  EXPECT_FALSE(with([](LapTiming& o) { o.lap = 2; }));
  EXPECT_FALSE(with([](LapTiming& o) { o.transfer = 1; }));
  EXPECT_FALSE(with([](LapTiming& o) { o.empty = 1; }));
  EXPECT_FALSE(with([](LapTiming& o) { o.arrivals[5].when = 1; }));
  EXPECT_TRUE(with([](LapTiming& o) { o.departures[5].when = 1; }));  // not of the begin
}

TEST(LapTimings, MoreThanARowHoldsPushOneOut) {
  Bench b;
  constexpr unsigned kMany = 9;
  for (unsigned n = 0; n < kMany; ++n) b.timings.add(b.fitting(n));
  EXPECT_FALSE(b.take(kMany));
  EXPECT_EQ(b.asked.size(), 4U);
  EXPECT_TRUE(b.take(kMany - 1));  // the latest is there
}

}  // namespace
}  // namespace rtvp::c32::blocks
