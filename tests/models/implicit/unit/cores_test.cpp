// What the unit's time is worked out with by short cuts, beside the same the long way: sweeps that
// are known, lines that are known to be there, lanes side by side, regions that a warp reads once.
#include "models/implicit/unit/cores.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "models/implicit/unit/lanes.hpp"
#include "models/implicit/unit/words.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::unit::test {
namespace {

constexpr unsigned kSeed = 3107;

/// Answers everything with zeros, after some clocks.
class Zeros final : public Memory {
 public:
  bool read(std::uint64_t /*address*/, std::span<std::uint8_t> bytes, Clock /*at*/,
            Clock& latency) override {
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
    latency = 40;
    return true;
  }
  bool write(std::uint64_t /*address*/, std::span<const std::uint8_t> /*bytes*/, Clock /*at*/,
             Clock& latency) override {
    latency = 40;
    return true;
  }
  bool look(std::uint64_t /*address*/, std::span<std::uint8_t> /*bytes*/) override { return false; }
};

/// A core with its way to memory.
struct Alone {
  explicit Alone(const Timing& timing) : port(memory, timing.port_bytes), core(timing) {}
  void run(Warp warp) {
    core.take(std::move(warp));
    while (core.advance()) core.transfer(port);
  }
  Zeros memory;
  Port port;
  Core core;
};

void expectSame(const Alone& a, const Alone& b) {
  EXPECT_EQ(a.core.now(), b.core.now());
  EXPECT_EQ(a.core.counters(), b.core.counters());
  EXPECT_EQ(a.port.totals(), b.port.totals());
}

class Shortcuts : public testing::Test {
 protected:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }

  /// Caches that hold a sweep, and caches that do not.
  Timing timing() {
    Timing t;
    for (CacheConfig* const cache : {&t.opcodes, &t.constants, &t.leaves}) {
      cache->lines = below(6) == 0 ? 0 : 1U << below(6);
      cache->ways = cache->lines == 0 ? 1 : std::min(cache->lines, 1U << below(3));
      cache->line_bytes = 16U << below(2);
      cache->hit_cycles = below(3);
    }
    return t;
  }
  Region region(std::uint64_t first, std::size_t bytes) {
    Region r;
    r.base = r.first = first;
    r.bytes = bytes;
    r.copy.resize(bytes);
    return r;
  }
  std::mt19937 random_{kSeed};
};

/// A run of several evaluations beside as many runs of one, which skip nothing.
TEST_F(Shortcuts, RepeatedSweepsAreSweptOneByOne) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::uint64_t hits = 0, misses = 0;
  for (unsigned round = 0; round < 600; ++round) {
    const Timing t = timing();
    Alone whole(t), single(t);
    const std::array<Region, kCacheKinds> regions{region(0x1000, 512), region(0x3000, 512),
                                                  region(0x5000, 512)};
    std::vector<Plan> plans(3);
    for (Plan& plan : plans) {
      for (std::uint32_t n = 1 + below(12); n > 0; --n) {
        Slot slot;
        slot.cache = static_cast<CacheKind>(below(kCacheKinds));
        slot.region = &regions[static_cast<std::size_t>(slot.cache)];
        slot.bytes = below(5) == 0 ? 0 : 1 + below(40);
        slot.address = slot.region->first + below(512 - 40);
        slot.cycles = below(9);
        if (below(3) == 0) slot.again[below(kCacheKinds)] = below(4);
        plan.cycles += slot.cycles;
        plan.slots.push_back(slot);
      }
    }
    for (unsigned n = 0; n < 8; ++n) {
      Warp warp, apart;
      warp.start = apart.start = below(5);
      for (std::uint32_t run = 1 + below(3); run > 0; --run) {
        const unit::Run r{&plans[below(3)], below(7), below(3)};
        warp.runs.push_back(r);
        for (std::uint32_t k = 0; k < r.evaluations; ++k)
          apart.runs.push_back({r.plan, 1, r.extra});
      }
      whole.run(warp);
      single.run(apart);
      expectSame(whole, single);
      ASSERT_FALSE(HasFailure()) << "round " << round << ", warp " << n;
    }
    for (unsigned kind = 0; kind < kCacheKinds; ++kind) {
      hits += whole.core.counters().hits[kind];
      misses += whole.core.counters().misses[kind];
    }
  }
  EXPECT_GT(hits, 10000U);
  EXPECT_GT(misses, 10000U);
}

/// A plan for these caches, whose lines that are surely there are numbers, beside one that was made
/// for none and asks for each.
TEST_F(Shortcuts, LinesThatAreSurelyThereAreAskedFor) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::uint64_t again = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const std::vector<std::uint64_t> stream = registers::encode(
        registers::compile(implicit::test::assembled(implicit::test::randomTape(random_))));
    // As the words have it, whose constants need not be numbered as the compiled program's.
    const registers::Program program = registers::decode(stream);
    const Region words = region(0x10000 + 8 * below(16), 8 * stream.size());
    const Region materials = region(0x40000, 64 * 8);
    const Timing t = timing();
    Timing bare = t;
    for (CacheConfig* const cache : {&bare.opcodes, &bare.constants, &bare.leaves})
      cache->lines = 0;
    const Flavour flavour = round % 2 == 0 ? Flavour::Point : Flavour::Interval;
    const Plan plan = programPlan(program, words, &materials, t, flavour);
    const Plan each = programPlan(program, words, &materials, bare, flavour);
    Alone condensed(t), asked(t);
    for (unsigned n = 0; n < 3; ++n) {
      Warp warp;
      warp.runs.push_back({&plan, 1, 0});
      condensed.run(warp);
      warp.runs.front().plan = &each;
      asked.run(warp);
      expectSame(condensed, asked);
      ASSERT_FALSE(HasFailure()) << "round " << round;
    }
    for (const Slot& slot : plan.slots) again += slot.again[0] + slot.again[1] + slot.again[2];
  }
  EXPECT_GT(again, 1000U);
}

/// Objects whose codes and leaves lie anywhere.
class Lanes : public Shortcuts {
 protected:
  static constexpr std::uint32_t kCodes = 3, kLeaves = 700;

  Lanes() {
    for (unsigned n = 0; n < 2; ++n) {
      LoadedObject& object = *objects_.emplace_back(
          std::make_unique<LoadedObject>(ObjectRecord{}, LoadedCode{}, HullKey{}));
      render::Hull hull;
      for (std::uint32_t code = 0; code < kCodes; ++code) {
        const registers::Program program =
            registers::compile(implicit::test::assembled(implicit::test::kSelections));
        hull.codes.push_back(render::Code::compact(program));
        std::vector<std::uint8_t> bytes;
        for (const std::uint64_t word : registers::encode(program)) {
          bytes.resize(bytes.size() + 8);
          putWide(bytes.data(), static_cast<unsigned>(bytes.size() - 8), word);
        }
        object.storeProgram(code, 0x1000 * (3 * n + code + 1), bytes, Region{});
      }
      for (std::uint32_t leaf = 0; leaf < kLeaves; ++leaf) {
        render::Leaf& here = hull.leaves.emplace_back();
        here.number = leaf;
        here.code = 1 + leaf % 2;
        // Far more places than are remembered: many fall together.
        object.storeLeaf(leaf, 0x100000 * (n + 1) + 8 * leaf, std::vector<std::uint8_t>(8),
                         Region{});
        if (leaf % 3 == 0)
          object.storeSlope(leaf, 0x400000 * (n + 1) + 8 * leaf, std::vector<std::uint8_t>(8),
                            Region{});
      }
      object.setHull(std::move(hull));
    }
  }
  LoadedObject& object() { return *objects_[below(2)]; }
  std::vector<std::unique_ptr<LoadedObject>> objects_;
};

TEST_F(Lanes, WorkOfAWarpIsThatOfItsLanesOneByOne) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Timing timing;
  for (unsigned round = 0; round < 2000; ++round) {
    timing.lanes = 1 + below(32);
    std::vector<LaneWork> lanes;
    while (lanes.size() < timing.lanes && below(20) != 0) {
      const auto flavour = below(4) == 0 ? Flavour::Material : Flavour::Point;
      LaneWork work{&object(), below(kCodes), flavour, below(5)};
      for (std::uint32_t n = 1 + below(4); n > 0 && lanes.size() < timing.lanes; --n) {
        lanes.push_back(work);
        work.evaluations = below(6);
      }
    }
    Warp warp;
    warp.runs.push_back({nullptr, 9, 9});
    addRuns(warp, lanes, timing, 4);
    // By the plan, in the order of the first lane that has work.
    std::vector<unit::Run> runs{{nullptr, 9, 9}};
    std::uint64_t lost = 0;
    for (const LaneWork& lane : lanes) {
      if (lane.evaluations == 0) continue;
      const Plan* const plan = &lane.object->plan(lane.code, lane.flavour, timing);
      const auto same = [plan](const unit::Run& r) { return r.plan == plan; };
      auto at = std::find_if(runs.begin() + 1, runs.end(), same);
      if (at == runs.end()) at = runs.insert(at, {plan, 0, 4});
      at->evaluations = std::max(at->evaluations, lane.evaluations);
      lost -= lane.evaluations;
    }
    for (std::size_t n = 1; n < runs.size(); ++n) lost += runs[n].evaluations * timing.lanes;
    ASSERT_EQ(warp.runs.size(), runs.size()) << "round " << round;
    for (std::size_t n = 0; n < runs.size(); ++n) {
      ASSERT_EQ(warp.runs[n].plan, runs[n].plan) << "round " << round;
      ASSERT_EQ(warp.runs[n].evaluations, runs[n].evaluations) << "round " << round;
      ASSERT_EQ(warp.runs[n].extra, runs[n].extra);
    }
    ASSERT_EQ(warp.idle_lanes, lost) << "round " << round;
  }
}

TEST_F(Lanes, RegionsAreReadOnceByAddress) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  SetupReads reads;
  for (unsigned round = 0; round < 500; ++round) {
    std::set<std::uint64_t> wanted;
    for (std::uint32_t n = below(60); n > 0; --n) {
      const LoadedObject& of = object();
      // The same few leaves again and again, and others.
      const std::uint32_t leaf = below(2) == 0 ? round % kLeaves : below(kLeaves);
      const std::uint32_t code = below(3);
      reads.add(of, leaf, code);
      reads.addSlope(of, leaf);
      if (code == of.hull().leaves[leaf].code) wanted.insert(of.leafRegion(leaf)->first);
      if (const Region* const slope = of.slopeRegion(leaf)) wanted.insert(slope->first);
    }
    Warp warp;
    reads.moveInto(warp);
    std::vector<std::uint64_t> found;
    for (const Slot& slot : warp.setup) found.push_back(slot.address);
    ASSERT_EQ(found, std::vector<std::uint64_t>(wanted.begin(), wanted.end())) << "round " << round;
  }
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
