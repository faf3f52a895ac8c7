// Every control and status register number of the hart: which exist, what they hold after reset,
// which bits can be written, which accesses trap. The list is made from the RISC-V ISA (privileged
// 20211203, chapter 3, for a hart with machine mode alone) and xphmg.md 16.2.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>

#include "models/xphmg/hart/machine.hpp"

namespace rtvp::rv64 {
namespace {

using U = std::uint64_t;

constexpr U kAll = ~U{0};
constexpr unsigned kHartId = 5;
constexpr unsigned kMstatus = 0x300, kMcountinhibit = 0x320, kMcycle = 0xB00, kMinstret = 0xB02;

struct Register {
  U reset;            ///< what it reads after reset
  U ones;             ///< what it reads after all ones were written
  U zeros;            ///< and after zeros were
  bool write = true;  ///< false: writing traps
};

std::map<unsigned, Register> registers() {
  std::map<unsigned, Register> list = {
      {kMstatus, {0x1800, 0x8000000000007888, 0x1800}},  // SD, FS, MPP, MPIE, MIE; MPP stays 3
      {0x301, {0x800000000000112D, 0x800000000000112D, 0x800000000000112D}},  // RV64 ACDFIM
      {0x304, {0, 0x888, 0}},       // mie: MEIE, MTIE, MSIE
      {0x305, {0, kAll - 2, 0}},    // mtvec: direct or vectored
      {kMcountinhibit, {0, 5, 0}},  // IR, CY
      {0x340, {0, kAll, 0}},        // mscratch
      {0x341, {0, kAll - 1, 0}},    // mepc: 16-bit instructions exist
      {0x342, {0, kAll, 0}},        // mcause
      {0x343, {0, kAll, 0}},        // mtval
      {0x344, {0, 0, 0}},           // mip: all lines from outside
      {0xF11, {0, 0, 0, false}},    // mvendorid: not implemented
      {0xF12, {0, 0, 0, false}},
      {0xF13, {0, 0, 0, false}},
      {0xF14, {kHartId, kHartId, kHartId, false}},
      {0xF15, {0, 0, 0, false}},
  };
  for (unsigned n = 3; n < 32; ++n) {
    list[0x320 + n] = {0, 0, 0};         // mhpmevent
    list[0xB00 + n] = {0, 0, 0};         // mhpmcounter
    list[0xC00 + n] = {0, 0, 0, false};  // hpmcounter
  }
  return list;
}

/// Their values move with every instruction: tests of their own.
bool isMoving(unsigned number) {
  return number == kMcycle || number == kMinstret || (number >= 0xC00 && number <= 0xC02);
}

class Quiet : public Console {
 public:
  void write(std::span<const std::uint8_t>, bool) override {}
  int read() override { return -1; }
};

class Bench {
 public:
  Bench() : machine_(options(), memory_.memory(), console_) { hart().reset(kRamBase); }
  Hart& hart() { return machine_.hart(); }

  /// funct3 1, 2, 3: csrrw, csrrs, csrrc; 5, 6, 7: with an immediate in rs1's place. rd is x3.
  /// False: it trapped as an illegal instruction.
  bool access(unsigned funct3, unsigned number, unsigned rs1) {
    const std::uint32_t word = number << 20U | rs1 << 15U | funct3 << 12U | 3U << 7U | 0x73U;
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &word, 4);
    EXPECT_TRUE(hart().poke(kRamBase, bytes));
    hart().setPc(kRamBase);
    if (hart().run(1) != Stop::NoHandler) return true;
    EXPECT_EQ(hart().mcause(), 2U) << std::hex << number;
    return false;
  }
  bool write(unsigned number, U value) {
    hart().setX(5, value);
    return access(1, number, 5);
  }
  U read(unsigned number) {
    EXPECT_TRUE(access(2, number, 0)) << std::hex << number;
    return hart().x(3);
  }

 private:
  static MachineOptions options() {
    MachineOptions options;
    options.hart.hart_id = kHartId;
    return options;
  }
  OwnedMemory memory_{std::uint64_t{1} << 20U};
  Quiet console_;
  Machine machine_;
};

TEST(HartCsr, ExactlyTheseExistAndHoldTheirResetValue) {
  const std::map<unsigned, Register> list = registers();
  for (unsigned number = 0; number < 4096; ++number) {
    Bench bench;
    const auto found = list.find(number);
    const bool exists = found != list.end() || isMoving(number);
    bench.hart().setX(3, 77);
    ASSERT_EQ(bench.access(2, number, 0), exists) << std::hex << number;
    if (!exists) {
      EXPECT_EQ(bench.hart().x(3), 77U) << std::hex << number;
      EXPECT_FALSE(bench.write(number, 0)) << std::hex << number;
    } else if (!isMoving(number)) {
      EXPECT_EQ(bench.hart().x(3), found->second.reset) << std::hex << number;
    }
  }
}

TEST(HartCsr, TheWritableBitsAreWritten) {
  for (const auto& [number, r] : registers()) {
    Bench bench;
    EXPECT_EQ(bench.write(number, kAll), r.write) << std::hex << number;
    if (r.write) {
      EXPECT_EQ(bench.hart().x(3), r.reset) << std::hex << number;  // the old value
    }
    EXPECT_EQ(bench.read(number), r.ones) << std::hex << number;
    EXPECT_EQ(bench.write(number, 0), r.write) << std::hex << number;
    EXPECT_EQ(bench.read(number), r.zeros) << std::hex << number;
    // Each bit alone, for those that depend on no other.
    if (number == kMstatus) continue;
    for (unsigned bit = 0; r.write && bit < 64; ++bit) {
      const U value = U{1} << bit;
      ASSERT_TRUE(bench.write(number, value));
      const U expected = (value & (r.ones ^ r.zeros)) | r.zeros;
      EXPECT_EQ(bench.read(number), expected) << std::hex << number << " bit " << std::dec << bit;
    }
  }
}

// What may not be written may be read by the forms that would set or clear no bit.
TEST(HartCsr, OnlyFormsThatWriteTrapOnReadOnlyNumbers) {
  for (const unsigned number : {0xC00U, 0xC01U, 0xC02U, 0xC03U, 0xC1FU, 0xF11U, 0xF14U, 0xF15U}) {
    Bench bench;
    for (const unsigned funct3 : {2U, 3U, 6U, 7U}) {
      EXPECT_TRUE(bench.access(funct3, number, 0)) << std::hex << number << " " << funct3;
      EXPECT_FALSE(bench.access(funct3, number, 5)) << std::hex << number << " " << funct3;
    }
    for (const unsigned funct3 : {1U, 5U}) {
      EXPECT_FALSE(bench.access(funct3, number, 0)) << std::hex << number << " " << funct3;
    }
  }
}

TEST(HartCsr, FloatRegistersNeedTheUnitAndMakeItDirty) {
  constexpr std::array<U, 4> kMost{0, 31, 7, 255};  // fflags, frm, fcsr
  for (unsigned number = 1; number <= 3; ++number) {
    Bench bench;
    EXPECT_FALSE(bench.access(2, number, 0)) << number;
    EXPECT_FALSE(bench.write(number, 1)) << number;
    ASSERT_TRUE(bench.write(kMstatus, 0x2000));  // FS: initial
    EXPECT_EQ(bench.read(number), 0U) << number;
    EXPECT_EQ(bench.read(kMstatus), 0x3800U) << number;
    EXPECT_TRUE(bench.write(number, kAll)) << number;
    EXPECT_EQ(bench.read(number), kMost.at(number)) << number;
    EXPECT_EQ(bench.read(kMstatus), 0x8000000000007800U) << number;
  }
  Bench bench;
  ASSERT_TRUE(bench.write(kMstatus, 0x2000));
  ASSERT_TRUE(bench.write(3, 0xA5));  // frm 5, fflags 5
  EXPECT_EQ(bench.read(1), 5U);
  EXPECT_EQ(bench.read(2), 5U);
}

TEST(HartCsr, CountersCountWhatTheirNamesSay) {
  Bench bench;
  for (const unsigned number : {kMcycle, kMinstret}) {
    ASSERT_TRUE(bench.write(number, 100));
    EXPECT_EQ(bench.read(number), 100U) << std::hex << number;  // by the next instruction
    EXPECT_EQ(bench.read(number), 101U) << std::hex << number;
    EXPECT_EQ(bench.read(number + 0x100), 102U) << std::hex << number;  // the user's copy
  }
  // An instruction that traps does not retire.
  ASSERT_TRUE(bench.write(kMinstret, 200));
  EXPECT_FALSE(bench.access(1, 0xC00, 0));
  EXPECT_EQ(bench.read(kMinstret), 200U);
}

TEST(HartCsr, InhibitedCountersStandStill) {
  Bench bench;
  ASSERT_TRUE(bench.write(kMcycle, 1000));
  ASSERT_TRUE(bench.write(kMinstret, 2000));
  ASSERT_TRUE(bench.write(kMcountinhibit, 4));  // instructions
  const U retired = bench.read(kMinstret);
  const U cycle = bench.read(kMcycle);
  for (int i = 0; i < 5; ++i) bench.read(0x340);
  EXPECT_EQ(bench.read(kMinstret), retired);
  EXPECT_EQ(bench.read(kMcycle), cycle + 7);
  ASSERT_TRUE(bench.write(kMinstret, 50));  // a write reaches it all the same
  EXPECT_EQ(bench.read(kMinstret), 50U);
  ASSERT_TRUE(bench.write(kMcountinhibit, 1));  // cycles
  const U stopped = bench.read(kMcycle);
  const U running = bench.read(kMinstret);
  for (int i = 0; i < 5; ++i) bench.read(0x340);
  EXPECT_EQ(bench.read(kMcycle), stopped);
  EXPECT_EQ(bench.read(kMinstret), running + 7);
}

TEST(HartCsr, PendingBitsAreTheLinesFromOutside) {
  Bench bench;
  for (const auto& [line, bit] :
       {std::pair{Interrupt::Software, U{1} << 3U}, std::pair{Interrupt::Timer, U{1} << 7U},
        std::pair{Interrupt::External, U{1} << 11U}}) {
    bench.hart().setInterrupt(line, true);
    EXPECT_EQ(bench.read(0x344), bit);
    EXPECT_TRUE(bench.write(0x344, 0));
    EXPECT_EQ(bench.read(0x344), bit);
    bench.hart().setInterrupt(line, false);
    EXPECT_EQ(bench.read(0x344), 0U);
  }
}

}  // namespace
}  // namespace rtvp::rv64
