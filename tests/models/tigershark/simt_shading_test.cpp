// The real shading firmware on both engines: every word that leaves the chain, when, and all that
// can be seen of the lanes afterwards. The vector engine runs the programs, which lie in the shared
// memory, by itself.
#include <gtest/gtest.h>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/shading_bench.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::tigershark::test {
namespace {

struct Case {
  const char* shader;
  int lanes;
  std::uint32_t waitStates;
  bool window;
  bool accounts;
};

ShadingBench::Make maker(const EngineChoice& choice) {
  return [choice](const ArrayConfig& config, ArrayBoard& board) {
    return makeArray(config, board, choice);
  };
}

class SimtShading : public ::testing::TestWithParam<Case> {};

TEST_P(SimtShading, EnginesAgree) {
  const Case& c = GetParam();
  const std::string file = std::string(RTVP_SOURCE_DIR) + "/tests/data/sl/" + c.shader + ".sl";
  for (const c32::simt::Isa isa : c32::simt::kAllIsas) {
    if (!c32::simt::isaUsable(isa)) continue;
    SCOPED_TRACE(std::string(c32::simt::isaName(isa)));
    ShadingBench scalar(file, c.lanes, maker({.kind = EngineChoice::Kind::Scalar}), {}, c.accounts);
    ShadingBench simt(file, c.lanes, maker({.kind = EngineChoice::Kind::Simt, .isa = isa}), {},
                      c.accounts);
    for (ShadingBench* bench : {&scalar, &simt}) {
      bench->offersWindow = c.window;
      bench->waitStates = c.waitStates;
    }
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      scalar.batch(seed);
      simt.batch(seed);
      ASSERT_EQ(scalar.output().size(), 1 + kColourWords * static_cast<unsigned>(c.lanes));
      EXPECT_TRUE(scalar.output() == simt.output());
      EXPECT_EQ(scalar.accesses, simt.accesses);
    }
    const std::uint64_t outside =
        dynamic_cast<const SimtArray&>(simt.engine()).machineCounters().outside;
    const std::uint64_t fetches = simt.engine().counters(0).sharedFetches;
    EXPECT_EQ(c.window, outside > fetches);
    expectSameEngines(scalar.engine(), simt.engine(), c.lanes);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shaders, SimtShading,
    ::testing::Values(Case{"marble", 21, 0, true, false}, Case{"marble", 5, 2, true, true},
                      Case{"wood", 40, 0, true, true}, Case{"checker", 16, 1, true, false},
                      Case{"toon", 64, 0, true, false}, Case{"full_attenuated", 9, 0, true, true},
                      Case{"cos_attenuated", 12, 0, true, false},
                      Case{"marble", 6, 0, false, false}),
    [](const auto& c) {
      return std::string(c.param.shader) + std::to_string(c.param.lanes) +
             (c.param.window ? "" : "WordByWord");
    });

}  // namespace
}  // namespace rtvp::tigershark::test
