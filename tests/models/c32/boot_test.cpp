// The boot ROM: every source, width and the handshake (c32.md 8.8).
#include <gtest/gtest.h>

#include <deque>

#include "models/c32/boot_rom.hpp"
#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::FakeBoard;
using testing::loadProgram;

constexpr std::uint32_t kStrb0 = 0x000F0008, kStrb1 = 0x000F0028, kIoStrb = 0x28;

/// A processor in microcomputer mode just out of reset.
struct Booting {
  Booting() : cpu(config(), board) { cpu.reset(0); }
  static CpuConfig config() {
    CpuConfig c;
    c.microprocessorMode = false;
    return c;
  }
  /// Blocks: a program in RAM block 0, a word of data outside behind STRB1, the end.
  static std::vector<std::uint32_t> blocks() {
    return {3,          kRamBase,   0,
            0x08600007, 0x0840C000, 0x06000000,  // LDI 7,R0; LDI *AR0,R0; IDLE
            2,          0x900010,   kStrb1 << 8 | 0x68,
            0x11112222, 0x33334444, 0};
  }
  static std::vector<std::uint32_t> table(std::uint32_t width) {
    std::vector<std::uint32_t> words{width, kIoStrb, kStrb0, kStrb1};
    for (const std::uint32_t w : blocks()) words.push_back(w);
    return words;
  }
  /// `words` in locations of `width` bits from `address`, least significant part first.
  void put(std::uint32_t address, std::uint32_t width, const std::vector<std::uint32_t>& words) {
    for (const std::uint32_t w : words) {
      for (std::uint32_t bit = 0; bit < 32; bit += width) {
        const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
        // What is not connected floats.
        board.memory[address++] = (w >> bit & mask) | (0xA5A5A5A5u & ~mask);
      }
    }
  }
  void pins(std::uint32_t which) {
    for (unsigned n = 0; n < 4; ++n) {
      if ((which >> n & 1u) != 0) cpu.setInterruptLine(n, true, 50);
    }
  }
  void check() {
    EXPECT_EQ(cpu.run(1'000'000), StopReason::Idle) << cpu.fault().text << cpu.pc();
    EXPECT_EQ(cpu.pc(), kRamBase + 3);
    EXPECT_EQ(*cpu.peek(kRamBase), 0x08600007u);
    EXPECT_EQ(board.memory[0x900010], 0x11112222u);
    EXPECT_EQ(board.memory[0x900011], 0x33334444u);
  }
  FakeBoard board;
  Cpu cpu;
};

TEST(Boot, RomHoldsVectorAndProgram) {
  EXPECT_GE(bootRom()[0], 0x40u);
  EXPECT_LT(bootRom()[0], 0x200u);
  Booting b;
  EXPECT_EQ(*b.cpu.peek(0), bootRom()[0]);
  b.cpu.run(1000);
  EXPECT_TRUE(b.board.log.empty());  // no pin, no access
}

TEST(Boot, MemoryOfEachWidthAtEachAddress) {
  constexpr std::uint32_t kAddress[3] = {0x001000, 0x810000, 0x900000 + 0x1000};
  for (unsigned source = 0; source < 3; ++source) {
    for (const std::uint32_t width : {8u, 16u, 32u}) {
      SCOPED_TRACE(std::to_string(source) + " " + std::to_string(width));
      Booting b;
      // Boot 3 starts at 900000h, where the data block must not overwrite it.
      const std::uint32_t base = source == 2 ? 0x900000 : kAddress[source];
      std::vector<std::uint32_t> words = Booting::table(width);
      if (source == 2) words[11] = 0x900800;
      b.put(base, width, words);
      b.pins(1u << source);
      if (source == 2) {
        EXPECT_EQ(b.cpu.run(1'000'000), StopReason::Idle) << b.cpu.fault().text;
        EXPECT_EQ(b.cpu.pc(), kRamBase + 3);
        EXPECT_EQ(b.board.memory[0x900800], 0x11112222u);
      } else {
        b.check();
      }
      EXPECT_EQ(*b.cpu.peek(0x808060), kIoStrb);
      EXPECT_EQ(*b.cpu.peek(0x808064) & ~1u, kStrb0);
      EXPECT_EQ(*b.cpu.peek(0x808068), kStrb1);
    }
  }
}

TEST(Boot, LowestPinWins) {
  Booting b;
  b.put(0x001000, 32, Booting::table(32));
  b.put(0x810000, 32, {32, 0, 0, 0, 0});
  b.pins(3);
  b.check();
}

/// INT3 with a memory: the host answers each location by XF1.
TEST(Boot, HandshakeByXf) {
  Booting b;
  b.put(0x001000, 8, Booting::table(8));
  std::uint64_t reads = 0;
  std::uint64_t early = 0;
  Cycle seen = 0;
  // Host: valid (XF1 low) 20 cycles after XF0 went high, until XF0 is low.
  b.board.onSample = [&](Cycle c) {
    if (b.board.xf0 == Drive::Low) seen = c;
    return PinReply{true, b.board.xf0 != Drive::Low, b.board.xf0 == Drive::Low || c < seen + 20};
  };
  b.board.onAccess = [&](const BusRequest& r) {
    if (r.op == BusOp::Read && r.address >= 0x1000 && r.address < 0x2000) {
      ++reads;
      if (b.board.xf0 != Drive::High || r.cycle < seen + 20) ++early;
    }
    return BusReply{};
  };
  b.pins(1 | 8);
  b.check();
  EXPECT_EQ(reads, 4u * Booting::table(8).size() + 1);  // one is the loaded program's own
  EXPECT_EQ(early, 0u);
}

TEST(Boot, SerialPort) {
  Booting b;
  Cycle arrival = 2000;
  for (const std::uint32_t w : Booting::blocks()) {
    b.cpu.deliverSerial(w, arrival);
    arrival += 90;
  }
  b.pins(8);
  b.check();
  EXPECT_EQ(b.cpu.serial().receiveLost(), 0u);
}

TEST(Boot, UnknownWidthStopsTheLoader) {
  Booting b;
  b.put(0x001000, 32, {24});
  b.pins(1);
  EXPECT_EQ(b.cpu.run(100'000), StopReason::Horizon);
  EXPECT_LT(b.cpu.pc(), kBootRomWords);
}

TEST(Boot, RomCannotBeWritten) {
  Booting b;
  b.cpu.poke(kRamBase, 0x1540C000);
  b.cpu.setRegister(reg::AR0, 0x20);
  b.cpu.setPc(kRamBase);
  EXPECT_EQ(b.cpu.run(100), StopReason::Fault);
  EXPECT_NE(b.cpu.fault().text.find("boot ROM"), std::string::npos);
}

}  // namespace
}  // namespace rtvp::c32
