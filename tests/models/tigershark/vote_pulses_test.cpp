// Pulses remembered once against every lane's history told at once.
#include "models/tigershark/vote_pulses.hpp"

#include <gtest/gtest.h>

#include <random>

namespace rtvp::tigershark {
namespace {

using c32::simt::LaneMask;

constexpr unsigned kLanes = 70;

LaneMask some(std::mt19937& random, unsigned oneIn) {
  LaneMask lanes;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (random() % oneIn == 0) lanes.set(i);
  }
  return lanes;
}

TEST(VotePulses, TellTheHistoriesWhatTheyWouldHaveBeenTold) {
  std::mt19937 random(19'960'204);
  unsigned remembered = 0;
  for (int round = 0; round < 2000; ++round) {
    const c32::Cycle rise = random() % 4;
    WireOr now(kLanes, rise);
    WireOr later(kLanes, rise);
    VotePulses pulses;
    LaneMask pulling;
    c32::Cycle cycle = 100;
    for (int i = 0; i < 12; ++i) {
      cycle += 1 + random() % 20;
      // All let go or some, and others begin, now and then while some still pull.
      const LaneMask released = random() % 6 == 0 ? pulling & some(random, 2) : pulling;
      const bool lets = random() % 8 != 0;
      LaneMask low;
      if (random() % 3 != 0) low = without(some(random, 1 + random() % 4), pulling);
      const LaneMask ends = lets ? released : LaneMask{};
      ends.forEach([&](unsigned lane) { now.release(lane, cycle); });
      low.forEach([&](unsigned lane) { now.pull(lane, cycle); });
      if (pulses.change(low, ends, cycle)) {
        ++remembered;
      } else {
        pulses.flush(later);
        ends.forEach([&](unsigned lane) { later.release(lane, cycle); });
        low.forEach([&](unsigned lane) { later.pull(lane, cycle); });
      }
      pulling = without(pulling, ends) | low;
      if (random() % 4 != 0) continue;
      pulses.flush(later);
      for (c32::Cycle c = cycle > 12 ? cycle - 12 : 0; c < cycle + 12; ++c) {
        ASSERT_EQ(now.pullers(c), later.pullers(c)) << "round " << round << ", cycle " << c;
      }
    }
  }
  EXPECT_GT(remembered, 10'000U);
}

/// Lanes that pull on while others pull and let go so often that pulses are forgotten: theirs is
/// not among those.
TEST(VotePulses, APullThatOthersPulsesComeIntoIsKept) {
  WireOr now(kLanes, 2);
  WireOr later(kLanes, 2);
  VotePulses pulses;
  const auto lanes = [](unsigned first) {
    LaneMask some;
    for (unsigned i = first; i < first + 10; ++i) some.set(i);
    return some;
  };
  const auto change = [&](const LaneMask& low, const LaneMask& ends, c32::Cycle cycle) {
    ends.forEach([&](unsigned lane) { now.release(lane, cycle); });
    low.forEach([&](unsigned lane) { now.pull(lane, cycle); });
    if (pulses.change(low, ends, cycle)) return;
    pulses.flush(later);
    ends.forEach([&](unsigned lane) { later.release(lane, cycle); });
    low.forEach([&](unsigned lane) { later.pull(lane, cycle); });
  };
  change(lanes(0), {}, 100);
  for (c32::Cycle cycle = 110; cycle < 300; cycle += 20) {
    change(lanes(20), {}, cycle);
    change({}, lanes(20), cycle + 10);
  }
  pulses.flush(later);
  for (c32::Cycle c = 290; c < 310; ++c) {
    EXPECT_EQ(now.pullers(c), later.pullers(c)) << "cycle " << c;
    EXPECT_GE(now.pullers(c), 10U);
  }
}

}  // namespace
}  // namespace rtvp::tigershark
