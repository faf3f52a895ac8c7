// Whole runs of the platform, as a user starts them: host seconds, simulated MIPS, simulated
// seconds, and the real-time factor: simulated time over the processor time of the run, start to
// picture, one thread. A benchmark, not a test: figures belong to the machine they were measured
// on.
//   bench_platform [--benchmark_filter=...]
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace {

namespace fs = std::filesystem;

struct Run {
  const char* scene;
  std::string options;
  bool lights = true;  ///< without: eye rays alone
};

/// Processor time of the programs run so far.
double childSeconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A copy of a .shk or .nff scene without its lights.
void copyWithoutLights(const fs::path& from, const fs::path& to) {
  std::ifstream in(from);
  std::ofstream out(to);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("li", 0) != 0 && line.rfind("l ", 0) != 0) out << line << '\n';
  }
}

boost::json::value statistics(const fs::path& file) {
  std::ifstream in(file);
  return boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

// Renders once per iteration; the time is the program's own wall time, start to picture.
void renders(benchmark::State& state, const Run& run) {
  const fs::path folder = fs::temp_directory_path() / ("rtvp_bench_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path stats = folder / "stats.json";
  fs::path scene = fs::path(RTVP_SOURCE_DIR) / "scenes" / run.scene;
  if (!run.lights) {
    const fs::path dark = folder / scene.filename();
    copyWithoutLights(scene, dark);
    scene = dark;
  }
  const std::string command = std::string(RTVP_BIN_DIR) + "/platform " + scene.string() + " " +
                              run.options + " -q -o " + (folder / "a.png").string() + " --stats " +
                              stats.string();
  for (auto _ : state) {
    const double before = childSeconds();
    // The command is built from constants of this file and the build's own paths.
    if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
      state.SkipWithError("the platform failed");
      break;
    }
    const boost::json::value s = statistics(stats);
    const auto& host = s.at("host").as_object();
    state.SetIterationTime(host.at("wall_s").to_number<double>());
    state.counters["MIPS"] = host.at("simulated_mips").to_number<double>();
    const double simulated = s.at("simulated_time_ps").to_number<double>() * 1e-12;
    state.counters["real_time"] = simulated / (childSeconds() - before);
    state.counters["simulated_ms"] = simulated * 1e3;
    state.counters["rays"] = s.at("picture").at("rays").to_number<double>();
  }
  fs::remove_all(folder);
}

/// Processor time of a process that has ended and is not yet waited for: its own, and of the
/// programs that it ran. Milliseconds.
std::pair<double, double> usedBy(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream rest(text.substr(text.rfind(')') + 2));  // the name may have spaces
  double own = 0, children = 0;
  constexpr int kFirst = 3, kOwn = 14, kChildren = 16, kEnd = 18;  // fields, proc(5)
  const double tick = 1000.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::string word;
  for (int field = kFirst; field < kEnd && rest >> word; ++field) {
    if (field >= kOwn) (field < kChildren ? own : children) += std::stod(word) * tick;
  }
  return {own, children};
}

// What a sweep itself costs for each point, beside the shortest runs that there are: starting them,
// reading, storing, the table and the page.
void sweeps(benchmark::State& state) {
  const auto points = static_cast<double>(state.range(0));
  const fs::path folder = fs::temp_directory_path() / ("rtvp_bench_" + std::to_string(getpid()));
  const std::string scene = std::string(RTVP_SOURCE_DIR) + "/scenes/cornell.shk";
  const std::string values = "run.limit_ms=1.." + std::to_string(state.range(0));
  for (auto _ : state) {
    fs::remove_all(folder);
    const pid_t child = fork();
    if (child == 0) {
      if (freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
      execl(RTVP_BIN_DIR "/platform", "platform", "sweep", scene.c_str(), "--engine", "reference",
            "--size", "1x1", "--depth", "1", "--set", values.c_str(), "-q", "-j2", "-o",
            folder.c_str(), nullptr);
      _exit(127);
    }
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    const auto [own, children] = usedBy(child);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      state.SkipWithError("the sweep failed");
      break;
    }
    state.SetIterationTime(own / 1000);
    state.counters["own_ms_a_point"] = own / points;
    state.counters["run_ms_a_point"] = children / points;
  }
  fs::remove_all(folder);
}
BENCHMARK(sweeps)->Arg(500)->Arg(5000)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);

constexpr auto kSecond = benchmark::kSecond;

// The main job's bound: bunny 128x128 with shadows on 16 DSPs under 30 s on two shared cores.
BENCHMARK_CAPTURE(renders, bunny_128_16_dsps, Run{"bunny.shk", "--dsps 16"})
    ->UseManualTime()
    ->Unit(kSecond)
    ->Iterations(3);
/// Does the simulator outrun the board? Every size of it, a small job and a larger one. `before`:
/// the chain without host code (array.chain=summaries), in the same run. scripts/real-time makes
/// docs/performance.md's table of it.
const bool kRealTime = [] {
  for (const char* scene : {"bunny", "spd_teapot_3"}) {
    for (const bool large : {false, true}) {
      for (const int dsps : {4, 16, 64, 256, 512}) {
        const std::string name = std::string("real_time/") + scene +
                                 (large ? "_256_shadows/" : "_128_eye/") + std::to_string(dsps);
        const std::string file = scene + std::string(scene[0] == 's' ? ".nff" : ".shk");
        const std::string options = std::string(large ? "--size 256x256" : "--size 128x128") +
                                    " --depth 1 --dsps " + std::to_string(dsps);
        const std::pair<const char*, const char*> kinds[] = {
            {"", ""},
            {"/avx2", " --set array.isa=avx2"},
            {"/before", " --set array.chain=summaries"}};
        for (const auto& [kind, setting] : kinds) {
          benchmark::RegisterBenchmark((name + kind).c_str(),
                                       [=, more = std::string(setting)](benchmark::State& state) {
                                         renders(state, {file.c_str(), options + more, large});
                                       })
              ->UseManualTime()
              ->Unit(kSecond)
              ->Iterations(1);
        }
      }
    }
  }
  return true;
}();

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
