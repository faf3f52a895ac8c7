// Random chain-service programs (service_program.hpp): blocks and waves of them
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
#include "tests/models/tigershark/service_program.hpp"

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
  // `all` begins anew where a lane is reset, so these shares can be above one; 200 programs have
  // had 0.48.
  EXPECT_GT(inBlocks * 5, all * 2);
  EXPECT_GT(inWaves * 20, all);  // so many ways a short stream can be timed
  if (c32::blocks::TurnCode::possible(60, 23)) {
    EXPECT_GT(inHostCode * 50, all);
  }
}

}  // namespace
}  // namespace rtvp::tigershark::test
