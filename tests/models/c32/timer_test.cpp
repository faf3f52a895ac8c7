// Timers against a model that steps cycle by cycle, and through programs (c32.md 8.5).
#include "models/c32/timer.hpp"

#include <gtest/gtest.h>

#include "tests/models/c32/cpu_asm_support.hpp"

namespace rtvp::c32 {
namespace {

using testing::AsmMachine;

/// The timer of c32.md 8.5 one cycle at a time.
struct SlowTimer {
  std::uint32_t last = 15;
  std::uint32_t counter = 0, period = 0;
  bool running = false, clockMode = false, status = false;
  bool wasLocked = false, odd = false;

  [[nodiscard]] bool locked() const { return running && counter == 0 && period == 0; }
  bool rise() {
    if (!clockMode) return true;
    status = !status;
    return status;
  }
  /// A change by software: entering the locked state sets TSTAT in pulse mode.
  bool changed() {
    const bool enters = locked() && !wasLocked;
    wasLocked = locked();
    if (enters) odd = false;
    return enters && !clockMode;
  }
  bool step() {
    if (!running) return false;
    if (locked()) return clockMode && rise();
    odd = !odd;
    if (odd) return false;
    counter = counter == period ? period : (counter + 1) & last;
    if (counter != period) return false;
    counter = 0;
    wasLocked = locked();
    return rise();
  }
};

TEST(Timer, AgreesWithCycleByCycleModel) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::Random random(seed);
    TimerCore fast(4);
    SlowTimer slow;
    Cycle now = random() % 5;
    for (int i = 0; i < 60; ++i) {
      const std::uint32_t value = random() % 3 == 0 ? 0 : random() % 16;
      bool rises = false;
      switch (random() % 6) {
        case 0:
          rises = fast.restart(now);
          slow.counter = 0;
          slow.running = true;
          slow.status = slow.odd = slow.wasLocked = false;
          break;
        case 1: {
          const bool on = random() % 4 != 0;
          rises = fast.run(on, now);
          if (slow.running != on) slow.odd = slow.wasLocked = false;
          slow.running = on;
          break;
        }
        case 2:
          rises = fast.setCounter(value, now);
          slow.counter = value;
          break;
        case 3:
          rises = fast.setPeriod(value, now);
          slow.period = value;
          break;
        default:
          break;
      }
      ASSERT_EQ(rises, slow.changed()) << "change " << i;
      const Cycle until = now + random() % 70;
      bool expected = false;
      Cycle first = kNever;
      const Cycle promised = fast.nextRise();
      while (now < until) {
        ++now;
        if (!slow.step()) continue;
        expected = true;
        first = std::min(first, now);
      }
      if (expected) {
        ASSERT_EQ(promised, first) << "change " << i;
      } else {
        ASSERT_GT(promised, now) << "change " << i;
      }
      ASSERT_EQ(fast.advance(now), expected) << "change " << i;
      ASSERT_EQ(fast.counter(), slow.counter) << "change " << i;
      if (i == 30 || (i > 30 && random() % 16 == 0)) {
        const bool mode = random() % 2 != 0;
        const bool enters = mode != slow.clockMode && slow.locked() && !mode;
        ASSERT_EQ(fast.setMode(mode, nullptr, now), enters);
        slow.clockMode = mode;
      }
      if (slow.clockMode) {
        ASSERT_EQ(fast.status(now), slow.status) << "change " << i;
      }
    }
  }
}

TEST(Timer, ExternalClockIsCountedExactly) {
  const BitClock clock{30, 7};  // 7 edges in 30 cycles
  TimerCore timer(32);
  timer.setMode(false, &clock, 0);
  timer.setPeriod(7, 0);
  timer.restart(0);
  EXPECT_EQ(timer.nextRise(), 30u);
  EXPECT_TRUE(timer.advance(30));
  EXPECT_EQ(timer.nextRise(), 60u);
  EXPECT_TRUE(timer.advance(3'000'000));
  EXPECT_EQ(timer.counter(), 0u);
  timer.advance(3'000'005);
  EXPECT_EQ(timer.counter(), 1u);
  TimerCore none(32);
  const BitClock open;
  none.setMode(false, &open, 0);
  none.setPeriod(1, 0);
  none.restart(0);
  EXPECT_EQ(none.nextRise(), kNever);
  EXPECT_FALSE(none.advance(1000));
}

const char* const kInterruptProgram =
    "vectors .space 9\n"
    "        .word  isr, isr\n"
    "        .space 5\n"
    "start:  LDI 25,R0\n"
    "        STI R0,*+AR7(28h)\n"  // period
    "        LDI 2C1h,R0\n"        // pulse mode, internal, go
    "        STI R0,*+AR7(20h)\n"
    "        LDI 100h,IE\n"
    "wait:   IDLE\n"
    "        B wait\n"
    "isr:    NOP\n"
    "inside: ADDI 1,R1\n"
    "        RETI\n";

TEST(Timer, PulseModeInterruptsEveryTwoPeriods) {
  AsmMachine m(kInterruptProgram);
  m.cpu.setPc(m.at("start"));
  m.steps(4);
  const Cycle go = m.cpu.cycle() - 1;  // the cycle of the store
  m.runTo("inside");
  EXPECT_EQ(m.cpu.cycle(), go + 50 + 5 + 1);  // f(H1)/(2 x period), then the entry
  m.steps(1);
  m.runTo("inside");
  EXPECT_EQ(m.cpu.cycle(), go + 100 + 5 + 1);
  EXPECT_EQ(m.cpu.statistics().totalCycles(), m.cpu.cycle());
}

TEST(Timer, ClockModeInterruptsEveryFourPeriods) {
  AsmMachine m(kInterruptProgram);
  m.cpu.setPc(m.at("start"));
  m.load(m.at("start") + 2, {0x086003C1});  // LDI 3C1h,R0: clock mode
  m.steps(4);
  const Cycle go = m.cpu.cycle() - 1;
  m.runTo("inside");
  EXPECT_EQ(m.cpu.cycle(), go + 50 + 5 + 1);  // TSTAT 0 to 1
  m.steps(1);
  m.runTo("inside");
  EXPECT_EQ(m.cpu.cycle(), go + 150 + 5 + 1);  // and again after 1 to 0
}

TEST(Timer, RegistersThroughTheProcessor) {
  AsmMachine m(
      "        LDI 100,R0\n"
      "        STI R0,*+AR7(38h)\n"
      "        LDI 3C1h,R0\n"
      "        STI R0,*+AR7(30h)\n"
      "        NOP\n        NOP\n        NOP\n        NOP\n"
      "        LDI *+AR7(34h),R1\n"  // five cycles after the store: two counts
      "        LDI *+AR7(30h),R2\n"  // GO reads 0
      "        LDI 301h,R0\n"
      "        STI R0,*+AR7(30h)\n"  // hold
      "        NOP\n        NOP\n"
      "        LDI *+AR7(34h),R3\n"
      "        NOP\n        NOP\n"
      "        LDI *+AR7(34h),R4\n"
      "end:    NOP\n");
  m.runTo("end");
  EXPECT_EQ(m.r(1), 2u);
  EXPECT_EQ(m.r(2), 0x381u);
  EXPECT_EQ(m.r(3), 4u);
  EXPECT_EQ(m.r(4), 4u);
}

TEST(Timer, PeriodZeroHoldsTheOutput) {
  AsmMachine m(
      "        LDI 2C1h,R0\n"
      "        STI R0,*+AR7(20h)\n"
      "        NOP\n        NOP\n"
      "        LDI *+AR7(20h),R1\n"
      "        LDI IF,R2\n"
      "end:    NOP\n");
  m.runTo("end");
  EXPECT_EQ(m.r(1), 0x281u | 1u << 11 | 8u);  // TSTAT and the pin stay set
  EXPECT_NE(m.r(2) & 0x100u, 0u);
}

TEST(Timer, GeneralPurposePin) {
  AsmMachine m(
      "        LDI 6,R0\n"  // output, high
      "        STI R0,*+AR7(20h)\n"
      "        LDI *+AR7(20h),R1\n"
      "        LDI 0,R0\n"
      "        STI R0,*+AR7(20h)\n"
      "        LDI *+AR7(20h),R2\n"
      "end:    NOP\n");
  m.runTo("end");
  EXPECT_EQ(m.r(1), 0xEu);
  EXPECT_EQ(m.r(2), 0u);
  m.cpu.setPin(Pin::Tclk0, true);
  EXPECT_EQ(*m.cpu.peek(0x808020), 8u);
}

TEST(Timer, CountsEdgesAtItsPin) {
  for (const std::uint32_t invert : {0u, 0x400u}) {
    AsmMachine m(
        "        LDI 3,R0\n"
        "        STI R0,*+AR7(28h)\n"
        "        STI R4,*+AR7(20h)\n"
        "end:    NOP\n"
        "loop:   B loop\n");
    m.cpu.setPin(Pin::Tclk0, invert != 0);
    m.cpu.setRegister(4, 0xC1u | invert);  // FUNC, GO, HLD, pulse mode, TCLK0
    m.runTo("end");
    for (unsigned edge = 1; edge <= 7; ++edge) {
      m.cpu.setPin(Pin::Tclk0, invert == 0);
      m.cpu.setPin(Pin::Tclk0, invert != 0);
      EXPECT_EQ(*m.cpu.peek(0x808024), edge % 3) << edge;
      EXPECT_EQ(m.r(reg::IF) & 0x100u, edge % 3 == 0 ? 0x100u : 0u) << edge;
      m.cpu.setRegister(reg::IF, 0x87FE0000);
      m.steps(1);
    }
  }
}

TEST(Timer, IdleWithoutWakerEndsAndFastTimersCostNothing) {
  AsmMachine m(
      "        LDI 1,R0\n"
      "        STI R0,*+AR7(28h)\n"
      "        LDI 2C1h,R0\n"
      "        STI R0,*+AR7(20h)\n"
      "        IDLE\n");
  EXPECT_EQ(m.cpu.run(kNever), StopReason::Idle);  // TINT0 is not enabled: nothing will come
  EXPECT_NE(m.r(reg::IF) & 0x100u, 0u);
}

TEST(Timer, Idle2StopsAndLopowerSlowsTheCount) {
  AsmMachine m(
      "        LDI 10000,R0\n"
      "        STI R0,*+AR7(28h)\n"
      "        LDI 3C1h,R0\n"
      "        STI R0,*+AR7(20h)\n"
      "        LDI 1,IE\n"
      "        IDLE2\n"
      "        NOP\n"
      "back:   LDI *+AR7(24h),R1\n"
      "        LOPOWER\n"
      "        NOP\n        NOP\n        NOP\n"
      "        MAXSPEED\n"
      "        LDI *+AR7(24h),R2\n"
      "end:    NOP\n"
      "isr:    RETI\n");
  m.cpu.setRegister(reg::IF, 0x00200000);  // vectors at 2000h
  m.board.memory[0x2001] = m.at("isr");
  m.cpu.setRegister(reg::ST, kINTCONFIG);
  m.cpu.setInterruptLine(0, true, 50'000);
  m.runTo("back");
  m.runTo("end");
  EXPECT_LT(m.r(1), 20u);
  EXPECT_GT(m.cpu.cycle(), 50'000u);
  // LOPOWER and three NOPs of sixteen cycles count as one each.
  EXPECT_GE(m.r(2) - m.r(1), 2u);
  EXPECT_LE(m.r(2) - m.r(1), 4u);
}

}  // namespace
}  // namespace rtvp::c32
