// Speed of the array engines on the real firmware and a real scene, without SystemC: simulated
// instructions per second of CPU time, all DSPs together, one host core. The walk of the database
// and the chain are reported apart; idle DSPs execute nothing and count for nothing.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/scene_bench.hpp"

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace)
using tigershark::ArrayConfig;
using tigershark::ArrayCounters;
using tigershark::test::ChainRay;
using tigershark::test::SceneBench;

constexpr int kSide = 256;
constexpr std::size_t kFirst = 33'000;  // a part of the picture that shows the object

double cpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

const scene::Scene& bunny() {
  static const scene::Scene scene = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/bunny.shk");
  return scene;
}

/// What a batch does, from one run on the scalar engine.
struct Work {
  std::uint64_t barriers = 0;
  double chain = 0;     ///< instructions before the first and after the last barrier
  double traverse = 0;  ///< instructions between
};

Work measureWork(int lanes, const std::vector<ChainRay>& rays) {
  static std::map<int, Work> known;
  const auto found = known.find(lanes);
  if (found != known.end()) return found->second;
  SceneBench bench(bunny(), lanes, tigershark::makeScalarArray);
  bench.batch(rays);
  const auto counters = [&] { return bench.engine().counters(0); };
  const ArrayCounters start = counters();
  bench.batch(rays);
  const ArrayCounters second = counters();
  Work work;
  work.barriers = second.barriers - start.barriers;
  bench.receive(rays);
  const ArrayCounters first = counters();
  bench.traverse(work.barriers);
  const ArrayCounters last = counters();
  work.traverse = static_cast<double>(last.instructions - first.instructions);
  work.chain = static_cast<double>(second.instructions - start.instructions) - work.traverse;
  return known[lanes] = work;
}

void runEngine(benchmark::State& state, const SceneBench::Make& make,
               const std::function<void()>& atEnd = {}) {
  const int lanes = static_cast<int>(state.range(0));
  const auto rays =
      tigershark::test::eyeRays(bunny(), kSide, kFirst, static_cast<std::size_t>(lanes));
  const Work work = measureWork(lanes, rays);
  SceneBench bench(bunny(), lanes, make);
  bench.batch(rays);
  double walking = 0;
  double whole = 0;
  double batches = 0;
  for (auto iteration : state) {
    (void)iteration;
    const double t0 = cpuSeconds();
    bench.receive(rays);
    const double t1 = cpuSeconds();
    bench.traverse(work.barriers);
    const double t2 = cpuSeconds();
    bench.finish();
    whole += cpuSeconds() - t0;
    walking += t2 - t1;
    ++batches;
  }
  state.counters["walk_MIPS"] = batches * work.traverse / walking * 1e-6;
  state.counters["chain_MIPS"] = batches * work.chain / (whole - walking) * 1e-6;
  state.counters["walk_Minstr"] = work.traverse * 1e-6;
  state.counters["chain_Minstr"] = work.chain * 1e-6;
  state.counters["barriers"] = static_cast<double>(work.barriers);
  if (atEnd) atEnd();
}

void scalarArray(benchmark::State& state) {
  runEngine(state, tigershark::makeScalarArray);
}

void simtArray(benchmark::State& state, c32::simt::Isa isa) {
  if (!c32::simt::isaUsable(isa)) {
    state.SkipWithError("this host lacks the instruction set");
    return;
  }
  tigershark::SimtArray* array = nullptr;
  runEngine(
      state,
      [&](const ArrayConfig& config, tigershark::ArrayBoard& board) {
        auto engine = std::make_unique<tigershark::SimtArray>(config, board, isa);
        array = engine.get();
        return engine;
      },
      [&] {
        const auto& c = array->machineCounters();
        state.counters["lanes_per_issue"] =
            static_cast<double>(c.instructions) /
            static_cast<double>(std::max<std::uint64_t>(1, c.issues));
        state.counters["taken"] = static_cast<double>(c.taken);
      });
}

void sizes(benchmark::internal::Benchmark* b) {
  b->Arg(4)->Arg(16)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);
}

BENCHMARK(scalarArray)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, scalar, c32::simt::Isa::Scalar)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, sse42, c32::simt::Isa::Sse42)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, avx2, c32::simt::Isa::Avx2)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, avx512, c32::simt::Isa::Avx512)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
