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
      : port(30'000'000, 10'000'000, {blockSync, true}) {  // three cycles a bit
    write(serial::kXPort, 0x111, 0);
    write(serial::kRPort, 0x111, 0);
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
  void serialFrameSent(const SerialFrame& frame) override { other->deliverSerial(frame); }
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
    cpu.setRegister(4, 0x111);
    cpu.setRegister(0, kBoth | serial::kHS | serial::kFSXOUT | serial::kXFSM | 3u << 18 | 3u << 20);
  };
  load(sender,
       "        STI R4,*+AR7(42h)\n"
       "        STI R4,*+AR7(43h)\n"
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
       "        STI R4,*+AR7(42h)\n"
       "        STI R4,*+AR7(43h)\n"
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

/// A transmitter wired to a receiver, each with its own registers.
struct Pair {
  struct Line : FakeBoard {
    void serialFrameSent(const SerialFrame& frame) override { to->deliver(frame); }
    SerialPort* to = nullptr;
  };
  Pair(std::uint32_t transmit, std::uint32_t receive)
      : x(30'000'000, 10'000'000), r(30'000'000, 10'000'000) {
    line.to = &r;
    for (SerialPort* p : {&x, &r}) {
      p->write(serial::kXPort, 0x111, 0, 0, line);
      p->write(serial::kRPort, 0x111, 0, 0, line);
    }
    x.write(serial::kGlobal, transmit | serial::kFSXOUT | serial::kXRESET, 0, 0, line);
    r.write(serial::kGlobal, receive | serial::kRRESET, 0, 0, line);
  }
  /// Sends `words`; what arrives, each read at once.
  std::vector<std::uint32_t> send(std::initializer_list<std::uint32_t> words) {
    std::vector<std::uint32_t> got;
    for (const std::uint32_t w : words) {
      x.write(serial::kDXR, w, now, now, line);
      // Until DXR is empty again, so that the next word follows without a gap.
      while ((x.peek(serial::kGlobal, now) & serial::kXRDY) == 0 && now < 100'000) {
        ++now;
        x.advance(now, line);
        take(got);
      }
    }
    for (const Cycle end = now + 1000; now < end; ++now) take(got);
    return got;
  }
  void take(std::vector<std::uint32_t>& got) {
    r.advance(now, line);
    std::uint32_t flags = 0;
    while ((r.peek(serial::kGlobal, now) & serial::kRRDY) != 0)
      got.push_back(r.read(serial::kDRR, now, now, flags, line));
  }
  Line line;
  SerialPort x, r;
  Cycle now = 1;
};

constexpr std::uint32_t kX8 = 0, kX32 = 3u << 18, kR8 = 0, kR32 = 3u << 20, kX16 = 1u << 18,
                        kR16 = 1u << 20;
using Words = std::vector<std::uint32_t>;

TEST(SerialFraming, EqualSettingsCarryTheWord) {
  const struct {
    std::uint32_t x, r;
  } kCases[] = {{0, 0},
                {serial::kXVAREN, serial::kRVAREN},
                {serial::kXFSM, serial::kRFSM},
                {serial::kXFSM | serial::kXVAREN, serial::kRFSM | serial::kRVAREN},
                {serial::kCLKXP, serial::kCLKRP},
                {serial::kDXP, serial::kDRP},
                {serial::kFSXP, serial::kFSRP}};
  for (const auto& c : kCases) {
    Pair p(c.x | kX32, c.r | kR32);
    EXPECT_EQ(p.send({0xDEADBEEF, 1, 0x80000000}), (Words{0xDEADBEEF, 1, 0x80000000}));
    EXPECT_EQ(p.r.misframed(), 0u);
  }
}

TEST(SerialFraming, LengthsThatDiffer) {
  // A word of its own for each frame sync: the first bits count, missing ones read 0.
  EXPECT_EQ((Pair(kX32, kR8).send({0x12345678})), (Words{0x12}));
  EXPECT_EQ((Pair(kX8, kR16).send({0x12})), (Words{0x1200}));
  // Continuous: bits follow bits.
  EXPECT_EQ((Pair(kX8 | serial::kXFSM, kR32 | serial::kRFSM).send({0x12, 0x34, 0x56, 0x78})),
            (Words{0x12345678}));
  EXPECT_EQ((Pair(kX32 | serial::kXFSM, kR8 | serial::kRFSM).send({0x12345678})),
            (Words{0x12, 0x34, 0x56, 0x78}));
}

TEST(SerialFraming, PolaritiesThatDiffer) {
  EXPECT_EQ((Pair(kX16 | serial::kDXP, kR16).send({0x1234})), (Words{0xEDCB}));
  for (const std::uint32_t r : {serial::kCLKRP, serial::kFSRP}) {
    Pair p(kX16, kR16 | r);
    EXPECT_EQ(p.send({0x1234}), Words{});
    EXPECT_EQ(p.r.misframed(), 1u);
  }
}

TEST(SerialFraming, ContinuousTransmitterSyncsABurstReceiverOnce) {
  Pair p(kX16 | serial::kXFSM, kR16);
  EXPECT_EQ(p.send({1, 2, 3}), Words{1});
  EXPECT_EQ(p.r.misframed(), 2u);
}

TEST(SerialFraming, ReceiverWithAClockOfItsOwn) {
  Pair p(kX16, kR16 | serial::kRCLKSRCE);
  EXPECT_EQ(p.send({1}), Words{});  // no timer runs
  // H1/2 / 3 = 5 MHz against 10 MHz on the line; then the transmitter at the same 5 MHz.
  p.r.write(serial::kTimerPeriod, 3u << 16, p.now, p.now, p.line);
  p.r.write(serial::kTimerControl, 1u << 7, p.now, p.now, p.line);
  EXPECT_EQ(p.send({2}), Words{});
  p.x.write(serial::kTimerPeriod, 3, p.now, p.now, p.line);
  p.x.write(serial::kTimerControl, 2, p.now, p.now, p.line);
  p.x.write(serial::kGlobal, kX16 | serial::kXCLKSRCE | serial::kFSXOUT | serial::kXRESET, p.now,
            p.now, p.line);
  EXPECT_EQ(p.send({3}), Words{3});
  EXPECT_EQ(p.r.misframed(), 2u);
}

TEST(SerialFraming, HandshakeAgainstPlain) {
  // No frame sync goes with a handshake word: a plain receiver hears nothing.
  Pair deaf(kX16 | serial::kHS, kR16);
  EXPECT_EQ(deaf.send({0x1234}), Words{});
  EXPECT_TRUE(deaf.x.awaitsAcknowledge());
  // A handshake receiver takes the first 1 for the start.
  EXPECT_EQ((Pair(kX16, kR16 | serial::kHS).send({0x1234})), (Words{0x1234 << 4 & 0xFFFF}));
}

TEST(SerialFraming, PinsThatDoNotServeThePort) {
  Pair p(kX16, kR16);
  p.x.write(serial::kXPort, 0x101, 0, 0, p.line);  // DX is general I/O
  EXPECT_EQ(p.send({1}), Words{});
  EXPECT_EQ(p.x.transmitUnheard(), 1u);
  p.x.write(serial::kXPort, 0x111, p.now, p.now, p.line);
  p.r.write(serial::kRPort, 0x011, p.now, p.now, p.line);  // FSR is
  EXPECT_EQ(p.send({2}), Words{});
  p.r.write(serial::kRPort, 0x111, p.now, p.now, p.line);
  EXPECT_EQ(p.send({3}), Words{3});
}

TEST(SerialFraming, FsxAsInput) {
  for (const bool driven : {true, false}) {
    FakeBoard board;
    SerialPort port(30'000'000, 10'000'000, {false, driven});
    port.write(serial::kXPort, 0x111, 0, 0, board);
    port.write(serial::kGlobal, serial::kXRESET, 0, 0, board);
    port.write(serial::kDXR, 1, 5, 5, board);
    EXPECT_EQ(board.sent.size(), driven ? 1u : 0u);
  }
}

TEST(SerialFraming, ResetForgetsWhatIsOnTheWire) {
  Pair p(kX16, kR16);
  p.x.write(serial::kDXR, 7, 1, 1, p.line);
  p.r.reset();
  EXPECT_EQ(p.r.queuedArrivals(), 0u);
  EXPECT_EQ(p.r.nextEvent(), kNever);
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
