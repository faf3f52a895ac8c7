// Runs of a shader on the shading unit's core alone, a memory of words behind it: with the runs
// computed ahead and one after the other.
//
//   bench_sl_unit                              runs a second of the shaders of tests/data/sl, both
//   ways bench_sl_unit SHADER.sl RUNS ahead|plain   that many, once: for callgrind
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "models/sl/assembler.hpp"
#include "tests/models/sl/unit/core_bench.hpp"

namespace {

using namespace rtvp::sl;  // NOLINT(google-build-using-namespace): a program about this namespace
using unit::test::CoreBench;

constexpr std::uint32_t kEntries = 600, kSlots = 300;

Program load(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  AssemblyResult result = assemble(path.string(), text.str());
  if (!file || !result.program) throw std::runtime_error(path.string() + ": " + result.report());
  return *result.program;
}

/// Points of a sphere, lit from the side.
Registers pointOf(std::uint32_t slot) {
  Registers r = Registers::sceneDefaults();
  const float u = static_cast<float>(slot) / kSlots, z = std::sqrt(1 - u * u);
  r.vector(reg::N) = {u, 0, z};
  r.vector(reg::V) = {0, 0.6F, 0.8F};
  r.vector(reg::L) = {0.6F, 0.8F, 0};
  r.vector(reg::dE) = {1, 1, 1};
  r.vector(reg::xy) = {5 * u, 1.3F, 5 * z};
  r.vector(reg::Pw) = r.vector(reg::xy);
  r.vector(reg::uv) = {u, z, 0};
  r.vector(reg::C0) = {0.9F, 0.8F, 0.7F};
  r.vector(reg::C1) = {0.1F, 0.2F, 0.3F};
  r.vector(reg::r0) = {4, 4, 4};
  r.scalar(reg::s0) = 4;
  return r;
}

std::uint64_t run(const Program& program, std::uint64_t runs, bool ahead) {
  unit::CoreConfig config;
  config.ahead = ahead;
  CoreBench bench(config);
  bench.at.entries = kEntries;
  bench.at.requests = 4 * CoreBench::kTexels;
  bench.at.results = bench.at.requests + 4 * kEntries * unit::request::kWords;
  bench.surface(0, program);
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    bench.fill(slot, 0, pointOf(slot));
    bench.slotWords(slot)[unit::slot::kFlags] = 0;
  }
  for (std::uint32_t n = 0; n < kEntries; ++n)
    bench.memory.words[CoreBench::kTexels + n * unit::request::kWords] = n % kSlots;
  for (std::uint64_t done = 0; done < runs;) {
    done = std::min(runs, done + kEntries);
    bench.now = bench.core.run(bench.at, static_cast<std::uint32_t>(done), bench.memory, bench.now);
  }
  return bench.core.counters().instructions;
}

double rate(const Program& program, bool ahead) {
  constexpr std::uint64_t kRuns = 200 * kEntries;
  const std::clock_t start = std::clock();
  run(program, kRuns, ahead);
  return static_cast<double>(kRuns) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - start);
}

int all() {
  for (const char* const name : {"marble", "wood", "checker", "toon"}) {
    const Program program = load(std::filesystem::path(RTVP_SOURCE_DIR) / "tests/data/sl" /
                                 (std::string(name) + ".sl"));
    const double plain = rate(program, false), ahead = rate(program, true);
    std::printf("%-8s %8.0f runs/s one after the other, %8.0f ahead: %.2f\n", name, plain, ahead,
                ahead / plain);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 1) return all();
    std::uint64_t runs = 0;
    const std::string count = argc == 4 ? argv[2] : "", way = argc == 4 ? argv[3] : "";
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), runs);
    if (error != std::errc{} || end != count.data() + count.size() || runs == 0 ||
        (way != "ahead" && way != "plain")) {
      std::cerr << "usage: bench_sl_unit [SHADER.sl RUNS ahead|plain]\n";
      return 64;
    }
    const std::uint64_t instructions = run(load(argv[1]), runs, way == "ahead");
    std::printf("%llu runs, %llu instructions\n", static_cast<unsigned long long>(runs),
                static_cast<unsigned long long>(instructions));
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_sl_unit: " << e.what() << '\n';
    return 1;
  }
}
