// What the array's trace shows of DSPs that had run ahead when the reset line was asserted.
#include "models/tigershark/array_trace.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/trace_recorder.hpp"

namespace rtvp::tigershark {
namespace {

using Values = std::vector<std::uint64_t>;

/// One DSP at a cycle a nanosecond.
struct Bench {
  test::TraceRecorder recorder;
  ArrayTrace trace;

  Bench()
      : trace(common::TraceScope(recorder, "board"), BoardClock(1'000'000'000, 1'000'000'000),
              oneLane()) {}
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
  b.trace.reset(50);
  b.trace.settle(60);
  b.trace.start(200);
  b.trace.horizon(400);
  b.trace.settle(400);
  EXPECT_EQ(b.recorder.values["board.dsp0.vote"], Values{0});
  EXPECT_EQ(b.recorder.values["board.array.vote"], Values{0});
  EXPECT_EQ(b.recorder.values["board.dsp0.state"], (Values{1, 0, 1})) << "run, reset, run";
}

}  // namespace
}  // namespace rtvp::tigershark
