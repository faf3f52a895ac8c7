// Bounds of slopes: never exceeded between samples, of every shipped expression file and of random
// programs; exact where the closed form is known; infinite where there is none.
#include "models/implicit/registers/slope.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "models/implicit/import/vm.hpp"
#include "tests/models/implicit/support.hpp"
#include "tests/support/paths.hpp"

namespace rtvp::implicit::registers {
namespace {

using namespace rtvp::implicit::test;  // NOLINT(google-build-using-namespace): its tapes

constexpr unsigned kSeed = 20261123;
constexpr unsigned kPairs = 8;  ///< of points, a box

using Point = std::array<double, 3>;

Point in(const Bounds& box, std::mt19937& random) {
  std::uniform_real_distribution<double> at(0, 1);
  Point p{};
  for (unsigned n = 0; n < 3; ++n) {
    const double lo = box.min[n], hi = box.max[n];
    p[n] = std::clamp(lo + at(random) * (hi - lo), lo, hi);
  }
  return p;
}

/// Boxes that hold what is special about the origin and the planes through it as well.
Bounds anyBox(std::mt19937& random, float reach) {
  std::uniform_real_distribution<float> centre(-reach, reach), exponent(-7, 0);
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    const float size = reach * std::exp2(exponent(random));
    box.min[n] = random() % 8 == 0 ? 0 : random() % 8 == 0 ? -size / 2 : centre(random);
    box.max[n] = box.min[n] + size;
  }
  return box;
}

/// Looks at pairs of points in the box; true if there was a bound.
bool holds(const Program& program, const Bounds& box, std::mt19937& random,
           const std::string& what) {
  const SlopeBound bound = slopeBound(program, box);
  if (!bound.finite()) return false;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const Point p = in(box, random), q = in(box, random);
    const double f = evaluate64(program, p), g = evaluate64(program, q);
    const double way = std::hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
    if (!(way > 0)) continue;
    EXPECT_FALSE(std::isnan(f) || std::isnan(g)) << what;
    if (std::isinf(f) && f == g) continue;  // their difference is no number
    // Binary64 has its own errors, of large numbers that cancel.
    const double error = 1e-9 * (1 + std::abs(f) + std::abs(g)) + 1e-9 * double{bound.norm} * way;
    EXPECT_LE(std::abs(g - f), double{bound.norm} * way + error) << what;
    const SlopeBound::Rate rate =
        bound.along({(q[0] - p[0]) / way, (q[1] - p[1]) / way, (q[2] - p[2]) / way});
    EXPECT_LE(g - f, rate.most * way + error) << what;
    EXPECT_GE(g - f, rate.least * way - error) << what;
  }
  return !::testing::Test::HasFailure();
}

std::string textOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Program shipped(const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::path(RTVP_SOURCE_DIR) / "scenes/implicit" / (name + ".vm");
  const import::VmResult result = import::readVm(name, textOf(file));
  if (!result.expression) throw std::runtime_error(name + " is not readable");
  return import::toProgram(*result.expression);
}

class Shipped : public ::testing::TestWithParam<const char*> {};

/// Cells of a hull rather than any box, for that is where bounds are asked for: with the code that
/// is left there.
TEST_P(Shipped, NoPairOfSamplesIsSteeper) {
  const std::string name = GetParam();
  const Program whole = shipped(name);
  std::mt19937 random(kSeed);
  const unsigned boxes = name == "prospero" ? (RTVP_BOXES + 19) / 20 : RTVP_BOXES;
  unsigned bounded = 0;
  for (unsigned n = 0; n < boxes && !HasFailure(); ++n) {
    const Bounds box = anyBox(random, name == "tanglecube" ? 2.5F : 1.0F);
    const std::string what = name + ", box " + std::to_string(n);
    bounded += holds(n % 2 == 0 ? whole : prune(whole, box).program, box, random, what) ? 1U : 0U;
  }
  RecordProperty("bounded_per_mille", static_cast<int>(1000 * bounded / boxes));
  EXPECT_GE(bounded, boxes * 3 / 10) << name << ": bounds are rare";
}
INSTANTIATE_TEST_SUITE_P(Models, Shipped,
                         ::testing::Values("bear", "colonnade", "gyroid-sphere", "hi", "prospero",
                                           "quarter", "tanglecube"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Slopes, OfRandomProgramsAreNeverExceeded) {
  std::mt19937 random(kSeed + 1);
  unsigned bounded = 0;
  for (unsigned n = 0; n < RTVP_BOXES && !HasFailure(); ++n) {
    const std::string text = randomTape(random);
    const Program program = compile(assembled(text));
    for (unsigned k = 0; k < 2; ++k)
      bounded += holds(program, anyBox(random, 1.5F), random, text) ? 1U : 0U;
  }
  EXPECT_GE(bounded, RTVP_BOXES / 2);
}

Program expression(const std::string& text) {
  const import::VmResult result = import::readVm("t.vm", text);
  if (!result.expression) throw std::runtime_error("not an expression");
  return import::toProgram(*result.expression);
}

constexpr const char* kPoint = "x var-x\ny var-y\nz var-z\n";
const Bounds kAroundOrigin{{-0.5F, -0.5F, -0.5F}, {0.5F, 0.5F, 0.5F}};

TEST(Slopes, OfALengthAreOneWhereItReachesZero) {
  const Program ball = expression(std::string(kPoint) +
                                  "a square x\nb square y\nc square z\nd add a b\ne add d c\n"
                                  "l sqrt e\nr const 0.3\nf sub l r\n");
  const SlopeBound bound = slopeBound(ball, kAroundOrigin);
  EXPECT_GE(bound.norm, 1.0F);
  EXPECT_LE(bound.norm, 1.0001F);
  const SlopeBound aside = slopeBound(ball, {{1, -0.01F, -0.01F}, {1.02F, 0.01F, 0.01F}});
  EXPECT_GE(aside.lo[0], 0.95F);  // the surface is passed outward along x
  EXPECT_LE(aside.hi[1], 0.05F);
  EXPECT_LT(aside.along({-1, 0, 0}).most, 0);
}

TEST(Slopes, OfStretchedLengthsAreTheLargestStretch) {
  const Program program = expression(std::string(kPoint) +
                                     "three const 3\nx3 mul x three\na square x3\nb square y\n"
                                     "d add a b\nnine const 9\nd9 mul d nine\nf sqrt d9\n");
  const SlopeBound bound = slopeBound(program, kAroundOrigin);
  EXPECT_GE(bound.norm, 9.0F);
  EXPECT_LE(bound.norm, 9.5F);
}

TEST(Slopes, OfACubeInAllDirections) {
  const Program cube = expression(std::string(kPoint) +
                                  "a abs x\nb abs y\nc abs z\nd max a b\ne max d c\nh const 0.4\n"
                                  "f sub e h\n");
  EXPECT_LE(slopeBound(cube, kAroundOrigin).norm, 1.0001F);
}

TEST(Slopes, AreMissingAtJumpsPolesAndHoles) {
  for (const char* const f :
       {"f floor x\n", "f recip x\n", "f ln x\n", "f sqrt x\n", "h const 0.1\nf mod x h\n",
        "f not x\n", "f compare x y\n", "f atan2 x y\n", "f and x y\n"})
    EXPECT_FALSE(slopeBound(expression(std::string(kPoint) + f), kAroundOrigin).finite()) << f;
}

TEST(Slopes, OfStepsBetweenTheirJumpsAreZero) {
  const Bounds beside{{0.1F, 0.1F, 0.1F}, {0.2F, 0.2F, 0.2F}};
  const SlopeBound bound = slopeBound(expression(std::string(kPoint) + "f floor x\n"), beside);
  EXPECT_EQ(bound.norm, 0.0F);
  const SlopeBound::Rate rate = SlopeBound{}.along({1, 0, 0});
  EXPECT_EQ(rate.most, std::numeric_limits<double>::infinity());
}

/// ln(e^u) is u: its slope is 1, where the rule of the chain over e^u would say up to e^3.
TEST(Slopes, OfALogarithmOfAPowerAreThoseOfTheExponent) {
  const Program program = expression("x var-x\ne exp x\nf ln e\n");
  const SlopeBound bound = slopeBound(program, {{0, 0, 0}, {3, 1, 1}});
  EXPECT_GE(bound.norm, 1.0F);
  EXPECT_LE(bound.norm, 1.001F);
  EXPECT_GE(bound.lo[0], 0.999F);
}

}  // namespace
}  // namespace rtvp::implicit::registers
