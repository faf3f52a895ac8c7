// Walks (models/xphmg/walk) against the plain steps, for every instruction set of this host:
// results, counts, flags, errors and each access in its order, on scenes and on memory full of
// garbage.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "models/xphmg/traversal.hpp"
#include "tests/models/xphmg/soup.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::xphmg {
namespace {

using test::BlockMemory;
using test::Random;
using test::RecordingPort;
constexpr std::uint64_t kHeap = 0x80000000;

/// Offers its memory, or a part of it, as a window.
class WindowPort {
 public:
  WindowPort(BlockMemory& memory, std::uint64_t first, std::uint64_t size)
      : memory_(memory),
        port_(memory),
        window_{memory.bytes().data() + first, kHeap + first, size} {}
  const std::uint8_t* read(AccessKind kind, std::uint64_t address, unsigned size) {
    return port_.read(kind, address, size);
  }
  [[nodiscard]] Window window(std::uint64_t /*address*/) const { return window_; }
  void charge(std::span<const Visit> visits, const TraversalResult& counts) {
    ++walks;
    std::array<std::uint32_t, 3> seen{};
    for (const Visit& visit : visits) {
      const unsigned size = visit.bytes / visit.count;
      for (std::uint32_t at = 0; at < visit.bytes; at += size)
        port_.read(visit.kind, visit.address + at, size);
      seen[static_cast<std::size_t>(visit.kind)] += visit.count;
    }
    EXPECT_EQ(seen, (std::array{counts.tiles, counts.leaves, counts.triangles}));
  }
  [[nodiscard]] std::uint64_t hash() const { return port_.hash; }
  std::uint64_t walks = 0;

 private:
  BlockMemory& memory_;
  RecordingPort port_;
  Window window_;
};
static_assert(WindowedPort<WindowPort>);
static_assert(!WindowedPort<RecordingPort>);

std::vector<common::Isa> walkingIsas() {
  std::vector<common::Isa> isas;
  for (const common::Isa isa : common::kIsas) {
    if (common::isaUsable(isa) && walk::kernels(isa).walk[0][0] != nullptr) isas.push_back(isa);
  }
  return isas;
}

/// One instruction set beside the plain path, ray by ray.
class Pair {
 public:
  Pair(TraversalSetup setup, common::Isa isa, BlockMemory& memory, std::uint64_t first,
       std::uint64_t size)
      : port_(memory, first, size), plainPort_(memory), walking_(with(setup, isa)), plain_([&] {
          setup.plain = true;
          return setup;
        }()) {}

  /// False: they differ; the failure has been told.
  bool same(const Ray& ray) {
    compare(walking_.trace(ray, port_), plain_.trace(ray, static_cast<MemoryPort&>(plainPort_)));
    return !testing::Test::HasFatalFailure();
  }
  [[nodiscard]] std::uint64_t walks() const { return port_.walks; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }

 private:
  static TraversalSetup with(TraversalSetup setup, common::Isa isa) {
    setup.isa = isa;
    return setup;
  }
  void compare(const TraversalResult& a, const TraversalResult& b) {
    ASSERT_EQ(a.hit, b.hit);
    ASSERT_EQ(a.front, b.front);
    ASSERT_EQ(a.primId, b.primId);
    ASSERT_EQ(a.leafIndex, b.leafIndex);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.t), std::bit_cast<std::uint64_t>(b.t));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.u), std::bit_cast<std::uint64_t>(b.u));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a.v), std::bit_cast<std::uint64_t>(b.v));
    ASSERT_EQ(a.nanConsumed, b.nanConsumed);
    ASSERT_EQ(a.error, b.error);
    ASSERT_EQ(a.faultAddress, b.faultAddress);
    ASSERT_EQ(a.tiles, b.tiles);
    ASSERT_EQ(a.leaves, b.leaves);
    ASSERT_EQ(a.triangles, b.triangles);
    ASSERT_EQ(a.maxDepth, b.maxDepth);
    ASSERT_EQ(walking_.stickies(), plain_.stickies());
    ASSERT_EQ(port_.hash(), plainPort_.hash);
    hits_ += b.hit ? 1U : 0U;
  }

  WindowPort port_;
  RecordingPort plainPort_;
  Traversal walking_, plain_;
  std::uint64_t hits_ = 0;
};

/// Values that a test of boxes and triangles might treat amiss.
std::uint32_t special(Format format, Random& random) {
  constexpr std::uint32_t k32[] = {0x7FC00000, 0x7F800001, 0x7F800000, 0xFF800000, 0x00000001,
                                   0x80000001, 0x00000000, 0x80000000, 0x7F7FFFFF, 0xFF7FFFFF};
  constexpr std::uint32_t k16[] = {0x7E00, 0x7C01, 0x7C00, 0xFC00, 0x0001,
                                   0x8001, 0x0000, 0x8000, 0x7BFF, 0xFBFF};
  constexpr std::uint32_t kBf16[] = {0x7FC0, 0x7F81, 0x7F80, 0xFF80, 0x0001,
                                     0x8001, 0x0000, 0x8000, 0x7F7F, 0xFF7F};
  const std::uint64_t n = random.below(std::size(k32));
  return format == Format::Fp32 ? k32[n] : format == Format::Fp16 ? k16[n] : kBf16[n];
}

void spoil(Ray& ray, Random& random) {
  constexpr float kValues[] = {0.0F,       -0.0F,     INFINITY,        -INFINITY,        0x1p-149F,
                               -0x1p-149F, 0x1p-126F, 0x1.fffffep127F, -0x1.fffffep127F, 0x1p127F};
  const float value = kValues[random.below(std::size(kValues))];
  switch (random.below(8)) {
    case 0:
      ray.tmin = value;
      break;
    case 1:
      ray.tmax = value;
      break;
    case 2:
    case 3:
      ray.o[random.below(3)] = value;
      break;
    case 4:
      ray.nan = true;
      ray.o[random.below(3)] = NAN;
      break;
    case 5:
      ray.zeroW = true;
      break;
    default:
      ray.d[random.below(3)] = value;
  }
}

TraversalSetup randomSetup(Format format, Random& random) {
  TraversalSetup setup;
  setup.precision = test::precisionOf(format);
  setup.heap = kHeap;
  setup.anyHit = random.below(4) == 0;
  setup.cullBack = random.below(3) == 0;
  setup.edgeInclusive = random.below(4) == 0;
  setup.epsilon = random.below(4) == 0 ? 200 : 0;
  setup.precision.ftz = random.below(12) == 0;
  return setup;
}

class Walks : public testing::TestWithParam<common::Isa> {};

TEST_P(Walks, RT105_ScenesEqualPlainSteps) {
  Random random(3105);
  std::uint64_t walks = 0, hits = 0, rays = 0;
  for (unsigned scene = 0; scene < 90; ++scene) {
    const Format format = scene % 3 == 0   ? Format::Fp32
                          : scene % 3 == 1 ? Format::Fp16
                                           : Format::Bf16;
    TraversalSetup setup = randomSetup(format, random);
    const auto triangles = test::soup(setup.precision, 120, random);
    test::TileImage image =
        test::TileBuilder(setup.precision, triangles, 1 + scene % 7).build(kHeap);
    setup.triBase = image.triangles;
    const unsigned width = setup.precision.elementBytes();
    for (int n = 0; scene % 2 == 1 && n < 6; ++n) {
      storeElement(image.bytes.data() + random.below(image.tiles) * tileLayout(width).stride +
                       random.below(24) * width,
                   width, special(format, random));
      storeElement(image.bytes.data() + (image.triangles - image.heap) +
                       random.below(image.order.size() * 9) * width,
                   width, special(format, random));
    }
    BlockMemory memory(kHeap, image.bytes);
    Pair pair(setup, GetParam(), memory, 0, image.bytes.size());
    for (int n = 0; n < 1500; ++n) {
      Ray ray = test::aim(setup.precision, triangles, random);
      if (random.below(12) == 0) spoil(ray, random);
      ASSERT_TRUE(pair.same(ray)) << "scene " << scene << " ray " << n;
      ++rays;
    }
    walks += pair.walks();
    hits += pair.hits();
  }
  std::cout << rays << " rays, " << walks << " walks, " << hits << " hits\n";
  EXPECT_GT(walks, rays / 3);
  EXPECT_LT(walks, rays);
  EXPECT_GT(hits, rays / 4);
}

/// Tiles that are no tree: every child lies behind its parent, so that a ray ends, but may be
/// reached by many ways.
struct Garbage {
  static constexpr unsigned kTiles = 14, kRanges = 12, kTriangles = 40;
  static constexpr std::uint32_t kRangesAt = 0x1000, kTrianglesAt = 0x2000;

  Garbage(const TraversalSetup& setup, Random& random)
      : precision(setup.precision), width(setup.precision.elementBytes()), bytes(0x3000) {
    tiles(setup.node8, random);
    ranges(random);
    for (unsigned i = 0; i < kTriangles * kTriangleElements; ++i) {
      storeElement(
          bytes.data() + kTrianglesAt + std::size_t{i} * width, width,
          random.below(200) == 0 ? special(precision.format, random) : word(corner(i, random)));
    }
  }
  [[nodiscard]] std::uint32_t word(double x) const {
    Stickies ignored;
    return encode(precision, precision.format, x, ignored);
  }
  /// Large triangles on a coarse grid: edges and corners are met, some triangles are degenerate.
  [[nodiscard]] static double corner(unsigned i, Random& random) {
    return i % 3 == 2
               ? random.uniform(0, 4)
               : static_cast<double>(random.below(9)) - 4 + (random.below(4) == 0 ? 0.25 : 0);
  }
  void tiles(bool node8, Random& random) {
    const TileLayout layout = tileLayout(width);
    const unsigned count = node8 ? 2 * kTiles : kTiles;
    for (unsigned n = 0; n < count; ++n) {
      const unsigned node = node8 ? n / 2 : n;
      Tile tile;
      for (TileChild& child : tile.child) {
        const std::uint64_t dice = random.below(100);
        if (dice < 20) continue;
        child.kind = dice < 60 && node + 1 < kTiles ? ChildKind::Node : ChildKind::Leaf;
        if (random.below(3000) == 0) child.kind = ChildKind::Reserved;
        child.index =
            child.kind == ChildKind::Leaf
                ? static_cast<std::uint32_t>(kRangesAt / kTriRangeBytes + random.below(kRanges))
                : static_cast<std::uint32_t>(node + 1 + random.below(kTiles - node));
        for (unsigned k = 0; k < 3; ++k) {
          // Few different distances: ties. Some boxes are flat.
          const double low = static_cast<double>(random.below(5)) - 4;
          child.box[k] = word(low);
          child.box[k + 3] = word(low + static_cast<double>(random.below(7)));
        }
        if (random.below(150) == 0) child.box[random.below(6)] = special(precision.format, random);
        if (random.below(300) == 0) std::swap(child.box[0], child.box[3]);
      }
      encodeTile(tile, width, layout, bytes.data() + std::size_t{n} * layout.stride);
      // What lies in the boxes of empty children is nobody's business.
      for (unsigned c = 0; c < kTileChildren; ++c) {
        if (tile.child[c].kind != ChildKind::Empty || random.below(3) != 0) continue;
        storeElement(bytes.data() + std::size_t{n} * layout.stride + std::size_t{6} * c * width,
                     width, special(precision.format, random));
      }
    }
  }
  void ranges(Random& random) {
    for (unsigned n = 0; n < kRanges; ++n) {
      TriRange range{static_cast<std::uint32_t>(random.below(kTriangles - 8)),
                     static_cast<std::uint32_t>(random.below(8)), 0};
      const std::uint64_t dice = random.below(200);
      if (dice < 20) range.base = kHeap + kTrianglesAt + 4;
      if (dice == 21) range.count = 0xFFFFFFFF;
      if (dice == 22) range.first = 0xFFFFFFF0;
      if (dice == 23) range.base = 0x10;
      encodeTriRange(range, bytes.data() + kRangesAt + std::size_t{n} * kTriRangeBytes);
    }
  }

  Precision precision;
  unsigned width;
  std::vector<std::uint8_t> bytes;
};

Ray throughGarbage(Random& random) {
  Ray ray;
  for (unsigned k = 0; k < 3; ++k) {
    const bool grid = random.below(3) == 0;
    ray.o[k] =
        static_cast<float>(grid ? static_cast<double>(random.below(9)) - 4 : random.uniform(-6, 6));
    const double target =
        random.below(3) == 0 ? static_cast<double>(random.below(5)) - 2 : random.uniform(-2, 2);
    ray.d[k] = static_cast<float>(target - static_cast<double>(ray.o[k]));
  }
  ray.tmin = random.below(4) == 0 ? -INFINITY : 0.0F;
  ray.tmax = random.below(4) == 0 ? static_cast<float>(random.uniform(0, 3)) : INFINITY;
  if (random.below(40) == 0) spoil(ray, random);
  return ray;
}

TEST_P(Walks, RT105_GarbageEqualsPlainSteps) {
  Random random(4105);
  std::uint64_t walks = 0, hits = 0, rays = 0;
  for (unsigned scene = 0; scene < 1200; ++scene) {
    const Format format = scene % 3 == 0   ? Format::Fp32
                          : scene % 3 == 1 ? Format::Fp16
                                           : Format::Bf16;
    TraversalSetup setup = randomSetup(format, random);
    setup.node8 = scene % 2 == 1;
    setup.triBase = kHeap + Garbage::kTrianglesAt;
    const Garbage garbage(setup, random);
    BlockMemory memory(kHeap, garbage.bytes);
    // Now and then a part of what there is: the rest declines and is read one by one.
    const std::uint64_t first = random.below(8) == 0 ? 64 * random.below(4) : 0;
    const std::uint64_t size = (random.below(8) == 0 ? 0x2180 : garbage.bytes.size()) - first;
    Pair pair(setup, GetParam(), memory, first, size);
    for (int n = 0; n < 60; ++n) {
      ASSERT_TRUE(pair.same(throughGarbage(random))) << "scene " << scene << " ray " << n;
      ++rays;
    }
    walks += pair.walks();
    hits += pair.hits();
  }
  std::cout << rays << " rays, " << walks << " walks, " << hits << " hits\n";
  EXPECT_GT(walks, rays / 4);
  EXPECT_LT(walks, rays);
  EXPECT_GT(hits, rays / 10);
}

/// One tile whose first children are all alike, and a range.
struct Simple {
  Simple() : memory(kHeap, std::vector<std::uint8_t>(0x40000)) {
    setup.precision = test::precisionOf(Format::Fp32);
    setup.heap = kHeap;
    setup.triBase = kHeap + 0x800;
    ray.d = {0.25F, 0.5F, 1};
    ray.tmax = 100;
  }
  void children(unsigned count, ChildKind kind, std::uint32_t index) {
    Tile tile;
    for (unsigned c = 0; c < count; ++c) {
      tile.child[c] = {kind, index, {}};
      for (unsigned k = 0; k < 6; ++k)
        tile.child[c].box[k] = std::bit_cast<std::uint32_t>(k < 3 ? -1.0F : 1.0F);
    }
    encodeTile(tile, 4, tileLayout(4), memory.bytes().data());
  }
  void range(std::uint32_t count) {
    encodeTriRange({0, count, 0}, memory.bytes().data() + std::size_t{kRange} * kTriRangeBytes);
  }
  /// Of the one ray; whether walked or not, it ends as on the plain path.
  std::uint64_t walks(common::Isa isa) { return walks(isa, setup); }
  std::uint64_t walks(common::Isa isa, const TraversalSetup& other) {
    Pair pair(other, isa, memory, 0, memory.bytes().size());
    EXPECT_TRUE(pair.same(ray));
    return pair.walks();
  }
  static constexpr std::uint32_t kRange = 0x10;
  TraversalSetup setup;
  BlockMemory memory;
  Ray ray;
};

TEST_P(Walks, DeclineWhatTheyCannotPromise) {
  Simple s;
  s.children(1, ChildKind::Leaf, Simple::kRange);
  s.range(3);
  EXPECT_EQ(s.walks(GetParam()), 1U);
  s.range(walk::kMostTriangles + 1);
  EXPECT_EQ(s.walks(GetParam()), 0U);
  s.range(0xFFFF);  // beyond the end of the memory
  EXPECT_EQ(s.walks(GetParam()), 0U);
  s.range(3);
  s.children(1, ChildKind::Reserved, 0);
  EXPECT_EQ(s.walks(GetParam()), 0U);
  s.children(4, ChildKind::Node, 0);  // deeper than the stack
  EXPECT_EQ(s.walks(GetParam()), 0U);
}

TEST_P(Walks, AreNotForEverySetup) {
  Simple s;
  s.children(1, ChildKind::Leaf, Simple::kRange);
  s.range(3);
  for (const auto change :
       {+[](TraversalSetup& t) { t.plain = true; }, +[](TraversalSetup& t) { t.literal88 = true; },
        +[](TraversalSetup& t) { t.triangleFault = true; },
        +[](TraversalSetup& t) { t.precision.ftz = true; },
        +[](TraversalSetup& t) { t.precision.format = Format::Int32; }}) {
    TraversalSetup other = s.setup;
    change(other);
    EXPECT_EQ(s.walks(GetParam(), other), 0U);
  }
  EXPECT_EQ(s.walks(GetParam()), 1U);
}

// ---- just inside each limit, and just beyond it

/// Triangles and boxes where a test wants them; the window may be less than the memory.
struct Placed : Simple {
  /// A child of tile `tile` whose box reaches from z = `near` to `far`, wide in x and y.
  void child(std::uint32_t tile, unsigned c, ChildKind kind, std::uint32_t index, float near,
             float far) {
    tiles.resize(std::max<std::size_t>(tiles.size(), tile + 1));
    TileChild& to = tiles[tile].child[c];
    to = {kind, index, {}};
    for (unsigned k = 0; k < 6; ++k)
      to.box[k] = std::bit_cast<std::uint32_t>(k % 3 == 2 ? (k < 3 ? near : far)
                                                          : (k < 3 ? -100.0F : 100.0F));
    encodeTile(tiles[tile], 4, tileLayout(4),
               memory.bytes().data() + tile * std::size_t{tileLayout(4).stride});
  }
  void rangeAt(std::uint32_t index, std::uint32_t first, std::uint32_t count) {
    encodeTriRange({first, count, 0}, memory.bytes().data() + std::size_t{index} * kTriRangeBytes);
  }
  /// Large, across the ray's way at z.
  void triangle(std::uint32_t n, float z) {
    const float corners[9] = {-90, -90, z, 90, -90, z, 0, 90, z};
    std::memcpy(memory.bytes().data() + 0x800 + std::size_t{36} * n, corners, sizeof corners);
  }
  std::uint64_t walksIn(common::Isa isa, std::uint64_t size) {
    Pair pair(setup, isa, memory, 0, size);
    EXPECT_TRUE(pair.same(ray));
    return pair.walks();
  }
  std::uint64_t hits(common::Isa isa) {
    Pair pair(setup, isa, memory, 0, memory.bytes().size());
    EXPECT_TRUE(pair.same(ray));
    EXPECT_EQ(pair.walks(), 1U);
    return pair.hits();
  }
  std::vector<Tile> tiles;
};

TEST_P(Walks, TakeAsManyVisitsAsTheListHolds) {
  for (const std::uint32_t tiles : {walk::kMostVisits - 1, walk::kMostVisits}) {
    Placed s;
    const std::uint32_t range = 0x3F000 / kTriRangeBytes;
    for (std::uint32_t n = 0; n + 1 < tiles; ++n) s.child(n, 0, ChildKind::Node, n + 1, -1, 1);
    s.child(tiles - 1, 0, ChildKind::Leaf, range, -1, 1);
    s.rangeAt(range, 0, 0);
    EXPECT_EQ(s.walks(GetParam()), tiles < walk::kMostVisits ? 1U : 0U) << tiles;
  }
}

TEST_P(Walks, TakeAStackThatIsFull) {
  // One child goes deeper, three stay behind: 3 n + 4 entries at the n-th tile.
  static_assert(walk::kMostEntries == 3 * 20 + 4);
  for (const std::uint32_t tiles : {21U, 22U}) {
    Placed s;
    const std::uint32_t range = 0x3F000 / kTriRangeBytes;
    s.rangeAt(range, 0, 0);
    for (std::uint32_t n = 0; n < tiles; ++n) {
      s.child(n, 0, n + 1 < tiles ? ChildKind::Node : ChildKind::Leaf,
              n + 1 < tiles ? n + 1 : range, 1, 90);
      for (unsigned c = 1; c < 4; ++c) s.child(n, c, ChildKind::Leaf, range, 2, 90);
    }
    EXPECT_EQ(s.walks(GetParam()), tiles == 21 ? 1U : 0U) << tiles;
  }
}

TEST_P(Walks, TakeRangesOfNoneAndOfTheMost) {
  Simple s;
  s.children(1, ChildKind::Leaf, Simple::kRange);
  s.range(0);
  EXPECT_EQ(s.walks(GetParam()), 1U);
  s.range(walk::kMostTriangles);
  EXPECT_EQ(s.walks(GetParam()), 1U);
}

TEST_P(Walks, DeclineWhatLiesBeyondTheWindow) {
  Placed s;
  s.child(0, 0, ChildKind::Node, 1, -1, 1);
  EXPECT_EQ(s.walksIn(GetParam(), 0x100), 1U);
  EXPECT_EQ(s.walksIn(GetParam(), 0x80), 0U) << "the second tile";
  EXPECT_EQ(s.walksIn(GetParam(), 0x40), 0U) << "half of the first one";
  s.child(0, 0, ChildKind::Leaf, Simple::kRange, -1, 1);
  s.range(0);
  EXPECT_EQ(s.walksIn(GetParam(), 0x110), 1U);
  EXPECT_EQ(s.walksIn(GetParam(), 0x100), 0U) << "the range";
  s.range(300);
  EXPECT_EQ(s.walksIn(GetParam(), 0x800 + 300 * 36), 1U);
  EXPECT_EQ(s.walksIn(GetParam(), 0x800 + 300 * 36 - 1), 0U) << "a triangle";
  EXPECT_EQ(s.walksIn(GetParam(), 0x900), 0U) << "more triangles than the whole window holds";
}

/// Two boxes that begin where the first one's triangle lies: what is no further is looked at.
TEST_P(Walks, LookAtWhatBeginsAtTheHit) {
  for (const float z : {1.0F, -4.0F}) {
    SCOPED_TRACE(z);
    Placed s;
    s.ray.tmin = -INFINITY;
    s.triangle(0, z);
    s.rangeAt(0x14, 0, 1);
    s.rangeAt(0x15, 1, 0);
    s.child(0, 0, ChildKind::Leaf, 0x14, z, 50);
    s.child(0, 1, ChildKind::Leaf, 0x15, z, 50);
    EXPECT_EQ(s.hits(GetParam()), 1U);
    // As far beyond as the limit allows (D-48).
    s.child(0, 1, ChildKind::Leaf, 0x15, z > 0 ? 1 + 0x1p-22F : z, 50);
    EXPECT_EQ(s.hits(GetParam()), 1U);
  }
}

TEST_P(Walks, HitWhereTheRayEnds) {
  Placed s;
  s.triangle(0, 1);
  s.rangeAt(0x14, 0, 1);
  s.child(0, 0, ChildKind::Leaf, 0x14, 0, 50);
  s.ray.tmax = 1;
  EXPECT_EQ(s.hits(GetParam()), 1U);
  s.ray.tmax = 0x1.fffffep-1F;
  EXPECT_EQ(s.hits(GetParam()), 0U);
}

INSTANTIATE_TEST_SUITE_P(Isas, Walks, testing::ValuesIn(walkingIsas()),
                         [](const auto& one) { return std::string(common::isaName(one.param)); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Walks);

}  // namespace
}  // namespace rtvp::xphmg
