// Memory and interconnect: routing, DMI, debug transport, byte enables, errors.
#include "models/common/memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "models/common/interconnect.hpp"
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
