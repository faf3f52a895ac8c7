// The initiator's side of a bus and its clock: the same bytes, times and answers by pointer and by
// transaction, refusals, grants that end in the middle of things.
#include "models/common/bus_master.hpp"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <numeric>
#include <vector>

#include "models/common/interconnect.hpp"
#include "models/common/memory.hpp"
#include "tests/support/forked.hpp"

namespace rtvp::common {
namespace {

using sc_core::sc_time;
using test::inChild;

TEST(ClockDomain, CountsFromTimeZeroAndRoundsUp) {
  const ClockDomain clock(sc_time(30, sc_core::SC_NS));
  EXPECT_EQ(clock.of(0), sc_core::SC_ZERO_TIME);
  EXPECT_EQ(clock.of(3), sc_time(90, sc_core::SC_NS));
  EXPECT_EQ(clock.at(sc_core::SC_ZERO_TIME), 0U);
  EXPECT_EQ(clock.at(sc_time(1, sc_core::SC_PS)), 1U);
  EXPECT_EQ(clock.at(sc_time(30, sc_core::SC_NS)), 1U);
  EXPECT_EQ(clock.at(sc_time(30001, sc_core::SC_PS)), 2U);
  EXPECT_EQ(clock.period(), sc_time(30, sc_core::SC_NS));
  EXPECT_EQ(clock.now(), 0U);
}

TEST(ClockDomain, APeriodOfZeroIsRefusedByTheOwnersName) {
  try {
    const ClockDomain clock(sc_core::SC_ZERO_TIME, "the unit");
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "the unit: the clock period must not be 0");
  }
}

/// 256 bytes at address 0 that grant what the test says; counts what reaches them.
struct Target : sc_core::sc_module {
  tlm_utils::simple_target_socket<Target, 32> tsock{"tsock"};
  std::array<std::uint8_t, 256> cells{};
  sc_time read_latency{7, sc_core::SC_NS}, write_latency{25, sc_core::SC_NS};
  tlm::tlm_dmi::dmi_access_e granted = tlm::tlm_dmi::DMI_ACCESS_READ_WRITE;
  std::uint64_t first = 0, last = 255;  ///< of the grant
  bool offers = true, grants = true;
  unsigned transports = 0, requests = 0, debugs = 0;
  std::vector<sc_time> delays;  ///< as they arrived
  tlm::tlm_generic_payload seen;

  explicit Target(sc_core::sc_module_name name) : sc_module(name) {
    tsock.register_b_transport(this, &Target::transport);
    tsock.register_get_direct_mem_ptr(this, &Target::pointer);
    tsock.register_transport_dbg(this, &Target::debug);
    std::iota(cells.begin(), cells.end(), std::uint8_t{0});
  }
  void transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    ++transports;
    delays.push_back(delay);
    seen.deep_copy_from(payload);
    if (!holds(payload)) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    move(payload);
    delay += payload.is_write() ? write_latency : read_latency;
    payload.set_dmi_allowed(offers);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  bool pointer(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
    ++requests;
    dmi.set_dmi_ptr(cells.data() + first);
    dmi.set_start_address(first);
    dmi.set_end_address(last);
    dmi.set_granted_access(granted);
    dmi.set_read_latency(read_latency);
    dmi.set_write_latency(write_latency);
    return grants;
  }
  unsigned debug(tlm::tlm_generic_payload& payload) {
    ++debugs;
    if (!holds(payload)) return 0;
    move(payload);
    return payload.get_data_length();
  }
  [[nodiscard]] bool holds(const tlm::tlm_generic_payload& payload) const {
    return payload.get_address() < cells.size() &&
           payload.get_data_length() <= cells.size() - payload.get_address();
  }
  void move(tlm::tlm_generic_payload& payload) {
    std::uint8_t* const cell = &cells[payload.get_address()];
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      (payload.is_write() ? cell[i] : payload.get_data_ptr()[i]) =
          payload.is_write() ? payload.get_data_ptr()[i] : cell[i];
  }
};

/// A master of 10 ns on that target, driven by the test at time 0.
struct Bench : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Bench, 32> isock{"isock"};
  Target target{"target"};
  BusMaster bus;
  Bench(sc_core::sc_module_name name, bool dmi)
      : sc_module(name),
        bus(ClockDomain(sc_time(10, sc_core::SC_NS)), dmi, BusMaster::through(isock)) {
    isock.bind(target.tsock);
    isock.register_invalidate_direct_mem_ptr(this, &Bench::invalidate);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { bus.invalidate(first, last); }
};

void onBench(bool dmi, const std::function<void(Bench&)>& body) {
  inChild([&] {
    Bench bench("bench", dmi);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    body(bench);
  });
}

/// What an access must answer.
struct Expected {
  Cycle latency;
  std::uint64_t dmi, transport;  ///< counters afterwards
};

void expectRead(Bench& b, std::uint64_t address, std::initializer_list<std::uint8_t> bytes,
                const Expected& expected) {
  std::vector<std::uint8_t> found(bytes.size(), 0xEE);
  Cycle latency = 99;
  EXPECT_TRUE(b.bus.read(address, found, 0, latency));
  EXPECT_EQ(found, std::vector<std::uint8_t>(bytes));
  EXPECT_EQ(latency, expected.latency);
  EXPECT_EQ(b.bus.dmiAccesses(), expected.dmi);
  EXPECT_EQ(b.bus.transportAccesses(), expected.transport);
}

void expectWrite(Bench& b, std::uint64_t address, std::initializer_list<std::uint8_t> bytes,
                 const Expected& expected) {
  const std::vector<std::uint8_t> data(bytes);
  Cycle latency = 99;
  EXPECT_TRUE(b.bus.write(address, data, 0, latency));
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(b.target.cells[address + i], data[i]);
  EXPECT_EQ(latency, expected.latency);
  EXPECT_EQ(b.bus.dmiAccesses(), expected.dmi);
  EXPECT_EQ(b.bus.transportAccesses(), expected.transport);
}

// 7 ns are one cycle of 10 ns, 25 ns are three.
TEST(BusMaster, ChargesTheSameByEitherWay) {
  for (const bool dmi : {false, true}) {
    onBench(dmi, [&](Bench& b) {
      const std::uint64_t pointer = dmi ? 1 : 0;
      expectRead(b, 16, {16, 17, 18, 19}, {1, 0, 1});
      expectRead(b, 32, {32, 33}, {1, pointer, 2 - pointer});
      expectWrite(b, 33, {7, 8, 9}, {3, 2 * pointer, 3 - 2 * pointer});
      expectRead(b, 32, {32, 7, 8, 9, 36}, {1, 3 * pointer, 4 - 3 * pointer});
      EXPECT_EQ(b.target.requests, dmi ? 1U : 0U);
    });
  }
}

TEST(BusMaster, PayloadsAreCompleteAndLocalTimeIsTheDelay) {
  onBench(false, [](Bench& b) {
    std::array<std::uint8_t, 3> data{1, 2, 3};
    Cycle latency = 0;
    ASSERT_TRUE(b.bus.transport(true, 9, data.data(), 3, 12, latency));
    EXPECT_EQ(latency, 3U) << "what the target adds, not what the master is ahead";
    EXPECT_EQ(b.target.delays.back(), sc_time(120, sc_core::SC_NS));
    EXPECT_EQ(b.target.seen.get_command(), tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(b.target.seen.get_address(), 9U);
    EXPECT_EQ(b.target.seen.get_data_length(), 3U);
    EXPECT_EQ(b.target.seen.get_streaming_width(), 3U);
    EXPECT_EQ(b.target.seen.get_byte_enable_ptr(), nullptr);
    EXPECT_FALSE(b.target.seen.is_dmi_allowed());
    EXPECT_EQ(b.target.seen.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    std::array<std::uint8_t, 3> enables{0xFF, 0, 0xFF};
    sc_time delay(4, sc_core::SC_NS);
    EXPECT_EQ(b.bus.send(false, 9, data.data(), 3, delay, {enables.data(), 3}),
              tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(delay, sc_time(11, sc_core::SC_NS));
    EXPECT_EQ(b.target.seen.get_byte_enable_length(), 3U);
  });
}

TEST(BusMaster, ARefusedAccessMovesNothingAndSaysWhy) {
  for (const bool dmi : {false, true}) {
    onBench(dmi, [&](Bench& b) {
      expectRead(b, 0, {0}, {1, 0, 1});  // takes the grant where there is one
      std::array<std::uint8_t, 4> data{9, 9, 9, 9};
      Cycle latency = 5;
      EXPECT_FALSE(b.bus.read(254, data, 0, latency)) << "two bytes beyond the end";
      EXPECT_EQ(b.bus.status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(latency, 0U);
      EXPECT_FALSE(b.bus.write(254, data, 0, latency));
      EXPECT_EQ(b.target.cells[254], 254) << "a grant does not hold part of an access";
      EXPECT_FALSE(b.bus.read(~std::uint64_t{0}, data, 0, latency));
      EXPECT_EQ(data, (std::array<std::uint8_t, 4>{9, 9, 9, 9}));
      EXPECT_EQ(b.bus.transportAccesses(), 4U);
      EXPECT_EQ(b.bus.dmiAccesses(), 0U);
      EXPECT_EQ(b.target.requests, dmi ? 1U : 0U) << "nothing is asked for after a refusal";
    });
  }
}

TEST(BusMaster, AGrantForReadsOnlyIsNotWrittenThrough) {
  onBench(true, [](Bench& b) {
    b.target.granted = tlm::tlm_dmi::DMI_ACCESS_READ;
    expectRead(b, 8, {8}, {1, 0, 1});
    expectRead(b, 9, {9}, {1, 1, 1});
    expectWrite(b, 9, {70}, {3, 1, 2});
    expectWrite(b, 10, {71}, {3, 1, 3});
    expectRead(b, 9, {70, 71}, {1, 2, 3});
    EXPECT_EQ(b.target.transports, 3U);
  });
}

TEST(BusMaster, GrantsThatAreOfferedButRefusedAreAskedForAgain) {
  onBench(true, [](Bench& b) {
    b.target.grants = false;
    expectRead(b, 8, {8}, {1, 0, 1});
    expectRead(b, 8, {8}, {1, 0, 2});
    EXPECT_EQ(b.target.requests, 2U);
    b.target.offers = false;
    expectRead(b, 8, {8}, {1, 0, 3});
    EXPECT_EQ(b.target.requests, 2U);
  });
}

TEST(BusMaster, InvalidationEndsTheGrantThatItTouches) {
  onBench(true, [](Bench& b) {
    b.target.last = 127;
    expectRead(b, 0, {0}, {1, 0, 1});  // grants 0..127
    b.target.first = 128;
    b.target.last = 255;
    expectRead(b, 200, {200}, {1, 0, 2});  // grants 128..255
    expectRead(b, 100, {100}, {1, 1, 2});
    expectRead(b, 200, {200}, {1, 2, 2});
    expectRead(b, 126, {126, 127, 128}, {1, 2, 3});  // no grant holds all of it
    b.target.tsock->invalidate_direct_mem_ptr(127, 127);
    b.target.offers = false;
    expectRead(b, 100, {100}, {1, 2, 4});
    expectRead(b, 200, {200}, {1, 3, 4});
    b.target.tsock->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
    expectRead(b, 200, {200}, {1, 3, 5});
  });
}

TEST(BusMaster, InvalidationBetweenLookingAndUsing) {
  onBench(true, [](Bench& b) {
    expectRead(b, 0, {0}, {1, 0, 1});
    EXPECT_EQ(b.bus.pointer(40, 4), b.target.cells.data() + 40);
    EXPECT_EQ(b.bus.dmiAccesses(), 0U) << "looking is no access";
    b.target.tsock->invalidate_direct_mem_ptr(0, 10);
    EXPECT_EQ(b.bus.pointer(40, 4), nullptr) << "the grant is one, it ends as one";
    EXPECT_FALSE(b.bus.direct(false, 40, 4));
    EXPECT_EQ(b.bus.dmiAccesses(), 0U);
  });
}

TEST(BusMaster, LatenciesOfAGrantAreThoseOfItsTime) {
  onBench(true, [](Bench& b) {
    b.target.read_latency = sc_time(20, sc_core::SC_NS);
    b.target.write_latency = sc_core::SC_ZERO_TIME;
    expectRead(b, 0, {0}, {2, 0, 1});
    expectRead(b, 1, {1}, {2, 1, 1});
    expectWrite(b, 1, {5}, {0, 2, 1});
    b.target.read_latency = sc_time(20001, sc_core::SC_PS);
    b.target.tsock->invalidate_direct_mem_ptr(0, 255);
    expectRead(b, 1, {5}, {3, 2, 2});
    expectRead(b, 1, {5}, {3, 3, 2});
  });
}

/// A master behind an interconnect with two memories; the second grants nothing.
struct Computer : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Computer, 32> isock{"isock"};
  Interconnect interconnect{"interconnect"};
  Memory open{"open", {256}}, closed{"closed", {256, {}, {}, false}};
  BusMaster bus;
  Computer(sc_core::sc_module_name name, bool dmi)
      : sc_module(name),
        bus(ClockDomain(sc_time(10, sc_core::SC_NS)), dmi, BusMaster::through(isock)) {
    isock.bind(interconnect.bus_tsock);
    interconnect.attach(open.bus_tsock, "open", 0x1000, 256);
    interconnect.attach(closed.bus_tsock, "closed", 0x2000, 256);
  }
};

TEST(BusMaster, AccessesByPointerAreCountedWhereTransactionsWouldBe) {
  for (const bool dmi : {true, false}) {
    inChild([&] {
      Computer computer("computer", dmi);
      computer.bus.countDirect();
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      std::array<std::uint8_t, 8> bytes{};
      Cycle latency = 0;
      for (const std::uint64_t address : {0x1000U, 0x1010U, 0x2000U, 0x10F8U}) {
        EXPECT_TRUE(computer.bus.read(address, bytes, 0, latency));
        EXPECT_TRUE(computer.bus.write(address, std::span(bytes).first(4), 0, latency));
      }
      EXPECT_FALSE(computer.bus.read(0x10FC, bytes, 0, latency));
      EXPECT_EQ(computer.bus.dmiAccesses(), dmi ? 5U : 0U);
      const auto expectCounts = [](const auto& module, std::vector<std::uint64_t> counts) {
        StatGroup stats;
        module.report(stats);
        std::vector<std::uint64_t> found;
        for (const Figure& f : stats.figures()) found.push_back(std::get<std::uint64_t>(f.value));
        EXPECT_EQ(found, counts);
      };
      expectCounts(computer.open, {3, 3, 24, 12, 0});
      expectCounts(computer.closed, {1, 1, 8, 4, 0});
      EXPECT_EQ(computer.interconnect.ranges()[0].transactions, 6U);
      EXPECT_EQ(computer.interconnect.ranges()[0].bytes, 36U);
      EXPECT_EQ(computer.interconnect.ranges()[1].transactions, 2U);
    });
  }
}

TEST(BusMaster, DebugTransportTakesNoTimeAndCountsNowhere) {
  onBench(true, [](Bench& b) {
    std::array<std::uint8_t, 4> bytes{};
    EXPECT_TRUE(b.bus.look(20, bytes));
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{20, 21, 22, 23}));
    EXPECT_TRUE(b.bus.deposit(24, bytes));
    EXPECT_EQ(b.target.cells[27], 23);
    EXPECT_FALSE(b.bus.look(253, bytes));
    EXPECT_EQ(b.target.debugs, 3U);
    EXPECT_EQ(b.bus.dmiAccesses() + b.bus.transportAccesses(), 0U);
  });
}

}  // namespace
}  // namespace rtvp::common
