// Serial port beyond the plain word channel: formats, handshake between two processors, port
// timers, pins (c32.md 8.6).
#include <gtest/gtest.h>

#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::AsmMachine;
using testing::FakeBoard;

constexpr std::uint32_t kBoth = serial::kXRESET | serial::kRRESET;

struct Wire {
  explicit Wire(std::uint32_t global, bool blockSync = false)
      : port(30'000'000, 10'000'000, blockSync) {  // three cycles a bit
    write(serial::kGlobal, global, 0);
  }
  std::uint32_t write(std::uint32_t address, std::uint32_t value, Cycle now) {
    return port.write(address, value, now, now, board);
  }
  [[nodiscard]] bool ready() const { return (port.peek(serial::kGlobal, 0) & serial::kXRDY) != 0; }
  FakeBoard board;
  SerialPort port;
};

TEST(SerialFormats, LengthsAndFraming) {
  for (std::uint32_t length = 0; length < 4; ++length) {
    const unsigned bits = 8 * (length + 1);
    const std::uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    // burst, fixed rate: a frame bit; variable rate: none; continuous: none; with the option: one
    // before the first word.
    const struct {
      std::uint32_t mode;
      bool blockSync;
      unsigned first, second;
    } kCases[] = {{0, false, 1, 1},
                  {serial::kXVAREN, false, 0, 0},
                  {serial::kXFSM, false, 0, 0},
                  {serial::kXFSM, true, 1, 0}};
    for (const auto& c : kCases) {
      Wire w(kBoth | c.mode | length << 18, c.blockSync);
      w.write(serial::kDXR, 0xDEADBEEF, 2);
      const Cycle start = 3 * (1 + c.first);
      ASSERT_EQ(w.board.sent.size(), 1u);
      EXPECT_EQ(w.board.sent[0].word, 0xDEADBEEF & mask);
      EXPECT_EQ(w.board.sent[0].arrival, start + 3 * (bits + 2));
      w.port.advance(start, w.board);
      w.write(serial::kDXR, 1, start);
      EXPECT_EQ(w.board.sent[1].arrival, start + 3 * (bits + c.second + bits + 2));
    }
  }
}

TEST(SerialHandshake, NextWordWaitsForTheAcknowledge) {
  Wire w(kBoth | serial::kHS | serial::kXFSM | serial::kXINT);
  w.write(serial::kDXR, 0x55, 2);
  EXPECT_EQ(w.board.sent[0].arrival, 3u * (1 + 1 + 8 + 2));  // a leading 1
  EXPECT_EQ(w.port.advance(1000, w.board), 0u);              // no XINT yet
  EXPECT_FALSE(w.ready());
  EXPECT_TRUE(w.port.awaitsAcknowledge());
  w.write(serial::kDXR, 0x66, 1000);  // waits in DXR
  EXPECT_EQ(w.board.sent.size(), 1u);
  w.port.acknowledge(1100);
  w.port.advance(1100, w.board);
  ASSERT_EQ(w.board.sent.size(), 2u);
  EXPECT_EQ(w.board.sent[1].arrival, 3u * (367 + 1 + 8 + 2));
  w.port.acknowledge(2000);
  EXPECT_EQ(w.port.advance(2000, w.board), 1u << 4);
  EXPECT_TRUE(w.ready());
}

TEST(SerialHandshake, EveryReadOfDrrAcknowledges) {
  Wire w(kBoth | serial::kHS);
  std::uint32_t flags = 0;
  w.port.deliver(7, 10);
  w.port.advance(10, w.board);
  EXPECT_EQ(w.port.read(serial::kDRR, 20, 20, flags, w.board), 7u);
  w.port.read(serial::kDRR, 200, 200, flags, w.board);  // nothing new in it
  EXPECT_EQ(w.board.acknowledged, (std::vector<Cycle>{24, 204}));
}

/// DX of one to DR of the other, both ways.
struct Linked : FakeBoard {
  void serialTransmitted(std::uint32_t word, int bits, Cycle arrival) override {
    FakeBoard::serialTransmitted(word, bits, arrival);
    other->deliverSerial(word, arrival);
  }
  void serialAcknowledged(Cycle arrival) override { other->acknowledgeSerial(arrival); }
  Cpu* other = nullptr;
};

TEST(SerialHandshake, TwoProcessorsLoseNothingAtAnyPace) {
  Linked boards[2];
  Cpu sender(CpuConfig{}, boards[0]);
  Cpu receiver(CpuConfig{}, boards[1]);
  boards[0].other = &receiver;
  boards[1].other = &sender;
  const auto load = [](Cpu& cpu, const std::string& source) {
    const AssemblyResult r =
        assemble("t.asm", "        .text\n        .org 87FE00h\n" + source, {});
    ASSERT_TRUE(r.image) << r.report();
    for (std::uint32_t i = 0; i < r.image->sections[0].words.size(); ++i) {
      cpu.poke(kRamBase + i, r.image->sections[0].words[i]);
    }
    cpu.setPc(kRamBase);
    cpu.setRegister(reg::AR7, kPeripheralBase);
    cpu.setRegister(0, kBoth | serial::kHS | serial::kXFSM | 3u << 18 | 3u << 20);
  };
  load(sender,
       "        STI R0,*+AR7(40h)\n"
       "        LDI 0,R1\n"
       "next:   LDI *+AR7(40h),R2\n"
       "        TSTB 2,R2\n"  // XRDY
       "        BZ next\n"
       "        STI R1,*+AR7(48h)\n"
       "        ADDI 1,R1\n"
       "        CMPI 20,R1\n"
       "        BNZ next\n"
       "        IDLE\n");
  load(receiver,
       "        STI R0,*+AR7(40h)\n"
       "        LDI 0,R1\n"
       "        LDI 0,R3\n"
       "next:   LDI *+AR7(40h),R2\n"
       "        TSTB 1,R2\n"  // RRDY
       "        BZ next\n"
       "        RPTS 900\n"  // slow
       "        NOP\n"
       "        LDI *+AR7(4Ch),R2\n"
       "        SUBI R3,R2\n"
       "        BNZ bad\n"
       "        ADDI 1,R3\n"
       "        CMPI 20,R3\n"
       "        BNZ next\n"
       "bad:    IDLE\n");
  for (Cycle t = 20; t < 100'000; t += 20) {
    sender.run(t);
    receiver.run(t);
  }
  EXPECT_TRUE(sender.idle());
  EXPECT_TRUE(receiver.idle());
  EXPECT_EQ(receiver.registerValue(3), 20u);
  EXPECT_EQ(receiver.serial().receiveLost(), 0u);
  EXPECT_EQ(sender.serial().transmitLost(), 0u);
}

TEST(SerialTimers, RaiseTheirInterrupts) {
  AsmMachine m(
      "        LDI R4,R0\n"
      "        STI R0,*+AR7(40h)\n"
      "        LDI R5,R0\n"
      "        STI R0,*+AR7(46h)\n"
      "        LDI 28Bh,R0\n"  // both: run, internal; transmit goes, receive not in reset
      "        OR 40h,R0\n"
      "        STI R0,*+AR7(44h)\n"
      "go:     NOP\n"
      "loop:   B loop\n");
  m.cpu.setRegister(4, serial::kXTINT | serial::kRTINT);
  m.cpu.setRegister(5, 10 | 25u << 16);
  m.runTo("go");
  const Cycle go = m.cpu.cycle() - 1;
  m.cpu.run(go + 30);
  EXPECT_EQ(m.r(reg::IF) & 0x30u, 0x10u);  // XINT0 after 20 cycles
  m.cpu.run(go + 60);
  EXPECT_EQ(m.r(reg::IF) & 0x30u, 0x30u);
  EXPECT_EQ(*m.cpu.peek(0x808046), 10u | 25u << 16);
}

TEST(SerialPins, GeneralPurposeInputAndOutput) {
  AsmMachine m(
      "        LDI 62h,R0\n"  // CLKX output low, DX output high, FSX input
      "        STI R0,*+AR7(42h)\n"
      "        LDI *+AR7(42h),R1\n"
      "end:    NOP\n");
  m.cpu.setPin(Pin::Fsx, true);
  m.runTo("end");
  EXPECT_EQ(m.r(1), 0x62u | 0x80u | 0x800u);
}

}  // namespace
}  // namespace rtvp::c32
