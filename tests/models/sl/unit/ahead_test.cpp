// Runs computed ahead of their time on the batched engine change no word, clock or count.
#include <iostream>
#include <random>

#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/unit/core_bench.hpp"

namespace rtvp::sl::unit::test {
namespace {

constexpr std::uint32_t kSeed = 20261128;

CoreConfig configOf(bool ahead, unsigned pipelines) {
  CoreConfig config;
  config.ahead = ahead;
  config.pipelines = pipelines;
  config.cacheLines = 8;
  config.cycles[static_cast<unsigned>(Form::Li)] = 0;
  return config;
}

/// Programs, surfaces with textures, runs in slots: the same for the same seed.
void fill(CoreBench& bench, std::uint32_t seed, std::uint32_t runs) {
  sl::test::RandomPrograms random(seed);
  const std::uint32_t surfaces = 1 + random.below(3);
  for (std::uint32_t n = 0; n < surfaces; ++n) {
    bench.surface(n, random.program());
    for (unsigned t = 0; t < kTextureSlots; ++t) {
      if (random.below(3) != 0) continue;
      const auto format = static_cast<Format>(random.below(kLastFormat + 1));
      bench.texture(n, t, format, 4, 4, 16U * random.below(20));
    }
  }
  for (std::size_t n = CoreBench::kTexels; n < bench.memory.words.size(); ++n)
    bench.memory.words[n] = random.below(1U << 31U) * 2U + random.below(2);
  for (std::uint32_t slot = 0; slot < runs; ++slot) {
    bench.fill(slot, random.below(surfaces), random.registers());
    std::uint32_t* const words = bench.slotWords(slot);
    words[slot::kSeed] = random.below(1000);
    words[slot::kFlags] = random.below(2);
    words[slot::kS] = word(random.number());
    words[slot::kT] = word(random.number());
    bench.queue(slot);
  }
}

/// Runs what is queued, and again what was set aside, at most `rounds` times.
void play(CoreBench& bench, unsigned rounds) {
  for (unsigned round = 0; round < rounds; ++round) {
    unsigned asked = 0;
    for (const auto& [slot, result] : bench.run()) {
      if (result.kind != result::kTrace) continue;
      for (unsigned lane = 0; lane < 3; ++lane)
        bench.slotWords(slot)[slot::kAnswer + lane] = word(result.direction[lane]);
      bench.queue(slot, request::kResume);
      ++asked;
    }
    if (asked == 0) return;
  }
}

void expectSame(const CoreBench& a, const CoreBench& b) {
  EXPECT_EQ(a.now, b.now);
  EXPECT_EQ(a.memory.words, b.memory.words);
  EXPECT_EQ(a.memory.reads, b.memory.reads);
  EXPECT_EQ(a.memory.writes, b.memory.writes);
  EXPECT_EQ(a.core.executed(), b.core.executed());
  EXPECT_EQ(a.core.fault(), b.core.fault());
  EXPECT_EQ(a.core.faultSlot(), b.core.faultSlot());
  EXPECT_EQ(a.core.resumes(), b.core.resumes());
  const Counters &x = a.core.counters(), &y = b.core.counters();
  EXPECT_EQ(x.runs, y.runs);
  EXPECT_EQ(x.instructions, y.instructions);
  EXPECT_EQ(x.over_budget, y.over_budget);
  EXPECT_EQ(x.traces, y.traces);
  EXPECT_EQ(x.lookups, y.lookups);
  const TextureCounters &t = a.core.textures(), &u = b.core.textures();
  EXPECT_EQ(t.samples, u.samples);
  EXPECT_EQ(t.hits, u.hits);
  EXPECT_EQ(t.misses, u.misses);
  for (std::size_t n = 0; n < a.core.pipelines().size(); ++n) {
    const PipelineCounters &p = a.core.pipelines()[n], &q = b.core.pipelines()[n];
    EXPECT_EQ(p.busy, q.busy);
    EXPECT_EQ(p.worked(), q.worked());
    EXPECT_EQ(p.runs, q.runs);
    EXPECT_EQ(p.instructions, q.instructions);
  }
}

TEST(RunAhead, RandomProgramsGiveTheSameWordsClocksAndCounts) {
  constexpr unsigned kRounds = 120;
  std::cout << "seed " << kSeed << ", " << kRounds << " rounds\n";
  std::uint64_t ahead = 0, begun = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const unsigned pipelines = 1 + round % 5;
    CoreBench fast(configOf(true, pipelines)), plain(configOf(false, pipelines));
    for (CoreBench* const bench : {&fast, &plain}) {
      fill(*bench, kSeed + round, 1 + round % 63);
      play(*bench, 6);
    }
    expectSame(fast, plain);
    if (HasFailure()) return;
    ahead += fast.core.runsAhead();
    begun += fast.core.counters().runs + fast.core.resumes();
    EXPECT_EQ(plain.core.runsAhead(), 0U);
  }
  std::cout << ahead << " of " << begun << " runs computed ahead\n";
  EXPECT_GT(ahead, begun / 4) << "most that is left are runs with a result that is no number";
}

// More requests than are looked at together, in a queue that holds them all.
TEST(RunAhead, AllRunsOfALongQueueAreComputedAhead) {
  constexpr std::uint32_t kRuns = 600, kSlots = 300;
  CoreBench bench;
  bench.at.entries = kRuns;
  bench.at.requests = 4 * CoreBench::kTexels;
  bench.at.results = bench.at.requests + 4 * kRuns * request::kWords;
  bench.surface(0,
                assembled("li s1, 1.0\nli s2, 0.0\nadd s2, s2, s1\nblt s2, s0, -2\nlc x v0, s2\n"));
  Registers r;
  r.scalar(reg::s0) = 7.5F;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) bench.fill(slot, 0, r);
  for (std::uint32_t n = 0; n < kRuns; ++n)
    bench.memory.words[CoreBench::kTexels + n * request::kWords] = n % kSlots;
  bench.core.run(bench.at, kRuns, bench.memory, 0);
  const std::size_t results = bench.at.results / 4;
  for (std::uint32_t n = 0; n < kRuns; ++n)
    EXPECT_EQ(bench.memory.words[results + n * result::kWords + result::kVector], word(8));
  EXPECT_EQ(bench.core.runsAhead(), kRuns);
}

/// Runs that differ by seed and uv, ahead and one by one; the same words, clocks and counts.
void expectAhead(const std::string& lines, std::uint32_t runs) {
  CoreBench fast(configOf(true, 3)), plain(configOf(false, 3));
  for (CoreBench* const bench : {&fast, &plain}) {
    bench->surface(0, assembled(lines));
    for (std::uint32_t slot = 0; slot < runs; ++slot) {
      Registers r;
      r.vector(reg::uv) = {static_cast<float>(slot), 0.5F, 2};
      bench->fill(slot, 0, r);
      bench->slotWords(slot)[slot::kSeed] = 77 + 5 * slot;
      bench->queue(slot);
    }
    play(*bench, 1);
  }
  expectSame(fast, plain);
  EXPECT_EQ(fast.core.runsAhead(), runs);
}

TEST(RunAhead, AProgramOfOneInstructionIsComputedAhead) {
  expectAhead("mov v0, uv\n", 60);
}

// Points part at random in every round of a loop: far more ways than the engine keeps apart.
TEST(RunAhead, ExecutionsOfManyWaysAddUp) {
  expectAhead(
      "li s1, 1.0\nli s2, 0.0\nli s3, 0.5\nrnd s0\nblt s0, s3, 2\n"
      "lc y v0, s0\nmov r0, v0\nadd s2, s2, s1\nli s0, 600.0\nblt s2, s0, -7\nlc x v0, s2\n",
      61);
}

// What cannot be seen in memory may be no number.
TEST(RunAhead, ANotANumberThatIsNoResultDoesNoHarm) {
  expectAhead("div s1, s2, s2\nmov v0, uv\n", 40);
}

/// Memory that the host changes while the unit is at work, behind the look ahead.
class ChangedMemory : public FakeMemory {
 public:
  using FakeMemory::FakeMemory;
  Clock read(std::uint64_t address, std::span<std::uint32_t> to, Clock at) override {
    if (reads == when) words[place] = value;
    return FakeMemory::read(address, to, at);
  }
  std::uint64_t when = ~std::uint64_t{0};
  std::size_t place = 0;
  std::uint32_t value = 0;
};

TEST(RunAhead, AWordThatChangesBetweenTheLookAndTheReadIsRead) {
  std::vector<Clock> ends;
  std::vector<std::vector<std::uint32_t>> memories;
  for (const bool ahead : {true, false}) {
    CoreBench bench(configOf(ahead, 2));
    bench.surface(0, assembled("li s1, 1.0\nadd s2, s2, s1\nblt s2, s0, -2\nmov v0, uv\n"));
    for (std::uint32_t slot = 0; slot < 20; ++slot) {
      Registers r;
      r.vector(reg::uv) = {static_cast<float>(slot), 0, 0};
      r.scalar(reg::s0) = 3;
      bench.fill(slot, 0, r);
      bench.queue(slot);
    }
    ChangedMemory memory(bench.memory.words.size());
    memory.words = bench.memory.words;
    memory.when = 12;  // slot 15 has been looked at, but not read
    constexpr unsigned kUv = slot::kVectors + 3 * 5;
    static_assert(slot::kVectorOrder[5] == reg::uv);
    memory.place = CoreBench::kSlots + 15 * slot::kWords + kUv;
    memory.value = word(99);
    ends.push_back(bench.core.run(bench.at, 20, memory, 0));
    EXPECT_EQ(bench.core.runsAhead(), ahead ? 19U : 0U);
    bool seen = false;
    for (std::uint32_t n = 0; n < 20; ++n) {
      const std::uint32_t* const w = &memory.words[CoreBench::kResults + n * result::kWords];
      seen = seen || (w[result::kSlot] == 15 && w[result::kVector] == word(99));
    }
    EXPECT_TRUE(seen);
    memories.push_back(memory.words);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(memories[0], memories[1]);
}

}  // namespace
}  // namespace rtvp::sl::unit::test
