// Memory and interconnect: routing, DMI, debug transport, byte enables, errors.
#include "models/common/memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <variant>

#include "models/common/interconnect.hpp"
#include "models/common/tlm_dwords.hpp"
#include "tests/models/common/bus_test_support.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::common {
namespace {

using sc_core::sc_time;
using test::inChild;
using test::Master;
using test::Script;

TEST(Memory, ReadsBackWhatWasWrittenAndChargesLatency) {
  inChild([] {
    MemoryConfig config;
    config.size = 4096;
    config.read_latency = sc_time(60, sc_core::SC_NS);
    config.write_latency = sc_time(20, sc_core::SC_NS);
    Memory memory("memory", config);
    Master master("master");
    master.isock.bind(memory.bus_tsock);
    Script script("script", [&] {
      std::uint32_t value = 0x12345678;
      EXPECT_EQ(master.access(true, 0x10, &value, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(master.delay, sc_time(20, sc_core::SC_NS));
      value = 0;
      EXPECT_EQ(master.access(false, 0x10, &value, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(value, 0x12345678U);
      EXPECT_EQ(master.delay, sc_time(60, sc_core::SC_NS));
      EXPECT_TRUE(master.payload.is_dmi_allowed());
      EXPECT_EQ(master.access(false, 4093, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(master.access(false, ~0ULL, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(value, 0x12345678U) << "a refused access moves nothing";
      std::uint8_t enables[2] = {0xFF, 0};
      value = 0xAABBCCDD;
      master.prepare(true, 0x10, &value, 4);
      master.payload.set_byte_enable_ptr(enables);
      master.payload.set_byte_enable_length(2);
      sc_time delay;
      master.isock->b_transport(master.payload, delay);
      EXPECT_EQ(memory.bytes()[0x10], 0xDD);
      EXPECT_EQ(memory.bytes()[0x11], 0x56);
      EXPECT_EQ(memory.bytes()[0x12], 0xBB);
      master.prepare(true, 0x10, &value, 4);
      master.payload.set_streaming_width(2);
      master.isock->b_transport(master.payload, delay);
      EXPECT_EQ(master.payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    });
    sc_core::sc_start();
  });
}

TEST(Memory, CountsAccessesAndBytesByDirection) {
  inChild([] {
    MemoryConfig config;
    config.size = 4096;
    Memory memory("memory", config);
    Master master("master");
    master.isock.bind(memory.bus_tsock);
    Script script("script", [&] {
      std::uint8_t bytes[32] = {};
      master.access(true, 0x10, bytes, 4);
      master.access(true, 0x20, bytes, 7);
      master.access(false, 0x10, bytes, 32);
      master.access(false, 0x10, bytes, 2);
      master.access(false, 0x10, bytes, 1);
      std::map<std::string, std::uint64_t> counted;
      StatGroup stats("memory", "");
      memory.report(stats);
      for (const Figure& f : stats.figures()) counted[f.name] = std::get<std::uint64_t>(f.value);
      EXPECT_EQ(counted["writes"], 2U);
      EXPECT_EQ(counted["written_bytes"], 11U);
      EXPECT_EQ(counted["reads"], 3U);
      EXPECT_EQ(counted["read_bytes"], 35U);
    });
    sc_core::sc_start();
  });
}

/// The dwords that a transfer of 7 bytes from 1002h touches, and which of their bytes.
TEST(TlmDwords, LanesOfATransferThatBeginsAndEndsInside) {
  std::uint8_t bytes[7];
  tlm::tlm_generic_payload payload;
  payload.set_address(0x1002);
  payload.set_data_ptr(bytes);
  payload.set_data_length(7);
  ASSERT_EQ(dwordCount(payload), 3U);
  const struct {
    std::uint64_t address;
    std::uint32_t first, count, mask;
    std::ptrdiff_t from;
  } expected[] = {
      {0x1000, 2, 2, 0xFFFF0000, 0}, {0x1004, 0, 4, 0xFFFFFFFF, 2}, {0x1008, 0, 1, 0x000000FF, 6}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const DwordLane lane = dwordLane(payload, i);
    EXPECT_EQ(lane.address, expected[i].address);
    EXPECT_EQ(lane.first, expected[i].first);
    EXPECT_EQ(lane.count, expected[i].count);
    EXPECT_EQ(lane.byte_mask, expected[i].mask);
    EXPECT_EQ(lane.data - bytes, expected[i].from);
  }
  std::uint8_t enables[] = {0, 0xFF};  // every second byte, from the second on
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(2);
  EXPECT_EQ(dwordLane(payload, 0).byte_mask, 0xFF000000U);
  EXPECT_EQ(dwordLane(payload, 1).byte_mask, 0xFF00FF00U);
  EXPECT_EQ(dwordLane(payload, 2).byte_mask, 0U);
}

TEST(Memory, ImpossibleSizesAreRefused) {
  inChild([] {
    MemoryConfig config;
    config.size = 0;
    EXPECT_THROW(Memory("memory", config), std::invalid_argument);
    config.size = 1ULL << 40;
    EXPECT_THROW(Memory("memory2", config), std::invalid_argument);
  });
}

TEST(Interconnect, RoutesAndRefuses) {
  inChild([] {
    Interconnect interconnect("interconnect", {sc_time(5, sc_core::SC_NS)});
    MemoryConfig config;
    config.size = 0x1000;
    Memory low("low", config), high("high", config);
    interconnect.attach(low.bus_tsock, "low", 0, 0x1000);
    const int number = interconnect.attach(high.bus_tsock, "high", 0x80000000, 0x800);
    EXPECT_THROW(interconnect.map(number, "overlap", 0x800007FF, 4), std::invalid_argument);
    EXPECT_THROW(interconnect.map(7, "nobody", 0x90000000, 4), std::invalid_argument);
    EXPECT_THROW(interconnect.map(number, "wraps", ~0ULL, 2), std::invalid_argument);
    Master a("a"), b("b");
    a.isock.bind(interconnect.bus_tsock);
    b.isock.bind(interconnect.bus_tsock);
    Script script("script", [&] {
      std::uint32_t value = 7;
      EXPECT_EQ(a.access(true, 0x80000004, &value, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(a.delay, sc_time(5, sc_core::SC_NS));
      EXPECT_EQ(a.payload.get_address(), 0x80000004U) << "the address comes back as it was";
      EXPECT_EQ(high.bytes()[4], 7);
      EXPECT_EQ(b.access(false, 0x70000000, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(b.access(false, 0x800007FE, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(b.debug(false, 0x80000004, &value, 4), 4U);
      EXPECT_EQ(b.debug(false, 0x70000000, &value, 4), 0U);
      tlm::tlm_dmi dmi;
      b.prepare(false, 0x80000010, &value, 4);
      ASSERT_TRUE(b.isock->get_direct_mem_ptr(b.payload, dmi));
      EXPECT_EQ(dmi.get_start_address(), 0x80000000U);
      EXPECT_EQ(dmi.get_end_address(), 0x800007FFU) << "clipped to the window";
      EXPECT_EQ(dmi.get_dmi_ptr(), high.bytes().data());
      EXPECT_EQ(dmi.get_read_latency(), sc_time(5, sc_core::SC_NS));
    });
    sc_core::sc_start();
    StatGroup stats("interconnect", "");
    interconnect.report(stats);
    EXPECT_EQ(stats.groups().size(), 2U);
  });
}

}  // namespace
}  // namespace rtvp::common
