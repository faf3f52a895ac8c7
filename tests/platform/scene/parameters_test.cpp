// Surface parameters and derivatives: of triangles with and without texture coordinates, and of
// spheres, the latter against finite differences.
#include "platform/scene/parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/platform/scene/support.hpp"

namespace rtvp::scene::test {
namespace {

constexpr std::uint64_t kSeed = 20011;

TEST(Parameters, ATriangleWithoutCoordinatesHasItsBarycentricWeights) {
  const Scene s = loadText("a.shk", "t 1 0 0 3 0 0 1 4 0\n");
  const Parameters p = parametersAt(s, 0, {1.5, 1, 0});
  EXPECT_DOUBLE_EQ(p.u, 0.25);
  EXPECT_DOUBLE_EQ(p.v, 0.25);
  EXPECT_EQ(p.du, (Vec3{2, 0, 0}));
  EXPECT_EQ(p.dv, (Vec3{0, 4, 0}));
  const TangentFrame frame = tangentFrame(p, {0, 0, 1});
  EXPECT_EQ(frame.ds, (Vec3{1, 0, 0}));
  EXPECT_EQ(frame.dt, (Vec3{0, 1, 0}));
}

TEST(Parameters, CoordinatesAndDerivativesAgree) {
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> number(-5, 5);
  for (int round = 0; round < 200; ++round) {
    std::string line = "st";
    for (int k = 0; k < 6; ++k) line += ' ' + std::to_string(number(random));
    line += "\nt";
    for (int k = 0; k < 9; ++k) line += ' ' + std::to_string(number(random));
    const Scene s = loadText("a.shk", line + "\n");
    ASSERT_TRUE(s.triangles[0].textured);
    const Triangle& t = s.triangles[0];
    const Parameters p = parametersAt(s, 0, t.v[0] * 0.2 + t.v[1] * 0.3 + t.v[2] * 0.5);
    EXPECT_NEAR(p.u, t.st[0].u * 0.2 + t.st[1].u * 0.3 + t.st[2].u * 0.5, 1e-5) << line;
    EXPECT_NEAR(p.v, t.st[0].v * 0.2 + t.st[1].v * 0.3 + t.st[2].v * 0.5, 1e-5) << line;
    // The derivatives carry coordinate differences to edges.
    for (std::size_t k = 1; k < 3; ++k) {
      const double u = double{t.st[k].u} - t.st[0].u;
      const double v = double{t.st[k].v} - t.st[0].v;
      const double slack = 1e-9 * (1 + length(p.du) + length(p.dv));
      expectNear(p.du * u + p.dv * v, t.v[k] - t.v[0], slack);
    }
  }
}

TEST(Parameters, ASqueezedTextureStillHasATangentFrame) {
  for (const std::string st : {"st 1 1 1 1 1 1", "st 0 0 1 1 2 2"}) {
    const Scene s = loadText("a.shk", st + "\n" + std::string(kTriangle));
    const Parameters p = parametersAt(s, 0, {0.2, 0.2, 0});
    const TangentFrame frame = tangentFrame(p, {0, 0, 1});
    EXPECT_NEAR(length(frame.ds), 1, 1e-12);
    EXPECT_NEAR(length(frame.dt), 1, 1e-12);
  }
}

TEST(Parameters, AMirroredTextureTurnsTheFrame) {
  const Scene s = loadText("a.shk", "st 0 0 1 0 0 -1\n" + std::string(kTriangle));
  const TangentFrame frame = tangentFrame(parametersAt(s, 0, {0.2, 0.2, 0}), {0, 0, 1});
  EXPECT_EQ(frame.ds, (Vec3{1, 0, 0}));
  EXPECT_EQ(frame.dt, (Vec3{0, -1, 0}));
}

TEST(Parameters, ASphereHasLongitudeAndHeight) {
  const Scene s = loadText("a.shk", "sphere 1 2 3 2\n");
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {3, 2, 3}).u, 0);
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {3, 2, 3}).v, 0.5);
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {1, 2, 1}).u, 0.25);
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {-1, 2, 3}).u, 0.5);
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {1, 4, 3}).v, 1);
  EXPECT_DOUBLE_EQ(parametersAt(s, 0, {1, 0, 3}).v, 0);
}

TEST(Parameters, SphereDerivativesAreThoseOfTheParametrisation) {
  const Scene s = loadText("a.shk", "object 5 6 7 2 30 40\nsphere 1 2 3 2\n");
  const Sphere& sphere = s.spheres[0];
  EXPECT_EQ(sphere.radius, 4);
  const Space& space = s.spaces[1];
  const auto point = [&](double u, double v) {
    const double longitude = 2 * M_PI * u;
    const double polar = M_PI * (1 - v);
    const Vec3 d{std::sin(polar) * std::cos(longitude), std::cos(polar),
                 -std::sin(polar) * std::sin(longitude)};
    return sphere.center + space.directionToWorld(d) * sphere.radius;
  };
  constexpr double kStep = 1e-5;
  for (double u = 0.05; u < 1; u += 0.11) {
    for (double v = 0.1; v < 1; v += 0.2) {
      const Parameters p = parametersAt(s, 0, point(u, v));
      EXPECT_NEAR(p.u, u, 1e-9);
      EXPECT_NEAR(p.v, v, 1e-9);
      expectNear(p.du, (point(u + kStep, v) - point(u - kStep, v)) * (0.5 / kStep), 1e-5);
      expectNear(p.dv, (point(u, v + kStep) - point(u, v - kStep)) * (0.5 / kStep), 1e-5);
      const Vec3 outward = unit(point(u, v) - sphere.center);
      EXPECT_GT(dot(cross(p.du, p.dv), outward), 0);
      const TangentFrame frame = tangentFrame(p, outward);
      expectNear(cross(frame.ds, frame.dt), outward, 1e-9);
    }
  }
  // The poles and the centre itself.
  for (const Vec3& odd : {point(0, 1), point(0, 0), sphere.center}) {
    const TangentFrame frame = tangentFrame(parametersAt(s, 0, odd), space.axes[1]);
    EXPECT_NEAR(length(frame.ds), 1, 1e-9);
    EXPECT_NEAR(length(frame.dt), 1, 1e-9);
  }
}

TEST(Parameters, ATessellatedSphereKeepsItsParametrisation) {
  const std::string text = "object 1 2 3 2 25 40\nsphere 0 0 0 1\n";
  const Scene round = loadText("a.shk", text);
  LoadOptions options;
  options.tessellateAll = true;
  options.segments = 64;
  const Scene pieces = loadText("a.shk", text, options);
  ASSERT_GT(pieces.triangles.size(), 1000U);
  for (std::uint32_t e = 0; e < pieces.elements.size(); ++e) {
    const Triangle& t = pieces.triangles[e];
    ASSERT_TRUE(t.textured);
    const Vec3 middle = (t.v[0] + t.v[1] + t.v[2]) * (1 / 3.0);
    const Parameters flat = parametersAt(pieces, e, middle);
    const Parameters real = parametersAt(round, 0, middle);
    // Near the poles the parameters turn quickly across a piece.
    if (real.v < 0.1 || real.v > 0.9) continue;
    EXPECT_NEAR(flat.v, real.v, 0.01);
    const double turn = flat.u - real.u;
    EXPECT_NEAR(turn, std::round(turn), 0.02) << flat.u << ' ' << real.u;
  }
}

}  // namespace
}  // namespace rtvp::scene::test
