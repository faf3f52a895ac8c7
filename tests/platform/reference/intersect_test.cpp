// The triangle test leaks nowhere; the sphere test keeps its precision where it matters.
#include "platform/reference/intersect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::reference {
namespace {

using scene::Vec3;
using Corners = std::array<Vec3, 3>;

/// A closed mesh: an octahedron split `levels` times, its corners pushed in and out at random.
std::vector<Corners> bumpyBall(int levels, std::mt19937& random) {
  const Vec3 px{1, 0, 0}, nx{-1, 0, 0}, py{0, 1, 0}, ny{0, -1, 0}, pz{0, 0, 1}, nz{0, 0, -1};
  std::vector<Corners> mesh = {{px, py, pz}, {py, nx, pz}, {nx, ny, pz}, {ny, px, pz},
                               {py, px, nz}, {nx, py, nz}, {ny, nx, nz}, {px, ny, nz}};
  for (int level = 0; level < levels; ++level) {
    std::vector<Corners> finer;
    for (const auto& [a, b, c] : mesh) {
      const Vec3 ab = unit(a + b), bc = unit(b + c), ca = unit(c + a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    mesh = finer;
  }
  // The radius depends on the corner's position alone, so shared corners stay shared.
  const double phase = std::uniform_real_distribution<double>(0, 6)(random);
  for (Corners& t : mesh) {
    for (Vec3& v : t) v = v * (10 + std::sin(v.x * 9 + phase) + std::cos(v.y * 7 + v.z * 8));
  }
  return mesh;
}

bool hitsAny(const std::vector<Corners>& mesh, const host::Ray& ray) {
  const ShearedRay sheared(ray);
  for (const Corners& t : mesh) {
    const auto distance = intersect(sheared, t);
    if (distance && *distance > 0) return true;
  }
  return false;
}

TEST(Intersect, HitsTheMiddleAndMissesTheOutside) {
  const Corners t = {Vec3{0, 0, 5}, Vec3{4, 0, 5}, Vec3{0, 4, 5}};
  EXPECT_DOUBLE_EQ(*intersect(ShearedRay(test::rayTo({1, 1, 0}, {1, 1, 1})), t), 5);
  EXPECT_DOUBLE_EQ(*intersect(ShearedRay(test::rayTo({1, 1, 9}, {1, 1, 0})), t), 4);
  EXPECT_DOUBLE_EQ(*intersect(ShearedRay(test::rayTo({1, 1, 9}, {1, 1, 10})), t), -4);
  EXPECT_FALSE(intersect(ShearedRay(test::rayTo({3, 3, 0}, {3, 3, 1})), t));
  EXPECT_FALSE(intersect(ShearedRay(test::rayTo({-1, 1, 5}, {1, 1, 5})), t)) << "in the plane";
}

TEST(Intersect, EveryDirectionAndBothSides) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {1.0, -1.0}) {
      Vec3 d{0.1, 0.2, 0.15};
      d[axis] = sign;
      Corners t;
      for (std::size_t i = 0; i < 3; ++i) {
        t[i][axis] = sign * 3;
        t[i][(axis + 1) % 3] = i == 1 ? 15 : -5;
        t[i][(axis + 2) % 3] = i == 2 ? 15 : -5;
      }
      const host::Ray ray{{0, 0, 0}, unit(d), host::kInfinity, host::Ray::Kind::Nearest};
      EXPECT_NEAR(*intersect(ShearedRay(ray), t), 3 * length(d), 1e-12);
      std::swap(t[0], t[1]);
      EXPECT_NEAR(*intersect(ShearedRay(ray), t), 3 * length(d), 1e-12);
    }
  }
}

// From inside a closed mesh, every ray leaves through something, also those aimed at corners and at
// points of edges.
TEST(Intersect, SharedEdgesAndCornersDoNotLeak) {
  std::mt19937 random(1234);
  SCOPED_TRACE("seed 1234");
  std::uniform_real_distribution<double> position(-2, 2);
  std::uniform_real_distribution<double> weight(0, 1);
  const std::vector<Corners> mesh = bumpyBall(3, random);
  int leaks = 0;
  for (int round = 0; round < 20; ++round) {
    const Vec3 origin =
        round == 0 ? Vec3{} : Vec3{position(random), position(random), position(random)};
    for (const Corners& t : mesh) {
      const double w = weight(random);
      for (const Vec3& target : {t[0], (t[0] + t[1]) * 0.5, t[1] * w + t[2] * (1 - w)}) {
        leaks += hitsAny(mesh, test::rayTo(origin, target)) ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(leaks, 0);
}

// Coordinates far from the origin leave few bits; the sign of an edge is exact all the same.
TEST(Intersect, NoLeaksFarFromTheOrigin) {
  std::mt19937 random(99);
  SCOPED_TRACE("seed 99");
  std::vector<Corners> mesh = bumpyBall(2, random);
  const Vec3 far{1e9, -3e9, 2e9};
  for (Corners& t : mesh) {
    for (Vec3& v : t) v += far;
  }
  std::uniform_real_distribution<double> weight(0, 1);
  int leaks = 0;
  for (int i = 0; i < 5000; ++i) {
    const Corners& t = mesh[random() % mesh.size()];
    const double w = weight(random);
    leaks += hitsAny(mesh, test::rayTo(far, t[0] * w + t[1] * (1 - w))) ? 0 : 1;
  }
  EXPECT_EQ(leaks, 0);
}

TEST(Intersect, DegenerateInputIsAMiss) {
  const host::Ray ray = test::rayTo({0, 0, 0}, {0, 0, 1});
  const Vec3 p{0, 0, 3};
  EXPECT_FALSE(intersect(ShearedRay(ray), Corners{p, p, p}));
  EXPECT_FALSE(intersect(ShearedRay(ray), Corners{Vec3{-1, 0, 3}, p, Vec3{1, 0, 3}}));
  const host::Ray nowhere{{0, 0, 0}, {0, 0, 0}, host::kInfinity, host::Ray::Kind::Nearest};
  EXPECT_FALSE(
      intersect(ShearedRay(nowhere), Corners{Vec3{-1, -1, 3}, Vec3{1, -1, 3}, Vec3{0, 1, 3}}));
}

TEST(Intersect, SphereFromOutsideAndInside) {
  const scene::Sphere ball{{0, 0, 10}, 2};
  const auto outside = intersect(test::rayTo({0, 0, 0}, {0, 0, 1}), ball);
  ASSERT_TRUE(outside);
  EXPECT_EQ((*outside)[0], 8);
  EXPECT_EQ((*outside)[1], 12);
  const auto inside = intersect(test::rayTo({0, 0, 10}, {1, 0, 10}), ball);
  EXPECT_EQ((*inside)[0], -2);
  EXPECT_EQ((*inside)[1], 2);
}

// The textbook form b^2 - c loses a small distant sphere in rounding; the perpendicular does not.
TEST(Intersect, GrazingRaysAreDecidedAtTheRadius) {
  for (const double radius : {1e-3, 1.0, 100.0}) {
    for (const double distance : {10.0, 1e4, 1e6}) {
      const scene::Sphere ball{{0, 0, distance}, radius};
      const double margin = 1e-9 * radius;
      const auto ray = [&](double y) {
        return host::Ray{{0, y, 0}, {0, 0, 1}, host::kInfinity, host::Ray::Kind::Nearest};
      };
      EXPECT_TRUE(intersect(ray(radius - margin), ball)) << radius << ' ' << distance;
      EXPECT_FALSE(intersect(ray(radius + margin), ball)) << radius << ' ' << distance;
      const auto touch = intersect(ray(radius), ball);
      ASSERT_TRUE(touch);
      EXPECT_EQ((*touch)[0], distance);
      EXPECT_EQ((*touch)[1], distance);
    }
  }
}

}  // namespace
}  // namespace rtvp::reference
