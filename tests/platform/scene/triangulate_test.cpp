// Triangulation: the pieces cover the polygon, turn like it and do not overlap.
#include "platform/scene/triangulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

// Pieces of a simple planar polygon turn as it does, and their areas add up to its own. Together
// this excludes overlaps and pieces outside.
void expectCover(const std::vector<Vec3>& polygon, const std::string& what) {
  const Vec3 normal = newellNormal(polygon);
  const double wanted = length(normal) / 2;
  double sum = 0;
  const auto pieces = triangulate(polygon);
  EXPECT_LE(pieces.size(), polygon.size() - 2) << what;
  for (const auto& [a, b, c] : pieces) {
    ASSERT_LT(std::max({a, b, c}), polygon.size()) << what;
    const Vec3 piece = cross(polygon[b] - polygon[a], polygon[c] - polygon[a]);
    EXPECT_GE(dot(piece, normal), -1e-10 * dot(normal, normal)) << what;
    sum += length(piece) / 2;
  }
  EXPECT_NEAR(sum, wanted, 1e-9 * wanted) << what;
}

std::vector<Vec3> placed(const std::vector<Vec3>& flat, const Vec3& u, const Vec3& v,
                         const Vec3& at) {
  std::vector<Vec3> result;
  for (const Vec3& p : flat) result.push_back(at + u * p.x + v * p.y);
  return result;
}

TEST(Triangulate, ConvexPolygonsAreFans) {
  std::vector<Vec3> polygon;
  for (int k = 0; k < 7; ++k) polygon.push_back({std::cos(k * 0.8), std::sin(k * 0.8), 0});
  const auto pieces = triangulate(polygon);
  ASSERT_EQ(pieces.size(), 5U);
  for (std::uint32_t k = 0; k < 5; ++k) {
    EXPECT_EQ(pieces[k], (std::array<std::uint32_t, 3>{0, k + 1, k + 2}));
  }
}

TEST(Triangulate, SmallAndDegenerateInput) {
  EXPECT_TRUE(triangulate({}).empty());
  const std::vector<Vec3> two{{0, 0, 0}, {1, 0, 0}};
  EXPECT_TRUE(triangulate(two).empty());
  const std::vector<Vec3> line{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  EXPECT_EQ(triangulate(line).size(), 2U);
  const std::vector<Vec3> same(5, Vec3{1, 2, 3});
  EXPECT_EQ(triangulate(same).size(), 3U);
}

TEST(Triangulate, StarsWithRandomRadiiInRandomPlanes) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> radius(0.05, 1);
    std::uniform_real_distribution<double> any(-1, 1);
    for (const int corners : {4, 5, 7, 12, 50, 300}) {
      std::vector<Vec3> flat;
      for (int k = 0; k < corners; ++k) {
        const double angle = 2 * std::acos(-1.0) * k / corners;
        const double r = radius(random);
        flat.push_back({r * std::cos(angle), r * std::sin(angle), 0});
      }
      const Vec3 u = unit({any(random), any(random), any(random) + 3});
      const Vec3 v = unit(cross(u, {any(random), 2, any(random)}));
      const Vec3 at{any(random) * 10, any(random) * 10, any(random) * 10};
      expectCover(placed(flat, u, v, at), "turning left");
      expectCover(placed(flat, v, u, at), "turning right");
      std::rotate(flat.begin(), flat.begin() + corners / 2, flat.end());
      expectCover(placed(flat, u, v, at), "other start");
    }
  }
}

TEST(Triangulate, CombsAndSpirals) {
  std::vector<Vec3> comb{{0, 0, 0}, {20, 0, 0}};
  for (int k = 20; k >= 0; --k) comb.push_back({static_cast<double>(k), k % 2 == 0 ? 5.0 : 0.5, 0});
  expectCover(comb, "comb");
  std::vector<Vec3> spiral;
  for (int k = 0; k <= 60; ++k) {
    spiral.push_back({(1 + k * 0.1) * std::cos(k * 0.3), (1 + k * 0.1) * std::sin(k * 0.3), 0});
  }
  for (int k = 60; k >= 0; --k) {
    spiral.push_back({(0.5 + k * 0.1) * std::cos(k * 0.3), (0.5 + k * 0.1) * std::sin(k * 0.3), 0});
  }
  expectCover(spiral, "spiral");
}

TEST(Triangulate, StraightAndRepeatedCorners) {
  expectCover(
      {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 2, 0}, {2, 2, 0}, {1, 2, 0}, {1, 1, 0}, {0, 1, 0}},
      "an L with corners on its sides");
  expectCover({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0}, {0, 2, 0}}, "a square");
}

/// A pentagram turns left at each corner and is not convex all the same: its outline goes round
/// twice. Its fan would cover places outside it.
TEST(Triangulate, APentagramIsNoFan) {
  std::vector<Vec3> star;
  for (int k = 0; k < 5; ++k)
    star.push_back({std::cos(k * 0.8 * M_PI), std::sin(k * 0.8 * M_PI), 0});
  const auto pieces = triangulate(star);
  const std::vector<std::array<std::uint32_t, 3>> fan = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
  EXPECT_NE(pieces, fan);
}

TEST(Triangulate, CrossingOutlinesEnd) {
  // No meaning, but an answer in bounded time with corners that exist.
  for (const unsigned seed : {11U, 12U, 13U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-1, 1);
    std::vector<Vec3> polygon;
    for (int k = 0; k < 1024; ++k) polygon.push_back({any(random), any(random), any(random)});
    for (const auto& [a, b, c] : triangulate(polygon)) {
      EXPECT_TRUE(a != b && b != c && a != c);
      EXPECT_LT(std::max({a, b, c}), 1024U);
    }
  }
}

// board.md section 6: the faces of SPD's gears have 144 corners.
TEST(Triangulate, GearFacesOfTheShippedScenes) {
  const Scene s = load(shipped("spd_gears_1.nff"));
  std::vector<double> areas(s.primitiveCount, 0);
  std::vector<Vec3> normals(s.primitiveCount);
  std::vector<int> pieces(s.primitiveCount, 0);
  for (const Element& e : s.elements) {
    const Triangle& t = s.triangles[e.index];
    areas[e.primitive] += area(t);
    normals[e.primitive] += cross(t.v[1] - t.v[0], t.v[2] - t.v[0]) * 0.5;
    ++pieces[e.primitive];
  }
  int faces = 0;
  for (std::size_t p = 0; p < areas.size(); ++p) {
    // The vector area does not depend on how a polygon is cut; equal to the sum of areas, nothing
    // overlaps.
    EXPECT_NEAR(areas[p], length(normals[p]), 1e-9);
    if (pieces[p] > 100) ++faces;
  }
  EXPECT_EQ(faces, 2);
}

}  // namespace
}  // namespace rtvp::scene::test
