// Surface reconstruction and light against hand-computed values.
#include "platform/raytree/surface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

void expectNear(const Vec3& a, const Vec3& b, double tolerance = 1e-12) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Surface, BarycentricWeightsRebuildThePoint) {
  const scene::Triangle t{{Vec3{1, 2, 3}, Vec3{4, 2, 0}, Vec3{0, 7, 1}}, {}, false};
  const Vec3 p = t.v[0] * 0.2 + t.v[1] * 0.3 + t.v[2] * 0.5;
  const auto [u, v] = barycentric(t, p);
  EXPECT_NEAR(u, 0.3, 1e-14);
  EXPECT_NEAR(v, 0.5, 1e-14);
  const Vec3 normal = unit(cross(t.v[1] - t.v[0], t.v[2] - t.v[0]));
  EXPECT_NEAR(barycentric(t, p + normal * 0.01).u, 0.3, 1e-12) << "projected on the plane";
}

TEST(Surface, ATriangleWithoutAreaHasNoCoordinates) {
  const scene::Triangle t{{Vec3{1, 1, 1}, Vec3{2, 2, 2}, Vec3{3, 3, 3}}, {}, false};
  EXPECT_EQ(barycentric(t, {2, 2, 2}).u, 0);
  EXPECT_EQ(barycentric(t, {2, 2, 2}).v, 0);
}

TEST(Surface, NormalsFaceTheRay) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addSquare(s, 0, 5);
  const Ray fromFront = test::rayTo({1, 2, 10}, {1, 2, 0});
  const Ray fromBack = test::rayTo({1, 2, -10}, {1, 2, 0});
  const Surface front = surfaceAt(s, fromFront, {0, 10});
  expectNear(front.normal, {0, 0, 1});
  EXPECT_TRUE(front.entering);
  const Surface back = surfaceAt(s, fromBack, {0, 10});
  expectNear(back.normal, {0, 0, -1});
  expectNear(back.geometric, {0, 0, -1});
  expectNear(back.point, {1, 2, 0});
  EXPECT_FALSE(back.entering);
}

TEST(Surface, AMachinesOwnCoordinatesPlaceThePoint) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addTriangle(s, {0, 0, 0}, {4, 0, 0}, {0, 4, 0});
  const Ray ray = test::rayTo({1, 2, 8}, {1, 2, 0});
  const Surface surface = surfaceAt(s, ray, {0, 8.01, true, 0.25, 0.5});
  expectNear(surface.point, {1, 2, 0});
  EXPECT_EQ(surface.uv.u, 0.25);
  EXPECT_EQ(surface.uv.v, 0.5);
}

TEST(Surface, SmoothTrianglesInterpolateTheirNormals) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addTriangle(s, {0, 0, 0}, {4, 0, 0}, {0, 4, 0});
  scene::Triangle& t = s.triangles[0];
  t.smooth = true;
  t.n = {unit(Vec3{-1, 0, 2}), unit(Vec3{1, 0, 2}), unit(Vec3{0, 1, 2})};
  const Surface middle = surfaceAt(s, test::rayTo({1, 2, 8}, {1, 2, 0}), {0, 8});
  EXPECT_NEAR(middle.uv.u, 0.25, 1e-14);
  EXPECT_NEAR(middle.uv.v, 0.5, 1e-14);
  expectNear(middle.normal, unit(t.n[0] * 0.25 + t.n[1] * 0.25 + t.n[2] * 0.5));
  expectNear(middle.geometric, {0, 0, 1});
  t.n = {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{1, 0, 0}};  // they cancel half-way
  expectNear(surfaceAt(s, test::rayTo({2, 0, 8}, {2, 0, 0}), {0, 8}).normal, {0, 0, 1});
}

TEST(Surface, ASphereIsEnteredFromOutside) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addSphere(s, {0, 0, 0}, 2);
  const Surface outside = surfaceAt(s, test::rayTo({0, 0, 10}, {0, 0, 0}), {0, 8});
  expectNear(outside.normal, {0, 0, 1});
  EXPECT_TRUE(outside.entering);
  const Surface inside = surfaceAt(s, test::rayTo({0, 0, 0}, {0, 0, 10}), {0, 2});
  expectNear(inside.normal, {0, 0, -1});
  EXPECT_FALSE(inside.entering);
  EXPECT_EQ(inside.uv.u, 0);
}

TEST(Surface, PhongByHand) {
  scene::Material m;
  m.color = {1, 0.5, 0};
  m.kdiff = 0.8;
  m.kspec = 0.2;
  m.ns = 5;
  const Vec3 n{0, 0, 1};
  const double specular = 0.2 * std::pow(0.8, 5);
  expectNear(phong(m, m.color, n, {0.6, 0, 0.8}, n), {0.64 + specular, 0.32 + specular, specular});
  // The eye in the mirror direction sees the whole highlight.
  expectNear(phong(m, m.color, n, {0.6, 0, 0.8}, {-0.6, 0, 0.8}), {0.84, 0.52, 0.2});
  // The eye beside the light, both grazing: the mirror direction points away.
  expectNear(phong(m, m.color, n, {0.8, 0, 0.6}, {0.8, 0, 0.6}), {0.48, 0.24, 0});
  expectNear(phong(m, m.color, n, {0.6, 0, -0.8}, n), {0, 0, 0});
}

TEST(Surface, TheColourIsTheTexturesTimesTheMaterials) {
  constexpr double kSingle = 1e-7;  // textures are sampled in binary32
  scene::Scene s = test::emptyScene(1, 1);
  test::addSquare(s, 0, 5);
  scene::Texture t;
  t.width = 4;
  t.height = 1;
  for (int i = 0; i < 4; ++i) {
    t.rgba.insert(t.rgba.end(), {static_cast<std::uint8_t>(i * 51), 255, 51, 255});
  }
  s.textures.push_back(t);
  const std::uint32_t material = s.elements[0].material;
  s.materials[material].color = {1, 0.5, 0.5};
  s.materials[material].texture = 0;
  scene::Triangle& triangle = s.triangles[s.elements[0].index];
  triangle.textured = true;
  triangle.st = {{{0.5F, 0.5F}, {0.5F, 0.5F}, {0.5F, 0.5F}}};
  const Vec3 inside = (triangle.v[0] + triangle.v[1] + triangle.v[2]) * (1 / 3.0);
  const Ray ray{inside + Vec3{0, 0, 5}, {0, 0, -1}, kInfinity, Ray::Kind::Nearest};
  // Columns 1 and 2, the only row twice.
  expectNear(surfaceAt(s, ray, {0, 5}).color, {0.3, 0.5, 0.1}, kSingle);
  s.textures[0].kind = scene::Texture::Kind::Cube;
  s.textures[0].width = 1;
  s.textures[0].rgba.assign(std::size_t{6} * 4, 102);
  expectNear(surfaceAt(s, ray, {0, 5}).color, {0.4, 0.2, 0.2}, kSingle);
  s.materials[material].texture = scene::kNoIndex;
  expectNear(surfaceAt(s, ray, {0, 5}).color, {1, 0.5, 0.5}, kSingle);
}

TEST(Surface, MirrorAndSnell) {
  const Vec3 n{0, 1, 0};
  expectNear(reflected({0.6, -0.8, 0}, n), {0.6, 0.8, 0});
  const double angle = std::numbers::pi / 4;
  const Vec3 in{std::sin(angle), -std::cos(angle), 0};
  const auto into = refracted(in, n, 1.5, true);
  ASSERT_TRUE(into);
  EXPECT_NEAR(into->x, std::sin(angle) / 1.5, 1e-14);
  EXPECT_NEAR(length(*into), 1, 1e-14);
  EXPECT_LT(into->y, 0);
  // Leaving undoes entering.
  const auto out = refracted(*into, n, 1.5, false);
  ASSERT_TRUE(out);
  expectNear(*out, in);
  // 45 degrees inside glass is beyond the critical angle of 41.8 degrees.
  EXPECT_FALSE(refracted(in, n, 1.5, false));
  EXPECT_TRUE(refracted(in, n, 1.4, false));
  expectNear(*refracted(in, n, 1, true), in);
  EXPECT_FALSE(refracted(in, n, 0, true));
}

}  // namespace
}  // namespace rtvp::host
