// The acceptance rule for hit dumps, clause by clause.
#include "platform/reference/compare_hits.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "platform/raytree/ray_tree.hpp"
#include "platform/reference/reference_finder.hpp"
#include "tests/platform/host/small_scenes.hpp"

namespace rtvp::reference {
namespace {

using report::HitDump;
using report::HitRow;
using scene::Vec3;

constexpr int kSide = 100;
constexpr double kEyeDistance = 10;

/// Where the ray through the centre of pixel `x` meets the plane z = 0: the view is 10 wide there.
double at(int x) {
  return (x + 0.5 - kSide / 2.0) / kSide * kEyeDistance;
}

HitDump reference(const scene::Scene& s) {
  host::RenderOptions options;
  options.recordHits = true;
  options.depth = 1;
  host::RayTree tree(s, options);
  host::Framebuffer framebuffer = tree.makeFramebuffer();
  ReferenceFinder finder(s);
  tree.render(finder, framebuffer);
  return tree.primaryHits();
}

template <typename Dump>
auto& row(Dump& dump, int x, int y) {
  return dump[static_cast<std::size_t>(y * kSide + x)];
}

/// A wall in two primitives that meet at column 50, with a larger wall behind.
scene::Scene walls(double edge) {
  scene::Scene s = test::emptyScene(kSide, kSide);
  test::addQuad(s, {edge, -4, 0}, {4, -4, 0}, {4, 4, 0}, {edge, 4, 0});
  test::addSquare(s, -5, 20);
  return s;
}

TEST(CompareHits, EqualDumpsPass) {
  const scene::Scene s = walls(0);
  const HitDump a = reference(s);
  const HitComparison c = compareHits(a, a, s);
  EXPECT_EQ(c.compared, 10000U);
  EXPECT_EQ(c.equal, 10000U);
  EXPECT_EQ(c.excused(), 0U);
  EXPECT_EQ(c.maxRelativeT, 0);
  EXPECT_TRUE(c.passed());
}

TEST(CompareHits, AnotherPrimitiveIsWrong) {
  const scene::Scene s = walls(0);
  const HitDump a = reference(s);
  HitDump b = a;
  row(b, 70, 50).prim = 1;
  row(b, 71, 50) = {71, 50, report::kMiss, 0, 0, 0};
  const HitComparison c = compareHits(a, b, s);
  EXPECT_EQ(c.wrong, 2U);
  EXPECT_FALSE(c.passed());
  ASSERT_EQ(c.examples.size(), 2U);
  EXPECT_EQ(c.examples[0].a.x, 70);
  EXPECT_EQ(compareHits(b, a, s).wrong, 2U) << "the order of the dumps does not matter";
}

TEST(CompareHits, AnotherDistanceIsWrong) {
  const scene::Scene s = walls(0);
  const HitDump a = reference(s);
  HitDump b = a;
  row(b, 70, 50).t *= 1 + 0.9e-4;
  EXPECT_TRUE(compareHits(a, b, s).passed());
  EXPECT_NEAR(compareHits(a, b, s).maxRelativeT, 0.9e-4, 1e-7);
  row(b, 70, 50).t *= 1 + 0.9e-4;
  const HitComparison c = compareHits(a, b, s);
  EXPECT_EQ(c.wrongDistance, 1U);
  EXPECT_EQ(c.wrong, 0U);
  EXPECT_FALSE(c.passed());
}

// The edge lies so that column 60 passes it within or beyond 1e-3 of the triangle's height (about 4
// units).
TEST(CompareHits, NearAnOutlineEitherAnswerWillDo) {
  for (const double gap : {-0.0035, 0.0035, -0.006, 0.006}) {
    const scene::Scene s = walls(at(60) + gap);
    const HitDump a = reference(s);
    HitDump b = a;
    row(b, 60, 50).prim = 1 - row(a, 60, 50).prim;
    const HitComparison c = compareHits(a, b, s);
    const double height = 4 - (at(60) + gap);
    const bool excused = std::abs(gap) < 1e-3 * height;
    EXPECT_EQ(c.excusedOutline, excused ? 1U : 0U) << gap;
    EXPECT_EQ(c.wrong, excused ? 0U : 1U) << gap;
  }
}

TEST(CompareHits, AnInnerDiagonalIsNoOutline) {
  // The diagonal of this square runs through the centres of the pixels with x + y = 99.
  scene::Scene s = test::emptyScene(kSide, kSide);
  test::addSquare(s, 0, 4);
  test::addSquare(s, -5, 20);
  const HitDump a = reference(s);
  HitDump b = a;
  row(b, 40, 59).prim = 1;
  EXPECT_EQ(compareHits(a, b, s).wrong, 1U);
  // As two primitives the same edge is an outline.
  s.elements[1].primitive = 1;
  s.elements[2].primitive = s.elements[3].primitive = 2;
  s.primitiveCount = 3;
  const HitDump c = reference(s);
  HitDump d = c;
  row(d, 40, 59).prim = 1 - row(c, 40, 59).prim;
  EXPECT_EQ(compareHits(c, d, s).excusedOutline, 1U);
}

TEST(CompareHits, AFoldSeenFromOutsideIsAnOutline) {
  // A roof of one primitive whose second half is turned away from the eye: their common edge is its
  // outline.
  scene::Scene s = test::emptyScene(kSide, kSide);
  const double ridge = at(60) + 1e-5;
  const Vec3 p{ridge, -4, 0};
  const Vec3 q{ridge, 4, 0};
  test::addTriangle(s, {-4, -4, 0}, p, q);
  s.triangles.push_back({{q, p, {-4, -4, -6}}, {}, false});
  test::addElement(s, scene::Element::Kind::Triangle, 1, 0);
  test::addSquare(s, -8, 30);
  const HitDump a = reference(s);
  HitDump b = a;
  row(b, 60, 50) = {60, 50, 1, 18, 0, 0};
  ASSERT_EQ(row(a, 60, 50).prim, 0);
  EXPECT_EQ(compareHits(a, b, s).excusedOutline, 1U);
}

TEST(CompareHits, ASphereIsJudgedByItsRadius) {
  for (const double ratio : {0.9996, 1.0004, 0.999, 1.001}) {
    scene::Scene s = test::emptyScene(kSide, kSide);
    s.camera.eye = {at(60), at(49), 10};  // the ray of the picture's centre would need an odd side
    s.camera.lookAt = {at(60), at(49), 0};
    s.width = s.height = 101;
    // The eye ray through the centre pixel passes the centre at `ratio` radii.
    test::addSphere(s, {at(60) + 2 * ratio, at(49), 0}, 2);
    const HitDump a = reference(s);
    HitDump b = a;
    HitRow& pixel = b[50 * 101 + 50];
    pixel = pixel.prim == 0 ? HitRow{50, 50, report::kMiss, 0, 0, 0} : HitRow{50, 50, 0, 10, 0, 0};
    const HitComparison c = compareHits(a, b, s);
    const bool excused = std::abs(1 - ratio * ratio) <= 1e-3;
    EXPECT_EQ(c.excusedOutline, excused ? 1U : 0U) << ratio;
    EXPECT_EQ(c.wrong, excused ? 0U : 1U) << ratio;
  }
}

TEST(CompareHits, NearTiesAreExcusedOnlyForTheirOwnPrimitives) {
  for (const double gap : {0.0005, 0.002}) {
    scene::Scene s = test::emptyScene(kSide, kSide);
    test::addSquare(s, 0, 20);
    test::addSquare(s, -gap, 20);  // relative to a distance of about 10: 5e-5 and 2e-4
    test::addSquare(s, -5, 20);
    const HitDump a = reference(s);
    HitDump b = a;
    row(b, 40, 50).prim = 1;
    const HitComparison c = compareHits(a, b, s);
    EXPECT_EQ(c.excusedTie, gap < 1e-3 ? 1U : 0U);
    EXPECT_EQ(c.wrong, gap < 1e-3 ? 0U : 1U);
    row(b, 40, 50).prim = 2;
    EXPECT_EQ(compareHits(a, b, s).wrong, 1U) << "the third wall is no party to the tie";
    row(b, 40, 50) = {40, 50, report::kMiss, 0, 0, 0};
    EXPECT_EQ(compareHits(a, b, s).wrong, 1U) << "a miss is no party to the tie";
  }
}

TEST(CompareHits, TooManyExcusesFail) {
  scene::Scene s = test::emptyScene(kSide, kSide);
  test::addSquare(s, 0, 20);
  test::addSquare(s, 0, 20);
  const HitDump a = reference(s);
  HitDump b = a;
  for (int i = 0; i < 200; ++i) b[static_cast<std::size_t>(i)].prim = 1;
  EXPECT_TRUE(compareHits(a, b, s).passed());
  b[200].prim = 1;
  const HitComparison c = compareHits(a, b, s);
  EXPECT_EQ(c.excusedTie, 201U);
  EXPECT_TRUE(c.tooManyExcused());
  EXPECT_FALSE(c.passed());
}

// ---- a machine's number format

/// One Q15.17 step of a unit direction: what scripts/right-pictures passes for THEIA.
constexpr double kStep = 0x1p-17;

HitComparison byStep(const HitDump& a, const HitDump& b, const scene::Scene& s,
                     double step = kStep) {
  HitTolerance tolerance;
  tolerance.outline = 0;  // these scenes are so large that 1e-3 of a triangle is far
  tolerance.step = step;
  return compareHits(a, b, s, tolerance);
}

/// How far the ray through the centre of (60, 50) goes to the plane z = 0.
double distanceAt60() {
  return std::hypot(10.0, at(60), at(50));
}

/// An edge beside that ray, `steps` of kStep of the distance away at right angles to the ray.
double edgeBeside(double steps) {
  // The offset along x is seen under the angle between x and the ray.
  const double seen = std::sqrt(1 - std::pow(at(60) / distanceAt60(), 2));
  return at(60) + steps * kStep * distanceAt60() / seen;
}

TEST(CompareHits, AnOutlineWithinTheFormatsStepIsExcusedOnEitherSideAndNoFarther) {
  for (const double steps : {-1.02, -0.98, 0.98, 1.02}) {
    const scene::Scene s = walls(edgeBeside(steps));
    const HitDump a = reference(s);
    HitDump b = a;
    const bool inside = steps < 0;  // the wall in front begins left of the ray
    ASSERT_EQ(row(a, 60, 50).prim, inside ? 0 : 1);
    const double behind = distanceAt60() * 1.5;
    row(b, 60, 50) = {60, 50, inside ? 1 : 0, inside ? behind : distanceAt60(), 0, 0};
    const bool excused = std::abs(steps) < 1;
    for (const HitComparison& c : {byStep(a, b, s), byStep(b, a, s)}) {
      EXPECT_EQ(c.excusedStep, excused ? 1U : 0U) << steps;
      EXPECT_EQ(c.wrong, excused ? 0U : 1U) << steps;
      EXPECT_EQ(c.excused(), c.excusedStep);
    }
    EXPECT_EQ(byStep(a, b, s, 0).wrong, 1U) << "no excuse unless it is asked for";
  }
}

TEST(CompareHits, TheFormatExcusesNoTriangleMissingInTheMiddle) {
  // The ray passes the outline of the wall behind, not that of the wall in front of it.
  scene::Scene s = test::emptyScene(kSide, kSide);
  test::addSquare(s, 0, 4);
  const double edge = at(60) * 1.5;  // of the same ray at z = -5
  test::addQuad(s, {edge, -6, -5}, {6, -6, -5}, {6, 6, -5}, {edge, 6, -5});
  test::addSquare(s, -8, 30);
  const HitDump a = reference(s);
  HitDump b = a;
  row(b, 60, 50) = {60, 50, 1, distanceAt60() * 1.5, 0, 0};
  EXPECT_EQ(byStep(a, b, s).wrong, 1U);
  row(b, 60, 50) = {60, 50, report::kMiss, 0, 0, 0};
  EXPECT_EQ(byStep(a, b, s).wrong, 1U);
}

TEST(CompareHits, TheFormatExcusesNothingThatTheRayDoesNotPass) {
  scene::Scene s = walls(edgeBeside(0.5));
  test::addQuad(s, {-4, -4, -1}, {-3, -4, -1}, {-3, 4, -1}, {-4, 4, -1});  // elsewhere
  const HitDump a = reference(s);
  HitDump b = a;
  ASSERT_EQ(row(a, 60, 50).prim, 1);
  row(b, 60, 50) = {60, 50, 2, distanceAt60() * 1.1, 0, 0};
  EXPECT_EQ(byStep(a, b, s).wrong, 1U) << "another triangle than the one whose outline it passes";
  for (const double t : {0.9, 1.1}) {
    row(b, 60, 50) = {60, 50, 0, distanceAt60() * t, 0, 0};
    EXPECT_EQ(byStep(a, b, s).wrong, 1U) << "the wall does not lie at " << t << " of its distance";
  }
  row(b, 60, 50) = {60, 50, 0, distanceAt60(), 0, 0};
  EXPECT_EQ(byStep(a, b, s).excusedStep, 1U);
}

TEST(CompareHits, TheFormatLetsNoRayThroughASeam) {
  // Two triangles, primitives of their own, share an edge beside the ray; a wall behind.
  scene::Scene s = test::emptyScene(kSide, kSide);
  const double edge = edgeBeside(0.5);
  const Vec3 p{edge, -4, 0};
  const Vec3 q{edge, 4, 0};
  test::addTriangle(s, p, q, {-4, 0, 0});
  test::addTriangle(s, q, p, {5, 0, 0});
  test::addSquare(s, -5, 30);
  const HitDump a = reference(s);
  HitDump b = a;
  ASSERT_EQ(row(a, 60, 50).prim, 0);
  row(b, 60, 50).prim = 1;
  EXPECT_EQ(byStep(a, b, s).excusedStep, 1U) << "on the other side of the seam lies the neighbour";
  row(b, 60, 50) = {60, 50, 2, distanceAt60() * 1.5, 0, 0};
  EXPECT_EQ(byStep(a, b, s).wrong, 1U) << "nothing behind shows through it";
}

TEST(CompareHits, BehindANeighbourNarrowerThanTheStepLiesTheOutline) {
  scene::Scene s = test::emptyScene(kSide, kSide);
  const Vec3 p{edgeBeside(0.3), -4, 0};
  const Vec3 q{edgeBeside(0.3), 4, 0};
  const double end = edgeBeside(0.6);
  test::addTriangle(s, p, q, {-4, 0, 0});
  s.triangles.push_back({{q, p, {end, 0, 0}}, {}, false});  // a sliver, a primitive of its own
  test::addElement(s, scene::Element::Kind::Triangle, 1, 1);
  test::addSquare(s, -5, 30);
  const HitDump a = reference(s);
  HitDump b = a;
  ASSERT_EQ(row(a, 60, 50).prim, 0);
  row(b, 60, 50) = {60, 50, 2, distanceAt60() * 1.5, 0, 0};
  EXPECT_EQ(byStep(a, b, s).excusedStep, 1U);
}

TEST(CompareHits, AnotherPieceAtAnotherDistanceNeedsAnOutlineToo) {
  // One primitive of two walls, one behind the other.
  for (const double steps : {-0.9, -1.1}) {
    scene::Scene s = walls(edgeBeside(steps));
    for (scene::Element& e : s.elements) e.primitive = 0;
    s.primitiveCount = 1;
    const HitDump a = reference(s);
    HitDump b = a;
    row(b, 60, 50).t *= 1.5;
    const HitComparison c = byStep(a, b, s);
    EXPECT_EQ(c.excusedStep, steps > -1 ? 1U : 0U);
    EXPECT_EQ(c.wrongDistance, steps > -1 ? 0U : 1U);
  }
}

TEST(CompareHits, DumpsMustBelongTogether) {
  const scene::Scene s = walls(0);
  const HitDump a = reference(s);
  HitDump shorter = a;
  shorter.pop_back();
  EXPECT_THROW((void)compareHits(a, shorter, s), HitMismatch);
  HitDump moved = a;
  moved.back().x = 500;
  EXPECT_THROW((void)compareHits(a, moved, s), HitMismatch);
  EXPECT_THROW((void)compareHits(moved, moved, s), HitMismatch);
  HitDump unknown = a;
  unknown[5].prim = 2;
  EXPECT_THROW((void)compareHits(a, unknown, s), HitMismatch);
}

}  // namespace
}  // namespace rtvp::reference
