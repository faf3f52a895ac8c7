// Traversal: BVH against brute force (RT-104), the vector path against the plain one, order and
// limits of section 10, the same bits everywhere (RT-105).
#include "models/xphmg/traversal.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/models/xphmg/soup.hpp"
#include "tests/models/xphmg/tile_builder.hpp"

namespace rtvp::xphmg {
namespace {

using test::aim;
using test::BlockMemory;
using test::precisionOf;
using test::Random;
using test::RecordingPort;
using test::soup;
using test::TileImage;
constexpr std::uint64_t kHeap = 0x80000000;

/// Closest hit over all triangles, by the rules of 9.2.
TraversalResult bruteForce(const TraversalSetup& setup, const TileImage& image, const Ray& ray) {
  TraversalResult best;
  const ShearRay shear(ray);
  if (shear.zeroDirection) return best;
  const TriOptions options{setup.cullBack, setup.edgeInclusive,
                           lowerBound(ray.tmin, setup.epsilon)};
  const std::size_t size = triangleBytes(setup.precision.elementBytes());
  Stickies ignored;
  for (std::uint32_t i = 0; i < image.order.size(); ++i) {
    const std::uint8_t* const at = image.bytes.data() + (image.triangles - image.heap) + i * size;
    const Triangle t = decodeTriangle(setup.precision, at, ignored);
    const TriResult r = intersectTriangle(shear, t, options, ignored);
    if (!r.hit || (best.hit && r.t >= best.t)) continue;
    best.hit = true;
    best.front = r.front;
    best.primId = i;
    best.t = r.t;
    best.u = r.u;
    best.v = r.v;
  }
  return best;
}

void expectSame(const TraversalResult& a, const TraversalResult& b) {
  ASSERT_EQ(a.hit, b.hit);
  ASSERT_EQ(a.primId, b.primId);
  ASSERT_EQ(a.front, b.front);
  ASSERT_EQ(std::bit_cast<std::uint64_t>(a.t), std::bit_cast<std::uint64_t>(b.t));
  ASSERT_EQ(std::bit_cast<std::uint64_t>(a.u), std::bit_cast<std::uint64_t>(b.u));
  ASSERT_EQ(std::bit_cast<std::uint64_t>(a.v), std::bit_cast<std::uint64_t>(b.v));
}

TEST(Traversal, RT104_ClosestHitEqualsBruteForceInEveryFormat) {
  Random random(104);
  for (const Format format : {Format::Fp32, Format::Fp16, Format::Bf16, Format::Fp8E4m3,
                              Format::Fp8E5m2, Format::Int8, Format::Int16, Format::Int32}) {
    unsigned hits = 0;
    for (unsigned scene = 0; scene < 12; ++scene) {
      TraversalSetup setup;
      setup.precision = precisionOf(format);
      const auto triangles = soup(setup.precision, 150, random);
      const TileImage image =
          test::TileBuilder(setup.precision, triangles, 1 + scene % 4).build(kHeap);
      setup.heap = image.heap;
      setup.triBase = image.triangles;
      setup.cullBack = scene % 3 == 1;
      setup.edgeInclusive = scene % 5 == 2;
      setup.epsilon = scene % 4 == 3 ? 200 : 0;
      BlockMemory memory(kHeap, image.bytes);
      Traversal traversal(setup);
      for (int n = 0; n < 400; ++n) {
        const Ray ray = aim(setup.precision, triangles, random);
        const TraversalResult& r = traversal.trace(ray, static_cast<MemoryPort&>(memory));
        ASSERT_EQ(r.error, TraversalError::None);
        expectSame(r, bruteForce(setup, image, ray));
        if (HasFatalFailure()) {
          FAIL() << formatInfo(format).name << " scene " << scene << " ray " << n;
        }
        hits += r.hit ? 1U : 0U;
      }
    }
    EXPECT_GT(hits, 1500U) << formatInfo(format).name;
  }
}

TEST(Traversal, RT105_VectorPathEqualsPlainPath) {
  Random random(105);
  for (unsigned scene = 0; scene < 60; ++scene) {
    TraversalSetup setup;
    const Format formats[] = {Format::Fp32, Format::Fp32, Format::Fp16, Format::Bf16,
                              Format::Fp8E5m2};
    setup.precision = precisionOf(formats[scene % 5]);
    setup.precision.ftz = scene % 7 == 3;
    const auto triangles = soup(setup.precision, 100, random);
    TileImage image = test::TileBuilder(setup.precision, triangles, 1 + scene % 4).build(kHeap);
    // Damage: special values among boxes and vertices.
    const std::uint32_t special[] = {0x7FC00000, 0x7F800001, 0x7F800000, 0xFF800000,
                                     0x00000001, 0x80000000, 0x7F7FFFFF};
    const std::uint32_t special16[] = {0x7E00, 0x7C01, 0x7C00, 0xFC00, 0x0001, 0x8000, 0x7F81};
    const unsigned width = setup.precision.elementBytes();
    if (scene % 2 == 1) {
      const auto damage = [&](std::size_t at) {
        const std::uint64_t n = random.below(std::size(special));
        storeElement(image.bytes.data() + at, width, width == 4 ? special[n] : special16[n]);
      };
      for (int n = 0; n < 8; ++n) {
        damage(random.below(image.tiles) * tileLayout(width).stride + random.below(24) * width);
        damage((image.triangles - image.heap) + random.below(image.order.size() * 9) * width);
      }
    }
    setup.heap = image.heap;
    setup.triBase = image.triangles;
    setup.anyHit = scene % 6 == 5;
    TraversalSetup plain_setup = setup;
    plain_setup.plain = true;
    BlockMemory memory(kHeap, image.bytes);
    RecordingPort fast_port(memory), plain_port(memory);
    Traversal fast(setup), plain(plain_setup);
    for (int n = 0; n < 2000; ++n) {
      Ray ray = aim(setup.precision, triangles, random);
      if (random.below(30) == 0) ray.o[random.below(3)] = INFINITY;
      if (random.below(30) == 0) ray.d[random.below(3)] = 0x1p-149F;
      if (random.below(30) == 0) ray.d[random.below(3)] = -INFINITY;
      const TraversalResult a = fast.trace(ray, fast_port);
      const TraversalResult b = plain.trace(ray, plain_port);
      expectSame(a, b);
      ASSERT_EQ(a.error, b.error);
      ASSERT_EQ(a.nanConsumed, b.nanConsumed);
      ASSERT_EQ(a.leafIndex, b.leafIndex);
      ASSERT_EQ(a.tiles, b.tiles);
      ASSERT_EQ(a.leaves, b.leaves);
      ASSERT_EQ(a.triangles, b.triangles);
      ASSERT_EQ(a.maxDepth, b.maxDepth);
      ASSERT_EQ(fast_port.hash, plain_port.hash) << "scene " << scene << " ray " << n;
      ASSERT_EQ(fast.stickies(), plain.stickies());
    }
  }
}

TEST(Traversal, RT105_SameBitsOnEveryHost) {
  // The digest of 20 000 results; a compiler that fuses, reorders or widens changes it.
  Random random(1105);
  TraversalSetup setup;
  setup.precision = precisionOf(Format::Fp32);
  const auto triangles = soup(setup.precision, 500, random);
  const TileImage image = test::TileBuilder(setup.precision, triangles, 2).build(kHeap);
  setup.heap = image.heap;
  setup.triBase = image.triangles;
  BlockMemory memory(kHeap, image.bytes);
  Traversal traversal(setup);
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&hash](std::uint64_t x) { hash = (hash ^ x) * 0x100000001B3U; };
  for (int n = 0; n < 20000; ++n) {
    const TraversalResult& r =
        traversal.trace(aim(setup.precision, triangles, random), static_cast<MemoryPort&>(memory));
    add(r.hit ? r.primId : 0xFFFFFFFFU);
    add(std::bit_cast<std::uint64_t>(r.t));
    add(std::bit_cast<std::uint64_t>(r.u) ^ std::bit_cast<std::uint64_t>(r.v) << 1U);
    add(r.tiles << 16U | r.triangles);
  }
  EXPECT_EQ(hash, 0xEAA7BC1060FED3F3U) << std::hex << hash;
}

/// RT-104 by itself: a box around one triangle is hit whenever the triangle is.
TEST(Slab, RT104_NeverCullsAnAcceptedTriangle) {
  Random random(2104);
  std::uint64_t hits = 0, behind = 0, culled = 0, late = 0;
  while (hits < 1'000'000) {
    const double size = std::exp2(random.uniform(-13, 0));
    Triangle t;
    Box box;
    box.lo = {INFINITY, INFINITY, INFINITY};
    box.hi = {-INFINITY, -INFINITY, -INFINITY};
    double centre[3];
    for (double& c : centre) c = random.uniform(-4, 4);
    for (auto& vertex : t.v) {
      for (unsigned k = 0; k < 3; ++k) {
        vertex[k] = static_cast<float>(centre[k] + random.uniform(-size, size));
        box.lo[k] = std::min(box.lo[k], vertex[k]);
        box.hi[k] = std::max(box.hi[k], vertex[k]);
      }
    }
    for (int n = 0; n < 24; ++n) {
      const auto& a = t.v[random.below(3)];
      const auto& b = t.v[random.below(3)];
      const double s = random.below(2) == 0 ? 0.0 : random.uniform(0, 1);
      Ray ray;
      for (unsigned k = 0; k < 3; ++k) {
        ray.o[k] = static_cast<float>(random.uniform(-6, 6));
        const double target = double{a[k]} + s * (double{b[k]} - double{a[k]});
        ray.d[k] = static_cast<float>((target - ray.o[k]) * (n % 2 == 0 ? 1 : -1));
      }
      ray.tmin = -INFINITY;
      ray.tmax = INFINITY;
      Stickies stickies;
      const TriResult hit =
          intersectTriangle(ShearRay(ray), t, {false, false, lowerBound(ray.tmin, 0)}, stickies);
      if (!hit.hit) continue;
      ++hits;
      if (hit.t < 0) ++behind;
      const SlabResult slab = intersectBox(SlabRay(ray), box, stickies);
      if (!slab.hit) ++culled;
      // D-48: an entry with this tn is not dropped for its own triangle's t.
      if (slab.hit && beyond(slab.tn, hit.t)) ++late;
    }
  }
  std::cout << hits << " hits, " << behind << " behind the origin, " << culled << " culled, "
            << late << " dropped by the pop cull\n";
  EXPECT_EQ(culled, 0U);
  EXPECT_EQ(late, 0U);
  EXPECT_GT(behind, hits / 4);
}

// ---- order and limits

/// Hand-made tiles in one block.
struct Heap {
  explicit Heap(Format format) : memory(kHeap, std::vector<std::uint8_t>(0x10000)) {
    setup.precision = precisionOf(format);
    setup.heap = kHeap;
    setup.triBase = kHeap + 0x8000;
  }
  [[nodiscard]] unsigned width() const { return setup.precision.elementBytes(); }
  std::uint8_t* at(std::uint64_t offset) { return memory.bytes().data() + offset; }
  [[nodiscard]] std::uint32_t word(double x) const {
    Stickies ignored;
    return encode(setup.precision, setup.precision.format, x, ignored);
  }
  void child(Tile& tile, unsigned c, ChildKind kind, std::uint32_t index, double z) const {
    tile.child[c].kind = kind;
    tile.child[c].index = index;
    const double box[] = {-1, -1, z, 1, 1, z};
    for (unsigned k = 0; k < 6; ++k) tile.child[c].box[k] = word(box[k]);
  }
  void tile(unsigned n, const Tile& t) {
    const TileLayout layout = tileLayout(width());
    encodeTile(t, width(), layout, at(std::uint64_t{n} * layout.stride));
  }
  void range(std::uint32_t index, const TriRange& r) {
    encodeTriRange(r, at(std::uint64_t{index} * 16U));
  }
  /// A triangle around the z axis.
  void triangle(unsigned n, double z) {
    const double v[] = {-3, -3, z, 0, 3, z, 3, -3, z};
    for (unsigned k = 0; k < 9; ++k) {
      storeElement(at(triangleAddress(0x8000, n, 0, width()) + std::uint64_t{k} * width()), width(),
                   word(v[k]));
    }
  }
  TraversalResult trace() {
    Ray ray;
    ray.d[2] = 1;
    ray.tmax = 1000;
    Traversal traversal(setup);
    return traversal.trace(ray, static_cast<MemoryPort&>(memory));
  }
  TraversalSetup setup;
  BlockMemory memory;
};

TEST(Traversal, TiesGoToTheLowestPrimIdThenLeaf) {
  Heap h(Format::Fp32);
  Tile root;
  h.child(root, 0, ChildKind::Leaf, 0x101, 2);
  h.child(root, 1, ChildKind::Leaf, 0x102, 2);
  h.child(root, 2, ChildKind::Leaf, 0x100, 2);
  h.tile(0, root);
  h.range(0x101, {5, 1, 0});
  h.range(0x102, {3, 1, 0});
  h.range(0x100, {3, 1, 0});
  h.triangle(3, 2);
  h.triangle(5, 2);
  const TraversalResult r = h.trace();
  EXPECT_EQ(r.primId, 3U);
  EXPECT_EQ(r.leafIndex, 0x100U);
  EXPECT_EQ(r.leaves, 3U);
  h.setup.anyHit = true;  // the first leaf popped is child 0's (D-52)
  EXPECT_EQ(h.trace().primId, 5U);
  EXPECT_EQ(h.trace().leaves, 1U);
}

TEST(Traversal, FartherEntriesAreCulledWhenPopped) {
  Heap h(Format::Fp32);
  Tile root;
  h.child(root, 0, ChildKind::Leaf, 0x101, 4);
  h.child(root, 1, ChildKind::Leaf, 0x100, 2);
  h.tile(0, root);
  h.range(0x100, {0, 1, 0});
  h.range(0x101, {1, 1, 0});
  h.triangle(0, 2);
  h.triangle(1, 4);
  EXPECT_EQ(h.trace().leaves, 1U);
  EXPECT_EQ(h.trace().maxDepth, 2U);
}

TEST(Traversal, RT028_ReservedKindEndsTheRay) {
  Heap h(Format::Fp16);
  Tile root;
  h.child(root, 3, ChildKind::Reserved, 0, 2);
  h.tile(0, root);
  EXPECT_EQ(h.trace().error, TraversalError::ReservedKind);
  EXPECT_EQ(h.trace().faultAddress, kHeap);
}

TEST(Traversal, DepthAndVisitsAreBounded) {
  Heap h(Format::Fp32);
  Tile root;
  for (unsigned c = 0; c < 4; ++c) h.child(root, c, ChildKind::Node, 0, 2);
  h.tile(0, root);  // four children, all the root: three more entries a visit
  EXPECT_EQ(h.trace().error, TraversalError::Limit);
  EXPECT_EQ(h.trace().tiles, 22U);  // 1 + 21 * 3 = 64 entries fit, the next push does not
  for (unsigned c = 1; c < 4; ++c) root.child[c].kind = ChildKind::Empty;
  h.tile(0, root);  // a cycle without growth
  const TraversalResult endless = h.trace();
  EXPECT_EQ(endless.error, TraversalError::Limit);
  EXPECT_EQ(endless.tiles, kMaxVisits + 1);
}

TEST(Traversal, HugeRangesEndAtTheVisitLimitOrTheBus) {
  Heap h(Format::Fp16);
  Tile root;
  h.child(root, 0, ChildKind::Leaf, 0x100, 2);
  h.tile(0, root);
  h.range(0x100, {0, 0xFFFFFFFF, 0});
  EXPECT_EQ(h.trace().error, TraversalError::Bus);
  EXPECT_EQ(h.trace().faultAddress, kHeap + 0x8000 + h.trace().triangles * std::uint64_t{18});
}

TEST(Traversal, RT087_NanRaysReadNothing) {
  Heap h(Format::Fp32);
  Ray ray;
  ray.nan = true;
  Traversal traversal(h.setup);
  const TraversalResult& r = traversal.trace(ray, static_cast<MemoryPort&>(h.memory));
  EXPECT_FALSE(r.hit);
  EXPECT_TRUE(r.nanConsumed);
  EXPECT_EQ(h.memory.reads[static_cast<unsigned>(AccessKind::Tile)], 0U);
}

TEST(Traversal, RT031_Node8IndexesPairsOfTiles) {
  Heap h(Format::Fp16);
  h.setup.node8 = true;
  Tile hi;
  h.child(hi, 3, ChildKind::Node, 2, 2);
  h.tile(1, hi);  // the root's second half
  Tile leaf;
  h.child(leaf, 0, ChildKind::Leaf, 0x100, 2);
  h.tile(5, leaf);  // node 2 = tiles 4 and 5
  h.range(0x100, {0, 1, 0});
  h.triangle(0, 2);
  EXPECT_TRUE(h.trace().hit);
  EXPECT_EQ(h.trace().tiles, 4U);
}

}  // namespace
}  // namespace rtvp::xphmg
