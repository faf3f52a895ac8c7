// Masters that are processes: grants in the order of simulated time whatever they do in between,
// aborts, turns, the interconnect and the PCI bus as askers.
#include "models/common/contention.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "models/common/bus_master.hpp"
#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "tests/models/common/bus_test_support.hpp"
#include "tests/models/common/contention_reference.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::common {
namespace {

using sc_core::sc_time;
using test::inChild;

sc_time ps(std::uint64_t n) {
  return sc_time::from_value(n);
}
std::uint64_t now() {
  return sc_core::sc_time_stamp().value();
}

/// Address of an access that needs the bus (1), the bus and the memory (3).
constexpr std::uint64_t kMemoryBase = 0x1000;
std::uint64_t addressFor(unsigned links) {
  return (links & 2U) != 0 ? kMemoryBase : 0;
}

ContentionConfig configOf(const test::RandomCase& c) {
  return {.bus = c.links[0], .memory = c.links[1], .arbitration = c.arbitration};
}

/// The property: processes that run ahead by random quanta, that sleep until somebody else wakes
/// them, among processes that do nothing but wake up.
void runProcesses(const test::RandomCase& c, unsigned seed, std::vector<test::Served>& log) {
  Contention contention("contention", configOf(c));
  contention.addMemory(kMemoryBase, 0x1000);
  std::vector<std::unique_ptr<test::Script>> processes;
  std::vector<std::unique_ptr<sc_core::sc_event>> wakes;
  for (std::size_t m = 0; m < c.scripts.size(); ++m) {
    const unsigned number = contention.addMaster("m" + std::to_string(m));
    wakes.push_back(std::make_unique<sc_core::sc_event>());
    sc_core::sc_event& wake = *wakes.back();
    const auto body = [&, m, number] {
      std::mt19937 random(seed + 77 * number);
      std::uint64_t local = 0;
      for (const test::Access& access : c.scripts[m]) {
        local += access.gap;
        if (access.notBefore > local) {  // idle: another process wakes it
          local = access.notBefore;
          if (local > now()) {
            wake.notify(ps(local - now()));
            sc_core::wait(wake);
          }
        }
        // A quantum: catch up with local time, or part of the way, or not at all.
        if (random() % 3 == 0 && local > now()) sc_core::wait(ps(1 + random() % (local - now())));
        if (random() % 8 == 0) sc_core::wait(sc_core::SC_ZERO_TIME);
        const auto begin =
            contention.request(number, ps(local), addressFor(access.links), access.bytes);
        log.push_back({number, local, begin->value()});
        local = begin->value();
      }
    };
    processes.push_back(
        std::make_unique<test::Script>(("p" + std::to_string(m)).c_str(), body, false));
  }
  for (unsigned i = 0; i < seed % 3; ++i) {
    processes.push_back(std::make_unique<test::Script>(("noise" + std::to_string(i)).c_str(),
                                                       [seed, i] {
                                                         std::mt19937 random(seed + i);
                                                         for (unsigned n = 0; n < 200; ++n)
                                                           sc_core::wait(ps(random() % 20));
                                                       },
                                                       false));
  }
  sc_core::sc_start();
}

TEST(Contention, GrantsDoNotDependOnHowFarProcessesRunAhead) {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    inChild([seed] {
      SCOPED_TRACE("seed " + std::to_string(seed));
      test::RandomCase c(seed);
      for (test::Accesses& script : c.scripts)
        for (test::Access& access : script) access.links |= 1;  // memory lies behind the bus
      std::vector<test::Served> expected =
          test::SlowSimulation(c.links, c.arbitration, c.scripts).run();
      std::vector<test::Served> found;
      runProcesses(c, seed, found);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected);
    });
  }
}

ContentionConfig slowMemory() {
  return {.memory = {.name = "memory", .widthBytes = 4}};
}

TEST(Contention, AloneAMasterRunsAheadWithoutAWait) {
  inChild([] {
    Contention contention("contention", slowMemory());
    contention.addMemory(0, 0x1000);
    const unsigned a = contention.addMaster("a");
    test::Script script("script", [&] {
      sc_core::wait(ps(10));
      std::uint64_t local = now();
      for (unsigned i = 0; i < 1000; ++i) local = contention.request(a, ps(local), 0, 4)->value();
      EXPECT_EQ(local, 10 + 999 * 1000U) << "behind its own transfers";
      EXPECT_EQ(now(), 10U);
      EXPECT_EQ(contention.request(a, ps(7), 0x1000, 4), ps(7)) << "no limit there";
    });
    sc_core::sc_start();
  });
}

TEST(Contention, SameTimeLowerMasterWhicheverProcessRunsFirst) {
  for (const bool swapped : {false, true}) {
    inChild([swapped] {
      Contention contention("contention", slowMemory());
      contention.addMemory(0, 0x1000);
      const unsigned first = contention.addMaster("first"), second = contention.addMaster("second");
      std::uint64_t begin[2] = {};
      const auto ask = [&](unsigned m) {
        sc_core::wait(ps(100));
        // One of them only after a few more steps of the same time.
        if (m == first)
          for (unsigned i = 0; i < 5; ++i) sc_core::wait(sc_core::SC_ZERO_TIME);
        begin[m] = contention.request(m, ps(100), 0, 8)->value();
        EXPECT_EQ(now(), 100U);
      };
      test::Script one(
          "one", [&] { ask(swapped ? second : first); }, false);
      test::Script two(
          "two", [&] { ask(swapped ? first : second); }, false);
      sc_core::sc_start();
      EXPECT_EQ(begin[first], 100U);
      EXPECT_EQ(begin[second], 2100U);
    });
  }
}

TEST(Contention, AnAbortedRequestIsGivenUpAndTheNextOneServed) {
  inChild([] {
    Contention contention("contention", slowMemory());
    contention.addMemory(0, 0x1000);
    const unsigned a = contention.addMaster("a"), b = contention.addMaster("b");
    sc_core::sc_event event;
    bool raised = false;
    const Contention::Abort abort{event, raised};
    test::Script master(
        "master",
        [&] {
          EXPECT_FALSE(contention.request(a, ps(500), 0, 4000, &abort));
          EXPECT_EQ(now(), 200U);
          EXPECT_FALSE(contention.request(a, ps(500), 0, 4000, &abort)) << "still raised";
          raised = false;
          EXPECT_EQ(contention.request(a, ps(600), 0, 4, &abort), ps(1550));
        },
        false);
    test::Script other("other", [&] {
      sc_core::wait(ps(200));
      raised = true;
      event.notify();
      sc_core::wait(ps(350));
      EXPECT_EQ(contention.request(b, ps(550), 0, 4), ps(550)) << "not behind what was given up";
      sc_core::wait(ps(1000));
    });
    sc_core::sc_start();
    EXPECT_EQ(contention.queue().masters()[a].requests, 1U);
    EXPECT_EQ(contention.queue().masters()[a].waitedFor[b], 950U);
  });
}

TEST(Contention, TurnsAndThoseWhoSettleComeLast) {
  inChild([] {
    Contention contention("contention", slowMemory());
    contention.addMemory(0, 0x1000);
    const unsigned pci = contention.addMaster("pci"), unit = contention.addMaster("unit");
    std::string order;
    test::Script hart(
        "hart",
        [&] {
          sc_core::wait(ps(100));
          contention.settle();
          order += 'h';
        },
        false);
    test::Script units(
        "units",
        [&] {
          EXPECT_EQ(contention.request(unit, ps(100), 0, 4), ps(100 + 2000));
          order += 'u';
        },
        false);
    test::Script bridge(
        "bridge",
        [&] {
          sc_core::wait(ps(100));
          sc_core::wait(sc_core::SC_ZERO_TIME);
          contention.turn(pci);
          order += 'p';
          EXPECT_EQ(contention.take(pci, 0, 8), ps(100));
        },
        false);
    sc_core::sc_start();
    EXPECT_EQ(order, "puh");
  });
}

/// A unit of 1 ns that reads, on an interconnect with a slow memory.
struct Unit : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Unit, 32> isock{"isock"};
  BusMaster bus;
  std::function<void()> body;
  Unit(sc_core::sc_module_name name, bool dmi)
      : sc_module(name),
        bus(ClockDomain(sc_time(1, sc_core::SC_NS)), dmi, BusMaster::through(isock)) {
    SC_HAS_PROCESS(Unit);
    SC_THREAD(run);
  }
  void run() { body(); }
};

/// Two units and a host, each with eight words to read, one after the other.
struct Times {
  std::vector<std::uint64_t> host;
  std::vector<Cycle> unit[2];
  bool operator==(const Times&) const = default;
};

Times shared(bool dmi, bool limited, Cycle quantum) {
  Times times;
  ContentionConfig config;
  if (limited) config.memory.widthBytes = 1;
  Contention contention("contention", config);
  Interconnect interconnect("interconnect", {sc_time(2, sc_core::SC_NS)});
  Memory memory("memory", {.size = 0x1000});
  interconnect.attach(memory.bus_tsock, "memory", kMemoryBase, 0x1000);
  contention.addMemory(kMemoryBase, 0x1000);
  test::Master host("host");
  host.isock.bind(interconnect.bus_tsock);
  interconnect.arbitrate(contention, 0, contention.addMaster("host"));
  std::vector<std::unique_ptr<Unit>> units;
  for (unsigned i = 0; i < 2; ++i) {
    units.push_back(std::make_unique<Unit>(("unit" + std::to_string(i)).c_str(), dmi));
    Unit& unit = *units.back();
    unit.isock.bind(interconnect.bus_tsock);
    unit.bus.setContention(contention, contention.addMaster(unit.basename()));
    unit.body = [&unit, &times, i, quantum] {
      Cycle at = 0;
      for (unsigned n = 0; n < 8; ++n) {
        std::array<std::uint8_t, 16> bytes{};
        Cycle latency = 0;
        EXPECT_TRUE(unit.bus.read(kMemoryBase + 16 * n, bytes, at, latency));
        at += latency + 5 + i;
        times.unit[i].push_back(at);
        const sc_time local = unit.bus.clock().of(at);
        if (local > sc_core::sc_time_stamp() + unit.bus.clock().of(quantum))
          sc_core::wait(local - sc_core::sc_time_stamp());
      }
    };
  }
  test::Script script(
      "script",
      [&] {
        for (unsigned n = 0; n < 8; ++n) {
          host.read(kMemoryBase);
          times.host.push_back(now() / 1000);
          sc_core::wait(sc_time(7, sc_core::SC_NS));
        }
      },
      false);
  sc_core::sc_start();
  return times;
}

TEST(Contention, UnitsAndHostSlowEachOtherByWhatTheMemoryCanDo) {
  inChild([] {
    // At 0 the host, then unit 0, then unit 1: 4 + 16 bytes in the way, a byte a nanosecond.
    const Times times = shared(true, true, 100);
    EXPECT_EQ(times.host[0], 2U);             // its latency alone
    EXPECT_EQ(times.unit[0][0], 4U + 2 + 5);  // behind 4 bytes
    EXPECT_EQ(times.unit[1][0], 20U + 2 + 6);
  });
  inChild([] {
    const Times times = shared(true, false, 100);
    EXPECT_EQ(times.unit[0], (std::vector<Cycle>{7, 14, 21, 28, 35, 42, 49, 56}));
    EXPECT_EQ(times.unit[1].back(), 8 * 8U);
    EXPECT_EQ(times.host.back(), 8 * 2 + 7 * 7U);
  });
}

TEST(Contention, DirectAccessAndQuantaChangeNothing) {
  for (const Cycle quantum : {Cycle{0}, Cycle{3}, Cycle{40}, Cycle{1000}}) {
    inChild([quantum] {
      // Worked out by hand from the rules: host, units 0 and 1 take the memory in turn.
      const Times times = shared(quantum != 3, true, quantum);
      const Times expected{
          .host = {2, 38, 74, 110, 146, 182, 218, 254},
          .unit = {{11, 47, 83, 119, 155, 191, 227, 263}, {28, 64, 100, 136, 172, 208, 244, 280}}};
      EXPECT_EQ(times.host, expected.host);
      EXPECT_EQ(times.unit[0], expected.unit[0]);
      EXPECT_EQ(times.unit[1], expected.unit[1]);
    });
  }
}

}  // namespace
}  // namespace rtvp::common
