// The S5933's blocks of registers over their sockets: the common rule, and what PCI adds to it.
#include "tests/models/common/register_rule.hpp"
#include "tests/models/tigershark/s5933_bench.hpp"

namespace rtvp::tigershark::test {
namespace {

TEST(S5933, AddOnRegistersFollowTheRuleOfBlocks) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      Master& host = bench.host;
      std::uint32_t words[6] = {1, 2, 3, 4, 5, 6};
      sc_time delay;
      const auto access = [&](bool write, std::uint32_t offset, std::size_t bytes) {
        host.prepare(write, offset, words, bytes);
        delay = sc_core::SC_ZERO_TIME;
        bench.addon.registers->b_transport(host.payload, delay);
        return host.payload.get_response_status();
      };
      EXPECT_EQ(access(true, AOMB1, 24), tlm::TLM_OK_RESPONSE) << "mailboxes, AFIFO, MWAR";
      EXPECT_EQ(delay, sc_time(6 * 30, sc_core::SC_NS)) << "a clock a word";
      EXPECT_EQ(bench.chip.core().pciPeek(IMB2), 2U);
      EXPECT_EQ(bench.chip.core().a2p().size(), 1U);
      // 40h to 57h are holes.
      words[0] = 9;
      EXPECT_EQ(access(true, 0x40, 4), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(access(false, 0x40, 24), tlm::TLM_OK_RESPONSE);
      for (const std::uint32_t word : words) EXPECT_EQ(word, 0U);
      const std::string before = bench.chip.core().dump();
      EXPECT_EQ(access(true, 0x5C, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      EXPECT_EQ(access(true, AOMB1, 0), tlm::TLM_BURST_ERROR_RESPONSE);
      EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
      EXPECT_EQ(bench.chip.core().dump(), before);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, TheAddOnViewFollowsTheRuleOfBlocks) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      common::test::sweepBlock(
          {kAddonRegisters, 0x60},
          {[&](auto& payload) {
             sc_time delay;
             bench.addon.registers->b_transport(payload, delay);
           },
           [&](auto& payload) { return bench.addon.registers->transport_dbg(payload); }},
          [](const common::RegisterDescriptor&) { return true; });
    });
    sc_core::sc_start();
  });
}

TEST(S5933, PciRegistersTakeADwordATransactionAndAnyBytesOfIt) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      Master& host = bench.host;
      const s5933::S5933Core& core = bench.chip.core();
      // One byte of an outgoing mailbox fills that byte only.
      host.writeByte(kRegisters + OMB1 + 2, 0x5A);
      EXPECT_EQ(core.pciPeek(OMB1), 0x005A0000U);
      EXPECT_EQ(core.pciPeek(MBEF), 0x4U);
      // Two registers in one access are two transactions.
      const std::uint64_t disconnects = bench.bus.totals().disconnects;
      std::uint32_t words[2] = {0x1000, 0x40};
      EXPECT_EQ(host.access(true, kRegisters + MWAR, words, 8), tlm::TLM_OK_RESPONSE);
      EXPECT_EQ(bench.bus.totals().disconnects, disconnects + 1);
      EXPECT_EQ(core.pciPeek(MWAR), 0x1000U);
      EXPECT_EQ(core.pciPeek(MWTC), 0x40U);
      // An empty FIFO port is a retry for as long as the bus tries.
      EXPECT_EQ(host.access(false, kRegisters + FIFO, words, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    });
    sc_core::sc_start();
  });
}

TEST(S5933, ConfigurationSpaceReadsZeroWhereThereIsNothing) {
  inChild([] {
    Bench bench(config());
    Script script("script", [&] {
      bench.enumerate();
      Master& host = bench.host;
      for (const std::uint32_t offset : {0x28U, 0x2CU, 0x34U, 0x38U, 0x40U, 0xFCU}) {
        host.write(bench.bus.configAddress(0, offset), 0xFFFFFFFF);
        EXPECT_EQ(host.read(bench.bus.configAddress(0, offset)), 0U) << offset;
      }
      std::uint32_t words[2] = {};
      EXPECT_EQ(host.debug(false, bench.bus.configAddress(0, 0x24), words, 8), 8U);
      EXPECT_EQ(words[1], 0U);
    });
    sc_core::sc_start();
  });
}

}  // namespace
}  // namespace rtvp::tigershark::test
