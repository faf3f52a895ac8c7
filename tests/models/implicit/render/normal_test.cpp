// Normals of hits: derivatives against closed forms and against differences, how many evaluations
// they take, and what happens where f has none.
#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 53;
const Bounds kBox{{-2, -2, -2}, {2, 2, 2}};

Settings with(Normals normals) {
  Settings settings = Settings::improved();
  settings.normals = normals;
  settings.step_limit = 500;
  return settings;
}

Vec normalOf(const HitRecord& hit) {
  return {double{hit.normal[0]}, double{hit.normal[1]}, double{hit.normal[2]}};
}

WorldRay randomRay(std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  WorldRay ray;
  ray.origin = scaled(unit({number(random), number(random), number(random) + 1e-9}), 2.9);
  ray.direction = unit(sub({number(random), number(random), number(random)}, ray.origin));
  return ray;
}

struct Form {
  const char* tape;
  Vec (*normal)(const Vec& p);
};

Vec boxNormal(const Vec& p) {
  const Vec half{0.7, 0.5, 0.9};
  Vec n{};
  unsigned most = 0;
  bool outside = false;
  for (unsigned k = 0; k < 3; ++k) {
    const double q = std::abs(p[k]) - half[k];
    if (q > std::abs(p[most]) - half[most]) most = k;
    outside |= q > 0;
    n[k] = std::copysign(std::max(q, 0.0), p[k]);
  }
  if (!outside) n[most] = std::copysign(1, p[most]);
  return unit(n);
}

Vec torusNormal(const Vec& p) {
  const double flat = std::hypot(p[0], p[2]), scale = (flat - 1) / flat;
  return unit({p[0] * scale, p[1], p[2] * scale});
}

/// Exact: not to h, but to the rounding of the hit point.
TEST(Normals, OfDerivativesAreTheClosedForms) {
  const std::array<Form, 3> forms{{
      {"OPSDFSphere f(1.25) var\nOPStop var\n", [](const Vec& p) { return unit(p); }},
      {"OPSDFBox v3(0.7,0.5,0.9) var\nOPStop var\n", boxNormal},
      {"OPSDFTorus v2(1,0.375) var\nOPStop var\n", torusNormal},
  }};
  for (const Form& form : forms) {
    const Model model(objectOf(form.tape, kBox), with(Normals::Derivative));
    const Placed placed = model.placed();
    std::mt19937 random(kSeed);
    unsigned judged = 0;
    for (unsigned n = 0; n < 1500; ++n) {
      const WorldRay ray = randomRay(random);
      Counters c;
      const HitRecord hit = traceRay({&placed, 1}, ray, with(Normals::Derivative), c);
      if (!hit.hit()) continue;
      EXPECT_EQ(c.normal_evaluations, 1U);
      EXPECT_EQ(c.gradient_evaluations, 1U);
      EXPECT_EQ(c.gradient_fallbacks, 0U);
      const Vec p = add(ray.origin, scaled(ray.direction, double{hit.t}));
      // Where the closed form itself turns within the rounding of p nothing can be said.
      const Vec expected = form.normal(p), beside = form.normal(scaled(p, 1 + 1e-5));
      if (length(sub(expected, beside)) > 1e-3) continue;
      ++judged;
      ASSERT_LT(length(sub(normalOf(hit), expected)), 2e-3)
          << form.tape << "ray " << n << ", seed " << kSeed;
    }
    EXPECT_GT(judged, 400U) << form.tape;
  }
}

TEST(Normals, OfAllKindsAgreeAndDerivativesAreTheCheapest) {
  const Camera camera = Camera::lookAt({2.2, 1.9, 2.6}, {0, 0.3, 0}, {0, 1, 0}, 50, 96, 96);
  for (const bool compact : {true, false}) {
    std::array<Picture, 3> pictures{Picture{Frame({0, 0, 96, 96}), {}},
                                    Picture{Frame({0, 0, 96, 96}), {}},
                                    Picture{Frame({0, 0, 96, 96}), {}}};
    const std::array kinds{Normals::Derivative, Normals::Tetrahedron, Normals::Forward};
    for (unsigned k = 0; k < 3; ++k) {
      Settings settings = with(kinds[k]);
      settings.compact = compact;
      const Model model(objectOf(kDefaultObject, kBox), settings);
      const Placed placed = model.placed();
      pictures[k] = pictureOf({&placed, 1}, camera, settings, 96, 96);
    }
    const Counters &a = pictures[0].counters, &b = pictures[1].counters;
    ASSERT_GT(a.covered, 1000U);
    EXPECT_EQ(a.gradient_fallbacks, 0U);
    EXPECT_EQ(a.normal_evaluations, a.gradient_evaluations);
    EXPECT_EQ(4 * a.normal_evaluations, b.normal_evaluations);
    EXPECT_EQ(b.gradient_evaluations, 0U);
    EXPECT_EQ(b.gradient_executed, 0U);
    // Normal and material: two runs against five.
    EXPECT_LT(2 * (a.executed - a.trace_executed), b.executed - b.trace_executed);
    EXPECT_EQ(a.trace_executed, b.trace_executed);
    unsigned differ = 0;
    for (unsigned k = 1; k < 3; ++k)
      for (std::size_t n = 0; n < pictures[0].frame.hits.size(); ++n) {
        const HitRecord &x = pictures[0].frame.hits[n], &y = pictures[k].frame.hits[n];
        ASSERT_EQ(x.t, y.t);
        if (x.hit() && length(sub(normalOf(x), normalOf(y))) > 0.02) ++differ;
      }
    // Differences reach across edges.
    EXPECT_LT(differ, a.covered / 20);
  }
}

/// Steps have a derivative of 0: the corners of the tetrahedron decide, and it is counted.
TEST(Normals, WhereThereIsNoDerivativeDifferencesFollow) {
  const Bounds box{{-1.5F, -1.5F, -1.5F}, {1.5F, 1.5F, 1.5F}};
  const char* const text =
      "OPSDFSphere f(0.5) var\nOPMulFloatFloat var f(256)\nOPCeilFloat var\n"
      "OPDivFloatFloat var f(256)\nOPStop var\n";
  std::mt19937 random(kSeed);
  const Model model(objectOf(text, box), with(Normals::Derivative));
  const Placed placed = model.placed();
  unsigned hits = 0, normals = 0;
  for (unsigned n = 0; n < 1000; ++n) {
    const WorldRay ray = randomRay(random);
    Counters a, b;
    const HitRecord x = traceRay({&placed, 1}, ray, with(Normals::Derivative), a);
    const HitRecord y = traceRay({&placed, 1}, ray, with(Normals::Tetrahedron), b);
    ASSERT_EQ(x.hit(), y.hit());
    ASSERT_EQ(x.normal, y.normal);
    if (!x.hit()) continue;
    ++hits;
    normals += normalOf(x) == Vec{} ? 0U : 1U;
    ASSERT_EQ(a.gradient_evaluations, 1U);
    ASSERT_EQ(a.gradient_fallbacks, 1U);
    ASSERT_EQ(a.normal_evaluations, 5U);
    ASSERT_EQ(b.normal_evaluations, 4U);
    ASSERT_EQ(x.evaluations, y.evaluations + 1);
  }
  EXPECT_GT(hits, 50U);
  EXPECT_GT(normals, 0U);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
