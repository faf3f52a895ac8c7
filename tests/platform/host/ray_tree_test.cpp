// The ray tree against hand-computed pictures, with the reference finder behind it.
#include "platform/raytree/ray_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "platform/reference/reference_finder.hpp"
#include "platform/reference/seed_finder.hpp"
#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::host {
namespace {

using scene::Vec3;

/// Passes through to another finder and remembers what it was asked.
class Recorder : public HitFinder {
 public:
  explicit Recorder(HitFinder& inner) : inner_(inner) {}
  void trace(std::span<const Ray> rays, std::span<Hit> hits) override {
    calls.emplace_back(rays.begin(), rays.end());
    inner_.trace(rays, hits);
  }
  void traceEye(std::span<const Ray> rays, std::span<const EyePosition> positions,
                std::span<Hit> hits) override {
    eyeRays -= std::min(eyeRays, rays.size());
    if (eyeRays == 0) callsBeforeLastEyeRays = calls.size();
    calls.emplace_back(rays.begin(), rays.end());
    inner_.traceEye(rays, positions, hits);
  }
  std::vector<std::vector<Ray>> calls;
  std::size_t eyeRays = 0;  ///< to come
  std::size_t callsBeforeLastEyeRays = 0;

 private:
  HitFinder& inner_;
};

/// Answers every ray alike.
class Constant : public HitFinder {
 public:
  explicit Constant(Hit answer) : answer_(answer) {}
  void trace(std::span<const Ray>, std::span<Hit> hits) override {
    std::fill(hits.begin(), hits.end(), answer_);
  }

 private:
  Hit answer_;
};

struct Picture {
  Framebuffer framebuffer;
  RayCounts counts;
  report::HitDump hits;
};

Picture render(const scene::Scene& s, const RenderOptions& options) {
  reference::ReferenceFinder finder(s);
  RayTree tree(s, options);
  Picture picture{tree.makeFramebuffer(), {}, {}};
  tree.render(finder, picture.framebuffer);
  picture.counts = tree.counts();
  picture.hits = tree.primaryHits();
  return picture;
}

void expectColor(const Picture& picture, const Vec3& expected, double tolerance = 1e-9) {
  const Vec3 color = picture.framebuffer.color(0, 0);
  EXPECT_NEAR(color.x, expected.x, tolerance);
  EXPECT_NEAR(color.y, expected.y, tolerance);
  EXPECT_NEAR(color.z, expected.z, tolerance);
}

/// Floor, mirror ball, glass ball and two lights: something of everything.
scene::Scene everything(int width, int height) {
  scene::Scene s = test::emptyScene(width, height);
  s.camera.eye = {3, 4, 10};
  s.lights = {{{5, 8, 5}, {0.7, 0.7, 0.6}}, {{-6, 5, 2}, {0.4, 0.3, 0.5}}};
  test::addQuad(s, {-8, -1, 8}, {8, -1, 8}, {8, -1, -8}, {-8, -1, -8});
  s.materials.push_back({{0.9, 0.4, 0.3}, 0.5, 0.4, 0.1, 20, 0, 0.4, 1});
  test::addSphere(s, {-1.2, 0, 0}, 1);
  s.materials.push_back({{0.8, 0.9, 1}, 0.1, 0.5, 0.05, 40, 0.7, 0.2, 1.5});
  test::addSphere(s, {1.2, 0, 0.5}, 1);
  return s;
}

TEST(RayTree, APlaneLitByOneLight) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0].color = {1, 0.5, 0.25};
  s.lights = {{{3, 0, 4}, {1, 0.5, 2}}};
  test::addSquare(s, 0, 20);
  const double specular = 0.2 * std::pow(0.8, 5);
  expectColor(render(s, {}), {0.2 + 1 * (0.64 + specular), 0.1 + 0.5 * (0.32 + specular),
                              0.05 + 2 * (0.16 + specular)});
}

TEST(RayTree, AMissIsTheBackground) {
  scene::Scene s = test::emptyScene(1, 1);
  test::addSquare(s, 50, 1);  // behind the eye
  const Picture picture = render(s, {});
  expectColor(picture, {0.1, 0.2, 0.4});
  EXPECT_EQ(picture.counts.traced(), 1U);
}

// board.md 5.6, items 1 to 3: a blocked light neither ends its parent nor hides the lights after
// it, and the mirror ray still contributes.
TEST(RayTree, EveryLightCountsWhicheverIsBlocked) {
  for (int blocked = 0; blocked < 8; ++blocked) {
    scene::Scene s = test::emptyScene(1, 1);
    s.materials[0] = {{1, 1, 1}, 0.5, 0, 0.1, 5, 0, 0.25, 1};
    const std::array<Vec3, 3> from = {Vec3{6, 0, 8}, Vec3{-6, 0, 8}, Vec3{0, 6, 8}};
    Vec3 expected = s.background * 0.25 + Vec3{0.1, 0.1, 0.1};
    test::addSquare(s, 0, 30);
    for (std::size_t i = 0; i < from.size(); ++i) {
      s.lights.push_back({from[i], {i == 0 ? 0.3 : 0, i == 1 ? 0.3 : 0, i == 2 ? 0.3 : 0}});
      if ((blocked >> i & 1) != 0) {
        test::addSphere(s, from[i] * 0.5, 0.5);
      } else {
        expected[static_cast<int>(i)] += 0.3 * 0.5 * 0.8;
      }
    }
    const Picture picture = render(s, {});
    SCOPED_TRACE(blocked);
    expectColor(picture, expected, 1e-5);
    EXPECT_EQ(picture.counts.total().shadow, 3U);
    EXPECT_EQ(picture.counts.total().blocked,
              static_cast<std::uint64_t>(__builtin_popcount(static_cast<unsigned>(blocked))));
    EXPECT_EQ(picture.counts.total().reflected, 1U);
  }
}

TEST(RayTree, WhatLiesBehindALightCastsNoShadow) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0] = {{1, 1, 1}, 1, 0, 0, 5, 0, 0, 1};
  s.lights = {{{0, 0, 5}, {1, 1, 1}}};
  test::addSquare(s, 0, 20);
  test::addSphere(s, {0, 3, 8}, 1);
  expectColor(render(s, {}), {1, 1, 1}, 1e-5);
}

TEST(RayTree, ALightBehindTheSurfaceNeedsNoRay) {
  scene::Scene s = test::emptyScene(1, 1);
  s.lights = {{{0, 0, -5}, {1, 1, 1}}};
  test::addSquare(s, 0, 20);
  const Picture picture = render(s, {});
  expectColor(picture, {0.2, 0.2, 0.2});
  EXPECT_EQ(picture.counts.total().shadow, 0U);
  EXPECT_EQ(picture.counts.total().unlit, 1U);
}

TEST(RayTree, ALightOnTheSurfaceIsHarmless) {
  scene::Scene s = test::emptyScene(1, 1);
  s.lights = {{{0, 0, 0}, {1, 1, 1}}};
  test::addSquare(s, 0, 20);
  const Picture picture = render(s, {});
  EXPECT_TRUE(std::isfinite(picture.framebuffer.color(0, 0).x));
}

// Two mirrors face each other with the eye between them: each bounce adds ambient light, weighted
// by 0.5.
TEST(RayTree, DepthLimitsTheBounces) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0] = {{1, 1, 1}, 0, 0, 0.1, 5, 0, 0.5, 1};
  test::addSquare(s, 0, 20);
  test::addSquare(s, 20, 20, true);
  for (int depth = 1; depth <= 8; ++depth) {
    RenderOptions options;
    options.depth = depth;
    const Picture picture = render(s, options);
    const double expected = 0.1 * (1 - std::pow(0.5, depth)) / 0.5;
    expectColor(picture, {expected, expected, expected});
    EXPECT_EQ(picture.counts.total().rays, static_cast<std::uint64_t>(depth));
    EXPECT_EQ(picture.counts.generations.size(), static_cast<std::size_t>(depth));
    EXPECT_EQ(picture.counts.generations.back().hits, 1U);
  }
}

TEST(RayTree, DepthOneIsEyeRaysAndTheirShadowRays) {
  const scene::Scene s = everything(16, 16);
  RenderOptions options;
  options.depth = 1;
  const GenerationCounts total = render(s, options).counts.total();
  EXPECT_EQ(total.rays, 256U);
  EXPECT_EQ(total.reflected + total.refracted, 0U);
  EXPECT_GT(total.shadow, 0U);
  EXPECT_EQ(total.shadow + total.unlit, 2 * total.hits);
}

// A slab of glass shifts a ray sideways by d sin(a) (1 - cos(a) / (n cos(b))) and leaves its
// direction alone.
TEST(RayTree, AGlassSlabShiftsTheView) {
  scene::Scene s = test::emptyScene(1, 1);
  s.camera.eye = {-10, 0, 10};
  s.materials[0] = {{1, 1, 1}, 0, 0, 0, 5, 1, 0, 1.5};
  test::addSquare(s, 0, 100);
  test::addSquare(s, -2, 100, true);
  const double sine = std::sqrt(0.5) / 1.5;
  // Enters at (0,0,0), leaves 2 units deeper, then goes on at 45 degrees to z = -5.
  const double x = 2 * sine / std::sqrt(1 - sine * sine) + 3;
  s.materials.push_back({{1, 0, 0}, 0, 0, 1, 5, 0, 0, 1});
  test::addSphere(s, {x, 0, -5}, 0.05);
  s.materials.push_back({{0, 1, 0}, 0, 0, 1, 5, 0, 0, 1});
  test::addSquare(s, -6, 100);
  const Picture picture = render(s, {});
  expectColor(picture, {1, 0, 0});
  EXPECT_EQ(picture.counts.total().refracted, 2U);
  // A thinner glass sends the ray past the ball to the wall.
  for (scene::Material& m : s.materials) {
    if (m.ktrans > 0) m.refindex = 1.1;
  }
  expectColor(render(s, {}), {0, 1, 0});
}

TEST(RayTree, TotalInternalReflectionRefractsNothing) {
  scene::Scene s = test::emptyScene(1, 1);
  s.camera.eye = {-10, 0, -10};  // inside: the surface faces +z
  s.camera.lookAt = {0, 0, 0};
  s.materials[0] = {{1, 1, 1}, 0, 0, 0.25, 5, 1, 0.5, 1.5};
  test::addSquare(s, 0, 100);
  const Picture picture = render(s, {});
  expectColor(picture, Vec3{0.25, 0.25, 0.25} + s.background * 0.5);
  EXPECT_EQ(picture.counts.total().totalInternal, 1U);
  EXPECT_EQ(picture.counts.total().refracted, 0U);
  EXPECT_EQ(picture.counts.total().reflected, 1U);
}

// Index 1 and full transmission: the ball is invisible but for its ambient light, seen at both
// surfaces.
TEST(RayTree, GlassOfIndexOneIsInvisible) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0] = {{1, 1, 1}, 0, 0, 0, 5, 1, 0, 1};
  test::addSphere(s, {0.3, 0.4, 0}, 2);
  expectColor(render(s, {}), s.background);
}

TEST(RayTree, SecondaryRaysStartOffTheSurfaceOnTheRightSide) {
  scene::Scene s = everything(24, 24);
  reference::ReferenceFinder inner(s);
  Recorder recorder(inner);
  RayTree tree(s, {});
  Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(recorder, framebuffer);
  const double offset = 1e-5 * s.bounds().diagonal();
  int onFloor = 0;
  for (const auto& call : recorder.calls) {
    for (const Ray& ray : call) {
      EXPECT_NEAR(length(ray.direction), 1, 1e-12);
      if (ray.kind != Ray::Kind::Any || std::abs(ray.origin.y + 1) > 2 * offset) continue;
      ++onFloor;
      EXPECT_NEAR(ray.origin.y, -1 + offset, offset * 1e-6);
      const double toLight =
          std::min(length(s.lights[0].position - ray.origin - ray.direction * ray.tmax),
                   length(s.lights[1].position - ray.origin - ray.direction * ray.tmax));
      EXPECT_LT(toLight, 1e-9);
    }
  }
  EXPECT_GT(onFloor, 100);
}

TEST(RayTree, UnderSeedCompatOriginsStayOnTheSurface) {
  scene::Scene s = test::emptyScene(1, 1);
  s.materials[0] = {{1, 1, 1}, 1, 0, 0, 5, 0, 0, 1};
  s.lights = {{{0, 0, 5}, {1, 1, 1}}};
  test::addSquare(s, 0, 20);
  reference::SeedFinder inner(s);
  Recorder recorder(inner);
  RenderOptions options;
  options.seedCompat = true;
  RayTree tree(s, options);
  Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(recorder, framebuffer);
  ASSERT_EQ(recorder.calls.size(), 2U);
  EXPECT_NEAR(recorder.calls[1][0].origin.z, 0, 1e-6);
  EXPECT_NEAR(framebuffer.color(0, 0).x, 1, 1e-6);
}

TEST(RayTree, TS_025_EyeRaysArriveInCoherentOrder) {
  const scene::Scene s = everything(32, 32);
  reference::ReferenceFinder inner(s);
  Recorder recorder(inner);
  RenderOptions options;
  options.depth = 1;
  options.order = PixelOrder::Hilbert;
  RayTree tree(s, options);
  Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(recorder, framebuffer);
  const std::vector<Ray>& eye = recorder.calls.at(0);
  ASSERT_EQ(eye.size(), 1024U);
  for (std::size_t i = 1; i < eye.size(); ++i) {
    EXPECT_GT(dot(eye[i].direction, eye[i - 1].direction), std::cos(1.5 / 32));
  }
}

TEST(RayTree, NeitherBatchSizeNorOrderChangesThePicture) {
  const scene::Scene s = everything(33, 21);
  const Picture whole = render(s, {});
  for (const PixelOrder order : {PixelOrder::Hilbert, PixelOrder::Scanline, PixelOrder::Tiles}) {
    for (const std::size_t batch : {1UL, 7UL, 64UL, 100000UL}) {
      RenderOptions options;
      options.order = order;
      options.batch = batch;
      const Picture other = render(s, options);
      ASSERT_TRUE(std::ranges::equal(whole.framebuffer.sums(), other.framebuffer.sums())) << batch;
      EXPECT_EQ(other.counts.traced(), whole.counts.traced());
    }
  }
}

TEST(RayTree, BatchesAreFullWhileEyeRaysRemain) {
  const scene::Scene s = everything(40, 40);
  reference::ReferenceFinder inner(s);
  Recorder recorder(inner);
  RenderOptions options;
  options.batch = 128;
  RayTree tree(s, options);
  Framebuffer framebuffer = tree.makeFramebuffer();
  recorder.eyeRays = 1600;
  std::uint64_t last = 0;
  RayProgress progress(s, options.depth, 1600, [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
  });
  tree.render(recorder, framebuffer, &progress);
  EXPECT_EQ(last, tree.counts().traced())
      << "at the end all rays are answered, and no more to come";
  EXPECT_EQ(progress.total(), last);
  const std::size_t callsWithEyeRaysLeft = recorder.callsBeforeLastEyeRays;
  ASSERT_GT(callsWithEyeRaysLeft, 10U);
  for (std::size_t i = 0; i < recorder.calls.size(); ++i) {
    const auto& call = recorder.calls[i];
    EXPECT_LE(call.size(), 128U);
    EXPECT_GT(call.size(), 0U);
    const bool mustBeFull = i < callsWithEyeRaysLeft && call[0].kind == Ray::Kind::Nearest;
    EXPECT_TRUE(!mustBeFull || call.size() == 128U) << i;
    for (const Ray& ray : call) EXPECT_EQ(ray.kind, call[0].kind) << "kinds do not mix";
  }
}

TEST(RayTree, CropsMergeIntoTheWholePicture) {
  const scene::Scene s = everything(30, 20);
  for (const int samples : {1, 3}) {
    RenderOptions options;
    options.samples = samples;
    const Picture whole = render(s, options);
    Framebuffer merged(30, 20, samples);
    for (const Crop& crop : {Crop{0, 0, 13, 20}, Crop{13, 0, 17, 9}, Crop{13, 9, 17, 11}}) {
      options.crop = crop;
      merged.merge(render(s, options).framebuffer, crop.x, crop.y);
    }
    EXPECT_TRUE(std::ranges::equal(whole.framebuffer.sums(), merged.sums())) << samples;
  }
}

TEST(RayTree, PrimaryHitsAreRowsOfTheWholePicture) {
  const scene::Scene s = everything(20, 12);
  RenderOptions options;
  options.recordHits = true;
  options.crop = {5, 3, 10, 8};
  const Picture picture = render(s, options);
  ASSERT_EQ(picture.hits.size(), 80U);
  reference::ReferenceFinder finder(s, reference::ReferenceFinder::Mode::BruteForce);
  for (std::size_t i = 0; i < picture.hits.size(); ++i) {
    const report::HitRow& row = picture.hits[i];
    EXPECT_EQ(row.x, 5 + static_cast<int>(i % 10));
    EXPECT_EQ(row.y, 3 + static_cast<int>(i / 10));
    const Ray ray{s.camera.eye, s.camera.direction(row.x + 0.5, row.y + 0.5, 20, 12), kInfinity,
                  Ray::Kind::Nearest};
    const Hit hit = finder.nearest(ray);
    if (hit.element == scene::kNoElement) {
      EXPECT_EQ(row.prim, report::kMiss);
      continue;
    }
    const scene::Element& element = s.elements[hit.element];
    EXPECT_EQ(row.prim, std::int64_t{element.primitive});
    EXPECT_EQ(row.t, hit.t);
    if (element.kind == scene::Element::Kind::Sphere) {
      EXPECT_EQ(row.u, 0);
      continue;
    }
    const auto& v = s.triangles[element.index].v;
    const Vec3 rebuilt = v[0] * (1 - row.u - row.v) + v[1] * row.u + v[2] * row.v;
    EXPECT_LT(length(rebuilt - (ray.origin + ray.direction * row.t)), 1e-9);
  }
}

TEST(RayTree, SamplesAreBoxFiltered) {
  scene::Scene s = test::emptyScene(1, 1);
  s.background = {0, 0, 0};
  s.materials[0] = {{1, 1, 1}, 0, 0, 1, 5, 0, 0, 1};
  test::addQuad(s, {0, -50, 0}, {50, -50, 0}, {50, 50, 0}, {0, 50, 0});  // right half of the view
  for (const int samples : {2, 4, 16, 64}) {
    RenderOptions options;
    options.samples = samples;
    const Picture picture = render(s, options);
    expectColor(picture, {0.5, 0.5, 0.5});
    EXPECT_EQ(picture.counts.total().rays, static_cast<std::uint64_t>(samples));
  }
}

TEST(RayTree, CountsAddUp) {
  const Picture picture = render(everything(32, 32), {});
  const GenerationCounts total = picture.counts.total();
  EXPECT_EQ(picture.counts.generations[0].rays, 1024U);
  EXPECT_EQ(total.rays, 1024 + total.reflected + total.refracted);
  EXPECT_EQ(total.shadow + total.unlit, 2 * total.hits);
  EXPECT_LE(total.blocked, total.shadow);
  EXPECT_EQ(picture.counts.traced(), total.rays + total.shadow);
  common::StatGroup group("rays");
  picture.counts.describe(group);
  EXPECT_EQ(group.groups().size(), 5U);
  EXPECT_EQ(group.figures().size(), group.groups()[0].figures().size());
}

TEST(RayTree, WithoutHitsThePictureIsBackground) {
  const scene::Scene s = everything(9, 9);
  Constant nothing(Hit{});
  RayTree tree(s, {});
  Framebuffer framebuffer = tree.makeFramebuffer();
  tree.render(nothing, framebuffer);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 9; ++x) EXPECT_NEAR(framebuffer.color(x, y).z, 0.4, 1e-9);
  }
}

TEST(RayTree, AnImpossibleHitIsAFaultOfTheMachine) {
  const scene::Scene s = everything(4, 4);
  for (const Hit& hit : {Hit{77, 1}, Hit{0, std::nan("")}, Hit{0, -1},
                         Hit{0, std::numeric_limits<double>::infinity()}}) {
    Constant broken(hit);
    RayTree tree(s, {});
    Framebuffer framebuffer = tree.makeFramebuffer();
    EXPECT_THROW(tree.render(broken, framebuffer), HitFault);
  }
}

TEST(RayTree, RefusesOptionsOutOfRange) {
  const scene::Scene s = everything(10, 10);
  const auto refused = [&s](auto change) {
    RenderOptions options;
    change(options);
    EXPECT_THROW(RayTree(s, options), std::invalid_argument);
  };
  refused([](RenderOptions& o) { o.depth = 0; });
  refused([](RenderOptions& o) { o.depth = kMaxDepth + 1; });
  refused([](RenderOptions& o) { o.samples = 0; });
  refused([](RenderOptions& o) { o.batch = 0; });
  refused([](RenderOptions& o) { o.rayOffset = -1; });
  refused([](RenderOptions& o) { o.rayOffset = std::nan(""); });
  refused([](RenderOptions& o) { o.crop = {5, 5, 6, 5}; });
  refused([](RenderOptions& o) { o.crop = {-1, 0, 5, 5}; });
  refused([](RenderOptions& o) { o.crop = {3, 3, 0, 0}; });
  refused([](RenderOptions& o) { o.crop = {0, 0, 2147483647, 2147483647}; });
  refused([](RenderOptions& o) { o.samples = 4, o.recordHits = true; });
  RayTree tree(s, {});
  Framebuffer wrong(9, 10);
  Constant nothing(Hit{});
  EXPECT_THROW(tree.render(nothing, wrong), std::invalid_argument);
}

}  // namespace
}  // namespace rtvp::host
