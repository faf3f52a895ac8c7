// What the array's trace shows of DSPs that had run ahead when the reset line was asserted.
#include "models/tigershark/array_trace.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/models/tigershark/array_bench.hpp"
#include "tests/support/trace_recorder.hpp"

namespace rtvp::tigershark {
namespace {

using Values = std::vector<std::uint64_t>;

/// One DSP at a cycle a nanosecond.
struct Bench {
  test::FlatBoard board;
  std::unique_ptr<ArrayEngine> engine = makeScalarArray(oneLane(), board);
  rtvp::test::TraceRecorder recorder;
  ArrayTrace trace;

  Bench()
      : trace(common::TraceScope(recorder, "board"), BoardClock(1'000'000'000, 1'000'000'000),
              oneLane(), [](std::uint32_t pc) {
                return pc == 0x40 ? std::string("boot+3 (a.asm:7)") : std::string();
              }) {}
  static ArrayConfig oneLane() {
    ArrayConfig config;
    config.lanes = 1;
    return config;
  }
};

TEST(ArrayTrace, AVoteIsShownACycleLaterAndRisesThroughThePullUp) {
  Bench b;
  b.trace.start(0);
  b.trace.voteDriven(0, true, 100);
  b.trace.voteDriven(0, false, 120);
  b.trace.horizon(400);
  b.trace.settle(400);
  EXPECT_EQ(b.recorder.values["board.dsp0.vote"], (Values{1, 0}));
  EXPECT_EQ(b.recorder.values["board.array.vote"], (Values{1, 0}));
}

TEST(ArrayTrace, WhatLiesBehindAResetNeverHappened) {
  Bench b;
  b.trace.start(0);
  b.trace.voteDriven(0, true, 100);  // the DSP was ahead of the reset
  b.trace.reset(*b.engine, 50);
  b.trace.settle(60);
  b.trace.start(200);
  b.trace.horizon(400);
  b.trace.settle(400);
  EXPECT_EQ(b.recorder.values["board.dsp0.vote"], Values{0});
  EXPECT_EQ(b.recorder.values["board.array.vote"], Values{0});
  EXPECT_EQ(b.recorder.values["board.dsp0.state"], (Values{1, 0, 1})) << "run, reset, run";
}

TEST(ArrayTrace, AnAccessHasTheSymbolOfItsInstruction) {
  Bench b;
  b.trace.start(0);
  b.trace.access({.op = c32::BusOp::Read, .address = 7, .cycle = 100, .pc = 0x40}, {.data = 5});
  b.trace.access({.op = c32::BusOp::Read, .address = 7, .cycle = 110, .pc = 0x50}, {.data = 5});
  b.trace.settle(400);
  ASSERT_EQ(b.recorder.texts.size(), 2U);
  EXPECT_EQ(b.recorder.texts[1], "boot+3") << "no blank is in a text";
  EXPECT_EQ(b.recorder.values["board.bus.symbol"], (Values{1, 0})) << "50h has none";
}

TEST(ArrayTrace, SleepIsShownBesideTheState) {
  Bench b;
  b.trace.start(0);
  EXPECT_TRUE(b.trace.wantsSleep());
  b.trace.slept(0, 20, 90);
  b.trace.slept(0, 95, 500);  // it had run ahead of the reset
  b.trace.reset(*b.engine, 100);
  b.trace.settle(600);
  EXPECT_EQ(b.recorder.values["board.dsp0.idle"], (Values{1, 0, 1, 0}));
}

}  // namespace
}  // namespace rtvp::tigershark
