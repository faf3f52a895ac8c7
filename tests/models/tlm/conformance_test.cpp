// Every target of ours under every kind of initiator, through the protocol checker.
#include <memory>

#include "models/common/memory.hpp"
#include "models/implicit/unit/implicit_unit.hpp"
#include "models/sl/unit/sl_unit.hpp"
#include "models/theia/theia_unit.hpp"
#include "models/tigershark/s5933.hpp"
#include "models/tigershark/s5933_nv.hpp"
#include "models/tigershark/s5933_registers.hpp"
#include "models/tigershark/sram.hpp"
#include "models/xphmg/mailbox.hpp"
#include "models/xphmg/unit.hpp"
#include "tests/models/tigershark/pld_bench.hpp"
#include "tests/models/tlm/battery.hpp"

namespace rtvp::test {
namespace {

using common::Interconnect;
using sc_core::sc_time;

constexpr std::uint64_t kWindow = 1ULL << 20;

/// Runs the battery on a target with one socket, behind an interconnect.
template <class Socket>
void examine(Socket& socket, const Place& place, std::uint64_t window = kWindow) {
  Interconnect bus("bus");
  Battery battery(place);
  battery.bindThrough(bus, socket, window);
  Script script("script", [&] { battery.run(); });
  sc_core::sc_start();
}

/// A memory that is bound and never asked.
struct Backing {
  common::Memory memory;
  explicit Backing(const char* name) : memory(name, common::MemoryConfig{}) {}
};

TEST(Conformance, Memory) {
  for (const bool dmi : {true, false}) {
    inChild([dmi] {
      common::MemoryConfig config;
      config.size = 4096;
      config.dmi = dmi;
      config.read_latency = sc_time(30, sc_core::SC_NS);
      common::Memory memory("memory", config);
      Battery battery({.address = 64, .storage = true, .bytes = true, .nowhere = 4096});
      battery.bindAll(memory.bus_tsock);
      Script script("script", [&] { battery.run(); });
      sc_core::sc_start();
    });
  }
}

TEST(Conformance, Interconnect) {
  inChild([] {
    common::MemoryConfig config;
    config.size = 4096;
    common::Memory low("low", config), high("high", config);
    Interconnect bus("bus", {.latency = sc_time(10, sc_core::SC_NS)});
    TlmChecker<32> behind("behind");
    bus.attach(low.bus_tsock, "low", 0, 4096);
    bus.attach(behind.tsock, "high", 0x10000, 2048);  // seen through a smaller window
    behind.isock.bind(high.bus_tsock);
    Battery battery({.address = 0x10040, .storage = true, .bytes = true, .nowhere = 0x10800});
    battery.bindAll(bus.bus_tsock);
    Script script("script", [&] { battery.run(); });
    sc_core::sc_start();
    EXPECT_EQ(behind.text(), "");
  });
}

TEST(Conformance, PciBusWithADevice) {
  inChild([] {
    common::PciBus bus("pci", {});
    Backing memory("memory");
    Device device("device", 0x80000000, 64);
    device.first_wait = 3;
    bus.plug(device, device.tsock);
    bus.memory_isock.bind(memory.memory.bus_tsock);
    Battery battery({.address = 0x80000010,
                     .storage = true,
                     .bytes = true,
                     .debug = false,
                     .nowhere = 0x90000000});
    battery.bindAll(bus.master_tsock);
    Script script("script", [&] { battery.run(); });
    sc_core::sc_start();
  });
}

TEST(Conformance, SramOfTheArraySide) {
  inChild([] {
    tigershark::Sram sram("sram", {.words = 1024});
    Master idle("idle");
    idle.isock.bind(sram.host_tsock);
    examine(sram.array_tsock, {.address = 64, .storage = true, .nowhere = 4096});
  });
}

TEST(Conformance, SramOfTheHostSide) {
  inChild([] {
    tigershark::Sram sram("sram", {.words = 1024});
    Master idle("idle");
    idle.isock.bind(sram.array_tsock);
    examine(sram.host_tsock, {.address = 64, .storage = true, .nowhere = 4096});
  });
}

/// An S5933 with its sockets and pins bound.
struct Chip {
  static tigershark::S5933Config config() {
    tigershark::S5933Config all;
    all.core.boot_memory = tigershark::s5933::makeBoardNvImage(512 * 1024);
    return all;
  }
  tigershark::S5933 chip{"chip", config()};
  Backing host{"host"}, addon{"addon"};
  Master idle{"idle"};
  sc_core::sc_signal<bool> inta{"inta"}, irq{"irq"}, reset{"reset"};
  Chip() {
    chip.pci_isock.bind(host.memory.bus_tsock);
    chip.passthru_isock.bind(addon.memory.bus_tsock);
    chip.inta_o.bind(inta);
    chip.irq_o.bind(irq);
    chip.addon_reset_o.bind(reset);
  }
};

TEST(Conformance, S5933AddOnSide) {
  inChild([] {
    Chip all;
    all.idle.isock.bind(all.chip.pci_tsock);
    examine(all.chip.addon_tsock, {.address = 0});
  });
}

TEST(Conformance, S5933BehindPci) {
  inChild([] {
    Chip all;
    common::PciBus bus("pci", {});
    Backing memory("memory");
    TlmChecker<32> before("before_chip");
    bus.plug(all.chip, before.tsock);
    before.isock.bind(all.chip.pci_tsock);
    bus.memory_isock.bind(memory.memory.bus_tsock);
    all.idle.isock.bind(all.chip.addon_tsock);
    constexpr std::uint32_t kRegisters = 0xC0001000;
    Battery battery({.address = kRegisters, .nowhere = 0x90000000});
    battery.bindAll(bus.master_tsock);
    Script script("script", [&] {
      using namespace tigershark::s5933;  // NOLINT(google-build-using-namespace): register names
      Master& host = battery.host();
      host.payload.set_dmi_allowed(false);
      host.write(bus.configAddress(0, CFG_BADR0), kRegisters);
      host.write(bus.configAddress(0, CFG_COMMAND), COMMAND_MEMORY);
      battery.run();
    });
    sc_core::sc_start();
    EXPECT_EQ(before.text(), "");
    EXPECT_GT(before.calls(), 10U);
  });
}

/// A PLD with its SRAM and array; the DSPs are in reset, so that the host owns the SRAM's bus.
struct Logic {
  tigershark::BoardClock clock{30'000'000, 11'500'000};
  tigershark::test::FakeFifo fifo;
  tigershark::Sram sram{"sram", {.words = 1024}};
  tigershark::LockstepArray array{"array", config(), clock};
  tigershark::Pld pld{"pld", {.dsps = 4}, clock, array, sram, fifo};
  TlmChecker<32> toSram{"to_sram"}, toAddon{"to_addon"}, toArray{"to_array"};
  Backing addon{"addon"};
  sc_core::sc_signal<bool> reset{"reset"};
  Logic() {
    pld.sram_isock.bind(toSram.tsock);
    toSram.isock.bind(sram.host_tsock);
    pld.addon_isock.bind(toAddon.tsock);
    toAddon.isock.bind(addon.memory.bus_tsock);
    array.bus_isock.bind(toArray.tsock);
    toArray.isock.bind(sram.array_tsock);
    pld.addon_reset_i.bind(reset);
  }
  static tigershark::LockstepArrayConfig config() {
    tigershark::LockstepArrayConfig all;
    all.array.lanes = 4;
    all.sramWords = 1024;
    return all;
  }
  static constexpr std::uint64_t region(std::uint64_t number) {
    return number << tigershark::S5933::kRegionShift;
  }
  void expectClean() const { EXPECT_EQ(toSram.text() + toAddon.text() + toArray.text(), ""); }
};

TEST(Conformance, PldRegisters) {
  inChild([] {
    Logic all;
    examine(all.pld.passthru_tsock, {.address = Logic::region(2), .nowhere = Logic::region(3)},
            Logic::region(4));
    all.expectClean();
  });
}

TEST(Conformance, PldWindowToTheSram) {
  inChild([] {
    Logic all;
    examine(all.pld.passthru_tsock,
            {.address = Logic::region(1) + 64, .storage = true, .nowhere = Logic::region(1) + 4096},
            Logic::region(4));
    all.expectClean();
    EXPECT_GT(all.toSram.calls(), 10U);
  });
}

TEST(Conformance, TheiaUnit) {
  inChild([] {
    theia::TheiaUnit unit("theia", {}, {});
    examine(unit.host_tsock, {.address = 0});
  });
}

TEST(Conformance, SlUnit) {
  inChild([] {
    sl::unit::SlUnit unit("sl", {});
    Backing memory("memory");
    sc_core::sc_signal<bool> irq("irq");
    unit.memory_isock.bind(memory.memory.bus_tsock);
    unit.irq_o.bind(irq);
    examine(unit.host_tsock, {.address = 0});
  });
}

TEST(Conformance, ImplicitUnit) {
  inChild([] {
    implicit::unit::ImplicitUnit unit("implicit", {});
    Backing memory("memory");
    unit.memory_isock.bind(memory.memory.bus_tsock);
    examine(unit.host_tsock, {.address = 0});
  });
}

TEST(Conformance, XphmgUnit) {
  inChild([] {
    xphmg::RtUnit unit("xphmg", {});
    Backing memory("memory");
    unit.bus_isock.bind(memory.memory.bus_tsock);
    examine(unit.host_tsock, {.address = 0, .size = 8});
  });
}

TEST(Conformance, Mailbox) {
  inChild([] {
    xphmg::Mailbox mailbox("mailbox", {});
    examine(mailbox.bus_tsock, {.address = 0});
  });
}

// ---- the defects that this found, each by itself

// An approximately timed initiator ended the process: no function was registered.
TEST(Conformance, MemoryAnswersAnApproximatelyTimedInitiatorInItsTime) {
  inChild([] {
    common::MemoryConfig config;
    config.size = 64;
    config.read_latency = sc_time(70, sc_core::SC_NS);
    common::Memory memory("memory", config);
    AtMaster<32> master("master");
    master.isock.bind(memory.bus_tsock);
    Script script("script", [&] {
      std::uint32_t word = 1;
      EXPECT_EQ(master.access(false, 8, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(word, 0U);
      EXPECT_EQ(sc_core::sc_time_stamp(), sc_time(71, sc_core::SC_NS));
      EXPECT_EQ(master.access(false, 64, &word, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    sc_core::sc_start();
  });
}

// The S5933 told its wait states in an extension only: without the bus they took no time.
TEST(Conformance, WaitStatesOfAPciDeviceAreDelay) {
  inChild([] {
    Chip all;
    all.idle.isock.bind(all.chip.addon_tsock);
    Master host("host_master");
    host.isock.bind(all.chip.pci_tsock);
    Script script("script", [&] {
      common::PciAttributes config;
      config.space = common::PciSpace::Config;
      std::uint32_t id = 0;
      EXPECT_EQ(host.access(false, 0, &id, 4, &config), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(host.attributes.wait_clocks, 1U);
      EXPECT_EQ(host.delay, sc_time(30, sc_core::SC_NS)) << "register_wait, one PCI clock";
    });
    sc_core::sc_start();
  });
}

// It granted a pointer for writes that said read only, and hinted at one.
TEST(Conformance, SramGrantsNoPointerForWrites) {
  inChild([] {
    tigershark::Sram sram("sram", {.words = 1024});
    Master array("array"), host("host");
    array.isock.bind(sram.array_tsock);
    host.isock.bind(sram.host_tsock);
    Script script("script", [&] {
      std::uint32_t word = 0;
      EXPECT_EQ(array.access(true, 0, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_FALSE(array.payload.is_dmi_allowed());
      tlm::tlm_dmi dmi;
      EXPECT_FALSE(array.isock->get_direct_mem_ptr(array.payload, dmi));
      EXPECT_TRUE(dmi.is_write_allowed()) << "a refusal names what is refused";
      EXPECT_FALSE(dmi.is_read_allowed());
      EXPECT_EQ(array.access(false, 0, &word, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_TRUE(array.payload.is_dmi_allowed());
      ASSERT_TRUE(array.isock->get_direct_mem_ptr(array.payload, dmi));
      EXPECT_TRUE(dmi.is_read_allowed());
      EXPECT_FALSE(dmi.is_write_allowed());
      EXPECT_EQ(dmi.get_end_address(), 4095U);
    });
    sc_core::sc_start();
  });
}

}  // namespace
}  // namespace rtvp::test
