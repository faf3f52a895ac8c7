// Derivatives against binary64 differences for every opcode, against closed forms, and at ties; the
// value is that of the plain evaluation, bit by bit.
#include "models/implicit/registers/gradient.hpp"

#include "models/implicit/registers/program.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::registers {
namespace {

using namespace rtvp::implicit::test;  // NOLINT(google-build-using-namespace): its tapes

constexpr unsigned kSeed = 47;
using Point = std::array<float, 3>;
using Vector = std::array<double, 3>;

float coefficient(std::mt19937& random) {
  return static_cast<float>(static_cast<int>(random() % 401) - 200) / 100;
}

std::string constantText(Type type, std::mt19937& random) {
  std::string text(nameOf(type));
  text[0] = static_cast<char>(text[0] - 'A' + 'a');
  for (unsigned n = 0; n < widthOf(type); ++n)
    text += (n > 0 ? "," : "(") + std::to_string(coefficient(random));
  return text + ")";
}

/// Pushes a value that varies with the point.
std::string varying(Type type, std::mt19937& random) {
  const auto number = [&] {
    return "OPPushP\nOPDotVec3 var " + constantText(Type::V3, random) + "\nOPAddFloatFloat var " +
           constantText(Type::F, random) + "\n";
  };
  switch (type) {
    case Type::F:
      return number();
    case Type::V2:
      return number() + number() + "OPPromoteFloatFloatVec2 var var\n";
    case Type::V3:
      return "OPPushP\nOPMulVec3Vec3 var " + constantText(Type::V3, random) +
             "\nOPAddVec3Vec3 var " + constantText(Type::V3, random) + "\n";
    default:
      return number() + varying(Type::V3, random) + "OPPromoteVec3FloatVec4 var var\n";
  }
}

/// A tape around one opcode: operands that vary, or constants; f is a component of the result.
std::string around(const OpcodeInfo& op, std::mt19937& random) {
  std::string operands, line(op.name);
  for (unsigned n = 0; n < op.in.size(); ++n) {
    const bool matrix = op.in[n] > Type::V4;
    const bool fixed = matrix || (n > 0 && op.mayBeConstant(n) && random() % 4 == 0);
    line += fixed ? " " + constantText(op.in[n], random) : " var";
    if (!fixed) operands = varying(op.in[n], random) + operands;  // the first is popped first
  }
  const unsigned width = widthOf(op.out[0]);
  if (width > 1)
    line += "\nOPExtractVec" + std::to_string(width) + " var f(" +
            std::to_string(random() % width) + ")";
  return "OPDropVec3 var\n" + operands + line + "\nOPStop var\n";
}

bool computes(const OpcodeInfo& op) {
  using enum Function;
  switch (op.function) {
    case Nop:
    case Stop:
    case Invalid:
    case Dup:
    case Dup2:
    case Dup3:
    case Dup4:
    case Drop:
    case Swap2:
    case PushP:
    case PushConst:
    case Extract:
      return false;
    default:
      return true;
  }
}

/// Differences in binary64, if f is smooth around the point: wide, narrow and one-sided ones agree.
bool differences(const Program& program, const Point& at, Vector& out) {
  const Vector p{static_cast<double>(at[0]), static_cast<double>(at[1]),
                 static_cast<double>(at[2])};
  const double here = evaluate64(program, p);
  for (unsigned n = 0; n < 3; ++n) {
    const auto f = [&](double h) {
      Vector q = p;
      q[n] += h;
      return evaluate64(program, q);
    };
    constexpr double kNarrow = 1e-6, kWide = 1e-3;
    out[n] = (f(kNarrow) - f(-kNarrow)) / (2 * kNarrow);
    const double ahead = (f(kWide) - here) / kWide, behind = (here - f(-kWide)) / kWide;
    if (!(std::abs(out[n]) < 50) || !(std::abs(ahead - out[n]) < 0.02) ||
        !(std::abs(behind - out[n]) < 0.02))
      return false;
  }
  return std::abs(here) < 50;
}

/// True if the point served as a test.
bool agrees(const Program& program, const Point& at) {
  const Gradient g = gradient(program, at);
  EXPECT_TRUE(same(g.value, evaluate(program, at)));
  Vector expected{};
  if (!differences(program, at, expected)) return false;
  for (unsigned n = 0; n < 3; ++n)
    EXPECT_NEAR(static_cast<double>(g.slope[n]), expected[n], 1e-3)
        << "axis " << n << " at " << at[0] << " " << at[1] << " " << at[2];
  return true;
}

Point anywhere(std::mt19937& random) {
  return {coefficient(random) / 2, coefficient(random) / 2, coefficient(random) / 2};
}

TEST(Gradients, OfEveryOpcodeAreItsDifferences) {
  std::mt19937 random(kSeed);
  for (const OpcodeInfo& op : opcodes()) {
    if (!computes(op)) continue;
    unsigned smooth = 0;
    for (unsigned n = 0; n < 2000 && smooth < 40; ++n) {
      const std::string text = around(op, random);
      const Program program = compile(assembled(text));
      smooth += agrees(program, anywhere(random)) ? 1U : 0U;
      if (HasFailure()) FAIL() << "seed " << kSeed << ":\n" << text;
    }
    EXPECT_EQ(smooth, 40U) << op.name << ", seed " << kSeed;
  }
}

TEST(Gradients, OfRandomTapesAreTheirDifferences) {
  std::mt19937 random(kSeed);
  unsigned smooth = 0;
  for (unsigned n = 0; n < RTVP_BOXES; ++n) {
    const std::string text = randomTape(random);
    const Program program = compile(assembled(text));
    for (unsigned sample = 0; sample < 4; ++sample) {
      const Point at = anywhere(random);
      const Gradient g = gradient(program, at);
      EXPECT_TRUE(same(g.value, evaluate(program, at)));
      Vector expected{};
      if (!g.defined() || !differences(program, at, expected)) continue;
      // Binary32 may cancel within such a tape: only what no such step comes near.
      const Point beside{at[0] + 1e-5F, at[1] - 1e-5F, at[2] + 1e-5F};
      const Gradient near = gradient(program, beside);
      for (unsigned axis = 0; axis < 3; ++axis) {
        if (std::abs(near.slope[axis] - g.slope[axis]) > 1e-3F) continue;
        EXPECT_NEAR(static_cast<double>(g.slope[axis]), expected[axis], 0.05);
        ++smooth;
      }
    }
    if (HasFailure()) FAIL() << "tape " << n << " of seed " << kSeed << ":\n" << text;
  }
  EXPECT_GT(smooth, RTVP_BOXES / 2);
}

Program program(const std::string& text) {
  return compile(assembled(text));
}

void expectSlope(const Gradient& g, const Vector& expected, double tolerance = 1e-6) {
  for (unsigned n = 0; n < 3; ++n)
    EXPECT_NEAR(static_cast<double>(g.slope[n]), expected[n], tolerance) << n;
}

TEST(Gradients, OfTheShapesAreTheirNormals) {
  const Program sphere = program("OPSDFSphere f(0.75) var\nOPStop var\n");
  const Program box = program("OPSDFBox v3(0.5,0.25,0.75) var\nOPStop var\n");
  const Program torus = program("OPSDFTorus v2(0.7,0.25) var\nOPStop var\n");
  std::mt19937 random(kSeed);
  for (unsigned n = 0; n < 200; ++n) {
    const Point at = anywhere(random);
    const double x = static_cast<double>(at[0]), y = static_cast<double>(at[1]),
                 z = static_cast<double>(at[2]);
    const double r = std::hypot(x, y, z), flat = std::hypot(x, z);
    if (flat < 0.05) continue;
    expectSlope(gradient(sphere, at), {x / r, y / r, z / r});
    const double ring = std::hypot(flat - 0.7, y);
    if (ring > 0.05)
      expectSlope(gradient(torus, at),
                  {(flat - 0.7) / ring * x / flat, y / ring, (flat - 0.7) / ring * z / flat}, 1e-5);
    const Vector q{std::abs(x) - 0.5, std::abs(y) - 0.25, std::abs(z) - 0.75};
    const Vector sign{std::copysign(1, x), std::copysign(1, y), std::copysign(1, z)};
    const double out = std::hypot(std::max(q[0], 0.0), std::max(q[1], 0.0), std::max(q[2], 0.0));
    Vector expected{};
    const auto most = static_cast<std::size_t>(std::max_element(q.begin(), q.end()) - q.begin());
    if (out < 1e-6) expected[most] = sign[most];
    if (out >= 1e-6)
      for (unsigned k = 0; k < 3; ++k) expected[k] = std::max(q[k], 0.0) / out * sign[k];
    expectSlope(gradient(box, at), expected, 1e-5);
  }
}

TEST(Gradients, OnTheFaceOfABoxThereIsOne) {
  const Program box = program("OPSDFBox v3(0.5,0.25,0.75) var\nOPStop var\n");
  const Gradient face = gradient(box, {0.5F, 0.125F, 0});
  EXPECT_EQ(face.value, 0.0F);
  EXPECT_TRUE(face.defined());
  expectSlope(face, {1, 0, 0}, 0);
  expectSlope(gradient(box, {0, -0.25F, 0}), {0, -1, 0}, 0);
}

/// The rule of 4.2: at a tie the first operand stays.
TEST(Gradients, TiesTakeTheFirstOperand) {
  const std::string x = "OPPushP\nOPExtractVec3 var f(0)\n",
                    y = "OPPushP\nOPExtractVec3 var f(1)\n";
  const Point tie{0.5F, 0.5F, 0.25F};
  for (const char* select : {"OPMinFloat", "OPMaxFloat"}) {
    const Program p = program("OPDropVec3 var\n" + y + x + select + " var var\nOPStop var\n");
    expectSlope(gradient(p, tie), {1, 0, 0}, 0);
    const bool first = std::string(select) == "OPMinFloat";
    expectSlope(gradient(p, {0.25F, 0.5F, 0}), {first ? 1.0 : 0.0, first ? 0.0 : 1.0, 0}, 0);
  }
  const Program clamp =
      program("OPDropVec3 var\n" + x + "OPClampFloatFloat var f(0.25) f(0.5)\nOPStop var\n");
  expectSlope(gradient(clamp, {0.25F, 0, 0}), {1, 0, 0}, 0);
  expectSlope(gradient(clamp, {0.5F, 0, 0}), {1, 0, 0}, 0);
  EXPECT_FALSE(gradient(clamp, {0.75F, 0, 0}).defined());
  for (const char* select : {"OPSmoothMinFloat", "OPSmoothMaxFloat"}) {
    const Program p =
        program("OPDropVec3 var\n" + y + x + select + " f(0.2) var var\nOPStop var\n");
    expectSlope(gradient(p, tie), {0.5, 0.5, 0});
    const Program hard =
        program("OPDropVec3 var\n" + y + x + select + " f(0) var var\nOPStop var\n");
    expectSlope(gradient(hard, tie), {1, 0, 0}, 0);
  }
}

TEST(Gradients, WhereThereIsNoneItSaysSo) {
  const Program sphere = program("OPSDFSphere f(0) var\nOPStop var\n");
  EXPECT_FALSE(gradient(sphere, {0, 0, 0}).defined());
  EXPECT_EQ(gradient(sphere, {0, 0, 0}).value, 0.0F);
  const Program normalised = program("OPNormalizeVec3 var\nOPExtractVec3 var f(0)\nOPStop var\n");
  EXPECT_FALSE(gradient(normalised, {0, 0, 0}).defined());
  const Program root = program("OPExtractVec3 var f(0)\nOPSqrtFloat var\nOPStop var\n");
  EXPECT_FALSE(gradient(root, {0, 1, 0}).defined());
  EXPECT_FALSE(gradient(root, {-1, 1, 0}).defined());
  EXPECT_TRUE(gradient(root, {1, 1, 0}).defined());
  EXPECT_FALSE(gradient(program("OPDropVec3 var\nOPStop f(1)\n"), {1, 1, 1}).defined());
}

/// A power of a number below 1 and of 0, by an exponent that does not vary.
TEST(Gradients, PowersNeedNoLogarithmOfAConstantExponent) {
  const Program cube = program("OPExtractVec3 var f(0)\nOPPowFloatFloat var f(3)\nOPStop var\n");
  expectSlope(gradient(cube, {0.5F, 0, 0}), {0.75, 0, 0});
  expectSlope(gradient(cube, {0, 0, 0}), {0, 0, 0}, 0);
}

/// What a leaf keeps has the same derivatives: pruned programs at points of their boxes.
TEST(Gradients, PrunedProgramsKeepThem) {
  std::mt19937 random(kSeed);
  for (const char* text : {kDefaultObject, kSmoothBlend, kSelections}) {
    const Program whole = program(text);
    for (unsigned n = 0; n < RTVP_BOXES; ++n) {
      const Bounds box = randomBox(random);
      const Program part = prune(whole, box).program;
      const Point at = pointIn(box, random);
      const Gradient a = gradient(whole, at), b = gradient(part, at);
      EXPECT_TRUE(same(a.value, b.value));
      for (unsigned axis = 0; axis < 3; ++axis)
        EXPECT_EQ(a.slope[axis], b.slope[axis]) << "seed " << kSeed;
    }
  }
}

}  // namespace
}  // namespace rtvp::implicit::registers
