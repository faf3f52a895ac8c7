// Two array engines after the same input: nothing that can be observed may differ.
#pragma once

#include <gtest/gtest.h>

#include "models/tigershark/array_engine.hpp"

namespace rtvp::tigershark::test {

inline void expectSameCounters(const ArrayCounters& a, const ArrayCounters& b) {
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.executing, b.executing);
  EXPECT_EQ(a.busWait, b.busWait);
  EXPECT_EQ(a.held, b.held);
  EXPECT_EQ(a.idle, b.idle);
  EXPECT_EQ(a.conflict, b.conflict);
  EXPECT_EQ(a.interrupt, b.interrupt);
  EXPECT_EQ(a.other, b.other);
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.barriers, b.barriers);
  EXPECT_EQ(a.votes, b.votes);
  EXPECT_EQ(a.skips, b.skips);
  EXPECT_EQ(a.voters, b.voters);
  EXPECT_EQ(a.sharedReads, b.sharedReads);
  EXPECT_EQ(a.sharedFetches, b.sharedFetches);
  EXPECT_EQ(a.sharedWrites, b.sharedWrites);
  EXPECT_EQ(a.chainWords, b.chainWords);
  EXPECT_EQ(a.lateWords, b.lateWords);
  EXPECT_EQ(a.lostWords, b.lostWords);
  EXPECT_EQ(a.epochSkew, b.epochSkew);
}

inline void expectSameStatistics(const c32::CpuStatistics& a, const c32::CpuStatistics& b) {
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(a.executing, b.executing);
  EXPECT_EQ(a.busWait, b.busWait);
  EXPECT_EQ(a.held, b.held);
  EXPECT_EQ(a.idle, b.idle);
  EXPECT_EQ(a.registerConflict, b.registerConflict);
  EXPECT_EQ(a.ramConflict, b.ramConflict);
  EXPECT_EQ(a.interruptEntry, b.interruptEntry);
  EXPECT_EQ(a.stalls(), b.stalls());
  EXPECT_EQ(a.interlockWait, b.interlockWait);
  EXPECT_EQ(a.lowPower, b.lowPower);
  EXPECT_EQ(a.reset, b.reset);
  EXPECT_EQ(a.externalFetches, b.externalFetches);
  EXPECT_EQ(a.externalReads, b.externalReads);
  EXPECT_EQ(a.externalWrites, b.externalWrites);
  EXPECT_EQ(a.interruptsTaken, b.interruptsTaken);
  EXPECT_EQ(a.lateWords, b.lateWords);
}

/// Places add up to the statistics, and are the same in both; nothing if no account is kept.
inline void expectSameCosts(const ArrayEngine& a, const ArrayEngine& b, int lane, Cycle now) {
  const c32::PlaceCosts costs = a.laneCosts(lane, now);
  const c32::PlaceCosts others = b.laneCosts(lane, now);
  ASSERT_EQ(costs.size(), others.size());
  c32::PlaceCost sum;
  for (const auto& [pc, cost] : costs) {
    const auto other = others.find(pc);
    ASSERT_TRUE(other != others.end()) << std::hex << pc;
    EXPECT_EQ(cost.instructions, other->second.instructions) << std::hex << pc;
    EXPECT_EQ(cost.executing, other->second.executing) << std::hex << pc;
    EXPECT_EQ(cost.stalls, other->second.stalls) << std::hex << pc;
    sum.add(cost);
  }
  if (costs.empty()) return;
  const c32::CpuStatistics all = a.laneStatistics(lane, now);
  EXPECT_EQ(sum.instructions, all.instructions);
  EXPECT_EQ(sum.executing, all.executing);
  EXPECT_EQ(sum.stalls, all.stalls());
}

inline void expectSameEngines(const ArrayEngine& a, const ArrayEngine& b, int lanes) {
  expectSameCounters(a.counters(0), b.counters(0));
  EXPECT_EQ(a.allArrived(), b.allArrived());
  EXPECT_EQ(a.describe(), b.describe());
  for (int i = 0; i < lanes; ++i) {
    SCOPED_TRACE("lane " + std::to_string(i));
    const LaneView va = a.lane(i);
    const LaneView vb = b.lane(i);
    EXPECT_EQ(va.cycle, vb.cycle);
    EXPECT_EQ(va.pc, vb.pc);
    EXPECT_EQ(va.arrived, vb.arrived);
    EXPECT_EQ(va.idle, vb.idle);
    expectSameStatistics(va.statistics, vb.statistics);
    const Cycle later = va.cycle + 12'345;  // what has not happened yet is waiting
    expectSameStatistics(a.laneStatistics(i, later), b.laneStatistics(i, later));
    expectSameCosts(a, b, i, later);
    EXPECT_EQ(a.laneStatistics(i, later).totalCycles(), va.statistics.totalCycles() + 12'345);
    for (std::uint32_t address = c32::kRamBase; address < c32::kRamBase + c32::kRamWords;
         ++address) {
      ASSERT_EQ(a.peek(i, address), b.peek(i, address)) << std::hex << address;
    }
  }
}

}  // namespace rtvp::tigershark::test
