// The timings of laps (models/c32/blocks/lap.hpp) by themselves: which one a processor goes
// through.
#include "models/c32/blocks/lap.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/c32/blocks/turn_code.hpp"

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

// The code of a lap that passes two words on, and each of its guards.
struct CodeBench {
  static constexpr Cycle kAsleep = 10'000;
  TurnCode code;
  TurnSetting setting;
  Summary from;
  Summary lap;
  TurnCode::Lap run = nullptr;
  std::vector<std::uint32_t> ram = std::vector<std::uint32_t>(512);
  std::vector<SerialWord> in{{10'027, 0xAAAA}, {10'110, 0xBBBB}, {10'194, 0xCCCC}};
  std::vector<SerialWord> out{2};
  LapTiming timing;

  CodeBench() {
    using Code = Operation::Code;
    setting.cycles = kCycles;
    setting.edges = kEdges;
    code.forget(setting);
    from.transferring = from.emptying = true;
    for (std::uint8_t n = 0; n < 2; ++n) {
      const auto word = static_cast<std::uint8_t>(kFirstTemporary + n);
      lap.operations.push_back({.code = Code::Arrive});
      lap.operations.push_back({.code = Code::ReadWord, .to = word});
      lap.operations.push_back({.code = Code::Write, .b = word});
    }
    lap.operations.push_back({});
    lap.registers.push_back({0, kFirstTemporary + 1, 0});
    lap.transferring = true;
    run = code.addLap(from, lap, setting);
    timing.transfer = 5;
    timing.empty = 3;
    timing.arrivals[0].when = 27;
    timing.arrivals[1].when = 110;
    timing.most = 170;
    timing.cycles = 160;
    timing.transferAfter = 165;
    timing.edges = 64;
    timing.placeAfter = 9;
    timing.departures[0].when = 120;
    timing.departures[1].when = 203;
    TurnFrame& f = code.frame();
    f.in = in.data();
    f.out = out.data();
    f.cycle = kAsleep;
    f.transfer = kAsleep + 5;
    f.empty = kAsleep + 3;
    f.last = 3'840;
    f.ram = ram.data();
    f.horizon = kAsleep + 171;
  }
  bool taken() { return run(&code.frame(), &timing); }
};

TEST(LapCode, MovesWordsAndTimes) {
  if (!TurnCode::lapsPossible()) GTEST_SKIP() << "host without AVX2";
  CodeBench b;
  ASSERT_NE(b.run, nullptr);
  ASSERT_TRUE(b.taken());
  const TurnFrame& f = b.code.frame();
  EXPECT_EQ(b.out[0].word, 0xAAAAU);
  EXPECT_EQ(b.out[0].arrival, 10'120U);
  EXPECT_EQ(b.out[1].word, 0xBBBBU);
  EXPECT_EQ(b.out[1].arrival, 10'203U);
  EXPECT_EQ(f.in, b.in.data() + 2);
  EXPECT_EQ(f.out, b.out.data() + 2);
  EXPECT_EQ(f.cycle, 10'160U);
  EXPECT_EQ(f.transfer, 10'165U);
  EXPECT_EQ(f.empty, kNever);
  EXPECT_EQ(f.last, 3'904U);
  EXPECT_EQ(f.place, 9U);
  EXPECT_EQ(f.value[0], 0xBBBBU);
}

TEST(LapCode, EachGuardLeavesAllAsItWas) {
  if (!TurnCode::lapsPossible()) GTEST_SKIP() << "host without AVX2";
  const auto taken = [](auto change) {
    CodeBench b;
    change(b);
    const bool done = b.taken();
    if (!done) {
      EXPECT_EQ(b.code.frame().cycle, CodeBench::kAsleep);
      EXPECT_EQ(b.code.frame().in, b.in.data());
      EXPECT_EQ(b.code.frame().value[0], 0U);
    }
    return done;
  };
  EXPECT_TRUE(taken([](CodeBench&) {}));
  EXPECT_FALSE(taken([](CodeBench& b) { ++b.code.frame().transfer; }));
  EXPECT_FALSE(taken([](CodeBench& b) { ++b.code.frame().empty; }));
  EXPECT_FALSE(taken([](CodeBench& b) { ++b.in[0].arrival; }));
  EXPECT_FALSE(taken([](CodeBench& b) { --b.in[1].arrival; }));
  EXPECT_FALSE(taken([](CodeBench& b) { b.in[2].arrival = 10'160; }));  // before it sleeps again
  EXPECT_TRUE(taken([](CodeBench& b) { b.in[2].arrival = 10'161; }));
  EXPECT_FALSE(taken([](CodeBench& b) { b.code.frame().horizon = 10'170; }));
}

}  // namespace
}  // namespace rtvp::c32::blocks
