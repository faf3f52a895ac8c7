// Soundness of the interval rules: every value of a point inside the operands lies in the result,
// and where a point has no value the result says so. RTVP_BOXES boxes an opcode.
#include "models/implicit/interval.hpp"

#include <cmath>

#include "models/implicit/point.hpp"
#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::test {
namespace {

constexpr unsigned kSeed = 11;

class Operands {
 public:
  explicit Operands(unsigned seed) : random_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  /// Numbers of all sizes, and those at which domains end.
  float number() {
    static constexpr std::array<float, 18> kEdges{
        0.0F,   -0.0F,   1.0F,  -1.0F,  0.5F,  -0.5F,       1.5707964F, -1.5707964F, 3.1415927F,
        1e-30F, -1e-42F, 1e20F, -1e30F, 88.8F, 0.99999994F, 2.0F,       -2.0F,       3e38F};
    switch (below(6)) {
      case 0:
        return kEdges[below(kEdges.size())];
      case 1:
        return std::ldexp(static_cast<float>(uniform(-1, 1)), static_cast<int>(below(60)) - 40);
      case 2:
        return static_cast<float>(uniform(-100, 100));
      default:
        return static_cast<float>(uniform(-3, 3));
    }
  }

  Interval interval() {
    const float a = number();
    float b = a;
    switch (below(5)) {
      case 0:
        break;
      case 1:
        b = a + static_cast<float>(uniform(-1e-3, 1e-3));
        break;
      case 2:
        b = std::nextafter(a, 1e30F);
        break;
      default:
        b = number();
    }
    return {std::min(a, b), std::max(a, b), false};
  }

  float inside(const Interval& range) {
    switch (below(5)) {
      case 0:
        return range.lo;
      case 1:
        return range.hi;
      case 2:
        if (range.contains(0)) return below(2) == 0 ? 0.0F : -0.0F;
        break;
      case 3:
        return std::clamp(std::round(static_cast<float>(uniform(range.lo, range.hi))), range.lo,
                          range.hi);
      default:
        break;
    }
    return std::clamp(static_cast<float>(uniform(range.lo, range.hi)), range.lo, range.hi);
  }

 private:
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(random_()) / 4294967295.0);
  }
  std::mt19937 random_;
};

using Boxes = std::array<std::array<Interval, 16>, 4>;

void fill(Operands& operands, const OpcodeInfo& op, Boxes& boxes) {
  for (unsigned n = 0; n < op.in.size(); ++n) {
    for (Interval& range : boxes[n])
      range = op.mustBeConstant(n) ? Interval::of(operands.number()) : operands.interval();
  }
  if (op.function == Function::Extract)
    boxes[1][0] = Interval::of(static_cast<float>(operands.below(widthOf(op.in[0]))));
}

void checkSamples(Operands& operands, const OpcodeInfo& op, const Boxes& boxes,
                  const std::array<Interval, 4>& result, unsigned box) {
  for (unsigned sample = 0; sample < 8; ++sample) {
    std::array<std::array<float, 16>, 4> numbers{};
    std::array<const float*, 4> in{};
    for (unsigned n = 0; n < op.in.size(); ++n) {
      for (unsigned k = 0; k < widthOf(op.in[n]); ++k) numbers[n][k] = operands.inside(boxes[n][k]);
      in[n] = numbers[n].data();
    }
    std::array<float, 4> out{};
    point::apply(op, in, out.data());
    for (unsigned k = 0; k < widthOf(op.out[0]); ++k) {
      const bool sound = std::isnan(out[k]) ? result[k].undefined : result[k].contains(out[k]);
      ASSERT_TRUE(sound) << op.name << " seed " << kSeed << " box " << box << " component " << k
                         << ": " << out[k] << " not in [" << result[k].lo << ", " << result[k].hi
                         << "] " << (result[k].undefined ? "u" : "") << "; inputs " << numbers[0][k]
                         << " " << numbers[1][k] << " " << numbers[2][k];
    }
  }
}

class Soundness : public ::testing::TestWithParam<unsigned> {};

TEST_P(Soundness, EveryPointLiesInTheResult) {
  // A quarter of the opcodes a test, so that they run side by side.
  unsigned opcodes_checked = 0;
  for (const OpcodeInfo& op : opcodes()) {
    const bool moves = op.out.size() != 1 || op.in.size() == 0 || op.peekDepth() > 0 ||
                       op.function == Function::PushConst;
    if (moves || op.number % 4 != GetParam()) continue;
    Operands operands(kSeed + op.number);
    ++opcodes_checked;
    for (unsigned box = 0; box < RTVP_BOXES; ++box) {
      Boxes boxes;
      fill(operands, op, boxes);
      std::array<const Interval*, 4> in{};
      for (unsigned n = 0; n < op.in.size(); ++n) in[n] = boxes[n].data();
      std::array<Interval, 4> result;
      interval::apply(op, in, result.data());
      for (const Interval& r : result) ASSERT_LE(r.lo, r.hi) << op.name << " box " << box;
      checkSamples(operands, op, boxes, result, box);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(opcodes_checked, 45U);
}

INSTANTIATE_TEST_SUITE_P(Opcodes, Soundness, ::testing::Range(0U, 4U));

TEST(Intervals, AreTightWhereTheRuleIsExact) {
  const auto near = [](const Interval& r, double lo, double hi) {
    return std::abs(static_cast<double>(r.lo) - lo) < 1e-5 &&
           std::abs(static_cast<double>(r.hi) - hi) < 1e-5 && !r.undefined;
  };
  using interval::binary;
  using interval::ternary;
  using interval::unary;
  EXPECT_TRUE(near(binary(Function::Mod, {5.25F, 5.5F}, {2, 2}), 1.25, 1.5));
  EXPECT_TRUE(near(binary(Function::Mod, {-0.5F, 0.5F}, {2, 2}), 0, 2));
  EXPECT_TRUE(near(binary(Function::Mod, {0.25F, 0.5F}, {-2, -2}), -1.75, -1.5));
  EXPECT_TRUE(near(binary(Function::Pow, {0.5F, 2}, {-1, 1}), 0.5, 2));
  EXPECT_TRUE(near(unary(Function::Sin, {1, 2}), std::sin(1.0), 1));
  EXPECT_TRUE(near(unary(Function::Cos, {3, 4}), -1, std::cos(4.0)));
  EXPECT_TRUE(near(unary(Function::Tan, {-1, 1}), std::tan(-1.0), std::tan(1.0)));
  EXPECT_TRUE(near(unary(Function::Square, {-2, 1}), 0, 4));
  EXPECT_TRUE(near(unary(Function::Cosh, {-1, 2}), 1, std::cosh(2.0)));
  EXPECT_TRUE(near(unary(Function::Fract, {1.25F, 1.5F}), 0.25, 0.5));
  EXPECT_TRUE(near(ternary(Function::SmoothMin, {1, 2}, {0, 1}, {0, 1}), -0.5, 0.75));
  EXPECT_TRUE(near(ternary(Function::SmoothMax, {1, 2}, {0, 1}, {0, 1}), 0.25, 1.5));
  EXPECT_TRUE(near(ternary(Function::Mix, {0, 1}, {2, 3}, {0, 1}), 0, 3));
  // Exact results are not widened: a box that just touches is told from one that cuts.
  EXPECT_EQ(interval::add({1, 2}, {-1, 1}), (Interval{0, 3, false}));
  EXPECT_EQ(interval::mul({2, 3}, {4, 5}), (Interval{8, 15, false}));
  EXPECT_EQ(interval::sqrt({4, 9}), (Interval{2, 3, false}));
}

TEST(Intervals, FlagWhatHasNoValue) {
  using interval::binary;
  using interval::unary;
  EXPECT_TRUE(binary(Function::Div, {1, 2}, {-1, 1}).undefined);
  EXPECT_TRUE(binary(Function::Mod, {1, 2}, {0, 1}).undefined);
  EXPECT_TRUE(binary(Function::Pow, {-1, 1}, {1, 2}).undefined);
  EXPECT_TRUE(unary(Function::Sqrt, {-1, 1}).undefined);
  EXPECT_EQ(unary(Function::Sqrt, {-2, -1}), Interval::whole());
  EXPECT_TRUE(unary(Function::Atanh, {0, 1}).undefined);
  EXPECT_TRUE(unary(Function::Tan, {1, 2}).undefined);
  EXPECT_EQ(unary(Function::Sin, {1e7F, 1.1e7F}), (Interval{-1, 1, false}));
  EXPECT_EQ(binary(Function::Pow, {-0.0F, 92}, {-1, -0.5F}).hi, INFINITY);  // not (-0)^-1
  // The flag stays, and the operand whose NaN Min ignores does not shrink the result.
  const Interval bad{0, 1, true};
  EXPECT_TRUE(interval::add(bad, {1, 1}).undefined);
  EXPECT_TRUE(interval::min({5, 6}, bad).contains(5.5F));
}

}  // namespace
}  // namespace rtvp::implicit::test
