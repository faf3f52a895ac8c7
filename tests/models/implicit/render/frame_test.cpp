// Pictures: brute force and hull agree, depth from others cuts surfaces, rays of lists agree with
// eye rays, world matrices, several objects, materials.
#include <cmath>

#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 91;
constexpr unsigned kSize = 96;

Camera view(const Vec& eye) {
  return Camera::lookAt(eye, {0.05, 0.6, 0.05}, {0, 1, 0}, 60, kSize, kSize);
}
Vec rayOf(const Camera& camera, unsigned pixel) {
  return unit(add(camera.corner,
                  add(scaled(camera.column, pixel % kSize), scaled(camera.row, pixel / kSize))));
}

/// Whether a pixel or a neighbour has another state, or a distance that jumps: a silhouette.
bool silhouette(const Picture& picture, unsigned pixel) {
  const int x = static_cast<int>(pixel % kSize), y = static_cast<int>(pixel / kSize);
  const HitRecord& here = picture.frame.hits[pixel];
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int u = x + dx, v = y + dy;
      if (u < 0 || v < 0 || u >= static_cast<int>(kSize) || v >= static_cast<int>(kSize)) continue;
      const HitRecord& other = picture.at(static_cast<unsigned>(u), static_cast<unsigned>(v));
      if (other.hit() != here.hit()) return true;
      if (here.hit() && std::abs(other.t - here.t) > 0.2) return true;
    }
  }
  return false;
}

class Agreement : public ::testing::TestWithParam<const char*> {};

TEST_P(Agreement, HullEqualsBruteForceOutsideSilhouettes) {
  const Tape tape = assembled(GetParam());
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  Settings exact = Settings::brute();
  exact.step_limit = 2000;
  exact.eps = 1e-5F;
  const Model brute(Object(tape, box), exact);
  for (const Vec& eye :
       {Vec{2.5, 2.2, 2.4}, Vec{-0.2, 0.62, 3}, Vec{0.6, -1.9, -1.2}, Vec{0.05, 1.4, -0.6}}) {
    const Picture expected = pictureOf(brute, view(eye), exact, kSize, kSize);
    for (const bool compact : {false, true}) {
      Settings settings = Settings::improved();
      settings.compact = compact;
      const Model model(Object(tape, box), settings);
      const Picture picture = pictureOf(model, view(eye), settings, kSize, kSize);
      unsigned compared = 0, wrong = 0;
      for (unsigned p = 0; p < kSize * kSize; ++p) {
        if (silhouette(expected, p) || silhouette(picture, p)) continue;
        ++compared;
        const HitRecord &a = picture.frame.hits[p], &b = expected.frame.hits[p];
        wrong += a.hit() != b.hit() || (a.hit() && std::abs(a.t - b.t) > 0.02F) ? 1U : 0U;
      }
      EXPECT_GT(compared, kSize * kSize / 2);
      EXPECT_LE(wrong, 2U) << "eye " << eye[0] << " " << eye[1] << " " << eye[2];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tapes, Agreement,
                         ::testing::Values(kDefaultObject, kSmoothBlend, kSelections));

TEST(Frame, MasksAndProgramsGiveTheSameBytes) {
  const Tape tape = assembled(kDefaultObject);
  Settings settings = Settings::improved();
  const Model compact(Object(tape, seedBounds(tape)), settings);
  const Picture a = pictureOf(compact, view({2, 2, 2}), settings, kSize, kSize);
  settings.compact = false;
  const Model masked(Object(tape, seedBounds(tape)), settings);
  const Picture b = pictureOf(masked, view({2, 2, 2}), settings, kSize, kSize);
  for (unsigned p = 0; p < kSize * kSize; ++p) {
    ASSERT_EQ(a.frame.depth[p], b.frame.depth[p]);
    ASSERT_EQ(a.frame.hits[p].normal, b.frame.hits[p].normal);
    ASSERT_EQ(a.frame.hits[p].evaluations, b.frame.hits[p].evaluations);
  }
  EXPECT_EQ(a.counters.evaluations(), b.counters.evaluations());
  EXPECT_LT(a.counters.executed, b.counters.executed);
}

TEST(Frame, OrderOfLeavesAndEarlyDepthChangeNoPicture) {
  const Tape tape = assembled(kDefaultObject);
  Settings settings = Settings::improved();
  settings.carry = false;  // hits then start from the same entry points
  const Model model(Object(tape, seedBounds(tape)), settings);
  const Picture a = pictureOf(model, view({2, 2, 2}), settings, kSize, kSize);
  settings.front_to_back = false;
  const Picture b = pictureOf(model, view({2, 2, 2}), settings, kSize, kSize);
  settings.early_depth = false;
  const Picture c = pictureOf(model, view({2, 2, 2}), settings, kSize, kSize);
  for (unsigned p = 0; p < kSize * kSize; ++p) {
    ASSERT_EQ(a.frame.depth[p], b.frame.depth[p]);
    ASSERT_EQ(a.frame.depth[p], c.frame.depth[p]);
  }
  EXPECT_LT(a.counters.trace_evaluations, b.counters.trace_evaluations);
  EXPECT_LE(b.counters.trace_evaluations, c.counters.trace_evaluations);
  EXPECT_EQ(a.counters.fragments, a.counters.early_rejects + a.counters.traces);
  EXPECT_EQ(c.counters.fragments, c.counters.traces);
  EXPECT_EQ(a.counters.covered, c.counters.covered);
}

TEST(Frame, CarryingOnSavesEvaluationsNotHits) {
  const Tape tape = assembled(kDefaultObject);
  Settings settings = Settings::improved();
  const Model model(Object(tape, seedBounds(tape)), settings);
  const Picture with = pictureOf(model, view({2, 2, 2}), settings, kSize, kSize);
  settings.carry = false;
  const Picture without = pictureOf(model, view({2, 2, 2}), settings, kSize, kSize);
  unsigned different = 0;
  for (unsigned p = 0; p < kSize * kSize; ++p) {
    if (silhouette(with, p) || silhouette(without, p)) continue;
    different += !(with.frame.depth[p] == without.frame.depth[p] ||
                   std::abs(with.frame.depth[p] - without.frame.depth[p]) < 5e-3F)
                     ? 1U
                     : 0U;
  }
  EXPECT_EQ(different, 0U);
  const Counters &a = with.counters, &b = without.counters;
  EXPECT_LT(a.trace_evaluations * 100, b.trace_evaluations * 97);
  EXPECT_GT(a.carried, 0U);
  EXPECT_EQ(a.fragments, a.early_rejects + a.carried + a.traces);
}

TEST(Frame, RectanglesGiveTheSamePixels) {
  const Tape tape = assembled(kDefaultObject);
  const Settings settings = Settings::improved();
  const Model model(Object(tape, seedBounds(tape)), settings);
  const Camera camera = view({2, 2, 2});
  const Picture whole = pictureOf(model, camera, settings, kSize, kSize);
  Frame part({30, 41, 37, 25});
  Counters counters;
  const Placed placed = model.placed();
  renderFrame({&placed, 1}, camera, settings, part, counters);
  EXPECT_GT(counters.covered, 100U);
  for (unsigned y = 0; y < 25; ++y)
    for (unsigned x = 0; x < 37; ++x)
      ASSERT_EQ(part.depth[x + 37 * y], whole.frame.depth[30 + x + kSize * (41 + y)]);
}

TEST(Frame, PlaneFromTheDepthBufferCutsAnExactCircle) {
  // A ball of 1 and the plane z = 0.5 seen along -z from (0, 0, 4): the plane hides the ball
  // outside the circle x^2 + y^2 = 0.75. "Done when" 3.
  const Settings settings = Settings::improved();
  const Model model(
      objectOf("OPSDFSphere f(1) var\nOPStop var\n", {{-1.1F, -1.1F, -1.1F}, {1.1F, 1.1F, 1.1F}}),
      settings);
  constexpr unsigned kWide = 256;
  const Camera camera = Camera::lookAt({0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 40, kWide, kWide);
  Frame frame({0, 0, kWide, kWide});
  Counters counters;
  const auto direction = [&](unsigned x, unsigned y) {
    return unit(add(camera.corner, add(scaled(camera.column, x), scaled(camera.row, y))));
  };
  for (unsigned p = 0; p < kWide * kWide; ++p)
    frame.depth[p] = static_cast<float>(-3.5 / direction(p % kWide, p / kWide)[2]);
  const Placed placed = model.placed();
  renderFrame({&placed, 1}, camera, settings, frame, counters);
  const double pixel = length(camera.column) * 3.5;  // side of a pixel on the plane
  unsigned inside = 0;
  for (unsigned p = 0; p < kWide * kWide; ++p) {
    const Vec d = direction(p % kWide, p / kWide);
    const double t = -3.5 / d[2], radius = std::hypot(d[0] * t, d[1] * t);
    if (radius < std::sqrt(0.75) - pixel) {
      ASSERT_TRUE(frame.hits[p].hit());
      ASSERT_LT(frame.depth[p], t);
      ++inside;
    }
    if (radius > std::sqrt(0.75) + pixel) {
      ASSERT_FALSE(frame.hits[p].hit());
      ASSERT_EQ(frame.depth[p], static_cast<float>(t));
    }
  }
  EXPECT_GT(inside, 5000U);
}

TEST(Frame, RaysOfAListFindTheSameHits) {
  std::mt19937 random(kSeed);
  for (const char* text : {kDefaultObject, kSmoothBlend, kSelections}) {
    const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
    for (Settings settings : {Settings::improved(), Settings::brute()}) {
      settings.step_limit = 500;
      const Model model(objectOf(text, box), settings);
      const Camera camera = view({2.3, 1.4, 1.9});
      const Picture picture = pictureOf(model, camera, settings, kSize, kSize);
      const Placed placed = model.placed();
      Counters counters;
      unsigned different = 0;
      for (unsigned p = 0; p < kSize * kSize; ++p) {
        const HitRecord hit =
            traceRay({&placed, 1}, {camera.eye, rayOf(camera, p)}, settings, counters);
        const HitRecord& expected = picture.frame.hits[p];
        different +=
            hit.hit() != expected.hit() || (hit.hit() && std::abs(hit.t - expected.t) > 1e-5F) ? 1U
                                                                                               : 0U;
        WorldRay shadow{camera.eye, rayOf(camera, p)};
        shadow.any = true;
        ASSERT_EQ(traceRay({&placed, 1}, shadow, settings, counters).hit(), hit.hit());
        if (!hit.hit()) continue;
        shadow.tmax = hit.t * 0.99F;
        ASSERT_FALSE(traceRay({&placed, 1}, shadow, settings, counters).hit());
        shadow.tmax = hit.t * 1.01F;
        ASSERT_TRUE(traceRay({&placed, 1}, shadow, settings, counters).hit());
      }
      EXPECT_LE(different, 1U);  // rays along a face of two leaves
    }
  }
}

TEST(Frame, WorldMatricesMoveTurnAndStretch) {
  // A ball of 0.5 at the origin becomes an ellipsoid: matrix M, centre c. Hits are those of the
  // ball on the ray taken back; normals follow the inverse transpose.
  Affine world;
  world.row = {1.2, 0.3, -0.1, 0.4, -0.5, 0.9, 0.2, -0.3, 0.1, -0.2, 2, 0.7};
  const Settings settings = Settings::improved();
  const Model model(objectOf("OPSDFSphere f(0.5) var\nOPStop var\n",
                             {{-0.6F, -0.6F, -0.6F}, {0.6F, 0.6F, 0.6F}}, world, 7),
                    settings);
  const Affine back = world.inverse();
  for (unsigned n = 0; n < 3; ++n) {
    Vec axis{};
    axis[n] = 1;
    const Vec same = back.vector(world.vector(axis));
    for (unsigned k = 0; k < 3; ++k) EXPECT_NEAR(same[k], axis[k], 1e-12);
  }
  const Camera camera = Camera::lookAt({2, 1, 3}, {0.4, -0.3, 0.7}, {0, 1, 0}, 50, kSize, kSize);
  const Picture picture = pictureOf(model, camera, settings, kSize, kSize);
  EXPECT_GT(picture.counters.covered, 500U);
  for (unsigned p = 0; p < kSize * kSize; ++p) {
    const Vec d = rayOf(camera, p), o = back.point(camera.eye), v = back.vector(d);
    const double a = dot(v, v), b = dot(o, v), c = dot(o, o) - 0.25, root = b * b - a * c;
    const HitRecord& hit = picture.frame.hits[p];
    if (root < 0.02) continue;
    ASSERT_TRUE(hit.hit());
    ASSERT_EQ(hit.object, 7U);
    const double t = (-b - std::sqrt(root)) / a;
    ASSERT_NEAR(hit.t, t, 0.02);
    const Vec normal = unit(back.transposed(add(o, scaled(v, t))));
    for (unsigned n = 0; n < 3; ++n) ASSERT_NEAR(hit.normal[n], normal[n], 0.01);
  }
}

TEST(Frame, SeveralObjectsTheNearestWins) {
  const Settings settings = Settings::improved();
  std::vector<Model> models;
  const Bounds box{{-0.6F, -0.6F, -0.6F}, {0.6F, 0.6F, 0.6F}};
  for (unsigned n = 0; n < 3; ++n) {
    Affine world;
    world.row[3] = 0.3 * n;
    world.row[11] = n == 1 ? 1 : n == 2 ? 0.5 : 0;
    models.emplace_back(objectOf("OPSDFSphere f(0.5) var\nOPStop var\n", box, world, n), settings);
  }
  const std::vector<Placed> forward{models[0].placed(), models[1].placed(), models[2].placed()};
  const std::vector<Placed> backward{models[2].placed(), models[1].placed(), models[0].placed()};
  const Camera camera = Camera::lookAt({0.3, 0.2, 4}, {0.3, 0, 0.5}, {0, 1, 0}, 40, kSize, kSize);
  const Picture a = pictureOf(forward, camera, settings, kSize, kSize);
  const Picture b = pictureOf(backward, camera, settings, kSize, kSize);
  std::array<unsigned, 3> seen{};
  for (unsigned p = 0; p < kSize * kSize; ++p) {
    ASSERT_EQ(a.frame.hits[p].object, b.frame.hits[p].object);
    ASSERT_EQ(a.frame.depth[p], b.frame.depth[p]);
    Counters counters;
    const HitRecord ray = traceRay(forward, {camera.eye, rayOf(camera, p)}, settings, counters);
    ASSERT_EQ(ray.object, a.frame.hits[p].object);
    if (ray.hit()) ++seen[ray.object];
  }
  for (const unsigned count : seen) EXPECT_GT(count, 50U);
}

TEST(Frame, EqualDistancesGoToTheSmallerId) {
  const Settings settings = Settings::improved();
  const Bounds box{{-0.6F, -0.6F, -0.6F}, {0.6F, 0.6F, 0.6F}};
  const Model a(objectOf("OPSDFSphere f(0.5) var\nOPStop var\n", box, {}, 4), settings);
  const Model b(objectOf("OPSDFSphere f(0.5) var\nOPStop var\n", box, {}, 3), settings);
  for (const std::vector<Placed>& both :
       {std::vector<Placed>{a.placed(), b.placed()}, std::vector<Placed>{b.placed(), a.placed()}}) {
    Settings all = settings;
    all.early_depth = false;
    const Picture picture =
        pictureOf(both, Camera::lookAt({0, 0, 3}, {}, {0, 1, 0}, 40, 9, 9), all, 9, 9);
    EXPECT_EQ(picture.at(4, 4).object, 3U);
    Counters counters;
    EXPECT_EQ(traceRay(both, {{0.1, 0, 3}, {0, 0, -1}}, all, counters).object, 3U);
  }
}

TEST(Frame, SeedModeDrawsAllLayersAndLosesTheCameraWithin) {
  const Tape tape = assembled(kDefaultObject);
  const Settings seed = Settings::seedReport(), improved = Settings::improved();
  const Model a(Object(tape, seedBounds(tape)), seed), b(Object(tape, seedBounds(tape)), improved);
  const Picture all = pictureOf(a, view({2, 2, 2}), seed, kSize, kSize);
  EXPECT_EQ(all.counters.traces, all.counters.fragments);
  EXPECT_EQ(all.counters.early_rejects, 0U);
  // Its picture is the same but for its fatter edges.
  const Picture best = pictureOf(b, view({2, 2, 2}), improved, kSize, kSize);
  unsigned different = 0;
  for (unsigned p = 0; p < kSize * kSize; ++p)
    different += all.frame.hits[p].hit() != best.frame.hits[p].hit() ? 1U : 0U;
  EXPECT_LT(different, kSize * kSize / 50);
  // A camera in a cuboid: the torus fills the view, the seed's face is behind the camera.
  const Vec within{0, 0.447, 0.78};
  const Camera close = Camera::lookAt(within, {0, 0.3, 0.7}, {0, 0, 1}, 90, kSize, kSize);
  const Picture right = pictureOf(b, close, improved, kSize, kSize);
  const Picture lost = pictureOf(a, close, seed, kSize, kSize);
  unsigned deeper = 0;
  for (unsigned p = 0; p < kSize * kSize; ++p)
    deeper += lost.frame.depth[p] > right.frame.depth[p] + 0.01F ? 1U : 0U;
  EXPECT_GT(deeper, kSize * kSize / 20);
}

constexpr const char* kTwoBalls =
    ".material 0 1 0 0 1 0 0 0 0 0 0 0 1\n.material 1 0 0 1 1 1 0 0 0 0 0 0 1\nOPDupVec3 var\n"
    "OPAddVec3Vec3 var v3(-0.5,0,0)\nOPSDFSphere f(0.6) var\nOPAddVec3Vec3 var v3(0.5,0,0)\n"
    "OPSDFSphere f(0.6) var\n";

MaterialResult materialOf(const std::string& tail, const std::array<float, 3>& p) {
  const Tape tape = assembled(kTwoBalls + tail);
  return materialAt(tape, Mask(tape.size()), p);
}

TEST(Materials, WinnersBlendsAndFirstInputs) {
  // The ball at +0.5 is red (number 0), popped second; the one at -0.5 blue (1), popped first.
  const std::array<float, 3> red{0.9F, 0, 0}, blue{-0.9F, 0, 0}, seam{0, 0.3F, 0};
  for (const char* tail :
       {"OPMinFloat var var\nOPStop var\n", "OPMinMaterialFloat var var\nOPStop var\n",
        "OPSmoothMinFloat f(0.4) var var\nOPStop var\n"}) {
    EXPECT_EQ(materialOf(tail, red).shape, 0U) << tail;
    EXPECT_EQ(materialOf(tail, blue).shape, 1U) << tail;
    EXPECT_EQ(materialOf(tail, red).words[0], 1.0F);
  }
  EXPECT_EQ(materialOf("OPMaxFloat var var\nOPStop var\n", red).shape, 1U);
  const char* smooth = "OPSmoothMinMaterialFloat f(0.4) var var\nOPStop var\n";
  const Material half = materialOf(smooth, seam).words;
  EXPECT_NEAR(half[0], 0.5, 1e-6);
  EXPECT_NEAR(half[2], 0.5, 1e-6);
  EXPECT_NEAR(half[4], 0.5, 1e-6);
  EXPECT_EQ(materialOf(smooth, seam).shape, 1U) << "of equal values the one popped first wins";
  EXPECT_EQ(materialOf(smooth, red).words[0], 1.0F);  // further apart than k
  // |a - b| = 0.1 to 0.2 about x = 0.05: h = (k - |a - b|) / k, the other weighs h^2 / 2.
  const std::array<float, 3> near{0.05F, 0, 0};
  const float a = 0.55F - 0.6F, b = 0.45F - 0.6F, h = (0.4F - std::abs(a - b)) / 0.4F;
  EXPECT_NEAR(materialOf(smooth, near).words[0], 1 - h * h / 2, 1e-5);
  EXPECT_EQ(materialOf(smooth, near).shape, 0U);
  // Subtraction: the cut has the tool's material, through the multiplication by -1.
  const char* cut = "OPMulFloatFloat var f(-1)\nOPMaxFloat var var\nOPStop var\n";
  EXPECT_EQ(materialOf(cut, {0.05F, 0, 0}).shape, 1U);
  EXPECT_EQ(materialOf(cut, {1.1F, 0, 0}).shape, 0U);
  // No material: a constant, or a distance without an OPSDF.
  EXPECT_EQ(materialOf("OPMinFloat var f(-9)\nOPStop var\n", red).shape, kNoShape);
  const Tape plain = assembled("OPLengthVec3 var\nOPSubFloatFloat f(1) var\nOPStop var\n");
  EXPECT_EQ(materialAt(plain, Mask(plain.size()), red).words, kDefaultMaterial);
}

TEST(Materials, FollowCopiesAndSwaps) {
  EXPECT_EQ(materialOf("OPSwap2Float var var\nOPDropFloat var\nOPStop var\n", {0, 0, 0}).shape, 1U);
  EXPECT_EQ(materialOf("OPDropFloat var\nOPStop var\n", {0, 0, 0}).shape, 0U);
  EXPECT_EQ(
      materialOf("OPSwap2Float var var\nOPAddFloatFloat var var\nOPStop var\n", {0, 0, 0}).shape,
      0U);
  EXPECT_EQ(materialOf("OPDup2Float var\nOPStop var\n", {0, 0, 0}).shape, 0U);
  EXPECT_EQ(materialOf("OPDupFloat var\nOPAddFloatFloat var var\nOPStop var\n", {0, 0, 0}).shape,
            1U);
}

TEST(Materials, OfHitsInFramesAndMasks) {
  const Tape tape =
      assembled(std::string(kTwoBalls) + "OPSmoothMinMaterialFloat f(0.3) var var\nOPStop var\n");
  const Bounds box{{-1.2F, -0.7F, -0.7F}, {1.2F, 0.7F, 0.7F}};
  for (const bool compact : {false, true}) {
    Settings settings = Settings::improved();
    settings.compact = compact;
    const Model model(Object(tape, box), settings);
    const Camera camera = Camera::lookAt({0, 0, 3}, {}, {0, 1, 0}, 60, kSize, kSize);
    const Picture picture = pictureOf(model, camera, settings, kSize, kSize);
    unsigned mixed = 0;
    for (unsigned p = 0; p < kSize * kSize; ++p) {
      const HitRecord& hit = picture.frame.hits[p];
      if (!hit.hit()) continue;
      ASSERT_NEAR(hit.material[0] + hit.material[2], 1, 1e-5);
      const double x = rayOf(camera, p)[0] * hit.t;
      ASSERT_TRUE(std::abs(x) <= 0.2 || hit.shape == (x > 0 ? 0U : 1U));
      mixed += hit.material[0] > 0.01F && hit.material[0] < 0.99F ? 1U : 0U;
    }
    EXPECT_GT(mixed, 50U);
    EXPECT_EQ(picture.counters.material_evaluations, picture.counters.covered);
  }
}

TEST(Frame, RandomRaysAgreeWithBruteForce) {
  // From everywhere, also from inside the solid and inside the hull.
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1.6, 2.2);
  const Tape tape = assembled(kDefaultObject);
  Settings improved = Settings::improved(), brute = Settings::brute();
  improved.step_limit = brute.step_limit = 1000;
  const Model a(Object(tape, seedBounds(tape)), improved), b(Object(tape, seedBounds(tape)), brute);
  const Placed hull = a.placed(), whole = b.placed();
  unsigned hits = 0, different = 0;
  for (unsigned n = 0; n < 20000; ++n) {
    const WorldRay ray{{number(random), number(random), number(random)}, randomDirection(random)};
    Counters counters;
    const HitRecord x = traceRay({&hull, 1}, ray, improved, counters);
    const HitRecord y = traceRay({&whole, 1}, ray, brute, counters);
    hits += y.hit() ? 1U : 0U;
    different += x.hit() != y.hit() || (x.hit() && std::abs(x.t - y.t) > 0.02F) ? 1U : 0U;
  }
  EXPECT_GT(hits, 3000U);
  // Those that graze a surface may stop in its shell of eps in one and pass it in the other.
  EXPECT_LE(different, 40U) << "seed " << kSeed;
}

}  // namespace
}  // namespace rtvp::implicit::render::test
