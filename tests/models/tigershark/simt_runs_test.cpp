// A run is compiled for the state that the lanes are in when it is made (models/c32/simt/runs.hpp).
// Here they come to it in another one, round by round: each test has one thing differ that the run
// took for granted, and the lanes end as on the scalar array.
#include <gtest/gtest.h>

#include <string>

#include "tests/models/tigershark/runs_bench.hpp"

namespace rtvp::tigershark::test {
namespace {

/// More than enough steps for a run.
const std::string kRun = R"(
        ADDF    R1,R3
        MPYF    0.5,R3
        SUBF    R3,R2
        ADDF    R2,R1
        MPYF    R0,R1
        ADDF    0.25,R1
        SUBF    R1,R3
)";

class SimtRuns : public RunsBench {};

/// A choice by flags that were a row, and are one for all lanes now. The row that stays behind says
/// otherwise.
TEST_F(SimtRuns, FlagsThatAreTheSameInAllLanes) {
  meet(rounds(R"(
        TSTB    1,R4
        BZ      go
        CMPF    1.0,R0
go:
)",
              "        LDFLT   R2,R3\n" + kRun + "        NEGF    R0,R2\n", ""),
       1, 0);
}

/// An address register that has the same value in most lanes only.
TEST_F(SimtRuns, AnAddressOfALanesOwn) {
  meet(rounds(R"(
        LDI     AR3,AR2
        TSTB    1,R4
        BZ      go
        CMPI    3,R7
        LDIZ    AR5,AR2
go:     NOP
        NOP
        NOP
        NOP
)",
              kRun + "        ADDF    *AR2,R1\n", ""),
       0, 1);
}

/// Words that change while the lanes are elsewhere.
TEST_F(SimtRuns, AWordThatTheLanesNoLongerHoldLoaded) {
  begin(rounds("", "        ADDF    @input,R3\n" + kRun, "") + "input:  .word   0100000h\n");
  warmUp(0);
  poke("input", [](int lane) { return 0x01100000u + (static_cast<std::uint32_t>(lane) << 18); });
  round(0);
  compare();
  poke("input", [](int) { return 0x00300000u; });
  round(0);
  compare();
}

/// A row where there was one value for all, and the other way round.
TEST_F(SimtRuns, ARegisterThatDiffersOrDoesNot) {
  const std::string text = rounds(R"(
        TSTB    1,R4
        BZ      row
        LDF     2.0,R5
        BU      go
row:    LDF     R0,R5
go:
)",
                                  "        MPYF    R5,R3\n" + kRun, "");
  meet(text, 0, 1);
  meet(text, 1, 0);
}

/// A factor that had a mantissa of 24 bits.
TEST_F(SimtRuns, AFactorThatIsLonger) {
  meet(rounds(R"(
        LDF     @own,R5
        TSTB    1,R4
        BZ      go
        XOR     55h,R5
go:
)",
              kRun + "        MPYF    R5,R3\n", ""),
       0, 1);
}

/// A zero with a mantissa, for which there is no double, in one lane.
TEST_F(SimtRuns, AZeroThatHasAMantissa) {
  meet(rounds(R"(
        LDF     @own,R5
        SUBF    0.37,R5
        TSTB    1,R4
        BZ      go
        XOR     55h,R5
go:
)",
              kRun + "        LDF     R5,R2\n        ADDF    R5,R1\n", ""),
       0, 1);
}

/// A word that a run stores into while nobody has loaded it, read behind the run.
TEST_F(SimtRuns, AStoreIntoAWordThatIsNotLoaded) {
  begin(rounds("", kRun + "        STF     R3,@output\n        ADDF    R3,R1\n",
               "        LDI     @output,R6\n        STI     R6,@result+3\n") +
        "output: .word   0\n");
  warmUp(0);
  for (int i = 0; i < 4; ++i) {
    compare();
    poke("own", [&](int lane) { return 0x00100000u * static_cast<std::uint32_t>(lane + i + 1); });
    round(0);
  }
  compare();
}

/// A word that a run stores into has become an instruction: LDI 5,R6, or LDI 7,R6.
TEST_F(SimtRuns, AStoreIntoAnInstruction) {
  begin(rounds(R"(
        LDI     @code,R6
        TSTB    2,R4
        BZ      no
        BU      code
code:   .word   0
        STI     R6,@result+3
no:     LDF     @seven,R5
        TSTB    1,R4
        BNZ     go
        LDF     @five,R5
go:
)",
               kRun + "        STF     R5,@code\n        ADDF    R3,R1\n", "") +
        "five:   .word   08660005h\nseven:  .word   08660007h\n");
  warmUp(0);
  compare();
  round(2);  // executes 5
  round(3);  // executes 5, stores 7
  round(3);  // executes 7
  both([](ArrayBench& bench) {
    for (int i = 0; i < kLanes; ++i) EXPECT_EQ(bench.word(i, "result") != 0, true);
    EXPECT_EQ(bench.engine->peek(0, bench.symbol("result") + 3), 7u);
  });
  compare();
}

/// A run that begins in the last slot of a delayed branch, come to without one or with another
/// target.
TEST_F(SimtRuns, AnotherBranchInFrontOfIt) {
  const std::string before = R"(
        LDI     @there_p,AR4
        TSTB    2,R4
        BZ      one
        LDI     @elsewhere_p,AR4
one:    TSTB    1,R4
        NOP
        NOP
        BNZ     direct
        BUD     AR4
        STI     R7,@spare
        STI     R7,@spare
)";
  const std::string run = "direct: ADDF    R1,R2\n" + kRun +
                          "        BU      on\n"
                          "there:  SUBF    R1,R2\n" +
                          kRun +
                          "        BU      on\n"
                          "elsewhere:\n        MPYF    R1,R2\n" +
                          kRun + "on:\n";
  // The STI of rounds() is the branch's third slot otherwise.
  std::string text = rounds(before, run, "");
  const std::string between = "        STI     R7,@spare\ndirect:";
  text.replace(text.find(between), between.size(), "direct:");
  text += "there_p: .word  there\nelsewhere_p: .word elsewhere\n";
  for (const auto& [usual, other] : {std::pair{0u, 1u}, {1u, 0u}, {0u, 2u}, {2u, 1u}}) {
    SCOPED_TRACE(std::to_string(usual) + ", then " + std::to_string(other));
    meet(text, usual, other);
  }
}

/// A branch on the carry, which all lanes had, none, or some have now: those whose number is less
/// than the word of the round.
TEST_F(SimtRuns, ACarryThatSomeLanesHave) {
  const std::string text = rounds("        CMPI    R4,R7\n", R"(
        ADDF    R1,R2
        BLOD    there
        ADDF    R1,R3
        MPYF    0.5,R3
        ADDF    R3,R1
)" + kRun + "there:  MPYF    R0,R2\n        ADDF    R2,R1\n",
                                  "");
  meet(text, kLanes, 3);
  meet(text, kLanes, 0);
  meet(text, 0, 3);
  meet(text, 0, kLanes);
}

/// DP points at another page.
TEST_F(SimtRuns, AnotherPage) {
  const std::string text = rounds(R"(
        STI     R7,@spare
        TSTB    1,R4
        BZ      go
        LDI     0,DP
go:     NOP
        NOP
        NOP
        LDI     AR5,AR5
)",
                                  kRun + "        ADDF    @area,R1\n        ADDF    @area,R2\n",
                                  "        LDP     area\n        NOP\n");
  std::string own = text;
  // Neither the STI in front of the run nor the one behind it may reach the other page.
  const std::string store = "        LDI     AR5,AR5\n        STI     R7,@spare\n";
  own.replace(own.find(store), store.size(), "        LDI     R7,R6\n");
  const std::string behind = "        ADDF    @area,R2\n        STI     R7,@spare\n";
  own.replace(own.find(behind), behind.size(), "        ADDF    @area,R2\n        LDI     R7,R6\n");
  for (const bool window : {false, true}) {
    begin(own);
    both([&](ArrayBench& bench) {
      bench.board.memory.resize(0x10000, 0x02345600u);
      if (&bench == simt_.get()) bench.board.offersWindow = window;
    });
    warmUp(0);
    for (const std::uint32_t word : {1u, 0u, 1u, 1u}) {
      round(word);
      compare();
    }
  }
}

/// A read that begins while the pins hold the lanes at a barrier waits there.
TEST_F(SimtRuns, AReadAtABarrier) {
  meet(rounds(R"(
        TSTB    1,R4
        BZ      go
        LDI     20h,IOF
        NOP
go:
)",
              "        ADDF    R1,R2\n        ADDF    *AR0++(1),R3\n" + kRun,
              "        LDI     0,IOF\n"),
       0, 1);
}

/// Where nothing answers, the bus error is the one that the scalar array tells.
TEST_F(SimtRuns, AReadBeyondTheMemory) {
  begin(rounds(R"(
        TSTB    1,R4
        BZ      go
        LSH     4,AR0
        NOP
        NOP
        NOP
go:
)",
               "        ADDF    R1,R2\n        ADDF    *AR0++(1),R3\n" + kRun, ""));
  warmUp(0);
  both([&](ArrayBench& bench) {
    bench.board.memory[kRound] = 1;
    bench.engine->release(at_.cycle);
    EXPECT_EQ(bench.engine->advance(kFar).kind, ArrayOutcome::Kind::Error);
  });
  EXPECT_EQ(scalar_->engine->error().address, simt_->engine->error().address);
  EXPECT_EQ(scalar_->engine->error().cycle, simt_->engine->error().cycle);
  EXPECT_EQ(scalar_->engine->error().pc, simt_->engine->error().pc);
  EXPECT_EQ(scalar_->engine->error().what, simt_->engine->error().what);
}

/// A word of the shared memory that a register keeps with its mantissa although it is a zero.
TEST_F(SimtRuns, AZeroWithAMantissaOnTheBus) {
  begin(rounds("", "        ADDF    R1,R2\n        LDF     *AR0++(1),R5\n" + kRun,
               "        STI     R5,@result+3\n"));
  warmUp(0);
  both([](ArrayBench& bench) { bench.board.memory[kRound + 1] = 0x80000321u; });
  roundsOf(0, 2);
  compare();
  both([](ArrayBench& bench) {
    EXPECT_EQ(bench.engine->peek(2, bench.symbol("result") + 3), 0x32100u);
  });
}

/// Two words from the bus in one instruction, in the middle of what could be a run.
TEST_F(SimtRuns, TwoReadsInOneInstruction) {
  const std::string text =
      rounds("        LDI     AR0,AR2\n        NOP\n        NOP\n        NOP\n",
             "        ADDF    R1,R2\n        ADDF3   *AR0++(1),*+AR2(1),R3\n" + kRun +
                 "        MPYF3   *AR0++(1),*AR2++(1),R0\n||      ADDF3   R1,R2,R2\n" + kRun,
             "");
  for (const std::string& board : {text, withWaits(text)}) {
    begin(board);
    warmUp(0);
    round(0);
    compare();
  }
}

/// V and UF are those of the last instruction, in front of a run or in it.
TEST_F(SimtRuns, AnOverflowInFrontOfIt) {
  meet(rounds(R"(
        LDF     @large,R5
        TSTB    1,R4
        BZ      go
        MPYF    R5,R5
go:
)",
              kRun, kStatus) +
           "large:  .word   7F000000h\n",
       0, 1);
}

/// What one run has found out of range is not the next one's.
TEST_F(SimtRuns, AnOverflowInOneOfTwo) {
  meet(rounds(R"(
        LDF     R0,R5
        TSTB    1,R4
        BZ      go
        LDF     @large,R5
go:     ADDF    R0,R5
)",
              kRun + "        MPYF    R5,R5\n", kStatus) +
           "large:  .word   7F000000h\n",
       0, 1);
}

/// The horizon lies among the reads of a run, which the bus delays.
TEST_F(SimtRuns, AHorizonAmongDelayedReads) {
  std::string run;
  for (int i = 0; i < 8; ++i) run += "        ADDF    *AR0++(1),R3\n        MPYF    0.5,R3\n";
  horizons(withWaits(rounds("", run + kRun, "")), 5, 70);
}

/// It begins with the read that the lanes are held at, so that all of it comes later than they did.
TEST_F(SimtRuns, AHorizonBehindARelease) {
  const std::string text =
      rounds("        LDI     20h,IOF\n        NOP\n        NOP\n",
             "        ADDF    *AR0++(1),R3\n" + kRun + kRun, "        LDI     0,IOF\n");
  constexpr Cycle kHeld = 30;
  for (Cycle beyond = 1; beyond < 18; ++beyond) {
    SCOPED_TRACE(beyond);
    begin(text);
    roundsOf(0, 8);
    warmUp(0);
    round(0);  // two barriers a round: now at the one of the run
    both([&](ArrayBench& bench) {
      bench.engine->release(at_.cycle + kHeld);
      EXPECT_EQ(bench.engine->advance(at_.cycle + kHeld + beyond).kind,
                ArrayOutcome::Kind::Horizon);
    });
    compare();
    if (HasFailure()) return;
  }
}

/// The last read was another strobe's, whose place is in another bank: STRB0 does not care. Behind
/// the run it does.
TEST_F(SimtRuns, AReadOfAnotherStrobeInFrontOfIt) {
  begin(rounds("        LDI     *AR2,R6\n        NOP\n", "        ADDF    *AR0++(1),R3\n" + kRun,
               "        LDI     *+AR0(255),R6\n") +
        "ports:  .word   810000h\n");
  both([](ArrayBench& bench) {
    bench.board.memory.resize(0x81'0004, 0x00345600u);
    for (int i = 0; i < kLanes; ++i)
      bench.engine->processor(i).setRegister(c32::reg::AR0 + 2, 0x81'0000);
  });
  warmUp(0);
  for (int i = 0; i < 3; ++i) {
    round(0);
    compare();
  }
}

/// A word and a register change places; a zero has the kernels do it, one operation at a time.
TEST_F(SimtRuns, ALoadAndAStoreThatSwap) {
  begin(rounds("        LDI     AR5,AR2\n" + kMuch,
               kRun + "        LDF     R0,R5\n        SUBF    R0,R5\n        LDF     *AR2,R3\n||   "
                      "   STF     R3,*AR2\n        ADDF    R1,R2\n",
               ""));
  for (int i = 0; i < 8; ++i) {
    round(0);
    compare();
  }
  warmUp(0);
}

/// Beside a store, too, a word of the bus is kept with its mantissa.
TEST_F(SimtRuns, ALoadFromTheBusBesideAStore) {
  begin(rounds(
      "        LDI     AR5,AR2\n        NOP\n        NOP\n        NOP\n",
      "        ADDF    R1,R2\n        LDF     *AR0++(1),R5\n||      STF     R3,*AR2\n" + kRun,
      "        STI     R5,@result+3\n"));
  warmUp(0);
  both([](ArrayBench& bench) { bench.board.memory[kRound + 1] = 0x80000321u; });
  roundsOf(0, 2);
  compare();
}

/// A constant for a loop register whose lanes differed.
TEST_F(SimtRuns, AConstantReplacesWhatDiffered) {
  for (const char* const differs :
       {"        CMPI    3,R7\n        LDIZ    7,RC\n", "        LDI     R7,RC\n"}) {
    meet(rounds("        LDI     2,RC\n        TSTB    1,R4\n        BZ      go\n" +
                    std::string(differs) + "go:\n",
                kRun + "        LDI     9,RC\n        ADDF    R1,R2\n",
                "        STI     RC,@result+3\n"),
         0, 1);
  }
}

/// A store of a kind that ends a run of floats.
TEST_F(SimtRuns, AStoreBehindItThatStopsTheLanes) {
  stopsBehind(kRun +
              "        SUBF    1.5,R1\n        STI     R5,@spare+1\n        ADDF    R2,R1\n");
}

}  // namespace
}  // namespace rtvp::tigershark::test
