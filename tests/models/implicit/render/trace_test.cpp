// Rays against closed forms (sdf.md 18.8; "Done when" 3 of the issue): spheres, boxes, tori, from
// many directions, through frames, ray lists and brute force, with each way of stepping.
#include <cmath>
#include <functional>
#include <optional>

#include "models/implicit/render/batch.hpp"
#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 57;

/// A shape whose hits are known: all t > 0 at which the ray meets the surface, ascending.
struct Shape {
  const char* name;
  const char* tape;
  Bounds bounds;
  std::function<std::vector<double>(const Vec& origin, const Vec& direction)> hits;
};

std::vector<double> sphereHits(const Vec& o, const Vec& d, double radius) {
  const double b = dot(o, d), c = dot(o, o) - radius * radius, root = b * b - c;
  std::vector<double> out;
  if (root < 0) return out;
  for (const double t : {-b - std::sqrt(root), -b + std::sqrt(root)})
    if (t > 0) out.push_back(t);
  return out;
}

std::vector<double> boxHits(const Vec& o, const Vec& d, const Vec& half) {
  double enter = -INFINITY, leave = INFINITY;
  for (unsigned n = 0; n < 3; ++n) {
    const double a = (-half[n] - o[n]) / d[n], b = (half[n] - o[n]) / d[n];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  std::vector<double> out;
  if (enter >= leave) return out;
  for (const double t : {enter, leave})
    if (t > 0) out.push_back(t);
  return out;
}

/// Roots of the quartic (|p|^2 + R^2 - r^2)^2 - 4 R^2 (x^2 + z^2), bracketed by its stationary
/// points, which are the roots of its derivative, and so on down to a line.
std::vector<double> rootsOf(const std::vector<double>& c) {
  if (c.size() == 2) return c[1] != 0 ? std::vector<double>{-c[0] / c[1]} : std::vector<double>{};
  std::vector<double> slope;
  for (std::size_t n = 1; n < c.size(); ++n) slope.push_back(static_cast<double>(n) * c[n]);
  std::vector<double> ends{-100};
  for (const double t : rootsOf(slope)) ends.push_back(t);
  ends.push_back(100);
  const auto at = [&](double t) {
    double sum = 0;
    for (std::size_t n = c.size(); n-- > 0;) sum = sum * t + c[n];
    return sum;
  };
  std::vector<double> out;
  for (std::size_t n = 0; n + 1 < ends.size(); ++n) {
    double low = ends[n], high = ends[n + 1];
    if ((at(low) < 0) == (at(high) < 0)) continue;
    for (unsigned k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      ((at(middle) < 0) == (at(low) < 0) ? low : high) = middle;
    }
    out.push_back(low);
  }
  return out;
}

std::vector<double> torusHits(const Vec& o, const Vec& d, double major, double minor) {
  const double k = dot(o, o) + major * major - minor * minor, b = 2 * dot(o, d),
               m = 4 * major * major;
  const double flat = o[0] * o[0] + o[2] * o[2], cross = o[0] * d[0] + o[2] * d[2];
  const double along = d[0] * d[0] + d[2] * d[2];
  std::vector<double> out;
  for (const double t :
       rootsOf({k * k - m * flat, 2 * k * b - 2 * m * cross, b * b + 2 * k - m * along, 2 * b, 1}))
    if (t > 0) out.push_back(t);
  return out;
}

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"sphere",
       "OPSDFSphere f(1) var\nOPStop var\n",
       {{-1.1F, -1.1F, -1.1F}, {1.1F, 1.1F, 1.1F}},
       [](const Vec& o, const Vec& d) { return sphereHits(o, d, 1); }},
      {"box",
       "OPSDFBox v3(0.5,0.75,1) var\nOPStop var\n",
       {{-0.6F, -0.8F, -1.1F}, {0.6F, 0.8F, 1.1F}},
       [](const Vec& o, const Vec& d) {
         return boxHits(o, d, {0.5, 0.75, 1});
       }},
      {"torus",
       "OPSDFTorus v2(0.75,0.25) var\nOPStop var\n",
       {{-1.1F, -0.3F, -1.1F}, {1.1F, 0.3F, 1.1F}},
       [](const Vec& o, const Vec& d) { return torusHits(o, d, 0.75, 0.25); }}};
  return all;
}

/// Least angle between a ray and the surface at which t is judged: f within eps allows an error of
/// eps / sin(angle) along the ray.
constexpr double kGrazing = 0.1;

struct Variant {
  const char* name;
  Settings settings;
};

std::vector<Variant> variants() {
  std::vector<Variant> out{{"improved", Settings::improved()}, {"brute", Settings::brute()}};
  out.push_back({"masks", Settings::improved()});
  out.back().settings.compact = false;
  out.push_back({"plain", Settings::improved()});
  out.back().settings.stepping = Stepping::Plain;
  out.push_back({"relaxed", Settings::improved()});
  out.back().settings.stepping = Stepping::Relaxed;
  out.back().settings.relaxation = 1.4F;
  out.push_back({"not carried", Settings::improved()});
  out.back().settings.carry = false;
  for (Variant& v : out) {
    v.settings.step_limit = 1000;
    v.settings.best_candidate = false;
  }
  return out;
}

double slopeAlong(const Model& model, const Vec& p, const Vec& d) {
  const Code whole = Code::compact(model.object.program());
  const double h = 1e-3;
  return (whole.valueAt(add(p, scaled(d, h))) - whole.valueAt(add(p, scaled(d, -h)))) / (2 * h);
}

/// Whether a hit is the true one within eps, or a point of the shell of eps that the ray grazes
/// before it (`grazed` counts those).
bool acceptable(const Model& model, const Vec& o, const Vec& d, double t, double expected,
                unsigned& grazed) {
  const double sine = std::abs(slopeAlong(model, add(o, scaled(d, expected)), d));
  if (std::abs(t - expected) <= 1.05e-3 / sine) return true;
  const Vec p = add(o, scaled(d, t));
  const bool shell = std::abs(Code::compact(model.object.program()).valueAt(p)) <= 2.02e-3 &&
                     std::abs(slopeAlong(model, p, d)) < kGrazing;
  grazed += shell ? 1U : 0U;
  return shell && t < expected;
}

class Closed : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Closed, RaysFromOutside) {
  const Shape& shape = shapes()[GetParam()];
  for (const Variant& variant : variants()) {
    const Model model(objectOf(shape.tape, shape.bounds), variant.settings);
    const Placed placed = model.placed();
    std::mt19937 random(kSeed);
    std::uniform_real_distribution<double> number(-1.2, 1.2);
    unsigned hits = 0, misses = 0, judged = 0, grazed = 0;
    for (unsigned n = 0; n < 3000; ++n) {
      WorldRay ray;
      ray.origin = scaled(randomDirection(random), 3);
      ray.direction = unit(sub({number(random), number(random), number(random)}, ray.origin));
      const std::vector<double> expected = shape.hits(ray.origin, ray.direction);
      Counters counters;
      const HitRecord hit = traceRay({&placed, 1}, ray, variant.settings, counters);
      ASSERT_EQ(counters.capped + counters.undefined, 0U);
      const std::string where = std::string(shape.name) + ", " + variant.name + ", ray " +
                                std::to_string(n) + ", seed " + std::to_string(kSeed);
      if (!expected.empty()) {
        // What f finds: the true hit, or up to eps before it.
        const Vec p = add(ray.origin, scaled(ray.direction, expected[0]));
        const double sine = std::abs(slopeAlong(model, p, ray.direction));
        ASSERT_TRUE(hit.hit() || sine < kGrazing) << where;
        if (!hit.hit()) continue;
        ++hits;
        if (sine < kGrazing) continue;
        ++judged;
        ASSERT_TRUE(acceptable(model, ray.origin, ray.direction, hit.t, expected[0], grazed))
            << where << ", t " << hit.t << ", expected " << expected[0];
        ASSERT_NEAR(length({hit.normal[0], hit.normal[1], hit.normal[2]}), 1, 1e-5);
      } else {
        ++misses;
        if (!hit.hit())
          continue;  // a hit within the shell around the silhouette, moved on by its f
        const Vec p = add(ray.origin, scaled(ray.direction, hit.t));
        ASSERT_LE(Code::compact(model.object.program()).valueAt(p), variant.settings.eps * 2.02)
            << where;
      }
    }
    EXPECT_GT(judged, 1000U);
    EXPECT_LT(grazed, 10U);
    EXPECT_GT(misses, 100U);
    EXPECT_GE(hits, judged);
  }
}

TEST_P(Closed, RaysFromInsideFindWhereTheyLeave) {
  const Shape& shape = shapes()[GetParam()];
  for (const Variant& variant : variants()) {
    const Model model(objectOf(shape.tape, shape.bounds), variant.settings);
    const Placed placed = model.placed();
    const Code whole = Code::compact(model.object.program());
    std::mt19937 random(kSeed);
    std::uniform_real_distribution<double> number(-1, 1);
    unsigned judged = 0;
    while (judged < 300) {
      WorldRay ray;
      ray.origin = {number(random), number(random) * 0.7, number(random)};
      if (whole.valueAt(ray.origin) > -0.02) continue;
      ray.direction = randomDirection(random);
      const std::vector<double> expected = shape.hits(ray.origin, ray.direction);
      ASSERT_FALSE(expected.empty());
      const Vec p = add(ray.origin, scaled(ray.direction, expected[0]));
      const double sine = std::abs(slopeAlong(model, p, ray.direction));
      Counters counters;
      const HitRecord hit = traceRay({&placed, 1}, ray, variant.settings, counters);
      if (sine < kGrazing) continue;
      ++judged;
      ASSERT_TRUE(hit.hit()) << shape.name << ", " << variant.name << ", seed " << kSeed;
      ASSERT_NEAR(hit.t, expected[0], 1.05 * variant.settings.eps / sine) << variant.name;
    }
  }
}

TEST_P(Closed, RaysThatStartOnTheSurface) {
  // As shadow, reflected and refracted rays do: from a hit, moved 1e-5 along or against the normal.
  const Shape& shape = shapes()[GetParam()];
  const Settings settings = Settings::improved();
  const Model model(objectOf(shape.tape, shape.bounds), settings);
  const Placed placed = model.placed();
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  unsigned out = 0, in = 0, wrong = 0;
  for (unsigned n = 0; n < 2000; ++n) {
    WorldRay eye;
    eye.origin = scaled(randomDirection(random), 3);
    eye.direction = unit(sub(scaled(randomDirection(random), 0.5), eye.origin));
    Counters counters;
    const HitRecord first = traceRay({&placed, 1}, eye, settings, counters);
    if (!first.hit()) continue;
    const Vec normal{first.normal[0], first.normal[1], first.normal[2]};
    WorldRay next;
    next.direction = randomDirection(random);
    const double sine = dot(next.direction, normal);
    if (std::abs(sine) < 0.2) continue;
    next.origin = add(add(eye.origin, scaled(eye.direction, first.t)),
                      scaled(normal, sine > 0 ? 1e-5 : -1e-5));
    std::vector<double> expected;
    for (const double t : shape.hits(next.origin, next.direction))
      if (t > 0.02) expected.push_back(t);
    const HitRecord second = traceRay({&placed, 1}, next, settings, counters);
    (sine > 0 ? out : in) += 1;
    const bool good = second.hit() ? !expected.empty() && std::abs(second.t - expected[0]) < 0.02
                                   : expected.empty();
    wrong += good ? 0U : 1U;
  }
  EXPECT_GT(out, 300U);
  EXPECT_GT(in, 300U);
  // Rays that graze a surface on their way may differ.
  EXPECT_LE(wrong, (out + in) / 100);
}

TEST_P(Closed, FramesFromManyPlaces) {
  // Also from inside the hull, level with cuboids, with the near plane in a cuboid.
  const Shape& shape = shapes()[GetParam()];
  const std::vector<Vec> eyes{{3, 0.01, 0.01},  {0, 2.5, 0.02},      {1.5, 1.2, -1.7},
                              {0.02, 0.03, 2},  {1.09, 0.29, 1.05},  {-1.02, 0.28, 0.03},
                              {0.7, 0.85, 0.9}, {0.61, -0.02, 0.02}, {0.02, 0.301, 0.01},
                              {1.03, 0, 0}};
  for (const Variant& variant : variants()) {
    const Model model(objectOf(shape.tape, shape.bounds), variant.settings);
    const Code whole = Code::compact(model.object.program());
    for (const Vec& eye : eyes) {
      constexpr unsigned kSize = 48;
      const Camera camera = Camera::lookAt(eye, {0, 0, 0}, {0.1, 0.9, 0.2}, 90, kSize, kSize);
      const Picture picture = pictureOf(model, camera, variant.settings, kSize, kSize);
      unsigned wrong = 0, grazed = 0;
      for (unsigned pixel = 0; pixel < kSize * kSize; ++pixel) {
        const unsigned x = pixel % kSize, y = pixel / kSize;
        const Vec d =
            unit(add(camera.corner, add(scaled(camera.column, x), scaled(camera.row, y))));
        const HitRecord& hit = picture.at(x, y);
        const double near = variant.settings.near / dot(d, unit(scaled(eye, -1)));
        std::vector<double> expected;
        for (const double t : shape.hits(eye, d))
          if (t > near) expected.push_back(t);
        if (expected.empty()) {
          wrong += hit.hit() && whole.valueAt(add(eye, scaled(d, hit.t))) > 2.02e-3 ? 1U : 0U;
          continue;
        }
        const Vec p = add(eye, scaled(d, expected[0]));
        const double sine = std::abs(slopeAlong(model, p, d));
        if (sine < kGrazing || expected[0] < 1.5 * near) continue;
        wrong += hit.hit() && acceptable(model, eye, d, hit.t, expected[0], grazed) ? 0U : 1U;
      }
      EXPECT_LT(grazed, 10U);
      EXPECT_EQ(wrong, 0U) << shape.name << ", " << variant.name << ", eye " << eye[0] << " "
                           << eye[1] << " " << eye[2];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Closed, ::testing::Values(0U, 1U, 2U));

/// TraceLanes beside Tracer::take(): each instruction set, all ways of stepping, rays that leave a
/// surface, from within, undefined, capped; more rays than lanes; the last few left as they are.
TEST(Trace, LanesAreTracersOneByOne) {
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  std::mt19937 random(kSeed + 4);
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  std::array<unsigned, 4> outcomes{};
  unsigned candidates = 0, overshoots = 0, unfinished = 0;
  for (const common::Isa isa : common::kIsas) {
    if (!common::isaUsable(isa)) continue;
    PointBatch batch(nullptr, isa);
    for (unsigned round = 0; round < 60; ++round) {
      Settings settings = round % 4 == 0 ? Settings::seedSource() : Settings::improved();
      if (round % 4 == 1) settings.stepping = Stepping::Relaxed, settings.relaxation = 1.6F;
      if (round % 4 == 2) settings.cone_scale = 0.5F;
      settings.step_limit = round % 3 == 0 ? 6 : 50;
      if (round % 9 == 4) settings.eps = 0.05F;  // some graze the shell for long
      settings.last_step = round % 5 != 0;
      settings.best_candidate = round % 7 != 0;
      const char* const text = round % 2 == 0 ? kDefaultObject : kSmoothBlend;
      const Object object({assembled(text)}, box, {},
                          round % 9 == 4   ? 0.1
                          : round % 5 == 1 ? 0.4
                                           : 1.1);
      const Code code = Code::compact(registers::Program(object.program()));
      std::vector<Tracer> many;
      const unsigned rays = round % 6 == 5 ? rows::kMost + round % 16 : 1 + round * 11;
      for (unsigned n = 0; n < rays; ++n) {
        ObjectRay ray;
        ray.origin = {number(random), number(random), number(random)};
        ray.direction = unit({number(random), number(random), number(random)});
        ray.cone = 0.01;
        if (n % 29 == 0) ray.origin[0] = NAN;
        const float f = code.valueAt(ray.origin);
        if (f < 0) ray.side = -1;
        Walk walk;
        walk.leaving = n % 3 == 0 && std::abs(f) < 0.1F;
        walk.clear = n % 4 == 0 && round % 6 != 5 ? 0.1F : 0;
        // Short ones end at once, so that some that waited are still to begin when few are left.
        const double leave = round % 6 == 5 ? 1e-3 : 1 + number(random) / 2;
        many.emplace_back(object, box, ray, Span{0.0, leave}, settings, walk);
      }
      std::vector<Tracer> single = many;
      std::vector<Tracer*> pointers;
      for (Tracer& tracer : many) pointers.push_back(&tracer);
      batch.trace(code, pointers, round % 6 == 5 ? 16 : 1);
      unfinished += static_cast<unsigned>(pointers.size());
      for (std::size_t n = 0; n < many.size(); ++n) {
        const Tracer& a = many[n];
        Tracer& b = single[n];
        while (!b.done() && (a.done() || b.result().evaluations < a.result().evaluations))
          b.take(code.valueAt({b.point()[0], b.point()[1], b.point()[2]}));
        ASSERT_EQ(a.done(), b.done()) << "seed " << kSeed + 4 << ", round " << round << ", " << n;
        const Trace &x = a.result(), &y = b.result();
        ASSERT_EQ(x.outcome, y.outcome) << "seed " << kSeed + 4 << ", round " << round;
        ASSERT_TRUE(x.t == y.t || (std::isnan(x.t) && std::isnan(y.t))) << "round " << round;
        ASSERT_EQ(x.overshoot, y.overshoot) << "seed " << kSeed + 4 << ", round " << round;
        ASSERT_EQ(x.candidate, y.candidate) << "seed " << kSeed + 4 << ", round " << round;
        ASSERT_EQ(x.evaluations, y.evaluations) << "seed " << kSeed + 4 << ", round " << round;
        ASSERT_EQ(a.walk().leaving, b.walk().leaving) << "round " << round << ", " << n;
        ASSERT_EQ(a.walk().clear, b.walk().clear) << "round " << round << ", " << n;
        if (!a.done() && !std::isnan(a.point()[0])) {
          ASSERT_EQ(a.point(), b.point());
        }
        outcomes.at(static_cast<std::size_t>(x.outcome)) += a.done() ? 1U : 0U;
        candidates += x.candidate ? 1U : 0U;
        overshoots += x.overshoot ? 1U : 0U;
      }
    }
  }
  for (const unsigned outcome : outcomes) EXPECT_GT(outcome, 200U);
  EXPECT_GT(candidates, 20U);
  EXPECT_GT(overshoots, 20U);
  EXPECT_GT(unfinished, 20U);
}

TEST(Trace, BatchesEqualSingleEvaluationBitByBit) {
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  PointBatch batch;
  unsigned hits = 0;
  for (const char* text : {kDefaultObject, kSmoothBlend, kSelections}) {
    for (const Settings& settings : {Settings::improved(), Settings::seedSource()}) {
      const Model model(objectOf(text, box), settings);
      for (std::size_t at = 0; at < model.hull.leaves.size(); at += 7) {
        const Leaf& leaf = model.hull.leaves[at];
        std::vector<Tracer> many;
        for (unsigned n = 0; n < 1 + at % 40; ++n) {
          ObjectRay ray;
          ray.origin = {number(random), number(random), number(random)};
          Vec inside{};
          for (unsigned k = 0; k < 3; ++k)
            inside[k] = (double{leaf.box.min[k]} + leaf.box.max[k]) / 2 + 0.03 * number(random);
          ray.direction = unit(sub(inside, ray.origin));
          Span span = spanOf(ray, leaf.box);
          span.enter = std::max(span.enter, 0.0);
          if (!span.empty()) many.emplace_back(model.object, leaf.box, ray, span, settings, Walk{});
        }
        std::vector<Tracer> single = many;
        const Code& code = model.hull.codes[leaf.code];
        Evaluation what;
        what.code = &code;
        batch.trace(what, many, {});
        for (std::size_t n = 0; n < many.size(); ++n) {
          while (!single[n].done())
            single[n].take(evaluate(*model.object.tape(),
                                    code.mask.value_or(Mask(model.object.tape()->size())),
                                    single[n].point()));
          ASSERT_EQ(many[n].result().outcome, single[n].result().outcome) << "seed " << kSeed;
          ASSERT_EQ(many[n].result().t, single[n].result().t);
          ASSERT_EQ(many[n].result().evaluations, single[n].result().evaluations);
          hits += many[n].result().outcome == Outcome::Hit ? 1U : 0U;
        }
      }
    }
  }
  EXPECT_GT(hits, 1000U);
}

TEST(Trace, NaNIsAMissAndCounted) {
  // 0 / 0 everywhere: 0 * x is 0 and 0 / 0 has no value.
  const Object object = objectOf("OPDotVec3 var v3(0,0,0)\nOPDivFloatFloat var f(0)\nOPStop var\n",
                                 {{-1, -1, -1}, {1, 1, 1}});
  for (const Settings& settings :
       {Settings::improved(), Settings::brute(), Settings::seedSource()}) {
    const Model model(object, settings);
    EXPECT_EQ(model.hull.leaves.size(), settings.mode == Mode::Brute ? 1U : kLeaves);
    const Picture picture =
        pictureOf(model, Camera::lookAt({0.1, 0.2, 4}, {}, {0, 1, 0}, 60, 8, 8), settings, 8, 8);
    EXPECT_GE(picture.counters.undefined, 16U);
    EXPECT_EQ(picture.counters.undefined, picture.counters.traces);
    EXPECT_EQ(picture.counters.covered, 0U);
    EXPECT_TRUE(picture.at(4, 4).undefined);
    EXPECT_FALSE(picture.at(4, 4).hit());
    const Placed placed = model.placed();
    Counters counters;
    EXPECT_FALSE(traceRay({&placed, 1}, {{0.1, 0.2, 4}, {0, 0, -1}}, settings, counters).hit());
    EXPECT_GT(counters.undefined, 0U);
  }
}

TEST(Trace, RaysThatAreNoneHitNothing) {
  const Settings settings = Settings::improved();
  const Model model(objectOf(shapes()[0].tape, shapes()[0].bounds), settings);
  const Placed placed = model.placed();
  Counters counters;
  for (const WorldRay& ray :
       {WorldRay{{NAN, 0, 4}, {0, 0, -1}}, WorldRay{{0, 0, 4}, {0, NAN, -1}},
        WorldRay{{0, 0, 4}, {0, 0, 0}}, WorldRay{{INFINITY, 0, 0}, {-1, 0, 0}},
        WorldRay{{0, 0, 4}, {0, 0, -1}, 0}, WorldRay{{0, 0, 4}, {0, 0, -1}, -1},
        WorldRay{{0, 0, 4}, {0, 0, -1}, NAN}})
    EXPECT_FALSE(traceRay({&placed, 1}, ray, settings, counters).hit());
  EXPECT_EQ(counters.traces, 0U);
  EXPECT_TRUE(traceRay({&placed, 1}, {{0, 0, 4}, {0, 0, -1}}, settings, counters).hit());
}

TEST(Trace, StepLimitEndsRaysAndIsCounted) {
  Settings settings = Settings::brute();
  const Object object = objectOf(shapes()[0].tape, shapes()[0].bounds);
  const Model model(object, settings);
  const Placed placed = model.placed();
  settings.step_limit = 1;
  Counters counters;
  HitRecord hit = traceRay({&placed, 1}, {{0.3, 0.2, 4}, {0, 0, -1}}, settings, counters);
  EXPECT_EQ(counters.capped, 1U);
  EXPECT_EQ(counters.steps[1], 1U);
  EXPECT_TRUE(hit.capped);
  EXPECT_FALSE(hit.hit());
  // With the pixel's cone the nearest sample is taken if it lies within it.
  settings.best_candidate = true;
  WorldRay ray{{0.3, 0.2, 4}, {0, 0, -1}};
  ray.cone = 0.1;
  hit = traceRay({&placed, 1}, ray, settings, counters);
  EXPECT_TRUE(hit.hit() && hit.capped);
  ray.cone = 1e-4;
  EXPECT_FALSE(traceRay({&placed, 1}, ray, settings, counters).hit());
}

TEST(Trace, LipschitzBoundMakesOverestimatesSafe) {
  // f is three times the distance: steps of f pass the ball's near side, steps of f / 3 do not.
  const char* text = "OPSDFSphere f(1) var\nOPMulFloatFloat var f(3)\nOPStop var\n";
  const Bounds box{{-1.1F, -1.1F, -1.1F}, {1.1F, 1.1F, 1.1F}};
  for (Settings settings : {Settings::improved(), Settings::brute()}) {
    settings.step_limit = 500;
    const Model model(Object(assembled(text), box, {}, 3), settings);
    const Placed placed = model.placed();
    Counters counters;
    const HitRecord hit = traceRay({&placed, 1}, {{0, 0.5, 5}, {0, 0, -1}}, settings, counters);
    ASSERT_TRUE(hit.hit());
    EXPECT_NEAR(hit.t, 5 - std::sqrt(0.75), 1e-3);
  }
}

TEST(Trace, CappedRaysAreFewerWithBetterSteps) {
  // Grazing rays along a long flat box.
  const Object object = objectOf("OPSDFBox v3(4,0.1,4) var\nOPStop var\n",
                                 {{-4.1F, -0.2F, -4.1F}, {4.1F, 0.2F, 4.1F}});
  Settings settings = Settings::brute();
  const Camera camera = Camera::lookAt({0, 0.3, 6}, {0, 0.1, 0}, {0, 1, 0}, 40, 64, 64);
  std::array<std::uint64_t, 3> evaluations{};
  for (const Stepping stepping : {Stepping::Plain, Stepping::Relaxed, Stepping::Planar}) {
    settings.stepping = stepping;
    settings.relaxation = stepping == Stepping::Planar ? 0.9F : 1.5F;
    const Model model(object, settings);
    const Picture picture = pictureOf(model, camera, settings, 64, 64);
    evaluations[static_cast<std::size_t>(stepping)] = picture.counters.trace_evaluations;
  }
  EXPECT_LT(evaluations[1], evaluations[0]);
  EXPECT_LT(evaluations[2], evaluations[0]);
}

TEST(Settings, RefuseWhatCannotBe) {
  const auto faulty = [](auto change) {
    Settings s;
    change(s);
    return !s.fault().empty();
  };
  EXPECT_TRUE(Settings::seedSource().fault().empty());
  EXPECT_TRUE(Settings::seedReport().fault().empty());
  EXPECT_TRUE(Settings::improved().fault().empty());
  EXPECT_TRUE(Settings::brute().fault().empty());
  EXPECT_TRUE(faulty([](Settings& s) { s.eps = NAN; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.cone_scale = -1; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.step_limit = 0; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.step_scale = 0; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.step_scale = 1.5F; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.relaxation = 2; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.stepping = Stepping::Relaxed; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.near = 0; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.mode = Mode::Seed; }));
  EXPECT_TRUE(faulty([](Settings& s) { s.smooth_prune = false; }));
  Camera flat;
  Counters counters;
  Frame frame({0, 0, 1, 1});
  EXPECT_THROW(renderFrame({}, flat, Settings::improved(), frame, counters), std::invalid_argument);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
