// Situations that tempt a vector engine into a livelock or a wrong turn: polled lines, lanes that
// others starve, halt or interrupt. Each ends as on the scalar array.
#include <gtest/gtest.h>

#include <cfenv>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/random_program.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr int kLanes = 6;

std::string afterBarrier(const std::string& body) {
  return R"(
        LDI     0,AR0
        LDP     result
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2                 ; held until the release
        LDI     0,IOF
)" + body +
         R"(
stop:   IDLE
        BU      stop
result: .word   0
)";
}

/// Runs both engines; the vector engine must have had the lanes.
void expectAlike(const std::string& body, ArrayOutcome::Kind kind, Cycle horizon = 200'000) {
  ArrayBench scalar(body, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench simt(body, kLanes, {}, {.kind = EngineChoice::Kind::Simt, .runPatience = 1});
  for (ArrayBench* bench : {&scalar, &simt}) {
    EXPECT_EQ(bench->run().kind, ArrayOutcome::Kind::Quiescent);
    bench->engine->chainInput(0, 20'000);
    EXPECT_EQ(bench->run(horizon).kind, kind);
  }
  EXPECT_GT(simt.engine->hostCounters().takeovers, 0u);
  EXPECT_GT(simt.engine->hostCounters().instructions, 0u);
  expectSameEngines(*scalar.engine, *simt.engine, kLanes);
  for (int i = 0; i < kLanes; ++i) {
    EXPECT_EQ(scalar.word(i, "result"), simt.word(i, "result")) << i;
  }
}

TEST(SimtCorner, AbsiOfWordsThatDiffer) {
  expectAlike(afterBarrier(R"(
        LDI     R7,R0
        SUBI    3,R0                    ; -3 to 2
        ABSI    R0,R1
        STI     R1,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, APolledVoteLineEndsWhenTheLastLaneHasVoted) {
  // All but lane 3 poll at a low address; lane 3 pulls the line from a higher one.
  expectAlike(afterBarrier(R"(
        CMPI    3,R7
        BZ      voter
poll:   TSTB    8,IOF
        BNZ     poll
        STI     R7,@result
        BU      stop
voter:  LDI     100,RC
        RPTB    later
        NOP
later:  NOP
        LDI     2,IOF
        STI     R7,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, ALineThatAConditionalLoadLooksAt) {
  expectAlike(afterBarrier(R"(
        CMPI    3,R7
        BZ      voter
poll:   CMPI    99,R7
        LDINZ   IOF,R1
        TSTB    8,R1
        BNZ     poll
        STI     R7,@result
        BU      stop
voter:  LDI     100,RC
        RPTB    later
        NOP
later:  NOP
        LDI     2,IOF
        STI     R7,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, APollThatNothingEndsIsCutOffByTheHorizon) {
  expectAlike(afterBarrier("poll:   TSTB    8,IOF\n        BNZ     poll\n"),
              ArrayOutcome::Kind::Horizon);
}

TEST(SimtCorner, ALaneThatOthersStarveStillArrives) {
  // Every lane but the last runs a long loop at lower addresses.
  expectAlike(afterBarrier(R"(
        CMPI    5,R7
        BZ      last
        LDI     3000,R1
loop:   SUBI    1,R1
        BNZ     loop
last:   STI     R7,@result
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        LDI     0,IOF
        ADDI    R7,R2
        STI     R2,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, ALaneThatHaltsLeavesTheOthersAtTheBarrier) {
  expectAlike(afterBarrier(R"(
        CMPI    2,R7
        BZ      stop
        STI     R7,@result
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, ALaneThatIsInterrupted) {
  // Lane 1 lets its transmitter interrupt it; the routine is the prelude's.
  expectAlike(afterBarrier(R"(
        LDP     sport
        LDI     @sport,AR7
        CMPI    1,R7
        BNZ     quiet
        LDI     10h,IE
        OR      2000h,ST
        STI     R7,*+AR7(8)
quiet:  LDP     result
        LDI     300,R1
loop:   ADDI    R1,R2
        SUBI    1,R1
        BNZ     loop
        STI     R2,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

TEST(SimtCorner, AnEndlessLoopOfOneLaneDoesNotHangTheOthers) {
  expectAlike(afterBarrier(R"(
        CMPI    4,R7
        BNZ     done
forever:
        BU      forever
done:   STI     R7,@result
)"),
              ArrayOutcome::Kind::Horizon);
}

TEST(SimtCorner, ObserversSeeTheSameInTheMiddleOfAWalk) {
  const std::string walk = afterBarrier(R"(
        LDI     20,AR6
again:  LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2
        LDI     0,IOF
        ADDI    R7,R1
        STI     R1,@result
        DBU     AR6,again
)");
  ArrayBench scalar(walk, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench simt(walk, kLanes, {}, {.kind = EngineChoice::Kind::Simt});
  for (ArrayBench* bench : {&scalar, &simt}) {
    bench->run();
    bench->engine->chainInput(0, 20'000);
  }
  for (int i = 0; i < 15; ++i) {
    const ArrayOutcome a = scalar.engine->advance(1'000'000);
    const ArrayOutcome b = simt.engine->advance(1'000'000);
    ASSERT_EQ(a.kind, ArrayOutcome::Kind::Barrier);
    ASSERT_EQ(b.kind, a.kind);
    ASSERT_EQ(b.cycle, a.cycle);
    ASSERT_EQ(simt.engine->voteLineHigh(a.cycle), scalar.engine->voteLineHigh(a.cycle));
    if (i % 4 == 1) expectSameEngines(*scalar.engine, *simt.engine, kLanes);
    if (i == 8) {
      // A word that comes in the middle finds its receiver.
      scalar.engine->chainInput(7, a.cycle + 500);
      simt.engine->chainInput(7, a.cycle + 500);
    }
    scalar.engine->release(a.cycle);
    simt.engine->release(a.cycle);
    if (i % 4 == 3) expectSameEngines(*scalar.engine, *simt.engine, kLanes);
  }
  scalar.run();
  simt.run();
  expectSameEngines(*scalar.engine, *simt.engine, kLanes);
}

// A coroutine switch does not save the rounding mode: the engine must not leave its own to whoever
// runs while it waits for a word, and must not take over theirs (performance.md 8.2).
TEST(SimtCorner, TheRoundingModeStaysInside) {
  RandomProgram program(77);
  const std::string text = program.text();
  ArrayBench scalar(text, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  for (const c32::simt::Isa isa : c32::simt::kAllIsas) {
    if (!c32::simt::isaUsable(isa)) continue;
    SCOPED_TRACE(std::string(c32::simt::isaName(isa)));
    ArrayBench simt(text, kLanes, {}, {.kind = EngineChoice::Kind::Simt, .isa = isa});
    int looks = 0;
    simt.board.onAccess = [&] {
      ++looks;
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      // What the switch leaves behind when another coroutine has changed it.
      std::fesetround(looks % 2 == 0 ? FE_UPWARD : FE_TOWARDZERO);
      std::fesetround(FE_TONEAREST);
    };
    for (ArrayBench* bench : {&scalar, &simt}) {
      if (bench == &scalar && scalar.engine->counters(0).barriers != 0) continue;
      RandomProgram data(5);
      for (std::size_t i = 0x800; i < bench->board.memory.size(); ++i) {
        bench->board.memory[i] = data.word();
      }
      bench->run();
      bench->engine->chainInput(0, 20'000);
      bench->run();
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    }
    EXPECT_GT(looks, 50);
    EXPECT_GT(simt.engine->hostCounters().instructions, 0u);
    expectSameEngines(*scalar.engine, *simt.engine, kLanes);
  }
}

TEST(SimtCorner, AnUnknownInstructionSetIsRefused) {
  FlatBoard board;
  for (const c32::simt::Isa isa : c32::simt::kAllIsas) {
    const EngineChoice choice{.kind = EngineChoice::Kind::Simt, .isa = isa};
    if (c32::simt::isaUsable(isa)) {
      EXPECT_NE(makeArray({}, board, choice), nullptr);
    } else {
      EXPECT_THROW((void)makeArray({}, board, choice), std::invalid_argument);
    }
  }
}

/// Wait states: who waits for the bus, and why, is the same lane by lane. The second of two reads
/// in one instruction waits for the first.
TEST(SimtCorner, WaitStatesAreChargedAlike) {
  const std::string body = afterBarrier(
      "        LDI     *AR0,R2\n        LDI     *AR0,R3\n        NOP\n        LDI     *AR0,R4\n"
      "        LDI     1,AR1\n        ADDI3   *AR0,*AR1,R3\n        NOP\n"
      "        MPYF3   *AR0,*AR1,R0\n||      ADDF3   R0,R2,R2\n"
      "        LDI     *AR0,R5\n        STI     R5,@result\n");
  ArrayBench scalar(body, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench simt(body, kLanes, {}, {.kind = EngineChoice::Kind::Simt});
  for (ArrayBench* bench : {&scalar, &simt}) {
    bench->board.waitStates = 3;
    EXPECT_EQ(bench->run().kind, ArrayOutcome::Kind::Quiescent);
    bench->engine->chainInput(0, 20'000);
    EXPECT_EQ(bench->run().kind, ArrayOutcome::Kind::Quiescent);
    for (int i = 0; i < kLanes; ++i)
      EXPECT_GT(bench->engine->lane(i).statistics.busWaitBy[2], 0U) << "hold everything";
  }
  EXPECT_GT(simt.engine->hostCounters().instructions, 0U);
  expectSameEngines(*scalar.engine, *simt.engine, kLanes);
}

/// A run that is compiled for one round and met otherwise in another: right behind a change of its
/// address register, for which it would have to wait, or with flags that are the same in all lanes.
TEST(SimtCorner, RoundsThatARunWasNotMadeFor) {
  const std::string begin = R"(
        LDI     R7,R0                   ; 1.0 and a little that differs
        LSH     12,R0
        STI     R0,@result
        LDF     @result,R0
        LDF     R0,R1
        LDF     R0,R2
        SUBF    1.0,R2
        LDF     R0,R3
        LDI     AR3,AR1
        LDI     20,AR6
again:  CMPI    16,AR6
)";
  const std::string run = R"(
        ADDF    *AR1,R3
        MPYF    R3,R1
        SUBF    R1,R2
        ADDF    R2,R0
        MPYF    R0,R3
        ADDF    R3,R1
        DBU     AR6,again
        STF     R1,@result
)";
  const std::string place =
      "        LDI     @here,AR3\n        BU      on\nhere:   .word   result\nspare:  .word   "
      "0\non:     NOP\n";
  ArrayBench::accounts = false;  // they keep runs away
  // The STI keeps the comparison out of the run.
  for (const char* const before : {"        BZ      go\n        CMPF    R1,R2\n        STI     "
                                   "R7,@spare\ngo:     LDFLT   R1,R3\n",
                                   "        BNZ     go\n        ADDI    0,AR1\ngo:\n"}) {
    SCOPED_TRACE(before);
    expectAlike(afterBarrier(place + begin + before + run), ArrayOutcome::Kind::Quiescent);
  }
  ArrayBench::accounts = true;
}

/// A comparison whose flags the next one replaces still latches what went wrong.
TEST(SimtCorner, ComparisonsThatNobodyLooksAtLatchTheirOverflow) {
  // Twice: only then is known what follows. Exponents 0 and 127, and a little that differs.
  const std::string begin = R"(
        LDI     1,AR6
        LDI     0,R5
again:  LDI     R5,R0
        LSH     24,R0
        ADDI    R7,R0
        STI     R0,@result
        LDF     @result,R1
        NEGF    R1,R2
)";
  const std::string end = R"(
        CMPF    R1,R1
        LDI     127,R5
        DBU     AR6,again
        LDI     ST,R3
        STI     R3,@result
)";
  // The second as a compiled run has it.
  for (const char* const compare :
       {"        CMPF    R2,R1\n",
        "        ABSF    R1,R1\n        ADDF    0.0,R2\n        NEGF    R2,R4\n"
        "        NEGF    R4,R2\n        CMPF    R2,R1\n"}) {
    SCOPED_TRACE(compare);
    expectAlike(afterBarrier(begin + compare + end), ArrayOutcome::Kind::Quiescent);
  }
}

/// The status register as a number, where the lanes' conditions differ, and the interrupt
/// registers.
TEST(SimtCorner, StatusRegistersAreReadAsNumbers) {
  for (const char* const source : {"ST", "IE", "IF"}) {
    SCOPED_TRACE(source);
    expectAlike(afterBarrier("        CMPI    3,R7\n        LDI     " + std::string(source) +
                             ",R1\n        ADDI    R7,R1\n        STI     R1,@result\n"),
                ArrayOutcome::Kind::Quiescent);
    expectAlike(afterBarrier("        LDI     R7,R1\n        SUBI    3,R1\n        XOR     " +
                             std::string(source) + ",R1\n        STI     R1,@result\n"),
                ArrayOutcome::Kind::Quiescent);
  }
}

/// The host changes code in the shared memory between two visits: what the vector engine has
/// decoded there is good only while the word is the same, and whether anybody looks at an
/// instruction's flags is the word's behind it.
TEST(SimtCorner, CodeOutsideThatChangesIsDecodedAgain) {
  const std::string body = R"(
again:  LDI     0,AR0
        LDP     result
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R2                 ; held until the release
        LDI     0,IOF
        LDI     0,R0
        LDI     0,R1
        BR      there
back:   STI     R0,@result
        LDI     0,R0
        IDLE
        LDI     *+AR7(12),R1            ; a word goes round: once more
        STI     R1,*+AR7(8)
        BU      again
result: .word   0
        .sect   "outside", 400h, 400h
there:  CMPI    3,R7
        LDI     1,R1
        NOP
        LDIZ    9,R0
        LDINZ   5,R0
        LDI     20,AR6                  ; so long that the vector engine comes again
again2: NOP
        DBU     AR6,again2
        BR      back
        .sect   "hot"
)";
  ArrayBench scalar(body, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench simt(body, kLanes, {}, {.kind = EngineChoice::Kind::Simt});
  const auto visit = [&](Cycle arrival) {
    for (ArrayBench* bench : {&scalar, &simt}) {
      bench->board.offersWindow = true;
      bench->engine->chainInput(0, arrival);
      EXPECT_EQ(bench->run(arrival + 50'000).kind, ArrayOutcome::Kind::Quiescent);
    }
    expectSameEngines(*scalar.engine, *simt.engine, kLanes);
  };
  const auto outside = [&] {
    return dynamic_cast<const SimtArray&>(*simt.engine).machineCounters().outside;
  };
  for (ArrayBench* bench : {&scalar, &simt}) {
    EXPECT_EQ(bench->run().kind, ArrayOutcome::Kind::Quiescent);
  }
  visit(20'000);
  const std::uint64_t once = outside();
  EXPECT_GT(once, 40U * kLanes);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(simt.word(i, "result"), 5u) << i;
  const std::uint32_t there = simt.symbol("there");
  for (ArrayBench* bench : {&scalar, &simt}) {
    bench->board.memory[there + 1] = bench->board.memory[there + 2];  // flags of the CMPI stay
    bench->board.memory[there + 4] ^= 5 ^ 7;
  }
  visit(100'000);
  EXPECT_EQ(outside(), 2 * once);
  for (int i = 0; i < kLanes; ++i) EXPECT_EQ(simt.word(i, "result"), i == 3 ? 9u : 7u) << i;
}

/// A horizon within a compiled run: every lane stops in front of the first instruction that begins
/// there or later.
TEST(SimtCorner, AHorizonWithinARunStopsTheLanesThere) {
  ArrayBench::accounts = false;  // they keep runs away
  const std::string body = R"(
        LDP     result
        LDI     R7,R0                   ; 1.0 and a little that differs
        LSH     12,R0
        STI     R0,@result
        LDF     @result,R0
        LDF     R0,R1
        LDF     R0,R2
        LDF     R0,R3
        LDI     60,AR6
again:  LDI     0,AR0
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,R4                 ; held until the release
        LDI     0,IOF
)" + [] {
    std::string run;
    for (int i = 0; i < 6; ++i) {
      run +=
          "        ADDF    R1,R3\n        MPYF    0.5,R3\n        SUBF    R3,R2\n"
          "        LDF     R2,R1\n        MPYF    R0,R1\n";
    }
    return run;
  }() + R"(
        STF     R1,@result
        DBU     AR6,again
stop:   IDLE
        BU      stop
result: .word   0
)";
  ArrayBench scalar(body, kLanes, {}, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench simt(body, kLanes, {}, {.kind = EngineChoice::Kind::Simt, .runPatience = 1});
  for (ArrayBench* bench : {&scalar, &simt}) {
    EXPECT_EQ(bench->run().kind, ArrayOutcome::Kind::Quiescent);
    bench->engine->chainInput(0, 20'000);
  }
  for (Cycle horizon = 20'100; horizon < 24'000; horizon += 61) {
    SCOPED_TRACE(horizon);
    EXPECT_EQ(scalar.run(horizon).kind, simt.run(horizon).kind);
    expectSameEngines(*scalar.engine, *simt.engine, kLanes);
    if (HasFailure()) break;
  }
  EXPECT_EQ(dynamic_cast<const SimtArray&>(*simt.engine).machineCounters().compiled != 0,
            c32::simt::isaUsable(c32::simt::Isa::Avx2));
  ArrayBench::accounts = true;
}

// Some lanes take the long way first, others then: the group's clock is later than any lane's. At
// the next barrier all are together, and what is known of address registers goes by that clock.
TEST(SimtCorner, ABarrierBehindWaysOfDifferentLengthDelaysNobody) {
  expectAlike(afterBarrier(R"(
        FLOAT   R7,R0
        LDI     3,AR6
again:  CMPF    2.0,R0
        BLT     second                  ; lanes 0 and 1
        NOP
        NOP
        NOP
        NOP
second: CMPF    2.0,R0
        BGE     both                    ; the others
        NOP
        NOP
        NOP
        NOP
both:   LDI     SP,AR1
        LDI     20h,IOF
        NOP
        NOP
        NOP
        ADDI    *AR0++(1),R3            ; held until the release
        LDF     *AR1,R4
        LDI     0,IOF
        DBU     AR6,again
        STI     R3,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

// The same, where the held read loads an address register that is used at once.
TEST(SimtCorner, AnAddressThatABarrierLoadsIsThereInTime) {
  expectAlike(afterBarrier(R"(
        FLOAT   R7,R0
        CMPF    2.0,R0
        BLT     second
        NOP
        NOP
        NOP
        NOP
second: CMPF    2.0,R0
        BGE     both
        NOP
        NOP
        NOP
        NOP
both:   LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0,AR1
        NOP     *AR1++(1)
        LDI     0,IOF
        STI     AR1,@result
)"),
              ArrayOutcome::Kind::Quiescent);
}

}  // namespace
}  // namespace rtvp::tigershark::test
