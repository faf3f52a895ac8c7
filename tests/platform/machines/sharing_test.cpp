// Rays dealt so that all end together, against times worked out by hand and against a search.
#include "platform/machines/sharing.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace rtvp::platform {
namespace {

TEST(Sharing, OneWorkerEndsAfterItsStartAndItsRays) {
  const std::vector<Worker> one{{2.0, 0.5}};
  EXPECT_DOUBLE_EQ(commonEnd(one, 10), 7.0);
  EXPECT_EQ(dealRays(one, 10), (std::vector<std::size_t>{10}));
}

TEST(Sharing, EqualWorkersHalve) {
  const std::vector<Worker> two{{0, 1}, {0, 1}};
  EXPECT_DOUBLE_EQ(commonEnd(two, 10), 5.0);
  EXPECT_EQ(dealRays(two, 10), (std::vector<std::size_t>{5, 5}));
}

// 10 rays: the first does 1 a second from 0, the second 2 a second from 4. At 4 the first has done
// 4; the 6 that are left take 2 s of both: 6 and 4.
TEST(Sharing, ALateWorkerGetsWhatFitsBeforeTheCommonEnd) {
  const std::vector<Worker> workers{{0, 1}, {4, 0.5}};
  EXPECT_DOUBLE_EQ(commonEnd(workers, 10), 6.0);
  EXPECT_EQ(dealRays(workers, 10), (std::vector<std::size_t>{6, 4}));
}

TEST(Sharing, AWorkerThatWouldBeginTooLateGetsNothing) {
  const std::vector<Worker> workers{{0, 1}, {11, 0.001}};
  EXPECT_DOUBLE_EQ(commonEnd(workers, 10), 10.0);
  EXPECT_EQ(dealRays(workers, 10), (std::vector<std::size_t>{10, 0}));
}

// 16 at a time: 100 rays at rates 1 and 1/3 would be 75 and 25; whole grains are 16 of 25, the rest
// goes to the one that it delays least.
TEST(Sharing, GrainsAreWhole) {
  const std::vector<Worker> workers{{0, 1, 1}, {0, 3, 16}};
  EXPECT_EQ(dealRays(workers, 100), (std::vector<std::size_t>{84, 16}));
}

TEST(Sharing, AllRaysAreDealtAndNoWorkerEndsLaterThanOneGrain) {
  constexpr unsigned kSeed = 20261122;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> start(0, 5), rate(0.001, 1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Worker> workers(1 + random() % 6);
    for (Worker& w : workers) w = {start(random), rate(random), 1 + random() % 32};
    const std::size_t rays = 1 + random() % 5000;
    const std::vector<std::size_t> shares = dealRays(workers, rays);
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), std::size_t{0}), rays)
        << "seed " << kSeed << ", round " << round;
    // The end by bisection: the earliest time at which all rays can be done.
    double low = 0, high = 1e5;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      double done = 0;
      for (const Worker& w : workers) done += std::max(0.0, middle - w.start) / w.perRay;
      (done < static_cast<double>(rays) ? low : high) = middle;
    }
    EXPECT_NEAR(commonEnd(workers, static_cast<double>(rays)), high, 1e-6 * high)
        << "seed " << kSeed << ", round " << round;
  }
}

TEST(Sharing, AMachineGetsHalfOfItsShareAtATime) {
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 5000, .lot = 5000}), 500U);
  EXPECT_EQ(raysAtATime({.share = 999, .open = 5000, .lot = 5000}), 500U);
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 5000, .lot = 300}), 300U);
  EXPECT_EQ(raysAtATime({.share = 1, .open = 5000, .lot = 5000}), 1U);
}

TEST(Sharing, AMachineThatDoesMostOfTheWorkGetsMoreAndOneAloneAll) {
  EXPECT_EQ(raysAtATime({.share = 750, .open = 1000, .lot = 1000}), 563U);  // 750 * 0.75 = 562.5
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 1000, .lot = 1000}), 1000U);
}

TEST(Sharing, WhatAMachineGetsIsWholeGrainsAndNoLessThanIsWorthIt) {
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 5000, .lot = 5000, .grain = 16}), 512U);
  EXPECT_EQ(raysAtATime({.share = 20, .open = 5000, .lot = 5000, .grain = 16}), 16U);
  EXPECT_EQ(raysAtATime({.share = 5, .open = 5000, .lot = 5000, .grain = 16}), 5U);
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 5000, .lot = 5000, .least = 700}), 700U);
  EXPECT_EQ(raysAtATime({.share = 1000, .open = 5000, .lot = 5000, .least = 7000}), 1000U);
}

}  // namespace
}  // namespace rtvp::platform
