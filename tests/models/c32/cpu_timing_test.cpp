// Cycle counts of c32.md section 7: fixed costs, register conflicts, bus occupancy, wait states,
// the closed account.
#include <gtest/gtest.h>

#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using reg::AR0;
using reg::AR1;
using testing::kNop;
using testing::Machine;

constexpr std::uint32_t kExternal = 0x1000;
constexpr std::uint32_t kLoad = 0x0840C000;   // LDI *AR0,R0
constexpr std::uint32_t kStore = 0x1540C100;  // STI R0,*AR1

/// Cycles of `steps` instructions; AR0 and AR1 point outside, unless told otherwise.
Cycle cyclesOf(std::initializer_list<std::uint32_t> code, std::uint64_t steps,
               std::uint32_t pointer = kExternal, CpuConfig config = {}) {
  Machine m(code, config);
  m.cpu.setRegister(AR0, pointer);
  m.cpu.setRegister(AR1, pointer + 8);
  m.cpu.setRegister(reg::SP, 0x87FF80);
  EXPECT_EQ(m.steps(steps), StopReason::Steps) << m.cpu.fault().text;
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
  EXPECT_EQ(m.cpu.statistics().instructions, steps);
  return m.cpu.cycle();
}

TEST(C32Timing, FixedCosts) {
  EXPECT_EQ(cyclesOf({kNop}, 1), 1u);
  EXPECT_EQ(cyclesOf({0x60000000 | kRamBase}, 1), 4u);
  EXPECT_EQ(cyclesOf({0x6A000003}, 1), 4u);
  EXPECT_EQ(cyclesOf({0x6A050003}, 1), 4u);  // BZ not taken: option, default 4
  CpuConfig one;
  one.bcondUntakenCycles = 1;
  EXPECT_EQ(cyclesOf({0x6A050003}, 1, kExternal, one), 1u);
  EXPECT_EQ(cyclesOf({0x61000000 | kRamBase, kNop, kNop, kNop}, 4), 4u);
  EXPECT_EQ(cyclesOf({0x62000000 | (kRamBase + 4), 0, 0, 0, 0x78800000}, 2), 8u);
  EXPECT_EQ(cyclesOf({0x72000003}, 1), 5u);
  EXPECT_EQ(cyclesOf({0x64000000 | (kRamBase + 1), kNop}, 2), 5u);
  EXPECT_EQ(cyclesOf({0x13FB0007, kNop}, 9), 12u);
}

TEST(C32Timing, Case69RegisterConflicts) {
  EXPECT_EQ(cyclesOf({0x50700087, 0x0820FF00}, 2), 4u);  // LDP; LDI @: DP group, 2 stalls
  EXPECT_EQ(cyclesOf({0x08680000, 0x0841C100}, 2, 0x87FF00),
            4u);  // LDI 0,AR0; LDI *AR1: same group
  EXPECT_EQ(cyclesOf({0x08680000, kNop, 0x0841C100}, 3, 0x87FF00), 4u);
  EXPECT_EQ(cyclesOf({0x08680000, kNop, kNop, 0x0841C100}, 4, 0x87FF00), 4u);
  EXPECT_EQ(cyclesOf({0x08402001, 0x08402001}, 2, 0x87FF00), 2u);  // *AR0++ twice: no conflict
  EXPECT_EQ(cyclesOf({0x0874FF00, 0x0F200000}, 2), 4u);            // LDI x,SP; PUSH
  // Reading a pointer as data delays the next address by one (option).
  EXPECT_EQ(cyclesOf({0x0200000A, 0x0841C100}, 2, 0x87FF00), 3u);
  CpuConfig off;
  off.arReadStall = 0;
  EXPECT_EQ(cyclesOf({0x0200000A, 0x0841C100}, 2, 0x87FF00, off), 2u);
}

/// The rows of the table in 7.5.
TEST(C32Timing, ExternalBusOccupancy) {
  const std::uint32_t twoReads = 0xC440C1C0;   // LDF *AR0,R1 || LDF *AR1,R0
  const std::uint32_t twoWrites = 0xC042C1C0;  // STF R1,*AR0 || STF R2,*AR1
  EXPECT_EQ(cyclesOf({kLoad}, 1), 1u);
  EXPECT_EQ(cyclesOf({twoReads}, 1), 2u);
  EXPECT_EQ(cyclesOf({kStore}, 1), 1u);
  EXPECT_EQ(cyclesOf({kStore, kLoad}, 2), 3u);
  EXPECT_EQ(cyclesOf({kStore, kNop, kLoad}, 3), 3u);
  EXPECT_EQ(cyclesOf({twoWrites}, 1), 2u);
  EXPECT_EQ(cyclesOf({twoWrites, kLoad}, 2), 5u);                // bus busy four cycles
  EXPECT_EQ(cyclesOf({kStore, kStore, kStore, kStore}, 4), 6u);  // the last one is still on the bus
}

TEST(C32Timing, ExternalCodeCompetesWithData) {
  const auto external = [](std::initializer_list<std::uint32_t> code, std::uint64_t steps) {
    Machine m;
    m.load(0x2000, code);
    m.cpu.setRegister(AR0, kExternal);
    m.cpu.setRegister(AR1, kExternal + 8);
    m.cpu.setPc(0x2000);
    m.steps(steps);
    EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
    return m.cpu.cycle();
  };
  EXPECT_EQ(external({kNop, kNop, kNop}, 3), 3u);
  EXPECT_EQ(external({kLoad, kNop}, 2), 3u);
  EXPECT_EQ(external({kStore, kNop}, 2), 4u);
  EXPECT_EQ(external({0x13FB0003, kNop, kNop}, 5), 4u + 4u);  // RPTS fetches its word once
}

TEST(C32Timing, WaitStatesByReadyMode) {
  const auto load = [](std::uint32_t control, std::uint32_t externalWait,
                       std::uint32_t address = kExternal) {
    Machine m({kLoad});
    m.cpu.poke(address >= 0x900000 ? 0x808068 : 0x808064, control);
    m.board.externalWait = externalWait;
    m.cpu.setRegister(AR0, address);
    m.steps(1);
    return m.cpu.cycle();
  };
  EXPECT_EQ(load(0x000F0000, 3), 4u);           // external RDY only
  EXPECT_EQ(load(0x000F0008 | 5 << 5, 3), 6u);  // counter only
  EXPECT_EQ(load(0x000F0010 | 5 << 5, 3), 4u);  // either
  EXPECT_EQ(load(0x000F0018 | 5 << 5, 3), 6u);  // both
  EXPECT_EQ(load(0x000F10F8, 0), 8u);           // as reset leaves it
  EXPECT_EQ(load(0x000F0008 | 2 << 5, 0, 0x900000), 3u);
}

TEST(C32Timing, IostrbAndBankSwitch) {
  Machine m({kLoad});
  m.cpu.poke(0x808060, 0x08);
  m.cpu.setRegister(AR0, 0x810000);
  m.steps(1);
  EXPECT_EQ(m.cpu.cycle(), 2u);
  Machine n({kLoad, 0x0840C100, kLoad});
  n.cpu.poke(0x808064, 0x000F0008 | 16 << 8);
  n.cpu.setRegister(AR0, 0x1000);
  n.cpu.setRegister(AR1, 0x2000);
  n.steps(3);
  EXPECT_EQ(n.cpu.cycle(), 5u);  // two crossings
}

TEST(C32Timing, RamBlockHasTwoPorts) {
  const std::uint32_t twoReads = 0xC440C1C0;
  EXPECT_EQ(cyclesOf({twoReads}, 1, 0x87FF00), 1u);  // program in block 0, data in block 1
  EXPECT_EQ(cyclesOf({twoReads}, 1, 0x87FE40), 2u);  // all three in block 0
}

TEST(C32Timing, HeldAccessesAreCountedApart) {
  Machine m({kLoad, kNop});
  m.cpu.setRegister(AR0, kExternal);
  m.board.notBefore = 100;
  m.steps(2);
  EXPECT_EQ(m.cpu.cycle(), 102u);
  EXPECT_EQ(m.cpu.statistics().held, 100u);
  EXPECT_EQ(m.cpu.statistics().busWait, 0u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), 102u);
}

TEST(C32Timing, LowPowerStretchesCycles) {
  Machine m({0x10800001, kNop, 0x10800000, kNop});
  m.steps(4);
  // LOPOWER and the NOP take sixteen each, MAXSPEED itself is fast again.
  EXPECT_EQ(m.cpu.cycle(), 16u + 16u + 1u + 1u);
  EXPECT_EQ(m.cpu.statistics().lowPower, 30u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
}

TEST(C32Timing, HorizonStopsAndResumes) {
  Machine m({kNop, kNop, kNop, 0x60000000 | kRamBase});
  EXPECT_EQ(m.cpu.run(5), StopReason::Horizon);
  EXPECT_EQ(m.cpu.cycle(), 7u);
  EXPECT_EQ(m.cpu.run(5), StopReason::Horizon);
  EXPECT_EQ(m.cpu.cycle(), 7u);
}

}  // namespace
}  // namespace rtvp::c32
