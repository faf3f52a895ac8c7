// UnitPort: what a walk's reads are charged in bulk against the same reads one by one, over random
// visits, timings and sizes of LMEM.
#include "models/xphmg/unit_port.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

#include "tests/models/xphmg/unit/port_bench.hpp"

namespace rtvp::xphmg {
namespace {

using test::expectSame;
using test::grantedMemory;
using test::randomConfig;
constexpr std::uint64_t kBase = test::kPortBase;
constexpr std::uint64_t kSize = 0x20000;

struct Shape {
  unsigned width;  ///< of an element
  bool node8;
};

/// One ray's visits: tiles and leaves in any order, the root first.
std::vector<Visit> visits(const Shape& shape, std::mt19937_64& random, TraversalResult& counts) {
  const auto below = [&random](std::uint64_t n) { return random() % n; };
  const unsigned tile = tileLayout(shape.width).stride, triangle = triangleBytes(shape.width);
  std::vector<Visit> list;
  counts = {};
  const std::uint64_t heap = kBase + (below(4) == 0 ? 16 : 0);
  for (std::uint64_t n = 1 + below(20); n > 0; --n) {
    if (list.empty() || below(2) == 0) {
      const std::uint64_t at = heap + below(300) * tile;
      for (unsigned half = 0; half < (shape.node8 ? 2U : 1U); ++half) {
        list.push_back({at + half * tile, tile, 1, AccessKind::Tile});
        ++counts.tiles;
      }
      continue;
    }
    list.push_back({heap + 16 * below(2000), kTriRangeBytes, 1, AccessKind::TriRange});
    ++counts.leaves;
    const std::uint32_t count = static_cast<std::uint32_t>(below(6) == 0 ? below(80) : below(5));
    if (count == 0) continue;
    const std::uint64_t at =
        kBase + 0x10000 + below(400) * triangle + (below(4) == 0 ? below(64) : 0);
    list.push_back({at, count * triangle, static_cast<std::uint16_t>(count), AccessKind::Triangle});
    counts.triangles += count;
  }
  return list;
}

TEST(XphmgUnitPort, ReadsOfAWalkCostWhatEachCostsByItself) {
  constexpr unsigned kSeed = 5105;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  std::vector<std::uint8_t> bytes(kSize);
  for (unsigned round = 0; round < 400; ++round) {
    const UnitPort::Config config = randomConfig(random);
    UnitPort walked(config, grantedMemory(bytes)), single(config, grantedMemory(bytes));
    const Shape shape{random() % 2 == 0 ? 4U : 2U, random() % 3 == 0};
    for (UnitPort* port : {&walked, &single}) {
      port->beginJob(1, 0);
      port->setNode8(shape.node8);
      ASSERT_EQ(port->window(kBase).size, 0U);
      port->read(AccessKind::QueueHeader, kBase, 24);  // by transport; then there is a grant
      ASSERT_EQ(port->window(kBase).size, kSize);
    }
    for (unsigned ray = 0; ray < 60; ++ray) {
      TraversalResult counts;
      const std::vector<Visit> list = visits(shape, random, counts);
      walked.charge(list, counts);
      for (const Visit& visit : list) {
        const unsigned size = visit.bytes / visit.count;
        for (std::uint32_t at = 0; at < visit.bytes; at += size)
          single.read(visit.kind, visit.address + at, size);
      }
      expectSame(walked, single);
      ASSERT_FALSE(HasFatalFailure()) << "round " << round << " ray " << ray;
      // A write into geometry: LMEM forgets those lines.
      const std::uint64_t at = kBase + random() % (kSize - 64);
      for (UnitPort* port : {&walked, &single}) port->write(AccessKind::Hit, at, bytes.data(), 32);
    }
  }
}

TEST(XphmgUnitPort, NoWindowWhileSomebodyWatches) {
  std::vector<std::uint8_t> bytes(kSize);
  UnitPort::Config config;
  config.period = sc_core::sc_time(1, sc_core::SC_NS);
  UnitPort port(config, grantedMemory(bytes));
  port.read(AccessKind::QueueHeader, kBase, 24);
  EXPECT_EQ(port.window(kBase + 100).size, kSize);
  EXPECT_EQ(port.window(kBase + kSize).size, 0U);
  port.setObserver([](const AccessRecord& /*record*/) {});
  EXPECT_EQ(port.window(kBase + 100).size, 0U);
}

}  // namespace
}  // namespace rtvp::xphmg
