// Lanes that come to a compiled run round by round, on both arrays, in the state that it was made
// for and in others: the bench of the tests of runs.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"

namespace rtvp::tigershark::test {

inline constexpr int kLanes = 6;
inline constexpr std::uint32_t kRound =
    0x900;  ///< word of the shared memory that a round begins with

/// A round: R4 = the word of the round, R0 a value of each lane's own, R1 to R3 made from it; then
/// what differs, and the run. No float instruction stands right in front of that: it begins there.
inline std::string rounds(const std::string& before, const std::string& run,
                          const std::string& after) {
  return R"(
        LDP     area
        LDI     @round_p,AR0
        LDI     @area_p,AR3
        LDI     @other_p,AR5
        LDI     @strobe_p,AR6
        LDI     @strobe,R2
        STI     R2,*AR6
        LDI     R7,R0
        ADDI    1,R0
        FLOAT   R0,R0
        MPYF    0.37,R0
        STF     R0,@own
again:  LDI     @round_p,AR0
        LDI     20h,IOF
        NOP
        NOP
        NOP
        LDI     *AR0++(1),R4            ; held until the release
        LDI     0,IOF
        LDF     @own,R0
        LDF     R0,R1
        LDF     R0,R2
        SUBF    1.0,R2
        LDF     R0,R3
        LDI     @area,R6                ; words that the run finds loaded
        LDI     @other,R6
        LDI     @result,R6
)" + before +
         "        STI     R7,@spare\n" + run + "        STI     R7,@spare\n" + after + R"(
        STF     R1,@result
        STF     R2,@result+1
        STF     R3,@result+2
        STI     R1,@result+4            ; all 32 bits of the mantissas
        STI     R2,@result+5
        STI     R3,@result+6
        BU      again
round_p: .word  900h
area_p: .word   area
other_p: .word  other
strobe_p: .word 808064h
strobe: .word   000F1008h               ; or with wait states: withWaits()
own:    .word   0
spare:  .word   0
        .word   0, 0, 0, 0, 0, 0, 0, 0
area:   .word   0100000h
other:  .word   0FF200000h
        .word   0, 0, 0, 0, 0, 0, 0, 0
result: .word   0, 0, 0, 0, 0, 0, 0
)";
}

/// The same with three wait states at every access to the shared memory.
inline std::string withWaits(std::string text) {
  const std::string none = "000F1008h";
  return text.replace(text.find(none), none.size(), "000F1068h");
}

/// So much that the vector engine takes the lanes again although it gave them back last time.
inline const std::string kMuch = R"(
        LDI     40,AR6
wait:   NOP
        DBU     AR6,wait
)";

/// The status register as a number, which is the scalar engine's.
inline const std::string kStatus = kMuch + R"(
        LDI     ST,R6
        STI     R6,@result+3
)";

class RunsBench : public ::testing::Test {
 protected:
  void SetUp() override { ArrayBench::accounts = false; }  // they keep runs away
  void TearDown() override { ArrayBench::accounts = true; }

  /// Both engines at the first barrier.
  void begin(const std::string& text) {
    scalar_ = std::make_unique<ArrayBench>(text, lanes_, ArrayConfig{},
                                           EngineChoice{.kind = EngineChoice::Kind::Scalar});
    simt_ = std::make_unique<ArrayBench>(
        text, lanes_, ArrayConfig{},
        EngineChoice{.kind = EngineChoice::Kind::Simt, .runPatience = 1});
    simt_->board.offersWindow = true;
    both([&](ArrayBench& bench) {
      for (std::uint32_t i = 1; i < 32; ++i)
        bench.board.memory[kRound + i] = 0x01000000u * (i % 5) + (i << 12);
      EXPECT_EQ(bench.run().kind, ArrayOutcome::Kind::Quiescent);
      bench.engine->chainInput(0, 20'000);
      at_ = bench.engine->advance(kFar);
      ASSERT_EQ(at_.kind, ArrayOutcome::Kind::Barrier);
    });
    before_ = compiled();
  }
  /// From barrier to barrier.
  void round(std::uint32_t word) {
    const ArrayOutcome from = at_;
    both([&](ArrayBench& bench) {
      bench.board.memory[kRound] = word;
      bench.engine->release(from.cycle);
      const ArrayOutcome to = bench.engine->advance(kFar);
      ASSERT_EQ(to.kind, ArrayOutcome::Kind::Barrier) << bench.engine->error().what;
      if (&bench == simt_.get()) {
        ASSERT_EQ(to.cycle, at_.cycle);
      }
      at_ = to;
    });
  }
  void roundsOf(std::uint32_t word, int count) {
    for (int i = 0; i < count; ++i) round(word);
  }
  /// So many that a run has been compiled, and has had the lanes in the last one.
  void warmUp(std::uint32_t word) {
    roundsOf(word, 7);
    before_ = compiled();
    round(word);
    EXPECT_EQ(compiled() > before_, c32::simt::isaUsable(c32::simt::Isa::Avx2));
  }
  /// Takes the lanes out of the vector engine, too.
  void compare() { expectSameEngines(*scalar_->engine, *simt_->engine, lanes_); }
  void both(const std::function<void(ArrayBench&)>& what) {
    what(*scalar_);
    if (!HasFatalFailure()) what(*simt_);
  }
  void poke(const std::string& name, const std::function<std::uint32_t(int lane)>& word) {
    both([&](ArrayBench& bench) {
      for (int i = 0; i < lanes_; ++i)
        ASSERT_TRUE(bench.engine->processor(i).poke(bench.symbol(name), word(i)));
    });
  }
  /// `usual` until its run is compiled, then `other`, seen while the vector engine keeps the lanes
  /// and while it does not.
  void meet(const std::string& text, std::uint32_t usual, std::uint32_t other) {
    for (const bool looks : {false, true}) {
      SCOPED_TRACE(looks ? "seen each round" : "seen at the end");
      begin(text);
      if (HasFatalFailure()) return;
      warmUp(usual);
      for (const std::uint32_t word : {other, usual, other, other, usual}) {
        round(word);
        if (HasFatalFailure()) return;
        if (looks) compare();
      }
      round(other);
      compare();
    }
  }

  /// A compiled run whose horizon lies `first` to `last` - 1 cycles behind a release.
  void horizons(const std::string& text, Cycle first, Cycle last) {
    for (Cycle beyond = first; beyond < last; ++beyond) {
      SCOPED_TRACE(beyond);
      begin(text);
      warmUp(0);
      both([&](ArrayBench& bench) {
        bench.engine->release(at_.cycle);
        EXPECT_EQ(bench.engine->advance(at_.cycle + beyond).kind, ArrayOutcome::Kind::Horizon);
      });
      compare();
      if (HasFailure()) return;
    }
  }

  /// Nobody asks for the flags of the last instruction of `run` if the store behind it goes into
  /// the RAM. DP has it go to the shared memory, which is the master's alone to write: the lanes
  /// stop there, and their flags are to be seen. They have come to the run before, or have not.
  void stopsBehind(const std::string& run) {
    std::string text = rounds(R"(
        TSTB    2,R4
        BNZ     back
        LDI     DP,AR4
        TSTB    1,R4
        BZ      go
        TSTB    4,R4
        BNZ     one
        LDI     0,AR4
        BU      go
one:    CMPI    3,R7
        LDIZ    0,AR4
go:     NOP
        NOP
        NOP
        BR      outer
back:   LDP     area
        NOP
)",
                              "", "") +
                       "        .sect   \"out\",400h,400h\nouter:\n" + kMuch +
                       "        LDI     AR4,DP\n        NOP\n        NOP\n        NOP\n" + run +
                       "        BR      back\n        .sect   \"hot\"\n";
    text.replace(text.find("000F1008h"), 9, "000F0008h");
    for (const auto& [before, last] : {std::pair{0U, 1U}, {2U, 1U}, {0U, 5U}}) {
      const std::uint32_t word = last;
      SCOPED_TRACE(before == 0 ? "a run that is known" : "a run that is new");
      SCOPED_TRACE(last == 1 ? "all lanes" : "one lane");
      begin(text);
      roundsOf(before, 8);
      const auto& counters = dynamic_cast<const SimtArray&>(*simt_->engine).machineCounters();
      EXPECT_EQ((words_ ? counters.wordsOutside : counters.compiledOutside) != 0,
                before == 0 && c32::simt::isaUsable(c32::simt::Isa::Avx2));
      both([&](ArrayBench& bench) {
        bench.board.memory.resize(0x10000);
        bench.board.memory[kRound] = word;
        bench.engine->release(at_.cycle);
        EXPECT_EQ(bench.engine->advance(kFar).kind, ArrayOutcome::Kind::Error);
      });
      EXPECT_EQ(scalar_->engine->error().what, simt_->engine->error().what);
      EXPECT_EQ(scalar_->engine->error().cycle, simt_->engine->error().cycle);
      for (int lane = 0; lane < lanes_; ++lane) {
        EXPECT_EQ(scalar_->engine->processor(lane).registerValue(c32::reg::ST),
                  simt_->engine->processor(lane).registerValue(c32::reg::ST))
            << "lane " << lane;
      }
    }
  }

  static constexpr Cycle kFar = 10'000'000;
  int lanes_ = kLanes;
  bool words_ = false;  ///< runs of words are meant, not any
  [[nodiscard]] std::uint64_t compiled() const {
    const auto& counters = dynamic_cast<const SimtArray&>(*simt_->engine).machineCounters();
    return words_ ? counters.words : counters.compiled;
  }
  std::unique_ptr<ArrayBench> scalar_;
  std::unique_ptr<ArrayBench> simt_;
  ArrayOutcome at_;
  std::uint64_t before_ = 0;
};

}  // namespace rtvp::tigershark::test
