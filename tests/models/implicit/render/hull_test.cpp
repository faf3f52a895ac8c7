// Hulls: the reference's counts, no cell lost that holds the surface, code of a leaf equal to the
// whole tape inside it (sdf.md 9; "Done when" 2 of the issue).
#include <bit>
#include <cmath>
#include <set>

#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

constexpr unsigned kSeed = 41;

Settings masks() {
  Settings s;
  s.compact = false;
  return s;
}

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

Bounds cell(const Bounds& bounds, unsigned x, unsigned y, unsigned z) {
  const std::array<unsigned, 3> at{x, y, z};
  Bounds box;
  for (unsigned n = 0; n < 3; ++n) {
    box.min[n] = latticePlane(bounds, n, at[n], kLeafGrid[n]);
    box.max[n] = latticePlane(bounds, n, at[n] + 1, kLeafGrid[n]);
  }
  return box;
}

Vec pointIn(const Bounds& box, double x, double y, double z) {
  const Vec t{x, y, z};
  Vec p{};
  for (unsigned n = 0; n < 3; ++n)
    p[n] = std::clamp(box.min[n] + t[n] * (double{box.max[n]} - box.min[n]), double{box.min[n]},
                      double{box.max[n]});
  return p;
}

/// Cells in which a 6 x 6 x 6 lattice of samples finds both signs must be leaves.
void expectComplete(const Object& object, const Hull& hull) {
  const Code whole = Code::compact(object.program());
  unsigned lost = 0;
  for (unsigned index = 0; index < kLeaves; ++index) {
    const unsigned x = index % 16, y = index / 16 % 16, z = index / 256;
    const Bounds box = cell(hull.bounds, x, y, z);
    bool negative = false, positive = false;
    for (unsigned s = 0; s < 216 && !(negative && positive); ++s) {
      const float f = whole.valueAt(pointIn(box, s % 6 / 5.0, s / 6 % 6 / 5.0, s / 36 / 5.0));
      negative |= f <= 0;
      positive |= f >= 0;
    }
    if (negative && positive && hull.leafAt(x, y, z) == kNoLeaf) ++lost;
  }
  EXPECT_EQ(lost, 0U) << "cells with the surface are not in the hull";
}

/// The code of each leaf gives the whole tape's f, bit by bit, at random points inside.
void expectEqualInside(const Object& object, const Hull& hull, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const Code whole = Code::compact(object.program());
  for (const Leaf& leaf : hull.leaves) {
    for (unsigned n = 0; n < 4; ++n) {
      const Vec p = pointIn(leaf.box, unit(random), unit(random), unit(random));
      const float expected = whole.valueAt(p);
      ASSERT_TRUE(same(hull.codes[leaf.code].valueAt(p), expected)) << "seed " << kSeed;
      ASSERT_TRUE(same(hull.codes[hull.tasks[leaf.task].code].valueAt(p), expected));
      if (!hull.codes[leaf.code].mask) continue;
      ASSERT_TRUE(
          same(evaluate(*object.tape(), *hull.codes[leaf.code].mask,
                        std::array<float, 3>{static_cast<float>(p[0]), static_cast<float>(p[1]),
                                             static_cast<float>(p[2])}),
               expected));
    }
  }
}

TEST(Hull, DefaultObjectHasTheReferencesCounts) {
  const Tape tape = assembled(kDefaultObject);
  for (const bool compact : {false, true}) {
    Settings settings = masks();
    settings.compact = compact;
    const Model model(Object(tape, seedBounds(tape)), settings);
    EXPECT_EQ(model.hull.tasks.size(), 40U);
    EXPECT_EQ(model.hull.leaves.size(), 647U);
    EXPECT_EQ(model.counters.task.tested, 64U);
    EXPECT_EQ(model.counters.mesh.tested, 40U * 32U);
    EXPECT_EQ(model.counters.task.outside + model.counters.task.inside + 40, 64U);
    EXPECT_EQ(model.counters.programs, 3U);  // sphere, torus, both
    double live = 0;
    for (const Leaf& leaf : model.hull.leaves) live += model.hull.codes[leaf.code].executed;
    EXPECT_TRUE(compact || std::abs(live / 647 - 4.25) < 0.01) << live / 647;
    EXPECT_EQ(model.counters.task.executed, 64U * (compact ? 7U : 8U));
  }
}

TEST(Hull, NumbersFollowTheStages) {
  const Tape tape = assembled(kDefaultObject);
  const Model model(Object(tape, seedBounds(tape)), masks());
  std::set<std::uint32_t> numbers;
  for (const Leaf& leaf : model.hull.leaves) {
    numbers.insert(leaf.number);
    const unsigned mesh = leaf.number % 32, task = leaf.number / 32 % 32, half = leaf.number / 1024;
    EXPECT_EQ(leaf.at[0], task % 4 * 4 + mesh % 4);
    EXPECT_EQ(leaf.at[1], task / 4 % 4 * 4 + mesh / 4 % 4);
    EXPECT_EQ(leaf.at[2], (task / 16 + 2 * half) * 2 + mesh / 16);
    EXPECT_EQ(model.hull.leafAt(leaf.at[0], leaf.at[1], leaf.at[2]),
              static_cast<std::uint32_t>(&leaf - model.hull.leaves.data()));
    EXPECT_EQ(leaf.box, cell(model.hull.bounds, leaf.at[0], leaf.at[1], leaf.at[2]));
  }
  EXPECT_EQ(numbers.size(), model.hull.leaves.size());
}

class Scenes : public ::testing::TestWithParam<const char*> {};

TEST_P(Scenes, AreCompleteAndEqualInside) {
  std::mt19937 random(kSeed);
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  for (const bool compact : {false, true}) {
    for (const bool smooth : {false, true}) {
      Settings settings = masks();
      settings.compact = compact;
      settings.smooth_prune = smooth || compact;
      const Model model(objectOf(GetParam(), box), settings);
      EXPECT_GT(model.hull.leaves.size(), 10U);
      expectComplete(model.object, model.hull);
      expectEqualInside(model.object, model.hull, random);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tapes, Scenes,
                         ::testing::Values(kDefaultObject, kSmoothBlend, kSelections));

TEST_P(Scenes, TrimmedLeavesLoseNoSurface) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> unit(0, 1);
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  Settings settings = masks();
  const Model model(objectOf(GetParam(), box), settings);
  EXPECT_EQ(model.counters.trim.tested, model.hull.leaves.size() * kTrimCells);
  EXPECT_GT(model.counters.trim.outside + model.counters.trim.inside, model.hull.leaves.size());
  const Code whole = Code::compact(model.object.program());
  unsigned beside = 0;
  for (const Leaf& leaf : model.hull.leaves) {
    bool negative = false, positive = false;
    for (unsigned n = 0; n < 64; ++n) {
      const Vec p = pointIn(leaf.box, unit(random), unit(random), unit(random));
      bool inside = true;
      for (unsigned k = 0; k < 3; ++k)
        inside &= p[k] >= leaf.trimmed.min[k] && p[k] <= leaf.trimmed.max[k];
      if (inside) continue;
      ++beside;
      ASSERT_NE(whole.valueAt(p), 0.0F) << "seed " << kSeed;
    }
    // Each slab that was cut off has one sign: its corners on the cut and on the cell agree.
    for (unsigned k = 0; k < 3; ++k) {
      for (const bool high : {false, true}) {
        Bounds slab = leaf.box;
        (high ? slab.min : slab.max)[k] = (high ? leaf.trimmed.max : leaf.trimmed.min)[k];
        if (!(slab.min[k] < slab.max[k])) continue;
        negative = positive = false;
        for (unsigned n = 0; n < 125; ++n) {
          const float f = whole.valueAt(pointIn(slab, n % 5 / 4.0, n / 5 % 5 / 4.0, n / 25 / 4.0));
          negative |= f <= 0;
          positive |= f >= 0;
        }
        ASSERT_FALSE(negative && positive && !model.object.tape()->reorders());
      }
    }
  }
  EXPECT_GT(beside, 100U);
}

TEST(Hull, CellsThatMayHoldNoValueStay) {
  // sqrt(x) - 0.5: undefined for x < 0, the surface at x = 0.25.
  const Model model(
      objectOf("OPDotVec3 var v3(1,0,0)\nOPSqrtFloat var\nOPSubFloatFloat f(0.5) var\n"
               "OPMulFloatFloat var f(-1)\nOPStop var\n",
               {{-1, -1, -1}, {1, 1, 1}}),
      masks());
  EXPECT_GT(model.counters.task.undefined, 0U);
  expectComplete(model.object, model.hull);
}

TEST(Hull, SmoothSelectionsArePrunedOnlyIfAsked) {
  Settings settings = masks();
  const Bounds box{{-1.3F, -1.25F, -1.3F}, {1.4F, 1.95F, 1.4F}};
  const Model with(objectOf(kSmoothBlend, box), settings);
  settings.smooth_prune = false;
  const Model without(objectOf(kSmoothBlend, box), settings);
  settings.smooth_prune = true;
  settings.prune = false;
  const Model none(objectOf(kSmoothBlend, box), settings);
  EXPECT_EQ(with.hull.leaves.size(), without.hull.leaves.size());
  EXPECT_GT(with.counters.mesh.decided, 2 * without.counters.mesh.decided);
  EXPECT_EQ(none.counters.mesh.decided + none.counters.task.decided, 0U);
  EXPECT_EQ(none.hull.codes.size(), 1U);
}

TEST(Hull, RefusesWhatCannotRun) {
  const Tape tape = assembled(kDefaultObject);
  Counters counters;
  const Object program(registers::compile(tape), seedBounds(tape));
  EXPECT_THROW(buildHull(program, Settings::seedSource(), counters), ObjectError);
  EXPECT_THROW(wholeBox(program, masks()), ObjectError);
  EXPECT_EQ(buildHull(program, Settings::improved(), counters).leaves.size(), 647U);
  std::string text;
  for (unsigned n = 0; n < 240; ++n) text += "OPNop\n";
  const Object wide(assembled(text + kDefaultObject, Limits::wide()), seedBounds(tape));
  EXPECT_THROW(buildHull(wide, Settings::seedSource(), counters), ObjectError);
  EXPECT_EQ(buildHull(wide, masks(), counters).leaves.size(), 647U);
  Settings bad;
  bad.eps = 0;
  EXPECT_THROW(buildHull(program, bad, counters), std::invalid_argument);
}

TEST(Objects, RefuseBadBoundsAndMatrices) {
  const auto make = [](const Bounds& box, const Affine& world, double lipschitz) {
    return Object(assembled(kDefaultObject), box, world, lipschitz);
  };
  const Bounds good{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_NO_THROW(make(good, {}, 1));
  EXPECT_THROW(make({{1, -1, -1}, {-1, 1, 1}}, {}, 1), ObjectError);
  EXPECT_THROW(make({{-1, -1, -1}, {1, 1, std::nanf("")}}, {}, 1), ObjectError);
  EXPECT_THROW(make({{-1, -1, -1}, {1, 1, INFINITY}}, {}, 1), ObjectError);
  EXPECT_THROW(make(good, {}, -1), ObjectError);
  EXPECT_FALSE(make(good, {}, 0).declares());
  EXPECT_THROW(make(good, {}, NAN), ObjectError);
  Affine flat;
  flat.row[5] = 0;
  EXPECT_THROW(make(good, flat, 1), ObjectError);
  flat.row[5] = NAN;
  EXPECT_THROW(make(good, flat, 1), ObjectError);
}

}  // namespace
}  // namespace rtvp::implicit::render::test
