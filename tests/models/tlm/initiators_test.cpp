// Initiators of ours through the protocol checker: BusMaster, which every unit's accesses go
// through (XPHMG_RT, hart, SL, implicit surfaces, S5933, the host), a C32, and the S5933 and the
// PCI bus as initiators of memory and devices. The boards' array and its PLD: computers_test.cpp.
#include "models/c32/asm/assembler.hpp"
#include "models/c32/unit/module.hpp"
#include "models/common/bus_master.hpp"
#include "models/common/memory.hpp"
#include "models/tigershark/s5933_registers.hpp"
#include "tests/models/tigershark/s5933_bench.hpp"
#include "tests/models/tlm/battery.hpp"

namespace rtvp::test {
namespace {

using sc_core::sc_time;

TEST(Initiators, BusMaster) {
  for (const bool dmi : {true, false}) {
    inChild([dmi] {
      common::Memory memory("memory", {.size = 4096});
      TlmChecker<32> checker("checker");
      Master port("port");
      port.isock.bind(checker.tsock);
      checker.isock.bind(memory.bus_tsock);
      common::BusMaster master(common::ClockDomain(sc_time(1, sc_core::SC_NS)), dmi,
                               common::BusMaster::through(port.isock));
      Script script("script", [&] {
        std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
        common::Cycle latency = 0;
        for (int round = 0; round < 3; ++round) {
          EXPECT_TRUE(master.write(16, bytes, 0, latency));
          EXPECT_TRUE(master.read(17, std::span(bytes).first(3), 0, latency));
          EXPECT_TRUE(master.look(16, bytes));
          EXPECT_TRUE(master.deposit(24, bytes));
          EXPECT_FALSE(master.read(4093, bytes, 0, latency));
        }
        std::array<std::uint8_t, 4> pattern{0xFF, 0, 0, 0xFF};
        sc_time delay;
        EXPECT_EQ(master.send(true, 32, bytes.data(), 4, delay, {pattern.data(), 4}),
                  tlm::TLM_OK_RESPONSE);
        // After byte enables, an access without.
        EXPECT_TRUE(master.read(32, bytes, 0, latency));
      });
      sc_core::sc_start();
      EXPECT_EQ(checker.text(), "");
      EXPECT_GT(checker.calls(), 10U);
    });
  }
}

TEST(Initiators, C32) {
  for (const bool dmi : {true, false}) {
    inChild([dmi] {
      c32::ModuleConfig config;
      config.dmi = dmi;
      c32::Module dsp("dsp", config);
      common::Memory memory("memory", {.size = 1 << 20});
      TlmChecker<32> checker("checker");
      dsp.bus_isock.bind(checker.tsock);
      checker.isock.bind(memory.bus_tsock);
      const auto program = c32::assemble("test.asm", R"(
        .text
        .org    100h
main:   LDI     @out,AR0
        LDI     0,R0
loop:   STI     R0,*AR0++
        ADDI    1,R0
        CMPI    20,R0
        BLT     loop
stop:   B       stop
out:    .word   2000h
)");
      ASSERT_TRUE(program.image) << program.report();
      dsp.load(*program.image);
      sc_core::sc_start(dsp.clock().timeOf(5000));
      EXPECT_EQ(memory.bytes()[(0x2000 + 19) * 4], 19);
      EXPECT_EQ(checker.text(), "");
      EXPECT_GT(checker.calls(), dmi ? 2U : 20U);
    });
  }
}

// DMA of the S5933 by the PCI bus to main memory, with the add-on behind pass-thru.
TEST(Initiators, S5933AndPciBus) {
  inChild([] {
    namespace chip = tigershark::test;
    common::PciBus bus("bus", {});
    common::Memory memory("memory", {});
    tigershark::S5933 part("chip", chip::config());
    chip::AddOn addon("addon");
    Master host("host");
    sc_core::sc_signal<bool> inta("inta"), irq("irq"), reset("reset");
    TlmChecker<32> toMemory("to_memory"), toChip("to_chip"), toBus("to_bus"), toAddon("to_addon");
    host.isock.bind(bus.master_tsock);
    part.pci_isock.bind(toBus.tsock);
    toBus.isock.bind(bus.master_tsock);
    bus.memory_isock.bind(toMemory.tsock);
    toMemory.isock.bind(memory.bus_tsock);
    bus.plug(part, toChip.tsock);
    toChip.isock.bind(part.pci_tsock);
    part.passthru_isock.bind(toAddon.tsock);
    toAddon.isock.bind(addon.tsock);
    addon.registers.bind(part.addon_tsock);
    part.inta_o.bind(inta);
    part.irq_o.bind(irq);
    part.addon_reset_o.bind(reset);
    std::vector<std::uint32_t> received;
    Script taker(
        "taker",
        [&] {
          for (int i = 0; i < 12; ++i) {
            while (part.p2aEmpty()) sc_core::wait(part.p2aFilled());
            received.push_back(part.p2aPop());
          }
        },
        false);
    Script script("script", [&] {
      using namespace tigershark::s5933;  // NOLINT(google-build-using-namespace): register names
      for (std::uint32_t i = 0; i < 12; ++i)
        memory.bytes()[0x10000 + 4 * i] = static_cast<std::uint8_t>(i);
      host.write(bus.configAddress(0, CFG_BADR0), 0xC0001000);
      host.write(bus.configAddress(0, CFG_COMMAND), COMMAND_MEMORY | COMMAND_MASTER);
      host.write(0xC0001000 + MRAR, 0x10000);
      host.write(0xC0001000 + MRTC, 48);
      host.write(0xC0001000 + MCSR, MCSR_READ_ENABLE);
      sc_core::wait(sc_time(100, sc_core::SC_US));
    });
    sc_core::sc_start();
    ASSERT_EQ(received.size(), 12U);
    EXPECT_EQ(received[11], 11U);
    EXPECT_EQ(toMemory.text() + toChip.text() + toBus.text() + toAddon.text(), "");
    EXPECT_GT(toMemory.calls(), 0U);
    EXPECT_GT(toBus.calls(), 0U);
  });
}

}  // namespace
}  // namespace rtvp::test
