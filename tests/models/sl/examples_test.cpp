// The ten example programs: encoding, CRC of the code, colours and instruction counts (sl.md 7).
#include <array>

#include "models/sl/math.hpp"
#include "tests/models/sl/support.hpp"

namespace rtvp::sl::test {
namespace {

struct Example {
  const char* name;
  std::uint32_t words;
  std::uint32_t crc;
  std::array<float, 3> colourA;
  std::uint32_t instructionsA;
  std::array<float, 3> colourB;
  std::uint32_t instructionsB;
};

constexpr float kTolerance = 1e-5F;

constexpr Example kReference[] = {
    {"toon", 11, 0x94a56013, {.8F, .6F, .2F}, 11, {.24F, .18F, .06F}, 10},
    {"checker", 22, 0xa3a7e7e1, {.32F, .24F, .08F}, 21, {.03F, .06F, .12F}, 22},
    {"marble",
     34,
     0x9bd01023,
     {.234536F, .191163F, .104418F},
     49,
     {.133710F, .119263F, .090368F},
     49},
    {"wood",
     23,
     0x00a887c5,
     {.220212F, .182979F, .108511F},
     23,
     {.105517F, .103153F, .098424F},
     23},
    {"mirror", 16, 0x35939f5e, {.3825F, .365F, .2675F}, 16, {.1825F, .215F, .2175F}, 16},
    {"bump",
     28,
     0xa9e37135,
     {.287897F, .215923F, .071974F},
     28,
     {.201923F, .151442F, .050481F},
     28},
};

void expectRun(const Program& program, const Registers& inputs, const std::array<float, 3>& colour,
               std::uint32_t instructions) {
  FixedWorld world;
  world.traced = {.25F, .5F, .75F};
  Vm vm(program);
  vm.start(inputs, 1);
  EXPECT_EQ(vm.run(world), Stop::Done);
  for (unsigned lane = 0; lane < 3; ++lane)
    EXPECT_NEAR(vm.colour()[lane], colour[lane], kTolerance) << "lane " << lane;
  EXPECT_EQ(vm.instructions(), instructions);
}

TEST(Examples, ReferenceProgramsGiveTheListedValues) {
  for (const Example& e : kReference) {
    SCOPED_TRACE(e.name);
    const Program program = programOf(sourceOf(e.name));
    EXPECT_EQ(program.size(), e.words);
    EXPECT_EQ(program.crc(), e.crc);
    expectRun(program, inputsA(), e.colourA, e.instructionsA);
    expectRun(program, inputsB(), e.colourB, e.instructionsB);
  }
}

// sl.md lists no values for the four programs of the seed: here their own arithmetic by hand.
TEST(Examples, SeedProgramsGiveWhatTheyPromise) {
  const Registers a = inputsA();
  expectRun(programOf(sourceOf("constant")), a, {.8F, .6F, .2F}, 1);
  expectRun(programOf(sourceOf("cos_attenuated")), a, {.64F, .48F, .16F}, 2);
  // H = (V + L)/|V + L|, N.H = 1.6/sqrt(.36^2 + 1.08^2 + 1.6^2)
  const double nh = 1.6 / std::sqrt(.36 * .36 + 1.08 * 1.08 + 1.6 * 1.6);
  const auto k = static_cast<float>(std::pow(nh, 80) * .5 + .8 * .5);
  expectRun(programOf(sourceOf("full_attenuated")), a, {.8F * k, .6F * k, .2F * k}, 22);
  Registers textured = a;
  textured.vector(reg::t0) = {1, .5F, .25F};
  const float d = .36F * .1F - .48F * .2F + .8F * .9746794F;
  expectRun(programOf(sourceOf("bump_mapping")), textured, {d, .5F * d, .25F * d}, 9);
}

TEST(Examples, EncodingOfTheReference) {
  const Program p = codeOf("dp3 s0, N, L\n");
  EXPECT_EQ(p.words()[0], 0x3010161000000000U);
}

TEST(Noise, ListedValues) {
  EXPECT_NEAR(turb(.5F), -.0625, 2e-6);
  EXPECT_NEAR(turb(1.25F), .351196, 2e-6);
  EXPECT_NEAR(turb(-3.7F), -.387996, 2e-6);
  EXPECT_NEAR(turb(100.1F), .158094, 2e-5);  // 100.1 is not a binary32 number
  EXPECT_NEAR(turb(Vec3{.5F, .5F, .5F}), 0, 2e-6);
  EXPECT_NEAR(turb(Vec3{1.2F, 3.4F, 5.6F}), -.353546, 2e-6);
  EXPECT_NEAR(turb(Vec3{-.3F, 7.7F, .01F}), .303900, 2e-6);
  const auto& p = noiseTables().permutation;
  const std::array<int, 8> first{166, 55, 36, 42, 135, 8, 195, 119};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(p[i], first[i]);
}

}  // namespace
}  // namespace rtvp::sl::test
