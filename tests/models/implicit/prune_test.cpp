// Pruning: the masked tape equals the whole one inside its box; the reference's counts; the faults
// of the report's algorithm (sdf.md 6.4) do not occur. RTVP_BOXES boxes a tape.
#include <cmath>

#include "tests/models/implicit/support.hpp"

namespace rtvp::implicit::test {
namespace {

constexpr unsigned kSeed = 23;
using Point = std::array<float, 3>;

/// Prunes twice, as the two stages do, and compares points. Returns instructions skipped.
std::size_t checkBox(const Tape& tape, const Bounds& box, std::mt19937& random) {
  const BoxResult outer = prune(tape, Mask(tape.size()), box);
  Bounds half = box;
  half.max[random() % 3] = pointIn(box, random)[0];
  for (unsigned n = 0; n < 3; ++n) half.max[n] = std::clamp(half.max[n], box.min[n], box.max[n]);
  const BoxResult inner = prune(tape, outer.mask, half);
  for (std::size_t at = 0; at < tape.size(); ++at)
    EXPECT_TRUE(outer.mask.executes(at) || !inner.mask.executes(at)) << "not a subset";
  for (unsigned sample = 0; sample < 4; ++sample) {
    const auto p = pointIn(box, random), q = pointIn(half, random);
    const float whole = evaluate(tape, p), whole_half = evaluate(tape, q);
    EXPECT_TRUE(same(evaluate(tape, outer.mask, p), whole)) << "seed " << kSeed;
    EXPECT_TRUE(same(evaluate(tape, inner.mask, q), whole_half)) << "seed " << kSeed;
    const auto inside = [](const Interval& r, float value) {
      return std::isnan(value) ? r.undefined : r.contains(value);
    };
    EXPECT_TRUE(inside(outer.value, whole) && inside(inner.value, whole_half));
  }
  return tape.size() - inner.mask.executed();
}

class Scenes : public ::testing::TestWithParam<const char*> {};

TEST_P(Scenes, MaskedEqualsUnmaskedInItsBox) {
  const Tape tape = assembled(GetParam());
  std::mt19937 random(kSeed);
  std::size_t skipped = 0;
  for (unsigned box = 0; box < RTVP_BOXES && !HasFailure(); ++box)
    skipped += checkBox(tape, randomBox(random), random);
  EXPECT_GT(skipped, std::size_t{RTVP_BOXES} / 2) << "pruning does nothing";
}

INSTANTIATE_TEST_SUITE_P(Tapes, Scenes,
                         ::testing::Values(kDefaultObject, kSmoothBlend, kSelections));

TEST(Pruning, RandomTapes) {
  std::mt19937 random(kSeed);
  std::size_t skipped = 0, reordering = 0;
  for (unsigned n = 0; n < RTVP_BOXES && !HasFailure(); ++n) {
    const std::string text = randomTape(random);
    const Tape tape = assembled(text);
    reordering += tape.reorders() ? 1U : 0U;
    skipped += checkBox(tape, randomBox(random), random);
    if (HasFailure()) FAIL() << "tape " << n << ":\n" << text;
  }
  EXPECT_GT(skipped, RTVP_BOXES);
  EXPECT_GT(reordering, 0U);
}

TEST(Pruning, CountsOfTheDefaultObject) {
  // sdf.md 9.3: 40 of 64 task cells and 647 of 2048 leaves, 4.25 live instructions a leaf.
  const Tape tape = assembled(kDefaultObject);
  const std::array<double, 3> lo{-1.22223447, -0.44444429, -1.22223447};
  const std::array<double, 3> hi{1.33332851, 1.88889865, 1.33332851};
  const auto cell = [&](const std::array<unsigned, 3>& at, const std::array<unsigned, 3>& of) {
    Bounds box;
    for (unsigned n = 0; n < 3; ++n) {
      const double step = (hi[n] - lo[n]) / of[n];
      box.min[n] = static_cast<float>(lo[n] + step * at[n]);
      box.max[n] = static_cast<float>(lo[n] + step * (at[n] + 1));
    }
    return box;
  };
  const auto ambiguous = [](const Interval& r) { return r.undefined || !(r.lo > 0 || r.hi < 0); };
  std::size_t tasks = 0, leaves = 0, live = 0;
  for (unsigned c = 0; c < 64; ++c) {
    const std::array<unsigned, 3> at{c % 4, c / 4 % 4, c / 16};
    const BoxResult task = prune(tape, Mask(tape.size()), cell(at, {4, 4, 4}));
    if (!ambiguous(task.value)) continue;
    ++tasks;
    for (unsigned m = 0; m < 32; ++m) {
      const std::array<unsigned, 3> leaf{at[0] * 4 + m % 4, at[1] * 4 + m / 4 % 4,
                                         at[2] * 2 + m / 16};
      const BoxResult r = prune(tape, task.mask, cell(leaf, {16, 16, 8}));
      if (!ambiguous(r.value)) continue;
      ++leaves;
      live += r.mask.executed();
    }
  }
  EXPECT_EQ(tasks, 40U);
  EXPECT_EQ(leaves, 647U);
  EXPECT_NEAR(static_cast<double>(live) / static_cast<double>(leaves), 4.25, 0.01);
  RecordProperty("live_per_leaf", std::to_string(static_cast<double>(live) / 647));
}

TEST(Pruning, LostUpgradeOfTheReport) {
  // A decided min, + 0.5, then a second min that discards it.
  const Tape tape = assembled(
      "OPDupVec3 var\nOPDupVec3 var\nOPSDFSphere f(0.1) var\nOPSDFBox v3(9,9,9) var\n"
      "OPMaxFloat var var\nOPAddFloatFloat var f(0.5)\nOPDotVec3 var v3(1,0,0)\n"
      "OPMinFloat var var\nOPStop var\n");
  const BoxResult r = prune(tape, Mask(tape.size()), {{-0.1F, 0, 0}, {-0.05F, 0.1F, 0.1F}});
  EXPECT_EQ(r.mask.executed(), 2U);  // the dot product and OPStop
  EXPECT_EQ(evaluate(tape, r.mask, Point{-0.08F, 0, 0}), -0.08F);
}

TEST(Pruning, ConstantWinnersAreNotDecided) {
  const Tape tape = assembled("OPSDFSphere f(1) var\nOPMinFloat var f(0.25)\nOPStop var\n");
  const BoxResult far = prune(tape, Mask(tape.size()), {{5, 5, 5}, {6, 6, 6}});
  EXPECT_EQ(far.mask.executed(), 3U);
  EXPECT_EQ(evaluate(tape, far.mask, Point{5, 5, 5}), 0.25F);
  const BoxResult near = prune(tape, Mask(tape.size()), {{0, 0, 0}, {0.5F, 0.5F, 0.5F}});
  EXPECT_EQ(near.mask.executed(), 2U);
}

TEST(Pruning, SkippedConstantsStillPass) {
  const Tape tape = assembled(kDefaultObject);
  Mask mask(tape.size());
  mask.skip(0);  // the first 0.9 passes by: the sphere still has its 0.5
  EXPECT_NEAR(evaluate(tape, mask, Point{0.7F, 1.2F, 0.7F}), -0.5 / 0.9, 1e-6);
  EXPECT_EQ(mask.hex(), "fe");
}

TEST(Pruning, EqualityAndNaNDoNotDecide) {
  const Tape tie = assembled(
      "OPDupVec3 var\nOPDotVec3 var v3(1,0,0)\nOPDotVec3 var v3(0,1,0)\nOPMinFloat var var\n"
      "OPStop var\n");
  EXPECT_EQ(prune(tie, Mask(5), {{0, 1, 0}, {1, 2, 0}}).mask.executed(), 5U);
  EXPECT_EQ(prune(tie, Mask(5), {{0, 1.001F, 0}, {1, 2, 0}}).mask.executed(), 2U);
  const Tape root = assembled(
      "OPDupVec3 var\nOPDotVec3 var v3(1,0,0)\nOPSqrtFloat var\nOPDotVec3 var v3(0,1,0)\n"
      "OPMinFloat var var\nOPStop var\n");
  const BoxResult r = prune(root, Mask(6), {{-1, 5, 0}, {1, 6, 0}});
  EXPECT_TRUE(r.value.undefined);
  EXPECT_EQ(r.mask.executed(), 6U);
}

TEST(Masks, ThatBreakTheStacksAreRefused) {
  const Tape tape = assembled(kDefaultObject);
  Mask mask(tape.size());
  mask.skip(3);
  mask.skip(4);
  EXPECT_THROW(evaluate(tape, mask, Point{0, 0, 0}), MaskFault);
  EXPECT_THROW(prune(tape, mask, {}), MaskFault);
}

}  // namespace
}  // namespace rtvp::implicit::test
