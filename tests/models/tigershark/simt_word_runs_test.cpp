// As simt_runs_test.cpp, for runs of integers (models/c32/simt/word_runs.hpp): lanes that come to
// one in another state than it was made for, and what few random programs do.
#include <gtest/gtest.h>

#include <string>

#include "tests/models/tigershark/runs_bench.hpp"

namespace rtvp::tigershark::test {
namespace {

/// More than enough steps for a run: R1 to R3 from R7, which is each lane's own.
const std::string kRun = R"(
        LDI     R7,R1
        LDI     R7,R2
        LSH     3,R2
        XOR     5,R2
        ADDI    R1,R2
        MPYI    7,R1
        LDI     R2,R3
)";
/// R5 = words of a table that is the same in all lanes: one at each lane's number.
const std::string kLookUp = R"(
        LDI     R7,R3
        AND     7,R3
        ADDI    @table_p,R3
        LDI     R3,AR4
        XOR     1,R1
        XOR     2,R1
        LDI     *AR4,R5
        STI     R5,@spare+2
)";
const std::string kTable = R"(
table_p: .word  table
        .word   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
table:  .word   11h, 22h
third:  .word   33h, 44h, 55h, 66h, 77h, 88h
        .word   0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
)";

/// What stands for the only lane that differs, the one of the round's word: R5 = 1, there `large`.
std::string oneLane() {
  return "        LDI     1,R5\n        CMPI    R4,R7\n        LDIZ    @large,R5\n"
         "        LDI     1,R6\n        CMPI    R4,R7\n        LDIZ    @large+1,R6\n";
}

class SimtWordRuns : public RunsBench {
 protected:
  SimtWordRuns() { words_ = true; }
  /// An instruction whose result is too large in one lane, each lane once; its flags are the last
  /// ones, or those of another one behind it.
  void overflowsIn(const std::string& operation, const std::string& large) {
    lanes_ = 16;
    for (const std::string& behind : {std::string(), std::string("        XOR     R7,R3\n")}) {
      begin(rounds(oneLane(), kRun + operation + behind, kStatus) + "large:  .word   " + large +
            "\n");
      warmUp(99);
      for (std::uint32_t lane = 0; lane < 16; ++lane) {
        round(lane);
        if (lane % 5 == 4) round(99);
        compare();
        if (HasFailure()) return;
      }
    }
  }
};

TEST_F(SimtWordRuns, ASumThatOverflowsInOneLane) {
  overflowsIn("        ADDI    R5,R6\n", "7FFFFFFFh, 1");
  overflowsIn("        SUBI    R5,R6\n", "7FFFFFFFh, 80000000h");
}
TEST_F(SimtWordRuns, AProductThatOverflowsInOneLane) {
  overflowsIn("        MPYI    R5,R6\n", "7FFFFFh, 100h");
  overflowsIn("        MPYI    R5,R6\n", "800000h, 200h");
}
/// Its higher word is not taken for that of the lane beside, which is negative.
TEST_F(SimtWordRuns, AProductThatOverflowsBesideANegativeOne) {
  overflowsIn(R"(
        LDI     R7,R2
        AND     1,R2
        LSH     1,R2
        SUBI    1,R2
        MPYI    R2,R5
        MPYI    R5,R6
)",
              "10000h, 10000h");
}
TEST_F(SimtWordRuns, AShiftThatOverflowsInOneLane) {
  overflowsIn("        ASH     4,R5\n", "08000000h, 0");
}

/// Results that are known to be small at first, and are not in the end.
TEST_F(SimtWordRuns, SumsOfBoundedValues) {
  overflowsIn("        AND     65535,R5\n        LSH     15,R5\n        ADDI    R5,R5\n",
              "0FFFFh, 0");
  std::string doubled = "        AND     65535,R5\n";
  for (int i = 0; i < 16; ++i) doubled += "        ADDI    R5,R5\n";
  overflowsIn(doubled, "0FFFFh, 0");
  overflowsIn(R"(
        LDI     1,R2
        LSH     30,R2
        ADDI    1000,R2
        AND     65535,R5
        LSH     14,R5
        AND     65535,R6
        OR      R6,R5
        ADDI    R2,R5
)",
              "0FFFFh, 0FFFFh");
  overflowsIn(
      "        AND     65535,R5\n        AND     65535,R6\n        MPYI    R6,R5\n"
      "        ADDI    R5,R5\n",
      "0FFFFh, 07FFFh");
}

/// The carry of shifts by as many places as a word has, and more; of each direction.
TEST_F(SimtWordRuns, CarriesOfFarShifts) {
  for (const char* const shift : {"LSH", "ASH"}) {
    for (const int count : {0, 1, 31, 32, 33, 63, -1, -31, -32, -33, -34, -64}) {
      SCOPED_TRACE(std::string(shift) + " by " + std::to_string(count));
      const std::string by = std::to_string(count);
      begin(rounds("",
                   kRun + "        LDI     R7,R5\n        NOT     R5,R5\n        ADDI    R7,R5\n" +
                       "        LSH     24,R5\n        XOR     R7,R5\n        " + shift + "     " +
                       by + ",R5\n",
                   kStatus));
      warmUp(0);
      round(0);
      compare();
      if (HasFailure()) return;
    }
  }
}

/// A word of the table that is written in front of the run, by the lanes.
TEST_F(SimtWordRuns, AStoreIntoTheTable) {
  meet(rounds(R"(
        LDI     R7,R1
        TSTB    1,R4
        BZ      go
        ADDI    100h,R1
        STI     R1,@table+1
go:
)",
              kLookUp + kRun, "        STI     R5,@result+3\n") +
           kTable,
       0, 1);
}

/// Or by somebody else, while the lanes are elsewhere.
TEST_F(SimtWordRuns, ATableThatChangesWhileTheLanesAreElsewhere) {
  begin(rounds("", kLookUp + kRun, "        STI     R5,@result+3\n") + kTable);
  warmUp(0);
  compare();
  poke("table", [](int) { return 0x1234u; });
  round(0);
  compare();
  poke("table", [](int lane) { return 0x1234u + static_cast<std::uint32_t>(lane); });
  round(0);
  compare();
}

/// A run that writes what it looks up: the table has been looked at by another one before.
TEST_F(SimtWordRuns, ARunThatWritesItsTable) {
  const std::string another = R"(
        NOP
        STI     R7,@spare
        LDI     R7,R2
        ADDI    @other_q,R2
        LDI     R2,AR4
        XOR     1,R1
        XOR     2,R1
        LDI     R7,R6
        STI     R6,@table+2
        LDI     *AR4,R6
)";
  begin(rounds(kMuch + "        FLOAT   R7,R1\n", kLookUp + another,
               "        STI     R5,@result+3\n        ADDI    R6,R1\n") +
        "other_q: .word  table\n" + kTable);
  for (int i = 0; i < 12; ++i) {
    poke("third", [](int) { return 0x77u; });  // as it was for all
    round(0);
    compare();
  }
}

/// A word at an address of the shared memory in one lane breaks the contract: nothing of the run
/// has happened then, and the scalar processors find it.
TEST_F(SimtWordRuns, ALookUpInTheSharedMemory) {
  lanes_ = 16;
  begin(
      rounds("        LDI     @table_p,R6\n        ADDI    R7,R6\n        CMPI    R4,R7\n"
             "        LDIZ    @round_p,R6\n",
             "        LDI     R6,AR4\n" + kRun + "        LDI     *AR4,R5\n        XOR     1,R5\n",
             "        STI     R5,@result+3\n") +
      kTable);
  warmUp(99);
  compare();
  both([&](ArrayBench& bench) {
    bench.board.memory[kRound] = 11;
    bench.engine->release(at_.cycle);
    EXPECT_EQ(bench.engine->advance(kFar).kind, ArrayOutcome::Kind::Error);
  });
  const ArrayError& a = scalar_->engine->error();
  const ArrayError& b = simt_->engine->error();
  EXPECT_EQ(a.address, b.address);
  EXPECT_EQ(a.cycle, b.cycle);
  EXPECT_EQ(a.lane, b.lane);
  EXPECT_EQ(a.pc, b.pc);
  EXPECT_EQ(a.what, b.what);
  for (int i = 0; i < lanes_; ++i) {
    EXPECT_EQ(scalar_->word(i, "spare"), simt_->word(i, "spare"));
  }
}

/// A word that a run stores into has become an instruction: LDI 5,R6, or LDI 7,R6. It is executed
/// in front of the store and behind it.
TEST_F(SimtWordRuns, AStoreIntoAnInstruction) {
  std::string text = rounds(kMuch + R"(
        LDI     @code,R6
        TSTB    2,R4
        BZ      no
        CALL    code
no:     LDI     @seven,R5
        TSTB    1,R4
        BNZ     go
        LDI     @five,R5
go:
)",
                            kRun + "        STI     R5,@code\n        ADDI    R3,R1\n", R"(
        TSTB    2,R4
        BZ      over
        CALL    code
        STI     R6,@result+3
over:
)") + "five:   .word   08660005h\nseven:  .word   08660007h\n"
      "code:   .word   08660005h\n        RETSU\nstack_q: .word  87FFF0h\n";
  const std::string begins = "        LDP     area\n";
  text.replace(text.find(begins), begins.size(), begins + "        LDI     @stack_q,SP\n");
  begin(text);
  warmUp(0);
  compare();
  for (const std::uint32_t word : {3u, 2u, 3u, 3u}) {
    round(word);
    both([&](ArrayBench& bench) {
      const std::uint32_t stored = (word & 1) != 0 ? 7 : 5;
      if (word != 0) {
        EXPECT_EQ(bench.engine->peek(0, bench.symbol("result") + 3), stored);
      }
    });
  }
  compare();
}

/// The horizon lies among its instructions.
TEST_F(SimtWordRuns, AHorizonInside) {
  horizons(rounds("", kRun + kRun, ""), 1, 40);
}

/// An address register that is still on its way when the run begins.
TEST_F(SimtWordRuns, AnAddressOnItsWay) {
  begin(
      rounds("        TSTB    1,R4\n        BZ      go\n        LDI     AR5,AR5\n"
             "        BU      on\ngo:     NOP\n        NOP\n        NOP\n        NOP\non:\n",
             "        LDI     *AR5,R6\n" + kRun, ""));
  // Nothing may stand between.
  std::string text = rounds(
      "        LDI     R7,R5\n        TSTB    1,R4\n        BNZ     go\n"
      "        NOP\n        NOP\n        LDI     R7,R5\n        BU      on\n"
      "go:     LDI     AR5,AR5\non:\n",
      "        ADDI    *AR5,R5\n" + kRun, "");
  const std::string between = "on:\n        STI     R7,@spare\n";
  ASSERT_NE(text.find(between), std::string::npos);
  text.replace(text.find(between), between.size(), "on:\n");
  meet(text, 0, 1);
}

/// A register beside R0-R7 with another shape: one value, two, one a lane.
TEST_F(SimtWordRuns, ARegisterBesideThatDiffers) {
  for (const char* const differs :
       {"        CMPI    3,R7\n        LDIZ    9,AR7\n", "        LDI     R7,AR7\n"}) {
    const std::string text = rounds(
        "        LDI     2,AR7\n        TSTB    1,R4\n        BZ      go\n" + std::string(differs) +
            "go:\n        NOP\n        NOP\n        NOP\n        NOP\n",
        kRun + "        ADDI    AR7,R3\n        LDI     AR7,R5\n",
        "        STI     R5,@result+3\n        LDI     2,AR7\n");
    meet(text, 0, 1);
    meet(text, 1, 0);
  }
}

/// An address register that points elsewhere.
TEST_F(SimtWordRuns, AnotherAddress) {
  meet(rounds("        LDI     AR3,AR2\n        TSTB    1,R4\n        BZ      go\n"
              "        LDI     AR5,AR2\ngo:     NOP\n        NOP\n        NOP\n        NOP\n",
              kRun + "        ADDI    *AR2,R1\n        STI     R3,*+AR2(2)\n", ""),
       0, 1);
}

/// In the slots of a delayed branch, with more of the kind behind it.
TEST_F(SimtWordRuns, SlotsOfADelayedBranch) {
  std::string run =
      "        BRD     there\n        LDI     R7,R1\n        XOR     5,R1\n"
      "        LSH     2,R1\n        ADDI    R7,R1\n        XOR     9,R1\nthere:\n";
  begin(rounds("", kRun + run, "        STI     R1,@result+3\n"));
  warmUp(0);
  for (int i = 0; i < 8; ++i) {
    round(0);
    compare();
  }
}

/// Code outside, a routine in another page: its words change between two rounds.
TEST_F(SimtWordRuns, ARoutineThatChanges) {
  std::string text = rounds("", "        BR      outer\nback:   NOP\n", "") + kTable +
                     "stack_q: .word  87FFF0h\n        .sect   \"out\",400h,400h\nouter:  CALL    "
                     "routine\n        NOP\n" +
                     kRun +
                     "        CALL    routine\n        XOR     3,R1\n        BR      back\n"
                     "        .sect   \"far\",500h,500h\nroutine: ADDI    R7,R1\n"
                     "        ADDI    3,R1\n        RETSU\n        .sect   \"hot\"\n";
  text.replace(text.find("000F1008h"), 9, "000F0008h");
  const std::string begins = "        LDP     area\n";
  text.replace(text.find(begins), begins.size(), begins + "        LDI     @stack_q,SP\n");
  begin(text);
  warmUp(0);
  round(0);
  EXPECT_GT(dynamic_cast<const SimtArray&>(*simt_->engine).machineCounters().wordsOutside, 0U);
  for (const std::uint32_t constant : {5U, 4U, 3U}) {
    both([&](ArrayBench& bench) {
      bench.board.memory[0x501] = (bench.board.memory[0x501] & ~0xFFFFU) | constant;
    });
    round(0);
    compare();
    round(0);
    compare();
  }
}

/// A store of a kind that ends a run of words.
TEST_F(SimtWordRuns, AStoreBehindItThatStopsTheLanes) {
  stopsBehind(kRun +
              "        LDI     R7,R1\n        AND     1,R1\n        STF     R5,@spare+1\n"
              "        ADDI    3,R1\n");
}

}  // namespace
}  // namespace rtvp::tigershark::test
