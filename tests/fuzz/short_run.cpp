// Short deterministic run of a fuzz target in ctest: its seeds, and mutations of them with a fixed
// random seed. With RTVP_FUZZ_SEEDS=FOLDER it writes the seeds as files instead: libFuzzer's first
// corpus.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

void feed(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutate(std::string input, const std::vector<std::string>& seeds, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const unsigned changes = 1 + random() % 4;
  for (unsigned k = 0; k < changes; ++k) {
    const std::size_t at = below(input.size() + 1);
    switch (random() % 6) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(random());
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
        break;
      case 2:
        input.insert(at, 1 + random() % 4, static_cast<char>(random()));
        break;
      case 3:
        input.erase(at, 1 + random() % 8);
        break;
      case 4: {
        const std::string& other = seeds[below(seeds.size())];
        input.insert(at, other.substr(below(other.size()), random() % 40));
        break;
      }
      default:
        if (at + 4 <= input.size()) {
          const std::uint32_t edges[] = {0, 0xFFFFFFFF, 0x7FFFFFFF, 0x00FFFFFF, 1};
          const std::uint32_t value = edges[random() % std::size(edges)];
          for (std::size_t i = 0; i < 4; ++i) input[at + i] = static_cast<char>(value >> 8 * i);
        }
    }
  }
  return input;
}

TEST(Fuzz, ShortRun) {
  const std::vector<std::string> seeds = rtvp::fuzz::seeds();
  ASSERT_FALSE(seeds.empty());
  if (const char* folder = std::getenv("RTVP_FUZZ_SEEDS")) {
    std::filesystem::create_directories(folder);
    for (std::size_t n = 0; n < seeds.size(); ++n)
      std::ofstream(std::filesystem::path(folder) / ("seed" + std::to_string(n)), std::ios::binary)
          << seeds[n];
    return;
  }
  constexpr unsigned kSeed = 32;
  constexpr int kRuns = 4000;
  std::cout << "seed " << kSeed << ", " << kRuns << " inputs\n";
  std::mt19937 random(kSeed);
  feed({});
  for (const std::string& seed : seeds) feed(seed);
  for (int n = 0; n < kRuns; ++n) feed(mutate(seeds[random() % seeds.size()], seeds, random));
}

}  // namespace
