// --shade tigershark: surface shaders as firmware of the boards, through the executable. The
// pictures are those of the shading unit, and nothing that must not change them does.
#include "tests/platform/app/run_platform.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::test {
namespace {

class TigersharkShading : public PlatformTest {
 protected:
  void SetUp() override {
    PlatformTest::SetUp();
    // Marble on the left, squares of random grey on the right, a mirror (shaded by the host) below.
    write("a.shk", scene("marble", "squares"));
    write("marble.sl", slurp(RTVP_SOURCE_DIR "/tests/data/sl/marble.sl"));
    write(
        "squares.sl",
        "sl 1.0\nmovc x s0, xy\nli s1, 3\nmul s0, s0, s1\nfloor s2, s0\nsub s0, s0, s2\nli s1, "
        "0.5\n"
        "rnd s3\nblt s0, s1, 2\nmul s3, s3, s1\nrnd s2\ndp3 s2, N, L\nmul s3, s3, s2\nmul v0, C0, "
        "s3\n");
  }
  static std::string scene(const std::string& left, const std::string& right) {
    return "w 20\nh 16\nb 0.1 0.2 0.3\ne 0 1 6\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\nli -5 4 3 .3 .3 "
           ".4\n"
           "m .8 .7 .6 .8 .2 .2 5 .3 0 1\n"
           "t -4 -1 4  4 -1 4  0 -1 -6\n"
           "surface " +
           left +
           " C0 [0.9 0.8 0.7] C1 [0.2 0.2 0.3] s0 1.5 Kd 0.8\n"
           "t -2.5 -1 0  -.1 -1 0  -1.3 2 .3\n"
           "surface " +
           right +
           " C0 [0.3 0.9 0.4]\n"
           "t .1 -1 0  2.5 -1 0  1.3 2 .3\n";
  }
  void render(const std::string& name, const std::string& options) const {
    const Outcome r =
        run("a.shk --depth 2 -q -o " + name + ".png --stats " + name + ".json " + options);
    ASSERT_EQ(r.status, 0) << options << "\n" << r.err;
  }
  [[nodiscard]] std::uint64_t figure(const std::string& name, const char* group,
                                     const char* what) const {
    return json(name + ".json")
        .at("modules")
        .at("pc0")
        .at(group)
        .at(what)
        .to_number<std::uint64_t>();
  }
  void expectSamePicture(const std::string& a, const std::string& b) const {
    EXPECT_EQ(slurp(path(a + ".png")), slurp(path(b + ".png"))) << a << " " << b;
  }
};

TEST_F(TigersharkShading, PictureIsTheShadingUnits) {
  render("unit", "--shade sl --dsps 4");
  render("board", "--shade tigershark --dsps 4");
  const Outcome c = run("compare unit.png board.png --max-diff 1");
  EXPECT_EQ(c.status, 0) << c.out;
  EXPECT_GT(figure("board", "shading", "points"), 50U);
  EXPECT_EQ(figure("board", "shading", "over_budget"), 0U);
  EXPECT_GT(figure("board", "shading", "point_cycles"), 0U);
  EXPECT_GT(figure("board", "driver", "firmware_loads"), 1U);
}

// Each change of firmware resets the board; what it did before still counts.
TEST_F(TigersharkShading, StatisticsCoverTheWholeRun) {
  render("unit", "--shade sl --dsps 4");
  render("board", "--shade tigershark --dsps 4");
  const auto votes = [&](const std::string& name) {
    const auto document = json(name + ".json");
    const auto& board = document.at("modules").at("pc0").at("board0");
    return board.at("array").at("votes").to_number<std::uint64_t>();
  };
  EXPECT_GE(votes("board"), votes("unit"));
  EXPECT_GT(votes("unit"), 10U);
}

// What must not change the picture does not.
TEST_F(TigersharkShading, MachineDoesNotShowInThePicture) {
  render("plain", "--shade tigershark --dsps 4");
  const char* const options[] = {
      "--dsps 1",
      "--dsps 16",
      "--dsps 4 --boards 2",
      "--dsps 4 --set tigershark.double_buffer=on",
      "--dsps 4 --set tigershark.wait_states=2",
      "--dsps 4 --hosts 2",
  };
  for (const char* const o : options) {
    render("other", std::string("--shade tigershark ") + o);
    expectSamePicture("plain", "other");
  }
}

// Speed settings change no figure either.
TEST_F(TigersharkShading, EnginesAgreeInEveryFigure) {
  render("auto", "--shade tigershark --dsps 4");
  for (const char* const o : {"array.engine=scalar", "array.engine=simt", "array.timing=strict"}) {
    render("other", std::string("--shade tigershark --dsps 4 --set ") + o);
    expectSamePicture("auto", "other");
    EXPECT_EQ(comparableStats("auto.json"), comparableStats("other.json")) << o;
  }
}

TEST_F(TigersharkShading, RunawayProgramsStopAndAreCounted) {
  write("a.shk",
        "w 2\nh 1\nb 0 0 0\ne 0 0 6\nlo 0 0 0\nu 0 1 0\nli 5 8 6 1 1 1\nsurface forever\n"
        "t -9 -9 0  9 -9 0  0 9 0\n");
  write("forever.sl", "sl 1.0\nliv x v0, 1\njmp -1\n");
  render("board", "--shade tigershark --dsps 4");
  EXPECT_EQ(figure("board", "shading", "over_budget"), figure("board", "shading", "points"));
}

TEST_F(TigersharkShading, RefusesWhatBoardsCannotRun) {
  write("squares.sl", "sl 1.0\nnop\ntrace v0, Pw, N\n");
  Outcome r = run("a.shk -q --shade tigershark");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "a.shk:13:9: ")) << r.err;
  EXPECT_TRUE(contains(r.err, "instruction 1 (trace v0, Pw, N)")) << r.err;
  r = run("a.shk -q --shade tigershark --engine reference");
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "expected engine = tigershark")) << r.err;
}

}  // namespace
}  // namespace rtvp::test
