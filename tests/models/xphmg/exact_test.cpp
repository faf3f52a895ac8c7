// RT-048: the decision of RT.TRI against exact rational arithmetic on the sheared vertices: edge
// signs, determinant, ownership, and t, u, v within the error of a few binary64 roundings.
#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <random>

#include "models/xphmg/intersect.hpp"

namespace rtvp::xphmg {
namespace {

using Exact = boost::multiprecision::cpp_rational;

struct Corner {
  Exact x, y;
  float z = 0;  ///< along the ray's major axis, relative to the origin
};

struct Decision {
  bool hit = false, front = false;
  Exact u, v, t;
};

Exact edge(const Corner& p, const Corner& q) {
  return p.x * q.y - p.y * q.x;
}

bool owns(const Corner& from, const Corner& to, bool front) {
  const Exact dx = front ? to.x - from.x : from.x - to.x;
  const Exact dy = front ? to.y - from.y : from.y - to.y;
  return dy < 0 || (dy == 0 && dx > 0);
}

/// Steps 3 to 8 of 9.2: the shear rounds to FP32 as specified, all the rest is exact.
Decision decide(const Ray& ray, const Triangle& triangle) {
  unsigned z = 2;
  const auto size = [&ray](unsigned k) { return std::fabs(ray.d[k]); };
  if (size(0) > size(1)) {
    if (size(0) > size(2)) z = 0;
  } else if (size(1) > size(2)) {
    z = 1;
  }
  unsigned x = (z + 1) % 3, y = (z + 2) % 3;
  if (ray.d[z] < 0) std::swap(x, y);
  const float sx = ray.d[x] / ray.d[z], sy = ray.d[y] / ray.d[z], sz = 1.0F / ray.d[z];
  std::array<Corner, 3> c;
  for (unsigned n = 0; n < 3; ++n) {
    const float pz = triangle.v[n][z] - ray.o[z];
    const float px = triangle.v[n][x] - ray.o[x], py = triangle.v[n][y] - ray.o[y];
    const float ox = sx * pz, oy = sy * pz;
    const float qx = px - ox, qy = py - oy;
    c[n] = {Exact(qx), Exact(qy), pz};
  }
  const Exact u = edge(c[2], c[1]), v = edge(c[0], c[2]), w = edge(c[1], c[0]);
  const Exact det = u + v + w;
  Decision d;
  if (det == 0 || ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0))) return d;
  d.front = det > 0;
  if ((u == 0 && !owns(c[1], c[2], d.front)) || (v == 0 && !owns(c[2], c[0], d.front)) ||
      (w == 0 && !owns(c[0], c[1], d.front))) {
    return d;
  }
  d.hit = true;
  const auto scaled = [sz](float depth) {
    const float product = sz * depth;
    return Exact(product);
  };
  d.t = (u * scaled(c[0].z) + v * scaled(c[1].z) + w * scaled(c[2].z)) / det;
  d.u = v / det;
  d.v = w / det;
  return d;
}

TEST(Tri, RT048_DecisionEqualsExactRationals) {
  constexpr unsigned kSeed = 148;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937 random(kSeed);
  const auto uniform = [&random](double a, double b) {
    return a + (b - a) * static_cast<double>(random()) * 0x1p-32;
  };
  unsigned hits = 0, zero_edges = 0;
  for (int n = 0; n < 30000; ++n) {
    // Coarse grids make exact zeros, fine ones near misses.
    const double grid = std::exp2(static_cast<int>(random() % 4) * 8);
    const auto coordinate = [&] {
      return static_cast<float>(std::nearbyint(uniform(-4, 4) * grid) / grid);
    };
    Ray ray;
    Triangle triangle;
    for (auto& vertex : triangle.v) {
      for (float& x : vertex) x = coordinate();
    }
    // At a point of an edge, at a vertex, or anywhere.
    const double s = random() % 3 == 0 ? 0 : uniform(0, 1);
    const std::array<float, 3>& a = triangle.v[random() % 3];
    const std::array<float, 3>& b = triangle.v[random() % 3];
    for (unsigned k = 0; k < 3; ++k) {
      ray.o[k] = coordinate();
      ray.d[k] =
          static_cast<float>(double{a[k]} + s * (double{b[k]} - double{a[k]}) - double{ray.o[k]});
      if (random() % 6 == 0) ray.d[k] = 0;
    }
    if (ray.d[0] == 0 && ray.d[1] == 0 && ray.d[2] == 0) ray.d[random() % 3] = 1;
    ray.tmin = -INFINITY;
    ray.tmax = INFINITY;
    Stickies stickies;
    const TriResult got = intersectTriangle(ShearRay(ray), triangle,
                                            {false, false, lowerBound(ray.tmin, 0)}, stickies);
    const Decision exact = decide(ray, triangle);
    ASSERT_EQ(got.hit, exact.hit) << n;
    if (!got.hit) continue;
    ++hits;
    ASSERT_EQ(got.front, exact.front);
    if (exact.u == 0 || exact.v == 0 || exact.u + exact.v == 1) ++zero_edges;
    const auto near = [](double x, const Exact& y, double scale) {
      return std::abs(x - y.convert_to<double>()) <= 1e-13 * scale;
    };
    ASSERT_TRUE(near(got.u, exact.u, 1));
    ASSERT_TRUE(near(got.v, exact.v, 1));
    // |t| may cancel from terms as large as the deepest vertex.
    const double depth = 64.0 * std::max(1.0, std::abs(double{ShearRay(ray).sz}));
    ASSERT_TRUE(near(got.t, exact.t, depth)) << got.t << " " << exact.t;
  }
  std::cout << hits << " hits, " << zero_edges << " on an edge or vertex\n";
  EXPECT_GT(hits, 5000U);
  EXPECT_GT(zero_edges, 500U);
}

}  // namespace
}  // namespace rtvp::xphmg
