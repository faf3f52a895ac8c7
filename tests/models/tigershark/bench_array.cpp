// Speed of the array engines on the real firmware and a real scene: simulated instructions per
// second of CPU time, all DSPs together, one host core. The walk of the database and the chain are
// reported apart; idle DSPs execute nothing and count for nothing.
//   walk_MIPS, chain_MIPS    engine alone, without SystemC
//   walk_by_scalar           walk_MIPS over the scalar engine's in this run
//   lanes_per_issue          DSPs that an instruction of the vector engine applies to, mean
//   outside                  inSystemC: share of the CPU time that is not the engine's: kernel,
//                            sockets, memory, time conversions; from the same batches on the
//                            engine alone
// Figures belong to the machine they were measured on; what CI watches is scripts/callgrind-gate.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>
#include <systemc>

#include "models/tigershark/lockstep_array.hpp"
#include "models/tigershark/simt_array.hpp"
#include "models/tigershark/sram.hpp"
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

/// Walk on the scalar engine, by lanes: it runs first.
std::map<int, double>& scalarMips() {
  static std::map<int, double> known;
  return known;
}

void runEngine(benchmark::State& state, const SceneBench::Make& make, bool scalar,
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
  const double mips = batches * work.traverse / walking * 1e-6;
  state.counters["walk_MIPS"] = mips;
  if (scalar) scalarMips()[lanes] = mips;
  if (scalarMips().contains(lanes)) state.counters["walk_by_scalar"] = mips / scalarMips()[lanes];
  state.counters["chain_MIPS"] = batches * work.chain / (whole - walking) * 1e-6;
  state.counters["walk_Minstr"] = work.traverse * 1e-6;
  state.counters["chain_Minstr"] = work.chain * 1e-6;
  state.counters["barriers"] = static_cast<double>(work.barriers);
  if (atEnd) atEnd();
}

void scalarArray(benchmark::State& state) {
  runEngine(state, tigershark::makeScalarArray, true);
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
      false,
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

/// Feeds a LockstepArray as the PLD does, batch after batch, and times it.
class Feeder : public sc_core::sc_module, public tigershark::ArrayListener {
 public:
  Feeder(const sc_core::sc_module_name& name, tigershark::LockstepArray& array,
         const tigershark::BoardClock& clock, const std::vector<ChainRay>& rays, int batches)
      : sc_module(name),
        host_isock("host_isock"),
        array_(array),
        clock_(clock),
        rays_(rays),
        batches_(batches) {
    SC_HAS_PROCESS(Feeder);
    array.listen(*this);
    SC_THREAD(run);
  }
  void chainOutput(std::uint32_t /*word*/, c32::Cycle arrival) override {
    ++words_;
    last_ = std::max(last_, arrival);
    if (words_ == expected_) done_.notify(sc_core::SC_ZERO_TIME);
  }
  [[nodiscard]] bool inputOver() const override { return false; }
  void holdGranted() override {}
  void arrayFailed(const tigershark::ArrayError& /*error*/) override {}

  tlm_utils::simple_initiator_socket<Feeder> host_isock;
  double seconds = 0;  ///< CPU time of all batches

 private:
  void send(const std::vector<std::uint32_t>& words, std::size_t answers) {
    words_ = 0;
    expected_ = answers;
    c32::Cycle at = std::max(array_.now(), last_) + 1000;
    for (const std::uint32_t word : words) array_.chainInput(word, at += 84);
    wait(done_);
    const sc_core::sc_time end = clock_.timeOf(last_ + 1000);
    if (end > sc_core::sc_time_stamp()) wait(end - sc_core::sc_time_stamp());
  }
  void run() {
    using namespace tigershark;  // NOLINT(google-build-using-namespace)
    array_.setReset(false);
    wait(1, sc_core::SC_MS);  // boot
    send({messageHeader(Message::Token, kAllNodes, 0), 0}, 2);
    const std::vector<std::uint32_t> words = tigershark::test::batchWords(rays_);
    const std::size_t answers = 1 + 3 * rays_.size();
    send(words, answers);  // warm
    const double from = cpuSeconds();
    for (int i = 0; i < batches_; ++i) send(words, answers);
    seconds = cpuSeconds() - from;
    sc_core::sc_stop();
  }

  tigershark::LockstepArray& array_;
  tigershark::BoardClock clock_;
  std::vector<ChainRay> rays_;
  int batches_;
  std::size_t words_ = 0;
  std::size_t expected_ = 0;
  c32::Cycle last_ = 0;
  sc_core::sc_event done_;
};

/// CPU seconds of `batches` batches inside SystemC.
double systemcSeconds(int lanes, const std::vector<ChainRay>& rays, int batches,
                      const tigershark::EngineChoice& choice) {
  const tigershark::BoardClock clock(30'000'000, 11'500'000);
  tigershark::LockstepArrayConfig config;
  config.array.lanes = lanes;
  config.sramWords = 512 * 1024;
  config.engine = choice;
  tigershark::Sram sram("sram", {.words = config.sramWords});
  tigershark::LockstepArray array("array", config, clock);
  Feeder feeder("feeder", array, clock, rays, batches);
  array.bus_isock.bind(sram.array_tsock);
  feeder.host_isock.bind(sram.host_tsock);
  std::vector<std::uint32_t> memory = tigershark::test::sceneMemory(bunny());
  tlm::tlm_generic_payload payload;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(4 * i);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&memory[i]));
    payload.set_data_length(4);
    feeder.host_isock->transport_dbg(payload);
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  sc_core::sc_start();
  return feeder.seconds;
}

/// `work` in a child process, because SystemC elaborates once per process. NaN if it failed.
double inChild(const std::function<double()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nan("");
  const pid_t child = fork();
  if (child == 0) {
    double result = std::nan("");
    try {
      result = work();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    const bool written = write(ends[1], &result, sizeof result) == sizeof result;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  double result = std::nan("");
  if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result) result = std::nan("");
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return result;
}

void inSystemC(benchmark::State& state, const tigershark::EngineChoice& choice) {
  if (choice.isa && !c32::simt::isaUsable(*choice.isa)) {
    state.SkipWithError("this host lacks the instruction set");
    return;
  }
  const int lanes = static_cast<int>(state.range(0));
  const int batches = std::max(1, 512 / lanes);
  const auto rays =
      tigershark::test::eyeRays(bunny(), kSide, kFirst, static_cast<std::size_t>(lanes));
  const Work work = measureWork(lanes, rays);
  SceneBench bench(bunny(), lanes, [&](const ArrayConfig& config, tigershark::ArrayBoard& board) {
    return tigershark::makeArray(config, board, choice);
  });
  bench.batch(rays);
  // The best of several turns each, one after the other: a busy machine slows both.
  double alone = std::numeric_limits<double>::infinity();
  double inside = alone;
  for (auto iteration : state) {
    (void)iteration;
    const double from = cpuSeconds();
    for (int i = 0; i < batches; ++i) bench.batch(rays);
    alone = std::min(alone, cpuSeconds() - from);
    inside =
        std::fmin(inside, inChild([&] { return systemcSeconds(lanes, rays, batches, choice); }));
  }
  if (!std::isfinite(inside)) {
    state.SkipWithError("the child process failed");
    return;
  }
  state.counters["MIPS"] = batches * (work.traverse + work.chain) / inside * 1e-6;
  state.counters["outside"] = 1 - alone / inside;
}

BENCHMARK(scalarArray)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, scalar, c32::simt::Isa::Scalar)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, sse42, c32::simt::Isa::Sse42)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, avx2, c32::simt::Isa::Avx2)->Apply(sizes);
BENCHMARK_CAPTURE(simtArray, avx512, c32::simt::Isa::Avx512)->Apply(sizes);
using Kind = tigershark::EngineChoice::Kind;
BENCHMARK_CAPTURE(inSystemC, scalar, {.kind = Kind::Scalar})->Apply(sizes)->Iterations(5);
BENCHMARK_CAPTURE(inSystemC, avx2, {.kind = Kind::Simt, .isa = c32::simt::Isa::Avx2})
    ->Apply(sizes)
    ->Iterations(5);
BENCHMARK_CAPTURE(inSystemC, avx512, {.kind = Kind::Simt, .isa = c32::simt::Isa::Avx512})
    ->Apply(sizes)
    ->Iterations(5);

}  // namespace

// SystemC's library has a main() of its own that calls this one.
int sc_main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
