// Cycles of the board's protocols against traces made by hand (board.md 1.3, 2.1; c32.md 7.2, 9.1,
// 9.3), in every engine. After a barrier all lanes run in step, so a trace counts from the release
// edge E: the held read occupies cycle E, every further instruction one cycle, RPTS four.
#include "tests/models/tigershark/array_bench.hpp"

namespace rtvp::tigershark::test {
namespace {

using Kind = EngineChoice::Kind;
using Outcome = ArrayOutcome::Kind;

constexpr int kLanes = 5;
constexpr std::uint32_t kSeenLow = 1, kSeenHigh = 2;

class ProtocolTiming : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Engines, ProtocolTiming, testing::Values(Kind::Scalar, Kind::Simt),
                         [](const auto& test) {
                           return test.param == Kind::Scalar ? "scalar" : "simt";
                         });

std::string nops(Cycle count) {
  std::string text;
  for (Cycle n = 0; n < count; ++n) text += "        NOP\n";
  return text;
}

/// Lane 2 writes `voter` to IOF and the others `rest` in cycle E + 1; `before` likewise with the
/// arrival. The line is read in cycle E + 2 + `wait`.
std::string voteProgram(const std::string& before, const std::string& voter, Cycle wait) {
  return "        LDI 0,AR0\n        LDI 20h,R1\n        LDI 0,R4\n        CMPI 2,R7\n"
         "        LDIZ " +
         before + ",R1\n        CMPI 2,R7\n        LDIZ " + voter +
         ",R4\n        LDI R1,IOF\n        NOP\n        NOP\n        NOP\n"
         "        LDI *AR0,R2\n"   // E
         "        LDI R4,IOF\n" +  // E + 1
         nops(wait) +              // E + 2 ...
         "        TSTB 8,IOF\n"    // E + 2 + wait
         "        LDIZ 1,R3\n        LDINZ 2,R3\n        LDI 0,IOF\n" +
         nops(40) +  // so that the vector engine finds it worth its while
         "        LDP result\n        STI R3,@result\nstop:   IDLE\n        BU stop\n"
         "result: .word 0\n";
}

/// What all lanes read of the line; checked to be the same.
std::uint32_t seen(const std::string& program, const ArrayConfig& config, Kind engine) {
  ArrayBench bench(program, kLanes, config, {.kind = engine});
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent) << bench.engine->error().what;
  const std::uint32_t first = bench.word(0, "result");
  for (int lane = 1; lane < kLanes; ++lane) EXPECT_EQ(bench.word(lane, "result"), first) << lane;
  if (engine == Kind::Simt) {
    EXPECT_GT(bench.engine->hostCounters().takeovers, 0U);
  }
  const ArrayCounters c = bench.engine->counters(0);
  EXPECT_EQ(c.votes, 1U) << "all lanes ask in one cycle";
  EXPECT_EQ(c.voters, first == kSeenLow ? 1U : 0U);
  EXPECT_EQ(c.skips, first == kSeenLow ? 0U : 1U);
  return first;
}

// Written in E + 1, the pin is low from E + 2. The level that a reader in cycle s sees is that of
// s - sync: E + 2 + wait - sync >= E + 2.
TEST_P(ProtocolTiming, TS_031_AVoteIsSeenSyncCyclesAfterThePin) {
  for (const Cycle sync : {0U, 1U, 3U, 4U}) {
    ArrayConfig config;
    config.syncCycles = sync;
    for (Cycle wait = 0; wait < 7; ++wait) {
      EXPECT_EQ(seen(voteProgram("20h", "2", wait), config, GetParam()),
                wait >= sync ? kSeenLow : kSeenHigh)
          << "sync " << sync << ", NOPs " << wait;
    }
  }
}

// Lane 2 pulls from its arrival and lets go in E + 1: the line is high from E + 2 + rise.
TEST_P(ProtocolTiming, TS_035_AReleaseIsSeenRiseAndSyncCyclesAfterThePin) {
  for (const Cycle rise : {0U, 2U, 5U}) {
    for (const Cycle sync : {1U, 3U}) {
      ArrayConfig config;
      config.riseCycles = rise;
      config.syncCycles = sync;
      for (Cycle wait = 0; wait < 10; ++wait) {
        EXPECT_EQ(seen(voteProgram("22h", "0", wait), config, GetParam()),
                  wait >= rise + sync ? kSeenHigh : kSeenLow)
            << "rise " << rise << ", sync " << sync << ", NOPs " << wait;
      }
    }
  }
}

// The defaults that these two speak of: 2 cycles to rise, 3 for the synchroniser.
TEST_P(ProtocolTiming, TheDefaultsNeedThreeAndFiveNops) {
  EXPECT_EQ(seen(voteProgram("20h", "2", 2), {}, GetParam()), kSeenHigh);
  EXPECT_EQ(seen(voteProgram("20h", "2", 3), {}, GetParam()), kSeenLow);
  EXPECT_EQ(seen(voteProgram("22h", "0", 4), {}, GetParam()), kSeenLow);
  EXPECT_EQ(seen(voteProgram("22h", "0", 5), {}, GetParam()), kSeenHigh);
}

// ---- barrier and HOLD

/// Two barriers; between them lane i takes i cycles more than lane 0.
std::string twoBarriers() {
  return "        LDI 0,AR0\n        LDI 20h,IOF\n        NOP\n        NOP\n        NOP\n"
         "        LDI *AR0,R2\n"  // E1
         "        LDI 0,IOF\n"    // E1 + 1
         "        RPTS R7\n"      // E1 + 2 .. 5
         "        NOP\n"          // E1 + 6 .. 6 + i
         "        LDI 20h,IOF\n"  // A(i) = E1 + 7 + i
         "        NOP\n        NOP\n        NOP\n"
         "        LDI *AR0,R2\n"  // wanted in A(i) + 4, held until E2 = A(last) + release
         "        LDI 0,IOF\n" +
         nops(40) + "stop:   IDLE\n        BU stop\n";
}

struct Trace {
  Cycle release;
  [[nodiscard]] Cycle arrival(int lane) const { return 7 + static_cast<Cycle>(lane); }
  [[nodiscard]] Cycle between() const { return arrival(kLanes - 1) + release; }
  [[nodiscard]] Cycle held(int lane) const { return between() - (arrival(lane) + 4); }
};

std::unique_ptr<ArrayBench> benchOf(const Trace& trace, Kind engine) {
  ArrayConfig config;
  config.releaseCycles = trace.release;
  auto bench =
      std::make_unique<ArrayBench>(twoBarriers(), kLanes, config, EngineChoice{.kind = engine});
  return bench;
}

const Trace kTraces[] = {{4}, {5}, {9}};

/// Boots and hands out the token; the first barrier is complete.
ArrayOutcome firstBarrier(ArrayBench& bench) {
  EXPECT_EQ(bench.run().kind, Outcome::Quiescent);
  bench.engine->chainInput(0, 30'000);
  return bench.engine->advance(1'000'000);
}

TEST_P(ProtocolTiming, TS_009_ReleaseEdgesFollowTheTrace) {
  for (const Trace& trace : kTraces) {
    const auto benchOwner = benchOf(trace, GetParam());
    ArrayBench& bench = *benchOwner;
    const ArrayOutcome first = firstBarrier(bench);
    ASSERT_EQ(first.kind, Outcome::Barrier);
    const std::size_t before = bench.board.accesses.size();
    bench.engine->release(first.cycle);
    EXPECT_EQ(bench.run().kind, Outcome::Quiescent);
    ASSERT_EQ(bench.board.accesses.size(), before + 2);
    EXPECT_EQ(bench.board.accesses[before].cycle, first.cycle);
    EXPECT_EQ(bench.board.accesses[before + 1].cycle, first.cycle + trace.between())
        << "release " << trace.release;
  }
}

TEST_P(ProtocolTiming, TS_009_LanesAreHeldAsTheTraceSays) {
  for (const Trace& trace : kTraces) {
    const auto benchOwner = benchOf(trace, GetParam());
    ArrayBench& bench = *benchOwner;
    const Cycle e1 = firstBarrier(bench).cycle;
    std::vector<c32::CpuStatistics> before;
    for (int lane = 0; lane < kLanes; ++lane)
      before.push_back(bench.engine->laneStatistics(lane, e1));
    const std::uint64_t skew = bench.engine->counters(e1).epochSkew;
    bench.engine->release(e1);
    const ArrayOutcome second = bench.engine->advance(1'000'000);
    ASSERT_EQ(second.kind, Outcome::Barrier);
    ASSERT_EQ(second.cycle, e1 + trace.between());
    for (int lane = 0; lane < kLanes; ++lane) {
      SCOPED_TRACE("lane " + std::to_string(lane) + ", release " + std::to_string(trace.release));
      EXPECT_EQ(bench.engine->lane(lane).arrival, e1 + trace.arrival(lane));
      const c32::CpuStatistics s = bench.engine->laneStatistics(lane, second.cycle);
      const c32::CpuStatistics& b = before[static_cast<std::size_t>(lane)];
      EXPECT_EQ(s.held - b.held, trace.held(lane));
      EXPECT_EQ(s.busWait, b.busWait);
      EXPECT_EQ(s.executing - b.executing, static_cast<std::uint64_t>(11 + lane))
          << "read, write, RPTS, the repeated NOP, write, three NOPs";
      EXPECT_EQ(s.totalCycles() - b.totalCycles(), trace.between()) << "nothing else";
    }
    bench.engine->release(second.cycle);
    bench.run();
    // The first barrier's skew comes with its release.
    std::uint64_t later = 0;
    for (int lane = 0; lane < kLanes; ++lane)
      later += trace.arrival(kLanes - 1) - trace.arrival(lane);
    EXPECT_GE(bench.engine->counters(0).epochSkew, skew + later);
    EXPECT_EQ(bench.engine->counters(0).barriers, 2U);
  }
}

// The statistics do not depend on whether somebody looked between the barriers, so the vector
// engine has counted what the trace says, too.
TEST_P(ProtocolTiming, TS_009_NobodyLooksAndTheSameIsCounted) {
  for (const Trace& trace : kTraces) {
    const auto lookedOwner = benchOf(trace, Kind::Scalar);
    ArrayBench& looked = *lookedOwner;
    firstBarrier(looked);
    looked.run();
    const auto benchOwner = benchOf(trace, GetParam());
    ArrayBench& bench = *benchOwner;
    firstBarrier(bench);
    bench.run();
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto a = looked.engine->laneStatistics(lane, 50'000);
      const auto b = bench.engine->laneStatistics(lane, 50'000);
      EXPECT_EQ(a.held, b.held) << lane;
      EXPECT_EQ(a.executing, b.executing) << lane;
      EXPECT_EQ(a.idle, b.idle) << lane;
      EXPECT_EQ(b.totalCycles(), 50'000U) << lane;
    }
    EXPECT_EQ(looked.engine->counters(0).epochSkew, bench.engine->counters(0).epochSkew);
  }
}

// An access in cycle A + 1 + k, k NOPs behind the arrival: HOLD is there from A + hold + 1.
TEST_P(ProtocolTiming, TS_010_HoldActsHoldCyclesAfterTheArrival) {
  for (const Cycle hold : {0U, 1U, 3U, 5U}) {
    for (Cycle k = 0; k < 7; ++k) {
      ArrayConfig config;
      config.holdCycles = hold;
      config.releaseCycles = 9;
      ArrayBench bench("        LDI 0,AR0\n        NOP\n        NOP\n        LDI 20h,IOF\n" +
                           nops(k) + "        LDI *AR0,R2\n        LDI 0,IOF\n" + nops(40) +
                           "stop:   IDLE\n        BU stop\n",
                       kLanes, config, {.kind = GetParam()});
      const ArrayOutcome outcome = bench.start();
      ASSERT_EQ(outcome.kind, k < hold ? Outcome::Error : Outcome::Quiescent)
          << "hold " << hold << ", NOPs " << k << ": " << bench.engine->error().what;
      if (k < hold) {
        EXPECT_EQ(bench.engine->error().kind, ArrayError::Kind::Lockstep);
      }
    }
  }
}

// ---- the same in the second epoch, with what the lanes differ in worked out there: in the vector
// engine's own hands, which leaves the above to the scalar one

/// Behind the release: `settled`, then (in RS, which the vector engine votes from, as the firmware
/// does) lane 2 writes `voter` to IOF and the others 0 in some cycle V, and the line is read in V +
/// 1 + `wait`.
std::string lateVoteProgram(const std::string& settled, const std::string& voter, Cycle wait) {
  return "        LDI 0,AR0\n        LDI 20h,IOF\n        NOP\n        NOP\n        NOP\n"
         "        LDI *AR0,R2\n        LDI 0,IOF\n" +
         nops(50) + "        LDI 0,RS\n        CMPI 2,R7\n        LDIZ " + settled +
         ",RS\n        LDI RS,IOF\n" + nops(20) +
         "        LDI 0,RS\n        CMPI 2,R7\n        LDIZ " + voter +
         ",RS\n        LDI RS,IOF\n" + nops(wait) +
         "        TSTB 8,IOF\n        LDIZ 1,R3\n        LDINZ 2,R3\n        LDI 0,IOF\n" +
         nops(40) +
         "        LDP result\n        STI R3,@result\nstop:   IDLE\n        BU stop\n"
         "result: .word 0\n";
}

TEST_P(ProtocolTiming, TS_031_AVoteInTheMiddleOfAnEpochIsSeenAsLate) {
  for (const Cycle sync : {0U, 1U, 3U, 4U}) {
    ArrayConfig config;
    config.syncCycles = sync;
    for (Cycle wait = 0; wait < 7; ++wait) {
      EXPECT_EQ(seen(lateVoteProgram("0", "2", wait), config, GetParam()),
                wait >= sync ? kSeenLow : kSeenHigh)
          << "sync " << sync << ", NOPs " << wait;
    }
  }
}

TEST_P(ProtocolTiming, TS_035_AReleaseInTheMiddleOfAnEpochIsSeenAsLate) {
  for (const Cycle rise : {0U, 2U, 5U}) {
    for (const Cycle sync : {1U, 3U}) {
      ArrayConfig config;
      config.riseCycles = rise;
      config.syncCycles = sync;
      for (Cycle wait = 0; wait < 10; ++wait) {
        EXPECT_EQ(seen(lateVoteProgram("2", "0", wait), config, GetParam()),
                  wait >= rise + sync ? kSeenHigh : kSeenLow)
            << "rise " << rise << ", sync " << sync << ", NOPs " << wait;
      }
    }
  }
}

TEST_P(ProtocolTiming, TS_010_HoldActsAsLateInTheMiddleOfAnEpoch) {
  for (const Cycle hold : {0U, 1U, 3U, 5U}) {
    for (Cycle k = 0; k < 7; ++k) {
      ArrayConfig config;
      config.holdCycles = hold;
      config.releaseCycles = 9;
      ArrayBench bench("        LDI 0,AR0\n        LDI 20h,IOF\n" + nops(8) +
                           "        LDI *AR0,R2\n        LDI 0,IOF\n" + nops(60) +
                           "        LDI 20h,IOF\n" + nops(k) +
                           "        LDI *AR0,R2\n        LDI 0,IOF\n" + nops(40) +
                           "stop:   IDLE\n        BU stop\n",
                       kLanes, config, {.kind = GetParam()});
      ASSERT_EQ(bench.start().kind, k < hold ? Outcome::Error : Outcome::Quiescent)
          << "hold " << hold << ", NOPs " << k << ": " << bench.engine->error().what;
    }
  }
}

}  // namespace
}  // namespace rtvp::tigershark::test
