// Runs computed ahead, where what they were computed from changes before they begin: the host
// writes behind the look ahead, or the next look has other surfaces, programs and counts.
#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <vector>

#include "tests/models/sl/random_program.hpp"
#include "tests/models/sl/unit/core_bench.hpp"

namespace rtvp::sl::unit::test {
namespace {

constexpr std::uint32_t kSeed = 19960412;
constexpr std::uint32_t kRuns = 40;

CoreConfig configOf(bool ahead, unsigned pipelines) {
  CoreConfig config;
  config.ahead = ahead;
  config.pipelines = pipelines;
  config.cacheLines = 8;
  return config;
}

/// The host writes a word when so much has been read.
class WrittenMemory : public FakeMemory {
 public:
  using FakeMemory::FakeMemory;
  Clock read(std::uint64_t address, std::span<std::uint32_t> to, Clock at) override {
    if (reads == when) words[place] = value;
    return FakeMemory::read(address, to, at);
  }
  std::uint64_t when = 0;
  std::size_t place = 0;
  std::uint32_t value = 0;
};

/// Three surfaces, two of them of one program that samples, traces and looks up; runs of all.
void fill(CoreBench& bench, std::uint32_t seed) {
  sl::test::RandomPrograms random(seed);
  bench.surface(0, assembled("mul r0, t0, uv\nadd v0, v0, r0\nli s1, 0.5\nblt s0, s1, 1\n"
                             "trace r2, N, L\nrnd s2\nlc x v0, s2\nadd v0, v0, r1\n"));
  bench.surface(1, random.program());
  bench.surface(2, random.program());
  if (seed % 2 == 0) {
    for (const unsigned n : {surface::kProgramStart, surface::kProgramCount})
      bench.surfaceWords(2)[n] = bench.surfaceWords(0)[n];
  }
  for (std::size_t n = CoreBench::kTexels; n < bench.memory.words.size(); ++n)
    bench.memory.words[n] = random.below(1U << 31U) * 2U + random.below(2);
  for (std::uint32_t slot = 0; slot < kRuns; ++slot) {
    bench.fill(slot, random.below(3), random.registers());
    bench.slotWords(slot)[slot::kSeed] = random.below(1000);
    bench.slotWords(slot)[slot::kFlags] = random.below(4) != 0 ? 1 : 0;
    bench.slotWords(slot)[slot::kS] = word(random.number());
  }
  for (std::uint32_t n = 0; n < 3; ++n) bench.texture(n, 0, Format::Rgba8, 4, 4, 16 * n);
}

/// A word that something depends on, and another value for it.
void choose(WrittenMemory& memory, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::size_t slot = CoreBench::kSlots + below(kRuns) * slot::kWords;
  switch (below(6)) {
    case 0:
      memory.place = below(3) * surface::kWords + below(surface::kWords);
      break;
    case 1:
      memory.place = slot + below(slot::kRequestWords);
      break;
    case 2:
      memory.place = slot + slot::kSaved + below(slot::kSavedWords);
      break;
    case 3:
      memory.place = slot + slot::kSaved + below(3);
      break;
    case 4:
      memory.place = CoreBench::kTexels + below(48);
      break;
    default:
      memory.place = CoreBench::kRequests + below(kRuns * request::kWords);
  }
  // A bit, a small number, or what lies somewhere else of the kind.
  const std::uint32_t before = memory.words[memory.place];
  memory.value = below(3) == 0   ? before ^ 1U << below(32)
                 : below(2) == 0 ? static_cast<std::uint32_t>(below(4))
                                 : memory.words[below(3) * surface::kWords + below(64)];
}

TEST(RunAhead, WordsThatTheHostWritesAtAnyTimeAreReadInTheirTime) {
  constexpr unsigned kRounds = 600;
  std::cout << "seed " << kSeed << ", " << kRounds << " rounds\n";
  std::uint64_t computed = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    CoreBench fast(configOf(true, 1 + round % 3)), plain(configOf(false, 1 + round % 3));
    std::vector<WrittenMemory> memories;
    for (CoreBench* const bench : {&fast, &plain}) {
      std::mt19937 random(kSeed + round);
      fill(*bench, kSeed + round);
      WrittenMemory& memory = memories.emplace_back(bench->memory.words.size());
      std::uint32_t tail = 0;
      Clock now = 0;
      const auto play = [&](std::uint32_t kind) {
        for (std::uint32_t slot = 0; slot < kRuns; ++slot) {
          if (kind == request::kResume &&
              memory.words[CoreBench::kSlots + slot * slot::kWords + slot::kSaved] == 0)
            continue;
          bench->queue(slot, kind);
          ++tail;
        }
        std::copy_n(bench->memory.words.begin() + CoreBench::kRequests, 1000,
                    memory.words.begin() + CoreBench::kRequests);
        memory.when = memory.reads + random() % 90;
        choose(memory, random);
        now = bench->core.run(bench->at, tail, memory, now);
        bench->memory.words = memory.words;
      };
      memory.words = bench->memory.words;
      play(request::kStart);
      if (bench->core.fault() == Fault::None) play(request::kResume);
      bench->now = now;
    }
    ASSERT_EQ(memories[0].words, memories[1].words);
    ASSERT_EQ(memories[0].reads, memories[1].reads);
    ASSERT_EQ(fast.now, plain.now);
    ASSERT_EQ(fast.core.executed(), plain.core.executed());
    ASSERT_EQ(fast.core.fault(), plain.core.fault());
    ASSERT_EQ(fast.core.counters().instructions, plain.core.counters().instructions);
    computed += fast.core.runsAhead();
  }
  std::cout << computed << " runs computed ahead\n";
  EXPECT_GT(computed, kRounds * kRuns / 2);
}

/// Colours of runs of one program of two surfaces, whose constants differ: v0 = uv + r0.
class OneProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    bench_.surface(0, assembled("add v0, uv, r0\n"));
    bench_.surface(1, assembled("mul v0, uv, r0\n"));
    bench_.surface(2, assembled("mov v0, N\n"));
    for (const unsigned n : {surface::kProgramStart, surface::kProgramCount})
      bench_.surfaceWords(1)[n] = bench_.surfaceWords(0)[n];
  }
  void queue(std::uint32_t slot, std::uint32_t surface) {
    Registers r;
    r.vector(reg::uv) = {static_cast<float>(next_++), 0, 0};
    r.vector(reg::r0) = {1000 * static_cast<float>(surface + 1), 0, 0};
    expected_[slot] = r.vector(reg::uv).x + r.vector(reg::r0).x;
    bench_.fill(slot, surface, r);
    bench_.queue(slot);
  }
  /// All are over, of which so many ahead.
  void expectColours(std::uint64_t ahead) {
    const std::uint64_t before = bench_.core.runsAhead();
    const auto results = bench_.run();
    for (const auto& [slot, result] : results) {
      if (!expected_.contains(slot)) continue;
      EXPECT_EQ(result.vector.x, expected_[slot]) << slot;
    }
    EXPECT_EQ(bench_.core.runsAhead() - before, ahead);
    expected_.clear();
  }
  CoreBench bench_{configOf(true, 2)};
  std::map<std::uint32_t, float> expected_;
  std::uint32_t next_ = 1;
};

TEST_F(OneProgram, SurfacesHaveTheirOwnConstants) {
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, slot % 2);
  expectColours(20);
  // The next looks: one surface again, then the other alone.
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, 0);
  expectColours(20);
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, 1);
  expectColours(20);
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, slot / 10);
  expectColours(20);
}

/// Too few of a program, after a look that had many.
TEST_F(OneProgram, WhatALookDoesNotComputeIsNotTheLastOnes) {
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, 0);
  expectColours(20);
  for (std::uint32_t slot = 0; slot < 4; ++slot) queue(slot, 0);
  for (std::uint32_t slot = 4; slot < 16; ++slot) {
    Registers r;
    bench_.fill(slot, 2, r);
    bench_.queue(slot);
  }
  expectColours(12);
}

/// Runs that are set aside are computed on in every look.
TEST(RunAhead, RunsThatGoOnAreComputedAheadEachTime) {
  CoreBench bench(configOf(true, 2));
  bench.surface(0, assembled("trace r0, N, L\nadd r1, r0, uv\ntrace r2, N, L\nadd v0, r1, r2\n"));
  for (std::uint32_t slot = 0; slot < 20; ++slot) {
    Registers r;
    r.vector(reg::uv) = {static_cast<float>(slot), 0, 0};
    r.vector(reg::L) = {0, 1, 0};  // a ray that leaves
    bench.fill(slot, 0, r);
    bench.queue(slot);
  }
  for (unsigned part = 1; part <= 3; ++part) {
    const auto results = bench.run();
    ASSERT_EQ(results.size(), 20U);
    EXPECT_EQ(bench.core.runsAhead(), 20U * part);
    for (const auto& [slot, result] : results) {
      if (part == 3) {
        EXPECT_EQ(result.vector.x, static_cast<float>(slot + 1 + 2)) << slot;
        continue;
      }
      bench.slotWords(slot)[slot::kAnswer] = word(static_cast<float>(part));
      bench.queue(slot, request::kResume);
    }
  }
}

/// The host puts another run into a slot when the one that was set aside there has been looked at.
class SavedRun : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kLast = 15;  ///< of 20: looked at with the others, read last
  static constexpr std::size_t kSaved = CoreBench::kSlots + kLast * slot::kWords + slot::kSaved;
  /// Memory and time in the end. `place` becomes `value` when a run that goes on has been looked
  /// at: its request, its answer and its registers are read, after those of the slots before.
  static std::vector<std::uint32_t> end(bool ahead, std::size_t place, std::uint32_t value) {
    const std::string both =
        "trace r0, N, L\nrnd s2\nadd r1, r0, uv\ntrace r2, N, L\nrnd s3\nadd v0, r1, r2\n";
    CoreBench bench(configOf(ahead, 1));
    bench.surface(0, assembled(both + "lc y v0, s3\nlc z v0, s2\n"));
    for (std::uint32_t slot = 0; slot < 20; ++slot) {
      Registers r;
      r.vector(reg::uv) = {static_cast<float>(slot), 0, 0};
      r.vector(reg::L) = {0, 1, 0};
      bench.fill(slot, 0, r);
      bench.queue(slot);
    }
    WrittenMemory memory(bench.memory.words.size());
    memory.when = ~std::uint64_t{0};
    memory.words = bench.memory.words;
    Clock now = bench.core.run(bench.at, 20, memory, 0);
    bench.memory.words = memory.words;
    for (std::uint32_t slot = 0; slot < 20; ++slot) bench.queue(slot, request::kResume);
    memory.words = bench.memory.words;
    memory.when = memory.reads + 30;
    memory.place = place;
    memory.value = value;
    now = bench.core.run(bench.at, 40, memory, now);
    EXPECT_EQ(bench.core.fault(), Fault::None);
    memory.words[place] = 0;
    memory.words.push_back(static_cast<std::uint32_t>(now));
    return memory.words;
  }
};

TEST_F(SavedRun, GoesOnAsItStandsWhenItIsRead) {
  constexpr std::size_t kUv = kSaved + slot::kSavedRegisters - slot::kSaved + 3 * reg::uv;
  struct Change {
    std::size_t place;
    std::uint32_t value;
  };
  for (const Change change : {Change{kSaved, 3}, Change{kSaved + 1, 65534},
                              Change{kSaved + 2, 12345}, Change{kUv, word(77)}}) {
    SCOPED_TRACE(std::to_string(change.place) + " becomes " + std::to_string(change.value));
    const std::vector<std::uint32_t> plain = end(false, change.place, change.value);
    EXPECT_EQ(end(true, change.place, change.value), plain);
    EXPECT_NE(end(false, change.place + slot::kWords, 0), plain) << "nobody could tell";
  }
}

TEST_F(OneProgram, ALookSeesWhatASurfaceIsNow) {
  for (std::uint32_t slot = 0; slot < 40; ++slot) queue(slot, slot / 20);
  expectColours(40);
  for (std::uint32_t slot = 0; slot < 20; ++slot) queue(slot, 0);
  bench_.surfaceWords(0)[surface::kR] = word(5000);
  for (auto& [slot, colour] : expected_) colour += 4000;
  expectColours(20);
}

}  // namespace
}  // namespace rtvp::sl::unit::test
