// The SIMT array against the scalar array on the real firmware and real scenes: every word that
// leaves the chain, with its time, all counters, every lane's clock and statistics, and all of its
// internal RAM must be equal.
#include <gtest/gtest.h>

#include <cmath>

#include "models/tigershark/simt_array.hpp"
#include "tests/models/tigershark/compare_engines.hpp"
#include "tests/models/tigershark/scene_bench.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::tigershark::test {
namespace {

using c32::simt::Isa;

struct Case {
  Isa isa;
  int lanes;
};

class SimtScene : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!c32::simt::isaUsable(GetParam().isa)) {
      GTEST_SKIP() << "this host lacks " << c32::simt::isaName(GetParam().isa);
    }
  }

  void compare(const std::string& file, int batches, std::size_t first) {
    const int lanes = GetParam().lanes;
    const scene::Scene scene = scene::load(std::string(RTVP_SOURCE_DIR) + "/scenes/" + file);
    const bool accounts = lanes <= 32;
    SceneBench scalar(scene, lanes, makeScalarArray, {}, accounts);
    SimtArray* array = nullptr;
    SceneBench simt(
        scene, lanes,
        [&](const ArrayConfig& config, ArrayBoard& board) {
          auto engine = std::make_unique<SimtArray>(config, board, GetParam().isa);
          array = engine.get();
          return engine;
        },
        {}, accounts);
    const auto count = static_cast<std::size_t>(lanes);
    for (int batch = 0; batch < batches; ++batch) {
      SCOPED_TRACE(file + " batch " + std::to_string(batch));
      const auto rays = eyeRays(scene, 256, first + static_cast<std::size_t>(batch) * 4096, count);
      scalar.batch(rays);
      simt.batch(rays);
      ASSERT_EQ(scalar.output(), simt.output());
      const scene::Vec3 light =
          scene.lights.empty() ? scene::Vec3{5, 9, 7} : scene.lights.front().position;
      const auto shadows = shadowRays(rays, scalar.distances(), light);
      scalar.batch(shadows);
      simt.batch(shadows);
      ASSERT_EQ(scalar.output(), simt.output());
      if (batch + 1 < batches) continue;
      expectSameEngines(scalar.engine(), simt.engine(), lanes);
      EXPECT_EQ(scalar.accesses, simt.accesses);
    }
    const auto& c = array->machineCounters();
    const double share = static_cast<double>(c.instructions) /
                         static_cast<double>(simt.engine().counters(0).instructions);
    std::printf(
        "%s: %.1f %% of all instructions on the machine, %.1f lanes an issue, taken %llu "
        "times\n",
        file.c_str(), 100 * share,
        static_cast<double>(c.instructions) / static_cast<double>(c.issues),
        static_cast<unsigned long long>(c.taken));
    // Once a batch, and once more where a batch's first barrier was not yet in step.
    EXPECT_LE(c.taken, static_cast<std::uint64_t>(4 * batches + 2));
  }
};

TEST_P(SimtScene, Bunny) {
  compare("bunny.shk", 2, 30'000);
}
TEST_P(SimtScene, SpheresWithShadows) {
  compare("spheres.shk", 2, 30'000);
}
TEST_P(SimtScene, TetrahedraMeetEdgesAndTies) {
  compare("spd_tetra_4.shk", 2, 25'000);
}
TEST_P(SimtScene, AxisParallelTrees) {
  compare("spd_tree_5.nff", 1, 33'000);
}

INSTANTIATE_TEST_SUITE_P(Engines, SimtScene,
                         ::testing::Values(Case{Isa::Scalar, 16}, Case{Isa::Sse42, 16},
                                           Case{Isa::Avx2, 16}, Case{Isa::Avx512, 16},
                                           Case{Isa::Avx2, 4}, Case{Isa::Avx512, 7},
                                           Case{Isa::Avx2, 70}),
                         [](const auto& test) {
                           return std::string(c32::simt::isaName(test.param.isa)) + "_" +
                                  std::to_string(test.param.lanes);
                         });

}  // namespace
}  // namespace rtvp::tigershark::test
