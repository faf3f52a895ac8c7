// The 1996 rule with its quirks (board.md 5.4).
#include "platform/reference/seed_finder.hpp"

#include <gtest/gtest.h>

#include <random>

#include "platform/reference/reference_finder.hpp"
#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::reference {
namespace {

using host::Hit;
using host::Ray;
using scene::Vec3;

Hit find(const scene::Scene& s, const Ray& ray) {
  Hit hit;
  SeedFinder(s).trace({&ray, 1}, {&hit, 1});
  return hit;
}

scene::Scene oneTriangle(double size) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addTriangle(s, {0, 0, 0}, {size, 0, 0}, {0, size, 0});
  return s;
}

TEST(SeedFinder, AcceptsTheInsideAndRefusesTheOutside) {
  const scene::Scene s = oneTriangle(10);
  EXPECT_EQ(find(s, test::rayTo({2, 3, 5}, {2, 3, 0})).element, 0U);
  EXPECT_EQ(find(s, test::rayTo({2, 3, 5}, {2, 3, 0})).t, 5);
  EXPECT_EQ(find(s, test::rayTo({8, 8, 5}, {8, 8, 0})).element, scene::kNoElement);
  EXPECT_EQ(find(s, test::rayTo({2, 3, -5}, {2, 3, 0})).element, 0U) << "both sides";
}

TEST(SeedFinder, AcceptsPointsOnTheInfiniteLineOfAnEdge) {
  const scene::Scene s = oneTriangle(10);
  EXPECT_EQ(find(s, test::rayTo({50, 1e-6, 5}, {50, 1e-6, 0})).element, 0U);
}

TEST(SeedFinder, AcceptsEverythingNearASmallTriangle) {
  const scene::Scene s = oneTriangle(1e-3);
  EXPECT_EQ(find(s, test::rayTo({0.05, 0.02, 5}, {0.05, 0.02, 0})).element, 0U);
}

TEST(SeedFinder, RefusesWhatIsNearerThanItsEpsilon) {
  const scene::Scene s = oneTriangle(10);
  EXPECT_EQ(find(s, test::rayTo({2, 3, 0.0999}, {2, 3, 0})).element, scene::kNoElement);
  EXPECT_EQ(find(s, test::rayTo({2, 3, 0.1001}, {2, 3, 0})).element, 0U);
}

TEST(SeedFinder, TheLaterLineWinsATie) {
  scene::Scene s = oneTriangle(10);
  test::addTriangle(s, {0, 0, 0}, {10, 0, 0}, {0, 10, 0});
  EXPECT_EQ(find(s, test::rayTo({2, 3, 5}, {2, 3, 0})).element, 1U);
}

TEST(SeedFinder, ShadowRaysStopAtTheLight) {
  const scene::Scene s = oneTriangle(10);
  Ray ray = test::rayTo({2, 3, 5}, {2, 3, 0});
  ray.kind = Ray::Kind::Any;
  ray.tmax = 5;
  EXPECT_EQ(find(s, ray).element, scene::kNoElement);
  ray.tmax = 5.5;
  EXPECT_EQ(find(s, ray).element, 0U);
}

TEST(SeedFinder, DegenerateTrianglesAndSpheres) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addTriangle(s, {1, 1, 1}, {1, 1, 1}, {1, 1, 1});
  test::addSphere(s, {0, 0, 0}, 1);
  EXPECT_EQ(find(s, test::rayTo({0, 0, 5}, {0, 0, 0})).element, 1U);
  EXPECT_EQ(find(s, test::rayTo({0, 0, 5}, {0, 0, 0})).t, 4);
  EXPECT_EQ(find(s, test::rayTo({0, 0, 0}, {0, 0, 1})).t, 1) << "from inside";
}

// board.md 5.4: no true hit was ever missed.
TEST(SeedFinder, MissesNoTrueHit) {
  std::mt19937 random(42);
  SCOPED_TRACE("seed 42");
  std::uniform_real_distribution<double> place(-50, 50);
  scene::Scene s = test::emptyScene(1, 1);
  for (int i = 0; i < 60; ++i) {
    test::addTriangle(s, {place(random), place(random), place(random)},
                      {place(random), place(random), place(random)},
                      {place(random), place(random), place(random)});
  }
  const ReferenceFinder exact(s);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Ray ray =
        test::rayTo({place(random), place(random), 100}, {place(random), place(random), 0});
    const Hit truth = exact.nearest(ray);
    if (truth.element == scene::kNoElement) continue;
    ++hits;
    const Hit seed = find(s, ray);
    ASSERT_NE(seed.element, scene::kNoElement);
    EXPECT_LE(seed.t, truth.t * (1 + 1e-4));
  }
  EXPECT_GT(hits, 1000);
}

}  // namespace
}  // namespace rtvp::reference
