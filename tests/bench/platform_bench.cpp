// Whole runs of the platform, as a user starts them: host seconds, simulated MIPS, simulated
// seconds. A benchmark, not a test: figures belong to the machine they were measured on.
//   bench_platform [--benchmark_filter=...]
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Run {
  const char* scene;
  const char* options;
};

boost::json::value statistics(const fs::path& file) {
  std::ifstream in(file);
  return boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

// Renders once per iteration; the time is the program's own wall time, start to picture.
void renders(benchmark::State& state, const Run& run) {
  const fs::path folder = fs::temp_directory_path() / ("rtvp_bench_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path stats = folder / "stats.json";
  const std::string command = std::string(RTVP_BIN_DIR) + "/platform " + RTVP_SOURCE_DIR +
                              "/scenes/" + run.scene + " " + run.options + " -q -o " +
                              (folder / "a.png").string() + " --stats " + stats.string();
  for (auto _ : state) {
    // The command is built from constants of this file and the build's own paths.
    if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
      state.SkipWithError("the platform failed");
      break;
    }
    const boost::json::value s = statistics(stats);
    const auto& host = s.at("host").as_object();
    state.SetIterationTime(host.at("wall_s").to_number<double>());
    state.counters["MIPS"] = host.at("simulated_mips").to_number<double>();
    state.counters["simulated_ms"] = s.at("simulated_time_ps").to_number<double>() * 1e-9;
    state.counters["rays"] = s.at("picture").at("rays").to_number<double>();
  }
  fs::remove_all(folder);
}

constexpr auto kSecond = benchmark::kSecond;

// The main job's bound: bunny 128x128 with shadows on 16 DSPs under 30 s on two shared cores.
BENCHMARK_CAPTURE(renders, bunny_128_16_dsps, Run{"bunny.shk", "--dsps 16"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(3);
BENCHMARK_CAPTURE(renders, bunny_128_4_dsps, Run{"bunny.shk", "--dsps 4"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(renders, bunny_128_64_dsps, Run{"bunny.shk", "--dsps 64"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(renders, bunny_128_512_dsps, Run{"bunny.shk", "--dsps 512"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(renders, cornell_128_16_dsps, Run{"cornell.shk", "--dsps 16"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(3);
BENCHMARK_CAPTURE(renders, bunny_128_paged,
                  Run{"bunny.shk", "--dsps 16 --set tigershark.sram_words=16384"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
