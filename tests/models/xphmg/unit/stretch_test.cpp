// Job::stretch() beside next(), ray by ray: memory, times, counts and errors of random jobs, whose
// rings may lie on each other, on their own headers or on the scene, and whose memory others
// change.
#include <gtest/gtest.h>

#include <iostream>

#include "models/xphmg/job.hpp"
#include "tests/models/xphmg/soup.hpp"
#include "tests/models/xphmg/tile_builder.hpp"
#include "tests/models/xphmg/unit/port_bench.hpp"

namespace rtvp::xphmg {
namespace {

using test::Random;
constexpr std::uint64_t kBase = test::kPortBase, kSize = 0x20000;
// The scene is at the begin.
constexpr std::uint64_t kDesc = kBase + 0x10000, kRings = kDesc + 0x100, kFree = kBase + 0x11000;

/// A job and its memory.
struct Case {
  explicit Case(Random& random) : bytes(kSize) {
    constexpr Format kFormats[] = {Format::Fp32, Format::Fp32, Format::Fp16, Format::Bf16};
    state.precision = test::precisionOf(kFormats[random.below(4)]);
    if (random.below(4) == 0) state.precision.rounding = Rounding::Rtz;
    state.precision.ftz = random.below(10) == 0;
    state.precision.sat = random.below(4) == 0;
    const auto triangles = test::soup(state.precision, 60, random);
    const test::TileImage image = test::TileBuilder(state.precision, triangles, 3).build(kBase);
    std::copy(image.bytes.begin(), image.bytes.end(), bytes.begin());
    sceneBytes = image.bytes.size();
    desc.bvhBase = kBase;
    desc.triBuf = image.triangles;
    if (random.below(3) == 0) desc.opts |= opts::kAnyHit;
    if (random.below(4) == 0) desc.opts |= opts::kPackHint;
    rings(random);
    for (unsigned n = 0; n < rayCount; ++n) entry(n, test::aim(state.precision, triangles, random));
    // What next() has to deal with: NaN, reserved children, triangles out of memory.
    for (std::uint64_t n = random.below(3) == 0 ? 4 : 0; n > 0; --n) spoil(random);
  }
  std::uint8_t* at(std::uint64_t address) { return bytes.data() + (address - kBase); }
  /// A place for a ring; now and then one that is another's, or the scene's, or not in memory.
  static std::uint64_t place(std::uint64_t own, Random& random) {
    const std::uint64_t dice = random.below(30);
    if (dice == 0) return kBase + 8 * random.below(0x1000);
    if (dice == 1) return kRings + 8 * random.below(40);
    if (dice == 2) return kFree + 8 * random.below(0x800);
    if (dice == 3) return kBase + kSize - 8 * random.below(40);
    return own;
  }
  void rings(Random& random) {
    rayCount = 1 + static_cast<unsigned>(random.below(60));
    const std::uint32_t turn = static_cast<std::uint32_t>(random.below(8));
    const std::uint32_t cap = 64 + turn;
    ring(0, {turn, (turn + rayCount) % cap, cap, place(kFree, random)});
    const auto output = [&](unsigned n, std::uint64_t own) {
      const std::uint32_t small = static_cast<std::uint32_t>(1 + random.below(40));
      const std::uint32_t room = random.below(3) == 0 ? small : 80;
      const std::uint32_t begin = static_cast<std::uint32_t>(random.below(room));
      ring(n, {begin, begin, room, place(own, random)});
    };
    output(1, kFree + 0x4000);
    output(2, kFree + 0x8000);
    desc.rayQueue = kRings;
    desc.hitQueue = kRings + 0x40;
    desc.missQueue = random.below(4) == 0 ? 0 : kRings + 0x80;
    encodeDesc(desc, at(kDesc));
  }
  void ring(unsigned n, const Queue& queue) {
    queues[n] = queue;
    encodeQueue(queue, at(kRings + std::uint64_t{0x40} * n));
  }
  void entry(unsigned n, const Ray& ray) {
    const Queue& queue = queues[0];
    const std::uint64_t to =
        queue.base + std::uint64_t{(queue.head + n) % queue.cap} * kRayEntryBytes;
    if (to + kRayEntryBytes > kBase + kSize) return;
    const unsigned width = state.precision.elementBytes();
    const float words[] = {ray.o[0], ray.o[1], ray.o[2], ray.d[0],
                           ray.d[1], ray.d[2], ray.tmin, ray.tmax};
    Stickies none;
    for (unsigned k = 0; k < kRayElements; ++k) {
      storeElement(at(to) + std::size_t{k} * width, width,
                   encode(state.precision, state.precision.format, words[k], none));
    }
    storeU64(at(to) + kRayTagOffset, 0x700 + n);
  }
  void spoil(Random& random) {
    const std::uint64_t to = random.below(2) == 0
                                 ? random.below(sceneBytes)
                                 : kFree - kBase + random.below(rayCount * kRayEntryBytes);
    bytes[to] = static_cast<std::uint8_t>(random.word());
  }

  JobState state;
  RtDesc desc;
  Queue queues[3];
  unsigned rayCount = 0;
  std::size_t sceneBytes = 0;
  std::vector<std::uint8_t> bytes;
};

/// One way to run it.
struct Side {
  Side(const Case& given, const UnitPort::Config& config, bool at_once)
      : bytes(given.bytes),
        port(config, test::grantedMemory(bytes)),
        job(given.state, kDesc),
        atOnce(at_once) {
    port.beginJob(1, 0);
    open = job.fetch(port) && job.open(port);
  }
  /// As RtUnit::advance(). False: the job is over.
  bool advance(std::uint64_t limit) {
    do {
      if (atOnce) {
        const Stretch done = job.stretch(port, limit);
        rays += done.rays;
        maxDepth = std::max(maxDepth, done.maxDepth);
        if (done.rays != 0 && port.now() >= limit) return true;
      }
      const std::uint64_t before = job.result().rays;
      const bool more = job.next(port);
      if (job.result().rays != before) maxDepth = std::max(maxDepth, job.lastRay().maxDepth);
      if (!more) return false;
    } while (port.now() < limit);
    return true;
  }
  std::vector<std::uint8_t> bytes;
  UnitPort port;
  Job job;
  bool atOnce, open = false;
  std::uint64_t rays = 0;  ///< of stretches
  std::uint32_t maxDepth = 0;
};

void expectSame(const Side& a, const Side& b) {
  ASSERT_NO_FATAL_FAILURE(test::expectSame(a.port, b.port));
  ASSERT_TRUE(a.bytes == b.bytes);
  ASSERT_EQ(a.maxDepth, b.maxDepth);
  const JobResult &x = a.job.result(), &y = b.job.result();
  ASSERT_EQ(x.errorCode, y.errorCode);
  ASSERT_EQ(x.events, y.events);
  ASSERT_EQ(x.faultAddress, y.faultAddress);
  ASSERT_EQ(x.stickies, y.stickies);
  ASSERT_EQ(x.rays, y.rays);
  ASSERT_EQ(x.hits, y.hits);
  ASSERT_EQ(x.misses, y.misses);
  ASSERT_EQ(x.tiles, y.tiles);
  ASSERT_EQ(x.leaves, y.leaves);
  ASSERT_EQ(x.triangles, y.triangles);
}

/// Between two turns others act: a consumer moves on, somebody writes into scene or rays.
void others(Random& random, Side& a, Side& b) {
  const auto both = [&](std::uint64_t address, std::uint8_t value) {
    for (Side* side : {&a, &b}) side->bytes[address - kBase] = value;
  };
  if (random.below(3) == 0) {
    const std::uint64_t header = kRings + (random.below(2) == 0 ? 0x40 : 0x80);
    const Queue queue = decodeQueue(a.bytes.data() + (header - kBase));
    for (unsigned i = 0; i < 4; ++i)
      both(header + i, static_cast<std::uint8_t>(queue.tail >> 8U * i));
  }
  if (random.below(5) == 0)
    both(kBase + random.below(0x4000), static_cast<std::uint8_t>(random.word()));
  if (random.below(5) == 0)
    both(kFree + random.below(0x1000), static_cast<std::uint8_t>(random.word()));
}

TEST(XphmgStretch, RaysAtOnceEqualRaysOneByOne) {
  Random random(6105);
  std::mt19937_64 configs(6105);
  std::uint64_t rays = 0, atOnce = 0, failed = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    const Case given(random);
    const UnitPort::Config config = test::randomConfig(configs);
    Side fast(given, config, true), slow(given, config, false);
    ASSERT_EQ(fast.open, slow.open) << round;
    ASSERT_NO_FATAL_FAILURE(expectSame(fast, slow)) << round;
    for (bool more = fast.open; more;) {
      const std::uint64_t limit = fast.port.now() + random.below(3000);
      more = fast.advance(limit);
      ASSERT_EQ(slow.advance(limit), more) << round;
      ASSERT_NO_FATAL_FAILURE(expectSame(fast, slow)) << round;
      if (more) others(random, fast, slow);
    }
    rays += fast.job.result().rays;
    atOnce += fast.rays;
    failed += fast.job.result().errorCode != 0 ? 1U : 0U;
  }
  std::cout << rays << " rays, " << atOnce << " at once, " << failed << " jobs failed\n";
  EXPECT_EQ(atOnce != 0, Traversal(TraversalSetup{.precision = {}}).walks());
  if (atOnce != 0) {
    EXPECT_GT(atOnce, rays / 2);
    EXPECT_LT(atOnce, rays);
  }
  EXPECT_GT(failed, 300U);
}

/// None while accesses are observed; rings outside the grant; no walks.
TEST(XphmgStretch, IsNotForEveryJob) {
  Random random(7105);
  UnitPort::Config config;
  config.period = sc_core::sc_time(1, sc_core::SC_NS);
  const auto taken = [&](const Case& given, bool observed) {
    Side side(given, config, true);
    EXPECT_TRUE(side.open);
    if (observed) side.port.setObserver([](const AccessRecord& /*record*/) {});
    return side.job.stretch(side.port, ~std::uint64_t{0}).rays;
  };
  if (!Traversal(TraversalSetup{}).walks()) GTEST_SKIP() << "no walks on this host";
  const auto ordinary = [&](const Case& given) {
    return !given.state.precision.ftz && given.queues[0].base == kFree &&
           given.queues[1].base == kFree + 0x4000 && given.queues[1].cap == 80 &&
           given.queues[2].base == kFree + 0x8000 && given.queues[2].cap == 80;
  };
  Case plain(random);
  while (!ordinary(plain) || taken(plain, false) != plain.rayCount) plain = Case(random);
  EXPECT_EQ(taken(plain, true), 0U);
  Case other = plain;
  other.state.plain = true;
  EXPECT_EQ(taken(other, false), 0U);
  other = plain;
  other.state.triangleFault = true;
  EXPECT_EQ(taken(other, false), 0U);
  for (unsigned n = 0; n < 3; ++n) {
    if (n == 2 && plain.desc.missQueue == 0) continue;
    other = plain;
    Queue queue = plain.queues[n];
    queue.base = kBase + kSize - 64;
    other.ring(n, queue);
    EXPECT_EQ(taken(other, false), 0U) << n;
  }
}

}  // namespace
}  // namespace rtvp::xphmg
