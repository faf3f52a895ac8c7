// The shipped scenes: what they hold, and what `describe` says about them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "platform/scene/describe.hpp"
#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

struct Shipped {
  const char* file;
  PrimitiveCounts counts;
  std::size_t lights;
};

// scenes/README.md.
const Shipped kShipped[] = {
    {"bunny.obj", {.triangles = 3674}, 2},
    {"bunny.shk", {.triangles = 3674}, 2},
    {"bunny_n.shk", {.triangles = 3674}, 2},
    {"teapot.obj", {.triangles = 992}, 2},
    {"teapot.shk", {.triangles = 992}, 2},
    {"teapot_n.shk", {.triangles = 992}, 2},
    {"wuson.obj", {.triangles = 3732}, 2},
    {"wuson.shk", {.triangles = 3732}, 2},
    {"cornell.obj", {.triangles = 32}, 2},
    {"cornell.shk", {.triangles = 32}, 1},
    {"spd_tetra_4.shk", {.triangles = 256}, 1},
    {"spheres.shk", {.triangles = 4066, .spheres = 3}, 3},
    {"shaderball.shk", {.triangles = 3266, .spheres = 12}, 2},
    {"teapot_sl.shk", {.triangles = 4962, .spheres = 4}, 2},
    {"marble_teapot.shk", {.triangles = 1330}, 2},
    {"spd_balls_2.nff", {.spheres = 91, .polygons = 1}, 3},
    {"spd_balls_4.nff", {.spheres = 7381, .polygons = 1}, 3},
    {"spd_tetra_4.nff", {.triangles = 256}, 1},
    {"spd_tetra_6.nff", {.triangles = 4096}, 1},
    {"spd_gears_1.nff", {.polygons = 147}, 5},
    {"spd_gears_2.nff", {.polygons = 1169}, 5},
    {"spd_mount_3.nff", {.triangles = 128, .spheres = 4}, 1},
    {"spd_mount_6.nff", {.triangles = 8192, .spheres = 4}, 1},
    {"spd_rings_1.nff", {.spheres = 30, .polygons = 1, .cylinders = 30}, 3},
    {"spd_rings_4.nff", {.spheres = 900, .polygons = 1, .cylinders = 900}, 3},
    {"spd_tree_5.nff", {.spheres = 63, .polygons = 1, .cones = 63}, 7},
    {"spd_tree_9.nff", {.spheres = 1023, .polygons = 1, .cones = 1023}, 7},
    {"spd_teapot_3.nff", {.polygons = 9, .patches = 552}, 2},
};

class ShippedScene : public testing::TestWithParam<Shipped> {};

void expectSound(const Scene& s) {
  std::uint32_t last = 0;
  for (std::uint32_t k = 0; k < s.elements.size(); ++k) {
    const Element& e = s.elements[k];
    ASSERT_GE(e.primitive, last);
    last = e.primitive;
    ASSERT_LT(e.material, s.materials.size());
    if (e.kind == Element::Kind::Sphere) {
      ASSERT_LT(e.index, s.spheres.size());
      continue;
    }
    ASSERT_LT(e.index, s.triangles.size());
    const Triangle& t = s.triangles[e.index];
    ASSERT_NEAR(length(s.geometricNormal(k, t.v[0])), 1, 1e-9);
    if (!t.smooth) continue;
    for (const Vec3& n : t.n) ASSERT_NEAR(length(n), 1, 1e-9);
  }
  EXPECT_LT(last, s.primitiveCount);
}

TEST_P(ShippedScene, HoldsWhatItsReadmeSays) {
  const Shipped& expected = GetParam();
  const Scene s = load(shipped(expected.file));
  EXPECT_EQ(s.counts.triangles, expected.counts.triangles);
  EXPECT_EQ(s.counts.spheres, expected.counts.spheres);
  EXPECT_EQ(s.counts.polygons, expected.counts.polygons);
  EXPECT_EQ(s.counts.patches, expected.counts.patches);
  EXPECT_EQ(s.counts.cones, expected.counts.cones);
  EXPECT_EQ(s.counts.cylinders, expected.counts.cylinders);
  EXPECT_EQ(s.counts.dropped, 0U);
  EXPECT_EQ(s.lights.size(), expected.lights);
  EXPECT_TRUE(s.warnings.empty()) << s.warnings.front();
  expectSound(s);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedScene, testing::ValuesIn(kShipped), [](const auto& scene) {
  std::string name = scene.param.file;
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

TEST(ShippedScenes, ThoseOf1996LoadInStrictMode) {
  for (const char* name : {"bunny.shk", "bunny_n.shk", "cornell.shk", "spd_tetra_4.shk",
                           "teapot.shk", "teapot_n.shk", "wuson.shk"}) {
    const Scene strict = load(shipped(name), kStrict);
    const Scene loose = load(shipped(name));
    ASSERT_EQ(strict.elements.size(), loose.elements.size()) << name;
    for (std::size_t k = 0; k < strict.triangles.size(); ++k) {
      ASSERT_EQ(strict.triangles[k].v, loose.triangles[k].v);
    }
  }
  EXPECT_THROW(static_cast<void>(load(shipped("spheres.shk"), kStrict)), SceneError);
}

TEST(ShippedScenes, TessellatedTheyAreTrianglesOnly) {
  for (const char* name : {"spd_balls_2.nff", "spd_tree_5.nff", "spd_rings_1.nff", "spheres.shk"}) {
    const Scene native = load(shipped(name));
    const Scene s = load(shipped(name), {.segments = 12, .tessellateAll = true});
    EXPECT_TRUE(s.spheres.empty());
    EXPECT_EQ(s.primitiveCount, native.primitiveCount);
    EXPECT_EQ(s.triangles.size(), s.elements.size());
    expectSound(s);
  }
}

TEST(ShippedScenes, SmoothTeapotHasTheFlatTeapotsTriangles) {
  const Scene flat = load(shipped("teapot.shk"));
  const Scene smooth = load(shipped("teapot_n.shk"));
  ASSERT_EQ(flat.triangles.size(), smooth.triangles.size());
  for (std::size_t k = 0; k < flat.triangles.size(); ++k) {
    EXPECT_EQ(flat.triangles[k].v, smooth.triangles[k].v);
    EXPECT_TRUE(smooth.triangles[k].smooth);
  }
}

TEST(Describe, CountsBoundsAndUse) {
  const Scene s =
      loadText("a.shk",
               "m 1 0 0 .8 .2 .2 5 0 0 1\nt 0 0 0 1 0 0 0 1 0\nsphere 0 0 0 2\n"
               "m 0 1 0 .8 .2 .2 5 0 0 1\nn 0 0 0 1 0 0 0 1 0 0 0 1 0 0 1 0 0 1\nli 1 2 3 1 1 1\n"
               "t 0 0 0 0 0 0 0 0 0\n");
  const Description d = describe(s);
  EXPECT_EQ(d.primitives, 4U);
  EXPECT_EQ(d.counts.triangles, 3U);
  EXPECT_EQ(d.counts.spheres, 1U);
  EXPECT_EQ(d.counts.dropped, 1U);
  EXPECT_EQ(d.triangles, 2U);
  EXPECT_EQ(d.smoothTriangles, 1U);
  EXPECT_EQ(d.spheres, 1U);
  EXPECT_EQ(d.bounds.lo, (Vec3{-2, -2, -2}));
  EXPECT_NEAR(d.diagonal, std::sqrt(48.0), 1e-12);
  EXPECT_EQ(d.materialUse, (std::vector<std::uint32_t>{2, 1}));
  const std::string text = toText(d);
  for (const char* part : {"scene: a\n", "picture: 640 x 480", "triangles 3, spheres 1",
                           "without area 1", "bounds: -2 -2 -2 to 2 2 2", "angle 53.1301",
                           "lights: 1\n  at 1 2 3", "materials: 2\n  colour 1 0 0"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text, toText(describe(s)));
}

}  // namespace
}  // namespace rtvp::scene::test
