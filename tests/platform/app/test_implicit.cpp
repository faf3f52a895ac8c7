// Implicit surfaces through the executable: the unit alone and beside every machine, against the
// reference; options, faults, speed settings.
#include <cmath>
#include <sstream>

#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

constexpr const char* kBall =
    ".bounds -1 -1 -1 1 1 1\n.material 0 .2 .8 .3\nOPSDFSphere f(0.75) var\nOPStop var\n";
constexpr const char* kBlend =
    ".bounds -1.2 -1 -1 1.2 1 1\nOPDupVec3 var\nOPAddVec3Vec3 var v3(0.5,0,0)\nOPSDFSphere f(0.55) "
    "var\nOPAddVec3Vec3 var v3(-0.4,0.1,0)\nOPSDFBox v3(0.3,0.5,0.4) var\nOPSmoothMinFloat f(0.2) "
    "var var\nOPStop var\n";

/// Floor and wall of triangles, a blended figure, a glass ball, a mirror: 48 x 40.
constexpr const char* kMixed =
    "w 48\nh 40\nb .1 .2 .3\ne 1 1.8 4\nlo 0 0 0\nu 0 1 0\nli 5 8 6 .8 .8 .8\nli -4 3 5 .3 .3 .4\n"
    "m .9 .8 .7 .8 .1 .2 5 0 .3 1\n"
    "t -3 -.6 -3  -3 -.6 3  3 -.6 3\nt -3 -.6 -3  3 -.6 3  3 -.6 -3\n"
    "m .9 .2 .2 .8 .3 .2 9 0 .2 1\nimplicit blend.sdf at -.5 0 0 turn 0 30 10\n"
    "m .2 .9 .2 .3 .3 .1 9 .7 .1 1.4\nimplicit ball.sdf at 1.2 -.1 .8 scale .5\n"
    "m .5 .5 .9 .8 .3 .2 9 0 0 1\nt -.2 -.6 1.5  .6 -.6 1.4  .2 .4 1.2\n";

class Implicit : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    write("ball.sdf", kBall);
    write("blend.sdf", kBlend);
    write("mixed.shk", kMixed);
    write("alone.shk",
          "w 48\nh 40\ne 0 1 3\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\nimplicit ball.sdf\n");
  }
  /// Pixels whose colours differ by more than `levels`.
  [[nodiscard]] int differing(const std::string& a, const std::string& b, int levels) const {
    const report::Image x = report::readImage(path(a));
    const report::Image y = report::readImage(path(b));
    EXPECT_EQ(x.width, y.width);
    int count = 0;
    for (std::size_t i = 0; i + 2 < x.rgb.size(); i += 3) {
      int largest = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        largest = std::max(largest, std::abs(int{x.rgb[i + k]} - int{y.rgb[i + k]}));
      }
      count += largest > levels ? 1 : 0;
    }
    return count;
  }
};

TEST_F(Implicit, EveryMachineWithTheUnitSeesWhatTheReferenceSees) {
  ASSERT_EQ(run("mixed.shk --engine reference -o r.png --hits r.csv -q").status, 0);
  for (const std::string engine : {"xphmg", "theia", "tigershark --dsps 4"}) {
    const Outcome o = run("mixed.shk --engine " + engine + " -o m.png --hits m.csv --stats m.json");
    ASSERT_EQ(o.status, 0) << o.err;
    const Outcome c = run("compare m.csv r.csv --scene mixed.shk --size 48x40");
    EXPECT_EQ(c.status, 0) << engine << c.out << c.err;
    // Shadow outlines, refraction and mirrors: no more than 1 % of the pixels.
    EXPECT_LE(differing("m.png", "r.png", 6), 19) << engine;
    const boost::json::value stats = json("m.json");
    const auto& machine = stats.at("modules").at("pc0").as_object();
    EXPECT_GT(machine.at("implicit_driver").at("hits").to_number<int>(), 300) << engine;
    EXPECT_EQ(stats.at("scene").at("implicits").to_number<int>(), 2);
    EXPECT_TRUE(contains(o.out, "instructions")) << o.out;
  }
}

TEST_F(Implicit, UnitAloneInAllModes) {
  ASSERT_EQ(run("alone.shk --engine reference -o r.png --hits r.csv -q").status, 0);
  for (const std::string mode : {"improved", "seed", "brute"}) {
    const Outcome o = run("alone.shk --engine implicit --set implicit.mode=" + mode +
                          " -o i.png --hits i.csv -q");
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(run("compare i.csv r.csv --scene alone.shk --size 48x40").status, 0) << mode;
    EXPECT_LE(differing("i.png", "r.png", 6), 30) << mode;
  }
}

TEST_F(Implicit, ShadowsFallBothWays) {
  // A ball above a floor of triangles, and below a roof: the unit's shadow on the floor, the
  // triangles' on the ball.
  write("shadow.shk",
        "w 32\nh 32\nb 0 0 0\ne 0 1 5\nlo 0 0 0\nu 0 1 0\nli 0 20 0 1 1 1\n"
        "m 1 1 1 1 0 0 5 0 0 1\nt -9 -1 -9 -9 -1 9 9 -1 9\nt -9 -1 -9 9 -1 9 9 -1 -9\n"
        "implicit ball.sdf\nt -.4 2 -2 -.4 2 2 .4 2 2\nt -.4 2 -2 .4 2 2 .4 2 -2\n");
  ASSERT_EQ(run("shadow.shk --engine reference -o r.png -q").status, 0);
  ASSERT_EQ(run("shadow.shk --engine xphmg -o m.png -q").status, 0);
  EXPECT_LE(differing("m.png", "r.png", 6), 10);
  const report::Image image = report::readImage(path("m.png"));
  const auto green = [&](int x, int y) {
    return int{image.rgb[3 * static_cast<std::size_t>(y * 32 + x) + 1]};
  };
  // Ambient light is 0: shadows are black. Middle of the ball: under the roof; beside: lit.
  EXPECT_EQ(green(16, 14), 0);
  EXPECT_GT(green(12, 13), 40);
  // The floor in front of the ball lies in its shadow, farther aside it does not.
  EXPECT_EQ(green(16, 22), 0);
  EXPECT_GT(green(3, 24), 40);
}

TEST_F(Implicit, SphereCutByAPlaneOfTrianglesShowsTheExactCircle) {
  write("unit.sdf", ".bounds -1.01 -1.01 -1.01 1.01 1.01 1.01\nOPSDFSphere f(1) var\nOPStop var\n");
  write("cut.shk",
        "w 128\nh 128\ne 0 0 10\nlo 0 0 0\nu 0 1 0\nimplicit unit.sdf\n"
        "t -4 -4 .6 4 -4 .6 4 4 .6\nt -4 -4 .6 4 4 .6 -4 4 .6\n");
  ASSERT_EQ(run("cut.shk --engine xphmg --set implicit.eps=1e-4 -o c.png --hits c.csv -q").status,
            0);
  int near = 0;
  for (const report::HitRow& row : report::readHits(path("c.csv"))) {
    // The plane z = 0.6 meets the ball in a circle of radius 0.8; the eye is 9.4 from the plane,
    // where a pixel is 9.4 / 128 wide.
    const double step = 9.4 / 128;
    const double x = (row.x + 0.5 - 64) * step;
    const double y = (row.y + 0.5 - 64) * step;
    const double r = std::sqrt(x * x + y * y);
    if (std::max(std::abs(x), std::abs(y)) > 3.9) continue;
    if (std::abs(r - 0.8) < step / 100) {
      ++near;
      continue;
    }
    EXPECT_EQ(row.prim, r < 0.8 ? 0 : row.prim == 2 ? 2 : 1) << row.x << "," << row.y;
    EXPECT_NE(row.prim, report::kMiss);
  }
  EXPECT_LT(near, 10);
}

TEST_F(Implicit, SpeedSettingsChangeNoByte) {
  for (const std::string engine : {"implicit", "xphmg"}) {
    const std::string scene = engine == "implicit" ? "alone.shk" : "mixed.shk";
    const std::string base = scene + " --engine " + engine + " -q ";
    ASSERT_EQ(run(base + "-o a.png --stats a.json --hits a.csv").status, 0);
    ASSERT_EQ(run(base + "-o b.png --stats b.json --hits b.csv --set implicit.dmi=off --set "
                         "implicit.quantum_us=0.1")
                  .status,
              0);
    EXPECT_EQ(slurp(path("a.png")), slurp(path("b.png"))) << engine;
    EXPECT_EQ(slurp(path("a.csv")), slurp(path("b.csv"))) << engine;
    EXPECT_EQ(comparableStats("a.json"), comparableStats("b.json")) << engine;
  }
}

TEST_F(Implicit, ColoursComeFromTheTapeUnlessSwitchedOff) {
  ASSERT_EQ(run("alone.shk --engine implicit -o a.png -q").status, 0);
  ASSERT_EQ(run("alone.shk --engine reference -o r.png -q").status, 0);
  ASSERT_EQ(run("alone.shk --engine implicit --set implicit.materials=off -o b.png -q").status, 0);
  EXPECT_LE(differing("a.png", "r.png", 6), 30);
  EXPECT_GT(differing("a.png", "b.png", 20), 100);
}

TEST_F(Implicit, TapeFileIsAScene) {
  ASSERT_EQ(run("ball.sdf --engine implicit --size 24x24 -o a.png -q").status, 0);
  const Outcome info = run("scene-info ball.sdf --engine implicit");
  EXPECT_EQ(info.status, 0);
  EXPECT_TRUE(contains(info.out, "implicit surfaces 1;")) << info.out;
}

TEST_F(Implicit, SeveralHostsAndSamples) {
  ASSERT_EQ(run("mixed.shk --engine xphmg -o a.png -q --spp 4").status, 0);
  ASSERT_EQ(run("mixed.shk --engine xphmg -o b.png -q --spp 4 --hosts 2").status, 0);
  EXPECT_EQ(differing("a.png", "b.png", 2), 0);
}

TEST_F(Implicit, RefusalsAreLocatedAndSayWhatToDo) {
  write("bad.sdf", "OPMinFloat var var\nOPStop var\n");
  write("bad.shk", "implicit bad.sdf\n");
  std::string text = ".bounds -1 -1 -1 1 1 1\nOPSDFSphere f(0.5) var\n";
  for (int k = 0; k < 300; ++k) text += "OPAddFloatFloat var f(0)\n";
  write("long.sdf", text + "OPStop var\n");
  write("long.shk", "implicit long.sdf\n");
  const struct {
    std::string arguments;
    int status;
    std::string part;
  } cases[] = {
      {"bad.shk --engine implicit", 2, "bad.sdf:1:"},
      {"mixed.shk --engine implicit", 2, "one of engine = tigershark, theia, xphmg"},
      {"alone.shk --engine reference --seed-compat", 2, "alone.shk:7:1: "},
      {"mixed.shk --engine theia --shade theia", 2, "mixed.shk:13:1: "},
      {"long.shk --engine implicit --set implicit.mode=seed", 2,
       "long.shk:1:1: long.sdf: found 302"},
      {"alone.shk --engine implicit --set implicit.smooth_prune=off", 2, "implicit options: "},
      {"alone.shk --engine implicit --set implicit.leaf_lines=3", 2, "implicit options: "},
      {"alone.shk --engine implicit --set implicit.memory_mib=1", 2, "implicit.memory_mib: "},
      // Found out by the unit itself.
      {std::string(RTVP_SOURCE_DIR) +
           "/scenes/implicit_bear.shk --engine implicit --set implicit.memory_mib=2 --size 8x8",
       3, "object 0 (bear.vm): the leaf storage is too small"},
  };
  for (const auto& c : cases) {
    const Outcome o = run(c.arguments + " -o x.png -q");
    EXPECT_EQ(o.status, c.status) << c.arguments << o.err;
    EXPECT_TRUE(contains(o.err, c.part)) << c.arguments << ": " << o.err;
  }
}

TEST_F(Implicit, StatisticsAreExplained) {
  const Outcome o = run("--stats-help --engine implicit");
  EXPECT_EQ(o.status, 0);
  for (const char* const name :
       {"implicit_driver", "capped", "undefined", "task_kept", "covered"}) {
    EXPECT_TRUE(contains(o.out, name)) << name;
  }
}

}  // namespace
}  // namespace rtvp::test
