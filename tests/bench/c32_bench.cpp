// The five programs of docs/reference/performance.md, section 10, written anew (c32/*.asm), on one
// processor as c32-run has it: every timing, internal RAM, memory outside without and with wait
// states, flat; translated and one instruction after the other. MIPS by processor time.
//
//   bench_c32_programs --benchmark_filter=sort
//   bench_c32_programs --steps 10000000 sort pipeline internal translated    (once, for callgrind)
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/debug/machine.hpp"

namespace {

using namespace rtvp::c32;  // NOLINT(google-build-using-namespace): a program about this namespace

constexpr std::array kPrograms{"triangle", "integer", "fir_circular", "fir_linear", "sort"};
constexpr std::array kTimings{"static", "interlock", "pipeline"};
constexpr std::array kMemories{"internal", "external", "waits", "flat"};
constexpr std::array kEngines{"plain", "translated"};

Image imageOf(const std::string& program, bool internal) {
  const std::string path = std::string(RTVP_SOURCE_DIR) + "/tests/bench/c32/" + program + ".asm";
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  AssemblerOptions options;
  options.defines = {{"CODE", internal ? 0x87FE00 : 0x1000},
                     {"DATA", internal ? 0x87FF00 : 0x2000}};
  const AssemblyResult result = assemble(path, text.str(), options);
  if (!result.image) {
    std::cerr << result.report();
    std::exit(1);
  }
  return *result.image;
}

struct Case {
  std::size_t program = 0, timing = 0, memory = 0, engine = 0;

  [[nodiscard]] std::unique_ptr<Machine> machine() const {
    CpuConfig config;
    config.timing = static_cast<Timing>(timing);
    config.flatMemory = memory == 3;
    MachineOptions options;
    options.translate = engine == 1;
    options.wait = memory == 2 ? 2 : 0;
    auto made = std::make_unique<Machine>(config, options);
    made->load(imageOf(kPrograms[program], memory == 0 || memory == 3));
    return made;
  }
  [[nodiscard]] std::string name() const {
    return std::string(kPrograms[program]) + "/" + kTimings[timing] + "/" + kMemories[memory] +
           "/" + kEngines[engine];
  }
};

void run(benchmark::State& state, const Case& what) {
  const std::unique_ptr<Machine> machine = what.machine();
  Cpu& cpu = machine->cpu();
  cpu.run(cpu.cycle() + 100'000);  // translated by now
  const std::uint64_t before = cpu.statistics().instructions;
  for (auto iteration : state) {
    (void)iteration;
    cpu.run(cpu.cycle() + 1'000'000);
  }
  if (cpu.fault().kind != Fault::Kind::None) state.SkipWithError(cpu.fault().text.c_str());
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(cpu.statistics().instructions - before) * 1e-6,
                         benchmark::Counter::kIsRate);
}

template <class Names>
std::optional<std::size_t> find(const Names& names, const std::string& name) {
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (names[n] == name) return n;
  }
  return std::nullopt;
}

/// `--steps N PROGRAM TIMING MEMORY ENGINE`
int once(int argc, char** argv) {
  if (argc == 7) {
    const auto program = find(kPrograms, argv[3]);
    const auto timing = find(kTimings, argv[4]);
    const auto memory = find(kMemories, argv[5]);
    const auto engine = find(kEngines, argv[6]);
    if (program && timing && memory && engine) {
      const auto machine = Case{*program, *timing, *memory, *engine}.machine();
      machine->cpu().run(kNever, std::strtoull(argv[2], nullptr, 10));
      return 0;
    }
  }
  std::cerr << "expected --steps N PROGRAM TIMING MEMORY ENGINE, as in the benchmarks' names\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--steps") return once(argc, argv);
  for (std::size_t p = 0; p < kPrograms.size(); ++p) {
    for (std::size_t m = 0; m < kMemories.size(); ++m) {
      for (std::size_t t = 0; t < kTimings.size(); ++t) {
        if (m == 3 && t != 0) continue;  // flat memory knows address conflicts only
        for (std::size_t e = 0; e < kEngines.size(); ++e) {
          const Case what{p, t, m, e};
          benchmark::RegisterBenchmark(what.name().c_str(), [what](benchmark::State& s) {
            run(s, what);
          })->MinTime(0.1);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
