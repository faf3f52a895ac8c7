// RT.BBOX of one lane: section 9.1 of the reference, results of 8.3, errors of 3.5.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/models/xphmg/operands.hpp"

namespace rtvp::xphmg {
namespace {

using test::Bench;
using test::Reals;
const Reals kUnit{0, 0, 1, 1, 1, 1};  // a flat box at z = 1
const Reals kFar{0, 0, 3, 1, 1, 4};
const Reals kAside{2, 2, 1, 3, 3, 2};

TEST(Bbox, RT042_RT043_HitAndMissGolden) {
  Bench b(Format::Fp32);
  b.tile({kAside, kFar, kUnit, {}});
  const InlineResult hit = b.bbox();
  EXPECT_TRUE(hit.hit);
  EXPECT_EQ(hit.registers, 3U);
  EXPECT_EQ(hit.rd[0], 0x1U | 0x6U << 8U | 2U << 16U);
  EXPECT_EQ(hit.rd[1], 0x3F800000U);
  EXPECT_EQ(hit.rd[2], 0x3F800002U);  // the far side's two-ULP pad
  EXPECT_EQ(hit.stickies, Stickies{});
  b.ray({5, 5, 0, 0, 0, 1, 0, 100});
  const InlineResult miss = b.bbox();
  EXPECT_FALSE(miss.hit);
  EXPECT_EQ(miss.rd, (std::array<std::uint64_t, 4>{}));  // D-40
}

TEST(Bbox, RT027_FourthChildAlone) {
  for (const Format format : test::kAllFormats) {
    Bench b(format);
    b.tile({kAside, {}, kAside, kFar});
    const InlineResult r = b.bbox();
    EXPECT_EQ(r.mask, 8U) << formatInfo(format).name;
    EXPECT_EQ(r.child, 3U);
  }
}

TEST(Bbox, RT031_Node8HitsInEveryChildAndNeedsItsCapability) {
  for (unsigned c = 0; c < 8; ++c) {
    Bench b(Format::Fp16);
    std::vector<Reals> boxes(8, kAside);
    boxes[c] = kUnit;
    b.tile(boxes);
    b.state.rtnode |= csr::kNodeNode8;
    EXPECT_EQ(b.bbox().mask, 1U << c);
    EXPECT_EQ(b.bbox().child, c);
    EXPECT_EQ(b.memory.reads[static_cast<unsigned>(AccessKind::Tile)], 4U);
    b.state.rtcap &= ~rtcap::kNode8;
    EXPECT_EQ(b.bbox().status, InlineStatus::Illegal);
    EXPECT_EQ(b.bbox().errorCode, 2U);
  }
}

TEST(Bbox, RT028_ReservedKindTrapsEmptyIsIgnored) {
  Bench b(Format::Fp32);
  b.tile({kUnit, kUnit, {}, kUnit}, ChildKind::Node);
  EXPECT_EQ(b.bbox().mask, 0xBU);
  b.tile({kUnit, kUnit, {}, kUnit}, ChildKind::Reserved);
  EXPECT_EQ(b.bbox().status, InlineStatus::Illegal);
  EXPECT_EQ(b.bbox().errorCode, 2U);
}

TEST(Bbox, EmptySlotIsNotConsumed) {
  Bench b(Format::Fp32);
  b.tile({{}, kUnit, {}, {}});
  b.putWord(Bench::kTile, 0, 0x7F800001);  // signalling NaN in the empty slot
  EXPECT_EQ(b.bbox().stickies, Stickies{});
}

TEST(Bbox, RT044_TClamp) {
  Bench b(Format::Fp32);
  b.tile({{-1, -1, -1, 1, 1, 1}});
  b.ray({0, 0, 0, 0, 0, 1, 0.25, 0.5});
  EXPECT_EQ(b.value(b.bbox(imm::kTClamp).rd[1]), 0.25);
  EXPECT_EQ(b.value(b.bbox(imm::kTClamp).rd[2]), 0.5);
  EXPECT_EQ(b.value(b.bbox().rd[1]), -1.0);
  EXPECT_EQ(b.bbox().rd[2], 0x3F800002U);
  // No axis bounds the ray: the slab interval is everything.
  b.ray({0, 0, 0, 0, 0, 0, 0, 1});
  EXPECT_EQ(b.bbox().rd[1], 0xFF800000U);
  EXPECT_EQ(b.bbox().rd[2], 0x7F800000U);
}

TEST(Bbox, RT045_PredOnlyWritesNothingAndKeepsStickies) {
  Bench b(Format::Fp16);
  b.tile({kUnit});
  EXPECT_EQ(b.bbox(imm::kPredOnly).registers, 0U);
  EXPECT_TRUE(b.bbox(imm::kPredOnly).hit);
  EXPECT_EQ(b.bbox(imm::kPredOnly).stickies, b.bbox().stickies);
}

TEST(Bbox, RT046_RT008_PackedResult) {
  Bench b(Format::Fp16);
  b.tile({kAside, kUnit});
  const InlineResult r = b.bbox(imm::kPackHint);
  EXPECT_EQ(r.registers, 1U);
  EXPECT_EQ(r.rd[0], 0x000101023C003C00U);
  b.state.rtcfg = csr::kCfgPackHint;
  EXPECT_EQ(b.bbox().rd[0], r.rd[0]);
  b.state.rtcap &= ~rtcap::kPackHint;  // the default is then RAZ, the hint a trap
  EXPECT_EQ(b.bbox().registers, 3U);
  EXPECT_EQ(b.bbox(imm::kPackHint).errorCode, 2U);
}

TEST(Bbox, RT046_PackingFp32RoundsToFp16) {
  Bench b(Format::Fp32);
  b.tile({kUnit});
  const InlineResult r = b.bbox(imm::kPackHint);
  EXPECT_EQ(r.rd[0], 0x000100013C003C00U);
  EXPECT_EQ(r.stickies.stat, Stickies::kDowncastTaken);
  EXPECT_EQ(r.stickies.exc, Stickies::kInexact);
}

TEST(Bbox, RT047_WGuard) {
  Bench b(Format::Fp32);
  b.tile({kUnit});
  for (const double w : {0.0, -0.0, 1.0}) {
    b.ray({0.25, 0.25, 0, 0, 0, 1, 0, 100, w});
    EXPECT_EQ(b.bbox(imm::kWGuard).hit, w != 0);
    EXPECT_TRUE(b.bbox().hit);
  }
  b.putWord(Bench::kRay, 8, 1);  // the least subnormal: zero only when flushed (D-50)
  EXPECT_TRUE(b.bbox(imm::kWGuard).hit);
  b.state.precision.ftz = true;
  EXPECT_FALSE(b.bbox(imm::kWGuard).hit);
  EXPECT_EQ(b.bbox(imm::kWGuard).stickies.stat, Stickies::kFtzHit);
}

TEST(Bbox, RT032_OnlyEightFieldsAreInterpreted) {
  Bench b(Format::Fp16);
  b.tile({kUnit});
  const auto before = b.bbox().rd;
  b.putWord(Bench::kRay, 8, 0x7C01);
  EXPECT_EQ(b.bbox().rd, before);
  EXPECT_EQ(b.bbox().stickies.exc, 0x01U);
}

TEST(Bbox, RT034_MisalignedRecord) {
  for (const Format format : test::kAllFormats) {
    Bench b(format);
    b.tile({kUnit});
    const InlineResult r = executeBbox(b.state, 0, Bench::kRay + 1, 0, b.memory);
    EXPECT_EQ(r.status, b.width() == 1 ? InlineStatus::Done : InlineStatus::Misaligned);
    EXPECT_EQ(r.address, b.width() > 1 ? Bench::kRay + 1 : 0);
  }
}

TEST(Bbox, RT041_ReservedImmediateBits) {
  Bench b(Format::Fp16);
  b.tile({kUnit});
  for (unsigned bit = 4; bit < 12; ++bit) {
    EXPECT_EQ(b.bbox(1U << bit).status, InlineStatus::Illegal);
    EXPECT_EQ(b.bbox(1U << bit).errorCode, 1U);
    EXPECT_EQ(b.memory.reads[static_cast<unsigned>(AccessKind::Ray)], 0U);
  }
}

TEST(Bbox, RT014_Node4Capability) {
  Bench b(Format::Fp16);
  b.state.rtcap = 0;
  EXPECT_EQ(b.bbox().errorCode, 2U);
}

TEST(Bbox, SelectsOneChildAndReadsLaneTables) {
  Bench b(Format::Fp32);
  b.tile({kFar, kUnit, kFar, kFar});
  b.state.rtnode |= csr::kNodeSelEn | 2U << 2U;
  EXPECT_EQ(b.bbox().mask, 4U);
  EXPECT_EQ(b.value(b.bbox().rd[1]), 3.0);
  // Entry 5 of a table selects child 1; bit 5 of an entry has no effect.
  storeU64(b.at(Bench::kTable) + 40, Bench::kTile | csr::kNodeLaneTable | csr::kNodeSelEn | 4U);
  b.state.rtnode = Bench::kTable | csr::kNodeLaneTable;
  EXPECT_EQ(b.bbox(0, 5).mask, 2U);
  EXPECT_EQ(b.memory.reads[static_cast<unsigned>(AccessKind::LaneTable)], 1U);
  b.state.rtnode = 0x7FFFFFC0 | csr::kNodeLaneTable;
  EXPECT_EQ(b.bbox(0, 5).status, InlineStatus::Bus);
  EXPECT_EQ(b.bbox(0, 5).address, 0x7FFFFFC0U + 40U);
}

TEST(Bbox, NearestOfEqualDistancesIsTheLowestChild) {
  Bench b(Format::Fp32);
  b.tile({kAside, kUnit, kUnit, kUnit});
  EXPECT_EQ(b.bbox().child, 1U);
}

TEST(Bbox, ZeroDirectionsAndFaces) {
  Bench b(Format::Fp32);
  b.tile({kUnit});
  for (const double d : {0.0, -0.0}) {
    b.ray({1, 0, 0, d, d, 1, 0, 100});  // on a face and on an edge: inside
    EXPECT_TRUE(b.bbox().hit);
    b.ray({1.0000001, 0, 0, d, d, 1, 0, 100});
    EXPECT_FALSE(b.bbox().hit);
    EXPECT_EQ(b.bbox().stickies, Stickies{});
  }
}

TEST(Bbox, IntervalsAndInvertedBoxes) {
  Bench b(Format::Fp32);
  b.tile({kUnit});
  b.ray({0.25, 0.25, 0, 0, 0, 1, 2, 1});
  EXPECT_FALSE(b.bbox().hit);
  b.ray({0.25, 0.25, 0, 0, 0, 1, 1, 1});
  EXPECT_TRUE(b.bbox().hit);
  b.tile({{0, 0, 2, 1, 1, 1}, {1, 0, 1, 0, 1, 2}});
  b.ray({0.25, 0.25, 0, 0, 0, 1, 0, 100});
  EXPECT_FALSE(b.bbox().hit);
}

TEST(Bbox, InfinitePlanesAndOrigins) {
  const double inf = INFINITY;
  Bench b(Format::Fp32);
  b.tile({{-inf, -inf, 1, inf, inf, 2}});
  EXPECT_TRUE(b.bbox().hit);
  EXPECT_EQ(b.bbox().stickies, Stickies{});
  b.ray({inf, 0, 0, 1, 0, 1, 0, 100});
  EXPECT_FALSE(b.bbox().hit);  // inf - inf
  EXPECT_EQ(b.bbox().stickies.exc, Stickies::kInvalid);
  b.ray({inf, 0, 0, 0, 0, 1, 0, 100});
  EXPECT_TRUE(b.bbox().hit);  // no direction on that axis: compared, never subtracted
  EXPECT_EQ(b.bbox().stickies, Stickies{});
}

TEST(Bbox, RT087_NanOperands) {
  Bench b(Format::Fp32);
  b.tile({kUnit, kAside});
  b.putWord(Bench::kTile, 0, 0x7FC00001);
  InlineResult r = b.bbox();
  EXPECT_FALSE(r.hit);
  EXPECT_EQ(r.stickies.exc, Stickies::kQnanSeen);
  EXPECT_EQ(r.rd[0], 0U);
  EXPECT_EQ(r.rd[1], 0x7FC00000U);
  b.state.precision.nanPolicy = NanPolicy::Zero;
  EXPECT_EQ(b.bbox().rd[1], 0U);
  b.state.precision.nanPolicy = NanPolicy::Infinity;
  EXPECT_EQ(b.bbox().rd[2], 0x7F800000U);
  b.tile({kUnit, kUnit});
  b.putWord(Bench::kTile, 0, 0x7F800001);
  r = b.bbox();  // the other child hits: its values, and the flags of both
  EXPECT_EQ(r.mask, 2U);
  EXPECT_EQ(r.rd[1], 0x3F800000U);
  EXPECT_EQ(r.stickies.exc, Stickies::kSnanSeen | Stickies::kInvalid);
  b.putWord(Bench::kRay, 6, 0x7FC00000);
  EXPECT_EQ(b.bbox().stickies.exc, Stickies::kQnanSeen);  // the box's sNaN is not consumed (D-50)
}

TEST(Bbox, RT085_RT062_DistancesLeaveInTheFormat) {
  for (const Format format : test::kAllFormats) {
    Bench b(format);
    b.tile({kFar});
    const InlineResult r = b.bbox();
    ASSERT_TRUE(r.hit);
    EXPECT_EQ(b.value(r.rd[1]), 3.0) << formatInfo(format).name;
    // Only FP32 shows the far side's pad of two ULP.
    EXPECT_EQ(b.value(r.rd[2]), format == Format::Fp32 ? 0x1.000004p2 : 4.0);
    EXPECT_EQ((r.stickies.stat & Stickies::kDowncastTaken) != 0, b.width() < 4);
    EXPECT_EQ(r.rd[1] >> 8U * b.width(), 0U);  // zero-extended
  }
}

TEST(Bbox, RT052_NarrowInputsAreComputedInFp32) {
  Bench b(Format::Fp16);
  // 1/d = 1/3 in FP16 would put the box's near side at 2.9985 and not at 3.
  b.tile({{-1, -1, 9, 1, 1, 10}});
  b.ray({0, 0, 0, 0, 0, 3, 3, 3});
  EXPECT_TRUE(b.bbox().hit);
  b.ray({0, 0, 0, 0, 0, 3, 0, 2.998});
  EXPECT_FALSE(b.bbox().hit);
}

TEST(Bbox, RT018_RT022_RT055_RtRegistersDoNotChangeResults) {
  Bench b(Format::Fp16);
  b.tile({kUnit, kFar, kAside, {}});
  const InlineResult before = b.bbox();
  for (unsigned hint = 0; hint < 4; ++hint) {
    b.state.rtconf2 = hint << 8U | 0x55U;
    b.state.rtcfg = 0xFF03;
    b.state.rtbase = 0x1234;
    EXPECT_EQ(b.bbox().rd, before.rd);
    EXPECT_EQ(b.bbox().stickies, before.stickies);
  }
}

TEST(Bbox, Literal88TilesHaveThreeChildren) {
  Bench b(Format::Fp32);
  b.state.literal88 = true;
  b.tile({kAside, kAside, kUnit, kUnit});
  EXPECT_EQ(b.bbox().mask, 4U);
}

TEST(Bbox, MemoryErrorsAreLocated) {
  Bench b(Format::Fp32);
  b.state.rtnode = 0x700000;
  EXPECT_EQ(b.bbox().status, InlineStatus::Bus);
  EXPECT_EQ(b.bbox().address, 0x700000U);
  EXPECT_EQ(executeBbox(b.state, 0, 0x600000, 0, b.memory).address, 0x600000U);
}

}  // namespace
}  // namespace rtvp::xphmg
