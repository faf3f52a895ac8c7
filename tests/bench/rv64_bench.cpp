// Speed of the hart, instructions per second of processor time: the programs of rv64/*.c and
// firmware/xphmg/loops.c, with host code and interpreted. Each checks its own result.
//
//   bench_rv64 --benchmark_filter=sort
//   bench_rv64 --steps 10000000 sort translated          (once, for callgrind)
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "models/xphmg/hart/machine.hpp"

namespace {

using namespace rtvp::rv64;  // NOLINT(google-build-using-namespace): a program about this namespace

struct Program {
  const char* name;
  const char* file;
};
constexpr std::array<Program, 5> kPrograms{{
    {"coremark_like", RTVP_PROGRAMS "/coremark_like.elf"},
    {"sieve", RTVP_PROGRAMS "/sieve.elf"},
    {"sort", RTVP_PROGRAMS "/sort.elf"},
    {"doubles", RTVP_PROGRAMS "/doubles.elf"},
    {"loops", RTVP_LOOPS_ELF},
}};
constexpr std::array kEngines{"plain", "translated"};

class Discard : public Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

/// Empty: it was not built.
std::vector<std::uint8_t> fileOf(const Program& program) {
  std::ifstream in(program.file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A machine of its own that runs so many instructions of a program.
struct Run {
  Run(std::span<const std::uint8_t> file, bool translate, std::uint64_t instructions) {
    MachineOptions options;
    options.hart.translate = translate;
    OwnedMemory memory;
    Discard console;
    Machine machine(options, memory.memory(), console);
    machine.load(readElf(file));
    outcome = machine.run(instructions);
    retired = machine.hart().instructionsRetired();
  }
  Outcome outcome;
  std::uint64_t retired = 0;
};

void hart(benchmark::State& state, const Program& program, bool translate) {
  const std::vector<std::uint8_t> file = fileOf(program);
  if (file.empty()) {
    state.SkipWithError("the program was not built: no RISC-V compiler");
    return;
  }
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    const Run run(file, translate, ~std::uint64_t{0});
    if (run.outcome.kind != Outcome::Kind::Exit || run.outcome.code != 0) {
      state.SkipWithError("the program found a wrong counter or sum");
      return;
    }
    instructions += run.retired;
  }
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(instructions) / 1e6, benchmark::Counter::kIsRate);
}

/// `--steps N PROGRAM ENGINE`
int once(std::span<char*> arguments) {
  if (arguments.size() == 5) {
    const std::string name = arguments[3];
    const std::string engine = arguments[4];
    const auto* const program = std::find_if(kPrograms.begin(), kPrograms.end(),
                                             [&](const Program& p) { return p.name == name; });
    const bool known = std::find(kEngines.begin(), kEngines.end(), engine) != kEngines.end();
    if (program != kPrograms.end() && known) {
      const std::vector<std::uint8_t> file = fileOf(*program);
      if (file.empty()) {
        std::cerr << "found no file " << program->file << ", expected the program\n";
        return 2;
      }
      const Run run(file, engine == kEngines[1], std::strtoull(arguments[2], nullptr, 10));
      std::cout << "instructions " << run.retired << '\n';
      return 0;
    }
  }
  std::cerr << "expected --steps N PROGRAM ENGINE, as in the benchmarks' names\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--steps")
    return once({argv, static_cast<std::size_t>(argc)});
  for (const Program& program : kPrograms) {
    for (std::size_t e = 0; e < kEngines.size(); ++e) {
      benchmark::RegisterBenchmark((std::string(program.name) + "/" + kEngines[e]).c_str(),
                                   [&program, e](benchmark::State& s) { hart(s, program, e == 1); })
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
