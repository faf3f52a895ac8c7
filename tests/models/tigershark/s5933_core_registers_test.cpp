// The S5933's registers, configuration space and mailboxes without a simulator (board.md 4.1 to
// 4.3).
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "tests/models/tigershark/s5933_core_bench.hpp"

namespace rtvp::tigershark::s5933 {
namespace {

// ---- register tables, exhaustively

TEST(S5933Registers, TS_040_ResetValuesOfThePciSide) {
  const S5933Core core(boardConfig());
  for (const auto& reg : kPciRegisters) EXPECT_EQ(core.pciPeek(reg.offset), reg.reset) << reg.name;
  EXPECT_EQ(core.pciPeek(MCSR), 0xE6U);
}

TEST(S5933Registers, TS_040_ResetValuesOfTheAddOnSide) {
  const S5933Core core(boardConfig());
  for (const auto& reg : kAddonRegisters)
    EXPECT_EQ(core.addonPeek(reg.offset), reg.reset) << reg.name;
  EXPECT_EQ(core.addonPeek(AGCSTS), 0xF4U);
}

TEST(S5933Registers, TS_040_AccessRulesOfPlainRegisters) {
  for (const auto& reg : kPciRegisters) {
    const bool plain = reg.name != "MCSR" && reg.name != "FIFO";
    if (!plain) continue;
    for (const std::uint32_t mask : {kAll, 0x000000FFU, 0xFF000000U, 0x00FFFF00U}) {
      for (const std::uint32_t value : {kAll, 0U, 0xA5A5A5A5U, 0x5A5A5A5AU}) {
        S5933Core core(boardConfig());
        const std::uint32_t before = core.pciPeek(reg.offset);
        EXPECT_TRUE(core.pciWrite(reg.offset, value, mask));
        const std::uint32_t rw = reg.mask(Access::Rw) & mask;
        EXPECT_EQ(core.pciPeek(reg.offset), (before & ~rw) | (value & rw))
            << reg.name << " mask " << mask;
        core.reset();
        EXPECT_EQ(core.pciPeek(reg.offset), reg.reset) << reg.name;
      }
    }
  }
}

TEST(S5933Registers, TS_040_AccessRulesOfAddOnRegisters) {
  for (const auto& reg : kAddonRegisters) {
    const bool shared =
        reg.offset == AMWAR || reg.offset == AMRAR || reg.offset == AMWTC || reg.offset == AMRTC;
    if (reg.name == "AGCSTS" || reg.name == "AFIFO") continue;
    S5933Core core(boardConfig());
    EXPECT_TRUE(core.addonWrite(reg.offset, 0xA5A5A5A5, kAll));
    // Address and count registers belong to the PCI side (boot memory 45h).
    const std::uint32_t rw = shared ? 0 : reg.mask(Access::Rw);
    EXPECT_EQ(core.addonPeek(reg.offset), 0xA5A5A5A5 & rw) << reg.name;
  }
}

TEST(S5933Registers, HolesAreHoles) {
  S5933Core core(boardConfig());
  std::uint32_t value = 0;
  for (const std::uint32_t offset : {0x40U, 0x44U, 0x50U, 0x54U, 0x60U, 0xFFFFFFFCU}) {
    EXPECT_FALSE(core.addonRead(offset, kAll, value)) << offset;
    EXPECT_FALSE(core.addonWrite(offset, 1, kAll)) << offset;
  }
  for (const std::uint32_t offset : {0x28U, 0x2CU, 0x34U, 0x40U, 0xFCU})
    EXPECT_EQ(core.configRead(offset), 0U);
}

TEST(S5933Registers, McsrStoresControlBitsAndDropsCommands) {
  S5933Core core(boardConfig());
  EXPECT_TRUE(core.pciWrite(MCSR, 0x0F00FF00, kAll));
  EXPECT_EQ(core.pciPeek(MCSR), 0x0100F700U | 0xE6U)
      << "bits 27:25 are commands, bit 11 is reserved";
  EXPECT_TRUE(core.addonReset());
  EXPECT_TRUE(core.pciWrite(MCSR, 0, kAll));
  EXPECT_FALSE(core.addonReset());
}

TEST(S5933Registers, DocumentationNamesEveryRegister) {
  const std::string page = common::registerMarkdown("PCI side", kPciRegisters);
  for (const auto& reg : kPciRegisters)
    EXPECT_NE(page.find(std::string(reg.name)), std::string::npos);
  EXPECT_NE(S5933Core(boardConfig()).dump().find("3Ch MCSR = 000000E6h"), std::string::npos);
}

// ---- configuration space

TEST(S5933Config, TS_040_DefaultsWithoutBootMemory) {
  S5933Core core(CoreConfig{});
  EXPECT_EQ(core.configRead(0x00), 0x475010E8U);
  EXPECT_EQ(core.configRead(0x08) >> 8, 0xFF0000U);
  EXPECT_EQ(core.configRead(0x10), 1U) << "I/O";
  core.configWrite(0x10, kAll, kAll);
  EXPECT_EQ(core.configRead(0x10), 0xFFFFFFC1U) << "64 bytes of I/O";
  for (std::uint32_t bar = 0x14; bar <= 0x24; bar += 4) {
    core.configWrite(bar, kAll, kAll);
    EXPECT_EQ(core.configRead(bar), 0U);
  }
  EXPECT_EQ(core.configRead(0x3C) >> 8 & 0xFF, 1U) << "INTA#";
}

TEST(S5933Config, TS_041_BaseAddressesAnnounceTheBoardsWindows) {
  S5933Core core(boardConfig());
  const std::uint32_t sizes[] = {64, 512 * 1024, 4096, 0, 0};
  for (std::uint32_t i = 0; i < 5; ++i) {
    core.configWrite(CFG_BADR0 + 4 * i, kAll, kAll);
    EXPECT_EQ(core.configRead(CFG_BADR0 + 4 * i), sizes[i] == 0 ? 0 : ~(sizes[i] - 1)) << i;
  }
  core.configWrite(CFG_BADR0, 0xC0001000, kAll);
  core.configWrite(CFG_BADR0 + 4, 0xC0080000, kAll);
  core.configWrite(CFG_BADR0 + 8, 0xC0002000, kAll);
  EXPECT_FALSE(core.decode(false, 0xC0001000)) << "memory decoding is still off";
  core.configWrite(CFG_COMMAND, COMMAND_MEMORY, kAll);
  EXPECT_EQ(core.decode(false, 0xC000103F), 0);
  EXPECT_FALSE(core.decode(false, 0xC0001040));
  EXPECT_EQ(core.decode(false, 0xC00FFFFF), 1);
  EXPECT_EQ(core.decode(false, 0xC0002FFC), 2);
  EXPECT_FALSE(core.decode(true, 0xC0001000)) << "not I/O";
  EXPECT_FALSE(core.decode(false, 0x1C0001000)) << "32 address bits";
  EXPECT_EQ(core.regionOffset(1, 0xC00FFFFC), 0x7FFFCU);
  EXPECT_EQ(core.base(0).bus_width, 32U) << "the operation registers";
}

TEST(S5933Config, LatencyTimerInterruptLineAndStatus) {
  NvConfig nv;
  nv.latency_timer = 32;
  nv.interrupt_line = 11;
  nv.revision = 3;
  CoreConfig config;
  config.boot_memory = makeNvImage(nv);
  S5933Core core(config);
  EXPECT_EQ(core.latencyTimer(), 32U);
  EXPECT_EQ(core.configRead(0x3C) & 0xFFFF, 0x010BU);
  EXPECT_EQ(core.configRead(0x08), 0xFF000003U);
  core.configWrite(CFG_MISC, 64 << 8, 0xFF00);
  EXPECT_EQ(core.latencyTimer(), 64U);
  core.noteTargetAbort();
  EXPECT_NE(core.configRead(CFG_COMMAND) & STATUS_SIGNALED_TARGET_ABORT, 0U);
  core.configWrite(CFG_COMMAND, STATUS_SIGNALED_TARGET_ABORT, 0xFF000000);
  EXPECT_EQ(core.configRead(CFG_COMMAND) & STATUS_SIGNALED_TARGET_ABORT, 0U);
  core.configWrite(0, 0, kAll);
  EXPECT_EQ(core.configRead(0), 0x475010E8U) << "read only";
}

TEST(S5933Config, SelfTestGoesToTheAddOnAndBack) {
  NvConfig nv;
  nv.self_test = true;
  CoreConfig config;
  config.boot_memory = makeNvImage(nv);
  S5933Core core(config);
  core.configWrite(CFG_MISC, BIST_START, 0xFF000000);
  EXPECT_TRUE(core.irq());
  EXPECT_NE(core.addonPeek(AINT) & AINT_SELF_TEST, 0U);
  EXPECT_TRUE(core.addonWrite(AGCSTS, 0x5000, 0xFF00));
  EXPECT_EQ(core.configRead(CFG_MISC) >> 24, 0x85U) << "capable, ended, code 5";
  S5933Core plain(boardConfig());
  plain.configWrite(CFG_MISC, BIST_START, 0xFF000000);
  EXPECT_FALSE(plain.irq()) << "no self test announced";
}

TEST(S5933Config, DamagedBootMemoryFallsBackAndNeverCrashes) {
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 2000; ++round) {
    CoreConfig config = boardConfig();
    const std::size_t size = random() % 4 == 0 ? random() % 128 : 128;
    config.boot_memory.resize(size);
    for (int i = 0; i < 8 && size != 0; ++i) {
      config.boot_memory[random() % size] = static_cast<std::uint8_t>(random());
    }
    S5933Core core(config);
    core.configWrite(CFG_COMMAND, 7, kAll);
    for (std::uint32_t offset = 0; offset < 0x100; offset += 4) {
      core.configWrite(offset, static_cast<std::uint32_t>(random()), kAll);
      static_cast<void>(core.configRead(offset));
    }
    for (int i = 0; i < 5; ++i) {
      const BaseAddress& base = core.base(i);
      EXPECT_EQ(base.size & (base.size - 1), 0U);
      EXPECT_EQ(base.enabled, base.size != 0);
    }
    static_cast<void>(core.decode(round % 2 == 0, random()));
  }
  CoreConfig wrong = boardConfig();
  wrong.boot_memory[0x53] = 0;
  EXPECT_EQ(S5933Core(wrong).configRead(0x10), 1U) << "no pattern, no boot";
}

TEST(S5933Config, ImpossibleRegionsAreRefused) {
  NvConfig nv;
  nv.regions[0].bytes = 3000;
  EXPECT_THROW(makeNvImage(nv), std::invalid_argument);
  nv.regions[0].bytes = 1U << 31;
  EXPECT_THROW(makeNvImage(nv), std::invalid_argument);
  nv.regions[0] = {4096, false, 12};
  EXPECT_THROW(makeNvImage(nv), std::invalid_argument);
  nv.regions[0] = {512, true, 32};
  EXPECT_THROW(makeNvImage(nv), std::invalid_argument);
  EXPECT_THROW(makeBoardNvImage(0x80000000U), std::invalid_argument);
  EXPECT_THROW(S5933Core(boardConfig(3)), std::invalid_argument);
  EXPECT_THROW(S5933Core(boardConfig(4097)), std::invalid_argument);
}

// ---- mailboxes

TEST(S5933Mailbox, BytesFillAndEmptySeparately) {
  S5933Core core(boardConfig());
  EXPECT_TRUE(core.pciWrite(OMB2, 0x00BB00DD, 0x00FF00FF));
  EXPECT_EQ(core.pciPeek(MBEF), 0x00000050U);
  EXPECT_EQ(core.addonPeek(AMBEF), 0x00000050U);
  EXPECT_EQ(addonRead(core, AIMB2, 0xFF), 0x00BB00DDU);
  EXPECT_EQ(core.pciPeek(MBEF), 0x00000040U) << "reading byte 0 empties only byte 0";
  EXPECT_TRUE(core.addonWrite(AOMB4, 0x11223344, kAll));
  EXPECT_EQ(core.pciPeek(MBEF), 0xF0000040U);
  EXPECT_EQ(core.pciRead(IMB4, 0xFFFF0000), 0x11223344U);
  EXPECT_EQ(core.pciPeek(MBEF), 0x30000040U);
  EXPECT_EQ(core.pciRead(OMB2, kAll), 0x00BB00DDU) << "the writer may read back";
  EXPECT_EQ(core.pciPeek(MBEF), 0x30000040U) << "and that changes no flag";
}

TEST(S5933Mailbox, OverwritingAndOldDataNeverRetry) {
  S5933Core core(boardConfig());
  EXPECT_TRUE(core.pciWrite(OMB1, 1, kAll));
  EXPECT_TRUE(core.pciWrite(OMB1, 2, kAll));
  EXPECT_EQ(core.totals().mailbox_overwrites, 4U);
  EXPECT_EQ(addonRead(core, AIMB1), 2U);
  EXPECT_EQ(addonRead(core, AIMB1), 2U) << "old data";
}

TEST(S5933Mailbox, HostsInterruptDance) {
  S5933Core core(boardConfig());
  // mailbox 1 byte 0 incoming, outgoing mailbox 3 byte 2
  core.pciWrite(INTCSR, INTCSR_IN_ENABLE | INTCSR_OUT_ENABLE | 2U << 2 | 2U, kAll);
  EXPECT_FALSE(core.inta());
  core.addonWrite(AOMB1, 0x77, 0xFF00);
  EXPECT_FALSE(core.inta()) << "another byte";
  core.addonWrite(AOMB1, 0x77, 0xFF);
  EXPECT_TRUE(core.inta());
  EXPECT_EQ(core.pciPeek(INTCSR) & (INTCSR_IN_INT | INTCSR_ASSERTED),
            INTCSR_IN_INT | INTCSR_ASSERTED);
  EXPECT_EQ(*core.pciRead(IMB1, kAll) & 0xFF, 0x77U);
  EXPECT_TRUE(core.inta()) << "reading the mailbox alone does not clear the interrupt";
  core.pciWrite(INTCSR, core.pciPeek(INTCSR), kAll);
  EXPECT_FALSE(core.inta());
  core.pciWrite(OMB3, 0x00990000, 0x00FF0000);
  EXPECT_FALSE(core.inta());
  addonRead(core, AIMB3);
  EXPECT_EQ(core.pciPeek(INTCSR) & INTCSR_OUT_INT, INTCSR_OUT_INT);
  core.pciWrite(INTCSR, INTCSR_OUT_INT, kAll);
  EXPECT_FALSE(core.inta());
}

TEST(S5933Mailbox, AddOnsInterruptDance) {
  S5933Core core(boardConfig());
  core.addonWrite(AINT, AINT_IN_ENABLE | AINT_OUT_ENABLE | 1U << 10, kAll);  // in 1.0, out 2.0
  core.pciWrite(OMB1, 5, kAll);
  EXPECT_TRUE(core.irq());
  EXPECT_EQ(addonRead(core, AIMB1), 5U);
  core.addonWrite(AINT, AINT_IN_INT, 0x00FF0000);
  EXPECT_FALSE(core.irq());
  core.addonWrite(AOMB2, 1, kAll);
  EXPECT_FALSE(core.irq());
  static_cast<void>(core.pciRead(IMB2, kAll));
  EXPECT_EQ(core.addonPeek(AINT) & (AINT_OUT_INT | AINT_ASSERTED), AINT_OUT_INT | AINT_ASSERTED);
}

TEST(S5933Mailbox, FlagResetAndExternalPins) {
  S5933Core core(boardConfig());
  core.pciWrite(INTCSR, INTCSR_IN_ENABLE | 3U << 10 | 3U << 8, kAll);
  core.clockExternalMailbox(0x5A);
  EXPECT_TRUE(core.inta());
  EXPECT_TRUE(core.mailboxFull(4));
  EXPECT_EQ(core.pciPeek(IMB4), 0x5A000000U);
  core.pciWrite(OMB1, 1, kAll);
  core.pciWrite(MCSR, MCSR_MAILBOX_RESET, kAll);
  EXPECT_EQ(core.pciPeek(MBEF), 0U);
  core.pciWrite(OMB1, 1, kAll);
  core.addonWrite(AGCSTS, AGCSTS_MAILBOX_RESET, kAll);
  EXPECT_EQ(core.pciPeek(MBEF), 0U);
}

}  // namespace
}  // namespace rtvp::tigershark::s5933
