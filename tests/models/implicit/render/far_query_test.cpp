// Bounds by far query: the reference's digits, and each of its failures refused or mended (sdf.md
// section 8).
#include <cmath>

#include "tests/models/implicit/render/scene.hpp"

namespace rtvp::implicit::render::test {
namespace {

/// f > 0 at lattice points all around the box, near and far.
void expectOutside(const Tape& tape, const Bounds& box) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1), exponent(-10, 4);
  for (unsigned n = 0; n < 20000; ++n) {
    std::array<float, 3> p{};
    for (unsigned k = 0; k < 3; ++k) p[k] = box.min[k] + unit(random) * (box.max[k] - box.min[k]);
    const unsigned axis = n % 3;
    p[axis] = n / 3 % 2 == 0 ? box.max[axis] + std::exp2(exponent(random))
                             : box.min[axis] - std::exp2(exponent(random));
    ASSERT_FALSE(evaluate(tape, p) <= 0) << "the surface leaves the box on axis " << axis;
  }
}

void expectNear(const Bounds& box, const std::array<double, 3>& low,
                const std::array<double, 3>& high, double error) {
  for (unsigned n = 0; n < 3; ++n) {
    EXPECT_LE(box.min[n], low[n]);
    EXPECT_GE(box.max[n], high[n]);
    EXPECT_NEAR(box.min[n], low[n], error);
    EXPECT_NEAR(box.max[n], high[n], error);
  }
}

TEST(FarQuery, DefaultObjectToThePrintedDigits) {
  const FarBounds far = seedFarQuery(assembled(kDefaultObject));
  const std::array<double, 3> high{1.33332851, 1.88889865, 1.33332851};
  const std::array<double, 3> low{-1.22223447, -0.44444429, -1.22223447};
  for (unsigned n = 0; n < 3; ++n) {
    EXPECT_NEAR(far.max[n], high[n], 6e-9);
    EXPECT_NEAR(far.min[n], low[n], 6e-9);
  }
}

TEST(FarQuery, DefaultObjectIsEnclosed) {
  const Tape tape = assembled(kDefaultObject);
  const FarQuery query = farQuery(tape);
  ASSERT_TRUE(query.bounds) << query.fault;
  EXPECT_FALSE(query.grown);
  const double torus = -1.1 / 0.9, ball = 1.2 / 0.9;
  expectNear(*query.bounds, {torus, -0.4 / 0.9, torus}, {ball, 1.7 / 0.9, ball}, 2e-4);
  expectOutside(tape, *query.bounds);
}

TEST(FarQuery, MaximumOfTheWrongSignIsNotClipped) {
  // A ball of 0.5 at (-3, 0, 0): the formula's maximum is -2.500025, inside the ball.
  const Tape tape = assembled("OPAddVec3Vec3 var v3(3,0,0)\nOPSDFSphere f(0.5) var\nOPStop var\n");
  EXPECT_LT(seedFarQuery(tape).max[0], -2.5);
  const FarQuery query = farQuery(tape);
  ASSERT_TRUE(query.bounds) << query.fault;
  expectNear(*query.bounds, {-3.5, -0.5, -0.5}, {-2.5, 0.5, 0.5}, 1e-3);
  expectOutside(tape, *query.bounds);
}

TEST(FarQuery, SmallObjectFarFromTheAxis) {
  const Tape tape =
      assembled("OPAddVec3Vec3 var v3(-9,-20,15)\nOPSDFSphere f(0.125) var\nOPStop var\n");
  const FarBounds seed = seedFarQuery(tape);
  EXPECT_LT(seed.max[0], 9.125);  // clipped
  const FarQuery query = farQuery(tape);
  ASSERT_TRUE(query.bounds) << query.fault;
  expectNear(*query.bounds, {8.875, 19.875, -15.125}, {9.125, 20.125, -14.875}, 0.05);
  expectOutside(tape, *query.bounds);
}

TEST(FarQuery, StretchedBallIsRefused) {
  const Tape tape = assembled("OPMulVec3Vec3 var v3(1,1.2,1)\nOPSDFSphere f(1) var\nOPStop var\n");
  const FarBounds seed = seedFarQuery(tape);
  EXPECT_NEAR(seed.min[1], 13106, 10);  // reversed, as the reference measured
  EXPECT_NEAR(seed.max[1], -13106, 10);
  const FarQuery query = farQuery(tape);
  EXPECT_FALSE(query.bounds);
  EXPECT_NE(query.fault.find("reversed"), std::string::npos) << query.fault;
}

TEST(FarQuery, ClippedBoxGrows) {
  // A slab of half thickness 1 cut out of a ball of 2, f overestimated far away only: max(f, f / 3
  // + ...) is no distance: the box of the formula is too small and intervals find it.
  const Tape tape = assembled(
      "OPDupVec3 var\nOPSDFSphere f(2) var\nOPDupVec3 var\nOPSDFBox v3(0.5,0.5,0.5) var\n"
      "OPAddVec3Vec3 var v3(-1,0,0)\nOPSDFSphere f(1.5) var\nOPMaxFloat var var\n"
      "OPAddFloatFloat var f(0.25)\nOPMinFloat var var\nOPMulFloatFloat var f(1.00001)\nOPStop "
      "var\n");
  const FarQuery query = farQuery(tape);
  ASSERT_TRUE(query.bounds) << query.fault;
  EXPECT_TRUE(query.grown);
  expectNear(*query.bounds, {-2, -2, -2}, {2, 2, 2}, 1.0);
  expectOutside(tape, *query.bounds);
}

TEST(FarQuery, NoValueOrNoEndIsRefused) {
  for (const char* text :
       {"OPDotVec3 var v3(1,1,1)\nOPSqrtFloat var\nOPStop var\n",  // NaN on one side
        "OPLengthVec3 var\nOPSinFloat var\nOPStop var\n",          // periodic
        "OPDotVec3 var v3(0,1,0)\nOPStop var\n",                   // a half space
        "OPLengthVec3 var\nOPExpFloat var\nOPStop var\n"}) {       // infinite
    const FarQuery query = farQuery(assembled(text));
    EXPECT_FALSE(query.bounds) << text;
    EXPECT_FALSE(query.fault.empty()) << text;
  }
}

}  // namespace
}  // namespace rtvp::implicit::render::test
