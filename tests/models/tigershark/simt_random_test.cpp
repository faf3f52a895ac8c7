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

/// The first of them, or RTVP_FIRST_PROGRAM for one that failed.
std::uint64_t firstProgram() {
  const char* wanted = std::getenv("RTVP_FIRST_PROGRAM");
  return wanted == nullptr ? 0 : std::strtoull(wanted, nullptr, 10);
}

struct Ran {
  ArrayBench bench;
  ArrayOutcome outcome;
  std::uint64_t booted = 0;  ///< instructions before the program

  Ran(const std::string& text, int lanes, const ArrayConfig& config, const EngineChoice& choice,
      std::uint64_t seed, Cycle slice, bool window, RandomProgram::Style style)
      : bench(text, lanes, config, choice) {
    bench.board.offersWindow = window;
    if (style != RandomProgram::Style::Mixed) {
      bench.board.waitStates = static_cast<std::uint32_t>(seed % 3);
    }
    RandomProgram data(seed ^ 0x5A5A);
    for (std::size_t i = 0x800; i < bench.board.memory.size(); ++i) {
      bench.board.memory[i] = data.word(style == RandomProgram::Style::Straight ? 3 : 12);
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

/// What came out of many programs.
struct Tally {
  std::uint64_t instructions = 0;
  std::uint64_t vectored = 0;
  std::uint64_t compiled = 0;
  std::uint64_t plainVectors = 0;
  std::uint64_t errors = 0;
  std::uint64_t outside = 0;
  std::uint64_t compiledOutside = 0;
  std::uint64_t windowed = 0;
  std::uint64_t words = 0;
  std::uint64_t wordsOutside = 0;
  std::uint64_t plainWordVectors = 0;
};

/// A program on both engines; false, with the program printed, if they differ.
bool runsAlike(std::uint64_t seed, RandomProgram::Style style, unsigned patience, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomProgram program(seed, style);
  const std::string text = program.text();
  std::mt19937_64 random(seed);
  const bool wide = style == RandomProgram::Style::Straight || style == RandomProgram::Style::Words;
  const bool many = wide && random() % 8 == 0;
  const int lanes = static_cast<int>(1 + random() % (many ? 150 : 40));
  ArrayConfig config;
  config.riseCycles = random() % 6;
  config.syncCycles = random() % 4;
  if (random() % 4 == 0) config.cpu.alignment = c32::Alignment::FloorAlways;
  if (random() % 4 == 0) config.cpu.bcondUntakenCycles = 1;
  const Cycle slice = random() % 3 == 0 ? 100 + random() % 2000 : 1'000'000;
  EngineChoice simt{.kind = EngineChoice::Kind::Simt, .runPatience = patience};
  const std::size_t first = wide && random() % 8 != 0 ? 2 : 0;
  do {
    simt.isa = c32::simt::kAllIsas[first + random() % (4 - first)];
    if (first != 0 && !c32::simt::isaUsable(Isa::Avx2)) simt.isa = Isa::Scalar;
  } while (!c32::simt::isaUsable(*simt.isa));
  const Ran a(text, lanes, config, {.kind = EngineChoice::Kind::Scalar}, seed, slice, false, style);
  const bool window = seed % (style == RandomProgram::Style::Mixed ? 2 : 8) != 0;
  const Ran b(text, lanes, config, simt, seed, slice, window, style);
  tally.windowed += b.bench.board.windowWords;
  expectSame(a, b, lanes);
  if (::testing::Test::HasFailure()) {
    std::printf("%s, %d lanes, %s\n%s\n", "failing program", lanes,
                std::string(c32::simt::isaName(*simt.isa)).c_str(), text.c_str());
    return false;
  }
  tally.errors += a.outcome.kind == ArrayOutcome::Kind::Error ? 1 : 0;
  tally.instructions += b.bench.engine->counters(0).instructions - b.booted;
  tally.vectored += b.bench.engine->hostCounters().instructions;
  const auto& machine = dynamic_cast<const SimtArray&>(*b.bench.engine).machineCounters();
  tally.compiled += machine.compiled;
  tally.plainVectors += machine.plainVectors;
  tally.outside += machine.outside;
  tally.compiledOutside += machine.compiledOutside;
  tally.words += machine.words;
  tally.wordsOutside += machine.wordsOutside;
  tally.plainWordVectors += machine.plainWordVectors;
  return true;
}

void printSeeds() {
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed),
              static_cast<unsigned long long>(kSeed + programs() - 1));
}

TEST(SimtRandom, ProgramsEndAlike) {
  printSeeds();
  Tally tally;
  for (std::uint64_t i = firstProgram(); i < firstProgram() + programs(); ++i) {
    ArrayBench::accounts = i % 2 == 0;
    if (!runsAlike(kSeed + i, RandomProgram::Style::Mixed, 8, tally)) return;
  }
  std::printf(
      "%llu of %llu programs ended in an error; %.0f %% of the instructions on vectors\n",
      static_cast<unsigned long long>(tally.errors), static_cast<unsigned long long>(programs()),
      100.0 * static_cast<double>(tally.vectored) / static_cast<double>(tally.instructions));
  EXPECT_GT(tally.windowed, programs());
  EXPECT_LT(tally.errors, programs() / 3);
  EXPECT_GT(tally.errors, programs() / 50);
  EXPECT_GT(tally.vectored * 3, tally.instructions);
}

/// Long stretches of floats, compiled when they are met, with values of all kinds: zeros, results
/// out of range, operands far apart.
TEST(SimtRandom, StraightRunsEndAlike) {
  printSeeds();
  ArrayBench::accounts = false;
  Tally tally;
  for (std::uint64_t i = firstProgram(); i < firstProgram() + programs(); ++i) {
    const auto patience = static_cast<unsigned>(i % 8 == 0 ? 0 : 1 + i % 3);
    if (!runsAlike(kSeed + i, RandomProgram::Style::Straight, patience, tally)) return;
  }
  std::printf("%llu of %llu programs ended in an error; ",
              static_cast<unsigned long long>(tally.errors),
              static_cast<unsigned long long>(programs()));
  std::printf("%.0f %% of the instructions on vectors, %.0f %% of those compiled; %llu vectors\n",
              100.0 * static_cast<double>(tally.vectored) / static_cast<double>(tally.instructions),
              100.0 * static_cast<double>(tally.compiled) / static_cast<double>(tally.vectored),
              static_cast<unsigned long long>(tally.plainVectors));
  EXPECT_LT(tally.errors, programs() / 3);
  const bool possible = c32::simt::isaUsable(Isa::Avx2);
  EXPECT_EQ(possible, tally.compiled * 20 > tally.vectored);
  EXPECT_EQ(possible, tally.plainVectors > programs());
}

/// Code in the shared memory, as a surface shader's: what all lanes fetch together, with values,
/// addresses and registers of each one's own.
TEST(SimtRandom, OutsideCodeEndsAlike) {
  printSeeds();
  Tally tally;
  for (std::uint64_t i = firstProgram(); i < firstProgram() + programs(); ++i) {
    ArrayBench::accounts = i % 4 == 0;
    const auto patience = static_cast<unsigned>(1 + i % 3);
    if (!runsAlike(kSeed + i, RandomProgram::Style::Outside, patience, tally)) return;
  }
  std::printf("%llu of %llu programs ended in an error; ",
              static_cast<unsigned long long>(tally.errors),
              static_cast<unsigned long long>(programs()));
  std::printf("%.0f %% of the instructions on vectors, %.0f %% of those outside, ",
              100.0 * static_cast<double>(tally.vectored) / static_cast<double>(tally.instructions),
              100.0 * static_cast<double>(tally.outside) / static_cast<double>(tally.vectored));
  std::printf(
      "%.0f %% of these compiled; %llu vectors\n",
      100.0 * static_cast<double>(tally.compiledOutside) / static_cast<double>(tally.outside),
      static_cast<unsigned long long>(tally.plainVectors));
  EXPECT_LT(tally.errors, programs() / 2);
  EXPECT_GT(tally.outside * 5, tally.vectored);
  const bool possible = c32::simt::isaUsable(Isa::Avx2);
  EXPECT_EQ(possible, tally.compiledOutside * 50 > tally.outside);
  EXPECT_EQ(possible, tally.plainVectors > programs());
}

/// Long stretches of integers on words of each lane's own, in both memories, compiled when they are
/// met: overflows, lookups in a table and elsewhere, calls.
TEST(SimtRandom, WordRunsEndAlike) {
  printSeeds();
  Tally tally;
  for (std::uint64_t i = firstProgram(); i < firstProgram() + programs(); ++i) {
    ArrayBench::accounts = i % 8 == 0;
    const auto patience = static_cast<unsigned>(1 + i % 3);
    if (!runsAlike(kSeed + i, RandomProgram::Style::Words, patience, tally)) return;
  }
  std::printf("%llu of %llu programs ended in an error; ",
              static_cast<unsigned long long>(tally.errors),
              static_cast<unsigned long long>(programs()));
  const std::uint64_t inside = tally.words - tally.wordsOutside;
  std::printf(
      "%.0f %% of the instructions on vectors, %.0f %% of those in runs of words, %.0f %% of those "
      "inside; %llu vectors\n",
      100.0 * static_cast<double>(tally.vectored) / static_cast<double>(tally.instructions),
      100.0 * static_cast<double>(tally.words) / static_cast<double>(tally.vectored),
      100.0 * static_cast<double>(inside) / static_cast<double>(tally.words),
      static_cast<unsigned long long>(tally.plainWordVectors));
  EXPECT_LT(tally.errors, programs() / 2);
  const bool possible = c32::simt::isaUsable(Isa::Avx2);
  EXPECT_EQ(possible, tally.wordsOutside * 50 > tally.vectored);
  EXPECT_EQ(possible, inside * 50 > tally.vectored);
  EXPECT_EQ(possible, tally.plainWordVectors > programs());
}

}  // namespace
}  // namespace rtvp::tigershark::test
