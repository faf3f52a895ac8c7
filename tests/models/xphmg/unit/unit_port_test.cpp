// UnitPort: what a walk's reads are charged in bulk against the same reads one by one, over random
// visits, timings and sizes of LMEM.
#include "models/xphmg/unit_port.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <random>
#include <vector>

namespace rtvp::xphmg {
namespace {

constexpr std::uint64_t kBase = 0x80000000;
constexpr std::uint64_t kSize = 0x20000;

/// A memory that grants all of itself.
common::BusMaster::Calls memory(std::vector<std::uint8_t>& bytes) {
  common::BusMaster::Calls calls;
  calls.transport = [&bytes](tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    std::memcpy(payload.get_data_ptr(), bytes.data() + (payload.get_address() - kBase),
                payload.get_data_length());
    delay += sc_core::sc_time(3, sc_core::SC_NS);
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  };
  calls.pointer = [&bytes](tlm::tlm_generic_payload& /*payload*/, tlm::tlm_dmi& dmi) {
    dmi.set_start_address(kBase);
    dmi.set_end_address(kBase + kSize - 1);
    dmi.set_dmi_ptr(bytes.data());
    dmi.set_read_latency(sc_core::sc_time(3, sc_core::SC_NS));
    dmi.allow_read_write();
    return true;
  };
  calls.debug = [](tlm::tlm_generic_payload& /*payload*/) { return 0U; };
  return calls;
}

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

void expectSame(const UnitPort& a, const UnitPort& b) {
  ASSERT_EQ(a.now(), b.now());
  ASSERT_EQ(a.lmemHits(), b.lmemHits());
  ASSERT_EQ(a.lmemMisses(), b.lmemMisses());
  ASSERT_EQ(a.classBytes(), b.classBytes());
  ASSERT_EQ(a.dmiAccesses(), b.dmiAccesses());
  for (const auto part : {&UnitCycles::box, &UnitCycles::triangle, &UnitCycles::lmem,
                          &UnitCycles::memory, &UnitCycles::queue, &UnitCycles::descriptor}) {
    ASSERT_EQ(a.cycles().*part, b.cycles().*part);
  }
  for (unsigned kind = 0; kind < kAccessKinds; ++kind) {
    const KindTotals &x = a.totals(static_cast<AccessKind>(kind)),
                     &y = b.totals(static_cast<AccessKind>(kind));
    ASSERT_EQ(x.accesses, y.accesses) << kind;
    ASSERT_EQ(x.bytes, y.bytes) << kind;
    ASSERT_EQ(x.transactions, y.transactions) << kind;
    ASSERT_EQ(x.busBytes, y.busBytes) << kind;
  }
}

UnitPort::Config randomConfig(std::mt19937_64& random) {
  UnitPort::Config config;
  config.period = sc_core::sc_time(1, sc_core::SC_NS);
  const unsigned kib[] = {0, 1, 2, 64};
  config.lmemKib = kib[random() % 4];
  config.timing.memoryIsT2 = random() % 3 == 0;
  config.timing.t1 = static_cast<unsigned>(random() % 8);
  config.timing.triIssue = static_cast<unsigned>(random() % 3 == 0 ? random() % 40 : 1);
  config.timing.triCycles = static_cast<unsigned>(random() % 20);
  if (random() % 4 == 0) config.lds.base = kBase + 0x8000;  // some of it is LDS
  return config;
}

TEST(XphmgUnitPort, ReadsOfAWalkCostWhatEachCostsByItself) {
  constexpr unsigned kSeed = 5105;
  std::cout << "seed " << kSeed << '\n';
  std::mt19937_64 random(kSeed);
  std::vector<std::uint8_t> bytes(kSize);
  for (unsigned round = 0; round < 400; ++round) {
    const UnitPort::Config config = randomConfig(random);
    UnitPort walked(config, memory(bytes)), single(config, memory(bytes));
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
  UnitPort port(config, memory(bytes));
  port.read(AccessKind::QueueHeader, kBase, 24);
  EXPECT_EQ(port.window(kBase + 100).size, kSize);
  EXPECT_EQ(port.window(kBase + kSize).size, 0U);
  port.setObserver([](const AccessRecord& /*record*/) {});
  EXPECT_EQ(port.window(kBase + 100).size, 0U);
}

}  // namespace
}  // namespace rtvp::xphmg
