// The PCI bus: cost of a transaction, stops, aborts, contention, configuration window.
#include "models/common/pci_bus.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "tests/models/common/bus_test_support.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::common {
namespace {

using sc_core::sc_time;
using test::Device;
using test::inChild;
using test::Master;
using test::Script;

/// Bus with host, two more masters, main memory and one device at C0000000h.
struct Bench {
  PciBus bus;
  Memory memory;
  Master host{"host"}, one{"one"}, two{"two"};
  Device device{"device", 0xC0000000, 4096};

  explicit Bench(const PciBusConfig& config = {})
      : bus("bus", config), memory("memory", MemoryConfig{config.memory_size, {}, {}, true}) {
    host.isock.bind(bus.master_tsock);
    one.isock.bind(bus.master_tsock);
    two.isock.bind(bus.master_tsock);
    bus.memory_isock.bind(memory.bus_tsock);
    EXPECT_EQ(bus.plug(device, device.tsock), 0);
  }
  void run(const std::function<void()>& body) {
    Script script("script", body);
    sc_core::sc_start();
  }
};

double clocksOf(const sc_time& time) {
  return time / sc_time(30, sc_core::SC_NS);
}

TEST(PciBus, SingleAccessCostsArbitrationAddressDecodeAndData) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t value = 5;
      EXPECT_EQ(bench.host.access(true, 0xC0000000, &value, 4), tlm::TLM_OK_RESPONSE);
      // 2 arbitration, 1 address, 1 medium decode, 1 data
      EXPECT_EQ(clocksOf(bench.host.delay), 5);
      sc_core::wait(sc_time(1, sc_core::SC_US));
      value = 0;
      EXPECT_EQ(bench.host.access(false, 0xC0000000, &value, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(value, 5U);
      // 1 us is no multiple of 30 ns: the request waits for the edge at 1020 ns
      EXPECT_EQ(bench.host.delay, sc_time(20 + 5 * 30, sc_core::SC_NS));
    });
  });
}

/// Bytes a second of back-to-back bursts of `n` dwords by master 1 between itself and main memory.
double throughput(const PciTiming& timing, std::uint32_t n, bool write,
                  std::uint32_t one_payload_words = 0) {
  PciBusConfig config;
  config.timing = timing;
  Bench bench(config);
  double rate = 0;
  bench.run([&] {
    const std::uint32_t words = one_payload_words != 0 ? one_payload_words : n;
    std::vector<std::uint32_t> data(words);
    const std::uint32_t rounds = 1000;
    const sc_time start = sc_core::sc_time_stamp();
    for (std::uint32_t i = 0; i < rounds; ++i) {
      EXPECT_EQ(bench.one.access(write, 0x1000, data.data(), 4 * words), tlm::TLM_OK_RESPONSE);
      sc_core::wait(bench.one.delay);
    }
    rate = 4.0 * words * rounds / (sc_core::sc_time_stamp() - start).to_seconds() / 1e6;
  });
  return rate;
}

TEST(PciBus, TS_047_EightDwordBurstsGiveEightyMegabytes) {
  for (const bool write : {false, true}) {
    inChild([write] {
      EXPECT_NEAR(throughput({}, 8, write), 133.333 * 8 / 13, 0.2) << "about 82 MB/s";
    });
  }
}

TEST(PciBus, TS_047_ThirtyTwoDwordBursts) {
  inChild(
      [] { EXPECT_NEAR(throughput({}, 32, true), 133.333 * 32 / 37, 0.3) << "about 115 MB/s"; });
}

TEST(PciBus, TS_047_ApplicationNoteFourDwordDisconnect) {
  // 4 dwords every 13 clocks: the memory disconnects after 4 dwords, 3 initial wait states, REQ#
  // off for 2 clocks.
  inChild([] {
    PciTiming timing;
    timing.memory_disconnect_words = 4;
    timing.memory_first_wait = 3;
    EXPECT_NEAR(throughput(timing, 4, true, 64), 133.333 * 4 / 13, 0.5) << "about 41 MB/s";
  });
}

TEST(PciBus, TS_047_NeverAbovePeak) {
  inChild([] {
    PciTiming timing;
    timing.memory_first_wait = 0;
    const double rate = throughput(timing, 4096, true);
    EXPECT_LT(rate, 133.34);
    EXPECT_GT(rate, 132.0);
  });
}

TEST(PciBus, HostBurstsAreCutIntoCacheLines) {
  inChild([] {
    Bench bench;
    bench.device.first_wait = 1;
    bench.run([&] {
      std::vector<std::uint32_t> data(20);
      std::iota(data.begin(), data.end(), 100U);
      EXPECT_EQ(bench.host.access(true, 0xC0000010, data.data(), 80), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.device.bursts, (std::vector<std::uint32_t>{8, 8, 4}));
      EXPECT_EQ(bench.host.attributes.transactions, 3U);
      EXPECT_EQ(clocksOf(bench.host.delay), 20 + 3 * 5);
      for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(bench.device.cells[4 + i], 100 + i);
    });
    EXPECT_EQ(bench.bus.totals().data_phases, 20U);
    EXPECT_EQ(bench.bus.masters()[0].bytes, 80U);
  });
}

TEST(PciBus, NobodyClaimsIsAMasterAbort) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t value = 0;
      EXPECT_EQ(bench.host.access(false, 0xD0000000, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(value, 0xFFFFFFFFU);
      EXPECT_EQ(clocksOf(bench.host.delay), 2 + 1 + 4);
      EXPECT_EQ(bench.host.access(true, 0x1000, &value, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE)
          << "the host's own memory is not on PCI";
      std::vector<std::uint32_t> data(64);
      EXPECT_EQ(bench.one.access(false, (64ULL << 20) - 16, data.data(), 256),
                tlm::TLM_ADDRESS_ERROR_RESPONSE)
          << "runs past the end of memory";
      EXPECT_EQ(bench.one.attributes.words_done, 4U);
    });
    EXPECT_EQ(bench.bus.totals().master_aborts, 3U);
  });
}

TEST(PciBus, StopsAreHonouredAndBounded) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
      bench.device.disconnect = 3;
      EXPECT_EQ(bench.one.access(true, 0xC0000000, data, 32), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.device.bursts, (std::vector<std::uint32_t>{3, 3, 2}));
      EXPECT_EQ(bench.device.cells[7], 8U);
      bench.device.disconnect = 0;
      bench.device.retries = 3;
      EXPECT_EQ(bench.one.access(true, 0xC0000000, data, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.one.attributes.transactions, 4U);
      bench.device.retries = 1000000;
      EXPECT_EQ(bench.one.access(true, 0xC0000000, data, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
      EXPECT_EQ(bench.one.attributes.stop, PciStop::Retry);
      bench.device.retries = 0;
      bench.device.abort = true;
      EXPECT_EQ(bench.one.access(true, 0xC0000000, data, 32), tlm::TLM_GENERIC_ERROR_RESPONSE);
      EXPECT_EQ(bench.one.attributes.stop, PciStop::TargetAbort);
      EXPECT_EQ(bench.one.attributes.words_done, 0U);
    });
    EXPECT_EQ(bench.bus.totals().target_aborts, 1U);
    EXPECT_EQ(bench.bus.totals().disconnects, 2U);
  });
}

TEST(PciBus, MastersShareTheBus) {
  inChild([] {
    Bench bench;
    sc_time ends[2];
    std::uint64_t words[2] = {0, 0};
    const auto hammer = [&](Master& master, int which) {
      std::uint32_t data[8] = {};
      for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(master.access(which == 0, 0x1000, data, 32), tlm::TLM_OK_RESPONSE);
        sc_core::wait(master.delay);
        words[which] += 8;
      }
      ends[which] = sc_core::sc_time_stamp();
    };
    Script a(
        "a", [&] { hammer(bench.one, 0); }, false);
    Script b(
        "b", [&] { hammer(bench.two, 1); }, false);
    sc_core::sc_start();
    // Each transaction 8 data + 1 wait + address + decode + idle + hidden grant: 13 clocks, two
    // masters in turn.
    const double each = clocksOf(std::max(ends[0], ends[1])) / 1000;
    EXPECT_NEAR(each, 13, 0.05);
    EXPECT_LT(std::abs(clocksOf(ends[0]) - clocksOf(ends[1])), 30);
    EXPECT_NEAR(bench.bus.utilisation(), 11.0 / 13, 0.01);
    EXPECT_GT(bench.bus.masters()[1].arbitration_clocks, 500U * 13);
  });
}

/// Delays of masters 1 and 2 that ask at the same time: `first` runs first, and master 1 asks
/// `deltas` delta cycles late.
std::pair<sc_time, sc_time> askTogether(bool twoFirst, int deltas) {
  Bench bench;
  const auto ask = [](Master& master, int late) {
    return [&master, late] {
      std::uint32_t value = 0;
      sc_core::wait(sc_time(90, sc_core::SC_NS));
      for (int n = 0; n < late; ++n) sc_core::wait(sc_core::SC_ZERO_TIME);
      EXPECT_EQ(master.access(false, 0x1000, &value, 4), tlm::TLM_OK_RESPONSE);
    };
  };
  const auto one = ask(bench.one, deltas), two = ask(bench.two, 0);
  const Script a("a", twoFirst ? two : one, false), b("b", twoFirst ? one : two, false);
  sc_core::sc_start();
  return {bench.one.delay, bench.two.delay};
}

TEST(PciBus, OfMastersAtTheSameTimeTheLowestNumberIsFirst) {
  for (const bool twoFirst : {false, true}) {
    for (const int deltas : {0, 1, 5}) {
      inChild([=] {
        const auto [one, two] = askTogether(twoFirst, deltas);
        // 2 arbitration, 1 address, 1 decode and turnaround, 1 data and the bridge's 1 wait state;
        // the other one: behind those and 1 idle clock, with 1 of arbitration.
        EXPECT_EQ(clocksOf(one), 6);
        EXPECT_EQ(clocksOf(two), 12);
      });
    }
  }
}

TEST(PciBus, ABurstGoesOnUntilSomebodyElseAsks) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t data[4] = {1, 2, 3, 4};
      PciAttributes more;
      more.continues = true;
      EXPECT_EQ(bench.one.access(true, 0x2000, data, 16), tlm::TLM_OK_RESPONSE);
      sc_core::wait(bench.one.delay);
      EXPECT_EQ(bench.one.access(true, 0x2010, data, 16, &more), tlm::TLM_OK_RESPONSE);
      EXPECT_FALSE(bench.one.attributes.refused);
      EXPECT_EQ(clocksOf(bench.one.delay), 4) << "data phases only";
      EXPECT_EQ(bench.one.attributes.transactions, 0U);
      sc_core::wait(bench.one.delay);
      std::uint32_t other = 0;
      EXPECT_EQ(bench.two.access(false, 0x3000, &other, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.one.access(true, 0x2020, data, 16, &more), tlm::TLM_OK_RESPONSE);
      EXPECT_TRUE(bench.one.attributes.refused);
      EXPECT_EQ(bench.one.delay, sc_core::SC_ZERO_TIME);
      EXPECT_EQ(bench.one.attributes.words_done, 0U);
    });
    EXPECT_EQ(bench.bus.totals().transactions, 2U);
    EXPECT_EQ(bench.memory.bytes()[0x201C], 4);
    EXPECT_EQ(bench.memory.bytes()[0x2020], 0);
  });
}

TEST(PciBus, EmptyConfigurationSlotsReadAllOnes) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t value = 0;
      EXPECT_EQ(bench.host.access(false, bench.bus.configAddress(5), &value, 4),
                tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(value, 0xFFFFFFFFU);
      EXPECT_EQ(bench.host.access(true, bench.bus.configAddress(5), &value, 4),
                tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.host.access(false, bench.bus.configAddress(0, 256), &value, 4),
                tlm::TLM_OK_RESPONSE)
          << "conventional configuration space ends at 256 bytes";
    });
  });
}

TEST(PciBus, AsTheSystemWiresIt) {
  // Host and bus masters meet main memory on one interconnect; the bus is bridge in both
  // directions.
  inChild([] {
    Interconnect interconnect("interconnect");
    Memory memory("memory", MemoryConfig{64ULL << 20, {}, {}, true});
    PciBus bus("bus", {});
    Device device("device", 0xC0000000, 64);
    Master cpu("cpu"), card("card");
    constexpr auto kAbsolute = Interconnect::Addressing::Absolute;
    cpu.isock.bind(interconnect.bus_tsock);
    interconnect.attach(memory.bus_tsock, "dram", 0, memory.config().size);
    const int bridge =
        interconnect.attach(bus.master_tsock, "pci_memory", 0xC0000000, 0x20000000, kAbsolute);
    interconnect.map(bridge, "pci_config", bus.config().config_base, 0x100000, kAbsolute);
    bus.memory_isock.bind(interconnect.bus_tsock);
    card.isock.bind(bus.master_tsock);
    bus.plug(device, device.tsock);
    Script script("script", [&] {
      std::uint32_t word = 0x1234;
      EXPECT_EQ(cpu.access(true, 0x100, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(cpu.delay, sc_core::SC_ZERO_TIME) << "main memory is not on PCI";
      word = 0;
      EXPECT_EQ(card.access(false, 0x100, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(word, 0x1234U);
      EXPECT_EQ(cpu.access(true, 0xC0000008, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(device.cells[2], 0x1234U);
      EXPECT_EQ(cpu.access(false, bus.configAddress(3), &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(word, 0xFFFFFFFFU);
      EXPECT_EQ(card.access(false, bus.configAddress(3), &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE)
          << "only the host has a configuration window";
      tlm::tlm_dmi dmi;
      cpu.prepare(false, 0xC0000000, &word, 4);
      EXPECT_FALSE(cpu.isock->get_direct_mem_ptr(cpu.payload, dmi)) << "PCI charges every access";
    });
    sc_core::sc_start();
    EXPECT_EQ(bus.masters().size(), 2U);
    EXPECT_EQ(bus.masters()[0].transactions, 2U);
  });
}

TEST(PciBus, DebugReachesMemoryWithoutTimeOrStatistics) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t value = 0xABCD;
      EXPECT_EQ(bench.one.debug(true, 0x400, &value, 4), 4U);
      value = 0;
      EXPECT_EQ(bench.one.debug(false, 0x400, &value, 4), 4U);
      EXPECT_EQ(value, 0xABCDU);
      EXPECT_EQ(bench.one.debug(false, 0xF0000000, &value, 4), 0U);
    });
    EXPECT_EQ(bench.bus.totals().transactions, 0U);
  });
}

TEST(PciBus, MalformedPayloadsAreAnswered) {
  inChild([] {
    Bench bench;
    bench.run([&] {
      std::uint32_t value = 0;
      sc_time delay;
      bench.one.prepare(true, 0x400, &value, 4);
      bench.one.payload.set_streaming_width(1);
      bench.one.isock->b_transport(bench.one.payload, delay);
      EXPECT_EQ(bench.one.payload.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
      std::uint8_t enable = 0xFF;
      bench.one.prepare(true, 0x400, &value, 4);
      bench.one.payload.set_byte_enable_ptr(&enable);
      bench.one.isock->b_transport(bench.one.payload, delay);
      EXPECT_EQ(bench.one.payload.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      bench.one.prepare(true, 0x400, &value, 0);
      bench.one.isock->b_transport(bench.one.payload, delay);
      EXPECT_EQ(bench.one.payload.get_response_status(), tlm::TLM_OK_RESPONSE);
    });
  });
}

TEST(PciBus, BadTimingIsRefused) {
  inChild([] {
    PciBusConfig config;
    config.timing.devsel = 4;
    EXPECT_THROW(PciBus("a", config), std::invalid_argument);
    config.timing.devsel = 1;
    config.timing.period = sc_core::SC_ZERO_TIME;
    EXPECT_THROW(PciBus("b", config), std::invalid_argument);
  });
}

}  // namespace
}  // namespace rtvp::common
