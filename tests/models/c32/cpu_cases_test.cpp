// Corner cases of c32.md section 11 that need a processor (numbers in the test names), and the
// ISA's side effects.
#include <gtest/gtest.h>

#include "models/c32/decode.hpp"
#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::kNop;
using testing::Machine;

constexpr std::uint32_t kData = 0x87FF00;  // block 1
using reg::AR0;
using reg::AR1;

TEST(C32Cpu, Case21And22FixDestinations) {
  Machine m({0x05080001, 0x05020001});  // FIX R1,AR0; FIX R1,R2
  m.cpu.setExtended(1, extendedFromDouble(0.5));
  m.cpu.setExtended(2, {0x33, 0});
  m.cpu.setRegister(reg::ST, kN | kC);
  m.steps(1);
  EXPECT_EQ(m.r(AR0), 0u);
  EXPECT_EQ(m.r(reg::ST), kN | kC);
  m.steps(1);
  EXPECT_EQ(m.cpu.extended(2), (Float40{0x33, 0}));
  EXPECT_EQ(m.r(reg::ST), kZ | kC);
}

TEST(C32Cpu, Case29CompareThenBranchLess) {
  Machine m({0x04E00001, 0x6A070005});  // CMPI 1,R0; BLT +5
  m.cpu.setRegister(0, 0x80000000);
  m.steps(2);
  EXPECT_EQ(m.r(reg::ST), kN | kV | kLV);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 7);
}

TEST(C32Cpu, Cases44To46) {
  Machine m({0x02680001, 0x08600000, 0x07608000, 0x1540C100});
  m.cpu.setRegister(AR0, 0xFFFFFFFF);
  m.cpu.setRegister(AR1, kData);
  m.cpu.setExtended(0, {0x12, 5});
  m.steps(1);  // ADDI 1,AR0
  EXPECT_EQ(m.r(AR0), 0u);
  EXPECT_EQ(m.r(reg::ST), 0u);
  m.steps(1);  // LDI 0,R0
  EXPECT_EQ(m.cpu.extended(0), (Float40{0x12, 0}));
  EXPECT_EQ(m.r(reg::ST), kZ);
  m.cpu.setRegister(0, 7);
  m.steps(2);  // LDF 0.0,R0; STI R0,*AR1
  EXPECT_EQ(m.ram(0x100), 0u);
}

TEST(C32Cpu, Case47ZeroWordIsOne) {
  Machine m({0x0740C000});  // LDF *AR0,R0
  m.cpu.setRegister(AR0, kData);
  m.steps(1);
  EXPECT_EQ(m.cpu.extended(0), (Float40{0, 0}));
  EXPECT_EQ(m.r(reg::ST), 0u);
}

TEST(C32Cpu, Case48PushPopPairs) {
  Machine m({0x0F200000, 0x0FA00000, 0x0EA00000, 0x0E200000});
  m.cpu.setRegister(reg::SP, kData);
  const Float40 x{5, 0x12345678};
  m.cpu.setExtended(0, x);
  m.steps(2);
  m.cpu.setExtended(0, {});
  m.steps(2);
  EXPECT_EQ(m.cpu.extended(0), x);
  EXPECT_EQ(m.r(reg::SP), kData);
}

TEST(C32Cpu, Cases49And50CallAndReturn) {
  Machine m({0x62000000 | (kRamBase + 8)});
  m.load(kRamBase + 8, {0x78800000});
  m.cpu.setRegister(reg::SP, kData);
  m.steps(1);
  EXPECT_EQ(m.ram(0x101), kRamBase + 1);
  EXPECT_EQ(m.r(reg::SP), kData + 1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 8);
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 1);
  EXPECT_EQ(m.r(reg::SP), kData);
}

TEST(C32Cpu, Cases51And52RepeatOnce) {
  // RPTB to the second word after; body of two ADDI 1,R0.
  Machine m(
      {0x64000000 | (kRamBase + 2), 0x02600001, 0x02600001, kNop, 0x13FB0000, 0x02600010, kNop});
  m.steps(4);
  EXPECT_EQ(m.r(0), 2u);
  EXPECT_EQ(m.r(reg::RC), 0xFFFFFFFFu);
  EXPECT_EQ(m.r(reg::ST) & kRM, 0u);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 4);
  m.steps(2);  // RPTS 0 and the word
  EXPECT_EQ(m.r(0), 18u);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 6);
}

TEST(C32Cpu, RepeatBlockRunsCountPlusOne) {
  Machine m({0x087B0004, 0x64000000 | (kRamBase + 3), 0x02600001, 0x02610001, kNop});  // LDI 4,RC
  m.steps(2 + 10);
  EXPECT_EQ(m.r(0), 5u);
  EXPECT_EQ(m.r(1), 5u);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 4);
}

TEST(C32Cpu, Case53RmStaysClear) {
  Machine m({0x0E350000});  // POP ST
  m.load(kData, {kRM | kC});
  m.cpu.setRegister(reg::SP, kData);
  m.steps(1);
  EXPECT_EQ(m.r(reg::ST), kC);
}

TEST(C32Cpu, Cases54To56DecrementAndBranch) {
  Machine m({0x6E000005});  // DBU AR0,+5
  m.steps(1);
  EXPECT_EQ(m.r(AR0), 0x00FFFFFFu);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 1);
  Machine n({0x6E000005});
  n.cpu.setRegister(AR0, 0x12000001);
  n.steps(1);
  EXPECT_EQ(n.r(AR0), 0x12000000u);
  EXPECT_EQ(n.cpu.pc(), kRamBase + 6);
  Machine o({0x6E060005});  // DBNZ
  o.cpu.setRegister(AR0, 5);
  o.cpu.setRegister(reg::ST, kZ);
  o.steps(1);
  EXPECT_EQ(o.r(AR0), 4u);
  EXPECT_EQ(o.cpu.pc(), kRamBase + 1);
}

TEST(C32Cpu, Case57DelaySlotsAfterTheDecision) {
  // BZD +5 (to PC+8) with Z set; the slots clear Z and count.
  Machine m({0x6A250005, 0x08600001, 0x02610001, 0x02610001, 0x02610001});
  m.cpu.setRegister(reg::ST, kZ);
  m.steps(4);
  EXPECT_EQ(m.r(1), 2u);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 8);
}

TEST(C32Cpu, Case58BranchInDelaySlotIsAFault) {
  Machine m({0x61000000 | (kRamBase + 20), kNop, 0x60000000, kNop});
  EXPECT_EQ(m.steps(10), StopReason::Fault);
  EXPECT_EQ(m.cpu.fault().kind, Fault::Kind::IllegalDelaySlot);
  EXPECT_EQ(m.cpu.fault().pc, kRamBase + 2);
  EXPECT_EQ(m.cpu.fault().word, 0x60000000u);
  EXPECT_EQ(m.steps(1), StopReason::Fault);  // sticky
}

TEST(C32Cpu, Case59FalseConditionalLoadStillReads) {
  Machine m({0x52C02001});           // LDIZ *AR0++,R0 with Z = 0
  m.cpu.setRegister(AR0, 0x001000);  // external: the read shows
  m.cpu.setRegister(0, 99);
  m.steps(1);
  EXPECT_EQ(m.r(AR0), 0x001001u);
  EXPECT_EQ(m.r(0), 99u);
  ASSERT_EQ(m.board.log.size(), 1u);
  EXPECT_EQ(m.board.log[0].address, 0x001000u);
}

TEST(C32Cpu, Cases60To62Circular) {
  const auto circular = [](std::uint32_t bk, std::uint32_t ar, std::uint32_t step) {
    Machine m({0x08413000 | step});  // LDI *AR0++(step)%,R1
    m.cpu.setRegister(reg::BK, bk);
    m.cpu.setRegister(AR0, ar);
    m.steps(1);
    EXPECT_EQ(m.board.log.at(0).address, ar);
    return m.r(AR0);
  };
  EXPECT_EQ(circular(6, 0x1005, 3), 0x1002u);
  EXPECT_EQ(circular(8, 0x1005, 20), 0x1001u);
  EXPECT_EQ(circular(32, 0x1000 + 31, 1), 0x1000u);
  EXPECT_EQ(circular(32, 0x1040 + 30, 1), 0x1040u + 31);
  EXPECT_EQ(circular(0, 0x1005, 3), 0x1005u);
}

TEST(C32Cpu, BitReversedAddressing) {
  Machine m({0x0841C800, 0x60000000 | kRamBase});  // LDI *AR0++(IR0)B,R1; BR
  m.cpu.setRegister(reg::IR0, 4);
  m.cpu.setRegister(AR0, 0x60);
  std::vector<std::uint32_t> seen;
  for (int i = 0; i < 9; ++i) {
    m.steps(2);
    seen.push_back(m.board.log.back().address);
  }
  EXPECT_EQ(seen,
            (std::vector<std::uint32_t>{0x60, 0x64, 0x62, 0x66, 0x61, 0x65, 0x63, 0x67, 0x60}));
}

TEST(C32Cpu, Case63TrapAndReturn) {
  Machine m({0x74000023});
  m.board.memory[0x23] = kRamBase + 16;
  m.load(kRamBase + 16, {0x78000000});
  m.cpu.setRegister(reg::SP, kData);
  m.cpu.setRegister(reg::ST, kGIE | kC);
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 16);
  EXPECT_EQ(m.r(reg::ST), kC);
  EXPECT_EQ(m.board.log.back().op, BusOp::VectorFetch);
  m.steps(1);
  EXPECT_EQ(m.cpu.pc(), kRamBase + 1);
  EXPECT_EQ(m.r(reg::ST), kGIE | kC);
}

TEST(C32Cpu, Cases64And65Immediates) {
  Machine m({0x02E08000, 0x08618000});  // AND 8000h,R0; LDI 8000h,R1
  m.cpu.setRegister(0, 0xFFFFFFFF);
  m.steps(2);
  EXPECT_EQ(m.r(0), 0x8000u);
  EXPECT_EQ(m.r(1), 0xFFFF8000u);
}

TEST(C32Cpu, Cases67And68ParallelReadsBeforeWrites) {
  // ADDF3 *AR0,R0,R1 || STF R1,*AR1
  Machine m({0xCC41C1C0});
  m.cpu.setRegister(AR0, kData);
  m.cpu.setRegister(AR1, kData + 1);
  m.cpu.setExtended(0, extendedFromDouble(2));
  m.cpu.setExtended(1, extendedFromDouble(5));
  m.load(kData, {singleFromDouble(3)});
  m.steps(1);
  EXPECT_EQ(m.ram(0x101), singleFromDouble(5));
  EXPECT_EQ(toDouble(m.cpu.extended(1)), 5.0);
  // MPYF3 *AR0++,*AR1++,R0 || ADDF3 R0,R2,R2
  Machine n({0x80102120});
  n.cpu.setRegister(AR0, kData);
  n.cpu.setRegister(AR1, kData + 1);
  n.load(kData, {singleFromDouble(3), singleFromDouble(4)});
  n.cpu.setExtended(0, extendedFromDouble(10));
  n.cpu.setExtended(2, extendedFromDouble(1));
  n.steps(1);
  EXPECT_EQ(toDouble(n.cpu.extended(0)), 12.0);
  EXPECT_EQ(toDouble(n.cpu.extended(2)), 11.0);
}

TEST(C32Cpu, Cases72And74) {
  Machine m({0x0940C000, 0x12600001});  // LDM *AR0,R0; ROLC R0
  m.cpu.setRegister(AR0, kData);
  m.cpu.setExtended(0, {7, 0});
  m.load(kData, {0x12345678});
  m.steps(1);
  EXPECT_EQ(m.cpu.extended(0), (Float40{7, 0x12345678}));
  m.cpu.setRegister(0, 0x80000000);
  m.steps(1);
  EXPECT_EQ(m.r(0), 0u);
  EXPECT_EQ(m.r(reg::ST), kZ | kC);
}

TEST(C32Cpu, Case75PinsAndIof) {
  Machine m({0x08780002, 0x08780000, 0x087800FF, 0x08000018, 0x1A780008});
  m.steps(1);  // LDI 2,IOF: XF0 low
  ASSERT_EQ(m.board.drives.size(), 1u);
  EXPECT_EQ(m.board.drives[0].xf0, Drive::Low);
  EXPECT_EQ(m.board.drives[0].cycle, 0u);
  m.steps(1);  // release
  EXPECT_EQ(m.board.drives.back().xf0, Drive::Released);
  m.steps(1);  // all ones: only the four writable bits stay
  EXPECT_EQ(m.r(reg::IOF), 0x66u);
  EXPECT_EQ(m.board.xf1, Drive::High);
  EXPECT_TRUE(m.board.samples.empty());
  m.board.onSample = [](Cycle) { return PinReply{true, true, false}; };
  m.steps(1);  // LDI IOF,R0
  EXPECT_EQ(m.r(0), 0x6Eu);
  EXPECT_EQ(m.board.samples, (std::vector<Cycle>{3}));
  m.steps(1);  // TSTB 8,IOF: flags for any register
  EXPECT_EQ(m.r(reg::ST) & kZ, 0u);
}

TEST(C32Cpu, EarlyPointerUpdateIsSeenByRegisterOperands) {
  // ADDI3 AR3,*AR3++,R2: the register operand is the incremented AR3 (6.2). Then STI AR0,*AR0++.
  Machine m({0x2122230B, 0x15482001});
  m.load(kData, {100});
  m.cpu.setRegister(reg::AR3, kData);
  m.cpu.setRegister(AR0, kData + 5);
  m.steps(2);
  EXPECT_EQ(m.r(2), kData + 1 + 100);
  EXPECT_EQ(m.ram(0x105), kData + 6);
}

TEST(C32Cpu, StatusOverflowModeAndSticky) {
  Machine m({0x08750080, 0x02600001, 0x08750000, 0x02600001});  // LDI 80h,ST; ADDI 1,R0 ...
  m.cpu.setRegister(0, 0x7FFFFFFF);
  m.steps(2);
  EXPECT_EQ(m.r(0), 0x7FFFFFFFu);
  EXPECT_EQ(m.r(reg::ST), kOVM | kV | kLV);
  m.steps(2);
  EXPECT_EQ(m.r(0), 0x80000000u);
}

TEST(C32Cpu, UndefinedWordsFault) {
  testing::Random random(32);
  int undefined = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t word = random();
    if (decode(word)) continue;
    ++undefined;
    Machine m({word});
    EXPECT_EQ(m.steps(1), StopReason::Fault) << std::hex << word;
    EXPECT_EQ(m.cpu.fault().kind, Fault::Kind::UndefinedOpcode);
    EXPECT_EQ(m.cpu.fault().word, word);
    EXPECT_EQ(m.cpu.pc(), kRamBase);
    EXPECT_FALSE(m.cpu.fault().text.empty());
  }
  EXPECT_GT(undefined, 100);
}

TEST(C32Cpu, ReservedSpaceAndBusErrors) {
  Machine m({0x0840C000});  // LDI *AR0,R0
  m.cpu.setRegister(AR0, 0x830000);
  EXPECT_EQ(m.steps(1), StopReason::Fault);
  EXPECT_EQ(m.cpu.fault().kind, Fault::Kind::BusError);
  EXPECT_EQ(m.cpu.fault().address, 0x830000u);
  Machine n({0x0840C000});
  n.board.onAccess = [](const BusRequest&) { return BusReply{.status = BusReply::Status::Error}; };
  EXPECT_EQ(n.steps(1), StopReason::Fault);
  Machine o({0x60808000});  // into the peripherals
  EXPECT_EQ(o.steps(2), StopReason::Fault);
  Machine p({0x66000000});
  EXPECT_EQ(p.steps(1), StopReason::Fault);
  EXPECT_EQ(p.cpu.fault().kind, Fault::Kind::SoftwareInterrupt);
}

TEST(C32Cpu, ResetFetchesTheVector) {
  testing::FakeBoard board;
  board.memory[0] = 0x100;
  board.memory[0x100] = kNop;
  Cpu cpu(CpuConfig{}, board);
  cpu.reset(1000);
  EXPECT_EQ(cpu.run(kNever, 1), StopReason::Steps);
  ASSERT_EQ(board.log.size(), 2u);
  EXPECT_EQ(board.log[0].op, BusOp::VectorFetch);
  EXPECT_EQ(board.log[0].cycle, 1010u);
  EXPECT_EQ(board.log[1].address, 0x100u);
  EXPECT_EQ(cpu.pc(), 0x101u);
  EXPECT_EQ(cpu.statistics().totalCycles(), cpu.cycle() - 1000);
}

TEST(C32Cpu, SelfModifyingInternalCodeIsSeen) {
  // STI R0,*AR0 rewrites the word after the next one, which has run before.
  Machine m({0x1540C000, kNop, kNop, 0x60000000 | kRamBase});
  m.cpu.setRegister(AR0, kRamBase + 2);
  m.cpu.setRegister(0, kNop);
  m.steps(4);
  m.cpu.setRegister(0, 0x08610007);  // LDI 7,R1
  m.steps(3);
  EXPECT_EQ(m.r(1), 7u);
}

TEST(C32Cpu, SixteenBitExternalData) {
  // c32.md 2.5: location holds 0180h; ADDI gives 180h, ADDF reads -4.0.
  Machine m({0x0241C000, 0x01C2C000});  // ADDI *AR0,R1; ADDF *AR0,R2
  m.cpu.poke(0x808064, 0x00050008);     // 16-bit data in 16-bit memory
  m.board.memory[0x1000] = 0x0180;
  m.cpu.setRegister(AR0, 0x1000);
  m.cpu.setExtended(2, {0, 0});
  m.steps(2);
  EXPECT_EQ(m.r(1), 0x180u);
  EXPECT_EQ(m.cpu.extended(2), (Float40{1, 0xC0000000}));
}

/// Whatever the words, the engine stays inside its bounds: every run ends as a documented stop.
TEST(C32Cpu, RandomWordsNeverBreakTheEngine) {
  testing::Random random(1996);
  for (int round = 0; round < 400; ++round) {
    Machine m;
    for (std::uint32_t i = 0; i < kRamWords; ++i) {
      std::uint32_t word = random();
      for (int attempt = 0; attempt < 8 && !decode(word); ++attempt) word = random();
      m.cpu.poke(kRamBase + i, word);
    }
    for (unsigned n = 8; n < 28; ++n) {
      m.cpu.setRegister(n, random() % 2 != 0 ? kRamBase + random() % kRamWords : random());
    }
    m.cpu.setRegister(reg::ST, random() & kStWritable);
    m.board.fill = random();
    const StopReason why = m.cpu.run(20'000, 5'000);
    EXPECT_NE(why, StopReason::Blocked);
    EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle()) << "round " << round;
  }
}

}  // namespace
}  // namespace rtvp::c32
