// The `implicit` statement of `.shk` files and tape files as scenes.
#include <cmath>
#include <numbers>
#include <optional>

#include "models/implicit/assembler.hpp"
#include "models/implicit/codec.hpp"
#include "platform/scene/describe.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

constexpr std::string_view kBall = ".bounds -1 -1 -1 1 1 1\nOPSDFSphere f(0.75) var\nOPStop var\n";

/// Loads scene.shk beside ball.sdf and the files of `more`.
struct Files {
  Folder folder;
  Files() { folder.write("ball.sdf", kBall); }
  [[nodiscard]] Scene load(std::string_view text) const {
    return scene::load(folder.write("scene.shk", text));
  }
  [[nodiscard]] std::string error(std::string_view text, const LoadOptions& options = {}) const {
    try {
      static_cast<void>(scene::load(folder.write("scene.shk", text), options));
    } catch (const SceneError& e) {
      std::string message = e.what();
      const std::string prefix = folder.path().string() + "/";
      for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
        message.erase(at, prefix.size());
      }
      return message;
    }
    return "";
  }
};

TEST(ImplicitScene, StatementIsOnePrimitiveWithTheCurrentMaterial) {
  const Files files;
  const Scene s = files.load(
      "t 0 0 0 1 0 0 0 1 0\nm 1 0 0 .8 .2 .2 5 0 0 1\nimplicit ball.sdf\n"
      "m 0 1 0 .8 .2 .2 5 0 0 1\nimplicit \"ball.sdf\"\nsphere 0 0 0 1\n");
  ASSERT_EQ(s.elements.size(), 3U + 1U);
  EXPECT_EQ(s.primitiveCount, 4U);
  EXPECT_EQ(s.counts.implicits, 2U);
  EXPECT_EQ(s.elements[1].kind, Element::Kind::Implicit);
  EXPECT_EQ(s.elements[1].primitive, 1U);
  EXPECT_EQ(s.elements[2].index, 1U);
  EXPECT_EQ(s.materials[s.elements[2].material].color, (Vec3{0, 1, 0}));
}

TEST(ImplicitScene, QuotedFileNameMayBeFollowedByKeywords) {
  const Files files;
  const Scene s = files.load("implicit \"ball.sdf\" at 1 2 3 # moved\n");
  expectNear(s.implicits[0].placement.origin(), {1, 2, 3}, 0);
}

TEST(ImplicitScene, FileNamedTwiceIsReadOnce) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf\nimplicit ball.sdf at 1 0 0\n");
  EXPECT_EQ(s.implicits[0].model, s.implicits[1].model);
}

TEST(ImplicitScene, PlacementScalesTurnsAboutXThenYThenZAndMoves) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf at 10 20 30 scale 1 2 3 turn 90 0 90\n");
  const Placement& p = s.implicits[0].placement;
  // x: stays under the turn about x, becomes y about z; y: becomes z; z: becomes -y, then x.
  expectNear(p.toWorld({1, 0, 0}), {10, 21, 30}, 1e-12);
  expectNear(p.toWorld({0, 1, 0}), {10, 20, 32}, 1e-12);
  expectNear(p.toWorld({0, 0, 1}), {13, 20, 30}, 1e-12);
  expectNear(p.toObject(p.toWorld({0.3, -0.4, 0.7})), {0.3, -0.4, 0.7}, 1e-12);
}

TEST(ImplicitScene, NormalUsesTheInverseTranspose) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf scale 4 1 1\n");
  // The ellipsoid's normal at (4 * 0.6, 0.8, 0) * 0.75.
  const Vec3 expected = unit({0.6 / 4, 0.8, 0});
  expectNear(s.geometricNormal(0, {4 * 0.6 * 0.75, 0.8 * 0.75, 0}), expected, 1e-6);
}

TEST(ImplicitScene, BoundsOfTheWorldHoldTheTurnedBox) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf at 0 0 5 turn 0 0 45\n");
  expectNear(s.bounds().lo, {-std::numbers::sqrt2, -std::numbers::sqrt2, 4}, 1e-12);
  expectNear(s.bounds().hi, {std::numbers::sqrt2, std::numbers::sqrt2, 6}, 1e-12);
}

TEST(ImplicitScene, BoundsOfTheStatementReplaceThoseOfTheFile) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf bounds -2 -3 -4 2 3 4 lipschitz 2.5\n");
  EXPECT_EQ(s.implicits[0].lo, (Vec3{-2, -3, -4}));
  EXPECT_EQ(s.implicits[0].hi, (Vec3{2, 3, 4}));
  EXPECT_EQ(s.implicits[0].lipschitz, 2.5);
}

TEST(ImplicitScene, AnExpressionFileIsClosedByItsBoxAndItsSlopeIsNotKnown) {
  const Files files;
  files.folder.write("half.vm", "x var-x\nh const 0.25\nf sub x h\n");
  const Scene s = files.load(
      "implicit half.vm\nimplicit half.vm lipschitz 1\n"
      "implicit half.vm bounds -2 -2 -2 2 2 2\n");
  EXPECT_FALSE(s.implicits[0].lipschitz);
  EXPECT_EQ(s.implicits[1].lipschitz, 1.0);
  // x < 1/4 within the cube, whose faces are surfaces then.
  EXPECT_GT(s.implicits[0].hi.x, 1.0);
  EXPECT_EQ(s.implicits[0].model->value({-1, 0, 0}), 0);
  EXPECT_LT(s.implicits[0].model->value({-0.9, 0, 0}), 0);
  EXPECT_GT(s.implicits[0].model->value({0, 1.01, 0}), 0);
  EXPECT_LT(s.implicits[1].model->value({0, 1.01, 0}), 0);
  EXPECT_EQ(s.implicits[2].model->value({0, -2, 0}), 0);
  EXPECT_EQ(files.load("implicit ball.sdf\n").implicits[0].lipschitz, 1.0);
}

TEST(ImplicitScene, ViewIsUndoneInTheOrderOfTheExpressionFiles) {
  const Files files;
  const Scene s = files.load("implicit ball.sdf view 0.5 30 20\n");
  // Model point = Rz(roll) * Rx(pitch) * (screen point / scale).
  const double p = 30 * std::numbers::pi / 180;
  const double r = 20 * std::numbers::pi / 180;
  const Vec3 screen{0.1, -0.2, 0.3};
  const Vec3 a = screen * 2;
  const Vec3 b{a.x, std::cos(p) * a.y - std::sin(p) * a.z, std::sin(p) * a.y + std::cos(p) * a.z};
  const Vec3 c{std::cos(r) * b.x - std::sin(r) * b.y, std::sin(r) * b.x + std::cos(r) * b.y, b.z};
  expectNear(s.implicits[0].placement.toObject(screen), c, 1e-12);
}

TEST(ImplicitScene, ObjectSpaceActsOnThePlacement) {
  const Files files;
  const Scene s = files.load("object 1 2 3 2 90\nimplicit ball.sdf at 1 0 0\n");
  expectNear(s.implicits[0].placement.toWorld({1, 0, 0}), {1, 2, 3 - 4}, 1e-12);
}

TEST(ImplicitScene, TapeAloneIsASceneWithAFittedCamera) {
  const Folder folder;
  const Scene s = load(folder.write("ball.SDF", kBall));
  EXPECT_EQ(s.counts.implicits, 1U);
  EXPECT_EQ(s.lights.size(), 2U);
  EXPECT_EQ(s.width, 512);
  expectNear(s.camera.lookAt, {0, 0, 0}, 1e-12);
  EXPECT_GT(length(s.camera.eye), 1.5);
}

TEST(ImplicitScene, BinaryTapesHoldSeveralObjects) {
  const Files files;
  std::vector<implicit::Tape> tapes;
  for (const char* const radius : {"0.5", "0.25"}) {
    const auto result = implicit::assemble("t", ".bounds -1 -1 -1 1 1 1\nOPSDFSphere f(" +
                                                    std::string(radius) + ") var\nOPStop var\n");
    ASSERT_TRUE(result.tape) << result.report();
    tapes.push_back(*result.tape);
  }
  const std::vector<std::uint8_t> bytes = implicit::writeFile(implicit::encode(tapes));
  files.folder.write("two.sdft", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const Scene s = files.load("implicit two.sdft\nimplicit two.sdft object 1\n");
  EXPECT_NEAR(s.implicits[0].model->value({1, 0, 0}), 0.5, 1e-6);
  EXPECT_NEAR(s.implicits[1].model->value({1, 0, 0}), 0.75, 1e-6);
  EXPECT_EQ(files.error("implicit two.sdft object 2\n"),
            "two.sdft: found 2 objects, expected one of number 2");
}

TEST(ImplicitScene, ExpressionFilesAreRead) {
  const Files files;
  files.folder.write("disc.vm",
                     "x var-x\ny var-y\nxx square x\nyy square y\ns add xx yy\nr sqrt s\n"
                     "c const 0.5\nf sub r c\n");
  const Scene s =
      files.load("implicit disc.vm lipschitz 1\nimplicit disc.vm extrude 0.125 lipschitz 1\n");
  EXPECT_NEAR(s.implicits[0].model->value({0.3, 0.4, 5}), 0, 1e-6);
  EXPECT_EQ(s.implicits[0].lo, (Vec3{-1, -1, -1}));
  const ImplicitModel& solid = *s.implicits[1].model;
  EXPECT_NEAR(solid.value({0.6, 0.8, 0}), 0.5, 1e-6);
  EXPECT_NEAR(solid.value({0, 0, -0.25}), 0.125, 1e-6);
  EXPECT_NEAR(solid.value({0, 0, 0}), -0.125, 1e-6);
  expectNear(s.geometricNormal(1, {0, 0, 0.125}), {0, 0, 1}, 1e-6);
  EXPECT_EQ(files.error("implicit disc.vm extrude 0\n").substr(0, 35),
            "scene.shk:1:26: found half a thickn");
  const Scene part = files.load("implicit disc.vm clip -.25 -1 -1 1 1 1\n");
  EXPECT_NEAR(part.implicits[0].model->value({-0.3, 0, 0}), 0.05, 1e-6);
  EXPECT_LT(part.implicits[0].lo.x, -0.25);
  files.folder.write("bad.vm", "x var-x\ny nosuch x\n");
  EXPECT_EQ(files.error("implicit bad.vm\n").substr(0, 11), "bad.vm:2:3:");
}

TEST(ImplicitScene, BoundsOfAViewHoldTheDrawnCube) {
  const Files files;
  files.folder.write("x.vm", "x var-x\n");
  const Scene s = files.load("implicit x.vm view 0.5 0 45 lipschitz 1\n");
  expectNear(s.implicits[0].hi, {2 * std::numbers::sqrt2, 2 * std::numbers::sqrt2, 2}, 1e-12);
}

TEST(ImplicitScene, FarQueryBoundsTapesWithoutBounds) {
  const Files files;
  files.folder.write("moved.sdf",
                     "OPAddVec3Vec3 var v3(3,0,0)\nOPSDFSphere f(0.5) var\nOPStop var\n");
  const Scene s = files.load("implicit moved.sdf\n");
  expectNear(s.implicits[0].lo, {-3.5, -0.5, -0.5}, 1e-2);
  expectNear(s.implicits[0].hi, {-2.5, 0.5, 0.5}, 1e-2);
  EXPECT_LE(s.implicits[0].lo.x, -3.5);
  files.folder.write("no.sdf", "OPDotVec3 var v3(1,0,0)\nOPStop var\n");
  EXPECT_EQ(files.error("implicit no.sdf\n").substr(0, 32), "scene.shk:1:1: found no bounds (");
}

TEST(ImplicitScene, ColoursOfTheTapeAreBlended) {
  const Files files;
  files.folder.write("two.sdf",
                     ".bounds -2 -1 -1 2 1 1\n.material 0 1 0 0\n.material 1 0 0 1\n"
                     "OPDupVec3 var\nOPAddVec3Vec3 var v3(1,0,0)\nOPSDFSphere f(0.75) var\n"
                     "OPAddVec3Vec3 var v3(-1,0,0)\n"
                     "OPSDFSphere f(0.75) var\nOPMinMaterialFloat var var\nOPStop var\n");
  const Scene s = files.load("implicit two.sdf\n");
  EXPECT_EQ(s.implicits[0].color({-1, 0, 0.75}), std::optional(Vec3{1, 0, 0}));
  EXPECT_EQ(s.implicits[0].color({1, 0, 0.75}), std::optional(Vec3{0, 0, 1}));
  EXPECT_EQ(files.load("implicit ball.sdf\n").implicits[0].color({0, 0, 0.75}), std::nullopt);
}

TEST(ImplicitScene, LongTapesAreRead) {
  const Files files;
  std::string text = ".bounds -1 -1 -1 1 1 1\nOPSDFSphere f(0.5) var\n";
  for (int k = 0; k < 400; ++k) text += "OPAddFloatFloat var f(0)\n";
  files.folder.write("long.sdf", text + "OPStop var\n");
  EXPECT_EQ(files.load("implicit long.sdf\n").implicits[0].model->instructions(), 402U);
}

TEST(ImplicitScene, DescriptionCountsThem) {
  const Files files;
  const std::string text =
      toText(describe(files.load("implicit ball.sdf\nimplicit ball.sdf at 3 0 0\n")));
  EXPECT_NE(text.find("implicit surfaces 2;"), std::string::npos) << text;
  EXPECT_NE(text.find("  ball.sdf: 2 instructions, bounds -1 -1 -1 to 1 1 1\n"), std::string::npos)
      << text;
}

TEST(ImplicitScene, ErrorsAreLocated) {
  const Files files;
  files.folder.write("bad.sdf", "OPSDFSphere f(0.5) var\n  OPNoSuch var\nOPStop var\n");
  files.folder.write("under.sdf", "OPMinFloat var var\nOPStop var\n");
  files.folder.write("open.sdf", "OPSDFSphere f(0.5) var\nOPStop var\n");
  files.folder.write("junk.sdft", "SDFT\x01");
  files.folder.write("a.txt", "x");
  const struct {
    std::string_view line;
    std::string_view start;
  } cases[] = {
      {"implicit\n", "scene.shk:1:9: found the end of the line, expected a file name"},
      {"implicit none.sdf\n", "scene.shk:1:10: found 'none.sdf', expected a file that exists"},
      {"implicit a.txt\n", "a.txt: found the extension '.txt', expected .sdf, .sdft or"},
      {"implicit bad.sdf\n", "bad.sdf:2:3: "},
      {"implicit under.sdf\n", "under.sdf:1:"},
      {"implicit junk.sdft\n", "junk.sdft: "},
      {"implicit ball.sdf here 1 2 3\n", "scene.shk:1:19: found 'here', expected at, turn"},
      {"implicit ball.sdf at 1 2\n", "scene.shk:1:25: found the end of the line, expected where"},
      {"implicit ball.sdf at 1 2 3 at 1 2 3\n", "scene.shk:1:28: found 'at' again"},
      {"implicit ball.sdf scale 0\n", "scene.shk:1:25: found a scale out of range"},
      {"implicit ball.sdf scale 1 2\n", "scene.shk:1:28: found the end of the line"},
      {"implicit ball.sdf bounds 0 0 0 1 0 1\n", "scene.shk:1:34: found bounds whose largest"},
      {"implicit ball.sdf lipschitz -1\n", "scene.shk:1:29: found a Lipschitz constant out"},
      {"implicit ball.sdf object 1.5\n", "scene.shk:1:26: found '1.5'"},
      {"implicit ball.sdf at 1e300 0 0\n", "scene.shk:1:22: found "},
      {"implicit \"ball.sdf at 0 0 0\n", "scene.shk:1:10: found '\"ball.sdf at 0 0 0', expected a"},
  };
  for (const auto& c : cases) {
    const std::string message = files.error(c.line);
    EXPECT_EQ(message.substr(0, c.start.size()), c.start) << c.line;
  }
}

TEST(ImplicitScene, AMissingFileIsNamedWhole) {
  const Folder folder;
  const std::string deep(40, 'd');
  std::filesystem::create_directory(folder.path() / deep);
  const auto scene = folder.write(deep + "/scene.shk", "implicit none.sdf\n");
  try {
    static_cast<void>(load(scene));
    FAIL() << "it loads";
  } catch (const SceneError& e) {
    EXPECT_NE(std::string(e.what()).find(deep + "/none.sdf', expected a file that exists"),
              std::string::npos)
        << e.what();
  }
}

TEST(ImplicitScene, StrictModeRefusesIt) {
  const Files files;
  EXPECT_EQ(files.error("implicit ball.sdf\n", kStrict).substr(0, 22), "scene.shk:1:1: found '");
}

}  // namespace
}  // namespace rtvp::scene::test
