// Speed of the hart: instructions per second of host time, on the integer and the double-precision
// loop of firmware/xphmg/loops.c. The program checks its own counters and results.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "models/xphmg/hart/machine.hpp"

namespace {

using namespace rtvp::rv64;  // NOLINT(google-build-using-namespace): a program about this namespace

class Discard : public Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

void hart(benchmark::State& state) {
  std::ifstream in(RTVP_LOOPS_ELF, std::ios::binary);
  if (!in) {
    state.SkipWithError("firmware/xphmg was not built: no RISC-V compiler");
    return;
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  const ElfImage image =
      readElf({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    OwnedMemory memory;
    Discard console;
    Machine machine(MachineOptions{}, memory.memory(), console);
    machine.load(image);
    const Outcome outcome = machine.run(~std::uint64_t{0});
    if (outcome.kind != Outcome::Kind::Exit || outcome.code != 0) {
      state.SkipWithError("the program found a wrong counter or sum");
      return;
    }
    instructions += machine.hart().instructionsRetired();
  }
  state.counters["MIPS"] =
      benchmark::Counter(static_cast<double>(instructions) / 1e6, benchmark::Counter::kIsRate);
}
BENCHMARK(hart)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
