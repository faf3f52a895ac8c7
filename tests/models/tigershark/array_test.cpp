// The lockstep contract of the array engine, programmed in C32 assembly (board.md 1.1 to 1.3, 2.1).
#include "models/tigershark/wire_or.hpp"
#include "tests/models/tigershark/array_bench.hpp"

namespace rtvp::tigershark::test {
namespace {

using Outcome = ArrayOutcome::Kind;
using Error = ArrayError::Kind;

// A barrier, a held read of SRAM word 0, then `after`; R7 is the node's id.
std::string barrierThen(const std::string& after, const std::string& before = "") {
  return R"(
        LDI     0,AR0
)" + before +
         R"(
        LDI     20h,IOF                 ; arrive
        NOP
        NOP
        NOP
        LDI     *AR0,R2                 ; held until the release
)" + after +
         R"(
stop:   IDLE
        BU      stop
result: .word   0
)";
}

TEST(LockstepArray, TS_021_EachNodeLearnsItsNumberFromTheToken) {
  ArrayBench bench(
      "        LDP     result\n        STI     R7,@result\nstop:   IDLE\n        BU stop\nresult: "
      ".word 99\n",
      5);
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.word(i, "result"), static_cast<std::uint32_t>(i));
  ASSERT_EQ(bench.board.output.size(), 1U);
  EXPECT_EQ(bench.board.output[0].word, 5U) << "the token comes out with the number of nodes";
}

TEST(LockstepArray, TS_020_AWordNeeds34BitClocksAHop) {
  ArrayBench bench("stop:   IDLE\n        BU stop\n", 3);
  bench.start();
  ASSERT_EQ(bench.board.output.size(), 1U);
  // Three hops of 34 bit clocks at 11.5 MHz (88.7 cycles) and three times the node's own few
  // instructions.
  const Cycle delay = bench.board.output[0].arrival - 20'000;
  EXPECT_GE(delay, 3U * 88U);
  EXPECT_LE(delay, 3U * 125U);
}

TEST(LockstepArray, TS_003_OneBusCycleServesAllLanes) {
  ArrayBench bench(barrierThen("        LDP result\n        STI R2,@result\n"), 8);
  const std::size_t boot = (bench.run(), bench.board.accesses.size());
  bench.board.memory[0] = 0x1234;
  bench.engine->chainInput(0, 20'000);
  EXPECT_EQ(bench.run().kind, Outcome::Quiescent);
  EXPECT_EQ(bench.board.accesses.size(), boot + 1);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(bench.word(i, "result"), 0x1234U);
}

TEST(LockstepArray, TS_007_AfterBootNoInstructionIsFetchedFromSram) {
  ArrayBench bench(barrierThen("        LDI *AR0,R2\n        LDI *AR0,R2\n"), 4);
  bench.run();
  const std::size_t boot = bench.board.accesses.size();
  bench.engine->chainInput(0, 20'000);
  bench.run();
  for (std::size_t i = boot; i < bench.board.accesses.size(); ++i) {
    EXPECT_EQ(bench.board.accesses[i].op, c32::BusOp::Read);
  }
  EXPECT_EQ(bench.board.accesses.size(), boot + 3);
}

TEST(LockstepArray, TS_009_ABarrierReleasesFourCyclesAfterTheLastArrival) {
  // Lane i spends i extra cycles before it arrives.
  ArrayBench bench(barrierThen("", "        RPTS R7\n        NOP\n"), 4);
  bench.run();
  bench.engine->chainInput(0, 20'000);
  const ArrayOutcome outcome = bench.engine->advance(1'000'000);
  ASSERT_EQ(outcome.kind, Outcome::Barrier);
  EXPECT_TRUE(bench.engine->allArrived());
  const std::size_t before = bench.board.accesses.size();
  bench.engine->release(outcome.cycle);
  bench.run();
  ASSERT_GT(bench.board.accesses.size(), before);
  EXPECT_EQ(bench.board.accesses[before].cycle, outcome.cycle)
      << "held accesses start on the release edge";
}

TEST(LockstepArray, TS_004_ADifferentAddressIsReportedWithItsLane) {
  ArrayBench bench(barrierThen("        NOP\n", "        CMPI 2,R7\n        LDIZ 8,AR0\n"), 4);
  const ArrayOutcome outcome = bench.start();
  ASSERT_EQ(outcome.kind, Outcome::Error);
  const ArrayError& e = bench.engine->error();
  EXPECT_EQ(e.kind, Error::Lockstep);
  EXPECT_EQ(e.lane, 2);
  EXPECT_EQ(e.address, 8U);
  EXPECT_NE(e.others.find("master"), std::string::npos) << e.others;
}

TEST(LockstepArray, TS_004_WhereAllSlavesAgreeTheMasterIsWrong) {
  ArrayBench bench(barrierThen("        NOP\n", "        CMPI 0,R7\n        LDIZ 8,AR0\n"), 4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  const ArrayError& e = bench.engine->error();
  EXPECT_EQ(e.kind, Error::Lockstep);
  EXPECT_EQ(e.lane, 0);
  EXPECT_EQ(e.others.rfind("3 of 3 slaves agree against the master", 0), 0U) << e.others;
}

TEST(LockstepArray, TS_004_ADifferentCycleIsReported) {
  // Lane 1 takes the branch and comes to the second read later than the others.
  ArrayBench bench(
      barrierThen(
          "        CMPI 1,R7\n        BZ late\n        LDI *AR0,R3\n        BU stop\nlate:   NOP\n"
          "        NOP\n        LDI *AR0,R3\n"),
      4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Lockstep);
  EXPECT_EQ(bench.engine->error().lane, 1);
}

TEST(LockstepArray, TS_003_AMissingAccessIsReported) {
  ArrayBench bench(barrierThen("        CMPI 3,R7\n        BZ stop\n        LDI *AR0,R3\n"), 4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Lockstep);
  EXPECT_EQ(bench.engine->error().lane, 3);
}

TEST(LockstepArray, TS_003_AnExtraAccessOfASlaveIsReported) {
  ArrayBench bench(barrierThen("        CMPI 3,R7\n        BNZ stop\n        LDI *AR0,R3\n"), 4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Lockstep);
  EXPECT_EQ(bench.engine->error().lane, 3);
}

TEST(LockstepArray, TS_004_WhenMostDisagreeTheMasterIsNamed) {
  ArrayBench bench(barrierThen("        NOP\n", "        CMPI 0,R7\n        LDIZ 8,AR0\n"), 8);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Lockstep);
  EXPECT_EQ(bench.engine->error().lane, 0);
}

TEST(LockstepArray, TS_008_AnAccessWithoutBarrierIsReported) {
  // After the token every lane has a time of its own: an access without a barrier cannot be in
  // step.
  ArrayBench bench("        LDI 0,AR0\n        LDI *AR0,R2\nstop:   IDLE\n        BU stop\n", 4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Lockstep);
}

TEST(LockstepArray, TS_010_AnAccessBeforeHoldActsIsReported) {
  ArrayBench bench(
      "        LDI 0,AR0\n        LDI 20h,IOF\n        NOP\n        LDI *AR0,R2\nstop:   IDLE\n    "
      "    BU stop\n",
      4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  const ArrayError& error = bench.engine->error();
  EXPECT_EQ(error.kind, Error::Lockstep);
  // All lanes do the same: the first of them is named for what it did, not for leaving a path.
  EXPECT_EQ(error.lane, 0);
  EXPECT_NE(error.what.find("HOLD has not acted yet"), std::string::npos) << error.what;
  EXPECT_EQ(error.others.find("against the master"), std::string::npos) << error.others;
  EXPECT_NE(error.others.find("lane"), std::string::npos) << "what the others did";
}

TEST(LockstepArray, TS_010_AnAccessNotPendingAtTheReleaseIsReported) {
  ArrayBench bench(barrierThen("",
                               "        CMPI 1,R7\n        BNZ quick\n        LDI 20h,IOF\n        "
                               "RPTS 40\n        NOP\n"
                               "        LDI *AR0,R2\nquick:\n"),
                   4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().lane, 1);
}

TEST(LockstepArray, TS_005_OnlyTheMasterWrites) {
  ArrayBench bench(barrierThen("        CMPI 0,R7\n        BNZ skip\n        STI R7,*AR0\n        "
                               "BU stop\nskip:   NOP\n"),
                   4);
  bench.run();
  bench.board.memory[0] = 77;
  bench.engine->chainInput(0, 20'000);
  EXPECT_EQ(bench.run().kind, Outcome::Quiescent) << bench.engine->error().what;
  EXPECT_EQ(bench.board.memory[0], 0U) << "the master's write took effect";
}

TEST(LockstepArray, TS_005_ASlaveWriteIsReportedAndHasNoEffect) {
  ArrayBench bench(barrierThen("        CMPI 2,R7\n        BNZ stop\n        STI R7,*AR0\n"), 4);
  bench.run();
  bench.board.memory[0] = 77;
  bench.engine->chainInput(0, 20'000);
  ASSERT_EQ(bench.run().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::SlaveWrite);
  EXPECT_EQ(bench.engine->error().lane, 2);
  EXPECT_EQ(bench.board.memory[0], 77U);
}

TEST(LockstepArray, ABusErrorNamesTheAddress) {
  ArrayBench bench(
      barrierThen("        LDI 4,R0\n        LSH 16,R0\n        LDI R0,AR1\n        LDI *AR1,R1\n"),
      4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::DspFault);
  EXPECT_EQ(bench.engine->error().address, 0x40000U);
}

// ---- the vote -----------------------------------------------------------------------------------

std::string vote(const std::string& condition) {
  return "        LDI 0,AR0\n        LDI 20h,R1\n" + condition +
         "        LDI R1,IOF\n        NOP\n        NOP\n        NOP\n        LDI *AR0,R2\n"
         "        NOP\n        NOP\n        NOP\n        TSTB 8,IOF\n        LDIZ 1,R3\n        "
         "LDINZ 2,R3\n"
         "        LDI 0,IOF\n        LDP result\n        STI R3,@result\n"
         "stop:   IDLE\n        BU stop\nresult: .word 0\n";
}

TEST(LockstepArray, TS_031_OneVoteIsSeenByAll) {
  ArrayBench bench(vote("        CMPI 2,R7\n        LDIZ 22h,R1\n"), 6);
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(bench.word(i, "result"), 1U) << "lane " << i;
  const ArrayCounters c = bench.engine->counters(0);
  EXPECT_EQ(c.votes, 1U);
  EXPECT_EQ(c.skips, 0U);
  EXPECT_EQ(c.voters, 1U);
}

TEST(LockstepArray, TS_031_NoVoteLeavesTheLineHigh) {
  ArrayBench bench(vote(""), 6);
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(bench.word(i, "result"), 2U) << "lane " << i;
  EXPECT_EQ(bench.engine->counters(0).skips, 1U);
}

TEST(LockstepArray, TS_031_TheLineNeedsTimeToRise) {
  WireOr line(2, 2);
  EXPECT_TRUE(line.high(0));
  line.pull(1, 10);
  EXPECT_TRUE(line.high(10));
  EXPECT_FALSE(line.high(11));
  line.pull(0, 12);
  line.release(0, 20);
  EXPECT_FALSE(line.high(30));
  line.release(1, 15);
  EXPECT_FALSE(line.high(22)) << "lane 0 let go at the end of 20, two cycles to rise";
  EXPECT_TRUE(line.high(23));
}

TEST(LockstepArray, TS_031_DrivingTheLineHighIsContention) {
  ArrayBench bench("        LDI 6,IOF\nstop:   IDLE\n        BU stop\n", 4);
  ASSERT_EQ(bench.start().kind, Outcome::Error);
  EXPECT_EQ(bench.engine->error().kind, Error::Contention);
  EXPECT_EQ(bench.engine->error().lane, 0);
}

// ---- properties ---------------------------------------------------------------------------------

TEST(LockstepArray, CyclesAreAllAccountedFor) {
  ArrayBench bench(vote("        CMPI 2,R7\n        LDIZ 22h,R1\n"), 6);
  bench.start();
  const ArrayCounters c = bench.engine->counters(50'000);
  EXPECT_EQ(c.executing + c.busWait + c.held + c.idle + c.conflict + c.interrupt + c.other,
            c.total);
  EXPECT_EQ(c.total, 6U * 50'000U);
}

/// c32.md 4.5: under LOPOWER a cycle lasts sixteen. What that costs is in the sum, too.
TEST(LockstepArray, CyclesAtLowPowerAreAccountedFor) {
  const auto other = [](const std::string& first) {
    ArrayBench bench(first +
                         "        RPTS 9\n        NOP\n        MAXSPEED\nstop:   IDLE\n"
                         "        BU stop\n",
                     4);
    EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
    const ArrayCounters c = bench.engine->counters(50'000);
    EXPECT_EQ(c.executing + c.busWait + c.held + c.idle + c.conflict + c.interrupt + c.other,
              c.total);
    EXPECT_EQ(c.total, 4U * 50'000U);
    return c.other;
  };
  const std::uint64_t slow = other("        LOPOWER\n");
  EXPECT_GE(slow - other("        NOP\n"), 4U * 15U * 10U) << "ten NOPs of 16 cycles each";
}

/// Time before the reset is nobody's: counters begin with it.
TEST(LockstepArray, CyclesCountFromTheReset) {
  constexpr Cycle kReset = 7'000;
  ArrayBench bench("stop:   IDLE\n        BU stop\n", 6);
  bench.engine->reset(kReset);
  bench.start();
  const ArrayCounters c = bench.engine->counters(50'000);
  EXPECT_EQ(c.executing + c.busWait + c.held + c.idle + c.conflict + c.interrupt + c.other,
            c.total);
  EXPECT_EQ(c.total, 6U * (50'000U - kReset));
}

/// c32.md 8.6: a receiver that nobody reads keeps one word in DRR and one in its shift register.
TEST(LockstepArray, WordsThatNobodyReadsAreCountedAsLost) {
  ArrayBench bench("stop:   IDLE\n        BU stop\n", 3);
  bench.start();
  EXPECT_EQ(bench.engine->counters(40'000).lostWords, 0U);
  for (std::uint32_t i = 0; i < 5; ++i) bench.engine->chainInput(i, 50'000 + 1'000 * i);
  bench.run();
  EXPECT_EQ(bench.engine->counters(60'000).lostWords, 3U);
}

TEST(LockstepArray, TheHorizonChangesNothing) {
  const std::string program = vote("        CMPI 2,R7\n        LDIZ 22h,R1\n");
  ArrayBench whole(program, 6);
  whole.start();
  ArrayBench pieces(program, 6);
  Cycle horizon = 7;
  bool token = false;
  while (horizon < 60'000) {
    const ArrayOutcome outcome = pieces.engine->advance(horizon);
    if (outcome.kind == Outcome::Barrier) pieces.engine->release(outcome.cycle);
    if (outcome.kind == Outcome::Quiescent && !token) {
      pieces.engine->chainInput(0, 20'000);
      token = true;
    }
    horizon += 13;
  }
  EXPECT_EQ(pieces.board.accesses.size(), whole.board.accesses.size());
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(pieces.engine->lane(i).cycle, whole.engine->lane(i).cycle);
    EXPECT_EQ(pieces.word(i, "result"), whole.word(i, "result"));
  }
}

// The outside hands words over one at a time, while nodes wait in IDLE with their transmitters
// still running empty.
TEST(LockstepArray, WordsHandedOverOneByOneAreInTime) {
  const std::string relay =
      "stop:   IDLE\n        LDI *+AR7(12),R0\n        STI R0,*+AR7(8)\n        BU stop\n";
  ArrayBench together(relay, 4);
  ArrayBench apart(relay, 4);
  together.start();
  apart.start();
  for (std::uint32_t i = 0; i < 8; ++i) {
    const Cycle arrival = 30'000 + i * 1'000 / 12;
    together.engine->chainInput(i, arrival);
    apart.engine->chainInput(i, arrival);
    apart.run();
  }
  together.run();
  ASSERT_EQ(apart.board.output.size(), together.board.output.size());
  for (std::size_t i = 0; i < apart.board.output.size(); ++i) {
    EXPECT_EQ(apart.board.output[i].arrival, together.board.output[i].arrival) << i;
  }
  EXPECT_EQ(apart.engine->counters(0).lateWords, 0U);
}

TEST(LockstepArray, TS_018_Runs512Nodes) {
  ArrayBench bench(vote("        CMPI 300,R7\n        LDIZ 22h,R1\n"), 512);
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
  EXPECT_EQ(bench.word(511, "result"), 1U);
  EXPECT_EQ(bench.engine->counters(0).lateWords, 0U);
}

TEST(LockstepArray, WaitStatesSlowAllLanesAlike) {
  ArrayBench fast(barrierThen("        LDI *AR0,R2\n        LDI *AR0,R2\n"), 4);
  fast.start();
  ArrayBench slow(barrierThen("        LDI *AR0,R2\n        LDI *AR0,R2\n"), 4);
  slow.board.waitStates = 3;
  slow.start();
  EXPECT_EQ(slow.engine->error().what, "");
}

TEST(LockstepArray, ADeadlockSaysWhoWaits) {
  // Lane 1 never arrives.
  ArrayBench bench(barrierThen("", "        CMPI 1,R7\n        BZ stop\n"), 4);
  EXPECT_EQ(bench.start().kind, Outcome::Quiescent);
  const std::string text = bench.engine->describe();
  EXPECT_NE(text.find("arrived at the barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("idle, waits for a word"), std::string::npos) << text;
}

}  // namespace
}  // namespace rtvp::tigershark::test
