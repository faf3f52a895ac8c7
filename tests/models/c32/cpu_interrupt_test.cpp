// Interrupts, idling and interlocked instructions (c32.md 7.7, 4.5, 9.2).
#include <gtest/gtest.h>

#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::kNop;
using testing::Machine;

constexpr std::uint32_t kIttp = 0x87FE0000;  // vectors in internal RAM, block 0

/// NOPs at the start, a handler RETI at +40h, vectors of INT0-RINT0 at 87FE01h-87FE06h point to it;
/// code from +10h.
struct Interrupts : Machine {
  explicit Interrupts(std::initializer_list<std::uint32_t> code) {
    for (std::uint32_t v = 1; v <= 12; ++v) cpu.poke(kRamBase + v, kRamBase + 0x40);
    load(kRamBase + 0x10, code);
    load(kRamBase + 0x40, {kNop, 0x78000000});
    cpu.setPc(kRamBase + 0x10);
    cpu.setRegister(reg::IF, kIttp);
    cpu.setRegister(reg::SP, 0x87FF80);
  }
};

TEST(C32Interrupt, EntryAndReturn) {
  Interrupts m({kNop, kNop, kNop, kNop, 0x60000000 | (kRamBase + 0x10)});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE | kINTCONFIG | kC);
  m.cpu.setInterruptLine(0, true, 0);
  m.steps(2);  // synchroniser: two cycles
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x12);
  m.steps(1);  // entry, first NOP of the handler
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x41);
  EXPECT_EQ(m.cpu.cycle(), 2u + 5u + 1u);
  EXPECT_EQ(m.r(reg::ST), kINTCONFIG | kC);
  EXPECT_EQ(m.r(reg::IF), kIttp);
  EXPECT_EQ(m.ram(0x181), kRamBase + 0x12);
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x12);
  EXPECT_NE(m.r(reg::ST) & kGIE, 0u);
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, 1u);
  EXPECT_EQ(m.cpu.statistics().interruptEntry, 5u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
}

TEST(C32Interrupt, PriorityIsTheLowestBit) {
  Interrupts m({kNop});
  m.cpu.poke(kRamBase + 3, kRamBase + 0x50);
  m.load(kRamBase + 0x50, {kNop});
  m.cpu.setRegister(reg::IE, 0xC);
  m.cpu.setRegister(reg::IF, kIttp | 0xC);
  m.cpu.setRegister(reg::ST, kGIE);
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x51);
  EXPECT_EQ(m.r(reg::IF), kIttp | 8u);
}

TEST(C32Interrupt, LevelTriggeredStaysPending) {
  Interrupts m({kNop, kNop, kNop, kNop, kNop});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);  // level
  m.cpu.setInterruptLine(0, true, 0);
  m.steps(3);
  EXPECT_EQ(m.r(reg::IF), kIttp | 1u);
  m.cpu.setInterruptLine(0, false, m.cpu.cycle());
  m.steps(1);
}

TEST(C32Interrupt, HeldOffInDelaySlotsAndRpts) {
  Interrupts m({0x61000000 | (kRamBase + 0x20), kNop, kNop, kNop});
  m.load(kRamBase + 0x20, {kNop});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);
  m.steps(1);
  m.cpu.setRegister(reg::IF, kIttp | 1);
  m.steps(3);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x20);  // all three slots ran
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x41);
  EXPECT_EQ(m.ram(0x181), kRamBase + 0x20);

  Interrupts n({0x13FB0005, 0x02600001, kNop});  // RPTS 5: ADDI 1,R0
  n.cpu.setRegister(reg::IE, 1);
  n.cpu.setRegister(reg::ST, kGIE);
  n.steps(1);
  n.cpu.setRegister(reg::IF, kIttp | 1);
  n.steps(6);
  EXPECT_EQ(n.r(0), 6u);
  n.steps(1);
  EXPECT_EQ(n.cpu.pc(), kRamBase + 0x41);
}

TEST(C32Interrupt, RepeatBlockIsInterruptible) {
  Interrupts m({0x64000000 | (kRamBase + 0x12), 0x02600001, 0x02610001, kNop});
  m.cpu.setRegister(reg::RC, 9);
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);
  m.steps(5);
  m.cpu.setRegister(reg::IF, kIttp | 1);
  m.steps(2);  // handler: NOP, RETI
  EXPECT_EQ(m.r(0), 2u);
  m.steps(16);
  EXPECT_EQ(m.r(0), 10u);
  EXPECT_EQ(m.r(1), 10u);
  EXPECT_EQ(m.r(reg::ST) & kRM, 0u);
}

TEST(C32Interrupt, VectorInExternalMemoryIsAnAccess) {
  Interrupts m({kNop});
  m.cpu.setRegister(reg::IF, 1);
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);
  m.board.memory[1] = kRamBase + 0x40;
  m.steps(1);
  ASSERT_EQ(m.board.log.size(), 1u);
  EXPECT_EQ(m.board.log[0].op, BusOp::VectorFetch);
  EXPECT_EQ(m.board.log[0].address, 1u);
}

TEST(C32Interrupt, Case70IdleSetsGieAndWaits) {
  Interrupts m({0x06000000, kNop});
  EXPECT_EQ(m.cpu.run(1000), StopReason::Idle);
  EXPECT_EQ(m.r(reg::ST), kGIE);
  EXPECT_EQ(m.cpu.cycle(), 1u);
  EXPECT_TRUE(m.cpu.idle());
  m.cpu.setRegister(reg::IE, 2);
  m.cpu.setInterruptLine(1, true, 500);
  EXPECT_EQ(m.cpu.run(1000, 1), StopReason::Steps);
  EXPECT_EQ(m.cpu.cycle(), 502u + 5u + 1u);
  EXPECT_EQ(m.ram(0x181), kRamBase + 0x11);
  EXPECT_EQ(m.cpu.statistics().idle, 501u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
}

TEST(C32Interrupt, IdleWithAnEventBeyondTheHorizon) {
  Interrupts m({0x06000000, kNop});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setInterruptLine(0, true, 5000);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Horizon);
  EXPECT_EQ(m.cpu.cycle(), 1u);  // a sleeper keeps its time: an earlier word may still come
  EXPECT_EQ(m.cpu.run(6000, 1), StopReason::Steps);
  EXPECT_EQ(m.cpu.cycle(), 5002u + 6u);
}

TEST(C32Interrupt, Idle2WakesByPinsOnly) {
  Interrupts m({0x06000001, kNop});
  m.cpu.setRegister(reg::IE, 0x3F);
  m.cpu.setRegister(reg::IF, kIttp | 0x20);  // RINT0 does not wake it
  EXPECT_EQ(m.cpu.run(1000), StopReason::Idle);
  m.cpu.setInterruptLine(2, true, 50);
  EXPECT_EQ(m.cpu.run(1000, 1), StopReason::Steps);
}

TEST(C32Interrupt, BlockedEntryContinuesWithTheSameInterrupt) {
  Interrupts m({kNop});
  m.cpu.setRegister(reg::IF, 2);
  m.cpu.setRegister(reg::IE, 3);
  m.cpu.setRegister(reg::ST, kGIE);
  m.board.memory[1] = kRamBase + 0x50;
  m.board.memory[2] = kRamBase + 0x40;
  m.board.onAccess = [](const BusRequest&) {
    return BusReply{.status = BusReply::Status::Blocked};
  };
  EXPECT_EQ(m.steps(1), StopReason::Blocked);
  EXPECT_EQ(m.cpu.pending().request.address, 2u);
  EXPECT_EQ(m.r(reg::SP), 0x87FF80u);
  m.cpu.setRegister(reg::IF, 3);  // a higher one arrives meanwhile
  m.board.onAccess = nullptr;
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x41);
  EXPECT_EQ(m.r(reg::IF), 1u);
}

TEST(C32Interlock, LdfiWaitsForXf1) {
  Machine m({0x07C1C000, kNop});  // LDFI *AR0,R1
  m.cpu.setRegister(reg::AR0, 0x1000);
  m.cpu.setRegister(reg::IOF, 6);  // XF0 output high
  m.board.memory[0x1000] = singleFromDouble(3);
  m.board.onSample = [](Cycle c) { return PinReply{true, false, c < 40}; };
  EXPECT_EQ(m.cpu.run(10), StopReason::Horizon);
  EXPECT_EQ(m.cpu.cycle(), 10u);
  EXPECT_EQ(m.board.xf0, Drive::Low);
  EXPECT_EQ(m.board.drives.size(), 1u);
  EXPECT_EQ(m.cpu.run(100, 1), StopReason::Steps);
  EXPECT_EQ(m.cpu.cycle(), 41u);
  EXPECT_EQ(toDouble(m.cpu.extended(1)), 3.0);
  EXPECT_EQ(m.cpu.statistics().interlockWait, 40u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), 41u);
  EXPECT_EQ(m.board.xf0, Drive::Low);  // stays low until the store
}

TEST(C32Interlock, StoreReleasesAndSigiPulses) {
  Machine m({0x15C1C000, 0x16000000});  // STII R1,*AR0; SIGI
  m.cpu.setRegister(reg::AR0, 0x1000);
  m.cpu.setRegister(reg::IOF, 2);
  m.board.onSample = [](Cycle) { return PinReply{true, false, false}; };
  m.steps(2);
  ASSERT_EQ(m.board.drives.size(), 3u);
  EXPECT_EQ(m.board.drives[0].xf0, Drive::High);
  EXPECT_EQ(m.board.drives[1].xf0, Drive::Low);
  EXPECT_EQ(m.board.drives[2].xf0, Drive::High);
}

TEST(C32Interlock, WaitGivesWayToAnInterrupt) {
  for (const bool allowed : {true, false}) {
    CpuConfig config;
    config.interlockInterruptible = allowed;
    Machine m({}, config);
    m.cpu.poke(kRamBase + 1, kRamBase + 0x40);
    m.load(kRamBase + 0x10, {0x08C1C000, kNop, kNop});  // LDII *AR0,R1
    m.load(kRamBase + 0x40, {kNop, 0x78000000});
    m.cpu.setPc(kRamBase + 0x10);
    m.cpu.setRegister(reg::IF, kIttp);
    m.cpu.setRegister(reg::SP, 0x87FF80);
    m.cpu.setRegister(reg::AR0, 0x1000);
    m.cpu.setRegister(reg::IOF, 6);
    m.cpu.setRegister(reg::IE, 1);
    m.cpu.setRegister(reg::ST, kGIE | kINTCONFIG);
    m.cpu.setRegister(1, 0x77);
    m.cpu.setInterruptLine(0, true, 30);
    m.board.onSample = [](Cycle) { return PinReply{true, true, true, kNever}; };
    if (!allowed) {
      EXPECT_EQ(m.cpu.run(100), StopReason::Horizon);
      EXPECT_EQ(m.cpu.pc(), kRamBase + 0x10);
      EXPECT_EQ(m.cpu.cycle(), 100u);
      continue;
    }
    EXPECT_EQ(m.cpu.run(1000, 2), StopReason::Steps);  // LDII without effect, first of the routine
    EXPECT_EQ(m.cpu.pc(), kRamBase + 0x41);
    EXPECT_EQ(m.ram(0x181), kRamBase + 0x11);  // goes on behind the LDII
    EXPECT_EQ(m.r(1), 0x77u);
    EXPECT_EQ(m.cpu.statistics().interlockWait, 32u);
    EXPECT_EQ(m.cpu.cycle(), 32u + 1u + 5u + 1u);
    EXPECT_EQ(m.board.xf0, Drive::Low);
    EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
  }
}

TEST(C32Interlock, DeadlockIsReportedNotWaitedFor) {
  Machine m({0x16000000});  // SIGI
  m.board.onSample = [](Cycle) { return PinReply{true, true, true, kNever}; };
  EXPECT_EQ(m.cpu.run(kNever), StopReason::Blocked);
  EXPECT_EQ(m.cpu.pending().kind, Pending::Kind::Pins);
  EXPECT_LE(m.board.samples.size(), 2u);
}

TEST(C32Interlock, KnownLevelsAreNotSampledAgain) {
  Machine m({0x16000000});
  m.board.onSample = [](Cycle c) {
    return c < 5000 ? PinReply{true, true, true, 4999} : PinReply{true, true, false, kNever};
  };
  EXPECT_EQ(m.cpu.run(10'000, 1), StopReason::Steps);
  EXPECT_EQ(m.cpu.cycle(), 5001u);
  EXPECT_EQ(m.board.samples.size(), 2u);
}

TEST(C32Interrupt, EdgeTriggeredPinInterruptsOnce) {
  Interrupts m({kNop, kNop, kNop, kNop, kNop, kNop, kNop, kNop, 0x60000000 | (kRamBase + 0x10)});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE | kINTCONFIG);
  m.cpu.setInterruptLine(0, true, 0);
  m.steps(60);
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, 1u);
  m.cpu.setInterruptLine(0, false, m.cpu.cycle());
  m.cpu.setInterruptLine(0, true, m.cpu.cycle() + 4);
  m.steps(60);
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, 2u);
}

TEST(C32Interrupt, LevelTriggeredPinInterruptsWhileLow) {
  Interrupts m({kNop, kNop, kNop, kNop, 0x60000000 | (kRamBase + 0x10)});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);
  m.cpu.setInterruptLine(0, true, 0);
  m.steps(20);
  EXPECT_GT(m.cpu.statistics().interruptsTaken, 5u);
  m.cpu.setInterruptLine(0, false, m.cpu.cycle());
  m.steps(10);
  const std::uint64_t taken = m.cpu.statistics().interruptsTaken;
  m.steps(20);
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, taken);
}

TEST(C32Interrupt, Idle2IgnoresAShortPulse) {
  Interrupts m({0x06000001, kNop});
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setInterruptLine(0, true, 50);
  m.cpu.setInterruptLine(0, false, 51);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Idle);
  m.cpu.setInterruptLine(0, true, 100);
  m.cpu.setInterruptLine(0, false, 102);
  EXPECT_EQ(m.cpu.run(1000, 1), StopReason::Steps);
}

TEST(C32Interrupt, EntryCostAndSynchroniserAreOptions) {
  CpuConfig config;
  config.interruptEntryCycles = 9;
  config.interruptSynchroniserCycles = 0;
  Machine m({}, config);
  m.cpu.poke(kRamBase + 1, kRamBase + 0x40);
  m.load(kRamBase + 0x10, {kNop});
  m.load(kRamBase + 0x40, {kNop});
  m.cpu.setPc(kRamBase + 0x10);
  m.cpu.setRegister(reg::IF, kIttp);
  m.cpu.setRegister(reg::SP, 0x87FF80);
  m.cpu.setRegister(reg::IE, 1);
  m.cpu.setRegister(reg::ST, kGIE);
  m.cpu.setInterruptLine(0, true, 0);
  m.steps(1);
  EXPECT_EQ(m.cpu.cycle(), 9u + 1u);
}

}  // namespace
}  // namespace rtvp::c32
