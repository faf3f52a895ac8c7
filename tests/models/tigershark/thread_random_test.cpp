// Random programs on three machines - scalar array, vector array, one SystemC thread per DSP - end
// in the same state, at the same times, with the same statistics and the same words on the chain.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/models/tigershark/array_bench.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/random_program.hpp"
#include "tests/models/tigershark/thread_array.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::tigershark::test {
namespace {

using c32::simt::Isa;

constexpr std::uint64_t kSeed = 19'961'405;
constexpr Cycle kHorizon = 400'000;

/// Programs: a few hundred, or RTVP_PROGRAMS for a nightly run.
std::uint64_t programs() {
  const char* wanted = std::getenv("RTVP_PROGRAMS");
  return wanted == nullptr ? 300 : std::strtoull(wanted, nullptr, 10);
}

void fillMemory(FlatBoard& board, std::uint64_t seed) {
  RandomProgram data(seed ^ 0x5A5A);
  for (std::size_t i = 0x800; i < board.memory.size(); ++i) board.memory[i] = data.word();
}

ArrayOutcome runEngine(ArrayBench& bench, std::uint64_t seed) {
  fillMemory(bench.board, seed);
  bench.run();
  bench.engine->chainInput(0, 20'000);
  return bench.run(kHorizon);
}

void expectSameBus(const FlatBoard& a, const FlatBoard& b) {
  ASSERT_EQ(a.accesses.size(), b.accesses.size());
  for (std::size_t i = 0; i < a.accesses.size(); ++i) {
    ASSERT_EQ(a.accesses[i].address, b.accesses[i].address) << "access " << i;
    ASSERT_EQ(a.accesses[i].cycle, b.accesses[i].cycle) << "access " << i;
    ASSERT_EQ(a.accesses[i].op, b.accesses[i].op) << "access " << i;
    ASSERT_EQ(a.accesses[i].pc, b.accesses[i].pc) << "access " << i;
  }
  ASSERT_EQ(a.output.size(), b.output.size());
  for (std::size_t i = 0; i < a.output.size(); ++i) {
    EXPECT_EQ(a.output[i].word, b.output[i].word);
    EXPECT_EQ(a.output[i].arrival, b.output[i].arrival);
  }
}

/// What the oracle counts itself, and each processor's registers in RAM, clock and statistics.
void expectSameAsOracle(const ArrayBench& bench, const FlatBoard& board, const ThreadArray& oracle,
                        int lanes) {
  expectSameBus(bench.board, board);
  const ArrayCounters a = bench.engine->counters(0);
  const ArrayCounters& b = oracle.counters();
  EXPECT_EQ(a.barriers, b.barriers);
  EXPECT_EQ(a.votes, b.votes);
  EXPECT_EQ(a.skips, b.skips);
  EXPECT_EQ(a.voters, b.voters);
  EXPECT_EQ(a.sharedReads, b.sharedReads);
  EXPECT_EQ(a.sharedFetches, b.sharedFetches);
  EXPECT_EQ(a.sharedWrites, b.sharedWrites);
  EXPECT_EQ(a.chainWords, b.chainWords);
  EXPECT_EQ(a.epochSkew, b.epochSkew);
  for (int i = 0; i < lanes; ++i) {
    SCOPED_TRACE("lane " + std::to_string(i));
    const LaneView lane = bench.engine->lane(i);
    const c32::Cpu& cpu = oracle.cpu(i);
    EXPECT_EQ(lane.cycle, cpu.cycle());
    EXPECT_EQ(lane.pc, cpu.pc());
    EXPECT_EQ(lane.arrived, oracle.arrived(i));
    EXPECT_EQ(lane.idle, cpu.idle());
    expectSameStatistics(lane.statistics, cpu.statistics());
    for (std::uint32_t address = c32::kRamBase; address < c32::kRamBase + c32::kRamWords;
         ++address) {
      ASSERT_EQ(bench.engine->peek(i, address), cpu.peek(address)) << std::hex << address;
    }
  }
}

struct Tally {
  std::uint64_t errors = 0;
  std::uint64_t barriers = 0;
  std::uint64_t votes = 0;
};

void compare(std::uint64_t seed, ThreadArray& oracle, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomProgram program(seed);
  const std::string text = program.text();
  std::mt19937_64 random(seed);
  const int lanes = static_cast<int>(1 + random() % ThreadArray::kMostLanes);
  ArrayConfig config;
  config.lanes = lanes;
  config.riseCycles = random() % 6;
  config.syncCycles = random() % 4;
  config.releaseCycles = 4 + random() % 4;
  if (random() % 4 == 0) config.cpu.alignment = c32::Alignment::FloorAlways;
  if (random() % 4 == 0) config.cpu.bcondUntakenCycles = 1;
  EngineChoice simt{.kind = EngineChoice::Kind::Simt};
  do {
    simt.isa = c32::simt::kAllIsas[random() % std::size(c32::simt::kAllIsas)];
  } while (!c32::simt::isaUsable(*simt.isa));

  ArrayBench a(text, lanes, config, {.kind = EngineChoice::Kind::Scalar});
  ArrayBench b(text, lanes, config, simt);
  FlatBoard board;
  board.memory = a.board.memory;
  const ArrayOutcome scalar = runEngine(a, seed);
  const ArrayOutcome vector = runEngine(b, seed);
  fillMemory(board, seed);
  oracle.restart(config, board);
  oracle.chainInput(0, 20'000);
  oracle.run(kHorizon);

  ASSERT_EQ(scalar.kind, vector.kind);
  ASSERT_EQ(oracle.failed(), scalar.kind == ArrayOutcome::Kind::Error);
  if (oracle.failed()) {
    ++tally.errors;
    return;  // each stands where it noticed
  }
  expectSameEngines(*a.engine, *b.engine, lanes);
  expectSameAsOracle(a, board, oracle, lanes);
  tally.barriers += oracle.counters().barriers;
  tally.votes += oracle.counters().votes;
}

TEST(ThreadRandom, ThreeMachinesEndAlike) {
  rtvp::test::inChild([] {
    ThreadArray oracle("oracle");
    std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(kSeed),
                static_cast<unsigned long long>(kSeed + programs() - 1));
    Tally tally;
    for (std::uint64_t i = 0; i < programs(); ++i) {
      compare(kSeed + i, oracle, tally);
      if (::testing::Test::HasFailure()) {
        std::printf("%s\n", RandomProgram(kSeed + i).text().c_str());
        return;
      }
    }
    std::printf("%llu programs ended in an error; %llu barriers, %llu votes\n",
                static_cast<unsigned long long>(tally.errors),
                static_cast<unsigned long long>(tally.barriers),
                static_cast<unsigned long long>(tally.votes));
    EXPECT_LT(tally.errors, programs() / 3);
    EXPECT_GT(tally.barriers, programs());
    EXPECT_GT(tally.votes, programs() / 2);
  });
}

}  // namespace
}  // namespace rtvp::tigershark::test
