// A piece of work for callgrind: batches of real rays through the real firmware on an array engine,
// without SystemC. Only what happens inside rtvpMeasuredWalk() and rtvpMeasuredChain() is meant to
// be counted (--toggle-collect). Prints how many simulated instructions each of them was, and how
// many words went from node to node in the chain's part.
// A whole batch is timed as well: processor time, and simulated time over it.
//   callgrind_walk scalar|sse42|avx2|avx512|simt-scalar LANES [accounts|summaries|blocks|mips]
// mips: the walk alone is timed, the best of many batches.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/scene_bench.hpp"

namespace {

using namespace rtvp;  // NOLINT(google-build-using-namespace)
using tigershark::test::ChainRay;
using tigershark::test::SceneBench;

constexpr int kSide = 256;
constexpr std::size_t kFirst = 33'000;  // a part of the picture that shows the object
/// After the first batch the vector engine passes over two visits of the place where it could not
/// go on; from the fourth batch on it does as in any long run.
constexpr int kWarmBatches = 4;

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Simulated instructions of the walk over processor time, in millions. A batch is at its last
/// barrier.
double walkMips(SceneBench& bench, const std::vector<ChainRay>& rays, std::uint64_t barriers,
                std::uint64_t instructions) {
  constexpr double kSeconds = 3;
  double best = 1e9;
  const double begin = processorSeconds();
  while (processorSeconds() - begin < kSeconds) {
    bench.finish();
    bench.receive(rays);
    const double from = processorSeconds();
    bench.traverse(barriers);
    best = std::min(best, processorSeconds() - from);
  }
  return static_cast<double>(instructions) / best * 1e-6;
}

SceneBench::Make makerOf(const std::string& name, const std::string& chain) {
  using c32::simt::Isa;
  tigershark::EngineChoice choice;
  using Chain = tigershark::EngineChoice::Chain;
  choice.kind = tigershark::EngineChoice::Kind::Simt;
  if (chain == "summaries") choice.chain = Chain::Summaries;
  if (chain == "blocks") choice.chain = Chain::Blocks;
  if (name == "scalar") {
    choice.kind = tigershark::EngineChoice::Kind::Scalar;
  } else if (name == "simt-scalar") {
    choice.isa = Isa::Scalar;
  } else if (name == "sse42") {
    choice.isa = Isa::Sse42;
  } else if (name == "avx2") {
    choice.isa = Isa::Avx2;
  } else if (name == "avx512") {
    choice.isa = Isa::Avx512;
  } else {
    return {};
  }
  return [choice](const tigershark::ArrayConfig& config, tigershark::ArrayBoard& board) {
    return tigershark::makeArray(config, board, choice);
  };
}

}  // namespace

extern "C" {
// Names that callgrind can be told; kept out of line.
[[gnu::noinline]] void rtvpMeasuredWalk(SceneBench& bench, std::uint64_t barriers);
[[gnu::noinline]] void rtvpMeasuredChain(SceneBench& bench, const std::vector<ChainRay>& rays);

void rtvpMeasuredWalk(SceneBench& bench, std::uint64_t barriers) {
  bench.traverse(barriers);
}
void rtvpMeasuredChain(SceneBench& bench, const std::vector<ChainRay>& rays) {
  bench.receive(rays);
}
}

int main(int argc, char** argv) {
  const std::string more = argc == 4 ? argv[3] : "";
  const bool accounts = more == "accounts";
  const bool usable =
      argc == 3 || accounts || more == "summaries" || more == "blocks" || more == "mips";
  const SceneBench::Make make = usable ? makerOf(argv[1], more) : SceneBench::Make{};
  const int lanes = usable ? std::atoi(argv[2]) : 0;
  if (!make || lanes < 1 || lanes > 512) {
    std::cerr << "usage: callgrind_walk scalar|simt-scalar|sse42|avx2|avx512 LANES (1 to 512) "
                 "[accounts|summaries|blocks|mips]\n";
    return 2;
  }
  try {
    const scene::Scene bunny = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/bunny.shk");
    const auto rays =
        tigershark::test::eyeRays(bunny, kSide, kFirst, static_cast<std::size_t>(lanes));
    SceneBench bench(bunny, lanes, make, {}, accounts);
    const auto counters = [&] { return bench.engine().counters(0); };
    // Everything is decoded and in the caches that count.
    for (int i = 0; i < kWarmBatches; ++i) bench.batch(rays);
    const auto warm = counters();
    const auto begin = bench.engine().lane(0).cycle;
    const double used = processorSeconds();
    bench.batch(rays);
    const double seconds = processorSeconds() - used;
    const auto second = counters();
    const double simulated = static_cast<double>(bench.engine().lane(0).cycle - begin) /
                             static_cast<double>(c32::CpuConfig{}.h1Hz);
    const std::uint64_t barriers = second.barriers - warm.barriers;
    rtvpMeasuredChain(bench, rays);
    const auto received = counters();
    rtvpMeasuredWalk(bench, barriers);
    const auto walked = counters();
    std::cout << "chain_instructions " << received.instructions - second.instructions
              << "\nchain_words " << received.chainWords - second.chainWords
              << "\nwalk_instructions " << walked.instructions - received.instructions
              << "\nbatch_words " << second.chainWords - warm.chainWords << "\nbatch_seconds "
              << seconds << "\nbatch_real_time " << simulated / seconds << '\n';
    if (more == "mips") {
      std::cout << "walk_mips "
                << walkMips(bench, rays, barriers, walked.instructions - received.instructions)
                << '\n';
    }
  } catch (const std::exception& e) {
    std::cerr << "callgrind_walk: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
