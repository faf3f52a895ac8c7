// RT.TRI of one lane: sections 9.2 to 9.4 of the reference, results of 8.3.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/models/xphmg/operands.hpp"

namespace rtvp::xphmg {
namespace {

using test::Bench;
using test::Reals;
const Reals kFront{0, 0, 1, 0, 1, 1, 1, 0, 1};  // front-facing for +z rays
const Reals kBack{0, 0, 1, 1, 0, 1, 0, 1, 1};
const Reals kBehind{0, 0, 2, 0, 1, 2, 1, 0, 2};
const Reals kAside{5, 5, 1, 5, 6, 1, 6, 5, 1};

TEST(Tri, RT049_RT086_GoldenInEveryFormat) {
  for (const Format format : test::kAllFormats) {
    Bench b(format);
    const bool fractions = !formatInfo(format).integer;
    if (!fractions) b.state.precision.scaleShift = -4;
    b.triangles({kAside, kFront}, 7);
    b.ray({0.25, 0.5, 0, 0, 0, 1, 0, 7});
    const InlineResult r = b.tri();
    EXPECT_EQ(r.registers, 4U);
    EXPECT_EQ(r.rd[0], 3U | std::uint64_t{8} << 32U) << formatInfo(format).name;
    EXPECT_EQ(b.value(r.rd[1]), 1.0);
    EXPECT_EQ(b.value(r.rd[2]), 0.5);   // weight of v1
    EXPECT_EQ(b.value(r.rd[3]), 0.25);  // weight of v2
    EXPECT_EQ((r.stickies.stat & Stickies::kDowncastTaken) != 0, b.width() < 4);
    EXPECT_EQ(r.stickies.exc, 0U);
  }
}

TEST(Tri, RT030_RangesOfNoneOneAndMany) {
  Bench b(Format::Fp16);
  b.triangles({});
  EXPECT_FALSE(b.tri().hit);
  b.triangles({kBehind, kFront, kAside, kFront});
  const InlineResult r = b.tri();
  EXPECT_EQ(r.prim, 1U);  // closest; of equal t the lowest prim_id
  EXPECT_EQ(r.mask, 0xBU);
  // Base 0 means RTBASE.
  encodeTriRange({2, 1, 0}, b.at(Bench::kRange));
  b.state.rtbase = Bench::kTriangles - std::uint64_t{36};
  EXPECT_EQ(b.tri().prim, 2U);
  EXPECT_FALSE(b.tri().front && !b.tri().hit);
}

TEST(Tri, PrimIdsWrapAt32Bits) {
  Bench b(Format::Fp32);
  b.triangles({kFront, kFront}, 0xFFFFFFFF);
  EXPECT_EQ(b.tri().prim, 0U);  // entry 1 has prim_id 0, the lower one
}

TEST(Tri, RT050_CullingIsTheWinding) {
  Bench b(Format::Fp32);
  b.triangles({kBack});
  EXPECT_TRUE(b.tri().hit);
  EXPECT_FALSE(b.tri().front);
  EXPECT_FALSE(b.tri(imm::kCullBack).hit);
  b.triangles({kFront});
  EXPECT_TRUE(b.tri(imm::kCullBack).front);
  // The same from the other side.
  b.ray({0.25, 0.25, 3, 0, 0, -1, 0, 100});
  EXPECT_FALSE(b.tri(imm::kCullBack).hit);
}

TEST(Tri, RT045_RT046_PredOnlyAndPacked) {
  Bench b(Format::Fp16);
  b.triangles({kFront});
  EXPECT_EQ(b.tri(imm::kPredOnly).registers, 0U);
  EXPECT_TRUE(b.tri(imm::kPredOnly).hit);
  const InlineResult r = b.tri(imm::kPackHint);
  EXPECT_EQ(r.registers, 1U);
  EXPECT_EQ(r.rd[0], 0x0003340034003C00U);  // section 12
  Bench wide(Format::Fp32);
  wide.triangles({kFront});
  EXPECT_EQ(wide.tri(imm::kPackHint).rd[0], 0x0003340034003C00U);
  EXPECT_EQ(wide.tri(imm::kPackHint).stickies.stat, Stickies::kDowncastTaken);
  Bench narrow(Format::Fp8E5m2);
  narrow.triangles({kFront});
  EXPECT_EQ(narrow.tri(imm::kPackHint).rd[0], 0x000300340034003CU);
}

TEST(Tri, RT041_RT014_ImmediatesAndCapabilities) {
  Bench b(Format::Fp16);
  b.triangles({kFront});
  for (unsigned bit = 4; bit < 12; ++bit) EXPECT_EQ(b.tri(1U << bit).errorCode, 1U);
  b.state.rtcap &= ~rtcap::kEpsCtl;
  EXPECT_EQ(b.tri(imm::kEpsCtl).errorCode, 2U);
  b.state.rtcap &= ~rtcap::kPackHint;
  EXPECT_EQ(b.tri(imm::kPackHint).errorCode, 2U);
}

TEST(Tri, RT057_ExactIntervalEndsAreAccepted) {
  for (const Format format : test::kAllFormats) {
    Bench b(format);
    if (formatInfo(format).integer) b.state.precision.scaleShift = -4;
    b.triangles({kFront});
    b.ray({0.25, 0.25, 0, 0, 0, 1, 1, 1});
    EXPECT_TRUE(b.tri().hit) << formatInfo(format).name;
  }
  Bench b(Format::Fp32);
  b.triangles({kFront});
  b.ray({0.25, 0.25, 0, 0, 0, 1, std::nextafter(1.0F, 2.0F), 100});
  EXPECT_FALSE(b.tri().hit);
  b.ray({0.25, 0.25, 0, 0, 0, 1, 0, std::nextafter(1.0F, 0.0F)});
  EXPECT_FALSE(b.tri().hit);
}

TEST(Tri, RT009_RT017_RT051_EpsilonStepsFromTmin) {
  Bench b(Format::Fp32);
  b.triangles({kFront});
  const auto accepted = [&b](unsigned scale, unsigned dflt, std::uint32_t imm12, double tmin) {
    b.state.rtconf2 = scale;
    b.state.rtcfg = std::uint64_t{dflt} << 8U;
    b.ray({0.25, 0.25, 0, 0, 0, 1, tmin, 100});
    return b.tri(imm12).hit;
  };
  // tlo = tmin + k * 2^-23 for |tmin| <= 1: k = 4 passes t = 1 from tmin = 1 - 4 * 2^-23 on.
  const double edge = 1 - 4 * 0x1p-23;
  for (unsigned k = 0; k < 12; ++k) {
    const bool expected = k <= 4;
    EXPECT_EQ(accepted(k, 0, imm::kEpsCtl, edge), expected) << k;
    EXPECT_EQ(accepted(0, k, 0, edge), expected) << k;  // EPS_DFLT is the same encoding
    EXPECT_TRUE(accepted(k, 0, 0, edge));               // EPS_SCALE without EPS_CTL: no effect
    EXPECT_TRUE(accepted(0, k, imm::kEpsCtl, edge));
  }
  b.state.rtcap &= ~rtcap::kEpsCtl;
  EXPECT_TRUE(accepted(0, 255, 0, edge));  // without the capability k is 0
}

TEST(Tri, EpsilonScalesWithTminAndSparesInfinity) {
  EXPECT_EQ(lowerBound(8, 3), 8 + 3 * 0x1p-20);
  EXPECT_EQ(lowerBound(-8, 3), -8 + 3 * 0x1p-20);
  EXPECT_EQ(lowerBound(0.5, 255), 0.5 + 255 * 0x1p-23);
  EXPECT_EQ(lowerBound(15.5, 1), 15.5 + 0x1p-20);
  EXPECT_EQ(lowerBound(-INFINITY, 255), -INFINITY);
  EXPECT_EQ(lowerBound(INFINITY, 255), INFINITY);
}

TEST(Tri, RT103_SharedEdgeBelongsToOne) {
  const Reals other{1, 0, 1, 0, 1, 1, 1, 1, 1};
  for (const Format format : {Format::Fp32, Format::Fp16, Format::Bf16, Format::Fp8E4m3}) {
    Bench b(format);
    b.triangles({kFront, other});
    b.ray({0.5, 0.5, 0, 0, 0, 1, 0, 100});
    EXPECT_EQ(b.tri().mask, 1U) << formatInfo(format).name;
    b.state.edgeInclusive = true;
    EXPECT_EQ(b.tri().mask, 3U);
  }
}

TEST(Tri, DegenerateTrianglesAndRaysMiss) {
  Bench b(Format::Fp32);
  b.triangles(
      {{0, 0, 1, 0, 0, 1, 0, 0, 1},
       {0, 0, 1, 0.5, 0.5, 1, 1, 1, 1},
       {0.25, 0.25, 0, 0.25, 0.25, 1, 0.25, 1, 1}});  // the ray lies in the last one's plane
  EXPECT_FALSE(b.tri().hit);
  b.triangles({kFront});
  b.ray({0.25, 0.25, 0, 0, 0, 0, 0, 100});
  EXPECT_FALSE(b.tri().hit);
  EXPECT_EQ(b.tri().stickies, Stickies{});
}

TEST(Tri, InfiniteOperands) {
  const double inf = INFINITY;
  Bench b(Format::Fp32);
  b.triangles({{-inf, 0, 1, 0, inf, 1, inf, 0, 1}});
  EXPECT_FALSE(b.tri().hit);
  EXPECT_EQ(b.tri().stickies, Stickies{});
  b.ray({inf, 0, 0, 0, 0, 1, 0, 100});
  EXPECT_EQ(b.tri().stickies.exc, Stickies::kInvalid);  // inf - inf
  b.triangles({kFront});
  EXPECT_EQ(b.tri().stickies, Stickies{});
  // D-53: Sz overflows for a subnormal direction, t is infinite.
  b.ray({0.25, 0.25, 0, 0, 0, 0x1p-149, 0, 1e38});
  EXPECT_FALSE(b.tri().hit);
  b.ray({0.25, 0.25, 0, 0, 0, 0x1p-149, 0, inf});
  EXPECT_EQ(b.tri().rd[1], 0x7F800000U);
}

TEST(Tri, RT087_NanOperands) {
  Bench b(Format::Fp16);
  b.triangles({kFront, kAside});
  b.putWord(Bench::kTriangles, 0, 0x7E00);
  InlineResult r = b.tri();
  EXPECT_FALSE(r.hit);
  EXPECT_EQ(r.rd[1], 0x7E00U);
  EXPECT_EQ(r.rd[3], 0x7E00U);
  EXPECT_EQ(r.stickies.exc, Stickies::kQnanSeen);
  b.triangles({kFront, kFront});
  b.putWord(Bench::kTriangles, 0, 0x7C01);
  r = b.tri();  // the other one hits
  EXPECT_EQ(r.prim, 1U);
  EXPECT_EQ(r.rd[1], 0x3C00U);
  EXPECT_EQ(r.stickies.exc, Stickies::kSnanSeen | Stickies::kInvalid);
  // A zero direction ends the lane before any triangle is consumed (D-50).
  b.ray({0.25, 0.25, 0, 0, 0, 0, 0, 100});
  EXPECT_EQ(b.tri().stickies.exc, 0U);
  EXPECT_EQ(b.tri().rd[1], 0U);
}

TEST(Tri, RT074_OverflowUnderflowAndSaturationOfResults) {
  Bench b(Format::Fp16);
  b.triangles({{0, 0, 60000, 0, 1, 60000, 1, 0, 60000}});
  b.ray({0.25, 0.25, 0, 0, 0, 0.5, 0, INFINITY});
  EXPECT_EQ(b.tri().rd[1], 0x7C00U);
  EXPECT_EQ(b.tri().stickies.exc, Stickies::kOverflow | Stickies::kInexact);
  b.state.precision.sat = true;
  EXPECT_EQ(b.tri().rd[1], 0x7BFFU);
  EXPECT_EQ(b.tri().stickies, (Stickies{Stickies::kSatHit | Stickies::kDowncastTaken, 0}));
  b.state.precision.sat = false;
  b.state.precision.ftz = true;
  b.triangles({{0, 0, 1, 0, 1, 1, 1, 0, 1}});
  b.ray({0.25, 0.25, 0, 0, 0, 60000, 0, INFINITY});  // t = 1.67e-5, subnormal in FP16
  EXPECT_EQ(b.tri().rd[1], 0U);
  EXPECT_EQ(b.tri().stickies.stat, Stickies::kFtzHit | Stickies::kDowncastTaken);
  EXPECT_EQ(b.tri().stickies.exc, Stickies::kUnderflow | Stickies::kInexact);
}

TEST(Tri, RT058_RoundingModesReachTheResult) {
  Bench b(Format::Fp32);
  b.triangles({{0, 0, 3, 0, 1, 4, 1, 0, 5}});
  b.ray({0.3, 0.2, 0, 0, 0, 0.7, 0, 100});
  const auto bits = [&b](Rounding rounding) {
    b.state.precision.rounding = rounding;
    return b.tri().rd[1];
  };
  EXPECT_EQ(bits(Rounding::Rup), 0x40ADB6DCU);  // worked example of the batch contract
  EXPECT_EQ(bits(Rounding::Rtz), 0x40ADB6DBU);
  EXPECT_EQ(bits(Rounding::Rdn), bits(Rounding::Rtz));
  EXPECT_EQ(bits(Rounding::Rne), bits(Rounding::Rmm));
}

/// The classic form, in long double: an independent opinion on hits far from any edge.
TEST(Tri, RT049_MatchesMoellerTrumbore) {
  constexpr unsigned kSeed = 49;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  const auto uniform = [&random] {
    return static_cast<double>(
        static_cast<float>(static_cast<double>(random() >> 11U) * 0x1p-52 - 1));
  };
  unsigned compared = 0, hits = 0;
  for (int n = 0; n < 200000; ++n) {
    Ray ray;
    Triangle tri;
    for (unsigned k = 0; k < 3; ++k) {
      ray.o[k] = static_cast<float>(uniform() * 2);
      ray.d[k] = static_cast<float>(uniform());
      for (auto& v : tri.v) v[k] = static_cast<float>(uniform());
    }
    ray.tmin = -INFINITY;
    ray.tmax = INFINITY;
    long double e1[3], e2[3], s[3], p[3], q[3];
    for (unsigned k = 0; k < 3; ++k) {
      e1[k] = static_cast<long double>(tri.v[1][k]) - tri.v[0][k];
      e2[k] = static_cast<long double>(tri.v[2][k]) - tri.v[0][k];
      s[k] = static_cast<long double>(ray.o[k]) - tri.v[0][k];
    }
    const auto cross = [](const auto& a, const auto& b, long double* c) {
      for (unsigned k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    };
    const auto dot = [](const auto& a, const auto& b) {
      return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    const long double d[3] = {ray.d[0], ray.d[1], ray.d[2]};
    cross(d, e2, p);
    const long double det = dot(e1, p);
    cross(s, e1, q);
    const long double u = dot(s, p) / det, v = dot(d, q) / det, t = dot(e2, q) / det;
    const long double inside = std::min({u, v, 1 - u - v});
    if (std::fabs(det) < 1e-3L || std::fabs(inside) < 1e-4L) continue;
    ++compared;
    Stickies stickies;
    const TriResult r =
        intersectTriangle(ShearRay(ray), tri, {false, false, lowerBound(ray.tmin, 0)}, stickies);
    ASSERT_EQ(r.hit, inside > 0) << n;
    if (!r.hit) continue;
    ++hits;
    ASSERT_EQ(r.front, det > 0);
    ASSERT_NEAR(r.t, static_cast<double>(t), 1e-3 * (1 + std::fabs(static_cast<double>(t))));
    ASSERT_NEAR(r.u, static_cast<double>(u), 1e-3);
    ASSERT_NEAR(r.v, static_cast<double>(v), 1e-3);
  }
  EXPECT_GT(compared, 150000U);
  EXPECT_GT(hits, 4000U);
}

}  // namespace
}  // namespace rtvp::xphmg
