// Random programs on the scalar and the SIMT array: the same outcome, error, bus traffic with its
// times, counters, clocks, statistics and internal RAM in every lane.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/random_program.hpp"

namespace rtvp::tigershark::test {
namespace {

using c32::simt::Isa;

constexpr std::uint64_t kSeed = 19'960'000;

/// Programs: a few hundred, or RTVP_PROGRAMS for a nightly run.
std::uint64_t programs() {
  const char* wanted = std::getenv("RTVP_PROGRAMS");
  return wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
}

struct Ran {
  ArrayBench bench;
  ArrayOutcome outcome;
  std::uint64_t booted = 0;  ///< instructions before the program

  Ran(const std::string& text, int lanes, const ArrayConfig& config, const EngineChoice& choice,
      std::uint64_t seed, Cycle slice, bool window)
      : bench(text, lanes, config, choice) {
    bench.board.offersWindow = window;
    RandomProgram data(seed ^ 0x5A5A);
    for (std::size_t i = 0x800; i < bench.board.memory.size(); ++i) {
      bench.board.memory[i] = data.word();
    }
    bench.run();
    booted = bench.engine->counters(0).instructions;
    bench.engine->chainInput(0, 20'000);
    // In slices: where the outside stops the engine must not matter.
    Cycle horizon = 0;
    do {
      horizon += slice;
      outcome = bench.run(horizon);
    } while (outcome.kind == ArrayOutcome::Kind::Horizon && horizon < 2'000'000);
  }
};

void expectSame(const Ran& a, const Ran& b, int lanes) {
  ASSERT_EQ(a.outcome.kind, b.outcome.kind);
  ASSERT_EQ(a.bench.board.accesses.size(),
            b.bench.board.accesses.size() + b.bench.board.windowWords);
  const bool all = b.bench.board.windowWords == 0;
  for (std::size_t i = 0; all && i < a.bench.board.accesses.size(); ++i) {
    const c32::BusRequest& x = a.bench.board.accesses[i];
    const c32::BusRequest& y = b.bench.board.accesses[i];
    ASSERT_EQ(x.address, y.address) << "access " << i;
    ASSERT_EQ(x.cycle, y.cycle) << "access " << i;
    ASSERT_EQ(x.pc, y.pc) << "access " << i;
    ASSERT_EQ(x.op, y.op) << "access " << i;
  }
  if (a.outcome.kind == ArrayOutcome::Kind::Error) {
    const ArrayError& x = a.bench.engine->error();
    const ArrayError& y = b.bench.engine->error();
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.lane, y.lane);
    EXPECT_EQ(x.pc, y.pc);
    EXPECT_EQ(x.cycle, y.cycle);
    EXPECT_EQ(x.address, y.address);
    EXPECT_EQ(x.what, y.what);
    EXPECT_EQ(x.others, y.others);
    return;  // after the error each engine stands where it noticed it
  }
  expectSameEngines(*a.bench.engine, *b.bench.engine, lanes);
}

TEST(SimtRandom, ProgramsEndAlike) {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kSeed + programs() - 1));
  std::uint64_t instructions = 0;
  std::uint64_t vectored = 0;
  std::uint64_t errors = 0;
  std::uint64_t windowed = 0;
  for (std::uint64_t i = 0; i < programs(); ++i) {
    ArrayBench::accounts = i % 2 == 0;
    const std::uint64_t seed = kSeed + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram program(seed);
    const std::string text = program.text();
    std::mt19937_64 random(seed);
    const int lanes = static_cast<int>(1 + random() % 40);
    ArrayConfig config;
    config.riseCycles = random() % 6;
    config.syncCycles = random() % 4;
    if (random() % 4 == 0) config.cpu.alignment = c32::Alignment::FloorAlways;
    if (random() % 4 == 0) config.cpu.bcondUntakenCycles = 1;
    const Cycle slice = random() % 3 == 0 ? 100 + random() % 2000 : 1'000'000;
    EngineChoice simt{.kind = EngineChoice::Kind::Simt};
    do {
      simt.isa = c32::simt::kAllIsas[random() % 4];
    } while (!c32::simt::isaUsable(*simt.isa));
    const Ran a(text, lanes, config, {.kind = EngineChoice::Kind::Scalar}, seed, slice, false);
    const bool window = seed % 2 != 0;
    const Ran b(text, lanes, config, simt, seed, slice, window);
    windowed += b.bench.board.windowWords;
    expectSame(a, b, lanes);
    if (::testing::Test::HasFailure()) {
      std::printf("%s, %d lanes, %s\n%s\n", "failing program", lanes,
                  std::string(c32::simt::isaName(*simt.isa)).c_str(), text.c_str());
      return;
    }
    errors += a.outcome.kind == ArrayOutcome::Kind::Error ? 1 : 0;
    instructions += b.bench.engine->counters(0).instructions - b.booted;
    vectored += b.bench.engine->hostCounters().instructions;
  }
  std::printf("%llu of %llu programs ended in an error; %.0f %% of the instructions on vectors\n",
              static_cast<unsigned long long>(errors), static_cast<unsigned long long>(programs()),
              100.0 * static_cast<double>(vectored) / static_cast<double>(instructions));
  EXPECT_GT(windowed, programs());
  EXPECT_LT(errors, programs() / 3);
  EXPECT_GT(errors, programs() / 50);
  EXPECT_GT(vectored * 3, instructions);
}

}  // namespace
}  // namespace rtvp::tigershark::test
