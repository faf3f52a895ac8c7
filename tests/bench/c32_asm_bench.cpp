// Time to assemble a source of 20,000 lines (the target: below a second): instructions of all
// kinds, labels and branches forwards and backwards, direct operands, data, constants; and the same
// with every tenth line from a macro. Relocatable output counts its file, too.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "models/c32/asm/assembler.hpp"
#include "models/c32/link/object_coff.hpp"

namespace {

constexpr int kLines = 20000;

std::string source(bool macros) {
  std::string text = "twice .macro r\n ADDI r,r\n .endm\n .text\n LDP data\n";
  int lines = 5;
  for (int block = 0; lines < kLines - 2; ++block) {
    const std::string n = std::to_string(block), later = std::to_string(block + 1);
    text += "l" + n + ":\tLDI\t@data,R0\t; the first operand\n\tLDF\t*AR0++(1),R1\n" +
            "\tMPYF3\t*AR0++(1),*AR1++(IR0),R0\n||\tADDF3\tR0,R2,R2\n\tADDI\t3*(" + n +
            "&0FFh)+1,R3\n\tCMPI\tc" + n + ",R3\n\tBNZ\tl" + later + "\n" +
            (macros ? "\ttwice\tR4\n" : "\tADDI\tR4,R4\n") + "c" + n + "\t.set\t" + n +
            "&7FFh\n\tSTI\tR3,*+AR2(5)\n";
    lines += 10;
  }
  const int blocks = (lines - 5) / 10;
  return text + "l" + std::to_string(blocks) + ":\tRETS\ndata:\t.word\t1\n";
}

void assemble(benchmark::State& state) {
  const std::string text = source(state.range(0) != 0);
  rtvp::c32::AssemblerOptions options;
  options.relocatable = state.range(1) != 0;
  for (auto _ : state) {
    const rtvp::c32::AssemblyResult result = rtvp::c32::assemble("big.asm", text, options);
    if (!result.image && !result.object) {
      state.SkipWithError(result.report().c_str());
      return;
    }
    if (result.object) benchmark::DoNotOptimize(rtvp::c32::writeObject(*result.object));
  }
  state.counters["lines"] =
      benchmark::Counter(kLines, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(assemble)
    ->ArgNames({"macros", "relocatable"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
