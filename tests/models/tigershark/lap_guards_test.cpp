// Guards of the wave (models/c32/blocks) that few random programs ask: a word that messages store
// becomes program, and a DMA channel that kept an interrupt is started again. The same program on
// the plain processor.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/c32/blocks/turn_code.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr int kLanes = 8;  // fewer make no waves
constexpr Cycle kBehindAll = 6'000'000;

/// Messages are headers, their kind in bits 28 to 31, and words behind them.
struct Message {
  std::uint32_t kind = 0;
  std::uint32_t word = 0;  ///< each of its words
};
using Messages = std::vector<Message>;

/// `count` messages of kind 0 with different words.
void addPlain(Messages& to, unsigned count) {
  for (unsigned n = 0; n < count; ++n) {
    to.push_back({0, static_cast<std::uint32_t>(to.size() * 37 % 251)});
  }
}

struct Ran {
  ArrayBench bench;

  /// `words` in each message, one behind the other.
  Ran(const std::string& text, const EngineChoice& choice, const Messages& messages, unsigned words)
      : bench(text, kLanes, config(), choice) {
    bench.run();
    bench.engine->chainInput(0, 20'000);
    bench.run(30'000);
    constexpr Cycle kWordCycles = 160;  // eight bits of pause: who is late catches up
    Cycle at = 40'000;
    for (const Message& m : messages) {
      for (unsigned w = 0; w < words; ++w) {
        bench.engine->chainInput(w == 0 ? m.kind << 28 | m.word : m.word, at);
        at += kWordCycles;
      }
    }
    EXPECT_EQ(bench.run(kBehindAll).kind, ArrayOutcome::Kind::Quiescent);
  }
  /// A bit of the wire lasts four cycles: all messages find its clock alike.
  static ArrayConfig config() {
    ArrayConfig config;
    config.cpu.serialBitClockHz = config.cpu.h1Hz / 4;
    return config;
  }
};

class LapGuards : public ::testing::Test {
 protected:
  void SetUp() override { ArrayBench::accounts = false; }  // they keep host code away
  void TearDown() override { ArrayBench::accounts = true; }

  /// The wave ends like the plain processor; its counters.
  static ArrayEngine::HostCounters compare(const std::string& text, const Messages& messages,
                                           unsigned words, EngineChoice::Chain chain) {
    const EngineChoice plainly{.kind = EngineChoice::Kind::Scalar,
                               .chain = EngineChoice::Chain::Steps};
    const Ran plain(text, plainly, messages, words);
    const Ran wave(text, {.kind = EngineChoice::Kind::Simt, .chain = chain}, messages, words);
    const auto& a = plain.bench.board.output;
    const auto& b = wave.bench.board.output;
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t w = 0; w < std::min(a.size(), b.size()); ++w) {
      EXPECT_EQ(a[w].word, b[w].word) << "word " << w;
      EXPECT_EQ(a[w].arrival, b[w].arrival) << "word " << w;
    }
    expectSameEngines(*plain.bench.engine, *wave.bench.engine, kLanes);
    return wave.bench.engine->hostCounters();
  }
  static bool lapsPossible() { return c32::blocks::TurnCode::lapsPossible(); }
};

/// R0 = the next word; the processor's flags are as the interrupt leaves them. putw: DXR is free,
/// because words come one behind the other at least.
const std::string kRoutines = R"(
getw:   LDI     *AR7,R6
        TSTB    1,R6
        BNZ     got
        IDLE
        BU      getw
got:    LDI     *+AR7(12),R0
        RETSU
putw:   LDI     *AR7,R6
        TSTB    2,R6
        BZ      putw
        STI     R0,*+AR7(8)
        RETSU
sport_q: .word  808040h
)";

/// Passes messages on, and with their word number `at` stores an ADDI of that constant; those of
/// kind 2 and 6 have it executed instead. Those of kind 4 and 6 have no summary.
std::string storesProgram(unsigned words, unsigned at) {
  const unsigned last = words - 1;
  return "        LDP     area\n        LDI     @sport_q,AR7\n        LDI     20h,IE\n"
         "        LDI     0,R4\nloop:   LDI     " +
         std::to_string(last) + R"(,AR5
        CALL    getw
        LDI     R0,R1
        LSH     -28,R1
        BU      here
pass:   CALL    getw
here:   CALL    putw
        CMPI    )" +
         std::to_string(last - at) + R"(,AR5
        BNZ     over
        TSTB    6,R1
        BNZ     other
        AND     0FFh,R0
        OR      @adds,R0
        STI     R0,@code
over:   DBU     AR5,pass
        BU      loop
other:  TSTB    4,R1
        BZ      call
        FLOAT   R4,R5                   ; no block holds it
        TSTB    2,R1
        BZ      over
call:   CALL    code
        STI     R4,@area
        BU      over
)" + kRoutines +
         R"(
area:   .word   0
adds:   ADDI    0,R4
        .align  8
code:   ADDI    77,R4
        RETSU
)";
}

Messages storesAndCalls() {
  Messages m;
  addPlain(m, 40);
  for (int n = 0; n < 3; ++n) {
    m.push_back({2, 0});
    addPlain(m, 5);
    m.push_back({2, 0});
    addPlain(m, 30);
  }
  m.push_back({2, 0});
  // The wave no longer tries to summarise when blocks meet the word first.
  addPlain(m, 30);
  for (const std::uint32_t kind : {4U, 4U, 0U, 4U}) m.push_back({kind, 5});
  addPlain(m, 6);
  for (int n = 0; n < 3; ++n) {
    m.push_back({6, 0});
    addPlain(m, 5);
  }
  m.push_back({6, 0});
  return m;
}

/// In laps; in passages alone, as no message is so short; and without host code. Wherever laps
/// begin, one begins in front of the store.
TEST_F(LapGuards, AStoredWordThatIsExecuted) {
  for (const unsigned words : {2U, 5U}) {
    for (unsigned at = 0; at < words; ++at) {
      SCOPED_TRACE("word " + std::to_string(at) + " of " + std::to_string(words));
      const auto program = storesProgram(words, at);
      const auto counters = compare(program, storesAndCalls(), words, EngineChoice::Chain::Wave);
      EXPECT_EQ(counters.lapInstructions != 0, words == 5 && lapsPossible());
      EXPECT_EQ(counters.passageInstructions != 0, lapsPossible());
      compare(program, storesAndCalls(), words, EngineChoice::Chain::Summaries);
    }
  }
}

/// Kind 1 has a DMA channel see a receive interrupt that it does not use; kind 2 starts it again,
/// to wait for one. In between those of kind 0 write IF with their word number `at`; others do not.
std::string forgetsInterrupt(unsigned words, unsigned at) {
  const std::string rest = "        LDI     " + std::to_string(words - 2) + ",AR5\n";
  return R"(
        LDP     area
        LDI     @sport_q,AR7
        LDI     @dma_q,AR6
        LDI     @enable,IE
loop:   CALL    getw
        LDI     R0,R1
        CALL    putw
        LSH     -28,R1
)" + rest +
         R"(
pass:   CALL    getw
        CALL    putw
        CMPI    )" +
         std::to_string(words - 1 - at) + R"(,AR5
        BNZ     over
        CMPI    0,R1
        BNZ     over
        ANDN    20h,IF
over:   DBU     AR5,pass
        CMPI    1,R1
        BZ      first
        CMPI    2,R1
        BZ      again
        BU      loop
first:  LDI     *AR7,R6                 ; the next word's interrupt has come
        TSTB    1,R6
        BZ      first
        CALL    dma
        LDI     @once,R6
        STI     R6,*AR6
        NOP
        NOP
        NOP
        NOP
        BU      loop
again:  LDI     1,R5
        STI     R5,@area
        CALL    dma
        LDI     @synced,R6
        STI     R6,*AR6
        NOP
        NOP
        NOP
        NOP
        NOP
        NOP
        LDI     2,R5
        STI     R5,@area
        BU      loop
dma:    LDI     @area_p,R6
        STI     R6,*+AR6(4)
        ADDI    1,R6
        STI     R6,*+AR6(6)
        LDI     1,R6
        STI     R6,*+AR6(8)
        RETSU
)" + kRoutines +
         R"(
enable: .word   00200020h               ; ERINT0 of the processor and of channel 0
dma_q:  .word   808000h
once:   .word   403h                    ; START, TC
synced: .word   503h                    ; and SYNC = source
area_p: .word   area
area:   .word   0, 0
)";
}

Messages interruptsForgotten() {
  Messages m;
  addPlain(m, 40);
  for (int n = 0; n < 3; ++n) {
    for (const std::uint32_t kind : {1U, 3U, 3U}) m.push_back({kind, 0});
    addPlain(m, 4);
    m.push_back({2, 0});
    addPlain(m, 30);
  }
  return m;
}

TEST_F(LapGuards, AnInterruptThatDmaForgets) {
  for (const unsigned words : {2U, 5U}) {
    for (unsigned at = 1; at < words; ++at) {
      SCOPED_TRACE("word " + std::to_string(at) + " of " + std::to_string(words));
      const auto program = forgetsInterrupt(words, at);
      const auto counters =
          compare(program, interruptsForgotten(), words, EngineChoice::Chain::Wave);
      EXPECT_EQ(counters.lapInstructions != 0, words == 5 && lapsPossible());
      compare(program, interruptsForgotten(), words, EngineChoice::Chain::Summaries);
    }
  }
}

/// A word that arrives has DMA move `words`, with priority and an interrupt at the end; then the
/// processor sleeps, `later` instructions behind the start. `uncovered`: an instruction that no
/// block holds stands in front, so that blocks look in after other numbers of instructions.
std::string sleepsOnDma(unsigned words, unsigned later, bool uncovered) {
  const auto nops = [](unsigned count) {
    std::string text;
    for (unsigned n = 0; n < count; ++n) text += "        NOP\n";
    return text;
  };
  return R"(
        LDP     area
        LDI     @sport_q,AR7
        LDI     @dma_q,AR6
        LDI     @wake_p,R0
        STI     R0,@hotrun+11           ; DINT0
        LDI     420h,IE
loop:   CALL    getw
        CALL    putw
        LDI     @area_p,R6
        STI     R6,*+AR6(4)
        ADDI    1,R6
        STI     R6,*+AR6(6)
        LDI     )" +
         std::to_string(words) + R"(,R6
        STI     R6,*+AR6(8)
        LDI     @once,R6
)" + nops(10) +
         (uncovered ? "        FLOAT   R5,R5\n" : "") + "        STI     R6,*AR6\n" + nops(later) +
         R"(
        IDLE
        ADDI    1,R4
        STI     R4,@area
        BU      loop
)" + kRoutines +
         R"(
dma_q:  .word   808000h
once:   .word   3C03h                   ; START, TC, TCINT, priority over the processor
wake_p: .word   wake
area_p: .word   area
area:   .word   0, 0
)";
}

/// Its last word is written, its interrupt comes a cycle later.
TEST_F(LapGuards, ATransferThatEndsAsBlocksBegin) {
  Messages m;
  addPlain(m, 20);
  for (const unsigned words : {1U, 3U}) {
    for (const bool uncovered : {false, true}) {
      for (unsigned later = 0; later < 12; later += 3) {
        SCOPED_TRACE(std::to_string(words) + " words, " + std::to_string(later) + " later");
        const auto program = sleepsOnDma(words, later, uncovered);
        compare(program, m, 1, EngineChoice::Chain::Blocks);
        compare(program, m, 1, EngineChoice::Chain::Wave);
      }
    }
  }
}

}  // namespace
}  // namespace rtvp::tigershark::test
