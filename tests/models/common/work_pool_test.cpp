// Threads that take work off their owner.
#include "models/common/core/work_pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>

namespace rtvp::common {
namespace {

TEST(WorkPool, DoesEachJobOnceOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 64U}) {
    SCOPED_TRACE(threads);
    WorkPool pool(threads);
    std::array<WorkPool::Job, 5> jobs;
    std::array<std::uint64_t, 5> sums{};
    for (std::uint64_t round = 1; round <= 200; ++round) {
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        pool.begin(jobs[i], 0, [&sums, i, round] { sums[i] += round * (i + 1); });
      }
      for (WorkPool::Job& job : jobs) EXPECT_TRUE(pool.await(job, 1));
    }
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], 200 * 201 / 2 * (i + 1));
  }
}

TEST(WorkPool, OneThreadIsTheOwners) {
  WorkPool pool(1);
  WorkPool::Job job;
  const std::thread::id here = std::this_thread::get_id();
  std::thread::id there;
  pool.begin(job, 0, [&] { there = std::this_thread::get_id(); });
  pool.finish(job);
  EXPECT_EQ(there, here);
}

TEST(WorkPool, AwaitReturnsWhereAJobHasComeTo) {
  WorkPool pool(2);
  WorkPool::Job job;
  std::atomic<bool> go{false};
  pool.begin(job, 10, [&] {
    job.reach(20);
    while (!go) std::this_thread::yield();
    job.reach(30);
  });
  EXPECT_FALSE(pool.await(job, 20));
  EXPECT_EQ(job.place(), 20U);
  go = true;
  EXPECT_TRUE(pool.await(job, 31)) << "it is over before it comes there";
  EXPECT_EQ(job.place(), 30U);
}

TEST(WorkPool, TheOwnerDoesWhatAJobAsksFor) {
  for (const unsigned threads : {1U, 2U}) {
    SCOPED_TRACE(threads);
    WorkPool pool(threads);
    WorkPool::Job job;
    std::thread::id asked, worked;
    int seen = 0;
    pool.begin(job, 0, [&] {
      worked = std::this_thread::get_id();
      for (int i = 1; i <= 100; ++i) {
        int answer = 0;
        job.ask([&] {
          asked = std::this_thread::get_id();
          answer = i;
        });
        seen += answer;
      }
    });
    pool.finish(job);
    EXPECT_EQ(seen, 5050);
    EXPECT_EQ(asked, std::this_thread::get_id());
    EXPECT_EQ(worked == asked, threads == 1);
  }
}

TEST(WorkPool, WhatAJobThrowsComesOutOnce) {
  for (const unsigned threads : {1U, 2U}) {
    SCOPED_TRACE(threads);
    WorkPool pool(threads);
    WorkPool::Job job;
    pool.begin(job, 0, [] { throw std::runtime_error("no"); });
    EXPECT_THROW(pool.finish(job), std::runtime_error);
    EXPECT_NO_THROW(pool.finish(job));
    int done = 0;
    pool.begin(job, 0, [&] { ++done; });
    pool.finish(job);
    EXPECT_EQ(done, 1);
  }
}

// Two threads: the first and the third job are the other thread's, the second the owner's.
TEST(WorkPool, TheOwnerTakesAJobWhoseThreadHasAnother) {
  WorkPool pool(2);
  std::array<WorkPool::Job, 3> jobs;
  std::atomic<bool> begun{false}, third{false};
  std::array<std::thread::id, 3> who;
  pool.begin(jobs[0], 0, [&] {
    begun = true;
    who[0] = std::this_thread::get_id();
    while (!third) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  pool.begin(jobs[1], 0, [&] { who[1] = std::this_thread::get_id(); });
  pool.begin(jobs[2], 0, [&] {
    who[2] = std::this_thread::get_id();
    third = true;
  });
  pool.finish(jobs[2]);
  pool.finish(jobs[0]);
  pool.finish(jobs[1]);
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_NE(who[0], here);
  EXPECT_EQ(who[1], here);
  EXPECT_EQ(who[2], here);
}

TEST(WorkPool, EndsWithThreadsThatSleep) {
  WorkPool pool(4);
  std::array<WorkPool::Job, 4> jobs;
  for (WorkPool::Job& job : jobs) pool.begin(job, 0, [] {});
  for (WorkPool::Job& job : jobs) pool.finish(job);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (WorkPool::Job& job : jobs) pool.begin(job, 0, [] {});
  for (WorkPool::Job& job : jobs) pool.finish(job);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Begins `job` and leaves it to its own thread, as long as that takes it; then waits for it.
std::thread::id whoDoes(WorkPool& pool, WorkPool::Job& job, const std::function<void()>& work) {
  std::atomic<bool> begun{false};
  std::thread::id who;
  pool.begin(job, 0, [&] {
    who = std::this_thread::get_id();
    begun = true;
    work();
  });
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!begun && std::chrono::steady_clock::now() < late) std::this_thread::yield();
  pool.finish(job);
  return who;
}

TEST(WorkPool, AJobStaysWithItsThread) {
  WorkPool pool(3);
  WorkPool::Job first, second;
  const std::thread::id one = whoDoes(pool, first, [] {});
  const std::thread::id two = whoDoes(pool, second, [] {});
  EXPECT_NE(one, two);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(whoDoes(pool, second, [] {}), two);
    EXPECT_EQ(whoDoes(pool, first, [] {}), one);
  }
}

/// A job that the owner has done itself asks it again when another thread does it.
TEST(WorkPool, AJobAsksWhoeverHasDoneItBefore) {
  WorkPool pool(2);
  WorkPool::Job busy, ownersJob, job;  // of the other thread, of the owner, of the other thread
  std::atomic<bool> begun{false}, done{false};
  std::thread::id asked, worked;
  const auto asks = [&](WorkPool::Job& self) {
    self.ask([&] { asked = std::this_thread::get_id(); });
  };
  pool.begin(busy, 0, [&] {
    begun = true;
    while (!done) std::this_thread::yield();
  });
  while (!begun) std::this_thread::yield();
  pool.begin(ownersJob, 0, [] {});
  pool.begin(job, 0, [&] {
    worked = std::this_thread::get_id();
    asks(job);
    done = true;
  });
  pool.finish(job);
  EXPECT_EQ(worked, std::this_thread::get_id());
  EXPECT_EQ(asked, worked);
  pool.finish(busy);
  pool.finish(ownersJob);
  asked = {};
  EXPECT_NE(whoDoes(pool, job, [&] { asks(job); }), std::this_thread::get_id());
  EXPECT_EQ(asked, std::this_thread::get_id());
}

/// Long enough for whoever waits to look no more, but sleep.
void pauseLong() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

TEST(WorkPool, WhoeverSleepsIsWoken) {
  WorkPool pool(2);
  WorkPool::Job job;
  for (int round = 0; round < 2; ++round) {
    std::atomic<bool> on{false};
    bool asked = false;
    pool.begin(job, 0, [&] {
      pauseLong();
      job.reach(5);
      while (!on) std::this_thread::yield();
      pauseLong();
      job.ask([&] { asked = true; });
      pauseLong();
    });
    EXPECT_FALSE(pool.await(job, 5));
    on = true;
    EXPECT_TRUE(pool.await(job, 6));
    EXPECT_TRUE(asked);
    pauseLong();  // the other thread sleeps now
  }
}

}  // namespace
}  // namespace rtvp::common
