// Work on all cores: every part once, whoever does it, and failures as one thread would have them.
#include "models/common/core/host_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using rtvp::common::hostThreads;
using rtvp::common::inParts;
using rtvp::common::inTwo;

TEST(HostThreads, NoWishIsAllCores) {
  EXPECT_EQ(hostThreads(3), 3U);
  EXPECT_EQ(hostThreads(0), std::max(1U, std::thread::hardware_concurrency()));
}

TEST(HostThreads, EveryPlaceOnceInPiecesOfTheGrain) {
  for (const unsigned threads : {1U, 2U, 3U, 64U}) {
    for (const std::size_t count : {0UL, 1UL, 6UL, 7UL, 8UL, 1000UL}) {
      std::vector<int> times(count);
      std::atomic<std::size_t> pieces{0};
      inParts(count, 7, threads, [&](std::size_t begin, std::size_t end) {
        EXPECT_EQ(begin % 7, 0U);
        EXPECT_LE(end - begin, 7U);
        ++pieces;
        for (std::size_t i = begin; i < end; ++i) ++times[i];
      });
      EXPECT_EQ(times, std::vector<int>(count, 1)) << threads << " threads, " << count;
      EXPECT_EQ(pieces, (count + 6) / 7);
    }
  }
}

TEST(HostThreads, NoGrainIsOneByOneAndTheLargestIsOnePiece) {
  std::size_t calls = 0;
  inParts(3, 0, 1, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(end, begin + 1);
    ++calls;
  });
  EXPECT_EQ(calls, 3U);
  inParts(3, SIZE_MAX, 4, [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, 0U);
    EXPECT_EQ(end, 3U);
    ++calls;
  });
  EXPECT_EQ(calls, 4U);
}

TEST(HostThreads, OneThreadIsTheCallersInOrder) {
  std::vector<std::size_t> order;
  const std::thread::id here = std::this_thread::get_id();
  inParts(10, 3, 1, [&](std::size_t begin, std::size_t) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    order.push_back(begin);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 3, 6, 9}));
}

// Two parts that wait for each other are done only if two threads do them.
TEST(HostThreads, PartsGoOnSideBySide) {
  std::atomic<int> here{0};
  inParts(2, 1, 2, [&](std::size_t, std::size_t) {
    ++here;
    while (here < 2) std::this_thread::yield();
  });
  inTwo(
      2,
      [&] {
        while (here < 3) std::this_thread::yield();
      },
      [&] { ++here; });
  EXPECT_EQ(here, 3);
}

TEST(HostThreads, TheEarliestFailureGoesToTheCaller) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    // The second part fails first in time where there are two threads: it fails at once, the first
    // waits for it.
    std::atomic<bool> second{threads == 1};
    try {
      inParts(100, 1, threads, [&](std::size_t begin, std::size_t) {
        if (begin == 1) second = true;
        while (begin == 0 && !second) std::this_thread::yield();
        if (begin < 2) throw std::runtime_error(std::to_string(begin));
      });
      FAIL() << "expected a failure";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "0") << threads;
    }
  }
}

TEST(HostThreads, NothingIsBegunAfterAFailure) {
  std::atomic<int> begun{0};
  EXPECT_THROW(inParts(1000, 1, 1,
                       [&](std::size_t, std::size_t) {
                         ++begun;
                         throw std::runtime_error("no");
                       }),
               std::runtime_error);
  EXPECT_EQ(begun, 1);
}

TEST(HostThreads, TwoInOrderOnOneThread) {
  std::string order;
  inTwo(
      1, [&] { order += "a"; }, [&] { order += "b"; });
  EXPECT_EQ(order, "ab");
}

}  // namespace
