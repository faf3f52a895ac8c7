// Offload jobs: the worked example byte for byte, rings, fallbacks, options and every error of 3.5
// and 10.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "tests/models/xphmg/job_scene.hpp"
#include "tests/models/xphmg/operands.hpp"

namespace rtvp::xphmg {
namespace {

using test::JobScene;
using S = JobScene;

std::vector<std::uint8_t> bytesOf(JobScene& s, std::uint64_t address, std::size_t n) {
  return {s.at(address), s.at(address) + n};
}
std::vector<std::uint8_t> hex(std::string text) {
  std::erase(text, ' ');
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

TEST(Job, RT026_GoldenBytesOfSection12) {
  JobScene s(Format::Fp16);
  EXPECT_EQ(bytesOf(s, S::kHeap, 16), hex("0000 0000 003c 003c 003c 003c 0040 0000"));
  EXPECT_EQ(bytesOf(s, S::kHeap + 16, 16), hex("0042 0042 003c 0042 0000 0000 0000 0000"));
  EXPECT_EQ(bytesOf(s, S::kHeap + 0x30, 16), hex("04000000 05000000 00000000 0a000000"));
  EXPECT_EQ(bytesOf(s, S::kTris, 16), hex("0000 0000 003c 0000 003c 003c 003c 0000"));
  const JobResult r = s.run();
  EXPECT_EQ(bytesOf(s, S::kDesc, 16), hex("00100080 00000000 00300080 00000000"));
  EXPECT_EQ(bytesOf(s, S::kDesc + 0x30, 24),
            hex("02000000 40000000 00000000 00000000 00010000 00000000"));
  EXPECT_EQ(r.errorCode, 0U);
  EXPECT_EQ(r.stickies, (Stickies{Stickies::kDowncastTaken, 0}));
  EXPECT_EQ(bytesOf(s, S::kRayQueue, 8), hex("04000000 04000000"));
  EXPECT_EQ(bytesOf(s, S::kHitQueue, 8), hex("00000000 03000000"));
  EXPECT_EQ(bytesOf(s, S::kMissQueue, 8), hex("00000000 01000000"));
  EXPECT_EQ(bytesOf(s, S::kHits, 96),
            hex("a000000000000000 00000000 04000000 003c0000 00340000 00340000 03030000"
                "a100000000000000 00000000 04000000 003c0000 00380000 00380000 03030100"
                "a200000000000000 02000000 05000000 00420000 00340000 00340000 03030200"));
  EXPECT_EQ(bytesOf(s, S::kMisses, 16), hex("a300000000000000 03000000 00000000"));
}

TEST(Job, RT029_Fp32VariantOfSection12) {
  JobScene s(Format::Fp32);
  EXPECT_EQ(bytesOf(s, S::kHeap + 0x70, 16), hex("08000000 09000000 00000000 0a000000"));
  const JobResult r = s.run();
  EXPECT_EQ(r.stickies, Stickies{});
  EXPECT_EQ(bytesOf(s, S::kHits, 32),
            hex("a000000000000000 00000000 08000000 0000803f 0000803e 0000803e 03040000"));
  EXPECT_EQ(s.hit(2).leafIndex, 9U);
}

TEST(Job, RT029_SameSceneInEveryFormat) {
  for (const Format format : test::kAllFormats) {
    JobScene s(format);
    // Quarters need a scale in the integers (below), and 2.25 more digits than E5M2 has.
    if (formatInfo(format).integer || format == Format::Fp8E5m2) continue;
    const JobResult r = s.run();
    EXPECT_EQ(r.hits, 3U) << formatInfo(format).name;
    EXPECT_EQ(s.hit(2).primId, 2U);
    EXPECT_EQ(s.hit(2).t, s.word(3));
    EXPECT_EQ(s.hit(0).format, format);
  }
}

TEST(Job, RT029_QuantisedScene) {
  JobScene s(Format::Int8);
  s.state.precision.scaleShift = -2;  // quarters: words are four times the reals
  for (std::uint64_t a : {S::kHeap, S::kTris}) {
    for (unsigned i = 0; i < (a == S::kHeap ? 12U : 27U); ++i) *s.at(a + i) *= 4;
  }
  const double xy[4][2] = {{1, 1}, {2, 2}, {9, 1}, {20, 20}};  // in quarters
  for (unsigned i = 0; i < 4; ++i) {
    const double record[] = {xy[i][0], xy[i][1], 0, 0, 0, 4, 0, 100};
    s.put(S::kRays + std::uint64_t{i} * 64, record, 8);
  }
  const JobResult r = s.run();
  EXPECT_EQ(r.hits, 3U);
  EXPECT_EQ(s.hit(0).t, 4U);
  EXPECT_EQ(s.hit(0).u, 1U);
  EXPECT_EQ(s.hit(2).t, 12U);
}

TEST(Job, RT016_ZeroFieldsUseTheRegisters) {
  JobScene s(Format::Fp16);
  s.desc.bvhBase = s.desc.rayQueue = s.desc.hitQueue = s.desc.missQueue = 0;
  s.state.rtbase = S::kHeap;
  s.state.rtqRay = S::kRayQueue;
  s.state.rtqHit = S::kHitQueue;
  s.state.rtqMiss = S::kMissQueue;
  EXPECT_EQ(s.run().hits, 3U);
  EXPECT_EQ(s.queueAt(S::kMissQueue).tail, 1U);
}

TEST(Job, MissesAreDroppedWithoutAMissRing) {
  JobScene s(Format::Fp16);
  s.desc.missQueue = 0;
  const JobResult r = s.run();
  EXPECT_EQ(r.errorCode, 0U);
  EXPECT_EQ(r.misses, 1U);
  EXPECT_EQ(s.queueAt(S::kRayQueue).head, 4U);
  EXPECT_EQ(s.queueAt(S::kMissQueue).tail, 0U);
}

TEST(Job, RT030_RangeBaseWinsOverTriBuf) {
  JobScene s(Format::Fp16);
  s.range(0, {5, 2, S::kTris - 5U * 18U});
  s.desc.triBuf = 0x1;
  s.range(1, {0, 0, 0});  // an empty leaf is legal
  const JobResult r = s.run();
  EXPECT_EQ(r.errorCode, 0U);
  EXPECT_EQ(r.hits, 2U);
  EXPECT_EQ(s.hit(0).primId, 5U);
}

TEST(Job, RT035_RingsWrapAtTheirCapacity) {
  JobScene s(Format::Fp16);
  // Capacity 5, everything starts at index 3: entries lie at 3, 4, 0, 1.
  const double xy[4][2] = {{.25, .25}, {5, 5}, {2.25, .25}, {.5, .5}};
  for (unsigned i = 0; i < 4; ++i) s.ray((3 + i) % 5, xy[i][0], xy[i][1], 0xB0 + i);
  s.queue(S::kRayQueue, {3, 2, 5, S::kRays});
  s.queue(S::kHitQueue, {3, 3, 5, S::kHits});
  s.queue(S::kMissQueue, {4, 4, 5, S::kMisses});
  const JobResult r = s.run();
  EXPECT_EQ(r.errorCode, 0U);
  EXPECT_EQ(s.queueAt(S::kRayQueue).head, 2U);
  EXPECT_EQ(s.queueAt(S::kHitQueue).tail, 1U);
  EXPECT_EQ(s.queueAt(S::kMissQueue).tail, 0U);
  EXPECT_EQ(s.hit(3).tag, 0xB0U);
  EXPECT_EQ(s.hit(4).tag, 0xB2U);
  EXPECT_EQ(s.hit(4).rayIndex, 0U);
  EXPECT_EQ(s.hit(0).tag, 0xB3U);
}

TEST(Job, RT036_EmptyRingCompletes) {
  JobScene s(Format::Fp16);
  s.queue(S::kRayQueue, {2, 2, 8, S::kRays});
  const JobResult r = s.run();
  EXPECT_EQ(r.errorCode, 0U);
  EXPECT_EQ(r.rays, 0U);
  EXPECT_EQ(s.queueAt(S::kHitQueue).tail, 0U);
}

/// Runs a spoilt job: its error, and nothing but the published entries has changed.
void expectError(JobScene& s, unsigned code, std::uint32_t event_bits, std::uint32_t rays_done,
                 const char* what) {
  encodeDesc(s.desc, s.at(S::kDesc));
  const std::vector<std::uint8_t> before = s.memory.bytes();
  const JobResult r = s.run();
  EXPECT_EQ(r.errorCode, code) << what;
  EXPECT_EQ(r.events, event_bits) << what;
  EXPECT_TRUE(rays_done != 0 || s.memory.bytes() == before) << what;
  EXPECT_TRUE(rays_done == 0 || s.queueAt(S::kRayQueue).head == rays_done) << what;
}

TEST(Job, RT037_RT102_BadRingsAreErrorsAndTouchNothing) {
  const Queue bad[] = {{0, 4, 0, S::kRays},
                       {8, 4, 8, S::kRays},
                       {0, 8, 8, S::kRays},
                       {0, 9, 8, S::kRays},
                       {0xFFFFFFFF, 0xFFFFFFFF, 8, S::kRays}};
  for (const std::uint64_t ring : {S::kRayQueue, S::kHitQueue, S::kMissQueue}) {
    for (const Queue& q : bad) {
      JobScene s(Format::Fp16);
      s.queue(ring, q);
      expectError(s, 1, events::kDmaErr, 0, "ring");
    }
    JobScene s(Format::Fp16);
    (ring == S::kRayQueue   ? s.desc.rayQueue
     : ring == S::kHitQueue ? s.desc.hitQueue
                            : s.desc.missQueue) = 0x1000;
    expectError(s, 1, events::kInvMiss, 0, "unmapped header");
  }
  JobScene s(Format::Fp16);
  s.desc.hitQueue = 0;
  expectError(s, 1, events::kDmaErr, 0, "no hit ring");
  JobScene t(Format::Fp16);
  t.desc.rayQueue += 4;
  expectError(t, 1, events::kDmaErr, 0, "misaligned ring header");
  JobScene u(Format::Fp16);
  u.queue(S::kRayQueue, {0, 4, 8, S::kRays + 1});
  expectError(u, 1, events::kDmaErr, 0, "misaligned rays");
}

TEST(Job, RT037_FullOutputRingStopsAtTheRay) {
  JobScene s(Format::Fp16);
  s.queue(S::kHitQueue, {2, 0, 8, S::kHits});  // room for one
  expectError(s, 1, events::kDmaErr, 1, "hit ring");
  EXPECT_EQ(s.queueAt(S::kHitQueue).tail, 1U);
  JobScene t(Format::Fp16);
  t.queue(S::kMissQueue, {0, 7, 8, S::kMisses});
  expectError(t, 1, events::kDmaErr, 3, "miss ring");
}

TEST(Job, RT026_RT102_BadDescriptors) {
  JobScene s(Format::Fp16);
  s.desc.bvhBase += 32;
  expectError(s, 1, events::kDmaErr, 0, "misaligned bvh_base");
  JobScene t(Format::Fp16);
  EXPECT_EQ(Job(t.state, S::kDesc + 4).run(t.memory).errorCode, 1U);
  EXPECT_EQ(Job(t.state, 0x100).run(t.memory).events, events::kInvMiss);
}

TEST(Job, RT084_UnknownOptionsAreUnsupported) {
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((opts::kKnown >> bit & 1U) != 0) continue;
    JobScene s(Format::Fp16);
    s.desc.opts = 1U << bit;
    expectError(s, 2, 0, 0, "opts");
  }
}

TEST(Job, RT014_OptionsNeedTheirCapability) {
  const std::pair<std::uint32_t, std::uint64_t> needs[] = {{opts::kPackHint, rtcap::kPackHint},
                                                           {opts::kEpsCtl, rtcap::kEpsCtl},
                                                           {opts::kNode8, rtcap::kNode8},
                                                           {0, rtcap::kNode4}};
  for (const auto& [option, capability] : needs) {
    JobScene s(Format::Fp16);
    s.desc.opts = option;
    s.state.rtcap = rtcap::kAll & ~capability;
    expectError(s, 2, 0, 0, "capability");
  }
}

TEST(Job, RT028_ReservedKindIsAJobError) {
  JobScene s(Format::Fp16);
  *s.at(S::kHeap + 60) = 0x3A;
  expectError(s, 2, 0, 0, "kind 11");
}

TEST(Job, RT102_ErrorsInTheMiddleKeepWhatIsPublished) {
  JobScene s(Format::Fp16);
  s.range(1, {2, 1, 0x1000});  // only R2 gets there
  expectError(s, 1, events::kInvMiss, 2, "unmapped triangle");
  EXPECT_EQ(s.queueAt(S::kHitQueue).tail, 2U);
  JobScene t(Format::Fp16);
  t.queue(S::kHitQueue, {0, 0, 8, 0x1000});
  expectError(t, 1, events::kInvMiss, 0, "unmapped hit entry");
}

TEST(Job, OptionsReachTheTraversal) {
  JobScene s(Format::Fp16);
  s.desc.opts = opts::kCullBack;
  EXPECT_EQ(s.run().hits, 3U);  // all are front-facing
  // The last triangle turned over.
  JobScene t(Format::Fp16);
  const double over[] = {2, 0, 3, 3, 0, 3, 2, 1, 3};
  t.put(S::kTris + 36, over, 9);
  EXPECT_EQ(t.run().hits, 3U);
  EXPECT_FALSE(t.hit(2).front);
  JobScene u(Format::Fp16);
  u.put(S::kTris + 36, over, 9);
  u.desc.opts = opts::kCullBack;
  EXPECT_EQ(u.run().hits, 2U);
}

TEST(Job, RT051_EpsilonComesFromTheRegisters) {
  const auto hits = [](std::uint32_t options, unsigned scale, unsigned dflt) {
    JobScene s(Format::Fp32);
    const double record[] = {.25, .25, 0, 0, 0, 1, 1 - 3 * 0x1p-23, 100};
    s.put(S::kRays, record, 8);
    s.queue(S::kRayQueue, {0, 1, 8, S::kRays});
    s.desc.opts = options;
    s.state.rtconf2 = scale;
    s.state.rtcfg = std::uint64_t{dflt} << 8U;
    return s.run().hits;
  };
  EXPECT_EQ(hits(0, 4, 0), 1U);
  EXPECT_EQ(hits(opts::kEpsCtl, 3, 4), 1U);
  EXPECT_EQ(hits(opts::kEpsCtl, 4, 0), 0U);
  EXPECT_EQ(hits(0, 0, 4), 0U);
}

TEST(Job, PackHintRoundsToFp16First) {
  JobScene s(Format::Fp32);
  const double record[] = {0.1, 0.2, 0, 0, 0, 1, 0, 100};
  s.put(S::kRays, record, 8);
  s.desc.opts = opts::kPackHint;
  const JobResult r = s.run();
  EXPECT_EQ(r.stickies, (Stickies{Stickies::kDowncastTaken, Stickies::kInexact}));
  EXPECT_EQ(s.hit(0).u & 0x1FFFU, 0U);  // FP16 digits only, stored as FP32 (D-52)
  EXPECT_EQ(s.hit(0).format, Format::Fp32);
}

TEST(Job, RT100_OffloadEqualsInline) {
  std::mt19937_64 random(100);
  const auto uniform = [&random](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 11U) * 0x1p-53;
  };
  for (const Format format : {Format::Fp32, Format::Fp16, Format::Bf16, Format::Fp8E5m2}) {
    unsigned hits = 0;
    for (int n = 0; n < 300; ++n) {
      JobScene s(format);
      double tri[9];
      for (double& x : tri) x = uniform(-2, 2);
      s.put(S::kTris, tri, 9);
      s.range(0, {0, 1, 0});
      const double everything[] = {-8, -8, -8, 8, 8, 8};
      s.put(S::kHeap, everything, 6);
      *s.at(S::kHeap + tileLayout(s.width).flags) = 0x02;  // child 0 only
      double record[] = {
          uniform(-1, 1), uniform(-1, 1), -4, uniform(-.2, .2), uniform(-.2, .2), 1, 0, 100};
      s.put(S::kRays, record, 8);
      s.queue(S::kRayQueue, {0, 1, 8, S::kRays});
      const JobResult job = s.run();
      InlineState state;
      state.precision = s.state.precision;
      state.rtbase = S::kTris;
      state.rttri = S::kHeap + s.rangeIndex * std::uint64_t{16};
      state.rtnode = S::kHeap;
      ASSERT_TRUE(executeBbox(state, imm::kTClamp, S::kRays, 0, s.memory).hit);
      const InlineResult inl = executeTri(state, 0, S::kRays, 0, s.memory);
      ASSERT_EQ(inl.hit, job.hits == 1);
      ASSERT_EQ(inl.stickies, job.stickies);
      if (!inl.hit) continue;
      ++hits;
      ASSERT_EQ(s.hit(0).t, inl.rd[1]);
      ASSERT_EQ(s.hit(0).u, inl.rd[2]);
      ASSERT_EQ(s.hit(0).v, inl.rd[3]);
      ASSERT_EQ(s.hit(0).front, inl.front);
    }
    EXPECT_GT(hits, 20U);
  }
}

TEST(Job, RT033_RT086_RecordsFollowTheFormat) {
  JobScene s(Format::Fp8E5m2);
  s.run();
  EXPECT_EQ(bytesOf(s, S::kHits + 16, 16), hex("3c000000 34000000 34000000 03090000"));
}

TEST(Layout, RT038_StackEntries) {
  for (const unsigned width : {1U, 2U, 4U}) {
    EXPECT_EQ(stackEntryBytes(width), width == 1 ? 8U : width == 2 ? 8U : 12U);
    const StackEntry entry{0x12345678, ChildKind::Leaf, 0x11, 0x22};
    std::uint8_t bytes[12];
    encodeStackEntry(entry, width, bytes);
    EXPECT_EQ(decodeStackEntry(bytes, width), entry);
    EXPECT_EQ(loadU32(bytes), 0x92345678U);
  }
}

TEST(Layout, EveryRecordSurvivesARoundTrip) {
  std::mt19937_64 random(7);
  for (int n = 0; n < 1000; ++n) {
    std::uint8_t bytes[RtDesc::kBytes];
    RtDesc desc;
    desc.bvhBase = random();
    desc.rayQueue = random();
    desc.missQueue = random();
    desc.opts = static_cast<std::uint32_t>(random());
    desc.memctl.qos = static_cast<std::uint16_t>(random());
    desc.memctl.ldsSoftpin = random();
    desc.memctl.sec = static_cast<std::uint8_t>(random());
    encodeDesc(desc, bytes);
    EXPECT_EQ(decodeDesc(bytes), desc);
    Tile tile;
    for (TileChild& c : tile.child) {
      c.kind = static_cast<ChildKind>(random() % 4);
      c.index = static_cast<std::uint32_t>(random()) & kMaxChild3Index;
      for (auto& w : c.box) w = static_cast<std::uint32_t>(random()) & 0xFFU;
    }
    for (const unsigned width : {1U, 2U, 4U}) {
      std::uint8_t image[128];
      encodeTile(tile, width, tileLayout(width), image);
      EXPECT_EQ(decodeTile(image, width, tileLayout(width)), tile);
    }
  }
}

}  // namespace
}  // namespace rtvp::xphmg
