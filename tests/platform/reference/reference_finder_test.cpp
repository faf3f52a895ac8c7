// The tree finds what brute force finds, ties included.
#include "platform/reference/reference_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::reference {
namespace {

using host::Hit;
using host::Ray;
using scene::Vec3;
using Mode = ReferenceFinder::Mode;

/// Triangles and spheres of every size, some of them twice, some without area, on a coarse grid so
/// that corners and planes coincide often.
scene::Scene soup(std::uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> grid(-8, 8);
  const auto point = [&] {
    return Vec3{double(grid(random)), double(grid(random)), double(grid(random))};
  };
  scene::Scene s = test::emptyScene(8, 8);
  for (int i = 0; i < count; ++i) {
    const auto kind = random() % 10;
    if (kind == 0) {
      test::addSphere(s, point(), 0.25 + static_cast<double>(random() % 8) / 4);
    } else if (kind == 1 && !s.triangles.empty()) {
      const auto v = s.triangles[random() % s.triangles.size()].v;
      test::addTriangle(s, v[0], v[1], v[2]);
    } else if (kind == 2) {
      const Vec3 p = point();
      test::addTriangle(s, p, p, point());
    } else {
      const Vec3 p = point();
      const double size = std::pow(2.0, -static_cast<double>(random() % 5));
      test::addTriangle(s, p, p + point() * size, p + point() * size);
    }
  }
  return s;
}

Ray randomRay(std::mt19937& random, const scene::Scene& s) {
  std::uniform_int_distribution<int> grid(-20, 20);
  std::uniform_real_distribution<double> free(-20, 20);
  const auto point = [&](bool onGrid) {
    return onGrid ? Vec3{double(grid(random)), double(grid(random)), double(grid(random))}
                  : Vec3{free(random), free(random), free(random)};
  };
  const Vec3 from = point(random() % 2 == 0);
  Vec3 to = point(random() % 2 == 0);
  if (random() % 3 == 0 && !s.triangles.empty())
    to = s.triangles[random() % s.triangles.size()].v[0];
  if (random() % 8 == 0) to = from + Vec3{0, 0, random() % 2 == 0 ? 1.0 : -1.0};
  if (to == from) to.x += 1;
  Ray ray = test::rayTo(from, to);
  if (random() % 4 == 0) ray.tmax = std::abs(free(random)) + 0.1;
  return ray;
}

TEST(ReferenceFinder, TheTreeAgreesWithBruteForce) {
  for (const auto& [seed, count] : {std::pair{1U, 1}, {2U, 5}, {3U, 60}, {4U, 400}, {5U, 1500}}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const scene::Scene s = soup(seed, count);
    ReferenceFinder tree(s);
    ReferenceFinder brute(s, Mode::BruteForce);
    std::mt19937 random(seed + 1000);
    int hits = 0;
    for (int i = 0; i < 1500; ++i) {
      const Ray ray = randomRay(random, s);
      const Hit a = tree.nearest(ray);
      const Hit b = brute.nearest(ray);
      ASSERT_EQ(a.element, b.element) << i;
      ASSERT_EQ(a.t, b.t) << i;
      ASSERT_EQ(tree.any(ray).element == scene::kNoElement,
                brute.any(ray).element == scene::kNoElement)
          << i;
      const auto allA = tree.all(ray);
      const auto allB = brute.all(ray);
      ASSERT_EQ(allA.size(), allB.size()) << i;
      for (std::size_t k = 0; k < allA.size(); ++k) ASSERT_EQ(allA[k].element, allB[k].element);
      if (b.element != scene::kNoElement) {
        ++hits;
        ASSERT_EQ(allA.front().element, b.element);
      }
    }
    EXPECT_GT(hits, count >= 60 ? 300 : 0);
  }
}

// Above and below the size from which on pieces of the tree are built apart; many nodes coincide.
TEST(ReferenceFinder, TheTreeIsTheSameOnAnyNumberOfThreads) {
  for (const int count : {0, 3, 2000, 2049, 30000}) {
    const scene::Scene s = soup(9, count);
    const Bvh one(s, 1);
    for (const unsigned threads : {2U, 3U, 4U, 7U, 64U}) {
      SCOPED_TRACE(testing::Message() << count << " elements, " << threads << " threads");
      const Bvh other(s, threads);
      EXPECT_EQ(other.order, one.order);
      ASSERT_EQ(other.nodes.size(), one.nodes.size());
      for (std::size_t i = 0; i < one.nodes.size(); ++i) {
        ASSERT_EQ(other.nodes[i].first, one.nodes[i].first) << i;
        ASSERT_EQ(other.nodes[i].count, one.nodes[i].count) << i;
        for (int axis = 0; axis < 3; ++axis) {
          ASSERT_EQ(other.nodes[i].bounds.lo[axis], one.nodes[i].bounds.lo[axis]) << i;
          ASSERT_EQ(other.nodes[i].bounds.hi[axis], one.nodes[i].bounds.hi[axis]) << i;
        }
      }
    }
  }
}

TEST(ReferenceFinder, HitsAndCountsAreTheSameOnAnyNumberOfThreads) {
  const scene::Scene s = soup(10, 3000);
  std::mt19937 random(11);
  std::vector<Ray> rays;
  for (int i = 0; i < 5000; ++i) {
    rays.push_back(randomRay(random, s));
    rays.back().kind = random() % 4 == 0 ? Ray::Kind::Any : Ray::Kind::Nearest;
    rays.back().pixel = static_cast<std::uint32_t>(i);
  }
  struct Told {
    std::uint32_t pixel;
    std::uint64_t boxes, nodes, elements;
    bool operator==(const Told&) const = default;
  };
  std::vector<Hit> first;
  std::vector<Told> toldFirst;
  for (const unsigned threads : {1U, 2U, 5U, 64U}) {
    for (const bool observed : {false, true}) {
      ReferenceFinder finder(s, Mode::Bvh, threads);
      std::vector<Told> told;
      if (observed) {
        finder.setObserver([&told](const Ray& ray, const WalkCounts& n) {
          told.push_back({ray.pixel, n.boxes, n.nodes, n.elements});
        });
      }
      std::vector<Hit> hits(rays.size());
      finder.trace(rays, hits);
      if (first.empty()) first = hits;
      if (observed && toldFirst.empty()) toldFirst = told;
      for (std::size_t i = 0; i < hits.size(); ++i) {
        ASSERT_EQ(hits[i].element, first[i].element) << threads << " threads, ray " << i;
        ASSERT_EQ(hits[i].t, first[i].t) << threads << " threads, ray " << i;
      }
      if (observed) {
        ASSERT_EQ(told.size(), rays.size());
        EXPECT_TRUE(told == toldFirst) << threads;
      }
    }
  }
  for (std::size_t i = 0; i < toldFirst.size(); ++i) ASSERT_EQ(toldFirst[i].pixel, i);
}

TEST(ReferenceFinder, TheSmallerElementWinsATie) {
  scene::Scene s = test::emptyScene(1, 1);
  for (int i = 0; i < 40; ++i) test::addTriangle(s, {-1, -1, 0}, {1, -1, 0}, {0, 1, 0});
  std::reverse(s.elements.begin(), s.elements.end());
  for (const Mode mode : {Mode::Bvh, Mode::BruteForce}) {
    EXPECT_EQ(ReferenceFinder(s, mode).nearest(test::rayTo({0, 0, 5}, {0, 0, 0})).element, 0U);
  }
}

TEST(ReferenceFinder, LimitsAreThoseOfTheContract) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addSquare(s, 0, 4);
  const ReferenceFinder finder(s);
  Ray ray = test::rayTo({1, 2, 4}, {1, 2, 0});
  ray.tmax = 4;
  EXPECT_NE(finder.nearest(ray).element, scene::kNoElement) << "nearest: t <= tmax";
  EXPECT_EQ(finder.any(ray).element, scene::kNoElement) << "any: t < tmax";
  ray.tmax = std::nextafter(4, 0);
  EXPECT_EQ(finder.nearest(ray).element, scene::kNoElement);
  ray.tmax = 0;
  EXPECT_EQ(finder.nearest(ray).element, scene::kNoElement) << "padding rays hit nothing";
  ray.origin.z = 0;
  ray.tmax = host::kInfinity;
  EXPECT_EQ(finder.nearest(ray).element, scene::kNoElement) << "t > 0";
}

TEST(ReferenceFinder, TraceServesBothKinds) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addSphere(s, {0, 0, 0}, 1);
  ReferenceFinder finder(s);
  std::vector<Ray> rays(2, test::rayTo({0, 0, 5}, {0, 0, 0}));
  rays[1].kind = Ray::Kind::Any;
  rays[1].tmax = 3;
  std::vector<Hit> hits(2);
  finder.trace(rays, hits);
  EXPECT_EQ(hits[0].t, 4);
  EXPECT_EQ(hits[1].element, scene::kNoElement);
  EXPECT_THROW(finder.trace(rays, std::span(hits).first(1)), std::invalid_argument);
}

TEST(ReferenceFinder, AnEmptySceneHasNoHits) {
  const scene::Scene s = test::emptyScene(1, 1);
  EXPECT_EQ(ReferenceFinder(s).nearest(test::rayTo({0, 0, 5}, {0, 0, 0})).element,
            scene::kNoElement);
}

TEST(ReferenceFinder, CoincidingCentresStillBuildATree) {
  scene::Scene s = test::emptyScene(1, 1);
  for (int i = 0; i < 5000; ++i) test::addSphere(s, {1, 2, 3}, 1 + i * 1e-3);
  const Hit hit = ReferenceFinder(s).nearest(test::rayTo({1, 2, 100}, {1, 2, 3}));
  EXPECT_EQ(hit.element, 4999U);
}

TEST(ReferenceFinder, AbsurdNumbersDoNoHarm) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  scene::Scene s = soup(8, 50);
  test::addTriangle(s, {1e300, 0, 0}, {0, 1e300, 0}, {0, 0, 1e300});
  test::addTriangle(s, {-1e308, 1e308, 0}, {1e308, 1e308, 0}, {0, -1e308, 1e308});
  test::addTriangle(s, {std::nan(""), 0, 0}, {0, kInf, 0}, {0, 0, 1});
  test::addSphere(s, {0, 0, 0}, 1e300);
  const ReferenceFinder finder(s);
  for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{kInf, 0, 0}, Vec3{std::nan(""), 1, 0}}) {
    (void)finder.nearest({{0, 0, 0}, d, host::kInfinity, Ray::Kind::Nearest});
    (void)finder.all({{1e308, 0, 0}, d, host::kInfinity, Ray::Kind::Nearest});
  }
}

}  // namespace
}  // namespace rtvp::reference
