// Random chain-service programs: words come in by interrupt or polling, are computed on, branched
// on, stored, passed on, or put into a ring from which they go out. Blocks and waves of them
// (models/c32/blocks) against the plain processor: the same words at the same times at the chain's
// end, and the same state and statistics in every lane. Words come too fast for some programs, or
// late; lanes stop at horizons, fault, and are reset with words on the wires.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "models/c32/blocks/turn_writer.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr std::uint64_t kSeed = 19'961'998;

std::uint64_t programs() {
  const char* wanted = std::getenv("RTVP_PROGRAMS");
  return wanted == nullptr ? 200 : std::strtoull(wanted, nullptr, 10);
}

/// The first of them: a failing one again, alone.
std::uint64_t firstProgram() {
  const char* wanted = std::getenv("RTVP_FIRST_PROGRAM");
  return wanted == nullptr ? 0 : std::strtoull(wanted, nullptr, 10);
}

/// Programs that end in IDLE whenever the chain is silent.
class ServiceProgram {
 public:
  explicit ServiceProgram(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    line("LDP     area");
    line("LDI     @sport_q,AR7");
    line("LDI     @area_p,AR1");
    line("LDI     @area_p,AR2");
    line("LDI     8,BK");
    line("LDI     2,IR0");
    if (pick(3) == 0) {
      ring();
      data();
      return text_;
    }
    line("LDI     20h,IE");
    label("loop");
    const int words = 1 + pick(3);
    for (int i = 0; i < words; ++i) {
      line("CALL    getw");
      work(2);
      if (pick(5) != 0) line("CALL    putw");
    }
    if (pick(3) == 0) uncovered();
    if (pick(4) == 0) {
      line("LDI     " + std::to_string(pick(5)) + ",AR5");
      const std::string l = fresh();
      label(l);
      work(1);
      line("DBU     AR5," + l);
    }
    if (pick(12) == 0) line("STI     R1,@patch");  // the program changes: an ADDI's constant
    line("BU      loop");
    routines();
    data();
    return text_;
  }

  std::uint64_t bits() { return random_(); }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void line(const std::string& s) { text_ += "        " + s + "\n"; }
  void label(const std::string& s) { text_ += s + ":\n"; }
  std::string fresh() { return "L" + std::to_string(labels_++); }
  std::string r() { return "R" + std::to_string(pick(7)); }  // R7 is the node id

  void work(int depth) {
    const int n = 1 + pick(5);
    for (int i = 0; i < n; ++i) op();
    if (depth == 0 || pick(2) != 0) return;
    static const char* const kConds[] = {"Z", "NZ", "N", "GT", "LO", "HS", "V", "LE"};
    const std::string l = fresh();
    line("B" + std::string(kConds[pick(8)]) + (pick(6) == 0 ? "D" : "") + "     " + l);
    line("XOR     " + r() + "," + r());
    line("NOP");
    line("LDI     " + r() + "," + r());
    work(depth - 1);
    label(l);
    line("NOP");
  }

  void op() {
    static const char* const kOps[] = {"ADDI", "SUBI", "SUBRI", "MPYI", "AND", "ANDN", "OR",
                                       "XOR",  "CMPI", "TSTB",  "LDI",  "NOT", "LSH",  "ASH"};
    const std::string op = kOps[pick(14)];
    switch (pick(12)) {
      case 0:
      case 1:
        return line(op + "    " + r() + "," + r());
      case 2:
        return line(op + "    " + std::to_string(pick(40)) + "," + r());
      case 3:
        return line(op + "    *+AR1(" + std::to_string(pick(8)) + ")," + r());
      case 4:
        return line(op + "    @area+" + std::to_string(pick(8)) + "," + r());
      case 5:
        return line("STI     " + r() + ",*+AR1(" + std::to_string(pick(8)) + ")");
      case 6:
        return line((pick(2) != 0 ? "LDI     *AR2++(1)%," : "LDI     *AR2++(IR0)%,") + r());
      case 7:
        return line("STI     " + r() + ",*AR2++(1)%");
      case 8:
        line("PUSH    " + r());
        return line("POP     " + r());
      case 9:
        return line("LDINZ   " + r() + "," + r());
      case 10:
        return line("LDI     ST," + r());
      default:
        // An address straight after its register: a conflict.
        line("LDI     AR1,AR3");
        return line("LDI     *+AR3(" + std::to_string(pick(8)) + ")," + r());
    }
  }

  /// Both directions in one loop, as a node that sends results does.
  void ring() {
    line("LDI     AR1,AR4");
    line("LDI     AR1,AR5");
    line("LDI     " + std::to_string(pick(40)) + ",R3");
    line("LDI     30h,IE");
    label("loop");
    line("ANDN    30h,IF");
    line("LDI     *AR7,R6");
    line("TSTB    1,R6");
    line("BZ      out");
    if (pick(2) != 0) {
      line("CMPI    0,R3");
      line(pick(8) == 0 ? "BZ      out" : "LDIZ    20,R3");
    }
    line("LDI     *+AR7(12),R0");
    for (int i = pick(4); i > 0; --i) op();
    line("STI     R0,*AR4++(1)%");
    line("SUBI    1,R3");
    label("out");
    line("TSTB    2,R6");
    line("BZ      sleep");
    line("CMPI    AR4,AR5");
    line("BZ      sleep");
    line("LDI     *AR5++(1)%,R0");
    for (int i = pick(3); i > 0; --i) op();
    line("STI     R0,*+AR7(8)");
    if (pick(3) == 0) uncovered();
    line("BU      loop");
    label("sleep");
    line("IDLE");
    line("BU      loop");
  }

  void uncovered() {
    switch (pick(8)) {
      case 6:  // a timer runs for a while, or for good
        line("LDI     *+AR1(" + std::to_string(pick(8)) + "),R6");
        line("STI     R6,*+AR7(" + std::to_string(4 + pick(3)) + ")");
        return line("LDI     0,R6");
      case 7:
        return line(pick(4) == 0 ? "STI     R5,*AR7" : "LDI     *+AR7(8),R6");
      case 0:
        line("FLOAT   " + r() + ",R6");
        return line("MPYF    0.5,R6");
      case 1:
        return line("ADDI3   R1,R2,R3");
      case 2:
        return line("ROL     R4");
      case 3:
        line("RPTS    " + std::to_string(pick(4)));
        return line("ADDI    1,R5");
      case 4:
        return line("LDI     *+AR7(2),R6");
      default:
        line("LDI     IF,R6");
        return line("OR      40h,ST");
    }
  }

  void routines() {
    label("getw");
    if (pick(4) == 0) {  // poll
      label("getp");
      line("LDI     *AR7,R6");
      line("TSTB    1,R6");
      line("BNZ     got");
      line("IDLE");
      line("BU      getp");
      label("got");
    } else {
      line("ANDN    20h,IF");
      line("LDI     *AR7,R6");
      line("TSTB    1,R6");
      line("BNZ     got");
      line("IDLE");
      line("BU      getw");
      label("got");
    }
    line("LDI     *+AR7(12),R0");
    text_ += "patch:  ADDI    3,R5\n";
    line("RETSU");
    label("putw");
    line("ANDN    10h,IF");
    line("LDI     *AR7,R6");
    line("TSTB    2,R6");
    line("BZ      full");
    line("STI     R0,*+AR7(8)");
    line("RETSU");
    label("full");
    if (pick(3) != 0) {
      line("LDI     " + std::string(pick(2) != 0 ? "10h" : "30h") + ",IE");
      line("IDLE");
      line("LDI     20h,IE");
    }
    line("BU      putw");
  }

  void data() {
    text_ += "sport_q: .word  808040h\narea_p: .word   area\n        .align  8\narea:\n";
    for (int i = 0; i < 8; ++i) line(".word   " + std::to_string(pick(1'000'000)));
  }

  std::mt19937_64 random_;
  std::string text_;
  int labels_ = 0;
};

struct Ran {
  ArrayBench bench;
  ArrayOutcome outcome;

  /// `most`: words sent into the chain, besides 60.
  Ran(const std::string& text, int lanes, const ArrayConfig& config, const EngineChoice& choice,
      std::uint64_t seed, unsigned most)
      : bench(text, lanes, config, choice) {
    bench.run();
    bench.engine->chainInput(0, 20'000);
    bench.run(30'000);
    std::mt19937_64 random(seed);
    Cycle at = 40'000;
    const int words = 60 + static_cast<int>(random() % most);
    Cycle horizon = 30'000;
    for (int i = 0; i < words; ++i) {
      const auto gap = random() % 8;
      at += gap == 0 ? 500 + random() % 3000 : gap == 1 ? 20 + random() % 60 : 83 + random() % 3;
      bench.engine->chainInput(static_cast<std::uint32_t>(random() >> (random() % 3 == 0 ? 0 : 58)),
                               at);
      // The outside looks in now and then, and may start all over again.
      if (random() % 200 == 0) {
        horizon = std::max(horizon, at - random() % 200);
        bench.run(horizon);
        bench.engine->reset(horizon + 1 + random() % 50);
        at += 3'000;
      }
      if (random() % 16 == 0) {
        horizon = at > 2'000 ? std::max(horizon, at - 1'000 + random() % 2'000) : horizon;
        bench.run(horizon);
      }
    }
    outcome = bench.run(3'000'000);
  }
};

/// Outcome, words at the chain's end, errors, and the state of every lane.
void expectSame(const Ran& a, const Ran& b, int lanes) {
  ASSERT_EQ(a.outcome.kind, b.outcome.kind);
  ASSERT_EQ(a.bench.board.output.size(), b.bench.board.output.size());
  for (std::size_t w = 0; w < a.bench.board.output.size(); ++w) {
    EXPECT_EQ(a.bench.board.output[w].word, b.bench.board.output[w].word) << "word " << w;
    EXPECT_EQ(a.bench.board.output[w].arrival, b.bench.board.output[w].arrival) << "word " << w;
  }
  if (a.outcome.kind == ArrayOutcome::Kind::Error) {
    const ArrayError& x = a.bench.engine->error();
    const ArrayError& y = b.bench.engine->error();
    EXPECT_EQ(x.lane, y.lane);
    EXPECT_EQ(x.pc, y.pc);
    EXPECT_EQ(x.cycle, y.cycle);
    EXPECT_EQ(x.what, y.what);
  }
  expectSameEngines(*a.bench.engine, *b.bench.engine, lanes);
}

// Translated turns divide by multiplying.
TEST(TurnDivisor, DividesAsTheHostDoes) {
  std::mt19937_64 random(kSeed);
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t d = 1 + (random() >> (39 + random() % 25));
    const c32::blocks::Divisor by = c32::blocks::divisorOf(d);
    const std::uint64_t any = (random() >> (1 + random() % 62)) % kEnd;
    for (const std::uint64_t x : {any, any / d * d, any / d * d + d - 1, kEnd - 1, d - 1, d}) {
      if (x >= kEnd) continue;
      __extension__ using Wide = unsigned __int128;
      const auto high = static_cast<std::uint64_t>(Wide{x} * by.magic >> 64);
      ASSERT_EQ((by.magic != 0 ? high : x) >> by.shift, x / d) << x << " / " << d;
    }
  }
}

// The clock's small numbers divide times of at most 2^58 by one product.
TEST(TurnDivisor, SmallOnesNeedNoShift) {
  std::mt19937_64 random(kSeed);
  constexpr std::uint64_t kEnd = c32::blocks::kMostDivided;
  for (std::uint64_t d = 1; d <= c32::blocks::kSmallDivisor; ++d) {
    const c32::blocks::Divisor by = c32::blocks::divisorOf(d, kEnd);
    const bool shifts = (d & (d - 1)) == 0;
    EXPECT_EQ(by.magic == 0, shifts) << d;
    EXPECT_TRUE(shifts || by.shift == 0) << d;
    for (int i = 0; i < 2'000; ++i) {
      const std::uint64_t any = (random() >> (6 + random() % 58)) % kEnd;
      const std::uint64_t last = (kEnd - 1) / d * d;
      for (const std::uint64_t x :
           {any, any / d * d, any / d * d + d - 1, last - 1, last, kEnd - 1}) {
        if (x >= kEnd) continue;
        __extension__ using Wide = unsigned __int128;
        const auto high = static_cast<std::uint64_t>(Wide{x} * by.magic >> 64);
        ASSERT_EQ((by.magic != 0 ? high : x) >> by.shift, x / d) << x << " / " << d;
      }
    }
  }
}

TEST(ServiceRandom, BlocksAndWavesEndLikeTheProcessor) {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed + firstProgram()),
              static_cast<unsigned long long>(kSeed + firstProgram() + programs() - 1));
  using Choice = EngineChoice;
  std::uint64_t all = 0;
  std::uint64_t inBlocks = 0;
  std::uint64_t inWaves = 0;
  std::uint64_t inHostCode = 0;
  for (std::uint64_t i = firstProgram(); i < firstProgram() + programs(); ++i) {
    const std::uint64_t seed = kSeed + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ServiceProgram program(seed);
    const std::string text = program.text();
    const int lanes = 8 + static_cast<int>(program.bits() % 5);  // fewer make no waves
    ArrayConfig config;
    ArrayBench::accounts = i % 2 == 0;
    if (program.bits() % 4 == 0) config.cpu.bcondUntakenCycles = 1;
    if (program.bits() % 4 == 0) config.cpu.arReadStall = 0;
    if (program.bits() % 4 == 0)
      config.cpu.serialBitClockHz = 5'000'000 + program.bits() % 9'000'000;
    // Long streams make their turns worth host code; the runs that keep accounts have none of it.
    const unsigned most = i % 3 == 1 ? 1'500 : 200;
    const auto runs = [&](Choice::Kind kind, Choice::Chain chain) {
      return Ran(text, lanes, config, {.kind = kind, .chain = chain}, seed, most);
    };
    const Ran plain = runs(Choice::Kind::Scalar, Choice::Chain::Steps);
    const Ran wave = runs(Choice::Kind::Simt, Choice::Chain::Wave);
    expectSame(plain, wave, lanes);
    if (i % 4 == 0) {
      SCOPED_TRACE("blocks alone");
      expectSame(plain, runs(Choice::Kind::Simt, Choice::Chain::Blocks), lanes);
    }
    if (i % 4 == 1) {
      SCOPED_TRACE("no host code");
      expectSame(plain, runs(Choice::Kind::Simt, Choice::Chain::Summaries), lanes);
    }
    if (::testing::Test::HasFailure()) {
      std::printf("failing program, %d lanes\n%s\n", lanes, text.c_str());
      return;
    }
    all += wave.bench.engine->counters(0).instructions;
    const ArrayEngine::HostCounters host = wave.bench.engine->hostCounters();
    inBlocks += host.serviceInstructions;
    inWaves += host.waveInstructions;
    inHostCode += host.passageInstructions;
  }
  const auto percent = [&](std::uint64_t part) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(all);
  };
  std::printf("%.0f %% of the instructions in blocks, %.0f %% in waves, %.1f %% in host code\n",
              percent(inBlocks), percent(inWaves), percent(inHostCode));
  constexpr std::uint64_t kTypical = 100;
  if (programs() < kTypical) return;  // some programs alone say nothing of all
  EXPECT_GT(inBlocks * 2, all);
  EXPECT_GT(inWaves * 20, all);  // so many ways a short stream can be timed
  if (c32::blocks::TurnCode::possible(60, 23)) {
    EXPECT_GT(inHostCode * 50, all);
  }
}

}  // namespace
}  // namespace rtvp::tigershark::test
