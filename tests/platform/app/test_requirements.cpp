// Requirements of board.md section 1 that show in a whole run: what the statistics of real runs
// must say.
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

const std::string kTeapot = RTVP_SOURCE_DIR "/scenes/teapot.shk";

class Requirements : public PlatformTest {
 protected:
  boost::json::value render(const std::string& options, const std::string& scene = kTeapot) const {
    const Outcome r = run(scene + " --size 32x32 --depth 1 -q -o p.png --stats s.json " + options);
    EXPECT_EQ(r.status, 0) << options << "\n" << r.err;
    return json("s.json");
  }
  static double figure(const boost::json::value& stats, const std::string& pointer) {
    return stats.at_pointer("/modules/pc0/" + pointer).to_number<double>();
  }
  static double testsPerRay(const boost::json::value& stats) {
    const double records =
        figure(stats, "board0/array/barriers") - figure(stats, "board0/array/votes");
    return records * figure(stats, "board0/array/lanes") / figure(stats, "driver/rays_traced");
  }
};

TEST_F(Requirements, TS_001_OneMemoryServesAllNodesAtOnce) {
  const auto s = render("--dsps 16");
  const double words = figure(s, "board0/array/broadcast_data_words") +
                       figure(s, "board0/array/broadcast_fetch_words");
  EXPECT_EQ(figure(s, "board0/sram/array_reads"), words)
      << "one memory access a word, however many nodes";
}

TEST_F(Requirements, TS_002_TheClockIsThe60MHzPartsByDefault) {
  const auto s = render("--dsps 4");
  const double seconds = s.at("simulated_time_ps").to_number<double>() * 1e-12;
  const double cycles = figure(s, "board0/array/cycles") / 4;
  EXPECT_GT(cycles, 0.9 * seconds * 30e6)
      << "H1 = 30 MHz; the DSPs start after the host has loaded them";
  EXPECT_LE(cycles, seconds * 30e6 + 1);
}

TEST_F(Requirements, TS_006_TheHostLoadsTheDatabase) {
  const auto s = render("--dsps 4");
  EXPECT_GE(figure(s, "board0/sram/host_writes"), figure(s, "driver/page_words"));
  EXPECT_GT(figure(s, "driver/page_words"), 992 * 10) << "992 triangles of 10 words";
}

TEST_F(Requirements, TS_011_AllNodesShareOneClock) {
  const auto s = render("--dsps 16");
  const double elapsed = figure(s, "board0/array/cycles") / 16;
  int nodes = 0;
  for (const auto& [name, dsp] : s.at_pointer("/modules/pc0/board0/dsps").as_object()) {
    if (name.substr(0, 3) != "dsp") continue;
    ++nodes;
    double own = 0;
    for (const auto& [figureName, value] : dsp.as_object()) {
      if (figureName.substr(0, 7) == "cycles_") own += value.to_number<double>();
    }
    // A node counts while it runs; at the end it waits for the chain from its last word on.
    EXPECT_LE(own, elapsed) << name;
    EXPECT_GT(own, 0.9 * elapsed) << name;
  }
  EXPECT_EQ(nodes, 16);
}

TEST_F(Requirements, TS_012_TheMemoryDrivesAnyNumberOfNodesAtItsSpeed) {
  for (const char* dsps : {"4", "64"}) {
    const auto s = render(std::string("--size 8x8 --dsps ") + dsps);
    const double words = figure(s, "board0/array/broadcast_data_words");
    const double wait = figure(s, "board0/array/cycles_bus_wait") / figure(s, "board0/array/lanes");
    EXPECT_LT(wait, 0.2 * words + 8000)
        << "boot apart, no node waits for the buffered zero-wait memory";
  }
}

TEST_F(Requirements, TS_014_TS_015_ZeroWaitAnd128KWordsByDefault) {
  const Outcome r = run("params --json");
  ASSERT_EQ(r.status, 0);
  const boost::json::value params = boost::json::parse(r.out);
  int found = 0;
  for (const auto& row : params.as_array()) {
    const auto& key = row.at("key").as_string();
    if (key == "tigershark.wait_states") {
      EXPECT_EQ(row.at("default").to_number<int>(), 0);
      ++found;
    }
    if (key == "tigershark.sram_words") {
      EXPECT_EQ(row.at("default").to_number<int>(), 128 * 1024);
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
}

TEST_F(Requirements, TS_016_TheMemorySizeIsAParameter) {
  const auto s = render("--dsps 4 --set tigershark.sram_words=32768");
  EXPECT_EQ(figure(s, "board0/sram/words"), 32768);
}

TEST_F(Requirements, TS_019_TheLossOfCoherenceStaysFarBelowTheNumberOfNodes) {
  const double one = testsPerRay(render("--dsps 1"));
  // The paper's "without much degradation" is an experiment (TS-068); on so small a picture
  // neighbours differ most.
  EXPECT_LT(testsPerRay(render("--dsps 16")), 16 / 2 * one);
  EXPECT_LT(testsPerRay(render("--dsps 32")), 32 / 2 * one);
}

TEST_F(Requirements, TS_023_TS_050_EveryNodeGetsARayOfItsOwn) {
  const auto s = render("--dsps 16");
  EXPECT_EQ(figure(s, "driver/rays_sent"), figure(s, "driver/rays_traced"))
      << "one page: no ray is sent twice";
  EXPECT_EQ(figure(s, "driver/batches") * 16,
            figure(s, "driver/rays_sent") + figure(s, "driver/rays_filler"));
}

TEST_F(Requirements, TS_034_SkippingFeedsOnRayCoherence) {
  const double hilbert = testsPerRay(render("--dsps 64 --set render.order=hilbert"));
  const double scanline = testsPerRay(render("--dsps 64 --set render.order=scanline"));
  EXPECT_LT(hilbert, scanline);
}

TEST_F(Requirements, TS_035_TheHostBuildsTheHierarchy) {
  const auto with = render("--dsps 4");
  const auto without = render("--dsps 4 --set tigershark.vote=off");
  EXPECT_GT(figure(with, "board0/array/votes"), 0);
  EXPECT_EQ(figure(without, "board0/array/votes"), 0);
  EXPECT_LT(testsPerRay(with) * 10, testsPerRay(without)) << "volumes save most of the work";
}

TEST_F(Requirements, TS_054_ARayMeetsFewObjects) {
  // With one node, what is tested is what the ray's own boxes hold.
  EXPECT_LT(testsPerRay(render("--dsps 1")), 30);
}

TEST_F(Requirements, TS_055_RayQueuesLiveInTheDriverAndTestsOnTheBoard) {
  const auto s = render("--dsps 4");
  EXPECT_GT(figure(s, "board0/array/instructions"), 0);
  EXPECT_EQ(figure(s, "driver/rays_traced"), s.at("picture").at("rays").to_number<double>());
}

}  // namespace
}  // namespace rtvp::test
