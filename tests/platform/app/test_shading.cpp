// Scenes with surface shaders through the executable: three engines and one shading unit give one
// picture; options, statistics, and what is wrong with a shader.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "platform/report/hits.hpp"
#include "platform/report/image.hpp"
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

const std::string kBalls = RTVP_SOURCE_DIR "/scenes/shaderball.shk";
constexpr const char* kOneBall =
    "w 24\nh 24\nb .1 .2 .3\ne 0 0 5\nlo 0 0 0\nli 4 5 6 1 1 1\nli -5 2 4 .4 .4 .5\n";
constexpr const char* kSphere = "sphere 0 0 0 1.5\n";

class Shading : public PlatformTest {
 protected:
  /// Leaves NAME.png, NAME.csv, NAME.json.
  void render(const std::string& name, const std::string& arguments) const {
    const Outcome r = run(arguments + " -q -o " + name + ".png --hits " + name + ".csv --stats " +
                          name + ".json");
    ASSERT_EQ(r.status, 0) << arguments << "\n" << r.err;
  }
  void ball(const std::string& name, const std::string& source,
            const std::string& tokens = "") const {
    write(name + ".sl", "sl 1.0\n" + source);
    write(name + ".shk", kOneBall + ("surface " + name + " " + tokens + "\n") + kSphere);
  }
  [[nodiscard]] std::array<int, 3> pixel(const std::string& picture, int x, int y) const {
    const report::Image image = report::readImage(path(picture));
    const auto p = image.pixel(x, y);
    return {p[0], p[1], p[2]};
  }
  [[nodiscard]] std::uint64_t figure(const std::string& stats, const std::string& module,
                                     const std::string& name) const {
    return json(stats).at("modules").at("pc0").at(module).at(name).to_number<std::uint64_t>();
  }
};

/// An edge of a shader, shadow or reflection passes through the pixel: the reference's picture
/// changes there by more than smooth shading does.
bool onEdge(const report::Image& image, int x, int y) {
  constexpr int kStep = 12;
  std::array<int, 3> lo{255, 255, 255};
  std::array<int, 3> hi{};
  for (int j = std::max(y - 1, 0); j <= std::min(y + 1, image.height - 1); ++j) {
    for (int i = std::max(x - 1, 0); i <= std::min(x + 1, image.width - 1); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        lo[c] = std::min<int>(lo[c], image.pixel(i, j)[c]);
        hi[c] = std::max<int>(hi[c], image.pixel(i, j)[c]);
      }
    }
  }
  return hi[0] - lo[0] > kStep || hi[1] - lo[1] > kStep || hi[2] - lo[2] > kStep;
}

TEST_F(Shading, TheShaderBallsLookAlikeWhateverMachineFindsTheHits) {
  // Spheres as triangles, so that every machine sees the same surface.
  const std::string kSize = " --size 56x56 --set scene.tessellate=all";
  render("reference", kBalls + kSize + " --engine reference");
  const report::Image right = report::readImage(path("reference.png"));
  const report::HitDump rightHits = report::readHits(path("reference.csv"));
  ASSERT_GT(figure("reference.json", "shaders", "rays"), 500U);
  for (const std::string engine : {"tigershark", "xphmg"}) {
    render(engine, kBalls + kSize + " --engine " + engine);
    const report::Image image = report::readImage(path(engine + ".png"));
    const report::HitDump hits = report::readHits(path(engine + ".csv"));
    ASSERT_EQ(hits.size(), rightHits.size());
    int same = 0;
    int onEdges = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i].prim != rightHits[i].prim) continue;
      ++same;
      int worst = 0;
      const auto a = image.pixel(hits[i].x, hits[i].y);
      const auto b = right.pixel(hits[i].x, hits[i].y);
      for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(a[c] - b[c]));
      if (worst <= 1) continue;
      ++onEdges;
      EXPECT_TRUE(onEdge(right, hits[i].x, hits[i].y))
          << engine << " at " << hits[i].x << ", " << hits[i].y << ": " << worst;
    }
    EXPECT_GT(same, 56 * 56 * 99 / 100) << engine;
    EXPECT_LE(onEdges, 56 * 56 / 100) << engine;
    // The same programs ran; edges of objects may move a few hits.
    EXPECT_NEAR(static_cast<double>(figure(engine + ".json", "sl", "runs")),
                static_cast<double>(figure("reference.json", "sl", "runs")), 40);
  }
}

TEST_F(Shading, SpheresNeedNoTriangles) {
  render("reference", kBalls + " --size 40x40 --engine reference");
  render("tigershark", kBalls + " --size 40x40 --engine tigershark");
  const Outcome r = run("compare tigershark.png reference.png --max-diff 1");
  EXPECT_EQ(r.status, 0) << r.out;
}

TEST_F(Shading, TheProgramsColourIsThePictures) {
  // One run a light: 0.25 and 0.25. No light of the scene enters.
  ball("flat", "liv r v0, 0.25\nliv g v0, 0.1\n");
  render("a", "flat.shk --engine reference");
  EXPECT_EQ(pixel("a.png", 12, 12), (std::array{128, 51, 0}));
  EXPECT_EQ(pixel("a.png", 0, 0), (std::array{26, 51, 77}));
  EXPECT_EQ(figure("a.json", "shaders", "runs"), 2 * figure("a.json", "shaders", "hits"));
  EXPECT_EQ(figure("a.json", "sl", "runs"), figure("a.json", "shaders", "runs"));
}

TEST_F(Shading, ATraceCountsOnceWhateverTheNumberOfLights) {
  // The ray leaves along N and sees the background.
  ball("look", "trace v0, Pw, N\n");
  render("a", "look.shk --engine reference");
  EXPECT_EQ(pixel("a.png", 12, 12), (std::array{26, 51, 77}));
  EXPECT_EQ(figure("a.json", "shaders", "rays"), figure("a.json", "shaders", "hits"));
  render("b", "look.shk --engine reference --depth 1");
  EXPECT_EQ(pixel("b.png", 12, 12), (std::array{0, 0, 0}));
  EXPECT_EQ(figure("b.json", "shaders", "rays"), 0U);
}

TEST_F(Shading, RaysOfShadersEndAtTheDepthLimit) {
  // Two mirrors face each other: each level adds 0.1, and a miss would add the blue background.
  write("hall.sl", "sl 1.0\ntrace r0, Pw, N\nliv r v0, 0.1\nadd v0, v0, r0\n");
  write("hall.shk",
        "w 4\nh 4\nb 0 0 1\ne 0 0 1\nlo 0 0 0\nsurface hall\nt -9 -9 0 9 -9 0 0 9 0\n"
        "t -9 -9 5 0 9 5 9 -9 5\n");
  for (const auto& [depth, red] : {std::pair{1, 26}, std::pair{3, 77}, std::pair{5, 128}}) {
    render("a", "hall.shk --engine reference --depth " + std::to_string(depth));
    EXPECT_EQ(pixel("a.png", 2, 2), (std::array{red, 0, 0})) << depth;
  }
}

TEST_F(Shading, WithoutALightTheProgramRunsOnceInTheDark) {
  write("dark.sl",
        "sl 1.0\nsub r0, L, N\ndp3 s0, r0, r0\nlc r v0, s0\nmov r1, dE\n"
        "liv g v0, 0.5\nadd v0, v0, r1\n");
  write("dark.shk", std::string("w 8\nh 8\ne 0 0 5\nb 0 0 0\nsurface dark\n") + kSphere);
  render("a", "dark.shk --engine reference");
  EXPECT_EQ(pixel("a.png", 4, 4), (std::array{0, 128, 0}));
}

TEST_F(Shading, RunawaysStopAndAreCountedInTheSummary) {
  ball("loop", "liv r v0, 1.0\njmp -1\n");
  const Outcome r = run("loop.shk --size 4x4 --engine reference -o a.png --stats a.json");
  ASSERT_EQ(r.status, 0) << r.err;
  const std::uint64_t runs = figure("a.json", "sl", "runs");
  EXPECT_GT(runs, 0U);
  EXPECT_EQ(figure("a.json", "sl", "over_budget"), runs);
  EXPECT_TRUE(contains(r.out, std::to_string(runs) + " runs over the budget")) << r.out;
  EXPECT_EQ(pixel("a.png", 2, 2), (std::array{0, 0, 0}));
}

TEST_F(Shading, LanesThatAreNotFiniteAreBlackAndCounted) {
  ball("nan", "li s0, 0.0\ndiv s1, s0, s0\nlc r v0, s1\nliv g v0, 0.5\n");
  const Outcome r = run("nan.shk --size 4x4 --engine reference -o a.png --stats a.json");
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(figure("a.json", "shaders", "non_finite"), figure("a.json", "shaders", "runs"));
  EXPECT_EQ(pixel("a.png", 2, 2), (std::array{0, 255, 0}));
  EXPECT_TRUE(contains(r.out, "lanes not finite")) << r.out;
}

TEST_F(Shading, ABadShaderNamesTheScenesLineAndItsOwn) {
  ball("bad", "li s0, 1.0\nmul x,y,z\n");
  Outcome r = run("bad.shk --engine reference -o a.png");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "bad.shk:8:9: found the shader 'bad'")) << r.err;
  EXPECT_TRUE(contains(r.err, "bad.sl:3:")) << r.err;
  write("none.shk", kOneBall + std::string("surface fog\n") + kSphere);
  r = run("none.shk --engine reference -o a.png");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "none.shk:8:9: found 'fog'")) << r.err;
  EXPECT_FALSE(std::filesystem::exists(path("a.png")));
}

TEST_F(Shading, ADamagedFileNeverRuns) {
  ball("good", "liv r v0, 0.5\nliv g v0, 0.5\n");
  const Outcome as = runTool("sl-as", "-o file.slc good.sl");
  ASSERT_EQ(as.status, 0) << as.err;
  const std::string bytes = slurp(path("file.slc"));
  write("file.shk", kOneBall + std::string("surface file\n") + kSphere);
  render("a", "file.shk --engine reference");
  render("b", "good.shk --engine reference");
  EXPECT_TRUE(slurp(path("a.png")) == slurp(path("b.png")));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write("file.slc", damaged);
    const Outcome r = run("file.shk --engine reference -q -o c.png");
    EXPECT_EQ(r.status, 2) << at;
    EXPECT_TRUE(contains(r.err, "file.shk:8:9: found the shader 'file'")) << at << r.err;
  }
}

TEST_F(Shading, ProgramsMustFitTheStore) {
  ball("long", "nop\nnop\nnop\nnop\n");
  const Outcome r = run("long.shk --engine reference --set sl.program_words=3 -o a.png");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "sl.program_words: found 3, expected at least 4")) << r.err;
}

TEST_F(Shading, TheShaderPathIsAnOptionAndAnEnvironmentVariable) {
  std::filesystem::create_directory(path("far"));
  write("far/far.sl", "sl 1.0\nliv r v0, 0.5\n");
  write("far.shk", kOneBall + std::string("surface far\n") + kSphere);
  EXPECT_EQ(run("far.shk --engine reference -o a.png").status, 2);
  EXPECT_EQ(run("far.shk --engine reference --set sl.shader_path=far -o a.png").status, 0);
  setenv("LRT_SHADER", path("far").c_str(), 1);
  EXPECT_EQ(run("far.shk --engine reference -o a.png").status, 0);
  unsetenv("LRT_SHADER");
}

TEST_F(Shading, TimeIsAParameterAndThePictureIsNot) {
  const std::string scene = kBalls + " --size 24x24 --engine reference";
  render("a", scene);
  render("b", scene + " --set sl.pipelines=1 --set sl.cache_lines=0 --set sl.cycles.pow_Sss=100");
  render("c", scene + " --hosts 3");
  EXPECT_TRUE(slurp(path("a.png")) == slurp(path("b.png")));
  EXPECT_TRUE(slurp(path("a.png")) == slurp(path("c.png")));
  const auto time = [&](const std::string& name) {
    return json(name).at("simulated_time_ps").to_number<double>();
  };
  EXPECT_GT(time("b.json"), 1.5 * time("a.json"));
  EXPECT_LT(time("c.json"), time("a.json"));
  render("d", scene);
  EXPECT_EQ(comparableStats("a.json"), comparableStats("d.json"));
}

}  // namespace
}  // namespace rtvp::test
