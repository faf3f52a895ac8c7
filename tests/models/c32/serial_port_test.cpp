// The serial port as a word channel: bit clock arithmetic, double buffering, interrupts, overrun,
// idling (c32.md 8.6).
#include <gtest/gtest.h>

#include "tests/models/c32/cpu_test_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::FakeBoard;
using testing::kNop;
using testing::Machine;

constexpr std::uint32_t kContinuous32 =
    serial::kXRESET | serial::kRRESET | serial::kXFSM | 1u << 11 | 3u << 18 | 3u << 20;

/// ceil(bits * 30e6 / 11.5e6)
Cycle edge(std::uint64_t bits) {
  return (bits * 60 + 22) / 23;
}

struct Port {
  Port() : port(30'000'000, 11'500'000) {
    write(serial::kXPort, 0x111, 0);
    write(serial::kRPort, 0x111, 0);
    write(serial::kGlobal, kContinuous32, 0);
  }
  std::uint32_t write(std::uint32_t address, std::uint32_t value, Cycle now) {
    return port.write(address, value, now, now, board);
  }
  std::uint32_t read(std::uint32_t address, Cycle now, std::uint32_t& flags) {
    return port.read(address, now, now, flags, board);
  }
  [[nodiscard]] std::uint32_t peek(std::uint32_t address) const { return port.peek(address, 0); }
  std::uint32_t advance(Cycle now) { return port.advance(now, board); }
  FakeBoard board;
  SerialPort port;
};

TEST(SerialPort, BitClockIsExactForYears) {
  const BitClock clock{30'000'000, 11'500'000};
  EXPECT_EQ(clock.edgeFrom(0), 0u);
  EXPECT_EQ(clock.cycleOf(1), 3u);
  EXPECT_EQ(clock.cycleOf(23), 60u);
  EXPECT_EQ(clock.edgeFrom(60), 23u);
  EXPECT_EQ(clock.edgeFrom(61), 24u);
  const std::uint64_t late = std::uint64_t{1} << 50;
  EXPECT_EQ(clock.cycleOf(late * 23), late * 60);
  EXPECT_EQ(clock.edgeFrom(late * 60), late * 23);
}

TEST(SerialPort, WordStartsAtTheNextEdgeAndArrivesTwoBitsAfterItsEnd) {
  Port p;
  p.write(serial::kDXR, 0xDEADBEEF, 10);
  ASSERT_EQ(p.board.sent.size(), 1u);  // announced at once
  EXPECT_EQ(p.board.sent[0].word, 0xDEADBEEFu);
  EXPECT_EQ(p.board.sent[0].bits, 32);
  // Cycle 11 begins at edge 4.2: the word starts at edge 5.
  EXPECT_EQ(p.port.nextEvent(), edge(5));
  EXPECT_EQ(p.board.sent[0].arrival, edge(5 + 34));
}

TEST(SerialPort, ContinuousWordsFollowWithoutAGap) {
  Port p;
  p.write(serial::kDXR, 1, 10);
  EXPECT_EQ(p.peek(serial::kGlobal) & serial::kXRDY, 0u);
  p.advance(edge(5));
  EXPECT_NE(p.peek(serial::kGlobal) & serial::kXRDY, 0u);
  EXPECT_NE(p.peek(serial::kGlobal) & serial::kXSREMPTY, 0u);
  p.write(serial::kDXR, 2, 20);
  ASSERT_EQ(p.board.sent.size(), 2u);
  EXPECT_EQ(p.board.sent[1].arrival, edge(5 + 32 + 34));
  EXPECT_EQ(p.peek(serial::kGlobal) & serial::kXRDY, 0u);
  p.write(serial::kDXR, 3, 21);  // too early: lost
  EXPECT_EQ(p.port.transmitLost(), 1u);
  EXPECT_EQ(p.board.sent.size(), 2u);
  p.advance(edge(5 + 64));
  EXPECT_EQ(p.peek(serial::kGlobal) & serial::kXSREMPTY, 0u);
  EXPECT_EQ(p.port.nextEvent(), kNever);
}

TEST(SerialPort, BurstModeSpendsABitOnFrameSync) {
  Port p;
  p.write(serial::kGlobal, kContinuous32 & ~serial::kXFSM, 0);
  p.write(serial::kDXR, 1, 10);
  p.advance(edge(6));
  p.write(serial::kDXR, 2, 20);
  ASSERT_EQ(p.board.sent.size(), 2u);
  EXPECT_EQ(p.board.sent[0].arrival, edge(6 + 34));
  EXPECT_EQ(p.board.sent[1].arrival, edge(6 + 33 + 34));
}

TEST(SerialPort, ShortWordsAndInternalClock) {
  Port p;
  p.write(serial::kGlobal, (kContinuous32 & ~(3u << 18)) | serial::kXCLKSRCE, 0);  // 8 bits
  p.write(serial::kDXR, 0x1234, 10);
  EXPECT_TRUE(p.board.sent.empty());  // no timer, no clock
  p.write(serial::kTimerPeriod, 3, 11);
  p.write(serial::kTimerControl, 0x2, 12);  // run, pulse mode: 6 cycles a bit
  ASSERT_EQ(p.board.sent.size(), 1u);
  EXPECT_EQ(p.board.sent[0].word, 0x34u);
  EXPECT_EQ(p.board.sent[0].bits, 8);
  EXPECT_EQ(p.board.sent[0].arrival, 18u + 6u * 10u);
}

TEST(SerialPort, ReceiveBuffersTwoWordsThenLoses) {
  Port p;
  for (std::uint32_t w = 1; w <= 3; ++w) p.port.deliver(w, 100 * w);
  p.advance(99);
  EXPECT_EQ(p.peek(serial::kGlobal) & serial::kRRDY, 0u);
  p.advance(300);
  EXPECT_NE(p.peek(serial::kGlobal) & serial::kRSRFULL, 0u);
  EXPECT_EQ(p.port.receiveLost(), 1u);
  std::uint32_t flags = 0;
  EXPECT_EQ(p.read(serial::kDRR, 300, flags), 1u);
  EXPECT_NE(p.peek(serial::kGlobal) & serial::kRRDY, 0u);
  EXPECT_EQ(p.read(serial::kDRR, 300, flags), 2u);
  EXPECT_EQ(p.peek(serial::kGlobal) & serial::kRRDY, 0u);
}

TEST(SerialPort, ReceiverInResetTakesNothing) {
  Port p;
  p.write(serial::kGlobal, kContinuous32 & ~serial::kRRESET, 0);
  p.port.deliver(1, 5);
  p.advance(5);
  EXPECT_EQ(p.port.receiveLost(), 1u);
}

// c32.md 8.6: RRESET = 0 holds the receive side in reset; what it had is gone. RRESET = 1 leaves
// it.
TEST(SerialPort, ResetOfTheReceiverForgetsItsWords) {
  for (const bool reset : {false, true}) {
    Port p;
    for (std::uint32_t w = 1; w <= 2; ++w) p.port.deliver(w, 100 * w);
    p.advance(200);
    ASSERT_NE(p.peek(serial::kGlobal) & serial::kRSRFULL, 0u);
    p.write(serial::kGlobal, reset ? kContinuous32 & ~serial::kRRESET : kContinuous32, 201);
    EXPECT_EQ((p.peek(serial::kGlobal) & serial::kRRDY) == 0, reset);
    EXPECT_EQ((p.peek(serial::kGlobal) & serial::kRSRFULL) == 0, reset);
    p.write(serial::kGlobal, kContinuous32, 202);
    p.port.deliver(3, 300);
    p.advance(300);
    EXPECT_EQ(p.port.receiveLost(), reset ? 0u : 1u);
    std::uint32_t flags = 0;
    EXPECT_EQ(p.read(serial::kDRR, 301, flags), reset ? 3u : 1u);
  }
}

// --- through the processor ---

/// Serial port set up by register writes: continuous, 32 bits, interrupts on.
void setUp(Machine& m) {
  m.cpu.setRegister(reg::AR0, serial::kGlobal);
  m.cpu.setRegister(0, kContinuous32 | serial::kXINT | serial::kRINT);
  m.cpu.setRegister(1, 0x111);
  // STI R1,*+AR0(2); STI R1,*+AR0(3); STI R0,*AR0
  m.load(kRamBase, {0x15410002, 0x15410003, 0x1540C000});
  m.steps(3);
  m.cpu.setRegister(reg::IF, 0x87FE0000);
  m.cpu.poke(kRamBase + 5, kRamBase + 0x40);  // XINT0
  m.cpu.poke(kRamBase + 6, kRamBase + 0x48);  // RINT0
  m.load(kRamBase + 0x40, {0x78000000});
  m.load(kRamBase + 0x48, {0x0842C200, 0x78000000});  // LDI *AR2,R2 (DRR); RETI
  m.cpu.setRegister(reg::AR1, serial::kDXR);
  m.cpu.setRegister(reg::AR2, serial::kDRR);
  m.cpu.setRegister(reg::SP, 0x87FF80);
}

TEST(SerialCpu, IdleProcessorWakesItselfForItsOwnXint) {
  Machine m;
  setUp(m);
  m.load(kRamBase + 0x10, {0x1540C100, 0x06000000, kNop});  // STI R0,*AR1; IDLE
  m.cpu.setRegister(reg::IE, 0x10);
  m.cpu.setPc(kRamBase + 0x10);
  EXPECT_EQ(m.cpu.run(100'000, 3), StopReason::Steps);  // STI, IDLE, then the handler's RETI
  EXPECT_EQ(m.cpu.pc(), kRamBase + 0x12);
  EXPECT_EQ(m.board.sent.size(), 1u);
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, 1u);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
}

TEST(SerialCpu, QueuedArrivalWakesAndIsRead) {
  Machine m;
  setUp(m);
  m.load(kRamBase + 0x10, {0x06000000, kNop});
  m.cpu.setRegister(reg::IE, 0x20);
  m.cpu.setPc(kRamBase + 0x10);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Idle);
  m.cpu.deliverSerial(0xCAFEF00D, 5000);
  EXPECT_EQ(m.cpu.nextEvent(), 5000u);
  EXPECT_EQ(m.cpu.run(1000), StopReason::Horizon);
  EXPECT_EQ(m.cpu.run(100'000, 2), StopReason::Steps);
  EXPECT_EQ(m.r(2), 0xCAFEF00Du);
  EXPECT_EQ(m.cpu.cycle(), 5000u + 5u + 1u + 4u);
  EXPECT_EQ(m.cpu.statistics().lateWords, 0u);
  m.cpu.deliverSerial(1, 10);
  EXPECT_EQ(m.cpu.statistics().lateWords, 1u);
}

TEST(SerialCpu, PollingSeesTheWordInItsCycle) {
  Machine m;
  setUp(m);
  // wait: TSTB *AR0,R3 ; BZ wait ; LDI *AR2,R2
  m.load(kRamBase + 0x10, {0x1A43C000, 0x6A05FFFE, 0x0842C200});
  m.cpu.setRegister(3, 1);
  m.cpu.setRegister(reg::IE, 0);
  m.cpu.setPc(kRamBase + 0x10);
  m.cpu.deliverSerial(99, 777);
  while (m.cpu.pc() != kRamBase + 0x13) ASSERT_EQ(m.steps(1), StopReason::Steps);
  EXPECT_EQ(m.r(2), 99u);
  EXPECT_GE(m.cpu.cycle(), 777u);
  EXPECT_LE(m.cpu.cycle(), 777u + 5u + 4u + 1u);
}

}  // namespace
}  // namespace rtvp::c32
