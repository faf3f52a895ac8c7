// Random programs that pass messages on (service_program.hpp), at the pace of the bit clock: laps
// of the wave (models/c32/blocks/lap.hpp) against the plain processor. The same words at the same
// times at the chain's end, and the same state and statistics in every lane. Messages come in rows
// with pauses, kinds change, lanes stop at horizons and are reset in the middle of a message.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

#include "models/c32/blocks/turn_code.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/service_program.hpp"

namespace rtvp::tigershark::test {
namespace {

constexpr std::uint64_t kSeed = 20'020'401;

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

struct Stream {
  std::uint64_t seed = 0;
  int messages = 0;
  int words = 0;  ///< in each
  std::uint64_t h1Hz = 0;
  std::uint64_t bitClockHz = 0;
  unsigned keep = 12;  ///< one message in so many is kept
};

struct Ran {
  ArrayBench bench;
  ArrayOutcome outcome;

  Ran(const std::string& text, int lanes, const ArrayConfig& config, const EngineChoice& choice,
      const Stream& stream)
      : bench(text, lanes, config, choice) {
    bench.run();
    bench.engine->chainInput(0, 20'000);
    bench.run(30'000);
    std::mt19937_64 random(stream.seed);
    Cycle begin = 40'000;    // of the row of words that follow each other without a pause
    std::uint64_t bits = 0;  // since then
    Cycle horizon = 30'000;
    const auto at = [&] {
      return begin + (bits * stream.h1Hz + stream.bitClockHz - 1) / stream.bitClockHz;
    };
    for (int m = 0; m < stream.messages; ++m) {
      if (random() % 40 == 0) {  // a pause
        begin = at() + random() % 3'000;
        bits = 0;
      }
      const std::uint32_t kind = random() % stream.keep == 0 ? 1 : random() % 30 == 0 ? 2 : 0;
      for (int w = 0; w < stream.words; ++w) {
        const auto word = static_cast<std::uint32_t>(random() >> (random() % 3 == 0 ? 36 : 58));
        bench.engine->chainInput(w == 0 ? (word & 0x0FFF'FFFF) | kind << 28 : word, at());
        bits += random() % 60 == 0 ? 8 + random() % 28 : 32;  // too early, late, or in time
      }
      if (random() % 12 == 0) {
        horizon = std::max(horizon, at() - std::min<Cycle>(at(), 1'000) + random() % 2'000);
        bench.run(horizon);
      }
      if (random() % 150 == 0) {
        horizon = std::max(horizon, at() - random() % 700);
        bench.run(horizon);
        bench.engine->reset(horizon + 1 + random() % 50);
        begin = at() + 3'000;
        bits = 0;
      }
    }
    outcome = bench.run(6'000'000);
  }
};

void expectSame(const Ran& a, const Ran& b, int lanes) {
  ASSERT_EQ(a.outcome.kind, b.outcome.kind);
  ASSERT_EQ(a.bench.board.output.size(), b.bench.board.output.size());
  for (std::size_t w = 0; w < a.bench.board.output.size(); ++w) {
    ASSERT_EQ(a.bench.board.output[w].word, b.bench.board.output[w].word) << "word " << w;
    ASSERT_EQ(a.bench.board.output[w].arrival, b.bench.board.output[w].arrival) << "word " << w;
  }
  expectSameEngines(*a.bench.engine, *b.bench.engine, lanes);
}

TEST(LapRandom, MessagesAsAWholeEndLikeTheProcessor) {
  const std::uint64_t first = numberFrom("RTVP_FIRST_PROGRAM", 0);
  const std::uint64_t programs = numberFrom("RTVP_PROGRAMS", 60);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed + first),
              static_cast<unsigned long long>(kSeed + first + programs - 1));
  std::uint64_t all = 0;
  std::uint64_t inLaps = 0;
  std::uint64_t with = 0;  // programs
  for (std::uint64_t i = first; i < first + programs; ++i) {
    const std::uint64_t seed = kSeed + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    ServiceProgram program(seed);
    const int words = 4 + static_cast<int>(program.bits() % 6);  // nine are too many for a lap
    const bool ring = program.bits() % 4 == 0;
    // A quarter keeps words that become program: by the seed, so that others stay what they were.
    const bool kept = !ring && seed % 4 == 0;
    const std::string text = ring ? program.text() : program.messages(words, kept);
    const int lanes = 8 + static_cast<int>(program.bits() % 8);
    ArrayConfig config;
    ArrayBench::accounts = false;
    static constexpr std::uint64_t kClocks[] = {11'500'000, 11'500'000, 15'000'000,
                                                7'500'000,  12'000'000, 10'900'000};
    config.cpu.serialBitClockHz = kClocks[program.bits() % 6];
    if (program.bits() % 4 == 0) config.cpu.bcondUntakenCycles = 1;
    const Stream stream{seed,
                        200 + static_cast<int>(program.bits() % 300),
                        words,
                        config.cpu.h1Hz,
                        config.cpu.serialBitClockHz,
                        kept ? 2U : 12U};
    const auto runs = [&](EngineChoice::Kind kind, EngineChoice::Chain chain) {
      return Ran(text, lanes, config, {.kind = kind, .chain = chain}, stream);
    };
    const Ran plain = runs(EngineChoice::Kind::Scalar, EngineChoice::Chain::Steps);
    const Ran wave = runs(EngineChoice::Kind::Simt, EngineChoice::Chain::Wave);
    expectSame(plain, wave, lanes);
    if (::testing::Test::HasFailure()) {
      std::printf("failing program, %d lanes\n%s\n", lanes, text.c_str());
      return;
    }
    all += wave.bench.engine->counters(0).instructions;
    const std::uint64_t laps = wave.bench.engine->hostCounters().lapInstructions;
    inLaps += laps;
    if (laps != 0) ++with;
  }
  const double percent = 100.0 * static_cast<double>(inLaps) / static_cast<double>(all);
  std::printf("%.1f %% of the instructions in laps, in %llu programs\n", percent,
              static_cast<unsigned long long>(with));
  constexpr std::uint64_t kTypical = 50;
  if (programs < kTypical || !c32::blocks::TurnCode::lapsPossible()) return;
  EXPECT_GT(inLaps * 10, all);
  EXPECT_GT(with * 2, programs);
}

}  // namespace
}  // namespace rtvp::tigershark::test
