// Rays of a list that are traced ahead of their turn, on another thread: memory, times, counters
// and faults are those of a unit that traces each part when it is its turn. Each run is a process;
// its result comes back as a file.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/models/implicit/unit/unit_bench.hpp"

namespace rtvp::implicit::unit::test {
namespace {

constexpr std::uint32_t kSeed = 20261129;
constexpr unsigned kRays = 500;

/// Some of them miss, some want any hit, some end early.
std::vector<render::WorldRay> someRays() {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<render::WorldRay> rays(kRays);
  for (unsigned n = 0; n < kRays; ++n) {
    render::WorldRay& ray = rays[n];
    ray.origin = {3 * unit(random), 3 * unit(random), 3 * unit(random)};
    const render::Vec target{1.4 * unit(random), 0.6 + unit(random), 1.4 * unit(random)};
    ray.direction = render::unit(render::sub(target, ray.origin));
    ray.any = n % 3 == 0;
    if (n % 5 == 0) ray.tmax = 2.5F;
  }
  return rays;
}

Scene twoObjects() {
  Scene scene = defaultScene();
  scene.tapes.push_back(
      bounded(implicit::test::kSmoothBlend, {{-1.2F, -1.2F, -1.2F}, {1.4F, 1.2F, 1.4F}}));
  scene.instances.push_back(
      {object::kTape, 1, 3, 0, {0.6F, 0, 0.2F, -0.8F, 0, 0.5F, 0, 0.4F, -0.2F, 0, 0.7F, 0.9F}});
  return scene;
}

BenchConfig configOf(unsigned threads, std::uint32_t rays) {
  BenchConfig config;
  config.unit.report_faults = false;
  config.unit.ahead.rays = rays;
  if (threads != 0) config.unit.ahead.pool = std::make_shared<common::WorkPool>(threads);
  return config;
}

/// Two lists, the first after `change`; all that is left behind. `state`: of the first.
std::string runOf(const BenchConfig& config, std::uint32_t state,
                  const std::function<void(Bench&, std::uint64_t job)>& change) {
  const std::string path =  // one of its own: tests run side by side
      testing::TempDir() + "implicit_unit_ahead_" + std::to_string(getpid()) + ".txt";
  onBench(
      [&](Bench& bench) {
        std::ofstream out(path);
        bench.load(twoObjects());
        bench.hullJob(2);
        ASSERT_EQ(bench.run(), job::kDone);
        const std::uint64_t job = bench.raysJob(2, someRays());
        change(bench, job);
        EXPECT_EQ(bench.run(), state);
        out << digest({bench.bytes(0), at::kMemorySize}) << '\n' << sc_core::sc_time_stamp();
        out << '\n' << bench.word(job + job::kFaultPosition) << '\n';
        bench.unit.finish();
        common::StatGroup group;
        bench.unit.report(group);
        dump(group, "", out);
      },
      config);
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::remove(path.c_str());
  return text;
}

std::uint32_t faulted(Fault fault) {
  return job::kFaulted | static_cast<std::uint32_t>(fault) << 8U;
}

/// `change` makes the list end with `state`, alike however it is traced.
void expectAlike(std::uint32_t state, const std::function<void(Bench&, std::uint64_t)>& change) {
  const std::string alone = runOf(configOf(0, 4096), state, change);
  EXPECT_NE(alone, "");
  EXPECT_EQ(runOf(configOf(0, 64), state, change), alone);
  EXPECT_EQ(runOf(configOf(2, 64), state, change), alone);
}

TEST(ImplicitUnitAhead, ListsAreWhatTheyAreOnOneThread) {
  const auto nothing = [](Bench&, std::uint64_t) {};
  expectAlike(job::kDone, nothing);
  const std::string alone = runOf(configOf(1, 64), job::kDone, nothing);
  for (const std::uint32_t rays : {1U, 192U, 4096U}) {
    EXPECT_EQ(runOf(configOf(2, rays), job::kDone, nothing), alone) << rays << " rays at once";
  }
}

TEST(ImplicitUnitAhead, RaysThatCannotBeEndTheListWhereTheyAre) {
  for (const unsigned ray : {0U, 63U, 64U, kRays - 1}) {
    SCOPED_TRACE(ray);
    expectAlike(faulted(Fault::Descriptor), [&](Bench& bench, std::uint64_t) {
      bench.putF(at::kRays + ray * ray::kBytes + ray::kTmax, 0);
    });
  }
}

/// Records from the 300th ray on have no place: what was traced ahead of the fault is not counted.
TEST(ImplicitUnitAhead, ListsThatFaultHaveCountedWhatWasHandedOut) {
  expectAlike(faulted(Fault::Bus), [](Bench& bench, std::uint64_t job) {
    putWide(bench.bytes(job), job::kHits, kMemory + at::kMemorySize - 300ULL * hit::kMaterialBytes);
  });
}

/// The list goes on behind the end of memory: the rays in front of it are traced and told.
TEST(ImplicitUnitAhead, ListsThatLeaveMemoryFaultThere) {
  expectAlike(faulted(Fault::Bus), [](Bench& bench, std::uint64_t job) {
    const std::uint64_t list = at::kMemorySize - 320ULL * ray::kBytes;
    std::copy_n(bench.bytes(at::kRays), 320 * ray::kBytes, bench.bytes(list));
    putWide(bench.bytes(job), job::kRayList, kMemory + list);
  });
}

/// A warp's records fall on the rays of the next one, which are not looked at before.
TEST(ImplicitUnitAhead, RecordsOverRaysToComeAreRead) {
  expectAlike(faulted(Fault::Descriptor), [](Bench& bench, std::uint64_t job) {
    putWide(bench.bytes(job), job::kHits, kMemory + at::kRays + 32ULL * ray::kBytes);
  });
}

/// The host writes rays that are looked at, or not yet, while those before are under way.
TEST(ImplicitUnitAhead, RaysThatChangeMeanwhileAreFoundAlike) {
  for (const double us : {1.0, 4.0, 10.0}) {
    SCOPED_TRACE(us);
    const auto outcome = [us](unsigned threads) {
      BenchConfig config = configOf(threads, 64);
      config.unit.quantum = sc_core::SC_ZERO_TIME;
      return runOf(config, job::kDone, [us](Bench& bench, std::uint64_t) {
        bench.ring();
        sc_core::wait(sc_time(us, sc_core::SC_US));
        EXPECT_NE(bench.read("STATUS") & status::kBusy, 0U);
        for (unsigned n = 0; n < kRays; ++n) {
          bench.putF(at::kRays + n * ray::kBytes + ray::kTmax, 1.5F);
        }
        bench.waitIdle();
        bench.raysJob(2, someRays());
      });
    };
    EXPECT_EQ(outcome(2), outcome(0));
  }
}

/// The next part is under way when the unit is reset, at any time; then the list is run again.
TEST(ImplicitUnitAhead, ResetsLeaveNothingUnderWay) {
  for (const double us : {2.0, 9.0, 14.0}) {
    SCOPED_TRACE(us);
    const auto resetThere = [us](Bench& bench, std::uint64_t) {
      bench.ring();
      sc_core::wait(sc_time(us, sc_core::SC_US));
      EXPECT_NE(bench.read("STATUS") & status::kBusy, 0U);
      bench.write("CONTROL", control::kReset);
      bench.queued = 0;
      bench.load(twoObjects());
      bench.hullJob(2);
      ASSERT_EQ(bench.run(), job::kDone);
      bench.raysJob(2, someRays());
    };
    const std::string alone = runOf(configOf(0, 64), job::kDone, resetThere);
    EXPECT_EQ(runOf(configOf(2, 64), job::kDone, resetThere), alone);
  }
}

TEST(ImplicitUnitAhead, MemoryWithoutAPointerIsLookedAtAllTheSame) {
  BenchConfig with = configOf(2, 64), without = configOf(0, 64);
  with.memory_dmi = without.memory_dmi = false;
  const auto nothing = [](Bench&, std::uint64_t) {};
  EXPECT_EQ(runOf(with, job::kDone, nothing), runOf(without, job::kDone, nothing));
}

}  // namespace
}  // namespace rtvp::implicit::unit::test
