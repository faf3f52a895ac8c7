// The golden hits on implicit surfaces against closed forms.
#include "platform/reference/implicit_surface.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "models/implicit/assembler.hpp"
#include "platform/reference/compare_hits.hpp"
#include "platform/reference/intersect.hpp"
#include "platform/reference/reference_finder.hpp"
#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::reference {
namespace {

using scene::Vec3;

scene::Implicit object(const std::string& text, const Vec3& lo = {-1, -1, -1},
                       const Vec3& hi = {1, 1, 1}) {
  const implicit::AssemblyResult result = implicit::assemble("test.sdf", text);
  if (!result.tape) throw std::runtime_error(result.report());
  scene::Implicit o;
  o.model = std::make_shared<scene::ImplicitModel>(*result.tape);
  o.lo = lo;
  o.hi = hi;
  return o;
}

constexpr const char* kBall = "OPSDFSphere f(0.75) var\nOPStop var\n";

host::Ray randomRay(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> at(-1, 1);
  const auto vector = [&] { return Vec3{at(random), at(random), at(random)}; };
  const Vec3 target = vector() * 0.6;
  const Vec3 origin = unit(vector()) * reach;
  return {origin, unit(target - origin), host::kInfinity, host::Ray::Kind::Nearest};
}

TEST(ImplicitSurface, SphereIsHitAtTheClosedFormFromOutsideAndInside) {
  const scene::Implicit ball = object(kBall);
  const ImplicitSurface surface(ball);
  const scene::Sphere sphere{{0, 0, 0}, 0.75};
  std::mt19937 random(1);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const host::Ray ray = randomRay(random, i % 2 == 0 ? 4.0 : 0.3);
    const auto expected = intersect(ray, sphere);
    const auto found = surface.hit(ray, ray.tmax);
    ASSERT_EQ(found.has_value(), expected.has_value() && (*expected)[1] > 0) << i;
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(*found, (*expected)[0] > 0 ? (*expected)[0] : (*expected)[1], 1e-8) << i;
  }
  EXPECT_GT(hits, 1500);
}

TEST(ImplicitSurface, BoxIsHitAtTheClosedForm) {
  const scene::Implicit box = object("OPSDFBox v3(0.5,0.25,0.75) var\nOPStop var\n");
  const ImplicitSurface surface(box);
  const Vec3 half{0.5, 0.25, 0.75};
  std::mt19937 random(2);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const host::Ray ray = randomRay(random, 3);
    double from = 0;
    double to = 1e30;
    for (int k = 0; k < 3; ++k) {
      const double a = (-half[k] - ray.origin[k]) / ray.direction[k];
      const double b = (half[k] - ray.origin[k]) / ray.direction[k];
      from = std::max(from, std::min(a, b));
      to = std::min(to, std::max(a, b));
    }
    const auto found = surface.hit(ray, ray.tmax);
    if (std::abs(to - from) < 1e-4) continue;  // an edge is grazed
    ASSERT_EQ(found.has_value(), from < to) << i;
    if (!found) continue;
    ++hits;
    EXPECT_NEAR(*found, from, 1e-7) << i;
  }
  EXPECT_GT(hits, 500);
}

TEST(ImplicitSurface, TorusIsMetFourTimes) {
  const scene::Implicit torus = object("OPSDFTorus v2(0.6,0.2) var\nOPStop var\n");
  const ImplicitSurface surface(torus);
  host::Ray ray{{-3, 0, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  for (const double x : {-0.8, -0.4, 0.4, 0.8}) {
    const auto found = surface.hit(ray, ray.tmax);
    ASSERT_TRUE(found);
    EXPECT_NEAR(ray.origin.x + *found, x, 1e-7);
    ray.origin.x = x + 1e-6;
  }
  EXPECT_FALSE(surface.hit(ray, ray.tmax));
}

TEST(ImplicitSurface, PlacementKeepsDistancesOfTheWorld) {
  scene::Implicit ball = object(kBall);
  ball.placement = scene::Placement({5, 0, 0}, {0, 0, 90}, {2, 4, 1});
  const ImplicitSurface surface(ball);
  // Object y, scaled by 4, lies along -x of the world.
  const host::Ray ray{{-5, 0, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  const auto found = surface.hit(ray, ray.tmax);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 10 - 3, 1e-7);
}

TEST(ImplicitSurface, LimitIsInclusiveAndStartExclusive) {
  const scene::Implicit ball = object(kBall);
  const ImplicitSurface surface(ball);
  const host::Ray ray{{-2, 0, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_FALSE(surface.hit(ray, 1.2499));
  EXPECT_TRUE(surface.hit(ray, 1.2501));
  const host::Ray away{{-2, 0, 0}, {-1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_FALSE(surface.hit(away, away.tmax));
}

TEST(ImplicitSurface, BoxThatCutsTheInsideIsSurface) {
  const scene::Implicit ball = object(kBall, {-0.25, -1, -1}, {0.5, 1, 1});
  const ImplicitSurface surface(ball);
  const host::Ray ray{{-2, 0, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_NEAR(surface.hit(ray, ray.tmax).value(), 1.75, 1e-6);
  EXPECT_NEAR(ball.normal({-0.25, 0, 0}).x, -1, 1e-9);
  const host::Ray out{{0, 0, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_NEAR(surface.hit(out, out.tmax).value(), 0.5, 1e-6);
}

TEST(ImplicitSurface, PointsWithoutValueAreNoSurface) {
  // sqrt(x) - 0.5 has no value for x < 0 and is inside for x in [0, 0.25).
  const scene::Implicit root =
      object("OPDotVec3 var v3(1,0,0)\nOPSqrtFloat var\nOPSubFloatFloat var f(0.5)\nOPStop var\n");
  const ImplicitSurface surface(root);
  const host::Ray ray{{-0.9, 0.1, 0}, {1, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  const auto found = surface.hit(ray, ray.tmax);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 0.9, 1e-6);
  const host::Ray beside{{-0.5, 0.1, -3}, {0, 0, 1}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_FALSE(surface.hit(beside, beside.tmax));
}

TEST(ImplicitSurface, TreeAndBruteForceAgreeBesideTriangles) {
  scene::Scene s = test::emptyScene(8, 8);
  test::addSquare(s, 0, 1);
  for (const double x : {-0.5, 0.5}) {
    s.implicits.push_back(object(kBall));
    s.implicits.back().placement = scene::Placement({x, 0, 0}, {}, {1, 1, 1});
    test::addElement(s, scene::Element::Kind::Implicit, s.implicits.size() - 1, s.primitiveCount);
  }
  const ReferenceFinder tree(s);
  const ReferenceFinder brute(s, ReferenceFinder::Mode::BruteForce);
  std::mt19937 random(3);
  std::array<int, 5> seen{};
  for (int i = 0; i < 500; ++i) {
    const host::Ray ray = randomRay(random, 3);
    const host::Hit a = tree.nearest(ray);
    const host::Hit b = brute.nearest(ray);
    ASSERT_EQ(a.element, b.element) << i;
    EXPECT_EQ(a.t, b.t) << i;
    EXPECT_EQ(tree.any(ray).element != scene::kNoElement, a.element != scene::kNoElement);
    if (a.element < seen.size()) ++seen[a.element];
  }
  EXPECT_GT(seen[0] + seen[1], 10);
  EXPECT_GT(seen[2], 50);
  EXPECT_GT(seen[3], 50);
}

// ---- comparison of hit dumps

/// The ball seen from (0, 0, 10), 64 x 64, as the reference sees it.
struct BallPicture {
  scene::Scene scene = test::emptyScene(64, 64);
  report::HitDump dump;
  BallPicture() {
    scene.camera.eye = {0, 0, 2.5};
    scene.implicits.push_back(object(kBall));
    test::addElement(scene, scene::Element::Kind::Implicit, 0, 0);
    const ReferenceFinder finder(scene);
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        const host::Ray ray{scene.camera.eye, scene.camera.direction(x + 0.5, y + 0.5, 64, 64),
                            host::kInfinity, host::Ray::Kind::Nearest};
        const host::Hit hit = finder.nearest(ray);
        const bool miss = hit.element == scene::kNoElement;
        dump.push_back({x, y, miss ? report::kMiss : 0, miss ? 0 : hit.t, 0, 0});
      }
    }
  }
};

TEST(CompareImplicit, HitsWithinTheShellAgree) {
  const BallPicture ball;
  report::HitDump other = ball.dump;
  for (report::HitRow& row : other) {
    if (row.prim == report::kMiss) continue;
    const Vec3 d = ball.scene.camera.direction(row.x + 0.5, row.y + 0.5, 64, 64);
    const Vec3 normal = unit(ball.scene.camera.eye + d * row.t);
    row.t -= 1e-3 / std::abs(dot(normal, d));
  }
  const HitComparison c = compareHits(ball.dump, other, ball.scene);
  EXPECT_TRUE(c.passed());
  EXPECT_EQ(c.wrongDistance, 0U);
  EXPECT_GT(c.equal, 4000U);
}

TEST(CompareImplicit, OtherDistancesAndHolesAreWrong) {
  const BallPicture ball;
  report::HitDump other = ball.dump;
  const std::size_t middle = 64 * 32 + 32;
  other[middle].t -= 0.01;
  other[middle + 1].prim = report::kMiss;
  const HitComparison c = compareHits(ball.dump, other, ball.scene);
  EXPECT_EQ(c.wrongDistance, 1U);
  EXPECT_EQ(c.wrong, 1U);
}

TEST(CompareImplicit, RaysBesideTheSilhouetteAreExcused) {
  BallPicture ball;
  report::HitDump other = ball.dump;
  // The ball, larger by 1e-3.
  ball.scene.implicits[0] = object("OPSDFSphere f(0.751) var\nOPStop var\n");
  const ReferenceFinder larger(ball.scene);
  int changed = 0;
  for (report::HitRow& row : other) {
    const host::Ray ray{ball.scene.camera.eye,
                        ball.scene.camera.direction(row.x + 0.5, row.y + 0.5, 64, 64),
                        host::kInfinity, host::Ray::Kind::Nearest};
    const host::Hit hit = larger.nearest(ray);
    changed += row.prim == report::kMiss && hit.element == 0 ? 1 : 0;
    if (hit.element == 0) row = {row.x, row.y, 0, hit.t, 0, 0};
  }
  const BallPicture original;
  const HitComparison c = compareHits(original.dump, other, original.scene);
  EXPECT_TRUE(c.passed());
  EXPECT_GE(c.excusedOutline, static_cast<std::uint64_t>(changed));
  RecordProperty("changed", changed);
}

}  // namespace
}  // namespace rtvp::reference
