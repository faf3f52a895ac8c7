// The hart's host code: what must come out by hand, and random programs beside the interpreter.
#include <cstring>

#include "tests/models/xphmg/hart/translation_pair.hpp"

namespace rtvp::rv64 {
namespace {

using test::compare;
using test::kFrm;
using test::Kind;
using test::kMie;
using test::kMstatus;
using test::kMtvec;
using test::kRam;

// ---- what must come out, by hand

class NoBus : public Bus {
 public:
  bool read(std::uint64_t, std::span<std::uint8_t>, std::uint64_t&) override { return false; }
  bool write(std::uint64_t, std::span<const std::uint8_t>, std::uint64_t&) override {
    return false;
  }
};

/// A hart with these instructions at the begin of its RAM.
struct Small {
  explicit Small(const std::vector<std::uint32_t>& words, std::size_t bytes = 0x4000,
                 HartOptions options = {})
      : ram(bytes), hart(bus, options) {
    hart.addRam(kRam, ram);
    std::memcpy(ram.data(), words.data(), words.size() * 4);
    hart.reset(kRam);
  }
  NoBus bus;
  std::vector<std::uint8_t> ram;
  Hart hart;
};

std::uint32_t add(unsigned rd, unsigned rs1, std::int32_t imm) {
  return test::encode(Op::ADDI, {.rd = rd, .rs1 = rs1, .imm = imm});
}
std::uint32_t back(std::int32_t instructions) {
  return test::encode(Op::JAL, {.rd = 0, .imm = -4 * instructions});
}

TEST(HartTranslation, LoopsRunInHostCodeAndStopWhereTheyShall) {
  Small s({add(10, 10, 1), add(9, 9, 2), back(2)});  // a register in the host, one in memory
  EXPECT_EQ(s.hart.run(300'000), Stop::Budget);
  EXPECT_GT(s.hart.instructionsTranslated(), 290'000U);
  for (unsigned n = 1; n <= 10; ++n) {
    const std::uint64_t all = 300'000 + n * (n + 1) / 2;
    s.hart.run(n);
    EXPECT_EQ(s.hart.instructionsRetired(), all);
    EXPECT_EQ(s.hart.x(10), (all + 2) / 3);
    EXPECT_EQ(s.hart.x(9), (all + 1) / 3 * 2);
    EXPECT_EQ(s.hart.pc(), kRam + 4 * (all % 3));
  }
  s.hart.setCycleLimit(s.hart.cycle() + 1001);
  const std::uint64_t before = s.hart.cycle();
  EXPECT_EQ(s.hart.run(1'000'000), Stop::CycleLimit);
  EXPECT_EQ(s.hart.cycle(), before + 1001);
}

TEST(HartTranslation, NothingIsTranslatedUnlessItMayBe) {
  HartOptions plain;
  plain.translate = false;
  Small none({add(10, 10, 1), back(1)}, 0x4000, plain);
  none.hart.run(10'000);
  EXPECT_EQ(none.hart.instructionsTranslated(), 0U);
  Small tiny({add(10, 10, 1), back(1)}, 0x800);  // RAM of less than a page
  tiny.hart.run(10'000);
  EXPECT_EQ(tiny.hart.instructionsTranslated(), 0U);
  EXPECT_EQ(tiny.hart.x(10), 5'000U);
}

TEST(HartTranslation, AtOnceIfAskedForAndAgainAfterAChange) {
  HartOptions eager;
  eager.translate_after = 1;
  // An ECALL whose handler makes it something else, which becomes hot.
  Small s({add(10, 10, 1), test::encode(Op::ECALL, {}), add(11, 11, 1), back(3)}, 0x4000, eager);
  const std::uint32_t handler[] = {test::encode(Op::SW, {.rs1 = 13, .rs2 = 14, .imm = 4}),
                                   test::encode(Op::MRET, {})};
  std::memcpy(s.ram.data() + 0x800, handler, sizeof handler);
  s.hart.writeCsr(kMtvec, kRam + 0x800);
  s.hart.setX(13, kRam);
  s.hart.setX(14, add(12, 12, 1));
  s.hart.run(40'000);
  EXPECT_EQ(s.hart.x(10), s.hart.x(12));
  EXPECT_GT(s.hart.x(10), 9'990U);
  EXPECT_GT(s.hart.instructionsTranslated(), 39'900U);
}

TEST(HartTranslation, ATimerInterruptComesAtItsCycle) {
  HartOptions options;
  options.timer_divider = 10;
  Small s({add(10, 10, 1), add(10, 10, 1), add(10, 10, 1), add(10, 10, 1), back(4)}, 0x4000,
          options);
  s.hart.writeCsr(kMtvec, kRam + 0x1000);
  s.hart.writeCsr(kMie, 0x80);
  s.hart.writeCsr(kMstatus, 8);
  s.hart.setMtimecmp(1234);
  const std::uint32_t stay = back(0);
  std::memcpy(s.ram.data() + 0x1000, &stay, 4);
  s.hart.run(20'000);
  EXPECT_EQ(s.hart.mcause(), (std::uint64_t{1} << 63U) | 7U);
  EXPECT_EQ(s.hart.mepc(), kRam);  // 12,340 instructions are 2,468 rounds
  EXPECT_EQ(s.hart.x(10), 4U * 2468U);
}

TEST(HartTranslation, AFaultInABlockLeavesWhatCameBefore) {
  // a1 walks off the end of the RAM by loads of 8 bytes.
  Small s({add(10, 10, 1), test::encode(Op::LD, {.rd = 12, .rs1 = 11}), add(11, 11, 8),
           add(13, 13, 1), back(4)});
  s.hart.setX(11, kRam + 0x1000);
  s.hart.writeCsr(kMtvec, kRam + 0x800);
  s.hart.writeCsr(kMstatus, 8);
  const std::uint32_t stay = back(0);
  std::memcpy(s.ram.data() + 0x800, &stay, 4);
  s.hart.run(50'000);
  EXPECT_EQ(s.hart.mcause(), 5U);
  EXPECT_EQ(s.hart.mtval(), kRam + 0x4000);
  EXPECT_EQ(s.hart.mepc(), kRam + 4);
  EXPECT_EQ(s.hart.x(10), 0x3000U / 8 + 1);
  EXPECT_EQ(s.hart.x(13), 0x3000U / 8);
  EXPECT_EQ(s.hart.cycle(), s.hart.instructionsRetired() + 1);
}

TEST(HartTranslation, AStoreIntoTheRunningLoopIsSeenByTheNextRound) {
  // From round 1000 on the first instruction adds 100; nobody calls FENCE.I.
  Small s({add(10, 10, 1), add(11, 11, 1), test::encode(Op::BNE, {.rs1 = 11, .rs2 = 12, .imm = 8}),
           test::encode(Op::SW, {.rs1 = 13, .rs2 = 14}), back(4)});
  s.hart.setX(12, 1000);
  s.hart.setX(13, kRam);
  s.hart.setX(14, add(10, 10, 100));
  s.hart.run(4 * 2000 + 1);
  EXPECT_EQ(s.hart.x(11), 2000U);
  EXPECT_EQ(s.hart.x(10), 1000U + 1000U * 100U);
  EXPECT_GT(s.hart.instructionsTranslated(), 6'000U);
}

TEST(HartTranslation, AStoreThatBeginsInFrontOfCodeIsSeen) {
  // The loop begins a line of 64 bytes; the store's first half lies in the line before, which has
  // no code.
  constexpr std::size_t kLoop = 0x200;
  std::vector<std::uint32_t> words(kLoop / 4, 0);
  words[0] = test::encode(Op::JAL, {.rd = 0, .imm = kLoop});
  words.insert(words.end(), {add(10, 10, 1), add(11, 11, 1),
                             test::encode(Op::BNE, {.rs1 = 11, .rs2 = 12, .imm = 8}),
                             test::encode(Op::SD, {.rs1 = 13, .rs2 = 14, .imm = -4}), back(4)});
  Small s(words);
  s.hart.setX(12, 1000);
  s.hart.setX(13, kRam + kLoop);
  s.hart.setX(14, std::uint64_t{add(10, 10, 100)} << 32U);
  s.hart.run(1 + 4 * 2000 + 1);
  EXPECT_EQ(s.hart.x(11), 2000U);
  EXPECT_EQ(s.hart.x(10), 1000U + 1000U * 100U);
}

TEST(HartTranslation, CodeMarksTheFloatingPointStateDirty) {
  constexpr std::uint64_t kInitial = 0x2000, kDirty = 0x6000;
  Small s({test::encode(Op::FADD_D, {.rd = 1, .rs1 = 2, .rs2 = 3}), add(10, 10, 1), back(2)});
  s.hart.writeCsr(kMstatus, kInitial);
  s.hart.run(3'000);
  EXPECT_EQ(*s.hart.readCsr(kMstatus) & kDirty, kDirty);
  s.hart.writeCsr(kMstatus, kInitial);
  s.hart.run(30);
  EXPECT_EQ(*s.hart.readCsr(kMstatus) & kDirty, kDirty);
  s.hart.writeCsr(kMstatus, 0);
  s.hart.writeCsr(kMtvec, kRam + 0x800);
  s.hart.run(30);
  EXPECT_EQ(s.hart.mcause(), 2U);
}

TEST(HartTranslation, BreakpointsStopInFrontOfCodeThatWasHot) {
  Small s({add(10, 10, 1), add(11, 11, 1), back(2)});
  s.hart.run(30'000);
  s.hart.setPlaces({kRam + 4});
  EXPECT_EQ(s.hart.run(30'000), Stop::Breakpoint);
  EXPECT_EQ(s.hart.pc(), kRam + 4);
  EXPECT_EQ(s.hart.x(10), 10'001U);
  EXPECT_EQ(s.hart.x(11), 10'000U);
  EXPECT_EQ(s.hart.run(30'000), Stop::Breakpoint);
  EXPECT_EQ(s.hart.x(10), 10'002U);
  s.hart.setPlaces({});
  EXPECT_EQ(s.hart.run(30'000), Stop::Budget);
}

// ---- beside the interpreter

TEST(HartTranslation, RandomIntegerPrograms) {
  compare(1, 40, Kind::Wild);
}

TEST(HartTranslation, RandomFloatPrograms) {
  compare(1001, 1040, Kind::WildFloats);
}

TEST(HartTranslation, RandomLoops) {
  compare(2001, 2100, Kind::Loops);
}

}  // namespace
}  // namespace rtvp::rv64
