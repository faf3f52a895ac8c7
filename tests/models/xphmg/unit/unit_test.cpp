// The unit on a bus: jobs, tickets, interrupts, tags, time; the speed settings against each other.
#include <map>

#include "tests/models/xphmg/unit/unit_bench.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::xphmg {
namespace {

using rtvp::test::inChild;
using test::JobScene;
using test::onBench;
using test::RandomScene;
using test::UnitBench;

/// Runs `program` on a fresh unit in a process of its own.
void scenario(const std::function<void(UnitBench&)>& program, const UnitConfig& config = {},
              bool with_monitor = false) {
  inChild([&] { onBench(config, with_monitor, program); });
}

TEST(XphmgUnit, RT026_RT010_RT011_RT012_Section12ThroughTheBus) {
  for (const bool monitor : {false, true}) {
    scenario(
        [](UnitBench& b) {
          JobScene scene(Format::Fp16);
          b.load(scene);
          b.write(Csr::IRQ_EN, irq::kJobEnd);
          EXPECT_EQ(b.submit(JobScene::kDesc), 1U);
          EXPECT_EQ(b.read(Csr::RTSTAT) & 1U, 1U) << "RT-010: BUSY while the job runs";
          EXPECT_TRUE(b.await(1));
          sc_core::wait(sc_core::SC_ZERO_TIME);
          EXPECT_TRUE(b.irq.read());
          b.write(Csr::IRQ_PEND, irq::kJobEnd);
          sc_core::wait(sc_core::SC_ZERO_TIME);
          EXPECT_FALSE(b.irq.read());
          EXPECT_EQ(b.read(Csr::RTSTAT) & 0xFFU, 0U) << "RT-010, RT-011";
          scene.run();  // the engine alone, on its own copy
          EXPECT_TRUE(std::equal(scene.memory.bytes().begin(), scene.memory.bytes().end(),
                                 b.at(JobScene::kBase)));
          EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
          EXPECT_EQ(b.read(Csr::COUNT_RAYS), 4U);
          EXPECT_EQ(b.read(Csr::COUNT_HITS), 3U);
          EXPECT_EQ(b.read(Csr::COUNT_MISSES), 1U);
          EXPECT_EQ(b.read(Csr::PREC_STAT) & 0xF000U, 0x4000U) << "RT-025 DOWNCAST_TAKEN";
          EXPECT_EQ(b.read(Csr::RTSTAT) >> 8U & 0xFFFFFFFU, 4U) << "RT-012: four nodes";
          EXPECT_EQ(b.read(Csr::RTSTAT) >> 36U, b.read(Csr::COUNT_TRIANGLES)) << "RT-012";
        },
        {}, monitor);
  }
}

TEST(XphmgUnit, RT016_RegistersStandInForZeroFields) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp32);
    scene.desc.bvhBase = scene.desc.rayQueue = scene.desc.hitQueue = scene.desc.missQueue = 0;
    b.load(scene);
    b.useFp32();
    b.write(Csr::RTBASE, JobScene::kHeap);
    b.write(Csr::RTQ_RAY, JobScene::kRayQueue);
    b.write(Csr::RTQ_HIT, JobScene::kHitQueue);
    b.write(Csr::RTQ_MISS, JobScene::kMissQueue);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
    EXPECT_EQ(b.queue(JobScene::kMissQueue).tail, 1U);
    EXPECT_EQ(b.lastEc(), 0U);
  });
}

TEST(XphmgUnit, RT056_RT092_LaterWritesDoNotReachAJob) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp32);
    b.load(scene);
    b.write(Csr::PREC_MODE, cap::kModeFp32 & ~cap::kApply);
    EXPECT_EQ(b.read(Csr::PREC_STAT), cap::kStatReset) << "RT-092: staged only";
    b.write(Csr::PREC_MODE, cap::kModeFp32);
    EXPECT_EQ(b.read(Csr::PREC_STAT), 0x4A000000U);
    const std::uint64_t ticket = b.submit(JobScene::kDesc);
    b.write(Csr::PREC_MODE, 0x809A0000);  // FP16 while the job runs
    b.write(Csr::RTCFG, 0xFF00);
    EXPECT_TRUE(b.await(ticket));
    EXPECT_EQ(decodeHit(b.at(JobScene::kHits)).format, Format::Fp32);
    EXPECT_EQ(decodeHit(b.at(JobScene::kHits)).t, 0x3F800000U);
  });
}

TEST(XphmgUnit, RT096_RT097_RT098_JobsCompleteInOrder) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    b.load(scene);
    // Four jobs of one ray each on the same rings: order shows in the hit ring.
    std::vector<std::uint64_t> done;
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint64_t desc = 0x80006000 + 256 * i, ring = desc + 128;
      Queue q;
      q.cap = 8;
      q.head = i;
      q.tail = i + 1;
      q.base = JobScene::kRays;
      encodeQueue(q, b.at(ring));
      scene.desc.rayQueue = ring;
      encodeDesc(scene.desc, b.at(desc));
      EXPECT_EQ(b.submit(desc), i + 1);
    }
    EXPECT_EQ(b.read(Csr::QUEUE), 16U | 4U << 16U);
    EXPECT_TRUE(b.await(4));  // the last alone
    EXPECT_EQ(b.read(Csr::TICKET_DONE), 4U);
    EXPECT_EQ(b.read(Csr::QUEUE), 16U);
    for (std::uint32_t i = 0; i < 3; ++i)
      EXPECT_EQ(loadU64(b.at(JobScene::kHits + kHitEntryBytes * i)), 0xA0U + i);
    EXPECT_EQ(loadU64(b.at(JobScene::kMisses)), 0xA3U);
  });
}

TEST(XphmgUnit, RT096_AThousandTickets) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    b.load(scene);
    const auto ring = [&](std::uint32_t tail) {
      scene.queue(JobScene::kRayQueue, {0, tail, 8, JobScene::kRays});
      b.load(scene);
    };
    ring(0);  // RT-036: an empty ring is a job without output
    std::uint64_t last = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t ticket = b.submit(JobScene::kDesc);
      EXPECT_EQ(ticket, last + 1);
      last = ticket;
    }
    EXPECT_TRUE(b.await(1000));
    EXPECT_EQ(b.lastEc(), 0U);
    EXPECT_EQ(b.read(Csr::COUNT_JOBS), 1000U);
    EXPECT_EQ(b.read(Csr::COUNT_RAYS), 0U);
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 0U);
  });
}

TEST(XphmgUnit, FullQueueHoldsTheDoorbell) {
  UnitConfig config;
  config.queueDepth = 2;
  scenario(
      [](UnitBench& b) {
        RandomScene scene(3);
        b.useFp32();
        scene.load(b);
        b.submit(RandomScene::kDesc);
        JobScene empty(Format::Fp32);
        const auto start = sc_core::sc_time_stamp();
        b.submit(0x80000008);  // a bad job, waits behind the first
        const auto quick = sc_core::sc_time_stamp() - start;
        EXPECT_LT(quick, sc_core::sc_time(50, sc_core::SC_NS));
        EXPECT_EQ(b.read(Csr::QUEUE) >> 16U, 2U);
        EXPECT_EQ(b.read(Csr::TICKET_DONE), 0U);
        const std::uint64_t third = b.submit(0x80000008);
        EXPECT_EQ(third, 3U);
        EXPECT_GE(b.read(Csr::TICKET_DONE), 1U) << "held until the first had ended";
        EXPECT_GT(sc_core::sc_time_stamp() - start, sc_core::sc_time(10, sc_core::SC_US));
        EXPECT_TRUE(b.await(3));
      },
      config);
}

TEST(XphmgUnit, RT070_RT082_EveryAccessCarriesTheJobsTags) {
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        scene.desc.memctl.mclass = 2;
        scene.desc.memctl.dom = domain::kMtx;
        scene.desc.memctl.sec = 1;
        b.load(scene);
        b.write(Csr::XMEM_SPROF1, 0x2070040);
        b.write(Csr::XMEM_CLSMAP, 0x00000F0000FF00FF);
        b.write(Csr::XMEM_COMP_CTL, 0x0321);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        EXPECT_EQ(b.monitor->untagged, 0U);
        std::map<AccessKind, unsigned> kinds;
        for (const test::Seen& s : b.monitor->seen) {
          ++kinds[s.tags.kind];
          EXPECT_EQ(s.tags.ticket, 1U);
          if (s.tags.kind == AccessKind::Descriptor) {
            EXPECT_EQ(s.tags.tags.mclass, 0) << "its policy was not known yet";
            continue;
          }
          EXPECT_EQ(s.tags.tags.mclass, 2);
          EXPECT_EQ(s.tags.tags.dom, domain::kMtx);
          EXPECT_EQ(s.tags.tags.sec, 1);
          EXPECT_EQ(s.tags.tags.sprof, 1);
          EXPECT_EQ(s.tags.tags.prefetchDepth, 7);
          EXPECT_EQ(s.tags.tags.wayMask, 0xFF);
          EXPECT_EQ(s.tags.tags.qos, 0xF);
          EXPECT_EQ(s.tags.tags.compMode, 1);
          EXPECT_EQ(s.tags.tags.compLevel, 2);
          EXPECT_EQ(s.tags.tags.compDictionary, 3);
        }
        EXPECT_EQ(kinds[AccessKind::Descriptor], 1U);
        EXPECT_EQ(kinds[AccessKind::QueueHeader], 3U);
        EXPECT_EQ(kinds[AccessKind::Ray], 4U);
        EXPECT_EQ(kinds[AccessKind::Hit], 3U);
        EXPECT_EQ(kinds[AccessKind::Miss], 1U);
        EXPECT_EQ(kinds[AccessKind::QueueIndex], 8U);
        EXPECT_EQ(kinds[AccessKind::Tile], 1U) << "one line, then LMEM";
        EXPECT_EQ(b.read(Csr::XMEM_EVENTS), event::kCompErr) << "no decompressor";
      },
      {}, true);
}

TEST(XphmgUnit, RT021_RT020_RegisterDefaultsReachTheTags) {
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        scene.desc.memctl = {};
        b.load(scene);
        b.write(Csr::RTSPROF, 3);
        b.write(Csr::RTCLSDEF, 1);
        b.write(Csr::XMEM_DOM, domain::kGfx);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        for (const test::Seen& s : b.monitor->seen) {
          EXPECT_EQ(s.tags.tags.sprof, 3);
          EXPECT_EQ(s.tags.tags.mclass, 1);
          EXPECT_EQ(s.tags.tags.dom, domain::kGfx);
        }
      },
      {}, true);
}

TEST(XphmgUnit, RT094_OverridesLastForTheirJob) {
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        scene.desc.memctl.mclass = 3;
        b.load(scene);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        b.monitor->seen.clear();
        scene.desc.memctl = {};
        b.load(scene);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        for (const test::Seen& s : b.monitor->seen) EXPECT_EQ(s.tags.tags.mclass, 0);
        EXPECT_EQ(b.read(Csr::RTCLSDEF), 0U);
      },
      {}, true);
}

TEST(XphmgUnit, LmemChangesTimesOnly) {
  scenario([](UnitBench& b) {
    RandomScene scene(1);
    b.useFp32();
    scene.load(b);
    EXPECT_TRUE(b.runJob(RandomScene::kDesc));
    EXPECT_GT(b.read(Csr::COUNT_LMEM_HITS), 1000U);
    EXPECT_GT(b.read(Csr::COUNT_HITS), 20U);
    EXPECT_GT(b.read(Csr::COUNT_MISSES), 20U);
    EXPECT_EQ(b.read(Csr::COUNT_RAYS), 400U);
    EXPECT_EQ(b.unit.port().cycles().sum(), b.read(Csr::COUNT_BUSY));
  });
}

/// What a run leaves: memory, times, counts.
struct Trace {
  std::vector<std::uint8_t> memory;
  std::uint64_t picoseconds = 0;
  std::string statistics;
};

std::string text(const common::StatGroup& group) {
  if (group.name() == "host_side") return {};
  std::string out = group.name() + "{";
  for (const common::Figure& f : group.figures()) {
    out += f.name + "=";
    if (const auto* n = std::get_if<std::uint64_t>(&f.value)) out += std::to_string(*n);
    if (const auto* x = std::get_if<double>(&f.value)) out += std::to_string(*x);
    out += ";";
  }
  for (const common::StatGroup& g : group.groups()) out += text(g);
  return out + "}";
}

/// What is said of a ray is the counts' quotient.
void expectRatiosARay(const common::StatGroup& group) {
  std::map<std::string, double> figures;
  for (const common::Figure& f : group.figures()) {
    if (const auto* count = std::get_if<std::uint64_t>(&f.value))
      figures[f.name] = static_cast<double>(*count);
    else if (const auto* ratio = std::get_if<double>(&f.value))
      figures[f.name] = *ratio;
  }
  EXPECT_GT(figures.at("rays"), 1);
  EXPECT_EQ(figures.at("hits") + figures.at("misses"), figures.at("rays"));
  for (const char* const kind : {"nodes", "leaves", "triangles"}) {
    EXPECT_GT(figures.at(kind), 0) << kind;
    EXPECT_DOUBLE_EQ(figures.at(std::string(kind) + "_per_ray"),
                     figures.at(kind) / figures.at("rays"));
  }
}

/// Two jobs over a random scene; the trace goes through a file because each run is a process.
Trace traced(UnitConfig config, bool monitor, unsigned seed) {
  std::FILE* const file = std::tmpfile();
  inChild([&] {
    onBench(config, monitor, [&](UnitBench& b) {
      RandomScene scene(seed);
      b.useFp32();
      scene.load(b);
      EXPECT_TRUE(b.runJob(RandomScene::kDesc));
      scene.load(b, opts::kAnyHit | opts::kCullBack);
      EXPECT_TRUE(b.runJob(RandomScene::kDesc));
      common::StatGroup group;
      b.unit.report(group);
      expectRatiosARay(group);
      const std::string stats = text(group);
      const std::uint64_t time = sc_core::sc_time_stamp().value(), size = stats.size();
      std::fwrite(&time, sizeof time, 1, file);
      std::fwrite(&size, sizeof size, 1, file);
      std::fwrite(stats.data(), 1, size, file);
      std::fwrite(b.memory.bytes().data(), 1, UnitBench::kMemorySize, file);
    });
  });
  std::rewind(file);
  Trace trace;
  std::uint64_t size = 0;
  EXPECT_EQ(std::fread(&trace.picoseconds, sizeof size, 1, file), 1U);
  EXPECT_EQ(std::fread(&size, sizeof size, 1, file), 1U);
  trace.statistics.resize(size);
  EXPECT_EQ(std::fread(trace.statistics.data(), 1, size, file), size);
  trace.memory.resize(UnitBench::kMemorySize);
  EXPECT_EQ(std::fread(trace.memory.data(), 1, trace.memory.size(), file), trace.memory.size());
  std::fclose(file);
  return trace;
}

TEST(XphmgUnit, SpeedSettingsNeverChangeAByte) {
  for (const unsigned lmem : {64U, 1U, 0U}) {
    UnitConfig config;
    config.lmemKib = lmem;
    const Trace fast = traced(config, false, 11 + lmem);
    ASSERT_GT(fast.picoseconds, 0U);
    const auto same = [&](const UnitConfig& other, bool monitor, const char* what) {
      const Trace t = traced(other, monitor, 11 + lmem);
      EXPECT_EQ(t.picoseconds, fast.picoseconds) << what << " LMEM " << lmem;
      EXPECT_EQ(t.statistics, fast.statistics) << what << " LMEM " << lmem;
      EXPECT_TRUE(t.memory == fast.memory) << what << " LMEM " << lmem;
    };
    same(config, true, "monitor");
    UnitConfig other = config;
    other.dmi = false;
    same(other, false, "no DMI");
    other = config;
    other.features.plain = true;
    same(other, false, "plain datapath");
    other = config;
    other.quantum = sc_core::SC_ZERO_TIME;
    same(other, false, "no quantum");
    other.quantum = sc_core::sc_time(1, sc_core::SC_MS);
    same(other, false, "long quantum");
  }
}

TEST(XphmgUnit, CyclesFollowTheKnobs) {
  // One ray that meets one tile, one leaf, two triangles; nothing is in LMEM.
  UnitConfig config;
  config.lmemKib = 0;
  scenario(
      [](UnitBench& b) {
        JobScene scene(Format::Fp16);
        scene.queue(JobScene::kRayQueue, {0, 1, 8, JobScene::kRays});
        scene.desc.memctl.sprofId = 0;
        b.load(scene);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        const UnitTiming t;
        const UnitCycles& c = b.unit.port().cycles();
        EXPECT_EQ(c.descriptor, t.descriptor);
        EXPECT_EQ(c.queue, 3 * t.t3 + t.t3 + 3 * t.t0) << "headers, ray, entry and two indices";
        EXPECT_EQ(c.memory, 4 * t.t3) << "tile, range, two triangles";
        EXPECT_EQ(c.box, t.bboxCycles);
        EXPECT_EQ(c.triangle, t.triCycles);
        EXPECT_EQ(c.lmem, 0U);
      },
      config);
}

TEST(XphmgUnit, RT079_LdsIsOrdinaryMemoryThatAnswersFaster) {
  // The same job with everything in the LDS aperture.
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    b.load(scene);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    const UnitCycles slow = b.unit.port().cycles();
    JobScene near(Format::Fp16);
    const std::uint64_t shift = JobScene::kBase - UnitBench::kLds;
    near.queue(JobScene::kRayQueue, {0, 4, 8, JobScene::kRays - shift});
    near.queue(JobScene::kHitQueue, {0, 0, 8, JobScene::kHits - shift});
    near.queue(JobScene::kMissQueue, {0, 0, 8, JobScene::kMisses - shift});
    for (std::uint64_t* p : {&near.desc.bvhBase, &near.desc.rayQueue, &near.desc.hitQueue,
                             &near.desc.missQueue, &near.desc.triBuf})
      *p -= shift;
    encodeDesc(near.desc, near.at(JobScene::kDesc));
    b.load(UnitBench::kLds, near.memory.bytes());
    EXPECT_TRUE(b.runJob(JobScene::kDesc - shift));
    const UnitCycles& both = b.unit.port().cycles();
    EXPECT_LT(both.memory - slow.memory, slow.memory);
    EXPECT_LT(both.queue - slow.queue, slow.queue);
    EXPECT_TRUE(std::equal(b.at(JobScene::kHits), b.at(JobScene::kHits) + 96,
                           b.at(JobScene::kHits - shift)));
  });
}

TEST(XphmgUnit, PrefetchingProfilesHideRayLatency) {
  std::array<std::uint64_t, 2> cycles{};
  for (const std::uint64_t depth : {0U, 7U}) {
    std::FILE* const file = std::tmpfile();
    inChild([&] {
      onBench({}, false, [&](UnitBench& b) {
        JobScene scene(Format::Fp16);
        b.load(scene);
        b.write(Csr::XMEM_SPROF1, depth << 16U);
        EXPECT_TRUE(b.runJob(JobScene::kDesc));
        std::fprintf(file, "%llu", static_cast<unsigned long long>(b.unit.port().cycles().queue));
      });
    });
    std::rewind(file);
    unsigned long long n = 0;
    ASSERT_EQ(std::fscanf(file, "%llu", &n), 1);
    cycles[depth == 0 ? 0 : 1] = n;
    std::fclose(file);
  }
  EXPECT_EQ(cycles[0] - cycles[1], 4U * (120 - 15));
}

TEST(XphmgUnit, Node8JobsCountNodes) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp16);
    scene.desc.opts = opts::kNode8;
    // The hi tile behind the root is empty: TriRanges move away from there.
    Tile root = decodeTile(scene.at(JobScene::kHeap), 2, tileLayout(2));
    for (unsigned c = 0; c < 2; ++c) root.child[c].index = 16 + c;
    std::fill_n(scene.at(JobScene::kHeap), 0x200, std::uint8_t{0});
    encodeTile(root, 2, tileLayout(2), scene.at(JobScene::kHeap));
    encodeTriRange({0, 2, 0}, scene.at(JobScene::kHeap + 256));
    encodeTriRange({2, 1, 0}, scene.at(JobScene::kHeap + 272));
    b.load(scene);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
    EXPECT_EQ(b.read(Csr::COUNT_TILES), 8U);
    EXPECT_EQ(b.read(Csr::RTSTAT) >> 8U & 0xFFFFFFFU, 4U);
    const UnitTiming t;
    EXPECT_EQ(b.unit.port().cycles().box, 4U * (t.bboxCycles + t.bboxIssue));
  });
}

TEST(XphmgUnit, ObserversSeeEveryAccessAndEveryRay) {
  scenario([](UnitBench& b) {
    RandomScene scene(4);
    b.useFp32();
    scene.load(b);
    std::uint64_t accesses = 0, rays = 0, nodes = 0, triangles = 0, cycles = 0, tags = 0;
    b.unit.setAccessObserver([&](const AccessRecord& a) {
      ++accesses;
      EXPECT_LE(a.start, a.end);
    });
    b.unit.setRayObserver([&](const RayReport& r) {
      ++rays;
      nodes += r.nodes;
      triangles += r.triangles;
      cycles += r.cycles;
      tags += r.tag;
    });
    EXPECT_TRUE(b.runJob(RandomScene::kDesc));
    std::uint64_t expected = 0;
    for (unsigned k = 0; k < kAccessKinds; ++k)
      expected += b.unit.port().totals(static_cast<AccessKind>(k)).accesses;
    EXPECT_EQ(accesses, expected);
    EXPECT_EQ(rays, 400U);
    EXPECT_EQ(tags, 400U * 0x1000U + 399U * 400U / 2);
    EXPECT_EQ(nodes, b.read(Csr::COUNT_TILES)) << "of four boxes";
    EXPECT_EQ(triangles, b.read(Csr::COUNT_TRIANGLES));
    EXPECT_LT(cycles, b.read(Csr::COUNT_BUSY));
  });
}

TEST(XphmgUnit, RT099_ResultsAreInMemoryWhenTheTicketIsDone) {
  UnitConfig config;
  config.quantum = sc_core::sc_time(1, sc_core::SC_MS);
  scenario(
      [](UnitBench& b) {
        RandomScene scene(8);
        b.useFp32();
        scene.load(b);
        const std::uint64_t ticket = b.submit(RandomScene::kDesc);
        while (b.read(Csr::TICKET_DONE) < ticket)
          sc_core::wait(sc_core::sc_time(7, sc_core::SC_NS));
        EXPECT_EQ(b.queue(RandomScene::kRings).head, 400U);
        EXPECT_EQ(b.queue(RandomScene::kRings + 64).tail + b.queue(RandomScene::kRings + 128).tail,
                  400U);
      },
      config);
}

// A consumer that empties the hit ring while the job runs keeps it from filling up.
TEST(XphmgUnit, RT035_ConsumersMayMoveOnDuringAJob) {
  UnitConfig config;
  config.quantum = sc_core::SC_ZERO_TIME;
  scenario(
      [](UnitBench& b) {
        RandomScene scene(6);
        b.useFp32();
        scene.load(b);
        for (const unsigned n : {1U, 2U}) {  // five places each, far fewer than rays
          Queue q;
          q.cap = 6;
          q.base = n == 1 ? RandomScene::kHits : RandomScene::kMisses;
          encodeQueue(q, b.at(RandomScene::kRings + std::uint64_t{64} * n));
        }
        const std::uint64_t ticket = b.submit(RandomScene::kDesc);
        std::uint32_t taken = 0;
        while (b.read(Csr::TICKET_DONE) < ticket) {
          for (const unsigned n : {1U, 2U}) {
            const std::uint64_t at = RandomScene::kRings + std::uint64_t{64} * n;
            Queue q = b.queue(at);
            while (!q.empty()) {
              q.head = q.next(q.head);
              ++taken;
            }
            storeU32(b.at(at), q.head);
          }
          sc_core::wait(sc_core::sc_time(50, sc_core::SC_NS));
        }
        EXPECT_EQ(b.lastEc(), 0U);
        EXPECT_EQ(b.queue(RandomScene::kRings).head, 400U);
        EXPECT_GE(taken, 390U);
      },
      config);
}

// ZMODE is about masked register lanes: a job has none (pbank 0), and its stores never depend on
// it.
TEST(XphmgUnit, RT072_RT073_ZmodeChangesNoStore) {
  for (const std::uint64_t zmode : {0U, 1U}) {
    scenario([&](UnitBench& b) {
      JobScene scene(Format::Fp16);
      b.load(scene);
      b.write(Csr::PREC_MODE, 0x809A0000 | zmode << 11U);
      EXPECT_EQ(b.read(Csr::PREC_STAT) >> 11U & 1U, zmode);
      EXPECT_TRUE(b.runJob(JobScene::kDesc));
      scene.run();
      EXPECT_TRUE(std::equal(scene.memory.bytes().begin(), scene.memory.bytes().end(),
                             b.at(JobScene::kBase)));
    });
  }
}

// Other units read records by their fixed places (7.4), not by our decoder.
TEST(XphmgUnit, RT090_RecordsAreReadableAtFixedOffsets) {
  scenario([](UnitBench& b) {
    JobScene scene(Format::Fp32);
    b.load(scene);
    b.useFp32();
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    const auto u32 = [&](std::uint64_t at) { return loadU32(b.at(at)); };
    const std::uint64_t third = JobScene::kHits + 64;
    EXPECT_EQ(loadU64(b.at(third)), 0xA2U);   // user_tag
    EXPECT_EQ(u32(third + 8), 2U);            // prim_id
    EXPECT_EQ(u32(third + 12), 9U);           // leaf_idx
    EXPECT_EQ(u32(third + 16), 0x40400000U);  // t = 3
    EXPECT_EQ(u32(third + 20), 0x3E800000U);  // u
    EXPECT_EQ(u32(third + 24), 0x3E800000U);  // v
    EXPECT_EQ(u32(third + 28), 0x00020403U);  // ray 2, FP32, front, valid
    EXPECT_EQ(loadU64(b.at(JobScene::kMisses)), 0xA3U);
    EXPECT_EQ(u32(JobScene::kMisses + 8), 3U);  // ray 3
    EXPECT_EQ(u32(JobScene::kMisses + 12), 0U);
  });
}

using Matrix = std::array<float, 16>;  // row-major, as MTX keeps its tiles (section 11)

std::array<float, 3> times(const Matrix& m, const std::array<float, 3>& v, float w) {
  std::array<float, 3> out{};
  for (unsigned r = 0; r < 3; ++r)
    out[r] = m[4 * r] * v[0] + m[4 * r + 1] * v[1] + m[4 * r + 2] * v[2] + m[4 * r + 3] * w;
  return out;
}

// Object ray = inverse(instance) on the origin with w = 1 and on the direction with w = 0, not made
// unit again: t is the world's. The output of the transform goes into the ray record as it is.
TEST(XphmgUnit, RT089_TransformedRaysTraceLikeTransformedTriangles) {
  const Matrix instance{2, 0, 0, 8, 0, 2, 0, 4, 0, 0, 2, -2, 0, 0, 0, 1};
  const Matrix inverse{.5F, 0, 0, -4, 0, .5F, 0, -2, 0, 0, .5F, 1, 0, 0, 0, 1};
  scenario([&](UnitBench& b) {
    b.useFp32();
    const auto word = [](float f) { return std::bit_cast<std::uint32_t>(f); };
    const auto vector = [](const std::uint8_t* p) {
      return std::array<float, 3>{std::bit_cast<float>(loadU32(p)),
                                  std::bit_cast<float>(loadU32(p + 4)),
                                  std::bit_cast<float>(loadU32(p + 8))};
    };
    const auto store = [&](std::uint8_t* p, const std::array<float, 3>& v) {
      for (unsigned k = 0; k < 3; ++k) storeU32(p + 4 * k, word(v[k]));
    };
    JobScene world(Format::Fp32), object(Format::Fp32);
    // World: triangles and boxes moved; rays as section 12's seen from there.
    for (unsigned i = 0; i < 9; ++i) {
      std::uint8_t* const p = world.at(JobScene::kTris + 12 * i);
      store(p, times(instance, vector(p), 1));
    }
    for (unsigned i = 0; i < 4; ++i) {
      std::uint8_t* const p = world.at(JobScene::kHeap + 12 * i);
      store(p, times(instance, vector(p), 1));
    }
    for (unsigned i = 0; i < 4; ++i) {
      std::uint8_t* const w = world.at(JobScene::kRays + 64 * i);
      store(w, times(instance, vector(w), 1));
      store(w + 12, {0, 0, 1});
      std::uint8_t* const o = object.at(JobScene::kRays + 64 * i);
      store(o, times(inverse, vector(w), 1));
      store(o + 12, times(inverse, vector(w + 12), 0));
    }
    b.load(world);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    const std::vector<std::uint8_t> direct(b.at(JobScene::kHits), b.at(JobScene::kHits) + 96);
    b.load(object);
    EXPECT_TRUE(b.runJob(JobScene::kDesc));
    EXPECT_TRUE(std::equal(direct.begin(), direct.end(), b.at(JobScene::kHits)));
    EXPECT_EQ(b.queue(JobScene::kHitQueue).tail, 3U);
    EXPECT_EQ(loadU32(b.at(JobScene::kHits + 16)), word(2)) << "t in the world";
  });
}

}  // namespace
}  // namespace rtvp::xphmg
