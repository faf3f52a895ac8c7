// Rays in rows where two numbers that a step compares are equal: the lanes decide as Tracer does.
// Functions, starts and rules are such that no rounding comes between.
#include <cmath>
#include <set>

#include "models/implicit/render/batch.hpp"
#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 61;

/// Functions of x alone, for rays along x. With the factor 1.5 the first one has each sphere touch
/// the one before: of f = (c - x) / 3 a step is 1.5 f, and the next f is half as large. The second
/// does that with the factor 2, the third falls through 0 faster than its bound allows, the fourth
/// has one quotient of f and x.
constexpr std::array kFunctions{
    "OPExtractVec3 var f(0)\nOPMulFloatFloat var f(-1)\nOPAddFloatFloat var f(3)\n"
    "OPDivFloatFloat var f(3)\nOPStop var\n",
    "OPExtractVec3 var f(0)\nOPMulFloatFloat var f(0)\nOPAddFloatFloat var f(0.25)\nOPStop var\n",
    "OPExtractVec3 var f(0)\nOPMulFloatFloat var f(-4)\nOPAddFloatFloat var f(2)\nOPStop var\n",
    "OPExtractVec3 var f(0)\nOPMulFloatFloat var f(0.25)\nOPStop var\n"};

struct Kind {
  Settings settings;
  double lipschitz = 1;
};

Kind kindOf(unsigned round) {
  Kind kind;
  Settings& s = kind.settings;
  s = Settings::improved();
  s.stepping = Stepping::Relaxed;
  s.relaxation = round % 2 == 0 ? 1.5F : 2.0F;
  if (round % 5 == 4) s.stepping = Stepping::Plain;
  if (round % 7 == 6) s.stepping = Stepping::Planar, s.relaxation = 1;
  s.eps = round % 8 < 4 ? 0x1p-9F : 0.25F;
  s.cone_scale = round % 4 == 1 ? 1 : 0;
  s.step_limit = round % 3 == 1 ? 4 : 30;
  s.last_step = round % 5 != 0;
  s.carry = false;
  kind.lipschitz = round % 6 == 5 ? 2 : 1;
  return kind;
}

TEST(Rows, LanesDecideEqualNumbersAsTracersDo) {
  const Bounds box{{-16, -16, -16}, {16, 16, 16}};
  std::array<unsigned, 4> outcomes{};
  unsigned candidates = 0;
  for (const common::Isa isa : common::kIsas) {
    if (!common::isaUsable(isa)) continue;
    std::mt19937 random(kSeed);
    PointBatch batch(nullptr, isa);
    for (unsigned round = 0; round < 420; ++round) {
      const Kind kind = kindOf(round);
      const Object object({assembled(kFunctions[round % kFunctions.size()])}, box, {},
                          kind.lipschitz);
      const Code code = Code::compact(registers::Program(object.program()));
      std::vector<Tracer> many;
      for (unsigned n = 0; n < 40; ++n) {
        ObjectRay ray;
        ray.direction = {1, 0, 0};
        // c - x is 3 times a power of two, or a number of eighths.
        ray.origin[0] = n % 2 == 0 ? 3 - 3 * std::ldexp(1.0, static_cast<int>(n / 2 % 12) - 8)
                                   : static_cast<double>(random() % 65) / 8 - 4;
        if (round % kFunctions.size() == 3 && n % 4 == 0) ray.origin[0] = 0;
        ray.cone = n % 3 == 0 ? 0.25 : 0x1p-12;
        if (n % 7 == 3) ray.side = -1;
        Walk walk;
        walk.leaving = n % 5 == 4;
        const Span span{static_cast<double>(random() % 9) / 8,
                        static_cast<double>(random() % 33) / 4 + 1};
        many.emplace_back(object, box, ray, span, kind.settings, walk);
      }
      std::vector<Tracer> single = many;
      std::vector<Tracer*> pointers;
      for (Tracer& tracer : many)
        if (!tracer.done()) pointers.push_back(&tracer);
      batch.trace(code, pointers, 1);
      for (std::size_t n = 0; n < many.size(); ++n) {
        while (!single[n].done()) single[n].take(code.valueAt({single[n].point()[0], 0, 0}));
        SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << round << ", " << n);
        const Trace &x = many[n].result(), &y = single[n].result();
        ASSERT_TRUE(many[n].done());
        ASSERT_EQ(x.outcome, y.outcome);
        ASSERT_EQ(x.t, y.t);
        ASSERT_EQ(x.evaluations, y.evaluations);
        ASSERT_EQ(x.overshoot, y.overshoot);
        ASSERT_EQ(x.candidate, y.candidate);
        ASSERT_EQ(many[n].walk().leaving, single[n].walk().leaving);
        ASSERT_EQ(many[n].walk().clear, single[n].walk().clear);
        ++outcomes.at(static_cast<std::size_t>(x.outcome));
        candidates += x.candidate ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(outcomes[static_cast<std::size_t>(Outcome::Miss)], 1000U);
  EXPECT_GT(outcomes[static_cast<std::size_t>(Outcome::Hit)], 1000U);
  EXPECT_GT(outcomes[static_cast<std::size_t>(Outcome::Capped)], 1000U);
  EXPECT_GT(candidates, 100U);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
