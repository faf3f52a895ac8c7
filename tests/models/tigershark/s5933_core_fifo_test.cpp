// The S5933's FIFOs, boot memory, bus-master decisions and faults without a simulator (board.md
// section 4).
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/models/tigershark/s5933_core_bench.hpp"

namespace rtvp::tigershark::s5933 {
namespace {

// ---- FIFOs

TEST(S5933Fifo, TS_042_FifoDepthIsAParameter) {
  for (const std::uint32_t depth : {8U, 32U}) {
    S5933Core core(boardConfig(depth));
    for (std::uint32_t i = 0; i < depth; ++i) EXPECT_TRUE(core.pciWrite(FIFO, i, kAll));
    EXPECT_FALSE(core.pciWrite(FIFO, 99, kAll)) << "full: retry";
    for (std::uint32_t i = 0; i < depth; ++i) EXPECT_TRUE(core.a2pPush(i));
    EXPECT_FALSE(core.a2pPush(99));
    EXPECT_EQ(core.totals().a2p_lost, 1U);
    for (std::uint32_t i = 0; i < depth; ++i) {
      EXPECT_EQ(core.p2aPop(), i);
      EXPECT_EQ(core.pciRead(FIFO, kAll), i);
    }
    EXPECT_FALSE(core.pciRead(FIFO, kAll)) << "empty: retry";
    EXPECT_EQ(core.p2a().highWater(), depth);
  }
}

TEST(S5933Fifo, FlagsOfBothSidesAreMirrored) {
  S5933Core core(boardConfig());
  for (std::uint32_t p2a = 0; p2a <= 8; ++p2a) {
    for (std::uint32_t a2p = 0; a2p <= 8; ++a2p) {
      core.reset();
      for (std::uint32_t i = 0; i < p2a; ++i) core.pciWrite(FIFO, i, kAll);
      for (std::uint32_t i = 0; i < a2p; ++i) core.a2pPush(i);
      const std::uint32_t p = (p2a == 0 ? 4U : 0U) | (p2a <= 4 ? 2U : 0U) | (p2a == 8 ? 1U : 0U);
      const std::uint32_t a = (a2p == 0 ? 4U : 0U) | (a2p >= 4 ? 2U : 0U) | (a2p == 8 ? 1U : 0U);
      EXPECT_EQ(core.pciPeek(MCSR) & 0x3F, a << 3 | p);
      EXPECT_EQ(core.addonPeek(AGCSTS) & 0x3F, p << 3 | a);
    }
  }
}

TEST(S5933Fifo, ResetBitsAreMirrored) {
  for (const bool addon : {false, true}) {
    for (const std::uint32_t bit : {1U << 25, 1U << 26}) {
      S5933Core core(boardConfig());
      core.pciWrite(FIFO, 1, kAll);
      core.a2pPush(2);
      if (addon) {
        core.addonWrite(AGCSTS, bit, kAll);
      } else {
        core.pciWrite(MCSR, bit, kAll);
      }
      const bool resets_a2p = addon ? bit == 1U << 25 : bit == 1U << 26;
      EXPECT_EQ(core.a2p().empty(), resets_a2p);
      EXPECT_EQ(core.p2a().empty(), !resets_a2p);
    }
  }
}

TEST(S5933Fifo, ByteLanesAdvance) {
  S5933Core core(boardConfig());
  core.pciWrite(INTCSR, 3U << INTCSR_PCI_ADVANCE_SHIFT | 1U << INTCSR_ADDON_ADVANCE_SHIFT, kAll);
  core.pciWrite(FIFO, 0x0000BBAA, 0x0000FFFF);
  EXPECT_TRUE(core.p2aEmpty()) << "byte 3 advances";
  core.pciWrite(FIFO, 0xDDCC0000, 0xFFFF0000);
  EXPECT_EQ(addonRead(core, AFIFO, 0xFF), 0xDDCCBBAAU);
  EXPECT_FALSE(core.p2aEmpty()) << "on the add-on side byte 1 advances";
  EXPECT_EQ(addonRead(core, AFIFO, 0xFF00), 0xDDCCBBAAU);
  EXPECT_TRUE(core.p2aEmpty());
  core.addonWrite(AFIFO, 0x11, 0xFF);
  core.addonWrite(AFIFO, 0x33222200, 0xFFFFFF00);
  EXPECT_EQ(core.pciRead(FIFO, 0xFF), 0x33222211U);
  EXPECT_EQ(core.a2p().size(), 1U);
  EXPECT_EQ(core.pciRead(FIFO, 0xFF000000), 0x33222211U);
  EXPECT_EQ(core.a2p().size(), 0U);
}

TEST(S5933Fifo, EndianConversion) {
  const std::uint32_t expected[] = {0x11223344, 0x22114433, 0x44332211};
  for (std::uint32_t mode = 0; mode < 3; ++mode) {
    S5933Core core(boardConfig());
    core.pciWrite(INTCSR, mode << INTCSR_ENDIAN_SHIFT, kAll);
    core.pciWrite(FIFO, 0x11223344, kAll);
    EXPECT_EQ(core.p2aPop(), expected[mode]);
    core.a2pPush(0x11223344);
    EXPECT_EQ(core.pciRead(FIFO, kAll), expected[mode]);
  }
  S5933Core core(boardConfig());
  core.pciWrite(INTCSR, INTCSR_ENDIAN, kAll);
  core.pciWrite(FIFO, 0x11223344, kAll);
  EXPECT_TRUE(core.p2aEmpty());
  EXPECT_NE(core.pciPeek(INTCSR) & INTCSR_P2A_TOGGLE, 0U);
  core.pciWrite(FIFO, 0x55667788, kAll);
  EXPECT_EQ(core.p2aPop(), 0x88776655U);
  EXPECT_EQ(core.p2aPop(), 0x44332211U);
  core.a2pPush(0x11223344);
  EXPECT_FALSE(core.pciRead(FIFO, kAll)) << "half a pair";
  core.a2pPush(0x55667788);
  EXPECT_EQ(core.pciRead(FIFO, kAll), 0x88776655U);
  EXPECT_NE(core.pciPeek(INTCSR) & INTCSR_A2P_TOGGLE, 0U);
  EXPECT_EQ(core.pciRead(FIFO, kAll), 0x44332211U);
}

// ---- boot memory access

std::uint8_t nvRead(S5933Core& core, std::uint32_t address) {
  const auto bytes = [&](std::uint32_t command, std::uint32_t data) {
    core.pciWrite(MCSR, command, 0xFF000000);
    core.pciWrite(MCSR, data << 16, 0x00FF0000);
  };
  bytes(MCSR_NV_LOAD_LOW, address & 0xFF);
  bytes(MCSR_NV_LOAD_HIGH, address >> 8);
  core.pciWrite(MCSR, MCSR_NV_READ, 0xFF000000);
  EXPECT_EQ(core.pciPeek(MCSR) & MCSR_NV_START, 0U) << "not busy";
  return static_cast<std::uint8_t>(core.pciPeek(MCSR) >> 16);
}

TEST(S5933BootMemory, DriversReadAndWriteIt) {
  S5933Core core(boardConfig());
  EXPECT_EQ(nvRead(core, 0x40), 0xE8);
  EXPECT_EQ(nvRead(core, 0x41), 0x10);
  core.pciWrite(MCSR, MCSR_NV_LOAD_LOW | 0x7CU << 16, 0xFFFF0000);
  core.pciWrite(MCSR, MCSR_NV_LOAD_HIGH, 0xFFFF0000);
  core.pciWrite(MCSR, MCSR_NV_WRITE | 0x0AU << 16, 0xFFFF0000);
  EXPECT_EQ(nvRead(core, 0x7C), 0x0A);
  core.reset();
  EXPECT_EQ(core.configRead(0x3C) & 0xFF, 0x0AU) << "the next reset boots it";
  nvRead(core, 0x1000);
  EXPECT_NE(core.pciPeek(MCSR) & MCSR_NV_FAIL, 0U) << "beyond the part";
  nvRead(core, 0x40);
  EXPECT_EQ(core.pciPeek(MCSR) & MCSR_NV_FAIL, 0U);
}

// ---- bus master

TEST(S5933Master, TS_043_NeedsEveryEnable) {
  S5933Core core(boardConfig());
  core.pciWrite(MRTC, 16, kAll);
  core.pciWrite(MCSR, MCSR_READ_ENABLE, kAll);
  EXPECT_FALSE(core.request()) << "command register";
  core.configWrite(CFG_COMMAND, COMMAND_MASTER, 0xFFFF);
  EXPECT_EQ(core.request(), Direction::Read);
  core.pciWrite(MCSR, 0, kAll);
  EXPECT_FALSE(core.request());
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE, kAll);
  core.pciWrite(MWTC, 8, kAll);
  EXPECT_FALSE(core.request()) << "nothing to write";
  core.a2pPush(1);
  EXPECT_EQ(core.request(), Direction::Write);
}

TEST(S5933Master, TS_043_CountsAreBytesAndEndInAnInterrupt) {
  S5933Core core = masterCore();
  core.pciWrite(INTCSR, INTCSR_READ_ENABLE, kAll);
  core.addonWrite(AINT, AINT_READ_ENABLE, kAll);
  core.pciWrite(MRAR, 0x1003, kAll);
  core.pciWrite(MRTC, 10, kAll);
  core.pciWrite(MCSR, MCSR_READ_ENABLE, kAll);
  EXPECT_EQ(core.masterAddress(Direction::Read), 0x1000U) << "dword aligned";
  EXPECT_EQ(core.burstWords(Direction::Read), 3U);
  EXPECT_EQ(core.phaseBytes(Direction::Read, 1), 4U);
  EXPECT_EQ(core.phaseBytes(Direction::Read, 2), 2U);
  transfer(core, Direction::Read, 2);
  EXPECT_EQ(core.pciPeek(MRTC), 2U);
  EXPECT_EQ(core.pciPeek(MRAR), 0x1008U);
  EXPECT_FALSE(core.inta());
  transfer(core, Direction::Read, 1);
  EXPECT_EQ(core.pciPeek(MRTC), 0U);
  EXPECT_NE(core.pciPeek(MCSR) & MCSR_P2A_COUNT_ZERO, 0U);
  EXPECT_TRUE(core.inta());
  EXPECT_TRUE(core.irq());
  EXPECT_FALSE(core.request());
  core.pciWrite(INTCSR, INTCSR_READ_INT, 0x00FF0000);
  EXPECT_FALSE(core.inta());
  core.pciWrite(MRTC, kAll, kAll);
  EXPECT_EQ(core.pciPeek(MRTC), 0x03FFFFFFU) << "26 bits";
}

TEST(S5933Master, FourOrMoreSchemesAndResidue) {
  for (const bool fault : {false, true}) {
    CoreConfig config = boardConfig();
    config.faults.residue = fault;
    S5933Core core = masterCore(config);
    core.pciWrite(MCSR, MCSR_WRITE_ENABLE | MCSR_WRITE_4PLUS, kAll);
    core.pciWrite(MWTC, 24, kAll);
    for (std::uint32_t i = 0; i < 3; ++i) core.a2pPush(i);
    EXPECT_FALSE(core.request()) << "three words of six";
    core.a2pPush(3);
    EXPECT_EQ(core.request(), Direction::Write);
    transfer(core, Direction::Write, 4);
    core.a2pPush(4);
    core.a2pPush(5);
    EXPECT_EQ(core.request().has_value(), !fault) << "F4 keeps the tail";
    core.pciWrite(MCSR, MCSR_WRITE_ENABLE, kAll);
    EXPECT_EQ(core.request(), Direction::Write) << "until the scheme changes";
  }
  S5933Core core = masterCore();
  core.pciWrite(MCSR, MCSR_READ_ENABLE | MCSR_READ_4PLUS, kAll);
  core.pciWrite(MRTC, 400, kAll);
  transfer(core, Direction::Read, 8);
  for (int i = 0; i < 3; ++i) core.p2aPop();
  EXPECT_FALSE(core.request());
  core.p2aPop();
  EXPECT_EQ(core.request(), Direction::Read);
}

TEST(S5933Master, PriorityBits) {
  S5933Core core = masterCore();
  core.pciWrite(MRTC, 4000, kAll);
  core.pciWrite(MWTC, 4000, kAll);
  core.a2pPush(0);
  core.a2pPush(0);
  const std::uint32_t both = MCSR_READ_ENABLE | MCSR_WRITE_ENABLE;
  core.pciWrite(MCSR, both | MCSR_READ_PRIORITY, kAll);
  EXPECT_EQ(core.request(), Direction::Read);
  core.pciWrite(MCSR, both | MCSR_WRITE_PRIORITY, kAll);
  EXPECT_EQ(core.request(), Direction::Write);
  core.pciWrite(MCSR, both, kAll);
  EXPECT_EQ(core.request(), Direction::Read);
  transfer(core, Direction::Read, 1);
  EXPECT_EQ(core.request(), Direction::Write) << "in turn";
}

TEST(S5933Master, AbortsStopAndInterruptOnlyWithACountInterruptEnabled) {
  for (const bool master_abort : {false, true}) {
    S5933Core core = masterCore();
    core.pciWrite(MCSR, MCSR_READ_ENABLE, kAll);
    core.pciWrite(MRTC, 64, kAll);
    core.abortTransfer(Direction::Read, master_abort);
    EXPECT_FALSE(core.request());
    EXPECT_FALSE(core.inta());
    core.pciWrite(INTCSR, INTCSR_WRITE_ENABLE, 0xFFFF);
    EXPECT_TRUE(core.inta());
    const std::uint32_t bit = master_abort ? INTCSR_MASTER_ABORT : INTCSR_TARGET_ABORT;
    EXPECT_EQ(core.pciPeek(INTCSR) & (INTCSR_MASTER_ABORT | INTCSR_TARGET_ABORT), bit);
    EXPECT_NE(core.addonPeek(AINT) & AINT_MASTER_ERROR, 0U);
    core.pciWrite(INTCSR, bit, 0x00FF0000);
    EXPECT_FALSE(core.inta());
    EXPECT_EQ(core.pciPeek(MRTC), 64U) << "the count tells how far it got";
  }
}

TEST(S5933Master, AddOnInitiatedTransfers) {
  NvConfig nv;
  nv.counts_on_pci = false;
  CoreConfig config;
  config.boot_memory = makeNvImage(nv);
  S5933Core core = masterCore(config);
  core.pciWrite(MRAR, 0x4000, kAll);
  EXPECT_EQ(core.pciPeek(MRAR), 0U) << "the add-on owns it";
  core.addonWrite(AMRAR, 0x4000, kAll);
  core.addonWrite(AMRTC, 8, kAll);
  EXPECT_EQ(core.pciPeek(MRAR), 0x4000U);
  EXPECT_FALSE(core.request());
  core.setMasterPins(true, false);
  EXPECT_EQ(core.burstWords(Direction::Read), 8U) << "not counting: the FIFO is the limit";
  core.addonWrite(AGCSTS, AGCSTS_COUNT_ENABLE, kAll);
  EXPECT_EQ(core.burstWords(Direction::Read), 2U);
  core.addonWrite(AINT, AINT_READ_ENABLE, kAll);
  transfer(core, Direction::Read, 2);
  EXPECT_TRUE(core.irq());
  EXPECT_FALSE(core.request());
}

TEST(S5933Master, AFifoResetDuringABurstIsSafe) {
  S5933Core core = masterCore();
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE, kAll);
  core.pciWrite(MWTC, 400, kAll);
  for (std::uint32_t i = 0; i < 5; ++i) core.a2pPush(i);
  std::uint32_t data[5];
  core.beginPiece(Direction::Write, 5, data);
  EXPECT_FALSE(core.pciRead(FIFO, kAll)) << "the port waits while a burst has the words";
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE | MCSR_A2P_RESET, kAll);
  core.a2pPush(77);
  core.endPiece(Direction::Write, 5, data);
  EXPECT_EQ(core.a2p().size(), 1U);
  EXPECT_EQ(core.pciRead(FIFO, kAll), 77U);
}

// ---- field faults

TEST(S5933Faults, TS_048_F1_DirectStrobesBroken) {
  CoreConfig config = boardConfig();
  config.faults.fifo_strobe_broken = true;
  S5933Core core(config);
  core.pciWrite(FIFO, 5, kAll);
  EXPECT_NE(core.p2aPop(), 5U);
  EXPECT_FALSE(core.p2aEmpty());
  EXPECT_EQ(addonRead(core, AFIFO), 5U);
  EXPECT_FALSE(core.a2pPush(1));
  core.addonWrite(AFIFO, 1, kAll);
  EXPECT_EQ(core.pciRead(FIFO, kAll), 1U);
}

TEST(S5933Faults, TS_048_F2_DisablingInMidTransferHangs) {
  CoreConfig config = boardConfig();
  config.faults.hang_on_disable = true;
  S5933Core core = masterCore(config);
  core.pciWrite(MWTC, 16, kAll);
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE, kAll);
  core.a2pPush(1);
  core.pciWrite(MCSR, 0, kAll);
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE, kAll);
  EXPECT_TRUE(core.hung());
  EXPECT_FALSE(core.request());
  core.pciWrite(MCSR, MCSR_WRITE_ENABLE | MCSR_ADDON_RESET, kAll);
  EXPECT_TRUE(core.request());
  core.pciWrite(MWTC, 0, kAll);
  core.pciWrite(MCSR, 0, kAll);
  EXPECT_FALSE(core.hung()) << "the careful driver waits for a count of zero";
}

TEST(S5933Faults, TS_048_F3_FlagResetLeavesOldWords) {
  CoreConfig config = boardConfig();
  config.faults.stale_words = true;
  S5933Core core(config);
  core.a2pPush(1);
  core.a2pPush(2);
  core.pciWrite(MCSR, MCSR_A2P_RESET, kAll);
  EXPECT_NE(core.pciPeek(MCSR) & MCSR_A2P_EMPTY, 0U);
  for (std::uint32_t i = 10; i < 14; ++i) core.a2pPush(i);
  for (const std::uint32_t word : {1U, 2U, 10U, 11U}) EXPECT_EQ(core.pciRead(FIFO, kAll), word);
  EXPECT_TRUE(core.a2p().empty()) << "everything is shifted by two";
  // the careful driver reads the FIFO dry before it starts
  while (core.pciRead(FIFO, kAll)) continue;
  core.a2pPush(20);
  EXPECT_EQ(core.pciRead(FIFO, kAll), 20U);
}

TEST(S5933Faults, TS_048_F5_F6_F7_F8) {
  CoreConfig config = boardConfig();
  config.faults.target_read_hang = 3;
  S5933Core hang(config);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(hang.pciRead(MBEF, kAll));
  EXPECT_FALSE(hang.pciRead(MBEF, kAll));

  config = boardConfig();
  config.faults.master_read_hang = 4;
  S5933Core stall = masterCore(config);
  stall.pciWrite(MRTC, 4000, kAll);
  stall.pciWrite(MCSR, MCSR_READ_ENABLE, kAll);
  transfer(stall, Direction::Read, 4);
  EXPECT_FALSE(stall.request());
  stall.reset();
  EXPECT_FALSE(stall.hung());

  config = boardConfig();
  config.faults.nv_fail = true;
  S5933Core nv(config);
  nvRead(nv, 0x40);
  EXPECT_NE(nv.pciPeek(MCSR) & MCSR_NV_FAIL, 0U);

  config = boardConfig();
  config.faults.mailbox_interrupt_stuck = true;
  S5933Core stuck(config);
  stuck.pciWrite(INTCSR, INTCSR_IN_ENABLE, kAll);
  stuck.addonWrite(AOMB1, 1, kAll);
  stuck.pciWrite(INTCSR, INTCSR_IN_INT, 0x00FF0000);
  EXPECT_TRUE(stuck.inta()) << "cleared without reading: it comes back";
  static_cast<void>(stuck.pciRead(IMB1, kAll));
  stuck.pciWrite(INTCSR, INTCSR_IN_INT, 0x00FF0000);
  EXPECT_FALSE(stuck.inta());
}

// ---- robustness

TEST(S5933Random, PeeksHaveNoSideEffects) {
  S5933Core core = masterCore();
  core.pciWrite(OMB1, 1, kAll);
  core.addonWrite(AOMB1, 1, kAll);
  core.pciWrite(FIFO, 1, kAll);
  core.a2pPush(2);
  const std::string before = core.dump();
  for (std::uint32_t offset = 0; offset < 0x100; offset += 4) {
    static_cast<void>(core.pciPeek(offset));
    static_cast<void>(core.addonPeek(offset));
    static_cast<void>(core.configRead(offset));
  }
  EXPECT_EQ(core.dump(), before);
  EXPECT_EQ(core.p2a().size() + core.a2p().size(), 2U);
}

TEST(S5933Random, AnyRegisterTrafficKeepsTheInvariants) {
  constexpr unsigned kSeed = 19960514;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (int round = 0; round < 16; ++round) {
    CoreConfig config = boardConfig((round & 1) != 0 ? 8 : 32);
    config.faults.stale_words = (round & 2) != 0;
    config.faults.hang_on_disable = (round & 4) != 0;
    config.faults.mailbox_interrupt_stuck = (round & 8) != 0;
    S5933Core core = masterCore(config);
    std::vector<std::uint32_t> data(64);
    for (int i = 0; i < 20000; ++i) {
      const std::uint32_t offset = word() & 0x7C;
      const std::uint32_t mask =
          ((word() & 1) * 0xFFU) | ((word() & 1) * 0xFF00U) | ((word() & 1) * 0xFFFF0000U);
      std::uint32_t value = 0;
      switch (random() % 9) {
        case 0:
          static_cast<void>(core.pciWrite(offset & 0x3C, word(), mask));
          break;
        case 1:
          static_cast<void>(core.pciRead(offset & 0x3C, mask));
          break;
        case 2:
          core.addonWrite(offset, word(), mask);
          break;
        case 3:
          core.addonRead(offset, mask, value);
          break;
        case 4:
          core.a2pPush(word());
          break;
        case 5:
          core.p2aPop();
          break;
        case 6:
          core.configWrite(offset, word() | (offset == 4 ? 7 : 0), mask);
          break;
        case 7:
          core.clockExternalMailbox(static_cast<std::uint8_t>(word()));
          break;
        default:
          if (const auto direction = core.request()) {
            const std::uint32_t words = core.burstWords(*direction);
            ASSERT_GT(words, 0U);
            ASSERT_LE(words, config.fifo_depth + 1);
            core.beginPiece(*direction, words, data.data());
            if ((word() & 3) == 0) static_cast<void>(core.pciWrite(MCSR, word(), kAll));
            if ((word() & 7) == 0) core.abortTransfer(*direction, (word() & 1) != 0);
            core.endPiece(*direction, word() % (words + 1), data.data());
          }
      }
      ASSERT_LE(core.p2a().size(), config.fifo_depth);
      ASSERT_LE(core.a2p().size(), config.fifo_depth);
      ASSERT_EQ(core.pciPeek(MRAR) & 3, 0U);
      ASSERT_EQ(core.pciPeek(MWTC) >> 26, 0U);
      ASSERT_EQ((core.pciPeek(INTCSR) & INTCSR_ASSERTED) != 0, core.inta());
    }
  }
}

}  // namespace
}  // namespace rtvp::tigershark::s5933
