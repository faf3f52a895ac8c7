// Time: speed settings change nothing, timing parameters change clocks and nothing else, and all
// clocks have a cause. Each run is a process; its result comes back as a file.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "models/implicit/render/evaluation_watch.hpp"
#include "models/implicit/unit/cache.hpp"
#include "models/implicit/unit/lanes.hpp"
#include "tests/models/implicit/unit/unit_bench.hpp"

namespace rtvp::implicit::unit::test {
namespace {

/// cycles = busy + stalls + idle in each core.
void expectClocks(const common::StatGroup& group) {
  unsigned cores = 0;
  for (const common::StatGroup& sub : group.groups()) {
    std::uint64_t all = 0, parts = 0;
    for (const common::Figure& f : sub.figures()) {
      if (f.name == "cycles") all = std::get<std::uint64_t>(f.value);
      if (f.name.starts_with("cycles_")) parts += std::get<std::uint64_t>(f.value);
    }
    EXPECT_EQ(all, parts) << sub.name();
    cores += sub.name().starts_with("core") ? 1U : 0U;
  }
  EXPECT_GT(cores, 0U);
}

/// Each trace is under its number of evaluations; one that begins where the last one knew of
/// nothing ends without any.
void expectEveryTraceUnderItsSteps(const common::StatGroup& group) {
  std::uint64_t traces = 0, under = 0;
  for (const common::Figure& f : group.figures())
    if (f.name == "traces") traces = std::get<std::uint64_t>(f.value);
  for (const common::StatGroup& sub : group.groups()) {
    if (sub.name() != "steps") continue;
    for (const common::Figure& f : sub.figures()) under += std::get<std::uint64_t>(f.value);
  }
  EXPECT_GT(traces, 0U);
  EXPECT_EQ(under, traces);
}

/// What a run leaves behind: memory that jobs have written, times of interrupts, statistics.
struct Outcome {
  std::string memory, times, statistics, counters;
};

void scenario(Bench& bench, const render::Settings& settings, std::ostream& times) {
  Scene scene = defaultScene();
  scene.tapes.push_back(
      bounded(implicit::test::kSmoothBlend, {{-1.2F, -1.2F, -1.2F}, {1.4F, 1.2F, 1.4F}}));
  scene.instances.push_back(
      {object::kTape, 1, 3, 1, {1, 0, 0, -0.8F, 0, 1, 0, 0.4F, 0, 0, 1, 0.9F}});
  bench.load(scene);
  bench.settings(settings);
  bench.write("INTERRUPT_ENABLE", interrupt::kDone);
  for (unsigned n = 0; n < 1024; ++n)
    bench.putF(at::kDepth + 4ULL * n, n % 7 == 0 ? 3.3F : render::kNoDepth);
  const auto finish = [&] {
    bench.ring();
    sc_core::wait(bench.irq.posedge_event());
    times << sc_core::sc_time_stamp() << '\n';
    bench.write("INTERRUPT", interrupt::kDone);
    sc_core::wait(sc_time(1, sc_core::SC_US));
  };
  bench.hullJob(2);
  finish();
  const render::Camera camera =
      render::Camera::lookAt({2.4, 2.2, 3.1}, {0, 0.6, 0}, {0, 1, 0}, 50, 32, 32);
  bench.frameJob(2, camera, {0, 0, 32, 32}, 32);
  finish();
  times << digest({bench.bytes(at::kHits), 1024 * hit::kMaterialBytes}) << '\n';
  std::vector<render::WorldRay> rays;
  for (unsigned n = 0; n < 100; ++n) {
    render::WorldRay ray;
    ray.origin = {0.02 * n - 1, 1.1, 3};
    ray.direction = {0, -0.1, -1};
    ray.any = n % 2 == 0;
    rays.push_back(ray);
  }
  bench.raysJob(2, rays);
  finish();
}

/// `watch`: who sees the evaluations of f from within, or null.
Outcome runOf(const BenchConfig& config, const render::Settings& settings,
              render::EvaluationWatch* watch = nullptr) {
  const std::string path =  // one of its own: tests run side by side
      testing::TempDir() + "implicit_unit_timing_" + std::to_string(getpid()) + ".txt";
  onBench(
      [&](Bench& bench) {
        std::ofstream out(path);
        std::stringstream times;
        bench.unit.setWatch(watch);
        scenario(bench, settings, times);
        bench.unit.finish();
        common::StatGroup group;
        bench.unit.report(group);
        expectClocks(group);
        expectEveryTraceUnderItsSteps(group);
        std::string text = times.str(), lines;
        std::stringstream statistics;
        dump(group, "", statistics);
        // The second line of digits is the frame's records.
        out << digest({bench.bytes(at::kLeaves), at::kRays - at::kLeaves}) << ' '
            << digest({bench.bytes(at::kHits), at::kMemorySize - at::kHits}) << '\n'
            << text << "--\n"
            << statistics.str();
      },
      config);
  Outcome run;
  std::ifstream in(path);
  std::getline(in, run.memory);
  for (std::string line; std::getline(in, line) && line != "--";) {
    // Digests of memory have no unit behind them.
    (line.find(' ') == std::string::npos ? run.memory : run.times) += line + '\n';
  }
  for (std::string line; std::getline(in, line);) {
    run.statistics += line + '\n';
    const bool clocked =
        line.find("cycles") != std::string::npos || line.find("cache") != std::string::npos ||
        line.find("hits ") != std::string::npos || line.find("misses") != std::string::npos ||
        line.find("bytes_") == 0 || line.find("warps") != std::string::npos ||
        line.find("lanes") == 0 || line.find("transfers") == 0 || line.find("core") == 0;
    if (!clocked || line.find("depth") != std::string::npos) run.counters += line + '\n';
  }
  std::remove(path.c_str());
  return run;
}

std::vector<render::Settings> someSettings() {
  render::Settings masks = render::Settings::improved();
  masks.compact = false;
  return {render::Settings::improved(), masks, render::Settings::seedReport()};
}

void expectSame(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.memory, b.memory);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.statistics, b.statistics);
  EXPECT_NE(a.times, "");
}

TEST(ImplicitUnitTiming, SpeedSettingsChangeNothing) {
  for (const render::Settings& settings : someSettings()) {
    const Outcome plain = runOf({}, settings);
    expectSame(plain, runOf({}, settings));  // the same twice
    BenchConfig config;
    config.unit.dmi = false;
    expectSame(plain, runOf(config, settings));
    config = {};
    config.memory_dmi = false;
    expectSame(plain, runOf(config, settings));
    for (const double us : {0.0, 0.05, 1e6}) {
      config = {};
      config.unit.quantum = sc_time(us, sc_core::SC_US);
      expectSame(plain, runOf(config, settings));
    }
  }
}

/// Wants to see nothing of an evaluation. `apart`: but each by itself.
class Bystander final : public render::EvaluationWatch {
 public:
  explicit Bystander(bool apart) : apart_(apart) {}
  RunWatch* begins(const render::Evaluation& /*evaluation*/) override { return nullptr; }
  bool apart(const render::Evaluation& /*evaluation*/, std::uint64_t /*most*/) override {
    return apart_;
  }
  void passed(const render::Evaluation& /*evaluation*/, std::uint64_t /*count*/) override {}
  void cell(const render::CellEvent& /*event*/) override {}
  void trace(const render::TraceEvent& /*event*/) override {}

 private:
  bool apart_;
};

/// Fragments in waves, told many at once, and rays side by side beside their plain twins, which run
/// under a watch: a wave a face, a fragment and a ray at a time. Warps of one lane, of some and of
/// more than a face has.
TEST(ImplicitUnitTiming, WavesAndBatchesHaveTheClocksOfOneByOne) {
  for (render::Settings settings : someSettings()) {
    for (const std::uint32_t lanes : {1U, 5U, 32U}) {
      for (const bool carry : {false, true}) {
        settings.carry = carry;
        BenchConfig config;
        config.unit.timing.lanes = lanes;
        config.unit.timing.raster_rate = lanes == 5 ? 3 : 32;
        Bystander bystander(lanes == 5);
        SCOPED_TRACE(lanes);
        expectSame(runOf(config, settings, &bystander), runOf(config, settings));
      }
    }
  }
}

TEST(ImplicitUnitTiming, ParametersChangeClocksOnly) {
  std::mt19937 random(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (const render::Settings& settings : someSettings()) {
    const Outcome plain = runOf({}, settings);
    for (unsigned trial = 0; trial < 6; ++trial) {
      BenchConfig config;
      Timing& t = config.unit.timing;
      for (std::uint32_t& cycles : t.cycles) cycles = below(20);
      for (std::uint32_t& factor : t.interval) factor = below(5);
      for (std::uint32_t& factor : t.gradient) factor = below(5);
      t.decode = below(4);
      t.skipped = below(4);
      t.constant_advance = below(3);
      t.prune = below(3);
      t.warp_start = below(50);
      t.step = below(9);
      t.raster_rate = below(40);
      t.port_bytes = below(3) == 0 ? 0U : 1U << below(6);
      t.cores = 1 + below(9);
      t.lanes = 1 + below(32);
      const auto lines = [&] { return below(4) == 0 ? 0U : 1U << below(8); };
      t.opcodes = {lines(), 1, 16, below(4)};
      t.constants = {lines(), 1, 32, below(4)};
      t.leaves = {lines(), 1, 64, below(4)};
      const Outcome run = runOf(config, settings);
      EXPECT_EQ(run.memory, plain.memory) << trial;
      EXPECT_EQ(run.counters, plain.counters) << trial;
    }
  }
}

/// A slower part costs time, a larger cache and more cores save it.
TEST(ImplicitUnitTiming, ParametersCostWhatTheySay) {
  const render::Settings settings = render::Settings::improved();
  const auto end = [&](const std::function<void(Timing&)>& change) {
    BenchConfig config;
    change(config.unit.timing);
    const Outcome run = runOf(config, settings);
    // The line of the last interrupt, in nanoseconds.
    std::stringstream lines(run.times);
    std::string line, last;
    while (std::getline(lines, line)) last = line;
    double time = 0;
    std::string unit;
    std::stringstream(last) >> time >> unit;
    return unit == "us" ? time * 1000 : time;
  };
  const double plain = end([](Timing&) {});
  EXPECT_GT(end([](Timing& t) { t.cycles.fill(30); }), plain);
  EXPECT_GT(end([](Timing& t) { t.gradient.fill(100); }), plain);
  EXPECT_GT(end([](Timing& t) { t.leaves.lines = 0; }), plain);
  EXPECT_GT(end([](Timing& t) { t.constants.lines = 0; }), plain);
  EXPECT_GT(end([](Timing& t) { t.cores = 1; }), 1.5 * plain);
  EXPECT_LT(end([](Timing& t) { t.cores = 16; }), plain);
}

/// Pruning is work on intervals: hulls take longer for it, points do not.
TEST(ImplicitUnitTiming, PruningCostsHullsAlone) {
  const auto times = [](std::uint32_t prune) {
    BenchConfig config;
    config.unit.timing.prune = prune;
    std::stringstream lines(runOf(config, render::Settings::improved()).times);
    std::vector<double> at;
    for (std::string line; std::getline(lines, line);) {
      std::stringstream text(line);
      double time = 0;
      std::string unit;
      text >> time >> unit;
      at.push_back(time * (unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1));
    }
    return at;
  };
  const std::vector<double> cheap = times(0), dear = times(9);
  ASSERT_EQ(cheap.size(), 3U);  // hull, frame, rays
  ASSERT_EQ(dear.size(), 3U);
  EXPECT_GT(dear[0], cheap[0]);
  EXPECT_NEAR(dear[1] - dear[0], cheap[1] - cheap[0], 1);
  EXPECT_NEAR(dear[2] - dear[1], cheap[2] - cheap[1], 1);
}

TEST(ImplicitUnitTiming, RefusedConfigurations) {
  const auto refused = [](const std::function<void(Timing&)>& change) {
    Timing timing;
    change(timing);
    EXPECT_THROW(timing.check(), std::invalid_argument);
  };
  Timing().check();
  refused([](Timing& t) { t.cores = 0; });
  refused([](Timing& t) { t.gradient[0] = 1001; });
  refused([](Timing& t) { t.cores = 65; });
  refused([](Timing& t) { t.lanes = 0; });
  refused([](Timing& t) { t.lanes = 33; });
  refused([](Timing& t) { t.leaves.lines = 3; });
  refused([](Timing& t) { t.leaves.ways = 0; });
  refused([](Timing& t) { t.leaves.ways = 128; });
  refused([](Timing& t) { t.opcodes.line_bytes = 8; });
  refused([](Timing& t) { t.step = 2'000'000; });
  refused([](Timing& t) { t.cycles[0] = 2'000'000; });
}

TEST(ImplicitUnitTiming, CacheReplacesTheLeastRecentlyUsed) {
  Cache cache({4, 2, 16, 0});  // two sets
  EXPECT_FALSE(cache.access(0));
  EXPECT_FALSE(cache.access(2));
  EXPECT_TRUE(cache.access(0));
  EXPECT_FALSE(cache.access(4));  // drops 2
  EXPECT_TRUE(cache.access(0));
  EXPECT_FALSE(cache.access(2));
  EXPECT_FALSE(cache.access(1));  // the other set
  EXPECT_TRUE(cache.access(1));
  cache.clear();
  EXPECT_FALSE(cache.access(1));
  Cache none({0, 4, 16, 0});
  EXPECT_FALSE(none.access(1));
  EXPECT_FALSE(none.access(1));
}

/// Costs of some opcodes by hand, with the defaults.
TEST(ImplicitUnitTiming, CostsOfInstructions) {
  const Timing timing;
  const auto point = [&](const char* name) {
    return timing.pointCost(microOf(*findOpcode(std::string_view(name))));
  };
  EXPECT_EQ(point("OPAddFloatFloat"), 1U);
  EXPECT_EQ(point("OPAddVec4Float"), 4U);
  EXPECT_EQ(point("OPFMAVec3"), 3U);
  EXPECT_EQ(point("OPDivVec2Vec2"), 12U);
  EXPECT_EQ(point("OPLengthVec3"), 9U);  // mul, 2 fma, root
  EXPECT_EQ(point("OPSDFSphere"), 10U);
  EXPECT_EQ(point("OPNop"), 0U);
  EXPECT_EQ(point("OPMulMat3Vec3"), 9U);
  EXPECT_EQ(timing.intervalCost(microOf(*findOpcode(std::string_view("OPMulFloatFloat")))), 4U);
}

TEST(ImplicitUnitTiming, PixelRangesAreThoseOfSortedPixels) {
  constexpr unsigned kSeed = 91;
  std::mt19937 twister(kSeed);
  const auto random = [&] { return static_cast<std::uint32_t>(twister()); };
  std::size_t joined = 0;
  for (unsigned round = 0; round < 500; ++round) {
    const std::uint32_t width = 1 + random() % 40;
    PixelRanges ranges(width);
    for (unsigned part = 0; part < 2; ++part) {
      std::vector<std::uint32_t> pixels;
      // Runs as faces draw them, some over each other, some beyond the end of a row.
      for (unsigned run = 0; run < random() % 30; ++run) {
        std::uint32_t at = random() % (width * 20);
        for (unsigned n = 0; n <= random() % 12; ++n) pixels.push_back(at++);
      }
      for (const std::uint32_t pixel : pixels) ranges.add(pixel);
      ASSERT_EQ(ranges.empty(), pixels.empty());
      const std::size_t count = pixels.size();
      const std::vector<PixelRange> want = rangesOf(pixels, width);
      const std::span<const PixelRange> found = ranges.take();
      ASSERT_TRUE(std::equal(found.begin(), found.end(), want.begin(), want.end()))
          << "seed " << kSeed << ", round " << round;
      joined += count - want.size();
    }
  }
  EXPECT_GT(joined, 10000U);
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
