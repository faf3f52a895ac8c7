// Traces by found slopes: surfaces of functions that are no distances against closed forms, from
// outside, inside and the surface itself; what is counted; overshoots of declared bounds.
#include <cmath>

#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 20261124;
constexpr unsigned kRays = 2000;
constexpr double kNear = 1e-3;  ///< of a hit: the settings' eps

const Bounds kBox{{-1.2F, -1.2F, -1.2F}, {1.2F, 1.2F, 1.2F}};

/// |p|^2 to the third, less 1, times a number: flat at the origin, steep at the border.
std::string steepBall(const std::string& factor) {
  return "OPDotVec3 var var\nOPCubeFloat var\nOPSubFloatFloat var f(1)\nOPMulFloatFloat var f(" +
         factor + ")\nOPStop var\n";
}
std::string ballTape(const std::string& factor) {
  return "OPDupVec3 var\n" + steepBall(factor);
}

Object undeclared(const std::string& text, const Bounds& box = kBox) {
  return {assembled(text), box, {}, 0};
}

/// Distances at which a ray meets the unit ball.
std::array<double, 2> ballHits(const Vec& o, const Vec& d) {
  const double b = dot(o, d), root = b * b - dot(o, o) + 1;
  if (root < 0) return {-1, -1};
  return {-b - std::sqrt(root), -b + std::sqrt(root)};
}

class Factors : public ::testing::TestWithParam<const char*> {};

TEST_P(Factors, RaysFromOutsideMeetTheBall) {
  const Model model(undeclared(ballTape(GetParam())), Settings::improved());
  const Placed placed = model.placed();
  ASSERT_TRUE(model.hull.sloped);
  EXPECT_EQ(model.counters.slope_tested, model.hull.leaves.size());
  EXPECT_EQ(model.counters.slope_unbounded, 0U);
  std::mt19937 random(kSeed);
  Counters counters;
  for (unsigned n = 0; n < kRays; ++n) {
    const Vec origin = scaled(randomDirection(random), 4),
              to = scaled(randomDirection(random), 0.99);
    const Vec direction = unit(sub(to, origin));
    const auto hits = ballHits(origin, direction);
    const HitRecord hit =
        traceRay({&placed, 1}, {origin, direction}, Settings::improved(), counters);
    // A chord shorter than eps may be stepped over.
    if (hits[1] - hits[0] < 2 * kNear) continue;
    ASSERT_TRUE(hit.hit()) << n;
    EXPECT_NEAR(hit.t, hits[0], kNear) << n;
  }
  EXPECT_EQ(counters.overshoots, 0U);
  EXPECT_EQ(counters.capped, 0U);
}

TEST_P(Factors, RaysFromInsideFindTheFarSide) {
  const Model model(undeclared(ballTape(GetParam())), Settings::improved());
  const Placed placed = model.placed();
  std::mt19937 random(kSeed + 1);
  Counters counters;
  for (unsigned n = 0; n < kRays; ++n) {
    const Vec origin = scaled(randomDirection(random), 0.9), direction = randomDirection(random);
    const HitRecord hit =
        traceRay({&placed, 1}, {origin, direction}, Settings::improved(), counters);
    ASSERT_TRUE(hit.hit()) << n;
    EXPECT_NEAR(hit.t, ballHits(origin, direction)[1], kNear) << n;
  }
}

TEST_P(Factors, RaysFromTheSurfaceLeaveIt) {
  const Model model(undeclared(ballTape(GetParam())), Settings::improved());
  const Placed placed = model.placed();
  std::mt19937 random(kSeed + 2);
  Counters counters;
  for (unsigned n = 0; n < kRays; ++n) {
    const Vec origin = randomDirection(random), direction = randomDirection(random);
    const double cosine = dot(origin, direction);
    if (std::abs(cosine) < 0.05) continue;
    const HitRecord hit =
        traceRay({&placed, 1}, {origin, direction}, Settings::improved(), counters);
    ASSERT_EQ(hit.hit(), cosine < 0) << n;
    if (hit.hit()) {
      EXPECT_NEAR(hit.t, -2 * cosine, 2 * kNear) << n;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Scales, Factors, ::testing::Values("0.001", "1", "1000"));

TEST(SlopeTraces, FramesAndRaysFindTheSame) {
  const Model model(undeclared(ballTape("40")), Settings::improved());
  const Placed placed = model.placed();
  const Camera camera = Camera::lookAt({2, 1, 3}, {0, 0, 0}, {0, 1, 0}, 40, 64, 64);
  const Picture picture = pictureOf(model, camera, Settings::improved(), 64, 64);
  Counters counters;
  for (unsigned y = 0; y < 64; ++y) {
    for (unsigned x = 0; x < 64; ++x) {
      const Vec direction =
          unit(add(camera.corner, add(scaled(camera.column, x), scaled(camera.row, y))));
      const HitRecord hit =
          traceRay({&placed, 1}, {camera.eye, direction}, Settings::improved(), counters);
      EXPECT_EQ(hit.hit(), picture.at(x, y).hit()) << x << ' ' << y;
      if (hit.hit() && picture.at(x, y).hit()) {
        EXPECT_NEAR(hit.t, picture.at(x, y).t, kNear);
      }
    }
  }
  EXPECT_GT(picture.counters.covered, 500U);
}

/// A wall of |x| - 1/4 cut into slices by a step function: no bound where it jumps.
TEST(SlopeTraces, WithoutABoundSmallStepsFindTheSurface) {
  const std::string tape =
      "OPDupVec3 var\nOPSDFSphere f(1) var\nOPExtractVec3 var f(0)\nOPMulFloatFloat var f(3)\n"
      "OPFloorFloat var\nOPMulFloatFloat var f(0.0001)\nOPAddFloatFloat var var\nOPStop var\n";
  const Model model(undeclared(tape), Settings::improved());
  EXPECT_GT(model.counters.slope_unbounded, 0U);
  EXPECT_LT(model.counters.slope_unbounded, model.counters.slope_tested);
  const Placed placed = model.placed();
  std::mt19937 random(kSeed + 3);
  Counters counters;
  for (unsigned n = 0; n < kRays; ++n) {
    const Vec origin = scaled(randomDirection(random), 3),
              to = scaled(randomDirection(random), 0.9);
    const Vec direction = unit(sub(to, origin));
    const HitRecord hit =
        traceRay({&placed, 1}, {origin, direction}, Settings::improved(), counters);
    ASSERT_TRUE(hit.hit()) << n;
    EXPECT_NEAR(hit.t, ballHits(origin, direction)[0], 4 * kNear) << n;
  }
}

TEST(SlopeTraces, ADeclaredBoundWinsAndOneTooSmallIsNoticed) {
  // In its box f is up to about 230 times as steep as the declared 1.
  const Settings settings = Settings::improved();
  const Model model(Object(assembled(ballTape("1")), kBox, {}, 1), settings);
  EXPECT_FALSE(model.hull.sloped);
  EXPECT_EQ(model.counters.slope_tested, 0U);
  // Where the ray enters, f is 1.986, which is further than to the ball's far half.
  const Settings brute = Settings::brute();
  const auto overshoots = [&](double declared) {
    const Model whole(Object(assembled(ballTape("1")), kBox, {}, declared), brute);
    const Placed placed = whole.placed();
    Counters counters;
    traceRay({&placed, 1}, {{0, 0, 4}, {0, 0, -1}}, brute, counters);
    return counters.overshoots;
  };
  EXPECT_EQ(overshoots(1), 1U);
  EXPECT_EQ(overshoots(300), 0U);
}

// At its surface the ball's f falls six times as fast as these leaves say: a ray that enters a leaf
// just before it lands behind it.
TEST(SlopeTraces, AFoundBoundTooSmallIsNoticed) {
  Model model(undeclared(ballTape("1")), Settings::improved());
  for (Leaf& leaf : model.hull.leaves) leaf.slope = {{-1, -1, -1}, {1, 1, 1}, 1};
  const Placed placed = model.placed();
  std::mt19937 random(kSeed);
  Counters counters;
  for (unsigned n = 0; n < kRays; ++n) {
    const Vec origin = scaled(randomDirection(random), 4);
    const Vec direction = unit(sub(scaled(randomDirection(random), 0.99), origin));
    traceRay({&placed, 1}, {origin, direction}, Settings::improved(), counters);
  }
  EXPECT_GT(counters.overshoots, 0U);
}

TEST(SlopeTraces, WithoutTheStageFIsTakenForADistance) {
  for (Settings settings : {Settings::improved(), Settings::brute()}) {
    settings.slopes = false;
    const Model with(undeclared(ballTape("1")), settings);
    const Model one(Object(assembled(ballTape("1")), kBox, {}, 1), settings);
    EXPECT_FALSE(with.hull.sloped);
    const Camera camera = Camera::lookAt({2, 1, 3}, {0, 0, 0}, {0, 1, 0}, 40, 32, 32);
    EXPECT_EQ(pictureOf(with, camera, settings, 32, 32).frame.depth,
              pictureOf(one, camera, settings, 32, 32).frame.depth);
  }
}

TEST(SlopeTraces, StepLimitCapsThemAndIsCounted) {
  Settings settings = Settings::improved();
  settings.slope_steps = 1;
  const Model model(undeclared(ballTape("1")), settings);
  const Placed placed = model.placed();
  Counters counters;
  const HitRecord hit = traceRay({&placed, 1}, {{0.3, 0.2, 4}, {0, 0, -1}}, settings, counters);
  EXPECT_GT(counters.capped + counters.hits, 0U);
  EXPECT_EQ(hit.capped, counters.capped > 0);
  settings.slope_steps = 0;
  EXPECT_FALSE(settings.fault().empty());
}

}  // namespace
}  // namespace rtvp::implicit::render::test
