// A piece of work for callgrind: batches of points through the real shading firmware on an array
// engine, without SystemC. Only what happens inside rtvpMeasuredShade(), a shader's run on all
// nodes without the chain, is meant to be counted (--toggle-collect). Prints how many simulated
// instructions it was.
//   callgrind_shade scalar|simt-scalar|sse42|avx2|avx512 LANES SHADER [mips]
// mips: the run is timed, the best of many batches.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/shading_bench.hpp"

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace)
using tigershark::test::ShadingBench;

/// The vector engine passes over some visits of a place where it could not go on (simt_array.cpp),
/// and makes host code of straight runs that are met often, again if zeros are usual there
/// (runs.hpp): it does so earlier here than by itself, so that the batch that is measured is one of
/// a long picture.
constexpr std::uint32_t warmBatches(int lanes) {
  // Where the making of code counts; many lanes take callgrind minutes and hardly see it.
  return lanes <= 128 ? 24 : 10;
}
constexpr unsigned kPatience = 2;
/// From the release of the barrier to the start of the nodes' clock, or less.
constexpr c32::Cycle kBeforeClock = 2;

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

ShadingBench::Make makerOf(const std::string& name) {
  tigershark::EngineChoice choice;
  choice.kind = tigershark::EngineChoice::Kind::Simt;
  choice.runPatience = kPatience;
  bool known = name == "scalar";
  if (known) choice.kind = tigershark::EngineChoice::Kind::Scalar;
  for (const c32::simt::Isa isa : c32::simt::kAllIsas) {
    const std::string its(c32::simt::isaName(isa));
    if (name != (isa == c32::simt::Isa::Scalar ? "simt-scalar" : its)) continue;
    choice.isa = isa;
    known = true;
  }
  if (!known) return {};
  return [choice](const tigershark::ArrayConfig& config, tigershark::ArrayBoard& board) {
    return tigershark::makeArray(config, board, choice);
  };
}

}  // namespace

extern "C" {
// A name that callgrind can be told; kept out of line.
[[gnu::noinline]] void rtvpMeasuredShade(ShadingBench& bench, c32::Cycle cycles);
void rtvpMeasuredShade(ShadingBench& bench, c32::Cycle cycles) {
  bench.shade(cycles);
}
}

int main(int argc, char** argv) {
  const bool mips = argc == 5 && std::string(argv[4]) == "mips";
  const ShadingBench::Make make = argc == 4 || mips ? makerOf(argv[1]) : ShadingBench::Make{};
  const int lanes = make ? std::atoi(argv[2]) : 0;
  if (lanes < 1 || lanes > 512) {
    std::cerr << "usage: callgrind_shade scalar|simt-scalar|sse42|avx2|avx512 LANES (1 to 512) "
                 "SHADER (of tests/data/sl) [mips]\n";
    return 2;
  }
  try {
    ShadingBench bench(std::string(RTVP_SOURCE_DIR) + "/tests/data/sl/" + argv[3] + ".sl", lanes,
                       make);
    for (std::uint32_t i = 0; i < warmBatches(lanes); ++i) bench.batch(i);
    const c32::Cycle cycles = bench.programCycles() - kBeforeClock;
    const auto instructions = [&] { return bench.engine().counters(0).instructions; };
    double best = 1e9;
    std::uint64_t count = 0;
    const double begin = processorSeconds();
    do {
      bench.receive(7);
      const std::uint64_t before = instructions();
      const double from = processorSeconds();
      rtvpMeasuredShade(bench, cycles);
      const double took = processorSeconds() - from;
      if (took > 0) best = std::min(best, took);  // the host's clock does not always see it
      count = instructions() - before;
      bench.finish();
    } while (mips && processorSeconds() - begin < 3);
    std::cout << "shade_instructions " << count << '\n';
    if (mips) std::cout << "shade_mips " << static_cast<double>(count) / best * 1e-6 << '\n';
  } catch (const std::exception& e) {
    std::cerr << "callgrind_shade: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
