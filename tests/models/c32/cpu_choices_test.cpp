// Options about results the manual leaves open (c32.md 1.1, 1.2, 4.3, 4.4.6, 4.5, 4.6, 9.2): the
// default and the other choice.
#include <gtest/gtest.h>

#include "models/c32/cpu_options.hpp"
#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::AsmMachine;

CpuConfig with(const char* key, const char* value) {
  CpuConfig config;
  EXPECT_EQ(setCpuOption(config, key, value), std::nullopt);
  EXPECT_FALSE(config.usualResults()) << key;
  return config;
}

TEST(Choices, DefaultsAreUsual) {
  EXPECT_TRUE(CpuConfig{}.usualResults());
}

TEST(Choices, ReservedBits) {
  const char* source =
      "        LDI -1,R0\n"
      "        LDI R0,IF\n"
      "        LDI R0,IE\n"
      "        LDI 2222h,R1\n"
      "        LDI R1,IOF\n"
      "        LDI 0,IF\n"
      "        LDI 200h,R0\n"
      "        LDI R0,ST\n"
      "end:    NOP\n";
  AsmMachine zero(source);
  zero.runTo("end");
  EXPECT_EQ(zero.r(reg::IE), kIeWritable);
  EXPECT_EQ(zero.r(reg::IOF) & ~kIofPins, 0x2222u & kIofWritable);
  EXPECT_EQ(zero.r(reg::ST) & 0x200u, 0u);
  AsmMachine kept(source, with("reserved-bits", "kept"));
  kept.runTo("end");
  EXPECT_EQ(kept.r(reg::IE), 0xFFFFFFFFu);
  EXPECT_EQ(kept.r(reg::IOF) & ~kIofPins, 0x2222u);
  EXPECT_EQ(kept.r(reg::ST) & 0x200u, 0x200u);
}

TEST(Choices, ReservedFlagsNeverInterrupt) {
  AsmMachine m(
      "        LDI 0C0h,R0\n"
      "        LDI R0,IE\n"
      "        LDI R0,IF\n"
      "        OR 2000h,ST\n"
      "        NOP\n"
      "end:    NOP\n",
      with("reserved-bits", "kept"));
  m.runTo("end");
  EXPECT_EQ(m.cpu.statistics().interruptsTaken, 0u);
}

TEST(Choices, CacheClear) {
  const char* source =
      "        LDI 1000h,R0\n"
      "        LDI R0,ST\n"
      "end:    NOP\n";
  AsmMachine clears(source);
  clears.runTo("end");
  EXPECT_EQ(clears.r(reg::ST) & kCC, 0u);
  AsmMachine keeps(source, with("cc-reads-back", "on"));
  keeps.runTo("end");
  EXPECT_EQ(keeps.r(reg::ST) & kCC, kCC);
}

TEST(Choices, ParallelFloatFlags) {
  const char* source =
      "        LDF 1.0,R0\n"
      "        LDF -3.0,R1\n"
      "        LDI R4,AR0\n"
      "        STF R0,*AR0\n"
      "        STF R0,*+AR0(1)\n"
      "        LDI 0,ST\n"
      "        MPYF3 *AR0,*+AR0,R0\n"
      "     || ADDF3 R0,R1,R2\n"
      "end:    NOP\n";
  AsmMachine cleared(source);
  cleared.cpu.setRegister(4, kRamBase + 0x80);
  cleared.runTo("end");
  EXPECT_EQ(cleared.r(reg::ST) & (kN | kZ), 0u);
  AsmMachine sum(source, with("parallel-float-nz", "of-sum"));
  sum.cpu.setRegister(4, kRamBase + 0x80);
  sum.runTo("end");
  EXPECT_EQ(sum.r(reg::ST) & (kN | kZ), kN);
}

TEST(Choices, ParallelStoresToOneAddress) {
  for (const std::uint32_t target : {kRamBase + 0x80u, 0x1000u}) {
    const char* source =
        "        LDI 1,R0\n"
        "        LDI 2,R1\n"
        "        LDI R4,AR0\n"
        "        STI R0,*AR0\n"
        "     || STI R1,*AR0\n"
        "        LDI *AR0,R2\n"
        "end:    NOP\n";
    AsmMachine first(source);
    first.cpu.setRegister(4, target);
    first.runTo("end");
    EXPECT_EQ(first.r(2), 1u);
    AsmMachine second(source, with("parallel-store-order", "second-remains"));
    second.cpu.setRegister(4, target);
    second.runTo("end");
    EXPECT_EQ(second.r(2), 2u);
  }
}

TEST(Choices, InterruptBehindAClearedGie) {
  const char* source =
      "        B start\n"
      "        .word isr,isr,isr,isr\n"
      "isr:    ADDI 1,R7\n"
      "        RETI\n"
      "start:  LDI R4,SP\n"
      "        LDI R5,IF\n"
      "        LDI 1,IE\n"
      "        LDI 2000h,R0\n"
      "        LDI 0,R1\n"
      "        LDI 0,R7\n"
      "        OR 2000h,ST\n"
      "        OR 1,IF\n"
      "end:    NOP\n";
  // The flag appears in the very instruction behind which GIE is 0.
  const std::string late = std::string(source).replace(
      std::string(source).find("        OR 1,IF"), 15, "        ANDN 2000h,ST\n        OR 1,IF");
  for (const unsigned cycles : {0u, 1u, 3u}) {
    CpuConfig config;
    EXPECT_EQ(setCpuOption(config, "gie-clear-cycles", std::to_string(cycles)), std::nullopt);
    AsmMachine m(late, config);
    m.cpu.setRegister(4, kRamBase + 0xC0);
    m.cpu.setRegister(5, kRamBase >> 8 << 16);
    m.cpu.setRegister(reg::IE, 0);
    m.runTo("end");
    m.steps(4);
    EXPECT_EQ(m.cpu.statistics().interruptsTaken, cycles == 3 ? 1u : 0u) << cycles;
  }
}

TEST(Choices, RepeatCountAfterTheEnd) {
  const char* source =
      "        LDI 3,RC\n"
      "        RPTB body\n"
      "body:   NOP\n"
      "        LDI RC,R0\n"
      "        RPTS 2\n"
      "        NOP\n"
      "        LDI RC,R1\n"
      "end:    NOP\n";
  AsmMachine minus(source);
  minus.runTo("end");
  EXPECT_EQ(minus.r(0), 0xFFFFFFFFu);
  AsmMachine zero(source, with("repeat-count-end", "zero"));
  zero.runTo("end");
  EXPECT_EQ(zero.r(0), 0u);
  EXPECT_EQ(zero.r(1), 0u);
}

TEST(Choices, Outxf0) {
  const char* source =
      "        LDI 6,IOF\n"
      "        LDI R4,AR0\n"
      "        LDII *AR0,R1\n"
      "        LDI IOF,R2\n"
      "end:    NOP\n";
  for (const bool follows : {true, false}) {
    AsmMachine m(source, follows ? CpuConfig{} : with("outxf0-follows", "off"));
    m.board.onSample = [&](Cycle) { return PinReply{true, m.board.xf0 != Drive::Low, false}; };
    m.cpu.setRegister(4, 0x1000);
    m.runTo("end");
    EXPECT_EQ(m.board.xf0, Drive::Low);
    EXPECT_EQ(m.r(2) & 4u, follows ? 0u : 4u);
    EXPECT_EQ(m.r(2) & 8u, 0u);  // the pin is low
  }
}

}  // namespace
}  // namespace rtvp::c32
