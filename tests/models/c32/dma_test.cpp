// DMA: transfer forms, timing, priorities, synchronisation, faults (c32.md 8.7).
#include <gtest/gtest.h>

#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::AsmMachine;

/// DMA0 moves `count` words as `control` says, then the program idles until DINT0.
struct Transfer : AsmMachine {
  Transfer(std::uint32_t source, std::uint32_t destination, std::uint32_t count,
           std::uint32_t control, const CpuConfig& config = {}, const std::string& work = "")
      : AsmMachine(
            "        .space 11\n"
            "        .word  isr\n"
            "        .space 4\n"
            "start:  LDI 400h,IE\n"
            "go:     STI R3,*+AR7(0)\n" +
                work +
                "wait:   IDLE\n"
                "        B wait\n"
                "isr:    NOP\n"
                "done:   NOP\n",
            config) {
    write(4, source);
    write(6, destination);
    write(8, count);
    cpu.setRegister(3, control);
    cpu.setPc(at("start"));
  }
  /// A register of DMA0 by a store of the program.
  void write(std::uint32_t offset, std::uint32_t value) {
    const std::uint32_t kept = cpu.pc();
    load(kRamBase + 0x1F0, {0x1540C600});  // STI R0,*AR6
    cpu.setRegister(reg::AR6, kPeripheralBase + offset);
    cpu.setRegister(0, value);
    cpu.setPc(kRamBase + 0x1F0);
    steps(1);
    cpu.setPc(kept);
  }
  void fill(std::uint32_t address, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) load(address + i, {0x100 + i});
  }
  /// Cycles from the store that starts DMA to the interrupt's flag.
  Cycle run() {
    runTo("go");
    steps(1);
    const Cycle go = cpu.cycle() - 1;
    runTo("done");
    EXPECT_EQ(cpu.statistics().totalCycles(), cpu.cycle() - cpu.resetCycle());
    return cpu.cycle() - 1 - 5 - go;
  }
};

constexpr std::uint32_t kRun = 3, kIncSrc = 1u << 4, kDecSrc = 1u << 5, kIncDst = 1u << 6,
                        kDecDst = 1u << 7, kTc = 1u << 10, kTcInt = 1u << 11;
constexpr std::uint32_t kMove = kRun | kIncSrc | kIncDst | kTc | kTcInt;
constexpr std::uint32_t kInside = 0x87FF00;

TEST(Dma, InternalToInternalTakesTwoCyclesAWord) {
  Transfer t(kInside, kInside + 0x40, 8, kMove);
  t.fill(kInside, 8);
  EXPECT_EQ(t.run(), 1u + 16u);  // first access the cycle after the store
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(t.word(kInside + 0x40 + i), 0x100 + i);
  EXPECT_EQ(*t.cpu.peek(0x808004), kInside + 8);
  EXPECT_EQ(*t.cpu.peek(0x808006), kInside + 0x48);
  EXPECT_EQ(*t.cpu.peek(0x808008), 0u);
  EXPECT_EQ(*t.cpu.peek(0x808000) & 0xCu, 0u);  // idle
  EXPECT_EQ(t.cpu.statistics().dmaReads, 8u);
  EXPECT_EQ(t.cpu.statistics().dmaWrites, 8u);
}

TEST(Dma, ExternalAccessesTakeTheBusTiming) {
  Transfer in(0x1000, kInside, 4, kMove);
  in.fill(0x1000, 4);
  EXPECT_EQ(in.run(), 1u + 4u * (1u + 1u));
  EXPECT_EQ(in.word(kInside + 3), 0x103u);
  Transfer out(kInside, 0x1000, 4, kMove);
  out.fill(kInside, 4);
  EXPECT_EQ(out.run(), 1u + 4u * (1u + 2u));
  EXPECT_EQ(out.word(0x1003), 0x103u);
  EXPECT_EQ(out.board.log.back().master, BusMaster::Dma0);
  Transfer waits(0x1000, 0x1100, 4, kMove);
  waits.cpu.poke(0x808064, 0x000F0008 | 2 << 5);  // two wait states
  waits.fill(0x1000, 4);
  EXPECT_EQ(waits.run(), 1u + 4u * (3u + 4u));
}

TEST(Dma, AddressesStepAsToldAndBothMeansNeither) {
  Transfer down(kInside + 3, kInside + 0x43, 4, kRun | kDecSrc | kDecDst | kTc | kTcInt);
  down.fill(kInside, 4);
  down.run();
  EXPECT_EQ(down.word(kInside + 0x40), 0x100u);
  EXPECT_EQ(down.word(kInside + 0x43), 0x103u);
  Transfer fixed(kInside, kInside + 0x40, 4, kRun | kIncSrc | kDecSrc | kIncDst | kTc | kTcInt);
  fixed.fill(kInside, 4);
  fixed.run();
  EXPECT_EQ(fixed.word(kInside + 0x43), 0x100u);
}

TEST(Dma, WithoutTcTheCounterWraps) {
  Transfer t(kInside, kInside + 0x40, 2, (kMove & ~kTc));
  t.fill(kInside, 4);
  t.run();
  EXPECT_GT(*t.cpu.peek(0x808008), 0xFFFF00u);
  EXPECT_EQ(*t.cpu.peek(0x808000) & 0xCu, t.cpu.peripherals().dma().next().write ? 4u : 0xCu);
}

TEST(Dma, StartCodesPauseAndAbort) {
  Transfer t(kInside, kInside + 0x40, 100, kMove, {},
             "        NOP\n        NOP\n        NOP\n        NOP\n"
             "        STI R4,*+AR7(0)\n"
             "        LDI *+AR7(8),R5\n"
             "        NOP\n        NOP\n        NOP\n        NOP\n"
             "        LDI *+AR7(8),R6\n"
             "stop:   NOP\n");
  t.cpu.setRegister(4, (kMove & ~3u) | 2u);  // stop after the word
  t.runTo("stop");
  EXPECT_LT(t.r(6), 100u);
  EXPECT_LE(t.r(5) - t.r(6), 1u);
  EXPECT_EQ(*t.cpu.peek(0x808000) & 0xCu, 0u);
  const std::uint32_t left = t.r(6);
  t.write(0, kMove);  // goes on where it was
  t.write(0x20, 0);
  EXPECT_GE(left, *t.cpu.peek(0x808008));
  t.write(0, 0);  // abort
  const std::uint32_t now = *t.cpu.peek(0x808008);
  t.write(0x20, 0);
  EXPECT_EQ(*t.cpu.peek(0x808008), now);
}

/// A program that reads external memory in every cycle, and DMA that wants the same bus.
Cycle contend(unsigned priority, std::uint64_t& conflict, std::uint64_t& moved) {
  Transfer t(0x1000, kInside, 4000, (kMove | priority << 12), {},
             "        LDI 99,RC\n"
             "        RPTB last\n"
             "        LDI *AR0,R1\n"
             "        LDI *AR0,R1\n"
             "last:   LDI *AR0,R1\n"
             "stop:   NOP\n");
  t.cpu.setRegister(reg::AR0, 0x2000);
  t.runTo("stop");
  conflict = t.cpu.statistics().dmaConflict;
  moved = t.cpu.statistics().dmaReads;
  return t.cpu.cycle();
}

TEST(Dma, PriorityDecidesWhoWaits) {
  std::uint64_t none = 0, turns = 0, all = 0, movedNone = 0, movedTurns = 0, movedAll = 0;
  const Cycle cpuFirst = contend(0, none, movedNone);
  const Cycle rotating = contend(1, turns, movedTurns);
  const Cycle dmaFirst = contend(3, all, movedAll);
  EXPECT_EQ(none, 0u);  // the program is never held up
  EXPECT_GT(turns, 0u);
  EXPECT_GT(all, 0u);
  EXPECT_LT(cpuFirst, rotating);
  EXPECT_LE(rotating, dmaFirst);
  EXPECT_LT(movedNone, 10u);  // only around the loop
  EXPECT_GT(movedTurns, 50u);
  EXPECT_GE(movedAll, movedTurns);
}

/// Which channel moved what, in order.
struct Log : CpuObserver {
  void executed(const TraceRecord& /*record*/) override {}
  void dmaAccess(unsigned channel, const MemoryAccess& access, Cycle /*cycle*/) override {
    text += static_cast<char>(access.write ? 'A' + channel : 'a' + channel);
  }
  std::string text;
};

std::string twoChannels(bool rotate) {
  Transfer t(kInside, kInside + 0x40, 3, kMove | (rotate ? 1u << 14 : 0), {},
             "        STI R4,*+AR7(10h)\n");
  t.fill(kInside, 4);
  t.write(0x14, kInside);
  t.write(0x16, kInside + 0x80);
  t.write(0x18, 3);
  t.cpu.setRegister(4, kRun | kIncSrc | kIncDst | kTc);
  Log log;
  t.cpu.setObserver(&log);
  t.cpu.run(t.cpu.cycle() + 1000);
  return log.text;
}

TEST(Dma, ChannelZeroFirstOrInTurn) {
  EXPECT_EQ(twoChannels(false), "aAaAaAbBbBbB");
  EXPECT_EQ(twoChannels(true), "aAbBaAbBaAbB");
}

TEST(Dma, SourceSynchronisedByATimer) {
  Transfer t(kInside, kInside + 0x40, 4, kMove | 1u << 8, {},
             "        LDI 20,R0\n"
             "        STI R0,*+AR7(28h)\n"
             "        LDI 2C1h,R0\n"
             "        STI R0,*+AR7(20h)\n"
             "tgo:    NOP\n");
  t.fill(kInside, 4);
  t.load(t.at("start"), {0x0C800000});
  t.cpu.setRegister(reg::IE, 0x01000400);  // ETINT0 for DMA0, EDINT0
  t.runTo("tgo");
  const Cycle go = t.cpu.cycle() - 1;
  EXPECT_EQ(t.cpu.statistics().dmaReads, 0u);
  t.runTo("done");
  // Fourth timer event, the access after it: read, write, DINT0, entry, first instruction.
  EXPECT_EQ(t.cpu.cycle(), go + 4 * 40 + 1 + 2 + 5 + 1);
  EXPECT_EQ(t.r(reg::IF) & 0x100u, 0u);  // DMA took each flag
  EXPECT_EQ(t.word(kInside + 0x43), 0x103u);
}

TEST(Dma, SharedInterruptServesBoth) {
  // INT0 starts the transfer and interrupts the program as well.
  Transfer t(kInside, kInside + 0x40, 1, kMove | 1u << 8);
  t.fill(kInside, 1);
  t.load(kRamBase + 1, {t.at("isr")});
  t.load(t.at("start"), {0x0C800000});
  t.cpu.setRegister(reg::IE, 0x00010001);
  t.cpu.setRegister(reg::ST, kINTCONFIG);
  t.cpu.setInterruptLine(0, true, 200);
  t.runTo("done");
  t.steps(5);
  EXPECT_EQ(t.word(kInside + 0x40), 0x100u);
  EXPECT_EQ(t.cpu.statistics().interruptsTaken, 1u);
  EXPECT_EQ(t.r(reg::IF) & 1u, 0u);
}

/// c32.md 2.5: a level-triggered input that is still low sets its flag again, one cycle after DMA
/// has cleared it; an edge-triggered one does not.
TEST(Dma, ALineThatStaysLowSetsItsFlagAgain) {
  for (const bool edge : {false, true}) {
    Transfer t(kInside, kInside + 0x40, 1, kMove | 1u << 8);
    t.fill(kInside, 1);
    t.cpu.setRegister(reg::IE, 0x00010400);  // INT0 goes to DMA alone, DINT0 to the program
    t.load(t.at("start"), {0x0C800000});
    t.cpu.setRegister(reg::IF, 0x87FE0008);  // INT3's flag is nobody's business here
    t.cpu.setRegister(reg::ST, edge ? kINTCONFIG : 0);
    t.cpu.setInterruptLine(0, true, 200);
    t.runTo("done");
    EXPECT_EQ(t.word(kInside + 0x40), 0x100u);
    EXPECT_EQ(t.r(reg::IF) & 1u, edge ? 0u : 1u);
    EXPECT_EQ(t.r(reg::IF) & 0xFFFF0008u, 0x87FE0008u);
  }
}

TEST(Dma, ReceivesSerialWordsIntoABuffer) {
  Transfer t(0x80804C, kInside, 4, (kMove & ~kIncSrc) | 1u << 8, {},
             "        STI R6,*+AR7(43h)\n"
             "        STI R4,*+AR7(40h)\n");
  t.cpu.setRegister(6, 0x111);
  t.load(t.at("start"), {0x0C800000});
  t.cpu.setRegister(reg::IE, 1u << 21 | 0x400);  // ERINT0 for DMA0
  t.cpu.setRegister(4, serial::kRRESET | serial::kRINT | 3u << 20);
  for (std::uint32_t i = 0; i < 4; ++i) t.cpu.deliverSerial(0xBEEF0000 + i, 1000 + 100 * i);
  t.runTo("done");
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(t.word(kInside + i), 0xBEEF0000 + i);
  EXPECT_EQ(t.cpu.serial().receiveLost(), 0u);
}

TEST(Dma, SendsABufferThroughTheSerialPort) {
  Transfer t(kInside, 0x808048, 4, (kMove & ~kIncDst) | 2u << 8, {},
             "        STI R6,*+AR7(42h)\n"
             "        STI R4,*+AR7(40h)\n"
             "        STI R5,*+AR7(48h)\n");
  t.cpu.setRegister(6, 0x111);
  t.fill(kInside, 4);
  t.load(t.at("start"), {0x0C800000});
  t.cpu.setRegister(reg::IE, 1u << 20 | 0x400);  // EXINT0 for DMA0
  t.cpu.setRegister(4, serial::kXRESET | serial::kXINT | serial::kXFSM | 3u << 18);
  t.cpu.setRegister(5, 0xFF);
  t.runTo("done");
  ASSERT_EQ(t.board.sent.size(), 5u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(t.board.sent[i + 1].word, 0x100 + i);
  EXPECT_EQ(t.cpu.serial().transmitLost(), 0u);
}

TEST(Dma, NarrowMemoryIsPackedAndUnpacked) {
  Transfer t(0x900000, kInside, 4, kMove);
  t.cpu.poke(0x808068, 0x00040008 | 1u << 20);  // STRB1: 8-bit data in 16-bit memory, zero-fill
  t.board.memory[0x480000] = 0x22F1;
  t.board.memory[0x480001] = 0x4433;
  t.run();
  EXPECT_EQ(t.word(kInside), 0xF1u);
  EXPECT_EQ(t.word(kInside + 1), 0x22u);
  EXPECT_EQ(t.word(kInside + 3), 0x44u);
}

TEST(Dma, FaultNamesTheChannel) {
  Transfer t(0x830000, kInside, 1, kMove);
  EXPECT_EQ(t.cpu.run(1000), StopReason::Fault);
  EXPECT_NE(t.cpu.fault().text.find("DMA channel 0"), std::string::npos) << t.cpu.fault().text;
  EXPECT_EQ(t.cpu.fault().master, BusMaster::Dma0);
}

TEST(Dma, HeldBusStopsItUntilTheRelease) {
  CpuConfig config;
  config.holdCycles = 0;
  Transfer t(0x1000, kInside, 4, kMove, config);
  t.fill(0x1000, 4);
  t.cpu.setHold(true, t.cpu.cycle());
  EXPECT_EQ(t.cpu.run(5000), StopReason::Idle);
  EXPECT_EQ(t.cpu.statistics().dmaReads, 0u);
  t.cpu.setHold(false, 700);
  t.runTo("done");
  EXPECT_EQ(t.cpu.cycle(), 700u + 4 * 2 + 5 + 1);
}

TEST(Dma, EnableTableHasEachBitOnce) {
  std::uint32_t bits = 0;
  for (const DmaEnable& e : kDmaEnables) {
    EXPECT_EQ(bits >> e.ie & 1u, 0u);
    bits |= 1u << e.ie;
    EXPECT_EQ(dmaFlags(1u << e.ie, e.channel), 1u << e.flag);
    EXPECT_EQ(dmaFlags(1u << e.ie, 1u - e.channel), 0u);
  }
  EXPECT_EQ(bits & 0xFFFFu, 0u);
}

}  // namespace
}  // namespace rtvp::c32
