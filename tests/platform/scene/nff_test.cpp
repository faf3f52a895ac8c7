// NFF: every record, its defaults, and what polygons, cones and spheres become (design.md section
// 6).
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

constexpr std::string_view kView =
    "b 0.1 0.2 0.3\n"
    "v\nfrom 1 2 3\nat 4 5 6\nup 0 0 1\nangle 45\nhither 0.01\nresolution 64 32\n";
const std::string kHead(kView);
constexpr std::string_view kSphere = "s 0 0 0 1\n";

TEST(Nff, Viewpoint) {
  const Scene s = loadText("a.nff", kHead + std::string(kSphere));
  EXPECT_EQ(s.background, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(s.camera.eye, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.camera.lookAt, (Vec3{4, 5, 6}));
  EXPECT_EQ(s.camera.up, (Vec3{0, 0, 1}));
  EXPECT_EQ(s.camera.angle, 45);
  EXPECT_EQ(s.camera.projection, Camera::Projection::Nff);
  EXPECT_EQ(s.width, 64);
  EXPECT_EQ(s.height, 32);
  EXPECT_TRUE(s.lights.empty());
}

TEST(Nff, WithoutViewpointTheCameraIsFitted) {
  const Scene s = loadText("a.nff", "s 1 2 3 5\n");
  EXPECT_EQ(s.background, (Vec3{0, 0, 0}));
  EXPECT_EQ(s.camera.projection, Camera::Projection::Shk);
  EXPECT_EQ(s.camera.lookAt, (Vec3{1, 2, 3}));
  expectNear(s.camera.eye, {7.2, 6.2, 13.2}, 1e-12);
  EXPECT_EQ(s.width, 512);
}

TEST(Nff, FillColour) {
  const Scene s =
      loadText("a.nff", "f .1 .2 .3 .4 .5 6 .7 1.8\ns 0 0 0 1\nf 1 1 1 1 0 1 0 0\ns 0 0 0 2\n");
  ASSERT_EQ(s.materials.size(), 2U);
  const Material& m = s.materials[0];
  EXPECT_EQ(m.color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(m.kdiff, 0.4);
  EXPECT_EQ(m.kspec, 0.5);
  EXPECT_EQ(m.reflect, 0.5);
  EXPECT_EQ(m.ns, 6);
  EXPECT_EQ(m.ktrans, 0.7);
  EXPECT_EQ(m.refindex, 1.8);
  EXPECT_EQ(m.kamb, 0);
  EXPECT_EQ(s.materials[1].refindex, 1);  // SPD writes index 0 on opaque surfaces
}

TEST(Nff, LightsWithoutColourShareOneUnitOfPower) {
  const Scene s = loadText("a.nff", "l 1 2 3\nl 4 5 6 .1 .2 .3\nl 7 8 9 s 0 0 0 1\nl 1 1 1\n");
  ASSERT_EQ(s.lights.size(), 4U);
  EXPECT_EQ(s.lights[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(s.lights[0].color, (Vec3{0.5, 0.5, 0.5}));
  EXPECT_EQ(s.lights[1].color, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_EQ(s.lights[3].color, (Vec3{0.5, 0.5, 0.5}));
}

TEST(Nff, LinesDoNotMatterAndCommentsHideTheirLine) {
  const std::string oneLine = "f 1 1 1 1 0 1 0 0 c 0 0 0 1 0 0 2 1 p 3 0 0 0 1 0 0 0 1 0 s 0 0 0 1";
  std::string manyLines = "# first\n";
  for (const char c : oneLine)
    manyLines += c == ' ' ? std::string("\t# x 1\r\n") : std::string(1, c);
  const Scene a = loadText("a.nff", oneLine);
  const Scene b = loadText("a.nff", manyLines);
  EXPECT_EQ(a.primitiveCount, 3U);
  EXPECT_EQ(b.primitiveCount, 3U);
  EXPECT_EQ(a.elements.size(), b.elements.size());
}

TEST(Nff, ConesAreOpenAndSmooth) {
  for (const int segments : {3, 24, 100}) {
    const LoadOptions options{.segments = segments};
    const Scene s =
        loadText("a.nff", "c 0 0 0 2\n0 0 4 1\nc 0 0 0 1 0 0 1 1 c 5 0 0 3 5 0 4 0\n", options);
    EXPECT_EQ(s.primitiveCount, 3U);
    EXPECT_EQ(s.counts.cones, 2U);
    EXPECT_EQ(s.counts.cylinders, 1U);
    const auto n = static_cast<std::size_t>(segments);
    ASSERT_EQ(s.elements.size(), 5 * n);  // 2 n each, n for the pointed one
    for (const Element& e : s.elements) {
      const Triangle& t = s.triangles[e.index];
      ASSERT_TRUE(t.smooth);
      EXPECT_EQ(e.primitive, e.index < 2 * n ? 0U : e.index < 4 * n ? 1U : 2U);
      const Vec3 outward = unit(cross(t.v[1] - t.v[0], t.v[2] - t.v[1]));
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(length(t.n[k]), 1, 1e-12);
        EXPECT_GT(dot(t.n[k], outward), 0.3);
        if (e.primitive == 0) {
          // On the cone r = 2 - z/4; its normal leans by that slope.
          EXPECT_NEAR(std::hypot(t.v[k].x, t.v[k].y), 2 - t.v[k].z / 4, 1e-12);
          EXPECT_NEAR(t.n[k].z / std::hypot(t.n[k].x, t.n[k].y), 0.25, 1e-12);
        }
      }
    }
  }
}

TEST(Nff, TheSidesOfACylinderClose) {
  const Scene s = loadText("a.nff", "c 1 2 3 1 4 6 3 1\n", {.segments = 7});
  // Every vertex of the lower ring is shared bit for bit by the neighbouring sides.
  EXPECT_EQ(s.triangles.front().v[0], s.triangles[12].v[1]);
  for (std::size_t k = 0; k + 2 < s.triangles.size(); k += 2) {
    EXPECT_EQ(s.triangles[k].v[1], s.triangles[k + 2].v[0]);
  }
}

TEST(Nff, PatchesKeepTheirNormals) {
  const Scene s = loadText("a.nff",
                           "pp 4  0 0 0 0 0 2  1 0 0 1 0 1  1 1 0 0 1 1  0 1 0 0 0 0\n"
                           "pp 3  0 0 0 0 0 1  1 0 0 0 0 1  0 1 0 0 0 1\n"
                           "p 3  0 0 0  1 0 0  0 1 0\n");
  EXPECT_EQ(s.counts.patches, 2U);
  EXPECT_EQ(s.counts.triangles, 1U);
  ASSERT_EQ(s.elements.size(), 4U);
  const Triangle& t = s.triangles[0];
  EXPECT_TRUE(t.smooth);
  EXPECT_EQ(t.n[0], (Vec3{0, 0, 1}));
  expectNear(t.n[1], unit({1, 0, 1}), 1e-15);
  EXPECT_EQ(s.triangles[1].n[2], (Vec3{0, 0, 1}));
  EXPECT_FALSE(s.triangles[3].smooth);
}

TEST(Nff, DegeneratePrimitivesKeepTheirNumber) {
  const Scene s =
      loadText("a.nff",
               "p 3 0 0 0 1 1 1 2 2 2\nc 0 0 0 1 0 0 0 1\nc 0 0 0 0 0 0 1 0\ns 0 0 0 0\n"
               "p 5 0 0 0 1 0 0 2 0 0 3 0 0 4 0 0\ns 0 0 0 -2\n");
  EXPECT_EQ(s.primitiveCount, 6U);
  EXPECT_EQ(s.counts.dropped, 5U);
  ASSERT_EQ(s.elements.size(), 1U);
  EXPECT_EQ(s.elements[0].primitive, 5U);
  EXPECT_EQ(s.spheres[0].radius, 2);
}

TEST(NffErrors, AreLocated) {
  EXPECT_EQ(errorOf("a.nff", "s 0 0 0 1\n  zz 1\n"),
            "a.nff:2:3: found 'zz', expected v, b, l, f, s, c, p or pp");
  EXPECT_EQ(errorOf("a.nff", "s 0 0\n"),
            "a.nff:2:1: found the end of the file, expected a sphere's centre and radius");
  EXPECT_EQ(errorOf("a.nff", "v angle 180 s 0 0 0 1").substr(0, 12), "a.nff:1:9: f");
  EXPECT_EQ(errorOf("a.nff", "v angle 0 s 0 0 0 1").substr(0, 12), "a.nff:1:9: f");
  EXPECT_EQ(errorOf("a.nff", "v resolution 20000 1").substr(0, 12), "a.nff:1:14: ");
  EXPECT_EQ(errorOf("a.nff", "v resolution 16000 16000").substr(0, 12), "a.nff:1:14: ");
  EXPECT_EQ(errorOf("a.nff", "f 1 1 1 1 1 -1 0 0").substr(0, 12), "a.nff:1:13: ");
  EXPECT_EQ(errorOf("a.nff", "p 2 0 0 0 1 1 1").substr(0, 11), "a.nff:1:3: ");
  EXPECT_EQ(errorOf("a.nff", "p 1025 0 0 0").substr(0, 11), "a.nff:1:3: ");
  EXPECT_EQ(errorOf("a.nff", "p 4000000000 0 0 0").substr(0, 11), "a.nff:1:3: ");
  EXPECT_EQ(errorOf("a.nff", "b 0 0 0\n"), "a.nff: found no primitive, expected at least one");
}

}  // namespace
}  // namespace rtvp::scene::test
